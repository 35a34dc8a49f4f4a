//! Carrying a rolling restart out.
//!
//! *Knows*: how each move of [`Replacing`] is made. *Must not know*: which move comes when.

use crate::definition::RunSpec;
use crate::deployments::jobs::replacing::{Counted, Move, Replacing};
use crate::deployments::jobs::{Job, JobEvent, Work};
use crate::deployments::lifecycle::Deploying;
use crate::instances::instance::{Goal, Instance};
use crate::instances::tracker::{Key, SpecNo};
use std::sync::Arc;

impl Deploying<'_, '_> {
    pub(crate) fn begin_replace(&mut self, no: SpecNo) -> bool {
        let Some(mut taken) = self.take_job(no) else { return true };
        let job = Arc::make_mut(&mut taken);
        let (spec, deployment) = (job.spec.clone(), job.deployment);
        let counted = |(key, instance): (Key, &Arc<Instance>)| Counted {
            key,
            instance: instance.clone(),
            healthy: self.records.is_considered_healthy(key, instance),
        };
        let all: Vec<Counted> = self.records.instances.of_spec(no).map(counted).collect();
        let mut replacing = Replacing::new(&spec, &all);
        for one in &all {
            let instance = &one.instance;
            if instance.version() == spec.version.version {
                let healthy = self.records.is_known_healthy(one.key, instance);
                let asking = replacing.progress.look_at(&spec, one.key, instance, healthy);
                self.carry_asking_out(&spec, deployment, asking);
            }
        }
        for next in replacing.begin(&spec) {
            self.make_move(no, &spec, next);
        }
        self.records.reset_delay(self.port.cx, no, &spec);
        replacing.sample(self.port.now());
        let done = replacing.is_finished(&spec);
        job.work = Work::Replacing(Box::new(replacing));
        if done {
            self.end_job(no, job);
        } else {
            self.put_job(no, taken);
        }
        done
    }

    pub(crate) fn replacing_hears(&mut self, no: SpecNo, job: &mut Job, news: &JobEvent<'_>) -> bool {
        let (spec, deployment) = (job.spec.clone(), job.deployment);
        let Work::Replacing(replacing) = &mut job.work else { return false };
        let (heard, asking) = replacing.progress.hear(&spec, news);
        self.carry_asking_out(&spec, deployment, asking);
        let reaction = replacing.react(&spec, news, heard);
        if let Some(next) = reaction.next {
            self.make_move(no, &spec, next);
        }
        replacing.sample(self.port.now());
        reaction.done
    }

    fn make_move(&mut self, no: SpecNo, spec: &Arc<RunSpec>, next: Move) {
        let (instance, text) = match next {
            Move::Launch(count) => {
                let text = "the new version takes the place of the old one";
                self.records.launch(self.port.cx, no, spec, count, text);
                return;
            }
            Move::Kill(instance) => (instance, "a new version takes its place"),
            Move::LetGo(instance) => (instance, "it has ended, and a new version takes its place"),
        };
        let goal = if spec.is_resident() { Goal::Stopped } else { Goal::Decommissioned };
        self.records.set_goal(self.port.cx, Key { spec: no, no: instance }, goal, text);
    }
}
