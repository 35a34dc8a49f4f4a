//! Announcements of the live region about the events since the last one.

use super::tree::{leaf, title};
use crate::store::state::Verbosity;
use planarium_kernel::SortedMap;
use planarium_protocol::event::{ElementPath, EventBody, Importance};
use planarium_protocol::view::View;
use planarium_protocol::{Event, Text};

/// Maximum number of steps named individually.
const NAMED: usize = 3;

/// One sentence or two, or nothing.
pub(crate) fn summarise<'e>(
    events: impl Iterator<Item = &'e Event>,
    view: &View,
    verbosity: Verbosity,
) -> Option<String> {
    if verbosity == Verbosity::Off {
        return None;
    }
    let mut last: SortedMap<&ElementPath, &Text> = SortedMap::new();
    let mut said = Vec::new();
    for event in events {
        match &event.body {
            EventBody::ElementStatus { path, to, .. } => {
                last.insert(path, to);
            }
            body @ (EventBody::MachineLost { .. } | EventBody::MachineReturned { .. }) => {
                said.push(body.sentence());
            }
            body @ EventBody::Happened { importance: Importance::High, .. } => said.push(body.sentence()),
            _ => {}
        }
    }
    for (path, status) in last.iter().filter(|(path, _)| path.phase.is_none()) {
        let progress = super::tree::summary(view, path).and_then(|found| found.progress);
        let steps =
            progress.map(|p| format!(", {} of {} steps complete", p.done, p.total)).unwrap_or_default();
        said.push(format!("plan {}: {}{steps}", path.plan, spoken(status)));
    }
    if verbosity == Verbosity::All {
        let steps: Vec<_> = last.iter().filter(|(path, _)| path.step.is_some()).collect();
        if steps.len() <= NAMED {
            said.extend(steps.iter().map(|(path, status)| format!("{} {}", leaf(path), spoken(status))));
        } else {
            said.push(format!("{} steps changed", steps.len()));
        }
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// A status as a word to speak.
pub(crate) fn spoken(status: &str) -> String {
    super::status::word(status).to_ascii_lowercase().replace('_', " ")
}

/// Returns the progress of the plan in view: for the scrubber.
pub(crate) fn progress(view: &View, selected: Option<&ElementPath>) -> String {
    let plan = selected
        .map(|path| ElementPath { phase: None, step: None, ..path.clone() })
        .filter(|path| !path.plan.is_empty())
        .or_else(|| super::tree::first_plan(view));
    let Some(path) = plan else { return String::new() };
    match super::tree::summary(view, &path).and_then(|found| found.progress) {
        Some(p) => format!(", {} {} of {} steps complete", title(&path), p.done, p.total),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::selectors::tree::tests::{phase, plan, service, step};
    use planarium_kernel::cause::Cause;

    fn path(phase: Option<&str>, step: Option<&str>) -> ElementPath {
        ElementPath {
            dialect: "".into(),
            service: "s".into(),
            plan: "deploy".into(),
            phase: phase.map(Into::into),
            step: step.map(Into::into),
        }
    }

    fn change(path: ElementPath, to: &str) -> Event {
        let body = EventBody::ElementStatus { path, from: "PENDING".into(), to: to.into() };
        Event { seq: 1, at_ms: 0, cause: Cause::Genesis, body }
    }

    fn view() -> View {
        let steps = vec![step("a", "COMPLETE"), step("b", "STARTING")];
        let services =
            vec![service("s", vec![plan("deploy", "IN_PROGRESS", vec![phase("p", "serial", steps)])])];
        View { services, ..(*crate::store::state::World::default().view.0).clone() }
    }

    #[test]
    fn announces_the_latest_status_once_and_counts_many() {
        let few = [
            change(path(Some("p"), Some("a")), "STARTING"),
            change(path(Some("p"), Some("a")), "COMPLETE"),
            change(path(None, None), "IN_PROGRESS"),
        ];
        let many: Vec<_> =
            (0..9).map(|n| change(path(Some("p"), Some(&format!("x{n}"))), "STARTED")).collect();
        for (events, verbosity, want) in [
            (&few[..], Verbosity::All, Some("plan deploy: in progress, 1 of 2 steps complete; a complete")),
            (&few[..], Verbosity::Milestones, Some("plan deploy: in progress, 1 of 2 steps complete")),
            (&few[..], Verbosity::Off, None),
            (&many[..], Verbosity::All, Some("9 steps changed")),
            (&many[..], Verbosity::Milestones, None),
            (&[], Verbosity::All, None),
        ] {
            assert_eq!(summarise(events.iter(), &view(), verbosity).as_deref(), want);
        }
    }

    #[test]
    fn the_scrubber_describes_the_plans_progress() {
        assert_eq!(progress(&view(), None), ", deploy 1 of 2 steps complete");
        let step = path(Some("p"), Some("a"));
        assert_eq!(progress(&view(), Some(&step)), ", deploy 1 of 2 steps complete");
    }
}
