//! A bag of resources with arithmetic that keeps unlike things apart.

use super::{
    ranges::Ranges,
    resource::{Resource, Value},
};
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::collections::BTreeMap;

/// Resources, merged where they can be. *Order*: first addition; the [`PartialEq`] does not look at it.
#[derive(Clone, Debug, Default)]
pub struct Resources(Vec<Resource>);

impl Resources {
    /// Nothing.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The resources one by one.
    pub fn iter(&self) -> std::slice::Iter<'_, Resource> {
        self.0.iter()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many unlike resources there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds one resource; an empty amount adds nothing.
    pub fn add(&mut self, resource: Resource) {
        if resource.value.is_empty() {
            return;
        }
        match self.0.iter_mut().find(|mine| mine.is_addable(&resource)) {
            Some(mine) => mine.value.add(&resource.value),
            None => self.0.push(resource),
        }
    }

    /// Adds all of `other`.
    pub fn add_all(&mut self, other: &Self) {
        for resource in &other.0 {
            self.add(resource.clone());
        }
    }

    /// Takes one resource out when it is there in full; otherwise changes nothing and says false.
    pub fn subtract(&mut self, resource: &Resource) -> bool {
        if resource.value.is_empty() {
            return true;
        }
        let Some(at) = self.0.iter().position(|mine| mine.contains(resource)) else { return false };
        let Some(mine) = self.0.get_mut(at) else { return false };
        if !mine.is_divisible() {
            self.0.remove(at);
            return true;
        }
        mine.value.subtract(&resource.value);
        if mine.value.is_empty() {
            self.0.remove(at);
        }
        true
    }

    /// Takes all of `other` out when it is there in full; otherwise changes nothing and says false.
    pub fn subtract_all(&mut self, other: &Self) -> bool {
        let there = self.contains(other);
        if there {
            for resource in &other.0 {
                self.subtract(resource);
            }
        }
        there
    }

    /// What is left when as much of `other` as there is has been taken out.
    pub fn minus(&self, other: &Self) -> Self {
        let mut left = self.clone();
        for theirs in &other.0 {
            let Some(at) = left.0.iter().position(|mine| {
                mine.is_alike(theirs) && (mine.is_divisible() || mine.value == theirs.value)
            }) else {
                continue;
            };
            let Some(mine) = left.0.get_mut(at) else { continue };
            mine.value.subtract(&theirs.value);
            if mine.value.is_empty() {
                left.0.remove(at);
            }
        }
        left
    }

    /// Whether every resource of `other` is there with the same metadata.
    pub fn contains(&self, other: &Self) -> bool {
        // Divisible resources of one bag are all unlike: each has a part here to itself.
        if other.0.iter().all(Resource::is_divisible) {
            return other.0.iter().all(|resource| self.contains_one(resource));
        }
        let mut left = self.clone();
        other.0.iter().all(|resource| left.subtract(resource))
    }

    /// Whether this one resource is there.
    pub fn contains_one(&self, resource: &Resource) -> bool {
        resource.value.is_empty() || self.0.iter().any(|mine| mine.contains(resource))
    }

    /// Those that `keep` says yes to.
    pub fn filter(&self, keep: impl Fn(&Resource) -> bool) -> Self {
        Self(self.0.iter().filter(|resource| keep(resource)).cloned().collect())
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
        self.0.iter().map(change).collect()
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
        let give = |resource: &Resource| Resource { allocation_role: role.cloned(), ..resource.clone() };
        let first = self.0.first().map(|first| &first.allocation_role);
        if self.0.iter().all(|resource| Some(&resource.allocation_role) == first) {
            // What was unlike still is.
            Self(self.0.iter().map(give).collect())
        } else {
            self.map(give)
        }
    }

    /// Sum of the scalars of a name, whatever their metadata.
    pub fn scalar(&self, name: &str) -> Milli {
        self.0.iter().filter(|resource| &*resource.name == name).map(Resource::amount).sum()
    }

    /// All numbers of the ranges of a name, whatever their metadata.
    pub fn ranges(&self, name: &str) -> Ranges {
        self.0.iter().filter(|resource| &*resource.name == name).fold(Ranges::new(), |all, resource| {
            match &resource.value {
                Value::Ranges(ranges) => all.union(ranges),
                _ => all,
            }
        })
    }

    /// Scalar sums by name.
    pub fn quantities(&self) -> BTreeMap<Text, Milli> {
        let mut sums: BTreeMap<Text, Milli> = BTreeMap::new();
        for resource in &self.0 {
            if let Value::Scalar(amount) = resource.value {
                let sum = sums.entry(resource.name.clone()).or_default();
                *sum = sum.saturating_add(amount);
            }
        }
        sums
    }

    /// The one that carries this `resource_id` label.
    pub fn by_resource_id(&self, id: &str) -> Option<&Resource> {
        self.0.iter().find(|resource| resource.resource_id().is_some_and(|mine| &**mine == id))
    }
}

impl PartialEq for Resources {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.contains(other) && other.contains(self)
    }
}

impl Eq for Resources {}

impl FromIterator<Resource> for Resources {
    fn from_iter<I: IntoIterator<Item = Resource>>(items: I) -> Self {
        let mut all = Self::new();
        for item in items {
            all.add(item);
        }
        all
    }
}

impl IntoIterator for Resources {
    type Item = Resource;
    type IntoIter = std::vec::IntoIter<Resource>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Resources {
    type Item = &'a Resource;
    type IntoIter = std::slice::Iter<'a, Resource>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
