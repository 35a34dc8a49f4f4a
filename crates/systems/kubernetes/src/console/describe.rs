//! `describe`: an object with its conditions and events.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/describe/describe.go`. Simplified: the sections that say how far
//! something is, in upstream's words; the rest of an object is shown by `get -o yaml`.

use serde_json::Value;

use super::Done;
use super::client::Client;
use super::kinds::targets;
use planarium_part::console::Given;
use planarium_part::console::table::Table;
use planarium_protocol::json::bare;

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, pointer: &str) -> i64 {
    value.pointer(pointer).and_then(Value::as_i64).unwrap_or(0)
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A line with its name padded.
fn line(client: &mut Client<'_, '_>, name: &str, value: &str) {
    client.say(format!("{:<24}{value}", format!("{name}:")).trim_end());
}

fn pairs(client: &mut Client<'_, '_>, name: &str, value: Option<&Value>) {
    let all = value.and_then(Value::as_object);
    let all: Vec<String> = all
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != crate::LAST_APPLIED)
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    if all.is_empty() {
        return line(client, name, "<none>");
    }
    for (at, pair) in all.iter().enumerate() {
        if at == 0 {
            line(client, name, pair);
        } else {
            client.say(&format!("{:<24}{pair}", ""));
        }
    }
}

pub(super) fn describe(client: &mut Client<'_, '_>, given: &Given) -> Done {
    for (at, (kind, name)) in targets(client, &given.arguments)?.into_iter().enumerate() {
        if at > 0 {
            client.say("");
        }
        if name.is_empty() {
            return Err("error: name one object to describe".to_owned());
        }
        let namespace = client.namespace();
        let value = client.get(&kind.path(&namespace, &name))?;
        line(client, "Name", text(&value, "/metadata/name"));
        if kind.namespaced {
            line(client, "Namespace", text(&value, "/metadata/namespace"));
        }
        pairs(client, "Labels", value.pointer("/metadata/labels"));
        pairs(client, "Annotations", value.pointer("/metadata/annotations"));
        counts(client, &value);
        let pod = value.pointer("/spec/template");
        if let Some(pod) = pod {
            template(client, pod);
        } else if &*kind.kind == "Pod" {
            containers(client, &value, "");
        }
        conditions(client, &value);
        events(client, &value, &namespace)?;
    }
    Ok(())
}

/// Prints the counts of a workload or pod.
fn counts(client: &mut Client<'_, '_>, value: &Value) {
    let status = |key: &str| number(value, &format!("/status/{key}"));
    match text(value, "/kind") {
        "Deployment" => {
            let line_text = format!(
                "{} desired | {} updated | {} total | {} available | {} unavailable",
                number(value, "/spec/replicas"),
                status("updatedReplicas"),
                status("replicas"),
                status("availableReplicas"),
                status("unavailableReplicas")
            );
            line(client, "Replicas", &line_text);
            line(client, "StrategyType", text(value, "/spec/strategy/type"));
            if let Some(rolling) = value.pointer("/spec/strategy/rollingUpdate") {
                let share = |key: &str| rolling.get(key).map(bare).unwrap_or_default();
                let text =
                    format!("{} max unavailable, {} max surge", share("maxUnavailable"), share("maxSurge"));
                line(client, "RollingUpdateStrategy", &text);
            }
        }
        "StatefulSet" | "ReplicaSet" => {
            let text = format!("{} desired | {} total", number(value, "/spec/replicas"), status("replicas"));
            line(client, "Replicas", &text);
        }
        "DaemonSet" => {
            line(client, "Desired Number of Nodes Scheduled", &status("desiredNumberScheduled").to_string());
            line(
                client,
                "Number of Nodes Scheduled with Available Pods",
                &status("numberAvailable").to_string(),
            );
        }
        "Job" => {
            line(client, "Parallelism", &number(value, "/spec/parallelism").to_string());
            line(client, "Completions", &number(value, "/spec/completions").to_string());
            let text = format!(
                "{} Active / {} Succeeded / {} Failed",
                status("active"),
                status("succeeded"),
                status("failed")
            );
            line(client, "Pods Statuses", &text);
        }
        "Pod" => {
            line(client, "Node", text(value, "/spec/nodeName"));
            line(client, "Status", text(value, "/status/phase"));
            line(client, "IP", text(value, "/status/podIP"));
        }
        _ => {}
    }
}

/// A pod template.
pub(super) fn template(client: &mut Client<'_, '_>, value: &Value) {
    client.say("Pod Template:");
    let labels = value.pointer("/metadata/labels").and_then(Value::as_object);
    let labels: Vec<String> =
        labels.into_iter().flatten().map(|(key, value)| format!("{key}={}", bare(value))).collect();
    client.say(&format!(
        "  Labels:  {}",
        if labels.is_empty() { "<none>".to_owned() } else { labels.join(",") }
    ));
    containers(client, value, "  ");
}

fn containers(client: &mut Client<'_, '_>, value: &Value, indent: &str) {
    client.say(&format!("{indent}Containers:"));
    for container in list(value, "/spec/containers") {
        let name = text(container, "/name");
        client.say(&format!("{indent}  {name}:"));
        client.say(&format!("{indent}    Image:  {}", text(container, "/image")));
        let status = list(value, "/status/containerStatuses").iter().find(|one| text(one, "/name") == name);
        let Some(status) = status else { continue };
        let state = status.get("state").and_then(Value::as_object).and_then(|state| state.iter().next());
        if let Some((state, facts)) = state {
            let mut chars = state.chars();
            let title: String = chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect();
            client.say(&format!("{indent}    State:  {title}"));
            if !text(facts, "/reason").is_empty() {
                client.say(&format!("{indent}      Reason:  {}", text(facts, "/reason")));
            }
        }
        let ready = status.get("ready").and_then(Value::as_bool).unwrap_or(false);
        client.say(&format!("{indent}    Ready:  {}", if ready { "True" } else { "False" }));
        client.say(&format!("{indent}    Restart Count:  {}", number(status, "/restartCount")));
    }
}

fn conditions(client: &mut Client<'_, '_>, value: &Value) {
    let all = list(value, "/status/conditions");
    if all.is_empty() {
        return;
    }
    client.say("Conditions:");
    let mut table = Table::default();
    table.row(["  Type", "Status", "Reason"]);
    table.row(["  ----", "------", "------"]);
    for one in all {
        table.row([
            format!("  {}", text(one, "/type")),
            text(one, "/status").to_owned(),
            text(one, "/reason").to_owned(),
        ]);
    }
    table.lines(0, 2).iter().for_each(|line| client.say(line.trim_end()));
}

fn events(client: &mut Client<'_, '_>, value: &Value, namespace: &str) -> Done {
    let uid = text(value, "/metadata/uid");
    let encode = planarium_part::http::encode;
    let path = format!("/kube/api/v1/namespaces/{}/events", encode(namespace));
    let all: Vec<Value> =
        client.list(&path)?.into_iter().filter(|event| text(event, "/involvedObject/uid") == uid).collect();
    if all.is_empty() {
        line(client, "Events", "<none>");
        return Ok(());
    }
    client.say("Events:");
    let mut table = Table::default();
    table.row(["  Type", "Reason", "From", "Message"]);
    table.row(["  ----", "------", "----", "-------"]);
    for event in &all {
        let times = number(event, "/count");
        let times = if times > 1 { format!(" (x{times})") } else { String::new() };
        table.row([
            format!("  {}", text(event, "/type")),
            text(event, "/reason").to_owned(),
            text(event, "/source/component").to_owned(),
            format!("{}{times}", text(event, "/message")),
        ]);
    }
    table.lines(0, 2).iter().for_each(|line| client.say(line));
    Ok(())
}
