//! Texts addressed in UTF-16 units, as editors count.

/// Replaces the part `from..to` (UTF-16 units); nothing when the part does not exist.
pub(crate) fn splice_utf16(text: &str, from: u32, to: u32, with: &str) -> Option<String> {
    let start = byte_of_utf16(text, from)?;
    let end = byte_of_utf16(text, to)?;
    let (head, tail) = (text.get(..start)?, text.get(end..)?);
    if end < start {
        return None;
    }
    Some([head, with, tail].concat())
}

/// Returns the byte offset after this many UTF-16 units; `None` inside a pair or past the end.
pub(crate) fn byte_of_utf16(text: &str, units: u32) -> Option<usize> {
    let mut seen: u32 = 0;
    for (at, c) in text.char_indices() {
        if seen >= units {
            return (seen == units).then_some(at);
        }
        seen = seen.saturating_add(if u32::from(c) > 0xFFFF { 2 } else { 1 });
    }
    (seen == units).then_some(text.len())
}

/// UTF-16 units before a line and column (both from 1, columns in characters).
pub(crate) fn utf16_of(text: &str, line: u32, column: u32) -> u32 {
    let units = |part: &str| part.chars().map(|c| if u32::from(c) > 0xFFFF { 2 } else { 1 }).sum::<u32>();
    let mut before = 0;
    for (number, part) in (1..).zip(text.split_inclusive('\n')) {
        if number == line {
            let column: String =
                part.trim_end_matches('\n').chars().take(column.saturating_sub(1) as usize).collect();
            return before + units(&column);
        }
        before += units(part);
    }
    before
}

/// The last part of a file's name in small letters.
pub(crate) fn extension(path: &str) -> String {
    let base = path.rsplit('/').next().unwrap_or(path);
    base.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

/// Returns whether a name is that of a YAML file.
pub(crate) fn is_yaml(path: &str) -> bool {
    matches!(extension(path).as_str(), "yml" | "yaml")
}

/// Returns whether `text` contains `part`, any case.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    part.is_empty() || text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_by_utf16_units() {
        for (text, from, to, with, want) in [
            ("abc", 1, 2, "X", Some("aXc")),
            ("a😀c", 1, 3, "", Some("ac")),
            ("a😀c", 2, 3, "", None),
            ("abc", 3, 3, "!", Some("abc!")),
            ("abc", 2, 1, "", None),
            ("abc", 0, 9, "", None),
        ] {
            assert_eq!(splice_utf16(text, from, to, with).as_deref(), want, "{text} {from}..{to}");
        }
    }

    #[test]
    fn finds_lines_and_columns() {
        let text = "é: 1\n😀 b\n";
        for (line, column, want) in [(1, 1, 0), (1, 4, 3), (2, 1, 5), (2, 2, 7), (2, 99, 9), (9, 1, 10)] {
            assert_eq!(utf16_of(text, line, column), want, "{line}:{column}");
        }
    }
}
