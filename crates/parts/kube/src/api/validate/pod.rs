//! Specs of pods and containers.

use super::{Findings, QUANTITY, names};
use crate::{quantity, tree::Tree};
use serde_json::Value;

/// The restart policies of a bare pod.
pub(super) const ANY_RESTART: [&str; 3] = ["Always", "OnFailure", "Never"];

/// Finds errors in a pod's spec, whose restart policy has to be one of some.
pub(super) fn spec(spec: &Value, field: &str, restart: &[&str], found: &mut Findings) {
    let volumes = volumes(spec, field, found);
    let containers = spec.items("containers");
    if containers.is_empty() {
        found.required(format!("{field}.containers"), "");
    }
    let inits = spec.items("initContainers");
    for (key, list) in [("containers", containers), ("initContainers", inits)] {
        for (at, one) in list.iter().enumerate() {
            let before = list.iter().take(at).chain(if key == "initContainers" { containers } else { &[] });
            let field = format!("{field}.{key}[{at}]");
            container(one, &field, &volumes, found);
            let name = one.text("name");
            if !name.is_empty() && before.into_iter().any(|other| other.text("name") == name) {
                found.duplicate(format!("{field}.name"), one.key("name"));
            }
            if key == "initContainers" {
                for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
                    if !one.key(probe).is_null() {
                        found.invalid(
                            format!("{field}.{probe}"),
                            one.key(probe),
                            "must not be set for init containers",
                        );
                    }
                }
            }
        }
    }
    let policy = spec.key("restartPolicy");
    if let Some(word) = policy.as_str()
        && !restart.contains(&word)
    {
        found.unsupported(format!("{field}.restartPolicy"), policy, restart);
    }
    let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    found.one_of(&format_args!("{field}.dnsPolicy"), spec.key("dnsPolicy"), &policies);
    found.not_negative(
        &format_args!("{field}.terminationGracePeriodSeconds"),
        spec.key("terminationGracePeriodSeconds"),
    );
    if spec.int("activeDeadlineSeconds").is_some_and(|seconds| seconds < 1) {
        let detail = "must be between 1 and 2147483647, inclusive";
        found.invalid(format!("{field}.activeDeadlineSeconds"), spec.key("activeDeadlineSeconds"), detail);
    }
    for key in ["hostname", "subdomain"] {
        let text = spec.text(key);
        if !text.is_empty() && !names::is_dns_label(text) {
            found.invalid(format!("{field}.{key}"), spec.key(key), names::LABEL);
        }
    }
    for (at, toleration) in spec.items("tolerations").iter().enumerate() {
        let field = format!("{field}.tolerations[{at}]");
        let (key, operator) = (toleration.text("key"), toleration.text("operator"));
        if key.is_empty() && operator != "Exists" {
            let detail =
                "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            found.invalid(format!("{field}.operator"), toleration.key("operator"), detail);
        }
        if operator == "Exists" && !toleration.text("value").is_empty() {
            found.invalid(
                format!("{field}.operator"),
                toleration,
                "value must be empty when `operator` is 'Exists'",
            );
        }
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        if !toleration.text("effect").is_empty() {
            found.one_of(&format_args!("{field}.effect"), toleration.key("effect"), &effects);
        }
    }
    affinity(spec.key("affinity"), &format!("{field}.affinity"), found);
}

fn affinity(affinity: &Value, field: &str, found: &mut Findings) {
    const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    let node = affinity.at(&["nodeAffinity", REQUIRED]);
    if node.is_object() && node.items("nodeSelectorTerms").is_empty() {
        let detail = "must have at least one node selector term";
        found.required(format!("{field}.nodeAffinity.{REQUIRED}.nodeSelectorTerms"), detail);
    }
    for of in ["podAffinity", "podAntiAffinity"] {
        let terms = affinity.key(of).items(REQUIRED).iter();
        let weighted = affinity.key(of).items(PREFERRED).iter().map(|term| term.key("podAffinityTerm"));
        for (at, term) in terms.chain(weighted).enumerate() {
            if term.text("topologyKey").is_empty() {
                found.required(format!("{field}.{of}[{at}].topologyKey"), "can not be empty");
            }
        }
    }
}

/// Names of the volumes.
fn volumes<'a>(spec: &'a Value, field: &str, found: &mut Findings) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for (at, volume) in spec.items("volumes").iter().enumerate() {
        let (name, field) = (volume.text("name"), format!("{field}.volumes[{at}]"));
        match name {
            "" => found.required(format!("{field}.name"), ""),
            name if !names::is_dns_label(name) => {
                found.invalid(format!("{field}.name"), volume.key("name"), names::LABEL);
            }
            name if all.contains(&name) => found.duplicate(format!("{field}.name"), volume.key("name")),
            _ => {}
        }
        let sources = volume.as_object().map_or(0, |fields| fields.len().saturating_sub(1));
        if sources > 1 {
            let second =
                volume.as_object().and_then(|fields| fields.keys().filter(|key| *key != "name").nth(1));
            let second = second.cloned().unwrap_or_default();
            found.forbidden(format!("{field}.{second}"), "may not specify more than 1 volume type");
        }
        for (source, key) in [
            ("configMap", "name"),
            ("secret", "secretName"),
            ("persistentVolumeClaim", "claimName"),
            ("hostPath", "path"),
        ] {
            if volume.key(source).is_object() && volume.key(source).text(key).is_empty() {
                found.required(format!("{field}.{source}.{key}"), "");
            }
        }
        all.push(name);
    }
    all
}

fn container(one: &Value, field: &str, volumes: &[&str], found: &mut Findings) {
    match one.text("name") {
        "" => found.required(format!("{field}.name"), ""),
        name if !names::is_dns_label(name) => {
            found.invalid(format!("{field}.name"), one.key("name"), names::LABEL);
        }
        _ => {}
    }
    let image = one.text("image");
    if image.is_empty() {
        found.required(format!("{field}.image"), "");
    } else if image.trim() != image {
        let detail = "must not have leading or trailing whitespace";
        found.invalid(format!("{field}.image"), one.key("image"), detail);
    }
    found.one_of(
        &format_args!("{field}.imagePullPolicy"),
        one.key("imagePullPolicy"),
        &["Always", "IfNotPresent", "Never"],
    );
    for (at, port) in one.items("ports").iter().enumerate() {
        let field = format!("{field}.ports[{at}]");
        match port.key("containerPort") {
            Value::Null => found.required(format!("{field}.containerPort"), ""),
            number => super::port(number, &format!("{field}.containerPort"), found),
        }
        found.one_of(&format_args!("{field}.protocol"), port.key("protocol"), &["SCTP", "TCP", "UDP"]);
        let name = port.text("name");
        if name.len() > 15 {
            found.invalid(format!("{field}.name"), port.key("name"), "must be no more than 15 characters");
        }
        if !name.is_empty() && one.items("ports").iter().take(at).any(|other| other.text("name") == name) {
            found.duplicate(format!("{field}.name"), port.key("name"));
        }
    }
    for (at, variable) in one.items("env").iter().enumerate() {
        let field = format!("{field}.env[{at}]");
        if variable.text("name").is_empty() {
            found.required(format!("{field}.name"), "");
        }
        if !variable.key("valueFrom").is_null() && !variable.text("value").is_empty() {
            let detail = "may not be specified when `value` is not empty";
            found.invalid(format!("{field}.valueFrom"), &"".into(), detail);
        }
    }
    for (at, mount) in one.items("volumeMounts").iter().enumerate() {
        let field = format!("{field}.volumeMounts[{at}]");
        let name = mount.text("name");
        if name.is_empty() {
            found.required(format!("{field}.name"), "");
        } else if !volumes.contains(&name) {
            found.0.push(crate::error::FieldCause {
                reason: "FieldValueNotFound",
                message: format!("Not found: {name:?}"),
                field: format!("{field}.name"),
            });
        }
        let path = mount.text("mountPath");
        if path.is_empty() {
            found.required(format!("{field}.mountPath"), "");
        } else if one.items("volumeMounts").iter().take(at).any(|other| other.text("mountPath") == path) {
            found.invalid(format!("{field}.mountPath"), mount.key("mountPath"), "must be unique");
        }
    }
    resources(one.key("resources"), &format!("{field}.resources"), found);
    for key in ["livenessProbe", "readinessProbe", "startupProbe"] {
        probe(one.key(key), &format!("{field}.{key}"), key != "readinessProbe", found);
    }
}

fn probe(probe: &Value, field: &str, single: bool, found: &mut Findings) {
    let Some(fields) = probe.as_object() else { return };
    let handlers = ["exec", "httpGet", "tcpSocket", "grpc"];
    match fields.keys().filter(|key| handlers.contains(&key.as_str())).count() {
        0 => found.required(field, "must specify a handler type"),
        1 => {}
        _ => found.forbidden(field, "may not specify more than 1 handler type"),
    }
    for key in
        ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
    {
        found.not_negative(&format_args!("{field}.{key}"), probe.key(key));
    }
    if single && probe.int("successThreshold").is_some_and(|count| count != 1) {
        found.invalid(format!("{field}.successThreshold"), probe.key("successThreshold"), "must be 1");
    }
    if probe.key("exec").is_object() && probe.key("exec").items("command").is_empty() {
        found.required(format!("{field}.exec.command"), "");
    }
}

fn resources(resources: &Value, field: &str, found: &mut Findings) {
    for kind in ["limits", "requests"] {
        for (key, value) in resources.key(kind).as_object().into_iter().flatten() {
            let text = value.as_str().unwrap_or_default();
            let at = format!("{field}.{kind}.{key}");
            match quantity::thousandths(text) {
                None => found.invalid(at, value, QUANTITY),
                Some(amount) if amount < 0 => found.invalid(at, value, "must be greater than or equal to 0"),
                Some(_) => {}
            }
        }
    }
    for (key, request) in resources.key("requests").as_object().into_iter().flatten() {
        let limit = resources.key("limits").key(key).as_str().and_then(quantity::thousandths);
        let amount = request.as_str().and_then(quantity::thousandths);
        if let (Some(limit), Some(amount)) = (limit, amount)
            && amount > limit
        {
            found.invalid(
                format!("{field}.requests"),
                request,
                &format!("must be less than or equal to {key} limit"),
            );
        }
    }
}
