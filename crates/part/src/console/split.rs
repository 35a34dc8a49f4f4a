//! Splits a typed line into words.
//!
//! Knows: quotes, backslashes, blanks. Must not know: the meaning of words.

/// Splits a line like a shell: blanks separate words, quotes and backslashes keep them together. A prompt sign at the
/// start is removed, so that a line can be pasted from a document.
///
/// *Errors*: a quote that is never closed.
pub fn split(line: &str) -> Result<Vec<String>, String> {
    let scanned = scan(line);
    if let Some(open) = scanned.open {
        return Err(format!("the quote {open} is never closed"));
    }
    let mut words = scanned.words;
    words.extend(scanned.word);
    without_prompt(&mut words);
    Ok(words)
}

/// Leaves a prompt sign out.
pub fn without_prompt(words: &mut Vec<String>) {
    if words.first().is_some_and(|first| first == "$") {
        words.remove(0);
    }
}

/// A line as far as it goes.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Words with a blank after them.
    pub words: Vec<String>,
    /// The word that the line ends with, if it does not end with a blank.
    pub word: Option<String>,
    /// Start of the last word, or of the next one. *Units*: bytes.
    pub from: usize,
    /// A quote that is still open.
    pub open: Option<char>,
}

/// Parts a line that may not be finished.
pub fn scan(line: &str) -> Scanned {
    let mut scanned = Scanned::default();
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        let word = &mut scanned.word;
        if word.is_none() {
            scanned.from = at;
        }
        match (scanned.open, c) {
            (Some(open), c) if c == open => scanned.open = None,
            (None, '\'' | '"') => {
                scanned.open = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let escaped = chars.next().map_or('\\', |(_, escaped)| escaped);
                word.get_or_insert_default().push(escaped);
            }
            (None, c) if c.is_whitespace() => scanned.words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if scanned.word.is_none() {
        scanned.from = line.len();
    }
    scanned
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
