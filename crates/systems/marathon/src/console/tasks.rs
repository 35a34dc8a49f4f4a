//! Commands about tasks and deployments.

use super::Done;
use super::answer::{cell, first_id, items, say_killed};
use super::client::Client;
use planarium_part::console::Given;
use planarium_protocol::json;
use serde_json::Value;

/// Returns an action in a word.
fn short(action: &Value) -> String {
    cell(action, "action").replace("Application", "").replace("Pod", "").to_lowercase()
}

pub(super) fn deployments(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let answer = client.get("/v2/deployments")?;
    let wanted = given.argument(0).map(|_| first_id(given));
    let all: Vec<&Value> = answer
        .as_array()
        .into_iter()
        .flatten()
        .filter(|one| {
            let affected = items(one, "affectedApps").iter().chain(items(one, "affectedPods"));
            wanted.as_ref().is_none_or(|wanted| affected.filter_map(Value::as_str).any(|id| id == wanted))
        })
        .collect();
    if given.has("json") {
        client.say_json(&all.into_iter().cloned().collect());
        return Ok(());
    }
    if given.has("quiet") {
        for one in &all {
            client.say(&cell(one, "id"));
        }
        return Ok(());
    }
    if all.is_empty() {
        return Err(match wanted {
            Some(id) => format!("There are no deployments for '{id}'"),
            None => "There are no deployments".to_owned(),
        });
    }
    let mut rows = Vec::new();
    for one in all {
        let actions = items(one, "currentActions");
        let ids = |key: &str| {
            let all: Vec<String> = actions
                .iter()
                .filter(|action| action.get(key).is_some())
                .map(|action| cell(action, key))
                .collect();
            if all.is_empty() { "-".to_owned() } else { all.join(", ") }
        };
        let words: Vec<String> = actions.iter().map(short).collect();
        let step = one.get("currentStep").and_then(Value::as_u64).unwrap_or(0);
        let progress = format!("{}/{}", step.saturating_sub(1), cell(one, "totalSteps"));
        rows.push(vec![ids("app"), ids("pod"), words.join(", "), progress, cell(one, "id")]);
    }
    client.say_table(&["APP", "POD", "ACTION", "PROGRESS", "ID"], rows);
    Ok(())
}

/// Converts a deployment's name on the page to its id in the list.
fn deployment(given: &Given) -> &str {
    given.argument(0).unwrap_or_default()
}

pub(super) fn rollback(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let answer = client.send("DELETE", &format!("/v2/deployments/{}", deployment(given)), &Value::Null)?;
    client.say_json(&answer);
    Ok(())
}

pub(super) fn stop_deployment(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let path = format!("/v2/deployments/{}?force=true", deployment(given));
    client.send("DELETE", &path, &Value::Null).map(|_| ())
}

pub(super) fn watch(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let number = |name: &str, default: u64| match given.value(name).map(str::parse::<u64>) {
        None => Ok(default),
        Some(Ok(number)) if number > 0 => Ok(number),
        Some(_) => Err(format!("--{name} must be a positive number")),
    };
    let (most, interval) = (number("max-count", 600)?, number("interval", 1)?);
    for _ in 0..most {
        let answer = client.get("/v2/deployments")?;
        let found = answer.as_array().into_iter().flatten().find(|one| cell(one, "id") == deployment(given));
        let Some(found) = found else { return Ok(()) };
        let actions: Vec<String> = items(found, "currentActions")
            .iter()
            .map(|action| {
                let id = if action.get("app").is_some() { cell(action, "app") } else { cell(action, "pod") };
                format!("{} {id}", short(action))
            })
            .collect();
        let (step, steps) = (cell(found, "currentStep"), cell(found, "totalSteps"));
        client.say(&format!("step {step} of {steps}: {}", actions.join(", ")));
        if !client.pass(interval) {
            return Err("Time does not pass here: the clock cannot be moved".to_owned());
        }
    }
    Ok(())
}

// ---- tasks -----------------------------------------------------------------------------------

fn all_tasks(client: &mut Client<'_, '_>) -> Result<Vec<Value>, String> {
    let answer = client.get("/v2/tasks")?;
    Ok(items(&answer, "tasks").to_vec())
}

pub(super) fn list(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let tasks = match given.argument(0) {
        None => all_tasks(client)?,
        Some(_) => {
            let answer = client.get(&format!("/v2/apps{}/tasks", first_id(given)))?;
            items(&answer, "tasks").to_vec()
        }
    };
    if given.has("json") {
        client.say_json(&Value::from(tasks));
        return Ok(());
    }
    if given.has("quiet") {
        for task in &tasks {
            client.say(&cell(task, "id"));
        }
        return Ok(());
    }
    let healthy = |task: &Value| {
        let results = items(task, "healthCheckResults");
        let sick = results.iter().any(|one| one.get("alive") != Some(&Value::Bool(true)));
        if sick { "False" } else { "True" }.to_owned()
    };
    let rows: Vec<Vec<String>> = tasks
        .iter()
        .map(|task| {
            let started =
                if task.get("startedAt").is_some() { cell(task, "startedAt") } else { "N/A".to_owned() };
            vec![cell(task, "appId"), healthy(task), started, cell(task, "host"), cell(task, "id")]
        })
        .collect();
    client.say_table(&["APP", "HEALTHY", "STARTED", "HOST", "ID"], rows);
    Ok(())
}

pub(super) fn show(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let id = given.argument(0).unwrap_or_default();
    let tasks = all_tasks(client)?;
    let task = tasks.iter().find(|task| cell(task, "id") == id);
    let task = task.ok_or_else(|| format!("Task '{id}' does not exist"))?;
    client.say_json(task);
    Ok(())
}

pub(super) fn stop(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let id = given.argument(0).unwrap_or_default();
    let tasks = all_tasks(client)?;
    let task = tasks.iter().find(|task| cell(task, "id") == id);
    let app = task.map(|task| cell(task, "appId")).ok_or_else(|| format!("Task '{id}' does not exist"))?;
    let path = format!("/v2/apps{app}/tasks/{id}{}", given.query(&["wipe"]));
    let answer = client.send("DELETE", &path, &Value::Null)?;
    client.say_json(answer.get("task").unwrap_or(&answer));
    Ok(())
}

pub(super) fn kill(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let path = format!("/v2/tasks/delete{}", given.query(&["scale", "wipe"]));
    let answer = client.send("POST", &path, &json!({"ids": given.arguments}))?;
    say_killed(client, given, &answer)
}
