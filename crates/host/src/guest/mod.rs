//! A host over an engine that a server lends it for each question: others act on the same world.
//!
//! *Knows*: that the world may be another one at the next question, and what only its server may do. *Must not know*: sockets,
//! locks.
//!
//! *Order*: the engine is lent, the page is told what others did meanwhile, then its question is answered, and the engine goes
//! back. The world has one cursor: a page that seeks moves it for all, as `POST /sim/seek` does.

use super::names::Names;
use super::open::{drafts_of, preset_of, scenario_of};
use super::saved::Saved;
use super::snapshot::running;
use super::story::Narration;
use super::summary::DISTANCE;
use super::{Host, Shown};
use planarium_messages::compared::Against;
use planarium_messages::draft::{Draft, Running};
use planarium_messages::facts::{Fact, Served};
use planarium_messages::lessons::LessonAsk;
use planarium_messages::questions::{Ask, Question};
use planarium_messages::wire::UNASKED;
use planarium_rest::Session;
use planarium_scenario::Scenario;
use planarium_world::{Engine, Genesis};

const WORLD_STAYS: &str = "This world is served to others, too, so the page does not replace it. Open the playground for a world of your own.";
const NO_UNDO: &str =
    "Undo would take back what others did since. Go back in time instead: what you do there opens a branch.";
const CLOCK_RUNS: &str = "The server's clock runs by itself: it was started with --clock real.";
const REPLACED: &str = "Not done: another world was served in place of the one shown.";

/// A host whose engine is lent.
pub struct Guest {
    pub(crate) host: Host,
    served: Served,
    /// Number of the server's first world.
    first: u32,
    told: Option<Stamp>,
    /// Definitions that the editor was given.
    drafted: Vec<Running>,
}

/// Tells moments of a served world apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    world: u32,
    branch: u32,
    inputs: u64,
    cursor: (u64, u64),
    head: (u64, u64),
}

impl Stamp {
    fn of(session: &Session) -> Self {
        let engine = &session.engine;
        Self {
            world: session.world(),
            branch: engine.place().branch,
            inputs: engine.inputs(),
            cursor: (engine.now_ms(), engine.seq()),
            head: (engine.head_ms(), engine.head_seq()),
        }
    }
}

/// A session whose engine and script are the host's until this is dropped, be it by a panic.
struct Lent<'a> {
    guest: &'a mut Guest,
    session: &'a mut Session,
}

impl<'a> Lent<'a> {
    fn of(guest: &'a mut Guest, session: &'a mut Session) -> Self {
        let branch = session.engine.place().branch;
        let host = &mut guest.host;
        std::mem::swap(&mut host.shown.engine, &mut session.engine);
        host.shown.player = session.player.take().map(|player| (player, branch));
        host.seen.branch = branch;
        Self { guest, session }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let shown = &mut self.guest.host.shown;
        std::mem::swap(&mut shown.engine, &mut self.session.engine);
        self.session.player = shown.player.take().map(|(player, _)| player);
    }
}

impl Guest {
    /// A host for a page that shows a served world. `runs` says that its clock moves with the wall clock, `first` numbers the
    /// worlds of this server.
    pub fn new(runs: bool, first: u32) -> Self {
        let served = Served { runs };
        let mut host = Host::new(|_| {}).keeping(u64::MAX, DISTANCE);
        host.saved = Saved::off();
        host.served = Some(served);
        Self { host, served, first, told: None, drafted: Vec::new() }
    }

    /// Answers a question on a served world.
    pub fn answer(&mut self, session: &mut Session, question: Question) -> Vec<Fact> {
        let now = Stamp::of(session);
        let facts = Lent::of(self, session).guest.answer_lent(now, question);
        self.told = Some(Stamp::of(session));
        let quietly = |fact| match fact {
            Fact::Told(text, Some(_)) => Fact::Told(text, None),
            fact => fact,
        };
        facts.into_iter().map(quietly).collect()
    }

    /// Reports what others did on a served world since the last answer. Nothing before the page has begun.
    pub fn news(&mut self, session: &mut Session) -> Vec<Fact> {
        if self.told.is_none() || self.told == Some(Stamp::of(session)) {
            return Vec::new();
        }
        let selected = self.host.selected.clone();
        self.answer(session, Question { number: UNASKED, selected, editor: None, ask: Ask::Look })
    }

    fn answer_lent(&mut self, now: Stamp, mut question: Question) -> Vec<Fact> {
        let number = self.first.wrapping_add(now.world);
        let begins = matches!(question.ask, Ask::Begin(_) | Ask::Resume(_));
        let known = match &mut question.ask {
            Ask::Begin(begin) => {
                self.host.names = Names(std::mem::take(&mut begin.names));
                false
            }
            Ask::Resume(resume) => {
                self.host.names = Names(std::mem::take(&mut resume.names));
                resume.lineage.0 == number
            }
            _ => self.told.is_some_and(|told| told.world == now.world),
        };
        let mut facts = Vec::new();
        if begins || !known {
            self.meet(number);
        }
        self.overhear();
        if !known {
            facts.extend(self.open());
            if !begins && acts(&question.ask) {
                facts.push(Fact::Refused(REPLACED.into()));
            }
        }
        if begins || !known {
            question.ask = Ask::Look;
        }
        self.host.unseen |= self.told != Some(now);
        facts.extend(self.host.answer(question));
        self.overhear();
        facts.extend(self.host.story());
        facts.extend(self.drafts_of_others());
        if begins {
            facts.push(Fact::Served(self.served));
        }
        facts
    }

    /// Sets up what belongs to a world that this host has not seen.
    fn meet(&mut self, number: u32) {
        let shown = &mut self.host.shown;
        let player = shown.player.take();
        let scenario = match &player {
            Some((player, _)) => player.scenario().clone(),
            None => scenario_of(&shown.engine.journal()),
        };
        let mut narration = Narration::of(&scenario, None, "");
        narration.name("Served world");
        let engine = std::mem::replace(&mut shown.engine, Engine::new(Genesis::default()));
        *shown = Shown::new(engine, player, scenario, narration);
        self.host.another_world();
        self.host.seen.generation = number;
    }

    /// Hears what the script did meanwhile.
    fn overhear(&mut self) {
        let shown = &mut self.host.shown;
        if let Some((player, branch)) = &shown.player {
            shown.narration.overhear(player, *branch);
        }
    }

    fn open(&mut self) -> Vec<Fact> {
        self.drafted = running(&self.host.shown.engine);
        let (drafts, preset) = (self.drafts(&self.drafted), preset_of(&self.host.shown.scenario));
        self.host.opened(drafts, preset)
    }

    /// The definitions that run now, when others changed them and nothing in the editor would be lost.
    fn drafts_of_others(&mut self) -> Option<Fact> {
        let running = self.host.seen.running.to_vec();
        if self.drafted == running || self.host.editor.dirty() {
            return None;
        }
        self.drafted.clone_from(&running);
        let held = self.host.editor.all();
        let is_held = |run: &Running| held.iter().any(|draft| draft.is_text_of(&run.load));
        if held.len() == running.len() && running.iter().all(is_held) {
            return None;
        }
        Some(Fact::Drafts(self.drafts(&running)))
    }

    fn drafts(&self, running: &[Running]) -> Vec<Draft> {
        let services = running.iter().map(|run| (*run.load).clone()).collect();
        drafts_of(&Scenario { services, ..self.host.shown.scenario.clone() })
    }
}

/// Answers a question that is not for a page on a served world. `None` where it is.
pub(crate) fn guest_refuses(host: &Host, ask: &Ask) -> Option<Vec<Fact>> {
    let runs = host.served?.runs;
    let refused = |text: &str| Some(vec![Fact::Refused(text.into())]);
    match ask {
        Ask::Undo | Ask::Redo => refused(NO_UNDO),
        Ask::Apply
        | Ask::Reset
        | Ask::Compare(Some(Against::Recipe(_)))
        | Ask::SetSeed(_)
        | Ask::SetPreset(_)
        | Ask::DropService(_)
        | Ask::OpenExample(_)
        | Ask::OpenFiles(_, false)
        | Ask::OpenText(_, false)
        | Ask::OpenHash(_)
        | Ask::OpenPlace(..)
        | Ask::Lesson(LessonAsk::Open(_)) => refused(WORLD_STAYS),
        Ask::WriteAddress | Ask::SeekMachines => Some(Vec::new()),
        Ask::Play if runs => Some(vec![Fact::Stopped, Fact::Refused(CLOCK_RUNS.into())]),
        Ask::Frame(_) | Ask::Ahead(_) if runs => Some(vec![Fact::Stopped]),
        _ => None,
    }
}

/// Returns whether a question does something to the world that the page shows.
fn acts(ask: &Ask) -> bool {
    !matches!(
        ask,
        Ask::Look | Ask::Frame(_) | Ask::Ahead(_) | Ask::Check | Ask::Complete { .. } | Ask::WriteAddress
    )
}

#[cfg(test)]
mod tests;
