//! States of a running world, updated at every instant.
//!
//! Knows: which states hold now, since when instances are missing, and by which event. Must not know: checks.
//!
//! *Cost*: an instant without events costs nothing; one with events scans the machines' tasks once.

use super::states::{States, Term};
use planarium_kernel::Stretch;
use planarium_protocol::event::{ElementPath, Event, EventBody};
use planarium_protocol::view::{MachineView, TaskView, View};
use planarium_world::{Condition, Engine, element_status};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An instance that was available before.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    /// Task name.
    pub(crate) name: String,
    pub(crate) service: String,
    pub(crate) pod: String,
    /// Hostname.
    pub(crate) host: String,
    /// Since when. *Units*: milliseconds since genesis.
    pub(crate) since_ms: u64,
    /// The event by which.
    pub(crate) seq: u64,
}

/// Time in which fewer instances than needed were available.
#[derive(Clone, Debug)]
struct Meter {
    of: String,
    needed: u64,
    /// The number had been reached.
    reached: bool,
    below_since_ms: Option<u64>,
    total_ms: u64,
}

/// The states of a world at an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    pub(crate) now_ms: u64,
    pub(crate) idle: bool,
    pub(crate) commands: u64,
    /// The last event seen.
    pub(crate) seq: u64,
    view: Option<Arc<View>>,
    /// Statuses of elements that changed in this instant.
    changed: Vec<(ElementPath, String)>,
    /// Available instances, by task id.
    present: BTreeMap<String, Gone>,
    /// Instances that are gone, in order of their ends.
    gone: Vec<Gone>,
    meters: Vec<Meter>,
}

impl Observed {
    /// Measures the time below `needed` from now on.
    pub(crate) fn measure(&mut self, of: &str, needed: u64) {
        if !self.meters.iter().any(|meter| meter.of == of && meter.needed == needed) {
            self.meters.push(Meter {
                of: of.to_owned(),
                needed,
                reached: false,
                below_since_ms: None,
                total_ms: 0,
            });
        }
    }

    /// Processes the events since the last call. Returns whether there were any.
    pub(crate) fn look(&mut self, engine: &Engine) -> bool {
        let news = engine.events_since(self.seq);
        let changed = !news.is_empty() || self.view.is_none();
        self.now_ms = engine.now_ms();
        self.idle = engine.idle();
        self.changed.clear();
        if !changed {
            return false;
        }
        for event in news {
            if let EventBody::ElementStatus { path, to, .. } = &event.body {
                self.changed.push((path.clone(), to.to_string()));
            }
        }
        let view = engine.view();
        let same = self.view.as_ref().is_some_and(|last| Arc::ptr_eq(&last.cluster, &view.cluster));
        if !same {
            self.count(&view, news);
        }
        self.view = Some(view);
        self.seq = engine.seq();
        true
    }

    /// Counts the instances again.
    fn count(&mut self, view: &View, news: Stretch<'_, Event>) {
        let mut present = BTreeMap::new();
        for machine in view.cluster.machines.iter().filter(|machine| is_there(machine)) {
            for task in machine.tasks.iter().filter(|task| is_available(task)) {
                let (name, service, pod) =
                    (task.name.to_string(), task.service.to_string(), task.pod.to_string());
                let host = machine.hostname.to_string();
                let instance = Gone { name, service, pod, host, since_ms: self.now_ms, seq: 0 };
                present.insert(task.id.to_string(), instance);
            }
        }
        let before = std::mem::take(&mut self.present);
        for (_, task) in present.iter().filter(|(id, _)| !before.contains_key(*id)) {
            self.came(task);
        }
        for (id, task) in before.into_iter().filter(|(id, _)| !present.contains_key(id)) {
            let seq = ended_by(&id, &task, news);
            self.gone.push(Gone { since_ms: self.now_ms, seq, ..task });
        }
        self.present = present;
        let now_ms = self.now_ms;
        for meter in &mut self.meters {
            let count = self.present.values().filter(|task| is_of(&meter.of, task)).count() as u64;
            let enough = count >= meter.needed;
            meter.reached |= enough;
            match meter.below_since_ms {
                Some(since) if enough => {
                    meter.total_ms += now_ms.saturating_sub(since);
                    meter.below_since_ms = None;
                }
                None if !enough && meter.reached => meter.below_since_ms = Some(now_ms),
                _ => {}
            }
        }
    }

    /// An instance replaces the one that was lost first: with the same name, otherwise with a similar name.
    fn came(&mut self, task: &Gone) {
        let ours = |gone: &Gone| gone.service == task.service;
        let same = self.gone.iter().position(|gone| ours(gone) && gone.name == task.name);
        let place =
            same.or_else(|| self.gone.iter().position(|gone| ours(gone) && alike(&gone.name, &task.name)));
        if let Some(place) = place {
            self.gone.remove(place);
        }
    }

    /// Number of available instances of `of`.
    pub(crate) fn available(&self, of: &str) -> u64 {
        self.present.values().filter(|task| is_of(of, task)).count() as u64
    }

    /// Instances of `of` that are gone, the latest first.
    pub(crate) fn missing(&self, of: &str) -> Vec<&Gone> {
        let mut missing: Vec<&Gone> = self.gone.iter().filter(|task| is_of(of, task)).collect();
        planarium_kernel::sorted::sort_by_key(&mut missing, |task| std::cmp::Reverse(task.since_ms));
        missing
    }

    /// Instances of `of` that exist but are not available: name, id, and the reason.
    pub(crate) fn impaired(&self, of: &str) -> Vec<(String, String, &'static str)> {
        let machines = self.view.iter().flat_map(|view| &view.cluster.machines);
        let tasks = machines.filter(|machine| is_there(machine)).flat_map(|machine| &machine.tasks);
        let named = |task: &TaskView| Gone {
            name: task.name.to_string(),
            service: task.service.to_string(),
            pod: task.pod.to_string(),
            host: String::new(),
            since_ms: 0,
            seq: 0,
        };
        let impaired = tasks.filter(|task| !is_available(task) && is_of(of, &named(task)));
        let lack = |task: &TaskView| match (task.ready, task.healthy) {
            (Some(false), _) => "is not ready",
            (_, Some(false)) => "is not healthy",
            _ => "does not run yet",
        };
        impaired.map(|task| (task.name.to_string(), task.id.to_string(), lack(task))).collect()
    }

    /// Names of the running tasks on a machine.
    pub(crate) fn names_on(&self, host: &str) -> Vec<String> {
        let tasks = self.machine(host).into_iter().flat_map(|machine| &machine.tasks);
        tasks.map(|task| task.name.to_string()).collect()
    }

    /// Time below `needed` so far. *Units*: milliseconds.
    pub(crate) fn below_ms(&self, of: &str, needed: u64) -> u64 {
        let meter = self.meters.iter().find(|meter| meter.of == of && meter.needed == needed);
        meter.map_or(0, |meter| {
            meter.total_ms + meter.below_since_ms.map_or(0, |since| self.now_ms.saturating_sub(since))
        })
    }

    /// Number of running tasks on a machine.
    pub(crate) fn tasks_on(&self, host: &str) -> u64 {
        self.machine(host).map_or(0, |machine| machine.tasks.len() as u64)
    }

    pub(crate) fn machine(&self, host: &str) -> Option<&MachineView> {
        let view = self.view.as_ref()?;
        view.cluster.machines.iter().map(AsRef::as_ref).find(|machine| &*machine.hostname == host)
    }

    /// The status that an element shows.
    pub(crate) fn status(&self, element: &str) -> Option<&str> {
        element_status(&self.view.as_ref()?.services, element).map(|status| &**status)
    }

    /// Returns whether all states hold.
    pub(crate) fn hold(&self, states: &States) -> bool {
        states.0.iter().all(|term| self.holds(term))
    }

    /// Returns whether a state holds. A status shown at any time within the instant counts.
    pub(crate) fn holds(&self, term: &Term) -> bool {
        match term {
            Term::Condition(condition, _) => self.condition(condition),
            Term::Available { of, bound } => bound.holds(self.available(of)),
            Term::TasksOn { host, bound } => bound.holds(self.tasks_on(host)),
            Term::Machine { host, state } => {
                self.machine(host).is_some_and(|machine| machine.state.eq_ignore_ascii_case(state))
            }
            Term::Commands { bound } => bound.holds(self.commands),
            Term::Below { of, needed, bound } => bound.holds(self.below_ms(of, *needed)),
        }
    }

    fn condition(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Time { ms } => self.now_ms >= *ms,
            Condition::Idle => self.idle,
            Condition::All(all) => all.iter().all(|one| self.condition(one)),
            Condition::Status { element, status } => {
                let shows = |shown: &str| shown.eq_ignore_ascii_case(status);
                self.status(element).is_some_and(shows)
                    || self.changed.iter().any(|(path, to)| shows(to) && is_at(path, element))
            }
        }
    }

    /// Returns the next instant at which a state may change without an event: an instant named in it, or the end of a span.
    pub(crate) fn due_ms(&self, states: &States) -> Option<u64> {
        let due = |term: &Term| match term {
            Term::Condition(condition, _) => latest(condition),
            Term::Below { of, needed, bound } => {
                let meter = self.meters.iter().find(|meter| meter.of == *of && meter.needed == *needed)?;
                let since = meter.below_since_ms?;
                let limit = if bound.most < u64::MAX { bound.most.saturating_add(1) } else { bound.least };
                Some(since.saturating_add(limit.saturating_sub(meter.total_ms)))
            }
            _ => None,
        };
        states.0.iter().filter_map(due).filter(|ms| *ms > self.now_ms).min()
    }
}

fn latest(condition: &Condition) -> Option<u64> {
    match condition {
        Condition::Time { ms } => Some(*ms),
        Condition::All(all) => all.iter().filter_map(latest).max(),
        Condition::Idle | Condition::Status { .. } => None,
    }
}

/// States of a machine whose tasks cannot be reached.
const AWAY: [&str; 6] = ["lost", "partitioned", "unreachable", "down", "gone", "removed"];

fn is_there(machine: &MachineView) -> bool {
    !AWAY.contains(&&*machine.state)
}

fn is_available(task: &TaskView) -> bool {
    &*task.state == "TASK_RUNNING" && task.ready != Some(false) && task.healthy != Some(false)
}

/// Returns whether a name covers an instance.
fn is_of(name: &str, task: &Gone) -> bool {
    let service = task.service.trim_matches('/');
    let inner = |name: &str| like(name, &task.name) || like(name, &task.pod);
    if name == service || inner(name) {
        return true;
    }
    name.rsplit_once('/').is_some_and(|(left, right)| left == service && inner(right))
}

/// Returns whether two names share most of their beginning, like pods of one controller.
fn alike(one: &str, other: &str) -> bool {
    let common = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    common > 0 && common * 2 >= one.len().max(other.len())
}

/// Returns whether a text matches a pattern; `*` matches any run of characters.
fn like(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.filter_map(|at| text.get(at..)).any(|tail| like(rest, tail))
}

/// Returns whether a path is the element named in a condition.
pub(crate) fn is_at(path: &ElementPath, element: &str) -> bool {
    let parts = [Some(&path.plan), path.phase.as_ref(), path.step.as_ref()];
    let names: Vec<&str> = parts.into_iter().flatten().map(AsRef::as_ref).collect();
    let inner = names.join("/");
    element == inner
        || element
            .strip_prefix(path.service.trim_matches('/'))
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(|rest| rest == inner)
}

/// Returns the event that reports an instance's end or unavailability.
fn ended_by(id: &str, task: &Gone, news: Stretch<'_, Event>) -> u64 {
    let about = |event: &&Event| match &event.body {
        EventBody::TaskStatus { task_id, state, healthy, .. } => {
            &**task_id == id && (&**state != "TASK_RUNNING" || *healthy == Some(false))
        }
        EventBody::Check { task: name, exit_code, .. } => **name == *task.name && *exit_code != 0,
        EventBody::MachineLost { agent, .. }
        | EventBody::AgentUnreachable { agent }
        | EventBody::AgentRemoved { agent, .. }
        | EventBody::MachineRemoved { agent } => **agent == *task.host,
        EventBody::KillRequested { task: name, .. } => **name == *task.name,
        EventBody::FaultStruck { target, .. } => **target == *task.name || **target == *task.pod,
        EventBody::Happened { facts, path, .. } => {
            let names = |text: &str| text == task.name || text == task.pod;
            facts.iter().any(|(_, value)| names(value))
                || path.as_ref().is_some_and(|path| path.step.as_ref().is_some_and(|step| names(step)))
        }
        _ => false,
    };
    let found = news.iter().find(about).or_else(|| news.last());
    found.map_or(0, |event| event.seq)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, fits) in [
            ("web", "web", true),
            ("web", "web-1", false),
            ("web*", "web-1", true),
            ("*-1", "web-1", true),
            ("w*b*1", "web-1", true),
            ("w*2", "web-1", false),
            ("*", "", true),
        ] {
            assert_eq!(like(pattern, text), fits, "{pattern} {text}");
        }
    }
}
