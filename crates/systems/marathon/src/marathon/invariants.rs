//! Invariants: kept values against plain recomputation.

use crate::apps::SpecRun;
use crate::deployments;
use crate::instances::instance::{Instance, Task};
use crate::instances::tracker::Key;
use crate::marathon::Marathon;
use crate::statuses;
use crate::timers::Job;
use planarium_ground::ProcessId;
use planarium_kernel::{Weight, cow::bytes_of};

impl Marathon {
    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.records.instances.check();
        found.extend(self.kills.check(&self.records));
        found.extend(deployments::invariants::check(&self.records, &self.deployments));
        found.extend(statuses::changes::check(&self.records, &self.deployments));
        for (no, run) in self.records.apps.iter() {
            if run.spec != self.records.definitions.root.spec(&run.id).cloned() {
                found.push(format!("{}: what the tree says of it is not as kept", run.id));
            }
            let desired = self.records.desired(no);
            let wanted = self.records.instances.counts(no).wanted;
            let unbalanced = run.lock.is_none() && desired.is_some_and(|desired| desired != wanted);
            if self.records.balance.is_unbalanced(no) != unbalanced {
                found.push(format!("{}: whether counts are right is not as kept", run.id));
            }
            if self.records.balance.is_orphan(no) != (desired.is_none() && wanted > 0) {
                found.push(format!("{}: whether it is an orphan is not as kept", run.id));
            }
            found.extend(run.checks.values().flat_map(|checks| checks.check_all()));
            if self.records.known_number(&run.id) != Some(no) {
                found.push(format!("{}: not found by its id", run.id));
            }
        }
        if self.records.balance.has_unbalanced() && !self.records.timers.is_armed(Job::Scale) {
            found.push("counts are not right, and nobody will look".to_owned());
        }
        if self.records.definitions.levels()
            != crate::groups::Levels::of(&self.records.definitions.root).as_ref()
        {
            found.push("levels are not as kept".to_owned());
        }
        for id in self.records.definitions.root.specs.keys() {
            if !self.records.definitions.root.groups.contains_key(&id.parent()) {
                found.push(format!("{id}: its group is not there"));
            }
        }
        found.extend(self.probes.check());
        found
    }

    /// Estimates [`Marathon::beyond`] for all of it, from counts: a world is weighed with every input.
    pub(crate) fn weight(&self) -> u64 {
        let instances: usize = self.records.instances.specs().map(|(_, counts)| counts.all as usize).sum();
        let (specs, ids) = (
            self.records.apps.len(),
            self.records.definitions.root.specs.len() + self.records.definitions.root.groups.len(),
        );
        bytes_of::<Self>(1)
            + 2 * bytes_of::<Instance>(instances)
            + bytes_of::<Task>(instances)
            + 512 * instances as u64
            + bytes_of::<SpecRun>(specs)
            + 768 * specs as u64
            + 64 * ids as u64
            + self.records.events.beyond(None)
            + bytes_of::<(ProcessId, Key)>(2 * self.probes.len())
            + self.records.timers.beyond(None)
            + self.deployments.weight()
            + self.kills.weight()
    }
}
