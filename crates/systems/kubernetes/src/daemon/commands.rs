//! Commands on workloads and pods, carried out like `kubectl`: by patches.
//!
//! *Knows*: the fields that each command changes. *Must not know*: what the controllers do.

use planarium_kube::{Cluster, DeleteOptions, Object, Part, Patch, Propagation};
use planarium_part::Cx;
use planarium_protocol::input::{PlanCommand, PlanOp, PodCommand, PodOp};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{EventBody, Refusal, json};
use serde_json::{Map, Value};

use super::Daemon;
use crate::plans::{self, Member, OBJECTS, revision_of};

/// Annotations that a rollback keeps.
pub(crate) const KEPT_ANNOTATIONS: [&str; 6] = [
    crate::LAST_APPLIED,
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

fn bad(text: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::BadRequest, text)
}

impl Daemon {
    /// Carries a plan command out.
    pub(super) fn command(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        command: &PlanCommand,
    ) -> Result<Value, Refusal> {
        let (number, service) = self.named(&command.service)?;
        let name = service.name.clone();
        if command.plan == OBJECTS && service.others().next().is_some() {
            if command.op != PlanOp::Restart {
                let text = "only a workload can be paused, resumed, scaled or undone";
                return Err(Refusal::new(RefusalCode::Unsupported, text));
            }
            // Refused objects are applied once more, with all others.
            let definition = service.definition.clone();
            return self.apply(cx, cluster, number, &definition);
        }
        let member = service.of_plan(&command.plan).ok_or_else(|| {
            Refusal::new(RefusalCode::NotFound, format!("There is no plan {} in {name}", command.plan))
        })?;
        if member.object.is_none() && command.op == PlanOp::Restart {
            let definition = service.definition.clone();
            return self.apply(cx, cluster, number, &definition);
        }
        if command.phase.is_some() || command.step.is_some() {
            let text = "commands are for whole workloads; a pod is replaced by deleting it";
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        }
        if let Some(text) = plans::refusal(member, command.op) {
            let code = match command.op {
                PlanOp::ForceComplete => RefusalCode::Unsupported,
                _ if member.object.is_none() => RefusalCode::NotFound,
                _ => RefusalCode::Conflict,
            };
            return Err(Refusal::new(code, text.to_string()));
        }
        let Some(object) = member.object.clone() else { return Ok(Value::Null) };
        let path = service.path(member.key.clone(), None, None);
        let done = match command.op {
            PlanOp::Interrupt | PlanOp::Continue => {
                let key = if *member.kind_name == *"CronJob" { "suspend" } else { "paused" };
                let on = command.op == PlanOp::Interrupt;
                let patch = Patch::Merge(json!({ "spec": { key: on } }));
                write(cx, cluster, &object, &patch)?;
                match (key, on) {
                    ("paused", true) => "paused",
                    ("paused", false) => "resumed",
                    _ => "patched",
                }
            }
            PlanOp::Restart => {
                let at = cluster.kube().time_text(cx.now());
                let annotations = json!({ "kubectl.kubernetes.io/restartedAt": at });
                let patch = json!({ "spec": { "template": { "metadata": { "annotations": annotations } } } });
                if write(cx, cluster, &object, &Patch::Strategic(patch))? == object.resource_version {
                    let text = format!(
                        "if restart has already been triggered within the past second, please wait before attempting to trigger another: {}",
                        member.name
                    );
                    return Err(Refusal::new(RefusalCode::Conflict, text));
                }
                "restarted"
            }
            PlanOp::Stop => {
                let to = match command.params.get("to-revision") {
                    None => 0,
                    Some(text) => {
                        text.parse().map_err(|_| bad(format!("to-revision {text:?} is no revision")))?
                    }
                };
                undo(cx, cluster, member, &object, to)?
            }
            PlanOp::Start => {
                start(cx, cluster, member, &object, command)?;
                "patched"
            }
            PlanOp::ForceComplete => return Ok(Value::Null),
        };
        cx.emit(EventBody::PlanCommanded { path, op: command.op.as_str().into() });
        let line = format!("{} {done}", object.path());
        self.settle(cx, cluster);
        Ok(json!({ "service": name, "plan": (command.plan), "said": line }))
    }

    /// Deletes a pod.
    pub(super) fn on_pod(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        command: &PodCommand,
    ) -> Result<Value, Refusal> {
        let (_, service) = self.named(&command.service)?;
        let name = service.name.clone();
        let own = |member: &Member| {
            let itself = member.object.iter().filter(|object| object.pod().is_some()).cloned();
            let pods = member.pods().map(|part| part.object.clone());
            itself.chain(pods).find(|pod| *pod.name == *command.pod)
        };
        let Some(pod) = service.members.values().find_map(|member| own(member)) else {
            let text = format!("pods {:?} not found", command.pod);
            return Err(Refusal::new(RefusalCode::NotFound, text));
        };
        if matches!(command.op, PodOp::Pause | PodOp::Resume) {
            let text = "Kubernetes does not pause pods; delete one, and its controller makes another";
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        }
        let options = DeleteOptions { propagation: Propagation::Background, ..DeleteOptions::default() };
        cluster
            .with_kube(cx, |kube, _, cx| kube.delete(cx, pod.reference(), &options))
            .map_err(|error| error.refusal())?;
        cx.emit(EventBody::PodCommanded { service: name, pod: pod.name.clone(), op: "delete".into() });
        self.settle(cx, cluster);
        Ok(json!({ "pod": (command.pod) }))
    }
}

/// Patches an object; returns its new version.
fn write(cx: &mut Cx, cluster: &mut Cluster, object: &Object, patch: &Patch) -> Result<u64, Refusal> {
    let written = cluster.with_kube(cx, |kube, _, cx| kube.patch(cx, object.reference(), Part::Whole, patch));
    written.map(|object| object.resource_version).map_err(|error| error.refusal())
}

/// Sets a workload's template to an earlier revision's; 0 is the previous one. Returns the word for the result.
fn undo(
    cx: &mut Cx,
    cluster: &mut Cluster,
    member: &Member,
    object: &Object,
    to: i64,
) -> Result<&'static str, Refusal> {
    let not_found =
        || Refusal::new(RefusalCode::NotFound, format!("unable to find specified revision {to} in history"));
    let patch = {
        let kube = cluster.kube();
        let mut revisions: Vec<_> = kube
            .dependants(object)
            .into_iter()
            .filter(|one| matches!(&*one.info().kind, "ReplicaSet" | "ControllerRevision"))
            .collect();
        planarium_kernel::sorted::sort_by_key(&mut revisions, |one| (revision_of(one), one.no));
        let found = match to {
            0 => revisions.iter().rev().nth(1),
            _ => revisions.iter().find(|one| revision_of(one) == to),
        };
        rollback(object, found.ok_or_else(not_found)?)
    };
    let Some(patch) = patch else {
        let text =
            format!("skipped rollback (current template already matches revision {to}): {}", member.name);
        return Err(Refusal::new(RefusalCode::AlreadyDone, text));
    };
    write(cx, cluster, object, &patch)?;
    Ok("rolled back")
}

/// Returns the patch that restores a revision's template; `None` if it is the present one.
fn rollback(object: &Object, revision: &Object) -> Option<Patch> {
    let value = revision.to_value();
    if &*revision.info().kind == "ControllerRevision" {
        let data = value.get("data")?.clone();
        let template = |of: &Value| {
            let mut template = of.pointer("/spec/template").cloned().unwrap_or_default();
            if let Some(fields) = template.as_object_mut() {
                fields.shift_remove("$patch");
            }
            template
        };
        return (template(&data) != template(&object.to_value())).then_some(Patch::Strategic(data));
    }
    let mut template = value.pointer("/spec/template")?.clone();
    if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
        labels.shift_remove("pod-template-hash");
    }
    let own = object.to_value();
    if own.pointer("/spec/template") == Some(&template) {
        return None;
    }
    let mut annotations = Map::new();
    for (of, wanted) in [(&own, true), (&value, false)] {
        let all = of.pointer("/metadata/annotations").and_then(Value::as_object);
        for (key, text) in all.into_iter().flatten() {
            if KEPT_ANNOTATIONS.contains(&key.as_str()) == wanted {
                annotations.insert(key.clone(), text.clone());
            }
        }
    }
    Some(Patch::Json(json!([
        { "op": "replace", "path": "/spec/template", "value": template },
        { "op": "replace", "path": "/metadata/annotations", "value": (Value::Object(annotations)) },
    ])))
}

/// Scales a workload or gives its containers other images, by `replicas=N`, `image=NAME`, `image.CONTAINER=NAME`.
fn start(
    cx: &mut Cx,
    cluster: &mut Cluster,
    member: &Member,
    object: &Object,
    command: &PlanCommand,
) -> Result<(), Refusal> {
    let value = object.to_value();
    let mut spec = Map::new();
    let mut images: Vec<Value> = Vec::new();
    let template = plans::template_of(&member.kind_name, &value).filter(|_| *member.kind_name != *"Pod");
    let containers = template.and_then(|(template, _)| template.pointer("/spec/containers")?.as_array());
    let names: Vec<&str> =
        containers.into_iter().flatten().filter_map(|one| one.get("name").and_then(Value::as_str)).collect();
    for (key, given) in &command.params {
        match (key.as_str(), key.strip_prefix("image.")) {
            ("replicas", _) => {
                if !object.info().has_scale {
                    return Err(bad("could not find the requested resource: it has no replicas"));
                }
                let wanted: u32 =
                    given.parse().map_err(|_| bad(format!("replicas {given:?} is no number")))?;
                spec.insert("replicas".to_owned(), wanted.into());
            }
            ("image", _) => match names.as_slice() {
                [only] => images.push(json!({ "name": only, "image": given })),
                _ => return Err(bad("there are several containers: name one, image.CONTAINER=IMAGE")),
            },
            (_, Some(container)) if names.contains(&container) => {
                images.push(json!({ "name": container, "image": given }));
            }
            (_, Some(container)) => return Err(bad(format!("unable to find container named {container:?}"))),
            _ => return Err(bad(format!("{key:?} is none of replicas, image, image.CONTAINER"))),
        }
    }
    if !images.is_empty() {
        spec.insert("template".to_owned(), json!({ "spec": { "containers": (Value::Array(images)) } }));
    }
    if spec.is_empty() {
        return Err(bad("nothing to change: give replicas=N or image=NAME"));
    }
    write(cx, cluster, object, &Patch::Strategic(json!({ "spec": (Value::Object(spec)) }))).map(|_| ())
}
