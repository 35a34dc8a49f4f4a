//! Calls that only frameworks over HTTP make: acknowledgements, a new description, the end of an executor.
//!
//! Source: `apache/mesos: src/master/master.cpp` (statusUpdateAcknowledgement, updateFramework, shutdown). Match, but that
//! acknowledgements only count: the next status of a task does not wait for them.

use crate::{
    Master,
    api::{FrameworkId, FrameworkInfo, OfferId},
    wire::read::bad,
};
use planarium_fleet::{Cx, Fleet};
use planarium_protocol::Refusal;
use std::sync::Arc;

/// Time that an executor has to end its tasks. Source: `executor_shutdown_grace_period`.
const SHUTDOWN_GRACE_MS: u64 = 5_000;

impl Master {
    /// A framework has taken a status in. Those for agents that are not there are ignored.
    pub fn acknowledge(&mut self, agent_id: &str) {
        let agent = self.agents.iter().find(|agent| *agent.name == *agent_id);
        if agent.is_some_and(|agent| agent.is_active()) {
            self.counters.acknowledgements += 1;
        } else {
            self.counters.invalid_acknowledgements += 1;
        }
    }

    /// A framework describes itself anew. Offers and filters of roles that it leaves are gone.
    ///
    /// *Errors*: another user, principal or checkpointing than before.
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
        if let Some(framework) = self.framework_mut(id) {
            framework.info = Arc::new(info);
        }
        Ok(())
    }

    /// An executor is to end with all its tasks.
    pub fn shut_down_executor(&mut self, cx: &mut Cx, fleet: &mut Fleet, id: FrameworkId, executor: &str) {
        for no in self.tasks_of(id) {
            let of = self.task(no).filter(|task| task.unreachable_since.is_none());
            if of.and_then(|task| task.executor.as_deref()) == Some(executor) {
                self.deliver_kill(cx, fleet, no, Some(SHUTDOWN_GRACE_MS));
            }
        }
    }
}
