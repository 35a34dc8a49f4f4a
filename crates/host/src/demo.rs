//! The run shown, as texts for a document.

use super::Host;
use super::lesson;
use planarium_embed::{Picture, Selection, animated, record, sources, still};
use planarium_messages::facts::DemoTexts;
use planarium_messages::questions::Demo;
use planarium_protocol::input::LoadService;
use planarium_scenario::share;
use planarium_world::Engine;
use std::fmt::Write as _;

impl Host {
    /// Returns the element, the fence and the images of the run up to its last instant.
    ///
    /// *Errors*: the run has nothing to draw, or cannot be replayed.
    pub(crate) fn demo(&self, demo: &Demo) -> Result<DemoTexts, String> {
        if let Some(texts) = lesson::lesson_demo(self, demo) {
            return Ok(texts);
        }
        let journal = self.shown.engine.journal();
        let run = share::encode(&journal);
        let mut engine = Engine::from_journal(&journal).map_err(|error| error.to_string())?;
        let plan = Some(demo.plan.clone()).filter(|plan| !plan.is_empty());
        let recording = record(&mut engine, &[], self.shown.narration.title(), &Selection { plan });
        if recording.rows.is_empty() {
            return Err("There is nothing to draw yet: the run has no plan.".to_owned());
        }
        let at_ms = demo.at_ms.unwrap_or(recording.end_ms).min(recording.end_ms);
        let services: Vec<LoadService> = self.editor.all().iter().map(|draft| draft.load().0).collect();
        let sources = sources(&services);
        let link = format!("{}#{run}", demo.playground);
        let picture = Picture {
            recording: &recording,
            at_ms,
            sources: &sources,
            link: Some(&link),
            engine: demo.engine.as_deref().map(|address| (address, run.as_str())),
            attributes: &demo.attributes,
        };
        Ok(DemoTexts {
            element: picture.html(),
            fence: fence(demo, engine.seed(), &services),
            svg: still(&recording, at_ms),
            moving: animated(&recording),
            hash: format!("#{run}~{at_ms}"),
        })
    }
}

/// Writes the fence of a definition. With several definitions or files, the fence names files next to the document.
fn fence(demo: &Demo, seed: u64, services: &[LoadService]) -> String {
    let mut info = format!("planarium seed=\"{seed}\"");
    let mut files = services.iter().flat_map(|service| &service.files);
    let body = match (files.next(), files.next()) {
        (Some((name, text)), None) => {
            let _ = write!(info, " file=\"{}\"", quoted(name));
            text.trim_end()
        }
        _ => {
            info.push_str(" src=\"FOLDER\"");
            ""
        }
    };
    if let Some(service) = services.first().filter(|service| !service.dialect.is_empty()) {
        let _ = write!(info, " dialect=\"{}\"", quoted(&service.dialect));
    }
    if !demo.plan.is_empty() {
        let _ = write!(info, " plan=\"{}\"", quoted(&demo.plan));
    }
    if let Some(at_ms) = demo.at_ms {
        let _ = write!(info, " poster_at=\"{}s\"", seconds(at_ms));
    }
    if let Some(address) = &demo.engine {
        let _ = write!(info, " engine=\"{}\"", quoted(address));
    }
    for (name, value) in demo.attributes.iter().filter(|(name, _)| name != "poster") {
        let _ = write!(info, " {}=\"{}\"", name.replace('-', "_"), option(name, value));
    }
    let ticks = "`".repeat(longest_run_of_ticks(body).max(2) + 1);
    format!("{ticks}{info}\n{body}\n{ticks}\n")
}

/// Writes an attribute's value in fence syntax: instants with a unit, switches as a word.
fn option(name: &str, value: &str) -> String {
    let is_number = value.parse::<f64>().is_ok_and(f64::is_finite);
    match name {
        "start-at" | "stop-at" if is_number => format!("{value}s"),
        _ if value.is_empty() => "true".to_owned(),
        _ => quoted(value),
    }
}

/// Seconds, with decimals where needed.
fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A value between quotation marks.
pub(crate) fn quoted(text: &str) -> String {
    text.chars().filter(|c| *c != '"' && !c.is_control()).collect()
}

pub(crate) fn longest_run_of_ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_embed::fence::{Body, Options, fences};
    use planarium_messages::facts::{Fact, Reply};
    use planarium_messages::questions::{Ask, Begin, Call, Question};
    use serde_json::Value;

    fn ask(host: &mut Host, ask: Ask) -> Vec<Fact> {
        host.answer(Question { number: 1, selected: None, editor: None, ask })
    }

    /// The texts of an example after one minute of play.
    fn texts(example: &str, demo: &Demo) -> DemoTexts {
        let mut host = Host::new(|_| {});
        let begin = Begin { example: Some(example.to_owned()), ..Begin::default() };
        ask(&mut host, Ask::Begin(Box::new(begin)));
        ask(&mut host, Ask::Frame(60_000));
        host.demo(demo).expect("a run with plans")
    }

    /// The plans at an address, as a host gives them to the document around its page.
    fn snapshot(hash: &str) -> Value {
        let mut host = Host::new(|_| {});
        let begin = Begin { hash: hash.to_owned(), ..Begin::default() };
        ask(&mut host, Ask::Begin(Box::new(begin)));
        let facts = ask(&mut host, Ask::Call(Call::Snapshot));
        let called = facts.into_iter().find_map(|fact| match fact {
            Fact::Reply(Reply::Called(called)) => Some(called),
            _ => None,
        });
        called.expect("an answer").expect("a snapshot")
    }

    #[test]
    fn an_engine_that_continues_a_recording_reaches_the_same_digest() {
        for example in ["hello-world", "canary", "kudo-first-operator", "marathon-rollback", "web-shop"] {
            let texts = texts(example, &Demo { at_ms: Some(5_000), ..Demo::default() });
            let recording =
                texts.element.split("pl-recording\">").nth(1).and_then(|rest| rest.split("</").next());
            let recording: Value = serde_json::from_str(recording.expect("a recording")).expect("JSON");
            let seen = snapshot(&texts.hash);
            assert_eq!(seen["now_ms"], 5_000, "{example}");
            assert_eq!(seen["end"]["ms"], recording["end"], "{example}");
            assert_eq!(seen["end"]["digest"], recording["digest"], "{example}");
            assert_ne!(seen["digest"], recording["digest"], "{example}: something happens after that");
            assert_eq!(recording["by"], env!("CARGO_PKG_VERSION"));
        }
    }

    #[test]
    fn the_fence_of_every_choice_is_read_by_the_hosts_of_documents() {
        let attributes = [
            ("theme", "dark"),
            ("autoplay", ""),
            ("markers", "12=A \"pause\";40=Lost"),
            ("panes", "tree,timeline,why,machines,pods,log,console,editor"),
            ("start-at", "5"),
            ("stop-at", "12.5"),
        ];
        let attributes: Vec<(String, String)> =
            attributes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let demo = Demo {
            plan: "deploy".to_owned(),
            at_ms: Some(7_900),
            engine: Some("https://example.org/embed.html".to_owned()),
            playground: "https://example.org/".to_owned(),
            attributes,
        };
        let text = texts("hello-world", &demo).fence;
        let found = fences(&text);
        let [fence] = found.as_slice() else { panic!("not one fence:\n{text}") };
        let (options, findings) = Options::read(&fence.info);
        assert_eq!(findings, [], "{text}");
        assert_eq!(options.engine.as_deref(), Some("https://example.org/embed.html"));
        let attribute = |wanted: &str| {
            let found = options.attributes.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.as_str())
        };
        assert_eq!(attribute("panes"), Some("tree,timeline,why,machines,pods,log,console,editor"));
        assert_eq!((attribute("start-at"), attribute("stop-at")), (Some("5"), Some("12.500")));
        assert_eq!(attribute("autoplay"), Some(""));
        let (_, findings) = Body::read(&fence.body);
        assert_eq!(findings, [], "{text}");
    }

    #[test]
    fn a_fence_is_longer_than_any_run_of_backticks_in_its_body() {
        let files = [("svc.yml".to_owned(), "name: a\n# ````\n".to_owned())].into();
        let service = LoadService { dialect: "sdk".to_owned(), files, ..LoadService::default() };
        let demo = Demo { plan: "deploy".to_owned(), at_ms: Some(42_900), ..Demo::default() };
        assert_eq!(
            fence(&demo, 7, &[service]),
            "`````planarium seed=\"7\" file=\"svc.yml\" dialect=\"sdk\" plan=\"deploy\" poster_at=\"42.9s\"\nname: a\n# ````\n`````\n"
        );
    }

    #[test]
    fn several_files_are_named_instead_of_written_out() {
        let files =
            [("a.yaml".to_owned(), "a: 1".to_owned()), ("b.yaml".to_owned(), "b: 1".to_owned())].into();
        let service = LoadService { files, ..LoadService::default() };
        let fence = fence(&Demo::default(), 1, &[service]);
        assert_eq!(fence, "```planarium seed=\"1\" src=\"FOLDER\"\n\n```\n");
    }
}
