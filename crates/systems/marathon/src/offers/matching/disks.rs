//! Disk of an offer: scratch space, and space for volumes that outlive tasks.
//!
//! **Source**: `marathon: mesosphere/mesos/ResourceMatcher.scala (matchDiskResource), VolumeConstraints.scala,
//! VolumeProfileMatcher.scala`. Match.

use crate::definition::RunSpec;
use crate::definition::spec::{DiskKind, VolumeDef};
use crate::offers::matching::Match;
use planarium_kernel::{Milli, sorted};
use planarium_mesos::api::{DiskSource, Resource};

/// A disk request: the volume's place, or none for scratch space.
type Wanted = (Option<usize>, Milli);

/// Takes scratch space and, when that is asked for, space for volumes.
pub(crate) fn consume(usable: &[&Resource], spec: &RunSpec, volumes: bool, found: &mut Match) -> bool {
    let def = &spec.def;
    [DiskKind::Root, DiskKind::Path, DiskKind::Mount].iter().all(|kind| {
        let mut wanted: Vec<Wanted> = Vec::new();
        if *kind == DiskKind::Root && def.needs.disk.is_positive() {
            wanted.push((None, def.needs.disk));
        }
        if volumes {
            let mine = def.volumes.iter().enumerate().filter(|(_, volume)| volume.disk == *kind);
            wanted.extend(mine.map(|(at, volume)| (Some(at), volume.size)));
        }
        if wanted.is_empty() {
            return true;
        }
        sorted::sort_by(&mut wanted, |one, other| other.1.cmp(&one.1));
        let mine = usable.iter().filter(|one| &*one.name == "disk" && kind_of(one) == *kind);
        let mine: Vec<Resource> = mine.map(|disk| Resource::clone(disk)).collect();
        match kind {
            DiskKind::Mount => mounts(mine, &wanted, &def.volumes, found),
            DiskKind::Root | DiskKind::Path => parts(mine, &wanted, *kind, &def.volumes, found),
        }
    })
}

fn kind_of(disk: &Resource) -> DiskKind {
    match disk.disk_source() {
        None => DiskKind::Root,
        Some(DiskSource::Path { .. }) => DiskKind::Path,
        Some(DiskSource::Mount { .. }) => DiskKind::Mount,
    }
}

/// Returns whether a disk matches a volume's requirements.
fn suits(disk: &Resource, volume: &VolumeDef) -> bool {
    let root = disk.disk_source().map_or("", |source| match source {
        DiskSource::Path { root, .. } | DiskSource::Mount { root, .. } => root,
    });
    let profile = disk.disk_source().and_then(DiskSource::profile);
    volume.path_like.iter().all(|regex| regex.is_match(root)) && profile == volume.profile.as_ref()
}

/// Whole file systems, the smallest first.
fn mounts(mut disks: Vec<Resource>, wanted: &[Wanted], volumes: &[VolumeDef], found: &mut Match) -> bool {
    sorted::sort_by(&mut disks, |one, other| one.amount().cmp(&other.amount()));
    for (at, size) in wanted {
        let Some((at, volume)) = at.and_then(|at| Some((at, volumes.get(at)?))) else { continue };
        let fits = |disk: &Resource| {
            suits(disk, volume)
                && disk.amount() >= *size
                && volume.max_size.is_none_or(|most| disk.amount() <= most)
        };
        let Some(place) = disks.iter().position(fits) else { return false };
        found.volumes.push((at, disks.remove(place)));
    }
    true
}

/// Parts of disks; of several the largest first.
fn parts(
    disks: Vec<Resource>,
    wanted: &[Wanted],
    kind: DiskKind,
    volumes: &[VolumeDef],
    found: &mut Match,
) -> bool {
    // Resources of one disk stay together.
    let mut groups: Vec<Vec<Resource>> = Vec::new();
    for disk in disks {
        let same = groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|first| first.disk_source() == disk.disk_source()));
        match same {
            Some(group) => group.push(disk),
            None => groups.push(vec![disk]),
        }
    }
    let total = |group: &Vec<Resource>| group.iter().map(Resource::amount).sum::<Milli>();
    for (at, size) in wanted {
        if kind == DiskKind::Path {
            sorted::sort_by(&mut groups, |one, other| total(other).cmp(&total(one)));
        }
        let volume = at.and_then(|at| volumes.get(at));
        let taken = groups.iter_mut().find_map(|group| take(group, *size, volume));
        let Some(taken) = taken else { return false };
        match at {
            Some(at) => found.volumes.extend(taken.into_iter().map(|part| (*at, part))),
            None => found.resources.extend(taken),
        }
    }
    true
}

/// Takes an amount from one disk's resources.
fn take(group: &mut [Resource], size: Milli, volume: Option<&VolumeDef>) -> Option<Vec<Resource>> {
    let fits = |disk: &Resource| volume.is_none_or(|volume| suits(disk, volume));
    let enough = group.iter().filter(|disk| fits(disk)).map(Resource::amount).sum::<Milli>() >= size;
    if !enough {
        return None;
    }
    let (mut left, mut taken) = (size, Vec::new());
    for disk in group.iter_mut().filter(|disk| fits(disk)) {
        let part = left.min(disk.amount());
        if part.is_positive() {
            taken.push(disk.with_scalar(part));
            *disk = disk.with_scalar(disk.amount().saturating_sub(part));
            left = left.saturating_sub(part);
        }
    }
    Some(taken)
}
