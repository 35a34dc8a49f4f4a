//! Which of several instances of a task an event is about.
//!
//! *Knows*: ids of tasks in events, and what an event was caused by. *Must not know*: what launches a task.
//!
//! A task may run many times: an app has several instances, a pod is launched again. Their lines would be the same; they get a
//! number, in the order in which they first appear.

use planarium_protocol::Cause;
use planarium_protocol::event::{Event, EventBody};
use std::collections::BTreeMap;

/// Causes that are looked at behind a status: a check or a kill is the cause of the cause at most a few times over.
const CAUSES: usize = 16;

/// The instances of a run.
#[derive(Debug, Default)]
pub(crate) struct Instances {
    /// By the id of a task: its number among those of its name, from 1, where there are several.
    numbers: BTreeMap<String, u32>,
    /// Ids of tasks that events are about which do not have them: by the number of the event.
    about: BTreeMap<u64, String>,
}

impl Instances {
    /// Numbers the instances that occur in the events of a run.
    pub(crate) fn of(events: &[Event]) -> Self {
        let mut named: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        let mut about = BTreeMap::new();
        let by_seq: BTreeMap<u64, &Event> = events.iter().map(|event| (event.seq, event)).collect();
        for event in events {
            let (EventBody::Launched { framework, task, task_id: id, .. }
            | EventBody::TaskStatus { framework, task, task_id: id, .. }) = &event.body
            else {
                continue;
            };
            let ids = named.entry((framework, task)).or_default();
            if !ids.contains(&&**id) {
                ids.push(id);
            }
            // What a status came of was about the same instance.
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

    /// The sentence of an event, with the number of the instance behind the name of its task.
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
            EventBody::Launched { task_id, .. } | EventBody::TaskStatus { task_id, .. } => task_id,
            _ => self.about.get(&event.seq)?.as_str(),
        };
        self.numbers.get(id).copied()
    }
}

/// The task that an event is about, and what its sentence says before it.
fn subject(body: &EventBody) -> Option<(String, &str)> {
    match body {
        EventBody::Launched { task, .. }
        | EventBody::TaskStatus { task, .. }
        | EventBody::Check { task, .. } => Some((String::new(), task)),
        EventBody::KillRequested { task, .. } => Some(("kill ".to_owned(), task)),
        EventBody::FaultStruck { fault, target } => Some((format!("fault {fault} struck "), target)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn equal_lines_become_different_ones() {
        let launched = |task: &str, id: &str| EventBody::Launched {
            framework: "f".into(),
            agent: "a".into(),
            task: task.into(),
            task_id: id.into(),
        };
        let kill = || EventBody::KillRequested { framework: "f".into(), task: "web".into(), grace_ms: 5 };
        let events = [
            event(1, Cause::Genesis, launched("web", "one")),
            event(2, Cause::Genesis, launched("web", "two")),
            event(3, Cause::Genesis, launched("db", "alone")),
            event(4, Cause::Genesis, kill()),
            event(5, Cause::Genesis, kill()),
            event(6, Cause::Event(5), status("web", "two")),
            event(7, Cause::Event(6), status("web", "one")),
            event(8, Cause::Genesis, EventBody::MachineAdded { agent: "web".into() }),
        ];
        let instances = Instances::of(&events);
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
            ]
        );
    }
}
