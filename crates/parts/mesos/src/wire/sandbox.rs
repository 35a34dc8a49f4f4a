//! Sandboxes of tasks: the predictable output of a command, in files.
//!
//! A path is that of a real agent, with or without the agent's work directory:
//! `slaves/AGENT/frameworks/FRAMEWORK/executors/EXECUTOR/runs/RUN`, where RUN is `latest` or the container's id, and
//! EXECUTOR is the task's id if the task has no executor of its own. The tasks of an executor are in `tasks/TASK` below.
//!
//! Source: `apache/mesos: src/slave/paths.cpp`, `src/files/files.cpp`. Simplified: one master knows the sandboxes of all
//! agents; they hold only `stdout` and `stderr`, and the master has no log.

use super::{
    common::Calendar,
    query::refusal,
    task::{TaskRow, TaskRows},
};
use crate::{
    cluster::Cluster,
    tasks::Tasks,
    wire::{status, task},
};
use planarium_ground::plain_end;
use planarium_kernel::SimTime;
use planarium_kernel::base64::Base64;
use planarium_protocol::{Refusal, json, refusal::RefusalCode};
use serde_json::Value;

/// The files of a sandbox.
const FILES: [&str; 2] = ["stderr", "stdout"];

/// The sandbox that a path leads to, and the rest of the path.
struct Place<'a> {
    row: TaskRow<'a>,
    rest: Vec<&'a str>,
}

fn not_found(path: &str) -> Refusal {
    refusal(RefusalCode::NotFound, 404, format!("'{path}' does not exist"))
}

/// LIST_FILES.
///
/// *Errors*: the folder does not exist (404).
pub(super) fn list_files(
    tasks: &Tasks,
    cluster: &Cluster,
    calendar: Calendar,
    path: &str,
) -> Result<Value, Refusal> {
    let place =
        place(tasks, cluster, path).filter(|place| place.rest.is_empty()).ok_or_else(|| not_found(path))?;
    let at = place.row.last_at().unwrap_or(SimTime::ZERO);
    let folder = path.trim_end_matches('/');
    let info = |name: &str| {
        json!({
            "path": format!("{folder}/{name}"),
            "nlink": 1,
            "size": contents(&place.row, name).len(),
            "mtime": calendar.nanoseconds(at),
            "mode": 0o100_644,
            "uid": "root",
            "gid": "root",
        })
    };
    let infos: Vec<Value> = FILES.into_iter().map(info).collect();
    Ok(json!({ "type": "LIST_FILES", "list_files": { "file_infos": infos } }))
}

/// READ_FILE.
///
/// *Errors*: the file does not exist (404).
pub(super) fn read_file(
    tasks: &Tasks,
    cluster: &Cluster,
    path: &str,
    offset: u64,
    length: Option<u64>,
) -> Result<Value, Refusal> {
    let place = place(tasks, cluster, path).ok_or_else(|| not_found(path))?;
    let &[name] = place.rest.as_slice() else { return Err(not_found(path)) };
    if !FILES.contains(&name) {
        return Err(not_found(path));
    }
    let text = contents(&place.row, name);
    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
    let most = length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX));
    let data: Vec<u8> = text.bytes().skip(skipped).take(most).collect();
    Ok(json!({
        "type": "READ_FILE",
        "read_file": { "size": text.len(), "data": Base64::Padded.encode(&data) },
    }))
}

fn place<'a>(tasks: &'a Tasks, cluster: &'a Cluster, path: &'a str) -> Option<Place<'a>> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let start = parts.iter().position(|part| *part == "slaves")?;
    let ["slaves", agent, "frameworks", framework, "executors", executor, "runs", run, rest @ ..] =
        parts.get(start..)?
    else {
        return None;
    };
    let agent = cluster.agents.named(agent)?;
    let row = cluster.frameworks.rows.iter().position(|known| *known.name == **framework)?;
    let rows = task::task_rows(tasks, &cluster.frameworks).into_iter().nth(row)?;
    let (of_executor, rest) = match rest {
        ["tasks", task, rest @ ..] => (Some(*task), rest),
        rest => (None, rest),
    };
    let is_meant = |row: &&TaskRow<'a>| {
        row.agent == agent
            && match (of_executor, row.executor()) {
                (Some(task), Some(own)) => *own == **executor && *row.task_id() == *task,
                (None, Some(own)) => *own == **executor,
                (None, None) => *row.task_id() == **executor,
                (Some(_), None) => false,
            }
    };
    let found = TaskRows::all(&rows).filter(is_meant).last().copied()?;
    let container = status::container_id(cluster, found.framework, found.task_id(), found.executor());
    (*run == "latest" || *run == container).then(|| Place { row: found, rest: rest.to_vec() })
}

fn contents(row: &TaskRow<'_>, name: &str) -> String {
    let printed = || plain_end(row.command()).and_then(|end| end.output).unwrap_or_default();
    if name == "stdout" && row.has_run() { printed() } else { String::new() }
}
