//! Starts and ends of pods and containers that are not tasks of a cluster manager.
//!
//! *Knows*: words and facts of their events. *Must not know*: what is counted.

use planarium_kernel::SortedMap;
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::view::StatusClass;
use planarium_protocol::{Event, Text};

use crate::statuses::ClassOf;

/// A change of a pod or container. Its key never equals a task id.
#[derive(Debug, PartialEq)]
pub(crate) enum News {
    /// It has a place.
    Placed,
    /// It runs.
    Runs(Text),
    /// It ended by itself, and well: it was to run once.
    Finished(Text),
    /// It ended; the flag marks a failure.
    Ended(Text, bool),
}

/// The machine and the key of each pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lives {
    /// Machine by key of the pod.
    homes: SortedMap<Text, Text>,
    /// Key by the pod's name: step statuses contain the name only.
    names: SortedMap<Text, Text>,
}

/// Words of a pod's events after which none of its containers runs, and whether that is a failure.
const POD_ENDS: &[(&str, bool)] = &[
    ("Killing", false),
    ("Preempted", false),
    ("TaintManagerEviction", true),
    ("BackOff", true),
    ("DeadlineExceeded", true),
    ("Evicted", true),
];

impl Lives {
    /// What an event tells.
    pub(crate) fn hear(&mut self, event: &Event, class_of: ClassOf) -> Vec<News> {
        match &event.body {
            EventBody::Happened { speaker, what, facts, text, .. } => {
                let fact = |name: &str| facts.iter().find(|(own, _)| **own == *name).map(|(_, value)| value);
                if let Some(instance) = fact("instance") {
                    let key = Text::from(format!("container {speaker}/{instance}"));
                    return of_container(what, key).into_iter().collect();
                }
                let namespace = fact("namespace").map_or("", |text| text);
                match fact("object").and_then(|object| object.split_once('/')) {
                    Some(("pod", name)) => self.of_pod(what, namespace, name, text),
                    Some((_, name)) if &**what == "Completed" => self.of_job(namespace, name),
                    _ => Vec::new(),
                }
            }
            EventBody::ElementStatus { path: ElementPath { dialect, step: Some(step), .. }, from, to } => {
                let Some(key) = self.names.get(step).cloned() else { return Vec::new() };
                let (was, is) = (class_of(dialect, from), class_of(dialect, to));
                match is {
                    StatusClass::Running => vec![News::Runs(key)],
                    StatusClass::Done if was == StatusClass::Running => vec![News::Finished(key)],
                    _ if was == StatusClass::Running => vec![News::Ended(key, is == StatusClass::Failed)],
                    _ => Vec::new(),
                }
            }
            EventBody::MachineLost { agent, how } if &**how == "lost" => {
                let there = self.homes.iter().filter(|(_, home)| *home == agent);
                there.map(|(key, _)| News::Ended(key.clone(), true)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn of_pod(&mut self, what: &str, namespace: &str, name: &str, text: &str) -> Vec<News> {
        let key = Text::from(format!("pod {namespace}/{name}"));
        if what == "Scheduled" {
            // The sentence ends with the machine, which is in no fact.
            let home = text.rsplit(' ').next().unwrap_or_default();
            self.homes.insert(key.clone(), home.into());
            self.names.insert(name.into(), key);
            return vec![News::Placed];
        }
        if what == "Started" {
            return vec![News::Runs(key)];
        }
        let end = POD_ENDS.iter().find(|(word, _)| *word == what);
        end.map(|(_, failed)| News::Ended(key, *failed)).into_iter().collect()
    }

    /// Returns the ends of the pods of a completed job.
    fn of_job(&self, namespace: &str, name: &str) -> Vec<News> {
        let prefix = format!("pod {namespace}/{name}-");
        let own = self.homes.keys().filter(|key| key.starts_with(&prefix));
        own.map(|key| News::Finished(key.clone())).collect()
    }
}

fn of_container(what: &str, key: Text) -> Option<News> {
    match what {
        "instance-created" => Some(News::Runs(key)),
        "instance-destroyed" => Some(News::Ended(key, false)),
        "instance-lost" | "instance-exited" => Some(News::Ended(key, true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::Tally;
    use crate::tally::tests::class_of;
    use planarium_kernel::cause::Cause;
    use planarium_protocol::event::Importance;

    fn told(at_ms: u64, what: &str, facts: &[(&str, &str)], text: &str) -> Event {
        let facts = facts.iter().map(|(name, value)| (Text::from(*name), Text::from(*value))).collect();
        let body = EventBody::Happened {
            speaker: "s".into(),
            what: what.into(),
            importance: Importance::Normal,
            path: None,
            facts,
            text: text.into(),
        };
        Event { seq: at_ms, at_ms, cause: Cause::Genesis, body }
    }

    fn pod(at_ms: u64, what: &str, name: &str, text: &str) -> Event {
        told(at_ms, what, &[("object", &format!("pod/{name}")), ("namespace", "default")], text)
    }

    fn counted(events: &[Event]) -> Tally {
        let mut tally = Tally::default();
        for event in events {
            tally.take(event, class_of);
        }
        tally
    }

    #[test]
    fn a_pod_counts_once_with_any_number_of_containers() {
        let tally = counted(&[
            pod(1, "Scheduled", "web-a", "pod/web-a: Successfully assigned default/web-a to agent-1"),
            pod(2, "Started", "web-a", "pod/web-a: Started container one"),
            pod(3, "Started", "web-a", "pod/web-a: Started container two"),
            pod(4, "Started", "web-b", "pod/web-b: Started container one"),
            pod(9, "Killing", "web-a", "pod/web-a: Stopping container one"),
        ]);
        assert_eq!(tally.running, [(2, 1), (4, 2), (9, 1)]);
        assert_eq!((tally.peak, tally.short, tally.failed, tally.launched), (2, 1, 0, 1));
    }

    #[test]
    fn pods_of_a_lost_machine_and_of_a_completed_job_do_not_run() {
        let lost = EventBody::MachineLost { agent: "agent-1".into(), how: "lost".into() };
        let tally = counted(&[
            pod(1, "Scheduled", "web-a", "pod/web-a: Successfully assigned default/web-a to agent-1"),
            pod(2, "Started", "web-a", "pod/web-a: Started container one"),
            pod(3, "Scheduled", "pack-x", "pod/pack-x: Successfully assigned default/pack-x to agent-2"),
            pod(4, "Started", "pack-x", "pod/pack-x: Started container one"),
            Event { seq: 5, at_ms: 5, cause: Cause::Genesis, body: lost },
            told(6, "Completed", &[("object", "job.batch/pack"), ("namespace", "default")], "Job completed"),
        ]);
        assert_eq!(tally.running, [(2, 1), (4, 2), (5, 1), (6, 0)]);
        assert_eq!(tally.failed, 1);
        // The job's pod was to end.
        assert_eq!(tally.lasting, [(2, 1), (4, 1), (5, 0), (6, 0)]);
        assert_eq!((tally.peak, tally.short), (1, 1));
    }

    #[test]
    fn a_step_named_like_a_pod_reports_the_pods_status() {
        let status = |at_ms, from: &str, to: &str| {
            let path = ElementPath {
                dialect: "x".into(),
                service: "s".into(),
                plan: "p".into(),
                phase: Some("r".into()),
                step: Some("web-a".into()),
            };
            let body = EventBody::ElementStatus { path, from: from.into(), to: to.into() };
            Event { seq: at_ms, at_ms, cause: Cause::Genesis, body }
        };
        let tally = counted(&[
            pod(1, "Scheduled", "web-a", "pod/web-a: Successfully assigned default/web-a to agent-1"),
            status(2, "STARTING", "RUNNING"),
            status(3, "RUNNING", "FAILED"),
            status(4, "FAILED", "RUNNING"),
        ]);
        assert_eq!(tally.running, [(2, 1), (3, 0), (4, 1)]);
        assert_eq!(tally.failed, 1);
    }

    #[test]
    fn containers_count_from_their_creation_to_their_end() {
        let of = |at_ms, what, id| told(at_ms, what, &[("instance", id), ("component", "web")], "");
        let tally = counted(&[
            of(1, "instance-created", "web-1"),
            of(2, "instance-created", "web-2"),
            of(3, "instance-destroyed", "web-1"),
            of(4, "instance-lost", "web-2"),
        ]);
        assert_eq!(tally.running, [(1, 1), (2, 2), (3, 1), (4, 0)]);
        assert_eq!((tally.failed, tally.peak), (1, 2));
    }
}
