//! The reservation stack of a resource, cheap to copy and to compare.
//!
//! *Knows*: layers, their labels, how stacks compare. *Must not know*: which stacks are legal.
//!
//! A busy agent has hundreds of resources that differ only in a label, and every change searches for one of them. A
//! stack therefore has a fingerprint next to its shared layers: most different stacks are told apart without
//! following a pointer.

use planarium_kernel::{SortedMap, fingerprint};
use planarium_protocol::Text;
use std::{ops::Deref, sync::Arc};

/// Kinds of reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReservationKind {
    /// By the agent's own configuration.
    Static,
    /// By an operation; another operation can undo it.
    Dynamic,
}

/// One layer of the reservation stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reservation {
    /// Its kind.
    pub kind: ReservationKind,
    /// The role it is for.
    pub role: Text,
    /// The principal that made it.
    pub principal: Option<Text>,
    /// Labels such as `resource_id`; part of its identity.
    pub labels: SortedMap<Text, Text>,
}

impl Reservation {
    /// A reservation by the agent's configuration.
    pub fn fixed(role: impl Into<Text>) -> Self {
        Self { kind: ReservationKind::Static, role: role.into(), principal: None, labels: SortedMap::new() }
    }

    /// A reservation by an operation.
    pub fn dynamic(role: impl Into<Text>, principal: Option<Text>) -> Self {
        Self { kind: ReservationKind::Dynamic, role: role.into(), principal, labels: SortedMap::new() }
    }

    /// The same with a label.
    pub fn with_label(mut self, key: impl Into<Text>, value: impl Into<Text>) -> Self {
        self.labels.insert(key.into(), value.into());
        self
    }
}

/// A reservation stack, lowest layer first; empty is unreserved.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// Differs for most stacks that differ; 0 for the empty one.
    print: u64,
    layers: Option<Arc<[Reservation]>>,
}

impl Stack {
    /// The same with one more layer on top.
    pub fn pushed(&self, top: Reservation) -> Self {
        self.iter().cloned().chain([top]).collect()
    }

    /// Returns whether it may be the same stack: those that may not are not.
    #[inline]
    pub(crate) const fn may_be(&self, other: &Self) -> bool {
        self.print == other.print
    }

    /// The same without its topmost layer.
    pub fn popped(&self) -> Self {
        match self.split_last() {
            Some((_, below)) if !below.is_empty() => below.iter().cloned().collect(),
            _ => Self::default(),
        }
    }
}

impl Deref for Stack {
    type Target = [Reservation];

    fn deref(&self) -> &[Reservation] {
        self.layers.as_deref().unwrap_or_default()
    }
}

impl FromIterator<Reservation> for Stack {
    fn from_iter<I: IntoIterator<Item = Reservation>>(layers: I) -> Self {
        let layers: Arc<[Reservation]> = layers.into_iter().collect();
        if layers.is_empty() {
            return Self::default();
        }
        let print = layers.iter().fold(1, print_of);
        Self { print, layers: Some(layers) }
    }
}

impl From<Vec<Reservation>> for Stack {
    fn from(layers: Vec<Reservation>) -> Self {
        layers.into_iter().collect()
    }
}

impl PartialEq for Stack {
    fn eq(&self, other: &Self) -> bool {
        self.print == other.print
            && match (&self.layers, &other.layers) {
                (None, None) => true,
                (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs) || mine == theirs,
                _ => false,
            }
    }
}

impl Eq for Stack {}

impl PartialOrd for Stack {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stack {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.deref().cmp(other)
    }
}

/// The fingerprint with one more layer.
fn print_of(print: u64, layer: &Reservation) -> u64 {
    let kind = match layer.kind {
        ReservationKind::Static => 1,
        ReservationKind::Dynamic => 2,
    };
    let with = |print: u64, text: &Text| fingerprint::fold(print, fingerprint::of(text));
    let mut print = with(fingerprint::fold(print, kind), &layer.role);
    if let Some(principal) = &layer.principal {
        print = with(print, principal);
    }
    for (key, value) in &layer.labels {
        print = with(with(print, key), value);
    }
    print
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(key: &str, value: &str) -> Reservation {
        Reservation::dynamic("r", Some("p".into())).with_label(key, value)
    }

    #[test]
    fn stacks_differ_by_every_part() {
        let stacks: Vec<Stack> = [
            vec![],
            vec![Reservation::fixed("r")],
            vec![Reservation::dynamic("r", None)],
            vec![Reservation::dynamic("r", Some("p".into()))],
            vec![Reservation::dynamic("rp", None)],
            vec![labelled("a", "b")],
            vec![labelled("ab", "")],
            vec![labelled("a", "c")],
            vec![labelled("a", "b").with_label("c", "d")],
            vec![Reservation::fixed("r"), labelled("a", "b")],
            vec![labelled("a", "b"), Reservation::fixed("r")],
        ]
        .into_iter()
        .map(Stack::from)
        .collect();
        for (a, one) in stacks.iter().enumerate() {
            for (b, other) in stacks.iter().enumerate() {
                assert_eq!(one == other, a == b, "{one:?} and {other:?}");
                assert_eq!(one.cmp(other).is_eq(), a == b);
            }
            let again: Stack = one.iter().cloned().collect();
            assert_eq!(*one, again);
        }
    }

    #[test]
    fn a_pushed_layer_can_be_popped() {
        let one = Stack::from(vec![Reservation::fixed("r")]);
        let two = one.pushed(labelled("a", "b"));
        assert_eq!(two.len(), 2);
        assert_eq!(two.popped(), one);
        assert_eq!(one.popped(), Stack::default());
        assert_eq!(Stack::default().popped(), Stack::default());
    }

    #[test]
    fn a_repeated_label_has_one_value() {
        let labels = labelled("k", "old").with_label("b", "x").with_label("k", "new").labels;
        let pairs: Vec<(&str, &str)> = labels.iter().map(|(k, v)| (&**k, &**v)).collect();
        assert_eq!(pairs, [("b", "x"), ("k", "new")]);
        assert_eq!(labels.get("k").map(|v| &**v), Some("new"));
        assert!(labels.get("z").is_none() && !labels.is_empty());
    }
}
