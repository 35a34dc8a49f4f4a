//! Delivers to an agent, once it is reachable again, what it has missed.

use crate::{
    api::AgentId,
    maintenance::cluster::drains,
    offers::operations,
    records::Records,
    tasks::{TaskNo, kill, start, update},
};
use planarium_ground::{Cx, Fleet};

/// Delivers launches, kills and statuses that were in transit, and the order to drain.
pub(crate) fn catch_up_with(records: &mut Records, cx: &mut Cx, fleet: &mut Fleet, id: AgentId) {
    let tasks: Vec<TaskNo> =
        records.cluster.agents.get(id).map(|agent| agent.tasks.iter().copied().collect()).unwrap_or_default();
    for no in tasks {
        if records.tasks.get(no).is_some_and(|task| task.process.is_none() && !task.freed) {
            start::run_process(&mut records.tasks, &mut records.cluster, cx, fleet, no);
        }
        let left = update::deliver_pending(&mut records.tasks, &mut records.cluster, cx, fleet, no);
        drains::check(records, cx, fleet, left);
        if let Some(grace_ms) = records.tasks.get_mut(no).and_then(|task| task.pending_kill_ms.take()) {
            let left =
                kill::deliver_kill(&mut records.tasks, &mut records.cluster, cx, fleet, no, Some(grace_ms));
            drains::check(records, cx, fleet, left);
        }
    }
    operations::forward_operations_of(&mut records.operations, &mut records.cluster, cx, id);
    drains::drain_on_return(records, cx, fleet, id);
    records.cluster.agents.touch(cx, id);
}
