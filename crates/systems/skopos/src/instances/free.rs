//! Free slots of groups.
//!
//! *Knows*: which slots were taken. *Must not know*: instances.

use super::{ComponentId, Group, Slot};
use std::collections::BTreeMap;

/// Gives each slot once: the requested one, or the next free one of its group. A thousand requests for one slot take as long as a
/// thousand for different ones.
#[derive(Debug, Default)]
pub(crate) struct FreeSlots {
    /// Taken slots, with an index after which the next free one is.
    next: BTreeMap<Slot, u64>,
    counts: BTreeMap<(ComponentId, Group), u64>,
}

impl FreeSlots {
    /// Takes a slot.
    pub(crate) fn take(&mut self, wanted: Slot) -> Slot {
        let (mut slot, mut passed) = (wanted, Vec::new());
        while let Some(next) = self.next.get(&slot) {
            passed.push(slot);
            slot.index = *next;
        }
        // After the last index comes the first one: there are fewer instances than indices.
        let next = slot.index.wrapping_add(1);
        self.next.insert(slot, next);
        for before in passed {
            self.next.insert(before, next);
        }
        *self.counts.entry((slot.component, slot.group)).or_default() += 1;
        slot
    }

    /// Returns the number of slots of a group that were taken.
    pub(crate) fn taken(&self, component: ComponentId, group: Group) -> u64 {
        self.counts.get(&(component, group)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_slot_leads_to_the_next_free_one() {
        let mut free = FreeSlots::default();
        let mut index = |group, index| free.take(Slot { component: ComponentId(0), group, index }).index;
        let old = [0, 0, 5, 3, 0, 2, 5, 5, 0].map(|wanted| index(Group::Old, wanted));
        assert_eq!(old, [0, 1, 5, 3, 2, 4, 6, 7, 8]);
        assert_eq!(index(Group::New, 0), 0, "groups are separate");
        assert_eq!([u64::MAX; 3].map(|wanted| index(Group::New, wanted)), [u64::MAX, 1, 2]);
        let taken = |group| free.taken(ComponentId(0), group);
        assert_eq!((taken(Group::Old), taken(Group::New)), (9, 4));
    }

    #[test]
    fn many_requests_for_one_slot_are_quick() {
        let mut free = FreeSlots::default();
        let slot = Slot { component: ComponentId(0), group: Group::Old, index: 0 };
        let last = (0..100_000).map(|_| free.take(slot).index).last();
        assert_eq!(last, Some(99_999));
    }
}
