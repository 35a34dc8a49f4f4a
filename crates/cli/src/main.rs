//! The `planarium` command: a thin shell over the engine.
//!
//! Knows: arguments, files, terminals, sockets. Must not know: rules of any simulated system.
//!
//! Exit status: 0 when everything expected came true, 1 when it did not, 2 for bad input.

#![expect(clippy::print_stderr, reason = "a command prints")]

/// Like the standard macro, without a panic if the reader is gone.
macro_rules! println {
    ($($words:tt)*) => { $crate::out::print(format_args!($($words)*), "\n") };
}

/// Like the standard macro, without a panic if the reader is gone.
macro_rules! print {
    ($($words:tt)*) => { $crate::out::print(format_args!($($words)*), "") };
}

mod archive;
mod args;
mod check;
mod demos;
mod diff;
mod exec;
mod files;
mod folders;
mod hint;
mod kind;
mod lesson;
mod link;
mod live;
mod load;
mod out;
mod parameters;
mod picture;
mod render;
mod run;
mod serve;
mod share;
mod templates;
mod test;
mod until;

use args::{Cli, Command};
use clap::Parser as _;
use std::process::ExitCode;

/// Worlds are made of small shared pieces; this allocator hands those out a good deal faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Outcomes of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Everything as expected.
    Good,
    /// Expectations did not hold.
    Failed,
    /// Bad input.
    BadInput,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let end = match cli.command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Test(args) => test::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Embed(args) => demos::run(&args),
        Command::Share(args) => share::run(&args),
        Command::Exec(args) => exec::run(&args),
        Command::Lesson(args) => lesson::run(&args),
        Command::Schema(args) => Ok(lesson::schema(&args)),
    };
    match end {
        Ok(End::Good) => ExitCode::SUCCESS,
        Ok(End::Failed) => ExitCode::from(1),
        Ok(End::BadInput) => ExitCode::from(2),
        Err(error) => {
            eprintln!("planarium: {error:#}");
            ExitCode::from(2)
        }
    }
}
