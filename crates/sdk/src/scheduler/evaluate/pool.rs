//! What one offer holds, as it is taken apart while a step is fitted into it.
//!
//! *Knows*: free scalars and ports by the role they can be taken from, whole disks, and the
//! reservations of this service by resource id.
//! *Must not know*: pods, tasks, why something is taken.
//!
//! **Source**: `dcos-commons: …/offer/MesosResourcePool.java`. Match.

use crate::scheduler::store::{Disk, HeldKind};
use planarium_kernel::Milli;
use planarium_mesos::api::{DiskSource, Offer, ReservationKind, Resource, Value};
use planarium_protocol::Text;
use std::collections::BTreeMap;

/// A whole disk beside the ROOT disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MountDisk {
    /// Role it is reserved for statically, or `*`.
    pub(crate) role: Text,
    /// Mount path.
    pub(crate) root: Text,
    /// Profile.
    pub(crate) profile: Option<Text>,
    /// Size.
    pub(crate) size: Milli,
}

/// A reservation of this service that the offer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// A scalar.
    Scalar {
        /// Which.
        name: Text,
        /// How much.
        amount: Milli,
    },
    /// Ports.
    Ports(Vec<(u64, u64)>),
    /// A disk, with its volume if one was made.
    Volume {
        /// Path in the container, when a volume was made.
        path: Option<Text>,
        /// Persistence id, when a volume was made.
        persistence: Option<Text>,
        /// Size.
        size: Milli,
        /// The disk.
        disk: Disk,
    },
}

/// One offer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    /// Free scalars by role and name.
    pub(crate) scalars: BTreeMap<(Text, Text), Milli>,
    /// Free ports by role, in offer order.
    pub(crate) ports: BTreeMap<Text, Vec<(u64, u64)>>,
    /// Whole disks in offer order.
    pub(crate) mounts: Vec<MountDisk>,
    /// Reservations by resource id.
    pub(crate) held: BTreeMap<Text, Vec<Offered>>,
    /// Executors of this service on the machine.
    pub(crate) executors: Vec<Text>,
}

impl Pool {
    /// Sorts an offer's resources. What other principals reserved dynamically is not for us.
    pub(crate) fn of(offer: &Offer) -> Self {
        let mut pool = Self { executors: offer.executor_ids.clone(), ..Self::default() };
        for resource in &offer.resources {
            match &*resource.reservations {
                [] => pool.add_free("*", resource),
                [only] if only.kind == ReservationKind::Static => pool.add_free(&only.role, resource),
                _ => {
                    if let Some(id) = resource.resource_id() {
                        pool.held.entry(id.clone()).or_default().push(offered(resource));
                    }
                }
            }
        }
        pool
    }

    fn add_free(&mut self, role: &str, resource: &Resource) {
        match (&resource.value, resource.disk_source()) {
            (Value::Scalar(size), Some(source)) => {
                let (DiskSource::Mount { root, profile } | DiskSource::Path { root, profile }) = source;
                self.mounts.push(MountDisk {
                    role: role.into(),
                    root: root.clone(),
                    profile: profile.clone(),
                    size: *size,
                });
            }
            (Value::Scalar(amount), None) => {
                let free = self.scalars.entry((role.into(), resource.name.clone())).or_default();
                *free = free.saturating_add(*amount);
            }
            (Value::Ranges(ranges), _) if *resource.name == *"ports" => {
                self.ports.entry(role.into()).or_default().extend_from_slice(ranges.pairs());
            }
            _ => {}
        }
    }

    /// How much of a scalar is free for a role.
    pub(crate) fn free(&self, role: &str, name: &str) -> Milli {
        self.scalars.get(&(role.into(), name.into())).copied().unwrap_or_default()
    }

    /// Takes a scalar. On a shortage nothing is left of it, so that later needs are told apart; the
    /// answer is what was missing.
    pub(crate) fn take(&mut self, role: &str, name: &str, amount: Milli) -> Result<(), Milli> {
        let free = self.scalars.entry((role.into(), name.into())).or_default();
        if *free >= amount {
            *free = free.saturating_sub(amount);
            Ok(())
        } else {
            let missing = amount.saturating_sub(*free);
            *free = Milli::ZERO;
            Err(missing)
        }
    }

    /// Takes one port.
    pub(crate) fn take_port(&mut self, role: &str, port: u32) -> bool {
        let Some(ranges) = self.ports.get_mut(role) else { return false };
        let port = u64::from(port);
        let Some(at) = ranges.iter().position(|(begin, end)| (*begin..=*end).contains(&port)) else {
            return false;
        };
        let (begin, end) = ranges.remove(at);
        if port < end {
            ranges.insert(at, (port + 1, end));
        }
        if begin < port {
            ranges.insert(at, (begin, port - 1));
        }
        true
    }

    /// The first free port in offer order that `accept`s; `skip` says where to go on when it does not.
    pub(crate) fn first_port(&self, role: &str, accept: impl Fn(u32) -> bool) -> Option<u32> {
        self.ports
            .get(role)?
            .iter()
            .flat_map(|(begin, end)| *begin..=(*end).min(u64::from(u16::MAX)))
            .filter_map(|port| u32::try_from(port).ok())
            .find(|port| accept(*port))
    }

    /// Takes the first whole disk that is large enough and has a fitting profile.
    pub(crate) fn take_mount(&mut self, role: &str, size: Milli, profiles: &[Text]) -> Option<MountDisk> {
        let at = self.mounts.iter().position(|disk| {
            *disk.role == *role
                && disk.size >= size
                && match &disk.profile {
                    Some(profile) => profiles.contains(profile),
                    None => profiles.is_empty(),
                }
        })?;
        Some(self.mounts.remove(at))
    }

    /// Takes the reservation a task or executor had.
    pub(crate) fn take_held(&mut self, id: &str, kind: &HeldKind) -> Option<Offered> {
        let offered = self.held.get_mut(id)?;
        let at = offered.iter().position(|offered| match (offered, kind) {
            (Offered::Scalar { name, .. }, HeldKind::Scalar { name: wanted, .. }) => name == wanted,
            (Offered::Ports(ranges), HeldKind::Port { port, .. }) => {
                ranges.iter().any(|(begin, end)| (*begin..=*end).contains(&u64::from(*port)))
            }
            (Offered::Volume { .. }, HeldKind::Volume { .. }) => true,
            _ => false,
        })?;
        let taken = offered.remove(at);
        if offered.is_empty() {
            self.held.remove(id);
        }
        Some(taken)
    }
}

fn offered(resource: &Resource) -> Offered {
    match &resource.value {
        Value::Ranges(ranges) => Offered::Ports(ranges.pairs().to_vec()),
        Value::Scalar(size) if *resource.name == *"disk" && is_volume(resource) => Offered::Volume {
            path: resource.persistence().map(|volume| volume.container_path.clone()),
            persistence: resource.persistence().map(|volume| volume.id.clone()),
            size: *size,
            disk: match resource.disk_source() {
                None => Disk::Root,
                Some(DiskSource::Mount { root, profile } | DiskSource::Path { root, profile }) => {
                    Disk::Mount { root: root.clone(), profile: profile.clone() }
                }
            },
        },
        Value::Scalar(amount) => Offered::Scalar { name: resource.name.clone(), amount: *amount },
        Value::Set(_) => Offered::Ports(Vec::new()),
    }
}

fn is_volume(resource: &Resource) -> bool {
    resource.persistence().is_some() || resource.disk_source().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_split_ranges() {
        let mut pool = Pool::default();
        pool.ports.insert("*".into(), vec![(1025, 1027), (2000, 2000)]);
        assert!(pool.take_port("*", 1026) && !pool.take_port("*", 1026) && !pool.take_port("r", 1025));
        assert_eq!(pool.ports.get("*"), Some(&vec![(1025, 1025), (1027, 1027), (2000, 2000)]));
        assert_eq!(pool.first_port("*", |p| p > 1025), Some(1027));
        assert!(pool.take_port("*", 2000));
        assert_eq!(pool.first_port("*", |p| p > 1027), None);
    }

    #[test]
    fn a_shortage_is_told_and_leaves_nothing() {
        let mut pool = Pool::default();
        pool.scalars.insert(("*".into(), "cpus".into()), Milli(1500));
        assert_eq!(pool.take("*", "cpus", Milli(1000)), Ok(()));
        assert_eq!(pool.take("*", "cpus", Milli(1000)), Err(Milli(500)));
        assert_eq!(pool.free("*", "cpus"), Milli::ZERO);
        assert_eq!(pool.take("*", "gpus", Milli(1000)), Err(Milli(1000)));
    }

    #[test]
    fn disks_match_by_size_and_profile() {
        let disk = |root: &str, size: i64, profile: Option<&str>| MountDisk {
            role: "*".into(),
            root: root.into(),
            profile: profile.map(Into::into),
            size: Milli::from_int(size),
        };
        let mut pool = Pool {
            mounts: vec![disk("a", 10, None), disk("b", 100, Some("fast")), disk("c", 100, None)],
            ..Pool::default()
        };
        let fast: Text = "fast".into();
        assert_eq!(pool.take_mount("*", Milli::from_int(50), &[]).map(|d| d.root), Some("c".into()));
        assert_eq!(pool.take_mount("*", Milli::from_int(50), &[]), None);
        assert_eq!(
            pool.take_mount("*", Milli::from_int(5), std::slice::from_ref(&fast)).map(|d| d.root),
            Some("b".into())
        );
        assert_eq!(pool.take_mount("*", Milli::from_int(5), &[fast]), None);
    }
}
