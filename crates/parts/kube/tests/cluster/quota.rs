//! Quotas and limits of namespaces, and their effect on pods made by controllers.

use crate::support::Yard;
use planarium_kube::{KindId, Propagation};
use serde_json::{Value, json};

const QUOTA: &str = "
apiVersion: v1
kind: ResourceQuota
metadata: {name: small}
spec: {hard: {requests.cpu: '1', limits.memory: 1Gi, pods: '3', count/configmaps: '1', services.nodeports: '1'}}
";

fn pod(name: &str, cpu: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: main, image: 'nginx:1', resources: {{requests: \
         {{cpu: {cpu}}}, limits: {{memory: 256Mi}}}}}}]}}}}"
    )
}

fn deployment(replicas: u32, more: &str) -> String {
    format!(
        "
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      {more}
      containers: [{{name: main, image: 'nginx:1', resources: {{requests: {{cpu: 400m}}, limits: {{memory: 128Mi}}}}}}]
"
    )
}

/// `status.used` of the quota.
fn used(yard: &Yard, key: &str) -> String {
    let quota = yard.value(KindId::RESOURCE_QUOTA, "small");
    let used = quota.pointer("/status/used").and_then(|used| used.get(key));
    used.and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[test]
fn objects_beyond_a_quota_are_refused() {
    let mut yard = Yard::new(2);
    yard.create(QUOTA);
    yard.create(&pod("a", "600m"));
    assert_eq!(used(&yard, "requests.cpu"), "600m", "it is counted at once");
    assert_eq!(
        yard.refused(&pod("b", "600m")),
        "403 Forbidden: pods \"b\" is forbidden: exceeded quota: small, requested: requests.cpu=600m, used: requests.cpu=600m, limited: \
         requests.cpu=1"
    );
    assert_eq!(
        yard.refused("{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {containers: [{name: main, image: nginx}]}}"),
        "403 Forbidden: pods \"c\" is forbidden: failed quota: small: must specify limits.memory for: main; requests.cpu for: main"
    );
    assert_eq!(used(&yard, "requests.cpu"), "600m", "a refusal counts nothing");
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: one}}");
    let refused = yard.refused("{apiVersion: v1, kind: ConfigMap, metadata: {name: two}}");
    assert!(
        refused
            .contains("requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1"),
        "{refused}"
    );
    yard.delete(KindId::POD, "a", Propagation::Background);
    yard.run(60);
    assert_eq!((used(&yard, "requests.cpu").as_str(), used(&yard, "pods").as_str()), ("0", "0"));
    yard.create(&pod("b", "600m"));
}

#[test]
fn a_service_that_becomes_public_is_counted() {
    let mut yard = Yard::new(1);
    yard.create(QUOTA);
    for name in ["one", "two"] {
        yard.create(&format!(
            "{{apiVersion: v1, kind: Service, metadata: {{name: {name}}}, spec: {{ports: [{{port: 80}}]}}}}"
        ));
    }
    let public = json!({"spec": {"type": "NodePort"}});
    yard.patch(KindId::SERVICE, "one", public.clone()).expect("within the quota");
    let refused = yard.patch(KindId::SERVICE, "two", public).expect_err("beyond the quota");
    assert!(refused.contains("exceeded quota: small, requested: services.nodeports=1"), "{refused}");
    yard.patch(KindId::SERVICE, "one", json!({"spec": {"type": "ClusterIP"}})).expect("less than before");
    yard.run(1);
    assert_eq!(used(&yard, "services.nodeports"), "0");
}

#[test]
fn controllers_respect_quotas_and_retry() {
    let mut yard = Yard::new(2);
    yard.create(QUOTA);
    yard.create(&deployment(3, ""));
    yard.run(20);
    assert_eq!(yard.ready("app=web"), 2, "the third has no room in the quota");
    let told = yard.told(0, &["FailedCreate"]);
    assert!(
        told[0].contains(
            "is forbidden: exceeded quota: small, requested: requests.cpu=400m, used: requests.cpu=800m"
        ),
        "{told:?}"
    );
    // Quotas are looked at after the server has made the name.
    let name = told[0].split('"').nth(1).unwrap_or_default().to_owned();
    assert_eq!(name.rsplit('-').next().map(str::len), Some(5), "{told:?}");
    let web = yard.value(KindId::DEPLOYMENT, "web");
    let conditions = web["status"]["conditions"].as_array().expect("conditions").clone();
    let failure = conditions.iter().find(|one| one["type"] == "ReplicaFailure").expect("it says so");
    assert_eq!((&failure["status"], &failure["reason"]), (&json!("True"), &json!("FailedCreate")));
    yard.patch(KindId::RESOURCE_QUOTA, "small", json!({"spec": {"hard": {"requests.cpu": "2"}}}))
        .expect("raised");
    yard.run(120);
    assert_eq!(yard.ready("app=web"), 3);
    assert_eq!(used(&yard, "requests.cpu"), "1200m");
}

#[test]
fn scopes_select_the_counted_pods() {
    let mut yard = Yard::new(1);
    yard.create(
        "
{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: {pods: '1'}, scopes: [BestEffort]}}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: big}, spec: {hard: {pods: '0'}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 10}
",
    );
    let plain = |name: &str, more: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{{more} containers: [{{name: main, image: 'nginx:1'}}]}}}}"
        )
    };
    yard.create(&plain("a", ""));
    assert!(yard.refused(&plain("b", "")).contains("exceeded quota: small"));
    yard.create(&pod("sized", "100m"));
    assert!(yard.refused(&plain("c", "priorityClassName: high,")).contains("exceeded quota: big"));
    assert_eq!(used(&yard, "pods"), "1");
}

const LIMITS: &str = "
apiVersion: v1
kind: LimitRange
metadata: {name: sizes}
spec:
  limits:
    - {type: Container, default: {cpu: 500m, memory: 256Mi}, defaultRequest: {cpu: 100m}, max: {cpu: '1', memory: 1Gi}, min: {cpu: 50m}}
    - {type: Pod, max: {memory: 1Gi}}
    - {type: PersistentVolumeClaim, max: {storage: 5Gi}}
";

#[test]
fn limits_set_and_bound_sizes() {
    let mut yard = Yard::new(1);
    yard.create(LIMITS);
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: bare}, spec: {containers: [{name: main, image: 'nginx:1'}]}}");
    let bare = yard.value(KindId::POD, "bare");
    assert_eq!(
        bare["spec"]["containers"][0]["resources"],
        json!({"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "256Mi"}})
    );
    assert_eq!(
        bare["metadata"]["annotations"]["kubernetes.io/limit-ranger"],
        "LimitRanger plugin set: cpu, memory request for container main; cpu, memory limit for container main"
    );
    let sized = |resources: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: x}}, spec: {{containers: [{{name: main, image: 'nginx:1', resources: {resources}}}]}}}}"
        )
    };
    for (resources, text) in [
        ("{limits: {cpu: 2}}", "[maximum cpu usage per Container is 1, but limit is 2]"),
        ("{requests: {cpu: 10m}}", "minimum cpu usage per Container is 50m, but request is 10m"),
        (
            "{requests: {memory: 2Gi}, limits: {memory: 2Gi}}",
            "maximum memory usage per Pod is 1Gi, but limit is 2Gi",
        ),
    ] {
        let refused = yard.refused(&sized(resources));
        assert!(refused.contains(text.trim_matches(['[', ']'])), "{resources}: {refused}");
        assert!(refused.starts_with("403 Forbidden: pods \"x\" is forbidden: "), "{refused}");
    }
    let claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 6Gi}}}}";
    assert!(
        yard.refused(claim)
            .contains("maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi")
    );
}

#[test]
fn pods_of_controllers_get_default_sizes() {
    let mut yard = Yard::new(1);
    yard.create(LIMITS);
    yard.create(
        &deployment(1, "").replace(", resources: {requests: {cpu: 400m}, limits: {memory: 128Mi}}", ""),
    );
    yard.run(20);
    let pods = yard.list(KindId::POD, "app=web");
    let value = pods[0].to_value();
    assert_eq!(value["spec"]["containers"][0]["resources"]["requests"]["cpu"], "100m");
    assert_eq!(value["status"]["qosClass"], "Burstable");
    let template = &yard.value(KindId::DEPLOYMENT, "web")["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(template["resources"], json!({}), "the template stays as it is");
}

#[test]
fn a_controller_without_its_account_creates_no_pods() {
    let mut yard = Yard::new(1);
    yard.create(&deployment(1, "serviceAccountName: builder"));
    yard.run(5);
    let told = yard.told(0, &["FailedCreate"]);
    assert!(
        told[0].contains("-\" is forbidden: error looking up service account default/builder: serviceaccount \"builder\" not found"),
        "{told:?}"
    );
    assert_eq!(yard.pods(), "");
    yard.create("{apiVersion: v1, kind: ServiceAccount, metadata: {name: builder}}");
    yard.run(60);
    assert_eq!(yard.ready("app=web"), 1);
    yard.delete(KindId::SERVICE_ACCOUNT, "default", Propagation::Background);
    yard.run(1);
    assert!(yard.get(KindId::SERVICE_ACCOUNT, "default").is_some(), "it is made anew");
}

#[test]
fn requests_of_controllers_pods_follow_their_limits() {
    let mut yard = Yard::new(1);
    let limits = "resources: {limits: {cpu: 200m, example.com/disk: 2}}";
    yard.create(
        &deployment(1, "").replace("resources: {requests: {cpu: 400m}, limits: {memory: 128Mi}}", limits),
    );
    yard.run(1);
    let value = yard.list(KindId::POD, "app=web")[0].to_value();
    assert_eq!(
        value["spec"]["containers"][0]["resources"]["requests"],
        json!({"cpu": "200m", "example.com/disk": "2"})
    );
}
