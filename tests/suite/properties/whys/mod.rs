//! Compares every explanation with the following events.
//!
//! A world of an example, or of an example with one amount of its definition changed, is taken to some instant, with an additional
//! disturbance. The explanations of its elements are compared with the following minute without inputs; their proposals are tried.
//! `docs/reference/explanations.md` has the numbers of what is compared.

mod found;
mod table;

use crate::checks::{config, read};
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::view::{StatusClass, StatusWord, View};
use planarium_protocol::why::{Helps, Reason, ReasonKind, Way, Why};
use planarium_protocol::{Event, Text};
use planarium_scenario::{Player, parse};
use planarium_world::Engine;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The span over which predictions are held against the run. *Units*: milliseconds.
const AHEAD_MS: u64 = 60_000;
/// The span over which ways out are tried. *Units*: milliseconds.
const TRIED_MS: u64 = 90_000;
/// An element whose time has come changes within this. *Units*: milliseconds.
const ALLOWED_MS: u64 = 1_500;
/// A failure is recent for this long. *Units*: milliseconds.
const RECENT_MS: u64 = 30_000;
/// Elements of one world that are looked at.
const ELEMENTS: usize = 12;
/// Elements of one world whose ways out are tried.
const TRIED: usize = 3;

/// Counts of the comparisons, by system.
static COUNTS: Mutex<BTreeMap<String, BTreeMap<&'static str, u32>>> = Mutex::new(BTreeMap::new());

fn count(path: &ElementPath, what: &'static str) {
    count_for(&path.dialect, what);
}

fn count_for(system: &str, what: &'static str) {
    let mut counts = COUNTS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *counts.entry(system.to_owned()).or_default().entry(what).or_default() += 1;
}

/// The examples of a system that can be started, by id.
fn examples(dialect: &str) -> Vec<&'static str> {
    let long = |id: &str| matches!(id, "endless-plan" | "marathon-twelve-and-thirty-two");
    let own = planarium_gallery::examples().iter().filter(|example| example.dialect == dialect);
    own.map(|example| example.id).filter(|id| !long(id)).collect()
}

/// An example's world at an instant, its script played so far.
fn world_of(id: &str, seed: u64, at_ms: u64) -> Engine {
    world_with(id, seed, at_ms, None)
}

/// The keys of amounts that a change is about.
const AMOUNTS: [&str; 10] = [
    "count",
    "instances",
    "replicas",
    "cpus",
    "cpu",
    "mem",
    "memory",
    "initialDelaySeconds",
    "maxUnavailable",
    "gracePeriodSeconds",
];

/// A change of one amount in a text: which one, and thousandths of it.
type Change = (usize, u64);

/// Changes one amount of a text; a text without any stays.
#[expect(clippy::string_slice, reason = "all places are those of whole words and digits")]
fn changed(text: &str, (which, thousandths): Change) -> String {
    let mut places: Vec<std::ops::Range<usize>> = Vec::new();
    for key in AMOUNTS {
        for (at, _) in text.match_indices(key) {
            let is_whole = !text[..at].ends_with(|before: char| before.is_alphanumeric());
            let rest = text[at + key.len()..].trim_start_matches('"');
            let Some(value) = rest.strip_prefix(':').filter(|_| is_whole) else { continue };
            let value = value.trim_start_matches([' ', '"']);
            let start = text.len() - value.len();
            let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
            if digits > 0 {
                places.push(start..start + digits);
            }
        }
    }
    places.sort_by_key(|place| place.start);
    let Some(place) = places.get(which % places.len().max(1)).cloned() else { return text.to_owned() };
    let Ok(value) = text[place.clone()].parse::<f64>() else { return text.to_owned() };
    let is_whole = !text[place.clone()].contains('.');
    let value = value * f64::from(u32::try_from(thousandths).unwrap_or(1000)) / 1000.0;
    let written = if is_whole { format!("{}", value.round()) } else { format!("{value:.2}") };
    format!("{}{written}{}", &text[..place.start], &text[place.end..])
}

/// An example's world at an instant, with a change of its definition.
fn world_with(id: &str, seed: u64, at_ms: u64, change: Option<Change>) -> Engine {
    let example = planarium_gallery::find(id).expect("an example");
    let file = |path: &str| {
        let found = example.files.iter().find(|(own, _)| *own == path).map(|(_, text)| (*text).to_owned());
        found.map(|text| change.map_or_else(|| text.clone(), |change| changed(&text, change)))
    };
    let mut scenario = parse(example.scenario, id, &file).scenario.expect("a scenario");
    scenario.genesis.seed = scenario.genesis.seed.wrapping_add(seed);
    let (mut engine, mut player) = Player::start(scenario);
    player.advance_to(&mut engine, at_ms);
    engine
}

/// Something that happens to a world beside its script: what may befall the machines and tasks of every system, and the faults of this one.
fn deed(dialect: &'static str) -> BoxedStrategy<Value> {
    let machine = select(vec!["agent-1", "agent-2", "agent-3"]);
    let machine_fault = select(vec!["agent-lost", "agent-partitioned", "agent-restart"]);
    let strike = select(vec!["task-fail", "task-kill", "task-oom"]);
    let all = |fault: &str| json!({ "kind": "fault", "fault": fault, "target": {} });
    let everywhere = prop_oneof![
        2 => (machine_fault, machine.clone(), 5_000_u64..120_000).prop_map(|(fault, agent, ms)| json!({
            "kind": "fault", "fault": fault, "target": { "agent": agent }, "for_ms": ms })),
        1 => machine.prop_map(|agent| json!({ "kind": "remove-agent", "agent": agent })),
        2 => strike.prop_map(all),
        1 => Just(json!({ "kind": "process-behaviour", "target": {}, "behaviour": { "manual": true } })),
    ];
    let own: Vec<&str> = match dialect {
        "kudo" | "kubernetes" => {
            vec![
                "image-missing",
                "crash-loop",
                "readiness-fail",
                "health-fail",
                "slow-start",
                "scheduler-restart",
            ]
        }
        "skopos" => vec!["plugin-fail", "image-missing", "crash-loop", "health-fail", "slow-start"],
        _ => vec![
            "offers-withheld",
            "status-dropped",
            "readiness-fail",
            "crash-loop",
            "slow-start",
            "master-failover",
        ],
    };
    let own = (select(own), proptest::option::of(5_000_u64..90_000)).prop_map(|(fault, ms)| {
        let bounded = ms.filter(|_| !matches!(fault, "master-failover" | "scheduler-restart"));
        match bounded {
            Some(ms) => json!({ "kind": "fault", "fault": fault, "target": {}, "for_ms": ms }),
            None => json!({ "kind": "fault", "fault": fault, "target": {} }),
        }
    });
    let unready =
        Just(json!({ "kind": "process-behaviour", "target": {}, "behaviour": { "readiness": [1] } }));
    prop_oneof![2 => Just(Value::Null), 4 => everywhere, 4 => own, 1 => unready].boxed()
}

/// Every element with its status, and how far it is.
fn elements(view: &View) -> Vec<(ElementPath, u32, StatusClass)> {
    let mut all = Vec::new();
    for service in &view.services {
        let class = |status: &str| {
            StatusWord::find(service.statuses, status).map_or(StatusClass::Pending, |word| word.class)
        };
        for plan in &service.plans {
            let path = ElementPath { plan: plan.name.clone(), ..service.path(&plan.name) };
            let mut whole = 0;
            let mut steps = Vec::new();
            for phase in &plan.phases {
                for step in &phase.steps {
                    let class = class(&step.status);
                    whole += far(class);
                    let path = ElementPath {
                        phase: Some(phase.name.clone()),
                        step: Some(step.key().clone()),
                        ..path.clone()
                    };
                    steps.push((path, far(class), class));
                }
            }
            all.push((path, whole, class(&plan.status)));
            all.append(&mut steps);
        }
    }
    all
}

/// Progress of a step by its status.
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

/// Returns the progress of one element; `None` if it no longer exists.
fn far_of(engine: &Engine, path: &ElementPath) -> Option<u32> {
    elements(&engine.view()).into_iter().find(|(own, ..)| own == path).map(|(_, far, _)| far)
}

/// The instant that a reason names, at which it is over.
fn promised(kind: &ReasonKind) -> Option<u64> {
    match kind {
        ReasonKind::Backoff { until_ms, .. } => Some(*until_ms),
        ReasonKind::NextCycle { at_ms } => Some(*at_ms),
        ReasonKind::Underway { until_ms, .. } => *until_ms,
        ReasonKind::Readiness { next_ms, .. } => *next_ms,
        _ => None,
    }
}

/// Returns whether an explanation says that an element does not move on its own: no offers come, or explicitly.
fn is_said_to_stay(why: &Why) -> bool {
    let no_offer = |reason: &Reason| matches!(reason.kind, ReasonKind::NoOffers { .. });
    let declined =
        why.reasons.iter().any(|reason| reason.text.contains("before: to the scheduler this step is"));
    declined && why.reasons.iter().all(no_offer)
        || why.reasons.iter().any(|reason| reason.text.contains("does not move by itself"))
}

/// Returns whether only an operator can end a reason.
fn waits_for_a_hand(kind: &ReasonKind) -> bool {
    matches!(
        kind,
        ReasonKind::Interrupted { .. }
            | ReasonKind::NotStarted
            | ReasonKind::CanaryGate { .. }
            | ReasonKind::Verdict { .. }
    )
}

fn said(why: &Why) -> String {
    let reasons: Vec<&str> = why.reasons.iter().map(|reason| reason.text.as_str()).collect();
    format!("{} [{}] {}", why.sentence, reasons.join(" | "), place(&why.path))
}

fn place(path: &ElementPath) -> String {
    let parts = [Some(&path.service), Some(&path.plan), path.phase.as_ref(), path.step.as_ref()];
    parts.into_iter().flatten().map(|part| &**part).collect::<Vec<_>>().join("/")
}

/// Tries the proposals for an element.
fn ways(engine: &Engine, why: &Why) -> Vec<Way> {
    let mut trials = engine.trials(why);
    while !trials.is_over() {
        trials.step();
    }
    trials.ways().to_vec()
}

/// Returns the first explanation of a world that its next minute contradicts. Where processes are on manual (`by_hand`), two steps may
/// not be enough to get something moving.
fn wrong(engine: &mut Engine, by_hand: bool) -> Option<String> {
    let now = engine.now_ms();
    let branch = engine.branches().iter().find(|branch| branch.current).map_or(0, |branch| branch.id);
    let open = |class: StatusClass| !matches!(class, StatusClass::Done | StatusClass::Running);
    let found: Vec<(ElementPath, u32, StatusClass)> =
        elements(&engine.view()).into_iter().filter(|(.., class)| open(*class)).take(ELEMENTS).collect();
    let mut whys = Vec::new();
    for (path, far, class) in &found {
        let why = engine.why(path)?;
        count(path, "explanations");
        if let Some(text) = not_offerable(engine, &why).or_else(|| said_twice(&why)) {
            return Some(text);
        }
        whys.push((why, *far, *class));
    }
    let tried: Vec<(Why, Vec<Way>)> = (whys.iter())
        .filter(|(why, ..)| why.path.step.is_some())
        .filter_map(|(why, ..)| engine.deepest(&why.path))
        .fold(Vec::new(), |mut all: Vec<Why>, why| {
            if all.len() < TRIED && all.iter().all(|known| known.path != why.path) {
                all.push(why);
            }
            all
        })
        .into_iter()
        .map(|why| {
            let ways = ways(engine, &why);
            (why, ways)
        })
        .collect();
    let mut idle: Vec<BTreeMap<ElementPath, u32>> = Vec::new();
    // Instants that reasons name, each looked at right after it.
    let mut looks: Vec<u64> = (0..=TRIED_MS / 1000).map(|second| now + second * 1000).collect();
    looks.extend(
        whys.iter()
            .flat_map(|(why, ..)| &why.reasons)
            .filter_map(|reason| promised(&reason.kind))
            .flat_map(|ms| [ms + 1, ms + ALLOWED_MS]),
    );
    looks.retain(|ms| (now..=now + TRIED_MS).contains(ms));
    looks.sort_unstable();
    looks.dedup();
    let mut moved: BTreeMap<ElementPath, u64> = BTreeMap::new();
    let before = statuses(&engine.view());
    let mut seen = engine.seq();
    // Not known to explanations yet: a machine on which a task has ended since it was declined has more to offer than was declined.
    let is_recent = |event: &Event| event.at_ms + RECENT_MS >= now;
    let has_failed = engine.recall(0, seen).iter().any(|event| match &event.body {
        EventBody::TaskStatus { state, .. } => is_recent(event) && is_failure(state),
        _ => false,
    });
    let mut fails_again = false;
    let mut changed: BTreeMap<ElementPath, u64> = BTreeMap::new();
    for ms in looks {
        engine.advance_to(ms);
        let now_are = statuses(&engine.view());
        for (path, status) in &before {
            if now_are.get(path) != Some(status) {
                changed.entry(path.clone()).or_insert(ms);
            }
        }
        // A step that is carried out again has its old status at once.
        for event in engine.recall(seen, engine.seq()) {
            match event.body {
                EventBody::ElementStatus { path, .. } => _ = changed.entry(path).or_insert(ms),
                // A failed task makes its scheduler request offers again, for all steps.
                EventBody::TaskStatus { state, .. } => fails_again |= is_failure(&state),
                _ => {}
            }
        }
        seen = engine.seq();
        let fars: BTreeMap<ElementPath, u32> =
            elements(&engine.view()).into_iter().map(|(path, far, _)| (path, far)).collect();
        for (why, far, class) in &whys {
            let by_now = fars.get(&why.path);
            if by_now.is_some_and(|by_now| by_now > far) {
                moved.entry(why.path.clone()).or_insert(ms);
            }
            for reason in &why.reasons {
                // A delay grows with the next failure.
                let prolonged =
                    |reason: &Reason| fails_again && matches!(reason.kind, ReasonKind::Backoff { .. });
                let broken = promise_broken(engine, why, reason, (now, ms))
                    .or_else(|| stood_still(why, reason, &changed, (now, ms)).filter(|_| !prolonged(reason)));
                if broken.is_some() {
                    return broken;
                }
            }
            if moved.get(&why.path) == Some(&ms)
                && let Some(text) = went_ahead(why, &changed, &before, (now, ms))
            {
                return Some(text);
            }
            if ms <= now + AHEAD_MS
                && !has_failed
                && !fails_again
                && is_said_to_stay(why)
                && let Some(at) = moved.get(&why.path)
            {
                return Some(format!(
                    "at {now} ms is said to stay, and moved by itself by {at} ms: {}",
                    said(why)
                ));
            }
            if ms <= now + AHEAD_MS
                && !why.reasons.is_empty()
                && why.reasons.iter().all(|reason| waits_for_a_hand(&reason.kind))
                && matches!(class, StatusClass::Pending | StatusClass::Held)
                && let Some(at) = moved.get(&why.path)
            {
                return Some(format!(
                    "at {now} ms waits for a hand, and moved by itself by {at} ms: {}",
                    said(why)
                ));
            }
        }
        if (ms - now).is_multiple_of(1000) {
            idle.push(fars);
        }
    }
    for (why, ways) in &tried {
        // Several obstacles at once may take more than two steps.
        if !by_hand
            && engine.view().faults.is_empty()
            && let Some(text) = without_a_way(why, ways, &idle)
        {
            return Some(format!("at {now} ms {text}"));
        }
        engine.switch_branch(branch);
        if let Some(text) = useless(engine, now, why, ways, &idle, branch) {
            return Some(text);
        }
    }
    None
}

/// A step that does not move in a minute and for which nothing is proposed.
fn without_a_way(why: &Why, ways: &[Way], idle: &[BTreeMap<ElementPath, u32>]) -> Option<String> {
    let at = |second: usize| idle.get(second).and_then(|fars| fars.get(&why.path)).copied();
    let moves = (1..idle.len()).any(|second| at(second) > at(0));
    let is_stuck = !moves && at(0).is_some_and(|far| far < 5) && ways.is_empty();
    // A new machine or an operator's command gets it moving; otherwise a user has to fix something.
    let has_to_have_one = why.reasons.iter().any(|reason| match &reason.kind {
        ReasonKind::NoMatchingOffer { .. } => true,
        ReasonKind::Object { .. } => reason.text.contains("Insufficient"),
        ReasonKind::NotStarted => false,
        kind => waits_for_a_hand(kind),
    });
    (is_stuck && has_to_have_one)
        .then(|| format!("does not move in a minute, and there is no way out: {}", said(why)))
}

/// Returns whether a task has ended with a failure by this state.
fn is_failure(state: &str) -> bool {
    matches!(state, "TASK_FAILED" | "TASK_LOST" | "TASK_GONE" | "TASK_ERROR" | "TASK_DROPPED")
}

/// Every element with its status word.
fn statuses(view: &View) -> BTreeMap<ElementPath, Text> {
    let mut all = BTreeMap::new();
    for service in &view.services {
        for plan in &service.plans {
            let path = ElementPath { plan: plan.name.clone(), ..service.path(&plan.name) };
            for phase in &plan.phases {
                let path = ElementPath { phase: Some(phase.name.clone()), ..path.clone() };
                for step in &phase.steps {
                    let path = ElementPath { step: Some(step.key().clone()), ..path.clone() };
                    all.insert(path, step.status.clone());
                }
                all.insert(path, phase.status.clone());
            }
            all.insert(path, plan.status.clone());
        }
    }
    all
}

/// The elements that a reason names as those that come first.
fn waits_for(kind: &ReasonKind) -> Vec<&ElementPath> {
    match kind {
        ReasonKind::NotItsTurn { waiting_for, .. } => waiting_for.iter().map(|first| &first.path).collect(),
        ReasonKind::DirtyAsset { held_by, .. } => vec![&held_by.path],
        ReasonKind::Killing { by: Some(by), .. } => vec![&by.path],
        _ => Vec::new(),
    }
}

/// An element has moved although none of those that it is said to wait for has changed.
fn went_ahead(
    why: &Why,
    changed: &BTreeMap<ElementPath, u64>,
    before: &BTreeMap<ElementPath, Text>,
    (now, ms): (u64, u64),
) -> Option<String> {
    for reason in &why.reasons {
        let first = waits_for(&reason.kind);
        if first.is_empty() {
            continue;
        }
        count(&why.path, "turns");
        // An element that is not shown cannot be compared.
        if first.iter().all(|path| before.contains_key(*path) && !changed.contains_key(*path)) {
            let names: Vec<String> = first.iter().map(|path| place(path)).collect();
            return Some(format!(
                "at {now} ms waits for {}, which has not changed, and moved by {ms} ms: {}",
                names.join(", "),
                said(why)
            ));
        }
    }
    None
}

/// Reports that the end of a process or delay has passed without a status change of the element or of one that it waits for.
fn stood_still(
    why: &Why,
    reason: &Reason,
    changed: &BTreeMap<ElementPath, u64>,
    (now, ms): (u64, u64),
) -> Option<String> {
    let is_end = matches!(reason.kind, ReasonKind::Underway { .. } | ReasonKind::Backoff { .. });
    let at = promised(&reason.kind).filter(|at| is_end && ms == at + ALLOWED_MS)?;
    count(&why.path, "ends");
    let others = why.reasons.iter().flat_map(|reason| {
        let child = match &reason.kind {
            ReasonKind::Child { child } => Some(&child.path),
            _ => None,
        };
        waits_for(&reason.kind).into_iter().chain(child)
    });
    let has_changed = others.chain([&why.path]).any(|path| changed.contains_key(path));
    (!has_changed)
        .then(|| format!("at {now} ms ends at {at} ms, and nothing has changed by {ms} ms: {}", said(why)))
}

/// Two reasons of one explanation are the same sentence, or one is the sentence over them.
fn said_twice(why: &Why) -> Option<String> {
    let texts: Vec<&str> = why.reasons.iter().map(|reason| reason.text.as_str()).collect();
    let again = texts
        .iter()
        .enumerate()
        .find(|(at, text)| texts.iter().take(*at).any(|before| before == *text) || **text == why.sentence);
    again.map(|(_, text)| format!("says '{text}' twice: {}", said(why)))
}

/// Returns a proposal that the world would refuse, or that says so itself.
fn not_offerable(engine: &Engine, why: &Why) -> Option<String> {
    for unblock in &why.unblock {
        if unblock.title.contains("would be refused") {
            return Some(format!("offers what would be refused, '{}': {}", unblock.title, said(why)));
        }
        let Some(input) = &unblock.input else { continue };
        count(&why.path, "proposals");
        if let Err(refusal) = engine.outcome_of(input) {
            return Some(format!(
                "offers '{}', which is refused ({}): {}",
                unblock.title,
                refusal.message,
                said(why)
            ));
        }
    }
    None
}

/// A reason names an instant that is over, or is still given once its instant has passed.
fn promise_broken(engine: &Engine, why: &Why, reason: &Reason, (now, ms): (u64, u64)) -> Option<String> {
    let at = promised(&reason.kind)?;
    if at < now {
        return Some(format!(
            "at {now} ms names an instant that is over, {at} ms: {} ({})",
            said(why),
            reason.text
        ));
    }
    if ms != at + 1 {
        return None;
    }
    count(&why.path, "instants");
    let later = engine.why(&why.path)?;
    let same = later.reasons.iter().find(|other| promised(&other.kind) == Some(at))?;
    let is_same = std::mem::discriminant(&same.kind) == std::mem::discriminant(&reason.kind);
    is_same.then(|| format!("at {now} ms named {at} ms, and says the same after it: {}", said(&later)))
}

/// Returns a way out without effect, or offered just before the element moves on its own.
fn useless(
    engine: &mut Engine,
    now: u64,
    why: &Why,
    ways: &[Way],
    idle: &[BTreeMap<ElementPath, u32>],
    branch: u32,
) -> Option<String> {
    let at = |second: usize| idle.get(second).and_then(|fars| fars.get(&why.path)).copied();
    let by_itself = (1..=1).any(|second| at(second) > at(0));
    for way in ways.iter().filter(|way| matches!(way.helps, Helps::Moves | Helps::Settles)) {
        let Some(input) = &way.unblock.input else { continue };
        if way.helps == Helps::Settles {
            count(&why.path, "ways out");
            engine.switch_branch(branch);
            engine.seek_ms(now);
            if let Some(text) = unsettled(engine, now, why, way, input) {
                return Some(text);
            }
            continue;
        }
        count(&why.path, "ways out");
        if by_itself {
            let text =
                format!("at {now} ms offers '{}', and it moves by itself within a second", way.unblock.title);
            return Some(format!("{text}: {}", said(why)));
        }
        engine.switch_branch(branch);
        engine.seek_ms(now);
        if let Err(refusal) = engine.apply(input.clone()).outcome {
            return Some(format!("offers '{}', which is refused: {}", way.unblock.title, refusal.message));
        }
        // What moves the plan of a held element moves the element.
        let plan = ElementPath { phase: None, step: None, ..why.path.clone() };
        let of_plan = |second: usize| idle.get(second).and_then(|fars| fars.get(&plan)).copied();
        let is_held = why.reasons.iter().any(|reason| waits_for_a_hand(&reason.kind));
        let mut sooner = false;
        for (second, ms) in (0..).zip((0..=TRIED_MS / 1000).map(|second| now + second * 1000)) {
            engine.advance_to(ms);
            sooner |= far_of(engine, &why.path) > at(second);
            sooner |= is_held && far_of(engine, &plan) > of_plan(second);
            if sooner {
                break;
            }
        }
        if !sooner {
            let text = format!("at {now} ms offers '{}', which changes nothing", way.unblock.title);
            return Some(format!("{text}: {}", said(why)));
        }
    }
    None
}

/// Returns a way out that is said to leave nothing unfinished, and does.
fn unsettled(
    engine: &mut Engine,
    now: u64,
    why: &Why,
    way: &Way,
    input: &planarium_protocol::Input,
) -> Option<String> {
    if let Err(refusal) = engine.apply(input.clone()).outcome {
        return Some(format!("offers '{}', which is refused: {}", way.unblock.title, refusal.message));
    }
    let open = |class: StatusClass| {
        !matches!(
            class,
            StatusClass::Done | StatusClass::Running | StatusClass::Stopped | StatusClass::Unused
        )
    };
    engine.advance_to(now + TRIED_MS);
    let left: Vec<String> = elements(&engine.view())
        .into_iter()
        .filter(|(path, _, class)| path.service == why.path.service && path.step.is_some() && open(*class))
        .map(|(path, ..)| place(&path))
        .collect();
    (!left.is_empty()).then(|| {
        let title = &way.unblock.title;
        format!("at {now} ms offers '{title}', which leaves {} unfinished: {}", left.join(", "), said(why))
    })
}

type World = (&'static str, u64, u64, Value, u64, Option<Change>);

fn world(dialect: &'static str) -> impl Strategy<Value = World> {
    // Most things happen early, and what happens before anything is ready tells most.
    let at_ms = prop_oneof![3 => 0_u64..6_000, 3 => 0_u64..40_000, 1 => 0_u64..150_000];
    let later = prop_oneof![0_u64..4_000, 0_u64..30_000];
    let change = (0_usize..40, select(vec![0_u64, 300, 500, 1_500, 2_000, 5_000, 20_000]));
    (select(examples(dialect)), 0_u64..50, at_ms, deed(dialect), later, proptest::option::of(change))
}

/// Worlds of each system.
const WORLDS: u32 = 48;

#[test]
fn explanations_agree_with_the_next_minute() {
    let is_survey = std::env::var_os("PLANARIUM_WHYS").is_some();
    for dialect in planarium_world::dialects() {
        let config = ProptestConfig { source_file: Some(file!()), ..config(WORLDS) };
        let run =
            TestRunner::new(config).run(&world(dialect.word), |(id, seed, at_ms, deed, later, change)| {
                let mut engine = world_with(id, seed, at_ms, change);
                if change.is_some() && !engine.view().services.is_empty() {
                    count_for(dialect.word, "changed definitions");
                }
                if !deed.is_null() {
                    let _ = engine.apply(read(&deed));
                }
                engine.advance_for(later);
                let by_hand = deed.pointer("/behaviour/manual").is_some();
                let found = wrong(&mut engine, by_hand);
                if is_survey {
                    // Reports all findings instead of the first one.
                    if let Some(text) = found {
                        println!("{id} seed {seed} at {at_ms} {deed} later {later} {change:?}: {text}");
                    }
                    return Ok(());
                }
                prop_assert_eq!(found, None);
                Ok(())
            });
        if let Err(error) = run {
            panic!("{error}");
        }
    }
    let counts = COUNTS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    counts.iter().for_each(|(system, counts)| println!("{system}: {counts:?}"));
    if std::env::var_os("PROPTEST_CASES").is_none() {
        table::check(&counts);
    }
}
