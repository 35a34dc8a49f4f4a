//! The code of systems and layers and the texts of examples and lessons are there before a question needs them, and only what it needs.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests end the test")]

use planarium_host::{BuiltIn, Fetched, Host, TextFile, Texts, absent_for, fetch, was_absent};
use planarium_messages::draft::{Draft, Editor};
use planarium_messages::facts::{Fact, Keep, Reply};
use planarium_messages::lessons::LessonAsk;
use planarium_messages::questions::{Ask, Begin, Call, EditorChange, Question};
use planarium_protocol::Input;
use planarium_protocol::input::{HttpCall, LoadService};
use planarium_protocol::json;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Virtual time that each run is played. *Units*: milliseconds.
const PLAYED_MS: u64 = 180_000;

/// A host whose code and texts are fetched as the page's worker does.
struct Page {
    host: Host,
    texts: Rc<Fetched>,
    /// Systems and layers that were fetched.
    fetched: BTreeSet<&'static str>,
    /// Files of texts that were fetched.
    files: BTreeSet<String>,
    tab: Rc<RefCell<String>>,
}

impl Page {
    fn new() -> Self {
        let tab: Rc<RefCell<String>> = Rc::default();
        let kept = Rc::clone(&tab);
        let texts = Rc::new(Fetched::default());
        let host = Host::with_texts(Rc::<Fetched>::clone(&texts), move |keep| {
            if let Keep::Tab(state) = keep {
                *kept.borrow_mut() = state;
            }
        });
        Self { host, texts, fetched: BTreeSet::new(), files: BTreeSet::new(), tab }
    }

    fn put(&mut self, question: Question) -> Vec<Fact> {
        for round in 0.. {
            let absent = absent_for(&self.host, &question);
            if absent.is_empty() {
                break;
            }
            assert!(round < 5, "{absent:?} stay absent");
            assert_eq!(now(fetch(&absent.code)), Ok(()));
            self.fetched.extend(absent.code);
            for file in absent.texts {
                assert_eq!(self.texts.take(file, &text_of(file)), Ok(()));
                self.files.insert(file.to_string());
            }
        }
        let about = format!("{:.200?}", question.ask);
        let facts = self.host.answer(question);
        assert!(!was_absent(&self.host), "something was absent: {about}");
        facts
    }

    fn ask(&mut self, ask: Ask) -> Vec<Fact> {
        self.put(Question { number: 1, selected: None, editor: None, ask })
    }

    fn begin(example: &str) -> Self {
        let mut page = Self::new();
        page.ask(Ask::Begin(Box::new(Begin { example: Some(example.to_owned()), ..Begin::default() })));
        page
    }

    fn play(&mut self) {
        for _ in 0..PLAYED_MS / planarium_host::FRAME_MS {
            self.ask(Ask::Frame(planarium_host::FRAME_MS));
        }
    }

    fn digest(&mut self) -> String {
        let facts = self.ask(Ask::Link(String::new()));
        let link = facts.into_iter().find_map(|fact| match fact {
            Fact::Link(link) => Some(link.digest.to_string()),
            _ => None,
        });
        link.expect("a link")
    }

    fn words(&self) -> Vec<&'static str> {
        self.fetched.iter().copied().collect()
    }
}

/// A file of texts as the build of the page writes it.
fn text_of(file: TextFile<'_>) -> String {
    let example = |id| {
        let texts = BuiltIn.example(id).expect("an example");
        json!({"teaches": texts.teaches, "scenario": texts.scenario, "files": texts.files})
    };
    let lesson = |id, language| {
        let texts = BuiltIn.lesson(id, language).expect("a lesson");
        json!({"lesson": texts.lesson, "texts": texts.texts})
    };
    let content = match file {
        TextFile::Example(id) => example(id),
        TextFile::Lesson(id, language) => lesson(id, language),
        TextFile::All => {
            let examples = planarium_gallery::example_heads().iter();
            let examples = examples.map(|head| (TextFile::Example(head.id).to_string(), example(head.id)));
            let lessons = planarium_gallery::lesson_heads().iter().flat_map(|head| {
                let each = head.titles.iter().map(|(language, _)| (head.id, *language));
                each.map(|(id, word)| (TextFile::Lesson(id, word).to_string(), lesson(id, word)))
            });
            examples.chain(lessons).collect()
        }
    };
    content.to_string()
}

/// Outside of a browser nothing has to arrive.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the code does not come at once"),
    }
}

/// Runs with no code there: that is kept for each thread.
fn apart<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::spawn(run).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[test]
fn every_example_plays_with_the_code_that_it_asks_for() {
    for example in planarium_gallery::examples() {
        let (parts, words) = apart(|| {
            let mut page = Page::begin(example.id);
            page.play();
            assert_eq!(page.files, [format!("example-{}", example.id)].into());
            (page.digest(), page.words())
        });
        let whole = apart(|| {
            let mut page = Page::new();
            page.ask(Ask::Resume(Box::new(planarium_messages::questions::Resume {
                again: true,
                ..Default::default()
            })));
            page.ask(Ask::OpenExample(example.id.into()));
            page.play();
            page.digest()
        });
        assert_eq!(parts, whole, "{}", example.id);
        assert!(words.len() < 7, "{} needs everything: {words:?}", example.id);
        if !matches!(example.dialect, "mesos") {
            assert!(words.contains(&example.dialect), "{}: {words:?}", example.id);
        }
    }
}

#[test]
fn every_lesson_plays_with_the_code_that_it_asks_for() {
    for lesson in planarium_gallery::lessons() {
        apart(|| {
            let mut page = Page::begin("hello-world");
            page.ask(Ask::Lesson(LessonAsk::Open(lesson.id.into())));
            page.ask(Ask::Lesson(LessonAsk::Solution));
            page.play();
            let wanted = ["example-hello-world".to_owned(), format!("lesson-{}-en", lesson.id)];
            assert_eq!(page.files, wanted.into());
        });
    }
}

#[test]
fn a_definition_needs_its_system_and_what_that_runs_on() {
    let cases: [(&str, &str, &[&str]); 5] = [
        ("svc.yml", "name: x\npods:\n  a:\n    count: 1\n", &["mesos", "sdk"]),
        ("app.json", r#"{"id": "/a", "cmd": "sleep 100"}"#, &["marathon", "mesos"]),
        ("plan.yaml", "doctype: deploy-plan\nplan: []\n", &["skopos"]),
        ("web.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\n", &["kube", "kubernetes"]),
        ("operator.yaml", "apiVersion: kudo.dev/v1beta1\nname: x\n", &["kube", "kudo"]),
    ];
    for (name, text, wanted) in cases {
        let fetched = apart(move || {
            let mut page = Page::new();
            page.ask(Ask::OpenFiles(vec![(name.to_owned(), text.to_owned())], false));
            page.words()
        });
        assert_eq!(fetched, wanted, "{name}");
    }
}

#[test]
fn an_edit_to_another_system_fetches_it() {
    apart(|| {
        let mut page = Page::begin("hello-world");
        assert_eq!(page.words(), ["mesos", "sdk"]);
        let files = [("plan.yaml".to_owned(), "doctype: deploy-plan\nplan: []\n".to_owned())].into();
        let draft = Draft::of(&LoadService { files, ..LoadService::default() });
        let editor = EditorChange::between(&Editor::default(), &Editor { draft, ..Editor::default() });
        page.put(Question { number: 2, selected: None, editor, ask: Ask::Check });
        assert_eq!(page.words(), ["mesos", "sdk", "skopos"]);
    });
}

#[test]
fn a_call_and_a_line_fetch_the_system_that_they_are_for() {
    apart(|| {
        let mut page = Page::begin("hello-world");
        let call = HttpCall {
            method: "POST".to_owned(),
            path: "/v2/apps".into(),
            body: serde_json::json!({"id": "/a", "cmd": "sleep 100"}),
            content_type: None,
        };
        page.ask(Ask::Do(Box::new(Input::Call(call))));
        assert!(page.fetched.contains("marathon"), "{:?}", page.fetched);
        page.ask(Ask::Run { line: "kubectl get pods".to_owned(), service: None });
        assert!(page.fetched.contains("kube") && page.fetched.contains("kubernetes"), "{:?}", page.fetched);
        page.ask(Ask::Run { line: "kubectl get instances".to_owned(), service: None });
        assert!(page.fetched.contains("kudo"), "{:?}", page.fetched);
    });
}

#[test]
fn a_way_back_to_a_stored_world_fetches_its_texts_and_its_code() {
    let tab = apart(|| {
        let mut page = Page::begin("canary");
        page.ask(Ask::OpenExample("quality-gate".into()));
        page.ask(Ask::Lesson(LessonAsk::Open("status".into())));
        page.ask(Ask::WriteAddress);
        page.tab.take()
    });
    apart(move || {
        let mut page = Page::new();
        page.ask(Ask::Begin(Box::new(Begin { tab: Some(tab), ..Begin::default() })));
        assert_eq!(page.files, ["lesson-status-en".to_owned()].into());
        for _ in 0..2 {
            page.ask(Ask::Undo);
        }
        assert_eq!(page.files.len(), 3, "{:?}", page.files);
        assert!(page.fetched.contains("skopos"));
    });
}

#[test]
fn results_that_were_handed_in_fetch_the_lessons_that_they_are_for() {
    apart(|| {
        let mut page = Page::begin("hello-world");
        page.ask(Ask::Lesson(LessonAsk::Open("status".into())));
        let facts = page.ask(Ask::Lesson(LessonAsk::HandIn("Ada".to_owned())));
        let link = facts.into_iter().find_map(|fact| match fact {
            Fact::Reply(Reply::HandIn(link)) => link,
            _ => None,
        });
        let mut other = Page::begin("hello-world");
        other.ask(Ask::Lesson(LessonAsk::Results(link.expect("a link"))));
        assert!(other.files.contains("lesson-status-en"), "{:?}", other.files);
    });
}

#[test]
fn a_page_whose_address_names_nothing_goes_on_working() {
    for (hash, lesson) in [("", Some("canray")), ("#lesson=canray", None), ("#p1:nonsense", None)] {
        apart(move || {
            let mut page = Page::new();
            let begin =
                Begin { hash: hash.to_owned(), lesson: lesson.map(str::to_owned), ..Begin::default() };
            page.ask(Ask::Begin(Box::new(begin)));
            for ask in [
                Ask::Check,
                Ask::Look,
                Ask::TryHelp,
                Ask::Play,
                Ask::Frame(16_000),
                Ask::Call(Call::Snapshot),
                Ask::Call(Call::Share(String::new())),
                Ask::Link(String::new()),
                Ask::Objects,
                Ask::Finish,
                Ask::WriteAddress,
                Ask::Reset,
                Ask::SeekMachines,
                Ask::SetSeed(7),
            ] {
                page.ask(ask);
            }
        });
    }
}

#[test]
fn a_damaged_tab_gives_way_to_the_first_example() {
    apart(|| {
        let mut page = Page::new();
        page.ask(Ask::Begin(Box::new(Begin { tab: Some("{".to_owned()), ..Begin::default() })));
        assert_eq!(page.words(), ["mesos", "sdk"]);
    });
}

#[test]
fn a_stored_tab_brings_its_systems_with_it() {
    for id in ["hello-world", "kudo-first-operator", "marathon-three-at-seventy-percent", "quality-gate"] {
        let (tab, digest) = apart(|| {
            let mut page = Page::begin(id);
            page.play();
            page.ask(Ask::WriteAddress);
            (page.tab.take(), page.digest())
        });
        assert!(!tab.is_empty(), "{id}");
        apart(move || {
            let mut page = Page::new();
            page.ask(Ask::Begin(Box::new(Begin { tab: Some(tab), ..Begin::default() })));
            assert!(!page.fetched.is_empty(), "{id}");
            page.ask(Ask::SeekTenth(10));
            assert_eq!(page.digest(), digest, "{id}");
        });
    }
}
