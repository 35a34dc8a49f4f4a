//! Deployments and their ReplicaSets.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use crate::support::Yard;
use planarium_kube::{KindId, ObjectRef, Part, Patch, Propagation, WhyKind};
use planarium_protocol::input::{Behaviour, Target};
use serde_json::json;

pub(crate) const WEB: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'nginx:1.19'}
";

const SCALED: &[&str] = &["ScalingReplicaSet"];

/// A web deployment that is up.
fn up() -> Yard {
    let mut yard = Yard::new(3);
    yard.apply(WEB);
    yard.run_until(30, |yard| yard.ready("app=web") == 4);
    yard
}

/// Names of ReplicaSets, newest last, with their sizes.
fn sets(yard: &Yard) -> Vec<(String, u32)> {
    let mut sets = yard.list(KindId::REPLICA_SET, "");
    sets.sort_by_key(|set| set.no);
    sets.iter().map(|set| (set.name.to_string(), set.replica_set().expect("a set").spec_replicas)).collect()
}

#[test]
fn a_deployment_becomes_ready_and_reports_it() {
    let yard = up();
    let web = yard.get(KindId::DEPLOYMENT, "web").expect("there");
    let facts = web.deployment().expect("a deployment");
    assert_eq!((facts.observed_generation, facts.generation), (1, 1));
    assert_eq!(
        (facts.replicas, facts.updated_replicas, facts.available_replicas, facts.unavailable_replicas),
        (4, 4, 4, 0)
    );
    assert_eq!(facts.progressing.expect("a condition").reason, "NewReplicaSetAvailable");
    assert_eq!(&*web.annotations.get("deployment.kubernetes.io/revision").expect("a revision").clone(), "1");
    assert!(yard.why(KindId::DEPLOYMENT, "web").is_empty());
    assert_eq!(yard.kube.one_shots(), 0, "nothing is left to do");
}

#[test]
fn objects_are_unhealthy_right_after_a_write() {
    let mut yard = up();
    let value = crate::support::documents(&WEB.replace("1.19", "1.20")).remove(0);
    let applied = yard.kube.apply(&mut yard.cx, &value.clone().into(), "test/last-applied").expect("applied");
    let facts = applied.object.deployment().expect("a deployment");
    assert!(facts.observed_generation < facts.generation, "{facts:?}");
    assert_eq!(yard.why(KindId::DEPLOYMENT, "web")[0].0, WhyKind::NotObserved);
    let again = yard.kube.apply(&mut yard.cx, &value.into(), "test/last-applied").expect("applied");
    assert_eq!(again.outcome, planarium_kube::Outcome::Unchanged);
}

/// Runs a rollout event by event; the fewest available and the most pods there were.
fn bounds(yard: &mut Yard, seconds: u64) -> (u32, u32) {
    let (mut fewest, mut most) = (u32::MAX, 0);
    for _ in 0..seconds * 10 {
        yard.until(yard.now() + 100);
        let active = |ready: bool| {
            let pods = yard.list(KindId::POD, "app=web");
            let counts = |pod: &&std::sync::Arc<planarium_kube::Object>| {
                !pod.is_being_deleted() && (!ready || pod.pod().expect("a pod").ready)
            };
            u32::try_from(pods.iter().filter(counts).count()).expect("small")
        };
        fewest = fewest.min(active(true));
        most = most.max(active(false));
    }
    (fewest, most)
}

#[test]
fn a_rollout_stays_within_its_bounds() {
    for (strategy, fewest, most) in [
        ("{}", 3, 5),
        ("{type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}", 3, 4),
        ("{type: RollingUpdate, rollingUpdate: {maxSurge: 2, maxUnavailable: 0}}", 4, 6),
        ("{type: RollingUpdate, rollingUpdate: {maxSurge: 100%, maxUnavailable: 0}}", 4, 8),
        ("{type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 50%}}", 2, 4),
        ("{type: Recreate}", 0, 4),
    ] {
        let mut yard = Yard::new(3);
        let yaml = WEB.replace("replicas: 4", &format!("replicas: 4\n  strategy: {strategy}"));
        yard.apply(&yaml);
        yard.run_until(30, |yard| yard.ready("app=web") == 4);
        yard.apply(&yaml.replace("1.19", "1.20"));
        assert_eq!(bounds(&mut yard, 90), (fewest, most), "{strategy}");
        let facts = yard.get(KindId::DEPLOYMENT, "web").expect("there").deployment().expect("a deployment");
        assert_eq!(
            (facts.replicas, facts.updated_replicas, facts.available_replicas),
            (4, 4, 4),
            "{strategy}"
        );
    }
}

#[test]
fn recreate_waits_until_the_last_old_pod_has_ended() {
    let mut yard = Yard::new(3);
    // A sleeping shell does not react to the signal.
    let yaml = WEB
        .replace("replicas: 4", "replicas: 2\n  strategy: {type: Recreate}")
        .replace("image: 'nginx:1.19'", "image: 'busybox:1.19', command: [sleep, infinity]");
    yard.apply(&yaml);
    yard.run_until(30, |yard| yard.ready("app=web") == 2);
    let from = yard.now();
    yard.apply(&yaml.replace("1.19", "1.20"));
    yard.run(25);
    assert_eq!(yard.list(KindId::POD, "app=web").iter().filter(|pod| pod.is_being_deleted()).count(), 2);
    assert_eq!(yard.list(KindId::POD, "app=web").len(), 2, "no new pod yet");
    assert_eq!(yard.why(KindId::DEPLOYMENT, "web")[0].0, WhyKind::Terminating);
    yard.run_until(30, |yard| {
        yard.ready("app=web") == 2
            && yard.list(KindId::POD, "app=web").iter().all(|pod| !pod.is_being_deleted())
    });
    assert!(yard.now() - from >= 30_000, "the whole grace period was used");
}

#[test]
fn a_rollout_that_does_not_get_ready_stops_and_reports_it() {
    let mut yard = up();
    let broken = WEB.replace("replicas: 4", "replicas: 4\n  progressDeadlineSeconds: 60").replace(
        "image: 'nginx:1.19'",
        "image: 'nginx:1.20', readinessProbe: {exec: {command: [sh, -c, 'exit 1']}, periodSeconds: 5}",
    );
    yard.apply(&broken);
    yard.run(50);
    let facts =
        |yard: &Yard| yard.get(KindId::DEPLOYMENT, "web").expect("there").deployment().expect("a deployment");
    assert_eq!(
        (facts(&yard).available_replicas, facts(&yard).updated_replicas),
        (3, 2),
        "one went, two came"
    );
    assert_eq!(facts(&yard).progressing.expect("a condition").reason, "ReplicaSetUpdated");
    yard.run(30);
    let progressing = facts(&yard).progressing.expect("a condition");
    assert_eq!((progressing.status, progressing.reason), ("False", "ProgressDeadlineExceeded"));
    let whys = yard.why(KindId::DEPLOYMENT, "web");
    assert_eq!(whys[0].0, WhyKind::ProgressDeadline, "{whys:?}");
    assert!(
        whys.iter().any(|(kind, text)| *kind == WhyKind::NotReady && text.contains("last result 1")),
        "{whys:?}"
    );
    // Roll back: the old ReplicaSet is the new one again, with a newer revision.
    let before = sets(&yard);
    yard.apply(WEB);
    yard.run_until(60, |yard| yard.ready("app=web") == 4);
    assert_eq!(sets(&yard), [(before[0].0.clone(), 4), (before[1].0.clone(), 0)]);
    let old = yard.get(KindId::REPLICA_SET, &before[0].0).expect("there");
    assert_eq!(&**old.annotations.get("deployment.kubernetes.io/revision").expect("a revision"), "3");
    assert_eq!(&**old.annotations.get("deployment.kubernetes.io/revision-history").expect("a history"), "1");
}

#[test]
fn pausing_holds_a_rollout_and_scaling_is_proportional() {
    let mut yard = up();
    let stuck = json!({"spec": {"template": {"spec": {"containers": [{
        "name": "web", "image": "nginx:1.20", "readinessProbe": {"exec": {"command": ["false"]}},
    }]}}}});
    yard.patch(KindId::DEPLOYMENT, "web", stuck).expect("patched");
    yard.run(20);
    assert_eq!(sets(&yard).iter().map(|(_, size)| *size).collect::<Vec<_>>(), [3, 2]);
    // In the middle of a rollout both grow: 5 of 5, then 10 and 3 more, by size.
    let scale = json!({"spec": {"replicas": 10}});
    let web = ObjectRef::new(KindId::DEPLOYMENT, "default", "web");
    yard.kube.patch(&mut yard.cx, web, Part::Scale, &Patch::Merge(scale)).expect("scaled");
    yard.run(10);
    assert_eq!(sets(&yard).iter().map(|(_, size)| *size).collect::<Vec<_>>(), [8, 5]);
    yard.patch(KindId::DEPLOYMENT, "web", json!({"spec": {"paused": true}})).expect("paused");
    yard.run(5);
    let facts = yard.get(KindId::DEPLOYMENT, "web").expect("there").deployment().expect("a deployment");
    assert_eq!(facts.progressing.expect("a condition").reason, "DeploymentPaused");
    assert!(yard.why(KindId::DEPLOYMENT, "web").iter().any(|(kind, _)| *kind == WhyKind::Paused));
    let good =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.21"}]}}}});
    yard.patch(KindId::DEPLOYMENT, "web", good).expect("patched");
    yard.run(30);
    assert_eq!(sets(&yard).len(), 2, "a paused deployment makes no new set");
    yard.patch(KindId::DEPLOYMENT, "web", json!({"spec": {"paused": false}})).expect("resumed");
    yard.run_until(120, |yard| yard.ready("app=web") == 10 && yard.list(KindId::POD, "app=web").len() == 10);
    assert_eq!(sets(&yard).iter().map(|(_, size)| *size).collect::<Vec<_>>(), [0, 0, 10]);
}

#[test]
fn old_sets_are_kept_up_to_the_limit() {
    let mut yard = Yard::new(3);
    let yaml = WEB.replace("replicas: 4", "replicas: 1\n  revisionHistoryLimit: 2");
    for n in 0..5 {
        yard.apply(&yaml.replace("1.19", &format!("1.{n}")));
        yard.run(1);
        yard.run_until(60, |yard| yard.ready("app=web") == 1 && yard.list(KindId::POD, "app=web").len() == 1);
    }
    yard.run(5);
    assert_eq!(sets(&yard).iter().map(|(_, size)| *size).collect::<Vec<_>>(), [0, 0, 1]);
    let web = yard.get(KindId::DEPLOYMENT, "web").expect("there");
    assert_eq!(&**web.annotations.get("deployment.kubernetes.io/revision").expect("a revision"), "5");
}

#[test]
fn a_deleted_pod_is_replaced_and_a_relabelled_one_is_released() {
    let mut yard = up();
    let pods = yard.list(KindId::POD, "app=web");
    yard.delete(KindId::POD, &pods[0].name, Propagation::Background);
    yard.patch(KindId::POD, &pods[1].name, json!({"metadata": {"labels": {"app": "aside"}}}))
        .expect("relabelled");
    yard.run(30);
    assert_eq!(yard.ready("app=web"), 4);
    let aside = yard.list(KindId::POD, "app=aside");
    assert_eq!((aside.len(), aside[0].controller()), (1, None));
    // Its label back: there is one too many, and the youngest goes.
    let before: Vec<_> = yard.list(KindId::POD, "app=web").iter().map(|pod| pod.no).collect();
    yard.patch(KindId::POD, &pods[1].name, json!({"metadata": {"labels": {"app": "web"}}}))
        .expect("relabelled");
    yard.run(30);
    let after: Vec<_> = yard.list(KindId::POD, "app=web").iter().map(|pod| pod.no).collect();
    assert_eq!(after.len(), 4);
    assert!(after.contains(&pods[1].no), "it was taken in again: {before:?} {after:?}");
}

#[test]
fn pods_must_stay_ready_to_count_as_available() {
    let mut yard = Yard::new(3);
    yard.apply(&WEB.replace("replicas: 4", "replicas: 4\n  minReadySeconds: 20"));
    yard.run_until(30, |yard| yard.ready("app=web") == 4);
    let facts =
        |yard: &Yard| yard.get(KindId::DEPLOYMENT, "web").expect("there").deployment().expect("a deployment");
    assert_eq!((facts(&yard).ready_replicas, facts(&yard).available_replicas), (4, 0));
    assert_eq!(facts(&yard).available.expect("a condition").reason, "MinimumReplicasUnavailable");
    yard.run(21);
    assert_eq!(facts(&yard).available_replicas, 4);
}

#[test]
fn deletion_follows_the_requested_policy() {
    // In the background: the deployment at once, its pods after it.
    let mut yard = up();
    yard.delete(KindId::DEPLOYMENT, "web", Propagation::Background);
    assert!(yard.get(KindId::DEPLOYMENT, "web").is_none());
    yard.run(10);
    assert_eq!((yard.list(KindId::REPLICA_SET, "").len(), yard.list(KindId::POD, "app=web").len()), (0, 0));

    // In the foreground: pods first.
    let mut yard = up();
    yard.delete(KindId::DEPLOYMENT, "web", Propagation::Foreground);
    yard.until(yard.now());
    assert!(yard.get(KindId::DEPLOYMENT, "web").expect("waits").is_being_deleted());
    assert_eq!(yard.why(KindId::DEPLOYMENT, "web")[0].0, WhyKind::Dependants);
    yard.run(10);
    assert!(yard.get(KindId::DEPLOYMENT, "web").is_none());
    assert_eq!((yard.list(KindId::REPLICA_SET, "").len(), yard.list(KindId::POD, "app=web").len()), (0, 0));

    // Orphaned: the set and its pods stay, and the next deployment of that selector takes the set in.
    let mut yard = up();
    yard.delete(KindId::DEPLOYMENT, "web", Propagation::Orphan);
    yard.run(10);
    assert!(yard.get(KindId::DEPLOYMENT, "web").is_none());
    let left = sets(&yard);
    assert_eq!((left.len(), yard.ready("app=web")), (1, 4));
    yard.apply(WEB);
    yard.run(10);
    assert_eq!(sets(&yard), left);
    assert!(yard.get(KindId::REPLICA_SET, &left[0].0).expect("there").controller().is_some());
    assert!(yard.told(30, SCALED).is_empty());
}

#[test]
fn slow_and_bad_pods_are_distinguished() {
    let mut yard = up();
    yard.apply(&WEB.replace("nginx:1.19", "nginx:slow-1"));
    yard.run(12);
    let whys = yard.why(KindId::DEPLOYMENT, "web");
    assert_eq!(whys[0].0, WhyKind::Starting, "{whys:?}");
    yard.apply(&WEB.replace("nginx:1.19", "bad-nginx:1"));
    yard.run(20);
    let whys = yard.why(KindId::DEPLOYMENT, "web");
    assert!(whys.iter().any(|(kind, _)| *kind == WhyKind::ImagePull), "{whys:?}");
    assert!(yard.pods().contains("ImagePullBackOff"), "{}", yard.pods());
    let images = yard.told(0, &["Failed"]);
    assert!(images[0].contains("Failed to pull image \"bad-nginx:1\": rpc error"), "{images:?}");
}

#[test]
fn a_behaviour_rule_reaches_the_pods_of_a_workload() {
    let mut yard = Yard::new(3);
    let behaviour = Behaviour { exit_code: Some(3), exit_after_ms: Some(1_000), ..Behaviour::default() };
    yard.behave(
        Target { service: Some("web".to_owned()), task: Some("web".to_owned()), ..Target::default() },
        behaviour,
    );
    yard.apply(WEB);
    yard.run(20);
    assert!(yard.pods().lines().all(|line| line.contains("CrashLoopBackOff")), "{}", yard.pods());
}
