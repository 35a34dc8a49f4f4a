//! Events of status changes, each with its cause, and the revisions of changed elements.
//!
//! *Knows*: how a change of a step changes its ancestors. *Must not know*: why a step moved; that is the current
//! cause.

use super::Plans;
use crate::STATUSES;
use crate::scheduler::Cx;
use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::{OverrideTarget, PodKey, TaskStore};
use planarium_kernel::Cause;
use planarium_plan::{Element, Holder, PlanId, Status, StepId};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::sync::LazyLock;

/// The words that are shown for statuses: events share their texts.
static WORDS: LazyLock<Vec<Text>> =
    LazyLock::new(|| STATUSES.iter().map(|status| Text::from(status.word)).collect());

fn word(shown: &'static str) -> Text {
    let known = WORDS.iter().find(|known| ***known == *shown);
    known.map_or_else(|| shown.into(), Text::clone)
}

/// The events of the last step and of the last phase below the elements that follow.
#[derive(Clone, Copy, Debug, Default)]
struct Below {
    step: Option<u64>,
    phase: Option<u64>,
}

impl Below {
    /// The cause of an element's change: the change below it, or the current cause.
    fn cause(self, element: Element, base: Cause) -> Cause {
        match element {
            Element::Step(_) => base,
            Element::Phase(_) => self.step.map_or(base, Cause::Event),
            Element::Plan => self.phase.or(self.step).map_or(base, Cause::Event),
        }
    }

    fn note(&mut self, element: Element, seq: u64) {
        match element {
            Element::Step(_) => *self = Self { step: Some(seq), phase: None },
            Element::Phase(_) => self.phase = Some(seq),
            Element::Plan => {}
        }
    }
}

/// A step with the word that it shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownStep {
    pub(crate) holder: Holder,
    pub(crate) word: &'static str,
}

impl Plans {
    /// Reports the status changes of a plan since the last report. Ancestors follow from what changed
    /// below them. Returns the last event.
    pub(crate) fn report(&mut self, cx: &mut Cx, id: PlanId, tasks: &TaskStore) -> Option<u64> {
        let plan = self.get(id)?;
        if plan.tree.changes().is_empty() {
            return None;
        }
        let base = cx.cause();
        let (mut below, mut last) = (Below::default(), None);
        // One by one: there are mostly one or two, too few to collect them in a list.
        let mut at = 0;
        while let Some(change) = self.get(id).and_then(|plan| plan.tree.changes().get(at).copied()) {
            at += 1;
            let from = self.shown(id, change.element, change.from, tasks);
            let to = self.shown(id, change.element, change.to, tasks);
            if from == to {
                // A pod that is paused as a whole shows one word for several statuses.
                self.touch(cx, id);
                self.note_element(id, change.element);
                continue;
            }
            let path = self.path(id, change.element);
            let cause = below.cause(change.element, base);
            let seq =
                cx.emit_caused(EventBody::ElementStatus { path, from: word(from), to: word(to) }, cause);
            below.note(change.element, seq);
            self.note_change(cx, id, change.element, seq);
            last = Some(seq);
        }
        if let Some(plan) = self.get_mut(id) {
            plan.tree.clear_changes();
        }
        self.revision.changes += 1;
        last
    }

    /// Reports on all plans.
    pub(crate) fn report_all(&mut self, cx: &mut Cx, tasks: &TaskStore) -> Option<u64> {
        let mut last = None;
        for id in self.ids() {
            last = self.report(cx, id, tasks).or(last);
        }
        last
    }

    /// Notes which event changed an element last.
    fn note_change(&mut self, cx: &Cx, id: PlanId, element: Element, seq: u64) {
        self.revision.raise(seq);
        let seen = self.revision.event;
        let Some(plan) = self.get_mut(id) else { return };
        plan.revision = seen;
        plan.touched += 1;
        if let Element::Step(step) = element
            && let Some(data) = plan.step_mut(step)
        {
            data.since = cx.now();
            data.event = Some(seq);
        }
        self.note_element(id, element);
    }

    /// Notes that something about an element, or a step below it, is said differently.
    fn note_element(&mut self, id: PlanId, element: Element) {
        let seen = self.revision.event;
        let Some(plan) = self.get_mut(id) else { return };
        let phase = match element {
            Element::Plan => None,
            Element::Phase(phase) => Some(phase),
            Element::Step(step) => {
                if let Some(data) = plan.step_mut(step) {
                    data.touched += 1;
                }
                plan.tree.phase_of(step)
            }
        };
        if let Some(data) = phase.and_then(|phase| plan.phases.get_mut(phase.index())) {
            data.revision = seen;
        }
    }

    /// Returns the displayed word for an element's status: steps of a fully paused pod say so.
    ///
    /// **Source**: `dcos-commons: …/scheduler/plan/DeploymentStep.java (getDisplayStatus)`. Match.
    fn shown(&self, id: PlanId, element: Element, status: Status, tasks: &TaskStore) -> &'static str {
        match element {
            Element::Step(step) => {
                let requirement = self.get(id).and_then(|plan| plan.requirement(step));
                requirement.map_or(status.as_str(), |requirement| display(requirement, status, tasks))
            }
            Element::Plan | Element::Phase(_) => status.as_str(),
        }
    }

    /// The word shown for an element.
    pub(crate) fn display_status(&self, id: PlanId, element: Element, tasks: &TaskStore) -> &'static str {
        let Some(plan) = self.get(id) else { return Status::Error.as_str() };
        self.shown(id, element, plan.tree.status(element), tasks)
    }

    /// The words that the steps of a pod instance show. *Cost*: walks all steps; this is asked only when an operator
    /// pauses or resumes.
    pub(crate) fn shown_of_pod(&self, key: &PodKey, tasks: &TaskStore) -> Vec<ShownStep> {
        let mut all = Vec::new();
        for (at, plan) in self.iter().enumerate() {
            let id = PlanId::at(at);
            let of_pod =
                |step: &StepId| plan.requirement(*step).is_some_and(|requirement| requirement.key == *key);
            for step in plan.tree.all_steps().filter(of_pod) {
                let word = self.display_status(id, step.into(), tasks);
                all.push(ShownStep { holder: Holder { plan: id, step }, word });
            }
        }
        all
    }

    /// Reports the steps that show another word than before, without having moved.
    pub(crate) fn report_shown(&mut self, cx: &mut Cx, before: &[ShownStep], tasks: &TaskStore) {
        for ShownStep { holder, word: from } in before {
            let to = self.display_status(holder.plan, holder.step.into(), tasks);
            if *from != to {
                let path = self.path(holder.plan, holder.step.into());
                let seq = cx.emit(EventBody::ElementStatus { path, from: word(from), to: word(to) });
                self.note_change(cx, holder.plan, holder.step.into(), seq);
            }
        }
    }

    /// Something a view shows of a plan has changed without a status change.
    pub(crate) fn touch(&mut self, cx: &Cx, id: PlanId) {
        self.revision.touch(cx);
        let revision = self.revision.event;
        if let Some(plan) = self.get_mut(id) {
            plan.touched += 1;
            plan.revision = revision;
        }
    }

    /// The same for every plan.
    pub(crate) fn touch_all(&mut self, cx: &Cx) {
        for id in self.ids() {
            self.touch(cx, id);
        }
    }

    /// The same for a step.
    pub(crate) fn touch_step(&mut self, cx: &Cx, holder: Holder) {
        if let Some(data) = self.step_mut(holder) {
            data.touched += 1;
        }
        self.touch(cx, holder.plan);
    }

    /// Everything shown bears this revision or a later one.
    pub(crate) fn show_from(&mut self, revision: u64) {
        let shown = self.revision.event.max(revision);
        self.revision.event = shown;
        for plan in &mut self.list {
            plan.revision = shown;
            plan.phases.for_each_mut(|_| true, |_, phase| phase.revision = shown);
        }
    }
}

/// The word shown for a step's status.
fn display(requirement: &Requirement, status: Status, tasks: &TaskStore) -> &'static str {
    let running = status.is_running();
    if !running && !status.is_complete() {
        return status.as_str();
    }
    let may_be = tasks.may_be_paused();
    let paused = requirement.pod.spec.tasks.iter().all(|spec| {
        let task = || tasks.task(&requirement.key, &spec.name);
        may_be && task().is_some_and(|task| task.goal.target == OverrideTarget::Paused)
    });
    match (paused, running) {
        (true, true) => "PAUSING",
        (true, false) => "PAUSED",
        (false, _) => status.as_str(),
    }
}
