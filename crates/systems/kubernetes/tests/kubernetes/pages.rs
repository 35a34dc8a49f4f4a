//! Every code has a page, and the examples on it behave as the page says.

use super::support::{request, shown};
use planarium_kubernetes::CODES;
use planarium_kubernetes::definition::Loaded;

/// The fenced blocks of a page whose info string is `yaml WORD`.
fn blocks<'p>(page: &'p str, word: &str) -> Vec<&'p str> {
    let fence = format!("```yaml {word}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_examples_of_every_page_show_their_finding() {
    let mut wrong = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/diagnostics");
    for (code, title) in CODES {
        let page = std::fs::read_to_string(format!("{folder}/{code}.md"))
            .unwrap_or_else(|_| panic!("{code} has no page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: heading");
        let (before, bad, good) = (blocks(&page, "before"), blocks(&page, "bad"), blocks(&page, "good"));
        assert!(!bad.is_empty() && !good.is_empty(), "{code}: examples");
        let before = before.first().map(|text| Loaded::read(&request(text)));
        let found = |text: &str| {
            let loaded = Loaded::read(&request(text));
            let mut all = loaded.diagnostics().to_vec();
            all.extend(before.as_ref().map(|before| loaded.findings_against(before)).unwrap_or_default());
            (shown(&loaded, &all), loaded.is_usable())
        };
        for text in bad {
            let text = if *code == "KUB018" { vec![text; 10_001].join("---\n") } else { text.to_owned() };
            let (lines, _) = found(&text);
            if !lines.iter().any(|line| line.contains(&format!("[{code}]"))) {
                wrong.push(format!("{code} bad: {lines:#?}"));
            }
        }
        for text in good {
            let (lines, usable) = found(text);
            if !lines.is_empty() || !usable {
                wrong.push(format!("{code} good: {lines:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
