//! Mutations of definitions and inputs: likely mistakes and unlikely ones.

use super::Chance;
use serde_json::Value;

/// Numbers that are hard to bear.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "7",
    "99999",
    "100000",
    "1000000",
    "4294967296",
    "9223372036854775807",
    "1e400",
    "0.0000001",
    "1e3",
];

/// Fragments in wrong places.
const PIECES: [&str; 16] = [
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "\u{0}",
    "\u{1F980}",
    "null",
    "{{",
    "&a *a",
    "- ",
    "true",
];

/// Changes one value of an input: texts as texts, numbers as numbers.
pub(super) fn input(chance: &mut Chance, input: &mut Value) {
    let places = count(input);
    let mut place = chance.below(places);
    at(input, &mut place, &mut |value| {
        *value = match value {
            Value::String(old) if old.contains('\n') || chance.below(2) == 0 => {
                let mut changed = old.clone();
                for _ in 0..=chance.below(3) {
                    changed = text(chance, &changed);
                }
                Value::String(changed)
            }
            Value::String(_) => Value::String(chance.pick(&NUMBERS).map_or("", |number| *number).to_owned()),
            Value::Number(_) => {
                let number = chance.pick(&NUMBERS).copied().unwrap_or("0");
                serde_json::from_str(number).unwrap_or(Value::from(u64::MAX))
            }
            Value::Bool(old) => Value::Bool(!*old),
            _ => chance
                .pick(&[Value::Null, Value::from(7), Value::Array(Vec::new())])
                .cloned()
                .unwrap_or_default(),
        };
    });
}

/// Changes one file of a definition in one place; what has no files is left as it is.
pub(super) fn definition(chance: &mut Chance, load: &mut Value) {
    let Some(files) = load.get_mut("files").and_then(Value::as_object_mut) else { return };
    let at = usize::try_from(chance.below(files.len() as u64)).unwrap_or(0);
    if let Some(file) = files.values_mut().nth(at)
        && let Some(old) = file.as_str()
    {
        *file = Value::String(text(chance, old));
    }
}

/// The number of values without parts.
fn count(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 1,
    }
}

fn at(value: &mut Value, place: &mut u64, change: &mut dyn FnMut(&mut Value)) -> bool {
    match value {
        Value::Array(items) => items.iter_mut().any(|item| at(item, place, change)),
        Value::Object(fields) => fields.values_mut().any(|field| at(field, place, change)),
        value if *place == 0 => {
            change(value);
            true
        }
        _ => {
            *place -= 1;
            false
        }
    }
}

/// Changes a text in one place.
pub(super) fn text(chance: &mut Chance, old: &str) -> String {
    match chance.below(8) {
        0..=2 => number(chance, old),
        3 => lines(chance, old, |lines, at, _| {
            lines.remove(at);
        }),
        4 => lines(chance, old, |lines, at, _| {
            let line = lines.get(at).copied().unwrap_or_default();
            lines.insert(at, line);
        }),
        5 => lines(chance, old, |lines, at, other| lines.swap(at, other)),
        6 => {
            let (left, right) = split(chance, old);
            format!("{left}{}{right}", chance.pick(&PIECES).copied().unwrap_or_default())
        }
        _ => {
            let (left, right) = split(chance, old);
            let gone = usize::try_from(chance.below(10)).unwrap_or(0);
            format!("{left}{}", right.chars().skip(gone).collect::<String>())
        }
    }
}

/// Another number in the place of one, or three more digits.
fn number(chance: &mut Chance, old: &str) -> String {
    let is_digit = |at: usize| old.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let starts: Vec<usize> =
        (0..old.len()).filter(|at| is_digit(*at) && !(*at > 0 && is_digit(*at - 1))).collect();
    let Some(start) = chance.pick(&starts).copied() else { return format!("{old}0") };
    let end = (start..old.len()).find(|at| !is_digit(*at)).unwrap_or(old.len());
    let (left, rest) = old.split_at(start);
    let (digits, right) = rest.split_at(end - start);
    let new = if chance.below(3) == 0 {
        format!("{digits}000")
    } else {
        chance.pick(&NUMBERS).copied().unwrap_or("0").to_owned()
    };
    format!("{left}{new}{right}")
}

fn lines(chance: &mut Chance, old: &str, change: impl Fn(&mut Vec<&str>, usize, usize)) -> String {
    let mut lines: Vec<&str> = old.split('\n').collect();
    let count = lines.len() as u64;
    let mut place = || usize::try_from(chance.below(count)).unwrap_or(0);
    let (at, other) = (place(), place());
    change(&mut lines, at, other);
    lines.join("\n")
}

fn split<'t>(chance: &mut Chance, old: &'t str) -> (&'t str, &'t str) {
    let mut at = usize::try_from(chance.below(old.len() as u64 + 1)).unwrap_or(0);
    while !old.is_char_boundary(at) {
        at -= 1;
    }
    old.split_at(at)
}
