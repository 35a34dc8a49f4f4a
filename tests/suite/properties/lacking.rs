//! Worlds in which the pods of a service lack something: an object, an entry in one, or room.

use crate::checks::read;
use planarium_protocol::input::HttpCall;
use planarium_rest::{Request, handle_engine};
use planarium_world::{Engine, Genesis};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// A missing requirement of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    SecretVolume,
    MapVolume,
    SecretKey,
    MapKey,
    WholeSecret,
    WholeMap,
    SecretOfInit,
    /// The Secret is there, the key is not.
    OtherKey,
    Claim,
    /// The claim is there, its class is not.
    Class,
    Cpu,
    Memory,
}

const LACKS: [Lack; 12] = [
    Lack::SecretVolume,
    Lack::MapVolume,
    Lack::SecretKey,
    Lack::MapKey,
    Lack::WholeSecret,
    Lack::WholeMap,
    Lack::SecretOfInit,
    Lack::OtherKey,
    Lack::Claim,
    Lack::Class,
    Lack::Cpu,
    Lack::Memory,
];

/// A service whose pods lack something.
#[derive(Clone, Debug)]
pub(crate) struct Poor {
    dialect: &'static str,
    workload: &'static str,
    lacks: Vec<Lack>,
    seed: u64,
    /// Time until the check. *Units*: seconds.
    seconds: u64,
}

/// Services of KUDO and Kubernetes. KUDO does not wait for a DaemonSet, so it has none.
pub(crate) fn poor() -> impl Strategy<Value = Poor> {
    let place = select(vec![
        ("kudo", "Deployment"),
        ("kudo", "StatefulSet"),
        ("kudo", "Job"),
        ("kudo", "Pod"),
        ("kubernetes", "Deployment"),
        ("kubernetes", "StatefulSet"),
        ("kubernetes", "Job"),
        ("kubernetes", "Pod"),
        ("kubernetes", "DaemonSet"),
    ]);
    let lacks = prop::collection::vec(select(LACKS.to_vec()), 1..4);
    (place, lacks, 0_u64..1000, 5_u64..90).prop_map(|((dialect, workload), lacks, seed, seconds)| Poor {
        dialect,
        workload,
        lacks,
        seed,
        seconds,
    })
}

impl Poor {
    /// Pods of a DaemonSet fit only on their own machines, so no other machine helps them.
    pub(crate) fn can_be_helped(&self) -> bool {
        let is_large = |lack: &Lack| matches!(lack, Lack::Cpu | Lack::Memory);
        self.workload != "DaemonSet" || !self.lacks.iter().any(is_large)
    }

    /// The objects, one document each.
    fn objects(&self) -> Vec<Value> {
        let mut objects = Vec::new();
        let (mut volumes, mut env, mut whole, mut inits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut requests = Map::new();
        for (at, lack) in self.lacks.iter().enumerate() {
            let (name, volume) = (format!("house-{at}"), format!("volume-{at}"));
            let variable = format!("KEY_{at}");
            let key = |kind: &str| json!({ "name": variable, "valueFrom": { kind: { "name": name, "key": "door" } } });
            match lack {
                Lack::SecretVolume => volumes.push(json!({ "name": volume, "secret": { "secretName": name } })),
                Lack::MapVolume => volumes.push(json!({ "name": volume, "configMap": { "name": name } })),
                Lack::SecretKey => env.push(key("secretKeyRef")),
                Lack::MapKey => env.push(key("configMapKeyRef")),
                Lack::WholeSecret => whole.push(json!({ "secretRef": { "name": name } })),
                Lack::WholeMap => whole.push(json!({ "configMapRef": { "name": name } })),
                Lack::SecretOfInit => inits.push(json!({
                    "name": format!("init-{at}"), "image": "busybox", "command": ["echo"], "envFrom": [{ "secretRef": { "name": name } }] })),
                Lack::OtherKey => {
                    objects.push(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "data": { "other": "YQ==" } }));
                    env.push(key("secretKeyRef"));
                }
                Lack::Claim | Lack::Class => {
                    if *lack == Lack::Class {
                        objects.push(json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": { "name": name }, "spec": {
                            "accessModes": ["ReadWriteOnce"], "storageClassName": format!("class-{at}"), "resources": { "requests": { "storage": "1Gi" } } } }));
                    }
                    volumes.push(json!({ "name": volume, "persistentVolumeClaim": { "claimName": name } }));
                }
                Lack::Cpu => drop(requests.insert("cpu".to_owned(), "64".into())),
                Lack::Memory => drop(requests.insert("memory".to_owned(), "64Gi".into())),
            }
        }
        let mut container = json!({ "name": "main", "image": "nginx", "env": env, "envFrom": whole, "resources": { "requests": requests } });
        if self.workload == "Job" {
            container["command"] = json!(["echo"]);
        }
        let restart = if self.workload == "Job" { "Never" } else { "Always" };
        let spec = json!({ "restartPolicy": restart, "volumes": volumes, "initContainers": inits, "containers": [container] });
        objects.push(self.workload(&spec));
        objects
    }

    fn workload(&self, pod: &Value) -> Value {
        let kind = self.workload;
        let labels = json!({ "app": "web" });
        let template = json!({ "metadata": { "labels": labels }, "spec": pod });
        let (version, spec) = match kind {
            "Pod" => ("v1", pod.clone()),
            "Job" => ("batch/v1", json!({ "template": template })),
            _ => ("apps/v1", json!({ "selector": { "matchLabels": labels }, "template": template })),
        };
        let mut object =
            json!({ "apiVersion": version, "kind": kind, "metadata": { "name": "web" }, "spec": spec });
        match kind {
            "Deployment" => object["spec"]["replicas"] = json!(2),
            "StatefulSet" => object["spec"]["serviceName"] = json!("web"),
            _ => {}
        }
        object
    }

    fn files(&self) -> Value {
        let texts: Vec<String> = self.objects().iter().map(ToString::to_string).collect();
        let objects = texts.join("\n---\n");
        if self.dialect == "kubernetes" {
            return json!({ "app.yaml": objects });
        }
        let steps = json!([{ "name": "app", "tasks": ["app"] }]);
        let phases = json!([{ "name": "main", "strategy": "serial", "steps": steps }]);
        let operator = json!({
            "apiVersion": "kudo.dev/v1beta1", "name": "poor", "operatorVersion": "0.1.0", "kubernetesVersion": "1.17.0",
            "tasks": [{ "name": "app", "kind": "Apply", "spec": { "resources": ["app.yaml"] } }],
            "plans": { "deploy": { "strategy": "serial", "phases": phases } },
        });
        json!({
            "operator.yaml": operator.to_string(),
            "params.yaml": json!({ "apiVersion": "kudo.dev/v1beta1", "parameters": [] }).to_string(),
            "templates/app.yaml": objects,
        })
    }

    /// Three machines, and the service some time after it was loaded.
    pub(crate) fn world(&self) -> Engine {
        let mut engine = Engine::new(Genesis { seed: self.seed, ..Genesis::default() });
        let machines = json!({ "kind": "add-agent", "count": 3, "resources": { "cpus": 4, "mem": 8192, "disk": 50_000 } });
        let load =
            json!({ "kind": "load-service", "dialect": self.dialect, "name": "shop", "files": self.files() });
        for input in [machines, load] {
            engine.apply(read(&input)).outcome.expect("accepted");
        }
        engine.advance_for(self.seconds * 1000);
        engine
    }
}

/// The name of the object that a call creates or adds entries to; none of a call that does something else.
pub(crate) fn object_of(call: &HttpCall) -> Option<&str> {
    match &*call.method {
        "POST" => call.body.pointer("/metadata/name").and_then(Value::as_str),
        "PATCH" => call.body.get("data").and_then(|_| call.path.rsplit('/').next()),
        _ => None,
    }
}

/// Returns the missing parts of the object that a call promises.
pub(crate) fn unmade(engine: &mut Engine, call: &HttpCall) -> Option<String> {
    let name = object_of(call)?;
    let path = if call.method == "POST" { format!("{}/{name}", call.path) } else { call.path.clone() };
    let answer = handle_engine(engine, &Request::new("GET", &path, ""));
    if answer.status != 200 {
        return Some(format!("{path} answers {}", answer.status));
    }
    let object: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let entries = call.body.get("data").and_then(Value::as_object);
    let absent =
        entries.into_iter().flatten().find(|(entry, _)| object["data"].get(entry.as_str()).is_none());
    absent.map(|(entry, _)| format!("{path} has no entry {entry}"))
}

/// Returns whether a sentence names an object.
pub(crate) fn names(text: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(word) && !after.is_some_and(word)
    })
}
