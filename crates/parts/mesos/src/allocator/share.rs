//! Dominant shares: how much of the cluster a framework or role has.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/sorter/drf/sorter.cpp`. Match; exact where the real one
//! compares floating-point numbers.

use crate::api::{
    Resources,
    resources::{add_one, is_text, sum_mut},
};
use planarium_kernel::Milli;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::cmp::Ordering;

/// Scalar sums by name.
pub(crate) type Quantities = SortedMap<Text, Milli>;

/// Adds the scalars of `resources`.
pub(crate) fn add(sums: &mut Quantities, resources: &Resources) {
    match resources.known_sums() {
        Some(more) => plus(sums, more),
        None => resources.iter().for_each(|resource| add_one(sums, resource)),
    }
}

/// Subtracts the scalars of `resources`.
pub(crate) fn subtract(sums: &mut Quantities, resources: &Resources) {
    minus(sums, resources.sums());
}

/// Adds sums.
pub(crate) fn plus(sums: &mut Quantities, more: &Quantities) {
    if sums.is_empty() {
        sums.clone_from(more);
        return;
    }
    let known = for_each_known(sums, more, |sum, amount| *sum = sum.saturating_add(amount));
    for (name, amount) in more.iter().skip(known) {
        match sum_mut(sums, name) {
            Some(sum) => *sum = sum.saturating_add(*amount),
            None => _ = sums.insert(name.clone(), *amount),
        }
    }
}

/// Subtracts sums.
pub(crate) fn minus(sums: &mut Quantities, less: &Quantities) {
    let mut spent = false;
    let known = for_each_known(sums, less, |sum, amount| {
        *sum = sum.saturating_sub(amount);
        spent |= sum.is_zero();
    });
    for (name, amount) in less.iter().skip(known) {
        if let Some(sum) = sum_mut(sums, name) {
            *sum = sum.saturating_sub(*amount);
            spent |= sum.is_zero();
        }
    }
    if spent {
        sums.retain(|_, sum| !sum.is_zero());
    }
}

/// Compares both side by side as far as their names agree: both are in order. Returns how far that is.
fn for_each_known(
    sums: &mut Quantities,
    other: &Quantities,
    mut change: impl FnMut(&mut Milli, Milli),
) -> usize {
    let mut known = 0;
    for ((own, sum), (name, amount)) in sums.iter_mut().zip(other) {
        if !is_text(own, name) {
            break;
        }
        change(sum, *amount);
        known += 1;
    }
    known
}

/// Returns whether `sums` contain all of `other`.
pub(crate) fn contains(sums: &Quantities, other: &Quantities) -> bool {
    other.iter().all(|(name, amount)| sums.get(name).copied().unwrap_or_default() >= *amount)
}

/// A share over a weight, as a fraction; the denominator is above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    part: i64,
    whole: i64,
    /// In thousandths, above zero.
    weight: u64,
}

/// The default weight.
const PLAIN: u64 = Milli::ONE.0.unsigned_abs();

impl Share {
    /// No share.
    pub(crate) const NOTHING: Self = Self { part: 0, whole: 1, weight: PLAIN };

    /// The largest fraction of any kind that the cluster has.
    pub(crate) fn of(got: &Quantities, cluster: &Quantities) -> Self {
        largest(got.iter().filter_map(|(name, part)| {
            let whole = cluster.get(name).filter(|whole| whole.is_positive())?;
            Some(Self { part: part.0, whole: whole.0, weight: PLAIN })
        }))
    }

    /// The same for the sum of two.
    pub(crate) fn of_both(one: &Quantities, other: &Quantities, cluster: &Quantities) -> Self {
        let amount = |sums: &Quantities, name: &Text| sums.get(name).copied().unwrap_or_default();
        let kinds = cluster.iter().filter(|(_, whole)| whole.is_positive());
        largest(kinds.map(|(name, whole)| {
            let part = amount(one, name).saturating_add(amount(other, name));
            Self { part: part.0, whole: whole.0, weight: PLAIN }
        }))
    }

    /// The same divided by a weight.
    pub(crate) fn over(self, weight: Milli) -> Self {
        Self { weight: weight.0.max(1).unsigned_abs(), ..self }
    }

    /// Smaller share first.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let cross =
            |a: i64, b: i64| u128::from(a.max(0).unsigned_abs()) * u128::from(b.max(0).unsigned_abs());
        let (mine, theirs) = (cross(self.part, other.whole), cross(other.part, self.whole));
        if self.weight == other.weight {
            return mine.cmp(&theirs);
        }
        times(mine, other.weight).cmp(&times(theirs, self.weight))
    }
}

fn largest(parts: impl Iterator<Item = Share>) -> Share {
    parts.max_by(Share::compare).unwrap_or(Share::NOTHING)
}

/// A product of three factors, exactly: its upper and its lower bits.
fn times(product: u128, factor: u64) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let low = (product & LOW) * u128::from(factor);
    let high = (product >> 64) * u128::from(factor) + (low >> 64);
    (high, low & LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dominant_kind_decides() {
        let sums = |text: &str| Resources::parse(text).expect("test text").quantities();
        let cluster = sums("cpus:10;mem:1000;gpus:0");
        for (a, b, expected) in [
            ("cpus:1;mem:50", "cpus:1;mem:60", Ordering::Equal),
            ("cpus:1;mem:200", "cpus:1.9;mem:0", Ordering::Greater),
            ("", "cpus:0.001", Ordering::Less),
            ("gpus:5", "", Ordering::Equal),
            ("other:5", "", Ordering::Equal),
        ] {
            let (a, b) = (Share::of(&sums(a), &cluster), Share::of(&sums(b), &cluster));
            assert_eq!(a.compare(&b), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn weights_divide_exactly() {
        let share =
            |part: i64, whole: i64, weight: i64| Share { part, whole, weight: PLAIN }.over(Milli(weight));
        for (a, b, expected) in [
            (share(3, 10, 3_000), share(1, 10, 1_000), Ordering::Equal),
            (share(3, 10, 2_999), share(1, 10, 1_000), Ordering::Greater),
            (share(i64::MAX, i64::MAX, i64::MAX), share(i64::MAX - 1, i64::MAX, i64::MAX), Ordering::Greater),
            (share(i64::MAX, i64::MAX, i64::MAX), share(i64::MAX, i64::MAX, i64::MAX - 1), Ordering::Less),
            (share(0, 1, 1), share(0, 7, 9), Ordering::Equal),
        ] {
            assert_eq!(a.compare(&b), expected, "{a:?} {b:?}");
            assert_eq!(b.compare(&a), expected.reverse(), "{b:?} {a:?}");
        }
    }
}
