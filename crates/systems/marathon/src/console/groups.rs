//! Commands about groups and pods.

use super::Done;
use super::answer::{cell, first_id, items};
use super::apps::{change, created};
use super::client::Client;
use planarium_part::console::Given;
use planarium_protocol::json;
use serde_json::Value;

pub(super) fn add(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let mut group = client.resource(given.argument(0))?;
    if let (Some(id), Some(fields)) = (given.value("id"), group.as_object_mut()) {
        fields.insert("id".to_owned(), id.into());
    }
    let answer = client.send("POST", "/v2/groups", &group)?;
    created(client, &answer);
    Ok(())
}

/// A group and the groups in it, with the number of apps in each.
fn rows(group: &Value, rows: &mut Vec<Vec<String>>) -> usize {
    let at = rows.len();
    rows.push(vec![cell(group, "id"), String::new()]);
    let mut apps = items(group, "apps").len();
    for inner in items(group, "groups") {
        apps = apps.saturating_add(self::rows(inner, rows));
    }
    if let Some(count) = rows.get_mut(at).and_then(|row| row.get_mut(1)) {
        *count = apps.to_string();
    }
    apps
}

pub(super) fn list(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let root = client.get("/v2/groups")?;
    if given.has("json") {
        client.say_json(&Value::from(items(&root, "groups").to_vec()));
        return Ok(());
    }
    let mut all = Vec::new();
    for group in items(&root, "groups") {
        rows(group, &mut all);
    }
    client.say_table(&["ID", "APPS"], all);
    Ok(())
}

pub(super) fn remove(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let path = format!("/v2/groups{}{}", first_id(given), given.query(&["force"]));
    client.send("DELETE", &path, &Value::Null).map(|_| ())
}

pub(super) fn scale(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let factor = given.argument(1).unwrap_or_default();
    let factor = json::value(factor.as_bytes())
        .ok()
        .filter(Value::is_number)
        .ok_or("Command not recognized: the scale factor must be a number")?;
    let path = format!("/v2/groups{}{}", first_id(given), given.query(&["force"]));
    let answer = client.send("PUT", &path, &json!({"scaleBy": factor}))?;
    created(client, &answer);
    Ok(())
}

pub(super) fn show(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let version = given.value("group-version").map(|version| format!("/versions/{version}"));
    let answer = client.get(&format!("/v2/groups{}{}", first_id(given), version.unwrap_or_default()))?;
    client.say_json(&answer);
    Ok(())
}

pub(super) fn update(client: &mut Client<'_, '_>, given: &Given) -> Done {
    // It has to be there: the API would create it.
    client.get(&format!("/v2/groups{}", first_id(given)))?;
    let body = change(client, given)?;
    let path = format!("/v2/groups{}{}", first_id(given), given.query(&["force"]));
    let answer = client.send("PUT", &path, &body)?;
    created(client, &answer);
    Ok(())
}

// ---- pods ------------------------------------------------------------------------------------

pub(super) fn add_pod(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let pod = client.resource(given.argument(0))?;
    let answer = client.send("POST", "/v2/pods", &pod)?;
    client.say(&format!("Created pod {}", cell(&answer, "id")));
    Ok(())
}

pub(super) fn list_pods(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let answer = client.get("/v2/pods/::status")?;
    let pods = answer.as_array().map_or(&[][..], Vec::as_slice);
    if given.has("json") {
        client.say_json(&Value::from(pods.to_vec()));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = pods
        .iter()
        .map(|pod| {
            vec![
                cell(pod, "id"),
                items(pod, "instances").len().to_string(),
                pod.get("spec").map_or_else(String::new, |spec| cell(spec, "version")),
                cell(pod, "status"),
                cell(pod, "statusSince"),
            ]
        })
        .collect();
    client.say_table(&["ID", "INSTANCES", "VERSION", "STATUS", "STATUS SINCE"], rows);
    Ok(())
}

pub(super) fn remove_pod(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let path = format!("/v2/pods{}{}", first_id(given), given.query(&["force"]));
    client.send("DELETE", &path, &Value::Null).map(|_| ())
}

pub(super) fn show_pod(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let answer = client.get(&format!("/v2/pods{}::status", first_id(given)))?;
    client.say_json(&answer);
    Ok(())
}

pub(super) fn update_pod(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let body = client.resource(given.argument(1))?;
    let path = format!("/v2/pods{}{}", first_id(given), given.query(&["force"]));
    let answer = client.send("PUT", &path, &body)?;
    client.say(&format!("Updated pod {}", cell(&answer, "id")));
    Ok(())
}

pub(super) fn kill_pod(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let ids: Vec<Value> = given.arguments.iter().skip(1).map(|id| id.as_str().into()).collect();
    client.send("DELETE", &format!("/v2/pods{}::instances", first_id(given)), &Value::from(ids)).map(|_| ())
}
