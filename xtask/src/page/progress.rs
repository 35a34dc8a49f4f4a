//! One line with the rest of a compilation.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Result;

use crate::proc::Cmd;

/// The number of crates that `package` is made of. `None` if cargo does not say.
pub(crate) fn crates_of(root: &Path, package: &str, target: Option<&str>) -> Option<usize> {
    let mut cargo = Cmd::new("cargo").dir(root).args(["tree", "--locked", "--offline", "--package", package]);
    cargo = cargo.args(["--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    if let Some(target) = target {
        cargo = cargo.args(["--target", target]);
    }
    let answer = cargo.answer()?;
    Some(answer.lines().map(|line| line.trim_end_matches(" (*)")).collect::<BTreeSet<_>>().len())
}

/// Runs a cargo build: its findings are shown as they come, its crates are counted on a line of progress.
pub(crate) fn cargo(command: Cmd, label: &str, crates: Option<usize>) -> Result<()> {
    let mut seen = Seen::default();
    // An argument at the end may be the compiler's.
    command.env("CARGO_TERM_VERBOSE", "true").counted(label, |line| seen.line(line, crates))
}

/// The crates named so far in a verbose build.
#[derive(Default)]
struct Seen {
    crates: BTreeSet<String>,
    /// A finding of the compiler is being printed; it ends with an empty line.
    finding: bool,
}

/// A line of a build, for a reader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Print unchanged.
    Print,
    /// Shows how far the build is.
    Progress(String),
    /// Neither.
    Nothing,
}

impl Seen {
    fn line(&mut self, line: &str, crates: Option<usize>) -> Said {
        let words = line.trim_start();
        if let Some(named) = words.strip_prefix("Compiling ").or_else(|| words.strip_prefix("Fresh ")) {
            self.finding = false;
            let name: Vec<&str> = named.split(' ').take(2).collect();
            self.crates.insert(name.join(" "));
            let now = self.crates.len();
            let name = name.first().copied().unwrap_or_default();
            return Said::Progress(match crates {
                Some(all) if all > now => format!("{now} of {all} crates, {} to go: {name}", all - now),
                Some(_) => format!("last crate and linking: {name}"),
                None => format!("{now} crates: {name}"),
            });
        }
        if ["warning", "error"].iter().any(|word| line.starts_with(word)) {
            self.finding = true;
        }
        let shown = self.finding;
        if line.trim().is_empty() {
            self.finding = false;
        }
        // What cargo runs is long and says nothing to a reader.
        let noise = ["Running `", "Dirty ", "Finished ", "Caused by:", "process didn't exit successfully: `"];
        if shown && !noise.iter().any(|start| words.starts_with(start)) { Said::Print } else { Said::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_counted_by_crate() {
        let mut seen = Seen::default();
        assert_eq!(
            seen.line("       Fresh serde v1.0.229", Some(3)),
            Said::Progress("1 of 3 crates, 2 to go: serde".to_owned())
        );
        // The build script of a crate is named again.
        assert_eq!(
            seen.line("   Compiling serde v1.0.229", Some(3)),
            Said::Progress("1 of 3 crates, 2 to go: serde".to_owned())
        );
        seen.line("   Compiling yew v0.23.0", Some(3));
        assert_eq!(
            seen.line("   Compiling planarium-web v0.1.0 (/x/web)", Some(3)),
            Said::Progress("last crate and linking: planarium-web".to_owned())
        );
    }

    #[test]
    fn findings_are_printed_and_commands_are_not() {
        let mut seen = Seen::default();
        let text = [
            ("     Running `rustc --crate-name x`", Said::Nothing),
            ("error[E0425]: cannot find value `y`", Said::Print),
            (" --> src/main.rs:1:1", Said::Print),
            ("", Said::Print),
            ("     Running `rustc --crate-name z`", Said::Nothing),
        ];
        for (line, said) in text {
            assert_eq!(seen.line(line, None), said, "{line}");
        }
    }
}
