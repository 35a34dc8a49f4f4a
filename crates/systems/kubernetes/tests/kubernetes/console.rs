//! `kubectl`, in its own words.

use super::stage::Stage;
use super::support::{deployment, stateful_set};
use serde_json::json;

#[test]
fn rollout_status_waits_with_the_real_sentences() {
    let mut stage = Stage::with(3, &deployment("web:1", 2));
    let text = stage.kubectl("rollout status deployment/web");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Waiting for deployment spec update to be observed...", "{text}");
    assert!(
        lines.contains(
            &"Waiting for deployment \"web\" rollout to finish: 0 of 2 updated replicas are available..."
        ),
        "{text}"
    );
    assert_eq!(*lines.last().unwrap(), "deployment \"web\" successfully rolled out");
    assert_eq!(stage.kubectl("set image deployment/web web=web:2"), "deployment.apps/web image updated\n");
    let text = stage.kubectl("rollout status deploy web");
    assert!(text.contains("out of 2 new replicas have been updated..."), "{text}");
    assert!(text.contains("1 old replicas are pending termination..."), "{text}");
    assert_eq!(
        stage.kubectl("rollout history deployment/web"),
        "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n"
    );
    assert_eq!(stage.kubectl("rollout undo deployment/web"), "deployment.apps/web rolled back\n");
    stage.kubectl("rollout status deployment/web");
    assert_eq!(
        stage.kubectl("rollout undo deployment/web --to-revision=3"),
        "deployment.apps/web skipped rollback (current template already matches revision 3)\n"
    );
    assert_eq!(
        stage.kubectl("rollout undo deployment/web --to-revision=9"),
        "error: unable to find specified revision 9 in history\n"
    );
    let text = stage.kubectl("rollout history deployment/web --revision=2");
    assert!(
        text.starts_with("deployment.apps/web with revision #2\nPod Template:\n")
            && text.contains("Image:  web:2"),
        "{text}"
    );
    assert_eq!(stage.kubectl("rollout restart deployment web"), "deployment.apps/web restarted\n");
}

#[test]
fn a_timeout_with_a_fraction_ends_at_the_next_whole_second() {
    let mut stage = Stage::with(1, &deployment("web:1", 2));
    stage.behave(json!({ "manual": true }));
    let begun = stage.now();
    let text = stage.kubectl("rollout status deployment/web --timeout=1.5s");
    assert!(text.ends_with("error: timed out waiting for the condition\n"), "{text}");
    assert_eq!(stage.now() - begun, 2_000);
}

#[test]
fn pausing_and_commands_refused_while_paused() {
    let mut stage =
        Stage::with(3, &format!("{}---\n{}", deployment("web:1", 2), stateful_set("db:1", 1, "")));
    stage.until("deployment.web", "Complete");
    assert_eq!(stage.kubectl("rollout pause deployment/web"), "deployment.apps/web paused\n");
    assert_eq!(
        stage.kubectl("rollout pause deployment/web"),
        "error: deployments.apps \"web\" is already paused\n"
    );
    assert_eq!(
        stage.kubectl("rollout restart deployment/web"),
        "error: deployments.apps \"web\" can't restart paused deployment (run rollout resume first)\n"
    );
    assert_eq!(stage.kubectl("rollout resume deployment/web"), "deployment.apps/web resumed\n");
    assert_eq!(
        stage.kubectl("rollout resume deployment/web"),
        "error: deployments.apps \"web\" is not paused\n"
    );
    assert_eq!(
        stage.kubectl("rollout undo deployment/web"),
        "error: no rollout history found for deployment \"web\"\n"
    );
    assert_eq!(
        stage.kubectl("rollout pause sts/db"),
        "error: statefulsets.apps \"db\" pausing is not supported\n"
    );
    assert_eq!(stage.kubectl("rollout undo sts/db"), "error: no last revision to roll back to\n");
}

#[test]
fn a_node_is_drained_as_far_as_budgets_allow() {
    let budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec:\n  minAvailable: 2\n  selector: \
                  {matchLabels: {app: web}}\n";
    let daemon = "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec:\n  selector: {matchLabels: {app: agent}}\n  \
                  template:\n    metadata: {labels: {app: agent}}\n    spec:\n      containers: [{name: agent, image: 'agent:1'}]\n";
    let mut stage = Stage::with(2, &format!("{}{budget}{daemon}", deployment("web:1", 2)));
    stage.until("deployment.web", "Complete");
    stage.until("daemonset.agent", "Complete");
    let text = stage.kubectl("drain agent-1");
    assert!(text.starts_with("node/agent-1 cordoned\n"), "{text}");
    assert!(text.contains("error: unable to drain node \"agent-1\" due to error: cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent-"), "{text}");
    assert!(text.contains("There are pending nodes to be drained:\n agent-1\n"), "{text}");
    let text = stage.kubectl("drain agent-1 --ignore-daemonsets --timeout=11s");
    assert!(text.contains("Warning: ignoring DaemonSet-managed Pods: default/agent-"), "{text}");
    assert!(
        text.contains(
            "(will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget."
        ),
        "{text}"
    );
    stage.kubectl("scale deployment/web --replicas=3");
    let output = stage.kubectl_with("drain agent-1 --ignore-daemonsets", &[]);
    assert_eq!(output.code, 0, "{} {}", output.stdout, output.stderr);
    assert!(
        output.stdout.contains("evicting pod default/web-")
            && output.stdout.ends_with("node/agent-1 drained\n"),
        "{}",
        output.stdout
    );
    assert_eq!(stage.kubectl("uncordon agent-1"), "node/agent-1 uncordoned\n");
    assert_eq!(stage.kubectl("uncordon agent-1"), "node/agent-1 already uncordoned\n");
}

#[test]
fn objects_are_listed_applied_and_deleted() {
    let mut stage = Stage::with(2, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    let text = stage.kubectl("get deployments");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "NAME   READY   UP-TO-DATE   AVAILABLE   AGE");
    assert!(lines[1].starts_with("web    2/2     2            2           "), "{text}");
    assert!(stage.kubectl("get all").contains("deployment.apps/web"));
    assert_eq!(stage.kubectl("get deploy -o name"), "deployment.apps/web\n");
    assert!(stage.kubectl("get deployment web -o yaml").contains("\n  name: web\n"));
    assert_eq!(stage.kubectl("get jobs"), "No resources found in default namespace.\n");
    assert_eq!(
        stage.kubectl("get deployment nope"),
        "Error from server (NotFound): deployments.apps \"nope\" not found\n"
    );
    assert_eq!(stage.kubectl("get gizmos"), "error: the server doesn't have a resource type \"gizmos\"\n");
    let files = [
        ("web.yaml", deployment("web:2", 3)),
        ("bad.yaml", deployment("web:1", 2).replace("app: web", "app: other")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let apply = |stage: &mut Stage, line: &str| {
        let output = stage.kubectl_with(line, &files);
        format!("{}{}", output.stdout, output.stderr)
    };
    assert_eq!(apply(&mut stage, "apply -f web.yaml"), "deployment.apps/web configured\n");
    assert_eq!(apply(&mut stage, "apply -f web.yaml"), "deployment.apps/web unchanged\n");
    let text = apply(&mut stage, "apply -f bad.yaml");
    assert!(
        text.starts_with("The Deployment \"web\" is invalid: spec.selector: Invalid value: ")
            && text.ends_with("field is immutable\n"),
        "{text}"
    );
    assert_eq!(apply(&mut stage, "apply -f none.yaml"), "error: open none.yaml: no such file or directory\n");
    assert_eq!(stage.view().plans[0].progress.total, 3);
    assert_eq!(stage.kubectl("create namespace team"), "namespace/team created\n");
    assert_eq!(stage.kubectl("create secret generic door --from-literal=key=1"), "secret/door created\n");
    assert_eq!(
        stage.kubectl("patch deployment web -p '{\"spec\": {\"replicas\": 1}}'"),
        "deployment.apps/web patched\n"
    );
    assert_eq!(stage.kubectl("delete deployment web"), "deployment.apps \"web\" deleted\n");
    assert_eq!(stage.status("deployment.web"), "Deleted");
}

#[test]
fn a_workload_is_given_an_autoscaler() {
    let daemon = "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec:\n  selector: {matchLabels: {app: agent}}\n  \
                  template:\n    metadata: {labels: {app: agent}}\n    spec:\n      containers: [{name: agent, image: 'agent:1'}]\n";
    let mut stage = Stage::with(3, &format!("{}{daemon}", deployment("web:1", 2)));
    stage.until("deployment.web", "Complete");
    for (line, text) in [
        ("autoscale deployment/web", "error: required flag(s) \"max\" not set\n"),
        (
            "autoscale deployment/web --max=0",
            "error: --max=MAXPODS is required and must be at least 1, max: 0\n",
        ),
        (
            "autoscale deployment/web --max=2 --min=3",
            "error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: 2, min: 3\n",
        ),
        (
            "autoscale deployment/web --max=5 --cpu=50% --cpu-percent=50",
            "error: --cpu-percent and --cpu are mutually exclusive\n",
        ),
        (
            "autoscale deployment/web --max=many",
            "error: invalid argument \"many\" for \"--max\" flag: strconv.ParseInt: parsing \"many\": invalid syntax\n",
        ),
        (
            "autoscale deployment/none --max=5",
            "Error from server (NotFound): deployments.apps \"none\" not found\n",
        ),
        (
            "autoscale daemonset/agent --max=5",
            "error: cannot autoscale a DaemonSet: could not find scale subresource for apps/v1, Resource=daemonsets in discovery information\n",
        ),
    ] {
        assert_eq!(stage.kubectl(line), text, "{line}");
    }
    assert_eq!(
        stage.kubectl("autoscale deployment web --min=3 --max=5 --cpu=80% --memory=200 --name=grow"),
        "horizontalpodautoscaler.autoscaling/grow autoscaled\n"
    );
    let spec = stage.object("apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/grow").unwrap()
        ["spec"]
        .clone();
    assert_eq!((&spec["minReplicas"], &spec["maxReplicas"]), (&json!(3), &json!(5)));
    assert_eq!(
        spec["scaleTargetRef"],
        json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "web" })
    );
    assert_eq!(
        spec["metrics"][0]["resource"]["target"],
        json!({ "type": "Utilization", "averageUtilization": 80 })
    );
    assert_eq!(
        spec["metrics"][1]["resource"]["target"],
        json!({ "type": "AverageValue", "averageValue": "200Mi" })
    );
    assert_eq!(
        stage.kubectl("autoscale deployment web --max=5 --name=grow"),
        "Error from server (AlreadyExists): horizontalpodautoscalers.autoscaling \"grow\" already exists\n"
    );
    stage.run_for(60_000);
    assert_eq!(stage.view().plans[0].progress.total, 3, "it keeps to its lower bound");
}

#[test]
fn an_object_is_described_with_conditions_and_events() {
    let mut stage = Stage::with(2, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    let text = stage.kubectl("describe deployment web");
    for part in [
        "Name:                   web\n",
        "Replicas:               2 desired | 2 updated | 2 total | 2 available | 0 unavailable\n",
        "RollingUpdateStrategy:  25% max unavailable, 25% max surge\n",
        "NewReplicaSetAvailable",
        "ScalingReplicaSet",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn unknown_words_are_refused_before_anything_is_sent() {
    let mut stage = Stage::with(1, &deployment("web:1", 1));
    for (line, code, text) in [
        ("frobnicate", 2, "error: unknown command \"frobnicate\" for \"kubectl\"\n"),
        ("get pods --colour", 2, "error: unknown flag: --colour\n"),
        ("scale deployment/web", 1, "error: The --replicas=COUNT flag is required"),
        ("rollout status", 1, "error: required resource not specified\n"),
        ("rollout status deployment/", 1, "error: there is no need to specify a resource type"),
        ("drain", 1, "error: USAGE: NODE [flags]\n"),
        ("drain nowhere", 1, "Error from server (NotFound): nodes \"nowhere\" not found\n"),
        ("rollout status job/x --timeout=5", 1, "error: invalid argument \"5\" for \"--timeout\" flag"),
        ("set image deployment/web db=x", 1, "error: unable to find container named \"db\"\n"),
    ] {
        let output = stage.kubectl_with(line, &[]);
        assert_eq!(output.code, code, "{line}: {}", output.stderr);
        assert!(output.stderr.starts_with(text), "{line}: {}", output.stderr);
    }
    assert!(stage.kubectl("--help").contains("kubectl rollout status"));
}

#[test]
fn lines_are_completed() {
    let words = |line: &str| {
        let mut names = |_: Option<&str>, names: planarium_part::console::Names<'_>| match names {
            planarium_part::console::Names::Plans => vec!["deployment.web".to_owned(), "objects".to_owned()],
            planarium_part::console::Names::Pods => vec!["web-1".to_owned()],
            _ => Vec::new(),
        };
        (planarium_kubernetes::console::CONSOLE.complete)(line, &mut names).words
    };
    assert_eq!(words("kubectl roll"), ["rollout"]);
    assert_eq!(words("kubectl rollout s"), ["status"]);
    assert_eq!(words("rollout status dep"), ["deployment/web"]);
    assert_eq!(words("kubectl logs "), ["web-1"]);
    assert_eq!(words("drain n --ig"), ["--ignore-daemonsets"]);
}
