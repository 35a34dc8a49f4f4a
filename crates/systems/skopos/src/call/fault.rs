//! Which planned failure strikes a call.
//!
//! *Knows*: the environment's list of failures, and faults injected into the world. *Must not know*: what the call does.
//!
//! *Order*: the environment's failures in the order of its list, the first that matches and has uses left; then the world's.

use super::Bound;
use super::bind::Callee;
use crate::app::App;
use crate::engine::Io;
use crate::env::{FaultRule, Outcome};
use crate::plan::{Plan, StepId};
use crate::plugin::Op;
use planarium_ground::{Labels, glob};
use planarium_protocol::Text;

/// What strikes a call.
#[derive(Clone, Debug)]
pub(super) struct Strike {
    pub(super) outcome: Outcome,
    pub(super) message: Text,
    pub(super) leave: bool,
    /// How much later it fails. *Units*: milliseconds.
    pub(super) delay_ms: u64,
}

impl App {
    /// What strikes a call, if anything does. Counts it.
    pub(super) fn strike(
        &mut self,
        io: &mut Io<'_>,
        plan: &Plan,
        id: StepId,
        bound: &Bound,
    ) -> Option<Strike> {
        let own = self.planned(plan, id, bound);
        if let Some((number, strike)) = own {
            let struck = self.run.struck.entry(number).or_default();
            *struck = struck.saturating_add(1);
            return Some(strike).filter(|strike| counts(bound, strike));
        }
        if !io.machines.fleet().calls_may_fail() {
            return None;
        }
        let labels = self.labels_of_call(io, plan, id, bound);
        let failed = io.machines.fails_call(io.cx, &labels)?;
        let strike = Strike {
            outcome: Outcome::Fail,
            message: said(failed.exit_code, Some(&failed.message)),
            leave: false,
            delay_ms: failed.delay_ms,
        };
        Some(strike).filter(|strike| counts(bound, strike))
    }

    fn planned(&self, plan: &Plan, id: StepId, bound: &Bound) -> Option<(u32, Strike)> {
        let rules = &self.definition.env.simulation.faults;
        let (at, rule) = rules.iter().enumerate().find(|(at, rule)| {
            let struck =
                u32::try_from(*at).ok().and_then(|at| self.run.struck.get(&at)).copied().unwrap_or(0);
            rule.times.is_none_or(|times| struck < times) && self.matches(rule, plan, id, bound)
        })?;
        let strike = Strike {
            outcome: rule.outcome,
            message: said(rule.exit_code, rule.message.as_ref()),
            leave: rule.leave,
            delay_ms: 0,
        };
        Some((u32::try_from(at).ok()?, strike))
    }

    fn matches(&self, rule: &FaultRule, plan: &Plan, id: StepId, bound: &Bound) -> bool {
        let is = |pattern: &Option<Text>, value: Option<&str>| {
            pattern.as_ref().is_none_or(|pattern| value.is_some_and(|value| glob(pattern, value)))
        };
        let (plugin, action, exec) = match &bound.callee {
            Callee::Plugin { plugin, action, .. } | Callee::Own { plugin, action, .. } => {
                (Some(&**plugin), Some(&**action), None)
            }
            Callee::Script { name, .. } => (None, None, Some(&**name)),
        };
        let attempt = self.run.step(id).map_or(0, |own| u64::from(own.entries));
        is(&rule.step, plan.step(id).map(|step| &*step.id))
            && is(&rule.plugin, plugin)
            && is(&rule.action, action)
            && is(&rule.exec, exec)
            && is(&rule.component, bound.component.map(|component| self.component_name(component)))
            && is(&rule.selector, bound.selector.map(crate::instance::Group::word))
            && rule.index.is_none_or(|index| bound.index == Some(index))
            && rule.attempt.is_none_or(|wanted| attempt == wanted)
    }

    fn labels_of_call(&self, io: &Io<'_>, plan: &Plan, id: StepId, bound: &Bound) -> Labels {
        let (plugin, action) = match &bound.callee {
            Callee::Plugin { plugin, action, .. } | Callee::Own { plugin, action, .. } => {
                (plugin.clone(), action.clone())
            }
            Callee::Script { name, .. } => (name.clone(), "exec".into()),
        };
        let step = plan.step(id).map(|step| step.id.clone()).unwrap_or_default();
        let mut labels = Labels::new([
            ("service", self.definition.name.clone()),
            ("step", step),
            ("plugin", plugin),
            ("action", action),
        ]);
        if let Some(component) = bound.component {
            labels.set("pod-type", self.component_name(component).into());
        }
        if let Some(instance) = bound.slot.and_then(|slot| self.instances.get(slot)) {
            labels.set("pod", instance.id.clone());
            labels.set("task", instance.id.clone());
            if let Some(machine) = instance.machine.and_then(|machine| io.machines.fleet().machine(machine)) {
                labels.set("agent", machine.hostname.clone());
            }
        }
        labels
    }
}

/// A message that cannot be delivered matters only when it is asked to.
fn counts(bound: &Bound, strike: &Strike) -> bool {
    let notifies = matches!(&bound.callee, Callee::Plugin { spec, .. } if spec.op == Op::Notify);
    let fails = matches!(strike.outcome, Outcome::Fail | Outcome::Timeout);
    !(notifies && fails) || bound.text("fail_on_error").is_some_and(|value| value == "true")
}

/// What the log says of an exit code.
fn said(exit_code: i32, message: Option<&Text>) -> Text {
    match message {
        Some(message) => format!("exit code {exit_code}: {message}").into(),
        None => format!("exit code {exit_code}").into(),
    }
}
