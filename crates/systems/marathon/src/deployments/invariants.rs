//! Invariants of deployments.

use crate::deployments::Deployments;
use crate::instances::tracker::SpecNo;
use crate::records::Records;
use planarium_kernel::SortedSet;

/// Lists broken invariants in words.
pub(crate) fn check(records: &Records, deployments: &Deployments) -> Vec<String> {
    let mut found = Vec::new();
    for deployment in deployments.running() {
        let step = deployment.under_way().and_then(|step| deployment.plan.steps.get(step));
        for spec in &deployment.open {
            let Some(run) = records.run(*spec) else { continue };
            if !step.is_some_and(|step| step.actions.iter().any(|action| action.spec.id == run.id)) {
                found
                    .push(format!("{}: {} is open and in no action of the step", deployment.plan.id, run.id));
            }
            if run.job.as_ref().is_none_or(|job| job.deployment != deployment.no) {
                found.push(format!("{}: nobody works on {}", deployment.plan.id, run.id));
            }
        }
        if deployment.open.is_empty() {
            found.push(format!("{}: a deployment stands still", deployment.plan.id));
        }
    }
    for (no, run) in records.apps.iter() {
        let Some(job) = &run.job else { continue };
        let open = deployments.get(job.deployment).is_some_and(|one| one.open.contains(&no));
        if !open {
            found.push(format!("{}: a job without a deployment", run.id));
        }
    }
    let mut at_work: SortedSet<SpecNo> = SortedSet::new();
    for deployment in deployments.running() {
        for id in deployment.plan.affected() {
            if let Some(spec) = records.known_number(id)
                && !at_work.insert(spec)
            {
                found.push(format!("{id}: two deployments work on it"));
            }
        }
    }
    found
}
