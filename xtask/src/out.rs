//! All output goes through here; a closed pipe does not stop a task.

use std::io::{IsTerminal, Write};

/// A line on standard output.
pub(crate) fn say(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stdout().lock(), "{}", text.as_ref());
}

/// The start of a part of a task.
pub(crate) fn step(text: impl AsRef<str>) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "== {}", text.as_ref());
    let _ = stdout.flush();
}

/// Something worth knowing that stops nothing.
pub(crate) fn warn(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr().lock(), "warning: {}", text.as_ref());
}

/// A line of another program, on standard error.
pub(crate) fn aside(text: impl AsRef<str>) {
    let _ = writeln!(std::io::stderr().lock(), "{}", text.as_ref());
}

/// The reason why a task could not run, with its causes.
pub(crate) fn fail(error: &anyhow::Error) {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "error: {error}");
    for cause in error.chain().skip(1) {
        let _ = writeln!(stderr, "  because: {cause}");
    }
}

/// A progress line: rewritten in place on a terminal, otherwise printed unchanged.
pub(crate) fn progress(text: &str) {
    let mut stderr = std::io::stderr().lock();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[2K   {text}");
    } else {
        let _ = writeln!(stderr, "   {text}");
    }
    let _ = stderr.flush();
}

/// Ends a line that [`progress`] rewrote.
pub(crate) fn progress_end() {
    let mut stderr = std::io::stderr().lock();
    if stderr.is_terminal() {
        let _ = write!(stderr, "\r\x1b[2K");
        let _ = stderr.flush();
    }
}

/// Returns the interval of progress lines in seconds: short where the line is rewritten, long in a log.
pub(crate) fn progress_interval_s() -> u64 {
    if std::io::stderr().is_terminal() { 1 } else { 20 }
}
