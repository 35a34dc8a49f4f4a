//! Reads tasks and executors from v1 JSON.
//!
//! A readable but invalid description is kept with its fault: the master answers it with TASK_ERROR. A command with a
//! predictable end (`true`, `sleep 5`, `exit 1`) ends; any other runs until it is ended.
//!
//! Source: `apache/mesos: include/mesos/v1/mesos.proto` (TaskInfo), `src/master/validation.cpp` (task). Match for what
//! the simulated cluster can run.

use super::{
    read::{Message, Read},
    resource::read_list,
};
use crate::api::{ExecutorInfo, Resources, TaskDetails, TaskInfo};
use planarium_ground::{CheckSpec, HealthSpec, Program, quoted};
use planarium_protocol::{Text, json};
use serde_json::Value;
use std::sync::Arc;

/// Longest interval of a check or grace period. *Units*: milliseconds.
const MAX_MS: u64 = 365 * 24 * 3_600_000;

/// A task or executor as read. A malformed resource makes the whole launch invalid.
#[derive(Debug)]
pub(super) struct Launch<T> {
    pub(super) item: T,
    pub(super) invalid: Option<String>,
}

/// Resources of a task or executor, and their fault: of form, or another.
fn resources(message: &Message<'_>) -> Read<(Resources, Option<String>, Option<Text>)> {
    Ok(match read_list(&message.messages("resources")?)? {
        Ok(list) => (list.into_iter().collect(), None, None),
        Err(invalid) if invalid.in_form => (Resources::new(), Some(invalid.text), None),
        Err(invalid) => (Resources::new(), None, Some(invalid.text.into())),
    })
}

/// Reads a task. `alone` is set for LAUNCH, where a task has its own command or executor.
pub(super) fn task(message: &Message<'_>, alone: bool) -> Read<Launch<TaskInfo>> {
    let name = message.needs_text("name")?;
    let task_id = message.needs_id("task_id")?;
    let command = message.message("command")?;
    let own_executor = message.message("executor")?;
    let policy = message.message("kill_policy")?.map(|policy| grace_ms(&policy)).transpose()?.flatten();
    let mut flaw: Option<&str> = None;
    let mut find = |wrong: bool, text: &'static str| {
        if wrong && flaw.is_none() {
            flaw = Some(text);
        }
    };
    find(policy.is_some_and(|ms| ms < 0), "the grace period of the kill policy is negative");
    let most = message.message("max_completion_time")?.map(|most| most.int("nanoseconds")).transpose()?;
    let most = most.flatten();
    find(most.is_some_and(|ns| ns < 0), "the longest completion time is negative");
    if alone {
        find(command.is_some() == own_executor.is_some(), "a task has either a command or an executor");
    } else {
        find(own_executor.is_some(), "a task of a group has no executor of its own");
    }
    if let Some(executor) = &own_executor {
        let kind = executor.text("type")?;
        find(kind.is_some_and(|kind| &*kind == "DEFAULT"), "the executor of a single task is a CUSTOM one");
        find(alone && !executor.has("command"), "a CUSTOM executor needs a command");
    }
    let (readiness, health) = (message.message("check")?, message.message("health_check")?);
    for check in [&readiness, &health].into_iter().flatten() {
        find(!well_formed(check)?, "a check needs a type and what belongs to it, and no negative times");
    }
    let program = Program {
        lives: true,
        goalless: command.is_some(),
        command: command.as_ref().map(command_text).transpose()?.unwrap_or_default(),
        code: None,
        image: message.message("container")?.map(|container| image(&container)).transpose()?.flatten(),
        readiness: readiness.as_ref().map(check_spec).transpose()?,
        health: health.as_ref().map(health_spec).transpose()?,
    };
    let env = command.as_ref().map(environment).transpose()?.unwrap_or_default();
    let (own, mut invalid, fault) = resources(message)?;
    let executor = own_executor.as_ref().map(executor).transpose()?;
    invalid = invalid.or_else(|| executor.as_ref().and_then(|executor| executor.invalid.clone()));
    let item = TaskInfo {
        name,
        task_id,
        agent_id: message.id("agent_id")?,
        executor: executor.map(|executor| executor.item),
        resources: own,
        labels: message.labels("labels")?.into_iter().collect(),
        env,
        program,
        kill_grace_ms: policy.and_then(|ms| u64::try_from(ms).ok()).map(|ms| ms.min(MAX_MS)),
        max_completion_ms: most
            .and_then(|ns| u64::try_from(ns).ok())
            .map(|ns| ns.div_ceil(1_000_000).min(MAX_MS)),
        flaw: flaw.map(Into::into).or(fault),
        details: Some(Arc::new(details(message)?)),
        ..TaskInfo::default()
    };
    Ok(Launch { item, invalid })
}

/// Reads the parts of a task that are only shown, with the defaults of messages.
fn details(message: &Message<'_>) -> Read<TaskDetails> {
    let given = |field: &str| message.get(field).filter(|value| value.is_object()).cloned();
    let user = match (message.message("command")?, message.message("executor")?) {
        (Some(command), _) if command.has("user") => command.text("user")?,
        (_, Some(executor)) => {
            executor.message("command")?.map(|command| command.text("user")).transpose()?.flatten()
        }
        _ => None,
    };
    Ok(TaskDetails {
        user,
        discovery: given("discovery"),
        container: given("container"),
        health_check: given("health_check").map(with_health_defaults),
        kill_policy: given("kill_policy"),
        limits: given("limits"),
        check: message.message("check")?.map(|check| check.text("type")).transpose()?.flatten(),
    })
}

/// A health check with the defaults of its fields.
fn with_health_defaults(mut check: Value) -> Value {
    let defaults = [
        ("delay_seconds", json!(15.0)),
        ("interval_seconds", json!(10.0)),
        ("timeout_seconds", json!(20.0)),
        ("consecutive_failures", json!(3)),
        ("grace_period_seconds", json!(10.0)),
    ];
    let put = |object: &mut Value, key: &str, default: Value| {
        if let Some(fields) = object.as_object_mut() {
            fields.entry(key).or_insert(default);
        }
    };
    for (key, default) in defaults {
        put(&mut check, key, default);
    }
    if let Some(command) = check.get_mut("command") {
        put(command, "shell", json!(true));
    }
    check
}

/// Reads an executor.
pub(super) fn executor(message: &Message<'_>) -> Read<Launch<ExecutorInfo>> {
    let (resources, invalid, fault) = resources(message)?;
    let item = ExecutorInfo { id: message.needs_id("executor_id")?, resources };
    Ok(Launch { item, invalid: invalid.or(fault.map(|text| text.to_string())) })
}

/// The grace period of a kill policy, rounded up to milliseconds.
pub(super) fn grace_ms(policy: &Message<'_>) -> Read<Option<i64>> {
    let Some(grace) = policy.message("grace_period")? else { return Ok(None) };
    let ns = grace.int("nanoseconds")?.unwrap_or(0);
    Ok(Some(ns.saturating_add(999_999).div_euclid(1_000_000)))
}

/// The command as a text for a shell; arguments without a shell are quoted.
fn command_text(command: &Message<'_>) -> Read<Text> {
    let value = command.text("value")?.unwrap_or_default();
    let arguments = command.texts("arguments")?;
    let has_shell = command.get("shell").is_none() || command.flag("shell")?;
    Ok(match arguments.as_slice() {
        [] if has_shell || value.is_empty() => value,
        [] => quoted(&value).into(),
        // The first one is the name that the program runs under.
        _ if has_shell => value,
        arguments => arguments.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ").into(),
    })
}

fn environment(command: &Message<'_>) -> Read<planarium_kernel::SortedMap<Text, Text>> {
    let Some(environment) = command.message("environment")? else {
        return Ok(planarium_kernel::SortedMap::new());
    };
    let pair = |one: &Message<'_>| Ok((one.needs_text("name")?, one.text("value")?.unwrap_or_default()));
    environment.messages("variables")?.iter().map(pair).collect()
}

fn image(container: &Message<'_>) -> Read<Option<Text>> {
    if let Some(docker) = container.message("docker")? {
        return docker.text("image");
    }
    let Some(mesos) = container.message("mesos")? else { return Ok(None) };
    let Some(image) = mesos.message("image")? else { return Ok(None) };
    match image.message("docker")? {
        Some(docker) => docker.text("name"),
        None => Ok(None),
    }
}

fn well_formed(check: &Message<'_>) -> Read<bool> {
    let kind = check.text("type")?;
    let part = match kind.as_deref() {
        Some("COMMAND") => check.has("command"),
        Some("HTTP") => check.has("http"),
        Some("TCP") => check.has("tcp"),
        _ => false,
    };
    let mut times = true;
    for field in ["delay_seconds", "interval_seconds", "timeout_seconds", "grace_period_seconds"] {
        times &= check.double(field)?.is_none_or(|seconds| seconds >= 0.0);
    }
    Ok(part && times)
}

fn check_spec(check: &Message<'_>) -> Read<CheckSpec> {
    let command = match check.message("command")? {
        // A check wraps its command, a health check contains it directly.
        Some(outer) => match outer.message("command")? {
            Some(inner) => command_text(&inner)?,
            None => command_text(&outer)?,
        },
        None => Text::default(),
    };
    Ok(CheckSpec {
        command,
        delay_ms: ms(check, "delay_seconds", 15)?,
        interval_ms: ms(check, "interval_seconds", 10)?.max(1),
        timeout_ms: ms(check, "timeout_seconds", 20)?,
    })
}

fn health_spec(check: &Message<'_>) -> Read<HealthSpec> {
    let failures = check.int("consecutive_failures")?.unwrap_or(3);
    Ok(HealthSpec {
        check: check_spec(check)?,
        grace_ms: ms(check, "grace_period_seconds", 10)?,
        max_failures: u32::try_from(failures).unwrap_or(3).max(1),
    })
}

/// Seconds as whole milliseconds.
fn ms(message: &Message<'_>, field: &str, default_s: u64) -> Read<u64> {
    let Some(seconds) = message.double(field)? else { return Ok(default_s * 1000) };
    let text = format!("{:.0}", (seconds * 1000.0).max(0.0));
    Ok(text.parse::<u64>().unwrap_or(MAX_MS).min(MAX_MS))
}
