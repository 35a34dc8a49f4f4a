//! Formats values as Go does: `fmt.Print`, `fmt.Printf`, `strconv.Quote`, floats.
//!
//! **Source**: `golang/go: src/fmt/print.go`, `src/fmt/format.go`, `src/strconv`. Matched for the types that occur;
//! pointers (`%p`) are shown as a verb that does not exist.

use std::fmt::Write;

use super::value::Value;

/// Values inside each other that are written at most.
const DEEPEST: u32 = 64;

/// Bytes after which no further values are written.
const LONGEST: usize = 16 * 1024 * 1024;

/// Characters that a width or a precision may ask for, as in Go.
const WIDEST: usize = 1_000_000;

/// A text in double quotes, as `strconv.Quote` writes it.
pub fn go_quote(text: &str) -> String {
    quote_with(text, '"', false)
}

fn quote_with(text: &str, quote: char, ascii: bool) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push(quote);
    for c in text.chars() {
        let code = u32::from(c);
        match c {
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if is_print(c) && (!ascii || c.is_ascii()) => out.push(c),
            _ if code < 0x80 => put(&mut out, format_args!("\\x{code:02x}")),
            _ if code < 0x1_0000 => put(&mut out, format_args!("\\u{code:04x}")),
            _ => put(&mut out, format_args!("\\U{code:08x}")),
        }
    }
    out.push(quote);
    out
}

fn put(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a text cannot fail.
    let _ = out.write_fmt(arguments);
}

/// About what `unicode.IsPrint` says.
pub(super) fn is_print(c: char) -> bool {
    c == ' '
        || !c.is_control()
            && !c.is_whitespace()
            && !matches!(u32::from(c), 0xad | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xe000..=0xf8ff | 0xfeff | 0xfff0..=0xfffb | 0xe_0000..)
}

/// From this power of ten on, `%v` and `%g` write a float with an exponent.
const EXPONENT_FROM: i32 = 6;

/// A float as `%v` writes it: the shortest digits, with an exponent where the number is very small or large.
pub fn go_float(float: f64) -> String {
    shortest(float, 'g')
}

/// The digits and the exponent of the shortest decimal number.
fn decimal(float: f64) -> (String, i32) {
    let text = format!("{:e}", float.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
    (digits, exponent.parse().unwrap_or_default())
}

fn special(float: f64) -> Option<&'static str> {
    if float.is_nan() {
        return Some("NaN");
    }
    match (float.is_infinite(), float < 0.0) {
        (true, true) => Some("-Inf"),
        (true, false) => Some("+Inf"),
        (false, _) => None,
    }
}

fn shortest(float: f64, verb: char) -> String {
    if let Some(word) = special(float) {
        return word.to_owned();
    }
    let (digits, exponent) = decimal(float);
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let scientific = match verb {
        'e' | 'E' => true,
        'f' | 'F' => false,
        _ => !(-4..EXPONENT_FROM).contains(&exponent),
    };
    let text = if scientific { exponential(&digits, exponent, 'e') } else { plain(&digits, exponent) };
    format!("{sign}{text}")
}

fn exponential(digits: &str, exponent: i32, letter: char) -> String {
    let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
    let rest = rest.trim_end_matches('0');
    let dot = if rest.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{dot}{rest}{letter}{sign}{:02}", exponent.unsigned_abs())
}

fn plain(digits: &str, exponent: i32) -> String {
    let digits = digits.trim_end_matches('0');
    let whole = usize::try_from(exponent.saturating_add(1)).unwrap_or(0);
    if exponent < 0 {
        let zeros = usize::try_from(exponent.unsigned_abs()).unwrap_or(0).saturating_sub(1);
        return if digits.is_empty() { "0".to_owned() } else { format!("0.{}{digits}", "0".repeat(zeros)) };
    }
    match digits.split_at_checked(whole) {
        Some((whole, "")) => whole.to_owned(),
        Some((whole, fraction)) => format!("{whole}.{fraction}"),
        None => format!("{digits}{}", "0".repeat(whole.saturating_sub(digits.len()))),
    }
}

/// A float as `encoding/json` writes it.
pub(super) fn json_float(float: f64) -> String {
    let (digits, exponent) = decimal(float);
    let sign = if float.is_sign_negative() { "-" } else { "" };
    if float != 0.0 && !(-6..21).contains(&exponent) {
        let text = exponential(&digits, exponent, 'e');
        // One digit of a small negative exponent is enough.
        return format!("{sign}{}", text.replace("e-0", "e-"));
    }
    format!("{sign}{}", plain(&digits, exponent))
}

/// The whole number that a float is, if it is one that fits.
pub(super) fn whole(float: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked by the way back")]
    let int = float as i64;
    #[expect(clippy::cast_precision_loss, reason = "Go asks the same question")]
    let back = int as f64;
    (back.partial_cmp(&float) == Some(std::cmp::Ordering::Equal)).then_some(int)
}

/// Returns the text that an action prints.
pub(super) fn printed(value: &Value) -> String {
    if value.is_nil() { "<no value>".to_owned() } else { show(value) }
}

/// `%v`.
pub(super) fn show(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, DEEPEST);
    out
}

fn write_value(out: &mut String, value: &Value, depth: u32) {
    let Some(depth) = depth.checked_sub(1).filter(|_| out.len() < LONGEST) else {
        out.push('…');
        return;
    };
    match value {
        Value::Invalid | Value::Nil => out.push_str("<nil>"),
        Value::Bool(flag) => put(out, format_args!("{flag}")),
        Value::Int(number) | Value::Int64(number) => put(out, format_args!("{number}")),
        Value::Byte(number) => put(out, format_args!("{number}")),
        Value::Float(number) => out.push_str(&go_float(*number)),
        Value::Str(text) => out.push_str(text),
        Value::List(list) => {
            out.push('[');
            for (n, item) in list.items.iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                write_value(out, item, depth);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push_str("map[");
            for (n, (key, value)) in map.entries().iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                write_value(out, value, depth);
            }
            out.push(']');
        }
        Value::Time(at) => out.push_str(&at.to_string()),
        Value::Version(version) => put(out, format_args!("{version}")),
    }
}

/// `fmt.Sprint`: blanks between operands when neither is a text.
pub(super) fn sprint(values: &[Value]) -> String {
    let mut out = String::new();
    let mut after_text = true;
    for (n, value) in values.iter().enumerate() {
        let is_text = matches!(value, Value::Str(_));
        if n > 0 && !is_text && !after_text {
            out.push(' ');
        }
        out.push_str(&show(value));
        after_text = is_text;
    }
    out
}

/// `fmt.Sprintln`.
pub(super) fn sprintln(values: &[Value]) -> String {
    let mut out = values.iter().map(show).collect::<Vec<_>>().join(" ");
    out.push('\n');
    out
}

/// The flags of one verb.
#[derive(Clone, Copy, Default)]
struct Spec {
    plus: bool,
    minus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

/// `fmt.Sprintf`.
pub(super) fn sprintf(format: &str, values: &[Value]) -> String {
    let mut out = String::new();
    let mut next = 0_usize;
    let mut reordered = false;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = Spec::default();
        while let Some(flag) = chars.next_if(|c| "+-# 0".contains(*c)) {
            match flag {
                '+' => spec.plus = true,
                '-' => {
                    spec.minus = true;
                    spec.zero = false;
                }
                '#' => spec.sharp = true,
                '0' => spec.zero = !spec.minus,
                _ => spec.space = true,
            }
        }
        let mut index = Index { next, count: values.len(), fits: true, read: false };
        index.take(&mut chars);
        if chars.next_if_eq(&'*').is_some() {
            match index.star(values) {
                Some(width) => {
                    spec.minus |= width < 0;
                    spec.zero &= !spec.minus;
                    spec.width = usize::try_from(width.unsigned_abs()).ok();
                }
                None => out.push_str("%!(BADWIDTH)"),
            }
        } else {
            spec.width = read_number(&mut chars);
            index.fits &= !(index.read && spec.width.is_some());
        }
        if chars.next_if_eq(&'.').is_some() {
            index.fits &= !index.read;
            index.take(&mut chars);
            if chars.next_if_eq(&'*').is_some() {
                match index.star(values).map(usize::try_from) {
                    Some(Ok(precision)) => spec.precision = Some(precision),
                    _ => out.push_str("%!(BADPREC)"),
                }
            } else {
                spec.precision = Some(read_number(&mut chars).unwrap_or(0));
            }
        }
        if !index.read {
            index.take(&mut chars);
        }
        let Index { fits, .. } = index;
        reordered |= index.read || !fits;
        next = index.next;
        let Some(verb) = chars.next() else {
            out.push_str("%!(NOVERB)");
            break;
        };
        if verb == '%' {
            out.push('%');
            continue;
        }
        if !fits {
            put(&mut out, format_args!("%!{verb}(BADINDEX)"));
            continue;
        }
        let Some(value) = values.get(next) else {
            put(&mut out, format_args!("%!{verb}(MISSING)"));
            continue;
        };
        next = next.saturating_add(1);
        if verb == 'v' {
            // Only structs say more with it.
            spec.plus = false;
        }
        out.push_str(&with_verb(value, verb, spec, DEEPEST));
    }
    if next < values.len() && !reordered {
        out.push_str("%!(EXTRA ");
        for (n, value) in values.iter().skip(next).enumerate() {
            if n > 0 {
                out.push_str(", ");
            }
            if value.is_nil() {
                out.push_str("<nil>");
            } else {
                put(&mut out, format_args!("{}={}", value.type_name(), show(value)));
            }
        }
        out.push(')');
    }
    out
}

/// Which operand a verb takes.
struct Index {
    next: usize,
    count: usize,
    /// Every index that was written exists.
    fits: bool,
    /// An index was the last thing read.
    read: bool,
}

impl Index {
    /// Reads an index, `[2]`, where one follows.
    fn take(&mut self, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        self.read = false;
        if chars.next_if_eq(&'[').is_none() {
            return;
        }
        let mut ahead = chars.clone();
        if ahead.all(|c| c != ']') {
            self.fits = false;
            return;
        }
        let number = read_number(chars);
        let whole = chars.next_if_eq(&']').is_some();
        while !whole && chars.next().is_some_and(|c| c != ']') {}
        self.read = whole;
        match number.and_then(|number| number.checked_sub(1)).filter(|at| whole && *at < self.count) {
            Some(at) => self.next = at,
            None => self.fits = false,
        }
    }

    /// The number that an operand gives for a `*`.
    fn star(&mut self, values: &[Value]) -> Option<i64> {
        let given = values.get(self.next);
        self.next = self.next.saturating_add(1).min(self.count);
        self.read = false;
        given.and_then(star)
    }
}

fn star(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) | Value::Int64(number) => Some(*number),
        Value::Byte(number) => Some(i64::from(*number)),
        _ => None,
    }
    .filter(|number| number.unsigned_abs() <= WIDEST as u64)
}

fn read_number(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<usize> {
    let mut number = None;
    while let Some(digit) = chars.next_if(char::is_ascii_digit).and_then(|c| c.to_digit(10)) {
        let so_far: usize = number.unwrap_or(0);
        let digit = usize::try_from(digit).unwrap_or(0);
        number = Some(so_far.saturating_mul(10).saturating_add(digit).min(WIDEST));
    }
    number
}

fn with_verb(value: &Value, verb: char, spec: Spec, depth: u32) -> String {
    let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
    match (verb, value) {
        ('T', _) if value.is_nil() => return pad("<nil>".to_owned(), spec, false),
        ('T', _) => return pad(value.type_name().to_owned(), spec, false),
        ('v', Value::Invalid | Value::Nil) => return pad("<nil>".to_owned(), spec, false),
        (_, Value::Invalid | Value::Nil) => return format!("%!{verb}(<nil>)"),
        ('v', _) if spec.sharp => return go_syntax(value, depth),
        // For errors only.
        ('w', _) => return bad_verb(value, verb, spec, depth),
        _ => {}
    }
    match value {
        Value::Bool(flag) if matches!(verb, 't' | 'v') => pad(flag.to_string(), spec, false),
        Value::Int(number) | Value::Int64(number) => {
            integer(*number, verb, spec).unwrap_or_else(|| bad_verb(value, verb, spec, depth))
        }
        Value::Byte(number) => {
            integer(i64::from(*number), verb, spec).unwrap_or_else(|| bad_verb(value, verb, spec, depth))
        }
        Value::Float(number) => {
            float(*number, verb, spec).unwrap_or_else(|| bad_verb(value, verb, spec, depth))
        }
        Value::Str(text) => string(text, verb, spec).unwrap_or_else(|| bad_verb(value, verb, spec, depth)),
        Value::List(list) => {
            let items: Vec<_> = list.items.iter().map(|item| inner(item, verb, spec, depth)).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Map(map) => {
            let entries = map.entries();
            let entries = entries.iter().map(|(key, value)| {
                let key = with_verb(&Value::Str(std::rc::Rc::clone(key)), verb, spec, depth);
                format!("{key}:{}", inner(value, verb, spec, depth))
            });
            format!("map[{}]", entries.collect::<Vec<_>>().join(" "))
        }
        Value::Time(_) | Value::Version(_) => {
            string(&show(value), verb, spec).unwrap_or_else(|| bad_verb(value, verb, spec, depth))
        }
        Value::Bool(_) | Value::Invalid | Value::Nil => bad_verb(value, verb, spec, depth),
    }
}

/// A value inside another one, where `nil` is written the same way for every verb.
fn inner(value: &Value, verb: char, spec: Spec, depth: u32) -> String {
    if value.is_nil() { "<nil>".to_owned() } else { with_verb(value, verb, spec, depth) }
}

/// A value under a verb that is not for it; flags, width and precision count all the same.
fn bad_verb(value: &Value, verb: char, spec: Spec, depth: u32) -> String {
    let shown = plainly(value, spec, depth);
    format!("%!{verb}({}={shown})", value.type_name())
}

/// `%v` with the flags of another verb.
fn plainly(value: &Value, spec: Spec, depth: u32) -> String {
    let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
    match value {
        Value::Invalid | Value::Nil => "<nil>".to_owned(),
        Value::Bool(flag) => pad(flag.to_string(), spec, false),
        Value::Int(number) | Value::Int64(number) => integer(*number, 'v', spec).unwrap_or_default(),
        Value::Byte(number) => integer(i64::from(*number), 'v', spec).unwrap_or_default(),
        Value::Float(number) => float(*number, 'v', spec).unwrap_or_default(),
        Value::Str(text) => string(text, 'v', spec).unwrap_or_default(),
        Value::List(_) | Value::Map(_) => with_verb(value, 'v', Spec { sharp: false, ..spec }, depth),
        Value::Time(_) | Value::Version(_) => string(&show(value), 'v', spec).unwrap_or_default(),
    }
}

fn go_syntax(value: &Value, depth: u32) -> String {
    let Some(depth) = depth.checked_sub(1) else { return "…".to_owned() };
    match value {
        Value::Str(text) => go_quote(text),
        Value::Byte(number) => format!("{number:#x}"),
        Value::Invalid | Value::Nil => "interface {}(nil)".to_owned(),
        Value::List(list) if list.nil => format!("{}(nil)", value.type_name()),
        Value::List(list) => {
            let items: Vec<_> = list.items.iter().map(|item| go_syntax(item, depth)).collect();
            format!("{}{{{}}}", value.type_name(), items.join(", "))
        }
        Value::Map(map) => {
            let entries = map.entries();
            let entries =
                entries.iter().map(|(key, value)| format!("{}:{}", go_quote(key), go_syntax(value, depth)));
            format!("{}{{{}}}", value.type_name(), entries.collect::<Vec<_>>().join(", "))
        }
        other => show(other),
    }
}

fn pad(text: String, spec: Spec, zeros: bool) -> String {
    let length = text.chars().count();
    let Some(missing) = spec.width.and_then(|width| width.checked_sub(length)).filter(|missing| *missing > 0)
    else {
        return text;
    };
    if spec.minus {
        return format!("{text}{}", " ".repeat(missing));
    }
    let filler = if spec.zero || zeros { "0" } else { " " };
    format!("{}{text}", filler.repeat(missing))
}

fn integer(number: i64, verb: char, spec: Spec) -> Option<String> {
    let size = number.unsigned_abs();
    let digits = match verb {
        'd' | 'v' => size.to_string(),
        'b' => format!("{size:b}"),
        'o' | 'O' => format!("{size:o}"),
        'x' => format!("{size:x}"),
        'X' => format!("{size:X}"),
        'c' => {
            let c =
                u32::try_from(number).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            return Some(pad(c.to_string(), spec, false));
        }
        'q' => {
            let c =
                u32::try_from(number).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            return Some(pad(quote_with(&c.to_string(), '\'', spec.plus), spec, false));
        }
        'U' => return Some(pad(format!("U+{:04X}", number.cast_unsigned()), spec, false)),
        _ => return None,
    };
    let prefix = match verb {
        'b' if spec.sharp => "0b",
        'o' if spec.sharp && size != 0 => "0",
        'O' => "0o",
        'x' if spec.sharp => "0x",
        'X' if spec.sharp => "0X",
        _ => "",
    };
    let sign = match (number < 0, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    };
    let mut wanted = spec.precision.unwrap_or(0);
    if spec.precision == Some(0) && number == 0 {
        return Some(pad(String::new(), Spec { zero: false, ..spec }, false));
    }
    if spec.zero && spec.precision.is_none() && !spec.minus {
        wanted = spec.width.unwrap_or(0).saturating_sub(sign.len());
    }
    let zeros = "0".repeat(wanted.saturating_sub(digits.len()));
    Some(pad(format!("{sign}{prefix}{zeros}{digits}"), Spec { zero: false, ..spec }, false))
}

fn float(number: f64, verb: char, spec: Spec) -> Option<String> {
    let mut text = match (verb, spec.precision) {
        ('v' | 'g' | 'G', None) => shortest(number, 'g'),
        ('f' | 'F', precision) => match special(number) {
            Some(word) => word.to_owned(),
            None => format!("{number:.*}", precision.unwrap_or(6)),
        },
        ('e' | 'E', precision) => match special(number) {
            Some(word) => word.to_owned(),
            None => {
                let text = format!("{number:.*e}", precision.unwrap_or(6));
                let (mantissa, exponent) = text.split_once('e')?;
                let exponent: i32 = exponent.parse().ok()?;
                let sign = if exponent < 0 { '-' } else { '+' };
                format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
            }
        },
        ('v' | 'g' | 'G', Some(precision)) => match special(number) {
            Some(word) => word.to_owned(),
            None => {
                let precision = precision.max(1);
                let text = format!("{number:.*e}", precision.saturating_sub(1));
                let (mantissa, exponent) = text.split_once('e')?;
                let exponent: i32 = exponent.parse().ok()?;
                let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
                let sign = if number.is_sign_negative() { "-" } else { "" };
                let limit = i32::try_from(precision).unwrap_or(i32::MAX);
                let text = if exponent < -4 || exponent >= limit {
                    exponential(&digits, exponent, 'e')
                } else {
                    plain(&digits, exponent)
                };
                format!("{sign}{text}")
            }
        },
        ('x' | 'X', precision) => match special(number) {
            Some(word) => word.to_owned(),
            None => hexadecimal(number, precision),
        },
        ('b', _) => match special(number) {
            Some(word) => word.to_owned(),
            None => binary(number),
        },
        _ => return None,
    };
    if number.is_finite() && spec.sharp && verb != 'b' {
        text = with_point(&text, verb, spec.precision);
    }
    if matches!(verb, 'E' | 'G' | 'X') && number.is_finite() {
        text = text.to_uppercase();
    }
    if spec.plus && !text.starts_with(['-', '+']) {
        text.insert(0, '+');
    } else if spec.space && !text.starts_with(['-', '+']) {
        text.insert(0, ' ');
    }
    if !spec.plus && text == "+Inf" {
        // Shown with its sign all the same.
        return Some(pad(text, Spec { zero: false, ..spec }, false));
    }
    if spec.zero
        && !spec.minus
        && number.is_finite()
        && let Some((sign, rest)) =
            text.split_at_checked(1).filter(|(sign, _)| matches!(*sign, "-" | "+" | " "))
    {
        let narrower = Spec { width: spec.width.map(|width| width.saturating_sub(1)), ..spec };
        return Some(format!("{sign}{}", pad(rest.to_owned(), narrower, true)));
    }
    Some(pad(text, Spec { zero: spec.zero && number.is_finite(), ..spec }, false))
}

/// A float by its bits: sign, mantissa without the hidden bit, exponent of two.
fn bits(number: f64) -> (&'static str, u64, i32) {
    let bits = number.to_bits();
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let exponent = i32::try_from((bits >> 52) & 0x7ff).unwrap_or_default();
    (sign, bits & 0xf_ffff_ffff_ffff, exponent)
}

/// `%b` of a float: mantissa and exponent of two, whole numbers both.
fn binary(number: f64) -> String {
    let (sign, fraction, exponent) = bits(number);
    let (mantissa, exponent) = if exponent == 0 { (fraction, 1) } else { (fraction | 1 << 52, exponent) };
    format!("{sign}{mantissa}p{:+}", exponent.saturating_sub(1075))
}

/// `%x` of a float: `0x1.8p+01`.
fn hexadecimal(number: f64, precision: Option<usize>) -> String {
    let (sign, fraction, exponent) = bits(number);
    let mut mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let mut exponent = exponent.max(1).saturating_sub(1023);
    if mantissa == 0 {
        exponent = 0;
    }
    while mantissa != 0 && mantissa < 1 << 52 {
        mantissa <<= 1;
        exponent = exponent.saturating_sub(1);
    }
    if let Some(digits) = precision.filter(|digits| *digits < 13) {
        let dropped =
            u32::try_from(digits).map_or(0, |digits| 52_u32.saturating_sub(digits.saturating_mul(4)));
        let (half, rest) = (1_u64 << dropped.saturating_sub(1), mantissa & ((1 << dropped) - 1));
        mantissa >>= dropped;
        if rest > half || rest == half && mantissa & 1 == 1 {
            mantissa = mantissa.saturating_add(1);
        }
        mantissa <<= dropped;
        if mantissa >= 1 << 53 {
            mantissa >>= 1;
            exponent = exponent.saturating_add(1);
        }
    }
    let digits = format!("{:013x}", mantissa & 0xf_ffff_ffff_ffff);
    let fraction = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(wanted) => format!("{digits:0<wanted$}").chars().take(wanted).collect(),
    };
    let dot = if fraction.is_empty() { "" } else { "." };
    let (mark, size) = (if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
    format!("{sign}0x{}{dot}{fraction}p{mark}{size:02}", mantissa >> 52)
}

/// The flag `#` of a float: a point in any case, and for `%g` and `%x` all digits.
fn with_point(text: &str, verb: char, precision: Option<usize>) -> String {
    let (sign, unsigned) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let is_hex = matches!(verb, 'x' | 'X');
    let end = unsigned.find(|c| if is_hex { c == 'p' } else { c == 'e' }).unwrap_or(unsigned.len());
    let (mantissa, tail) = unsigned.split_at_checked(end).unwrap_or((unsigned, ""));
    let mut digits = match verb {
        'v' | 'g' | 'G' | 'x' => precision.unwrap_or(6),
        _ => 0,
    };
    let significant = mantissa.chars().filter(|c| *c != '.').skip_while(|c| *c == '0').count();
    digits = digits.saturating_sub(significant);
    let mut out = format!("{sign}{mantissa}");
    if !mantissa.contains('.') {
        if mantissa == "0" {
            digits = digits.saturating_sub(1);
        }
        out.push('.');
    }
    out.push_str(&"0".repeat(digits));
    out.push_str(tail);
    out
}

fn string(text: &str, verb: char, spec: Spec) -> Option<String> {
    let cut: String = match spec.precision {
        Some(precision) => text.chars().take(precision).collect(),
        None => text.to_owned(),
    };
    let text = match verb {
        'v' | 's' => cut,
        'q' if spec.sharp && !cut.contains('`') && cut.chars().all(|c| c == '\t' || !c.is_control()) => {
            format!("`{cut}`")
        }
        'q' => quote_with(&cut, '"', spec.plus),
        'x' | 'X' => {
            let bytes = text.bytes().take(spec.precision.unwrap_or(usize::MAX));
            let separator = if spec.space { " " } else { "" };
            let prefix = match (spec.sharp, verb) {
                (true, 'x') => "0x",
                (true, _) => "0X",
                _ => "",
            };
            if bytes.clone().next().is_none() {
                return Some(pad(String::new(), spec, false));
            }
            let hex =
                bytes.map(|byte| if verb == 'x' { format!("{byte:02x}") } else { format!("{byte:02X}") });
            format!("{prefix}{}", hex.collect::<Vec<_>>().join(separator))
        }
        _ => return None,
    };
    Some(pad(text, spec, false))
}
