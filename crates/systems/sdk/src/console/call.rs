//! The requests of one command: sends them, checks the answers, collects the output.
//!
//! Knows: paths below a service, and the messages of failing status codes. Must not know: any command.
//!
//! **Source**: dcos-commons `cli/client/{http,response,print}.go`, `cli/queries/plan.go`. First lines of failures match;
//! the hints after them are ours, and contain the scheduler's answer.

use super::Output;
use planarium_part::{Request, Response};
use serde_json::Value;
use std::fmt::Write as _;

/// Why a command failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The service turned it down, or is out of reach.
    Refused(String),
    /// The words make no sense; nothing was sent.
    BadWords(String),
}

/// Result of a command.
pub(super) type Done = Result<(), Failure>;

/// Which status codes have a meaning of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// None.
    Plain,
    /// 208 is a failure; one wording of 404 has its own text.
    PlanCommand,
    /// As `PlanCommand`, but 417 is an answer like any other.
    PlanStatus,
}

/// A command at work.
pub(super) struct Call<'c> {
    service: String,
    verbose: bool,
    send: &'c mut dyn FnMut(&Request) -> Response,
    read: &'c mut dyn FnMut(&str) -> Result<String, String>,
    stdout: String,
    stderr: String,
}

impl<'c> Call<'c> {
    pub(super) fn new(
        service: &str,
        verbose: bool,
        send: &'c mut dyn FnMut(&Request) -> Response,
        read: &'c mut dyn FnMut(&str) -> Result<String, String>,
    ) -> Self {
        let service = service.trim_matches('/').to_owned();
        Self { service, verbose, send, read, stdout: String::new(), stderr: String::new() }
    }

    /// Everything printed.
    pub(super) fn into_output(self) -> Output {
        Output { stdout: self.stdout, stderr: self.stderr, code: 0 }
    }

    /// The service's name without outer slashes; empty for the only or first one.
    pub(super) fn service(&self) -> &str {
        &self.service
    }

    /// Prints a message.
    pub(super) fn say(&mut self, message: &str) {
        self.stdout.push_str(message);
        self.stdout.push('\n');
    }

    /// Prints a body, indented when it is JSON.
    pub(super) fn say_json(&mut self, body: &[u8]) {
        let pretty =
            serde_json::from_slice::<Value>(body).and_then(|value| serde_json::to_string_pretty(&value));
        match pretty {
            Ok(text) => self.say(&text),
            Err(error) => {
                self.say(&format!("The answer is not JSON ({error}):"));
                self.say(&String::from_utf8_lossy(body));
            }
        }
    }

    /// The text of a file.
    pub(super) fn read_file(&mut self, name: &str) -> Result<String, String> {
        (self.read)(name)
    }

    /// Returns a path of the service's API: `/service/NAME/v1/...`, every part escaped.
    pub(super) fn at(&self, parts: &[&str]) -> String {
        let mut target = String::new();
        if !self.service.is_empty() {
            target.push_str("/service");
            push_name(&mut target, &self.service);
        }
        target.push_str("/v1");
        for part in parts {
            push_part(&mut target, part);
        }
        target
    }

    /// `GET` of a path of the service.
    pub(super) fn get(&mut self, rules: Rules, parts: &[&str]) -> Result<Vec<u8>, Failure> {
        let target = self.at(parts);
        self.ask(rules, "GET", &target, None)
    }

    /// `POST` to a path of the service.
    pub(super) fn post(
        &mut self,
        rules: Rules,
        parts: &[&str],
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Vec<u8>, Failure> {
        let mut target = self.at(parts);
        for (index, (key, value)) in query.iter().enumerate() {
            target.push(if index == 0 { '?' } else { '&' });
            let _ = write!(target, "{key}={}", escape(value));
        }
        self.ask(rules, "POST", &target, body)
    }

    /// Sends a request and checks the answer.
    pub(super) fn ask(
        &mut self,
        rules: Rules,
        method: &str,
        target: &str,
        body: Option<&Value>,
    ) -> Result<Vec<u8>, Failure> {
        let response = self.exchange(method, target, body);
        match self.failure(rules, method, target, &response) {
            Some(message) => Err(Failure::Refused(message)),
            None => Ok(response.body),
        }
    }

    /// Sends a request and returns any response.
    pub(super) fn exchange(&mut self, method: &str, target: &str, body: Option<&Value>) -> Response {
        let mut request = Request::new(method, target, Vec::new());
        if let Some(body) = body {
            request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
            request.body = planarium_protocol::json::text(body);
        }
        if self.verbose {
            let _ = writeln!(self.stderr, "HTTP Query: {method} {target}");
        }
        let response = (self.send)(&request);
        if self.verbose {
            let (status, bytes) = (status_line(response.status), response.body.len());
            let _ = writeln!(self.stderr, "Response: {status} ({bytes} bytes)");
        }
        response
    }

    /// Turns an answer into a failure, if it is one.
    pub(super) fn failure(
        &self,
        rules: Rules,
        method: &str,
        target: &str,
        response: &Response,
    ) -> Option<String> {
        let body = String::from_utf8_lossy(&response.body);
        let body = body.trim();
        match (response.status, rules) {
            (404, Rules::PlanCommand | Rules::PlanStatus) if body == "Element not found" => {
                Some("Plan, phase, and/or step does not exist".to_owned())
            }
            (208, Rules::PlanCommand | Rules::PlanStatus) => Some(
                "Cannot execute command. Command has already been issued or the plan has completed"
                    .to_owned(),
            ),
            (200..=299, _) | (417, Rules::PlanStatus) => None,
            (0, _) => Some(format!("HTTP {method} Query for {target} failed: {body}")),
            (404, _) => Some(self.not_found(target, body)),
            (500 | 502, _) => Some(self.out_of_reach(body)),
            (status, _) => {
                let mut message = format!("HTTP {method} Query for {target} failed: {}", status_line(status));
                if !body.is_empty() {
                    let _ = write!(message, "\nResponse: {body}");
                }
                Some(message)
            }
        }
    }

    fn not_found(&self, target: &str, body: &str) -> String {
        // The simulator's own API answers with a problem document.
        let problem = planarium_protocol::json::value(body.as_bytes()).unwrap_or_default();
        let said = problem.get("detail").and_then(Value::as_str).unwrap_or(body);
        let answer = if said.is_empty() { String::new() } else { format!(": {said}") };
        let service = if self.service.is_empty() {
            "no service at all".to_owned()
        } else {
            format!("no service '{}'", self.service)
        };
        format!(
            "Got 404 Not Found response from {target}:\n\
             - Perhaps the scheduler does not have what was asked for{answer}\n\
             - Perhaps there is {service}; another one is named with '--name=<name>'."
        )
    }

    fn out_of_reach(&self, body: &str) -> String {
        let answer = if body.is_empty() { String::new() } else { format!("\n- It answered: {body}") };
        format!(
            "Could not reach the service scheduler with name '{}':{answer}\n\
             - Perhaps the name is wrong; another one is given with '--name=<name>'.\n\
             - Perhaps it is only just starting; try again a little later.",
            self.service
        )
    }
}

/// Appends a service's name, which may have several parts.
pub(super) fn push_name(target: &mut String, name: &str) {
    for part in name.split('/').filter(|part| !part.is_empty()) {
        push_part(target, part);
    }
}

/// Appends a slash and a part of a path.
fn push_part(target: &mut String, part: &str) {
    target.push('/');
    target.push_str(&escape(part));
}

/// Percent-encoding of everything but letters, digits and `-._~`.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// `404 Not Found`.
fn status_line(status: u16) -> String {
    let reason = match status {
        200 => "OK",
        202 => "Accepted",
        208 => "Already Reported",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Payload Too Large",
        417 => "Expectation Failed",
        422 => "Unprocessable Entity",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        _ => return status.to_string(),
    };
    format!("{status} {reason}")
}
