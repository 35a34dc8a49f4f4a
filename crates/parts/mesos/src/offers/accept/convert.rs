//! RESERVE, UNRESERVE, CREATE, DESTROY, GROW_VOLUME, SHRINK_VOLUME: how they convert the resources of an ACCEPT.
//!
//! An operation is carried out in full or dropped in full; a dropped one does not stop those that follow. A resized
//! volume is offered with the next offers only.

use super::{
    accepted::AcceptedOffers,
    validate::{self, Finding},
};
use crate::{
    allocator::Allocator,
    api::{Resource, Resources},
};
use planarium_ground::Cx;
use planarium_kernel::Milli;
use planarium_protocol::{EventBody, Text};

/// The converted resources, or why nothing was converted.
pub(super) type Converted = Result<Resources, String>;

/// RESERVE.
pub(super) fn reserve(
    allocator: &mut Allocator,
    cx: &mut Cx,
    accepted: &mut AcceptedOffers,
    resources: &[Resource],
) -> Converted {
    let check =
        |accepted: &AcceptedOffers, _: &Resources, resource: &Resource| validate::reserve(accepted, resource);
    let converted = convert(allocator, accepted, resources, check, Resource::popped, Resource::clone)?;
    if !converted.is_empty() {
        let body = EventBody::Reserved {
            framework: accepted.info.name.clone(),
            agent: accepted.hostname.clone(),
            resources: text(resources, &converted),
        };
        cx.emit(body);
    }
    Ok(converted)
}

/// UNRESERVE.
pub(super) fn unreserve(
    allocator: &mut Allocator,
    cx: &mut Cx,
    accepted: &mut AcceptedOffers,
    resources: &[Resource],
) -> Converted {
    let check = |accepted: &AcceptedOffers, _: &Resources, resource: &Resource| {
        validate::unreserve(accepted, resource)
    };
    let converted = convert(allocator, accepted, resources, check, Resource::clone, Resource::popped)?;
    if !converted.is_empty() {
        let body = EventBody::Unreserved {
            framework: accepted.info.name.clone(),
            agent: accepted.hostname.clone(),
            resources: merged(resources).text(),
        };
        cx.emit(body);
    }
    Ok(converted)
}

/// CREATE.
pub(super) fn create(
    allocator: &mut Allocator,
    cx: &mut Cx,
    accepted: &mut AcceptedOffers,
    volumes: &[Resource],
) -> Converted {
    let known = allocator.slot(accepted.agent).map(crate::allocator::Slot::total).unwrap_or_default();
    let check = |accepted: &AcceptedOffers, remaining: &Resources, volume: &Resource| {
        // Volumes made by this operation are in the rest, but not yet among the agent's resources.
        validate::create(accepted, &known, volume)?;
        let is_there = remaining.contains_one(&unallocate(volume.without_volume()));
        if is_there { validate::create(accepted, remaining, volume) } else { Ok(()) }
    };
    let converted = convert(allocator, accepted, volumes, check, Resource::without_volume, Resource::clone)?;
    tell_volumes(cx, accepted, volumes, true);
    Ok(converted)
}

/// DESTROY.
pub(super) fn destroy(
    allocator: &mut Allocator,
    cx: &mut Cx,
    accepted: &mut AcceptedOffers,
    volumes: &[Resource],
) -> Converted {
    let check =
        |accepted: &AcceptedOffers, _: &Resources, volume: &Resource| validate::destroy(accepted, volume);
    let converted = convert(allocator, accepted, volumes, check, Resource::clone, Resource::without_volume)?;
    tell_volumes(cx, accepted, volumes, false);
    Ok(converted)
}

/// GROW_VOLUME.
pub(super) fn grow(
    allocator: &mut Allocator,
    cx: &mut Cx,
    accepted: &mut AcceptedOffers,
    volume: &Resource,
    addition: &Resource,
) -> Converted {
    validate::grow(accepted, volume, addition)?;
    let size = Milli(volume.amount().0.saturating_add(addition.amount().0));
    tell_resized(cx, accepted, volume, size);
    let before = [volume, addition].map(Resource::unallocated).into_iter().collect();
    Ok(resize(allocator, accepted, &before, [volume.with_scalar(size).unallocated()].into_iter().collect()))
}

/// SHRINK_VOLUME.
pub(super) fn shrink(
    allocator: &mut Allocator,
    cx: &mut Cx,
    accepted: &mut AcceptedOffers,
    volume: &Resource,
    by: Milli,
) -> Converted {
    validate::shrink(accepted, volume, by)?;
    let (volume, size) = (volume.unallocated(), Milli(volume.amount().0.saturating_sub(by.0)));
    tell_resized(cx, accepted, &volume, size);
    let after = [volume.with_scalar(size), volume.without_volume().with_scalar(by)];
    Ok(resize(allocator, accepted, &[volume].into_iter().collect(), after.into_iter().collect()))
}

fn resize(
    allocator: &mut Allocator,
    accepted: &mut AcceptedOffers,
    before: &Resources,
    after: Resources,
) -> Resources {
    allocator.convert(accepted.framework, &accepted.role, accepted.agent, before, &after);
    accepted.remaining.subtract_all(before);
    accepted.resized.add_all(&after);
    accepted.is_converted = true;
    after
}

/// Converts each resource, in the rest and in the allocator.
fn convert(
    allocator: &mut Allocator,
    accepted: &mut AcceptedOffers,
    resources: &[Resource],
    check: impl Fn(&AcceptedOffers, &Resources, &Resource) -> Finding,
    from: impl Fn(&Resource) -> Resource,
    to: impl Fn(&Resource) -> Resource,
) -> Converted {
    let mut remaining = accepted.remaining.clone();
    let room = || Resources::with_room(resources.len());
    let (mut before, mut after) = (room(), room());
    for resource in resources {
        check(accepted, &remaining, resource)?;
        let (from, to) = (unallocate(from(resource)), unallocate(to(resource)));
        if !remaining.subtract(&from) {
            return Err(validate::not_there(&remaining, &from));
        }
        remaining.add(to.clone());
        before.add(from);
        after.add(to);
    }
    allocator.convert(accepted.framework, &accepted.role, accepted.agent, &before, &after);
    accepted.remaining = remaining;
    accepted.is_converted = true;
    Ok(after)
}

fn unallocate(mut resource: Resource) -> Resource {
    resource.allocation_role = None;
    resource
}

fn merged(resources: &[Resource]) -> Resources {
    resources.iter().cloned().collect()
}

/// Resources in words; `converted` are the same without an allocation, usually merged already as these would be.
fn text(resources: &[Resource], converted: &Resources) -> Text {
    let mut roles = resources.iter().map(|resource| &resource.allocation_role);
    let first = roles.next();
    let alike = roles.all(|role| Some(role) == first);
    if alike { converted.text() } else { merged(resources).text() }
}

fn tell_resized(cx: &mut Cx, accepted: &AcceptedOffers, volume: &Resource, size: Milli) {
    let Some(persistence) = volume.persistence() else { return };
    cx.emit(EventBody::VolumeResized {
        framework: accepted.info.name.clone(),
        agent: accepted.hostname.clone(),
        path: persistence.container_path.clone(),
        from: volume.amount().to_string().into(),
        to: size.to_string().into(),
    });
}

fn tell_volumes(cx: &mut Cx, accepted: &AcceptedOffers, volumes: &[Resource], created: bool) {
    let made = volumes.iter().filter(|volume| !volume.value.is_empty());
    for path in made.filter_map(Resource::persistence).map(|volume| volume.container_path.clone()) {
        cx.emit(EventBody::Volume {
            framework: accepted.info.name.clone(),
            agent: accepted.hostname.clone(),
            path,
            created,
        });
    }
}
