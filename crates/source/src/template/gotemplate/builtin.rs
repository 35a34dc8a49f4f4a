//! The functions of the engine itself.
//!
//! **Source**: `golang/go: src/text/template/funcs.go` of Go 1.16. Match, but for `slice`, which sprig hides, and `call`,
//! for which there is nothing to call.

#![expect(
    clippy::format_push_string,
    clippy::unnecessary_wraps,
    reason = "one signature for every function of the table"
)]

use super::call::{Answer, Function, Type, arg};
use super::exec::Machine;
use super::format::{show, sprint, sprintf, sprintln};
use super::value::{Element, Value};

const ANY: Type = Type::Any;
const REFLECT: Type = Type::Reflect;

/// Every function of the engine.
pub(super) static TABLE: &[Function] = &[
    Function { name: "and", takes: &[REFLECT], more: Some(REFLECT), run: and },
    Function { name: "call", takes: &[REFLECT], more: Some(REFLECT), run: call },
    Function { name: "html", takes: &[], more: Some(ANY), run: html },
    Function { name: "index", takes: &[REFLECT], more: Some(REFLECT), run: index },
    Function { name: "js", takes: &[], more: Some(ANY), run: js },
    Function { name: "len", takes: &[REFLECT], more: None, run: len },
    Function {
        name: "not",
        takes: &[REFLECT],
        more: None,
        run: |_, args| Ok(Value::Bool(!arg(args, 0).is_true())),
    },
    Function { name: "or", takes: &[REFLECT], more: Some(REFLECT), run: or },
    Function { name: "print", takes: &[], more: Some(ANY), run: |_, args| Ok(sprint(args).into()) },
    Function { name: "printf", takes: &[Type::Str], more: Some(ANY), run: printf },
    Function { name: "println", takes: &[], more: Some(ANY), run: |_, args| Ok(sprintln(args).into()) },
    Function { name: "urlquery", takes: &[], more: Some(ANY), run: urlquery },
    Function { name: "eq", takes: &[REFLECT], more: Some(REFLECT), run: |_, args| eq(args).map(Value::Bool) },
    Function {
        name: "ne",
        takes: &[REFLECT, REFLECT],
        more: None,
        run: |_, args| eq(args).map(|it| Value::Bool(!it)),
    },
    Function { name: "lt", takes: &[REFLECT, REFLECT], more: None, run: |_, args| lt(args).map(Value::Bool) },
    Function { name: "le", takes: &[REFLECT, REFLECT], more: None, run: |_, args| le(args).map(Value::Bool) },
    Function {
        name: "gt",
        takes: &[REFLECT, REFLECT],
        more: None,
        run: |_, args| le(args).map(|it| Value::Bool(!it)),
    },
    Function {
        name: "ge",
        takes: &[REFLECT, REFLECT],
        more: None,
        run: |_, args| lt(args).map(|it| Value::Bool(!it)),
    },
];

fn and(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    Ok(args.iter().find(|value| !value.is_true()).or(args.last()).cloned().unwrap_or_default())
}

fn or(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    Ok(args.iter().find(|value| value.is_true()).or(args.last()).cloned().unwrap_or_default())
}

fn call(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let given = arg(args, 0);
    if given.is_nil() {
        return Err("call of nil".to_owned());
    }
    Err(format!("non-function of type {}", given.type_name()))
}

fn len(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let length = match arg(args, 0) {
        Value::Str(text) => text.len(),
        Value::List(list) => list.items.len(),
        Value::Map(map) => map.len(),
        Value::Nil => return Err("len of nil pointer".to_owned()),
        Value::Invalid => return Err("reflect: call of reflect.Value.Type on zero Value".to_owned()),
        other => return Err(format!("len of type {}", other.type_name())),
    };
    Ok(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn index(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut item = arg(args, 0).clone();
    if item.is_nil() {
        return Err("index of untyped nil".to_owned());
    }
    for index in args.iter().skip(1) {
        item = match &item {
            Value::List(list) => {
                let at = place(index, list.items.len())?;
                list.items.get(at).cloned().ok_or_else(|| "reflect: slice index out of range".to_owned())?
            }
            Value::Str(text) => {
                let at = place(index, text.len())?;
                let byte = text.as_bytes().get(at).copied();
                Value::Byte(byte.ok_or_else(|| "reflect: string index out of range".to_owned())?)
            }
            Value::Map(map) => {
                let key = match index {
                    Value::Str(key) => key,
                    Value::Invalid | Value::Nil => {
                        return Err("value is nil; should be of type string".to_owned());
                    }
                    other => return Err(format!("value has type {}; should be string", other.type_name())),
                };
                let zero = if map.of == Element::Str { Value::str("") } else { Value::Nil };
                map.get(key).unwrap_or(zero)
            }
            Value::Invalid | Value::Nil => return Err("index of nil pointer".to_owned()),
            other => return Err(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(item)
}

fn place(index: &Value, length: usize) -> Result<usize, String> {
    let at = match index {
        Value::Int(number) | Value::Int64(number) => *number,
        Value::Byte(number) => i64::from(*number),
        Value::Invalid | Value::Nil => return Err("cannot index slice/array with nil".to_owned()),
        other => return Err(format!("cannot index slice/array with type {}", other.type_name())),
    };
    usize::try_from(at).ok().filter(|at| *at < length).ok_or_else(|| format!("index out of range: {at}"))
}

fn printf(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let format = super::call::text(args, 0).to_owned();
    Ok(sprintf(&format, args.get(1..).unwrap_or_default()).into())
}

/// The text that the escaping functions work on.
fn text_of(args: &[Value]) -> String {
    match args {
        [Value::Str(text)] => text.to_string(),
        [only] if only.is_nil() => "<no value>".to_owned(),
        _ => sprint(args),
    }
}

fn html(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut out = String::new();
    for c in text_of(args).chars() {
        match c {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
    Ok(out.into())
}

fn js(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut out = String::new();
    for c in text_of(args).chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '"' => out.push_str("\\\""),
            '<' => out.push_str("\\u003C"),
            '>' => out.push_str("\\u003E"),
            '&' => out.push_str("\\u0026"),
            '=' => out.push_str("\\u003D"),
            c if c < ' ' || !c.is_ascii() && !super::format::is_print(c) => {
                out.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            other => out.push(other),
        }
    }
    Ok(out.into())
}

fn urlquery(_: &mut Machine<'_>, args: &[Value]) -> Answer {
    let mut out = String::new();
    for byte in text_of(args).bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    Ok(out.into())
}

/// Kinds of a value in a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basic {
    Bool,
    Int,
    Float,
    Str,
    Uint,
    Other,
}

fn basic(value: &Value) -> Basic {
    match value {
        Value::Bool(_) => Basic::Bool,
        Value::Int(_) | Value::Int64(_) => Basic::Int,
        Value::Byte(_) => Basic::Uint,
        Value::Float(_) => Basic::Float,
        Value::Str(_) => Basic::Str,
        _ => Basic::Other,
    }
}

const BAD_TYPE: &str = "invalid type for comparison";
const INCOMPATIBLE: &str = "incompatible types for comparison";

fn whole_number(value: &Value) -> i64 {
    match value {
        Value::Int(number) | Value::Int64(number) => *number,
        Value::Byte(number) => i64::from(*number),
        _ => 0,
    }
}

fn comparable(value: &Value) -> Result<(), String> {
    match value {
        Value::List(_) | Value::Map(_) => {
            Err(format!("uncomparable type {}: {}", value.type_name(), show(value)))
        }
        _ => Ok(()),
    }
}

fn eq(args: &[Value]) -> Result<bool, String> {
    let first = arg(args, 0);
    comparable(first)?;
    let others = args.get(1..).unwrap_or_default();
    if others.is_empty() {
        return Err("missing argument for comparison".to_owned());
    }
    let kind = basic(first);
    for other in others {
        let same = match (kind, basic(other)) {
            (Basic::Int, Basic::Uint) | (Basic::Uint, Basic::Int) => {
                whole_number(first) == whole_number(other)
            }
            (a, b) if a != b => return Err(INCOMPATIBLE.to_owned()),
            (Basic::Other, _) => {
                if other.is_nil() {
                    first.is_nil()
                } else {
                    comparable(other)?;
                    !first.is_nil() && first.deep_equal(other)
                }
            }
            (Basic::Int | Basic::Uint, _) => whole_number(first) == whole_number(other),
            _ => first.deep_equal(other),
        };
        if same {
            return Ok(true);
        }
    }
    Ok(false)
}

fn lt(args: &[Value]) -> Result<bool, String> {
    let (first, other) = (arg(args, 0), arg(args, 1));
    let (a, b) = (basic(first), basic(other));
    if a == Basic::Other || b == Basic::Other {
        return Err(BAD_TYPE.to_owned());
    }
    match (first, other) {
        (Value::Bool(_), Value::Bool(_)) => Err(BAD_TYPE.to_owned()),
        (Value::Float(a), Value::Float(b)) => Ok(a < b),
        (Value::Str(a), Value::Str(b)) => Ok(a < b),
        _ if matches!(a, Basic::Int | Basic::Uint) && matches!(b, Basic::Int | Basic::Uint) => {
            Ok(whole_number(first) < whole_number(other))
        }
        _ => Err(INCOMPATIBLE.to_owned()),
    }
}

fn le(args: &[Value]) -> Result<bool, String> {
    Ok(lt(args)? || eq(args)?)
}
