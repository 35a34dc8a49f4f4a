//! Reasons for plans and phases: their own holds, then those of their children.

use super::{Explainer, element_ref, reason, sentences};
use crate::scheduler::plans::PlanKind;
use planarium_plan::{self as plan, Element};
use planarium_protocol::input::PlanOp;
use planarium_protocol::why::{ElementRef, Reason, ReasonKind};

/// Children named at most.
const CHILDREN: usize = 8;

impl Explainer<'_> {
    /// Reasons for a plan or a phase.
    pub(super) fn parent(&mut self, element: Element) -> Vec<Reason> {
        let Some(plan) = self.scheduler.plans.get(self.plan) else { return Vec::new() };
        let found = plan.tree.why(element, None);
        found.into_iter().flat_map(|found| self.tree_reason(element, found)).collect()
    }

    /// A reason that the tree alone gives, for any element.
    pub(super) fn tree_reason(&mut self, element: Element, found: plan::Reason) -> Vec<Reason> {
        match found {
            plan::Reason::Errored { element: errored } => vec![self.errored(errored)],
            plan::Reason::Unnamed { element: unnamed } => vec![self.unnamed(unnamed)],
            plan::Reason::Interrupted { held } => vec![self.interrupted(held)],
            plan::Reason::CanaryGate { proceeds_left } => vec![self.gate(element, proceeds_left)],
            plan::Reason::NotItsTurn { waiting_for } => vec![self.turn(&waiting_for)],
            plan::Reason::DirtyAsset { held_by } => vec![self.dirty(element, held_by)],
            plan::Reason::Children { waiting_for } => self.children(&waiting_for),
            plan::Reason::Running | plan::Reason::Delayed | plan::Reason::Candidate => Vec::new(),
        }
    }

    fn errored(&mut self, element: Element) -> Reason {
        let refused = self.scheduler.configs.refused.clone();
        let deploy = self.scheduler.plans.get(self.plan).is_some_and(|plan| plan.kind == PlanKind::Deploy);
        if element == Element::Plan && deploy && !refused.is_empty() {
            self.remedies.definition();
            let first = refused.first().map_or("", |text| &**text);
            let text =
                format!("The new configuration was refused, so the one before stays the target: {first}");
            return reason(text, None, ReasonKind::Errored { errors: refused.to_vec() });
        }
        let Some(plan) = self.scheduler.plans.get(self.plan) else {
            return reason("It has errors", None, ReasonKind::Errored { errors: Vec::new() });
        };
        let errors: Vec<_> = match element {
            Element::Step(step) => plan.tree.step_error(step).cloned().into_iter().collect(),
            Element::Phase(phase) => {
                plan.tree.steps(phase).filter_map(|step| plan.tree.step_error(step).cloned()).collect()
            }
            Element::Plan => plan.tree.errors().cloned().collect(),
        };
        let first = errors.first().map_or("it cannot be done as defined", |text| &**text);
        let text = format!("The definition does not permit it: {}", first.lines().next().unwrap_or_default());
        reason(text, None, ReasonKind::Errored { errors })
    }

    fn unnamed(&self, element: Element) -> Reason {
        let path = self.scheduler.path(self.plan, element);
        let text = format!(
            "{} shows ERROR only because a DELAYED step below it stands beside others and the real roll-up has no \
             word for that; it passes when the delay ends",
            sentences::called(&path)
        );
        reason(text.clone(), None, ReasonKind::Quirk { text: text.into() })
    }

    /// A hold by an operator, or a custom plan that was not started.
    fn interrupted(&mut self, held: Element) -> Reason {
        let path = self.scheduler.path(self.plan, held);
        let plan = self.scheduler.plans.get(self.plan);
        let custom = plan.is_some_and(|plan| plan.kind == PlanKind::Custom);
        if held == Element::Plan && custom {
            self.remedies.plan_command(
                self.plan,
                format!("Start {}", path.plan),
                PlanOp::Start,
                Element::Plan,
            );
            let never = plan.is_some_and(|plan| plan.steps.iter().all(|step| step.event.is_none()));
            let text = if never {
                format!("Plan {} waits until an operator starts it", path.plan)
            } else {
                format!("Plan {} was stopped or interrupted by an operator", path.plan)
            };
            let kind = if never { ReasonKind::NotStarted } else { ReasonKind::Interrupted { held: path } };
            return reason(text, None, kind);
        }
        let element = match held {
            // Only a canary interrupts steps, and its gate is opened at the phase.
            Element::Step(step) => {
                plan.and_then(|plan| plan.tree.phase_of(step)).map_or(held, Element::Phase)
            }
            _ => held,
        };
        let name = sentences::called(&self.scheduler.path(self.plan, element));
        self.remedies.plan_command(self.plan, format!("Continue {name}"), PlanOp::Continue, element);
        let text = format!("An operator interrupted {}", sentences::called(&path));
        reason(text, None, ReasonKind::Interrupted { held: path })
    }

    fn gate(&mut self, element: Element, proceeds_left: u32) -> Reason {
        let phase = match element {
            Element::Step(step) => {
                self.scheduler.plans.get(self.plan).and_then(|plan| plan.tree.phase_of(step))
            }
            Element::Phase(phase) => Some(phase),
            Element::Plan => None,
        };
        let phase = phase.map_or(element, Element::Phase);
        let name = sentences::called(&self.scheduler.path(self.plan, phase));
        self.remedies.plan_command(self.plan, format!("Continue {name}"), PlanOp::Continue, phase);
        let times = if proceeds_left == 1 { "once".to_owned() } else { format!("{proceeds_left} times") };
        let text = format!("Its canary gate is closed: an operator has to continue {name} {times}");
        reason(text, None, ReasonKind::CanaryGate { proceeds_left })
    }

    fn turn(&mut self, waiting_for: &[Element]) -> Reason {
        let refs: Vec<ElementRef> =
            waiting_for.iter().map(|element| element_ref(self.scheduler, self.plan, *element)).collect();
        let parent = waiting_for.first().and_then(|first| self.parent_of(*first));
        let strategy = self.scheduler.plans.get(self.plan).map_or("serial", |plan| match parent {
            Some(phase @ Element::Phase(_)) => {
                plan.tree.strategy(phase).map_or("serial", |strategy| strategy.base().name())
            }
            _ => plan.strategy(),
        });
        if let Some(first) = waiting_for.first() {
            let name = sentences::called(&self.scheduler.path(self.plan, *first));
            self.remedies.plan_command(
                self.plan,
                format!("Force-complete {name}"),
                PlanOp::ForceComplete,
                *first,
            );
        }
        let text = format!(
            "It is not its turn: the strategy is {strategy} and {} comes first",
            sentences::list(&refs)
        );
        let event = self.event_of(waiting_for.first().copied());
        reason(text, event, ReasonKind::NotItsTurn { strategy: strategy.into(), waiting_for: refs })
    }

    fn parent_of(&self, element: Element) -> Option<Element> {
        match element {
            Element::Plan => None,
            Element::Phase(_) => Some(Element::Plan),
            Element::Step(step) => {
                self.scheduler.plans.get(self.plan)?.tree.phase_of(step).map(Element::Phase)
            }
        }
    }

    fn event_of(&self, element: Option<Element>) -> Option<u64> {
        let plan = self.scheduler.plans.get(self.plan)?;
        match element? {
            Element::Step(step) => plan.step(step)?.event,
            Element::Phase(phase) => plan.phases.get(phase.index()).map(|data| data.revision),
            Element::Plan => Some(plan.revision),
        }
    }

    fn dirty(&mut self, element: Element, held_by: plan::Holder) -> Reason {
        let holder = element_ref(self.scheduler, held_by.plan, Element::Step(held_by.step));
        if &*holder.status == "COMPLETE" {
            // It is done with the pod, and which steps may begin is found out in the next cycle.
            return super::next_cycle(self.scheduler);
        }
        let pod = match element {
            Element::Step(step) => {
                self.scheduler.plans.get(self.plan).and_then(|plan| plan.requirement(step))
            }
            _ => None,
        };
        let pod = pod.map_or_else(|| "".into(), |requirement| requirement.key.name());
        let other = self.scheduler.path(held_by.plan, Element::Plan);
        let title = format!("Interrupt plan {}", other.plan);
        self.remedies.plan_command(held_by.plan, title, PlanOp::Interrupt, Element::Plan);
        let text = format!(
            "Pod {pod} is being worked on by plan {}: {} is {}",
            other.plan,
            sentences::called(&holder.path),
            holder.status
        );
        let event = self.scheduler.plans.step(held_by).and_then(|data| data.event);
        reason(text, event, ReasonKind::DirtyAsset { pod, held_by: holder })
    }

    fn children(&self, waiting_for: &[Element]) -> Vec<Reason> {
        waiting_for
            .iter()
            .take(CHILDREN)
            .map(|element| {
                let child = element_ref(self.scheduler, self.plan, *element);
                let text =
                    format!("It waits for {}, which is {}", sentences::called(&child.path), child.status);
                reason(text, self.event_of(Some(*element)), ReasonKind::Child { child })
            })
            .collect()
    }
}
