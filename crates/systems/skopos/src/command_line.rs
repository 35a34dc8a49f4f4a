//! Splits command lines into words.
//!
//! *Knows*: blanks and the two kinds of quotation marks. *Must not know*: the command.

/// Splits a line at blanks; single and double quotation marks hold words together.
pub(crate) fn split(line: &str) -> Vec<String> {
    if !line.contains(['"', '\'']) {
        return line.split_whitespace().map(str::to_owned).collect();
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together() {
        for (line, words) in [
            ("", &[][..]),
            ("  check_perf  a\tb ", &["check_perf", "a", "b"]),
            ("sh -c 'a b' \"c 'd' e\"", &["sh", "-c", "a b", "c 'd' e"]),
            ("a'b'c \"\" d", &["abc", "", "d"]),
            ("a 'b c", &["a", "b c"]),
        ] {
            assert_eq!(split(line), words, "{line}");
        }
    }
}
