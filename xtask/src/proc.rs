//! Running other programs: quietly, streamed, condensed to a progress line, or counted.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::clock::Stopwatch;
use crate::out;
use crate::page::Said;

/// A program with its arguments, folder and environment.
pub(crate) struct Cmd {
    program: String,
    args: Vec<OsString>,
    command: Command,
}

impl Cmd {
    /// A program, looked up on the path that [`search_path`] gives.
    pub(crate) fn new(program: &str) -> Self {
        let mut command = Command::new(find(program).unwrap_or_else(|| PathBuf::from(program)));
        command.env("PATH", search_path(&[]));
        Self { program: program.to_owned(), args: Vec::new(), command }
    }

    /// Further arguments.
    pub(crate) fn args<I, S>(mut self, args: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        for arg in args {
            self.command.arg(arg.as_ref());
            self.args.push(arg.as_ref().to_os_string());
        }
        self
    }

    /// One further argument.
    pub(crate) fn arg(self, arg: impl AsRef<OsStr>) -> Self {
        self.args([arg])
    }

    /// The folder to run in.
    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// An environment variable.
    pub(crate) fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(key, value);
        self
    }

    /// Several environment variables.
    pub(crate) fn envs(mut self, pairs: &[(String, OsString)]) -> Self {
        for (key, value) in pairs {
            self.command.env(key, value);
        }
        self
    }

    /// The command as a person would type it.
    pub(crate) fn text(&self) -> String {
        let mut text = self.program.clone();
        for arg in &self.args {
            let arg = arg.to_string_lossy();
            text.push(' ');
            if arg.contains(' ') {
                text.push('\'');
                text.push_str(&arg);
                text.push('\'');
            } else {
                text.push_str(&arg);
            }
        }
        text
    }

    /// Runs it with this program's own output.
    pub(crate) fn status(mut self) -> Result<ExitStatus> {
        let text = self.text();
        self.command.status().with_context(|| format!("could not start `{text}`"))
    }

    /// Runs it with this program's own output; fails if it does.
    pub(crate) fn run(self) -> Result<()> {
        let text = self.text();
        let status = self.status()?;
        anyhow::ensure!(status.success(), "`{text}` failed ({status})");
        Ok(())
    }

    /// Runs it and keeps its output.
    pub(crate) fn output(mut self) -> Result<Output> {
        let text = self.text();
        self.command.stdin(Stdio::null()).output().with_context(|| format!("could not start `{text}`"))
    }

    /// Its standard output when it succeeds, without the last line end; nothing otherwise.
    pub(crate) fn answer(self) -> Option<String> {
        let output = self.output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    }

    /// Passes it `input` and returns its standard output; fails if it does.
    pub(crate) fn pipe(mut self, input: &[u8]) -> Result<String> {
        use std::io::Write;
        let text = self.text();
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start `{text}`"))?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input).with_context(|| format!("`{text}` took no input"))?;
        }
        let output = child.wait_with_output()?;
        anyhow::ensure!(output.status.success(), "`{text}` failed ({})", output.status);
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs it, passes each line to `see` (both outputs), and prints those for which it returns true.
    pub(crate) fn watch(mut self, mut see: impl FnMut(&str) -> bool) -> Result<ExitStatus> {
        let text = self.text();
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start `{text}`"))?;
        let lines = lines_of(&mut child);
        for line in lines {
            if see(&line) {
                out::say(&line);
            }
        }
        Ok(child.wait()?)
    }

    /// Runs a build: `said` decides which of its lines are printed and which are shown as progress after `label`.
    pub(crate) fn counted(mut self, label: &str, mut said: impl FnMut(&str) -> Said) -> Result<()> {
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start `{}`", self.program))?;
        let watch = Stopwatch::start();
        let lines = lines_of(&mut child);
        let mut at = String::from("starting");
        let mut shown_s = 0;
        loop {
            match lines.recv_timeout(Duration::from_millis(500)) {
                Ok(line) => match said(&line) {
                    Said::Print => {
                        out::progress_end();
                        out::aside(&line);
                    }
                    Said::Progress(text) => at = text,
                    Said::Nothing => {}
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if watch.seconds() >= shown_s + out::progress_interval_s() {
                shown_s = watch.seconds();
                out::progress(&format!("{label}: {at} ({})", watch.text()));
            }
        }
        let status = child.wait()?;
        out::progress_end();
        anyhow::ensure!(status.success(), "{label}: the build failed ({status})");
        out::say(format!("   {label}: done in {}", watch.text()));
        Ok(())
    }

    /// Runs a long installation: shows one line of progress (`label`, time, present step), and the end of its output
    /// only if it fails.
    pub(crate) fn condensed(mut self, label: &str) -> Result<()> {
        let text = self.text();
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start `{text}`"))?;
        let watch = Stopwatch::start();
        let lines = lines_of(&mut child);
        let mut tail: VecDeque<String> = VecDeque::new();
        let mut compiled = 0_u32;
        let mut at = String::from("starting");
        let mut shown_s = 0;
        loop {
            match lines.recv_timeout(Duration::from_millis(500)) {
                Ok(line) => {
                    if let Some(name) = line.trim_start().strip_prefix("Compiling ") {
                        compiled += 1;
                        at = format!("{compiled} crates, compiling {name}");
                    } else if !line.trim().is_empty() {
                        at = line.trim().chars().take(60).collect();
                    }
                    if tail.len() == 40 {
                        tail.pop_front();
                    }
                    tail.push_back(line);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if watch.seconds() >= shown_s + out::progress_interval_s() {
                shown_s = watch.seconds();
                out::progress(&format!("{label}: {} ({at})", watch.text()));
            }
        }
        let status = child.wait()?;
        out::progress_end();
        if status.success() {
            out::say(format!("   {label}: done in {}", watch.text()));
            return Ok(());
        }
        let tail: Vec<String> = tail.into();
        anyhow::bail!("`{text}` failed ({status}). The end of what it said:\n{}", tail.join("\n"))
    }
}

/// The lines of both outputs of a child, as they come. Carriage returns end lines too.
fn lines_of(child: &mut Child) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    let stdout = child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let stderr = child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    for pipe in [stdout, stderr].into_iter().flatten() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).split(b'\n') {
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
    }
    receiver
}

/// Returns the search path for tools: `first`, then cargo's own folder, then the environment's path.
pub(crate) fn search_path(first: &[PathBuf]) -> OsString {
    let mut folders: Vec<PathBuf> = first.to_vec();
    if let Some(bin) = cargo_bin() {
        folders.push(bin);
    }
    if let Some(path) = std::env::var_os("PATH") {
        folders.extend(std::env::split_paths(&path));
    }
    std::env::join_paths(folders).unwrap_or_default()
}

/// The folder that `cargo install` writes to.
pub(crate) fn cargo_bin() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_INSTALL_ROOT")
        .or_else(|| std::env::var_os("CARGO_HOME"))
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))?;
    Some(home.join("bin"))
}

/// Returns the path of a program on the search path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = search_path(&[]);
    let names: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ""] } else { &[""] };
    std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |suffix| folder.join(format!("{program}{suffix}"))))
        .find(|candidate| is_program(candidate))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let cmd = Cmd::new("cargo").args(["install", "a b"]);
        assert_eq!(cmd.text(), "cargo install 'a b'");
    }

    #[test]
    fn a_missing_program_is_not_found() {
        assert_eq!(find("planarium-no-such-program"), None);
        assert!(Cmd::new("planarium-no-such-program").output().is_err());
    }
}
