//! Numbers.

#![expect(clippy::unnecessary_wraps, reason = "one signature for every function of the table")]

use crate::template::gotemplate::call::{Answer, Function, Type, arg, int, text};
use crate::template::gotemplate::exec::Machine;
use crate::template::gotemplate::format::show;
use crate::template::gotemplate::number::parse_float;
use crate::template::gotemplate::value::Value;

const ANY: Type = Type::Any;
const INT: Type = Type::Int;

pub(super) static TABLE: &[Function] = &[
    Function { name: "atoi", takes: &[Type::Str], more: None, run: |_, a| Ok(Value::Int(atoi(text(a, 0)))) },
    Function { name: "int64", takes: &[ANY], more: None, run: |_, a| Ok(Value::Int64(to_int(arg(a, 0)))) },
    Function { name: "int", takes: &[ANY], more: None, run: |_, a| Ok(Value::Int(to_int(arg(a, 0)))) },
    Function {
        name: "float64",
        takes: &[ANY],
        more: None,
        run: |_, a| Ok(Value::Float(to_float(arg(a, 0)))),
    },
    Function {
        name: "toDecimal",
        takes: &[ANY],
        more: None,
        run: |_, a| Ok(Value::Int64(i64::from_str_radix(&show(arg(a, 0)), 8).unwrap_or(0))),
    },
    Function {
        name: "until",
        takes: &[INT],
        more: None,
        run: |m, a| {
            let count = int(a, 0);
            steps(m, 0, count, if count < 0 { -1 } else { 1 })
        },
    },
    Function {
        name: "untilStep",
        takes: &[INT, INT, INT],
        more: None,
        run: |m, a| steps(m, int(a, 0), int(a, 1), int(a, 2)),
    },
    Function {
        name: "add1",
        takes: &[ANY],
        more: None,
        run: |_, a| Ok(Value::Int64(to_int(arg(a, 0)).wrapping_add(1))),
    },
    Function {
        name: "add",
        takes: &[],
        more: Some(ANY),
        run: |_, a| Ok(Value::Int64(a.iter().map(to_int).fold(0, i64::wrapping_add))),
    },
    Function {
        name: "sub",
        takes: &[ANY, ANY],
        more: None,
        run: |_, a| Ok(Value::Int64(to_int(arg(a, 0)).wrapping_sub(to_int(arg(a, 1))))),
    },
    Function { name: "div", takes: &[ANY, ANY], more: None, run: |_, a| divided(a, i64::wrapping_div) },
    Function { name: "mod", takes: &[ANY, ANY], more: None, run: |_, a| divided(a, i64::wrapping_rem) },
    Function {
        name: "mul",
        takes: &[ANY],
        more: Some(ANY),
        run: |_, a| Ok(Value::Int64(a.iter().map(to_int).fold(1, i64::wrapping_mul))),
    },
    Function { name: "biggest", takes: &[ANY], more: Some(ANY), run: |_, a| Ok(most(a)) },
    Function { name: "max", takes: &[ANY], more: Some(ANY), run: |_, a| Ok(most(a)) },
    Function {
        name: "min",
        takes: &[ANY],
        more: Some(ANY),
        run: |_, a| Ok(Value::Int64(a.iter().map(to_int).min().unwrap_or(0))),
    },
    Function {
        name: "ceil",
        takes: &[ANY],
        more: None,
        run: |_, a| Ok(Value::Float(to_float(arg(a, 0)).ceil())),
    },
    Function {
        name: "floor",
        takes: &[ANY],
        more: None,
        run: |_, a| Ok(Value::Float(to_float(arg(a, 0)).floor())),
    },
    Function { name: "round", takes: &[ANY, INT], more: Some(Type::Float), run: round },
];

/// `strconv.ParseInt(text, 10, 64)`, nothing where it fails.
fn parse(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// `strconv.Atoi` whose error nobody looks at: what is too large is the largest number.
fn atoi(text: &str) -> i64 {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    text.parse().unwrap_or_else(|error: std::num::ParseIntError| match error.kind() {
        PosOverflow => i64::MAX,
        NegOverflow => i64::MIN,
        _ => 0,
    })
}

/// `toInt64`: numbers, texts of whole numbers, booleans; anything else is 0.
pub(in crate::template::gotemplate) fn to_int(value: &Value) -> i64 {
    match value {
        Value::Int(number) | Value::Int64(number) => *number,
        Value::Byte(number) => i64::from(*number),
        #[expect(clippy::cast_possible_truncation, reason = "cut as on the usual machines")]
        Value::Float(number) => {
            let cut = *number as i64;
            // What does not fit is the least number there, on either side.
            if cut == i64::MAX || number.is_nan() { i64::MIN } else { cut }
        }
        Value::Str(text) => parse(text).unwrap_or(0),
        Value::Bool(flag) => i64::from(*flag),
        _ => 0,
    }
}

fn to_float(value: &Value) -> f64 {
    match value {
        Value::Float(number) => *number,
        Value::Str(text) => parse_float(text).unwrap_or(0.0),
        #[expect(clippy::cast_precision_loss, reason = "as Go converts")]
        other => to_int(other) as f64,
    }
}

fn most(args: &[Value]) -> Value {
    Value::Int64(args.iter().map(to_int).max().unwrap_or(0))
}

fn divided(args: &[Value], divide: fn(i64, i64) -> i64) -> Answer {
    match to_int(arg(args, 1)) {
        0 => Err("runtime error: integer divide by zero".to_owned()),
        divisor => Ok(Value::Int64(divide(to_int(arg(args, 0)), divisor))),
    }
}

fn steps(machine: &mut Machine<'_>, start: i64, stop: i64, step: i64) -> Answer {
    let mut numbers = Vec::new();
    let down = stop < start;
    if down == (step < 0) && step != 0 {
        let mut at = start;
        while if down { at > stop } else { at < stop } {
            if !machine.room_for(32) {
                break;
            }
            numbers.push(Value::Int(at));
            let Some(next) = at.checked_add(step) else { break };
            at = next;
        }
    }
    Ok(Value::ints(numbers))
}

fn round(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let on = match args.get(2) {
        Some(Value::Float(on)) => *on,
        _ => 0.5,
    };
    let places = i32::try_from(int(args, 1).clamp(-400, 400)).unwrap_or(0);
    // Powers of ten by multiplication, the same on every machine.
    let mut power = 1.0_f64;
    for _ in 0..places.unsigned_abs() {
        power *= 10.0;
    }
    if places < 0 {
        power = 1.0 / power;
    }
    let digit = power * to_float(arg(args, 0));
    let rounded = if digit.fract() >= on { digit.ceil() } else { digit.floor() };
    Ok(Value::Float(rounded / power))
}
