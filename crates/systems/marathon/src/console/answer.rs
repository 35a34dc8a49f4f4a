//! Words that several commands share.
//!
//! *Knows*: the API's answers. *Must not know*: which command asked.

use super::Done;
use super::client::Client;
use planarium_part::console::Given;
use serde_json::Value;

/// The text of a value as a cell shows it.
pub(super) fn cell(value: &Value, key: &str) -> String {
    match value.get(key) {
        None | Some(Value::Null) => "---".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Items of a list that an answer holds.
pub(super) fn items<'v>(answer: &'v Value, key: &str) -> &'v [Value] {
    answer.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The id that is the first argument, with a slash before it.
pub(super) fn first_id(given: &Given) -> String {
    format!("/{}", given.text(0).trim_matches('/'))
}

/// Reports the killed tasks, or the deployment that scales down for it.
pub(super) fn say_killed(client: &mut Client<'_, '_>, given: &Given, answer: &Value) -> Done {
    if given.has("scale") {
        let id = cell(answer, "deploymentId");
        client.say(&format!("Started deployment: {id}"));
        return Ok(());
    }
    let killed: Vec<String> = items(answer, "tasks").iter().map(|task| cell(task, "id")).collect();
    if killed.is_empty() {
        return Err("Killed tasks: []".to_owned());
    }
    client.say(&format!("Killed tasks: {}", killed.join(" ")));
    Ok(())
}
