//! Runs a command: API requests, file contents, output.

use planarium_part::console::{Output, Terminal};
use planarium_part::{Request, Response};
use planarium_protocol::json;
use serde_json::Value;

/// A command's means.
pub(super) struct Client<'c, 't> {
    terminal: &'c mut Terminal<'t>,
    /// The namespace that was named; empty for the usual one.
    asked: String,
    stdout: String,
    stderr: String,
}

/// An error answer of the API.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    /// Status code; 0 when no answer came.
    pub(super) status: u16,
    /// The server's words.
    pub(super) message: String,
    reason: String,
    body: Box<Value>,
}

impl Failed {
    /// The words of `kubectl` for it.
    ///
    /// **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd/util/helpers.go` (`StandardErrorMessage`). Match.
    pub(super) fn text(&self) -> String {
        if self.status == 0 {
            return format!("Unable to connect to the server: {}", self.message);
        }
        if self.reason == "Invalid" {
            let text = |key: &str| self.body.pointer(key).and_then(Value::as_str).unwrap_or_default();
            let about = format!("The {} {:?} is invalid", text("/details/kind"), text("/details/name"));
            let causes = self.body.pointer("/details/causes").and_then(Value::as_array);
            let causes: Vec<String> = causes
                .into_iter()
                .flatten()
                .map(|cause| {
                    let text = |key: &str| cause.get(key).and_then(Value::as_str).unwrap_or_default();
                    match text("field") {
                        "" => text("message").to_owned(),
                        field => format!("{field}: {}", text("message")),
                    }
                })
                .collect();
            return match causes.as_slice() {
                [] => about,
                [one] => format!("{about}: {one}"),
                many => {
                    let lines: Vec<String> = many.iter().map(|cause| format!("\n* {cause}")).collect();
                    format!("{about}: {}", lines.concat())
                }
            };
        }
        if self.reason.is_empty() {
            return format!("Error from server: {}", self.message);
        }
        format!("Error from server ({}): {}", self.reason, self.message)
    }
}

impl<'c, 't> Client<'c, 't> {
    pub(super) fn new(terminal: &'c mut Terminal<'t>, asked: String) -> Self {
        Self { terminal, asked, stdout: String::new(), stderr: String::new() }
    }

    pub(super) fn into_output(self) -> Output {
        Output { stdout: self.stdout, stderr: self.stderr, ..Output::default() }
    }

    /// Prints a line.
    pub(super) fn say(&mut self, line: &str) {
        self.stdout.push_str(line);
        self.stdout.push('\n');
    }

    /// Prints a line to the standard error.
    pub(super) fn warn(&mut self, line: &str) {
        self.stderr.push_str(line);
        self.stderr.push('\n');
    }

    /// The namespace that commands are about.
    pub(super) fn namespace(&self) -> String {
        if self.asked.is_empty() { "default".to_owned() } else { self.asked.clone() }
    }

    /// The namespace that was named; empty where none was.
    pub(super) fn asked_namespace(&self) -> &str {
        &self.asked
    }

    /// The text of a file.
    pub(super) fn read(&mut self, path: &str) -> Result<String, String> {
        (self.terminal.read)(path)
    }

    /// Sends a request with headers and returns the body of a good answer as it came.
    fn exchange(
        &mut self,
        method: &str,
        path: &str,
        body: &Value,
        headers: &[(&str, &str)],
    ) -> Result<Vec<u8>, Failed> {
        let bytes = if body.is_null() { Vec::new() } else { json::text(body) };
        let mut request = Request::new(method, path, bytes);
        request.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let Response { status, body, .. } = (self.terminal.send)(&request);
        if (200..300).contains(&status) {
            return Ok(body);
        }
        let value = json::value(&body).unwrap_or_default();
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let message = text("message").unwrap_or_else(|| String::from_utf8_lossy(&body).into_owned());
        Err(Failed { status, message, reason: text("reason").unwrap_or_default(), body: Box::new(value) })
    }

    /// Sends a request with a JSON body.
    pub(super) fn send(
        &mut self,
        method: &str,
        path: &str,
        body: &Value,
        kind: &str,
    ) -> Result<Value, Failed> {
        let bytes = self.exchange(method, path, body, &[("content-type", kind)])?;
        Ok(json::value(&bytes).unwrap_or_default())
    }

    /// Reads an object or a list.
    pub(super) fn try_get(&mut self, path: &str) -> Result<Value, Failed> {
        let bytes = self.exchange("GET", path, &Value::Null, &[])?;
        Ok(json::value(&bytes).unwrap_or_default())
    }

    /// Reads an object or a list. *Errors*: in the words of `kubectl`.
    pub(super) fn get(&mut self, path: &str) -> Result<Value, String> {
        self.try_get(path).map_err(|failed| failed.text())
    }

    /// Reads objects as a table.
    pub(super) fn get_table(&mut self, path: &str) -> Result<Value, Failed> {
        let accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
        let bytes = self.exchange("GET", path, &Value::Null, &[("accept", accept)])?;
        Ok(json::value(&bytes).unwrap_or_default())
    }

    /// Reads a text.
    pub(super) fn get_text(&mut self, path: &str) -> Result<String, Failed> {
        let bytes = self.exchange("GET", path, &Value::Null, &[])?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Items of a list.
    pub(super) fn list(&mut self, path: &str) -> Result<Vec<Value>, String> {
        let list = self.get(path)?;
        Ok(list.get("items").and_then(Value::as_array).cloned().unwrap_or_default())
    }

    /// Merges changes into an object.
    pub(super) fn merge(&mut self, path: &str, patch: &Value) -> Result<Value, String> {
        self.send("PATCH", path, patch, "application/merge-patch+json").map_err(|failed| failed.text())
    }

    /// API groups with their preferred versions.
    pub(super) fn groups(&mut self) -> Result<Vec<(String, String)>, String> {
        let list = self.get("/kube/apis")?;
        let groups = list.get("groups").and_then(Value::as_array).cloned().unwrap_or_default();
        let of = |group: &Value| {
            let text = |pointer: &str| group.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
            Some((text("/name")?, text("/preferredVersion/version")?))
        };
        Ok(groups.iter().filter_map(of).collect())
    }

    /// Lets a second pass; false where the clock cannot be moved.
    pub(super) fn second(&mut self) -> bool {
        self.send("POST", "/sim/advance", &json!({ "for_ms": 1000 }), "application/json").is_ok()
    }

    /// The calendar time. *Units*: milliseconds since 1970.
    pub(super) fn now_ms(&mut self) -> u64 {
        let sim = self.try_get("/sim").unwrap_or_default();
        let number = |key: &str| sim.get(key).and_then(Value::as_u64).unwrap_or(0);
        number("epoch_ms").saturating_add(number("now_ms"))
    }
}
