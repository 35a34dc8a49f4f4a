//! Reasons that refer to other elements, and the collected remedies.

use super::remedies::Turn;
use super::{Explainer, NAMED, reason};
use crate::deployments::Deployment;
use crate::shown;
use crate::view::Shown;
use planarium_protocol::why::{ElementRef, Reason, ReasonKind, Unblock};
use planarium_protocol::{Input, Text};

impl<'a> Explainer<'a> {
    /// Returns the shown parts.
    pub(super) fn shown(&self) -> Shown<'a> {
        Shown { records: self.records, deployments: self.deployments }
    }

    /// Something that would help.
    pub(super) fn help(&mut self, turn: Turn, title: impl Into<String>, input: Option<Input>) {
        let remedy = Unblock { title: title.into(), input };
        if self.unblock.iter().all(|(_, known)| *known != remedy) {
            self.unblock.push((turn, remedy));
        }
    }

    #[expect(clippy::unused_self, reason = "as its neighbours")]
    pub(super) fn underway(&self, what: &str) -> Reason {
        reason(what, None, ReasonKind::Underway { what: what.into(), until_ms: None })
    }

    /// A child is what holds it.
    #[expect(clippy::unused_self, reason = "as its neighbours")]
    pub(super) fn child(&self, child: ElementRef) -> Reason {
        let name = child.path.step.as_ref().or(child.path.phase.as_ref()).unwrap_or(&child.path.plan);
        reason(format!("{name} is {}", child.status), None, ReasonKind::Child { child: child.clone() })
    }

    /// Refers to children, some of them individually.
    pub(super) fn children(&self, children: Vec<ElementRef>) -> Vec<Reason> {
        let rest = children.len().saturating_sub(NAMED);
        let mut reasons: Vec<Reason> =
            children.into_iter().take(NAMED).map(|child| self.child(child)).collect();
        if rest > 0 {
            let what = format!("{rest} more are not done either");
            reasons.push(self.underway(&what));
        }
        reasons
    }

    pub(super) fn step_ref(&self, deployment: &Deployment, at: usize) -> ElementRef {
        let (plan, phase) = (shown::deployment_name(deployment.no), shown::step_name(at));
        ElementRef {
            path: self.records.setup.path(plan, Some(phase.into()), None),
            status: deployment.words.steps.get(at).map_or("", |words| words.step).into(),
        }
    }

    pub(super) fn action_ref(&self, deployment: &Deployment, at: usize, index: usize) -> ElementRef {
        let (plan, phase) = (shown::deployment_name(deployment.no), shown::step_name(at));
        let action = deployment.plan.steps.get(at).and_then(|step| step.actions.get(index));
        let step: Option<Text> = action.map(|action| shown::action_name(action).into());
        let words = deployment.words.steps.get(at).and_then(|words| words.actions.get(index));
        ElementRef {
            path: self.records.setup.path(plan, Some(phase.into()), step),
            status: words.map_or("", |word| word.0).into(),
        }
    }

    /// Earlier steps of its deployment come first.
    pub(super) fn not_its_turn(&self, deployment: &Deployment, at: usize) -> Option<Reason> {
        let current = deployment.under_way();
        if current == Some(at) {
            return None;
        }
        let before = self.step_ref(deployment, current.unwrap_or(0));
        let name = before.path.phase.clone().unwrap_or_default();
        let text = format!("{name} of {} comes first: it is {}", before.path.plan, before.status);
        let kind = ReasonKind::NotItsTurn { strategy: "serial".into(), waiting_for: vec![before] };
        Some(reason(text, Some(deployment.event), kind))
    }
}
