//! One resource: its name, its value, and everything else that distinguishes it.
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

/// Kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResourceKind {
    /// A number of three decimals.
    Scalar,
    /// Inclusive ranges of whole numbers.
    Ranges,
    /// A set of words.
    Set,
}

/// A value.
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
    /// Its kind.
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::Scalar(_) => ResourceKind::Scalar,
            Self::Ranges(_) => ResourceKind::Ranges,
            Self::Set(_) => ResourceKind::Set,
        }
    }

    /// Returns whether it is empty (or negative).
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Scalar(milli) => !milli.is_positive(),
            Self::Ranges(ranges) => ranges.is_empty(),
            Self::Set(items) => items.is_empty(),
        }
    }

    /// Returns whether it contains all of `other`. Values of different kinds contain nothing of each other.
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
            (Self::Ranges(a), Self::Ranges(b)) => a.add(b),
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
            (Self::Ranges(a), Self::Ranges(b)) => a.subtract(b),
            (Self::Set(a), Self::Set(b)) => a.retain(|item| !b.contains(item)),
            _ => {}
        }
    }
}

/// Source of disk space. None means the ROOT disk.
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
        /// Its mount point.
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
    /// The principal that made it.
    pub principal: Option<Text>,
    /// Its path in the container.
    pub container_path: Text,
}

/// Disk information of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DiskInfo {
    /// Its source; none is the ROOT disk.
    pub source: Option<DiskSource>,
    /// The volume on it, if any.
    pub persistence: Option<Persistence>,
}

/// One resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Resource {
    /// `cpus`, `mem`, `disk`, `gpus`, `ports`, or anything.
    pub name: Text,
    /// Its value.
    pub value: Value,
    /// The reservation stack, lowest first; empty is unreserved.
    pub reservations: Stack,
    /// Disk only. Shared, since offers copy resources again and again.
    pub disk: Option<Arc<DiskInfo>>,
    /// The role that it is allocated to; only in offers, operations and tasks.
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

    /// The same, allocated to a role.
    pub fn allocated(&self, role: &Text) -> Self {
        self.given(Some(role))
    }

    /// The same without an allocation.
    pub fn unallocated(&self) -> Self {
        self.given(None)
    }

    /// The same, allocated to a role or to none.
    pub(crate) fn given(&self, role: Option<&Text>) -> Self {
        Self {
            name: self.name.clone(),
            value: self.value.clone(),
            reservations: self.reservations.clone(),
            disk: self.disk.clone(),
            allocation_role: role.cloned(),
        }
    }

    /// The same with a persistent volume on it.
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

    /// Returns whether an operation reserved it.
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

    /// The volume on it.
    pub fn persistence(&self) -> Option<&Persistence> {
        self.disk.as_ref().and_then(|disk| disk.persistence.as_ref())
    }

    /// Returns the source of its disk space; `None` for the ROOT disk or no disk.
    pub fn disk_source(&self) -> Option<&DiskSource> {
        self.disk.as_ref().and_then(|disk| disk.source.as_ref())
    }

    /// Returns whether it is a whole file system.
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

    /// Returns whether it can be divided.
    pub fn is_divisible(&self) -> bool {
        self.persistence().is_none() && !self.is_mount()
    }

    /// Returns whether everything but the amount is the same.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.value.kind() == other.value.kind()
            && self.reservations == other.reservations
            && self.name == other.name
            && self.disk == other.disk
            && self.allocation_role == other.allocation_role
    }

    /// Returns whether the two merge into one. Volumes and whole file systems never do.
    pub fn is_addable(&self, other: &Self) -> bool {
        self.is_divisible() && self.is_alike(other)
    }

    /// Returns whether it contains `other`; what cannot be divided contains only itself.
    pub fn contains(&self, other: &Self) -> bool {
        self.is_alike(other)
            && if self.is_divisible() { self.value.contains(&other.value) } else { self.value == other.value }
    }
}
