//! Bringing counts right outside of deployments.
//!
//! *Knows*: that a spec without a lock gets the count that its definition has: some end first, then others start.
//! *Must not know*: when that is looked at; which instances go, which is [`scaling`](crate::instances::scaling)'s.
//!
//! **Source**: `marathon: MarathonSchedulerActor.scala (SchedulerActions.scale),
//! core/task/termination/impl/KillStreamWatcher.scala`. Match.

use crate::apps::Rescaling;
use crate::instances::instance::Instance;
use crate::instances::scaling::{Ending, Proposition, propose};
use crate::instances::tracker::{Key, SpecNo};
use crate::records::Records;
use planarium_part::Cx;
use std::sync::Arc;

impl Records {
    /// Scales a spec to its definition, unless a job works on it.
    pub(crate) fn rescale(&mut self, cx: &mut Cx, no: SpecNo) {
        let Some(run) = self.run(no).filter(|run| run.lock.is_none()) else { return };
        let Some(spec) = self.definitions.root.spec(&run.id).cloned() else { return };
        let instances = self.instances_of(no);
        let proposition = propose(&instances, &[], spec.instances, &spec);
        if proposition == Proposition::default() {
            return;
        }
        let lock = self.lock(no);
        if proposition.go.is_empty() {
            self.launch(cx, no, &spec, proposition.come, "there are fewer instances than there should be");
            self.unlock(no, lock);
            return;
        }
        self.end_instances(cx, no, &proposition.go, "there are more instances than there should be");
        // It waits for all instances, not only for those that go.
        let mut waits = Ending::of(&instances);
        waits.look(|instance| self.instances.get(Key { spec: no, no: instance }).cloned());
        let rescaling = Rescaling { lock, waits, start: proposition.come };
        if let Some(run) = self.run_mut(no) {
            run.rescaling = Some(Arc::new(rescaling));
        }
        self.go_on_rescaling(cx, no);
    }

    /// Starts missing instances once all instances to kill have ended.
    pub(crate) fn go_on_rescaling(&mut self, cx: &mut Cx, no: SpecNo) {
        let over = |rescaling: &Arc<Rescaling>| rescaling.waits.is_over();
        let Some(run) = self.run_mut(no).filter(|run| run.rescaling.as_ref().is_some_and(over)) else {
            return;
        };
        let Some(rescaling) = run.rescaling.take() else { return };
        let spec = self.run(no).and_then(|run| self.definitions.root.spec(&run.id)).cloned();
        if let Some(spec) = spec.filter(|_| rescaling.start > 0) {
            self.launch(cx, no, &spec, rescaling.start, "there are fewer instances than there should be");
        }
        self.unlock(no, rescaling.lock);
    }

    /// An instance of a spec changed that waits for instances to end.
    pub(crate) fn rescaling_hears(&mut self, cx: &mut Cx, no: SpecNo, instance: &Instance, deleted: bool) {
        if self.run(no).is_none_or(|run| run.rescaling.is_none()) {
            return;
        }
        let Some(rescaling) = self.run_mut(no).and_then(|run| run.rescaling.as_mut()) else { return };
        if Arc::make_mut(rescaling).waits.hear(instance, deleted) {
            self.go_on_rescaling(cx, no);
        }
    }
}
