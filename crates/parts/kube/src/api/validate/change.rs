//! Fields that may not change in an object that is there.

use super::Findings;
use crate::{error::FieldCause, kinds::KindId, tree::Tree};
use serde_json::Value;

/// Fields of a StatefulSet that may change.
const SET_FIELDS: [&str; 6] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];
const IMMUTABLE: &str = "field is immutable";

/// Everything that is wrong with a change of content; `bound` for a claim that has its volume.
pub(crate) fn changed(kind: KindId, old: &Value, new: &Value, bound: bool) -> Vec<FieldCause> {
    let mut found = Findings::default();
    let (before, after) = (old.key("spec"), new.key("spec"));
    let mut fixed = |keys: &[&str]| {
        for key in keys {
            if before.key(key) != after.key(key) {
                found.invalid(format!("spec.{key}"), after.key(key), IMMUTABLE);
            }
        }
    };
    match kind {
        KindId::JOB => job(before, after, &mut found),
        KindId::DEPLOYMENT | KindId::REPLICA_SET | KindId::DAEMON_SET => fixed(&["selector"]),
        KindId::STATEFUL_SET if !is_same_apart(before, after, &SET_FIELDS) => {
            let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', \
                          'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
            found.forbidden("spec", detail);
        }
        KindId::CUSTOM_RESOURCE_DEFINITION => {
            fixed(&["group", "scope"]);
            for name in ["plural", "kind"] {
                let after = after.at(&["names", name]);
                if before.at(&["names", name]) != after {
                    found.invalid(format!("spec.names.{name}"), after, IMMUTABLE);
                }
            }
        }
        KindId::SERVICE => {
            let outside = |spec: &Value| spec.text("type") == "ExternalName";
            if !outside(before) && !outside(after) && before.text("clusterIP") != after.text("clusterIP") {
                found.invalid("spec.clusterIP", after.key("clusterIP"), IMMUTABLE);
            }
        }
        KindId::PERSISTENT_VOLUME_CLAIM => {
            let size = |spec: &Value| {
                let text = spec.at(&["resources", "requests", "storage"]);
                text.as_str().and_then(crate::quantity::whole).unwrap_or(0)
            };
            let (was, is) = (size(before), size(after));
            let grows = bound && is >= was;
            let apart: &[&str] = if grows { &["resources", "volumeName"] } else { &["volumeName"] };
            let volume =
                before.text("volumeName").is_empty() || before.key("volumeName") == after.key("volumeName");
            if !is_same_apart(before, after, apart) || !volume {
                if bound && is < was {
                    found.forbidden(
                        "spec.resources.requests.storage",
                        "field can not be less than previous value",
                    );
                } else {
                    let detail = "is immutable after creation except resources.requests for bound claims";
                    found.forbidden("spec", detail);
                }
            }
        }
        KindId::PERSISTENT_VOLUME => {
            let sources = [
                "claimRef",
                "capacity",
                "persistentVolumeReclaimPolicy",
                "accessModes",
                "mountOptions",
                "nodeAffinity",
            ];
            if !is_same_apart(before, after, &sources) {
                found.forbidden("spec.persistentvolumesource", "is immutable after creation");
            }
        }
        KindId::POD => pod(before, after, &mut found),
        KindId::CONFIG_MAP | KindId::SECRET => {
            if old.flag("immutable") {
                if !new.flag("immutable") {
                    found.forbidden("immutable", "field is immutable when `immutable` is set");
                }
                for key in ["data", "binaryData"] {
                    if old.key(key) != new.key(key) {
                        found.forbidden(key, "field is immutable when `immutable` is set");
                    }
                }
            }
            if kind == KindId::SECRET && old.key("type") != new.key("type") {
                found.invalid("type", new.key("type"), IMMUTABLE);
            }
        }
        KindId::ROLE_BINDING | KindId::CLUSTER_ROLE_BINDING if old.key("roleRef") != new.key("roleRef") => {
            found.invalid("roleRef", new.key("roleRef"), "cannot change roleRef");
        }
        KindId::STORAGE_CLASS => {
            for key in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
                if old.key(key) != new.key(key) {
                    found.forbidden(key, &format!("updates to {key} are forbidden."));
                }
            }
        }
        KindId::PRIORITY_CLASS => {
            if old.key("value") != new.key("value") {
                found.forbidden("value", "may not be changed in an update.");
            }
            if old.key("preemptionPolicy") != new.key("preemptionPolicy") {
                found.invalid("preemptionPolicy", new.key("preemptionPolicy"), IMMUTABLE);
            }
        }
        KindId::CONTROLLER_REVISION if old.key("data") != new.key("data") => {
            found.invalid("data", &"".into(), IMMUTABLE);
        }
        _ => {}
    }
    found.0
}

/// A Job's template may change its place while it is suspended and has not begun, its completions with its parallelism while it is indexed.
fn job(before: &Value, after: &Value, found: &mut Findings) {
    let is_elastic = after.text("completionMode") == "Indexed"
        && after.key("completions") == after.key("parallelism")
        && !after.key("completions").is_null();
    for key in ["completions", "selector", "completionMode"] {
        if before.key(key) != after.key(key) && !(key == "completions" && is_elastic) {
            found.invalid(format!("spec.{key}"), after.key(key), IMMUTABLE);
        }
    }
    let placed = |spec: &Value| {
        let mut template = spec.key("template").clone();
        if spec.flag("suspend") {
            let places = ["nodeSelector", "tolerations", "affinity"];
            if let Some(fields) = template.get_mut("spec").and_then(Value::as_object_mut) {
                fields.retain(|key, _| !places.contains(&key.as_str()));
            }
        }
        template
    };
    let may_move = before.flag("suspend");
    let same = if may_move {
        let mut after = after.clone();
        if let Some(fields) = after.as_object_mut() {
            fields.insert("suspend".to_owned(), true.into());
        }
        placed(before) == placed(&after)
    } else {
        before.key("template") == after.key("template")
    };
    if !same {
        found.invalid("spec.template", after.key("template"), IMMUTABLE);
    }
}

fn is_same_apart(before: &Value, after: &Value, apart: &[&str]) -> bool {
    let keys = |value: &Value| {
        value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    let all = keys(before).into_iter().chain(keys(after));
    all.into_iter()
        .filter(|key| !apart.contains(&key.as_str()))
        .all(|key| before.key(&key) == after.key(&key))
}

/// Images, the deadline and new tolerations are all that may change in a pod.
fn pod(before: &Value, after: &Value, found: &mut Findings) {
    let without_images = |spec: &Value| {
        let mut spec = spec.clone();
        for key in ["containers", "initContainers"] {
            for container in spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(fields) = container.as_object_mut() {
                    fields.shift_remove("image");
                }
            }
        }
        spec
    };
    for key in ["containers", "initContainers"] {
        if before.items(key).len() != after.items(key).len() {
            found.forbidden(format!("spec.{key}"), "pod updates may not add or remove containers");
            return;
        }
    }
    let more = before.items("tolerations").iter().all(|one| after.items("tolerations").contains(one));
    let gates = |spec: &Value| spec.items("schedulingGates").to_vec();
    let opened = gates(after).iter().all(|gate| gates(before).contains(gate));
    let apart: &[&str] = if opened {
        &["activeDeadlineSeconds", "tolerations", "schedulingGates"]
    } else {
        &["activeDeadlineSeconds", "tolerations"]
    };
    if !is_same_apart(&without_images(before), &without_images(after), apart) || !more {
        let detail = "pod updates may not change fields other than `spec.containers[*].image`, \
                      `spec.initContainers[*].image`, `spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to \
                      existing tolerations)";
        found.forbidden("spec", detail);
    }
}
