//! Just enough HTTP to drive a server over a real socket.

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server that ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

/// Longest time that the test waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

impl Server {
    /// Starts `planarium serve` on a free port and waits for the line with its address.
    pub(crate) fn start(words: &[&str]) -> Self {
        Self::spawned(words, Stdio::null())
    }

    /// The same; its standard error is kept for [`Self::ended_by`].
    #[cfg(unix)]
    pub(crate) fn watched(words: &[&str]) -> Self {
        Self::spawned(words, Stdio::piped())
    }

    fn spawned(words: &[&str], stderr: Stdio) -> Self {
        let mut child = Command::new(crate::PROGRAM)
            .current_dir(crate::root())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://").map(str::to_owned);
        let Some(address) = address else {
            let _ = child.kill();
            let _ = child.wait();
            panic!("the server said {line:?}");
        };
        Self { child, address }
    }

    /// Ends it with a signal; returns its exit status, unless the signal killed it, and its standard error.
    #[cfg(unix)]
    pub(crate) fn ended_by(mut self, signal: &str) -> (Option<i32>, String) {
        let process = self.child.id().to_string();
        let sent = Command::new("sh").args(["-c", "kill -s \"$1\" \"$2\"", "sh", signal, &process]).status();
        assert!(sent.expect("a shell").success(), "kill -s {signal} {process}");
        let status = self.child.wait().expect("it ends").code();
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut said).expect("text");
        }
        (status, said)
    }

    /// One request; status, headers in lower case, body.
    pub(crate) fn send(&self, method: &str, target: &str, body: &str) -> (u16, String, String) {
        self.send_as(method, target, body, &self.address, "")
    }

    /// The same with another host, and with further header lines.
    pub(crate) fn send_as(
        &self,
        method: &str,
        target: &str,
        body: &str,
        host: &str,
        more: &str,
    ) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        stream.set_write_timeout(Some(PATIENCE)).expect("a time-out");
        let head = format!(
            "{method} {target} HTTP/1.1\r\nhost: {host}\r\n{more}connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        // A server may answer before it has read everything and close.
        let _ = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.take(64 * 1024 * 1024).read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (status, head.to_lowercase(), body.to_owned())
    }

    /// A request that has to be answered with this status, and its JSON.
    #[track_caller]
    pub(crate) fn json(&self, method: &str, target: &str, body: &str, status: u16) -> Value {
        let (got, head, text) = self.send(method, target, body);
        assert_eq!(got, status, "{method} {target}: {head}\n{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{method} {target}: {error}: {text}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
