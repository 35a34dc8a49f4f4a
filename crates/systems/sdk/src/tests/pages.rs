//! Every code has a page, and the examples on it behave as the page says.

use super::support::{all_findings, findings, request};
use crate::codes::{CODES, PROGRAM};
use crate::load;

/// The fenced blocks of a page whose info string is `yaml WORD`.
fn blocks<'p>(page: &'p str, word: &str) -> Vec<&'p str> {
    let fence = format!("```yaml {word}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

/// Returns the findings of an example; the program is reported on its own page only.
fn shown(code: &str, text: &str) -> Vec<String> {
    let loaded = load(&request(text));
    if code == PROGRAM { all_findings(&loaded) } else { findings(&loaded) }
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
            let shown = shown(code, text);
            let tag = format!("[{code}]");
            if shown.is_empty() || !shown.iter().all(|line| line.contains(&tag)) {
                wrong.push(format!("{code} bad: {shown:#?}"));
            }
        }
        for text in good {
            let shown = shown(code, text);
            if !shown.is_empty() {
                wrong.push(format!("{code} good: {shown:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
