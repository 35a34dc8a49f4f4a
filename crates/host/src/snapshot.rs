//! Reports the changed parts of the engine's state as a fact.

use super::Host;
use super::finish::finish;
use super::statuses::class_of;
use super::story::Waits;
use super::summary::{Checkpoints, Summary};
use super::windows;
use planarium_messages::clock::{BranchTab, Clock};
use planarium_messages::draft::Running;
use planarium_messages::event_log::EventLog;
use planarium_messages::facts::Finish;
use planarium_messages::facts::{Fact, Snapshot};
use planarium_messages::ptr::Ptr;
use planarium_world::{BranchView, Engine};
use std::sync::Arc;

/// Minimum number of events that the engine keeps; earlier ones are restored by a replay.
pub(crate) const EVENTS: u64 = 32_768;

fn place_of(seq: u64) -> usize {
    usize::try_from(seq).unwrap_or(usize::MAX)
}

/// Last reported state.
#[derive(Default)]
pub(crate) struct Seen {
    /// Counts worlds shown.
    pub(crate) generation: u32,
    /// The branch shown.
    pub(crate) branch: u32,
    pub(crate) lineage: Option<(u32, u32)>,
    place: Option<(u64, u64, bool)>,
    /// Instants that the last view has planned.
    turns: Vec<u64>,
    log: EventLog,
    /// Summary of all events up to the head.
    pub(crate) lanes: Summary,
    /// The same at several points of the run.
    pub(crate) past: Checkpoints,
    branches: Vec<BranchTab>,
    /// World, branch and number of inputs at which the running definitions were looked up.
    asked: Option<(u32, u32, u64)>,
    pub(crate) running: Ptr<Vec<Running>>,
}

impl Seen {
    /// The branches as reported last.
    pub(crate) fn tabs(&self) -> &[BranchTab] {
        &self.branches
    }
}

impl Host {
    /// Reports what the engine shows now.
    pub(crate) fn moved(&mut self) -> Fact {
        self.unseen = false;
        let tabs = self.tabs();
        let branch = tabs.iter().find(|tab| tab.current).map_or(0, |tab| tab.id);
        self.seen.branch = branch;
        // A scheduled script entry also runs without the user.
        let script_goes_on = matches!(self.waits(), Waits::Until(_));
        // Checking this needs a view of the world, which most frames avoid.
        let at_rest = self.shown.engine.idle() && !script_goes_on;
        let scheduled_ms = at_rest.then(|| self.scheduled_ms()).flatten();
        let before = self.trail.has_before();
        let (engine, seen) = (&mut self.shown.engine, &mut self.seen);
        let mut clock = Clock {
            now_ms: engine.now_ms(),
            head_ms: engine.head_ms(),
            seq: engine.seq(),
            head_seq: engine.head_seq(),
            next_event_ms: engine.next_event_ms(),
            seed: engine.seed(),
            idle: at_rest && scheduled_ms.is_none(),
            scheduled_ms,
            planned: false,
        };
        let lineage = (seen.generation, branch);
        let (mut log, mut gantt) = (None, None);
        let restart = seen.lineage != Some(lineage) || clock.head_seq < seen.lanes.seq;
        if restart {
            match seen.lineage {
                Some((generation, left)) if generation == lineage.0 => {
                    self.ghosts.leave(left, &seen.lanes.gantt);
                }
                _ => {
                    seen.past = seen.past.anew();
                    self.ghosts.forget();
                }
            }
            seen.log = EventLog::of(lineage);
            seen.lanes = seen.past.nearest(engine);
            seen.lineage = Some(lineage);
            seen.place = None;
        }
        let earlier = seen.log.clone();
        seen.log.follow(place_of(clock.head_seq), place_of(clock.seq), &mut |from, to| {
            engine.recall(from as u64, to as u64)
        });
        if restart || seen.log != earlier {
            log = Some(seen.log.clone());
        }
        let fresh = clock.head_seq > seen.lanes.seq;
        if restart || fresh || seen.log.kept().start != earlier.kept().start {
            seen.lanes.follow(engine);
            Arc::make_mut(&mut seen.lanes.gantt).look_at(&seen.log, class_of);
            seen.past.offer(branch, &seen.lanes);
            gantt = Some(Ptr(Arc::clone(&seen.lanes.gantt)));
        }
        engine.forget_events(self.events);

        // The reasons of a command may depend on whether the cursor is at the head.
        let place = (engine.seq(), engine.inputs(), engine.at_head());
        let view = (seen.place != Some(place)).then(|| Ptr(engine.view()));
        seen.place = Some(place);
        if let Some(view) = &view {
            seen.turns = windows::turns(&view.cluster, engine.epoch_ms());
            seen.turns.extend(view.faults.iter().filter_map(|fault| fault.until_ms));
        }
        clock.planned = script_goes_on || seen.turns.iter().any(|at| *at > clock.now_ms);

        let asked = (seen.generation, branch, engine.inputs());
        let running =
            (seen.asked != Some(asked)).then(|| running(engine)).filter(|found| *found != *seen.running);
        seen.asked = Some(asked);
        let running = running.map(Ptr::new);
        if let Some(running) = &running {
            seen.running = running.clone();
        }

        // The head moves with every frame; the tabs need whole seconds only.
        let branches = (seen.branches != tabs).then(|| Ptr::new(tabs.clone()));
        seen.branches = tabs;
        let touched = engine.head_ms() > 0 || engine.entries().len() > self.shown.scenario.set_up().len();
        let touched = touched || self.served.is_some();
        self.touched = touched;
        self.clock = clock;
        Fact::Moved(Box::new(Snapshot { view, clock, log, running, gantt, branches, touched, before }))
    }

    /// Branches as tabs: all but those that another branch replaces, unless something was undone on them.
    fn tabs(&self) -> Vec<BranchTab> {
        let shown = &self.shown;
        let all = shown.engine.branches();
        let is_listed = |branch: &&BranchView| {
            branch.current || !shown.hidden.contains(&branch.id) || shown.undone.contains(&branch.id)
        };
        let tab = |branch: &BranchView| BranchTab {
            id: branch.id,
            name: name_of(branch, &all, &shown.stand_ins).into(),
            forked_at_ms: branch.forked_at_ms.unwrap_or(0),
            head_ms: branch.head_ms / 1000 * 1000,
            current: branch.current,
            undone: !branch.current && shown.undone.contains(&branch.id),
        };
        all.iter().filter(is_listed).map(tab).collect()
    }

    /// Returns the summary of an ended run.
    pub(crate) fn finish_of_run(&self) -> Option<Finish> {
        let engine = &self.shown.engine;
        finish(&engine.view(), engine.inputs(), &self.seen.lanes.tally, &self.seen.lanes.gantt)
    }

    /// Starts counting for another world.
    pub(crate) fn another_world(&mut self) {
        self.seen.generation = self.seen.generation.wrapping_add(1);
        self.asked = None;
        self.told_why = false;
        self.beside = None;
    }
}

/// The definitions that run at the cursor.
pub(crate) fn running(engine: &Engine) -> Vec<Running> {
    let services = engine.world().service_views();
    let mut all = Vec::new();
    for service in &services {
        let own = std::iter::once(&service.name);
        for name in own.chain(&service.definitions) {
            let Some(load) = engine.definition(&service.dialect, name) else { continue };
            let known = all.iter().any(|run: &Running| Arc::ptr_eq(&run.load, load));
            if !known {
                // Changes made through the API since loading are part of the running definition.
                let now = engine.world().definition_now(&service.dialect, name);
                all.push(Running {
                    dialect: service.dialect.to_string().into(),
                    name: name.clone(),
                    load: now.map_or_else(|| Arc::clone(load), Arc::new),
                });
            }
        }
    }
    all
}

/// Returns the name of a branch; a replacement branch without operations of its own keeps the name of the branch that
/// it replaces.
fn name_of<'a>(branch: &'a BranchView, all: &'a [BranchView], stand_ins: &[u32]) -> &'a str {
    let mut at = branch;
    while stand_ins.contains(&at.id)
        && at.name == format!("branch {}", at.id)
        && let Some(parent) = all.iter().find(|other| Some(other.id) == at.parent && other.id < at.id)
    {
        at = parent;
    }
    &at.name
}
