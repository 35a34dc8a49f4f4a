//! YAML as programs written in Go read and write it: version 1.1 with octal numbers and `yes`.
//!
//! **Source**: `go-yaml/yaml: resolve.go`, `sorter.go`, `emitterc.go` of v2.3.0 and `kubernetes-sigs/yaml: yaml.go` of v1.2.0. Matched,
//! but that dates stay texts (which they do there as well, wherever no date is asked for).

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

use crate::template::gotemplate::go_float;
use crate::yaml::node::{Kind, Node, Style};

/// Meanings of a scalar.
pub(super) enum Meaning {
    Null,
    Bool(bool),
    Int(i64),
    Large(u64),
    Float(f64),
    /// A text in the form of a date.
    Date,
    Text,
    /// Bytes of `!!binary`, as text.
    Bytes(String),
}

impl Meaning {
    /// Returns the tag that follows from the form of the text.
    fn tag(&self) -> &'static str {
        match self {
            Self::Null => "!!null",
            Self::Bool(_) => "!!bool",
            Self::Int(_) | Self::Large(_) => "!!int",
            Self::Float(_) => "!!float",
            Self::Date => "!!timestamp",
            Self::Text => "!!str",
            Self::Bytes(_) => "!!binary",
        }
    }
}

impl Node {
    /// The node as data, as Go's readers understand it. The last of repeated keys wins.
    pub fn to_go_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar(scalar) => match self.meaning() {
                Meaning::Null => Value::Null,
                Meaning::Bool(flag) => Value::Bool(flag),
                Meaning::Int(number) => Value::from(number),
                Meaning::Large(number) => Value::from(number),
                Meaning::Float(number) => {
                    Number::from_f64(number).map_or_else(|| Value::from(&*scalar.text), Value::Number)
                }
                Meaning::Date | Meaning::Text => Value::from(&*scalar.text),
                Meaning::Bytes(bytes) => Value::from(bytes),
            },
            Kind::Sequence(items) => Value::Array(items.iter().map(Self::to_go_json).collect()),
            Kind::Mapping(entries) => {
                let mut map = Map::new();
                for entry in entries.iter() {
                    map.insert(entry.key.go_key(), entry.value.to_go_json());
                }
                Value::Object(map)
            }
        }
    }

    /// The text that a field of type text gets: numbers and booleans as Go writes them; none for nothing.
    pub fn go_text(&self) -> Option<String> {
        let text = self.as_str()?;
        match self.meaning() {
            Meaning::Null => None,
            Meaning::Bool(flag) => Some(flag.to_string()),
            Meaning::Int(number) => Some(number.to_string()),
            Meaning::Large(number) => Some(number.to_string()),
            Meaning::Float(number) => Some(short_float(number)),
            Meaning::Date | Meaning::Text => Some(text.to_owned()),
            Meaning::Bytes(bytes) => Some(bytes),
        }
    }

    /// A boolean where one is asked for: only what YAML 1.1 calls so.
    pub fn go_bool(&self) -> Option<bool> {
        match self.meaning() {
            Meaning::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// A whole number where one is asked for.
    pub fn go_int(&self) -> Option<i64> {
        match self.meaning() {
            Meaning::Int(number) => Some(number),
            _ => None,
        }
    }

    fn go_key(&self) -> String {
        let text = self.as_str().unwrap_or_default();
        match self.meaning() {
            Meaning::Null => "null".to_owned(),
            Meaning::Bool(flag) => flag.to_string(),
            Meaning::Int(number) => number.to_string(),
            Meaning::Large(number) => number.to_string(),
            Meaning::Float(number) if number.is_nan() => ".nan".to_owned(),
            Meaning::Float(number) if number.is_infinite() => {
                if number > 0.0 { ".inf" } else { "-.inf" }.to_owned()
            }
            Meaning::Float(number) => short_float(number),
            Meaning::Bytes(bytes) => bytes,
            _ if self.as_scalar().is_none() => self.to_go_json().to_string(),
            Meaning::Date | Meaning::Text => text.to_owned(),
        }
    }

    fn meaning(&self) -> Meaning {
        self.tagged().unwrap_or(Meaning::Text)
    }

    /// Returns the meaning by the tag or, without one, by the form of the text.
    ///
    /// *Errors*: the text does not fit its tag, in the words of the real reader.
    pub(super) fn tagged(&self) -> Result<Meaning, String> {
        let Kind::Scalar(scalar) = &self.kind else { return Ok(Meaning::Text) };
        let text = &*scalar.text;
        let Some(tag) = self.tag.as_deref() else {
            return Ok(if scalar.style == Style::Plain { meaning(text) } else { Meaning::Text });
        };
        // An unknown tag has no meaning: the scalar is a text.
        let Some(tag) = tag.strip_prefix("tag:yaml.org,2002:") else { return Ok(Meaning::Text) };
        match (tag, meaning(text)) {
            ("binary", _) => binary(text).map(Meaning::Bytes),
            ("bool", found @ Meaning::Bool(_))
            | ("int", found @ (Meaning::Int(_) | Meaning::Large(_)))
            | ("float", found @ Meaning::Float(_))
            | ("null", found @ Meaning::Null)
            | ("timestamp", found @ Meaning::Date) => Ok(found),
            #[expect(clippy::cast_precision_loss, reason = "as the real reader does")]
            ("float", Meaning::Int(number)) => Ok(Meaning::Float(number as f64)),
            ("bool" | "int" | "float" | "null" | "timestamp", found) => {
                // Only a text that can be a date is read as one.
                let looks = if matches!(found, Meaning::Date) { "!!str" } else { found.tag() };
                Err(format!("cannot decode {looks} `{text}` as a !!{tag}"))
            }
            _ => Ok(Meaning::Text),
        }
    }
}

/// A number with the digits of a short float.
fn short_float(number: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "as the real reader does")]
    let short = (number as f32).to_string();
    planarium_kernel::float::parse(&short).map_or(short, go_float)
}

/// Decodes a text in base 64.
fn binary(text: &str) -> Result<String, String> {
    let plain: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let bytes = crate::template::gotemplate::base64(&plain);
    let bytes = bytes.ok_or("!!binary value contains invalid base64 data")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn meaning(text: &str) -> Meaning {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Meaning::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" => {
            return Meaning::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => {
            return Meaning::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Meaning::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Meaning::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Meaning::Float(f64::NEG_INFINITY),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return Meaning::Text;
    }
    if looks_like_date(text) {
        return Meaning::Date;
    }
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    if !text.starts_with('.')
        && let Some(number) = whole(&plain)
    {
        return match i64::try_from(number) {
            Ok(number) => Meaning::Int(number),
            Err(_) => u64::try_from(number).map_or_else(|_| decimal(&plain), Meaning::Large),
        };
    }
    decimal(&plain)
}

fn decimal(text: &str) -> Meaning {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) =
        unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (before, after) = mantissa.split_once('.').map_or((mantissa, None), |(b, a)| (b, Some(a)));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = digits(before)
        && after.is_none_or(digits)
        && (!before.is_empty() || after.is_some_and(|a| !a.is_empty()));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits_of = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits_of.is_empty() && digits(digits_of)
    });
    if !mantissa_fits || !exponent_fits {
        return Meaning::Text;
    }
    planarium_kernel::float::parse(text)
        .filter(|number| number.is_finite())
        .map_or(Meaning::Text, Meaning::Float)
}

/// A whole number in any base that Go knows by its prefix.
fn whole(text: &str) -> Option<i128> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (base, digits) = match unsigned.get(..2) {
        Some("0x" | "0X") => (16, unsigned.get(2..)?),
        Some("0b" | "0B") => (2, unsigned.get(2..)?),
        Some("0o" | "0O") => (8, unsigned.get(2..)?),
        _ if unsigned.len() > 1 && unsigned.starts_with('0') => (8, unsigned.get(1..)?),
        _ => (10, unsigned),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    let size = i128::from(u64::from_str_radix(digits, base).ok()?);
    Some(if negative { -size } else { size })
}

/// `2006-1-2`, alone or with a time behind `T`, `t` or a blank.
fn looks_like_date(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 || text.as_bytes().get(4) != Some(&b'-') {
        return false;
    }
    let mut parts = text.splitn(3, '-').skip(1);
    let number = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let month = parts.next().is_some_and(number);
    let rest = parts.next().unwrap_or_default();
    let day = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (day, rest) = rest.split_at_checked(day).unwrap_or((rest, ""));
    let time = rest.is_empty()
        || rest.starts_with(['T', 't', ' '])
            && rest.get(1..).is_some_and(|time| {
                time.contains(':') && time.trim_start().starts_with(|c: char| c.is_ascii_digit())
            });
    month && number(day) && time
}

/// Data as a YAML text with sorted keys and a line break at its end.
pub fn to_go_yaml(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => write_map(&mut out, map, 0, true),
        Value::Array(items) if !items.is_empty() => write_list(&mut out, items, 0, true),
        other => {
            out.push_str(&scalar(other, 0, false));
            out.push('\n');
        }
    }
    out
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn write_map(out: &mut String, map: &Map<String, Value>, indent: usize, mut fresh: bool) {
    let mut entries: Vec<_> = map.iter().collect();
    planarium_kernel::sorted::sort_by(&mut entries, |a, b| natural(a.0, b.0));
    for (key, value) in entries {
        if !std::mem::replace(&mut fresh, false) {
            pad(out, indent);
        } else if indent == 0 {
            // The first line of the text.
        }
        out.push_str(&quoted(key, indent, true));
        out.push(':');
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push('\n');
                pad(out, indent.saturating_add(2));
                write_map(out, inner, indent.saturating_add(2), true);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                pad(out, indent);
                write_list(out, items, indent, true);
            }
            other => {
                out.push(' ');
                out.push_str(&scalar(other, indent.saturating_add(2), false));
                out.push('\n');
            }
        }
    }
}

fn write_list(out: &mut String, items: &[Value], indent: usize, mut fresh: bool) {
    for item in items {
        if !std::mem::replace(&mut fresh, false) {
            pad(out, indent);
        }
        out.push_str("- ");
        let inside = indent.saturating_add(2);
        match item {
            Value::Object(map) if !map.is_empty() => write_map(out, map, inside, true),
            Value::Array(items) if !items.is_empty() => write_list(out, items, inside, true),
            other => {
                out.push_str(&scalar(other, inside, false));
                out.push('\n');
            }
        }
    }
}

fn scalar(value: &Value, indent: usize, key: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.to_string(),
            (None, Some(number)) => number.to_string(),
            (None, None) => go_float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => quoted(text, indent, key),
        Value::Array(_) => "[]".to_owned(),
        Value::Object(_) => "{}".to_owned(),
    }
}

/// A text in the style that the emitter chooses.
fn quoted(text: &str, indent: usize, key: bool) -> String {
    let looks = Looks::of(text);
    let is_text = matches!(meaning(text), Meaning::Text) && !is_base60(text);
    if text.contains('\n') && !key && looks.block_fits {
        return literal(text, indent);
    }
    if !text.contains('\n') && is_text && looks.plain_fits {
        return text.to_owned();
    }
    if !text.contains('\n') && is_text && looks.single_fits {
        return format!("'{}'", text.replace('\'', "''"));
    }
    double(text)
}

/// Styles that a text's characters permit.
struct Looks {
    plain_fits: bool,
    single_fits: bool,
    block_fits: bool,
}

impl Looks {
    fn of(text: &str) -> Self {
        let special = text.chars().any(|c| !(c == '\n' || is_printable(c)));
        let edge = text.starts_with([' ', '\n']) || text.ends_with([' ', '\n']);
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let mut before = ' ';
        for (at, c) in text.char_indices() {
            let rest = text.get(at.saturating_add(c.len_utf8())..).unwrap_or_default();
            let followed = rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']);
            indicators |= match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                | '`'
                    if at == 0 =>
                {
                    true
                }
                '?' | '-' if at == 0 => followed,
                ':' => followed,
                '#' => before == ' ' || before == '\t',
                _ => false,
            };
            before = c;
        }
        let space_then_break = text.contains(" \n");
        Self {
            plain_fits: !special && !edge && !indicators && !text.is_empty(),
            single_fits: !special,
            block_fits: !special && !space_then_break && !text.ends_with(' '),
        }
    }
}

fn is_printable(c: char) -> bool {
    (' '..='~').contains(&c)
        || u32::from(c) >= 0xa0 && c != '\u{feff}' && !matches!(c, '\u{2028}' | '\u{2029}')
}

/// Returns whether other readers take the text for a number, such as `1:30`.
fn is_base60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let digits =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let rest: Vec<_> = parts.collect();
    digits(first)
        && !rest.is_empty()
        && rest.iter().all(|part| {
            let whole = part.split('.').next().unwrap_or_default();
            (1..=2).contains(&whole.len()) && digits(whole)
        })
}

fn literal(text: &str, indent: usize) -> String {
    let body = text.trim_end_matches('\n');
    let breaks = text.len().saturating_sub(body.len());
    let hint = if text.starts_with([' ', '\n']) { "2" } else { "" };
    let chomp = match breaks {
        0 => "-",
        1 if !body.is_empty() => "",
        _ => "+",
    };
    let mut out = format!("|{hint}{chomp}");
    let indent = indent.max(2);
    let kept = text.strip_suffix('\n').unwrap_or(text);
    for line in kept.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(&mut out, indent);
            out.push_str(line);
        }
    }
    out
}

fn double(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{a0}' => out.push_str("\\_"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xff => {
                let _ = write!(out, "\\x{:02X}", u32::from(c));
            }
            c if u32::from(c) <= 0xffff => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}

/// Compares keys like the emitter: numbers inside by their value, letters after other characters.
fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    let (ac, bc): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = ac.iter().zip(&bc).position(|(a, b)| a != b) else { return ac.len().cmp(&bc.len()) };
    let (Some(x), Some(y)) = (ac.get(at).copied(), bc.get(at).copied()) else { return Ordering::Equal };
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x.cmp(&y),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let mut start = 0_i64;
    if x == '0' || y == '0' {
        let before = ac.get(..at).unwrap_or_default().iter().rev().take_while(|c| c.is_ascii_digit());
        if before.into_iter().any(|c| *c != '0') {
            start = 1;
        }
    }
    let number = |chars: &[char]| {
        let digits = chars.get(at..).unwrap_or_default().iter().take_while(|c| c.is_ascii_digit());
        digits.fold((start, 0_usize), |(number, count), c| {
            let digit = i64::from(c.to_digit(10).unwrap_or(0));
            (number.wrapping_mul(10).wrapping_add(digit), count.saturating_add(1))
        })
    };
    number(&ac).cmp(&number(&bc)).then(x.cmp(&y))
}
