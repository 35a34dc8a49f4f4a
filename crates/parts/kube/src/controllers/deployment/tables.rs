//! Rows of upstream's tables about Deployments.

use super::{plan, sets::Rollout, status};
use crate::{
    kube::Kube,
    object::{Object, ObjectNo},
    spec::Spec,
    status::{Cond, SetStatus, Status, Tri},
    tables::Rows,
};
use planarium_ground::Cx;
use planarium_kernel::SimTime;
use planarium_protocol::json;
use serde_json::Value;
use std::sync::Arc;

/// The annotation with the greatest size that a ReplicaSet's Deployment may have had.
const MOST: &str = "deployment.kubernetes.io/max-replicas";

/// A Deployment of a size; without bounds it is recreated.
fn deployment(replicas: u32, bounds: Option<(Value, Value)>, more: &Value) -> Arc<Object> {
    let strategy = match bounds {
        Some((surge, unavailable)) => {
            json!({ "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } })
        }
        None => json!({ "type": "Recreate" }),
    };
    let mut value = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "foo" },
        "spec": {
            "replicas": replicas, "strategy": strategy, "selector": { "matchLabels": { "foo": "bar" } },
            "template": { "metadata": { "labels": { "foo": "bar" } }, "spec": { "containers": [{ "name": "c", "image": "c:1" }] } },
        },
    });
    for (key, field) in more.as_object().into_iter().flatten() {
        value["spec"][key] = field.clone();
    }
    Kube::new(7, 0).create(&mut Cx::new(7), value).expect("a Deployment")
}

/// A ReplicaSet with a size and a number of available pods; its number is its age.
fn set(no: u32, replicas: u32, available: u32, most: Option<u32>) -> Arc<Object> {
    let value = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": { "name": format!("foo-v{no}") },
        "spec": {
            "replicas": replicas, "selector": { "matchLabels": { "foo": "bar" } },
            "template": { "metadata": { "labels": { "foo": "bar" } }, "spec": { "containers": [{ "name": "c", "image": "c:1" }] } },
        },
    });
    let set = Kube::new(7, 0).create(&mut Cx::new(7), value).expect("a ReplicaSet");
    let status = Status::Set(Arc::new(SetStatus { available, ..SetStatus::default() }));
    let annotations = match most {
        Some(most) => set.annotations.with(MOST, most.to_string()),
        None => set.annotations.clone(),
    };
    Arc::new(Object { no: ObjectNo(no), status, annotations, ..Object::clone(&set) })
}

fn rollout(object: Arc<Object>, new: Option<Arc<Object>>, old: Vec<Arc<Object>>) -> Rollout {
    let Spec::Deployment(spec) = &object.spec else { panic!("a Deployment") };
    Rollout { spec: spec.clone(), object, new, old }
}

/// The size of a ReplicaSet after some steps.
fn size(set: &Arc<Object>, steps: &[plan::Resize]) -> u32 {
    steps.iter().rev().find(|step| step.set == set.no).map_or(set.replicas, |step| step.replicas)
}

pub(crate) fn rows(rows: &mut Rows) {
    new_sets(rows);
    old_sets(rows);
    scaling(rows);
    bounds(rows);
    progress(rows);
}

fn new_sets(rows: &mut Rows) {
    rows.source("pkg/controller/deployment/rolling_test.go: TestDeploymentController_reconcileNewReplicaSet");
    for (row, surge, old, new, expected) in [
        ("should not scale up", 0, 10, 0, None),
        ("up to the surge", 2, 10, 0, Some(2)),
        ("up to the size and the surge", 2, 5, 0, Some(7)),
        ("the surge is used up", 2, 10, 2, None),
        ("should scale down", 2, 2, 11, Some(10)),
    ] {
        let object = deployment(10, Some((surge.into(), 1.into())), &Value::Null);
        let rollout = rollout(object, Some(set(2, new, 0, None)), vec![set(1, old, 0, None)]);
        rows.check(row, plan::grow(&rollout).map(|step| step.replicas), expected);
    }
    rows.source("pkg/controller/deployment/util/deployment_util_test.go: TestNewRSNewReplicas");
    for (row, recreate, replicas, now, surge, expected) in [
        ("can not scale up - to newRSReplicas", false, 1, 5, 1, 5),
        ("scale up - to depReplicas", false, 6, 2, 10, 6),
        ("recreate - to depReplicas", true, 3, 1, 1, 3),
    ] {
        let bounds = (!recreate).then(|| (Value::from(surge), Value::from(1)));
        let object = deployment(replicas, bounds, &Value::Null);
        let rollout = rollout(object, None, vec![set(1, 5, 0, None)]);
        rows.check(row, super::sets::new_size(&rollout, now), expected);
    }
}

fn old_sets(rows: &mut Rows) {
    rows.source(
        "pkg/controller/deployment/rolling_test.go: TestDeploymentController_reconcileOldReplicaSets",
    );
    for (row, unavailable, (old, ready_old), (new, ready_new), expected) in [
        ("one may be missing where nothing is allowed", 0, (10, 10), (0, 0), 9),
        ("as many as may be missing", 2, (10, 10), (0, 0), 8),
        ("those that are not available go first", 2, (10, 8), (0, 0), 8),
        ("one that is not available, and one that is", 2, (10, 9), (0, 0), 8),
        ("what the new one lacks holds the old one", 2, (8, 8), (2, 0), 8),
    ] {
        let object = deployment(10, Some((0.into(), unavailable_of(unavailable))), &Value::Null);
        let old = set(1, old, ready_old, None);
        let rollout = rollout(object, Some(set(2, new, ready_new, None)), vec![old.clone()]);
        rows.check(row, size(&old, &plan::shrink(&rollout)), expected);
    }
    rows.source(
        "pkg/controller/deployment/rolling_test.go: TestDeploymentController_cleanupUnhealthyReplicas",
    );
    for (row, ready, most, expected) in [
        ("one of two", 8, 1, 1),
        ("both, where more may go", 8, 3, 2),
        ("none may go", 8, 0, 0),
        ("all are available", 10, 3, 0),
    ] {
        let sizes = plan::without_unavailable(&[set(1, 10, ready, None)], most);
        rows.check(row, 10 - sizes[0].replicas, expected);
    }
    rows.source(
        "pkg/controller/deployment/rolling_test.go: TestDeploymentController_scaleDownOldReplicaSetsForRollingUpdate",
    );
    for (row, unavailable, ready, old, expected) in [
        ("one where nothing is allowed", 1, 10, 10, Some(9)),
        ("two may be missing", 2, 10, 10, Some(8)),
        ("two are missing already", 2, 8, 10, None),
        ("there is nothing to take", 2, 10, 0, None),
        ("most are missing", 2, 1, 10, None),
    ] {
        let sizes = plan::without_unavailable(&[set(1, old, ready, None)], 0);
        let spare = ready.saturating_sub(10 - unavailable);
        rows.check(row, plan::without_spare(&sizes, spare).first().map(|step| step.replicas), expected);
    }
}

/// Bounds of which both are 0 are refused by validation; the rules count that as one.
fn unavailable_of(unavailable: u32) -> Value {
    unavailable.max(1).into()
}

/// Name; size before and after; surge before and after; new size and its result; old sizes, newest first, and their results.
type Scaling = (&'static str, (u32, u32), (u32, u32), Option<(u32, u32)>, &'static [(u32, u32)]);

const SCALINGS: &[Scaling] = &[
    ("normal scaling event: 10 -> 12", (10, 12), (0, 0), Some((10, 12)), &[]),
    ("normal scaling event: 10 -> 5", (10, 5), (0, 0), Some((10, 5)), &[]),
    ("proportional scaling: 5 -> 10", (5, 10), (0, 0), Some((2, 4)), &[(3, 6)]),
    ("proportional scaling: 5 -> 3", (5, 3), (0, 0), Some((2, 1)), &[(3, 2)]),
    ("proportional scaling: 9 -> 4", (9, 4), (0, 0), Some((8, 4)), &[(1, 0)]),
    ("proportional scaling: 7 -> 10", (7, 10), (0, 0), Some((2, 3)), &[(3, 4), (2, 3)]),
    ("proportional scaling: 13 -> 8", (13, 8), (0, 0), Some((2, 1)), &[(8, 5), (3, 2)]),
    ("leftover distribution: 3 -> 4", (3, 4), (0, 0), Some((1, 2)), &[(1, 1), (1, 1)]),
    ("leftover distribution: 3 -> 2", (3, 2), (0, 0), Some((1, 1)), &[(1, 1), (1, 0)]),
    ("proportional scaling (no new rs): 4 -> 5", (4, 5), (0, 0), None, &[(2, 3), (2, 2)]),
    ("proportional scaling: 6 -> 0", (6, 0), (0, 0), Some((3, 0)), &[(2, 0), (1, 0)]),
    ("proportional scaling: 0 -> 6", (6, 6), (0, 0), Some((0, 6)), &[(0, 0), (0, 0)]),
    ("deployment with surge pods", (10, 20), (2, 2), Some((6, 11)), &[(6, 11)]),
    ("change both surge and size", (10, 50), (3, 6), Some((5, 22)), &[(8, 34)]),
    ("change both size and template", (10, 14), (0, 0), None, &[(7, 10), (3, 4)]),
    (
        "saturated but broken new replica set does not affect old pods",
        (2, 2),
        (1, 1),
        Some((2, 2)),
        &[(1, 1)],
    ),
];

fn scaling(rows: &mut Rows) {
    rows.source("pkg/controller/deployment/sync_test.go: TestScale");
    for (row, (before, after), (surge_before, surge), new, old) in SCALINGS {
        let most = Some(before + surge_before);
        let new_set = new.map(|(size, _)| set(9, size, 0, most));
        // The oldest has the lowest number.
        let old_sets: Vec<Arc<Object>> =
            (0..8).rev().zip(*old).map(|(no, (size, _))| set(no, *size, 0, most)).collect();
        let object = deployment(*after, Some(((*surge).into(), 1.into())), &Value::Null);
        let mut by_age = old_sets.clone();
        by_age.reverse();
        let steps = plan::proportional(&rollout(object, new_set.clone(), by_age));
        let sizes: Vec<u32> = new_set.iter().chain(&old_sets).map(|set| size(set, &steps)).collect();
        let expected: Vec<u32> = new.iter().chain(*old).map(|(_, size)| *size).collect();
        rows.check(row, sizes, expected);
    }
}

fn bounds(rows: &mut Rows) {
    rows.source("pkg/controller/deployment/util/deployment_util_test.go: TestMinAvailable");
    for (row, replicas, unavailable, expected) in [
        ("replicas greater than maxUnavailable", 10, json!(5), 5),
        ("replicas equal maxUnavailable", 10, json!(10), 0),
        ("replicas less than maxUnavailable", 5, json!(10), 0),
        ("replicas is 0", 0, json!(10), 0),
        ("replicas greater than maxUnavailable with percents", 10, json!("60%"), 4),
        ("replicas equal maxUnavailable with percents", 10, json!("100%"), 0),
        ("replicas less than maxUnavailable with percents", 5, json!("100%"), 0),
    ] {
        let object = deployment(replicas, Some((1.into(), unavailable)), &Value::Null);
        rows.check(row, object.deployment().map(|facts| facts.least), Some(expected));
    }
    let recreated = deployment(10, None, &Value::Null);
    let least = recreated.deployment().map(|facts| facts.least);
    rows.check("minAvailable with Recreate deployment strategy", least, Some(0));
}

fn progress(rows: &mut Rows) {
    rows.source("pkg/controller/deployment/util/deployment_util_test.go: TestDeploymentComplete");
    for (row, [replicas, current, updated, available], expected) in [
        ("not complete: min but not all pods become available", [5, 5, 5, 4], false),
        ("not complete: min availability is not honored", [5, 5, 5, 3], false),
        ("complete", [5, 5, 5, 5], true),
        ("not complete: all pods are available but not updated", [5, 5, 4, 5], false),
        ("not complete: still running old pods", [1, 2, 1, 1], false),
        ("not complete: one replica deployment never comes up", [1, 1, 1, 0], false),
    ] {
        let object = deployment(replicas, Some((1.into(), 1.into())), &Value::Null);
        let counts = SetStatus { observed: 1, replicas: current, updated, available, ..SetStatus::default() };
        let object = Arc::new(Object { status: Status::Set(Arc::new(counts)), ..Object::clone(&object) });
        rows.check(row, plan::is_complete(&rollout(object, None, Vec::new())), expected);
    }
    rows.source("pkg/controller/deployment/util/deployment_util_test.go: TestDeploymentProgressing");
    let counts = |[replicas, updated, ready, available]: [u32; 4]| SetStatus {
        replicas,
        updated,
        ready,
        available,
        ..SetStatus::default()
    };
    for (row, old, new, expected) in [
        ("progressing: updated pods", [10, 4, 4, 4], [10, 6, 4, 4], true),
        ("not progressing", [10, 4, 4, 4], [10, 4, 4, 4], false),
        ("progressing: old pods removed", [10, 4, 6, 6], [8, 4, 6, 6], true),
        ("not progressing: less new pods", [10, 7, 3, 3], [10, 6, 3, 3], false),
        ("progressing: less overall but more new pods", [10, 4, 7, 7], [8, 8, 5, 5], true),
        ("progressing: more ready pods", [10, 10, 9, 8], [10, 10, 10, 8], true),
        ("progressing: more available pods", [10, 10, 10, 9], [10, 10, 10, 10], true),
    ] {
        rows.check(row, status::goes_on(&counts(old), &counts(new)), expected);
    }
    rows.source("pkg/controller/deployment/util/deployment_util_test.go: TestDeploymentTimedOut");
    for (row, deadline, reason, since_s, expected) in [
        ("infinite progressDeadlineSeconds specified - no timeout", 2_147_483_647, "", 9, false),
        ("progressDeadlineSeconds: 10s, now - started => 11s", 10, "", 9, true),
        ("progressDeadlineSeconds: 10s, now - started => 9s", 10, "", 11, false),
        ("previous status was a complete deployment", 10, "NewReplicaSetAvailable", 0, false),
    ] {
        let more = json!({ "progressDeadlineSeconds": deadline, "minReadySeconds": 0 });
        let object = deployment(1, Some((1.into(), 1.into())), &more);
        let cond = Cond::new("Progressing", Tri::True, reason, "", SimTime(since_s * 1000));
        let counts = SetStatus { conditions: vec![cond], ..SetStatus::default() };
        let object = Arc::new(Object { status: Status::Set(Arc::new(counts)), ..Object::clone(&object) });
        rows.check(row, status::is_late(&rollout(object, None, Vec::new()), SimTime(20_000)), expected);
    }
}
