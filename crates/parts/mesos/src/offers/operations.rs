//! Feedback on operations: the outcome of those that have an id, until it is acknowledged.
//!
//! The agent carries an operation out as soon as it receives it, and its status is sent like that of a task
//! ([`crate::tasks::acknowledge`]): again and again until it is acknowledged. What the master drops is told once and
//! not remembered. Of operations without an id nothing is told.
//!
//! Source: `apache/mesos: src/master/master.cpp` (drop, updateOperationStatus, acknowledgeOperationStatus,
//! reconcileOperations, sendBulkOperationFeedback), `src/status_update_manager/status_update_manager_process.hpp`.
//! Match, except that frameworks which acknowledge nothing by calls may give ids too, and are told once.

use crate::offers::TrackedOperation;
use crate::{
    Master,
    agents::Removal,
    agents::{Agent, AgentState},
    api::{
        AgentId, FrameworkId, Operation, OperationState, OperationStatus, ReconcileOperation, Resources,
        SchedulerEvent,
    },
    master::Timer,
    tasks::next_retry_ms,
    tasks::status_id,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Class;
use planarium_protocol::Text;
use std::sync::Arc;

impl Master {
    /// An operation was carried out in the master's records; its framework is told when the agent has received it.
    pub(crate) fn track_operation(
        &mut self,
        cx: &Cx,
        framework: FrameworkId,
        agent: AgentId,
        (id, operation): (Text, Arc<Operation>),
        converted: Resources,
    ) {
        let number = self.next_status.next();
        let (cause, delivered) = (cx.cause(), false);
        let operation = TrackedOperation {
            framework,
            id,
            operation,
            agent,
            converted,
            cause,
            delivered,
            retry_ms: 0,
            retry: None,
        };
        self.operations.insert(number, Arc::new(operation));
        self.forward_operation(cx, number);
    }

    /// The master drops an operation.
    pub(crate) fn refuse_operation(&mut self, cx: &Cx, framework: FrameworkId, id: Text, message: &str) {
        let status = OperationStatus {
            operation_id: id,
            agent_id: None,
            state: OperationState::Error,
            message: message.into(),
            converted: Resources::new(),
            number: None,
        };
        self.send(cx, framework, SchedulerEvent::Operation(status));
    }

    /// Sends the status of a finished operation, if its agent can be reached, and arms the timer that sends it again.
    pub(crate) fn forward_operation(&mut self, cx: &Cx, number: u32) {
        let Some(operation) = self.operations.get(&number) else { return };
        if !self.agent(operation.agent).is_some_and(Agent::is_reachable) {
            return;
        }
        let status = self.status_of(operation, OperationState::Finished, Some(number));
        let (framework, retry_ms) = (operation.framework, next_retry_ms(operation.retry_ms));
        self.send(cx, framework, SchedulerEvent::Operation(status));
        if !self.acknowledges_explicitly(framework) {
            self.operations.remove(&number);
            return;
        }
        let at = cx.now().saturating_add(retry_ms);
        let retry = Some(self.arm(at, Class::Periodic, cx.cause(), Timer::RetryOperation(number)));
        if let Some(operation) = self.operations.get_mut(&number).map(Arc::make_mut) {
            let old = std::mem::replace(&mut operation.retry, retry);
            (operation.retry_ms, operation.delivered) = (retry_ms, true);
            self.disarm(old);
        }
    }

    /// Sends again what was not acknowledged.
    pub(crate) fn retry_operation(&mut self, cx: &mut Cx, number: u32) {
        let Some(operation) = self.operations.get_mut(&number).map(Arc::make_mut) else { return };
        operation.retry = None;
        let cause = operation.cause;
        cx.scoped(cause, |cx| self.forward_operation(cx, number));
    }

    /// An agent can be reached again: all statuses are sent at once, starting over with the shortest pause.
    pub(crate) fn forward_operations_of(&mut self, cx: &mut Cx, agent: AgentId) {
        for number in self.operations_on(agent) {
            if let Some(operation) = self.operations.get_mut(&number).map(Arc::make_mut) {
                operation.retry_ms = 0;
            }
            self.retry_operation_now(cx, number);
        }
    }

    fn retry_operation_now(&mut self, cx: &mut Cx, number: u32) {
        let timer =
            self.operations.get_mut(&number).and_then(|operation| Arc::make_mut(operation).retry.take());
        self.disarm(timer);
        self.retry_operation(cx, number);
    }

    fn operations_on(&self, agent: AgentId) -> Vec<u32> {
        self.operations
            .iter()
            .filter(|(_, operation)| operation.agent == agent)
            .map(|(number, _)| *number)
            .collect()
    }

    /// Whether every operation on an agent has been acknowledged.
    pub(crate) fn has_operations(&self, agent: AgentId) -> bool {
        self.operations.values().any(|operation| operation.agent == agent)
    }

    pub(crate) fn status_of(
        &self,
        operation: &TrackedOperation,
        state: OperationState,
        number: Option<u32>,
    ) -> OperationStatus {
        let finished = state == OperationState::Finished;
        OperationStatus {
            operation_id: operation.id.clone(),
            agent_id: self.agent(operation.agent).map(|agent| agent.name.clone()),
            state,
            message: Text::default(),
            converted: if finished { operation.converted.clone() } else { Resources::new() },
            number,
        }
    }

    fn forget_operation(&mut self, number: u32) {
        if let Some(operation) = self.operations.remove(&number) {
            self.disarm(operation.retry);
        }
    }

    /// An agent leaves. One that is unreachable may come back and report again what it has done.
    pub(crate) fn lose_operations(&mut self, cx: &Cx, agent: AgentId, how: Removal) {
        for number in self.operations_on(agent) {
            let Some(operation) = self.operations.get(&number) else { continue };
            let state = match how {
                Removal::Removed(_) => None,
                Removal::Gone => Some(OperationState::GoneByOperator),
                Removal::Unreachable => Some(OperationState::Unreachable),
            };
            let framework = operation.framework;
            if let Some(status) = state.map(|state| self.status_of(operation, state, None)) {
                self.send(cx, framework, SchedulerEvent::Operation(status));
            }
            if how != Removal::Unreachable {
                self.forget_operation(number);
            }
        }
    }

    /// An agent will not come back, and what it has done is unknown.
    pub(crate) fn forget_operations_on(&mut self, agent: AgentId) {
        for number in self.operations_on(agent) {
            self.forget_operation(number);
        }
    }

    /// A framework is removed, and its operations with it.
    pub(crate) fn forget_operations_of(&mut self, framework: FrameworkId) {
        let of = self.operations.iter().filter(|(_, operation)| operation.framework == framework);
        for number in of.map(|(number, _)| *number).collect::<Vec<_>>() {
            self.forget_operation(number);
        }
    }

    /// ACKNOWLEDGE_OPERATION_STATUS. Acknowledgements of anything else have no effect.
    pub fn acknowledge_operation(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        agent_id: &str,
        operation_id: &str,
        uuid: &[u8],
    ) {
        let Some(agent) = self.agent_named(agent_id) else { return };
        if !self.agent(agent).is_some_and(Agent::is_reachable) {
            return;
        }
        let seed = self.seed;
        let meant = self.operations.iter().find(|(number, operation)| {
            let own = operation.framework == framework
                && operation.agent == agent
                && *operation.id == *operation_id;
            own && operation.delivered && status_id(seed, operation_id, u64::from(**number)) == uuid
        });
        if let Some(number) = meant.map(|(number, _)| *number) {
            self.forget_operation(number);
            self.check_drained(cx, fleet, agent);
        }
    }

    /// RECONCILE_OPERATIONS.
    pub(crate) fn reconcile_operations(
        &mut self,
        cx: &Cx,
        framework: FrameworkId,
        asked: &[ReconcileOperation],
    ) {
        let known = |operation: &TrackedOperation| {
            let agent = self.agent(operation.agent).map(|agent| agent.state);
            let state = if operation.delivered { OperationState::Finished } else { OperationState::Pending };
            (agent == Some(AgentState::Registered)).then(|| self.status_of(operation, state, None))
        };
        let own = || self.operations.values().filter(|operation| operation.framework == framework);
        let statuses: Vec<OperationStatus> = if asked.is_empty() {
            own().filter_map(|operation| known(operation)).collect()
        } else {
            let one = |asked: &ReconcileOperation| {
                let newest = own().rev().find(|operation| operation.id == asked.operation_id);
                newest.and_then(|operation| known(operation)).unwrap_or_else(|| self.unknown_operation(asked))
            };
            asked.iter().map(one).collect()
        };
        for status in statuses {
            self.send(cx, framework, SchedulerEvent::Operation(status));
        }
    }

    fn unknown_operation(&self, asked: &ReconcileOperation) -> OperationStatus {
        let known = asked.agent_id.as_ref().and_then(|name| self.known_state(self.agent_named(name)?));
        let (state, message) = match known {
            Some(AgentState::Unreachable) => {
                (OperationState::Unreachable, "Reconciliation: Agent is unreachable")
            }
            Some(AgentState::Recovered) => {
                (OperationState::Recovering, "Reconciliation: Agent has not registered again yet")
            }
            Some(AgentState::Gone) => {
                (OperationState::GoneByOperator, "Reconciliation: Agent was marked gone")
            }
            Some(AgentState::Registered | AgentState::Removed) | None => {
                (OperationState::Unknown, "Reconciliation: Operation is unknown")
            }
        };
        OperationStatus {
            operation_id: asked.operation_id.clone(),
            agent_id: asked.agent_id.clone(),
            state,
            message: message.into(),
            converted: Resources::new(),
            number: None,
        }
    }

    /// Broken invariants about operations, in words.
    pub(crate) fn check_operations(&self, broken: &mut Vec<String>) {
        for operation in self.operations.values() {
            let agent = self.agent(operation.agent).map(|agent| agent.state);
            let there = matches!(
                agent,
                Some(AgentState::Registered | AgentState::Recovered | AgentState::Unreachable)
            );
            let framework = self.framework(operation.framework);
            if !there || !framework.is_some_and(crate::frameworks::Framework::is_registered) {
                broken.push(format!("operation {} has no agent or no framework", operation.id));
            }
        }
    }
}
