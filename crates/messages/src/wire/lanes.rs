//! Changes of a timeline's lanes.

use crate::gantt::{Gantt, Mark};
use crate::lane::{Lane, Segment};
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::Read;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The parts of a timeline that changed.
#[derive(Clone, Debug, Default, Serialize, Read)]
pub(crate) struct GanttChange {
    /// Replaces the whole timeline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    anew: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lanes: Vec<LaneChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    machines: Vec<LaneChange>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    born: Vec<(ElementPath, Option<u64>)>,
    /// Number of marks dropped from the front, number of marks kept, and new marks.
    marks: (usize, usize, Vec<Mark>),
    /// Number of idle stretches kept, and new ones.
    quiet: (usize, Vec<(u64, u64)>),
    busy_ms: u64,
    /// Detailed old lanes, if they changed: one or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<Vec<(u64, u64, Box<GanttChange>)>>,
}

/// A changed lane: its index, number of changes kept, and new changes; its path and older counts if these are new.
#[derive(Clone, Debug, Serialize, Read)]
pub(crate) struct LaneChange(
    usize,
    usize,
    Vec<(u64, Text)>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<(ElementPath, Vec<Segment>)>,
);

/// The difference between two timelines.
pub(crate) fn change(old: &Gantt, new: &Gantt) -> GanttChange {
    let anew = new.lanes.len() < old.lanes.len()
        || new.machines.lanes.len() < old.machines.lanes.len()
        || new.lanes.iter().zip(&old.lanes).any(|(new, old)| new.path != old.path)
        || new.machines.lanes.iter().zip(&old.machines.lanes).any(|(new, old)| new.path != old.path);
    let empty = Gantt::default();
    let old = if anew { &empty } else { old };
    let gone = new
        .marks
        .first()
        .map_or(old.marks.len(), |first| old.marks.iter().take_while(|mark| *mark != first).count());
    let kept = old.marks.iter().skip(gone).zip(&new.marks).take_while(|(old, new)| old == new).count();
    let quiet = old.quiet.iter().zip(&new.quiet).take_while(|(old, new)| old == new).count();
    let same_detail = match (&old.detail, &new.detail) {
        (None, None) => true,
        (Some(old), Some(new)) => Arc::ptr_eq(&old.2, &new.2),
        _ => false,
    };
    let detail = |new: &Option<(u64, u64, Arc<Gantt>)>| {
        let whole = |(from_ms, to_ms, detail): &(u64, u64, Arc<Gantt>)| {
            (*from_ms, *to_ms, Box::new(change(&empty, detail)))
        };
        new.iter().map(whole).collect()
    };
    GanttChange {
        anew,
        lanes: lanes(&old.lanes, &new.lanes),
        machines: lanes(&old.machines.lanes, &new.machines.lanes),
        born: if Arc::ptr_eq(&old.born, &new.born) { Vec::new() } else { born(&old.born, &new.born) },
        marks: (gone, kept, new.marks.iter().skip(kept).cloned().collect()),
        quiet: (quiet, new.quiet.iter().skip(quiet).copied().collect()),
        busy_ms: new.busy_ms,
        detail: (!same_detail).then(|| detail(&new.detail)),
    }
}

fn lanes(old: &[Arc<Lane>], new: &[Arc<Lane>]) -> Vec<LaneChange> {
    let mut out = Vec::new();
    for (at, lane) in new.iter().enumerate() {
        match old.get(at) {
            Some(old) if Arc::ptr_eq(old, lane) => {}
            Some(old) if old.counts().len() == lane.counts().len() => {
                let (was, is) = (old.changes(), lane.changes());
                let kept = was.iter().zip(is).take_while(|(old, new)| old == new).count();
                out.push(LaneChange(at, kept, is.iter().skip(kept).cloned().collect(), None));
            }
            _ => {
                let whole = Some((lane.path.clone(), lane.counts().to_vec()));
                out.push(LaneChange(at, 0, lane.changes().to_vec(), whole));
            }
        }
    }
    out
}

fn born(
    old: &BTreeMap<ElementPath, u64>,
    new: &BTreeMap<ElementPath, u64>,
) -> Vec<(ElementPath, Option<u64>)> {
    let gone = old.keys().filter(|path| !new.contains_key(*path)).map(|path| (path.clone(), None));
    let fresh = new.iter().filter(|(path, ms)| old.get(path) != Some(ms));
    gone.chain(fresh.map(|(path, ms)| (path.clone(), Some(*ms)))).collect()
}

/// Brings a timeline up to date.
pub(crate) fn apply(gantt: &mut Gantt, change: GanttChange) {
    if change.anew {
        *gantt = Gantt::default();
    }
    for LaneChange(at, kept, tail, whole) in change.lanes {
        take(&mut gantt.lanes, at, kept, tail, whole);
    }
    for at in gantt.index.len()..gantt.lanes.len() {
        if let Some(lane) = gantt.lanes.get(at) {
            Arc::make_mut(&mut gantt.index).insert(lane.path.clone(), at);
        }
    }
    let changed: Vec<usize> = change.machines.iter().map(|lane| lane.0).collect();
    for LaneChange(at, kept, tail, whole) in change.machines {
        take(&mut gantt.machines.lanes, at, kept, tail, whole);
    }
    gantt.machines.reindex(&changed);
    if !change.born.is_empty() {
        let born = Arc::make_mut(&mut gantt.born);
        for (path, ms) in change.born {
            match ms {
                Some(ms) => born.insert(path, ms),
                None => born.remove(&path),
            };
        }
    }
    let (gone, kept, marks) = change.marks;
    gantt.marks.drain(..gone.min(gantt.marks.len()));
    gantt.marks.truncate(kept);
    gantt.marks.extend(marks);
    let (kept, quiet) = change.quiet;
    gantt.quiet.truncate(kept);
    gantt.quiet.extend(quiet);
    gantt.busy_ms = change.busy_ms;
    if let Some(detail) = change.detail {
        gantt.detail = detail.into_iter().next().map(|(from_ms, to_ms, change)| {
            let mut detail = Gantt::default();
            apply(&mut detail, *change);
            (from_ms, to_ms, Arc::new(detail))
        });
    }
}

fn take(
    lanes: &mut Vec<Arc<Lane>>,
    at: usize,
    kept: usize,
    tail: Vec<(u64, Text)>,
    whole: Option<(ElementPath, Vec<Segment>)>,
) {
    if let Some((path, counts)) = whole {
        let lane = Arc::new(Lane::with(path, counts));
        match lanes.get_mut(at) {
            Some(place) => *place = lane,
            None => lanes.push(lane),
        }
    }
    if let Some(lane) = lanes.get_mut(at) {
        Arc::make_mut(lane).go_on(kept, tail);
    }
}
