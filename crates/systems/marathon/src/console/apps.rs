//! Commands about apps.

use super::Done;
use super::answer::{cell, first_id, items, say_killed};
use super::client::Client;
use planarium_part::console::Given;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// Reports a started deployment.
pub(super) fn created(client: &mut Client<'_, '_>, answer: &Value) {
    let id = answer.get("deploymentId").and_then(Value::as_str);
    let first = answer.pointer("/deployments/0/id").and_then(Value::as_str);
    if let Some(id) = id.or(first) {
        client.say(&format!("Created deployment {id}"));
    }
}

fn whole(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// `key=value` words as an object; values are JSON, or texts.
///
/// *Errors*: a word without `=`.
pub(super) fn properties(words: &[String]) -> Result<Value, String> {
    let mut all = Map::new();
    for word in words {
        let Some((key, value)) = word.split_once('=') else {
            return Err(format!("Error: could not parse property '{word}': it should be key=value"));
        };
        let read = json::value(value.as_bytes()).unwrap_or_else(|_| value.into());
        all.insert(key.to_owned(), read);
    }
    Ok(Value::Object(all))
}

/// Reads the change of an update: properties, or a JSON text.
pub(super) fn change(client: &mut Client<'_, '_>, given: &Given) -> Result<Value, String> {
    let words = given.arguments.get(1..).unwrap_or_default();
    match words {
        [] => client.resource(None),
        [one] if one.trim_start().starts_with('{') => client.resource(Some(one)),
        words => properties(words),
    }
}

pub(super) fn add(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let mut app = client.resource(given.argument(0))?;
    if let (Some(id), Some(fields)) = (given.value("id"), app.as_object_mut()) {
        fields.insert("id".to_owned(), id.into());
    }
    let answer = client.send("POST", "/v2/apps", &app)?;
    created(client, &answer);
    Ok(())
}

/// Returns the health of an app's tasks: healthy of all that have results.
fn health(app: &Value) -> String {
    if items(app, "healthChecks").is_empty() {
        return "N/A".to_owned();
    }
    format!("{}/{}", whole(app, "tasksHealthy"), whole(app, "tasksRunning"))
}

pub(super) fn list(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let answer = client.get("/v2/apps")?;
    let apps = items(&answer, "apps");
    if given.has("json") {
        client.say_json(&Value::from(apps.to_vec()));
        return Ok(());
    }
    if given.has("quiet") {
        for app in apps {
            client.say(&cell(app, "id"));
        }
        return Ok(());
    }
    let (deployments, queue) = (client.get("/v2/deployments")?, client.get("/v2/queue")?);
    let mut rows = Vec::new();
    for app in apps {
        let id = app.get("id").and_then(Value::as_str).unwrap_or_default();
        let doing = deployments.as_array().into_iter().flatten().flat_map(|one| items(one, "currentActions"));
        let doing: Vec<String> = doing
            .filter(|action| action.get("app").and_then(Value::as_str) == Some(id))
            .map(|action| cell(action, "action").replace("Application", "").to_lowercase())
            .collect();
        let item = items(&queue, "queue")
            .iter()
            .find(|item| item.pointer("/app/id").and_then(Value::as_str) == Some(id));
        let waiting = item.is_some_and(|item| item.pointer("/delay/overdue") == Some(&Value::Bool(true)));
        let container = app.pointer("/container/type").and_then(Value::as_str).unwrap_or("mesos");
        let args = || {
            let words: Vec<&str> = items(app, "args").iter().filter_map(Value::as_str).collect();
            if words.is_empty() { "N/A".to_owned() } else { words.join(" ") }
        };
        let command = app.get("cmd").and_then(Value::as_str).map_or_else(args, str::to_owned);
        rows.push(vec![
            id.to_owned(),
            cell(app, "mem"),
            cell(app, "cpus"),
            format!("{}/{}", whole(app, "tasksRunning"), whole(app, "instances")),
            health(app),
            if doing.is_empty() { "---".to_owned() } else { doing.join(", ") },
            if waiting { "True" } else { "False" }.to_owned(),
            container.to_owned(),
            command,
        ]);
    }
    let headings = ["ID", "MEM", "CPUS", "TASKS", "HEALTH", "DEPLOYMENT", "WAITING", "CONTAINER", "CMD"];
    client.say_table(&headings, rows);
    Ok(())
}

pub(super) fn remove(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let path = format!("/v2/apps{}?force={}", first_id(given), given.has("force"));
    client.send("DELETE", &path, &Value::Null).map(|_| ())
}

pub(super) fn restart(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let path = format!("/v2/apps{}/restart{}", first_id(given), given.query(&["force"]));
    let answer = client.send("POST", &path, &Value::Null)?;
    created(client, &answer);
    Ok(())
}

pub(super) fn show(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let app = match given.value("app-version") {
        None => client.get(&format!("/v2/apps{}", first_id(given)))?.get("app").cloned().unwrap_or_default(),
        Some(version) => {
            // A number counts versions back from the present one.
            let version = match version.strip_prefix('-').unwrap_or(version).parse::<usize>() {
                Err(_) => version.to_owned(),
                Ok(back) => {
                    let all = client.get(&format!("/v2/apps{}/versions", first_id(given)))?;
                    let found = items(&all, "versions").get(back).and_then(Value::as_str).map(str::to_owned);
                    found.ok_or_else(|| {
                        format!(
                            "Application {} only has {} version(s).",
                            first_id(given),
                            items(&all, "versions").len()
                        )
                    })?
                }
            };
            client.get(&format!("/v2/apps{}/versions/{version}", first_id(given)))?
        }
    };
    client.say_json(&app);
    Ok(())
}

fn scale(client: &mut Client<'_, '_>, given: &Given, instances: u64) -> Done {
    let path = format!("/v2/apps{}{}", first_id(given), given.query(&["force"]));
    let answer = client.send("PUT", &path, &json!({"instances": instances}))?;
    created(client, &answer);
    Ok(())
}

fn instances(client: &mut Client<'_, '_>, given: &Given) -> Result<u64, String> {
    let answer = client.get(&format!("/v2/apps{}", first_id(given)))?;
    Ok(answer.get("app").map_or(0, |app| whole(app, "instances")))
}

pub(super) fn start(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let wanted = given.argument(1).unwrap_or("1");
    let wanted = wanted
        .parse::<u64>()
        .ok()
        .filter(|wanted| *wanted > 0)
        .ok_or("The number of instances must be positive.")?;
    let there = instances(client, given)?;
    if there > 0 {
        client.say(&format!("Application [{}] already started: {there} instances.", first_id(given)));
        return Err(String::new());
    }
    scale(client, given, wanted)
}

pub(super) fn stop(client: &mut Client<'_, '_>, given: &Given) -> Done {
    if instances(client, given)? == 0 {
        client.say(&format!("Application [{}] already stopped: 0 instances.", first_id(given)));
        return Err(String::new());
    }
    scale(client, given, 0)
}

pub(super) fn kill(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let path = format!("/v2/apps{}/tasks{}", first_id(given), given.query(&["scale", "host"]));
    let answer = client.send("DELETE", &path, &Value::Null)?;
    say_killed(client, given, &answer)
}

pub(super) fn update(client: &mut Client<'_, '_>, given: &Given) -> Done {
    // It has to be there: the API would create it.
    client.get(&format!("/v2/apps{}", first_id(given)))?;
    let body = change(client, given)?;
    let path = format!("/v2/apps{}{}", first_id(given), given.query(&["force"]));
    let answer = client.send("PUT", &path, &body)?;
    created(client, &answer);
    Ok(())
}

pub(super) fn versions(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let most = match given.value("max-count").map(str::parse::<usize>) {
        None => usize::MAX,
        Some(Ok(most)) if most > 0 => most,
        Some(_) => return Err("Maximum count must be a positive number".to_owned()),
    };
    let answer = client.get(&format!("/v2/apps{}/versions", first_id(given)))?;
    let versions: Vec<Value> = items(&answer, "versions").iter().take(most).cloned().collect();
    client.say_json(&Value::from(versions));
    Ok(())
}
