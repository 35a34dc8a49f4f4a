//! Defaults that depend on other fields.
//!
//! *Knows*: built-in kinds. *Must not know*: other objects; what depends on those is admission's business.
//! Source: `kubernetes/kubernetes: pkg/apis/{core,apps,batch,policy,rbac,storage}/v1/defaults.go`, match for fields that are
//! kept.

use crate::{
    kinds::KindId,
    tree::{Tree, as_object, object_at, put_new},
};
use planarium_kernel::base64::Base64;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// Fills the content of an object of a kind. *Errors*: what cannot be read, in words.
pub(crate) fn fill(kind: KindId, content: &mut Map<String, Value>) -> Result<(), String> {
    match kind {
        KindId::POD => {
            if let Some(spec) = object_at(content, "spec") {
                pod(spec, true);
            }
        }
        KindId::DEPLOYMENT
        | KindId::REPLICA_SET
        | KindId::STATEFUL_SET
        | KindId::DAEMON_SET
        | KindId::JOB => {
            if let Some(spec) = object_at(content, "spec") {
                workload(kind, spec);
            }
        }
        KindId::CRON_JOB => {
            let spec = object_at(content, "spec").and_then(|spec| object_at(spec, "jobTemplate"));
            if let Some(spec) = spec.and_then(|template| object_at(template, "spec")) {
                template(spec);
            }
        }
        KindId::SERVICE => {
            if let Some(spec) = object_at(content, "spec") {
                service(spec);
            }
        }
        KindId::SECRET => secret(content)?,
        KindId::NAMESPACE => {
            if let Some(spec) = object_at(content, "spec") {
                put_new(spec, "finalizers", json!(["kubernetes"]));
            }
        }
        KindId::HORIZONTAL_POD_AUTOSCALER => {
            if let Some(spec) = object_at(content, "spec")
                && spec.get("metrics").and_then(Value::as_array).is_none_or(Vec::is_empty)
            {
                let target = json!({ "type": "Utilization", "averageUtilization": 80 });
                json::put(
                    spec,
                    "metrics",
                    json!([{ "type": "Resource", "resource": { "name": "cpu", "target": target } }]),
                );
            }
        }
        KindId::LIMIT_RANGE => {
            let limits = object_at(content, "spec").and_then(|spec| spec.get_mut("limits"));
            for limit in limits.and_then(Value::as_array_mut).into_iter().flatten() {
                limit_range(limit);
            }
        }
        KindId::PRIORITY_CLASS => put_new(content, "preemptionPolicy", "PreemptLowerPriority".into()),
        KindId::PERSISTENT_VOLUME => {
            if let Some(spec) = object_at(content, "spec") {
                put_new(spec, "persistentVolumeReclaimPolicy", "Retain".into());
                put_new(spec, "volumeMode", "Filesystem".into());
            }
        }
        KindId::ROLE_BINDING | KindId::CLUSTER_ROLE_BINDING => binding(content),
        KindId::CUSTOM_RESOURCE_DEFINITION => definition(content),
        _ => {}
    }
    Ok(())
}

/// A container's default limit is the most that it may have, its default request the default limit or the least.
fn limit_range(limit: &mut Value) {
    if limit.text("type") != "Container" {
        return;
    }
    let (most, least) = (limit.key("max").clone(), limit.key("min").clone());
    let Some(fields) = limit.as_object_mut() else { return };
    if let Some(given) = object_at(fields, "default") {
        most.as_object().into_iter().flatten().for_each(|(key, value)| put_new(given, key, value.clone()));
    }
    let given = fields.get("default").cloned().unwrap_or_default();
    if let Some(requests) = object_at(fields, "defaultRequest") {
        for from in [&given, &least] {
            let all = from.as_object().into_iter().flatten();
            all.for_each(|(key, value)| put_new(requests, key, value.clone()));
        }
    }
    fields.retain(|_, value| value.as_object().is_none_or(|map| !map.is_empty()));
}

fn workload(kind: KindId, spec: &mut Map<String, Value>) {
    template(spec);
    match kind {
        KindId::DEPLOYMENT => {
            if let Some(strategy) = object_at(spec, "strategy") {
                put_new(strategy, "type", "RollingUpdate".into());
                if strategy.get("type") == Some(&"RollingUpdate".into())
                    && let Some(rolling) = object_at(strategy, "rollingUpdate")
                {
                    put_new(rolling, "maxUnavailable", "25%".into());
                    put_new(rolling, "maxSurge", "25%".into());
                }
            }
        }
        KindId::STATEFUL_SET => {
            if let Some(strategy) = object_at(spec, "updateStrategy")
                && !strategy.contains_key("type")
            {
                put_new(strategy, "type", "RollingUpdate".into());
                // Only here: a strategy that names its type keeps no block that it does not have.
                put_new(strategy, "rollingUpdate", json!({ "partition": 0 }));
            }
            for claim in
                spec.get_mut("volumeClaimTemplates").and_then(Value::as_array_mut).into_iter().flatten()
            {
                if let Some(claim) = as_object(claim) {
                    put_new(claim, "apiVersion", "v1".into());
                    put_new(claim, "kind", "PersistentVolumeClaim".into());
                    put_new(claim, "status", json!({ "phase": "Pending" }));
                }
            }
        }
        KindId::DAEMON_SET => {
            if let Some(strategy) = object_at(spec, "updateStrategy") {
                put_new(strategy, "type", "RollingUpdate".into());
                if strategy.get("type") == Some(&"RollingUpdate".into())
                    && let Some(rolling) = object_at(strategy, "rollingUpdate")
                {
                    let has_surge = rolling.get("maxSurge").is_some_and(|surge| surge != &Value::from(0));
                    put_new(rolling, "maxUnavailable", if has_surge { 0.into() } else { 1.into() });
                }
            }
        }
        KindId::JOB => {
            if !spec.contains_key("completions") && !spec.contains_key("parallelism") {
                put_new(spec, "completions", 1.into());
            }
            put_new(spec, "parallelism", 1.into());
            put_new(spec, "completionMode", "NonIndexed".into());
            put_new(spec, "suspend", false.into());
        }
        _ => {}
    }
}

fn template(spec: &mut Map<String, Value>) {
    if let Some(template) = object_at(spec, "template")
        && let Some(spec) = object_at(template, "spec")
    {
        pod(spec, false);
    }
}

/// The spec of a pod; requests follow limits in pods themselves, not in templates.
fn pod(spec: &mut Map<String, Value>, is_pod: bool) {
    put_new(spec, "securityContext", json!({}));
    if let Some(account) = spec.get("serviceAccountName").cloned() {
        put_new(spec, "serviceAccount", account);
    } else if let Some(account) = spec.get("serviceAccount").cloned() {
        put_new(spec, "serviceAccountName", account);
    }
    let host_network = spec.get("hostNetwork") == Some(&Value::Bool(true));
    for key in ["initContainers", "containers"] {
        for container in spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(container) = as_object(container) {
                fill_container(container, host_network);
            }
        }
    }
    if is_pod {
        super::requests_of_limits(spec);
    }
    for volume in spec.get_mut("volumes").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(volume) = as_object(volume)
            && volume.len() == 1
            && volume.contains_key("name")
        {
            volume.insert("emptyDir".to_owned(), json!({}));
        }
    }
}

fn fill_container(container: &mut Map<String, Value>, host_network: bool) {
    let image = container.get("image").and_then(Value::as_str).unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or(image);
    let floating = !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    let policy = if floating { "Always" } else { "IfNotPresent" };
    put_new(container, "imagePullPolicy", policy.into());
    put_new(container, "resources", json!({}));
    if host_network {
        for port in container.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(number) = port.get("containerPort").cloned()
                && let Some(port) = as_object(port)
            {
                put_new(port, "hostPort", number);
            }
        }
    }
}

fn service(spec: &mut Map<String, Value>) {
    let kind = spec.get("type").and_then(Value::as_str).unwrap_or("ClusterIP").to_owned();
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(number) = port.get("port").cloned()
            && kind != "ExternalName"
            && let Some(port) = as_object(port)
        {
            let unset = |target: &Value| target.as_i64() == Some(0) || target.as_str() == Some("");
            if port.get("targetPort").is_none_or(unset) {
                json::put(port, "targetPort", number);
            }
        }
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        put_new(spec, "externalTrafficPolicy", "Cluster".into());
    }
}

/// `stringData` goes into `data`. *Errors*: `data` that is not base64.
fn secret(content: &mut Map<String, Value>) -> Result<(), String> {
    for value in content.get("data").and_then(Value::as_object).into_iter().flat_map(Map::values) {
        let text = value.as_str().unwrap_or_default().replace(['\r', '\n'], "");
        if Base64::Padded.decode(text.as_bytes()).is_none() {
            return Err("v1.Secret.Data: base64Codec: invalid input: illegal base64 data".to_owned());
        }
    }
    if let Some(Value::Object(texts)) = content.shift_remove("stringData")
        && let Some(data) = object_at(content, "data")
    {
        for (key, text) in texts {
            data.insert(key, Base64::Padded.encode(text.as_str().unwrap_or_default().as_bytes()).into());
        }
    }
    Ok(())
}

fn binding(content: &mut Map<String, Value>) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    if let Some(role) = content.get_mut("roleRef").and_then(as_object) {
        put_new(role, "apiGroup", GROUP.into());
    }
    for subject in content.get_mut("subjects").and_then(Value::as_array_mut).into_iter().flatten() {
        if matches!(subject.text("kind"), "User" | "Group")
            && let Some(subject) = as_object(subject)
        {
            put_new(subject, "apiGroup", GROUP.into());
        }
    }
}

/// A CRD is kept in the shape of `v1`, whichever version it was written in.
fn definition(content: &mut Map<String, Value>) {
    let Some(spec) = object_at(content, "spec") else { return };
    if let Some(names) = object_at(spec, "names") {
        let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
        put_new(names, "singular", kind.to_lowercase().into());
        put_new(names, "listKind", format!("{kind}List").into());
    }
    put_new(spec, "scope", "Namespaced".into());
    let version = spec.shift_remove("version");
    if !spec.contains_key("versions")
        && let Some(version) = version
    {
        let mut one = Map::new();
        json::put(&mut one, "name", version);
        json::put(&mut one, "served", true.into());
        json::put(&mut one, "storage", true.into());
        json::put(spec, "versions", Value::Array(vec![Value::Object(one)]));
    }
    let schema = spec.shift_remove("validation").map(|validation| validation.key("openAPIV3Schema").clone());
    let shared = ["subresources", "additionalPrinterColumns"].map(|key| (key, spec.shift_remove(key)));
    spec.shift_remove("preserveUnknownFields");
    for version in spec.get_mut("versions").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(version) = as_object(version) else { continue };
        if let Some(schema) = &schema {
            put_new(version, "schema", json!({ "openAPIV3Schema": schema }));
        }
        for (key, value) in &shared {
            if let Some(value) = value {
                let mut value = value.clone();
                for column in value.as_array_mut().into_iter().flatten().filter_map(as_object) {
                    if let Some(path) = column.shift_remove("JSONPath") {
                        put_new(column, "jsonPath", path);
                    }
                }
                put_new(version, key, value);
            }
        }
    }
    if let Some(conversion) = object_at(spec, "conversion") {
        put_new(conversion, "strategy", "None".into());
    }
}
