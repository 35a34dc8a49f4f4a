//! The header of a README: keys and values between two lines of three dashes.
//!
//! *Knows*: lines. *Must not know*: the keys. The build script, the checks of the repository and the tests read headers
//! only with this.

/// Keys with their values in order, and the text below the header. A text without a header has no keys.
pub fn front_matter(text: &str) -> (Vec<(&str, &str)>, &str) {
    let Some(rest) = text.strip_prefix("---\n") else { return (Vec::new(), text) };
    let end = rest.strip_prefix("---\n").map(|body| ("", body)).or_else(|| rest.split_once("\n---\n"));
    let Some((header, body)) = end else { return (Vec::new(), text) };
    let pairs = header.lines().filter_map(|line| line.split_once(':'));
    let pairs = pairs.map(|(key, value)| (key.trim(), value.trim().trim_matches('"')));
    (pairs.collect(), body.trim_start())
}

#[cfg(test)]
mod tests {
    use super::front_matter;

    #[test]
    fn headers_end_at_their_end_line() {
        for (text, keys, body) in [
            (
                "---\ntitle: A: b --- c\nsince: \"1\"\n---\n\nText\n---\nmore",
                vec![("title", "A: b --- c"), ("since", "1")],
                "Text\n---\nmore",
            ),
            ("---\n---\nText", vec![], "Text"),
            ("Text\n---\na: b\n---\n", vec![], "Text\n---\na: b\n---\n"),
            ("---\na: b\n", vec![], "---\na: b\n"),
        ] {
            assert_eq!(front_matter(text), (keys, body), "{text:?}");
        }
    }
}
