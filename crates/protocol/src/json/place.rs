//! Finds the part of a JSON value that an error is about, and its position in the text.
//!
//! *Knows*: that an error about a part changes or disappears without the part; how to skip the values of a JSON text. *Must
//! not know*: what is read.
//!
//! Data types are read from plain values, whose errors say what was wrong but not where. Following the reading of
//! every type would cost code for each; instead the value is read again without each of its parts.

use serde_json::Value;

/// Parts of one object or list that are tried at most.
const PARTS: usize = 200;
/// Maximum size of a text for the search, after long texts in it are cut. *Units*: bytes.
const BYTES: usize = 64 * 1024;
/// Levels that are looked into.
const DEPTH: usize = 16;
/// Longest text that is kept whole while the place is looked for. *Units*: characters.
const LONGEST: usize = 60;

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To the value of a key.
    Key(String),
    /// To an item, counted from 0.
    At(usize),
}

/// The way to the part that an error of reading `value` is about; empty when it is the whole.
/// `read` answers the error of reading a value, if any.
pub(super) fn of(value: &Value, read: &dyn Fn(&Value) -> Option<String>) -> Vec<Step> {
    let mut path = Vec::new();
    let mut value = value.clone();
    cut_texts(&mut value);
    let Some(error) = read(&value) else { return path };
    // A missing field is named already.
    if error.starts_with("missing field") {
        return path;
    }
    let size = serde_json::to_string(&value).map_or(usize::MAX, |text| text.len());
    if size > BYTES {
        return path;
    }
    let mut pointer = String::new();
    for _ in 0..DEPTH {
        let Some(step) = next(&value, &pointer, &error, read) else { break };
        match &step {
            Step::Key(key) => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Step::At(at) => {
                pointer.push('/');
                pointer.push_str(&at.to_string());
            }
        }
        path.push(step);
    }
    path
}

/// Long texts, such as definitions, do not affect type errors, but cost time.
fn cut_texts(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(LONGEST) {
                text.truncate(end);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(cut_texts),
        Value::Object(fields) => fields.values_mut().for_each(cut_texts),
        _ => {}
    }
}

/// A way in words: `target.agents[2]`.
pub(super) fn words(path: &[Step]) -> String {
    let mut words = String::new();
    for step in path {
        match step {
            Step::Key(key) => {
                if !words.is_empty() {
                    words.push('.');
                }
                words.push_str(key);
            }
            Step::At(at) => words.extend(["[", &at.to_string(), "]"]),
        }
    }
    words
}

/// Returns the part at `pointer` without which the error changes or disappears.
fn next(value: &Value, pointer: &str, error: &str, read: &dyn Fn(&Value) -> Option<String>) -> Option<Step> {
    let changes = |step: &Step| {
        let mut without = value.clone();
        match (without.pointer_mut(pointer), step) {
            (Some(Value::Object(fields)), Step::Key(key)) => _ = fields.shift_remove(key),
            (Some(Value::Array(items)), Step::At(at)) if *at < items.len() => _ = items.remove(*at),
            _ => return false,
        }
        read(&without).is_none_or(|other| other != error)
    };
    let steps: Vec<Step> = match value.pointer(pointer)? {
        Value::Object(fields) => fields.keys().take(PARTS).cloned().map(Step::Key).collect(),
        Value::Array(items) => (0..items.len().min(PARTS)).map(Step::At).collect(),
        _ => return None,
    };
    // Without its kind an input is another one altogether.
    let (kind, rest): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(|step| matches!(step, Step::Key(key) if key == "kind"));
    rest.into_iter().chain(kind).find(changes)
}

/// Line and column, both from 1, of the part of a well-formed JSON text to which a way leads.
pub(super) fn line_and_column(text: &[u8], path: &[Step]) -> Option<(usize, usize)> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.space();
    for step in path {
        scanner.at = scanner.enter(step)?;
    }
    let before = text.get(..scanner.at)?;
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = before.split(|byte| *byte == b'\n').count();
    let column = String::from_utf8_lossy(before.get(line_start..)?).chars().count() + 1;
    Some((line, column))
}

/// A place in a well-formed JSON text.
struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Returns the position of the part that a step leads to; of duplicate keys the last one counts.
    fn enter(&mut self, step: &Step) -> Option<usize> {
        let (open, close) = match step {
            Step::Key(_) => (b'{', b'}'),
            Step::At(_) => (b'[', b']'),
        };
        if self.peek()? != open {
            return None;
        }
        self.at += 1;
        let (mut found, mut count) = (None, 0);
        loop {
            self.space();
            if self.peek()? == close {
                return found;
            }
            let wanted = match step {
                Step::At(at) => *at == count,
                Step::Key(wanted) => {
                    let from = self.at;
                    self.pass();
                    let key: Option<String> = serde_json::from_slice(self.text.get(from..self.at)?).ok();
                    self.space();
                    // The colon.
                    self.at += 1;
                    self.space();
                    key.as_ref() == Some(wanted)
                }
            };
            if wanted {
                found = Some(self.at);
            }
            self.pass();
            self.space();
            if self.peek()? == b',' {
                self.at += 1;
            }
            count += 1;
        }
    }

    /// Passes over one value.
    fn pass(&mut self) {
        let mut open = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.pass_text(),
                b'{' | b'[' => {
                    open += 1;
                    self.at += 1;
                }
                b'}' | b']' if open > 0 => {
                    open -= 1;
                    self.at += 1;
                }
                b',' | b':' if open > 0 => self.at += 1,
                byte if byte.is_ascii_whitespace() && open > 0 => self.at += 1,
                b'}' | b']' | b',' | b':' => return,
                byte if byte.is_ascii_whitespace() => return,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            if open == 0 {
                return;
            }
        }
    }

    fn pass_text(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, line_and_column};
    use crate::Input;
    use crate::json::read;

    #[test]
    fn errors_name_their_part() {
        for (text, expected) in [
            (
                r#"{"kind":"plan","service":3,"plan":"deploy","op":"start"}"#,
                "`service`: invalid type: integer `3`, expected a string",
            ),
            (r#"{"kind":"add-agent","count":"two"}"#, "`count`: invalid type: string \"two\", expected u32"),
            (
                r#"{"kind":"add-agent","resources":{"cpus":1,"ports":7}}"#,
                "`resources.ports`: invalid type: integer `7`, expected a string",
            ),
            (
                r#"{"kind":"offer-round","agents":["a",{},"b"]}"#,
                "`agents[1]`: invalid type: map, expected a string at line 1 column 37",
            ),
            (r#"{"kind":"plan","service":"a","plan":"deploy","op":"go"}"#, "`op`: unknown variant `go`"),
            (
                "{\n  \"kind\": \"plan\", \"plan\": \"ä\",\n  \"op\": \"start\", \"service\":\n    7 }",
                "`service`: invalid type: integer `7`, expected a string at line 4 column 5",
            ),
            // A missing field is named by the error itself, and an error about the whole has no position.
            (r#"{"kind":"plan","service":"a","op":"start"}"#, "missing field `plan`"),
            ("[1]", "an input is an object"),
        ] {
            let error = read::<Input>(text.as_bytes()).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn long_texts_do_not_hide_the_position() {
        let text =
            format!(r#"{{"kind":"load-service","files":{{"svc.yml":"{}"}},"name":[]}}"#, "x".repeat(300_000));
        let error = read::<Input>(text.as_bytes()).expect_err("a list is no name").to_string();
        assert!(
            error.starts_with("`name`: invalid type: sequence, expected a string at line 1 column 300"),
            "{error}"
        );
    }

    #[test]
    fn positions_are_found_after_any_text() {
        let text = "{\"a\": [1, {\"x\": \"}]\\\"\", \"y\": null}, -2.5e3],\n \"b\\u0041\" : {\"c\": true}, \"a\": [[], [0]]}";
        let key = |key: &str| Step::Key(key.to_owned());
        for (path, want) in [
            (vec![], Some((1, 1))),
            (vec![key("bA"), key("c")], Some((2, 20))),
            (vec![key("a"), Step::At(1), Step::At(0)], Some((2, 38))),
            (vec![key("a"), Step::At(7)], None),
            (vec![key("none")], None),
        ] {
            assert_eq!(line_and_column(text.as_bytes(), &path), want, "{path:?}");
        }
    }
}
