//! The `planarium` program.
//!
//! Knows: where to find it. Must not know: books.

use anyhow::{Context as _, Result};
use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program as the book names it, or as the environment does, or beside this program, or on the path.
pub(crate) fn find(named: Option<&str>, root: &Path) -> PathBuf {
    if let Some(named) = named {
        let here = root.join(named);
        return if here.is_file() { here } else { PathBuf::from(named) };
    }
    if let Some(named) = env::var_os("PLANARIUM_BIN") {
        return PathBuf::from(named);
    }
    let name = format!("planarium{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|program| Some(program.parent()?.join(&name)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(name))
}

/// Runs the program with a text on its standard input.
pub(crate) fn piped(program: &Path, words: &[&str], text: &str) -> Result<Output> {
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!(
                "{} cannot be run; install planarium, or name it with program = \"...\" in [preprocessor.planarium]",
                program.display()
            )
        })?;
    let input = child.stdin.take();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || {
        // A program that has seen enough closes the pipe.
        input.map_or(Ok(()), |mut input| input.write_all(text.as_bytes()))
    });
    let output = child.wait_with_output().context("waiting for planarium")?;
    drop(writer.join());
    Ok(output)
}
