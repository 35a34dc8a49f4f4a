//! Reads scheduler calls from v1 JSON.
//!
//! Source: `apache/mesos: include/mesos/v1/scheduler/scheduler.proto`, `src/master/validation.cpp` (scheduler::call).
//! Match for the calls here.

use super::{
    framework::{self, Subscription},
    launch,
    read::{Message, Read, bad},
    resource::read_list,
};
use crate::{
    Master,
    api::{Call, OfferId, Operation, ReconcileOperation, ReconcileTask, Resource, TaskInfo},
    maintenance::{Response, decode::refuse_ms},
};
use planarium_kernel::base64::Base64;
use planarium_protocol::{Refusal, Text};
use serde_json::Value;

/// A call of a framework, as far as it can be read without the master.
#[derive(Clone, Debug, PartialEq)]
pub enum SchedulerCall {
    /// SUBSCRIBE.
    Subscribe(Box<Subscription>),
    /// A call that the master carries out.
    Call(Call),
    /// ACKNOWLEDGE.
    Acknowledge {
        /// The task.
        task_id: Text,
        /// The agent.
        agent_id: Text,
        /// The status.
        uuid: Vec<u8>,
    },
    /// ACKNOWLEDGE_OPERATION_STATUS.
    AcknowledgeOperation {
        /// The operation.
        operation_id: Text,
        /// The agent.
        agent_id: Text,
        /// The status.
        uuid: Vec<u8>,
    },
    /// UPDATE_FRAMEWORK.
    Update(Box<Subscription>),
    /// SHUTDOWN of an executor.
    Shutdown {
        /// The executor.
        executor_id: Text,
        /// The agent.
        agent_id: Text,
    },
    /// A call that is valid and has no effect here.
    Nothing,
}

/// A call with the id of the framework that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct From {
    /// The framework's id on the wire.
    pub framework_id: Option<Text>,
    /// The call.
    pub call: SchedulerCall,
}

/// Reads a call. Offer ids that are not of the master's form match no offer.
///
/// *Errors*: why the call is invalid (400).
pub fn scheduler_call(master: &Master, value: &Value) -> Result<From, Refusal> {
    let body = Message::of(value)?;
    let kind = body.text("type")?.ok_or_else(|| bad("Expecting 'type' to be present"))?;
    let framework_id = body.id("framework_id")?.filter(|id| !id.is_empty());
    let call = read(&master.records.cluster.ids.uuid, &body, &kind)?;
    if framework_id.is_none() && !matches!(call, SchedulerCall::Subscribe(_)) {
        return Err(bad("Expecting 'framework_id' to be present"));
    }
    Ok(From { framework_id, call })
}

fn read(master_id: &str, body: &Message<'_>, kind: &str) -> Read<SchedulerCall> {
    let part =
        |field: &str| body.message(field)?.ok_or_else(|| bad(format!("Expecting '{field}' to be present")));
    let roles = |field: &str| match body.message(field)? {
        Some(part) => {
            let mut roles = part.texts("roles")?;
            roles.extend(part.text("role")?);
            Ok(roles)
        }
        None => Ok::<_, Refusal>(Vec::new()),
    };
    Ok(match kind {
        "SUBSCRIBE" => SchedulerCall::Subscribe(Box::new(subscription(&part("subscribe")?)?)),
        "UPDATE_FRAMEWORK" => SchedulerCall::Update(Box::new(subscription(&part("update_framework")?)?)),
        "TEARDOWN" => SchedulerCall::Call(Call::Teardown),
        "ACCEPT" => {
            let accept = part("accept")?;
            let operations = accept.messages("operations")?;
            SchedulerCall::Call(Call::Accept {
                offer_ids: offer_ids(master_id, &accept)?,
                operations: operations.iter().map(|one| operation(one)).collect::<Read<_>>()?,
                refuse_ms: filter(&accept)?,
            })
        }
        "DECLINE" => {
            let decline = part("decline")?;
            SchedulerCall::Call(Call::Decline {
                offer_ids: offer_ids(master_id, &decline)?,
                refuse_ms: filter(&decline)?,
            })
        }
        "REVIVE" => SchedulerCall::Call(Call::Revive { roles: roles("revive")? }),
        "SUPPRESS" => SchedulerCall::Call(Call::Suppress { roles: roles("suppress")? }),
        "KILL" => {
            let kill = part("kill")?;
            let grace = kill.message("kill_policy")?.map(|policy| launch::grace_ms(&policy)).transpose()?;
            SchedulerCall::Call(Call::Kill {
                task_id: kill.needs_id("task_id")?,
                agent_id: kill.id("agent_id")?,
                grace_ms: grace.flatten().map(|ms| u64::try_from(ms).unwrap_or(0)),
            })
        }
        "RECONCILE" => {
            let reconcile = part("reconcile")?;
            let one = |task: &Message<'_>| {
                Ok(ReconcileTask { task_id: task.needs_id("task_id")?, agent_id: task.id("agent_id")? })
            };
            let tasks = reconcile.messages("tasks")?;
            SchedulerCall::Call(Call::Reconcile { tasks: tasks.iter().map(one).collect::<Read<_>>()? })
        }
        "ACKNOWLEDGE" => {
            let acknowledge = part("acknowledge")?;
            SchedulerCall::Acknowledge {
                task_id: acknowledge.needs_id("task_id")?,
                agent_id: acknowledge.needs_id("agent_id")?,
                uuid: uuid(&acknowledge)?,
            }
        }
        "SHUTDOWN" => {
            let shutdown = part("shutdown")?;
            let agent_id = shutdown.needs_id("agent_id")?;
            SchedulerCall::Shutdown { executor_id: shutdown.needs_id("executor_id")?, agent_id }
        }
        "MESSAGE" => {
            let message = part("message")?;
            message.needs_id("agent_id")?;
            message.needs_id("executor_id")?;
            message.needs_text("data")?;
            SchedulerCall::Nothing
        }
        "ACCEPT_INVERSE_OFFERS" => answer(master_id, &part("accept_inverse_offers")?, Response::Accept)?,
        "DECLINE_INVERSE_OFFERS" => answer(master_id, &part("decline_inverse_offers")?, Response::Decline)?,
        "ACKNOWLEDGE_OPERATION_STATUS" => {
            let acknowledge = part("acknowledge_operation_status")?;
            SchedulerCall::AcknowledgeOperation {
                uuid: uuid(&acknowledge)?,
                operation_id: acknowledge.needs_id("operation_id")?,
                agent_id: acknowledge
                    .id("agent_id")?
                    .ok_or_else(|| bad("Expecting 'agent_id' to be present"))?,
            }
        }
        "RECONCILE_OPERATIONS" => {
            let asked = part("reconcile_operations")?.messages("operations")?;
            let one = |asked: &Message<'_>| {
                let (operation_id, agent_id) = (asked.needs_id("operation_id")?, asked.id("agent_id")?);
                Ok(ReconcileOperation { operation_id, agent_id })
            };
            let operations = asked.iter().map(one).collect::<Read<_>>()?;
            SchedulerCall::Call(Call::ReconcileOperations { operations })
        }
        "REQUEST" => {
            part("request")?;
            SchedulerCall::Nothing
        }
        _ => return Err(bad("Expecting 'type' to be a known call")),
    })
}

fn subscription(part: &Message<'_>) -> Read<Subscription> {
    let info =
        part.message("framework_info")?.ok_or_else(|| bad("Expecting 'framework_info' to be present"))?;
    framework::read(&info, None, &[], &part.texts("suppressed_roles")?)
}

/// The `uuid` of a status: sixteen bytes.
fn uuid(part: &Message<'_>) -> Read<Vec<u8>> {
    let bytes = Base64::Padded.decode(part.needs_text("uuid")?.as_bytes()).unwrap_or_default();
    if bytes.len() == 16 { Ok(bytes) } else { Err(bad("Not a valid UUID")) }
}

fn answer(master_id: &str, part: &Message<'_>, response: Response) -> Read<SchedulerCall> {
    let offer_ids = part.ids("inverse_offer_ids")?.iter().map(|id| offer_of(master_id, id)).collect();
    Ok(SchedulerCall::Call(Call::AnswerInverseOffers { offer_ids, response, refuse_ms: filter(part)? }))
}

/// `filters.refuse_seconds`; none means the default.
fn filter(part: &Message<'_>) -> Read<Option<u64>> {
    let filters = part.message("filters")?;
    let seconds = filters.map(|filters| filters.double("refuse_seconds")).transpose()?.flatten();
    Ok(seconds.and_then(refuse_ms))
}

fn offer_ids(master_id: &str, part: &Message<'_>) -> Read<Vec<OfferId>> {
    Ok(part.ids("offer_ids")?.iter().map(|id| offer_of(master_id, id)).collect())
}

/// Returns the offer with this id on the wire; an unknown id maps to an offer that does not exist.
fn offer_of(master_id: &str, wire: &str) -> OfferId {
    let number = wire.strip_prefix(master_id).and_then(|rest| rest.strip_prefix("-O"));
    OfferId(number.and_then(|digits| digits.parse().ok()).unwrap_or(u32::MAX))
}

fn operation(message: &Message<'_>) -> Read<Operation> {
    let id = message.id("id")?;
    let operation = plain_operation(message, id.is_some())?;
    Ok(match (id, &operation) {
        (None, _) | (_, Operation::Launch(_) | Operation::LaunchGroup { .. }) => operation,
        (_, Operation::Invalid { tasks, .. }) if !tasks.is_empty() => operation,
        (Some(id), _) => Operation::Named { id, operation: Box::new(operation) },
    })
}

/// Reads an operation, with its id if it has one; launches must not have one.
///
/// *Errors*: describes the part that cannot be read.
fn plain_operation(message: &Message<'_>, named: bool) -> Read<Operation> {
    let kind = message.text("type")?.unwrap_or_default();
    let Some(&(kind, field)) = OPERATIONS.iter().find(|(known, _)| **known == *kind) else {
        return Ok(Operation::Impossible { kind: "UNKNOWN", flaw: "operations of this type do not exist" });
    };
    let invalid = |reason: String| Operation::Invalid { kind, tasks: Vec::new(), reason: reason.into() };
    let Some(part) = message.message(field)? else {
        return Ok(invalid(format!("the operation needs '{field}'")));
    };
    let of_list = |list: &str, make: fn(Vec<Resource>) -> Operation| {
        let read = read_list(&part.messages(list)?)?;
        Ok::<_, Refusal>(read.map_or_else(|why| invalid(why.text), make))
    };
    Ok(match kind {
        "RESERVE" if !part.messages("source")?.is_empty() => {
            invalid("'source' is not for offer operations".to_owned())
        }
        "RESERVE" => of_list("resources", Operation::Reserve)?,
        "UNRESERVE" => of_list("resources", Operation::Unreserve)?,
        "CREATE" => of_list("volumes", Operation::Create)?,
        "DESTROY" => of_list("volumes", Operation::Destroy)?,
        "LAUNCH" => {
            let tasks = part.messages("task_infos")?;
            let tasks = tasks.iter().map(|task| launch::task(task, true)).collect::<Read<Vec<_>>>()?;
            let (tasks, reason) = launched(tasks, None, named);
            match reason {
                Some(reason) => Operation::Invalid { kind, tasks, reason },
                None => Operation::Launch(tasks),
            }
        }
        "LAUNCH_GROUP" => {
            let tasks = part.needs("task_group")?.messages("tasks")?;
            let tasks = tasks.iter().map(|task| launch::task(task, false)).collect::<Read<Vec<_>>>()?;
            let executor = launch::executor(&part.needs("executor")?)?;
            let (tasks, reason) = launched(tasks, executor.invalid, named);
            match reason {
                Some(reason) => Operation::Invalid { kind, tasks, reason },
                None => Operation::LaunchGroup { executor: executor.item, tasks },
            }
        }
        "GROW_VOLUME" => {
            let one = |field: &str| super::resource::read(&part.needs(field)?);
            match (one("volume")?, one("addition")?) {
                (Ok(volume), Ok(addition)) => Operation::Grow { volume, addition },
                (Err(why), _) | (_, Err(why)) => invalid(why.text),
            }
        }
        "SHRINK_VOLUME" => match super::resource::read(&part.needs("volume")?)? {
            Ok(volume) => Operation::Shrink { volume, by: part.needs("subtract")?.rounded("value")? },
            Err(why) => invalid(why.text),
        },
        "CREATE_DISK" => {
            part.needs_text("target_type")?;
            Operation::Impossible { kind, flaw: no_provider(&part)? }
        }
        _ => Operation::Impossible { kind, flaw: no_provider(&part)? },
    })
}

/// Types of operations, and the field that belongs to each.
const OPERATIONS: [(&str, &str); 10] = [
    ("RESERVE", "reserve"),
    ("UNRESERVE", "unreserve"),
    ("CREATE", "create"),
    ("DESTROY", "destroy"),
    ("LAUNCH", "launch"),
    ("LAUNCH_GROUP", "launch_group"),
    ("GROW_VOLUME", "grow_volume"),
    ("SHRINK_VOLUME", "shrink_volume"),
    ("CREATE_DISK", "create_disk"),
    ("DESTROY_DISK", "destroy_disk"),
];

/// The tasks of a launch, and why the whole launch is invalid.
fn launched(
    tasks: Vec<launch::Launch<TaskInfo>>,
    of_executor: Option<String>,
    named: bool,
) -> (Vec<TaskInfo>, Option<Text>) {
    let reason = tasks.iter().find_map(|task| task.invalid.clone()).or(of_executor);
    let named = named.then(|| "an operation id is not for launches".to_owned());
    (tasks.into_iter().map(|task| task.item).collect(), reason.or(named).map(Text::from))
}

/// Why a disk operation cannot be carried out: agents here have no resource providers.
fn no_provider(part: &Message<'_>) -> Read<&'static str> {
    let source = part.needs("source")?;
    source.needs_text("name")?;
    Ok(if source.has("provider_id") {
        "the resource is not in what is left of the offer"
    } else {
        "'source' is not managed by a resource provider"
    })
}
