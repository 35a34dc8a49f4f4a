//! Selects the planned failure that strikes a call.
//!
//! *Knows*: the environment's list of failures, and how a fault of the world refers to a call. *Must not know*: what the call does.
//!
//! *Order*: the environment's failures in the order of its list, the first matching one with uses left; then the world's.

use super::bind::Callee;
use super::{Bound, Site};
use crate::definition::env::{FaultRule, Outcome};
use crate::instances::Group;
use crate::plan::StepId;
use crate::plugins::Op;
use crate::run::{Counts, StepRun};
use planarium_ground::{FailedCall, Labels, glob};
use planarium_protocol::Text;

/// A fault that strikes a call.
#[derive(Clone, Debug)]
pub(crate) struct Strike {
    pub(super) outcome: Outcome,
    pub(super) message: Text,
    pub(super) leave: bool,
    /// Delay before it fails. *Units*: milliseconds.
    pub(super) delay_ms: u64,
}

impl Strike {
    /// A fault of the world.
    pub(crate) fn of_world(failed: &FailedCall) -> Self {
        Self {
            outcome: Outcome::Fail,
            message: failure_text(failed.exit_code, Some(&failed.message)),
            leave: false,
            delay_ms: failed.delay_ms,
        }
    }

    /// Returns whether it matters to a call: a message that cannot be delivered does only when it is asked to.
    pub(crate) fn matters(&self, bound: &Bound) -> bool {
        let notifies = matches!(&bound.callee, Callee::Plugin { spec, .. } if spec.op == Op::Notify);
        let fails = matches!(self.outcome, Outcome::Fail | Outcome::Timeout);
        !(notifies && fails) || bound.text("fail_on_error").is_some_and(|value| value == "true")
    }
}

/// The failure that the environment plans for a call, with its place in the list.
pub(crate) fn planned(
    site: &Site<'_>,
    counts: &Counts,
    own: Option<&StepRun>,
    id: StepId,
    bound: &Bound,
) -> Option<(u32, Strike)> {
    let rules = &site.blueprint.definition.env.simulation.faults;
    let attempt = own.map_or(0, |own| u64::from(own.entries));
    let (at, rule) = (0_u32..).zip(rules).find(|(at, rule)| {
        rule.times.is_none_or(|times| counts.struck(*at) < times)
            && rule.attempt.is_none_or(|wanted| attempt == wanted)
            && matches(site, rule, id, bound)
    })?;
    let strike = Strike {
        outcome: rule.outcome,
        message: failure_text(rule.exit_code, rule.message.as_ref()),
        leave: rule.leave,
        delay_ms: 0,
    };
    Some((at, strike))
}

fn matches(site: &Site<'_>, rule: &FaultRule, id: StepId, bound: &Bound) -> bool {
    let is = |pattern: &Option<Text>, value: Option<&str>| {
        pattern.as_ref().is_none_or(|pattern| value.is_some_and(|value| glob(pattern, value)))
    };
    let (plugin, action, exec) = match &bound.callee {
        Callee::Plugin { plugin, action, .. } | Callee::Own { plugin, action, .. } => {
            (Some(&**plugin), Some(&**action), None)
        }
        Callee::Script { name, .. } => (None, None, Some(&**name)),
    };
    is(&rule.step, site.plan.step(id).map(|step| &*step.id))
        && is(&rule.plugin, plugin)
        && is(&rule.action, action)
        && is(&rule.exec, exec)
        && is(&rule.component, bound.component.map(|component| site.blueprint.component_name(component)))
        && is(&rule.selector, bound.selector.map(Group::word))
        && rule.index.is_none_or(|index| bound.index == Some(index))
}

/// The labels by which a fault of the world finds a call.
pub(crate) fn labels(site: &Site<'_>, id: StepId, bound: &Bound) -> Labels {
    let (plugin, action) = match &bound.callee {
        Callee::Plugin { plugin, action, .. } | Callee::Own { plugin, action, .. } => {
            (plugin.clone(), action.clone())
        }
        Callee::Script { name, .. } => (name.clone(), "exec".into()),
    };
    let step = site.plan.step(id).map(|step| step.id.clone()).unwrap_or_default();
    let mut labels = Labels::new([
        ("service", site.blueprint.name().clone()),
        ("step", step),
        ("plugin", plugin),
        ("action", action),
    ]);
    if let Some(component) = bound.component {
        labels.set("pod-type", site.blueprint.component_name(component).into());
    }
    if let Some(instance) = bound.slot.and_then(|slot| site.instances.get(slot)) {
        labels.set("pod", instance.id.clone());
        labels.set("task", instance.id.clone());
        if let Some(machine) = instance.machine.and_then(|machine| site.fleet.machine(machine)) {
            labels.set("agent", machine.hostname.clone());
        }
    }
    labels
}

/// Returns the log's words for an exit code.
fn failure_text(exit_code: i32, message: Option<&Text>) -> Text {
    match message {
        Some(message) => format!("exit code {exit_code}: {message}").into(),
        None => format!("exit code {exit_code}").into(),
    }
}
