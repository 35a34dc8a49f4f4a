//! Calls that only frameworks over HTTP make: a new description, the end of an executor.
//!
//! Source: `apache/mesos: src/master/master.cpp` (updateFramework, shutdown). Match.

use crate::{
    Master,
    api::{FrameworkId, FrameworkInfo, OfferId},
    wire::read::bad,
};
use planarium_ground::Cx;
use planarium_protocol::Refusal;
use std::sync::Arc;

impl Master {
    /// A framework sends a new description. Offers and filters of roles that it leaves go, and all filters against
    /// inverse offers, whatever the roles. No run is triggered.
    ///
    /// *Errors*: another user, principal or checkpoint flag than before.
    pub fn update_framework(
        &mut self,
        cx: &mut Cx,
        id: FrameworkId,
        info: FrameworkInfo,
    ) -> Result<(), Refusal> {
        let Some(framework) = self.framework(id) else { return Err(bad("Framework cannot be found")) };
        let before = framework.info.clone();
        for (field, changed) in [
            ("user", before.user != info.user),
            ("principal", before.principal != info.principal),
            ("checkpoint", before.checkpoint != info.checkpoint),
        ] {
            if changed {
                return Err(bad(format!("Updating '{field}' of a framework is not supported")));
            }
        }
        let left =
            self.offers.values().filter(|offer| offer.framework == id && !info.roles.contains(&offer.role));
        for offer in left.map(|offer| offer.id).collect::<Vec<OfferId>>() {
            self.rescind(cx, offer);
        }
        let info = FrameworkInfo { name: before.name.clone(), ..info };
        self.allocator.update(id, &info, cx.cause());
        self.clear_inverse_filters(cx, id);
        if let Some(framework) = self.framework_mut(id) {
            framework.info = Arc::new(info);
        }
        self.tell_framework_updated(cx, id);
        Ok(())
    }
}
