//! Finds the instance of a task that an event is about.
//!
//! *Knows*: task ids in events, and the causes of events. *Must not know*: what launches a task.
//!
//! A task may run many times: an app has several instances, a pod is launched again. To tell their lines apart, instances get
//! numbers in the order in which they first appear.

use planarium_kernel::Stretch;
use planarium_protocol::event::{Event, EventBody};
use planarium_protocol::{Cause, Text};
use std::collections::BTreeMap;

/// Maximum number of causes followed back from a status: a check or kill is at most a few causes away.
const CAUSES: usize = 16;

/// The instances of a run.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    /// The number of an instance among those with its task name, from 1, by task id; only for tasks with several
    /// instances.
    numbers: BTreeMap<String, u32>,
    /// Task ids of events that do not contain one, by event number.
    about: BTreeMap<u64, String>,
}

impl Instances {
    /// Numbers the instances that occur in the events of a run.
    pub(crate) fn of(events: Stretch<'_, Event>) -> Self {
        let mut named: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        let mut owners: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        let mut about = BTreeMap::new();
        let mut awaited: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        let by_seq: BTreeMap<u64, &Event> = events.iter().map(|event| (event.seq, event)).collect();
        for event in events {
            let (framework, task, id) = match &event.body {
                EventBody::Launched { framework, task, task_id, .. }
                | EventBody::TaskStatus { framework, task, task_id, .. } => (&**framework, task, task_id),
                EventBody::Check { task, task_id, .. } => ("", task, task_id),
                EventBody::FaultStruck { target, task_id, .. } => ("", target, task_id),
                EventBody::Happened { facts, .. } => {
                    if let Some(instance) = instance_of(facts) {
                        awaited.entry(instance).or_default().push(event.seq);
                    }
                    continue;
                }
                _ => continue,
            };
            if id.is_empty() {
                continue;
            }
            // An event without a framework is about a task that was launched before, or of a system without
            // frameworks.
            let owner = *owners.entry(id).or_insert((framework, task));
            let ids = named.entry(owner).or_default();
            if !ids.contains(&&**id) {
                ids.push(id);
            }
            let (EventBody::Launched { .. } | EventBody::TaskStatus { .. }) = &event.body else { continue };
            // Earlier events about an instance belong to its next task.
            for said in instances_of(id).filter_map(|instance| awaited.remove(instance)) {
                about.extend(said.into_iter().map(|seq| (seq, id.to_string())));
            }
            // The causes of a status are about the same instance.
            let mut cause = event.cause;
            for _ in 0..CAUSES {
                let Cause::Event(seq) = cause else { break };
                let Some(before) = by_seq.get(&seq) else { break };
                if subject(&before.body).is_some_and(|(_, about)| about == &**task) {
                    about.entry(seq).or_insert_with(|| id.to_string());
                }
                cause = before.cause;
            }
        }
        let several = named.into_values().filter(|ids| ids.len() > 1);
        let numbered = several.flat_map(|ids| ids.into_iter().zip(1_u32..));
        Self { numbers: numbered.map(|(id, number)| (id.to_owned(), number)).collect(), about }
    }

    /// Returns the sentence of an event, with the instance's number after its task name.
    pub(crate) fn sentence(&self, event: &Event) -> String {
        let sentence = event.body.sentence();
        let named = self.number(event).and_then(|number| {
            let (before, task) = subject(&event.body)?;
            let rest = sentence.strip_prefix(&*before)?.strip_prefix(task)?;
            Some(format!("{before}{task} #{number}{rest}"))
        });
        named.unwrap_or(sentence)
    }

    fn number(&self, event: &Event) -> Option<u32> {
        let id = match &event.body {
            EventBody::Launched { task_id, .. }
            | EventBody::TaskStatus { task_id, .. }
            | EventBody::Check { task_id, .. }
            | EventBody::FaultStruck { task_id, .. }
                if !task_id.is_empty() =>
            {
                task_id
            }
            _ => self.about.get(&event.seq)?.as_str(),
        };
        self.of_task(id)
    }

    /// Returns the number of a task's instance; none for a task with one instance.
    pub(crate) fn of_task(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }
}

/// Returns the task that an event is about, and the text before it in the event's sentence.
fn subject(body: &EventBody) -> Option<(String, &str)> {
    match body {
        EventBody::Launched { task, .. }
        | EventBody::TaskStatus { task, .. }
        | EventBody::Check { task, .. } => Some((String::new(), task)),
        EventBody::KillRequested { task, .. } => Some(("kill ".to_owned(), task)),
        EventBody::FaultStruck { fault, target, .. } => Some((format!("fault {fault} struck "), target)),
        EventBody::Happened { facts, .. } => {
            instance_of(facts)?;
            Some((String::new(), &facts.first()?.1))
        }
        _ => None,
    }
}

/// Returns the instance named in a report's facts.
fn instance_of(facts: &[(Text, Text)]) -> Option<&str> {
    facts.iter().find(|(name, _)| **name == *"instance").map(|(_, instance)| &**instance)
}

/// Returns the possible instances of a task: a task id begins with its instance's id, followed by a dot.
fn instances_of(id: &str) -> impl Iterator<Item = &str> {
    id.match_indices('.').filter_map(|(at, _)| id.get(..at)).chain([id])
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::event::Importance;

    fn event(seq: u64, cause: Cause, body: EventBody) -> Event {
        Event { seq, at_ms: 0, cause, body }
    }

    fn status(task: &str, id: &str) -> EventBody {
        EventBody::TaskStatus {
            framework: "f".into(),
            task: task.into(),
            task_id: id.into(),
            state: "TASK_KILLED".into(),
            reason: "".into(),
            message: "".into(),
            healthy: None,
            readiness_exit: None,
        }
    }

    #[test]
    fn equal_lines_get_different_numbers() {
        let launched = |task: &str, id: &str| EventBody::Launched {
            framework: "f".into(),
            agent: "a".into(),
            task: task.into(),
            task_id: id.into(),
        };
        let kill = || EventBody::KillRequested { framework: "f".into(), task: "web".into(), grace_ms: 5 };
        let check = |id: &str| EventBody::Check {
            task: "web".into(),
            task_id: id.into(),
            check: "health".into(),
            exit_code: 1,
            attempt: 3,
        };
        let struck = |id: &str| EventBody::FaultStruck {
            fault: "f1".into(),
            target: "web".into(),
            task_id: id.into(),
        };
        let queued = |instance: Option<&str>| EventBody::Happened {
            speaker: "marathon".into(),
            what: "instances-queued".into(),
            importance: Importance::Normal,
            path: None,
            facts: std::iter::once(("app".into(), "/web".into()))
                .chain(instance.map(|id| ("instance".into(), id.into())))
                .collect(),
            text: "/web: 1 instance is to be launched".into(),
        };
        let events = [
            event(1, Cause::Genesis, launched("web", "one")),
            event(2, Cause::Genesis, launched("web", "two")),
            event(3, Cause::Genesis, launched("db", "alone")),
            event(4, Cause::Genesis, kill()),
            event(5, Cause::Genesis, kill()),
            event(6, Cause::Event(5), status("web", "two")),
            event(7, Cause::Event(6), status("web", "one")),
            event(8, Cause::Genesis, EventBody::MachineAdded { agent: "web".into() }),
            event(9, Cause::Genesis, check("two")),
            event(10, Cause::Genesis, check("")),
            event(11, Cause::Genesis, struck("one")),
            event(12, Cause::Genesis, queued(Some("web.instance-3"))),
            event(13, Cause::Genesis, queued(None)),
            event(14, Cause::Genesis, launched("web", "web.instance-3._app.1")),
            event(15, Cause::Genesis, queued(Some("web.instance-4"))),
        ];
        let instances = Instances::of(events.as_slice().into());
        let said: Vec<String> = events.iter().map(|event| instances.sentence(event)).collect();
        assert_eq!(
            said,
            [
                "web #1 launched on a",
                "web #2 launched on a",
                "db launched on a",
                "kill web, grace 5 ms",
                "kill web #2, grace 5 ms",
                "web #2 TASK_KILLED",
                "web #1 TASK_KILLED",
                "web joined",
                "web #2 health check 3: exit 1",
                "web health check 3: exit 1",
                "fault f1 struck web #1",
                "/web #3: 1 instance is to be launched",
                "/web: 1 instance is to be launched",
                "web #3 launched on a",
                "/web: 1 instance is to be launched",
            ]
        );
    }
}
