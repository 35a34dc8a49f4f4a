//! Standard output whose reader may be gone.
//!
//! Knows: what to do when the reader is gone (`planarium ... | head`). Must not know: the output.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _, stdout};
use std::process::exit;

/// Exit code after a closed pipe, as shells report it.
const READER_GONE: i32 = 141;

/// Prints. If that fails, no one reads any more, so the command ends.
pub(crate) fn print(words: Arguments<'_>, end: &str) {
    let mut out = stdout().lock();
    let written = out.write_fmt(words).and_then(|()| out.write_all(end.as_bytes()));
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit(READER_GONE),
        Err(error) => {
            eprintln!("planarium: writing to standard output: {error}");
            exit(2);
        }
    }
}

/// Returns a count with its noun in the singular or plural.
pub(crate) fn counted(count: u64, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {word}{ending}")
}
