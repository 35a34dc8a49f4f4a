//! Views and events of bounded size: the first entries of long lists, and the number left out.
//!
//! *Knows*: which lists of a view grow with the world. *Must not know*: the meaning of their entries.

use crate::{MAX_ANSWER, Response};
use planarium_kernel::Stretch;
use planarium_protocol::json;
use planarium_protocol::{Event, View};
use std::sync::Arc;

/// Initial limit on the entries of all long lists together.
const ENTRIES: usize = 20_000;

/// Initial limit on the events of one answer.
const EVENTS: usize = 50_000;

/// Counts of the entries that were left out of a view.
#[derive(Clone, Copy, Debug, Default)]
struct LeftOut {
    machines: usize,
    tasks: usize,
    steps: usize,
    pods: usize,
}

/// Returns a view as an answer; with `left_out` if it would be too large.
pub(crate) fn view(view: &View) -> Response {
    if count(view) <= ENTRIES {
        let whole = Response::json(200, view);
        if whole.body.len() <= MAX_ANSWER {
            return whole;
        }
    }
    let mut entries = ENTRIES;
    loop {
        let (shown, LeftOut { machines, tasks, steps, pods }) = cut(view, entries);
        let mut value = json::of(&shown);
        if let Some(map) = value.as_object_mut() {
            let counts = json!({ "machines": machines, "tasks": tasks, "steps": steps, "pods": pods });
            map.insert("left_out".to_owned(), counts);
        }
        let response = Response::json(200, &value);
        let size = response.body.len();
        if size <= MAX_ANSWER || entries < 2 {
            return response;
        }
        // Few attempts: each one writes the whole answer.
        entries = (entries / 2).min(entries.saturating_mul(MAX_ANSWER) / size);
    }
}

/// Returns events as an answer: the first ones if all would be too large, with the number left out in a header.
pub(crate) fn events(all: Stretch<'_, Event>) -> Response {
    let mut shown = all.len().min(EVENTS);
    loop {
        let mut response = Response::json(200, &all.take(shown));
        let left_out = all.len().saturating_sub(shown);
        if response.body.len() <= MAX_ANSWER || shown < 2 {
            if left_out > 0 {
                response.headers.push(("planarium-left-out".into(), left_out.to_string()));
            }
            return response;
        }
        shown /= 2;
    }
}

/// Entries of the lists that grow with a world.
fn count(view: &View) -> usize {
    let services = view.services.iter().map(|service| {
        let steps = service.plans.iter().flat_map(|plan| &plan.phases).map(|phase| phase.steps.len());
        service.pods.len() + steps.sum::<usize>()
    });
    let tasks = view.cluster.machines.iter().map(|machine| machine.tasks.len());
    view.cluster.machines.len() + tasks.sum::<usize>() + services.sum::<usize>()
}

/// The view with a quarter of the entries for each kind of list, the first ones.
fn cut(view: &View, entries: usize) -> (View, LeftOut) {
    let mut cut = view.clone();
    let mut left_out = LeftOut::default();
    let share = entries / 4 + 1;
    let (mut tasks, mut steps, mut pods) = (share, share, share);
    let cluster = Arc::make_mut(&mut cut.cluster);
    left_out.machines = cluster.machines.len().saturating_sub(share);
    let dropped = cluster.machines.iter().skip(share).map(|machine| machine.tasks.len());
    left_out.tasks = dropped.sum();
    cluster.machines.truncate(share);
    for machine in &mut cluster.machines {
        if machine.tasks.len() > tasks {
            let machine = Arc::make_mut(machine);
            left_out.tasks += machine.tasks.len() - tasks;
            machine.tasks.truncate(tasks);
        }
        tasks -= machine.tasks.len();
    }
    for service in &mut cut.services {
        let service = Arc::make_mut(service);
        left_out.pods += service.pods.len().saturating_sub(pods);
        service.pods.truncate(pods);
        pods -= service.pods.len();
        for plan in &mut service.plans {
            let plan = Arc::make_mut(plan);
            for phase in &mut plan.phases {
                if phase.steps.len() > steps {
                    let phase = Arc::make_mut(phase);
                    left_out.steps += phase.steps.len() - steps;
                    phase.steps.truncate(steps);
                }
                steps -= phase.steps.len();
            }
        }
    }
    (cut, left_out)
}
