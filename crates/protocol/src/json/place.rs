//! Which part of a JSON value an error is about.
//!
//! *Knows*: that an error about a part changes or goes when the part is left out. *Must not know*: what is read.
//!
//! Data types are read from plain values, whose errors say what was wrong but not where. Rather than following the
//! reading of every type, which would be paid for once per type, the value is read again without each of its parts.

use serde_json::Value;

/// Parts of one object or list that are tried at most.
const PARTS: usize = 200;
/// Bytes of text above which nobody looks for the place.
const BYTES: usize = 64 * 1024;
/// Levels that are looked into.
const DEPTH: usize = 16;

/// The path of the part that `error` is about, such as `target.agents[2]`; none when it is the whole.
/// `read` answers the error of reading a value, if any.
pub(super) fn of(value: &Value, error: &str, read: &dyn Fn(Value) -> Option<String>) -> Option<String> {
    // What is missing is named already.
    if error.starts_with("missing field") {
        return None;
    }
    let size = |value: &Value| serde_json::to_string(value).map_or(usize::MAX, |text| text.len());
    if size(value) > BYTES {
        return None;
    }
    let mut pointer = String::new();
    let mut path = String::new();
    for _ in 0..DEPTH {
        let Some(step) = next(value, &pointer, error, read) else { break };
        match &step {
            Step::Key(key) => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            Step::At(at) => {
                let at = at.to_string();
                pointer.extend(["/", &at]);
                path.extend(["[", &at, "]"]);
            }
        }
    }
    (!path.is_empty()).then_some(path)
}

/// One step down.
enum Step {
    Key(String),
    At(usize),
}

/// The part of what stands at `pointer` without which the error is another one, or none.
fn next(value: &Value, pointer: &str, error: &str, read: &dyn Fn(Value) -> Option<String>) -> Option<Step> {
    let changes = |step: &Step| {
        let mut without = value.clone();
        match (without.pointer_mut(pointer), step) {
            (Some(Value::Object(fields)), Step::Key(key)) => _ = fields.shift_remove(key),
            (Some(Value::Array(items)), Step::At(at)) if *at < items.len() => _ = items.remove(*at),
            _ => return false,
        }
        read(without).is_none_or(|other| other != error)
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

#[cfg(test)]
mod tests {
    use crate::Input;
    use crate::json::read;

    #[test]
    fn errors_name_the_part_they_are_about() {
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
                "`agents[1]`: invalid type: map, expected a string",
            ),
            (r#"{"kind":"plan","service":"a","plan":"deploy","op":"go"}"#, "`op`: unknown variant `go`"),
            // What is missing is named by the error itself, and what is about the whole has no place.
            (r#"{"kind":"plan","service":"a","op":"start"}"#, "missing field `plan`"),
            ("[1]", "an input is an object"),
        ] {
            let error = read::<Input>(text.as_bytes()).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
