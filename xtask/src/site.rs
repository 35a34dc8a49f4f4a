//! `cargo xtask site`: the documentation as a book, with every demo checked.
//!
//! Chapters are written by hand in `docs/site`; the gallery is built from the examples' READMEs, the ledger and the diagnostics from
//! `docs`. All of it is assembled in `target/site-source` and built by mdBook into `target/site`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use crate::files;
use crate::out;
use crate::proc::{Cmd, search_path};
use crate::setup::hosts;

/// Builds the book. A false claim, a broken demo or a dead link fails.
pub(crate) fn run(args: &[String]) -> Result<bool> {
    anyhow::ensure!(args.is_empty(), "site takes no options; see cargo xtask site --help");
    let root = files::root()?;
    let programs = hosts::ensure(&root)?;
    out::step("the command and the preprocessor of mdBook");
    let demos = ["build", "--locked", "--package", "planarium-cli", "--package", "planarium-mdbook"];
    Cmd::new("cargo").dir(&root).args(demos).run()?;
    build(&root, &programs)
}

/// Puts the book together and builds it with the programs that are there.
fn build(root: &Path, programs: &Path) -> Result<bool> {
    let source = root.join("target").join("site-source");
    let site = root.join("target").join("site");
    for folder in [&source, &site] {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
    }
    let pages = gathered(root)?;
    for page in &pages {
        let target = source.join("src").join(&page.to);
        let text = if page.to.extension().is_some_and(|ending| ending == "md") {
            relinked(&files::read(&root.join(&page.from))?, page, &pages)
        } else {
            files::read(&root.join(&page.from))?
        };
        write(&target, &page.dressed(&text))?;
    }
    write(&source.join("book.toml"), &files::read(&root.join("docs/site/book.toml"))?)?;
    let summary = files::read(&root.join("docs/site/src/SUMMARY.md"))?;
    write(&source.join("src/SUMMARY.md"), &summary.replace("{{generated}}", &generated(&pages)))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let path = search_path(&[target.join("debug"), programs.to_path_buf()]);
    out::step("the book, with every demo checked");
    let mut good = true;
    for (program, words) in [
        (target.join("debug").join("mdbook-planarium"), vec!["install"]),
        (programs.join("mdbook"), vec!["build", "--dest-dir", "../site"]),
    ] {
        let status =
            Cmd::new(&program.to_string_lossy()).dir(&source).env("PATH", &path).args(words).status()?;
        good &= status.success();
    }
    if !good {
        out::warn("the book was not built: see above");
        return Ok(false);
    }
    let plays = playground(root, &site)?;
    let dead = dead_links(&site, plays);
    for link in &dead {
        out::warn(link);
    }
    out::say(format!("{} files of the book in {}", pages.len(), files::shown(root, &site)));
    Ok(dead.is_empty())
}

/// Folder of the book with the playground, whose page for frames the chapters' lessons name.
const PLAYGROUND: &str = "play";

/// Puts the built page into the book, so that its lessons can be started. Returns whether there is one.
fn playground(root: &Path, site: &Path) -> Result<bool> {
    let dist = files::dist(root);
    if !dist.join("embed.html").is_file() {
        out::warn(
            "there is no page in dist/, so the book's lessons cannot be started: cargo xtask dist, then again",
        );
        return Ok(false);
    }
    for path in files::walk(&dist) {
        let target = site.join(PLAYGROUND).join(path.strip_prefix(&dist).unwrap_or(&path));
        fs::create_dir_all(target.parent().unwrap_or(site))?;
        fs::copy(&path, &target).with_context(|| format!("cannot write {}", target.display()))?;
    }
    Ok(true)
}

/// A file of the book: its source, and its path below `src`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Page {
    /// Path from the repository's folder.
    from: PathBuf,
    to: PathBuf,
}

impl Page {
    fn new(from: impl Into<PathBuf>, to: impl Into<PathBuf>) -> Self {
        Self { from: from.into(), to: to.into() }
    }

    /// Returns whether it is the README of an example.
    fn is_example(&self) -> bool {
        self.to.starts_with("examples") && self.to.ends_with("README.md")
    }

    /// Adds the title to an example's README, and its run if it has a plan to show.
    fn dressed(&self, text: &str) -> String {
        if !self.is_example() {
            return text.to_owned();
        }
        let (header, body) =
            text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap_or(("", text));
        let title = header.lines().find_map(|line| line.strip_prefix("title: ")).unwrap_or("An example");
        let teaches = header.lines().find_map(|line| line.strip_prefix("teaches: ")).unwrap_or_default();
        // A world of machines alone has no plan.
        let has_plans = !header.lines().any(|line| line == "plans: none");
        let demo = if has_plans { "```planarium src=\".\"\n```\n" } else { "" };
        format!("# {title}\n\n*Teaches {teaches}.*\n\n{}\n\n{demo}", body.trim())
    }
}

/// Everything of the book but its table of contents.
fn gathered(root: &Path) -> Result<Vec<Page>> {
    let below = |folder: &str, to: &str| -> Vec<Page> {
        let here = root.join(folder);
        let all = files::walk(&here).into_iter();
        all.filter_map(|path| {
            let rest = path.strip_prefix(&here).ok()?.to_path_buf();
            Some(Page::new(Path::new(folder).join(&rest), Path::new(to).join(rest)))
        })
        .collect()
    };
    let mut pages = below("docs/site/src", "");
    pages.retain(|page| page.to != Path::new("SUMMARY.md"));
    for name in
        ["embedding", "console", "lessons", "serve", "simulation", "marathon-flags", "glossary", "fidelity"]
    {
        pages.push(Page::new(format!("docs/{name}.md"), format!("docs/{name}.md")));
    }
    pages.push(Page::new("npm/README.md", "npm/README.md"));
    pages.extend(below("docs/reference", "docs/reference"));
    pages.extend(below("docs/fidelity", "docs/fidelity"));
    pages.extend(below("docs/diagnostics", "docs/diagnostics"));
    // Transcripts and goldens are for the tests.
    pages.extend(
        below("examples", "examples")
            .into_iter()
            .filter(|page| page.to.extension().is_none_or(|ending| ending != "txt")),
    );
    anyhow::ensure!(pages.iter().any(Page::is_example), "there are no examples");
    Ok(pages)
}

/// Returns the generated part of the table of contents.
fn generated(pages: &[Page]) -> String {
    let title = |page: &Page| page.to.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let entry = |indent: &str, name: &str, page: &Page| {
        format!("{indent}- [{name}]({})\n", page.to.to_string_lossy().replace('\\', "/"))
    };
    let listed =
        |folder: &'static str| pages.iter().filter(move |page| page.to.parent() == Some(Path::new(folder)));
    let mut out = "- [Glossary](docs/glossary.md)\n- [Fidelity](docs/fidelity.md)\n".to_owned();
    out.extend(listed("docs/fidelity").map(|page| entry("  ", &title(page), page)));
    out.push_str("- [Diagnostics]()\n");
    out.extend(listed("docs/diagnostics").map(|page| entry("  ", &title(page), page)));
    out.push_str("\n# Gallery\n\n");
    out.extend(pages.iter().filter(|page| page.is_example()).map(|page| {
        let name = page
            .to
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy()
            .replace('-', " ");
        entry("", &name, page)
    }));
    out
}

/// Redirects links between files of the repository to their pages; a link to anything else keeps only its words.
fn relinked(text: &str, page: &Page, pages: &[Page]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let Some((target, tail)) = after.split_once(')') else { break };
        let label_at = before.rfind('[');
        let (path, anchor) = target.split_once('#').map_or((target, ""), |(path, anchor)| (path, anchor));
        let is_outside = path.is_empty() || target.contains(':') || target.contains(char::is_whitespace);
        let repository = normal(&page.from.parent().unwrap_or(Path::new("")).join(path));
        let book = normal(&page.to.parent().unwrap_or(Path::new("")).join(path));
        let found = pages.iter().find(|other| other.from == repository || other.to == book);
        match (is_outside, found, label_at) {
            (false, Some(other), _) => {
                let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
                out.extend([before, "](", &between(&page.to, &other.to), &anchor, ")"]);
            }
            (false, None, Some(at)) => {
                let (head, label) = before.split_at_checked(at).unwrap_or((before, ""));
                out.push_str(head.strip_suffix('!').unwrap_or(head));
                out.push_str(label.trim_start_matches('['));
            }
            _ => out.extend([before, "](", target, ")"]),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The way from one page to another. A README is the index of its folder in the book.
fn between(from: &Path, to: &Path) -> String {
    let up = from.components().count().saturating_sub(1);
    let to = if to.ends_with("README.md") { to.with_file_name("index.html") } else { to.to_path_buf() };
    format!("{}{}", "../".repeat(up), to.to_string_lossy().replace('\\', "/"))
}

/// Relative links of built pages to files that are not there. Links to a playground that was not built are left out.
fn dead_links(site: &Path, plays: bool) -> Vec<String> {
    let mut dead = Vec::new();
    let page = site.join(PLAYGROUND);
    for path in files::with_extension(site, "html") {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // The first is served below any path, the others repeat other pages.
        if matches!(name.as_str(), "404.html" | "print.html" | "toc.html") {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for link in links(&text) {
            let target = link.split(['#', '?']).next().unwrap_or_default();
            if target.is_empty() || target.contains(':') {
                continue;
            }
            let file = normal(&path.parent().unwrap_or(site).join(target));
            if !file.exists() && (plays || file != page) {
                dead.push(format!("{}: the link {link} leads nowhere", files::shown(site, &path)));
            }
        }
    }
    dead
}

/// Values of `href` in tags; code that shows one is not a tag.
fn links(html: &str) -> impl Iterator<Item = &str> {
    html.match_indices("href=\"").filter_map(|(at, mark)| {
        let (before, after) = (html.get(..at)?, html.get(at + mark.len()..)?);
        let is_tag = before.rfind('<') > before.rfind('>');
        is_tag.then(|| after.split('"').next()).flatten()
    })
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_follow_their_files_into_the_book() {
        let pages = [
            Page::new("docs/fidelity.md", "docs/fidelity.md"),
            Page::new("docs/glossary.md", "docs/glossary.md"),
            Page::new("docs/fidelity/kudo.md", "docs/fidelity/kudo.md"),
            Page::new("docs/fidelity/kubernetes.md", "docs/fidelity/kubernetes.md"),
            Page::new("npm/README.md", "npm/README.md"),
        ];
        for (text, want) in [
            ("see [a](../glossary.md#x).", "see [a](../../docs/glossary.md#x)."),
            ("see [the package](../../npm/README.md#x)", "see [the package](../../npm/index.html#x)"),
            ("see [code](../../crates/x.rs) here", "see code here"),
            ("![picture](../x.png)", "picture"),
            ("[out](https://example.org/) [in](#here)", "[out](https://example.org/) [in](#here)"),
            ("no link ](", "no link ]("),
        ] {
            assert_eq!(relinked(text, &pages[2], &pages), want);
        }
    }

    #[test]
    fn links_are_read_from_tags() {
        let html = "<a href=\"a.html\">a</a> <code>&lt;link href=\"b.css\"&gt;</code> <link rel=\"x\" href=\"c.css\">";
        assert_eq!(links(html).collect::<Vec<_>>(), ["a.html", "c.css"]);
    }

    #[test]
    fn every_example_has_a_place_in_the_gallery() {
        let root = files::root().unwrap();
        let pages = gathered(&root).unwrap();
        let contents = generated(&pages);
        for folder in files::subfolders(&root.join("examples")) {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            assert!(contents.contains(&format!("(examples/{name}/README.md)")), "{name}");
        }
    }

    /// The bodies of a text's demos; those shown inside a longer fence are not demos.
    fn demos(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut inside: Option<(usize, Option<String>)> = None;
        for line in text.lines() {
            let ticks = line.len() - line.trim_start_matches('`').len();
            match &mut inside {
                Some((length, body)) if ticks >= *length => {
                    found.extend(body.take());
                    inside = None;
                }
                Some((_, Some(body))) => body.extend([line, "\n"]),
                None if ticks >= 3 => {
                    inside = Some((ticks, line.starts_with("```planarium").then(String::new)));
                }
                Some((_, None)) | None => {}
            }
        }
        found
    }

    #[test]
    fn every_demo_of_a_chapter_claims_something() {
        let chapters = files::root().unwrap().join("docs/site/src");
        let mut count = 0;
        for path in files::with_extension(&chapters, "md") {
            for demo in demos(&files::read(&path).unwrap()) {
                count += 1;
                assert!(demo.contains("# @expect "), "{}: {demo}", path.display());
            }
        }
        assert!(count > 70, "{count} demos");
        assert_eq!(demos("````md\n```planarium\na\n```\n````\n```planarium\nb\n```\n"), ["b\n"]);
    }

    #[test]
    fn an_example_is_shown_with_its_run() {
        let page = Page::new("examples/a/README.md", "examples/a/README.md");
        let text = page.dressed("---\ntitle: A\nteaches: b\n---\n\nText.\n");
        assert_eq!(text, "# A\n\n*Teaches b.*\n\nText.\n\n```planarium src=\".\"\n```\n");
        let none = page.dressed("---\ntitle: A\nteaches: b\nplans: none\n---\nText.\n");
        assert!(!none.contains("```"));
    }
}
