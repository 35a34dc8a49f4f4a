//! What must hold: kept values against plain recomputation.

use crate::instances::instance::{Instance, Task};
use crate::instances::tracker::{Key, SpecNo};
use crate::marathon::Marathon;
use crate::marathon::SpecRun;
use crate::timers::Job;
use planarium_ground::ProcessId;

impl Marathon {
    /// What does not hold, in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.tracker.check();
        found.extend(self.check_kills());
        found.extend(self.check_deployments());
        found.extend(self.check_board());
        for (no, run) in self.specs.iter() {
            if run.spec != self.root.spec(&run.id).cloned() {
                found.push(format!("{}: what the tree says of it is not as kept", run.id));
            }
            let desired = self.desired(no);
            let wanted = self.tracker.counts(no).wanted;
            let unbalanced = run.lock.is_none() && desired.is_some_and(|desired| desired != wanted);
            if self.unbalanced.contains_key(&no) != unbalanced {
                found.push(format!("{}: whether counts are right is not as kept", run.id));
            }
            if self.orphans.contains_key(&no) != (desired.is_none() && wanted > 0) {
                found.push(format!("{}: whether it is an orphan is not as kept", run.id));
            }
            found.extend(run.checks.values().flat_map(|checks| checks.check_all()));
            if self.known_number(&run.id) != Some(no) {
                found.push(format!("{}: not found by its id", run.id));
            }
        }
        if !self.unbalanced.is_empty() && !self.is_armed(Job::Scale) {
            found.push("counts are not right, and nobody will look".to_owned());
        }
        if self.levels() != crate::groups::Levels::of(&self.root).as_ref() {
            found.push("levels are not as kept".to_owned());
        }
        for id in self.root.specs.keys() {
            if !self.root.groups.contains_key(&id.parent()) {
                found.push(format!("{id}: its group is not there"));
            }
        }
        for (pid, key) in &self.watched {
            if self.asked.get(key) != Some(pid) {
                found.push(format!("process {} is watched for nobody", pid.0));
            }
        }
        found
    }

    /// Bytes that this process holds and `before` does not, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        use planarium_kernel::cow::{behind, bytes_of};
        let run = |now: &std::sync::Arc<crate::marathon::SpecRun>,
                   old: Option<&std::sync::Arc<crate::marathon::SpecRun>>| {
            behind(now, old, crate::apps::SpecRun::weight)
        };
        bytes_of::<Self>(1)
            + self.tracker.beyond(before.map(|before| &before.tracker))
            + self.specs.beyond(before.map(|before| &before.specs), run)
            + self.bus.beyond(before.map(|before| &before.bus))
            + self.root.specs.beyond_flat(before.map(|before| &before.root.specs))
            + self.root.groups.beyond_flat(before.map(|before| &before.root.groups))
            + self.numbers.beyond_flat(before.map(|before| &before.numbers))
            + self.watched.beyond_flat(before.map(|before| &before.watched))
            + self.asked.beyond_flat(before.map(|before| &before.asked))
            + self.timers.bytes()
            + self.deployments.weight()
            + self.kills.weight()
            + bytes_of::<SpecNo>(self.unbalanced.len() + self.orphans.len())
    }

    /// About what [`Marathon::beyond`] says of all of it, by counts: a world is weighed with every input.
    pub(crate) fn weight(&self) -> u64 {
        use planarium_kernel::cow::bytes_of;
        let instances: usize = self.tracker.specs().map(|(_, counts)| counts.all as usize).sum();
        let (specs, ids) = (self.specs.len(), self.root.specs.len() + self.root.groups.len());
        bytes_of::<Self>(1)
            + 2 * bytes_of::<Instance>(instances)
            + bytes_of::<Task>(instances)
            + 512 * instances as u64
            + bytes_of::<SpecRun>(specs)
            + 768 * specs as u64
            + 64 * ids as u64
            + self.bus.beyond(None)
            + bytes_of::<(ProcessId, Key)>(2 * self.watched.len())
            + self.timers.bytes()
            + self.deployments.weight()
            + self.kills.weight()
    }
}
