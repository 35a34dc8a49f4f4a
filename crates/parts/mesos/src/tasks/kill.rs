//! KILL, SHUTDOWN, and the end of tasks with a `max_completion_time`.
//!
//! Source: `apache/mesos: src/master/master.cpp` (kill), `src/launcher/default_executor.cpp`. Match.

use crate::{
    api::{Capability, FrameworkId, ReconcileTask, Source, TaskState},
    cluster::Cluster,
    tasks::{
        DEFAULT_KILL_GRACE_MS, MayBeDrained, TaskNo, Tasks, Update, reconcile, shutdown::SHUTDOWN_GRACE_MS,
        update,
    },
};
use planarium_ground::{Cx, Fleet, ProcessState};
use planarium_protocol::{EventBody, Text};

/// A call KILL.
#[derive(Clone, Debug)]
pub(crate) struct KillCall {
    pub(crate) framework: FrameworkId,
    pub(crate) task_id: Text,
    pub(crate) agent_id: Option<Text>,
    pub(crate) grace_ms: Option<u64>,
}

/// Kills a task for its framework. For an unknown task, the framework gets the same answer as from RECONCILE.
pub(crate) fn kill(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    call: &KillCall,
) -> MayBeDrained {
    let mut left = MayBeDrained::default();
    let KillCall { framework, ref task_id, ref agent_id, grace_ms } = *call;
    let known = tasks.ids.get(&(framework, task_id.clone())).copied();
    let live = known.and_then(|no| tasks.get(no).filter(|task| task.unreachable_since.is_none()).map(|_| no));
    let Some(no) = live else {
        let asked = ReconcileTask { task_id: task_id.clone(), agent_id: agent_id.clone() };
        reconcile::reconcile(tasks, cluster, cx, framework, &[asked]);
        return left;
    };
    let Some((task, agent)) = tasks.get(no).and_then(|task| Some((task, cluster.agents.get(task.agent)?)))
    else {
        return left;
    };
    if agent_id.as_ref().is_some_and(|id| *id != agent.name) {
        return left;
    }
    let own_ms = task.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS);
    let body = EventBody::KillRequested {
        framework: cluster.frameworks.name(framework),
        task: task.name().clone(),
        grace_ms: grace_ms.unwrap_or(own_ms),
    };
    let is_reachable = agent.is_reachable();
    let agent = task.agent;
    cx.following(body, |cx| {
        if is_reachable {
            left = deliver_kill(tasks, cluster, cx, fleet, no, grace_ms);
        } else if let Some(task) = tasks.get_mut(no) {
            task.pending_kill_ms = Some(grace_ms.unwrap_or(own_ms));
        }
    });
    cluster.agents.touch(cx, agent);
    left
}

/// Hands a kill to the agent; the other tasks of the group are ended with it.
pub(crate) fn deliver_kill(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    no: TaskNo,
    grace_ms: Option<u64>,
) -> MayBeDrained {
    let mut left = MayBeDrained::default();
    let Some(task) = tasks.get(no) else { return left };
    let Some(pid) = task.process else { return left };
    let own_ms = task.info.kill_grace_ms.unwrap_or(DEFAULT_KILL_GRACE_MS);
    let others = task
        .group
        .map(|group| update::group_members(tasks, &cluster.agents, task.agent, group))
        .unwrap_or_default();
    let tells = cluster.frameworks.get(task.framework).is_some_and(|f| f.can(Capability::TaskKillingState));
    let under_way = matches!(fleet.process_state(pid), Some(ProcessState::Starting | ProcessState::Running));
    if tells && under_way {
        let update = Update::new(cx.cause(), TaskState::Killing, Source::Executor);
        left = update::on_agent_update(tasks, cluster, cx, fleet, no, update);
    }
    fleet.kill(cx, pid, grace_ms.unwrap_or(own_ms));
    for (other, ms) in others {
        if other != pid {
            fleet.kill(cx, other, ms);
        }
    }
    left
}

/// Tells an executor to end with all its tasks. An agent that does not receive the order continues.
pub(crate) fn shut_down_executor(
    tasks: &mut Tasks,
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &mut Fleet,
    id: FrameworkId,
    agent_id: &str,
    executor: &str,
) -> MayBeDrained {
    let mut left = MayBeDrained::default();
    let agent = cluster.agents.named(agent_id).and_then(|agent| cluster.agents.get(agent));
    let Some(agent) = agent.filter(|agent| agent.is_reachable()) else { return left };
    for no in agent.tasks.clone() {
        let of = tasks.get(no).filter(|task| task.framework == id);
        if of.and_then(|task| task.executor.as_deref()) == Some(executor) {
            left = left.then(deliver_kill(tasks, cluster, cx, fleet, no, Some(SHUTDOWN_GRACE_MS)));
        }
    }
    left
}
