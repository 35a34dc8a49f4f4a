//! Texts that are made to break a reader.

use std::fmt::Write as _;
/// A valid definition of a little over 5 MB.
pub fn five_megabytes() -> String {
    let mut text = String::from(
        "name: big\npods:\n  hello:\n    count: 1\n    tasks:\n      server:\n        goal: RUNNING\n        cmd: run\n        cpus: 1\n        memory: 1\n        env:\n",
    );
    let mut n = 0_u32;
    while text.len() < 5 * 1024 * 1024 {
        let _ = writeln!(text, "          KEY_{n}: \"{}\"", "x".repeat(80));
        n += 1;
    }
    text
}

/// Aliases of aliases of aliases: a few lines that unfold to ten to the ninth.
pub fn alias_bomb() -> String {
    let mut text = String::from("name: bomb\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..10 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = writeln!(text, "a{level}: &a{level} [{below}]");
    }
    text.push_str("pods: *a9\n");
    text
}

/// `levels` lists within one another, in one line.
pub fn nested_flow(levels: usize) -> String {
    format!("name: deep\npods: {}{}\n", "[".repeat(levels), "]".repeat(levels))
}

/// `levels` mappings within one another, one line each.
pub fn nested_block(levels: usize) -> String {
    let mut text = String::from("name: deep\npods:\n");
    for level in 1..=levels {
        // One space a level: what counts is the depth, not the size of the text.
        text.push_str(&" ".repeat(level));
        text.push_str("a:\n");
    }
    text
}

/// `levels` template sections within one another.
pub fn nested_sections(levels: usize) -> String {
    format!("name: deep\n{}x{}\n", "{{#A}}".repeat(levels), "{{/A}}".repeat(levels))
}
