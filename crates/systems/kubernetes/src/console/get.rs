//! `get`, `logs`, `version`.

use planarium_source::yaml::to_go_yaml;
use serde_json::Value;

use super::client::Client;
use super::kinds::{Resource, targets};
use super::{Done, table};
use planarium_part::console::Given;

/// Kinds of `get all`.
const ALL: &str = "pods,services,daemonsets,deployments,replicasets,statefulsets,jobs,cronjobs";

pub(super) fn get(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let output = given.value("output").unwrap_or_default();
    if !matches!(output, "" | "wide" | "yaml" | "json" | "name") {
        return Err(format!(
            "error: unable to match a printer suitable for the output format {output:?}, allowed formats are: json,name,wide,yaml"
        ));
    }
    let is_all = given.arguments.first().is_some_and(|word| word == "all");
    let arguments = if is_all { vec![ALL.to_owned()] } else { given.arguments.clone() };
    if arguments.is_empty() {
        return Err("You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported \
                    resources.\n\nerror: Required resource not specified."
            .to_owned());
    }
    let everywhere = given.flag("all-namespaces");
    let wanted = targets(client, &arguments)?;
    let namespace = if everywhere { String::new() } else { client.namespace() };
    let several = wanted.iter().any(|(kind, _)| wanted.first().is_some_and(|(first, _)| first != kind));
    let mut printed = false;
    let mut values = Vec::new();
    let mut problems = Vec::new();
    for (kind, name) in &wanted {
        let mut path = kind.path(&namespace, name);
        if let Some(selector) = given.value("selector").filter(|_| name.is_empty()) {
            path.push_str("?labelSelector=");
            path.push_str(&planarium_part::http::encode(selector));
        }
        if matches!(output, "yaml" | "json" | "name") {
            match client.try_get(&path) {
                Ok(value) => values.extend(objects(kind, value, name.is_empty())),
                Err(failed) => problems.push(failed.text()),
            }
            continue;
        }
        let table = match client.get_table(&path) {
            Ok(table) => table,
            Err(failed) => {
                problems.push(failed.text());
                continue;
            }
        };
        if table.get("rows").and_then(Value::as_array).is_none_or(Vec::is_empty) {
            continue;
        }
        let prefix = if several { format!("{}/", kind.word()) } else { String::new() };
        if printed && several && name.is_empty() {
            client.say("");
        }
        let mut lines = table::of_api(
            &table,
            output == "wide",
            everywhere && kind.namespaced,
            &prefix,
            given.flag("show-labels"),
        );
        if printed && !name.is_empty() && !several {
            lines.remove(0);
        }
        printed = true;
        for line in &lines {
            client.say(line);
        }
    }
    if output == "name" {
        for value in &values {
            let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let kind = super::kinds::of_value(client, value)?;
            client.say(&format!("{}/{name}", kind.word()));
        }
    } else if !output.is_empty() && output != "wide" && problems.is_empty() {
        let is_one = wanted.len() == 1 && wanted.iter().all(|(_, name)| !name.is_empty());
        let whole = match values.as_slice() {
            [one] if is_one => one.clone(),
            _ => planarium_protocol::json!({
                "apiVersion": "v1", "items": values, "kind": "List", "metadata": { "resourceVersion": "" },
            }),
        };
        print(client, &whole, output);
    } else if !printed && problems.is_empty() {
        let is_plain = wanted.iter().all(|(kind, _)| !kind.namespaced) || everywhere;
        client.warn(&if is_plain {
            "No resources found".to_owned()
        } else {
            format!("No resources found in {namespace} namespace.")
        });
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

/// Objects of an answer; items of lists do not say what they are.
fn objects(kind: &Resource, value: Value, is_list: bool) -> Vec<Value> {
    if !is_list {
        return vec![value];
    }
    let items = value.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
    let api_version = if kind.group.is_empty() {
        kind.version.to_string()
    } else {
        format!("{}/{}", kind.group, kind.version)
    };
    let named = |item: Value| {
        let mut fields = serde_json::Map::new();
        fields.insert("apiVersion".to_owned(), api_version.as_str().into());
        fields.insert("kind".to_owned(), kind.kind.as_ref().into());
        if let Value::Object(own) = item {
            fields.extend(own.into_iter().filter(|(key, _)| key != "apiVersion" && key != "kind"));
        }
        Value::Object(fields)
    };
    items.into_iter().map(named).collect()
}

/// Prints a value as YAML or JSON.
fn print(client: &mut Client<'_, '_>, value: &Value, output: &str) {
    if output == "yaml" {
        let text = to_go_yaml(value);
        client.say(text.trim_end_matches('\n'));
    } else {
        let mut text = String::new();
        pretty(&mut text, value, 0);
        client.say(&text);
    }
}

/// JSON with four blanks for each level.
fn pretty(out: &mut String, value: &Value, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"    ".repeat(depth));
    };
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, depth.saturating_add(1));
                pretty(out, item, depth.saturating_add(1));
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(fields) if !fields.is_empty() => {
            out.push('{');
            for (at, (key, item)) in fields.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                line(out, depth.saturating_add(1));
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push_str(": ");
                pretty(out, item, depth.saturating_add(1));
            }
            line(out, depth);
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

pub(super) fn logs(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let [pod] = given.arguments.as_slice() else {
        return Err("error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.".to_owned());
    };
    let name = pod.strip_prefix("pod/").or_else(|| pod.strip_prefix("pods/")).unwrap_or(pod);
    let namespace = planarium_part::http::encode(&client.namespace());
    let mut query: Vec<String> = Vec::new();
    if let Some(container) = given.value("container") {
        query.push(format!("container={}", planarium_part::http::encode(container)));
    }
    if given.flag("previous") {
        query.push("previous=true".to_owned());
    }
    let pod = planarium_part::http::encode(name);
    let path = format!("/kube/api/v1/namespaces/{namespace}/pods/{pod}/log?{}", query.join("&"));
    let text = client.get_text(&path).map_err(|failed| failed.text())?;
    text.lines().for_each(|line| client.say(line));
    Ok(())
}

pub(super) fn version(client: &mut Client<'_, '_>, _: &Given) -> Done {
    let version = client.get("/kube/version")?;
    let text = version.get("gitVersion").and_then(Value::as_str).unwrap_or_default();
    client.say(&format!("Server Version: {text}"));
    Ok(())
}
