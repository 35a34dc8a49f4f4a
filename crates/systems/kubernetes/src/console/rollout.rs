//! `rollout status`, `history`, `pause`, `resume`, `restart`, `undo`.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd/rollout`, `pkg/polymorphichelpers`. Match.

use planarium_protocol::json;
use serde_json::{Map, Value};

use super::client::Client;
use super::kinds::{Resource, targets};
use super::{Done, timeout};
use crate::daemon::KEPT_ANNOTATIONS;
use crate::rollout::{Rollout, of_value};
use planarium_part::console::Given;
use planarium_part::console::table::Table;

/// Most seconds that are waited for a rollout.
const PATIENCE: u64 = 86_400;

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// `deployments.apps "web"`.
fn named(kind: &Resource, name: &str) -> String {
    format!("{} {name:?}", kind.qualified())
}

pub(super) fn status(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let all = targets(client, &given.arguments)?;
    let [(kind, name)] = all.as_slice() else {
        return Err("error: rollout status is only supported on individual resources and resource collections - 0 resources were found".to_owned());
    };
    let path = kind.path(&client.namespace(), name);
    let watch = given.value("watch") != Some("false");
    let most = timeout(given)?;
    let wanted = revision_flag(given, "revision")?;
    let mut last = String::new();
    for second in 0..=PATIENCE {
        let value = client.get(&path)?;
        if wanted > 0 && &*kind.kind == "Deployment" {
            let running = own_revision(&value);
            if running != wanted {
                return Err(format!(
                    "error: desired revision ({wanted}) is different from the running revision ({running})"
                ));
            }
        }
        let Some(rollout) = of_value(&value) else {
            let group = if kind.group.is_empty() { String::new() } else { format!(".{}", kind.group) };
            return Err(format!("error: no status viewer has been implemented for {}{group}", kind.kind));
        };
        if let Rollout::Error(problem) = &rollout {
            return Err(format!("error: {problem}"));
        }
        if rollout.text() != last {
            rollout.text().clone_into(&mut last);
            client.say(&last);
        }
        if matches!(rollout, Rollout::Done(_)) || !watch {
            return Ok(());
        }
        if most.is_some_and(|most| second >= most) {
            return Err("error: timed out waiting for the condition".to_owned());
        }
        if !client.second() {
            return Err(
                "error: the clock of this world cannot be moved; ask again with --watch=false".to_owned()
            );
        }
    }
    Err("error: timed out waiting for the condition".to_owned())
}

/// Reads a revision flag; 0 if it is not given.
fn revision_flag(given: &Given, name: &str) -> Result<i64, String> {
    match given.value(name) {
        None => Ok(0),
        Some(text) => match text.parse::<i64>() {
            Ok(number) if number >= 0 => Ok(number),
            _ => Err(format!("error: revision must be a positive integer: {text}")),
        },
    }
}

/// The revision that a Deployment or ReplicaSet says it has.
fn own_revision(value: &Value) -> i64 {
    let all = value.pointer("/metadata/annotations");
    let own = all.and_then(|all| all.get("deployment.kubernetes.io/revision")).and_then(Value::as_str);
    own.and_then(|own| own.parse().ok()).unwrap_or(0)
}

/// Revisions of a workload with the objects that keep them, oldest first.
fn revisions(
    client: &mut Client<'_, '_>,
    kind: &Resource,
    value: &Value,
) -> Result<Vec<(i64, Value)>, String> {
    let plural = match &*kind.kind {
        "Deployment" => "replicasets",
        "StatefulSet" | "DaemonSet" => "controllerrevisions",
        _ => {
            let group = if kind.group.is_empty() { String::new() } else { format!(".{}", kind.group) };
            return Err(format!(
                "error: no history viewer has been implemented for {:?}",
                format!("{}{group}", kind.kind)
            ));
        }
    };
    let namespace = planarium_part::http::encode(&client.namespace());
    let uid = text(value, "/metadata/uid");
    let all = client.list(&format!("/kube/apis/apps/v1/namespaces/{namespace}/{plural}"))?;
    let is_own = |one: &Value| {
        let owners = one.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        owners.into_iter().flatten().any(|owner| text(owner, "/uid") == uid)
    };
    let number = |one: &Value| match plural {
        "replicasets" => own_revision(one),
        _ => one.get("revision").and_then(Value::as_i64).unwrap_or(0),
    };
    let mut found: Vec<(i64, Value)> =
        all.into_iter().filter(|one| is_own(one)).map(|one| (number(&one), one)).collect();
    planarium_kernel::sorted::sort_by_key(&mut found, |(number, _)| *number);
    Ok(found)
}

pub(super) fn history(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let wanted = revision_flag(given, "revision")?;
    for (kind, name) in targets(client, &given.arguments)? {
        let value = client.get(&kind.path(&client.namespace(), &name))?;
        let all = revisions(client, &kind, &value)?;
        let with = if wanted > 0 { format!("with revision #{wanted}") } else { String::new() };
        client.say(&format!("{}/{name} {with}", kind.word()));
        if wanted > 0 {
            let Some((_, one)) = all.iter().find(|(number, _)| *number == wanted) else {
                return Err("error: unable to find the specified revision".to_owned());
            };
            let template = one.pointer("/spec/template").or_else(|| one.pointer("/data/spec/template"));
            super::describe::template(client, template.unwrap_or(&Value::Null));
            continue;
        }
        if all.is_empty() {
            client.say("No rollout history found.");
            continue;
        }
        let mut table = Table::default();
        let has_causes = &*kind.kind != "StatefulSet";
        table.row(if has_causes { vec!["REVISION", "CHANGE-CAUSE"] } else { vec!["REVISION"] });
        for (number, one) in &all {
            let cause =
                one.pointer("/metadata/annotations").and_then(|all| all.get("kubernetes.io/change-cause"));
            let cause = cause.and_then(Value::as_str).filter(|cause| !cause.is_empty()).unwrap_or("<none>");
            let row = [number.to_string(), cause.to_owned()];
            table.row(row.into_iter().take(if has_causes { 2 } else { 1 }));
        }
        table.lines(0, 2).iter().for_each(|line| client.say(line));
        client.say("");
    }
    Ok(())
}

fn is_paused(value: &Value) -> bool {
    value.pointer("/spec/paused").and_then(Value::as_bool).unwrap_or(false)
}

/// Merges a change into each workload; `refuse` gives the objection to one.
fn each(
    client: &mut Client<'_, '_>,
    given: &Given,
    word: &str,
    refuse: &dyn Fn(&Resource, &Value) -> Option<&'static str>,
    patch: &Value,
) -> Done {
    let mut problems = Vec::new();
    for (kind, name) in targets(client, &given.arguments)? {
        let path = kind.path(&client.namespace(), &name);
        let value = client.get(&path)?;
        if let Some(problem) = refuse(&kind, &value) {
            problems.push(format!("error: {} {problem}", named(&kind, &name)));
            continue;
        }
        client.merge(&path, patch)?;
        client.say(&format!("{}/{name} {word}", kind.word()));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

pub(super) fn pause(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let refuse = |kind: &Resource, value: &Value| match &*kind.kind {
        "Deployment" => is_paused(value).then_some("is already paused"),
        _ => Some("pausing is not supported"),
    };
    each(client, given, "paused", &refuse, &json!({ "spec": { "paused": true } }))
}

pub(super) fn resume(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let refuse = |kind: &Resource, value: &Value| match &*kind.kind {
        "Deployment" => (!is_paused(value)).then_some("is not paused"),
        _ => Some("resuming is not supported"),
    };
    each(client, given, "resumed", &refuse, &json!({ "spec": { "paused": null } }))
}

pub(super) fn restart(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let refuse = |kind: &Resource, value: &Value| match &*kind.kind {
        "Deployment" => {
            is_paused(value).then_some("can't restart paused deployment (run rollout resume first)")
        }
        "StatefulSet" | "DaemonSet" => None,
        _ => Some("restarting is not supported"),
    };
    let at = planarium_kube::time_text(client.now_ms());
    let annotations = json!({ "kubectl.kubernetes.io/restartedAt": at });
    let patch = json!({ "spec": { "template": { "metadata": { "annotations": annotations } } } });
    each(client, given, "restarted", &refuse, &patch)
}

pub(super) fn undo(client: &mut Client<'_, '_>, given: &Given) -> Done {
    let to = revision_flag(given, "to-revision")?;
    for (kind, name) in targets(client, &given.arguments)? {
        let path = kind.path(&client.namespace(), &name);
        let value = client.get(&path)?;
        if !matches!(&*kind.kind, "Deployment" | "StatefulSet" | "DaemonSet") {
            let group = if kind.group.is_empty() { String::new() } else { format!(".{}", kind.group) };
            return Err(format!(
                "error: no rollbacker has been implemented for {:?}",
                format!("{}{group}", kind.kind)
            ));
        }
        let all = revisions(client, &kind, &value)?;
        let found = match to {
            0 => all.iter().rev().nth(1),
            to => all.iter().find(|(number, _)| *number == to),
        };
        let is_deployment = &*kind.kind == "Deployment";
        let Some((_, revision)) = found else {
            return Err(match to {
                0 if is_deployment => format!("error: no rollout history found for deployment {name:?}"),
                0 => "error: no last revision to roll back to".to_owned(),
                to => format!("error: unable to find specified revision {to} in history"),
            });
        };
        if is_deployment && is_paused(&value) {
            return Err(format!(
                "error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume deployment/{name}' and \
                 try again"
            ));
        }
        let (patch, media) = if is_deployment {
            (deployment_patch(&value, revision), "application/json-patch+json")
        } else {
            (set_patch(&value, revision), "application/strategic-merge-patch+json")
        };
        let Some(patch) = patch else {
            client.say(&format!(
                "{}/{name} skipped rollback (current template already matches revision {to})",
                kind.word()
            ));
            continue;
        };
        client.send("PATCH", &path, &patch, media).map_err(|failed| failed.text())?;
        client.say(&format!("{}/{name} rolled back", kind.word()));
    }
    Ok(())
}

/// Returns the patch that sets a Deployment's template to a ReplicaSet's; `None` if they are equal.
fn deployment_patch(value: &Value, revision: &Value) -> Option<Value> {
    let mut template = revision.pointer("/spec/template")?.clone();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.shift_remove("pod-template-hash");
    }
    if value.pointer("/spec/template") == Some(&template) {
        return None;
    }
    let mut annotations = Map::new();
    for (of, kept) in [(value, true), (revision, false)] {
        let all = of.pointer("/metadata/annotations").and_then(Value::as_object);
        let chosen =
            all.into_iter().flatten().filter(|(key, _)| KEPT_ANNOTATIONS.contains(&key.as_str()) == kept);
        annotations.extend(chosen.map(|(key, text)| (key.clone(), text.clone())));
    }
    Some(json!([
        { "op": "replace", "path": "/spec/template", "value": template },
        { "op": "replace", "path": "/metadata/annotations", "value": (Value::Object(annotations)) },
    ]))
}

/// Returns the patch that sets a set's template to a ControllerRevision's; `None` if they are equal.
fn set_patch(value: &Value, revision: &Value) -> Option<Value> {
    let data = revision.get("data")?.clone();
    let mut template = data.pointer("/spec/template").cloned().unwrap_or_default();
    if let Some(fields) = template.as_object_mut() {
        fields.shift_remove("$patch");
    }
    (value.pointer("/spec/template") != Some(&template)).then_some(data)
}
