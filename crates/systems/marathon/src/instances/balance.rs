//! Apps and pods with a wrong number of instances and without a job.
//!
//! *Invariant*: contains exactly those last reported by [`Balance::weigh`].

use crate::instances::tracker::SpecNo;
use planarium_kernel::Map;

/// Apps and pods whose count is not right.
#[derive(Clone, Default)]
pub(crate) struct Balance {
    /// Specs with a wrong number of instances and without a job.
    unbalanced: Map<SpecNo, ()>,
    /// Specs that are not defined any more and have instances that are to run.
    orphans: Map<SpecNo, ()>,
}

impl Balance {
    /// Records the desired (`None` if undefined) and the wanted number of instances of a spec.
    pub(crate) fn weigh(&mut self, no: SpecNo, desired: Option<u32>, wanted: u32, locked: bool) {
        let unbalanced = !locked && desired.is_some_and(|desired| desired != wanted);
        set(&mut self.unbalanced, no, unbalanced);
        set(&mut self.orphans, no, desired.is_none() && wanted > 0);
    }

    /// Returns whether a spec has not as many instances as it should.
    pub(crate) fn is_unbalanced(&self, no: SpecNo) -> bool {
        self.unbalanced.contains_key(&no)
    }

    /// Returns whether a spec is not defined any more and has instances that are to run.
    pub(crate) fn is_orphan(&self, no: SpecNo) -> bool {
        self.orphans.contains_key(&no)
    }

    /// Specs that have not as many instances as they should.
    pub(crate) fn unbalanced(&self) -> Vec<SpecNo> {
        self.unbalanced.keys().copied().collect()
    }

    /// Specs that are not defined any more and have instances that are to run.
    pub(crate) fn orphans(&self) -> Vec<SpecNo> {
        self.orphans.keys().copied().collect()
    }

    /// Returns whether some count is not right.
    pub(crate) fn has_unbalanced(&self) -> bool {
        !self.unbalanced.is_empty()
    }

    /// Returns whether instances of something undefined are to run.
    pub(crate) fn has_orphans(&self) -> bool {
        !self.orphans.is_empty()
    }

    /// Returns the number of records.
    pub(crate) fn len(&self) -> usize {
        self.unbalanced.len() + self.orphans.len()
    }
}

/// Puts a key in or out.
fn set(map: &mut Map<SpecNo, ()>, no: SpecNo, wanted: bool) {
    if wanted {
        if !map.contains_key(&no) {
            map.insert(no, ());
        }
    } else {
        map.remove(&no);
    }
}
