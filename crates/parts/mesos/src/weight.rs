//! Memory that a master does not share with an earlier copy.
//!
//! *Knows*: which parts copies share. *Must not know*: what the estimate is for.

use crate::{
    agents::Host,
    api::Offer,
    frameworks::Framework,
    records::Records,
    tasks::{CompletedTask, Task},
};
use planarium_kernel::cow::{behind, bytes_of};
use std::sync::Arc;

/// Texts, labels and reservations of a task.
const TASK_TEXTS: u64 = 1_536;
/// Memory of a machine's view.
const HOST: u64 = 256;
/// An executor on an agent, beside its resources, which it shares with the records of its tasks.
const EXECUTOR: u64 = 160;

/// Estimates the bytes of a full copy.
pub(crate) fn weight(records: &Records) -> u64 {
    let Records { cluster, tasks, offers, .. } = records;
    1024 * cluster.agents.rows.len() as u64
        + 512 * tasks.all.len() as u64
        + 256 * offers.outstanding.len() as u64
        + 64 * cluster.timers.len() as u64
}

/// Bytes that these records hold and `before` does not, by estimate. *Cost*: by the number of chunks.
pub(crate) fn beyond(records: &Records, before: Option<&Records>) -> u64 {
    let Records { cluster, tasks, offers, .. } = records;
    let agent = |(row, agent): (usize, &Arc<crate::agents::Agent>)| {
        let old = before.and_then(|before| before.cluster.agents.rows.get(row));
        behind(agent, old, |agent| {
            let executors = agent.executors.keys();
            EXECUTOR * executors.count() as u64 + bytes_of::<u64>(agent.tasks.len())
        })
    };
    let framework = |(row, framework): (usize, &Arc<Framework>)| {
        let old = before.and_then(|before| before.cluster.frameworks.rows.get(row));
        let known = old.and_then(|old| old.completed.back());
        let is_new = |ended: &&Arc<CompletedTask>| known.is_none_or(|known| !Arc::ptr_eq(known, *ended));
        behind(framework, old, |framework| {
            let new = framework.completed.iter().rev().take_while(is_new).count();
            bytes_of::<usize>(framework.completed.len()) + bytes_of::<CompletedTask>(new)
        })
    };
    let host = |host: &Arc<Host>, old: Option<&Arc<Host>>| behind(host, old, |_| HOST);
    let offer = |offer: &Arc<Offer>, old: Option<&Arc<Offer>>| {
        behind(offer, old, |offer| offer.resources.beyond(None))
    };
    let task = |task: &Arc<Task>, old: Option<&Arc<Task>>| {
        let own = |task: &Task| {
            let history = bytes_of::<crate::tasks::StatusRecord>(task.history.len());
            task.resources.beyond(old.map(|old| &old.resources)) + history
        };
        let new = if old.is_none() { TASK_TEXTS } else { 0 };
        behind(task, old, |task| own(task) + new + behind(&task.info, old.map(|old| &old.info), |_| 0))
    };
    bytes_of::<Records>(1)
        + bytes_of::<usize>(cluster.agents.rows.len() + cluster.frameworks.rows.len())
        + cluster.agents.rows.iter().enumerate().map(agent).sum::<u64>()
        + cluster.frameworks.rows.iter().enumerate().map(framework).sum::<u64>()
        + cluster.agents.hosts.beyond(before.map(|before| &before.cluster.agents.hosts), host)
        + offers.outstanding.beyond(before.map(|before| &before.offers.outstanding), offer)
        + tasks.all.beyond(before.map(|before| &before.tasks.all), task)
        + tasks.untracked.beyond(before.map(|before| &before.tasks.untracked), |_, old| match old {
            Some(_) => 0,
            None => TASK_TEXTS,
        })
        + tasks.ids.beyond_flat(before.map(|before| &before.tasks.ids))
        + tasks.by_process.beyond_flat(before.map(|before| &before.tasks.by_process))
        + cluster.allocator.beyond(before.map(|before| &before.cluster.allocator))
        + cluster.timers.bytes()
}
