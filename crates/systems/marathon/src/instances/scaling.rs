//! Numbers of instances: which to kill, how many to start.
//!
//! **Source**: `marathon: core/deployment/ScalingProposition.scala, MarathonSchedulerActor.scala (SchedulerActions.scale),
//! core/task/termination/impl/KillStreamWatcher.scala`. Match; among equal instances the older one goes first, where the real
//! order is that of a hash.

use crate::definition::RunSpec;
use crate::instances::instance::InstanceNo;
use crate::instances::instance::{Condition, Instance};
use crate::instances::tracker::counts_as_running;
use crate::offers::matching::constraints;
use planarium_kernel::{SimTime, SortedMap, sorted};
use planarium_protocol::Text;
use std::cmp::Ordering;
use std::sync::Arc;

/// Instances to kill and number to launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proposition {
    pub(crate) go: Vec<InstanceNo>,
    pub(crate) come: u32,
}

/// Plans the way to a count. `sentenced` have to go in any case.
pub(crate) fn propose(
    instances: &[Arc<Instance>],
    sentenced: &[InstanceNo],
    count: u32,
    spec: &RunSpec,
) -> Proposition {
    let running: Vec<&Arc<Instance>> =
        instances.iter().filter(|instance| counts_as_running(instance)).collect();
    let (condemned, others): (Vec<&Arc<Instance>>, Vec<&Arc<Instance>>) =
        running.iter().partition(|instance| sentenced.contains(&instance.no));
    let count = count as usize;
    let going = running.len().saturating_sub(count).max(condemned.len());
    let others: Vec<Arc<Instance>> = others.into_iter().cloned().collect();
    let more = going - condemned.len();
    let for_spread = constraints::to_kill(&spec.def.constraints, &others, more);
    let mut rest: Vec<&Arc<Instance>> = others
        .iter()
        .enumerate()
        .filter(|(at, _)| !for_spread.contains(at))
        .map(|(_, instance)| instance)
        .collect();
    if more > for_spread.len() {
        sorted::sort_by(&mut rest, |one, other| order(one, other, spec.def.oldest_first));
    }
    let spread = for_spread.iter().filter_map(|at| others.get(*at));
    let go =
        condemned.into_iter().chain(spread).chain(rest).take(going).map(|instance| instance.no).collect();
    let come = (count + going).saturating_sub(running.len());
    Proposition { go, come: u32::try_from(come).unwrap_or(u32::MAX) }
}

/// Elements that go first.
fn order(one: &Instance, other: &Instance, oldest_first: bool) -> Ordering {
    let weight = |instance: &Instance| match instance.condition {
        Condition::Unreachable => 1,
        Condition::Staging => 2,
        Condition::Starting => 3,
        Condition::Running => 4,
        _ => 5,
    };
    let by_age = |one: SimTime, other: SimTime| if oldest_first { one.cmp(&other) } else { other.cmp(&one) };
    let staged =
        |instance: &Instance| instance.tasks.iter().map(|task| task.staged).max().unwrap_or(SimTime::MAX);
    weight(one).cmp(&weight(other)).then_with(|| match one.condition {
        Condition::Staging => by_age(staged(one), staged(other)),
        Condition::Starting => by_age(one.since, other.since),
        _ => match (one.active_since, other.active_since) {
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(one), Some(other)) => by_age(one, other),
            (None, None) => Ordering::Equal,
        },
    })
}

/// Instances that are to end, each with the tasks that it had then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ending {
    left: SortedMap<InstanceNo, Vec<Text>>,
}

impl Ending {
    /// Those of the instances that have not ended yet.
    pub(crate) fn of<'a>(instances: impl IntoIterator<Item = &'a Arc<Instance>>) -> Self {
        let mut left = SortedMap::new();
        for instance in instances {
            left.insert(instance.no, instance.tasks.iter().map(|task| task.id.clone()).collect());
        }
        Self { left }
    }

    /// Removes those that are gone or have ended.
    pub(crate) fn look(&mut self, now: impl Fn(InstanceNo) -> Option<Arc<Instance>>) {
        self.left.retain(|no, tasks| now(*no).is_some_and(|instance| !has_ended(&instance, tasks)));
    }

    /// An instance changed. False when it is none of these.
    pub(crate) fn hear(&mut self, instance: &Instance, deleted: bool) -> bool {
        let Some(tasks) = self.left.get(&instance.no) else { return false };
        if deleted || has_ended(instance, tasks) {
            self.left.remove(&instance.no);
        }
        true
    }

    /// All have ended.
    pub(crate) fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// Those that have not.
    pub(crate) fn left(&self) -> impl Iterator<Item = InstanceNo> + '_ {
        self.left.keys().copied()
    }
}

fn has_ended(instance: &Instance, tasks: &[Text]) -> bool {
    instance.condition.is_considered_terminal() || instance.tasks.iter().all(|task| !tasks.contains(&task.id))
}
