//! Holdings on one machine.

use super::amounts::{Amounts, Scalar};
use crate::spec::Owner;
use planarium_kernel::{Digestible, Map, Weight, cow::bytes_of};
use planarium_protocol::Text;
use planarium_protocol::why::Holder as HolderView;
use std::{cmp::Reverse, ops::RangeInclusive, sync::Arc};

/// A range of a machine's ports, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ports {
    /// The first one.
    pub first: u16,
    /// The last one.
    pub last: u16,
}

impl Ports {
    /// Returns whether the ranges overlap.
    pub const fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// Names the holder of an allocation, for explanations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The display name of the part that owns it: `Mesos`, `Kubernetes`.
    pub owner: &'static str,
    /// The kind of thing, in that part's words: `task`, `pod`.
    pub kind: &'static str,
    /// Its name.
    pub name: Text,
    /// Its service; empty if there is none.
    pub service: Text,
}

/// An entry: amounts of a machine allocated to a holder.
#[derive(Clone, Debug, PartialEq, Eq, Weight)]
#[weight(ports)]
pub struct Holding {
    /// The holder.
    pub holder: Holder,
    /// Scalars.
    pub amounts: Amounts,
    /// Ports of the machine.
    pub ports: Arc<[Ports]>,
}

impl Holding {
    /// The holder with its amount of a scalar, for explanations.
    pub fn named(&self, scalar: Scalar) -> HolderView {
        HolderView {
            owner: self.holder.owner.into(),
            kind: self.holder.kind.into(),
            name: self.holder.name.clone(),
            service: self.holder.service.clone(),
            amount: self.amounts.in_words(scalar).into(),
        }
    }
}

/// Sum of one owner's holdings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Digestible)]
#[digest(owner, holdings, amounts)]
struct Share {
    owner: Owner,
    amounts: Amounts,
    holdings: u32,
}

/// Allocations on one machine, with its capacity.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(has, each shares, ports.len())]
#[weight(
    holdings, own bytes_of::<Share>(self.shares.len()), own bytes_of::<(Owner, Ports)>(self.ports.len()),
)]
pub(super) struct Book {
    pub(super) has: Amounts,
    /// By owner, then by the owner's number.
    holdings: Map<(Owner, u64), Holding, 8>,
    /// Sums by owner. *Order*: by owner.
    shares: Vec<Share>,
    /// Allocated ports. *Order*: none.
    ports: Vec<(Owner, Ports)>,
    /// Number of the last change.
    pub(super) changed: u64,
    /// Entries of processes, see [`super::PROCESS`], by their last change.
    pub(super) processes: u32,
    pub(super) moved: u64,
}

impl Book {
    pub(super) fn new(has: Amounts, changed: u64) -> Self {
        Self {
            has,
            holdings: Map::new(),
            shares: Vec::new(),
            ports: Vec::new(),
            changed,
            processes: 0,
            moved: 0,
        }
    }

    pub(super) fn holdings(&self) -> impl Iterator<Item = (Owner, &Holding)> {
        self.holdings.iter().map(|((owner, _), holding)| (*owner, holding))
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = (Owner, u64, &Holding)> {
        self.holdings.iter().map(|((owner, key), holding)| (*owner, *key, holding))
    }

    pub(super) fn get(&self, owner: Owner, key: u64) -> Option<&Holding> {
        self.holdings.get(&(owner, key))
    }

    /// Returns an owner's entries with numbers in a range, in order.
    pub(super) fn between(
        &self,
        owner: Owner,
        keys: RangeInclusive<u64>,
    ) -> impl Iterator<Item = (u64, &Holding)> {
        let rows = self.holdings.range((owner, *keys.start())..=(owner, *keys.end()));
        rows.map(|((_, key), holding)| (*key, holding))
    }

    /// Sets or removes the entry with this number.
    pub(super) fn set(&mut self, owner: Owner, key: u64, holding: Option<Holding>) {
        let old = match holding {
            Some(new) => {
                self.count(owner, &new, Amounts::plus, 1);
                self.ports.extend(new.ports.iter().map(|ports| (owner, *ports)));
                self.holdings.insert((owner, key), new)
            }
            None => self.holdings.remove(&(owner, key)),
        };
        let Some(old) = old else { return };
        self.count(owner, &old, Amounts::minus, -1);
        for gone in old.ports.iter() {
            if let Some(at) = self.ports.iter().position(|held| *held == (owner, *gone)) {
                self.ports.swap_remove(at);
            }
        }
    }

    fn count(&mut self, owner: Owner, holding: &Holding, join: fn(Amounts, Amounts) -> Amounts, by: i32) {
        let at = self.shares.partition_point(|share| share.owner < owner);
        if self.shares.get(at).is_none_or(|share| share.owner != owner) {
            self.shares.insert(at, Share { owner, amounts: Amounts::NONE, holdings: 0 });
        }
        if let Some(share) = self.shares.get_mut(at) {
            share.amounts = join(share.amounts, holding.amounts);
            share.holdings = share.holdings.saturating_add_signed(by);
            if share.holdings == 0 {
                self.shares.remove(at);
            }
        }
    }

    /// Returns the sum over the selected owners.
    pub(super) fn held(&self, meant: impl Fn(Owner) -> bool) -> Amounts {
        let shares = self.shares.iter().filter(|share| meant(share.owner));
        shares.fold(Amounts::NONE, |sum, share| sum.plus(share.amounts))
    }

    pub(super) fn ports(&self) -> impl Iterator<Item = (Owner, Ports)> {
        self.ports.iter().copied()
    }

    /// Returns entries of the selected owners that hold some of a scalar, the largest first.
    pub(super) fn largest(&self, scalar: Scalar, meant: impl Fn(Owner) -> bool) -> Vec<&Holding> {
        let mut all: Vec<&Holding> = self
            .holdings()
            .filter(|(owner, holding)| meant(*owner) && holding.amounts.get(scalar).is_positive())
            .map(|(_, holding)| holding)
            .collect();
        planarium_kernel::sorted::sort_by_key(&mut all, |holding| Reverse(holding.amounts.get(scalar)));
        all
    }

    /// Lists broken invariants in words. *Cost*: walks all entries.
    pub(super) fn check(&self, name: &str, together: bool, broken: &mut Vec<String>) {
        let mut plain = Self::new(self.has, self.changed);
        for ((owner, key), holding) in &self.holdings {
            plain.set(*owner, *key, Some(holding.clone()));
        }
        if plain.shares != self.shares || plain.ports.len() != self.ports.len() {
            broken.push(format!(
                "machine {name}: sums of holdings {:?}, recomputed {:?}",
                self.shares, plain.shares
            ));
        }
        if !together {
            return;
        }
        let held = self.held(|_| true);
        for scalar in self.has.lacks(held) {
            let word = scalar.as_str();
            let (held, has) = (held.get(scalar), self.has.get(scalar));
            let names: Vec<String> =
                self.largest(scalar, |_| true).iter().map(|one| one.named(scalar).in_words()).collect();
            let names = names.join(", ");
            broken.push(format!("machine {name}: {held} {word} held, it has {has}: {names}"));
        }
        for (at, (owner, ports)) in self.ports.iter().enumerate() {
            let others = self.ports.iter().take(at).filter(|(other, _)| other != owner);
            if others.clone().any(|(_, other)| other.meets(*ports)) {
                broken.push(format!("machine {name}: port {} is held by two owners", ports.first));
            }
        }
    }
}
