//! Specs of workloads.

use super::{Findings, names, pod};
use crate::{kinds::KindId, object::Pairs, selector::Selector, tree::Tree};
use serde_json::Value;

/// A `LabelSelector`.
pub(super) fn selector(selector: &Value, field: &str, found: &mut Findings) {
    names::labels(&Pairs::of_value(selector.key("matchLabels")), &format!("{field}.matchLabels"), found);
    for (at, one) in selector.items("matchExpressions").iter().enumerate() {
        let field = format!("{field}.matchExpressions[{at}]");
        match one.text("operator") {
            "In" | "NotIn" if one.items("values").is_empty() => {
                found.required(
                    format!("{field}.values"),
                    "must be specified when `operator` is 'In' or 'NotIn'",
                );
            }
            "Exists" | "DoesNotExist" if !one.items("values").is_empty() => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                found.forbidden(format!("{field}.values"), detail);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => found.invalid(
                format!("{field}.operator"),
                one.key("operator"),
                "not a valid selector operator",
            ),
        }
    }
}

/// A whole number of at least zero, or a percentage.
pub(super) fn share(share: &Value, field: &str, found: &mut Findings) {
    match share {
        Value::String(text) => {
            let digits = text.strip_suffix('%').unwrap_or_default();
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let detail = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', \
                              regex used for validation is '[0-9]+%')";
                found.invalid(field, share, detail);
            } else if digits.parse::<u64>().map_or(true, |percent| percent > 100)
                && (field.ends_with("maxUnavailable") || field.ends_with("minAvailable"))
            {
                found.invalid(field, share, "must not be greater than 100%");
            }
        }
        other => found.not_negative(&field, other),
    }
}

/// A Deployment, ReplicaSet, StatefulSet or DaemonSet.
pub(super) fn set(kind: KindId, spec: &Value, found: &mut Findings) {
    found.pods(&"spec.replicas", spec.key("replicas"));
    for key in ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"] {
        found.not_negative(&format_args!("spec.{key}"), spec.key(key));
    }
    let template = spec.key("template");
    match spec.key("selector") {
        Value::Null => found.required("spec.selector", ""),
        value => {
            selector(value, "spec.selector", found);
            let read = Selector::of_value(value);
            let labels = Pairs::of_value(template.at(&["metadata", "labels"]));
            if read.is_everything() {
                let word = match kind {
                    KindId::DEPLOYMENT => "deployment",
                    KindId::STATEFUL_SET => "statefulset",
                    KindId::DAEMON_SET => "daemonset",
                    _ => "replicaset",
                };
                found.invalid("spec.selector", value, &format!("empty selector is invalid for {word}"));
            } else if !read.matches(&labels) {
                let detail = "`selector` does not match template `labels`";
                found.invalid("spec.template.metadata.labels", &labels.to_value(), detail);
            }
        }
    }
    names::labels(&Pairs::of_value(template.at(&["metadata", "labels"])), "spec.template.labels", found);
    match kind {
        KindId::DEPLOYMENT => {
            let strategy = spec.key("strategy");
            found.one_of(&"spec.strategy.type", strategy.key("type"), &["Recreate", "RollingUpdate"]);
            let rolling = strategy.key("rollingUpdate");
            if strategy.text("type") == "Recreate" && !rolling.is_null() {
                let detail = "may not be specified when strategy `type` is 'Recreate'";
                found.forbidden("spec.strategy.rollingUpdate", detail);
            }
            for key in ["maxUnavailable", "maxSurge"] {
                share(rolling.key(key), &format!("spec.strategy.rollingUpdate.{key}"), found);
            }
            let is_zero = |key| rolling.int(key) == Some(0) || rolling.text(key) == "0%";
            if is_zero("maxUnavailable") && is_zero("maxSurge") {
                let detail = "may not be 0 when `maxSurge` is 0";
                found.invalid(
                    "spec.strategy.rollingUpdate.maxUnavailable",
                    rolling.key("maxUnavailable"),
                    detail,
                );
            }
            let (ready, progress) = (spec.int("minReadySeconds"), spec.int("progressDeadlineSeconds"));
            if let Some(progress) = progress
                && progress <= ready.unwrap_or(0)
                && progress >= 0
            {
                let detail = "must be greater than minReadySeconds";
                found.invalid("spec.progressDeadlineSeconds", &progress.into(), detail);
            }
        }
        KindId::STATEFUL_SET => {
            found.one_of(
                &"spec.podManagementPolicy",
                spec.key("podManagementPolicy"),
                &["OrderedReady", "Parallel"],
            );
            let strategy = spec.key("updateStrategy");
            found.one_of(&"spec.updateStrategy", strategy.key("type"), &["RollingUpdate", "OnDelete"]);
            let rolling = strategy.key("rollingUpdate");
            if strategy.text("type") == "OnDelete" && !rolling.is_null() {
                let detail = "only allowed for updateStrategy 'RollingUpdate'";
                found.invalid("spec.updateStrategy.rollingUpdate", rolling, detail);
            }
            found.not_negative(&"spec.updateStrategy.rollingUpdate.partition", rolling.key("partition"));
        }
        KindId::DAEMON_SET => {
            let strategy = spec.key("updateStrategy");
            found.one_of(&"spec.updateStrategy", strategy.key("type"), &["RollingUpdate", "OnDelete"]);
            let rolling = strategy.key("rollingUpdate");
            let is_zero = |share: &Value| share.as_i64() == Some(0) || share.as_str() == Some("0%");
            for key in ["maxUnavailable", "maxSurge"] {
                share(rolling.key(key), &format!("spec.updateStrategy.rollingUpdate.{key}"), found);
            }
            let (most, surge) = (rolling.key("maxUnavailable"), rolling.key("maxSurge"));
            let has_surge = !surge.is_null() && !is_zero(surge);
            if is_zero(most) && !has_surge {
                let detail = "cannot be 0 when maxSurge is 0";
                found.invalid("spec.updateStrategy.rollingUpdate.maxUnavailable", most, detail);
            } else if has_surge && !most.is_null() && !is_zero(most) {
                let detail = "may not be set when maxUnavailable is non-zero";
                found.invalid("spec.updateStrategy.rollingUpdate.maxSurge", surge, detail);
            }
        }
        _ => {}
    }
    if kind == KindId::STATEFUL_SET {
        // The real server leaves the rest to the pods: mounts may name claim templates.
        let policy = template.at(&["spec", "restartPolicy"]);
        if policy.as_str().is_some_and(|word| word != "Always") {
            found.unsupported("spec.template.spec.restartPolicy".to_owned(), policy, &["Always"]);
        }
    } else {
        pod::spec(template.key("spec"), "spec.template.spec", &["Always"], found);
    }
    if template.at(&["spec", "activeDeadlineSeconds"]).is_i64() {
        let word = if kind == KindId::REPLICA_SET { "ReplicaSet" } else { "Deployment" };
        if matches!(kind, KindId::DEPLOYMENT | KindId::REPLICA_SET) {
            let detail = format!("activeDeadlineSeconds in {word} is not Supported");
            found.forbidden("spec.template.spec.activeDeadlineSeconds", &detail);
        }
    }
}

/// The selector of a Job: the server's own, or one by hand that picks its pods.
fn job_selector(spec: &Value, field: &str, found: &mut Findings) {
    let value = spec.key("selector");
    let is_template = field != "spec";
    if spec.flag("manualSelector") {
        if is_template {
            let words = ["nil", "false"];
            found.unsupported(format!("{field}.manualSelector"), spec.key("manualSelector"), &words);
        } else if value.is_null() {
            found.required(format!("{field}.selector"), "");
        } else {
            selector(value, &format!("{field}.selector"), found);
            let labels = Pairs::of_value(spec.at(&["template", "metadata", "labels"]));
            if !Selector::of_value(value).matches(&labels) {
                let detail = "`selector` does not match template `labels`";
                found.invalid(format!("{field}.template.metadata.labels"), &labels.to_value(), detail);
            }
        }
        return;
    }
    if value.is_null() {
        return;
    }
    if is_template {
        found.invalid(format!("{field}.selector"), value, "`selector` will be auto-generated");
        return;
    }
    let is_own =
        |key: &String| matches!(key.as_str(), "controller-uid" | "batch.kubernetes.io/controller-uid");
    let labels = value.key("matchLabels").as_object();
    let generated =
        value.items("matchExpressions").is_empty() && labels.is_none_or(|labels| labels.keys().all(is_own));
    if !generated {
        found.invalid(format!("{field}.selector"), value, "`selector` not auto-generated");
    }
}

/// A Job, or the template of one.
pub(super) fn job(spec: &Value, field: &str, found: &mut Findings) {
    for key in ["parallelism", "completions"] {
        found.pods(&format_args!("{field}.{key}"), spec.key(key));
    }
    for key in ["activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"] {
        found.not_negative(&format_args!("{field}.{key}"), spec.key(key));
    }
    job_selector(spec, field, found);
    found.one_of(
        &format_args!("{field}.completionMode"),
        spec.key("completionMode"),
        &["NonIndexed", "Indexed"],
    );
    if spec.text("completionMode") == "Indexed" && spec.key("completions").is_null() {
        let detail = "when completion mode is Indexed";
        found.required(format!("{field}.completions"), detail);
    }
    let template = format!("{field}.template");
    names::labels(
        &Pairs::of_value(spec.at(&["template", "metadata", "labels"])),
        &format!("{template}.metadata.labels"),
        found,
    );
    pod::spec(spec.at(&["template", "spec"]), &format!("{template}.spec"), &["OnFailure", "Never"], found);
}
