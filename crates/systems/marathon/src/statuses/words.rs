//! The status words of apps, deployments, steps and actions, from the present state.
//!
//! *Knows*: the word for each state. *Must not know*: previous words.

use crate::deployments::{Deployment, Stage};
use crate::id::PathId;
use crate::instances::tracker::SpecNo;
use crate::records::Records;
use crate::shown;
use planarium_kernel::SimTime;

/// Returns the present word of an app or pod; empty if it does not exist.
pub(crate) fn app_word(records: &Records, no: SpecNo, now: SimTime) -> &'static str {
    let Some(run) = records.run(no) else { return "" };
    let counts = records.instances.counts(no);
    let Some(spec) = &run.spec else {
        return if run.job.is_some() || counts.all > 0 { shown::DEPLOYING } else { "" };
    };
    if counts.waiting > 0 {
        let delayed = !run.backoff.is_empty()
            && records.instances.waiting_of(no).all(|(_, instance)| !run.backoff.allows(&instance.spec, now));
        return if delayed { shown::DELAYED } else { shown::WAITING };
    }
    // A scale check holds the lock as well, and may still wait when a deployment has taken it over.
    let checking = run.rescaling.as_ref().map(|rescaling| rescaling.lock);
    if run.lock.is_some() && run.lock != checking {
        shown::DEPLOYING
    } else if spec.instances == 0 && counts.present == 0 {
        shown::SUSPENDED
    } else {
        shown::RUNNING
    }
}

/// The word of the action on a spec.
pub(crate) fn action_word(
    records: &Records,
    deployment: &Deployment,
    step: usize,
    no: Option<SpecNo>,
) -> &'static str {
    let current = deployment.under_way();
    let open = current == Some(step) && no.is_some_and(|no| deployment.open.contains(&no));
    let begun = current.is_some_and(|current| step <= current);
    match deployment.stage {
        Stage::Finished => shown::FINISHED,
        Stage::Canceled | Stage::Deploying if begun && !open => shown::FINISHED,
        Stage::Canceled => shown::CANCELED,
        Stage::Deploying if open => {
            let run = no.and_then(|no| records.run(no));
            match run.map(|run| run.shown) {
                Some(word @ (shown::WAITING | shown::DELAYED)) => word,
                _ => shown::DEPLOYING,
            }
        }
        Stage::Deploying | Stage::Scheduled => shown::SCHEDULED,
    }
}

pub(crate) fn plan_word(deployment: &Deployment) -> &'static str {
    match deployment.stage {
        Stage::Scheduled => shown::SCHEDULED,
        Stage::Deploying => shown::DEPLOYING,
        Stage::Finished => shown::FINISHED,
        Stage::Canceled => shown::CANCELED,
    }
}

pub(crate) fn step_word(deployment: &Deployment, step: usize) -> &'static str {
    let current = deployment.under_way();
    let before = current.is_some_and(|current| step < current);
    match deployment.stage {
        Stage::Finished => shown::FINISHED,
        Stage::Canceled | Stage::Deploying if before => shown::FINISHED,
        Stage::Canceled => shown::CANCELED,
        Stage::Deploying if current == Some(step) => shown::DEPLOYING,
        Stage::Deploying | Stage::Scheduled => shown::SCHEDULED,
    }
}

/// The place of an app's action in a step.
pub(crate) fn action_of(deployment: &Deployment, step: usize, id: &PathId) -> Option<usize> {
    let actions = &deployment.plan.steps.get(step)?.actions;
    actions.binary_search_by(|action| action.spec.id.cmp(id)).ok()
}
