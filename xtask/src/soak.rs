//! `cargo xtask soak`: the soak of the test crate, built with optimisation and with checks of overflow.

use crate::{files, out, proc};
use anyhow::{Result, bail};

/// Runs it. `Ok(false)` means that some case has failed.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    // In the order in which the program takes them; a seed of 0 is one of its own.
    let mut values = [
        ("--minutes", "1".to_owned()),
        ("--seed", "0".to_owned()),
        ("--threads", "1".to_owned()),
        ("--definitions", "0".to_owned()),
        ("--inputs", "0".to_owned()),
    ];
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some((name, value)) = values.iter_mut().find(|(name, _)| name == arg) else {
            bail!("soak knows --minutes, --seed, --threads, --definitions and --inputs, not `{arg}`");
        };
        let is_number = |text: &&String| {
            text.parse::<u64>().is_ok() || (*name == "--minutes" && text.parse::<f64>().is_ok())
        };
        match rest.next().filter(is_number) {
            Some(text) => value.clone_from(text),
            None => bail!("{arg} needs a number"),
        }
    }
    let root = files::root()?;
    out::step("building the soak with optimisation");
    let cargo = proc::Cmd::new("cargo")
        .dir(&root)
        .args(["run", "--quiet", "--profile", "soak", "--package", "planarium-tests"])
        .args(["--features", "soak", "--bin", "soak", "--"])
        .args(values.into_iter().map(|(_, value)| value));
    Ok(cargo.status()?.success())
}
