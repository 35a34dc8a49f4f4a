//! The log of a deployment.
//!
//! *Knows*: log records, levels and words. *Must not know*: when they are written.

use super::HoldReason;
use crate::plan::{Plan, StepId};
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// Levels of a log record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// As it should be.
    Info,
    /// Needs attention.
    Warning,
    /// A failure.
    Error,
}

impl Level {
    /// The word of the level.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The engine.
    Engine,
    /// The playground, where the engine is silent.
    Playground,
}

impl Origin {
    /// The word of the origin.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Playground => "playground",
        }
    }
}

/// Kinds of log record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LogKind {
    /// The plan has begun.
    PlanStart,
    /// A step was entered.
    StepStart,
    /// A step passed.
    StepPass,
    /// A step failed, and why where that is known.
    StepFail(Option<Text>),
    /// A gate waits for a verdict.
    GateWait,
    /// A gate got its verdict.
    GateAnswer(bool),
    /// The plan is held.
    Hold(HoldReason),
    /// The plan continues.
    Resume,
    /// A loop has no instance to go through.
    LoopEmpty,
    /// An exit says something: it passed or not, and the step or end that it leads to.
    FlowInfo(bool, Result<StepId, bool>),
    /// An exit warns.
    FlowWarn(bool, Result<StepId, bool>),
    /// A failure is ignored because no exit handles it; the next step.
    IgnoredFailure(Result<StepId, bool>),
    /// A script or a plugin said something.
    Output(Text),
    /// A call passed without the intended effect.
    CallWarn(Text),
    /// The plan would go on for ever.
    Guard(Text),
    /// An operator gave the plan up.
    PlanAbandon,
    /// The plan has passed.
    PlanPass,
    /// The plan has failed.
    PlanFail,
}

impl LogKind {
    /// The word of the kind.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::PlanStart => "plan-start",
            Self::StepStart => "step-start",
            Self::StepPass => "step-pass",
            Self::StepFail(_) => "step-fail",
            Self::GateWait => "gate-wait",
            Self::GateAnswer(_) => "gate-answer",
            Self::Hold(_) => "hold",
            Self::Resume => "resume",
            Self::LoopEmpty => "loop-empty",
            Self::FlowInfo(..) => "flow-info",
            Self::FlowWarn(..) => "flow-warn",
            Self::IgnoredFailure(_) => "ignored-failure",
            Self::Output(_) => "output",
            Self::CallWarn(_) => "call-warn",
            Self::Guard(_) => "guard",
            Self::PlanAbandon => "plan-abandon",
            Self::PlanPass => "plan-pass",
            Self::PlanFail => "plan-fail",
        }
    }

    /// Importance of the fact.
    pub(crate) const fn level(&self) -> Level {
        match self {
            Self::PlanStart
            | Self::StepStart
            | Self::StepPass
            | Self::GateWait
            | Self::GateAnswer(_)
            | Self::Hold(_)
            | Self::Resume
            | Self::LoopEmpty
            | Self::FlowInfo(..)
            | Self::Output(_)
            | Self::PlanPass => Level::Info,
            Self::FlowWarn(..) | Self::CallWarn(_) | Self::IgnoredFailure(_) | Self::PlanAbandon => {
                Level::Warning
            }
            Self::StepFail(_) | Self::Guard(_) | Self::PlanFail => Level::Error,
        }
    }

    /// Speaker.
    pub(crate) const fn origin(&self) -> Origin {
        match self {
            Self::IgnoredFailure(_) => Origin::Playground,
            _ => Origin::Engine,
        }
    }
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// When.
    pub(crate) at: SimTime,
    /// The kind.
    pub(crate) kind: LogKind,
    /// Which step it is about.
    pub(crate) step: Option<StepId>,
    /// The slot of the loop around it.
    pub(crate) index: Option<u64>,
}

impl Record {
    /// The record in words.
    pub(crate) fn text(&self, plan: &Plan) -> String {
        let step = self.step.and_then(|id| plan.step(id));
        let id = step.map_or("the plan", |step| &*step.id);
        let slot = self.index.map(|index| format!(" [{index}]")).unwrap_or_default();
        let name = format!("{id}{slot}");
        match &self.kind {
            LogKind::PlanStart => "plan started".to_owned(),
            LogKind::StepStart => match step {
                Some(step) if step.label != step.id => format!("{name} started: {}", step.label),
                _ => format!("{name} started"),
            },
            LogKind::StepPass => format!("{name} passed"),
            LogKind::StepFail(None) => format!("{name} failed"),
            LogKind::StepFail(Some(why)) => format!("{name} failed: {why}"),
            LogKind::GateWait => format!("{name} waits for pass or fail"),
            LogKind::GateAnswer(passed) => format!("{name} was answered with {}", verdict(*passed)),
            LogKind::Hold(reason) => match (reason, step) {
                (HoldReason::Operator, None) => "paused before the first step".to_owned(),
                (_, None) => "paused".to_owned(),
                (HoldReason::Exit, _) => format!("paused at the exit of {name}"),
                (HoldReason::Error, _) => format!("paused because {name} failed"),
                (HoldReason::Operator, _) => format!("paused by the operator at the exit of {name}"),
                (HoldReason::Step, _) => format!("paused after one step, {name}"),
            },
            LogKind::Resume => "resumed".to_owned(),
            LogKind::LoopEmpty => format!("{name} has no instance to go through"),
            LogKind::FlowInfo(passed, to) | LogKind::FlowWarn(passed, to) => {
                let result = if *passed { "passed" } else { "failed" };
                format!("{name} {result}, {}", destination(plan, *to))
            }
            LogKind::IgnoredFailure(to) => {
                format!(
                    "{name} failed and has no on_fail: the failure is ignored, {}",
                    destination(plan, *to)
                )
            }
            LogKind::Output(text) | LogKind::CallWarn(text) => format!("{name}: {text}"),
            LogKind::Guard(text) => text.to_string(),
            LogKind::PlanAbandon => "plan abandoned by the operator".to_owned(),
            LogKind::PlanPass => "plan completed".to_owned(),
            LogKind::PlanFail => "plan failed".to_owned(),
        }
    }
}

/// The word of a verdict.
pub(crate) const fn verdict(passed: bool) -> &'static str {
    if passed { "pass" } else { "fail" }
}

/// Words the target of an exit.
pub(crate) fn destination(plan: &Plan, to: Result<StepId, bool>) -> String {
    match to {
        Ok(id) => format!("continuing with {}", plan.step(id).map_or("?", |step| &*step.id)),
        Err(passed) => format!("ending the chain with {}", verdict(passed)),
    }
}
