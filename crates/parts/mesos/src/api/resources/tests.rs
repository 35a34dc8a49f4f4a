//! The arithmetic of bags against the plain one: one resource after another, each looked for from the front.

use super::*;
use crate::api::{DiskInfo, DiskSource, Reservation};
use planarium_kernel::draw::mix64;

/// Removes resources one by one; `None` if one of them is missing.
fn taken(from: &[Resource], other: &Resources) -> Option<Vec<Resource>> {
    let mut left = from.to_vec();
    for theirs in other {
        let at = left.iter().position(|mine| mine.contains(theirs))?;
        left[at].value.subtract(&theirs.value);
        if left[at].value.is_empty() {
            left.remove(at);
        }
    }
    Some(left)
}

/// Removes the resources that exist.
fn less(from: &[Resource], other: &Resources) -> Vec<Resource> {
    let mut left = from.to_vec();
    for theirs in other {
        let fits =
            |mine: &Resource| mine.is_alike(theirs) && (mine.is_divisible() || mine.value == theirs.value);
        let Some(at) = left.iter().position(fits) else { continue };
        left[at].value.subtract(&theirs.value);
        if left[at].value.is_empty() {
            left.remove(at);
        }
    }
    left
}

fn sum(one: &[Resource], other: &Resources) -> Vec<Resource> {
    let mut all = one.to_vec();
    for theirs in other {
        match all.iter_mut().find(|mine| mine.is_addable(theirs)) {
            Some(mine) => mine.value.add(&theirs.value),
            None => all.push(theirs.clone()),
        }
    }
    all
}

fn some(word: u64) -> Resource {
    let amount = |most: u64| Milli::from_int(i64::try_from(1 + (word >> 20) % most).expect("small"));
    let mut resource = match word % 8 {
        0 | 1 => Resource::scalar("cpus", amount(4)),
        2 | 3 => Resource::scalar("mem", amount(4)),
        4 => {
            let from = word >> 24 & 0xf;
            Resource::ranges("ports", Ranges::from_pairs([(from, from + (word >> 32 & 3))]))
        }
        5 => Resource::of("names", Value::Set(vec![["a", "b", "c"][(word >> 24) as usize % 3].into()])),
        _ => {
            let source = Some(DiskSource::Mount { root: "/m".into(), profile: None });
            let disk = Some(DiskInfo { source, persistence: None }.into());
            Resource { disk, ..Resource::scalar("disk", amount(2)) }
        }
    };
    if word >> 40 & 1 == 1 {
        let id = format!("{}", word >> 44 & 3);
        resource = resource.pushed(Reservation::dynamic("r", None).with_label("resource_id", id));
    }
    resource
}

fn bag(seed: u64, most: u64) -> Resources {
    (0..mix64(seed) % most).map(|n| some(mix64(seed << 8 | n))).collect()
}

#[test]
fn adding_and_subtracting_bags_equals_one_by_one() {
    let (mut whole, mut parts) = (0, 0);
    for seed in 0..4_000_u64 {
        let one = bag(2 * seed, 60);
        let mut other = bag(2 * seed + 1, 8);
        if seed.is_multiple_of(2) {
            // Parts of it, in another order.
            let rows: Vec<Resource> = one.iter().cloned().collect();
            let picked = rows.iter().rev().enumerate();
            let picked = picked.filter(|(n, _)| mix64(seed << 9 | *n as u64).is_multiple_of(3));
            other = picked.map(|(_, resource)| resource.clone()).collect();
        }
        let rows: Vec<Resource> = one.iter().cloned().collect();
        let is = |got: &Resources, expected: &[Resource]| {
            assert!(got.iter().eq(expected), "{seed}: {one} and {other} make {got}");
            let plain: Milli = expected.iter().filter(|r| &*r.name == "cpus").map(Resource::amount).sum();
            assert_eq!(
                (got.scalar("cpus"), got.sums().get("cpus").copied().unwrap_or_default()),
                (plain, plain)
            );
            assert_eq!(got.scalar("cpus"), plain);
        };
        let mut all = one.clone();
        all.summary();
        all.add_all(&other);
        is(&all, &sum(&rows, &other));
        is(&one.minus(&other), &less(&rows, &other));
        let mut left = one.clone();
        match taken(&rows, &other) {
            Some(expected) => {
                assert!(one.contains(&other) && left.subtract_all(&other));
                is(&left, &expected);
                whole += usize::from(!other.is_empty());
            }
            None => {
                assert!(!one.contains(&other) && !left.subtract_all(&other));
                is(&left, &rows);
                parts += 1;
            }
        }
        is(&one, &rows);
    }
    assert!(whole > 500 && parts > 500, "{whole} {parts}");
}
