//! Dominant shares: who has got how much of the cluster so far.
//!
//! Source: `apache/mesos: src/master/allocator/mesos/sorter/drf/sorter.cpp`. Match, with weights of 1; roles are
//! compared as a flat list, not level by level.

use crate::api::{Resources, Value};
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::{cmp::Ordering, collections::BTreeMap};

/// Scalar sums by name.
pub(crate) type Quantities = BTreeMap<Text, Milli>;

/// Adds the scalars of `resources`.
pub(crate) fn add(sums: &mut Quantities, resources: &Resources) {
    for resource in resources {
        let Value::Scalar(amount) = resource.value else { continue };
        match sums.get_mut(&resource.name) {
            Some(sum) => *sum = sum.saturating_add(amount),
            None => _ = sums.insert(resource.name.clone(), amount),
        }
    }
}

/// Takes the scalars of `resources` out.
pub(crate) fn subtract(sums: &mut Quantities, resources: &Resources) {
    for resource in resources {
        let Value::Scalar(amount) = resource.value else { continue };
        let Some(sum) = sums.get_mut(&resource.name) else { continue };
        *sum = sum.saturating_sub(amount);
        if sum.is_zero() {
            sums.remove(&resource.name);
        }
    }
}

/// A share as a fraction; the denominator is above zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    part: i64,
    whole: i64,
}

impl Share {
    /// The largest part of any kind that the cluster has.
    pub(crate) fn of(got: &Quantities, cluster: &Quantities) -> Self {
        let parts = got.iter().filter_map(|(name, part)| {
            let whole = cluster.get(name).filter(|whole| whole.is_positive())?;
            Some(Self { part: part.0, whole: whole.0 })
        });
        parts.max_by(Share::compare).unwrap_or(Self { part: 0, whole: 1 })
    }

    /// Smaller share first.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let cross = |a: i64, b: i64| i128::from(a) * i128::from(b);
        cross(self.part, other.whole).cmp(&cross(other.part, self.whole))
    }
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
}
