//! `mdbook-planarium`: the preprocessor of mdBook that runs, checks and draws the demos of a book.
//!
//! Knows: mdBook's book as JSON, `book.toml`. Must not know: fences; each chapter goes to `planarium embed --markdown`.
//!
//! mdBook 0.4 keeps the chapters in `sections`, 0.5 in `items`. The JSON is walked and not decoded, so that both work, and later ones.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints")]

mod book;
mod install;
mod program;

use anyhow::{Context as _, Result, bail};
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
mdbook-planarium: demos of rollouts in an mdBook

  mdbook-planarium install [DIR]        set the book in DIR up: script, styles, book.toml
  mdbook-planarium supports RENDERER    answers mdBook: every renderer gets its demos, html as pictures, others as text
  mdbook-planarium                      run by mdBook, with the book on standard input

The program `planarium` is looked for in `program` of [preprocessor.planarium], in PLANARIUM_BIN, beside this program, on the path.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("mdbook-planarium: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs the command. `Ok(false)`: a demo is false or broken, and was reported.
fn run(words: &[&str]) -> Result<bool> {
    match words {
        [] => preprocess(),
        ["supports", _] => Ok(true),
        ["install"] => install::run(Path::new(".")).map(|()| true),
        ["install", folder] => install::run(Path::new(folder)).map(|()| true),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(true)
        }
        ["--version" | "-V"] => {
            println!("mdbook-planarium {}", env!("CARGO_PKG_VERSION"));
            Ok(true)
        }
        _ => bail!("`{}` cannot be understood\n\n{HELP}", words.join(" ")),
    }
}

fn preprocess() -> Result<bool> {
    let mut input = String::new();
    std::io::stdin().lock().read_to_string(&mut input).context("reading the book from standard input")?;
    let input: serde_json::Value = serde_json::from_str(&input)
        .context("standard input is no book; `mdbook-planarium --help` says how it is used")?;
    let Some(book) = book::preprocessed(&input)? else { return Ok(false) };
    println!("{book}");
    Ok(true)
}
