//! Dependents are collected with their owner.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use crate::support::Yard;
use planarium_kube::{KindId, Object, Propagation};
use serde_json::json;
use std::sync::Arc;

fn owned(yard: &mut Yard, name: &str, owner: &Object, block: bool) -> Arc<Object> {
    let value = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "ownerReferences": [{
            "apiVersion": "v1", "kind": "ConfigMap", "name": owner.name, "uid": owner.uid, "controller": true, "blockOwnerDeletion": block,
        }] },
    });
    yard.kube.create(&mut yard.cx, value).expect("created")
}

fn names(yard: &Yard) -> Vec<String> {
    yard.list(KindId::CONFIG_MAP, "").iter().map(|one| one.name.to_string()).collect()
}

fn family() -> Yard {
    let mut yard = Yard::new(0);
    let root = yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: root}}").remove(0);
    let child = owned(&mut yard, "child", &root, true);
    owned(&mut yard, "grandchild", &child, true);
    owned(&mut yard, "other", &root, false);
    yard.run(1);
    yard
}

#[test]
fn background_foreground_and_orphan_deletion() {
    let mut yard = family();
    yard.delete(KindId::CONFIG_MAP, "root", Propagation::Background);
    assert_eq!(names(&yard), ["child", "grandchild", "other"]);
    yard.run(1);
    assert!(names(&yard).is_empty());

    let mut yard = family();
    yard.patch(KindId::CONFIG_MAP, "grandchild", json!({"metadata": {"finalizers": ["hold.example/it"]}}))
        .expect("held");
    yard.delete(KindId::CONFIG_MAP, "root", Propagation::Foreground);
    yard.run(1);
    assert_eq!(names(&yard), ["child", "grandchild", "other", "root"], "the grandchild holds all that block");
    assert!(yard.why(KindId::CONFIG_MAP, "root")[0].1.contains("waits for configmap/child"));
    yard.patch(KindId::CONFIG_MAP, "grandchild", json!({"metadata": {"finalizers": null}})).expect("let go");
    yard.run(1);
    assert!(names(&yard).is_empty());

    let mut yard = family();
    yard.delete(KindId::CONFIG_MAP, "root", Propagation::Orphan);
    yard.run(1);
    assert_eq!(names(&yard), ["child", "grandchild", "other"]);
    assert!(yard.get(KindId::CONFIG_MAP, "child").expect("there").owners.is_empty());
}

#[test]
fn an_owner_that_never_existed() {
    let mut yard = Yard::new(0);
    let ghost = {
        let mut ghost = Object::clone(yard.list(KindId::NAMESPACE, "").first().expect("one"));
        ghost.uid = "none".into();
        ghost
    };
    owned(&mut yard, "lost", &ghost, true);
    yard.run(1);
    assert!(names(&yard).is_empty());
}

#[test]
fn two_owners() {
    let mut yard = Yard::new(0);
    let [one, two] = ["one", "two"].map(|name| {
        yard.create(&format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}")).remove(0)
    });
    let owner = |owner: &Object| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner.name, "uid": owner.uid});
    let value = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "both", "ownerReferences": [owner(&one), owner(&two)]}});
    yard.kube.create(&mut yard.cx, value).expect("created");
    yard.run(1);
    yard.delete(KindId::CONFIG_MAP, "one", Propagation::Background);
    yard.run(1);
    assert_eq!(yard.get(KindId::CONFIG_MAP, "both").expect("kept").owners.len(), 1);
    yard.delete(KindId::CONFIG_MAP, "two", Propagation::Background);
    yard.run(1);
    assert!(yard.get(KindId::CONFIG_MAP, "both").is_none());
}
