//! Allocation of a framework on an agent under one role.
//!
//! *Knows*: that offered resources usually come back as the list in which they were handed out. *Must not know*:
//! offers, tasks.
//!
//! Allocations stay the lists in which they were handed out. A declined offer, or one used for a pod, is then added
//! and removed without visiting the agent's other pods, whose resources stay shared between copies of the records.
//! Too many lists are merged, the smallest first, so that a resource is moved at most as often as there are sizes.

use crate::api::{Resource, Resources};

/// Largest number of lists: an agent has mostly fewer pods, so their lists are those of the tasks' records, and a copy of an
/// agent's record costs a pointer for each.
const LISTS: usize = 64;

/// All allocated resources, as lists. *Invariant*: none is empty, and there are at most [`LISTS`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocation {
    lists: Vec<Resources>,
}

impl Allocation {
    /// Returns whether nothing is allocated.
    pub(crate) fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Adds a list.
    pub(crate) fn add_all(&mut self, resources: &Resources) {
        if resources.is_empty() {
            return;
        }
        while self.lists.len() >= LISTS {
            let small = self.take_smallest();
            let mut other = self.take_smallest();
            other.add_all(&small);
            self.lists.push(other);
        }
        self.lists.push(resources.clone());
    }

    /// The shortest list; of several, the oldest.
    fn take_smallest(&mut self) -> Resources {
        let sizes = self.lists.iter().map(Resources::len).enumerate();
        let at = sizes.min_by_key(|(_, size)| *size).map(|(at, _)| at);
        at.map(|at| self.lists.remove(at)).unwrap_or_default()
    }

    /// Removes all of these when they are there in full; otherwise changes nothing and returns false.
    pub(crate) fn subtract_all(&mut self, resources: &Resources) -> bool {
        self.exchange(resources, &Resources::new())
    }

    /// Replaces all of `from` by `to`, when they are there in full; otherwise changes nothing and
    /// returns false.
    pub(crate) fn exchange(&mut self, from: &Resources, to: &Resources) -> bool {
        let same = self.lists.iter().position(|list| list.is_same(from));
        if let Some(at) = same.filter(|_| to.is_empty()) {
            self.lists.remove(at);
            return true;
        }
        let newest_first = (0..self.lists.len()).rev();
        let taken = newest_first.filter(|at| same.is_none_or(|same| same == *at));
        let at =
            taken.into_iter().find(|at| self.lists.get_mut(*at).is_some_and(|list| list.subtract_all(from)));
        let at = match at {
            Some(at) => at,
            None => {
                let mut all = self.all();
                if !all.subtract_all(from) {
                    return false;
                }
                self.lists = vec![all];
                0
            }
        };
        let Some(list) = self.lists.get_mut(at) else { return false };
        list.add_all(to);
        if list.is_empty() {
            self.lists.remove(at);
        }
        true
    }

    /// The lists.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Resources> {
        self.lists.iter()
    }

    /// Everything as one list.
    pub(crate) fn all(&self) -> Resources {
        let mut all = Resources::new();
        self.lists.iter().for_each(|list| all.add_all(list));
        all
    }
}

impl PartialEq<Resources> for Allocation {
    fn eq(&self, other: &Resources) -> bool {
        self.all() == *other
    }
}

impl<'a> IntoIterator for &'a Allocation {
    type Item = &'a Resource;
    type IntoIter = Box<dyn Iterator<Item = &'a Resource> + 'a>;
    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.parts().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Reservation;
    use planarium_kernel::Milli;

    fn cpus(amount: i64) -> Resources {
        [Resource::scalar("cpus", Milli::from_int(amount))].into_iter().collect()
    }

    fn reserved(pod: usize) -> Resources {
        let mine = Milli(100);
        let label = Reservation::dynamic("r", None).with_label("resource_id", format!("{pod}"));
        [Resource::scalar("cpus", mine).pushed(label)].into_iter().collect()
    }

    #[test]
    fn a_list_is_returned_as_handed_out_or_as_parts_of_all() {
        let (used, offered) = (cpus(4), cpus(3));
        let mut allocated = Allocation::default();
        allocated.add_all(&used);
        allocated.add_all(&offered);
        assert!(allocated == cpus(7) && allocated.lists.len() == 2);
        assert!(allocated.subtract_all(&offered) && allocated == cpus(4));
        assert!(
            allocated.parts().next().is_some_and(|list| list.is_same(&used)),
            "the other was not touched"
        );
        allocated.add_all(&offered);
        assert!(allocated.subtract_all(&cpus(5)) && allocated == cpus(2), "part of both");
        assert!(!allocated.subtract_all(&cpus(3)) && allocated == cpus(2), "more than there is");
        assert!(allocated.subtract_all(&cpus(2)) && allocated.is_empty());
        for _ in 0..3 * LISTS {
            allocated.add_all(&offered);
        }
        let all = i64::try_from(3 * LISTS * 3).expect("small");
        assert!(allocated == cpus(all) && allocated.lists.len() <= LISTS);
    }

    #[test]
    fn an_offer_used_by_one_pod_does_not_touch_others() {
        let mut allocated = Allocation::default();
        let mut all = Resources::new();
        for pod in 0..100 {
            let offer = cpus(2);
            allocated.add_all(&offer);
            let before: Vec<Resources> = allocated.lists.iter().rev().skip(1).cloned().collect();
            let used = reserved(pod);
            let part = [Resource::scalar("cpus", Milli(100))].into_iter().collect();
            assert!(allocated.exchange(&part, &used), "{pod}");
            assert!(allocated.subtract_all(&offer.minus(&part)), "the rest comes back");
            assert!(allocated.lists.iter().rev().skip(1).zip(&before).all(|(now, then)| now.is_same(then)));
            all.add_all(&used);
            assert!(allocated == all && allocated.lists.len() <= LISTS);
        }
        assert!((0..100).all(|pod| allocated.subtract_all(&reserved(pod))) && allocated.is_empty());
    }
}
