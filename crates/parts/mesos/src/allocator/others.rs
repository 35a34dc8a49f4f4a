//! Holdings of owners other than frameworks: they reduce an agent's free, unreserved resources.
//!
//! *Knows*: the ledger's amounts as resources. *Must not know*: who the others are.

use super::{Allocator, Slot, quota::Delta};
use crate::api::{AgentId, Resource, Resources};
use planarium_kernel::Cause;

/// As much of `wanted` as is there.
fn take(free: &mut Resources, wanted: &Resources) -> Resources {
    if free.subtract_all(wanted) {
        return wanted.clone();
    }
    let left = free.minus(wanted);
    let taken = free.minus(&left);
    *free = left;
    taken
}

impl Slot {
    /// Returns the agent's resources without the holdings of others on its machine.
    pub(crate) fn own_total(&self) -> Resources {
        let mut total = self.free.clone();
        self.allocated.values().flat_map(super::Allocation::parts).for_each(|part| total.add_all(part));
        total
    }

    /// All resources of a kind, free and allocated.
    pub(crate) fn all_of(&self, keep: impl Fn(&Resource) -> bool + Copy) -> impl Iterator<Item = &Resource> {
        let allocated = self.allocated.values().flat_map(super::Allocation::parts);
        std::iter::once(&self.free).chain(allocated).flat_map(Resources::iter).filter(move |one| keep(one))
    }
}

impl Allocator {
    /// Sets what other parts hold of an agent's machine. Resources that are not free stay allocated.
    pub(crate) fn set_others(&mut self, id: AgentId, wanted: &Resources, cause: Cause) {
        let Some(slot) = self.slot_mut(id) else { return };
        let before = std::mem::take(&mut slot.others);
        slot.free.add_all(&before);
        slot.others = take(&mut slot.free, wanted);
        let after = slot.others.clone();
        self.account_total(&before, Delta::Add);
        self.account_total(&after, Delta::Remove);
        if !after.contains(&before) {
            self.revisit_held_back(cause);
            self.touch(id, cause);
        }
    }

    /// Notes that the holdings of an agent's tasks, executors or reservations have changed.
    pub(crate) fn note_held(&mut self, id: AgentId) {
        if let Unwritten::Of(agents) = &mut self.unwritten
            && !agents.contains(&id)
        {
            agents.push(id);
        }
    }

    /// Takes the agents whose holdings have to be written into the ledger.
    pub(crate) fn take_unwritten(&mut self) -> Unwritten {
        std::mem::replace(&mut self.unwritten, Unwritten::Of(Vec::new()))
    }

    /// Returns whether there are such agents.
    pub(crate) const fn has_unwritten(&self) -> bool {
        match &self.unwritten {
            Unwritten::All => true,
            Unwritten::Of(agents) => !agents.is_empty(),
        }
    }
}

/// Agents of which tasks, executors or reservations hold something else than the ledger says.
#[derive(Clone, Debug, Default)]
pub(crate) enum Unwritten {
    /// All of them: nothing was written yet.
    #[default]
    All,
    /// These.
    Of(Vec<AgentId>),
}
