//! One pass over a plan.
//!
//! **Source**: `kudobuilder/kudo: pkg/engine/workflow/engine.go`. Match, statement by statement: only `serial` waits, tasks of a step
//! run in every pass until all are done, a fatal failure stops the pass at once.

use std::sync::Arc;

use super::{At, Failure, Work};
use crate::instance::{PhaseStatus, PlanStatus, StepStatus};
use crate::package::model::{Plan, Step};
use crate::status::Status;
use crate::verify::build_problem;

/// A failure that ended a pass: the reason of the event about it, and its text.
pub type Aborted = (&'static str, String);

/// Executes a plan as far as it goes now. `distinct`: no two phases have the same name.
pub fn execute(
    work: &mut Work<'_, '_>,
    plan: &Plan,
    status: &mut PlanStatus,
    distinct: bool,
) -> Option<Aborted> {
    if status.status.is_terminal() {
        return None;
    }
    status.set(Status::InProgress);
    work.memory.plain = true;
    let (namespace, instance) = (work.meta.namespace.clone(), work.meta.instance.clone());
    let name = plan.name.value.as_str();
    let mut phases_left = plan.phases.len();
    for (at, phase) in plan.phases.iter().enumerate() {
        let phase_name = phase.name.value.as_str();
        let same = |it: &Arc<PhaseStatus>| &*it.name == phase_name;
        let here = (distinct && status.phases.get(at).is_some_and(same)).then_some(at);
        let Some(phase_at) = here.or_else(|| status.phases.iter().position(same)) else {
            let message =
                format!("{namespace}/{instance} fatal error:  missing phase status: {name}.{phase_name}");
            status.set_with(Status::FatalError, &message);
            return Some(("MissingPhaseStatus", format!("Error during execution: {message}")));
        };
        let Some(phase_status) = status.phases.get_mut(phase_at) else { continue };
        if phase_status.status.is_finished() {
            phases_left = phases_left.saturating_sub(1);
            continue;
        }
        let phase_status = Arc::make_mut(phase_status);
        if phase_status.status.is_running() {
            phase_status.set(Status::InProgress);
        }
        let mut done = vec![false; phase.steps.len()];
        for (at, step) in phase.steps.iter().enumerate() {
            let step_name = step.name.value.as_str();
            let same = |it: &StepStatus| &*it.name == step_name;
            let here = phase_status.steps.get(at).is_some_and(same).then_some(at);
            let Some(step_at) = here.or_else(|| phase_status.steps.iter().position(same)) else {
                let message = format!(
                    "{namespace}/{instance} fatal error:  missing step status: {name}.{phase_name}.{step_name}"
                );
                phase_status.set_with(Status::FatalError, &message);
                status.set(Status::FatalError);
                return Some(("MissingStepStatus", format!("Error during execution: {message}")));
            };
            let Some(step_status) = phase_status.steps.get_mut(step_at) else { continue };
            let done_now = done.get_mut(at);
            if step_status.status.is_finished() {
                if let Some(done) = done_now {
                    *done = true;
                }
                continue;
            }
            if step_status.status.is_running() {
                step_status.set(Status::InProgress);
            }
            let mut tasks_left: Vec<&str> = step.tasks.iter().map(|task| task.value.as_str()).collect();
            for task_name in &step.tasks {
                let path = format!("{name}.{phase_name}.{step_name}.{}", task_name.value);
                let task = work.version.task(&task_name.value);
                let aborted = match task {
                    None => {
                        let message = format!("{namespace}/{instance} fatal error:  missing task {path}");
                        Some((
                            "UnknownTaskName",
                            message.clone(),
                            format!("Error during execution: {message}"),
                        ))
                    }
                    Some(task) => build_problem(task).map(|problem| {
                        let message = format!(
                            "{namespace}/{instance} fatal error:  failed to build task {path}: {problem}"
                        );
                        ("TaskBuildError", message.clone(), format!("Error during execution: {message}"))
                    }),
                };
                if let Some((event, message, text)) = aborted {
                    step_status.set_with(Status::FatalError, &message);
                    phase_status.set(Status::FatalError);
                    status.set(Status::FatalError);
                    return Some((event, text));
                }
                let Some(task) = task else { continue };
                match work.run(&At { phase: phase_name, step: step_name, task }) {
                    Err(Failure::Fatal { message, event }) => {
                        step_status.set_with(Status::FatalError, &message);
                        phase_status.set(Status::FatalError);
                        status.set(Status::FatalError);
                        return Some((event, message));
                    }
                    Err(Failure::Transient(cause)) => {
                        let message =
                            format!("A transient error when executing task {path}. Will retry. {cause}");
                        step_status.set_with(Status::Error, &message);
                    }
                    Ok(true) => tasks_left.retain(|left| *left != task_name.value),
                    Ok(false) => {}
                }
            }
            if tasks_left.is_empty() {
                step_status.set(Status::Complete);
                if let Some(done) = done_now {
                    *done = true;
                }
            } else if phase.strategy.value == "serial" {
                break;
            }
        }
        // Steps of the same name are one to the real engine.
        let finished = |at: usize, step: &Step| {
            let named = |(other, done): (&Step, &bool)| *done && other.name.value == step.name.value;
            done.get(at) == Some(&true) || phase.steps.iter().zip(&done).any(named)
        };
        if phase.steps.iter().enumerate().all(|(at, step)| finished(at, step)) {
            phase_status.set(Status::Complete);
            phases_left = phases_left.saturating_sub(1);
        } else if plan.strategy.value == "serial" {
            break;
        }
    }
    if phases_left == 0 {
        status.set(Status::Complete);
    }
    None
}
