//! Telling what changed: status changes of elements become events, each with its cause.
//!
//! *Knows*: how a change of a step leads to changes of its ancestors. *Must not know*: why a step moved;
//! that is the cause at hand.

use super::requirement::Requirement;
use super::store::{OverrideTarget, PodKey};
use super::{Cx, Scheduler};
use planarium_kernel::Cause;
use planarium_plan::{Element, Holder, PlanId, Status, StepId};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::sync::LazyLock;

/// The words that are shown for statuses: events share their texts.
static WORDS: LazyLock<Vec<Text>> = LazyLock::new(|| {
    let words = Status::ALL.iter().map(|status| status.as_str());
    words.chain(["PAUSING", "PAUSED"]).map(Text::from).collect()
});

fn word(shown: &'static str) -> Text {
    let known = WORDS.iter().find(|known| ***known == *shown);
    known.map_or_else(|| shown.into(), Text::clone)
}

impl Scheduler {
    /// Reports the status changes of a plan since the last report. Ancestors follow from what changed
    /// below them. Answers the last event.
    pub(super) fn report(&mut self, cx: &mut Cx, id: PlanId) -> Option<u64> {
        let plan = self.plan(id)?;
        if plan.tree.changes().is_empty() {
            return None;
        }
        let base = cx.cause();
        let (mut of_step, mut of_phase, mut last) = (None, None, None);
        // One by one: there are mostly one or two, too few to collect them in a list.
        let mut at = 0;
        while let Some(change) = self.plan(id).and_then(|plan| plan.tree.changes().get(at).copied()) {
            at += 1;
            let from = self.shown(id, change.element, change.from);
            let to = self.shown(id, change.element, change.to);
            if from == to {
                // A pod that is paused as a whole shows one word for several statuses.
                self.note_unseen(cx, id, change.element);
                continue;
            }
            let cause = match change.element {
                Element::Step(_) => base,
                Element::Phase(_) => of_step.map_or(base, Cause::Event),
                Element::Plan => of_phase.or(of_step).map_or(base, Cause::Event),
            };
            let path = self.path(id, change.element);
            let seq =
                cx.emit_caused(EventBody::ElementStatus { path, from: word(from), to: word(to) }, cause);
            match change.element {
                Element::Step(_) => (of_step, of_phase) = (Some(seq), None),
                Element::Phase(_) => of_phase = Some(seq),
                Element::Plan => {}
            }
            self.note_change(cx, id, change.element, seq);
            last = Some(seq);
        }
        if let Some(plan) = self.plans.get_mut(id.index()) {
            plan.tree.clear_changes();
        }
        self.touched += 1;
        last
    }

    /// Notes which event changed an element last.
    fn note_change(&mut self, cx: &Cx, id: PlanId, element: Element, seq: u64) {
        let now = cx.now();
        self.revision = (self.revision + 1).max(seq);
        let seen = self.revision;
        let Some(plan) = self.plans.get_mut(id.index()) else { return };
        plan.revision = seen;
        plan.touched += 1;
        let phase = match element {
            Element::Plan => None,
            Element::Phase(phase) => Some(phase),
            Element::Step(step) => {
                if let Some(data) = plan.step_mut(step) {
                    data.since = now;
                    data.event = Some(seq);
                    data.touched += 1;
                }
                plan.tree.phase_of(step)
            }
        };
        if let Some(data) = phase.and_then(|phase| plan.phases.get_mut(phase.index())) {
            data.revision = seen;
        }
    }

    /// An element changed that shows the same word as before: what is said of it may differ all the same.
    fn note_unseen(&mut self, cx: &Cx, id: PlanId, element: Element) {
        self.touch(cx, id);
        let revision = self.revision;
        let Some(plan) = self.plans.get_mut(id.index()) else { return };
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
            data.revision = revision;
        }
    }

    /// The word shown for an element's status: steps of a pod that is paused as a whole say so.
    ///
    /// **Source**: `dcos-commons: …/scheduler/plan/DeploymentStep.java (getDisplayStatus)`. Match.
    fn shown(&self, id: PlanId, element: Element, status: Status) -> &'static str {
        match element {
            Element::Step(step) => {
                let requirement = self.plan(id).and_then(|plan| plan.requirement(step));
                requirement.map_or(status.as_str(), |requirement| self.display(requirement, status))
            }
            Element::Plan | Element::Phase(_) => status.as_str(),
        }
    }

    fn display(&self, requirement: &Requirement, status: Status) -> &'static str {
        let running = status.is_running();
        if !running && !status.is_complete() {
            return status.as_str();
        }
        let may_be = self.store.may_be_paused();
        let paused = requirement.pod.spec.tasks.iter().all(|spec| {
            let task = || self.store.task(&requirement.key, &spec.name);
            may_be && task().is_some_and(|task| task.goal.target == OverrideTarget::Paused)
        });
        match (paused, running) {
            (true, true) => "PAUSING",
            (true, false) => "PAUSED",
            (false, _) => status.as_str(),
        }
    }

    /// The word shown for an element.
    pub(crate) fn display_status(&self, id: PlanId, element: Element) -> &'static str {
        let Some(plan) = self.plan(id) else { return Status::Error.as_str() };
        self.shown(id, element, plan.tree.status(element))
    }

    /// What the steps of a pod instance show. *Cost*: walks all steps; this is asked only when an operator
    /// pauses or resumes.
    pub(super) fn shown_of_pod(&self, key: &PodKey) -> Vec<(Holder, &'static str)> {
        let mut all = Vec::new();
        for (at, plan) in self.plans.iter().enumerate() {
            let id = PlanId::at(at);
            let of_pod =
                |step: &StepId| plan.requirement(*step).is_some_and(|requirement| requirement.key == *key);
            for step in plan.tree.all_steps().filter(of_pod) {
                all.push((Holder { plan: id, step }, self.display_status(id, step.into())));
            }
        }
        all
    }

    /// Tells which steps show another word than before, without having moved.
    pub(super) fn report_shown(&mut self, cx: &mut Cx, before: &[(Holder, &'static str)]) {
        for (holder, from) in before {
            let to = self.display_status(holder.plan, holder.step.into());
            if *from != to {
                let path = self.path(holder.plan, holder.step.into());
                let seq = cx.emit(EventBody::ElementStatus { path, from: word(from), to: word(to) });
                self.note_change(cx, holder.plan, holder.step.into(), seq);
            }
        }
    }

    /// Reports on all plans.
    pub(super) fn report_all(&mut self, cx: &mut Cx) -> Option<u64> {
        let mut last = None;
        for at in 0..self.plans.len() {
            last = self.report(cx, PlanId::at(at)).or(last);
        }
        last
    }

    /// Something a view shows has changed without a status change.
    pub(super) fn touch(&mut self, cx: &Cx, id: PlanId) {
        self.touch_service(cx);
        let revision = self.revision;
        if let Some(plan) = self.plans.get_mut(id.index()) {
            plan.touched += 1;
            plan.revision = revision;
        }
    }

    /// The same for every plan.
    pub(super) fn touch_all(&mut self, cx: &Cx) {
        for at in 0..self.plans.len() {
            self.touch(cx, PlanId::at(at));
        }
    }

    /// The same for what is shown beside plans.
    pub(super) fn touch_service(&mut self, cx: &Cx) {
        // Counted on its own, because what is shown may change between two events.
        self.revision = (self.revision + 1).max(cx.next_seq().saturating_sub(1));
        self.touched += 1;
    }
}
