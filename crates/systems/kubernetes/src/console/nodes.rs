//! `cordon`, `uncordon`, `drain`.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/drain/{drain,filters}.go`, `pkg/cmd/drain/drain.go`. Match; evictions
//! are asked for one after the other, and once more after five seconds, in the order of names.

use planarium_protocol::json;
use serde_json::{Map, Value};

use super::client::Client;
use super::{Done, timeout};
use planarium_part::console::Given;

/// Most seconds that are waited for pods to go.
const PATIENCE: u64 = 86_400;

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn node_path(name: &str) -> String {
    format!("/kube/api/v1/nodes/{}", planarium_part::http::encode(name))
}

/// Names of nodes, with or without their kind.
fn names(given: &Given) -> Result<Vec<String>, String> {
    if given.arguments.is_empty() {
        return Err("error: USAGE: NODE [flags]".to_owned());
    }
    let plain = |name: &String| name.strip_prefix("node/").unwrap_or(name).to_owned();
    Ok(given.arguments.iter().map(plain).collect())
}

/// Makes a node unschedulable or schedulable.
fn mark(client: &mut Client<'_, '_>, name: &str, off: bool) -> Done {
    let path = node_path(name);
    let node = client.get(&path)?;
    let is_off = node.pointer("/spec/unschedulable").and_then(Value::as_bool).unwrap_or(false);
    let word = if off { "cordoned" } else { "uncordoned" };
    if is_off == off {
        client.say(&format!("node/{name} already {word}"));
        return Ok(());
    }
    let value = if off { Value::Bool(true) } else { Value::Null };
    client.merge(&path, &json!({ "spec": { "unschedulable": value } }))?;
    client.say(&format!("node/{name} {word}"));
    Ok(())
}

pub(super) fn cordon(client: &mut Client<'_, '_>, given: &Given) -> Done {
    names(given)?.iter().try_for_each(|name| mark(client, name, true))
}

pub(super) fn uncordon(client: &mut Client<'_, '_>, given: &Given) -> Done {
    names(given)?.iter().try_for_each(|name| mark(client, name, false))
}

/// A pod that has to go.
#[derive(Clone, Debug)]
struct Leaving {
    namespace: String,
    name: String,
    uid: String,
    /// Its eviction, or deletion, was accepted.
    asked: bool,
}

impl Leaving {
    fn path(&self) -> String {
        let encode = planarium_part::http::encode;
        format!("/kube/api/v1/namespaces/{}/pods/{}", encode(&self.namespace), encode(&self.name))
    }
}

pub(super) fn drain(client: &mut Client<'_, '_>, given: &Given) -> Done {
    for name in names(given)? {
        mark(client, &name, true)?;
        drain_one(client, given, &name)?;
        client.say(&format!("node/{name} drained"));
    }
    Ok(())
}

fn drain_one(client: &mut Client<'_, '_>, given: &Given, node: &str) -> Done {
    let selector = planarium_part::http::encode(&format!("spec.nodeName={node}"));
    let pods = client.list(&format!("/kube/api/v1/pods?fieldSelector={selector}"))?;
    let mut leaving = choose(client, given, node, &pods)?;
    let most = timeout(given)?;
    let mut options = Map::new();
    if let Some(seconds) = given.value("grace-period").and_then(|text| text.parse::<u32>().ok()) {
        options.insert("gracePeriodSeconds".to_owned(), seconds.into());
    }
    for second in 0..=PATIENCE {
        if second % 5 == 0 {
            for pod in leaving.iter_mut().filter(|pod| !pod.asked) {
                ask(client, given, pod, &options)?;
            }
        }
        let mut left = Vec::new();
        for pod in leaving {
            let is_there =
                client.try_get(&pod.path()).is_ok_and(|value| text(&value, "/metadata/uid") == pod.uid);
            if is_there {
                left.push(pod);
            } else {
                let how = if given.flag("disable-eviction") { "deleted" } else { "evicted" };
                client.say(&format!("pod/{} {how}", pod.name));
            }
        }
        leaving = left;
        if leaving.is_empty() {
            return Ok(());
        }
        if most.is_some_and(|most| second >= most) || !client.second() {
            let names: Vec<String> = leaving
                .iter()
                .map(|pod| {
                    format!(
                        "error when evicting pods/{:?} -n {:?}: global timeout reached",
                        pod.name, pod.namespace
                    )
                })
                .collect();
            return Err(format!("error: unable to drain node {node:?} due to error: {}", names.join(", ")));
        }
    }
    Err(format!("error: unable to drain node {node:?} due to error: global timeout reached"))
}

/// Evicts a pod, or deletes it where evictions are not wanted. A budget that does not allow it is asked again later.
fn ask(client: &mut Client<'_, '_>, given: &Given, pod: &mut Leaving, options: &Map<String, Value>) -> Done {
    let Leaving { namespace, name, .. } = &*pod;
    let answer = if given.flag("disable-eviction") {
        client.send("DELETE", &pod.path(), &Value::Object(options.clone()), "application/json")
    } else {
        client.say(&format!("evicting pod {namespace}/{name}"));
        let eviction = json!({
            "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": name, "namespace": namespace },
            "deleteOptions": (Value::Object(options.clone())),
        });
        client.send("POST", &format!("{}/eviction", pod.path()), &eviction, "application/json")
    };
    match answer {
        Ok(_) => pod.asked = true,
        Err(failed) if failed.status == 404 => pod.asked = true,
        Err(failed) if failed.status == 429 => client.warn(&format!(
            "error when evicting pods/{name:?} -n {namespace:?} (will retry after 5s): {}",
            failed.message
        )),
        Err(failed) => {
            return Err(format!(
                "error: error when evicting pods/{name:?} -n {namespace:?}: {}",
                failed.message
            ));
        }
    }
    Ok(())
}

/// The pods that have to go. *Errors*: some may not, unless flags allow it.
fn choose(
    client: &mut Client<'_, '_>,
    given: &Given,
    node: &str,
    pods: &[Value],
) -> Result<Vec<Leaving>, String> {
    let (mut leaving, mut ignored) = (Vec::new(), Vec::new());
    let mut refused: Vec<(&str, Vec<String>)> = Vec::new();
    let mut refuse = |why: &'static str, name: &str| match refused.iter_mut().find(|(known, _)| *known == why)
    {
        Some((_, names)) => names.push(name.to_owned()),
        None => refused.push((why, vec![name.to_owned()])),
    };
    for pod in pods {
        let name = format!("{}/{}", text(pod, "/metadata/namespace"), text(pod, "/metadata/name"));
        let is_over = matches!(text(pod, "/status/phase"), "Succeeded" | "Failed");
        let owners = pod.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        let is_managing = |owner: &&Value| owner.get("controller").and_then(Value::as_bool).unwrap_or(false);
        let owner = owners.into_iter().flatten().find(is_managing).map(|owner| text(owner, "/kind"));
        if owner == Some("DaemonSet") && !is_over {
            if given.flag("ignore-daemonsets") {
                ignored.push(name);
            } else {
                refuse("cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", &name);
            }
            continue;
        }
        let volumes = pod.pointer("/spec/volumes").and_then(Value::as_array);
        let is_local = volumes.into_iter().flatten().any(|volume| volume.get("emptyDir").is_some());
        if is_local && !is_over && !given.flag("delete-emptydir-data") {
            refuse("cannot delete Pods with local storage (use --delete-emptydir-data to override)", &name);
            continue;
        }
        if owner.is_none() && !is_over && !given.flag("force") {
            refuse("cannot delete Pods that declare no controller (use --force to override)", &name);
            continue;
        }
        leaving.push(Leaving {
            namespace: text(pod, "/metadata/namespace").to_owned(),
            name: text(pod, "/metadata/name").to_owned(),
            uid: text(pod, "/metadata/uid").to_owned(),
            asked: false,
        });
    }
    if !refused.is_empty() {
        let all: Vec<String> =
            refused.iter().map(|(why, names)| format!("{why}: {}", names.join(", "))).collect();
        let all = if let [one] = all.as_slice() { one.clone() } else { format!("[{}]", all.join(", ")) };
        return Err(format!(
            "error: unable to drain node {node:?} due to error: {all}, continuing command...\nThere are pending nodes to be drained:\n \
             {node}\n{all}"
        ));
    }
    if !ignored.is_empty() {
        client.warn(&format!("Warning: ignoring DaemonSet-managed Pods: {}", ignored.join(", ")));
    }
    Ok(leaving)
}
