//! A bag of resources with arithmetic that keeps unlike things apart.

use super::{
    ranges::Ranges,
    resource::{Resource, Value},
};
use planarium_kernel::cow::{Entries, List, behind};
use planarium_kernel::{Milli, SortedMap};
use planarium_protocol::Text;
use std::sync::Arc;

/// Resources, merged where they can be. *Order*: first addition; the [`PartialEq`] does not look at it.
///
/// Copies share their list until one of them changes: an agent's free resources are offered, held, turned down
/// and free again all as one list. A long one that changes goes on sharing what did not change.
#[derive(Clone, Debug, Default)]
pub struct Resources(Option<Arc<Bag>>);

/// The resources of a bag, few of them in one piece.
type Bag = List<Resource, 16>;

impl Resources {
    /// Nothing.
    pub const fn new() -> Self {
        Self(None)
    }

    fn of(list: Bag) -> Self {
        Self((!list.is_empty()).then(|| Arc::new(list)))
    }

    fn list_mut(&mut self) -> &mut Bag {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Bytes that this list takes and the one before does not.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let before = before.and_then(|before| before.0.as_ref());
        self.0.as_ref().map_or(0, |bag| behind(bag, before, |bag| bag.beyond(before.map(|before| &**before))))
    }

    /// Whether both are one list, or both nothing.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            _ => self.is_empty() && other.is_empty(),
        }
    }

    /// The resources one by one.
    pub fn iter(&self) -> Entries<'_, Resource> {
        self.0.as_deref().map_or_else(Entries::none, List::iter)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.as_deref().is_none_or(List::is_empty)
    }

    /// How many unlike resources there are.
    pub fn len(&self) -> usize {
        self.0.as_deref().map_or(0, List::len)
    }

    /// Adds one resource; an empty amount adds nothing.
    pub fn add(&mut self, resource: Resource) {
        if resource.value.is_empty() {
            return;
        }
        let at = self.iter().position(|mine| mine.is_addable(&resource));
        let list = self.list_mut();
        match at.and_then(|at| list.get_mut(at)) {
            Some(mine) => mine.value.add(&resource.value),
            None => list.push(resource),
        }
    }

    /// Adds all of `other`.
    pub fn add_all(&mut self, other: &Self) {
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        for resource in other {
            self.add(resource.clone());
        }
    }

    /// Takes one resource out when it is there in full; otherwise changes nothing and says false.
    pub fn subtract(&mut self, resource: &Resource) -> bool {
        if resource.value.is_empty() {
            return true;
        }
        let Some(at) = self.iter().position(|mine| mine.contains(resource)) else { return false };
        let list = self.list_mut();
        let Some(mine) = list.get_mut(at) else { return false };
        if !mine.is_divisible() {
            list.remove(at);
            return true;
        }
        mine.value.subtract(&resource.value);
        if mine.value.is_empty() {
            list.remove(at);
        }
        true
    }

    /// Takes all of `other` out when it is there in full; otherwise changes nothing and says false.
    pub fn subtract_all(&mut self, other: &Self) -> bool {
        if self.is_same(other) {
            self.0 = None;
            return true;
        }
        let there = self.contains(other);
        if there {
            for resource in other {
                self.subtract(resource);
            }
        }
        there
    }

    /// What is left when as much of `other` as there is has been taken out.
    pub fn minus(&self, other: &Self) -> Self {
        if self.is_same(other) {
            return Self::new();
        }
        let mut left = self.0.as_deref().cloned().unwrap_or_default();
        for theirs in other {
            let Some(at) = left.iter().position(|mine| {
                mine.is_alike(theirs) && (mine.is_divisible() || mine.value == theirs.value)
            }) else {
                continue;
            };
            let Some(mine) = left.get_mut(at) else { continue };
            mine.value.subtract(&theirs.value);
            if mine.value.is_empty() {
                left.remove(at);
            }
        }
        Self::of(left)
    }

    /// Whether every resource of `other` is there with the same metadata.
    pub fn contains(&self, other: &Self) -> bool {
        if self.is_same(other) {
            return true;
        }
        // Divisible resources of one bag are all unlike: each has a part here to itself.
        if other.iter().all(Resource::is_divisible) {
            return other.iter().all(|resource| self.contains_one(resource));
        }
        let mut left = self.clone();
        other.iter().all(|resource| left.subtract(resource))
    }

    /// Whether this one resource is there.
    pub fn contains_one(&self, resource: &Resource) -> bool {
        resource.value.is_empty() || self.iter().any(|mine| mine.contains(resource))
    }

    /// Those that `keep` says yes to.
    pub fn filter(&self, keep: impl Fn(&Resource) -> bool) -> Self {
        if self.iter().all(&keep) {
            return self.clone();
        }
        Self::of(self.iter().filter(|resource| keep(resource)).cloned().collect())
    }

    /// Those without a reservation.
    pub fn unreserved(&self) -> Self {
        self.filter(|resource| resource.reservations.is_empty())
    }

    /// Those reserved for exactly this role.
    pub fn reserved_for(&self, role: &str) -> Self {
        self.filter(|resource| !resource.reservations.is_empty() && resource.role() == role)
    }

    /// Each changed by `change`, merged again.
    pub fn map(&self, change: impl Fn(&Resource) -> Resource) -> Self {
        self.iter().map(change).collect()
    }

    /// All given to a role.
    pub fn allocated(&self, role: &Text) -> Self {
        self.given(Some(role))
    }

    /// All given to nobody.
    pub fn unallocated(&self) -> Self {
        self.given(None)
    }

    fn given(&self, role: Option<&Text>) -> Self {
        if self.iter().all(|resource| resource.allocation_role.as_ref() == role) {
            return self.clone();
        }
        let give = |resource: &Resource| Resource { allocation_role: role.cloned(), ..resource.clone() };
        let first = self.iter().next().map(|first| &first.allocation_role);
        if self.iter().all(|resource| Some(&resource.allocation_role) == first) {
            // What was unlike still is.
            Self::of(self.iter().map(give).collect())
        } else {
            self.map(give)
        }
    }

    /// Sum of the scalars of a name, whatever their metadata.
    pub fn scalar(&self, name: &str) -> Milli {
        self.iter().filter(|resource| &*resource.name == name).map(Resource::amount).sum()
    }

    /// All numbers of the ranges of a name, whatever their metadata.
    pub fn ranges(&self, name: &str) -> Ranges {
        self.iter().filter(|resource| &*resource.name == name).fold(Ranges::new(), |all, resource| {
            match &resource.value {
                Value::Ranges(ranges) => all.union(ranges),
                _ => all,
            }
        })
    }

    /// Scalar sums by name.
    pub fn quantities(&self) -> SortedMap<Text, Milli> {
        let mut sums: SortedMap<Text, Milli> = SortedMap::new();
        for resource in self {
            if let Value::Scalar(amount) = resource.value {
                let sum = sums.entry(resource.name.clone()).or_default();
                *sum = sum.saturating_add(amount);
            }
        }
        sums
    }

    /// The one that carries this `resource_id` label.
    pub fn by_resource_id(&self, id: &str) -> Option<&Resource> {
        self.iter().find(|resource| resource.resource_id().is_some_and(|mine| &**mine == id))
    }
}

impl PartialEq for Resources {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.contains(other) && other.contains(self)
    }
}

impl Eq for Resources {}

impl FromIterator<Resource> for Resources {
    fn from_iter<I: IntoIterator<Item = Resource>>(items: I) -> Self {
        let mut all = Self::new();
        for item in items {
            all.add(item);
        }
        if let Some(bag) = &mut all.0 {
            Arc::make_mut(bag).shrink_to_fit();
        }
        all
    }
}

impl IntoIterator for Resources {
    type Item = Resource;
    type IntoIter = std::vec::IntoIter<Resource>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter().cloned().collect::<Vec<_>>().into_iter()
    }
}

impl<'a> IntoIterator for &'a Resources {
    type Item = &'a Resource;
    type IntoIter = Entries<'a, Resource>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
