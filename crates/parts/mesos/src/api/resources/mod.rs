//! A list of resources, with arithmetic that merges only what may be merged.

use super::{
    ranges::Ranges,
    resource::{Resource, Value},
};
use planarium_kernel::cow::{Entries, List, bytes_of};
use planarium_kernel::{Milli, SortedMap, Weight};
use planarium_protocol::Text;
use std::{
    iter::Enumerate,
    sync::{Arc, OnceLock},
};

/// Resources, merged where possible. *Order*: of first addition; [`PartialEq`] ignores it.
///
/// Copies share their list until one of them changes: an agent's free resources are offered, declined and recovered
/// as one list. When a long list changes, copies keep sharing the rest.
#[derive(Clone, Debug, Default, Weight)]
#[weight(0)]
pub struct Resources(Option<Arc<Bag>>);

/// The resources of a list; short lists are stored in one piece.
type Rows = List<Resource, 16>;

/// A list with its sums, which are computed when they are first asked for.
#[derive(Debug, Default, Weight)]
#[weight(flat rows, own self.summary.get().map_or(0, |sums| sums.bytes()))]
struct Bag {
    rows: Rows,
    summary: OnceLock<Box<Summary>>,
}

impl Clone for Bag {
    /// A copy is made in order to change it, so it starts without sums.
    fn clone(&self) -> Self {
        Self { rows: self.rows.clone(), summary: OnceLock::new() }
    }
}

/// The sums of a list.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Scalar sums by name.
    pub(crate) sums: SortedMap<Text, Milli>,
    /// The `cpus` and `mem` among them, which are asked for most.
    pub(crate) cpus: Milli,
    pub(crate) mem: Milli,
    /// Roles that anything is reserved for, each once.
    pub(crate) roles: Vec<Text>,
    /// Set if any reservation has more than one layer.
    pub(crate) refined: bool,
}

impl Summary {
    fn bytes(&self) -> u64 {
        bytes_of::<Self>(1) + bytes_of::<(Text, Milli)>(self.sums.len() + self.roles.len())
    }
}

/// The sums of the empty list.
static NOTHING: Summary = Summary {
    sums: SortedMap::new(),
    cpus: Milli::ZERO,
    mem: Milli::ZERO,
    roles: Vec::new(),
    refined: false,
};

impl Summary {
    fn of(rows: &Rows) -> Self {
        let mut all = Self::default();
        for resource in rows {
            add_one(&mut all.sums, resource);
            if let Some(top) = resource.reservations.last()
                && !all.roles.iter().any(|role| is_text(role, &top.role))
            {
                all.roles.push(top.role.clone());
            }
            all.refined |= resource.reservations.len() > 1;
        }
        all.cpus = all.sums.get("cpus").copied().unwrap_or_default();
        all.mem = all.sums.get("mem").copied().unwrap_or_default();
        all
    }
}

/// Adds a resource to sums, if it is a scalar.
pub(crate) fn add_one(sums: &mut SortedMap<Text, Milli>, resource: &Resource) {
    let Value::Scalar(amount) = resource.value else { return };
    match sum_mut(sums, &resource.name) {
        Some(sum) => *sum = sum.saturating_add(amount),
        None => _ = sums.insert(resource.name.clone(), amount),
    }
}

/// The sum under a name. There are only a few names, and agents of one kind share their texts.
pub(crate) fn sum_mut<'a>(sums: &'a mut SortedMap<Text, Milli>, name: &Text) -> Option<&'a mut Milli> {
    sums.iter_mut().find(|(mine, _)| is_text(mine, name)).map(|(_, sum)| sum)
}

/// Returns whether two texts are equal; most equal ones are one text in memory.
pub(crate) fn is_text(one: &Text, other: &Text) -> bool {
    Arc::ptr_eq(one, other) || **one == **other
}

impl Resources {
    /// The empty list.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Creates an empty list with capacity for this many resources.
    pub(crate) fn with_room(resources: usize) -> Self {
        Self(Some(Arc::new(Bag { rows: Rows::with_room(resources), summary: OnceLock::new() })))
    }

    fn of(rows: Rows) -> Self {
        Self((!rows.is_empty()).then(|| Arc::new(Bag { rows, summary: OnceLock::new() })))
    }

    fn rows(&self) -> Option<&Rows> {
        self.0.as_deref().map(|bag| &bag.rows)
    }

    fn rows_mut(&mut self) -> &mut Rows {
        let bag = Arc::make_mut(self.0.get_or_insert_default());
        bag.summary.take();
        &mut bag.rows
    }

    /// The sums. *Cost*: computed once per list.
    pub(crate) fn summary(&self) -> &Summary {
        self.0.as_deref().map_or(&NOTHING, |bag| bag.summary.get_or_init(|| Box::new(Summary::of(&bag.rows))))
    }

    /// Scalar sums by name. *Cost*: computed once per list.
    pub(crate) fn sums(&self) -> &SortedMap<Text, Milli> {
        &self.summary().sums
    }

    /// The same, if they are computed already.
    pub(crate) fn known_sums(&self) -> Option<&SortedMap<Text, Milli>> {
        self.0.as_deref()?.summary.get().map(|all| &all.sums)
    }

    /// Returns whether both share one list, or both are empty.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            _ => self.is_empty() && other.is_empty(),
        }
    }

    /// The resources one by one.
    pub fn iter(&self) -> Entries<'_, Resource> {
        self.rows().map_or_else(Entries::none, List::iter)
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.rows().is_none_or(List::is_empty)
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.rows().map_or(0, List::len)
    }

    /// The positions of all of `other`, if all are there in full.
    fn places_of<'a>(&self, other: &'a Self) -> Option<Vec<(usize, &'a Resource)>> {
        let (mut places, mut seeker) = (Vec::with_capacity(other.len()), Seeker::new(self));
        for theirs in other.iter().filter(|theirs| !theirs.value.is_empty()) {
            // Divisible resources of one list are all different, so each is found at its own place.
            let is_free = |at| theirs.is_divisible() || !places.iter().any(|(taken, _)| *taken == at);
            let at = seeker.seek(theirs, |at, mine| mine.contains(theirs) && is_free(at))?;
            places.push((at, theirs));
        }
        Some(places)
    }

    /// Adds one resource; an empty amount adds nothing.
    pub fn add(&mut self, resource: Resource) {
        if !resource.value.is_empty() {
            add_to(self.rows_mut(), resource);
        }
    }

    /// Adds all of `other`.
    pub fn add_all(&mut self, other: &Self) {
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        let rows = self.rows_mut();
        for resource in other {
            add_to(rows, resource.clone());
        }
    }

    /// Removes one resource if it is there in full; otherwise changes nothing and returns false.
    pub fn subtract(&mut self, resource: &Resource) -> bool {
        if resource.value.is_empty() {
            return true;
        }
        let Some(at) = find(self.iter(), resource, |mine| mine.contains(resource)) else { return false };
        let rows = self.rows_mut();
        let Some(mine) = rows.get_mut(at) else { return false };
        // What cannot be divided is there in full.
        mine.value.subtract(&resource.value);
        if mine.value.is_empty() {
            rows.remove(at);
        }
        true
    }

    /// Removes all of `other` if it is there in full; otherwise changes nothing and returns false.
    pub fn subtract_all(&mut self, other: &Self) -> bool {
        if self.is_same(other) {
            self.0 = None;
            return true;
        }
        let Some(places) = self.places_of(other) else { return false };
        if places.is_empty() {
            return true;
        }
        let rows = self.rows_mut();
        let mut emptied = false;
        for (at, theirs) in places {
            let Some(mine) = rows.get_mut(at) else { continue };
            mine.value.subtract(&theirs.value);
            emptied |= mine.value.is_empty();
        }
        if emptied {
            rows.retain(|mine| !mine.value.is_empty());
        }
        true
    }

    /// Returns the saturating difference.
    pub fn minus(&self, other: &Self) -> Self {
        if self.is_same(other) {
            return Self::new();
        }
        let mut less: Vec<Option<&Resource>> = vec![None; self.len()];
        let (mut seeker, mut any) = (Seeker::new(self), false);
        for theirs in other {
            let takes = |at: usize, mine: &Resource| {
                mine.is_alike(theirs)
                    && (mine.is_divisible()
                        || mine.value == theirs.value && less.get(at).is_some_and(Option::is_none))
            };
            let at = seeker.seek(theirs, takes);
            if let Some(place) = at.and_then(|at| less.get_mut(at)) {
                *place = Some(theirs);
                any = true;
            }
        }
        if !any {
            return self.clone();
        }
        let mut left = Rows::with_room(self.len());
        for (mine, theirs) in self.iter().zip(less) {
            let mut mine = mine.clone();
            if let Some(theirs) = theirs {
                mine.value.subtract(&theirs.value);
            }
            if !mine.value.is_empty() {
                left.push(mine);
            }
        }
        Self::of(left)
    }

    /// Returns whether every resource of `other` is there with the same metadata.
    pub fn contains(&self, other: &Self) -> bool {
        if self.is_same(other) {
            return true;
        }
        // Divisible resources of one list are all different, so none replaces another.
        if other.iter().all(Resource::is_divisible) {
            let mut seeker = Seeker::new(self);
            let mut has = |theirs: &Resource| seeker.seek(theirs, |_, mine| mine.contains(theirs)).is_some();
            return other.iter().all(|theirs| theirs.value.is_empty() || has(theirs));
        }
        self.places_of(other).is_some()
    }

    /// Returns whether this one resource is there.
    pub fn contains_one(&self, resource: &Resource) -> bool {
        resource.value.is_empty() || find(self.iter(), resource, |mine| mine.contains(resource)).is_some()
    }

    /// Those that `keep` accepts.
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

    /// Each changed by `change`, merged again.
    pub fn map(&self, change: impl Fn(&Resource) -> Resource) -> Self {
        self.iter().map(change).collect()
    }

    /// All allocated to a role.
    pub fn allocated(&self, role: &Text) -> Self {
        self.given(Some(role))
    }

    /// All without an allocation.
    pub fn unallocated(&self) -> Self {
        self.given(None)
    }

    fn given(&self, role: Option<&Text>) -> Self {
        if self.iter().all(|resource| resource.allocation_role.as_ref() == role) {
            return self.clone();
        }
        let give = |resource: &Resource| resource.given(role);
        let first = self.iter().next().map(|first| &first.allocation_role);
        if self.iter().all(|resource| Some(&resource.allocation_role) == first) {
            // What differed still differs.
            let mut rows = Rows::with_room(self.len());
            self.iter().for_each(|resource| rows.push(give(resource)));
            Self::of(rows)
        } else {
            self.map(give)
        }
    }

    /// Sums the scalars of a name, regardless of metadata.
    pub fn scalar(&self, name: &str) -> Milli {
        match self.0.as_deref().and_then(|bag| bag.summary.get()) {
            Some(all) => {
                all.sums.iter().find(|(mine, _)| &***mine == name).map_or(Milli::ZERO, |(_, sum)| *sum)
            }
            None => self.iter().filter(|resource| &*resource.name == name).map(Resource::amount).sum(),
        }
    }

    /// Returns all numbers in the ranges of a name, regardless of metadata.
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
        self.sums().clone()
    }
}

/// Finds the position of the `wanted` resource among those with the reservations of `like`; the fingerprint excludes
/// most others.
fn find(
    mut all: Entries<'_, Resource>,
    like: &Resource,
    wanted: impl Fn(&Resource) -> bool,
) -> Option<usize> {
    all.position(|mine| mine.reservations.may_be(&like.reservations) && wanted(mine))
}

/// Adds one resource; an empty amount adds nothing.
fn add_to(rows: &mut Rows, resource: Resource) {
    if resource.value.is_empty() {
        return;
    }
    let at = find(rows.iter(), &resource, |mine| mine.is_addable(&resource));
    match at.and_then(|at| rows.get_mut(at)) {
        Some(mine) => mine.value.add(&resource.value),
        None => rows.push(resource),
    }
}

/// Finds one resource after another in a list, each search starting where the last one ended: lists that are made
/// of each other have what they share in the same order.
struct Seeker<'a> {
    all: &'a Resources,
    rest: Enumerate<Entries<'a, Resource>>,
    /// The rest is all.
    fresh: bool,
}

impl<'a> Seeker<'a> {
    fn new(all: &'a Resources) -> Self {
        Self { all, rest: all.iter().enumerate(), fresh: true }
    }

    fn restart(&mut self) {
        self.rest = self.all.iter().enumerate();
        self.fresh = true;
    }

    /// Finds the position of a resource that `takes` accepts, among those with the reservations of `like`.
    fn seek(&mut self, like: &Resource, takes: impl Fn(usize, &Resource) -> bool) -> Option<usize> {
        if !like.is_divisible() {
            // Of several equal ones, the first.
            self.restart();
        }
        let fits = |(at, mine): &(usize, &Resource)| {
            mine.reservations.may_be(&like.reservations) && takes(*at, mine)
        };
        let mut found = self.rest.find(fits);
        if found.is_none() && !self.fresh {
            self.restart();
            found = self.rest.find(fits);
        }
        match found {
            Some((at, _)) => {
                self.fresh = false;
                Some(at)
            }
            None => {
                self.restart();
                None
            }
        }
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
        let items = items.into_iter();
        let mut rows = Rows::with_room(items.size_hint().0);
        for item in items {
            add_to(&mut rows, item);
        }
        rows.shrink_to_fit();
        Self::of(rows)
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

#[cfg(test)]
mod tests;
