//! Every code has a page, and the examples on it behave as the page says.

use super::support::{findings, request};
use planarium_kudo::CODES;
use planarium_kudo::definition::Loaded;

/// The fenced blocks of a page whose info string is `yaml WORD`.
fn blocks<'p>(page: &'p str, word: &str) -> Vec<&'p str> {
    let fence = format!("```yaml {word}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

#[test]
fn the_examples_of_every_page_show_their_finding() {
    let mut wrong = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/diagnostics");
    for (code, title) in CODES {
        let path = format!("{folder}/{code}.md");
        let page = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{code} has no page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: heading");
        let (bad, good) = (blocks(&page, "bad"), blocks(&page, "good"));
        assert!(!bad.is_empty() && !good.is_empty(), "{code}: examples");
        for text in bad {
            let shown = findings(&Loaded::read(&request(text)));
            let tag = format!("[{code}]");
            if !shown.iter().any(|line| line.contains(&tag)) {
                wrong.push(format!("{code} bad: {shown:#?}"));
            }
        }
        for text in good {
            let loaded = Loaded::read(&request(text));
            let shown = findings(&loaded);
            if !shown.is_empty() || !loaded.is_usable() {
                wrong.push(format!("{code} good: {shown:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
