//! Resource quantities: `250m`, `1.5`, `64Mi`, `1e3`.
//!
//! *Knows*: decimal and binary suffixes. *Must not know*: what is measured. Source: `kubernetes/apimachinery:
//! pkg/api/resource/quantity.go`; match for amounts up to nine quintillion, the maximum here.

/// Parses a text to thousandths, rounded up; `None` if it is not a quantity.
pub(crate) fn thousandths(text: &str) -> Option<i64> {
    scaled(text, 1000)
}

/// Parses a text to a whole number, rounded up; `None` if it is not a quantity.
pub(crate) fn whole(text: &str) -> Option<i64> {
    scaled(text, 1)
}

/// `scale` times the quantity, rounded up (away from zero), and held within 64 bits.
fn scaled(text: &str, scale: i128) -> Option<i64> {
    let (negative, rest) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..)?),
        Some(b'+') => (false, text.get(1..)?),
        _ => (false, text),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, suffix) = rest.split_at_checked(end)?;
    let (int, part) = number.split_once('.').unwrap_or((number, ""));
    if int.is_empty() && part.is_empty() || part.contains('.') {
        return None;
    }
    let (numerator, mut denominator) = multiplier(suffix)?;
    let mut value: i128 = 0;
    for digit in int.bytes() {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        if value > i128::from(i64::MAX) {
            value = i128::from(i64::MAX);
        }
    }
    // A quantity has at most nine decimals.
    for digit in part.bytes().take(12) {
        value = value.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
        denominator = denominator.checked_mul(10)?;
    }
    let total = value.checked_mul(numerator)?.checked_mul(scale).unwrap_or(i128::MAX);
    let up = total / denominator + i128::from(total % denominator != 0);
    let up = i64::try_from(up).unwrap_or(i64::MAX);
    Some(if negative { -up } else { up })
}

fn multiplier(suffix: &str) -> Option<(i128, i128)> {
    let binary = |power: u32| 1_i128 << (10 * power);
    let decimal = |power: u32| 10_i128.pow(power);
    Some(match suffix {
        "" => (1, 1),
        "n" => (1, decimal(9)),
        "u" => (1, decimal(6)),
        "m" => (1, decimal(3)),
        "k" => (decimal(3), 1),
        "M" => (decimal(6), 1),
        "G" => (decimal(9), 1),
        "T" => (decimal(12), 1),
        "P" => (decimal(15), 1),
        "E" => (decimal(18), 1),
        "Ki" => (binary(1), 1),
        "Mi" => (binary(2), 1),
        "Gi" => (binary(3), 1),
        "Ti" => (binary(4), 1),
        "Pi" => (binary(5), 1),
        "Ei" => (binary(6), 1),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            match exponent.parse::<i32>().ok()? {
                power @ 0..=18 => (decimal(power.unsigned_abs()), 1),
                power @ -18..0 => (1, decimal(power.unsigned_abs())),
                _ => return None,
            }
        }
    })
}

/// Formats a quantity like the server: `0.1` becomes `100m`, `1024Mi` becomes `1Gi`; `None` if the text is not a
/// quantity.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let is_binary = text.ends_with('i');
    if is_binary {
        return whole(text).map(bytes_text);
    }
    if text.contains(['e', 'E']) && !text.ends_with('E') {
        return thousandths(text).map(|_| text.to_owned());
    }
    let nano =
        i128::from(scaled(text, 1_000_000_000).filter(|nano| *nano < i64::MAX).or_else(|| whole(text))?);
    let nano = if scaled(text, 1_000_000_000)? == i64::MAX { nano.checked_mul(1_000_000_000)? } else { nano };
    if nano == 0 {
        return Some("0".to_owned());
    }
    let units = [("E", 18_u32), ("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3), ("", 0)];
    for (unit, power) in units {
        let size = 10_i128.pow(power + 9);
        if nano % size == 0 {
            return Some(format!("{}{unit}", nano / size));
        }
    }
    for (unit, power) in [("m", 6_u32), ("u", 3), ("n", 0)] {
        let size = 10_i128.pow(power);
        if nano % size == 0 {
            return Some(format!("{}{unit}", nano / size));
        }
    }
    None
}

/// Bytes in the largest binary unit that is exact: `1Gi`, `1536Mi`, `1000`.
pub(crate) fn bytes_text(bytes: i64) -> String {
    for (power, unit) in [(4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")] {
        let size = 1_i64 << (10 * power);
        if bytes != 0 && bytes % size == 0 {
            return format!("{}{unit}", bytes / size);
        }
    }
    bytes.to_string()
}

/// An amount as a quota or limit of this name shows it: CPUs, bytes or a count.
pub(crate) fn text_of(name: &str, thousandths: i64) -> String {
    let last = name.rsplit(['.', '/']).next().unwrap_or(name);
    if matches!(last, "memory" | "storage" | "ephemeral-storage") || name.contains("hugepages-") {
        let bytes = thousandths / 1000;
        return if bytes % 1024 == 0 {
            bytes_text(bytes)
        } else {
            canonical(&bytes.to_string()).unwrap_or_else(|| bytes.to_string())
        };
    }
    cpu_text(thousandths)
}

/// Thousandths of a CPU: `2`, `250m`.
pub(crate) fn cpu_text(milli: i64) -> String {
    if milli % 1000 == 0 { (milli / 1000).to_string() } else { format!("{milli}m") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities() {
        for (text, milli) in [
            ("1", Some(1000)),
            ("250m", Some(250)),
            ("0.1", Some(100)),
            (".5", Some(500)),
            ("2.", Some(2000)),
            ("1.0005", Some(1001)),
            ("1u", Some(1)),
            ("-1.5", Some(-1500)),
            ("1e3", Some(1_000_000)),
            ("1E-2", Some(10)),
            ("1Ki", Some(1_024_000)),
            ("", None),
            (".", None),
            ("1.1.1", None),
            ("1Q", None),
            ("one", None),
            ("1 Gi", None),
            ("1e", None),
            ("99999999999999999999", Some(i64::MAX)),
        ] {
            assert_eq!(thousandths(text), milli, "{text}");
        }
        for (text, bytes) in [
            ("64Mi", Some(64 << 20)),
            ("1G", Some(1_000_000_000)),
            ("1.5Gi", Some(3 << 29)),
            ("100m", Some(1)),
        ] {
            assert_eq!(whole(text), bytes, "{text}");
        }
        for (text, canonical) in [
            ("0.1", "100m"),
            ("1024Mi", "1Gi"),
            ("1000m", "1"),
            ("2000000", "2M"),
            ("1.5Gi", "1536Mi"),
            ("0", "0"),
            ("100m", "100m"),
            ("10G", "10G"),
            ("1e3", "1e3"),
            ("0.0005", "500u"),
        ] {
            assert_eq!(super::canonical(text).as_deref(), Some(canonical), "{text}");
        }
        assert_eq!(super::canonical("many"), None);
        assert_eq!(bytes_text(3 << 29), "1536Mi");
        assert_eq!(bytes_text(1000), "1000");
        assert_eq!((cpu_text(2000), cpu_text(250)), ("2".to_owned(), "250m".to_owned()));
    }
}
