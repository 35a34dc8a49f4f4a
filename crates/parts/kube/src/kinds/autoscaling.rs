//! HorizontalPodAutoscalers of `autoscaling/v1`, which has one metric, as those of `v2`, and back.
//!
//! **Source**: `kubernetes/kubernetes: pkg/apis/autoscaling/v1/conversion.go` (1.29), match for CPU; other metrics are not written into
//! annotations.

use crate::tree::{Tree, as_object};
use planarium_protocol::{
    json,
    json::{Map, Value},
};

const PERCENT: &str = "targetCPUUtilizationPercentage";

/// Brings what `v1` says into the form of `v2`.
pub(crate) fn from_v1(spec: &mut Map<String, Value>) {
    if let Some(percent) = spec.shift_remove(PERCENT)
        && !spec.contains_key("metrics")
    {
        let target = json!({ "type": "Utilization", "averageUtilization": percent });
        let metric = json!({ "type": "Resource", "resource": { "name": "cpu", "target": target } });
        json::put(spec, "metrics", Value::Array(vec![metric]));
    }
}

/// Shows an object of `v2` as one of `v1`.
pub(crate) fn to_v1(object: &mut Map<String, Value>) {
    let is_cpu = |one: &&Value| one.at(&["resource", "name"]) == "cpu";
    if let Some(spec) = object.get_mut("spec").and_then(as_object) {
        let metrics = spec.shift_remove("metrics").unwrap_or_default();
        spec.shift_remove("behavior");
        let percent = metrics.as_array().and_then(|all| all.iter().find(is_cpu));
        if let Some(percent) =
            percent.and_then(|one| one.at(&["resource", "target"]).int("averageUtilization"))
        {
            json::put(spec, PERCENT, percent.into());
        }
    }
    if let Some(status) = object.get_mut("status").and_then(as_object) {
        status.shift_remove("conditions");
        let metrics = status.shift_remove("currentMetrics").unwrap_or_default();
        let percent = metrics.as_array().and_then(|all| all.iter().find(is_cpu));
        if let Some(percent) =
            percent.and_then(|one| one.at(&["resource", "current"]).int("averageUtilization"))
        {
            json::put(status, "currentCPUUtilizationPercentage", percent.into());
        }
    }
}
