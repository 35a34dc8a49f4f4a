//! Feedback on operations: the outcome of those that have an id, until it is acknowledged.
//!
//! The agent carries out an operation as soon as it receives it, and its status is sent like that of a task
//! ([`crate::tasks::acknowledge`]): repeatedly until it is acknowledged. Dropped operations are reported once and not
//! remembered. Operations without an id are not reported.
//!
//! Source: `apache/mesos: src/master/master.cpp` (drop, updateOperationStatus, acknowledgeOperationStatus,
//! reconcileOperations, sendBulkOperationFeedback), `src/status_update_manager/status_update_manager_process.hpp`.
//! Match, except that frameworks which acknowledge nothing by calls may give ids too, and are told once.

use crate::{
    agents::{Agent, AgentState, Agents, Removal},
    api::{
        AgentId, FrameworkId, OperationState, OperationStatus, ReconcileOperation, Resources, SchedulerEvent,
    },
    cluster::{Cluster, Timer},
    frameworks::Frameworks,
    offers::{Operations, TrackedOperation},
    tasks::{MayBeDrained, next_retry_ms, status_id},
};
use planarium_ground::Cx;
use planarium_kernel::Class;
use planarium_protocol::Text;
use std::sync::Arc;

/// Records an operation that was carried out; its framework is notified when the agent has received it.
pub(crate) fn track_operation(
    operations: &mut Operations,
    cluster: &mut Cluster,
    cx: &Cx,
    operation: TrackedOperation,
) {
    let number = cluster.ids.next_status.next();
    operations.insert(number, Arc::new(operation));
    forward_operation(operations, cluster, cx, number);
}

/// Tells a framework that its operation was dropped.
pub(crate) fn refuse_operation(
    frameworks: &mut Frameworks,
    cx: &Cx,
    framework: FrameworkId,
    id: Text,
    message: &str,
) {
    let status = OperationStatus {
        operation_id: id,
        agent_id: None,
        state: OperationState::Error,
        message: message.into(),
        converted: Resources::new(),
        number: None,
    };
    frameworks.send(cx, framework, SchedulerEvent::Operation(status));
}

/// Sends the status of a finished operation, if its agent can be reached, and arms the timer that sends it again.
pub(crate) fn forward_operation(operations: &mut Operations, cluster: &mut Cluster, cx: &Cx, number: u32) {
    let Some(operation) = operations.get(&number) else { return };
    if !cluster.agents.get(operation.agent).is_some_and(Agent::is_reachable) {
        return;
    }
    let status = status_of(&cluster.agents, operation, OperationState::Finished, Some(number));
    let (framework, retry_ms) = (operation.framework, next_retry_ms(operation.retry_ms));
    cluster.frameworks.send(cx, framework, SchedulerEvent::Operation(status));
    if !cluster.frameworks.acknowledges_explicitly(framework) {
        operations.remove(&number);
        return;
    }
    let at = cx.now().saturating_add(retry_ms);
    let retry = Some(cluster.timers.arm(at, Class::Periodic, cx.cause(), Timer::RetryOperation(number)));
    if let Some(operation) = operations.get_mut(&number).map(Arc::make_mut) {
        let old = std::mem::replace(&mut operation.retry, retry);
        (operation.retry_ms, operation.delivered) = (retry_ms, true);
        cluster.timers.disarm(old);
    }
}

/// Sends unacknowledged statuses again.
pub(crate) fn retry_operation(operations: &mut Operations, cluster: &mut Cluster, cx: &mut Cx, number: u32) {
    let Some(operation) = operations.get_mut(&number).map(Arc::make_mut) else { return };
    operation.retry = None;
    let cause = operation.cause;
    cx.scoped(cause, |cx| forward_operation(operations, cluster, cx, number));
}

/// Sends all statuses of an agent that can be reached again at once, starting over with the shortest pause.
pub(crate) fn forward_operations_of(
    operations: &mut Operations,
    cluster: &mut Cluster,
    cx: &mut Cx,
    agent: AgentId,
) {
    for number in operations_on(operations, agent) {
        if let Some(operation) = operations.get_mut(&number).map(Arc::make_mut) {
            operation.retry_ms = 0;
        }
        retry_operation_now(operations, cluster, cx, number);
    }
}

fn retry_operation_now(operations: &mut Operations, cluster: &mut Cluster, cx: &mut Cx, number: u32) {
    let timer = operations.get_mut(&number).and_then(|operation| Arc::make_mut(operation).retry.take());
    cluster.timers.disarm(timer);
    retry_operation(operations, cluster, cx, number);
}

fn operations_on(operations: &Operations, agent: AgentId) -> Vec<u32> {
    operations.iter().filter(|(_, operation)| operation.agent == agent).map(|(number, _)| *number).collect()
}

/// Returns whether every operation on an agent has been acknowledged.
pub(crate) fn has_operations(operations: &Operations, agent: AgentId) -> bool {
    operations.values().any(|operation| operation.agent == agent)
}

/// The status of an operation.
pub(crate) fn status_of(
    agents: &Agents,
    operation: &TrackedOperation,
    state: OperationState,
    number: Option<u32>,
) -> OperationStatus {
    let finished = state == OperationState::Finished;
    OperationStatus {
        operation_id: operation.id.clone(),
        agent_id: agents.get(operation.agent).map(|agent| agent.name.clone()),
        state,
        message: Text::default(),
        converted: if finished { operation.converted.clone() } else { Resources::new() },
        number,
    }
}

fn forget_operation(operations: &mut Operations, cluster: &mut Cluster, number: u32) {
    if let Some(operation) = operations.remove(&number) {
        cluster.timers.disarm(operation.retry);
    }
}

/// Tells frameworks about operations of an agent that leaves. An unreachable one may come back and report its operations
/// again.
pub(crate) fn lose_operations(
    operations: &mut Operations,
    cluster: &mut Cluster,
    cx: &Cx,
    agent: AgentId,
    how: Removal,
) {
    for number in operations_on(operations, agent) {
        let Some(operation) = operations.get(&number) else { continue };
        let state = match how {
            Removal::Removed(_) => None,
            Removal::Gone => Some(OperationState::GoneByOperator),
            Removal::Unreachable => Some(OperationState::Unreachable),
        };
        let framework = operation.framework;
        if let Some(status) = state.map(|state| status_of(&cluster.agents, operation, state, None)) {
            cluster.frameworks.send(cx, framework, SchedulerEvent::Operation(status));
        }
        if how != Removal::Unreachable {
            forget_operation(operations, cluster, number);
        }
    }
}

/// Forgets the operations of an agent that will not come back.
pub(crate) fn forget_operations_on(operations: &mut Operations, cluster: &mut Cluster, agent: AgentId) {
    for number in operations_on(operations, agent) {
        forget_operation(operations, cluster, number);
    }
}

/// Forgets the operations of a framework that is removed.
pub(crate) fn forget_operations_of(
    operations: &mut Operations,
    cluster: &mut Cluster,
    framework: FrameworkId,
) {
    let of = operations.iter().filter(|(_, operation)| operation.framework == framework);
    for number in of.map(|(number, _)| *number).collect::<Vec<_>>() {
        forget_operation(operations, cluster, number);
    }
}

/// Forgets an operation whose status was acknowledged. Acknowledgements of anything else have no effect.
pub(crate) fn acknowledge_operation(
    operations: &mut Operations,
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
    agent_id: &str,
    operation_id: &str,
    uuid: &[u8],
) -> MayBeDrained {
    let agent = cluster.agents.named(agent_id);
    let is_reachable = |id: &AgentId| cluster.agents.get(*id).is_some_and(Agent::is_reachable);
    let Some(agent) = agent.filter(is_reachable) else { return MayBeDrained::default() };
    let seed = cluster.ids.seed;
    let meant = operations.iter().find(|(number, operation)| {
        let own =
            operation.framework == framework && operation.agent == agent && *operation.id == *operation_id;
        own && operation.delivered && status_id(seed, operation_id, u64::from(**number)) == uuid
    });
    let Some(number) = meant.map(|(number, _)| *number) else { return MayBeDrained::default() };
    forget_operation(operations, cluster, number);
    MayBeDrained(Some((agent, cx.cause())))
}

/// RECONCILE_OPERATIONS.
pub(crate) fn reconcile_operations(
    operations: &mut Operations,
    cluster: &mut Cluster,
    cx: &Cx,
    framework: FrameworkId,
    asked: &[ReconcileOperation],
) {
    let known = |operation: &TrackedOperation| {
        let agent = cluster.agents.get(operation.agent).map(|agent| agent.state);
        let state = if operation.delivered { OperationState::Finished } else { OperationState::Pending };
        (agent == Some(AgentState::Registered)).then(|| status_of(&cluster.agents, operation, state, None))
    };
    let own = || operations.values().filter(|operation| operation.framework == framework);
    let statuses: Vec<OperationStatus> = if asked.is_empty() {
        own().filter_map(|operation| known(operation)).collect()
    } else {
        let one = |asked: &ReconcileOperation| {
            let newest = own().rev().find(|operation| operation.id == asked.operation_id);
            newest
                .and_then(|operation| known(operation))
                .unwrap_or_else(|| unknown_operation(&cluster.agents, asked))
        };
        asked.iter().map(one).collect()
    };
    for status in statuses {
        cluster.frameworks.send(cx, framework, SchedulerEvent::Operation(status));
    }
}

fn unknown_operation(agents: &Agents, asked: &ReconcileOperation) -> OperationStatus {
    let known = asked.agent_id.as_ref().and_then(|name| agents.known_state(agents.named(name)?));
    let (state, message) = match known {
        Some(AgentState::Unreachable) => {
            (OperationState::Unreachable, "Reconciliation: Agent is unreachable")
        }
        Some(AgentState::Recovered) => {
            (OperationState::Recovering, "Reconciliation: Agent has not registered again yet")
        }
        Some(AgentState::Gone) => (OperationState::GoneByOperator, "Reconciliation: Agent was marked gone"),
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
pub(crate) fn check_operations(operations: &Operations, cluster: &Cluster, broken: &mut Vec<String>) {
    for operation in operations.values() {
        let agent = cluster.agents.get(operation.agent).map(|agent| agent.state);
        let there =
            matches!(agent, Some(AgentState::Registered | AgentState::Recovered | AgentState::Unreachable));
        let framework = cluster.frameworks.get(operation.framework);
        if !there || !framework.is_some_and(crate::frameworks::Framework::is_registered) {
            broken.push(format!("operation {} has no agent or no framework", operation.id));
        }
    }
}
