//! All frameworks that ever subscribed, and their waiting messages.
//!
//! *Invariant*: only connected frameworks get messages. *Must not know*: the content of messages.

use super::record::{Framework, Presence};
use crate::api::{Capability, FrameworkId, FrameworkInfo, Message, SchedulerEvent, TaskInfo, TaskState};
use planarium_ground::Cx;
use planarium_protocol::Text;
use std::{collections::VecDeque, sync::Arc};

/// All frameworks, by their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frameworks {
    pub(crate) rows: Vec<Arc<Framework>>,
    /// Those that have just lost their master.
    pub(crate) masterless: Vec<FrameworkId>,
    outbox: VecDeque<Message>,
}

impl Frameworks {
    /// A framework.
    pub(crate) fn get(&self, id: FrameworkId) -> Option<&Framework> {
        self.rows.get(id.index()).map(|framework| &**framework)
    }

    /// A framework, to change.
    pub(crate) fn get_mut(&mut self, id: FrameworkId) -> Option<&mut Framework> {
        self.rows.get_mut(id.index()).map(Arc::make_mut)
    }

    /// The name in a framework's description.
    pub(crate) fn name(&self, id: FrameworkId) -> Text {
        self.get(id).map(|framework| framework.info.name.clone()).unwrap_or_default()
    }

    /// A framework's id on the wire.
    pub(crate) fn wire_id(&self, id: FrameworkId) -> &str {
        self.get(id).map_or("", |framework| &framework.name)
    }

    /// The registered framework with this id on the wire.
    pub(crate) fn by_wire_id(&self, wire: &str) -> Option<FrameworkId> {
        self.registered().into_iter().find(|id| self.wire_id(*id) == wire)
    }

    /// Returns whether a framework has or had this id on the wire.
    pub(crate) fn has(&self, wire: &str) -> bool {
        self.rows.iter().any(|framework| *framework.name == *wire)
    }

    /// Returns whether a framework is connected.
    pub(crate) fn is_connected(&self, id: FrameworkId) -> bool {
        self.get(id).is_some_and(Framework::is_connected)
    }

    /// Ids of all frameworks that are registered, connected or not.
    pub(crate) fn registered(&self) -> Vec<FrameworkId> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, framework)| framework.is_registered()).map(|(row, _)| FrameworkId::at(row)).collect()
    }

    /// Adds a framework, which is connected.
    pub(crate) fn add(&mut self, info: FrameworkInfo, name: Text, cx: &Cx) -> FrameworkId {
        let id = FrameworkId::at(self.rows.len());
        let framework = Framework {
            name,
            info: Arc::new(info),
            acknowledges_explicitly: false,
            presence: Presence::Connected,
            recovered: false,
            registered: cx.now(),
            reregistered: None,
            unregistered: None,
            failover: None,
            completed: VecDeque::new(),
        };
        self.rows.push(Arc::new(framework));
        id
    }

    /// Returns whether a framework acknowledges statuses by calls.
    pub(crate) fn acknowledges_explicitly(&self, id: FrameworkId) -> bool {
        self.get(id).is_some_and(|framework| framework.acknowledges_explicitly)
    }

    /// Has a framework acknowledge statuses by calls from now on.
    pub(crate) fn acknowledge_by_calls(&mut self, id: FrameworkId) {
        if let Some(framework) = self.get_mut(id) {
            framework.acknowledges_explicitly = true;
        }
    }

    /// The word LOST, or the precise state for frameworks that are PARTITION_AWARE.
    pub(crate) fn lost_or(&self, id: FrameworkId, precise: TaskState) -> TaskState {
        let aware = self.get(id).is_some_and(|framework| framework.can(Capability::PartitionAware));
        if aware { precise } else { TaskState::Lost }
    }

    /// Tasks of a framework that have ended, as far as the master remembers, oldest first.
    pub(crate) fn completed_tasks(&self, id: FrameworkId) -> impl Iterator<Item = (&TaskInfo, TaskState)> {
        let ended = self.get(id).into_iter().flat_map(|framework| &framework.completed);
        ended.map(|ended| (&*ended.info, ended.state))
    }

    /// Puts a message into the outbox, if the framework is connected.
    pub(crate) fn send(&mut self, cx: &Cx, framework: FrameworkId, event: SchedulerEvent) {
        if self.is_connected(framework) {
            self.outbox.push_back(Message { framework, cause: cx.cause(), event });
        }
    }

    /// Counts the messages in the outbox.
    pub(crate) fn waiting_messages(&self) -> usize {
        self.outbox.len()
    }

    /// Takes the oldest message out of the outbox.
    pub(crate) fn next_message(&mut self) -> Option<Message> {
        self.outbox.pop_front()
    }
}
