//! Kubernetes in the page.

use super::curve::{self, Curve, number};
use super::objects::{ObjectList, ToObject};
use super::{Desk, Selected, Sketch};
use crate::store::ptr::Ptr;
use crate::store::selectors::faults;
use crate::store::use_hub;
use planarium_protocol::Text;
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
    pods: "Objects",
    objects: true,
    object: object_of,
    tells_changes: true,
    faults: faults::KUBERNETES,
    data: "kubernetes",
    ..Desk::PLAIN
};

/// Its pictures.
pub(super) const SKETCH: Sketch = Sketch { dialect: DESK.dialect, panel, below, about, ..Sketch::PLAIN };

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
        name: AttrValue::from(plan.to_owned()),
        what: "Rollout",
        is_over: rollout.get("over") == Some(&Value::Bool(true)),
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
    let own = selected.and_then(|path| own_curve(service, path));
    own.or_else(|| {
        let open = |rollout: &Value| rollout.get("over") != Some(&Value::Bool(true));
        let all = rollouts(&service.more).into_iter().filter(|(_, rollout)| open(rollout));
        curve::all(all.filter_map(|(plan, rollout)| curve_of(plan, rollout)))
    })
}

/// The curve of the workload that an element belongs to.
fn own_curve(service: &ServiceView, path: &ElementPath) -> Option<Html> {
    let all =
        rollouts(&service.more).into_iter().filter(|(plan, _)| service.holds(path) && *plan == &*path.plan);
    curve::all(all.filter_map(|(plan, rollout)| curve_of(plan, rollout)))
}

/// The way to the object of an element, and the curve of its workload.
fn about(service: &ServiceView, path: &ElementPath) -> Option<Html> {
    let to_object = object_of(service, path).map(|_| html! { <ToObject recipes={true} /> });
    let curve = own_curve(service, path);
    (to_object.is_some() || curve.is_some()).then(|| html! { <>{ to_object }{ curve }</> })
}

/// Key of the object behind an element: the workload of a plan or phase, the pod of a step, the object of a step of `objects`.
fn object_of(service: &ServiceView, path: &ElementPath) -> Option<AttrValue> {
    let own = service.more.get("kubernetes").filter(|_| service.holds(path))?;
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let find = |list: &str, key: &str, name: &str| {
        let all = own.get(list).and_then(Value::as_array);
        let found =
            all.into_iter().flatten().find(|one| one.get(key).and_then(Value::as_str) == Some(name))?;
        Some((text(found, "object"), text(found, "namespace")))
    };
    let key_of = |(object, namespace): (String, String)| {
        let (word, name) = object.split_once('/')?;
        Some(AttrValue::from(format!("{word}/{namespace}/{name}")))
    };
    let Some(workload) = find("workloads", "plan", &path.plan) else {
        return key_of(find("objects", "step", path.step.as_deref()?)?);
    };
    let Some(step) = &path.step else { return key_of(workload) };
    let plan = service.plans.iter().find(|plan| plan.name == path.plan)?;
    let phase = plan.phases.iter().find(|phase| Some(&phase.name) == path.phase.as_ref())?;
    let step = phase.steps.iter().find(|one| one.name == *step || one.id == *step)?;
    let pod = step.pod.as_ref()?;
    Some(format!("pod/{}/{pod}", workload.1).into())
}

/// The objects of the cluster.
fn panel(service: &ServiceView) -> Option<Html> {
    let (more, path) = (Ptr::from(&service.more), service.path(&Text::default()));
    service.more.get("kubernetes")?;
    Some(html! { <ObjectsPane key={service.name.to_string()} {more} {path} /> })
}

#[derive(Properties, PartialEq)]
struct ObjectsPaneProps {
    /// The view's additional data of the service.
    more: Ptr<Value>,
    /// Of the service.
    path: ElementPath,
}

#[component]
fn ObjectsPane(props: &ObjectsPaneProps) -> Html {
    let hub = use_hub();
    let selected = use_context::<Selected>().and_then(|selected| selected.0);
    let own =
        selected.filter(|path| path.service == props.path.service && path.dialect == props.path.dialect);
    let selected = own.and_then(|path| super::object_of(&hub.state().world.view, &path));
    html! {
        <section class="objects" aria-label={format!("Objects of {}", props.path.service)}>
            <ObjectList more={props.more.clone()} {selected} />
        </section>
    }
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

    #[test]
    fn elements_lead_to_their_objects() {
        use crate::store::selectors::tree::tests::{phase, plan, service, step};
        use planarium_protocol::view::StepView;
        use std::sync::Arc;
        let pod = Arc::new(StepView { pod: Some("web-1-a".into()), ..(*step("web-1-a", "Ready")).clone() });
        let phases = vec![phase("revision-1", "RollingUpdate", vec![pod])];
        let mut own = (*service("web", vec![plan("deployment.web", "Complete", phases)])).clone();
        own.dialect = "kubernetes".into();
        own.more = Arc::new(json!({ "kubernetes": {
            "workloads": [{ "plan": "deployment.web", "object": "deployment.apps/web", "namespace": "prod" }],
            "objects": [{ "step": "configmap.app", "object": "configmap/app", "namespace": "prod" }],
        } }));
        let key = |plan: &str, phase: Option<&str>, step: Option<&str>| {
            let path = ElementPath {
                phase: phase.map(Into::into),
                step: step.map(Into::into),
                ..own.path(&plan.into())
            };
            object_of(&own, &path).map(|key| key.to_string())
        };
        assert_eq!(key("deployment.web", None, None).as_deref(), Some("deployment.apps/prod/web"));
        assert_eq!(
            key("deployment.web", Some("revision-1"), None).as_deref(),
            Some("deployment.apps/prod/web")
        );
        let step = key("deployment.web", Some("revision-1"), Some("web-1-a"));
        assert_eq!(step.as_deref(), Some("pod/prod/web-1-a"));
        let other = key("objects", Some("objects"), Some("configmap.app"));
        assert_eq!(other.as_deref(), Some("configmap/prod/app"));
        assert_eq!(key("objects", Some("objects"), Some("none")), None);
    }
}
