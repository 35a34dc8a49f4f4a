//! Reasons for apps, pods and groups in the plan of all apps.
//!
//! *Knows*: whose job an app waits for. *Must not know*: what a deployment's action waits for in detail.

use super::{Explainer, complete, count, reason};
use crate::instances::tracker::SpecNo;
use crate::shown;
use crate::view::lookup::Found;
use planarium_protocol::why::{ElementRef, Reason, ReasonKind};

fn is_done(word: &str) -> bool {
    matches!(word, shown::RUNNING | shown::SUSPENDED | shown::UNDEFINED)
}

impl Explainer<'_> {
    pub(super) fn all_apps(&self) -> Vec<Reason> {
        let records = self.records;
        let open = records.statuses.tally.phases().filter(|(_, word)| !is_done(word)).map(|(name, word)| {
            ElementRef {
                path: records.setup.path(shown::APPS, Some(name.clone()), None),
                status: word.into(),
            }
        });
        let open: Vec<ElementRef> = open.collect();
        if open.is_empty() { vec![complete("All apps run as they are to")] } else { self.children(open) }
    }

    pub(super) fn group(&self, group: &str) -> Vec<Reason> {
        let records = self.records;
        let mut open = Vec::new();
        for (_, run) in records.apps.iter().filter(|(_, run)| !run.shown.is_empty() && !is_done(run.shown)) {
            if &*shown::place_of(&run.id).phase == group {
                open.push(ElementRef { path: records.app_path(&run.id), status: run.shown.into() });
            }
        }
        if open.is_empty() {
            vec![complete("All apps of it run as they are to")]
        } else {
            self.children(open)
        }
    }

    pub(super) fn app(&mut self, no: SpecNo) -> Vec<Reason> {
        let records = self.records;
        let Some(run) = records.run(no).cloned() else { return Vec::new() };
        let mut reasons = Vec::new();
        if let Some(job) = &run.job {
            let deployment = self.deployments.get(job.deployment).cloned();
            if let Some(deployment) = &deployment {
                reasons.extend(self.job(no, deployment, job));
                let child = self.open_action(deployment, no);
                reasons.extend(child.map(|child| self.child(child)));
                self.deployment_remedies(deployment);
            }
            return reasons;
        }
        // No job works on it, but a deployment may have locked it.
        let locked = self.deployments.running().find(|one| one.plan.affected().contains(&run.id)).cloned();
        reasons.extend(self.waiting(no));
        if let Some(deployment) = &locked
            && !is_done(run.shown)
        {
            let locked = self.locked(deployment, no);
            // Its own waits continue independent of the deployment.
            let is_at_work = !reasons.is_empty();
            reasons.extend(locked.map(|reason| if is_at_work { beside(reason) } else { reason }));
            self.deployment_remedies(deployment);
            self.force_remedy(&run.id);
        }
        if let Some(rescaling) = &run.rescaling {
            let left: Vec<_> = rescaling.waits.left().collect();
            reasons.extend(self.killing(no, &left, "the count is put right"));
        }
        if records.definitions.root.spec(&run.id).is_none() {
            let left: Vec<_> = records.instances.of_spec(no).map(|(key, _)| key.no).collect();
            reasons.extend(self.killing(no, &left, "it is not defined any more"));
        }
        reasons.extend(self.count_is_wrong(no));
        if reasons.is_empty() {
            reasons.push(self.at_rest(no));
        }
        reasons
    }

    /// The action of the step under way that works on an app.
    fn open_action(&self, deployment: &crate::deployments::Deployment, no: SpecNo) -> Option<ElementRef> {
        let Found::Deployment(deployment) =
            self.shown().find(&shown::deployment_name(deployment.no), None, None)?
        else {
            return None;
        };
        let at = deployment.under_way()?;
        let id = &self.records.run(no)?.id;
        let index = crate::statuses::words::action_of(deployment, at, id)?;
        Some(self.action_ref(deployment, at, index))
    }

    /// A deployment has locked it and works on something else.
    fn locked(&self, deployment: &crate::deployments::Deployment, no: SpecNo) -> Option<Reason> {
        let id = &self.records.run(no)?.id;
        let current = deployment.under_way();
        let later = (0..deployment.plan.steps.len())
            .filter(|at| current.is_none_or(|current| *at > current))
            .find(|at| crate::statuses::words::action_of(deployment, *at, id).is_some());
        if let Some(at) = later {
            return self.not_its_turn(deployment, at);
        }
        let text = format!(
            "{} has it locked: its own action is done, other steps are not",
            shown::deployment_name(deployment.no)
        );
        let current = current.map(|at| self.step_ref(deployment, at));
        let kind =
            ReasonKind::NotItsTurn { strategy: "serial".into(), waiting_for: current.into_iter().collect() };
        Some(reason(text, Some(deployment.event), kind))
    }

    /// The number of instances is wrong, and no job works on it.
    fn count_is_wrong(&self, no: SpecNo) -> Option<Reason> {
        let records = self.records;
        let (at, wanted, there) = records.next_look_at_counts(no)?;
        let what = format!(
            "There are {} and there should be {wanted}; the next look at counts puts that right",
            count(there as usize, "instance")
        );
        Some(reason(
            format!("{what}, at {at}"),
            None,
            ReasonKind::Underway { what: what.into(), until_ms: Some(at.ms()) },
        ))
    }

    /// Nothing is to be done; adds other useful facts.
    fn at_rest(&self, no: SpecNo) -> Reason {
        let counts = self.shown().app_counts(no);
        if counts.running == 0 {
            return complete("It is to have no instances, and has none");
        }
        let sick = counts.running.saturating_sub(counts.healthy);
        let running = count(counts.running as usize, "instance");
        if sick > 0 {
            return complete(&format!("{running} of it run, as many as there should be; {sick} not healthy"));
        }
        complete(&format!("{running} of it run, as many as there should be"))
    }
}

/// A reason that is the case and that the element does not wait for.
fn beside(reason: Reason) -> Reason {
    Reason { kind: ReasonKind::Quirk { text: reason.text.as_str().into() }, ..reason }
}
