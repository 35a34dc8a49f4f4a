//! Messages between a page and a host without shared memory: JSON texts with the difference from the previous message.
//!
//! *Order*: messages arrive in the order in which they were sent; both sides keep the last state sent. *Must not know*:
//! the transport.

mod actions;
mod lanes;
mod log;
mod view;
pub(crate) mod why;

use crate::clock::{BranchTab, Clock};
use crate::compared::{Against, Compared};
use crate::draft::Running;
use crate::event_log::EventLog;
use crate::facts::{Fact, Keep, Snapshot};
use crate::gantt::Gantt;
use crate::ptr::Ptr;
use crate::questions::Question;
use crate::tally::Tally;
use actions::{Known, Table};
use planarium_protocol::json::Read;
use planarium_protocol::{Text, View, json};
use serde::Serialize;
use std::sync::Arc;

pub use view::whole_service;

/// Version of these messages. Page and host of different versions do not talk to each other.
pub const VERSION: u32 = 2;

/// Number of facts that no question asked for.
pub const UNASKED: u32 = 0;

/// A message of the page.
#[derive(Clone, Debug, Serialize, Read)]
pub enum Asked {
    /// A question.
    Question(Box<Question>),
    /// Asks whether the host is alive.
    Ping(u32),
    /// The page speaks this version. The first message to a server.
    Hello(u32),
    /// The page has shown what came without a question: one more such message may follow.
    Ready,
}

/// A message of the host.
#[derive(Clone, Debug, Serialize, Read)]
pub enum Told {
    /// The host is ready and speaks this version.
    Hello(u32),
    /// Something to be kept at once.
    Keep(Keep),
    /// Outcome of a question.
    Facts(Batch),
    /// The answer to a ping.
    Pong(u32),
    /// The host panicked with this message. It sends nothing more.
    Panicked(String),
    /// The connection to the host is lost, for this reason. The page's own script says so; another [`Told::Hello`] may follow.
    Lost(String),
    /// The host ended with the frame that held its worker, or another page's session ended it; nothing of this page failed. The page's own
    /// script says so, and has started another one.
    Gone,
}

/// Outcome of a question.
#[derive(Clone, Debug, Default, Serialize, Read)]
pub struct Batch {
    /// Number of the question; [`UNASKED`] where others changed the world.
    pub number: u32,
    /// Time the host needed. *Units*: microseconds.
    pub took_us: u64,
    /// Lists of actions that are new.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) actions: Vec<actions::List>,
    /// Facts in order.
    pub(crate) facts: Vec<SentFact>,
}

/// A fact as sent.
#[derive(Clone, Debug, Serialize, Read)]
pub(crate) enum SentFact {
    Moved(Box<MovedChange>),
    Compared(Option<Box<ComparedChange>>),
    Plain(Box<Fact>),
}

/// A snapshot as far as it changed.
#[derive(Clone, Debug, Serialize, Read)]
pub(crate) struct MovedChange {
    clock: Clock,
    touched: bool,
    before: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    view: Option<view::ViewChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log: Option<log::LogChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gantt: Option<lanes::GanttChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    running: Option<Vec<Running>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branches: Option<Vec<BranchTab>>,
}

/// Changes of the compared run.
#[derive(Clone, Debug, Serialize, Read)]
pub(crate) struct ComparedChange {
    against: Against,
    name: Text,
    view: view::ViewChange,
    heads: [u64; 2],
    tallies: [Tally; 2],
}

/// A message as text.
pub fn text<T: Serialize>(message: &T) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

/// Parses a message of the page.
pub fn asked(text: &str) -> Result<Asked, String> {
    json::read::text(text.as_bytes())
}

/// Parses a message of the host.
pub fn told(text: &str) -> Result<Told, String> {
    json::read::text(text.as_bytes())
}

/// The host's side: keeps the state that the page has.
#[derive(Debug, Default)]
pub struct Encoder {
    view: Option<Arc<View>>,
    other: Option<Arc<View>>,
    log: EventLog,
    gantt: Arc<Gantt>,
    actions: Table,
}

impl Encoder {
    /// Encodes facts as a message to the page.
    pub fn batch(&mut self, number: u32, took_us: u64, facts: Vec<Fact>) -> Batch {
        let facts = facts.into_iter().map(|fact| self.fact(fact)).collect();
        Batch { number, took_us, actions: self.actions.take_new(), facts }
    }

    fn fact(&mut self, fact: Fact) -> SentFact {
        match fact {
            Fact::Moved(snapshot) => SentFact::Moved(Box::new(self.moved(*snapshot))),
            Fact::Compared(compared) => {
                SentFact::Compared(compared.map(|compared| Box::new(self.compared(&compared))))
            }
            fact => SentFact::Plain(Box::new(fact)),
        }
    }

    fn moved(&mut self, snapshot: Snapshot) -> MovedChange {
        let Snapshot { view, clock, log, running, gantt, branches, touched, before } = snapshot;
        let view = view.map(|Ptr(new)| {
            let change = view::change(self.view.as_deref(), &new, &mut self.actions);
            self.view = Some(new);
            change
        });
        let log = log.map(|new| {
            let change = log::change(&self.log, &new);
            self.log = new;
            change
        });
        let gantt = gantt.map(|Ptr(new)| {
            let change = lanes::change(&self.gantt, &new);
            self.gantt = new;
            change
        });
        let running = running.map(|running| running.to_vec());
        let branches = branches.map(|branches| branches.to_vec());
        MovedChange { clock, touched, before, view, log, gantt, running, branches }
    }

    fn compared(&mut self, compared: &Compared) -> ComparedChange {
        let Compared { against, name, view: Ptr(new), heads, tallies } = compared;
        let view = view::change(self.other.as_deref(), new, &mut self.actions);
        self.other = Some(Arc::clone(new));
        ComparedChange {
            against: against.clone(),
            name: Arc::clone(name),
            view,
            heads: *heads,
            tallies: tallies.clone(),
        }
    }
}

/// The page's side: keeps the state received from the host.
#[derive(Debug, Default)]
pub struct Decoder {
    view: Option<Arc<View>>,
    other: Option<Arc<View>>,
    log: EventLog,
    gantt: Arc<Gantt>,
    actions: Known,
}

impl Decoder {
    /// Decodes the facts of a message. Unchanged parts keep their allocations.
    pub fn facts(&mut self, batch: Batch) -> Vec<Fact> {
        self.actions.learn(batch.actions);
        batch.facts.into_iter().map(|fact| self.fact(fact)).collect()
    }

    fn fact(&mut self, fact: SentFact) -> Fact {
        match fact {
            SentFact::Moved(change) => Fact::Moved(Box::new(self.moved(*change))),
            SentFact::Compared(change) => {
                Fact::Compared(change.map(|change| Ptr::new(self.compared(*change))))
            }
            SentFact::Plain(fact) => *fact,
        }
    }

    fn moved(&mut self, change: MovedChange) -> Snapshot {
        let MovedChange { clock, touched, before, view, log, gantt, running, branches } = change;
        let view = view.map(|change| {
            let new = Arc::new(view::apply(self.view.as_deref(), change, &self.actions));
            self.view = Some(Arc::clone(&new));
            Ptr(new)
        });
        let log = log.map(|change| {
            log::apply(&mut self.log, change);
            self.log.clone()
        });
        let gantt = gantt.map(|change| {
            lanes::apply(Arc::make_mut(&mut self.gantt), change);
            Ptr(Arc::clone(&self.gantt))
        });
        let (running, branches) = (running.map(Ptr::new), branches.map(Ptr::new));
        Snapshot { view, clock, log, running, gantt, branches, touched, before }
    }

    fn compared(&mut self, change: ComparedChange) -> Compared {
        let ComparedChange { against, name, view, heads, tallies } = change;
        let new = Arc::new(view::apply(self.other.as_deref(), view, &self.actions));
        self.other = Some(Arc::clone(&new));
        Compared { against, name, view: Ptr(new), heads, tallies }
    }
}
