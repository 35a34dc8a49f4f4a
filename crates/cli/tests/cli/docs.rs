//! Command blocks in the README are run: each has to end well.

use crate::{planarium, root};
use std::fs;

/// The lines after `$ planarium ` in blocks marked `console`.
fn commands(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(mark) = line.trim_start().strip_prefix("```") {
            inside = !inside && mark.trim() == "console";
        } else if inside && let Some(words) = line.trim_start().strip_prefix("$ planarium ") {
            found.push(words.to_owned());
        }
    }
    found
}

/// Words as a shell would part them, quotes taken off.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("never empty").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn commands_in_the_readme_succeed() {
    let text = fs::read_to_string(root().join("README.md")).expect("a README at the top");
    let lines = commands(&text);
    assert!(!lines.is_empty(), "the README shows no command in a block marked `console`");
    for line in lines {
        assert!(!line.starts_with("serve"), "a server does not end: {line}");
        let words = words(&line);
        planarium(&words.iter().map(String::as_str).collect::<Vec<_>>()).ends(0);
    }
}

#[test]
fn blocks_are_found() {
    let text = "```console\n$ planarium run 'a b' --env \"K=V W\"\nout\n```\n```sh\n$ planarium no\n```\n$ planarium no\n";
    assert_eq!(commands(text), ["run 'a b' --env \"K=V W\""]);
    assert_eq!(words("run 'a b'  --env \"K=V W\""), ["run", "a b", "--env", "K=V W"]);
}
