//! Durations as Go reads them: `90s`, `1h30m`, `1.5h`, `-250ms`.
//!
//! **Source**: `time.ParseDuration` of Go's standard library. Match in whole milliseconds.

/// Reads a duration in Go's form. *Units*: milliseconds.
pub fn go_duration_ms(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total_us: i64 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(digits)?;
        let unit = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(unit)?;
        let in_us: i64 = match unit {
            "ns" => 0,
            "us" | "µs" | "μs" => 1,
            "ms" => 1000,
            "s" => 1_000_000,
            "m" => 60_000_000,
            "h" => 3_600_000_000,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let short = fraction.get(..fraction.len().min(6)).unwrap_or_default();
        let part: i64 = if short.is_empty() { 0 } else { short.parse().ok()? };
        let scale = 10_i64.checked_pow(u32::try_from(short.len()).ok()?)?;
        total_us = total_us.checked_add(whole.checked_mul(in_us)?)?;
        total_us = total_us.checked_add(part.checked_mul(in_us)? / scale)?;
        rest = after;
    }
    let ms = total_us / 1000;
    Some(if negative { -ms } else { ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_add_up() {
        for (text, ms) in [
            ("0", Some(0)),
            ("90s", Some(90_000)),
            ("1h30m", Some(5_400_000)),
            ("1.5h", Some(5_400_000)),
            (".5s", Some(500)),
            ("-250ms", Some(-250)),
            ("+1s1us", Some(1_000)),
            ("", None),
            ("5", None),
            ("s", None),
            (".s", None),
            ("1d", None),
            ("1s 2s", None),
            ("99999999999999h", None),
        ] {
            assert_eq!(go_duration_ms(text), ms, "{text}");
        }
    }
}
