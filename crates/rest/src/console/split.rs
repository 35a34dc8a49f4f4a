//! Parting a typed line into words.
//!
//! Knows: quotes, backslashes, blanks. Must not know: what the words mean.

/// Parts a line as a shell would: blanks part words, quotes and backslashes keep them together. A prompt sign at
/// the start is left out, so that a line can be pasted from a document.
///
/// *Errors*: a quote that is never closed.
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().push(chars.next().unwrap_or('\\')),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the quote {open} is never closed"));
    }
    words.extend(word);
    if words.first().is_some_and(|first| first == "$") {
        words.remove(0);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_parted() {
        let rows: &[(&str, &[&str])] = &[
            ("", &[]),
            ("  plan   status\tdeploy ", &["plan", "status", "deploy"]),
            ("$ plan list", &["plan", "list"]),
            (
                "plan force deploy hello 'hello-0:[server, sidecar]'",
                &["plan", "force", "deploy", "hello", "hello-0:[server, sidecar]"],
            ),
            (r#"a "b \" c" d\ e 'f\'"#, &["a", "b \" c", "d e", "f\\"]),
            (r#"--options='{"a": 1}' ''"#, &["--options={\"a\": 1}", ""]),
            ("x\\", &["x\\"]),
        ];
        for (line, want) in rows {
            assert_eq!(
                split(line).as_deref(),
                Ok(&want.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()[..]),
                "{line}"
            );
        }
        assert_eq!(split("plan 'list"), Err("the quote ' is never closed".to_owned()));
    }
}
