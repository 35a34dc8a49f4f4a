//! The verbs of a real `kubectl` one after the other, against a cluster without any system on it.

use crate::kubectl::Cluster;
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
      containers: [{name: web, image: 'nginx:1', resources: {requests: {cpu: 200m, memory: 64Mi}}}]
";

const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
";

/// Runs commands, each with a required part of its output; one that begins with `!` must fail with that text.
#[track_caller]
fn play(cluster: &Cluster, steps: &[(&str, &str)]) {
    for (line, expected) in steps {
        let words: Vec<&str> = line.split(' ').collect();
        let (wanted, refused) = match expected.strip_prefix('!') {
            Some(text) => (text, true),
            None => (*expected, false),
        };
        let text = match (cluster.run(&words), refused) {
            (Ok(text), false) | (Err(text), true) => text,
            (Ok(text), true) => panic!("kubectl {line} should be refused: {text}"),
            (Err(text), false) => panic!("kubectl {line}: {text}"),
        };
        assert!(text.contains(wanted), "kubectl {line}: expected `{wanted}` in:\n{text}");
    }
}

#[test]
#[cfg_attr(not(recent_kubectl), ignore = "kubectl 1.25 or later is not installed")]
fn it_creates_every_kind_that_it_knows() {
    let cluster = Cluster::bare("kubectl-creates");
    play(
        &cluster,
        &[
            ("create namespace team", "namespace/team created"),
            ("create deployment web --image=nginx:1 --replicas=2", "deployment.apps/web created"),
            ("create configmap settings --from-literal=a=b", "configmap/settings created"),
            ("create secret generic keys --from-literal=x=y", "secret/keys created"),
            ("create job once --image=busybox:1 -- sleep 1", "job.batch/once created"),
            (
                "create cronjob often --image=busybox:1 --schedule=@hourly -- date",
                "cronjob.batch/often created",
            ),
            ("create quota small --hard=pods=9", "resourcequota/small created"),
            ("create priorityclass high --value=100", "priorityclass.scheduling.k8s.io/high created"),
            ("create pdb web --selector=app=web --min-available=1", "poddisruptionbudget.policy/web created"),
            ("create serviceaccount builder", "serviceaccount/builder created"),
            ("create token builder", "simulated.default.builder."),
            (
                "create role reader --verb=get --resource=pods",
                "role.rbac.authorization.k8s.io/reader created",
            ),
            (
                "create rolebinding reader --role=reader --serviceaccount=default:builder",
                "rolebinding.rbac.authorization.k8s.io/reader created",
            ),
            (
                "create clusterrole reader --verb=get --resource=pods",
                "clusterrole.rbac.authorization.k8s.io/reader created",
            ),
            (
                "create clusterrolebinding reader --clusterrole=reader --user=me",
                "clusterrolebinding.rbac.authorization.k8s.io/reader created",
            ),
            ("create ingress front --rule=a.example/=web:80", "ingress.networking.k8s.io/front created"),
            ("create service clusterip web --tcp=80", "service/web created"),
            ("create service nodeport public --tcp=80 --node-port=30080", "service/public created"),
            (
                "create service nodeport again --tcp=80 --node-port=30080",
                "!provided port is already allocated",
            ),
            (
                "create service nodeport low --tcp=80 --node-port=80",
                "!provided port is not in the valid range. The range of valid ports is 30000-32767",
            ),
            ("run one --image=nginx:1", "pod/one created"),
            ("expose deployment web --name=front --port=80", "service/front exposed"),
            (
                "autoscale deployment web --min=1 --max=5 --cpu-percent=50",
                "horizontalpodautoscaler.autoscaling/web autoscaled",
            ),
            ("auth can-i create pods", "yes"),
            ("auth can-i --list", "*.*"),
            ("auth whoami", "kubernetes-admin"),
            (
                "get horizontalpodautoscalers.v1.autoscaling web -o jsonpath={.spec.targetCPUUtilizationPercentage}",
                "50",
            ),
            ("get hpa web -o jsonpath={.spec.metrics[0].resource.target.averageUtilization}", "50"),
            ("describe quota small", "pods"),
            ("get priorityclasses", "system-node-critical"),
        ],
    );
}

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn it_rolls_out_pauses_and_goes_back() {
    let cluster = Cluster::bare("kubectl-rolls");
    let file = cluster.file("web.yaml", WEB);
    play(&cluster, &[(&format!("apply -f {file}"), "deployment.apps/web created")]);
    cluster.advance(30_000);
    play(
        &cluster,
        &[
            (&format!("apply -f {file}"), "deployment.apps/web unchanged"),
            ("rollout status deployment/web --timeout=5s", "deployment \"web\" successfully rolled out"),
            (
                "wait --for=condition=Available deployment/web --timeout=5s",
                "deployment.apps/web condition met",
            ),
            ("set image deployment/web web=nginx:2", "deployment.apps/web image updated"),
        ],
    );
    cluster.advance(60_000);
    play(
        &cluster,
        &[
            ("rollout history deployment/web", "2"),
            ("rollout undo deployment/web --to-revision=1", "deployment.apps/web rolled back"),
        ],
    );
    cluster.advance(60_000);
    play(
        &cluster,
        &[
            ("get deployment web -o jsonpath={.spec.template.spec.containers[0].image}", "nginx:1"),
            ("rollout pause deployment/web", "deployment.apps/web paused"),
            ("rollout restart deployment/web", "!can't restart paused deployment"),
            ("rollout resume deployment/web", "deployment.apps/web resumed"),
            ("rollout restart deployment/web", "deployment.apps/web restarted"),
            ("set env deployment/web MODE=calm", "deployment.apps/web env updated"),
            (
                "set resources deployment/web --limits=cpu=300m",
                "deployment.apps/web resource requirements updated",
            ),
            ("scale deployment web --replicas=4", "deployment.apps/web scaled"),
            ("scale deployment web --current-replicas=9 --replicas=4", "!Expected replicas to be 9, was 4"),
        ],
    );
    cluster.advance(90_000);
    assert_eq!(cluster.rows(&["get", "deployments"], 4), ["web 4/4 4 4"]);
}

#[test]
#[cfg_attr(not(recent_kubectl), ignore = "kubectl 1.25 or later is not installed")]
fn it_applies_on_the_server_and_checks_fields() {
    let cluster = Cluster::bare("kubectl-applies");
    let file = cluster.file("web.yaml", WEB);
    let typo = cluster.file("typo.yaml", &WEB.replace("replicas: 2", "replica: 2"));
    let widgets = cluster.file("widgets.yaml", WIDGETS);
    play(
        &cluster,
        &[
            (&format!("apply --server-side -f {file}"), "deployment.apps/web serverside-applied"),
            (&format!("apply --server-side -f {file}"), "deployment.apps/web serverside-applied"),
            (&format!("apply -f {typo}"), "!unknown field \"spec.replica\""),
            (&format!("create -f {typo} --validate=warn"), "!already exists"),
            (&format!("create -f {typo} --dry-run=server --validate=ignore"), "!already exists"),
            (
                &format!("apply -f {widgets}"),
                "customresourcedefinition.apiextensions.k8s.io/widgets.example.com created",
            ),
        ],
    );
    cluster.advance(1_000);
    play(
        &cluster,
        &[
            (
                &format!("apply -f {widgets}"),
                "customresourcedefinition.apiextensions.k8s.io/widgets.example.com unchanged",
            ),
            ("explain deployment.spec.strategy", "rollingUpdate"),
            ("explain pods.spec.containers.readinessProbe", "failureThreshold"),
            ("explain widgets.spec", "size"),
            (&format!("replace -f {file}"), "deployment.apps/web replaced"),
            ("label deployment web tier=front", "deployment.apps/web labeled"),
            ("annotate deployment web note=x", "deployment.apps/web annotated"),
            (
                "patch deployment web --type=json -p [{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":3}]",
                "deployment.apps/web patched",
            ),
            (&format!("delete -f {widgets} --wait=false"), "deleted"),
        ],
    );
}

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn it_looks_after_nodes_and_pods() {
    let cluster = Cluster::bare("kubectl-nodes");
    let file = cluster.file("web.yaml", WEB);
    play(&cluster, &[(&format!("apply -f {file}"), "created")]);
    cluster.advance(30_000);
    let row = cluster.rows(&["get", "pods", "-o", "wide"], 7)[0].clone();
    let words: Vec<&str> = row.split(' ').collect();
    let (pod, node) = (words[0], words[6]);
    play(
        &cluster,
        &[
            ("top nodes", "100m"),
            ("top pods", "100m"),
            ("top pods --containers", "web"),
            (&format!("logs {pod}"), "started"),
            (&format!("exec {pod} -- ls"), "!exec runs no command here"),
            (&format!("attach {pod}"), "!attach has nothing to show here"),
            (&format!("port-forward {pod} 18099:80"), "!port-forward leads nowhere here"),
            ("get pods --chunk-size=1", pod),
            (&format!("taint node {node} k=v:NoSchedule"), "tainted"),
            (&format!("taint node {node} k-"), "untainted"),
            (&format!("cordon {node}"), "cordoned"),
            (&format!("drain {node} --ignore-daemonsets --force --timeout=1s"), "!"),
            (&format!("uncordon {node}"), "uncordoned"),
            ("create service clusterip web --tcp=80", "service/web created"),
        ],
    );
    cluster.advance(60_000);
    play(&cluster, &[("get endpointslices -l kubernetes.io/service-name=web", "IPv4")]);
    let rule = json!({ "kind": "process-behaviour", "target": { "pod": "web*" }, "behaviour": { "cpu_percent": 100 } });
    cluster.input("/sim/inputs", &rule);
    play(&cluster, &[("top pods", "200m")]);
}

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn an_autoscaler_follows_the_use_that_a_rule_gives() {
    let cluster = Cluster::bare("kubectl-scales");
    let file = cluster.file("web.yaml", WEB);
    play(
        &cluster,
        &[
            (&format!("apply -f {file}"), "created"),
            ("autoscale deployment web --min=2 --max=6 --cpu-percent=50", "autoscaled"),
        ],
    );
    cluster.advance(60_000);
    assert_eq!(cluster.rows(&["get", "deployments"], 2), ["web 2/2"], "half of what they ask for is used");
    cluster.input("/sim/inputs", &json!({ "kind": "process-behaviour", "target": { "pod": "web*" }, "behaviour": { "cpu_percent": 120 } }));
    cluster.advance(120_000);
    assert_eq!(cluster.rows(&["get", "deployments"], 2), ["web 6/6"]);
    let scaler: Value =
        serde_json::from_str(&cluster.says(&["get", "hpa", "web", "-o", "json"])).expect("JSON");
    assert_eq!(scaler["status"]["currentMetrics"][0]["resource"]["current"]["averageUtilization"], 120);
    cluster.input("/sim/inputs", &json!({ "kind": "process-behaviour", "target": { "pod": "web*" }, "behaviour": { "cpu_percent": 10 } }));
    cluster.advance(120_000);
    assert_eq!(
        cluster.rows(&["get", "deployments"], 2),
        ["web 6/6"],
        "what was wanted in the last five minutes holds"
    );
    cluster.advance(300_000);
    assert_eq!(cluster.rows(&["get", "deployments"], 2), ["web 2/2"]);
    assert!(
        cluster.says(&["describe", "hpa", "web"]).contains("New size: 2; reason: All metrics below target")
    );
}

const ROOM: &str = "
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec:
  minAvailable: 2
  selector: {matchLabels: {app: web}}
";

#[test]
#[cfg_attr(not(kubectl), ignore = "kubectl is not installed")]
fn it_drains_a_node_while_time_goes_on() {
    let cluster = Cluster::bare("kubectl-drains");
    let web = cluster.file("web.yaml", &WEB.replace("replicas: 2", "replicas: 3"));
    let room = cluster.file("room.yaml", ROOM);
    play(
        &cluster,
        &[
            ("taint node agent-3 only=other:NoSchedule", "tainted"),
            (&format!("apply -f {web}"), "created"),
            (&format!("apply -f {room}"), "created"),
        ],
    );
    cluster.advance(30_000);
    // At least two pods are on one of the two nodes, and one of them may be missing at a time.
    let on = |node: &str| {
        let selector = format!("spec.nodeName={node}");
        cluster.rows(&["get", "pods", "--field-selector", &selector], 1)
    };
    let full = if on("agent-1").len() > 1 { "agent-1" } else { "agent-2" };
    let before = on(full);
    assert!(before.len() > 1, "{before:?}");
    play(&cluster, &[("taint node agent-3 only-", "untainted")]);
    let lines = cluster.with_time(&["drain", full, "--timeout=120s"]);
    assert!(lines.contains(&format!("node/{full} cordoned")), "{lines}");
    for pod in &before {
        assert!(lines.contains(&format!("pod/{pod} evicted")), "{lines}");
    }
    // The last line of kubectl up to 1.20 is another one.
    let ended = ["drained", "evicted"].map(|word| format!("node/{full} {word}\n"));
    assert!(ended.iter().any(|line| lines.ends_with(line)), "{lines}");
    assert!(lines.contains("Cannot evict pod as it would violate the pod's disruption budget."), "{lines}");
    assert_eq!(on(full), Vec::<String>::new());
    // Time stands still again; the pod that replaces the last one evicted may not be ready yet.
    cluster.advance(30_000);
    play(
        &cluster,
        &[
            ("rollout status deployment/web --timeout=5s", "successfully rolled out"),
            ("get nodes", "Ready,SchedulingDisabled"),
            (&format!("uncordon {full}"), "uncordoned"),
        ],
    );
}
