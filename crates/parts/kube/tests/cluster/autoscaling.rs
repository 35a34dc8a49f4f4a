//! Autoscalers, and the use that they go by.

#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

use crate::support::Yard;
use planarium_kube::KindId;
use planarium_protocol::input::{Behaviour, Target};
use serde_json::{Value, json};

const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: 'nginx:1', resources: {requests: {cpu: 100m, memory: 64Mi}}}]
";

fn scaler(more: &str) -> String {
    format!(
        "{{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {{name: web}}, spec: {{scaleTargetRef: {{apiVersion: apps/v1, kind: \
         Deployment, name: web}}, minReplicas: 2, maxReplicas: 10, {more}}}}}"
    )
}

const HALF: &str =
    "metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]";

fn up(more: &str) -> Yard {
    let mut yard = Yard::new(4);
    yard.apply(WEB);
    yard.create(&scaler(more));
    yard.run(40);
    yard
}

fn used(yard: &mut Yard, percent: u32) {
    let target = Target { pod: Some("web*".to_owned()), ..Target::default() };
    yard.behave(target, Behaviour { cpu_percent: Some(percent), ..Behaviour::default() });
}

fn replicas(yard: &Yard) -> i64 {
    yard.value(KindId::DEPLOYMENT, "web")["spec"]["replicas"].as_i64().unwrap_or(0)
}

fn condition(yard: &Yard, kind: &str) -> Value {
    let status = yard.value(KindId::HORIZONTAL_POD_AUTOSCALER, "web")["status"].clone();
    let all = status["conditions"].as_array().cloned().unwrap_or_default();
    all.into_iter().find(|one| one["type"] == kind).unwrap_or_default()
}

#[test]
fn the_number_of_pods_follows_usage() {
    let mut yard = up(HALF);
    assert_eq!(replicas(&yard), 2, "half of what they ask for is used, as wanted");
    used(&mut yard, 150);
    yard.run(16);
    assert_eq!(replicas(&yard), 6, "three times as much use: two become six, four more at a time");
    yard.run(120);
    assert_eq!(replicas(&yard), 10, "no more than the bound");
    assert_eq!(condition(&yard, "ScalingLimited")["reason"], "TooManyReplicas");
    let metrics = yard.value(KindId::HORIZONTAL_POD_AUTOSCALER, "web")["status"]["currentMetrics"].clone();
    assert_eq!(metrics[0]["resource"]["current"], json!({"averageUtilization": 150, "averageValue": "150m"}));
    used(&mut yard, 10);
    yard.run(200);
    assert_eq!(replicas(&yard), 10, "what was wanted in the last five minutes holds");
    yard.run(150);
    assert_eq!(replicas(&yard), 2);
    let told = yard.told(0, &["SuccessfulRescale"]);
    assert!(
        told[0]
            .contains("New size: 6; reason: cpu resource utilization (percentage of request) above target"),
        "{told:?}"
    );
    assert!(
        told.last().is_some_and(|text| text.contains("New size: 2; reason: All metrics below target")),
        "{told:?}"
    );
}

#[test]
fn a_difference_within_the_tolerance_changes_nothing() {
    let mut yard = up(HALF);
    used(&mut yard, 55);
    yard.run(60);
    assert_eq!(replicas(&yard), 2);
    used(&mut yard, 56);
    yard.run(16);
    assert_eq!(replicas(&yard), 3);
}

#[test]
fn policies_limit_the_pace() {
    let policies = "behavior: {scaleUp: {policies: [{type: Pods, value: 1, periodSeconds: 60}]}, scaleDown: {selectPolicy: Disabled}}";
    let mut yard = up(&format!("{HALF}, {policies}"));
    used(&mut yard, 200);
    yard.run(50);
    assert_eq!(replicas(&yard), 3, "one in a minute");
    yard.run(60);
    assert_eq!(replicas(&yard), 4);
    used(&mut yard, 1);
    yard.run(600);
    assert_eq!(replicas(&yard), 4, "none go");
}

#[test]
fn an_unscalable_target_is_reported() {
    let mut yard = Yard::new(1);
    yard.create(&scaler(HALF));
    yard.run(20);
    assert_eq!(condition(&yard, "AbleToScale")["reason"], "FailedGetScale");
    yard.apply(&WEB.replace(", resources: {requests: {cpu: 100m, memory: 64Mi}}", ""));
    yard.run(60);
    assert_eq!(condition(&yard, "ScalingActive")["reason"], "FailedGetResourceMetric");
    assert!(
        yard.told(0, &["FailedGetResourceMetric"])[0].contains("missing request for cpu"),
        "{}",
        yard.story()
    );
    let mut yard = up(
        "metrics: [{type: Pods, pods: {metric: {name: queue}, target: {type: AverageValue, averageValue: 3}}}]",
    );
    yard.run(20);
    assert_eq!(condition(&yard, "ScalingActive")["status"], "False");
    let error = yard.refused(
        &scaler(HALF)
            .replace("name: web}, spec", "name: other}, spec")
            .replace("maxReplicas: 10", "maxReplicas: 1"),
    );
    assert!(
        error.contains("spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`"),
        "{error}"
    );
}
