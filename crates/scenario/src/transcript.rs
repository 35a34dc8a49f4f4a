//! The text of a run: inputs, events and shown output. Kept as golden files.
//!
//! Events below normal importance (declined offers, passed checks) are left out.

use crate::clock::clock;
use crate::describe;
use crate::instances::Instances;
use crate::model::Show;
use crate::player::{Note, NoteKind, Player};
use crate::text;
use planarium_kernel::Stretch;
use planarium_protocol::event::{Event, EventBody, Importance};
use planarium_protocol::view::View;
use planarium_world::{Condition, Engine};

/// A finished run.
#[derive(Debug)]
pub struct Outcome {
    /// The engine where the run ended.
    pub engine: Engine,
    /// The text.
    pub transcript: String,
    /// All expectations held and the end was reached.
    pub passed: bool,
}

/// Plays a scenario to its end (or to `until`) and writes its transcript.
pub fn run(scenario: crate::Scenario, until: Option<&Condition>) -> Outcome {
    let (mut engine, mut player) = Player::start(scenario);
    let until = until.cloned().or_else(|| player.scenario().until.clone());
    let reached = player.run_until(&mut engine, until.as_ref());
    let notes = player.take_notes();
    let loaded = |event: &&Event| matches!(event.body, EventBody::ServiceLoaded { .. });
    let several = engine.events().iter().filter(loaded).nth(1).is_some();
    let instances = Instances::of(engine.events());
    let mut transcript = Transcript { several, instances, ..Transcript::default() };
    if !player.scenario().title.is_empty() {
        transcript.line(&format!("# {}", player.scenario().title));
    }
    transcript.story(engine.events(), &notes);
    transcript.line(&format!("\n[{}] the end", clock(engine.now_ms())));
    transcript.block(&text::world_trees(&engine.view()));
    transcript.line(&format!("digest {}", engine.digest()));
    let passed = reached && player.failed() == 0;
    if !reached {
        transcript.line("the run did not reach its end");
    }
    Outcome { transcript: transcript.out, passed, engine }
}

/// The text being written.
#[derive(Debug, Default)]
struct Transcript {
    out: String,
    /// Several services run, so lines about elements name theirs.
    several: bool,
    /// Instances of tasks that ran more than once.
    instances: Instances,
}

impl Transcript {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn block(&mut self, block: &str) {
        for line in block.lines() {
            let line = format!("    {line}");
            self.line(line.trim_end());
        }
    }

    /// Events and notes in the order they came.
    fn story(&mut self, events: Stretch<'_, Event>, notes: &[Note]) {
        let mut events = events.iter().peekable();
        for note in notes {
            // An input's events follow the line that reports the input.
            let before = match &note.kind {
                NoteKind::Did(_, applied) => {
                    first_event_of(events.clone(), applied.input).unwrap_or(note.seq)
                }
                _ => note.seq,
            };
            while let Some(event) = events.next_if(|event| event.seq <= before) {
                self.event(event);
            }
            self.note(note);
        }
        for event in events {
            self.event(event);
        }
    }

    fn note(&mut self, note: &Note) {
        let at = clock(note.at_ms);
        match &note.kind {
            NoteKind::Said(words) => self.line(&format!("\n[{at}] # {words}")),
            NoteKind::Did(input, applied) => {
                let words = describe::input(input);
                match &applied.outcome {
                    Ok(_) => self.line(&format!("[{at}] > {words}")),
                    Err(refusal) => self.line(&format!(
                        "[{at}] > {words}: refused ({}): {}",
                        refusal.status, refusal.message
                    )),
                }
            }
            NoteKind::Expected(true, what) => self.line(&format!("[{at}] ok {what}")),
            NoteKind::Expected(false, what) => self.line(&format!("[{at}] FAILED {what}")),
            NoteKind::Shown(what, view) => {
                let block = shown(what, view, &self.instances);
                self.block(&block);
            }
            NoteKind::Explained(_, Some(why)) => self.block(&text::why(why)),
            NoteKind::Explained(path, None) => {
                self.line(&format!("[{at}] FAILED there is no element {path}"));
            }
            NoteKind::Stuck(line) => {
                self.line(&format!("[{at}] FAILED the condition of line {line} never came true"));
            }
        }
    }

    fn event(&mut self, event: &Event) {
        if event.body.importance() == Importance::Low
            || matches!(event.body, EventBody::InputApplied { .. } | EventBody::Rejected { .. })
        {
            return;
        }
        let mut words = self.instances.sentence(event);
        if let EventBody::ElementStatus { path, .. }
        | EventBody::PhaseChanged { path, .. }
        | EventBody::Evaluated { path, .. } = &event.body
            && self.several
        {
            words = format!("{}/{words}", path.service.trim_matches('/'));
        }
        self.line(&format!("[{}] {words}", clock(event.at_ms)));
    }
}

/// The number of the event before the first one that `input` caused.
fn first_event_of<'e>(mut events: impl Iterator<Item = &'e Event>, input: u64) -> Option<u64> {
    let cause = planarium_protocol::Cause::Input(input);
    events.find(|event| event.cause == cause).map(|event| event.seq.saturating_sub(1))
}

fn shown(what: &Show, view: &View, instances: &Instances) -> String {
    match what {
        Show::All => text::world_trees(view),
        Show::Cluster => text::numbered_cluster(&view.cluster, instances),
        Show::Plan(name) => {
            let (service, plan) = name.split_once('/').map_or((None, name.as_str()), |(s, p)| (Some(s), p));
            view.services
                .iter()
                .filter(|s| service.is_none_or(|wanted| *s.name == *wanted))
                .flat_map(|s| s.plans.iter())
                .find(|p| *p.name == *plan)
                .map_or_else(|| format!("there is no plan {name}"), |p| text::plan_tree(p))
        }
        Show::Why(path) => format!("why {path}"),
    }
}
