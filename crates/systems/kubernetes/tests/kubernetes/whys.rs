//! Explanations and ways out.

use super::stage::Stage;
use super::support::{deployment, stateful_set};
use planarium_protocol::json;
use planarium_protocol::view::{StatusClass, StatusWord};
use planarium_protocol::{Input, Why};

fn said(why: &Why) -> String {
    why.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join(" | ")
}

fn titles(why: &Why) -> Vec<&str> {
    why.unblock.iter().map(|way| way.title.as_str()).collect()
}

/// The first pod of the newest revision.
fn pod(stage: &Stage) -> String {
    let view = stage.view();
    let phase = view.plans[0].phases.last().unwrap();
    format!("{}/{}/{}", view.plans[0].name, phase.name, phase.steps[0].name)
}

#[test]
fn the_schedulers_filters_are_reported_with_counts() {
    let text = deployment("web:1", 2).replace("cpu: 250m", "cpu: 6");
    let mut stage = Stage::with(3, &text);
    stage.run_for(5_000);
    let why = stage.why(&pod(&stage));
    assert!(said(&why).contains("0/3 nodes are available: 3 Insufficient cpu."), "{}", said(&why));
    assert_eq!(
        titles(&why),
        ["Add a machine with room for it", "Lower what the pods request, in the template"]
    );
    assert!(matches!(why.unblock[0].input, Some(Input::AddAgent(_))));
    let whole = stage.why("deployment.web");
    assert_eq!(titles(&whole)[0], "Add 2 machines with room for them");
}

#[test]
fn another_machine_does_not_help_a_daemon_sets_pod() {
    let text = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    \
                metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, image: nginx, resources: {requests: {cpu: 6}}}]}\n";
    let mut stage = Stage::with(2, text);
    stage.run_for(5_000);
    for path in [pod(&stage), "daemonset.web".to_owned()] {
        let why = stage.why(&path);
        assert!(said(&why).contains("Insufficient cpu"), "{path}: {}", said(&why));
        assert_eq!(titles(&why), ["Lower what the pods request, in the template"], "{path}");
    }
}

#[test]
fn a_missing_config_map_secret_claim_or_class_can_be_created() {
    let volume = |volume: &str| {
        format!(
            "{}      volumes: [{{name: v, {volume}}}]\n",
            deployment("web:1", 1).replace(
                "image: web:1\n",
                "image: web:1\n          volumeMounts: [{name: v, mountPath: /v}]\n"
            )
        )
    };
    let env = |source: &str| {
        let place = "image: web:1\n";
        deployment("web:1", 1).replace(place, &format!("{place}          env: [{source}]\n"))
    };
    let key = |kind: &str| env(&format!("{{name: KEY, valueFrom: {{{kind}: {{name: door, key: lock}}}}}}"));
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: door}\nspec: {accessModes: [ReadWriteOnce], \
                 storageClassName: fast, resources: {requests: {storage: 1Gi}}}\n";
    let without_lock = "apiVersion: v1\nkind: Secret\nmetadata: {name: door}\ndata: {other: YQ==}\n";
    for (text, title) in [
        (volume("secret: {secretName: door}"), "Create the Secret door, empty"),
        (volume("configMap: {name: door}"), "Create the ConfigMap door, empty"),
        (
            volume("persistentVolumeClaim: {claimName: door}"),
            "Create the PersistentVolumeClaim door with 1Gi",
        ),
        (key("secretKeyRef"), "Create the Secret door with empty entries: lock"),
        (key("configMapKeyRef"), "Create the ConfigMap door with empty entries: lock"),
        (format!("{without_lock}---\n{}", key("secretKeyRef")), "Add to the Secret door, empty: lock"),
        (
            format!("{claim}---\n{}", volume("persistentVolumeClaim: {claimName: door}")),
            "Create the StorageClass fast",
        ),
    ] {
        let mut stage = Stage::with(2, &text);
        stage.run_for(20_000);
        let why = stage.why(&pod(&stage));
        assert!(titles(&why).contains(&title), "{} {:?}", said(&why), titles(&why));
        let way = why.unblock.iter().find(|way| way.title == title).unwrap();
        stage.input(way.input.as_ref().unwrap()).unwrap();
        stage.until("deployment.web", "Complete");
    }
}

#[test]
fn a_bad_image_is_reported_with_a_way_back() {
    let mut stage = Stage::with(3, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    stage.fault(json!({ "fault": "image-missing", "target": { "task": "*" } }));
    stage.update(&deployment("web:2", 2)).unwrap();
    stage.run_for(60_000);
    let why = stage.why("deployment.web");
    assert!(said(&why).contains("image web:2 cannot be used"), "{}", said(&why));
    let way = why.unblock.iter().find(|way| way.title == "Undo the rollout").unwrap();
    stage.input(way.input.as_ref().unwrap()).unwrap();
    stage.until("deployment.web", "Complete");
}

#[test]
fn a_paused_rollout_is_resumed() {
    let mut stage = Stage::with(3, &deployment("web:1", 2));
    stage.until("deployment.web", "Complete");
    stage.kubectl("rollout pause deployment/web");
    stage.kubectl("set image deployment/web web=web:2");
    stage.run_for(5_000);
    let why = stage.why("deployment.web");
    assert_eq!((&*why.status, titles(&why)), ("Paused", vec!["Resume the rollout"]), "{}", said(&why));
    stage.input(why.unblock[0].input.as_ref().unwrap()).unwrap();
    stage.until("deployment.web", "Complete");
}

#[test]
fn a_later_ordinal_names_its_predecessor() {
    let mut stage = Stage::new(2);
    stage.behave(json!({ "start_ms": 60_000 }));
    stage.load(super::support::request(&stateful_set("db:1", 3, ""))).unwrap();
    stage.run_for(10_000);
    let why = stage.why("statefulset.db/pods/db-1");
    assert!(said(&why).contains("db-1 waits for db-0 to be running and ready"), "{}", said(&why));
}

/// A Deployment of this size with a budget.
fn guarded(replicas: u32, budget: &str) -> String {
    format!(
        "{}---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: web}}\nspec:\n  {budget}\n  selector: {{matchLabels: \
         {{app: web}}}}\n",
        deployment("web:1", replicas)
    )
}

/// The status code with which the eviction of a pod is answered.
fn evict(stage: &mut Stage, pod: &str) -> u16 {
    let body = json!({ "apiVersion": "policy/v1", "kind": "Eviction", "metadata": { "name": pod, "namespace": "default" } });
    let path = format!("/kube/api/v1/namespaces/default/pods/{pod}/eviction");
    stage.send(&planarium_part::Request::new("POST", &path, body.to_string())).status
}

#[test]
fn a_refused_eviction_names_its_budget_with_ways_out() {
    let mut ready = Stage::with(3, &guarded(2, "minAvailable: 2"));
    ready.until("deployment.web", "Complete");
    ready.run_for(1_000);
    let element = pod(&ready);
    let name = element.rsplit('/').next().unwrap().to_owned();
    assert_eq!(said(&ready.why(&element)), "It is as it is wanted", "nobody has evicted it");
    assert_eq!(evict(&mut ready, &name), 429);
    let refused = format!("the eviction of pod {name} was refused at 2020-01-01T00:00:");
    let scale_up = "Scale deployment.apps/web up to 3";
    for element in [&*element, "deployment.web"] {
        let why = ready.why(element);
        assert!(said(&why).contains(&refused), "{}", said(&why));
        assert!(said(&why).contains("the budget web needs 2 healthy pods and has 2"), "{}", said(&why));
        assert_eq!(titles(&why), [scale_up, "Delete the budget web"]);
    }
    for title in [scale_up, "Delete the budget web"] {
        let mut stage = ready.clone();
        let why = stage.why(&element);
        let way = why.unblock.iter().find(|way| way.title == title).unwrap();
        stage.input(way.input.as_ref().unwrap()).unwrap();
        stage.run_for(60_000);
        assert_eq!(titles(&stage.why(&element)), [""; 0], "{title}: it holds nothing any more");
        assert_eq!(evict(&mut stage, &name), 201, "{title}");
    }
}

#[test]
fn scaling_up_is_offered_only_where_it_helps() {
    for (replicas, budget, helps) in
        [(2, "maxUnavailable: 0", false), (2, "minAvailable: 100%", false), (9, "minAvailable: 90%", true)]
    {
        let mut stage = Stage::with(4, &guarded(replicas, budget));
        stage.until("deployment.web", "Complete");
        stage.run_for(1_000);
        let element = pod(&stage);
        assert_eq!(evict(&mut stage, element.rsplit('/').next().unwrap()), 429, "{budget}");
        let why = stage.why(&element);
        assert_eq!(titles(&why).len(), if helps { 2 } else { 1 }, "{budget}: {:?}", titles(&why));
    }
}

#[test]
fn each_node_is_reported_with_its_filter_and_the_nearest_miss() {
    let text = deployment("web:1", 1).replace("cpu: 250m", "cpu: 3700m");
    let mut stage = Stage::new(4);
    stage.kubectl("cordon agent-3");
    stage.kubectl("patch node agent-4 -p '{\"spec\": {\"taints\": [{\"key\": \"gpu\", \"value\": \"only\", \"effect\": \"NoSchedule\"}]}}'");
    let filler = |name: &str, node: &str, cpu: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  nodeName: {node}\n  containers: [{{name: c, image: 'c:1', \
             resources: {{requests: {{cpu: {cpu}}}}}}}]\n---\n"
        )
    };
    let text = format!("{}{}{text}", filler("one", "agent-1", "2"), filler("two", "agent-2", "600m"));
    stage.load(super::support::request(&text)).unwrap();
    stage.run_for(20_000);
    let element = stage.view().plans.iter().find(|plan| &*plan.name == "deployment.web").map(|plan| {
        let phase = plan.phases.last().unwrap();
        format!("{}/{}/{}", plan.name, phase.name, phase.steps[0].name)
    });
    let why = stage.why(&element.unwrap());
    let nodes: Vec<&str> = why.reasons[1..].iter().map(|reason| reason.text.as_str()).collect();
    assert_eq!(
        nodes,
        [
            "agent-2: Insufficient cpu; 0.3 cpus more would do",
            "agent-1: Insufficient cpu; 1.7 cpus more would do",
            "agent-3: were unschedulable",
            "agent-4: had untolerated taint {gpu: only}",
        ],
        "{}",
        said(&why)
    );
}

#[test]
fn many_nodes_are_counted_by_filter() {
    let text = deployment("web:1", 1).replace("cpu: 250m", "cpu: 6");
    let mut stage = Stage::with(8, &text);
    stage.run_for(5_000);
    let why = stage.why(&pod(&stage));
    assert_eq!(why.reasons.len(), 1 + 5 + 1, "{}", said(&why));
    assert_eq!(why.reasons[1].text, "agent-1: Insufficient cpu; 2 cpus more would do");
    assert_eq!(why.reasons[6].text, "3 nodes more: 3 Insufficient cpu");
}

#[test]
fn probes_are_reported_with_their_history() {
    let probed = |probe: &str| {
        deployment("web:1", 1).replace("image: web:1\n", &format!("image: web:1\n          {probe}\n"))
    };
    let mut stage = Stage::with(
        2,
        &probed("startupProbe: {exec: {command: ['false']}, periodSeconds: 5, failureThreshold: 6}"),
    );
    stage.run_for(25_000);
    let why = stage.why(&pod(&stage));
    assert!(said(&why).contains("the startup probe of container web fails: "), "{}", said(&why));
    assert!(said(&why).contains(" times in a row since 2020-01-01T00:00:"), "{}", said(&why));
    assert!(said(&why).contains("after 6 failures in a row the container is killed"), "{}", said(&why));

    let mut stage = Stage::with(2, &probed("readinessProbe: {tcpSocket: {port: 1}, periodSeconds: 5}"));
    stage.until("deployment.web", "Complete");
    stage.fault(json!({ "fault": "readiness-fail", "target": { "task": "*" } }));
    stage.run_for(30_000);
    let why = stage.why(&pod(&stage));
    let text = said(&why);
    assert!(text.contains("the readiness probe of container web fails: "), "{text}");
    let count = text.split("fails: ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    assert!((4..=7).contains(&count.parse::<u32>().unwrap()), "{text}");

    let liveness = "livenessProbe: {tcpSocket: {port: 1}, periodSeconds: 5, failureThreshold: 2}";
    let mut stage = Stage::with(2, &probed(liveness));
    stage.until("deployment.web", "Complete");
    stage.fault(json!({ "fault": "health-fail", "target": { "task": "*" } }));
    let killed = "it was killed after its liveness probe had failed 2 times in a row since 2020-01-01T00:";
    let mut seen = false;
    for _ in 0..120 {
        stage.run_for(1_000);
        seen |= said(&stage.why(&pod(&stage))).contains(killed);
    }
    assert!(seen, "{}", said(&stage.why(&pod(&stage))));
}

#[test]
fn a_quota_is_raised_by_the_missing_amount() {
    let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small}\nspec:\n  hard: {pods: \"2\", requests.cpu: 600m, \
                 services: \"5\"}\n---\n";
    let mut stage = Stage::with(3, &format!("{quota}{}", deployment("web:1", 4)));
    stage.run_for(10_000);
    let why = stage.why("deployment.web");
    let title = "Raise the quota small to pods=4, requests.cpu=1";
    assert!(titles(&why).contains(&title), "{} {:?}", said(&why), titles(&why));
    let way = why.unblock.iter().find(|way| way.title == title).unwrap();
    stage.input(way.input.as_ref().unwrap()).unwrap();
    stage.until("deployment.web", "Complete");
}

#[test]
fn every_unfinished_element_has_a_reason_at_any_time() {
    let text = format!(
        "{}---\n{}",
        deployment("web:1", 3).replace("cpu: 250m", "cpu: 2"),
        stateful_set("db:1", 2, "")
    );
    let mut stage = Stage::with(2, &text);
    let mut asked = 0;
    for at in 0..60_u64 {
        if at == 20 {
            stage.update(&text.replace("web:1", "web:2").replace("db:1", "db:2")).unwrap();
        }
        if at == 30 {
            stage.fault(json!({ "fault": "agent-lost", "target": { "agent": "agent-1" } }));
        }
        for plan in &stage.view().plans {
            let plan_path = plan.name.to_string();
            let mut all = vec![(plan_path.clone(), plan.status.clone())];
            for phase in &plan.phases {
                all.push((format!("{plan_path}/{}", phase.name), phase.status.clone()));
                all.extend(
                    phase.steps.iter().map(|step| {
                        (format!("{plan_path}/{}/{}", phase.name, step.name), step.status.clone())
                    }),
                );
            }
            for (path, status) in all {
                assert_eq!(stage.status(&path), &*status, "{path}");
                let class = StatusWord::find(planarium_kubernetes::STATUSES, &status).map(|word| word.class);
                assert!(class.is_some(), "{status} is a word");
                if !matches!(class, Some(StatusClass::Done | StatusClass::Running)) {
                    let why = stage.why(&path);
                    assert!(!why.reasons.is_empty() && !why.sentence.is_empty(), "{path}");
                    asked += 1;
                }
            }
        }
        stage.run_for(5_000);
    }
    assert!(asked > 50, "{asked}");
}
