//! Undo and redo as the host answers a page that is loaded again: the operations and the worlds that were left are stored with
//! the tab.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use planarium_host::Host;
use planarium_messages::facts::{Fact, Keep, Ways};
use planarium_messages::questions::{Ask, Begin, Format, Question, Resume};
use planarium_protocol::Input;
use planarium_protocol::input::AddAgent;
use std::cell::RefCell;
use std::rc::Rc;

/// A page without a display.
struct Page {
    host: Host,
    tab: Rc<RefCell<String>>,
    number: u32,
    ways: Ways,
    refused: Vec<String>,
    saved: String,
    said: usize,
    at: (u64, u64),
}

impl Page {
    fn new(begin: Begin) -> Self {
        let tab = Rc::new(RefCell::new(String::new()));
        let keep = Rc::clone(&tab);
        let host = Host::new(move |kept| {
            if let Keep::Tab(text) = kept {
                *keep.borrow_mut() = text;
            }
        });
        let mut page = Self {
            host,
            tab,
            number: 0,
            ways: Ways::default(),
            refused: Vec::new(),
            saved: String::new(),
            said: 0,
            at: (0, 0),
        };
        page.ask(Ask::Begin(Box::new(begin)));
        page
    }

    fn example(id: &str) -> Self {
        Self::new(Begin { example: Some(id.to_owned()), ..Begin::default() })
    }

    fn ask(&mut self, ask: Ask) {
        self.number += 1;
        self.refused.clear();
        let question = Question { number: self.number, selected: None, editor: None, ask };
        for fact in self.host.answer(question) {
            match fact {
                Fact::Ways(ways) => self.ways = ways,
                Fact::Refused(text) => self.refused.push(text.to_string()),
                Fact::Saved(file) => self.saved = file.text,
                Fact::Story(story) => self.said = story.said.len(),
                Fact::Moved(snapshot) => self.at = (snapshot.clock.now_ms, snapshot.clock.seq),
                _ => {}
            }
        }
    }

    /// Loads the page again at the moment shown.
    fn reload(&self) -> Self {
        let tab = self.tab.borrow().clone();
        assert!(!tab.is_empty(), "a tab was stored");
        Self::new(Begin { tab: Some(tab), at: Some(self.at), ..Begin::default() })
    }

    /// The run shown: its journal, its moment, what can be undone and redone, and the number of lines told.
    fn looks(&mut self) -> (String, (u64, u64), Ways, usize) {
        self.ask(Ask::SaveAs(Format::Journal));
        (self.saved.clone(), self.at, self.ways.clone(), self.said)
    }
}

fn operations() -> Vec<Vec<Ask>> {
    let fault = |agent: &str| {
        let fault =
            serde_json::json!({ "kind": "fault", "fault": "agent-lost", "target": { "agent": agent } });
        Ask::Do(Box::new(serde_json::from_value(fault).expect("an input")))
    };
    vec![
        vec![Ask::SeekMs(4_000), Ask::Do(Box::new(Input::AddAgent(AddAgent::default())))],
        vec![Ask::SeekMs(9_000), fault("agent-1")],
        // A command in the past opens a branch.
        vec![Ask::SeekMs(6_000), Ask::Do(Box::new(Input::AddAgent(AddAgent::default())))],
        vec![Ask::SetSeed(11)],
        vec![Ask::SeekMs(5_000), fault("agent-2")],
        vec![Ask::SetPreset("10".into())],
        vec![Ask::SeekMs(5_000), fault("agent-3")],
        vec![Ask::OpenExample("canary".into())],
        vec![Ask::SeekMs(3_000), Ask::Do(Box::new(Input::AddAgent(AddAgent::default())))],
    ]
}

#[test]
fn what_was_done_is_undone_and_redone_alike_with_and_without_reloads() {
    let (mut plain, mut reloaded) = (Page::example("hello-world"), Page::example("hello-world"));
    for asks in operations() {
        for ask in asks {
            plain.ask(ask.clone());
            reloaded.ask(ask);
            assert_eq!((&plain.refused, &reloaded.refused), (&Vec::new(), &Vec::new()));
        }
        reloaded = reloaded.reload();
        assert_eq!(plain.looks(), reloaded.looks());
    }
    for (ask, count) in [(Ask::Undo, 9), (Ask::Redo, 9), (Ask::Undo, 4), (Ask::Redo, 2)] {
        for nth in 0..count {
            let before = plain.looks().0;
            plain.ask(ask.clone());
            reloaded.ask(ask.clone());
            reloaded = reloaded.reload();
            let looks = plain.looks();
            assert_ne!(before, looks.0, "{ask:?} {nth} changed the run");
            assert_eq!(looks, reloaded.looks(), "{ask:?} {nth}");
        }
    }
}

#[test]
fn a_host_that_takes_over_undoes_what_was_done_before_it() {
    let mut page = Page::example("hello-world");
    for ask in operations().into_iter().take(4).flatten() {
        page.ask(ask);
    }
    let tab = page.tab.borrow().clone();
    let resume = Resume { tab, at: page.at, ..Resume::default() };
    let mut next = Page::new(Begin::default());
    next.ask(Ask::Resume(Box::new(resume)));
    assert_eq!(page.looks().2, next.looks().2);
    for nth in 0..4 {
        page.ask(Ask::Undo);
        next.ask(Ask::Undo);
        assert!(next.refused.is_empty(), "{nth}: {:?}", next.refused);
        assert_eq!(page.looks(), next.looks(), "{nth}");
    }
}

#[test]
fn the_script_goes_on_after_an_undo_that_follows_a_reload() {
    let mut ends = Vec::new();
    for reload in [false, true] {
        let mut page = Page::example("canary");
        page.ask(Ask::SeekMs(3_000));
        page.ask(Ask::Do(Box::new(Input::AddAgent(AddAgent::default()))));
        if reload {
            page = page.reload();
        }
        page.ask(Ask::Undo);
        page.ask(Ask::SeekMs(600_000));
        let (journal, at, _, said) = page.looks();
        assert!(journal.contains("continue"), "the script of the canary continues its plan");
        ends.push((journal, at, said));
    }
    assert_eq!(ends.first(), ends.last());
}

#[test]
fn a_world_too_large_to_store_is_left_out_with_the_operations_before_it() {
    let mut page = Page::example("hello-world");
    page.ask(Ask::Do(Box::new(Input::AddAgent(AddAgent::default()))));
    let definition = "name: large\npods:\n  web:\n    count: 1\n    tasks:\n      server:\n        goal: RUNNING\n        \
                      cmd: sleep 100000\n        cpus: 0.1\n        memory: 32\n";
    let large = format!("# {}\n{definition}", "x".repeat(600_000));
    page.ask(Ask::OpenText(large, false));
    assert!(page.refused.is_empty(), "{:?}", page.refused);
    page.ask(Ask::Do(Box::new(Input::AddAgent(AddAgent::default()))));
    page.ask(Ask::OpenExample("canary".into()));
    page.ask(Ask::Do(Box::new(Input::AddAgent(AddAgent::default()))));
    assert!(page.ways.undo.is_some());
    let mut again = page.reload();
    assert!(again.tab.borrow().len() < 400_000 && again.ways.undo.is_some());
    again.ask(Ask::Undo);
    assert_eq!((again.ways.undo.clone(), again.refused.len()), (None, 0), "the large world is not stored");
    again.ask(Ask::Undo);
    assert!(again.refused.is_empty());
    // Without a reload all of it is undone.
    let mut undone = 0;
    while page.ways.undo.is_some() {
        page.ask(Ask::Undo);
        undone += 1;
    }
    assert_eq!(undone, 5);
}

#[test]
fn a_damaged_stored_world_is_refused_in_words_and_the_one_shown_stays() {
    let mut page = Page::example("hello-world");
    page.ask(Ask::SeekMs(4_000));
    page.ask(Ask::Do(Box::new(Input::AddAgent(AddAgent::default()))));
    page.ask(Ask::SetSeed(11));
    let stored = page.tab.borrow().clone();
    let mut value: serde_json::Value = serde_json::from_str(&stored).expect("JSON");
    let state = value.pointer_mut("/trail/past/0/state").expect("the state of the world that was left");
    *state = "{}".into();
    let mut again = Page::new(Begin { tab: Some(value.to_string()), at: Some(page.at), ..Begin::default() });
    let shown = again.looks().0;
    again.ask(Ask::Undo);
    assert_eq!(again.refused, ["That run is gone."]);
    assert_eq!(again.ways.undo, None, "what was done in the world that is gone is not undone in this one");
    assert_eq!(again.looks().0, shown);
}
