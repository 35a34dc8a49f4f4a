//! `cargo xtask play`: the playground on this machine.

use std::sync::Arc;

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::page::{self, Kind};
use crate::proc::{Cmd, find};
use crate::serve::{self, Reload, Site, Watched};
use crate::setup;

/// Options given.
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
                    options.port = port.parse().with_context(|| format!("`{port}` is not a port"))?;
                }
                "--no-open" => options.open = false,
                "--release" => options.release = true,
                other => anyhow::bail!("play knows no `{other}`; see cargo xtask play --help"),
            }
        }
        Ok(options)
    }
}

/// Sets up, builds, serves and opens the page; builds it again when a source changes. Runs until it is stopped.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    let options = Options::parse(args)?;
    let root = files::root()?;
    // Before anything is built: report a taken port at once.
    let listener = serve::listen(options.port)?;
    let toolchain = setup::page(&root)?;
    let kind = if options.release { Kind::Release } else { Kind::Everyday };
    let folder = files::web_target(&root).join("play");
    let mut watched = Watched::now(&root);
    out::step("building the playground");
    page::build(&root, &toolchain, kind, &folder)?;
    let site = Arc::new(Site { folder: folder.clone(), reload: Reload::default() });
    site.reload.enable();
    let served = Arc::clone(&site);
    std::thread::spawn(move || serve::run(listener, served));
    let address = format!("http://127.0.0.1:{}/", options.port);
    out::step(format!("serving the playground on {address} (Ctrl-C stops it)"));
    if options.open && !browser_opens(&address) {
        out::say("   no desktop here: open that address in a browser yourself");
    }
    loop {
        let changed = watched.wait(&root);
        out::step(format!("{} changed", files::shown(&root, &changed)));
        // Findings of the compiler are on the screen; the page before stays.
        match page::build(&root, &toolchain, kind, &folder) {
            Ok(()) => site.reload.changed(),
            Err(error) => out::fail(&error),
        }
    }
}

/// Opens an address in the desktop's browser, where there is one.
fn browser_opens(address: &str) -> bool {
    if !has_browser() {
        return false;
    }
    let opener = if cfg!(windows) {
        Cmd::new("cmd").args(["/C", "start", "", address])
    } else if cfg!(target_os = "macos") {
        Cmd::new("open").arg(address)
    } else {
        Cmd::new("xdg-open").arg(address)
    };
    opener.output().is_ok_and(|output| output.status.success())
}

/// Returns whether opening a browser can work.
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
