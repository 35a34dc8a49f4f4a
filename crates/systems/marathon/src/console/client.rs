//! Runs a command: API requests, file contents, output.

use std::fmt::Write as _;

use planarium_part::console::table::Table;
use planarium_part::console::{Output, Terminal};
use planarium_part::{Request, Response};
use planarium_protocol::json;
use serde_json::Value;

/// A command's means.
pub(super) struct Client<'c, 't> {
    terminal: &'c mut Terminal<'t>,
    stdout: String,
}

impl<'c, 't> Client<'c, 't> {
    pub(super) fn new(terminal: &'c mut Terminal<'t>) -> Self {
        Self { terminal, stdout: String::new() }
    }

    pub(super) fn into_output(self) -> Output {
        Output { stdout: self.stdout, ..Output::default() }
    }

    /// Prints a line.
    pub(super) fn say(&mut self, line: &str) {
        self.stdout.push_str(line);
        self.stdout.push('\n');
    }

    /// Prints JSON as the real program does: indented, keys in order.
    pub(super) fn say_json(&mut self, value: &Value) {
        let text = serde_json::to_string_pretty(&sorted(value)).unwrap_or_default();
        self.say(&text);
    }

    /// Prints rows below their headings, two blanks between columns.
    pub(super) fn say_table(&mut self, headings: &[&str], rows: Vec<Vec<String>>) {
        let mut table = Table::headed(headings);
        for row in rows {
            table.row(row);
        }
        self.say(&table.text(0, 2));
    }

    /// A JSON text that was named: a file, standard input, or the text itself.
    pub(super) fn resource(&mut self, given: Option<&str>) -> Result<Value, String> {
        let text = match given {
            Some(text) if text.trim_start().starts_with(['{', '[']) => text.to_owned(),
            Some(path) => (self.terminal.read)(path)
                .map_err(|why| format!("Can't read from resource: {path}.\n{why}"))?,
            None => (self.terminal.read)("stdin").map_err(|_| {
                "We currently don't support reading from the TTY. Please specify an application JSON."
                    .to_owned()
            })?,
        };
        json::value(text.as_bytes()).map_err(|error| format!("Error loading JSON: {error}"))
    }

    fn base(&self) -> String {
        match self.terminal.service {
            "" => "/service/marathon".to_owned(),
            name => format!("/service/{}", name.trim_matches('/')),
        }
    }

    /// Sends a request to the API. Null means no body.
    ///
    /// *Errors*: the server's words, as the real program shows them.
    pub(super) fn send(&mut self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let bytes = if body.is_null() { Vec::new() } else { json::text(body) };
        let mut request = Request::new(method, &format!("{}{path}", self.base()), bytes);
        if !body.is_null() {
            request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let Response { status, body, .. } = (self.terminal.send)(&request);
        let value = json::value(&body).ok();
        if (200..300).contains(&status) {
            let text = || Value::from(String::from_utf8_lossy(&body).into_owned());
            return Ok(value.unwrap_or_else(|| if body.is_empty() { Value::Null } else { text() }));
        }
        Err(words_of(status, value.as_ref(), &body))
    }

    /// Lets seconds pass; false where the clock cannot be moved.
    pub(super) fn pass(&mut self, seconds: u64) -> bool {
        let body = json::text(&json!({"for_ms": seconds.saturating_mul(1000)}));
        let mut request = Request::new("POST", "/sim/advance", body);
        request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        (200..300).contains(&(self.terminal.send)(&request).status)
    }

    /// Asks the API.
    pub(super) fn get(&mut self, path: &str) -> Result<Value, String> {
        self.send("GET", path, &Value::Null)
    }
}

/// Returns the real program's words for a refusal.
fn words_of(status: u16, value: Option<&Value>, body: &[u8]) -> String {
    let message = value.and_then(|value| value.get("message")).and_then(Value::as_str);
    let Some(message) = message else {
        return if status == 0 || !body.is_empty() {
            String::from_utf8_lossy(body).into_owned()
        } else {
            format!("Error: HTTP {status}")
        };
    };
    if status == 409 && value.is_some_and(|value| value.get("deployments").is_some()) {
        return "App or group is locked by one or more deployments. Override with --force.".to_owned();
    }
    let mut text = format!("Error: {message}");
    match value.and_then(|value| value.get("details")) {
        Some(Value::Array(details)) => {
            for detail in details {
                let path = detail.get("path").and_then(Value::as_str).unwrap_or("/");
                let errors = detail.get("errors").and_then(Value::as_array);
                for error in errors.into_iter().flatten().filter_map(Value::as_str) {
                    let _ = write!(text, "\n- {path}: {error}");
                }
            }
        }
        Some(Value::String(details)) => {
            let _ = write!(text, "\n- {details}");
        }
        _ => {}
    }
    text
}

/// The same with keys in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            planarium_kernel::sorted::sort(&mut keys);
            let pairs = keys.into_iter().filter_map(|key| Some((key.clone(), sorted(map.get(key)?))));
            Value::Object(pairs.collect())
        }
        other => other.clone(),
    }
}
