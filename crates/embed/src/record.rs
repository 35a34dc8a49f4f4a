//! Makes a recording from a run.
//!
//! *Knows*: the engine's views and events, the notes of a scenario's player. *Must not know*: how a recording is written down or
//! shown.

use crate::recording::{Change, Mark, Recording, Row, Word};
use planarium_protocol::event::{EventBody, Importance};
use planarium_protocol::view::{PhaseView, PlanView, ServiceView, StatusWord, StepView};
use planarium_scenario::{Note, NoteKind, describe};
use planarium_world::Engine;

/// Longest mark. *Units*: characters.
const MARK_CHARS: usize = 80;
/// Maximum number of recorded instants; a longer run is sampled.
const MOST_INSTANTS: usize = 4000;
/// Most changes that a recording keeps.
const MOST_CHANGES: usize = 2000;

/// The part of a run that is recorded.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The plan, `PLAN` or `SERVICE/PLAN`; without one every plan that does something, or the first where none does.
    pub plan: Option<String>,
}

/// An element of a view, of any level.
#[derive(Clone, Copy)]
enum Element<'a> {
    Service(&'a ServiceView),
    Plan(&'a PlanView),
    Phase(&'a PhaseView),
    Step(&'a StepView),
}

impl<'a> Element<'a> {
    fn id(self) -> String {
        match self {
            Self::Service(service) => format!("{}:{}", service.dialect, service.name),
            Self::Plan(plan) => plan.name.to_string(),
            Self::Phase(phase) => phase.id.to_string(),
            Self::Step(step) => step.id.to_string(),
        }
    }

    fn name(self) -> &'a str {
        match self {
            Self::Service(service) => &service.name,
            Self::Plan(plan) => &plan.name,
            Self::Phase(phase) => &phase.name,
            Self::Step(step) => &step.name,
        }
    }

    fn revision(self) -> u64 {
        match self {
            Self::Service(service) => service.revision,
            Self::Plan(plan) => plan.revision,
            Self::Phase(phase) => phase.revision,
            Self::Step(step) => step.revision,
        }
    }

    /// Returns the status word; a service has none.
    fn status(self) -> &'a str {
        match self {
            Self::Service(_) => "",
            Self::Plan(plan) => &plan.status,
            Self::Phase(phase) => &phase.status,
            Self::Step(step) => &step.status,
        }
    }

    fn children(self) -> Vec<Self> {
        match self {
            Self::Service(service) => service.plans.iter().map(|plan| Self::Plan(plan)).collect(),
            Self::Plan(plan) => plan.phases.iter().map(|phase| Self::Phase(phase)).collect(),
            Self::Phase(phase) => phase.steps.iter().map(|step| Self::Step(step)).collect(),
            Self::Step(_) => Vec::new(),
        }
    }
}

/// An element that was shown at some instant, with the words that it showed.
#[derive(Clone, Debug, Default)]
struct Node {
    id: String,
    name: String,
    /// Revision when it was looked at last; none while it is not shown.
    revision: Option<u64>,
    /// Words by instant, in order; only changes, `None` where it disappeared.
    seen: Vec<(u64, Option<Word>)>,
    children: Vec<Self>,
}

impl Node {
    /// Returns whether it or something below it changes during the recording.
    fn does_something(&self) -> bool {
        self.seen.len() > 1
            || self.seen.first().is_some_and(|(ms, _)| *ms > 0)
            || self.children.iter().any(Self::does_something)
    }

    /// Takes it away with everything below it.
    fn leave(&mut self, ms: u64) {
        if self.revision.take().is_some() {
            self.seen.push((ms, None));
            self.children.iter_mut().for_each(|child| child.leave(ms));
        }
    }
}

/// Records a played run: `engine` is at its end, `notes` are what its script did. Without a title it is named after its services.
/// Leaves the engine at its end.
pub fn record(engine: &mut Engine, notes: &[Note], title: &str, selection: &Selection) -> Recording {
    let end_ms = engine.now_ms();
    let marks = marks(engine, notes);
    let mut services: Vec<Node> = Vec::new();
    for ms in instants(engine) {
        engine.seek_ms(ms);
        let view = engine.view();
        let shown: Vec<Element> = view.services.iter().map(|service| Element::Service(service)).collect();
        look(&mut services, &shown, &[], ms);
    }
    let digest = engine.digest();
    let seed = engine.seed();
    select(&mut services, selection);
    let title = if title.is_empty() { named_after(&services) } else { title.to_owned() };
    let mut recording = Recording { title, end_ms, digest, seed, ..Recording::default() };
    // A single service needs no row of its own.
    let tops: Vec<Node> = if services.len() > 1 {
        services
    } else {
        services.into_iter().flat_map(|service| service.children).collect()
    };
    for top in tops {
        write(&mut recording, top, 0);
    }
    recording.changes.sort_by_key(|change| (change.at_ms, change.row));
    recording.thin(MOST_CHANGES);
    recording.marks = marks;
    recording
}

/// Returns a title for a run that has none; empty without services.
fn named_after(services: &[Node]) -> String {
    match services {
        [] => String::new(),
        [one] => format!("Rollout of {}", one.name),
        [one, other] => format!("Rollout of {} and {}", one.name, other.name),
        [one, other, rest @ ..] => format!("Rollout of {}, {} and {} more", one.name, other.name, rest.len()),
    }
}

/// Returns the instants of a run at which something happens, with its start and its end; those of a long run are sampled.
pub(crate) fn instants(engine: &Engine) -> Vec<u64> {
    let end_ms = engine.now_ms();
    let mut instants: Vec<u64> = engine.events().iter().map(|event| event.at_ms).collect();
    instants.push(0);
    instants.push(end_ms);
    instants.sort_unstable();
    instants.dedup();
    instants.retain(|ms| *ms <= end_ms);
    if instants.len() > MOST_INSTANTS {
        let every = instants.len().div_ceil(MOST_INSTANTS);
        let last = instants.len() - 1;
        instants = instants
            .iter()
            .enumerate()
            .filter(|(at, _)| at % every == 0 || *at == last)
            .map(|(_, ms)| *ms)
            .collect();
    }
    instants
}

/// Adds the rows of an element and of everything below it.
fn write(recording: &mut Recording, node: Node, depth: u8) {
    let row = u32::try_from(recording.rows.len()).unwrap_or(u32::MAX);
    recording.rows.push(Row { depth, name: node.name });
    let mut seen = node.seen.into_iter().peekable();
    let first = seen.next_if(|(ms, _)| *ms == 0).and_then(|(_, word)| word);
    let first = first.map(|word| number(&mut recording.words, word));
    recording.first.push(first);
    for (at_ms, word) in seen {
        let word = word.map(|word| number(&mut recording.words, word));
        recording.changes.push(Change { at_ms, row, word });
    }
    node.children.into_iter().for_each(|child| write(recording, child, depth + 1));
}

/// The number of a word; a word that is new gets the next one.
fn number(words: &mut Vec<Word>, word: Word) -> u32 {
    let at = words.iter().position(|known| *known == word).unwrap_or_else(|| {
        words.push(word);
        words.len() - 1
    });
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Notes the statuses of the elements that a view shows; those that it does not show are taken away. What has its old revision
/// is passed over with everything below it.
fn look(nodes: &mut Vec<Node>, shown: &[Element], statuses: &'static [StatusWord], ms: u64) {
    let ids: Vec<String> = shown.iter().map(|element| element.id()).collect();
    for node in nodes.iter_mut().filter(|node| !ids.contains(&node.id)) {
        node.leave(ms);
    }
    let mut after = 0;
    for (element, id) in shown.iter().zip(ids) {
        let here = nodes.get(after).is_some_and(|node| node.id == id).then_some(after);
        let at = here.or_else(|| nodes.iter().position(|node| node.id == id)).unwrap_or_else(|| {
            // A new element follows the one before it in the view.
            nodes.insert(after, Node { id, name: element.name().to_owned(), ..Node::default() });
            after
        });
        after = at + 1;
        let Some(node) = nodes.get_mut(at).filter(|node| node.revision != Some(element.revision())) else {
            continue;
        };
        node.revision = Some(element.revision());
        let statuses = if let Element::Service(service) = element { service.statuses } else { statuses };
        let word = Word::of(statuses, element.status());
        if node.seen.last().is_none_or(|(_, last)| last.as_ref() != Some(&word)) {
            // Of several changes in one instant the last one counts.
            node.seen.retain(|(at, _)| *at != ms);
            node.seen.push((ms, Some(word)));
        }
        look(&mut node.children, &element.children(), statuses, ms);
    }
}

/// Keeps the plans that are asked for, or those that do something, or else the first one.
fn select(services: &mut Vec<Node>, selection: &Selection) {
    let is_named = |service: &str, plan: &str, wanted: &str| {
        let service = service.split_once(':').map_or(service, |(_, name)| name).trim_matches('/');
        plan == wanted || format!("{service}/{plan}") == wanted.trim_matches('/')
    };
    let first =
        services.iter().find_map(|service| Some((service.id.clone(), service.children.first()?.id.clone())));
    let active = services.iter().flat_map(|service| &service.children).any(Node::does_something);
    for service in services.iter_mut() {
        let id = service.id.clone();
        service.children.retain(|plan| match &selection.plan {
            Some(wanted) => is_named(&id, &plan.id, wanted),
            None if active => plan.does_something(),
            None => first.as_ref().is_some_and(|(service, first)| *service == id && *first == plan.id),
        });
    }
    services.retain(|service| !service.children.is_empty());
}

/// Narration, commands and faults of the script; without any, failures and other events of high importance.
fn marks(engine: &Engine, notes: &[Note]) -> Vec<Mark> {
    let set_up =
        notes.iter().take_while(|note| note.at_ms == 0 && matches!(note.kind, NoteKind::Did(..))).count();
    let said: Vec<u64> =
        notes.iter().filter(|note| matches!(note.kind, NoteKind::Said(_))).map(|note| note.at_ms).collect();
    let mut marks: Vec<Mark> = notes
        .iter()
        .skip(set_up)
        .filter_map(|note| {
            let text = match &note.kind {
                NoteKind::Said(words) => words.clone(),
                // Narration of the same instant says more.
                NoteKind::Did(input, applied) if applied.outcome.is_ok() && !said.contains(&note.at_ms) => {
                    describe::input(input)
                }
                _ => return None,
            };
            Some(Mark { at_ms: note.at_ms, text: short(&text) })
        })
        .collect();
    if marks.is_empty() {
        let told = engine.events().iter().filter(|event| {
            event.body.importance() == Importance::High
                && !matches!(event.body, EventBody::InputApplied { .. } | EventBody::Rejected { .. })
        });
        marks = told
            .take(8)
            .map(|event| Mark { at_ms: event.at_ms, text: short(&event.body.sentence()) })
            .collect();
    }
    marks.dedup();
    marks
}

fn short(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= MARK_CHARS {
        return text;
    }
    let mut cut: String = text.chars().take(MARK_CHARS - 1).collect();
    cut.push('…');
    cut
}
