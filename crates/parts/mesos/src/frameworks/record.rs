//! The master's record of a framework.
//!
//! *Must not know*: the master, offers, agents.

use crate::{
    api::{Capability, FrameworkInfo},
    tasks::{CompletedTask, Task},
};
use planarium_kernel::{Digestible, SimTime, TimerId, Weight, cow::bytes_of};
use planarium_protocol::Text;
use std::{collections::VecDeque, sync::Arc};

/// Number of ended tasks that the master remembers per framework.
pub(crate) const MAX_COMPLETED_TASKS: usize = 1_000;

/// The states of a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    Connected,
    Disconnected,
    Removed,
}

/// A framework.
#[derive(Clone, Debug, Digestible)]
#[digest(name, is_connected(), completed.len())]
pub(crate) struct Framework {
    /// Its id on the wire.
    pub(crate) name: Text,
    pub(crate) info: Arc<FrameworkInfo>,
    /// It acknowledges statuses by calls; those of other frameworks are acknowledged at once.
    pub(crate) acknowledges_explicitly: bool,
    pub(super) presence: Presence,
    /// The master failed over and has not heard from it since.
    pub(crate) recovered: bool,
    /// When it subscribed first and last, and when it left.
    pub(crate) registered: SimTime,
    pub(crate) reregistered: Option<SimTime>,
    pub(crate) unregistered: Option<SimTime>,
    pub(super) failover: Option<TimerId>,
    /// Tasks that have ended, oldest first; shared, since any change copies the list.
    pub(crate) completed: VecDeque<Arc<CompletedTask>>,
}

impl Weight for Framework {
    /// Ended tasks are added at the end of the list.
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let known = before.and_then(|before| before.completed.back());
        let is_new = |ended: &&Arc<CompletedTask>| known.is_none_or(|known| !Arc::ptr_eq(known, *ended));
        let new = self.completed.iter().rev().take_while(is_new).count();
        bytes_of::<usize>(self.completed.len()) + bytes_of::<CompletedTask>(new)
    }
}

impl Framework {
    pub(crate) fn is_connected(&self) -> bool {
        self.presence == Presence::Connected
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.presence != Presence::Removed
    }

    pub(crate) fn wants_offers(&self) -> bool {
        self.is_connected()
    }

    pub(crate) fn can(&self, capability: Capability) -> bool {
        self.info.can(capability)
    }

    /// The master fails over: completed tasks are forgotten.
    pub(crate) fn forget_completed(&mut self) {
        self.completed.clear();
        self.recovered = self.is_registered();
        self.unregistered = None;
    }

    /// Returns whether it is remembered as a completed framework.
    pub(crate) fn is_listed(&self) -> bool {
        self.is_registered() || self.unregistered.is_some()
    }

    /// A task that was taken for ended is back.
    pub(crate) fn take_completed(&mut self, task: &Task) -> Option<CompletedTask> {
        let is_it =
            |ended: &Arc<CompletedTask>| ended.info.task_id == *task.id() && ended.agent == task.agent;
        self.completed.remove(self.completed.iter().rposition(is_it)?).map(Arc::unwrap_or_clone)
    }

    pub(crate) fn add_completed(&mut self, ended: CompletedTask) {
        if self.completed.len() >= MAX_COMPLETED_TASKS {
            self.completed.pop_front();
        }
        self.completed.push_back(Arc::new(ended));
    }
}
