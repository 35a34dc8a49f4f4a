//! Live reload: a script in the served page listens to a stream of events and loads the page again.

use std::io::Write;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The path of the stream.
pub(super) const CHANGES: &str = "/.planarium/changes";
/// The path of the script.
pub(super) const SCRIPT_PATH: &str = "/.planarium/reload.js";
/// A separate file, so that the page's policy need not change. A restarted server counts from one again.
pub(super) const SCRIPT: &str = "\
let first;
new EventSource('/.planarium/changes').onmessage = ({ data }) => {
  first ??= data;
  if (data !== first) location.reload();
};
";

/// Interval of a silent stream's heartbeat, which detects closed readers.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The number of the page that is served. Zero: pages do not listen.
#[derive(Default)]
pub(crate) struct Reload {
    version: Mutex<u64>,
    news: Condvar,
}

impl Reload {
    /// Makes the pages served from now on listen.
    pub(crate) fn enable(&self) {
        self.changed();
    }

    /// Tells the open pages that a new page is there.
    pub(crate) fn changed(&self) {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.news.notify_all();
    }

    /// Returns whether pages listen.
    pub(super) fn is_enabled(&self) -> bool {
        self.version() > 0
    }

    fn version(&self) -> u64 {
        *self.version.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the number of the page now and whenever it changes. *Errors*: the reader has disconnected.
    pub(super) fn stream(&self, writer: &mut impl Write) -> std::io::Result<()> {
        write!(
            writer,
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\n\
             connection: close\r\n\r\nretry: 500\n\n"
        )?;
        let mut told = None;
        loop {
            let now = self.version();
            if told == Some(now) {
                write!(writer, ":\n\n")?;
            } else {
                write!(writer, "data: {}-{now}\n\n", std::process::id())?;
                told = Some(now);
            }
            writer.flush()?;
            let version = self.version.lock().unwrap_or_else(PoisonError::into_inner);
            drop(
                self.news
                    .wait_timeout_while(version, HEARTBEAT, |version| told == Some(*version))
                    .unwrap_or_else(PoisonError::into_inner),
            );
        }
    }
}

/// A page with the script in its head.
pub(super) fn with_script(html: &str) -> String {
    html.replacen("</head>", &format!("<script type=\"module\" src=\".{SCRIPT_PATH}\"></script></head>"), 1)
}
