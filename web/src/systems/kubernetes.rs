//! Kubernetes in the page.

use super::Desk;
use super::curve::{self, Curve, number};
use crate::store::selectors::faults;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use serde_json::Value;
use yew::prelude::*;

/// Plain Kubernetes objects.
pub(super) const DESK: Desk = Desk {
    dialect: "kubernetes",
    main: &["web.yaml", "objects.yaml", "deployment.yaml"],
    json: "objects.json",
    first: "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: web:1
          resources: {requests: {cpu: 250m, memory: 128Mi}}
          readinessProbe: {httpGet: {path: /ready, port: 80}, periodSeconds: 5}
",
    commands: &[
        "get pods",
        "rollout status",
        "rollout undo",
        "rollout pause",
        "rollout restart",
        "scale",
        "autoscale",
        "set image",
        "drain",
        "describe",
        "delete",
    ],
    tries: &["kubectl get all", "kubectl rollout history deployment/web", "kubectl get events"],
    heading: "Workloads of ",
    faults: faults::KUBERNETES,
    below,
    about,
    ..Desk::PLAIN
};

/// Lines of a Deployment's rollout, in the order of a sample's counts.
const LINES: &[(&str, &str)] =
    &[("wanted", "wanted"), ("new", "updated"), ("healthy", "available"), ("old", "unavailable")];

/// Deployments with a curve, each with its curve: by the name of their plans.
fn rollouts(more: &Value) -> Vec<(&str, &Value)> {
    let workloads = more.get("kubernetes").and_then(|own| own.get("workloads")?.as_array());
    let all = workloads.into_iter().flatten();
    all.filter_map(|one| Some((one.get("plan")?.as_str()?, one.get("curve")?))).collect()
}

/// The picture of a rollout; none without samples.
fn curve_of(plan: &str, rollout: &Value) -> Option<Html> {
    let rows = rollout.get("samples").and_then(Value::as_array).into_iter().flatten();
    let (least, most) = (number(rollout, "least"), number(rollout, "most"));
    let revision = rollout.get("revision").and_then(Value::as_str).unwrap_or_default();
    let curve = Curve {
        name: plan,
        what: "Rollout",
        lines: LINES,
        samples: rows.filter_map(|row| curve::sample(row, LINES.len())).collect(),
        marks: vec![0, most, least],
        limits: (least, most),
        beside: format!(" ({revision})"),
        note: format!("at least {least} available, at most {most} in all"),
    };
    curve.draw()
}

/// The curve of the workload that an element belongs to, else those of rollouts under way.
fn below(service: &ServiceView, selected: Option<&ElementPath>) -> Option<Html> {
    let own = selected.and_then(|path| about(service, path));
    own.or_else(|| {
        let open = |rollout: &Value| rollout.get("over") != Some(&Value::Bool(true));
        let all = rollouts(&service.more).into_iter().filter(|(_, rollout)| open(rollout));
        curve::all(all.filter_map(|(plan, rollout)| curve_of(plan, rollout)))
    })
}

/// The curve of the workload that an element belongs to.
fn about(service: &ServiceView, path: &ElementPath) -> Option<Html> {
    let all =
        rollouts(&service.more).into_iter().filter(|(plan, _)| service.holds(path) && *plan == &*path.plan);
    curve::all(all.filter_map(|(plan, rollout)| curve_of(plan, rollout)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rollouts_are_found_by_their_plan_and_drawn() {
        let more = json!({ "kubernetes": { "workloads": [
            { "plan": "statefulset.db" },
            { "plan": "deployment.web", "curve": {
                "revision": "revision-2", "most": 5, "least": 3, "over": false,
                "samples": [[1000, 4, 0, 4, 0], [2000, 4, 1, 3, 1], ["x"]],
            } },
            { "plan": "deployment.none", "curve": { "samples": [] } },
        ] } });
        let all = rollouts(&more);
        let names: Vec<&str> = all.iter().map(|(plan, _)| *plan).collect();
        assert_eq!(names, ["deployment.web", "deployment.none"]);
        assert!(curve_of(all[0].0, all[0].1).is_some());
        assert!(curve_of(all[1].0, all[1].1).is_none(), "without samples there is no picture");
        assert!(rollouts(&json!({ "kubernetes": {} })).is_empty());
    }
}
