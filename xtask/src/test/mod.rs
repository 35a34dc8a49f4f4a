//! `cargo xtask test`: every suite, one count.

mod browser;
pub(crate) mod clients;
mod count;
mod native;
mod system;
mod wasm;

use anyhow::{Context, Result};

use self::count::Count;
use crate::files;
use crate::out;

/// The suites, in the order in which they run: the quickest answer first.
const SUITES: [&str; 4] = ["native", "clients", "wasm", "browser"];

/// Options given.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    only: Vec<String>,
    system: Option<String>,
    filter: Option<String>,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--only" => {
                    let suite = args.next().context("--only takes native, clients, wasm or browser")?;
                    anyhow::ensure!(
                        SUITES.contains(&suite.as_str()),
                        "there is no suite `{suite}`; the suites are native, clients, wasm and browser"
                    );
                    options.only.push(suite.clone());
                }
                "--system" => options.system = Some(args.next().context("--system takes a name")?.clone()),
                "--filter" => options.filter = Some(args.next().context("--filter takes a text")?.clone()),
                other => anyhow::bail!("test knows no `{other}`; see cargo xtask test --help"),
            }
        }
        anyhow::ensure!(
            options.system.is_none() || options.only.is_empty(),
            "--system has its own choice of suites and goes with no --only"
        );
        Ok(options)
    }

    fn wants(&self, suite: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == suite)
    }
}

/// Runs the suites and ends with `N passed, N failed, N skipped`. A suite that cannot run counts as one failure.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let options = Options::parse(args)?;
    let root = files::root()?;
    let filter = options.filter.as_deref();
    let mut rows: Vec<(&str, Count)> = Vec::new();
    let suites: Vec<&str> = match &options.system {
        Some(system) => vec![system],
        None => SUITES.into_iter().filter(|suite| options.wants(suite)).collect(),
    };
    for suite in suites {
        let outcome = match (suite, &options.system) {
            (_, Some(system)) => system::run(&root, system, filter),
            ("native", _) => native::run(&root, filter),
            ("clients", _) => clients::run(&root, filter),
            ("wasm", _) => wasm::run(&root, filter),
            _ => browser::run(&root, filter),
        };
        let count = outcome.unwrap_or_else(|error| {
            out::fail(&error.context(format!("the {suite} tests could not run")));
            Count::could_not_run()
        });
        rows.push((suite, count));
    }
    let total = rows.iter().fold(Count::default(), |sum, (_, count)| sum.plus(count.clone()));
    out::step("result");
    for (suite, count) in &rows {
        out::say(format!("{suite:<8} {count}"));
    }
    for line in total.why_skipped() {
        out::say(line);
    }
    if total.is_empty() {
        out::warn(match filter {
            Some(text) => format!("no test has `{text}` in its name"),
            None => "no test ran".to_owned(),
        });
    }
    out::say(total.to_string());
    Ok(total.failed == 0 && !total.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options> {
        Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn suites_are_chosen_by_name() {
        let options = parse(&["--only", "wasm", "--only", "native", "--filter", "seek"]).unwrap();
        assert!(options.wants("wasm") && options.wants("native") && !options.wants("browser"));
        assert_eq!(options.filter.as_deref(), Some("seek"));
        assert!(SUITES.iter().all(|suite| Options::default().wants(suite)));
    }

    #[test]
    fn wrong_options_are_named() {
        for (words, part) in [
            (vec!["--only", "slow"], "`slow`"),
            (vec!["--only"], "native"),
            (vec!["x"], "`x`"),
            (vec!["--system"], "a name"),
            (vec!["--system", "a", "--only", "wasm"], "no --only"),
        ] {
            assert!(parse(&words).unwrap_err().to_string().contains(part), "{words:?}");
        }
    }
}
