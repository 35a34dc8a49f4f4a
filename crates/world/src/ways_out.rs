//! Ways to get an element moving, found by trying them on copies of the world.
//!
//! *Knows*: proposals of systems, active faults, progress of elements. *Must not know*: any system's rules. A proposal
//! that changes nothing for the element within [`HORIZON_MS`] is not offered.

use crate::timeline::Engine;
use crate::world::World;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{ServiceView, StatusClass, StatusWord};
use planarium_protocol::why::{ElementRef, Helps, ReasonKind, Unblock, Way, Why};
use planarium_protocol::{EventBody, Input, Text};
use std::sync::Arc;

/// Virtual time covered by a trial. *Units*: milliseconds.
const HORIZON_MS: u64 = 90_000;
/// Instants at which a trial measures progress, counted from its start. *Units*: milliseconds.
const LOOKS_MS: [u64; 9] = [0, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000, HORIZON_MS];
/// An element that progresses on its own within this time gets no proposals. *Units*: milliseconds.
const SOON_MS: u64 = 2_000;
/// Urgency of an element that an operator holds.
const HELD: u32 = 6;
/// Maximum steps of one trial, so that large worlds do not block the page.
const STEPS: u32 = 4_000;
/// Most proposals that are tried.
const TRIED: usize = 8;
/// Maximum number of pairs tried when no single proposal works.
const PAIRS: usize = 12;
/// Maximum number of elements visited on the way to the deepest blocker.
const LOOKED_AT: u32 = 48;

/// Progress of an element and of its plan at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Progress {
    /// The element; `None` if it does not exist.
    own: Option<u32>,
    /// Its plan.
    plan: Option<u32>,
    /// The element was given up or has failed.
    stopped: bool,
}

/// Trials of all proposals for an element. Each [`Trials::step`] tries one.
#[derive(Clone, Debug)]
pub struct Trials {
    world: World,
    path: ElementPath,
    proposals: Vec<Unblock>,
    /// An operator holds the element's plan: progress of the plan counts as progress of the element.
    is_held: bool,
    /// Progress at each instant without any proposal; `None` until it was computed.
    idle: Option<Vec<Progress>>,
    next: usize,
    pairs: usize,
    ways: Vec<Way>,
}

impl Engine {
    /// Returns the explanation of the deepest blocker: the element's own, or that of the element that it waits for.
    pub fn deepest(&self, path: &ElementPath) -> Option<Why> {
        let own = self.why(path)?;
        let mut left = LOOKED_AT;
        let mut seen = vec![path.clone()];
        Some(self.deeper(own, &mut seen, &mut left).0)
    }

    /// Returns the most urgent explanation along the chain of blockers, and its urgency.
    fn deeper(&self, own: Why, seen: &mut Vec<ElementPath>, left: &mut u32) -> (Why, u32) {
        let mut best: Option<(Why, u32)> = None;
        let others: Vec<ElementPath> = own
            .reasons
            .iter()
            .flat_map(|reason| held_by(&reason.kind))
            .map(|held| held.path.clone())
            .collect();
        for other in others {
            if *left == 0 || seen.contains(&other) {
                continue;
            }
            *left -= 1;
            seen.push(other.clone());
            let Some(why) = self.why(&other) else { continue };
            let found = self.deeper(why, seen, left);
            if best.as_ref().is_none_or(|(_, so_far)| found.1 > *so_far) {
                best = Some(found);
            }
        }
        let need = own.reasons.iter().map(|reason| need(&reason.kind)).max().unwrap_or(0);
        match best {
            // A hold on the element itself comes before those of its blockers.
            Some(best) if best.1 >= need => best,
            _ => (own, need),
        }
    }

    /// Returns whether no element's status changes on its own within `for_ms`, tried on a copy. A copy that exceeds the step limit
    /// does not count as standing still.
    pub fn stands_still(&self, for_ms: u64) -> bool {
        let mut world = self.world().clone();
        let until = world.now_ms().saturating_add(for_ms);
        let mut steps = STEPS;
        while let Some(due) = world.timer_by(until) {
            if steps == 0 {
                return false;
            }
            steps -= 1;
            world.run_timer(due, until);
            if world.take_events().any(|event| matches!(event.body, EventBody::ElementStatus { .. })) {
                return false;
            }
        }
        true
    }

    /// Returns trials of what an element's explanation proposes, and of ending each active fault.
    pub fn trials(&self, why: &Why) -> Trials {
        let mut proposals: Vec<Unblock> = self
            .world()
            .faults()
            .into_iter()
            .flat_map(|fault| {
                let name = if fault.id.starts_with("fault") { "" } else { "the fault " };
                let title = format!("End {name}{}: {}", fault.id, fault.text);
                fault
                    .actions
                    .into_iter()
                    .map(move |action| Unblock { title: title.clone(), input: Some(action.input) })
            })
            .collect();
        for unblock in &why.unblock {
            let known = |other: &Unblock| other.input.is_some() && other.input == unblock.input;
            if !proposals.iter().any(known) {
                proposals.push(unblock.clone());
            }
        }
        proposals.truncate(TRIED);
        let is_held = why.reasons.iter().any(|reason| need(&reason.kind) == HELD);
        Trials {
            is_held,
            world: self.world().clone(),
            path: why.path.clone(),
            proposals,
            idle: None,
            next: 0,
            pairs: 0,
            ways: Vec::new(),
        }
    }
}

impl Trials {
    /// Returns the ways found so far, the most useful first.
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// Returns whether everything was tried.
    pub fn is_over(&self) -> bool {
        let count = self.proposals.len();
        self.next >= count && (self.moves() || self.pairs >= (count * count).min(PAIRS))
    }

    /// Tries the next proposal; does nothing after the last one.
    pub fn step(&mut self) {
        if self.is_over() {
            return;
        }
        let Some(idle) = &self.idle else {
            let mut world = self.world.clone();
            let idle = looks(&mut world, &self.path, |_, _| false);
            if moves_soon(&idle) {
                // The element progresses on its own, so an input would not be what helped.
                self.proposals.retain(|proposal| proposal.input.is_none());
            }
            self.idle = Some(idle);
            return;
        };
        if let Some(proposal) = self.proposals.get(self.next) {
            let helps = match &proposal.input {
                None => Some(Helps::Advice),
                Some(input) => outcome(&self.world, &[input], &self.path, idle, self.is_held),
            };
            self.ways.extend(helps.map(|helps| Way { unblock: proposal.clone(), helps }));
            self.next += 1;
            if self.next == self.proposals.len() {
                planarium_kernel::sorted::sort_by_key(&mut self.ways, |way| rank(&way.helps));
            }
            return;
        }
        let count = self.proposals.len();
        let (first, then) = (self.pairs / count, self.pairs % count);
        self.pairs += 1;
        let pair = self.proposals.get(first).zip(self.proposals.get(then));
        if let Some((first, then)) = pair
            && let (Some(a), Some(b)) = (&first.input, &then.input)
            && outcome(&self.world, &[a, b], &self.path, idle, self.is_held) == Some(Helps::Moves)
        {
            let helps = Helps::Then(then.title.clone());
            self.ways.insert(0, Way { unblock: first.clone(), helps });
            // The pairs in reverse order would give the same result.
            self.pairs = usize::MAX;
        }
    }

    /// Returns whether a way found so far moves the element, or its service without it.
    fn moves(&self) -> bool {
        self.ways.iter().any(|way| matches!(way.helps, Helps::Moves | Helps::Settles | Helps::Then(_)))
    }
}

fn rank(helps: &Helps) -> u8 {
    match helps {
        // In the order of the proposals: what an operator would do first comes first.
        Helps::Moves | Helps::Settles => 0,
        Helps::Then(_) => 1,
        Helps::Ends => 2,
        Helps::Advice => 3,
    }
}

/// Returns the progress of an element with these inputs beyond that without them; `None` if they do not help.
fn outcome(
    world: &World,
    inputs: &[&Input],
    path: &ElementPath,
    idle: &[Progress],
    is_held: bool,
) -> Option<Helps> {
    let mut world = world.clone();
    for input in inputs {
        let applied = world.run_input(&crate::Written::of(Input::clone(input)));
        world.take_events().for_each(drop);
        applied.outcome.ok()?;
    }
    let further = |at: usize, by: Progress| {
        idle.get(at).is_some_and(|idle| {
            by.own.is_some() && by.own > idle.own || is_held && by.own >= idle.own && by.plan > idle.plan
        })
    };
    let found = looks(&mut world, path, further);
    if found.iter().enumerate().any(|(at, by)| further(at, *by)) {
        return Some(Helps::Moves);
    }
    let (last, idle) = (found.last()?, idle.last()?);
    let gone = last.own.is_none() && idle.own.is_some() || last.stopped && !idle.stopped;
    gone.then(|| if is_settled(&world, path) { Helps::Settles } else { Helps::Ends })
}

/// Returns whether every step of an element's service is finished, given up or unused.
fn is_settled(world: &World, path: &ElementPath) -> bool {
    let services = world.service_views();
    let Some(service) = services.iter().find(|service| service.holds(path)) else { return false };
    let is_open = |status: &str| {
        let class = StatusWord::find(service.statuses, status).map(|word| word.class);
        !matches!(
            class,
            Some(StatusClass::Done | StatusClass::Running | StatusClass::Stopped | StatusClass::Unused)
        )
    };
    let mut steps = service.plans.iter().flat_map(|plan| &plan.phases).flat_map(|phase| &phase.steps);
    !steps.any(|step| is_open(&step.status))
}

/// Returns whether an element progresses on its own within [`SOON_MS`].
fn moves_soon(idle: &[Progress]) -> bool {
    let first = idle.first().and_then(|look| look.own);
    let soon = idle.iter().zip(LOOKS_MS).filter(|(_, ms)| *ms <= SOON_MS);
    soon.into_iter().any(|(look, _)| look.own > first)
}

/// Returns the progress of an element at each instant of [`LOOKS_MS`]; stops once `enough` returns true.
fn looks(world: &mut World, path: &ElementPath, enough: impl Fn(usize, Progress) -> bool) -> Vec<Progress> {
    let start = world.now_ms();
    let mut steps = STEPS;
    let mut out = Vec::new();
    for (at, ms) in LOOKS_MS.into_iter().enumerate() {
        let until = start.saturating_add(ms);
        while steps > 0
            && let Some(due) = world.timer_by(until)
        {
            steps -= 1;
            world.run_timer(due, until);
            world.take_events().for_each(drop);
        }
        if steps == 0 {
            break;
        }
        world.pass_to(until);
        let progress = progress(world, path);
        out.push(progress);
        if enough(at, progress) {
            break;
        }
    }
    out
}

/// Returns the progress of an element and of its plan, summed over their steps.
fn progress(world: &World, path: &ElementPath) -> Progress {
    let services = world.service_views();
    let Some(service): Option<&Arc<ServiceView>> = services.iter().find(|service| service.holds(path)) else {
        return Progress::default();
    };
    let Some(plan) = service.plans.iter().find(|plan| plan.name == path.plan) else {
        return Progress::default();
    };
    let meant = |wanted: &Option<Text>, name: &Text| wanted.as_ref().is_none_or(|wanted| wanted == name);
    let mut found = Progress { stopped: true, ..Progress::default() };
    for phase in &plan.phases {
        let is_meant = meant(&path.phase, &phase.name);
        for step in &phase.steps {
            let class = StatusWord::find(service.statuses, &step.status).map(|word| word.class);
            let far = class.map_or(0, far);
            found.plan = Some(found.plan.unwrap_or(0).saturating_add(far));
            if is_meant && meant(&path.step, step.key()) {
                found.own = Some(found.own.unwrap_or(0).saturating_add(far));
                found.stopped &= matches!(class, Some(StatusClass::Stopped | StatusClass::Failed));
            }
        }
    }
    found
}

/// Returns the progress of a step by the class of its status.
fn far(class: StatusClass) -> u32 {
    match class {
        StatusClass::Failed => 0,
        StatusClass::Pending
        | StatusClass::Held
        | StatusClass::Delayed
        | StatusClass::Stopped
        | StatusClass::Unused => 1,
        StatusClass::Preparing | StatusClass::Stopping => 2,
        StatusClass::Starting | StatusClass::Working => 3,
        StatusClass::Started => 4,
        StatusClass::Running | StatusClass::Done => 5,
    }
}

/// The elements that a reason refers to.
fn held_by(kind: &ReasonKind) -> Vec<&ElementRef> {
    match kind {
        ReasonKind::Child { child } => vec![child],
        ReasonKind::NotItsTurn { waiting_for, .. } => waiting_for.iter().take(4).collect(),
        ReasonKind::DirtyAsset { held_by, .. } => vec![held_by],
        ReasonKind::Killing { by, .. } => by.iter().collect(),
        _ => Vec::new(),
    }
}

/// Rates how urgently a reason needs an operator.
fn need(kind: &ReasonKind) -> u32 {
    match kind {
        ReasonKind::Complete => 0,
        ReasonKind::Child { .. } | ReasonKind::NotItsTurn { .. } | ReasonKind::DirtyAsset { .. } => 1,
        ReasonKind::NextCycle { .. } | ReasonKind::Quirk { .. } | ReasonKind::Ended { .. } => 2,
        ReasonKind::Starting { .. }
        | ReasonKind::Underway { .. }
        | ReasonKind::Killing { .. }
        | ReasonKind::AwaitingExit { .. } => 3,
        ReasonKind::Readiness { .. } | ReasonKind::Backoff { .. } | ReasonKind::Object { .. } => 4,
        ReasonKind::NoOffers { .. }
        | ReasonKind::NoMatchingOffer { .. }
        | ReasonKind::Maintenance { .. }
        | ReasonKind::HeldByOthers { .. }
        | ReasonKind::Manual { .. } => 5,
        ReasonKind::Interrupted { .. }
        | ReasonKind::NotStarted
        | ReasonKind::CanaryGate { .. }
        | ReasonKind::Verdict { .. } => HELD,
        ReasonKind::Errored { .. } => 7,
    }
}
