//! RESERVE, UNRESERVE, CREATE, DESTROY: what they make of the resources of an accept.
//!
//! An operation is carried out in full or dropped in full; a dropped one does not stop those that follow.

use super::{
    Ground,
    validate::{self, Finding},
};
use crate::{
    Master,
    api::{Resource, Resources},
};
use planarium_fleet::Cx;
use planarium_protocol::{EventBody, Text};

impl Master {
    pub(super) fn reserve(&mut self, cx: &mut Cx, ground: &mut Ground, resources: &[Resource]) {
        let from = |resource: &Resource| resource.popped();
        let check = |ground: &Ground, resource: &Resource| validate::reserve(ground, resource);
        if self.convert(cx, ground, "RESERVE", resources, check, from, Resource::clone) {
            let body = EventBody::Reserved {
                framework: ground.info.name.clone(),
                agent: ground.hostname.clone(),
                resources: text(resources),
            };
            cx.emit(body);
        }
    }

    pub(super) fn unreserve(&mut self, cx: &mut Cx, ground: &mut Ground, resources: &[Resource]) {
        let check = |ground: &Ground, resource: &Resource| validate::unreserve(ground, resource);
        if self.convert(cx, ground, "UNRESERVE", resources, check, Resource::clone, Resource::popped) {
            let body = EventBody::Unreserved {
                framework: ground.info.name.clone(),
                agent: ground.hostname.clone(),
                resources: text(resources),
            };
            cx.emit(body);
        }
    }

    pub(super) fn create(&mut self, cx: &mut Cx, ground: &mut Ground, volumes: &[Resource]) {
        let known = self.allocator.slot(ground.agent).map(|slot| slot.total.clone()).unwrap_or_default();
        let check = |ground: &Ground, volume: &Resource| {
            // Volumes made by this very operation are in what is left, but not yet in the agent's books.
            validate::create(ground, &known, volume)?;
            validate::create(ground, &ground.left, volume)
        };
        if self.convert(cx, ground, "CREATE", volumes, check, Resource::without_volume, Resource::clone) {
            tell_volumes(cx, ground, volumes, true);
        }
    }

    pub(super) fn destroy(&mut self, cx: &mut Cx, ground: &mut Ground, volumes: &[Resource]) {
        let check = |ground: &Ground, volume: &Resource| validate::destroy(ground, volume);
        if self.convert(cx, ground, "DESTROY", volumes, check, Resource::clone, Resource::without_volume) {
            tell_volumes(cx, ground, volumes, false);
        }
    }

    /// Turns each resource from one form into another, in what is left and in the allocator's books.
    #[expect(clippy::too_many_arguments, reason = "the four operations differ in exactly these")]
    fn convert(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground,
        operation: &str,
        resources: &[Resource],
        check: impl Fn(&Ground, &Resource) -> Finding,
        from: impl Fn(&Resource) -> Resource,
        to: impl Fn(&Resource) -> Resource,
    ) -> bool {
        let mut trial = ground.clone();
        for resource in resources {
            if let Err(reason) = check(&trial, resource) {
                let body = EventBody::OperationDropped {
                    framework: ground.info.name.clone(),
                    agent: ground.hostname.clone(),
                    operation: operation.into(),
                    reason: reason.into(),
                };
                cx.emit(body);
                return false;
            }
            trial.left.subtract(&from(resource).unallocated());
            trial.left.add(to(resource).unallocated());
        }
        let all = |form: &dyn Fn(&Resource) -> Resource| -> Resources {
            resources.iter().map(|resource| form(resource).unallocated()).collect()
        };
        let (before, after) = (all(&from), all(&to));
        self.allocator.convert(ground.framework, &ground.role, ground.agent, &before, &after);
        ground.left = trial.left;
        !resources.is_empty()
    }
}

fn text(resources: &[Resource]) -> Text {
    resources.iter().cloned().collect::<Resources>().to_string().into()
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
