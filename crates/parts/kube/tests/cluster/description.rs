//! Objects as a reader looks at them.

#![expect(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use crate::support::Yard;
use crate::workloads::WEB;
use planarium_kernel::SimTime;
use planarium_kube::KindId;
use planarium_protocol::objects::{ObjectView, Origin};
use serde_json::json;

const KEY: &str = "deployment.apps/default/web";

fn described(yard: &Yard, key: &str) -> ObjectView {
    yard.kube.describe(key, SimTime(yard.now())).expect("an object")
}

/// A line's origin: by the text that it contains.
fn origin(view: &ObjectView, text: &str) -> Origin {
    let line = view.lines.iter().find(|line| line.text.contains(text));
    line.unwrap_or_else(|| panic!("no line with {text} in {:?}", view.lines)).origin.clone()
}

fn up() -> Yard {
    let mut yard = Yard::new(3);
    yard.apply(WEB);
    yard.run_until(30, |yard| yard.ready("app=web") == 4);
    yard
}

#[test]
fn every_object_is_listed_by_kind_workloads_first() {
    let yard = up();
    let rows = yard.kube.describe_all(SimTime(yard.now()));
    assert_eq!((&*rows[0].key, &*rows[0].kind, &*rows[0].state), (KEY, "Deployment", "ready 4/4"));
    assert_eq!(rows.iter().filter(|row| &*row.kind == "Pod").count(), 4);
    assert_eq!(rows.iter().filter(|row| &*row.kind == "Node").count(), 3);
    assert!(rows.iter().all(|row| &*row.kind != "Event"));
    let pod = rows.iter().find(|row| &*row.kind == "Pod").expect("a pod");
    assert!(pod.owner.starts_with("replicaset.apps/default/web-"), "{pod:?}");
    for row in &rows {
        assert!(yard.kube.describe(&row.key, SimTime(yard.now())).is_some(), "{row:?} is found by its key");
    }
}

#[test]
fn conditions_and_events_say_what_describe_says() {
    let yard = up();
    let web = described(&yard, KEY);
    let of = |kind: &str| web.conditions.iter().find(|one| &*one.kind == kind).expect("a condition");
    assert_eq!((&*of("Available").status, &*of("Available").reason), ("True", "MinimumReplicasAvailable"));
    assert!(!of("Available").since.is_empty() && !of("Available").warns);
    assert_eq!(
        (&*web.events[0].reason, &*web.events[0].from),
        ("ScalingReplicaSet", "deployment-controller")
    );
}

#[test]
fn defaults_and_later_changes_differ_from_what_was_applied() {
    let mut yard = up();
    let web = described(&yard, KEY);
    assert!(web.applied);
    assert_eq!(origin(&web, "image: nginx:1.19"), Origin::Applied);
    assert_eq!(origin(&web, "terminationGracePeriodSeconds: 30"), Origin::Default);
    assert_eq!(origin(&web, "progressDeadlineSeconds: 600"), Origin::Default);
    assert_eq!(origin(&web, "replicas: 4"), Origin::Applied);
    assert!(
        web.lines
            .iter()
            .all(|line| !line.text.contains("last-applied") && !line.text.contains("managedFields"))
    );
    yard.patch(KindId::DEPLOYMENT, "web", json!({ "spec": { "replicas": 6 } })).expect("patched");
    assert_eq!(origin(&described(&yard, KEY), "replicas: 6"), Origin::Changed("4".into()));
    // The text without defaults is what was applied.
    let text: Vec<&str> =
        web.lines.iter().filter(|line| line.origin == Origin::Applied).map(|line| &*line.text).collect();
    let applied = parsed(&text.join("\n"));
    assert_eq!(applied.pointer("/spec/template/spec/containers/0/image"), Some(&json!("nginx:1.19")));
    assert_eq!(applied.pointer("/spec/template/spec/dnsPolicy"), None);
}

fn parsed(text: &str) -> serde_json::Value {
    crate::support::documents(text).remove(0)
}

#[test]
fn keys_that_name_nothing_describe_nothing() {
    let yard = up();
    for key in [
        "",
        "/",
        "deployment.apps/default/none",
        "none/default/web",
        "deployment.apps",
        "a/b/c/d",
        "pod//web",
    ] {
        assert!(yard.kube.describe(key, SimTime(yard.now())).is_none(), "{key}");
    }
    assert!(yard.kube.describe("Deployment/default/web", SimTime(yard.now())).is_some(), "by its kind");
}
