//! ACCEPT: offers validated, operations carried out in order on a running remainder, the rest given back.
//!
//! Source: `apache/mesos: src/master/master.cpp` (accept, _accept), `src/master/validation.cpp` (offer). Match,
//! but for operation ids (only HTTP frameworks have them) and agents that vanish between call and processing,
//! which cannot happen when messages take no time.

mod convert;
mod launch;
mod validate;

pub(crate) use validate::{amount, is_role, stack};

use crate::{
    Master,
    allocator::filter::life_ms,
    api::{
        AgentId, FrameworkId, FrameworkInfo, OfferId, Operation, Reason, Resource, Resources, Source,
        TaskInfo, TaskState, TaskStatus,
    },
};
use planarium_fleet::{Cx, Fleet};
use planarium_kernel::Class;
use planarium_protocol::{EventBody, Text};
use std::sync::Arc;

/// What an accept works on.
#[derive(Clone, Debug)]
struct Ground {
    framework: FrameworkId,
    info: Arc<FrameworkInfo>,
    agent: AgentId,
    agent_name: Text,
    hostname: Text,
    role: Text,
    /// What was offered, given to nobody in particular.
    offered: Resources,
    /// What is left of it, conversions applied.
    left: Resources,
    /// Volumes of another size than before: nothing can be done with them in the same accept.
    resized: Resources,
    /// Something was made into something else.
    is_converted: bool,
}

impl Ground {
    /// Whether all that is left was offered as it is. Says no where that takes longer to find out.
    fn is_part_of_offer(&self) -> bool {
        let was_offered = |resource| Resource::is_divisible(resource) && self.offered.contains_one(resource);
        !self.is_converted || self.left.iter().all(was_offered)
    }
}

impl Master {
    pub(crate) fn accept(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        framework: FrameworkId,
        ids: &[OfferId],
        operations: Vec<Operation>,
        refuse_ms: Option<u64>,
    ) {
        let mut ground = match self.ground(framework, ids) {
            Ok(ground) => ground,
            Err(why) => return self.refuse_accept(cx, framework, ids, &operations, why),
        };
        for id in ids {
            self.offers.remove(id);
        }
        self.counters.offers(framework).accepted += ids.len() as u64;
        for operation in operations {
            self.carry_out_operation(cx, fleet, &mut ground, operation, None);
        }
        ground.left.add_all(&ground.resized);
        // What was converted comes back without a filter, the unused rest as declined.
        let (converted, declined) = if ground.is_part_of_offer() {
            (Resources::new(), ground.left.clone())
        } else {
            let converted = ground.left.minus(&ground.offered);
            let declined = ground.left.minus(&converted);
            (converted, declined)
        };
        let (role, agent) = (&ground.role, ground.agent);
        self.give_back(cx, framework, role, agent, &converted, None, Class::OneShot);
        self.give_back(cx, framework, role, agent, &declined, life_ms(refuse_ms), Class::OneShot);
        self.touch_agent(cx, agent);
    }

    /// One operation; `id` is the framework's, when it wants to know what came of it.
    fn carry_out_operation(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        ground: &mut Ground,
        operation: Operation,
        id: Option<Text>,
    ) {
        let kind = kind_of(&operation);
        let done = match operation {
            Operation::Launch(tasks) => {
                for task in tasks {
                    self.launch_one(cx, fleet, ground, task);
                }
                return;
            }
            Operation::LaunchGroup { executor, tasks } => {
                return self.launch_group(cx, fleet, ground, &executor, tasks);
            }
            Operation::Named { id, operation } => {
                return self.carry_out_operation(cx, fleet, ground, *operation, Some(id));
            }
            Operation::Reserve(resources) => self.reserve(cx, ground, &resources),
            Operation::Unreserve(resources) => self.unreserve(cx, ground, &resources),
            Operation::Create(volumes) => self.create(cx, ground, &volumes),
            Operation::Destroy(volumes) => self.destroy(cx, ground, &volumes),
            Operation::Grow { volume, addition } => self.grow(cx, ground, &volume, &addition),
            Operation::Shrink { volume, by } => self.shrink(cx, ground, &volume, by),
            Operation::Impossible { flaw, .. } => Err(flaw.to_owned()),
        };
        match (done, id) {
            (Ok(converted), Some(id)) => {
                self.track_operation(cx, ground.framework, ground.agent, id, converted);
            }
            (Ok(_), None) => {}
            (Err(reason), id) => {
                let body = EventBody::OperationDropped {
                    framework: ground.info.name.clone(),
                    agent: ground.hostname.clone(),
                    operation: kind.into(),
                    reason: reason.as_str().into(),
                };
                cx.following(body, |cx| {
                    if let Some(id) = id {
                        self.refuse_operation(cx, ground.framework, id, &reason);
                    }
                });
            }
        }
    }

    /// Checks the offers in the order the real master does.
    fn ground(&self, framework: FrameworkId, ids: &[OfferId]) -> Result<Ground, &'static str> {
        if ids.is_empty() {
            return Err("No offers specified");
        }
        if ids.iter().enumerate().any(|(n, id)| ids.iter().take(n).any(|before| before == id)) {
            return Err("Duplicate offer in offer list");
        }
        let mut offers = Vec::with_capacity(ids.len());
        for id in ids {
            offers.push(self.offers.get(id).ok_or("Offer is no longer valid")?);
        }
        let first = offers.first().ok_or("No offers specified")?;
        if offers.iter().any(|offer| offer.framework != framework) {
            return Err("Offer belongs to another framework");
        }
        if offers.iter().any(|offer| offer.role != first.role) {
            return Err("Aggregated offers must have the same allocation role");
        }
        if offers.iter().any(|offer| offer.agent != first.agent) {
            return Err("Aggregated offers must belong to one single agent");
        }
        let info =
            self.framework(framework).map(|framework| framework.info.clone()).ok_or("Unknown framework")?;
        let mut offered = Resources::new();
        for offer in &offers {
            offered.add_all(&offer.resources);
        }
        Ok(Ground {
            framework,
            info,
            agent: first.agent,
            agent_name: first.agent_id.clone(),
            hostname: first.hostname.clone(),
            role: first.role.clone(),
            left: offered.clone(),
            offered,
            resized: Resources::new(),
            is_converted: false,
        })
    }

    /// Nothing of the accept happens: its offers are discarded, its tasks never were.
    fn refuse_accept(
        &mut self,
        cx: &mut Cx,
        framework: FrameworkId,
        ids: &[OfferId],
        operations: &[Operation],
        why: &str,
    ) {
        let own: Vec<OfferId> = ids
            .iter()
            .filter(|id| self.offers.get(id).is_some_and(|o| o.framework == framework))
            .copied()
            .collect();
        let agent_id = own.first().and_then(|id| self.offers.get(id)).map(|offer| offer.agent_id.clone());
        for id in own {
            self.take_offer_back(cx, id, None);
        }
        let state = self.lost_or(framework, TaskState::Dropped);
        let message: Text = format!("Task launched with invalid offers: {why}").into();
        for task in operations.iter().flat_map(tasks_of) {
            let agent_id = task.agent_id.clone().or_else(|| agent_id.clone());
            let status = never_was(cx, task, agent_id, state, Reason::InvalidOffers, message.clone());
            self.counters.end(state);
            self.tell(cx, framework, status);
        }
        for operation in operations {
            if let Operation::Named { id, .. } = operation {
                let message = format!("Operation attempted with invalid offers: {why}");
                self.refuse_operation(cx, framework, id.clone(), &message);
            }
        }
    }
}

/// The operation's type on the wire.
const fn kind_of(operation: &Operation) -> &'static str {
    match operation {
        Operation::Reserve(_) => "RESERVE",
        Operation::Unreserve(_) => "UNRESERVE",
        Operation::Create(_) => "CREATE",
        Operation::Destroy(_) => "DESTROY",
        Operation::Grow { .. } => "GROW_VOLUME",
        Operation::Shrink { .. } => "SHRINK_VOLUME",
        Operation::Impossible { kind, .. } => kind,
        Operation::Launch(_) => "LAUNCH",
        Operation::LaunchGroup { .. } => "LAUNCH_GROUP",
        Operation::Named { .. } => "",
    }
}

fn tasks_of(operation: &Operation) -> &[TaskInfo] {
    match operation {
        Operation::Launch(tasks) | Operation::LaunchGroup { tasks, .. } => tasks,
        Operation::Reserve(_)
        | Operation::Unreserve(_)
        | Operation::Create(_)
        | Operation::Destroy(_)
        | Operation::Grow { .. }
        | Operation::Shrink { .. }
        | Operation::Impossible { .. }
        | Operation::Named { .. } => &[],
    }
}

/// The master's status for a task that was never launched.
fn never_was(
    cx: &Cx,
    task: &TaskInfo,
    agent_id: Option<Text>,
    state: TaskState,
    reason: Reason,
    message: Text,
) -> TaskStatus {
    TaskStatus {
        task_id: task.task_id.clone(),
        task_name: task.name.clone(),
        agent_id,
        executor_id: task.executor.as_ref().map(|executor| executor.id.clone()),
        state,
        reason: Some(reason),
        source: Source::Master,
        message,
        healthy: None,
        check: None,
        timestamp_ms: cx.now().ms(),
        unreachable_since_ms: None,
        number: None,
    }
}
