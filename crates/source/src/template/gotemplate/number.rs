//! Constants of a template: numbers, characters and quoted texts.
//!
//! **Source**: `golang/go: src/text/template/parse/node.go` and `src/strconv`. Match, but for complex numbers.

use std::sync::Arc;

use super::format::go_quote;
use super::node::Number;

/// Reads a number or a character.
pub(super) fn number(written: &str) -> Result<Number, String> {
    let shown = Arc::from(written);
    if written.starts_with('\'') {
        let text = unquote(written).ok().filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| "invalid syntax".to_owned())?;
        let mut chars = text.chars();
        let (Some(c), None) = (chars.next(), chars.next()) else {
            return Err(format!("malformed character constant: {written}"));
        };
        let code = u32::from(c);
        return Ok(Number {
            written: shown,
            int: Some(i64::from(code)),
            uint: Some(u64::from(code)),
            float: Some(f64::from(code)),
        });
    }
    let (int, uint) = (parse_int(written), parse_uint(written));
    let mut number = Number { written: shown, int, uint, float: None };
    if number.int == Some(0) {
        number.uint = Some(0);
    }
    #[expect(clippy::cast_precision_loss, reason = "as Go converts")]
    match (number.int, number.uint) {
        (Some(int), _) => number.float = Some(int as f64),
        (None, Some(uint)) => number.float = Some(uint as f64),
        (None, None) => {
            let Some(float) = parse_float(written) else {
                return Err(format!("illegal number syntax: {}", go_quote(written)));
            };
            if !written.contains(['.', 'e', 'E', 'p', 'P']) {
                return Err(format!("integer overflow: {}", go_quote(written)));
            }
            number.float = Some(float);
            number.int = super::format::whole(float);
            number.uint = number.int.and_then(|int| u64::try_from(int).ok());
        }
    }
    Ok(number)
}

/// `strconv.ParseInt(text, 0, 64)`.
fn parse_int(text: &str) -> Option<i64> {
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = i128::from(parse_uint(unsigned)?);
    i64::try_from(if negative { -size } else { size }).ok()
}

/// `strconv.ParseUint(text, 0, 64)`.
fn parse_uint(text: &str) -> Option<u64> {
    let (base, digits) = match text.get(..2) {
        Some("0x" | "0X") => (16, text.get(2..)?),
        Some("0b" | "0B") => (2, text.get(2..)?),
        Some("0o" | "0O") => (8, text.get(2..)?),
        _ if text.len() > 1 && text.starts_with('0') => (8, text.get(1..)?),
        _ => (10, text),
    };
    if digits.contains('_')
        && (!underscores_fit(text) || base == 10 && !text.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    if plain.is_empty() || !plain.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    u64::from_str_radix(&plain, base).ok()
}

/// Underscores only between digits, or between a base prefix and a digit.
fn underscores_fit(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, byte)| {
        *byte != b'_'
            || at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric)
                && bytes.get(at.saturating_add(1)).is_some_and(u8::is_ascii_hexdigit)
    })
}

/// `strconv.ParseFloat` of decimal numbers and the words for what is none.
pub fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let negative = text.starts_with('-');
    let word = match unsigned.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => Some(f64::INFINITY),
        "nan" => Some(f64::NAN),
        _ => None,
    };
    if let Some(word) = word {
        return Some(if negative { -word } else { word });
    }
    planarium_kernel::float::parse(text).filter(|float| float.is_finite())
}

/// `strconv.Unquote`: quoted texts, raw texts and characters.
pub(super) fn unquote(written: &str) -> Result<String, ()> {
    let quote = written.chars().next().ok_or(())?;
    let inside = written.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).ok_or(())?;
    if quote == '`' {
        return Ok(inside.replace('\r', ""));
    }
    let mut bytes: Vec<u8> = Vec::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        let mut put = |c: char| bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        if c != '\\' {
            if c == quote {
                return Err(());
            }
            put(c);
            continue;
        }
        match chars.next().ok_or(())? {
            'a' => put('\u{7}'),
            'b' => put('\u{8}'),
            'f' => put('\u{c}'),
            'n' => put('\n'),
            'r' => put('\r'),
            't' => put('\t'),
            'v' => put('\u{b}'),
            '\\' => put('\\'),
            c @ ('\'' | '"') if c == quote => put(c),
            'x' => bytes.push(u8::try_from(digits(&mut chars, 2, 16)?).map_err(|_| ())?),
            'u' => put(char::from_u32(digits(&mut chars, 4, 16)?).ok_or(())?),
            'U' => put(char::from_u32(digits(&mut chars, 8, 16)?).ok_or(())?),
            c @ '0'..='7' => {
                let rest = digits(&mut chars, 2, 8)?;
                let code = c.to_digit(8).ok_or(())?.saturating_mul(64).saturating_add(rest);
                bytes.push(u8::try_from(code).map_err(|_| ())?);
            }
            _ => return Err(()),
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn digits(chars: &mut std::str::Chars<'_>, count: u32, base: u32) -> Result<u32, ()> {
    let mut value: u32 = 0;
    for _ in 0..count {
        let digit = chars.next().and_then(|c| c.to_digit(base)).ok_or(())?;
        value = value.checked_mul(base).and_then(|value| value.checked_add(digit)).ok_or(())?;
    }
    Ok(value)
}
