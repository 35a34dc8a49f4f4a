//! Runs a command: API requests, file contents, output.

use planarium_part::console::{Output, Terminal};
use planarium_part::{Request, Response};
use planarium_protocol::json;
use serde_json::Value;

/// Paths of KUDO's part of the API begin so.
const API: &str = "/kube/apis/kudo.dev/v1beta1";

/// A command's means.
pub(super) struct Client<'c, 't> {
    terminal: &'c mut Terminal<'t>,
    /// The namespace of the command.
    pub(super) namespace: String,
    stdout: String,
}

/// Why a request failed.
pub(super) struct Failed {
    /// Status code; 0 when no answer came.
    pub(super) status: u16,
    /// The server's words.
    pub(super) message: String,
}

impl<'c, 't> Client<'c, 't> {
    pub(super) fn new(terminal: &'c mut Terminal<'t>, namespace: String) -> Self {
        Self { terminal, namespace, stdout: String::new() }
    }

    pub(super) fn into_output(self) -> Output {
        Output { stdout: self.stdout, ..Output::default() }
    }

    /// Prints a line.
    pub(super) fn say(&mut self, line: &str) {
        self.stdout.push_str(line);
        self.stdout.push('\n');
    }

    /// The service that is chosen where the words name no instance.
    pub(super) fn chosen(&self) -> &str {
        self.terminal.service
    }

    /// The text of a file.
    pub(super) fn read(&mut self, path: &str) -> Result<String, String> {
        (self.terminal.read)(path)
    }

    fn send(&mut self, method: &str, path: &str, body: &Value, kind: &str) -> Result<Value, Failed> {
        let bytes = if body.is_null() { Vec::new() } else { json::text(body) };
        let mut request = Request::new(method, path, bytes);
        if !kind.is_empty() {
            request.headers.push(("content-type".to_owned(), kind.to_owned()));
        }
        let Response { status, body, .. } = (self.terminal.send)(&request);
        let value = json::value(&body).ok();
        if (200..300).contains(&status) {
            return Ok(value.unwrap_or(Value::Null));
        }
        let words = value.as_ref().and_then(|value| value.get("message")).and_then(Value::as_str);
        let message = words.map_or_else(|| String::from_utf8_lossy(&body).into_owned(), str::to_owned);
        Err(Failed { status, message })
    }

    fn path(&self, plural: &str, name: &str) -> String {
        let slash = if name.is_empty() { "" } else { "/" };
        format!("{API}/namespaces/{}/{plural}{slash}{name}", self.namespace)
    }

    /// An object of KUDO; none when there is none.
    pub(super) fn get(&mut self, plural: &str, name: &str) -> Result<Option<Value>, String> {
        let path = self.path(plural, name);
        match self.send("GET", &path, &Value::Null, "") {
            Ok(value) => Ok(Some(value)),
            Err(failed) if failed.status == 404 => Ok(None),
            Err(failed) => Err(failed.message),
        }
    }

    /// Every object of a kind.
    pub(super) fn list(&mut self, plural: &str) -> Result<Vec<Value>, String> {
        let path = self.path(plural, "");
        let list = self.send("GET", &path, &Value::Null, "").map_err(|failed| failed.message)?;
        let mut items = list.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        // Items of lists do not say what they are; the client knows.
        let kind = match plural {
            "operators" => "Operator",
            "operatorversions" => "OperatorVersion",
            _ => "Instance",
        };
        for item in items.iter_mut().filter_map(Value::as_object_mut) {
            item.insert("apiVersion".to_owned(), crate::codes::API_VERSION.into());
            item.insert("kind".to_owned(), kind.into());
        }
        Ok(items)
    }

    /// Creates an object.
    pub(super) fn create(&mut self, plural: &str, value: &Value) -> Result<Value, String> {
        let path = self.path(plural, "");
        self.send("POST", &path, value, "application/json").map_err(|failed| failed.message)
    }

    /// Creates a namespace.
    pub(super) fn create_namespace(&mut self, value: &Value) -> Result<Value, String> {
        self.send("POST", "/kube/api/v1/namespaces", value, "application/json")
            .map_err(|failed| failed.message)
    }

    /// Merges changes into an object.
    pub(super) fn merge(&mut self, plural: &str, name: &str, patch: &Value) -> Result<Value, String> {
        let path = self.path(plural, name);
        let kind = "application/merge-patch+json";
        self.send("PATCH", &path, patch, kind).map_err(|failed| failed.message)
    }

    /// Deletes an object, and what belongs to it afterwards.
    pub(super) fn delete(&mut self, plural: &str, name: &str) -> Result<Value, String> {
        let path = self.path(plural, name);
        let options =
            json!({ "kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background" });
        self.send("DELETE", &path, &options, "application/json").map_err(|failed| failed.message)
    }

    /// Lets a second pass; false where the clock cannot be moved.
    pub(super) fn second(&mut self) -> bool {
        self.send("POST", "/sim/advance", &json!({ "for_ms": 1000 }), "application/json").is_ok()
    }
}
