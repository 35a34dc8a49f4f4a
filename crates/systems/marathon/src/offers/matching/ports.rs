//! Ports of an offer for a task.
//!
//! **Source**: `marathon: tasks/PortsMatcher.scala`. Match.

use super::Luck;
use crate::definition::spec::HostPorts;
use planarium_kernel::draw;
use planarium_mesos::api::{Ranges, Resource, Value};

const SHUFFLE: u32 = 0x6d01;
const START: u32 = 0x6d02;

/// Which resource a range is of, its first and its last port.
type Part = (usize, u64, u64);

/// A port and which resource it is of.
type Port = (usize, u64);

/// Chooses ports, at random where any will do. Answers them by place in the definition, none where none is mapped; `into`
/// gets the same as resources.
pub(crate) fn choose(
    wanted: &HostPorts,
    usable: &[&Resource],
    luck: Luck,
    into: &mut Vec<Resource>,
) -> Option<Vec<Option<u32>>> {
    if wanted.len() == 0 {
        return Some(Vec::new());
    }
    let ports = || usable.iter().enumerate().filter(|(_, resource)| &*resource.name == "ports");
    let mut parts: Vec<Part> = Vec::with_capacity(16);
    for (at, resource) in ports() {
        if let Value::Ranges(ranges) = &resource.value {
            parts.extend(ranges.pairs().iter().map(|(first, last)| (at, *first, *last)));
        }
    }
    let chosen: Option<Vec<Option<Port>>> = match wanted {
        HostPorts::Any(count) => {
            let mut random = Random::new(parts, luck);
            (0..*count).map(|_| random.next().map(Some)).collect()
        }
        HostPorts::Fixed(ports) => ports.iter().map(|port| holder(&parts, *port).map(Some)).collect(),
        HostPorts::Mapped(ports) => {
            let is_fixed =
                |port: u64| ports.iter().flatten().any(|fixed| *fixed != 0 && u64::from(*fixed) == port);
            let mut random = Random::new(parts.clone(), luck).filter(|(_, port)| !is_fixed(*port));
            let choose = |port: &Option<u32>| match port {
                None => Some(None),
                Some(0) => random.next().map(Some),
                Some(port) => holder(&parts, *port).map(Some),
            };
            ports.iter().map(choose).collect()
        }
    };
    let chosen = chosen?;
    for (at, resource) in ports() {
        let mine = chosen.iter().flatten().filter(|(of, _)| *of == at).map(|(_, port)| (*port, *port));
        let ranges = Ranges::from_pairs(mine);
        if !ranges.is_empty() {
            into.push(resource.with_value(Value::Ranges(ranges)));
        }
    }
    let number = |chosen: &Option<Port>| chosen.and_then(|(_, port)| u32::try_from(port).ok());
    Some(chosen.iter().map(number).collect())
}

/// The resource that has a port.
fn holder(parts: &[Part], port: u32) -> Option<Port> {
    let port = u64::from(port);
    parts.iter().find(|(_, first, last)| (*first..=*last).contains(&port)).map(|(at, ..)| (*at, port))
}

/// All ports, from a random one on: ranges in random order, then the rest of the first one.
struct Random {
    parts: Vec<Part>,
    at: usize,
    next: u64,
    left: u64,
}

impl Random {
    fn new(mut parts: Vec<Part>, luck: Luck) -> Self {
        let Luck { seed, entity } = luck;
        let shuffle = draw::stem(seed, entity, SHUFFLE);
        for last in (1..parts.len()).rev() {
            let other = draw::scaled(draw::absorb(shuffle, last as u64), 0, last as u64);
            parts.swap(last, usize::try_from(other).unwrap_or(0));
        }
        let left: u64 = parts.iter().map(|(_, first, last)| last - first + 1).sum();
        let mut start = draw::between(seed, entity, START, 0, 0, left.saturating_sub(1));
        let (mut at, mut next) = (0, 0);
        for (index, (_, first, last)) in parts.iter().enumerate() {
            let size = last - first + 1;
            if start < size {
                (at, next) = (index, first + start);
                break;
            }
            start -= size;
        }
        Self { parts, at, next, left }
    }
}

impl Iterator for Random {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let (of, _, last) = *self.parts.get(self.at)?;
        let port = self.next;
        if port < last {
            self.next = port + 1;
        } else {
            self.at = (self.at + 1) % self.parts.len();
            self.next = self.parts.get(self.at).map_or(0, |(_, first, _)| *first);
        }
        Some((of, port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(pairs: &[(u64, u64)]) -> Resource {
        Resource::ranges("ports", Ranges::from_pairs(pairs.iter().copied()))
    }

    #[test]
    fn fixed_and_mapped_ports() {
        let offered = ports(&[(31_000, 31_002), (8080, 8080)]);
        let usable = [&offered];
        for (wanted, expected) in [
            (HostPorts::Fixed(vec![8080, 31_001]), Some(vec![Some(8080), Some(31_001)])),
            (HostPorts::Fixed(vec![8081]), None),
            (HostPorts::Mapped(vec![None, Some(8080)]), Some(vec![None, Some(8080)])),
            (HostPorts::Mapped(vec![Some(9000)]), None),
            (HostPorts::Any(0), Some(vec![])),
            (HostPorts::Any(5), None),
        ] {
            let chosen = choose(&wanted, &usable, Luck { seed: 1, entity: 2 }, &mut Vec::new());
            assert_eq!(chosen, expected, "{wanted:?}");
        }
    }

    #[test]
    fn random_ports_are_drawn_from_all_but_fixed_ones() {
        let (one, other) = (ports(&[(10, 12), (20, 20)]), ports(&[(30, 31)]));
        for entity in 0..50 {
            let mut resources = Vec::new();
            let all = choose(&HostPorts::Any(6), &[&one, &other], Luck { seed: 7, entity }, &mut resources);
            let mut numbers: Vec<u32> = all.expect("six are offered").into_iter().flatten().collect();
            planarium_kernel::sorted::sort(&mut numbers);
            assert_eq!(numbers, [10, 11, 12, 20, 30, 31]);
            assert_eq!(resources, [one.clone(), other.clone()]);
            let mapped = HostPorts::Mapped(vec![Some(0), Some(11), Some(0)]);
            let some = choose(&mapped, &[&one], Luck { seed: 7, entity }, &mut Vec::new()).expect("offered");
            assert_eq!(some.iter().filter(|port| **port == Some(11)).count(), 1, "{some:?}");
        }
    }
}
