//! The built `planarium` command, as a shell sees it: words in, text and exit status out.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod bad_input;
mod beside;
mod commands;
mod docs;
mod exec;
mod fences;
mod framework;
mod http;
mod kubectl;
mod kubectl_verbs;
mod lessons;
mod maintenance;
mod operators;
mod page;
mod reference;
mod serve;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_planarium");

/// The top folder of the repository, where commands run.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Output and exit code of a command.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) words: String,
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// Itself, when it ended with this status.
    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(
            self.status, status,
            "planarium {}\n--- out\n{}\n--- err\n{}",
            self.words, self.out, self.err
        );
        assert!(!self.err.contains("panicked"), "planarium {}: {}", self.words, self.err);
        self
    }
}

/// Runs the command at the top of the repository.
pub(crate) fn planarium(words: &[&str]) -> Said {
    said(
        words,
        Command::new(PROGRAM).current_dir(root()).args(words).stdin(Stdio::null()).output().expect("it runs"),
    )
}

/// Runs the command with a text on its standard input.
pub(crate) fn piped(words: &[&str], text: &str) -> Said {
    let mut child = Command::new(PROGRAM)
        .current_dir(root())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = text.to_owned();
    // A reader that has seen enough closes the pipe: that is its right.
    let writer = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends");
    said(words, output)
}

pub(crate) fn said(words: &[&str], output: Output) -> Said {
    Said {
        words: words.join(" "),
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A folder for the files of one test, empty at first.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("the old one goes");
    }
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// Writes a file and answers its path as text.
pub(crate) fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// A definition that is fine.
pub(crate) const SVC: &str = "name: {{FRAMEWORK_NAME}}
pods:
  hello:
    count: {{HELLO_COUNT}}
    tasks:
      server:
        goal: RUNNING
        cmd: ./hello
        cpus: 0.1
        memory: 32
";
