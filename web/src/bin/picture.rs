//! Prints the page's first picture as markup; the build puts it into `index.html`.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(markup) = planarium_web::picture() else { return ExitCode::FAILURE };
    match std::io::stdout().lock().write_all(markup.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
