//! A real `kubectl` against a served world whose clock stops until it is moved.

use crate::folder;
use crate::http::Server;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

const OPERATOR: &str = "
apiVersion: kudo.dev/v1beta1
name: shop
operatorVersion: 1.0.0
appVersion: 2.1.0
kubernetesVersion: 1.17.0
tasks:
  - {name: all, kind: Apply, spec: {resources: [web.yaml, db.yaml]}}
  - {name: seed, kind: Apply, spec: {resources: [seed.yaml]}}
  - {name: wait, kind: Dummy, spec: {done: false}}
plans:
  deploy:
    strategy: serial
    phases:
      - name: main
        strategy: serial
        steps:
          - {name: servers, tasks: [all]}
          - {name: data, tasks: [seed]}
  forever:
    strategy: serial
    phases: [{name: main, strategy: serial, steps: [{name: wait, tasks: [wait]}]}]
";

const PARAMS: &str = "
apiVersion: kudo.dev/v1beta1
parameters:
  - {name: REPLICAS, default: '2'}
  - {name: MODE, default: calm, trigger: forever}
";

const POD: &str = "
    metadata: {labels: {app: NAME}}
    spec:
      containers: [{name: main, image: 'shop:1', resources: {requests: {cpu: 100m, memory: 64Mi}}}]
";

const SEED: &str = "
apiVersion: batch/v1
kind: Job
metadata: {name: '{{ .Name }}-seed'}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: seed, image: 'shop:1', command: [sleep, '3']}]
";

fn workload(kind: &str, name: &str, more: &str) -> String {
    let pod = POD.replace("NAME", name);
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: '{{{{ .Name }}}}-{name}'}}\nspec:\n  replicas: {{{{ .Params.REPLICAS }}}}\n{more}  \
         selector: {{matchLabels: {{app: {name}}}}}\n  template:{pod}"
    )
}

/// A world with three machines and an instance `shop`, and the client's own folder.
pub(crate) struct Cluster {
    server: Server,
    home: String,
}

impl Cluster {
    fn start(name: &str) -> Self {
        let server = Server::start(&["--clock", "manual", "--seed", "5"]);
        server.json("POST", "/sim/agents", r#"{"count":3}"#, 200);
        let files = json!({
            "operator.yaml": OPERATOR, "params.yaml": PARAMS, "templates/seed.yaml": SEED,
            "templates/web.yaml": workload("Deployment", "web", ""),
            "templates/db.yaml": workload("StatefulSet", "db", "  serviceName: db\n"),
        });
        let load = json!({ "dialect": "kudo", "name": "shop", "files": files });
        server.json("POST", "/sim/services", &load.to_string(), 200);
        Self { server, home: folder(name).display().to_string() }
    }

    /// A world with three machines and nothing on them.
    pub(crate) fn bare(name: &str) -> Self {
        let server = Server::start(&["--clock", "manual", "--seed", "5"]);
        server.json("POST", "/sim/agents", r#"{"count":3}"#, 200);
        Self { server, home: folder(name).display().to_string() }
    }

    /// Puts an input in.
    pub(crate) fn input(&self, path: &str, body: &Value) {
        self.server.json("POST", path, &body.to_string(), 200);
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        crate::file(std::path::Path::new(&self.home), name, text)
    }

    pub(crate) fn advance(&self, ms: u64) {
        self.server.json("POST", "/sim/advance", &json!({ "for_ms": ms }).to_string(), 200);
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("kubectl");
        command
            .args(["--server", &format!("http://{}/kube", self.server.address)])
            .args(words)
            .env("HOME", &self.home)
            .env("KUBECONFIG", format!("{}/config", self.home))
            .stdin(Stdio::null());
        command
    }

    /// Returns the output of a command, or its error text.
    pub(crate) fn run(&self, words: &[&str]) -> Result<String, String> {
        let output = self.command(words).output().expect("kubectl runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Runs a command that waits, while the clock advances; returns its output, including warnings.
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "a real program waits by the real clock")]
    pub(crate) fn with_time(&self, words: &[&str]) -> String {
        let mut child =
            self.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("kubectl runs");
        // As real as the client's own waits, so that it sees each state in between.
        let ended = (0..600).any(|_| {
            let ended = child.try_wait().expect("kubectl is there").is_some();
            if !ended {
                std::thread::sleep(std::time::Duration::from_millis(100));
                self.advance(100);
            }
            ended
        });
        if !ended {
            child.kill().expect("kubectl is there");
        }
        let output = child.wait_with_output().expect("kubectl ended");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (said, warned) = (text(&output.stdout), text(&output.stderr));
        assert!(ended && output.status.success(), "kubectl {}: {said}{warned}", words.join(" "));
        warned + &said
    }

    #[track_caller]
    pub(crate) fn says(&self, words: &[&str]) -> String {
        self.run(words).unwrap_or_else(|error| panic!("kubectl {}: {error}", words.join(" ")))
    }

    /// First columns of a table, without its head.
    #[track_caller]
    pub(crate) fn rows(&self, words: &[&str], columns: usize) -> Vec<String> {
        let table = self.says(words);
        let row = |line: &str| line.split_whitespace().take(columns).collect::<Vec<_>>().join(" ");
        table.lines().skip(1).map(row).collect()
    }
}

/// A client that watches; it ends with the test.
struct Watcher {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Watcher {
    fn start(cluster: &Cluster, words: &[&str]) -> Self {
        // A watch that tells nothing more ends the test.
        let words: Vec<&str> = words.iter().copied().chain(["--request-timeout", "30s"]).collect();
        let mut child = cluster.command(&words).stdout(Stdio::piped()).spawn().expect("kubectl runs");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, lines }
    }

    /// Reads on until a line has a text.
    #[track_caller]
    fn until(&mut self, text: &str) -> String {
        let mut seen = Vec::new();
        for line in self.lines.by_ref() {
            let line = line.expect("text");
            if line.contains(text) {
                return line;
            }
            seen.push(line);
        }
        panic!("the watch ended without `{text}`:\n{}", seen.join("\n"));
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn it_lists_everything_that_an_operator_makes() {
    let cluster = Cluster::start("kubectl-lists");
    assert!(cluster.says(&["version"]).contains("v1.29"));
    let kinds = cluster.says(&["api-resources"]);
    for part in ["deployments", "statefulsets", "jobs", "instances", "operatorversions", "kudo.dev/v1beta1"] {
        assert!(kinds.contains(part), "{part}: {kinds}");
    }
    cluster.advance(40_000);
    assert_eq!(cluster.rows(&["get", "deployments"], 4), ["shop-web 2/2 2 2"]);
    assert_eq!(cluster.rows(&["get", "statefulsets"], 2), ["shop-db 2/2"]);
    assert_eq!(cluster.rows(&["get", "jobs"], 1), ["shop-seed"]);
    let nodes = cluster.rows(&["get", "nodes"], 2);
    assert!(nodes.len() == 3 && nodes.iter().all(|node| node.ends_with(" Ready")), "{nodes:?}");
    let pods = cluster.rows(&["get", "pods", "-n", "default"], 3);
    assert!(pods.contains(&"shop-db-0 1/1 Running".to_owned()) && pods.len() == 5, "{pods:?}");
    assert_eq!(
        cluster
            .rows(
                &["get", "pods", "-l", "kudo.dev/instance=shop", "--field-selector", "status.phase=Running"],
                1
            )
            .len(),
        4
    );
    assert_eq!(cluster.rows(&["get", "operators"], 1), ["shop"]);
    assert_eq!(cluster.rows(&["get", "operatorversions"], 1), ["shop-2.1.0-1.0.0"]);
    assert_eq!(cluster.rows(&["get", "instances.kudo.dev"], 1), ["shop"]);
    let instance: Value =
        serde_json::from_str(&cluster.says(&["get", "instance", "shop", "-o", "json"])).expect("JSON");
    assert_eq!(instance["status"]["planStatus"]["deploy"]["status"], "COMPLETE");
    assert!(cluster.says(&["describe", "instance", "shop"]).contains("PlanFinished"));
    assert!(cluster.says(&["get", "events"]).contains("SuccessfulCreate"));
    let error = cluster.run(&["get", "pod", "none"]).expect_err("there is none");
    assert!(error.contains("Error from server (NotFound): pods \"none\" not found"), "{error}");
    let error = cluster.run(&["get", "things"]).expect_err("there is none");
    assert!(error.contains("the server doesn't have a resource type \"things\""), "{error}");
}

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn it_watches_what_happens() {
    let cluster = Cluster::start("kubectl-watches");
    // The first pods are there.
    cluster.advance(1);
    let mut pods = Watcher::start(&cluster, &["get", "pods", "-w"]);
    // Watch the list, which continues from the list's version: the watch of a single object begins when the server receives it,
    // and kubectl does not print its initial state.
    let mut instance = Watcher::start(
        &cluster,
        &["get", "instances", "-w", "-o", "jsonpath={.status.planStatus.deploy.status}{\"\\n\"}"],
    );
    pods.until("NAME");
    instance.until("IN_PROGRESS");
    cluster.advance(40_000);
    for pod in ["shop-db-0", "shop-db-1", "shop-seed-"] {
        pods.until(pod);
    }
    assert!(pods.until("Completed").starts_with("shop-seed-"));
    instance.until("COMPLETE");
    cluster.says(&["delete", "pod", "shop-db-1", "--wait=false"]);
    assert!(pods.until("Terminating").starts_with("shop-db-1"));
    cluster.advance(40_000);
    assert!(pods.until("Running").starts_with("shop-db-1"));
}

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn it_changes_instances_through_admission() {
    let cluster = Cluster::start("kubectl-patches");
    cluster.advance(40_000);
    let patch = |body: &Value| {
        cluster.run(&["patch", "instance", "shop", "--type", "merge", "-p", &body.to_string()])
    };
    let scale = json!({ "spec": { "parameters": { "REPLICAS": "3" } } });
    assert_eq!(patch(&scale).expect("admitted"), "instance.kudo.dev/shop patched\n");
    let deploy = ["get", "instance", "shop", "-o", "jsonpath={.spec.planExecution.planName}"];
    assert_eq!(cluster.says(&deploy), "deploy");
    cluster.advance(40_000);
    assert_eq!(
        (cluster.says(&deploy).as_str(), cluster.rows(&["get", "deployments"], 2)),
        ("", vec!["shop-web 3/3".to_owned()])
    );

    let denied = "admission webhook \"instance-admission.kudo.dev\" denied the request";
    let error = patch(&json!({ "spec": { "parameters": { "NOPE": "1" } } })).expect_err("no such parameter");
    assert!(error.contains(denied) && error.contains("NOPE"), "{error}");
    patch(&json!({ "spec": { "parameters": { "MODE": "wild" } } })).expect("admitted");
    cluster.advance(5_000);
    let error = patch(&scale)
        .and(patch(&json!({ "spec": { "parameters": { "REPLICAS": "1" } } })))
        .expect_err("another plan");
    assert!(error.contains(denied) && error.contains("'forever' is scheduled (or running)"), "{error}");
    assert_eq!(cluster.says(&deploy), "forever");
    let error =
        patch(&json!({ "spec": { "planExecution": { "planName": "cleanup" } } })).expect_err("no such plan");
    assert!(error.contains("plan cleanup does not exist"), "{error}");
}

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn it_applies_scales_and_deletes_objects() {
    let cluster = Cluster::start("kubectl-objects");
    cluster.advance(40_000);
    assert_eq!(
        cluster.says(&["scale", "deployment", "shop-web", "--replicas", "1"]),
        "deployment.apps/shop-web scaled\n"
    );
    cluster.advance(40_000);
    assert_eq!(cluster.rows(&["get", "deployments"], 2), ["shop-web 1/1"]);
    cluster.says(&["rollout", "status", "deployment/shop-web", "--timeout", "5s"]);
    let file = crate::file(
        std::path::Path::new(&cluster.home),
        "map.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {a: b}\n",
    );
    assert_eq!(cluster.says(&["apply", "-f", &file]), "configmap/own created\n");
    assert_eq!(cluster.says(&["apply", "-f", &file]), "configmap/own unchanged\n");
    assert!(cluster.says(&["delete", "configmap", "own"]).starts_with("configmap \"own\" deleted"));
    let node = cluster.rows(&["get", "nodes"], 1)[0].clone();
    assert_eq!(cluster.says(&["cordon", &node]), format!("node/{node} cordoned\n"));
    assert!(cluster.rows(&["get", "nodes"], 2).contains(&format!("{node} Ready,SchedulingDisabled")));
    assert!(cluster.says(&["logs", "shop-db-0"]).contains("started"));
}
