//! Invariants of a cluster under random operations.

#![expect(clippy::format_push_string, clippy::indexing_slicing, reason = "helpers of tests")]

use crate::support::{Yard, agent};
use planarium_kernel::Digest;
use planarium_kube::{
    DeleteOptions, DrainOptions, KindId, Object, ObjectRef, Part, Patch, Propagation,
    wire::{self, Request},
};
use planarium_protocol::input::{FaultKind, Target};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// Something that is done.
#[derive(Clone, Debug)]
enum Act {
    Apply { kind: u8, name: u8, replicas: u32, image: u8, command: u8, extra: u8 },
    Scale { name: u8, replicas: u32 },
    Delete { kind: u8, name: u8, how: u8 },
    DeletePod { which: u8, grace: u8 },
    Relabel { which: u8 },
    Fault { fault: u8, node: u8, seconds: u16 },
    Cordon { node: u8, drain: bool },
    Uncordon { node: u8 },
    Taint { node: u8, effect: u8 },
    Budget { name: u8, most: u8 },
    Machine,
    Remove { node: u8 },
    Run { seconds: u16 },
}

fn act() -> impl Strategy<Value = Act> {
    let small = 0_u8..4;
    prop_oneof![
        5 => (0_u8..7, small.clone(), 0_u32..6, 0_u8..6, 0_u8..6, 0_u8..6)
            .prop_map(|(kind, name, replicas, image, command, extra)| Act::Apply { kind, name, replicas, image, command, extra }),
        2 => (small.clone(), 0_u32..9).prop_map(|(name, replicas)| Act::Scale { name, replicas }),
        2 => (0_u8..7, small.clone(), 0_u8..3).prop_map(|(kind, name, how)| Act::Delete { kind, name, how }),
        2 => (any::<u8>(), 0_u8..3).prop_map(|(which, grace)| Act::DeletePod { which, grace }),
        1 => any::<u8>().prop_map(|which| Act::Relabel { which }),
        3 => (0_u8..9, small.clone(), 5_u16..500).prop_map(|(fault, node, seconds)| Act::Fault { fault, node, seconds }),
        1 => (small.clone(), any::<bool>()).prop_map(|(node, drain)| Act::Cordon { node, drain }),
        1 => small.clone().prop_map(|node| Act::Uncordon { node }),
        1 => (small.clone(), 0_u8..3).prop_map(|(node, effect)| Act::Taint { node, effect }),
        1 => (small.clone(), 0_u8..3).prop_map(|(name, most)| Act::Budget { name, most }),
        1 => Just(Act::Machine),
        1 => small.prop_map(|node| Act::Remove { node }),
        6 => (1_u16..200).prop_map(|seconds| Act::Run { seconds }),
    ]
}

const KINDS: [(KindId, &str, &str); 7] = [
    (KindId::DEPLOYMENT, "apps/v1", "Deployment"),
    (KindId::STATEFUL_SET, "apps/v1", "StatefulSet"),
    (KindId::DAEMON_SET, "apps/v1", "DaemonSet"),
    (KindId::JOB, "batch/v1", "Job"),
    (KindId::CRON_JOB, "batch/v1beta1", "CronJob"),
    (KindId::REPLICA_SET, "apps/v1", "ReplicaSet"),
    (KindId::SERVICE, "v1", "Service"),
];

fn object(kind: u8, name: u8, replicas: u32, image: u8, command: u8, extra: u8) -> Value {
    let (_, api_version, word) = KINDS[usize::from(kind)];
    let name = format!("{}-{name}", word.to_lowercase());
    let image =
        ["nginx:1", "nginx:2", "nginx:bad-1", "nginx:slow-1", "bad-image:1", "redis"][usize::from(image)];
    let commands = [
        json!([]),
        json!(["true"]),
        json!(["sh", "-c", "exit 1"]),
        json!(["sleep", "20"]),
        json!(["sleep", "infinity"]),
        json!(["serve"]),
    ];
    let ends = kind == 3 || kind == 4;
    let mut spec = json!({
        "restartPolicy": if !ends { "Always" } else if extra.is_multiple_of(2) { "Never" } else { "OnFailure" },
        "containers": [{"name": "main", "image": image, "command": commands[usize::from(command)].clone()}],
    });
    match extra {
        1 => spec["containers"][0]["resources"] = json!({"requests": {"cpu": "700m", "memory": "512Mi"}}),
        2 => {
            spec["containers"][0]["readinessProbe"] =
                json!({"exec": {"command": ["check"]}, "periodSeconds": 5});
        }
        3 => spec["initContainers"] = json!([{"name": "init", "image": "init:1"}]),
        4 => spec["volumes"] = json!([{"name": "v", "configMap": {"name": "none"}}]),
        5 => {
            spec["affinity"] = json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": name}}}]}});
        }
        _ => {}
    }
    let template = json!({"metadata": {"labels": {"app": name}}, "spec": spec});
    let selector = json!({"matchLabels": {"app": name}});
    let spec = match word {
        "Service" => {
            json!({"selector": {"app": format!("deployment-{}", replicas % 4)}, "ports": [{"port": 80}]})
        }
        "Job" => {
            json!({"template": template, "completions": replicas.max(1), "parallelism": 2, "backoffLimit": 2})
        }
        "CronJob" => {
            json!({"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template, "backoffLimit": 0}}})
        }
        "StatefulSet" => {
            let policy = if extra.is_multiple_of(2) { "Parallel" } else { "OrderedReady" };
            json!({
                "replicas": replicas, "selector": selector, "template": template, "serviceName": "s", "podManagementPolicy": policy,
                "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}],
            })
        }
        "DaemonSet" => json!({"selector": selector, "template": template}),
        _ => json!({"replicas": replicas, "selector": selector, "template": template}),
    };
    json!({"apiVersion": api_version, "kind": word, "metadata": {"name": name}, "spec": spec})
}

fn node_name(yard: &Yard, node: u8) -> Option<String> {
    let nodes = yard.kube.nodes();
    (!nodes.is_empty()).then(|| nodes[usize::from(node) % nodes.len()].name.to_string())
}

fn pod(yard: &Yard, which: u8) -> Option<Arc<Object>> {
    let pods = yard.list(KindId::POD, "");
    (!pods.is_empty()).then(|| pods[usize::from(which) % pods.len()].clone())
}

fn perform(yard: &mut Yard, act: &Act) {
    match act {
        Act::Apply { kind, name, replicas, image, command, extra } => {
            let value = Arc::new(object(*kind, *name, *replicas, *image, *command, *extra));
            let _ = yard.kube.apply(&mut yard.cx, &value, "test/applied");
        }
        Act::Scale { name, replicas } => {
            for (kind, _, word) in KINDS.iter().take(2) {
                let name = format!("{}-{name}", word.to_lowercase());
                let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
                let _ = yard.kube.patch(
                    &mut yard.cx,
                    ObjectRef::new(*kind, "default", &name),
                    Part::Scale,
                    &patch,
                );
            }
        }
        Act::Delete { kind, name, how } => {
            let (kind, _, word) = KINDS[usize::from(*kind)];
            let name = format!("{}-{name}", word.to_lowercase());
            let propagation =
                [Propagation::Background, Propagation::Foreground, Propagation::Orphan][usize::from(*how)];
            let options = DeleteOptions { propagation, ..DeleteOptions::default() };
            let _ = yard.kube.delete(&mut yard.cx, ObjectRef::new(kind, "default", &name), &options);
        }
        Act::DeletePod { which, grace } => {
            if let Some(pod) = pod(yard, *which) {
                let grace_s = [None, Some(0), Some(3)][usize::from(*grace)];
                let options = DeleteOptions { grace_s, ..DeleteOptions::default() };
                let _ = yard.kube.delete(&mut yard.cx, pod.reference(), &options);
            }
        }
        Act::Relabel { which } => {
            if let Some(pod) = pod(yard, *which) {
                let label = if pod.labels.get("app").is_some_and(|app| &**app == "aside") {
                    "deployment-0"
                } else {
                    "aside"
                };
                let patch = Patch::Merge(json!({"metadata": {"labels": {"app": label}}}));
                let _ = yard.kube.patch(&mut yard.cx, pod.reference(), Part::Whole, &patch);
            }
        }
        Act::Fault { fault, node, seconds } => {
            let kinds = [
                FaultKind::AgentLost,
                FaultKind::AgentPartitioned,
                FaultKind::AgentRestart,
                FaultKind::TaskFail,
                FaultKind::CrashLoop,
                FaultKind::ReadinessFail,
                FaultKind::ImageMissing,
                FaultKind::Hang,
                FaultKind::SlowStart,
            ];
            let kind = kinds[usize::from(*fault)];
            let target = match (kind, node_name(yard, *node)) {
                (
                    FaultKind::AgentLost | FaultKind::AgentPartitioned | FaultKind::AgentRestart,
                    Some(name),
                ) => agent(&name),
                (FaultKind::AgentLost | FaultKind::AgentPartitioned | FaultKind::AgentRestart, None) => {
                    return;
                }
                _ => Target { service: Some(format!("*-{node}")), ..Target::default() },
            };
            yard.fault(kind, target, Some(u64::from(*seconds) * 1000));
        }
        Act::Cordon { node, drain } => {
            if let Some(name) = node_name(yard, *node) {
                let _ = if *drain {
                    yard.kube.drain(&mut yard.cx, &name, DrainOptions::default())
                } else {
                    yard.kube.cordon(&mut yard.cx, &name)
                };
            }
        }
        Act::Uncordon { node } => {
            if let Some(name) = node_name(yard, *node) {
                let _ = yard.kube.uncordon(&mut yard.cx, &name);
            }
        }
        Act::Taint { node, effect } => {
            if let Some(name) = node_name(yard, *node) {
                let taints = match effect {
                    0 => json!(null),
                    1 => json!([{"key": "k", "effect": "NoSchedule"}]),
                    _ => json!([{"key": "k", "effect": "NoExecute"}]),
                };
                let patch = Patch::Merge(json!({"spec": {"taints": taints}}));
                let _ = yard.kube.patch(
                    &mut yard.cx,
                    ObjectRef::new(KindId::NODE, "", &name),
                    Part::Whole,
                    &patch,
                );
            }
        }
        Act::Budget { name, most } => {
            let value = json!({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": format!("b-{name}")},
                "spec": {"maxUnavailable": most, "selector": {"matchLabels": {"app": format!("deployment-{name}")}}},
            });
            let _ = yard.kube.apply(&mut yard.cx, &Arc::new(value), "test/applied");
        }
        Act::Machine => {
            let name = format!("more-{}", yard.kube.nodes().len() + yard.events.len());
            yard.machine(&name, 2, 4096, Some("z"));
        }
        Act::Remove { node } => {
            if let Some(name) = node_name(yard, *node)
                && let Some(machine) = yard.fleet.find_machine(&name)
            {
                yard.fleet.remove_machine(&mut yard.cx, machine);
                yard.kube.remove_node(&mut yard.cx, &mut yard.fleet, machine);
            }
        }
        Act::Run { seconds } => yard.run(u64::from(*seconds)),
    }
}

fn digest(yard: &Yard) -> u64 {
    let mut digest = Digest::new();
    digest.write(&yard.kube);
    digest.write(&yard.fleet);
    digest.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every index, count and total equals its recomputation at every instant; a copy behaves like the original; everything
    /// that is not ready has an explanation; and after everything is deleted, nothing is left.
    #[test]
    fn whatever_is_done(acts in proptest::collection::vec(act(), 1..40), cut in any::<proptest::sample::Index>()) {
        let mut yard = Yard::new(3);
        let cut = cut.index(acts.len());
        let mut copy = None;
        for (at, act) in acts.iter().enumerate() {
            perform(&mut yard, act);
            if at == cut {
                copy = Some(yard.clone());
            }
        }
        let mut copy = copy.expect("a copy");
        copy.checked = false;
        acts.iter().skip(cut + 1).for_each(|act| perform(&mut copy, act));
        yard.run(30);
        // Time that passes in pieces is the same time.
        (0..10).for_each(|_| copy.run(3));
        prop_assert_eq!(digest(&yard), digest(&copy));

        for object in yard.kube.list(KindId::POD, None, &planarium_kube::Selector::EVERYTHING) {
            let facts = object.pod().expect("a pod");
            let done = facts.ready || matches!(&*facts.phase, "Succeeded");
            if !done || object.is_being_deleted() {
                prop_assert!(!yard.kube.why(&yard.fleet, &object).is_empty(), "{}: {:?}", object.name, facts);
            }
        }
        for (kind, ..) in KINDS.iter().take(4) {
            for object in yard.kube.list(*kind, None, &planarium_kube::Selector::EVERYTHING) {
                let unready = match (object.deployment(), object.stateful_set(), object.daemon_set(), object.job()) {
                    (Some(facts), ..) => facts.available_replicas < facts.spec_replicas,
                    (_, Some(facts), ..) => facts.ready_replicas < facts.spec_replicas,
                    (_, _, Some(facts), _) => facts.available < facts.desired,
                    (.., Some(facts)) => facts.complete.is_none(),
                    _ => false,
                };
                if unready {
                    prop_assert!(!yard.kube.why(&yard.fleet, &object).is_empty(), "{}: {:?}", object.name, object.status());
                }
            }
        }

        // Those that were orphaned, too.
        let orphans = [KindId::REPLICA_SET, KindId::CONTROLLER_REVISION];
        for kind in KINDS.iter().map(|(kind, ..)| *kind).chain(orphans) {
            for object in yard.kube.list(kind, Some("default"), &planarium_kube::Selector::EVERYTHING) {
                let _ = yard.kube.delete(&mut yard.cx, object.reference(), &DeleteOptions::default());
            }
        }
        yard.run(30);
        for pod in yard.list(KindId::POD, "") {
            let _ = yard.kube.delete(&mut yard.cx, pod.reference(), &DeleteOptions { grace_s: Some(0), ..DeleteOptions::default() });
        }
        yard.run(600);
        prop_assert_eq!(yard.list(KindId::POD, "").len() + yard.list(KindId::REPLICA_SET, "").len(), 0);
        prop_assert_eq!(yard.list(KindId::CONTROLLER_REVISION, "").len(), 0);
        prop_assert_eq!(yard.fleet.process_ids().count(), 0);
    }

    /// Objects that make no sense are refused or carried out, and never more than that.
    #[test]
    fn random_objects(kind in 0_u8..7, broken in proptest::collection::vec((any::<proptest::sample::Index>(), 0_u8..9), 1..6)) {
        let mut yard = Yard::new(2);
        let mut value = object(kind, 0, 2, 0, 0, kind % 6);
        for (index, how) in &broken {
            let mut paths = Vec::new();
            collect(&value, &mut String::new(), &mut paths);
            let path = paths[index.index(paths.len())].clone();
            let Some(place) = value.pointer_mut(&path) else { continue };
            *place = match how {
                0 => Value::Null,
                1 => json!(-1),
                2 => json!("a text"),
                3 => json!([]),
                4 => json!({}),
                5 => json!(9_223_372_036_854_775_807_i64),
                6 => json!([null, {"name": "x"}, 1]),
                7 => json!(true),
                _ => json!("é\u{0}".repeat(100)),
            };
        }
        let (_, api_version, _) = KINDS[usize::from(kind)];
        let base = if api_version == "v1" { "/api/v1".to_owned() } else { format!("/apis/{api_version}") };
        let plural = yard.kube.kind_info(KINDS[usize::from(kind)].0).expect("a kind").plural.clone();
        let path = format!("{base}/namespaces/default/{plural}");
        let request = Request { method: "POST", path: &path, body: Some(&value), ..Request::default() };
        wire::write(&mut yard.kube, &mut yard.cx, &request);
        yard.run(60);
        let patch = Request { method: "PATCH", path: &format!("{path}/x"), body: Some(&value), content_type: "application/strategic-merge-patch+json", ..Request::default() };
        wire::write(&mut yard.kube, &mut yard.cx, &patch);
        for object in yard.kube.list(KINDS[usize::from(kind)].0, None, &planarium_kube::Selector::EVERYTHING) {
            let patch = Patch::Strategic(value.clone());
            let _ = yard.kube.patch(&mut yard.cx, object.reference(), Part::Whole, &patch);
            yard.kube.why(&yard.fleet, &object);
        }
        yard.run(60);
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
        wire::read(&yard.kube, yard.cx.now(), &Request { method: "GET", path: &path, accept: table, ..Request::default() });
    }
}

/// Paths of everything in a value.
fn collect(value: &Value, path: &mut String, all: &mut Vec<String>) {
    all.push(path.clone());
    let length = path.len();
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                path.push('/');
                path.push_str(&key.replace('~', "~0").replace('/', "~1"));
                collect(value, path, all);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                path.push_str(&format!("/{at}"));
                collect(value, path, all);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
