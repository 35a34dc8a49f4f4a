//! Chains of event digests: one short line for each event of a run, so that a changed digest can be explained.
//!
//! A line has the instant, the kind, whom it is about, and the last digits of the digest of all its facts. The files lie in
//! `tests/golden/chains/`, one for each run of the table of digests.

use crate::golden;
use planarium_protocol::{Event, EventBody};
use planarium_world::{Engine, event_digest};
use serde_json::Value;

/// Folder of the files.
pub const FOLDER: &str = "tests/golden/chains";

/// Fields that say whom an event is about, the most telling first.
const SUBJECTS: [&str; 9] =
    ["task", "path", "pod", "agent", "service", "framework", "fault", "speaker", "input"];

/// The file of a run.
pub fn file(run: &str) -> String {
    let words = run.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    format!("{FOLDER}/{}.txt", words.collect::<Vec<_>>().join("-"))
}

/// The lines of a run.
pub fn chain(engine: &Engine) -> String {
    engine.all_events().iter().map(|event| line(event) + "\n").collect()
}

fn line(event: &Event) -> String {
    let facts = event_digest(event) & 0xFFFF;
    format!("{} {} {} {facts:04x}", event.at_ms, event.body.word(), subject(&event.body))
}

/// Whom an event is about, in one word.
fn subject(body: &EventBody) -> String {
    let body = planarium_protocol::json::of(body);
    let found = SUBJECTS.iter().find_map(|key| body.get(key));
    let text = match found {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(path)) => {
            let parts =
                ["service", "plan", "phase", "step"].iter().filter_map(|key| path.get(*key)?.as_str());
            parts.collect::<Vec<_>>().join("/")
        }
        Some(Value::Number(number)) => number.to_string(),
        _ => "-".to_owned(),
    };
    text.replace(char::is_whitespace, "_")
}

/// Compares a run with its file, if it exists, or writes it. Returns the first event that differs, before and now.
pub fn compare(run: &str, engine: &Engine) -> Result<(), String> {
    let (path, got) = (file(run), chain(engine));
    let file = crate::files::root().join(&path);
    if golden::blessing() {
        return std::fs::write(&file, got).map_err(|error| format!("{path}: {error}"));
    }
    match std::fs::read_to_string(&file) {
        Ok(known) if known == got => Ok(()),
        Ok(known) => Err(format!("{run}: {}", first_difference(&known, engine))),
        // `cargo xtask bless` writes it together with the table.
        Err(_) => Ok(()),
    }
}

/// The first event that is not as its line says.
fn first_difference(known: &str, engine: &Engine) -> String {
    let mut known = known.lines();
    for event in engine.all_events() {
        let (was, is) = (known.next(), line(event));
        if was == Some(is.as_str()) {
            continue;
        }
        let was = was.unwrap_or("nothing: the run was over");
        let facts = planarium_protocol::json::of(event);
        return format!(
            "event {} is another one\n  - {was}\n  + {is}: {}\n    {facts}",
            event.seq,
            event.body.sentence()
        );
    }
    match known.next() {
        Some(was) => format!("the run ends before an event that there was\n  - {was}"),
        None => "no event differs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::Input;
    use planarium_protocol::input::AddAgent;
    use planarium_world::Genesis;

    #[test]
    fn every_run_has_a_file() {
        for (run, name) in [
            ("empty", "empty"),
            ("dice, seed 1", "dice-seed-1"),
            ("dice, seed 2", "dice-seed-2"),
            ("dice in trouble", "dice-in-trouble"),
            ("canary", "canary"),
        ] {
            assert_eq!(file(run), format!("{FOLDER}/{name}.txt"));
        }
    }

    #[test]
    fn the_first_event_that_differs_is_named() {
        let mut engine = Engine::new(Genesis::default());
        engine.apply(Input::AddAgent(AddAgent::default()));
        engine.advance_for(1_000);
        let known = chain(&engine);
        assert_eq!(first_difference(&known, &engine), "no event differs");
        let lines: Vec<&str> = known.lines().collect();
        assert!(lines.len() >= 2, "{known}");
        let ends = first_difference(&format!("{known}5 launched it 0000\n"), &engine);
        assert_eq!(ends, "the run ends before an event that there was\n  - 5 launched it 0000");
        let other = known.replacen(lines[1], "0 else it 0000", 1);
        let differs = first_difference(&other, &engine);
        assert!(
            differs.starts_with(&format!("event 2 is another one\n  - 0 else it 0000\n  + {}", lines[1])),
            "{differs}"
        );
        let less = format!("{}\n", lines[0]);
        assert!(first_difference(&less, &engine).contains("event 2 is another one\n  - nothing"));
    }
}
