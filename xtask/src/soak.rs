//! `cargo xtask soak`: the soak of the test crate, built with optimisation and with checks of overflow.

use crate::{files, out, proc};
use anyhow::{Result, bail};

/// Runs it. `Ok(false)` means that some case has failed.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let (mut minutes, mut seed) = ("1", None);
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        let value = rest.next();
        match (arg, value) {
            ("--minutes", Some(value)) if value.parse::<f64>().is_ok() => minutes = value,
            ("--seed", Some(value)) if value.parse::<u64>().is_ok() => seed = Some(value),
            ("--minutes" | "--seed", _) => bail!("{arg} needs a number"),
            _ => bail!("soak knows --minutes and --seed, not `{arg}`"),
        }
    }
    let root = files::root()?;
    out::step("building the soak with optimisation");
    let cargo = proc::Cmd::new("cargo")
        .dir(&root)
        .args(["run", "--quiet", "--profile", "soak", "--package", "planarium-tests"])
        .args(["--features", "soak", "--bin", "soak", "--", minutes])
        .args(seed);
    Ok(cargo.status()?.success())
}
