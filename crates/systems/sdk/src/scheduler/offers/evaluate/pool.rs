//! Resources of one offer while a step is fitted into it.
//!
//! *Knows*: free scalars and ports by role, whole disks, and the reservations of this service by resource id. *Must
//! not know*: pods, tasks, why something is taken.
//!
//! **Source**: `dcos-commons: …/offer/MesosResourcePool.java`. Match.

use crate::scheduler::state::HeldKind;
use planarium_kernel::Milli;
use planarium_mesos::api::{DiskSource, Offer, ReservationKind, Resource, Value};
use planarium_protocol::Text;
use std::borrow::Cow;
use std::sync::Arc;

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

/// Shortage of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortage {
    /// Amount that was left.
    pub(crate) free: Milli,
    /// Amount that is needed beyond that.
    pub(crate) missing: Milli,
}

/// Ranges of port numbers, the offer's own until one is taken out.
type Ports<'a> = Cow<'a, [(u64, u64)]>;

/// One offer.
#[derive(Clone, Debug)]
pub(crate) struct Pool<'a> {
    offer: &'a Offer,
    /// Free ports; listed on the first request.
    free: Option<Free<'a>>,
    /// Reservations with their ids that were not taken, in offer order; listed when one is looked for.
    reserved: Option<Vec<(&'a Text, &'a Resource)>>,
}

/// Resources that can be taken of an offer.
#[derive(Clone, Debug)]
struct Free<'a> {
    /// Scalars by role and name: a handful, so they are looked through.
    scalars: Vec<(&'a str, &'a str, Milli)>,
    /// Ports by role, in offer order.
    ports: Vec<(&'a str, Ports<'a>)>,
    /// Whole disks in offer order.
    mounts: Vec<MountDisk>,
}

impl<'a> Free<'a> {
    /// Sorts an offer's resources. What other principals reserved dynamically is not for us.
    fn of(offer: &'a Offer) -> Self {
        // Mostly cpus, memory, disk and perhaps gpus; ports of one role.
        let mut free =
            Self { scalars: Vec::with_capacity(4), ports: Vec::with_capacity(1), mounts: Vec::new() };
        for resource in &offer.resources {
            match &*resource.reservations {
                [] => free.add("*", resource),
                [only] if only.kind == ReservationKind::Static => free.add(&only.role, resource),
                _ => {}
            }
        }
        free
    }

    fn add(&mut self, role: &'a str, resource: &'a Resource) {
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
            (Value::Scalar(amount), None) => match self.scalar(role, &resource.name) {
                Some(free) => *free = free.saturating_add(*amount),
                None => self.scalars.push((role, &resource.name, *amount)),
            },
            (Value::Ranges(ranges), _) if *resource.name == *"ports" => {
                match self.ports.iter_mut().find(|(mine, _)| *mine == role) {
                    Some((_, free)) => free.to_mut().extend_from_slice(ranges.pairs()),
                    None => self.ports.push((role, ranges.pairs().into())),
                }
            }
            _ => {}
        }
    }

    fn scalar(&mut self, role: &str, name: &str) -> Option<&mut Milli> {
        let mut scalars = self.scalars.iter_mut();
        scalars.find(|(r, n, _)| *r == role && *n == name).map(|(.., free)| free)
    }
}

impl<'a> Pool<'a> {
    /// Nothing is taken yet.
    pub(crate) fn of(offer: &'a Offer) -> Self {
        Self { offer, free: None, reserved: None }
    }

    fn free(&mut self) -> &mut Free<'a> {
        let offer = self.offer;
        self.free.get_or_insert_with(|| Free::of(offer))
    }

    /// Executors of this service on the machine.
    pub(crate) fn executors(&self) -> &'a [Text] {
        &self.offer.executor_ids
    }

    /// Takes a scalar. A shortage uses up the rest, so that later needs have their own messages.
    pub(crate) fn take(&mut self, role: &str, name: &str, amount: Milli) -> Result<(), Shortage> {
        match self.free().scalar(role, name) {
            Some(free) if *free >= amount => {
                *free = free.saturating_sub(amount);
                Ok(())
            }
            Some(left) => {
                let free = std::mem::take(left);
                Err(Shortage { free, missing: amount.saturating_sub(free) })
            }
            None if amount.is_positive() => Err(Shortage { free: Milli::ZERO, missing: amount }),
            None => Ok(()),
        }
    }

    /// Takes one port.
    pub(crate) fn take_port(&mut self, role: &str, port: u32) -> bool {
        let ports = &mut self.free().ports;
        let Some((_, ranges)) = ports.iter_mut().find(|(mine, _)| *mine == role) else { return false };
        let port = u64::from(port);
        let Some(at) = ranges.iter().position(|(begin, end)| (*begin..=*end).contains(&port)) else {
            return false;
        };
        let ranges = ranges.to_mut();
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
    pub(crate) fn first_port(&mut self, role: &str, accept: impl Fn(u32) -> bool) -> Option<u32> {
        let (_, ranges) = self.free().ports.iter().find(|(mine, _)| *mine == role)?;
        ranges
            .iter()
            .flat_map(|(begin, end)| *begin..=(*end).min(u64::from(u16::MAX)))
            .filter_map(|port| u32::try_from(port).ok())
            .find(|port| accept(*port))
    }

    /// Takes the first whole disk that is large enough and has a fitting profile.
    pub(crate) fn take_mount(&mut self, role: &str, size: Milli, profiles: &[Text]) -> Option<MountDisk> {
        let mounts = &mut self.free().mounts;
        let at = mounts.iter().position(|disk| {
            *disk.role == *role
                && disk.size >= size
                && match &disk.profile {
                    Some(profile) => profiles.contains(profile),
                    None => profiles.is_empty(),
                }
        })?;
        Some(mounts.remove(at))
    }

    /// Takes the reservation a task or executor had.
    pub(crate) fn take_held(&mut self, id: &Text, kind: &HeldKind) -> Option<&'a Resource> {
        let offer = self.offer;
        let reserved = self.reserved.get_or_insert_with(|| {
            let mut list = Vec::with_capacity(offer.resources.len());
            list.extend(offer.resources.iter().filter_map(labelled));
            list
        });
        // The label is mostly the same shared text as in the record, so nothing has to be compared.
        let same =
            reserved.iter().position(|(mine, resource)| Arc::ptr_eq(mine, id) && is_of(resource, kind));
        let at = same
            .or_else(|| reserved.iter().position(|(mine, resource)| *mine == id && is_of(resource, kind)))?;
        Some(reserved.remove(at).1)
    }
}

/// A dynamic reservation with its id.
fn labelled(resource: &Resource) -> Option<(&Text, &Resource)> {
    if !resource.is_dynamically_reserved() {
        return None;
    }
    resource.resource_id().map(|id| (id, resource))
}

/// Returns whether a resource matches the reservation.
fn is_of(resource: &Resource, kind: &HeldKind) -> bool {
    match (&resource.value, kind) {
        (Value::Scalar(_), HeldKind::Scalar { name, .. }) => resource.name == *name && !is_volume(resource),
        (Value::Scalar(_), HeldKind::Volume { .. }) => is_volume(resource),
        (Value::Ranges(ranges), HeldKind::Port { port, .. }) => {
            ranges.pairs().iter().any(|(begin, end)| (*begin..=*end).contains(&u64::from(*port)))
        }
        _ => false,
    }
}

fn is_volume(resource: &Resource) -> bool {
    *resource.name == *"disk" && (resource.persistence().is_some() || resource.disk_source().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_mesos::api::{AgentId, AgentInfo, FrameworkId, OfferId, Reservation, Resources};

    fn offer(resources: &str) -> Offer {
        of(Resources::parse(resources).expect("test text"))
    }

    fn of(resources: Resources) -> Offer {
        Offer {
            id: OfferId(0),
            master: "m".into(),
            framework: FrameworkId(0),
            agent: AgentId(0),
            info: Arc::new(AgentInfo {
                agent_id: "s".into(),
                hostname: "h".into(),
                ip: "10.0.0.1".into(),
                port: 5051,
                attributes: Vec::new(),
                region: None,
                zone: None,
            }),
            role: "r".into(),
            resources,
            executor_ids: std::sync::Arc::default(),
            unavailability: None,
        }
    }

    #[test]
    fn ports_split_ranges() {
        let offer = offer("ports:[1025-1027,2000-2000]");
        let mut pool = Pool::of(&offer);
        assert!(pool.take_port("*", 1026) && !pool.take_port("*", 1026) && !pool.take_port("r", 1025));
        assert_eq!(pool.free().ports, [("*", vec![(1025, 1025), (1027, 1027), (2000, 2000)].into())]);
        assert_eq!(pool.first_port("*", |p| p > 1025), Some(1027));
        assert!(pool.take_port("*", 2000));
        assert_eq!(pool.first_port("*", |p| p > 1027), None);
    }

    #[test]
    fn a_shortage_is_reported_and_uses_up_the_rest() {
        let offer = offer("cpus:1.5;cpus(r):4");
        let mut pool = Pool::of(&offer);
        assert_eq!(pool.take("*", "cpus", Milli(1000)), Ok(()));
        let short = |free, missing| Err(Shortage { free: Milli(free), missing: Milli(missing) });
        assert_eq!(pool.take("*", "cpus", Milli(1000)), short(500, 500));
        assert_eq!(pool.take("*", "cpus", Milli(1000)), short(0, 1000));
        assert_eq!(pool.take("*", "gpus", Milli(1000)), short(0, 1000));
        assert_eq!(pool.take("r", "cpus", Milli(5000)), short(4000, 1000));
    }

    #[test]
    fn a_reservation_is_taken_only_once() {
        let reserve = |id: &str, text: &str| {
            let free = Resources::parse(text).expect("test text");
            free.map(|one| one.pushed(Reservation::dynamic("r", None).with_label("resource_id", id)))
        };
        let mut resources = reserve("a", "cpus:2;mem:32");
        resources.add_all(&reserve("b", "cpus:4"));
        resources.add_all(&Resources::parse("cpus(r):8;cpus:16").expect("test text"));
        let offer = of(resources);
        let cpus = HeldKind::Scalar { name: "cpus".into(), amount: Milli(2000) };
        let mut pool = Pool::of(&offer);
        let taken = |pool: &mut Pool<'_>, id: &str| pool.take_held(&id.into(), &cpus).map(Resource::amount);
        assert_eq!(taken(&mut pool, "a"), Some(Milli(2000)));
        assert_eq!(taken(&mut pool, "a"), None, "memory is left, cpus are not");
        assert_eq!(taken(&mut pool, "b"), Some(Milli(4000)));
        assert_eq!(taken(&mut pool, "c"), None);
    }

    #[test]
    fn disks_match_by_size_and_profile() {
        let disk = |root: &str, size: i64, profile: Option<&str>| MountDisk {
            role: "*".into(),
            root: root.into(),
            profile: profile.map(Into::into),
            size: Milli::from_int(size),
        };
        let fast: Text = "fast".into();
        let offer = offer("");
        let mut pool = Pool::of(&offer);
        pool.free().mounts = vec![disk("a", 10, None), disk("b", 100, Some("fast")), disk("c", 100, None)];
        assert_eq!(pool.take_mount("*", Milli::from_int(50), &[]).map(|d| d.root), Some("c".into()));
        assert_eq!(pool.take_mount("*", Milli::from_int(50), &[]), None);
        assert_eq!(
            pool.take_mount("*", Milli::from_int(5), std::slice::from_ref(&fast)).map(|d| d.root),
            Some("b".into())
        );
        assert_eq!(pool.take_mount("*", Milli::from_int(5), &[fast]), None);
    }
}
