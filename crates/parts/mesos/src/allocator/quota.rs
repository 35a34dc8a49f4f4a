//! Quotas: guarantees and limits of top-level roles.
//!
//! *Knows*: what each role consumes, how much must be kept for guarantees, how an offer is reduced accordingly.
//! *Must not know*: frameworks, the order in which roles are served.
//!
//! A role consumes what is reserved for it or a role below it, in use or not, and its other allocations. Roles
//! without a guarantee get only as much as leaves all guarantees satisfiable (the headroom). These sums are kept only
//! while there are quotas; they are updated with every change, so that a run need not walk the cluster.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/hierarchical.cpp` (__generateOffers, shrinkResources),
//! `src/master/quota.cpp`. Match.

use super::{
    roles::top_level,
    share::{self, Quantities},
};
use crate::{
    api::{AgentId, Resource, Resources, Value},
    maintenance::quirk,
};
use planarium_kernel::Milli;
use planarium_kernel::{Digestible, SortedMap, SortedSet};
use planarium_protocol::Text;

/// A role's guarantees and limits; kinds that are not named have neither.
#[derive(Clone, Debug, Default, PartialEq, Eq, Digestible)]
#[digest(each guarantees, each limits, guarantees.len())]
pub(crate) struct Quota {
    /// Guaranteed amounts.
    pub(crate) guarantees: Quantities,
    /// Limits.
    pub(crate) limits: Quantities,
}

impl Quota {
    /// Returns whether it guarantees and limits nothing.
    pub(crate) fn is_default(&self) -> bool {
        self.guarantees.is_empty() && self.limits.is_empty()
    }
}

/// Additions to and removals from an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delta {
    /// Added.
    Add,
    /// Removed.
    Remove,
}

/// Sums over the cluster that quotas need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    quotas: SortedMap<Text, Quota>,
    /// By top-level role.
    consumed: SortedMap<Text, Quantities>,
    /// Sum of the guarantees that are not consumed yet.
    required: Quantities,
    /// Unreserved and not allocated.
    free: Quantities,
    /// Agents of which something was held back when they were last looked at.
    pub(crate) held_back: SortedSet<AgentId>,
}

fn scalars(resources: &Resources) -> impl Iterator<Item = (&Resource, Milli)> {
    resources.iter().filter_map(|resource| match resource.value {
        Value::Scalar(amount) => Some((resource, amount)),
        Value::Ranges(_) | Value::Set(_) => None,
    })
}

/// Returns whether a quota names this kind.
fn counts(resource: &Resource) -> bool {
    matches!(resource.value, Value::Scalar(_)) && resource.reservations.is_empty()
}

fn shift(sums: &mut Quantities, name: &Text, amount: Milli) {
    if amount.is_zero() {
        return;
    }
    let sum = sums.entry(name.clone()).or_default();
    *sum = sum.saturating_add(amount);
    if sum.is_zero() {
        sums.remove(name);
    }
}

/// Reduces resources to the allowed amount per kind; `None` allows any amount. Indivisible resources are taken whole
/// or not at all.
fn shrink(resources: &Resources, allowed: impl Fn(&Text) -> Option<Milli>) -> Resources {
    let (mut kept, mut taken) = (Resources::new(), Quantities::new());
    for (resource, amount) in scalars(resources) {
        let Some(most) = allowed(&resource.name) else {
            kept.add(resource.clone());
            continue;
        };
        let taken = taken.entry(resource.name.clone()).or_default();
        let left = most.saturating_sub(*taken);
        let part = if amount <= left {
            amount
        } else if resource.is_divisible() {
            left
        } else {
            Milli::ZERO
        };
        if part.is_positive() {
            *taken = taken.saturating_add(part);
            kept.add(resource.with_scalar(part));
        }
    }
    kept
}

impl Ledger {
    pub(crate) fn new(quotas: SortedMap<Text, Quota>) -> Self {
        let mut required = Quantities::new();
        for (name, amount) in quotas.values().flat_map(|quota| &quota.guarantees) {
            shift(&mut required, name, *amount);
        }
        Self { quotas, required, ..Self::default() }
    }

    pub(crate) const fn quotas(&self) -> &SortedMap<Text, Quota> {
        &self.quotas
    }

    /// An agent's total changes.
    pub(crate) fn total(&mut self, resources: &Resources, by: Delta) {
        for (resource, amount) in scalars(resources) {
            if counts(resource) {
                shift(&mut self.free, &resource.name, signed(amount, by));
            } else {
                self.consume(top_level(resource.role()), &resource.name, signed(amount, by));
            }
        }
    }

    /// The allocation under a role changes.
    pub(crate) fn allocated(&mut self, role: &str, resources: &Resources, by: Delta) {
        for (resource, amount) in scalars(resources).filter(|(resource, _)| counts(resource)) {
            let amount = signed(amount, by);
            shift(&mut self.free, &resource.name, Milli(amount.0.saturating_neg()));
            self.consume(top_level(role), &resource.name, amount);
        }
    }

    fn consume(&mut self, role: &str, name: &Text, amount: Milli) {
        let before = self.short(role, name);
        match self.consumed.get_mut(role) {
            Some(sums) => shift(sums, name, amount),
            None => shift(self.consumed.entry(role.into()).or_default(), name, amount),
        }
        let after = self.short(role, name);
        shift(&mut self.required, name, after.saturating_sub(before));
    }

    fn consumption(&self, role: &str, name: &str) -> Milli {
        self.consumed.get(role).and_then(|sums| sums.get(name)).copied().unwrap_or_default()
    }

    /// Returns the unmet part of a role's guarantee.
    fn short(&self, role: &str, name: &str) -> Milli {
        let guarantee = self.quotas.get(role).and_then(|quota| quota.guarantees.get(name));
        let guarantee = guarantee.copied().unwrap_or_default();
        guarantee.saturating_sub(self.consumption(role, name)).max(Milli::ZERO)
    }

    /// Returns whether a role lacks any of its guarantees.
    pub(crate) fn is_short(&self, role: &str) -> bool {
        let quota = self.quotas.get(role);
        quota.is_some_and(|quota| quota.guarantees.keys().any(|name| self.short(role, name).is_positive()))
    }

    /// Returns the amount that may be offered without touching the guarantees.
    fn surplus(&self, name: &str) -> Milli {
        let amount = |sums: &Quantities| sums.get(name).copied().unwrap_or_default();
        amount(&self.free).saturating_sub(amount(&self.required)).max(Milli::ZERO)
    }

    /// Returns the amount that a role may still get; none means any amount.
    fn room(&self, role: &str, name: &str) -> Option<Milli> {
        let own = if quirk::NESTED_ROLES_HAVE_NO_QUOTA { role } else { top_level(role) };
        let limit = self.quotas.get(own)?.limits.get(name)?;
        Some(limit.saturating_sub(self.consumption(own, name)).max(Milli::ZERO))
    }

    fn within_headroom(&self, resources: Resources) -> Resources {
        if self.required.is_empty() || resources.is_empty() {
            return resources;
        }
        shrink(&resources, |name| Some(self.surplus(name)))
    }

    /// First stage of a run: returns what a role is offered towards its guarantees; nothing if the agent has none of
    /// it.
    pub(crate) fn guaranteed(&self, role: &str, offerable: &Resources) -> Resources {
        let plain = offerable.filter(counts);
        let mut offered = shrink(&plain, |name| Some(self.short(role, name)));
        if offered.is_empty() {
            return offered;
        }
        let helps = offered.quantities();
        let more = plain.minus(&offered);
        let more = shrink(&more, |name| {
            let helped = helps.get(name).copied().unwrap_or_default();
            self.room(role, name).map(|room| room.saturating_sub(helped).max(Milli::ZERO))
        });
        // What helps is not part of the surplus, before or after.
        offered.add_all(&self.within_headroom(more));
        let beside = |resource: &Resource| {
            !counts(resource) && matches!(resource.role(), own if own == role || own == "*")
        };
        offered.add_all(&offerable.filter(beside));
        offered
    }

    /// Second stage: returns the rest for a role within its limits and the headroom.
    pub(crate) fn trimmed(&mut self, agent: AgentId, role: &str, offerable: Resources) -> Resources {
        let plain = offerable.filter(counts);
        let kept = self.within_headroom(shrink(&plain, |name| self.room(role, name)));
        if kept == plain {
            return offerable;
        }
        self.held_back.insert(agent);
        let mut offered = offerable.filter(|resource| !counts(resource));
        offered.add_all(&kept);
        offered
    }

    /// Returns whether the sums equal those of another record of the same quotas.
    pub(crate) fn agrees(&self, other: &Self) -> bool {
        let consumed = |books: &Self| {
            let mut all = books.consumed.clone();
            all.retain(|_, sums| !sums.is_empty());
            all
        };
        consumed(self) == consumed(other) && self.required == other.required && self.free == other.free
    }

    /// Returns whether the cluster has enough for all guarantees together.
    pub(crate) fn fits(quotas: &SortedMap<Text, Quota>, cluster: &Quantities) -> bool {
        let mut all = Quantities::new();
        for (name, amount) in quotas.values().flat_map(|quota| &quota.guarantees) {
            shift(&mut all, name, *amount);
        }
        share::contains(cluster, &all)
    }
}

fn signed(amount: Milli, by: Delta) -> Milli {
    match by {
        Delta::Add => amount,
        Delta::Remove => Milli(amount.0.saturating_neg()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn res(text: &str) -> Resources {
        Resources::parse(text).expect("test text")
    }

    fn quota(guarantees: &str, limits: &str) -> Quota {
        let amount = |text: &str| {
            let (name, amount) = text.split_once(':').expect("NAME:AMOUNT");
            (Text::from(name), Milli::parse(amount).expect("an amount"))
        };
        let sums = |text: &str| text.split(';').filter(|part| !part.is_empty()).map(amount).collect();
        Quota { guarantees: sums(guarantees), limits: sums(limits) }
    }

    fn ledger(quotas: &[(&str, &str, &str)], total: &str, allocated: &[(&str, &str)]) -> Ledger {
        let quotas =
            quotas.iter().map(|(role, guarantees, limits)| ((*role).into(), quota(guarantees, limits)));
        let mut ledger = Ledger::new(quotas.collect());
        ledger.total(&res(total), Delta::Add);
        for (role, text) in allocated {
            ledger.allocated(role, &res(text), Delta::Add);
        }
        ledger
    }

    #[test]
    fn offers_within_limits_and_headroom() {
        for (quotas, total, allocated, role, offerable, expected) in [
            // No quota of its own, and nothing kept for other roles.
            (&[("a", "", "cpus:1")][..], "cpus:10", &[][..], "b", "cpus:4;ports:[1-5]", "cpus:4;ports:[1-5]"),
            // A limit reduces the offer; resources that are not scalars, or are reserved, stay.
            (
                &[("a", "", "cpus:1")],
                "cpus:10",
                &[],
                "a",
                "cpus:4;mem:5;cpus(a):2;ports:[1-5]",
                "cpus:1;mem:5;cpus(a):2;ports:[1-5]",
            ),
            (&[("a", "", "cpus:3")], "cpus:10", &[("a", "cpus:2.5")], "a", "cpus:4", "cpus:0.5"),
            // Reservations count, used or not; so does what roles below hold.
            (
                &[("a", "", "cpus:3")],
                "cpus:7;cpus(a/x):2",
                &[("a/y", "cpus:1")],
                "a",
                "cpus:4;mem:1",
                "mem:1",
            ),
            (&[("a", "", "cpus:0")], "cpus:10", &[], "a", "cpus:4;mem:1", "mem:1"),
            // 6 of 10 are kept for the guarantee.
            (&[("a", "cpus:6", "")], "cpus:10", &[], "b", "cpus:10;mem:1", "cpus:4"),
            (
                &[("a", "cpus:6", "")],
                "cpus:10;mem:1",
                &[("a", "cpus:5")],
                "b",
                "cpus:5;mem:1",
                "cpus:4;mem:1",
            ),
            (&[("a", "cpus:6", "")], "cpus:10", &[("a", "cpus:6")], "b", "cpus:4", "cpus:4"),
            (&[("a", "cpus:6", ""), ("c", "cpus:3", "")], "cpus:10", &[], "b", "cpus:10", "cpus:1"),
            // Guarantees exceed the cluster: nothing is left for other roles.
            (&[("a", "cpus:60", "")], "cpus:10", &[], "b", "cpus:10", ""),
        ] {
            let mut ledger = ledger(quotas, total, allocated);
            let got = ledger.trimmed(AgentId(1), role, res(offerable));
            assert_eq!(got, res(expected), "{quotas:?} {allocated:?} {role}: {got}");
            assert_eq!(ledger.held_back.is_empty(), res(expected) == res(offerable), "{quotas:?} {role}");
        }
    }

    #[test]
    fn offers_for_guarantees() {
        for (quotas, total, allocated, offerable, expected) in [
            (&[("a", "cpus:6", "")][..], "cpus:10", &[][..], "cpus:4;mem:9", "cpus:4"),
            // A kind is offered in full if no other role has a guarantee of it.
            (
                &[("a", "cpus:2", "")],
                "cpus:10;mem:9",
                &[],
                "cpus:4;mem:9;ports:[1-2]",
                "cpus:4;mem:9;ports:[1-2]",
            ),
            (&[("a", "cpus:2", "cpus:3")], "cpus:10;mem:9", &[], "cpus:4;mem:9", "cpus:3;mem:9"),
            (&[("a", "cpus:2", ""), ("b", "cpus:7", "")], "cpus:10", &[], "cpus:4", "cpus:3"),
            // Nothing there that helps, or nothing lacking.
            (&[("a", "cpus:2", "")], "cpus:10;mem:9", &[], "mem:9", ""),
            (&[("a", "cpus:2", "")], "cpus:10;mem:9", &[("a", "cpus:2")], "cpus:4;mem:9", ""),
            (&[("a", "cpus:2", "")], "cpus:8;cpus(a):2", &[], "cpus:4;cpus(a):2", ""),
            (&[("a", "cpus:2", "")], "cpus:9;cpus(a):1", &[], "cpus:4;cpus(a):1", "cpus:4;cpus(a):1"),
        ] {
            let ledger = ledger(quotas, total, allocated);
            let got = ledger.guaranteed("a", &res(offerable));
            assert_eq!(got, res(expected), "{quotas:?} {allocated:?}: {got}");
            assert!(expected.is_empty() || ledger.is_short("a"), "{quotas:?} {allocated:?}");
        }
    }

    #[test]
    fn add_then_remove_restores_the_ledger() {
        let empty = ledger(&[("a", "cpus:3", "cpus:5")], "", &[]);
        let mut books = empty.clone();
        let (total, allocated) =
            (res("cpus:10;mem:9;cpus(a/x):2;ports:[1-5]"), res("cpus:2;cpus(a/x):1;mem:1"));
        books.total(&total, Delta::Add);
        books.allocated("a/x", &allocated, Delta::Add);
        assert_eq!((books.surplus("cpus"), books.required.len()), (Milli(8_000), 0));
        books.allocated("a/x", &allocated, Delta::Remove);
        books.total(&total, Delta::Remove);
        assert!(books.agrees(&empty), "{books:?}");
    }

    #[test]
    fn indivisible_resources_are_taken_whole() {
        use crate::api::{DiskInfo, DiskSource};
        let source = Some(DiskSource::Mount { root: "/m".into(), profile: None });
        let disk = Some(DiskInfo { source, persistence: None }.into());
        let mount = Resource { disk, ..Resource::scalar("disk", Milli(5_000)) };
        let all: Resources = [mount.clone(), Resource::scalar("disk", Milli(3_000))].into_iter().collect();
        for (most, expected) in [(8_000, 8_000), (7_000, 7_000), (4_000, 3_000), (0, 0)] {
            let kept = shrink(&all, |_| Some(Milli(most)));
            assert_eq!(kept.scalar("disk"), Milli(expected), "{most}: {kept}");
        }
    }
}
