//! Differences of elements' statuses before and after a start of the process.
//!
//! *Knows*: two processes' elements by path. *Must not know*: the reason of a difference.

use super::Plans;
use crate::scheduler::Cx;
use crate::scheduler::state::TaskStore;
use planarium_kernel::fingerprint::{self, fold};
use planarium_plan::{Element, PlanId};
use planarium_protocol::event::{ElementPath, EventBody};

/// Elements in order with their statuses. Some of them can be looked up by path.
struct Shown {
    rows: Vec<(ElementPath, &'static str)>,
    /// The places of those by fingerprints of their paths.
    places: Vec<(u64, u32)>,
}

impl Shown {
    /// Every element of a process; those that are `wanted` can be looked up.
    fn of(plans: &Plans, tasks: &TaskStore, wanted: impl Fn(&ElementPath) -> bool) -> Self {
        let count = plans.iter().map(|plan| plan.steps.len() + plan.phases.len() + 1).sum();
        let mut rows = Vec::with_capacity(count);
        for (at, plan) in plans.iter().enumerate() {
            let id = PlanId::at(at);
            let mut add =
                |element| rows.push((plans.path(id, element), plans.display_status(id, element, tasks)));
            for phase in plan.tree.phases() {
                plan.tree.steps(phase).for_each(|step| add(Element::Step(step)));
                add(Element::Phase(phase));
            }
            add(Element::Plan);
        }
        let places = (0..).zip(&rows).filter(|(_, (path, _))| wanted(path));
        let mut places: Vec<_> = places.map(|(at, (path, _))| (print(path), at)).collect();
        planarium_kernel::sorted::sort(&mut places);
        Self { rows, places }
    }

    /// The status shown by the element with that path; the last one if there are several.
    fn find(&self, path: &ElementPath) -> Option<&'static str> {
        let print = print(path);
        let first = self.places.partition_point(|(mine, _)| *mine < print);
        let alike = self.places.get(first..)?.iter().take_while(|(mine, _)| *mine == print);
        let rows = alike.filter_map(|(_, at)| self.rows.get(*at as usize)).filter(|(mine, _)| mine == path);
        rows.last().map(|(_, status)| *status)
    }
}

fn print(path: &ElementPath) -> u64 {
    let below = [&path.phase, &path.step].map(|name| name.as_deref().map_or(0, fingerprint::of));
    below.into_iter().fold(fingerprint::of(&path.plan), fold)
}

impl Plans {
    /// Reports the elements whose status differs from the previous process, and phases that were added or removed.
    pub(crate) fn report_differences(
        &mut self,
        cx: &mut Cx,
        tasks: &TaskStore,
        previous: (&Self, &TaskStore),
    ) {
        let is_phase = |path: &ElementPath| path.step.is_none() && path.phase.is_some();
        let (now, before) = (Shown::of(self, tasks, |_| true), Shown::of(previous.0, previous.1, is_phase));
        for (path, _) in now.rows.iter().filter(|(path, _)| is_phase(path) && before.find(path).is_none()) {
            let seq = cx.emit(EventBody::PhaseChanged { path: path.clone(), change: "added".into() });
            self.revision.raise(seq);
        }
        for (path, from) in before.rows {
            let seq = match now.find(&path) {
                Some(to) if to == from => continue,
                Some(to) => cx.emit(EventBody::ElementStatus { path, from: from.into(), to: to.into() }),
                None if is_phase(&path) => {
                    cx.emit(EventBody::PhaseChanged { path, change: "removed".into() })
                }
                None => continue,
            };
            self.revision.raise(seq);
        }
    }
}
