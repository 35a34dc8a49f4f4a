//! Validates objects field by field, with the real server's messages.
//!
//! *Knows*: the content of one object, before and after a change. *Must not know*: other objects. Source:
//! `kubernetes/kubernetes: pkg/apis/*/validation`, `kubernetes/apimachinery: pkg/api/validation`; the most frequent
//! rules, in upstream's order and wording. Values that are structs are shown as JSON.

mod change;
mod names;
mod pod;
mod workload;

pub(crate) use change::changed;
pub(crate) use names::is_dns_label;

use crate::{
    api::{Draft, SYSTEM},
    error::FieldCause,
    kinds::KindId,
    quantity,
    spec::cron::Schedule,
    tree::Tree,
};
use planarium_kernel::Limits;
use serde_json::Value;
use std::fmt::Display;

/// Errors in the order found.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<FieldCause>);

impl Findings {
    pub(crate) fn required(&mut self, field: impl Into<String>, detail: &str) {
        self.0.push(FieldCause::required(field, detail));
    }

    pub(crate) fn invalid(&mut self, field: impl Into<String>, value: &Value, detail: &str) {
        self.0.push(FieldCause::invalid(field, value, detail));
    }

    pub(crate) fn forbidden(&mut self, field: impl Into<String>, detail: &str) {
        self.0.push(FieldCause::forbidden(field, detail));
    }

    pub(crate) fn unsupported(&mut self, field: impl Into<String>, value: &Value, supported: &[&str]) {
        self.0.push(FieldCause::unsupported(field, value, supported));
    }

    pub(crate) fn duplicate(&mut self, field: impl Into<String>, value: &Value) {
        self.0.push(FieldCause::duplicate(field, value));
    }

    /// A whole number that has to be at least zero.
    fn not_negative(&mut self, field: &dyn Display, value: &Value) {
        if value.as_i64().is_some_and(|number| number < 0) {
            self.invalid(field.to_string(), value, "must be greater than or equal to 0");
        }
    }

    /// The number of pods that a workload wants.
    fn pods(&mut self, field: &dyn Display, value: &Value) {
        self.not_negative(field, value);
        let most = Limits::DEFAULT.instances;
        if value.as_i64().is_some_and(|number| number > i64::from(most)) {
            let detail = format!(
                "must be less than or equal to {most}: the simulator takes no more pods of one workload"
            );
            self.invalid(field.to_string(), value, &detail);
        }
    }

    /// One of some words.
    fn one_of(&mut self, field: &dyn Display, value: &Value, words: &[&str]) {
        if let Some(text) = value.as_str()
            && !words.contains(&text)
        {
            self.unsupported(field.to_string(), value, words);
        }
    }
}

/// Everything that is wrong with a new object.
pub(crate) fn object(draft: &Draft) -> Vec<FieldCause> {
    let mut found = Findings::default();
    names::metadata(draft, &mut found);
    let (content, spec) = (&draft.content, draft.content.key("spec"));
    match draft.kind {
        KindId::POD => pod::spec(spec, "spec", &pod::ANY_RESTART, &mut found),
        KindId::DEPLOYMENT | KindId::REPLICA_SET | KindId::STATEFUL_SET | KindId::DAEMON_SET => {
            workload::set(draft.kind, spec, &mut found);
        }
        KindId::JOB => workload::job(spec, "spec", &mut found),
        KindId::CRON_JOB => {
            match (spec.text("schedule"), Schedule::parse(spec.text("schedule"))) {
                ("", _) => found.required("spec.schedule", ""),
                (_, Err(text)) => found.invalid("spec.schedule", spec.key("schedule"), &text),
                (_, Ok(_)) => {}
            }
            found.one_of(
                &"spec.concurrencyPolicy",
                spec.key("concurrencyPolicy"),
                &["Allow", "Forbid", "Replace"],
            );
            workload::job(spec.at(&["jobTemplate", "spec"]), "spec.jobTemplate.spec", &mut found);
        }
        KindId::SERVICE => service(spec, &mut found),
        KindId::CONFIG_MAP | KindId::SECRET => keys(content, &mut found),
        KindId::PERSISTENT_VOLUME_CLAIM => claim(spec, "spec", &mut found),
        KindId::PERSISTENT_VOLUME => {
            if spec.items("accessModes").is_empty() {
                found.required("spec.accessModes", "");
            }
            if spec.at(&["capacity", "storage"]).is_null() {
                found.required("spec.capacity", "");
            }
        }
        KindId::POD_DISRUPTION_BUDGET => {
            if !spec.key("minAvailable").is_null() && !spec.key("maxUnavailable").is_null() {
                found.invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set");
            }
            for key in ["minAvailable", "maxUnavailable"] {
                workload::share(spec.key(key), &format!("spec.{key}"), &mut found);
            }
            workload::selector(spec.key("selector"), "spec.selector", &mut found);
        }
        KindId::PRIORITY_CLASS => priority_class(draft, &mut found),
        KindId::HORIZONTAL_POD_AUTOSCALER => scaler(spec, &mut found),
        KindId::STORAGE_CLASS => {
            if content.text("provisioner").is_empty() {
                found.required("provisioner", "");
            }
            found.one_of(&"reclaimPolicy", content.key("reclaimPolicy"), &["Delete", "Retain"]);
            found.one_of(
                &"volumeBindingMode",
                content.key("volumeBindingMode"),
                &["Immediate", "WaitForFirstConsumer"],
            );
        }
        KindId::ROLE | KindId::CLUSTER_ROLE => rules(content, &mut found),
        KindId::ROLE_BINDING | KindId::CLUSTER_ROLE_BINDING => {
            for key in ["kind", "name"] {
                if content.key("roleRef").text(key).is_empty() {
                    found.required(format!("roleRef.{key}"), "");
                }
            }
        }
        KindId::CUSTOM_RESOURCE_DEFINITION => definition(draft, &mut found),
        _ => {}
    }
    found.0
}

fn scaler(spec: &Value, found: &mut Findings) {
    let (least, most) = (spec.int("minReplicas").unwrap_or(1), spec.int("maxReplicas").unwrap_or(0));
    if least < 1 {
        found.invalid("spec.minReplicas", &least.into(), "must be greater than or equal to 1");
    }
    if most < 1 {
        found.invalid("spec.maxReplicas", &most.into(), "must be greater than 0");
    }
    if most < least {
        found.invalid("spec.maxReplicas", &most.into(), "must be greater than or equal to `minReplicas`");
    }
    found.pods(&"spec.maxReplicas", spec.key("maxReplicas"));
    for key in ["kind", "name"] {
        if spec.key("scaleTargetRef").text(key).is_empty() {
            found.required(format!("spec.scaleTargetRef.{key}"), "");
        }
    }
}

/// The highest value of a class that is not the system's own.
const MOST_IMPORTANT: i64 = 1_000_000_000;

fn priority_class(draft: &Draft, found: &mut Findings) {
    let (name, content) = (draft.name(), &draft.content);
    if name.starts_with("system-") {
        if !SYSTEM.iter().any(|(own, ..)| *own == name) {
            let detail = format!(
                "priority class names with 'system-' prefix are reserved for system use only. error: {name} is not a known system \
                 priority class"
            );
            found.forbidden("metadata.name", &detail);
        }
    } else if content.int("value").unwrap_or(0) > MOST_IMPORTANT {
        let detail = format!("maximum allowed value of a user defined priority is {MOST_IMPORTANT}");
        found.forbidden("value", &detail);
    }
    found.one_of(&"preemptionPolicy", content.key("preemptionPolicy"), &["PreemptLowerPriority", "Never"]);
}

fn rules(content: &Value, found: &mut Findings) {
    for (at, rule) in content.items("rules").iter().enumerate() {
        let field = format!("rules[{at}]");
        if rule.items("verbs").is_empty() {
            found.required(format!("{field}.verbs"), "verbs must contain at least one value");
        }
        if rule.items("nonResourceURLs").is_empty() {
            if rule.items("apiGroups").is_empty() {
                found.required(
                    format!("{field}.apiGroups"),
                    "resource rules must supply at least one api group",
                );
            }
            if rule.items("resources").is_empty() {
                found.required(
                    format!("{field}.resources"),
                    "resource rules must supply at least one resource",
                );
            }
        }
    }
}

/// Names of entries in ConfigMaps and Secrets.
fn keys(content: &Value, found: &mut Findings) {
    for map in ["data", "binaryData"] {
        for (key, _) in content.key(map).as_object().into_iter().flatten() {
            let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if key.is_empty() || !key.chars().all(fits) || key == "." || key == ".." {
                let detail = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
                              'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
                found.invalid(format!("{map}[{key}]"), &key.as_str().into(), detail);
            }
        }
    }
    let size: usize = ["data", "binaryData"]
        .iter()
        .flat_map(|map| content.key(map).as_object().into_iter().flatten())
        .map(|(_, value)| value.as_str().map_or(0, str::len))
        .sum();
    if size > 1_048_576 {
        found.0.push(FieldCause {
            reason: "FieldValueTooLong",
            message: "Too long: must have at most 1048576 bytes".to_owned(),
            field: String::new(),
        });
    }
}

fn port(value: &Value, field: &str, found: &mut Findings) {
    if value.as_i64().is_some_and(|port| !(1..=65_535).contains(&port)) {
        found.invalid(field, value, "must be between 1 and 65535, inclusive");
    }
}

fn service(spec: &Value, found: &mut Findings) {
    let kind = spec.text("type");
    found.one_of(&"spec.type", spec.key("type"), &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
    let (ports, headless) = (spec.items("ports"), spec.text("clusterIP") == "None");
    if ports.is_empty() && !headless && kind != "ExternalName" {
        found.required("spec.ports", "");
    }
    if kind == "ExternalName" && spec.text("externalName").is_empty() {
        found.required("spec.externalName", "");
    }
    if headless && matches!(kind, "NodePort" | "LoadBalancer") {
        found.invalid(
            "spec.clusterIP",
            spec.key("clusterIP"),
            &format!("may not be set to 'None' for {kind} services"),
        );
    }
    for (at, one) in ports.iter().enumerate() {
        let field = format!("spec.ports[{at}]");
        match one.text("name") {
            "" if ports.len() > 1 => found.required(format!("{field}.name"), ""),
            "" => {}
            name if !is_dns_label(name) => {
                found.invalid(format!("{field}.name"), one.key("name"), names::LABEL);
            }
            name if ports.iter().take(at).any(|other| other.text("name") == name) => {
                found.duplicate(format!("{field}.name"), one.key("name"));
            }
            _ => {}
        }
        match one.key("port") {
            Value::Null => {
                found.invalid(format!("{field}.port"), &0.into(), "must be between 1 and 65535, inclusive");
            }
            number => port(number, &format!("{field}.port"), found),
        }
        found.one_of(&format_args!("{field}.protocol"), one.key("protocol"), &["SCTP", "TCP", "UDP"]);
        let target = one.key("targetPort");
        if target.is_i64() {
            port(target, &format!("{field}.targetPort"), found);
        }
        let same = |other: &Value| {
            other.key("port") == one.key("port") && other.key("protocol") == one.key("protocol")
        };
        if ports.iter().take(at).any(same) {
            found.duplicate(
                field,
                &serde_json::json!({ "protocol": one.key("protocol"), "port": one.key("port") }),
            );
        }
    }
}

/// The spec of a claim.
pub(crate) fn claim(spec: &Value, field: &str, found: &mut Findings) {
    if spec.items("accessModes").is_empty() {
        found.required(format!("{field}.accessModes"), "at least 1 access mode is required");
    }
    for (at, mode) in spec.items("accessModes").iter().enumerate() {
        let modes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"];
        found.one_of(&format_args!("{field}.accessModes[{at}]"), mode, &modes);
    }
    let size = spec.at(&["resources", "requests", "storage"]);
    let at = format!("{field}.resources[storage]");
    match size.as_str().map(quantity::whole) {
        None => found.required(at, ""),
        Some(None) => found.invalid(at, size, QUANTITY),
        Some(Some(bytes)) if bytes <= 0 => found.invalid(at, size, "must be greater than zero"),
        Some(Some(_)) => {}
    }
}

/// The message about an invalid quantity.
pub(crate) const QUANTITY: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

fn definition(draft: &Draft, found: &mut Findings) {
    let spec = draft.content.key("spec");
    let (group, names) = (spec.text("group"), spec.key("names"));
    let plural = names.text("plural");
    if group.is_empty() {
        found.required("spec.group", "");
    } else if !group.contains('.') {
        found.invalid("spec.group", spec.key("group"), "should be a domain with at least one dot");
    }
    for key in ["plural", "kind"] {
        if names.text(key).is_empty() {
            found.required(format!("spec.names.{key}"), "");
        }
    }
    if !plural.is_empty() && draft.name() != format!("{plural}.{group}") {
        found.invalid("metadata.name", &draft.name().into(), r#"must be spec.names.plural+"."+spec.group"#);
    }
    found.one_of(&"spec.scope", spec.key("scope"), &["Cluster", "Namespaced"]);
    let versions = spec.items("versions");
    if versions.is_empty() {
        found.required("spec.versions", "");
    } else if versions.iter().filter(|version| version.flag("storage")).count() != 1 {
        found.invalid(
            "spec.versions",
            spec.key("versions"),
            "must have exactly one version marked as storage version",
        );
    }
}
