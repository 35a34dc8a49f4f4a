//! The memory that a master takes and an earlier copy of it does not share.
//!
//! *Knows*: which parts copies share. *Must not know*: what the estimate is for.

use crate::{
    Master,
    agents::Host,
    api::Offer,
    frameworks::Framework,
    tasks::{CompletedTask, Task},
};
use planarium_kernel::cow::{behind, bytes_of};
use std::sync::Arc;

/// Texts, labels and reservations of a task.
const TASK_TEXTS: u64 = 1_536;
/// What a machine shows.
const HOST: u64 = 256;
/// An executor on an agent, beside its resources, which it shares with the records of its tasks.
const EXECUTOR: u64 = 160;

impl Master {
    /// Bytes that this master holds and `before` does not, by estimate. *Cost*: by the number of chunks.
    pub fn beyond(&self, before: Option<&Self>) -> u64 {
        let agent = |(row, agent): (usize, &Arc<crate::agents::Agent>)| {
            let old = before.and_then(|before| before.agents.get(row));
            behind(agent, old, |agent| {
                let executors = agent.executors.keys();
                EXECUTOR * executors.count() as u64 + bytes_of::<u64>(agent.tasks.len())
            })
        };
        let framework = |(row, framework): (usize, &Arc<Framework>)| {
            let old = before.and_then(|before| before.frameworks.get(row));
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
        bytes_of::<Self>(1)
            + bytes_of::<usize>(self.agents.len() + self.frameworks.len())
            + self.agents.iter().enumerate().map(agent).sum::<u64>()
            + self.frameworks.iter().enumerate().map(framework).sum::<u64>()
            + self.hosts.beyond(before.map(|before| &before.hosts), host)
            + self.offers.beyond(before.map(|before| &before.offers), offer)
            + self.tasks.beyond(before.map(|before| &before.tasks), task)
            + self.untracked.beyond(before.map(|before| &before.untracked), |_, old| match old {
                Some(_) => 0,
                None => TASK_TEXTS,
            })
            + self.task_ids.beyond_flat(before.map(|before| &before.task_ids))
            + self.by_process.beyond_flat(before.map(|before| &before.by_process))
            + self.allocator.beyond(before.map(|before| &before.allocator))
            + self.timer_bytes()
    }
}
