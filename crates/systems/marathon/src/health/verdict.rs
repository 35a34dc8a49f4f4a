//! Which instances count as healthy, and which checks are still needed.

use crate::definition::spec::Stamp;
use crate::instances::instance::{Condition, Instance};
use crate::instances::tracker::{Key, SpecNo};
use crate::records::Records;

impl Records {
    /// Returns whether an instance is known to be healthy.
    pub(crate) fn is_known_healthy(&self, key: Key, instance: &Instance) -> bool {
        if instance.healthy == Some(true) {
            return true;
        }
        if self.setup.settings.strict_health {
            return false;
        }
        let checks = self.run(key.spec).and_then(|run| run.checks.get(&instance.version()));
        match checks {
            Some(checks) => checks.overall(key.no) == Some(true),
            // Readiness or a check that is only shown says nothing of a running instance.
            None => !instance.spec.has_health() && instance.condition == Condition::Running,
        }
    }

    /// Returns whether an instance counts as healthy when a restart begins.
    pub(crate) fn is_considered_healthy(&self, key: Key, instance: &Instance) -> bool {
        !instance.spec.has_checks() || self.is_known_healthy(key, instance)
    }

    /// Ends the checks of versions that no instance has any more.
    pub(crate) fn drop_old_checks(&mut self, no: SpecNo) {
        let Some(run) = self.run(no).filter(|run| run.checks.len() > 1) else { return };
        let current = self.definitions.root.spec(&run.id).map(|spec| spec.version.version);
        let mut used: Vec<Stamp> =
            self.instances.of_spec(no).map(|(_, instance)| instance.version()).collect();
        used.extend(current);
        if let Some(run) = self.run_mut(no) {
            run.checks.retain(|version, _| used.contains(version));
        }
    }
}
