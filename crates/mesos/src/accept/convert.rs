//! RESERVE, UNRESERVE, CREATE, DESTROY, GROW_VOLUME, SHRINK_VOLUME: what they make of the resources of an accept.
//!
//! An operation is carried out in full or dropped in full; a dropped one does not stop those that follow. A volume of a
//! new size comes with the next offers only.

use super::{
    Ground,
    validate::{self, Finding},
};
use crate::{
    Master,
    api::{Resource, Resources},
};
use planarium_fleet::Cx;
use planarium_kernel::Milli;
use planarium_protocol::{EventBody, Text};

/// What became of the resources, or why nothing did.
pub(super) type Converted = Result<Resources, String>;

impl Master {
    pub(super) fn reserve(&mut self, cx: &mut Cx, ground: &mut Ground, resources: &[Resource]) -> Converted {
        let check = |ground: &Ground, _: &Resources, resource: &Resource| validate::reserve(ground, resource);
        let converted = self.convert(ground, resources, check, Resource::popped, Resource::clone)?;
        if !resources.is_empty() {
            let body = EventBody::Reserved {
                framework: ground.info.name.clone(),
                agent: ground.hostname.clone(),
                resources: text(resources, &converted),
            };
            cx.emit(body);
        }
        Ok(converted)
    }

    pub(super) fn unreserve(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground,
        resources: &[Resource],
    ) -> Converted {
        let check =
            |ground: &Ground, _: &Resources, resource: &Resource| validate::unreserve(ground, resource);
        let converted = self.convert(ground, resources, check, Resource::clone, Resource::popped)?;
        if !resources.is_empty() {
            let body = EventBody::Unreserved {
                framework: ground.info.name.clone(),
                agent: ground.hostname.clone(),
                resources: merged(resources).text(),
            };
            cx.emit(body);
        }
        Ok(converted)
    }

    pub(super) fn create(&mut self, cx: &mut Cx, ground: &mut Ground, volumes: &[Resource]) -> Converted {
        let known = self.allocator.slot(ground.agent).map(crate::allocator::Slot::total).unwrap_or_default();
        let check = |ground: &Ground, left: &Resources, volume: &Resource| {
            // Volumes made by this very operation are in what is left, but not yet in the agent's books.
            validate::create(ground, &known, volume)?;
            let is_there = left.contains_one(&given_to_nobody(volume.without_volume()));
            if is_there { validate::create(ground, left, volume) } else { Ok(()) }
        };
        let converted = self.convert(ground, volumes, check, Resource::without_volume, Resource::clone)?;
        tell_volumes(cx, ground, volumes, true);
        Ok(converted)
    }

    pub(super) fn destroy(&mut self, cx: &mut Cx, ground: &mut Ground, volumes: &[Resource]) -> Converted {
        let check = |ground: &Ground, _: &Resources, volume: &Resource| validate::destroy(ground, volume);
        let converted = self.convert(ground, volumes, check, Resource::clone, Resource::without_volume)?;
        tell_volumes(cx, ground, volumes, false);
        Ok(converted)
    }

    pub(super) fn grow(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground,
        volume: &Resource,
        addition: &Resource,
    ) -> Converted {
        validate::grow(ground, volume, addition)?;
        let size = Milli(volume.amount().0.saturating_add(addition.amount().0));
        tell_resized(cx, ground, volume, size);
        let before = [volume, addition].map(Resource::unallocated).into_iter().collect();
        Ok(self.resize(ground, &before, [volume.with_scalar(size).unallocated()].into_iter().collect()))
    }

    pub(super) fn shrink(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground,
        volume: &Resource,
        by: Milli,
    ) -> Converted {
        validate::shrink(ground, volume, by)?;
        let (volume, size) = (volume.unallocated(), Milli(volume.amount().0.saturating_sub(by.0)));
        tell_resized(cx, ground, &volume, size);
        let after = [volume.with_scalar(size), volume.without_volume().with_scalar(by)];
        Ok(self.resize(ground, &[volume].into_iter().collect(), after.into_iter().collect()))
    }

    fn resize(&mut self, ground: &mut Ground, before: &Resources, after: Resources) -> Resources {
        self.allocator.convert(ground.framework, &ground.role, ground.agent, before, &after);
        ground.left.subtract_all(before);
        ground.resized.add_all(&after);
        ground.is_converted = true;
        after
    }

    /// Turns each resource from one form into another, in what is left and in the allocator's books.
    fn convert(
        &mut self,
        ground: &mut Ground,
        resources: &[Resource],
        check: impl Fn(&Ground, &Resources, &Resource) -> Finding,
        from: impl Fn(&Resource) -> Resource,
        to: impl Fn(&Resource) -> Resource,
    ) -> Converted {
        let mut left = ground.left.clone();
        let room = || Resources::with_room(resources.len());
        let (mut before, mut after) = (room(), room());
        for resource in resources {
            check(ground, &left, resource)?;
            let (from, to) = (given_to_nobody(from(resource)), given_to_nobody(to(resource)));
            if !left.subtract(&from) {
                return Err(validate::not_there(&left, &from));
            }
            left.add(to.clone());
            before.add(from);
            after.add(to);
        }
        self.allocator.convert(ground.framework, &ground.role, ground.agent, &before, &after);
        ground.left = left;
        ground.is_converted = true;
        Ok(after)
    }
}

fn given_to_nobody(mut resource: Resource) -> Resource {
    resource.allocation_role = None;
    resource
}

fn merged(resources: &[Resource]) -> Resources {
    resources.iter().cloned().collect()
}

/// Resources in words; `converted` are the same given to nobody, which as a rule are merged already as these would be.
fn text(resources: &[Resource], converted: &Resources) -> Text {
    let mut roles = resources.iter().map(|resource| &resource.allocation_role);
    let first = roles.next();
    let alike = roles.all(|role| Some(role) == first);
    if alike { converted.text() } else { merged(resources).text() }
}

fn tell_resized(cx: &mut Cx, ground: &Ground, volume: &Resource, size: Milli) {
    let Some(persistence) = volume.persistence() else { return };
    cx.emit(EventBody::VolumeResized {
        framework: ground.info.name.clone(),
        agent: ground.hostname.clone(),
        path: persistence.container_path.clone(),
        from: volume.amount().to_string().into(),
        to: size.to_string().into(),
    });
}

fn tell_volumes(cx: &mut Cx, ground: &Ground, volumes: &[Resource], created: bool) {
    for path in volumes.iter().filter_map(Resource::persistence).map(|volume| volume.container_path.clone()) {
        cx.emit(EventBody::Volume {
            framework: ground.info.name.clone(),
            agent: ground.hostname.clone(),
            path,
            created,
        });
    }
}
