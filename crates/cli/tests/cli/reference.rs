//! The pages about commands and flags list exactly the accepted ones.

use crate::{planarium, root};
use std::collections::BTreeSet;
use std::fs;

/// Examples with a service of each system, the heading of its commands in `docs/console.md`, and the program in its usage.
const CONSOLES: [(&str, &str, &str); 4] = [
    ("hello-world", "DC/OS SDK", ""),
    ("marathon-app-on-db", "Marathon", "dcos marathon "),
    ("kudo-first-operator", "KUDO", "kubectl kudo "),
    ("quality-gate", "Skopos", ""),
];

/// Returns the output of a command line in an example's world.
fn said(example: &str, words: &[&str]) -> String {
    let path = format!("examples/{example}");
    let mut all = vec!["exec", "", "--on", &path, "--at", "0s", "--"];
    all.extend(words);
    planarium(&all).ends(0).out
}

/// Returns the words of a command: those before its arguments and flags.
fn command(text: &str) -> String {
    let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase());
    text.split(' ').take_while(is_word).collect::<Vec<_>>().join(" ")
}

/// Returns the commands that a usage lists.
fn used(usage: &str, program: &str) -> BTreeSet<String> {
    let lines = usage.lines().filter_map(|line| line.strip_prefix("  "));
    let lines = lines.filter(|line| !line.starts_with(' ')).filter_map(|line| line.strip_prefix(program));
    lines.map(|line| command(line.split("  ").next().unwrap_or_default())).collect()
}

/// Returns the texts in backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the cells of the rows below a heading, up to the next one.
fn rows<'p>(page: &'p str, heading: &str) -> Vec<Vec<&'p str>> {
    let section = page.split("\n## ").find(|section| section.lines().next() == Some(heading));
    let section = section.unwrap_or_else(|| panic!("the page has no heading {heading}"));
    let lines = section.lines().filter_map(|line| line.strip_prefix("| `"));
    lines.map(|line| line.split(" | ").collect()).collect()
}

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("a page")
}

#[test]
fn the_page_lists_exactly_the_commands_of_each_console() {
    let page = page("docs/console.md");
    for (example, heading, program) in CONSOLES {
        let used = used(&said(example, &["help"]), program);
        assert!(used.len() > 5, "{heading}: {used:?}");
        let cells: Vec<String> = rows(&page, heading).iter().map(|row| format!("`{}", row[0])).collect();
        let listed: BTreeSet<String> = cells.iter().flat_map(|cell| spans(cell)).map(command).collect();
        let is =
            |own: &str, of: &str| own == of || own.strip_prefix(of).is_some_and(|rest| rest.starts_with(' '));
        for own in &listed {
            assert!(used.iter().any(|of| is(own, of)), "{heading}: there is no command `{own}`");
        }
        for of in &used {
            assert!(listed.iter().any(|own| is(own, of)), "{heading}: `{of}` has no row");
        }
    }
}

#[test]
fn the_page_lists_exactly_the_flags_of_kudo() {
    let example = "kudo-first-operator";
    let commands = used(&said(example, &["help"]), "kubectl kudo ");
    let mut taken = BTreeSet::new();
    for own in &commands {
        let mut words: Vec<&str> = own.split(' ').collect();
        words.push("--help");
        let text = said(example, &words);
        let (_, flags) = text.split_once("Flags:\n").expect("a list of flags");
        let names = flags.lines().filter_map(|line| line.split("--").nth(1)?.split(' ').next());
        taken.extend(names.map(|name| (name.to_owned(), own.clone())));
    }
    let mut listed = BTreeSet::new();
    for row in rows(&page("docs/reference/kudo.md"), "Flags of `kubectl kudo`") {
        let name = row[0].trim_start_matches("--").split([' ', '`']).next().unwrap_or_default();
        let own: Vec<String> = match row[1] {
            "all" => commands.iter().cloned().collect(),
            some => spans(some).map(str::to_owned).collect(),
        };
        listed.extend(own.into_iter().map(|own| (name.to_owned(), own)));
    }
    assert_eq!(listed, taken);
}
