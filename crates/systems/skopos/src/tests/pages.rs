//! Every code has a page, and the examples on it behave as the page says.

use super::support::{findings, request};
use crate::codes::CODES;
use crate::definition::load;

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
        let page = std::fs::read_to_string(format!("{folder}/{code}.md"))
            .unwrap_or_else(|_| panic!("{code} has no page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: heading");
        let (bad, good) = (blocks(&page, "bad"), blocks(&page, "good"));
        assert!(!bad.is_empty() && !good.is_empty(), "{code}: examples");
        for text in bad {
            let shown = findings(&load(&request(text)));
            // The way into a second cleanup block is an id in an on_pass, which is reported as well.
            let tags = [format!("[{code}]"), "[SKO070]".to_owned()];
            let tags = if *code == "SKO074" { tags.as_slice() } else { &tags[..1] };
            if shown.is_empty()
                || !shown.iter().any(|line| line.contains(&tags[0]))
                || !shown.iter().all(|line| tags.iter().any(|tag| line.contains(tag)))
            {
                wrong.push(format!("{code} bad: {shown:#?}"));
            }
        }
        for text in good {
            let shown = findings(&load(&request(text)));
            if !shown.is_empty() {
                wrong.push(format!("{code} good: {shown:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
