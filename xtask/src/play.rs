//! `cargo xtask play`: the playground on this machine.

use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::page;
use crate::proc::find;
use crate::setup;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    port: u16,
    open: bool,
    release: bool,
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self { port: 8080, open: true, release: false };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--port" => {
                    let port = args.next().context("--port takes a number")?;
                    options.port = port.parse().with_context(|| format!("`{port}` is no port"))?;
                }
                "--no-open" => options.open = false,
                "--release" => options.release = true,
                other => anyhow::bail!("play knows no `{other}`; see cargo xtask play --help"),
            }
        }
        Ok(options)
    }
}

/// Sets up, builds, serves and opens the page; runs until it is stopped.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let options = Options::parse(args)?;
    let root = files::root()?;
    let port = options.port;
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map(drop).with_context(|| {
        format!(
            "port {port} is taken on this machine; choose another one: cargo xtask play --port {}",
            port.wrapping_add(1).max(1024)
        )
    })?;
    let toolchain = setup::page_and_crates(&root, options.release)?;
    out::step(format!("building and serving the playground on http://127.0.0.1:{port}/ (Ctrl-C stops it)"));
    let mut trunk = page::trunk(&root, &toolchain)
        .args(["serve", "--address", "127.0.0.1", "--port", &port.to_string(), "--dist"])
        .arg(files::web_target(&root).join("play"));
    if options.release {
        trunk = trunk.arg("--release");
    }
    if options.open {
        if has_browser() {
            trunk = trunk.arg("--open");
        } else {
            out::say("   no desktop here: open that address in a browser yourself");
        }
    }
    Ok(trunk.status()?.success())
}

/// Whether opening a browser can work.
fn has_browser() -> bool {
    if cfg!(any(windows, target_os = "macos")) {
        return true;
    }
    let desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
    desktop && find("xdg-open").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options> {
        Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        let expected = Options { port: 9000, open: false, release: true };
        assert_eq!(parse(&["--port", "9000", "--no-open", "--release"]).unwrap(), expected);
        assert_eq!(parse(&[]).unwrap(), Options { port: 8080, open: true, release: false });
    }

    #[test]
    fn wrong_options_are_named() {
        for (words, part) in
            [(vec!["--port"], "number"), (vec!["--port", "x"], "`x`"), (vec!["--fast"], "`--fast`")]
        {
            assert!(parse(&words).unwrap_err().to_string().contains(part), "{words:?}");
        }
    }
}
