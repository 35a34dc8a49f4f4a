//! One resource with everything that sets it apart from others of its name.
//!
//! Source: `apache/mesos: src/common/resources.cpp` (what is addable, subtractable, contained). Match, for
//! scalars, ranges and sets; revocable, shared and provider resources do not exist here.

use super::{
    ranges::Ranges,
    stack::{Reservation, ReservationKind, Stack},
};
use planarium_kernel::Milli;
use planarium_protocol::Text;
use std::sync::Arc;

/// How a resource's amount is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResourceKind {
    /// A number of three decimals.
    Scalar,
    /// Inclusive ranges of whole numbers.
    Ranges,
    /// A set of words.
    Set,
}

/// An amount.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// `cpus`, `mem`, `disk`, `gpus`, custom.
    Scalar(Milli),
    /// `ports`, custom.
    Ranges(Ranges),
    /// Custom; sorted, no duplicates.
    Set(Vec<Text>),
}

impl Value {
    /// How it is written.
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::Scalar(_) => ResourceKind::Scalar,
            Self::Ranges(_) => ResourceKind::Ranges,
            Self::Set(_) => ResourceKind::Set,
        }
    }

    /// Nothing at all (or a negative number).
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Scalar(milli) => !milli.is_positive(),
            Self::Ranges(ranges) => ranges.is_empty(),
            Self::Set(items) => items.is_empty(),
        }
    }

    /// Whether all of `other` is in it. Different kinds contain nothing of each other.
    pub fn contains(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(a), Self::Scalar(b)) => b <= a,
            (Self::Ranges(a), Self::Ranges(b)) => a.contains(b),
            (Self::Set(a), Self::Set(b)) => b.iter().all(|item| a.contains(item)),
            _ => false,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        match (self, other) {
            (Self::Scalar(a), Self::Scalar(b)) => *a = a.saturating_add(*b),
            (Self::Ranges(a), Self::Ranges(b)) => *a = a.union(b),
            (Self::Set(a), Self::Set(b)) => {
                a.extend(b.iter().cloned());
                planarium_kernel::sorted::sort(a);
                a.dedup();
            }
            _ => {}
        }
    }

    pub(crate) fn subtract(&mut self, other: &Self) {
        match (self, other) {
            (Self::Scalar(a), Self::Scalar(b)) => *a = a.saturating_sub(*b),
            (Self::Ranges(a), Self::Ranges(b)) => *a = a.minus(b),
            (Self::Set(a), Self::Set(b)) => a.retain(|item| !b.contains(item)),
            _ => {}
        }
    }
}

/// Where disk space comes from. None at all means the ROOT disk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiskSource {
    /// A directory on another disk; divisible.
    Path {
        /// Its root.
        root: Text,
        /// Profile.
        profile: Option<Text>,
    },
    /// A whole file system; indivisible.
    Mount {
        /// Where it is mounted.
        root: Text,
        /// Profile.
        profile: Option<Text>,
    },
}

impl DiskSource {
    /// The profile, if any.
    pub fn profile(&self) -> Option<&Text> {
        match self {
            Self::Path { profile, .. } | Self::Mount { profile, .. } => profile.as_ref(),
        }
    }
}

/// A persistent volume on disk space.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Persistence {
    /// Unique per role on the agent.
    pub id: Text,
    /// On whose behalf.
    pub principal: Option<Text>,
    /// Where the container sees it.
    pub container_path: Text,
}

/// What sets disk space apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskInfo {
    /// Where it comes from; none is the ROOT disk.
    pub source: Option<DiskSource>,
    /// The volume made of it, if any.
    pub persistence: Option<Persistence>,
}

/// One resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// `cpus`, `mem`, `disk`, `gpus`, `ports`, or anything.
    pub name: Text,
    /// How much.
    pub value: Value,
    /// The reservation stack, lowest first; empty is unreserved.
    pub reservations: Stack,
    /// Disk only. Shared, since offers copy resources again and again.
    pub disk: Option<Arc<DiskInfo>>,
    /// The role it is offered or given to; only inside offers, operations and tasks.
    pub allocation_role: Option<Text>,
}

impl Resource {
    /// An unreserved scalar.
    pub fn scalar(name: impl Into<Text>, amount: Milli) -> Self {
        Self::of(name, Value::Scalar(amount))
    }

    /// Unreserved ranges.
    pub fn ranges(name: impl Into<Text>, ranges: Ranges) -> Self {
        Self::of(name, Value::Ranges(ranges))
    }

    /// Unreserved, of any kind.
    pub fn of(name: impl Into<Text>, value: Value) -> Self {
        Self { name: name.into(), value, reservations: Stack::default(), disk: None, allocation_role: None }
    }

    /// The same with another amount.
    pub fn with_value(&self, value: Value) -> Self {
        Self {
            name: self.name.clone(),
            value,
            reservations: self.reservations.clone(),
            disk: self.disk.clone(),
            allocation_role: self.allocation_role.clone(),
        }
    }

    /// The same with another scalar amount.
    pub fn with_scalar(&self, amount: Milli) -> Self {
        self.with_value(Value::Scalar(amount))
    }

    /// The same with one more reservation on top.
    pub fn pushed(&self, reservation: Reservation) -> Self {
        self.with_reservations(self.reservations.pushed(reservation))
    }

    /// The same without the topmost reservation.
    pub fn popped(&self) -> Self {
        self.with_reservations(self.reservations.popped())
    }

    fn with_reservations(&self, reservations: Stack) -> Self {
        Self {
            name: self.name.clone(),
            value: self.value.clone(),
            reservations,
            disk: self.disk.clone(),
            allocation_role: self.allocation_role.clone(),
        }
    }

    /// The same given to a role.
    pub fn allocated(&self, role: &Text) -> Self {
        self.given(Some(role))
    }

    /// The same given to nobody.
    pub fn unallocated(&self) -> Self {
        self.given(None)
    }

    /// The same given to a role, or to nobody.
    pub(crate) fn given(&self, role: Option<&Text>) -> Self {
        Self {
            name: self.name.clone(),
            value: self.value.clone(),
            reservations: self.reservations.clone(),
            disk: self.disk.clone(),
            allocation_role: role.cloned(),
        }
    }

    /// The same with a persistent volume made of it.
    pub fn with_volume(&self, persistence: Persistence) -> Self {
        let source = self.disk.as_ref().and_then(|disk| disk.source.clone());
        Self { disk: Some(Arc::new(DiskInfo { source, persistence: Some(persistence) })), ..self.clone() }
    }

    /// The same without its persistent volume.
    pub fn without_volume(&self) -> Self {
        if self.persistence().is_none() {
            return self.clone();
        }
        let source = self.disk.as_ref().and_then(|disk| disk.source.clone());
        let disk = source.map(|source| Arc::new(DiskInfo { source: Some(source), persistence: None }));
        Self { disk, ..self.clone() }
    }

    /// The role it is reserved for, `*` when unreserved.
    pub fn role(&self) -> &str {
        self.reservations.last().map_or("*", |top| &top.role)
    }

    /// The topmost reservation.
    pub fn reservation(&self) -> Option<&Reservation> {
        self.reservations.last()
    }

    /// Whether an operation reserved it.
    pub fn is_dynamically_reserved(&self) -> bool {
        self.reservation().is_some_and(|top| top.kind == ReservationKind::Dynamic)
    }

    /// A label of the topmost reservation.
    pub fn label(&self, key: &str) -> Option<&Text> {
        self.reservation().and_then(|top| top.labels.get(key))
    }

    /// The `resource_id` label of the topmost reservation.
    pub fn resource_id(&self) -> Option<&Text> {
        self.label("resource_id")
    }

    /// The volume made of it.
    pub fn persistence(&self) -> Option<&Persistence> {
        self.disk.as_ref().and_then(|disk| disk.persistence.as_ref())
    }

    /// Where its disk space comes from; none is the ROOT disk or no disk at all.
    pub fn disk_source(&self) -> Option<&DiskSource> {
        self.disk.as_ref().and_then(|disk| disk.source.as_ref())
    }

    /// Whether it is a whole file system.
    pub fn is_mount(&self) -> bool {
        matches!(self.disk_source(), Some(DiskSource::Mount { .. }))
    }

    /// The scalar amount, zero for other kinds.
    pub fn amount(&self) -> Milli {
        match self.value {
            Value::Scalar(milli) => milli,
            _ => Milli::ZERO,
        }
    }

    /// Whether it can be divided.
    pub fn is_divisible(&self) -> bool {
        self.persistence().is_none() && !self.is_mount()
    }

    /// Whether everything but the amount is the same.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.value.kind() == other.value.kind()
            && self.reservations == other.reservations
            && self.name == other.name
            && self.disk == other.disk
            && self.allocation_role == other.allocation_role
    }

    /// Whether the two merge into one. Volumes and whole file systems never do.
    pub fn is_addable(&self, other: &Self) -> bool {
        self.is_divisible() && self.is_alike(other)
    }

    /// Whether `other` is a part of it: the whole of it when it cannot be divided.
    pub fn contains(&self, other: &Self) -> bool {
        self.is_alike(other)
            && if self.is_divisible() { self.value.contains(&other.value) } else { self.value == other.value }
    }
}
