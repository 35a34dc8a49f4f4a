//! The API as real clients see it: paths, lists, tables, watches, patches.

#![expect(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use crate::{support::Yard, workloads::WEB};
use planarium_kube::{
    KindId,
    wire::{self, Answer, Body, Request, Watch},
};
use serde_json::{Value, json};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn value(answer: Answer) -> (u16, Value) {
    match answer.body {
        Body::Json(value) => (answer.status, value),
        Body::Text(text) => (answer.status, text.into()),
        other => panic!("{other:?}"),
    }
}

fn get(yard: &Yard, target: &str, accept: &str) -> (u16, Value) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    value(wire::read(
        &yard.kube,
        yard.cx.now(),
        &Request { method: "GET", path, query, accept, ..Request::default() },
    ))
}

fn send(yard: &mut Yard, method: &str, target: &str, content_type: &str, body: Value) -> (u16, Value) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request {
        method,
        path,
        query,
        content_type,
        body: Some(&body).filter(|body| !body.is_null()),
        accept: "",
    };
    value(wire::write(&mut yard.kube, &mut yard.cx, &request))
}

fn up() -> Yard {
    let mut yard = Yard::new(2);
    yard.apply(WEB);
    yard.run_until(30, |yard| yard.ready("app=web") == 4);
    yard
}

#[test]
fn discovery() {
    let yard = Yard::new(1);
    for (path, pointer, expected) in [
        ("/version", "/gitVersion", json!("v1.29.12")),
        ("/api", "/versions/0", json!("v1")),
        ("/apis", "/kind", json!("APIGroupList")),
        ("/apis", "/groups/0/name", json!("apps")),
        ("/apis/batch", "/preferredVersion/groupVersion", json!("batch/v1")),
        ("/api/v1", "/groupVersion", json!("v1")),
        ("/apis/apps/v1", "/resources/0/name", json!("deployments")),
        ("/apis/apps/v1", "/resources/2/name", json!("deployments/scale")),
        ("/apis/batch/v1beta1", "/resources/0/shortNames/0", json!("cj")),
        ("/openapi/v2", "/swagger", json!("2.0")),
    ] {
        let (status, found) = get(&yard, path, "");
        assert_eq!((status, found.pointer(pointer)), (200, Some(&expected)), "{path} {found}");
    }
    assert_eq!(get(&yard, "/healthz", ""), (200, json!("ok")));
    let names = |path: &str| -> Vec<String> {
        let (_, found) = get(&yard, path, "");
        found["resources"]
            .as_array()
            .expect(path)
            .iter()
            .map(|one| one["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert!(
        names("/api/v1").contains(&"pods/log".to_owned())
            && names("/api/v1").contains(&"pods/eviction".to_owned())
    );
    assert_eq!(names("/apis/policy/v1beta1"), ["poddisruptionbudgets", "poddisruptionbudgets/status"]);
    for path in [
        "/apis/none",
        "/apis/apps/v2",
        "/api/v2",
        "/what",
        "/api/v1/things",
        "/api/v1/namespaces/default/nodes",
        "/openapi/v4",
    ] {
        let (status, found) = get(&yard, path, "");
        assert_eq!(
            (status, found["message"].clone()),
            (404, json!("the server could not find the requested resource")),
            "{path}"
        );
    }
    let request = Request {
        method: "GET",
        path: "/openapi/v2",
        accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
        ..Request::default()
    };
    assert!(
        matches!(wire::read(&yard.kube, yard.cx.now(), &request).body, Body::Bytes(_, bytes) if bytes.starts_with(b"\x0a\x032.0"))
    );
}

#[test]
fn lists_and_pages() {
    let yard = up();
    let (_, list) = get(&yard, "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb", "");
    assert_eq!((list["kind"].clone(), list["apiVersion"].clone()), (json!("PodList"), json!("v1")));
    assert_eq!(list["metadata"]["resourceVersion"], yard.kube.resource_version().to_string());
    assert_eq!((list["items"].as_array().expect("items").len(), list["items"][0].get("kind")), (4, None));
    let mut names = Vec::new();
    let mut next = String::new();
    loop {
        let (status, page) = get(&yard, &format!("/api/v1/pods?limit=3&continue={next}"), "");
        assert_eq!(status, 200);
        names.extend(
            page["items"].as_array().expect("items").iter().map(|one| one["metadata"]["name"].clone()),
        );
        match page["metadata"]["continue"].as_str() {
            Some(token) => {
                assert_eq!(page["metadata"]["remainingItemCount"], 1);
                token.clone_into(&mut next);
            }
            None => break,
        }
    }
    assert_eq!(names.len(), 4);
    for (target, expected) in [
        ("/api/v1/pods?fieldSelector=status.phase%3DRunning", 4),
        ("/api/v1/pods?fieldSelector=status.phase!%3DRunning", 0),
        ("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1", 2),
        ("/api/v1/namespaces/kube-system/pods", 0),
        ("/api/v1/nodes?fieldSelector=metadata.name%3Dnode-2", 1),
        ("/api/v1/nodes?fieldSelector=spec.unschedulable%3Dfalse", 2),
        ("/api/v1/pods?labelSelector=app+in+(web)%2C!x", 4),
        ("/api/v1/events?fieldSelector=involvedObject.kind%3DDeployment%2Creason%3DScalingReplicaSet", 1),
        ("/api/v1/namespaces/default/events?fieldSelector=type%3DWarning", 0),
    ] {
        let (status, list) = get(&yard, target, "");
        assert_eq!((status, list["items"].as_array().map(Vec::len)), (200, Some(expected)), "{target}");
    }
    for (target, message) in [
        ("/api/v1/pods?labelSelector=a+b+c", "unable to parse requirement: a b c"),
        ("/api/v1/pods?fieldSelector=spec.colour%3Dred", "field label not supported: spec.colour"),
        ("/api/v1/pods?continue=x", "continue key is not valid: illegal base64 data"),
    ] {
        let (status, error) = get(&yard, target, "");
        assert_eq!((status, error["message"].clone()), (400, json!(message)));
    }
}

/// Headers and the first row of a table, as a terminal shows them.
fn row(yard: &Yard, target: &str) -> String {
    let (status, table) = get(yard, target, TABLE);
    assert_eq!(
        (status, table["kind"].clone(), table["apiVersion"].clone()),
        (200, json!("Table"), json!("meta.k8s.io/v1")),
        "{table}"
    );
    let columns = table["columnDefinitions"].as_array().expect("columns");
    let cells = table["rows"][0]["cells"].as_array().expect("cells");
    assert_eq!(columns.len(), cells.len(), "{target}");
    let shown = columns.iter().zip(cells).filter(|(column, _)| column["priority"] == 0);
    let pairs = shown.map(|(column, cell)| {
        let cell = cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
        format!("{}={cell}", column["name"].as_str().expect("a name"))
    });
    pairs.collect::<Vec<_>>().join(" ")
}

#[test]
fn tables() {
    let mut yard = up();
    yard.create("{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}");
    yard.create("{apiVersion: batch/v1, kind: Job, metadata: {name: one}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: i, command: [sleep, '5']}]}}}}");
    yard.create("{apiVersion: batch/v1beta1, kind: CronJob, metadata: {name: tick}, spec: {schedule: '@hourly', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}}}}");
    yard.create("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}");
    yard.create("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 50%, selector: {matchLabels: {app: web}}}}");
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: conf}, data: {a: b, c: d}}");
    yard.until(200_000);
    for (target, expected) in [
        (DEPLOYMENTS, "Name=web Ready=4/4 Up-to-date=4 Available=4 Age=3m20s"),
        ("/apis/apps/v1/replicasets", "Name=web-nkk75zz68x Desired=4 Current=4 Ready=4 Age=3m20s"),
        (
            "/api/v1/namespaces/default/services/web",
            "Name=web Type=ClusterIP Cluster-IP=10.96.1.0 External-IP=<none> Port(s)=80/TCP Age=",
        ),
        ("/apis/batch/v1/jobs", "Name=one Completions=1/1 Duration="),
        (
            "/apis/batch/v1/cronjobs",
            "Name=tick Schedule=@hourly Suspend=False Active=0 Last Schedule=<none> Age=",
        ),
        ("/api/v1/persistentvolumeclaims", "Name=data Status=Bound Volume=pvc-"),
        (
            "/apis/policy/v1/poddisruptionbudgets",
            "Name=web Min Available=50% Max Unavailable=N/A Allowed Disruptions=2 Age=",
        ),
        ("/api/v1/namespaces/default/configmaps", "Name=conf Data=2 Age="),
        ("/api/v1/nodes", "Name=node-1 Status=Ready Roles=<none> Age=3m20s Version=v1.29.12"),
        (
            "/apis/storage.k8s.io/v1/storageclasses",
            "Name=standard (default) Provisioner=kubernetes.io/simulated ReclaimPolicy=Delete VolumeBindingMode=Immediate AllowVolumeExpansion=true Age=3m20s",
        ),
        (
            "/api/v1/events",
            "Last Seen=3m20s Type=Normal Reason=RegisteredNode Object=node/node-1 Message=Node node-1 event: Registered Node node-1 in Controller",
        ),
        ("/api/v1/namespaces", "Name=default Status=Active Age=3m20s"),
        (
            "/api/v1/namespaces/default/endpoints/web",
            "Name=web Endpoints=10.244.0.2:80,10.244.0.3:80,10.244.0.4:80 + 1 more... Age=",
        ),
    ] {
        let found = row(&yard, target);
        assert!(found.starts_with(expected), "{target}\n{found}\n{expected}");
    }
    let pod = row(&yard, "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb");
    assert!(
        pod.starts_with("Name=web-nkk75zz68x-")
            && pod.ends_with(" Ready=1/1 Status=Running Restarts=0 Age=3m20s"),
        "{pod}"
    );
    let (_, table) = get(&yard, "/api/v1/pods?includeObject=None", TABLE);
    assert_eq!(table["rows"][0]["object"], Value::Null);
    let (_, table) = get(&yard, "/api/v1/pods", TABLE);
    assert_eq!(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
}

#[test]
fn a_custom_kind_has_the_columns_of_its_definition() {
    let mut yard = Yard::new(0);
    yard.create("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.toys.example}, spec: {group: toys.example, scope: Namespaced, names: {plural: things, kind: Thing, shortNames: [th]}, versions: [{name: v1, served: true, storage: true, additionalPrinterColumns: [{name: Colour, type: string, jsonPath: .spec.colour}, {name: Age, type: date, jsonPath: .metadata.creationTimestamp}]}]}}");
    yard.run(1);
    yard.create("{apiVersion: toys.example/v1, kind: Thing, metadata: {name: ball}, spec: {colour: red}}");
    yard.run(10);
    assert_eq!(row(&yard, "/apis/toys.example/v1/things"), "Name=ball Colour=red Age=10s");
    let (_, list) = get(&yard, "/apis/toys.example/v1/namespaces/default/things", "");
    assert_eq!(
        (list["kind"].clone(), list["items"][0]["kind"].clone()),
        (json!("ThingList"), json!("Thing"))
    );
    let (_, found) = get(&yard, "/apis/toys.example/v1", "");
    assert_eq!(found["resources"][0]["shortNames"], json!(["th"]));
}

/// Types and names of the next events of a watch.
fn poll(yard: &Yard, watch: &mut Watch) -> Vec<String> {
    let events = watch.poll(&yard.kube, yard.cx.now());
    let name = |event: &Value| event["object"]["metadata"]["name"].as_str().unwrap_or("-").to_owned();
    events
        .iter()
        .map(|event| format!("{} {}", event["type"].as_str().expect("a type"), name(event)))
        .collect()
}

fn watch(yard: &Yard, target: &str) -> Watch {
    let (path, query) = target.split_once('?').expect("a query");
    match wire::read(&yard.kube, yard.cx.now(), &Request { method: "GET", path, query, ..Request::default() })
        .body
    {
        Body::Watch(watch) => *watch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_watch_of_a_deleted_kind_reports_its_objects_and_ends() {
    let mut yard = Yard::new(0);
    yard.create("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.toys.example}, spec: {group: toys.example, scope: Namespaced, names: {plural: things, kind: Thing}, versions: [{name: v1, served: true, storage: true}]}}");
    yard.run(1);
    yard.create("{apiVersion: toys.example/v1, kind: Thing, metadata: {name: ball}}");
    let mut things = watch(&yard, "/apis/toys.example/v1/things?watch=true");
    assert_eq!(
        (poll(&yard, &mut things), things.is_over(&yard.kube)),
        (vec!["ADDED ball".to_owned()], false)
    );
    yard.delete(
        KindId::CUSTOM_RESOURCE_DEFINITION,
        "things.toys.example",
        planarium_kube::Propagation::Background,
    );
    yard.run(5);
    let last = poll(&yard, &mut things);
    assert_eq!((last.last().map(String::as_str), things.is_over(&yard.kube)), (Some("DELETED ball"), true));
}

#[test]
fn a_watch_from_a_version_after_the_present_is_refused() {
    let yard = Yard::new(0);
    let query = format!("watch=true&resourceVersion={}", yard.kube.resource_version() + 1);
    let (status, error) = get(&yard, &format!("/api/v1/configmaps?{query}"), "");
    assert_eq!((status, error["reason"].as_str()), (410, Some("Expired")));
}

#[test]
fn watches() {
    let mut yard = Yard::new(1);
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {x: '1'}}}");
    let all = "/api/v1/namespaces/default/configmaps?watch=true";
    let mut from_the_start = watch(&yard, all);
    let mut some =
        watch(&yard, &format!("{all}&labelSelector=x%3D1&resourceVersion={}", yard.kube.resource_version()));
    assert_eq!(poll(&yard, &mut from_the_start), ["ADDED a"]);
    assert!(poll(&yard, &mut some).is_empty());
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}");
    yard.patch(KindId::CONFIG_MAP, "b", json!({"metadata": {"labels": {"x": "1"}}})).expect("patched");
    yard.patch(KindId::CONFIG_MAP, "b", json!({"data": {"k": "v"}})).expect("patched");
    yard.patch(KindId::CONFIG_MAP, "a", json!({"metadata": {"labels": {"x": "2"}}})).expect("patched");
    yard.delete(KindId::CONFIG_MAP, "b", planarium_kube::Propagation::Background);
    yard.delete(KindId::CONFIG_MAP, "a", planarium_kube::Propagation::Background);
    assert_eq!(
        poll(&yard, &mut from_the_start),
        ["ADDED b", "MODIFIED b", "MODIFIED b", "MODIFIED a", "DELETED b", "DELETED a"]
    );
    // It can be written down and taken up again.
    let mut some = Watch::of_value(&some.to_value());
    assert_eq!(poll(&yard, &mut some), ["ADDED b", "MODIFIED b", "DELETED a", "DELETED b"]);
    assert!(poll(&yard, &mut some).is_empty());
    // A version that is too old gets an error.
    for _ in 0..2_100 {
        yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}");
        yard.delete(KindId::CONFIG_MAP, "c", planarium_kube::Propagation::Background);
    }
    let events = some.poll(&yard.kube, yard.cx.now());
    assert_eq!(
        (events[0]["type"].clone(), events[0]["object"]["code"].clone()),
        (json!("ERROR"), json!(410))
    );
}

#[test]
fn a_watched_table_has_its_columns_once() {
    let mut yard = Yard::new(1);
    let request = Request {
        method: "GET",
        path: "/api/v1/pods",
        query: "watch=1",
        accept: TABLE,
        ..Request::default()
    };
    let Body::Watch(mut watch) = wire::read(&yard.kube, yard.cx.now(), &request).body else {
        panic!("no watch")
    };
    yard.create(
        "{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: [{name: a, image: i}]}}",
    );
    yard.run(20);
    let events = watch.poll(&yard.kube, yard.cx.now());
    let columns = |event: &Value| event["object"]["columnDefinitions"].as_array().map(Vec::len);
    assert_eq!(
        (columns(&events[0]), events[0]["object"]["rows"][0]["cells"][2].clone()),
        (Some(9), json!("Running"))
    );
    yard.patch(KindId::POD, "one", json!({"metadata": {"labels": {"a": "b"}}})).expect("patched");
    assert_eq!(columns(&watch.poll(&yard.kube, yard.cx.now())[0]), Some(0));
}

#[test]
fn writes() {
    let mut yard = Yard::new(2);
    let web = crate::support::documents(WEB).remove(0);
    assert_eq!(send(&mut yard, "POST", &format!("{DEPLOYMENTS}?dryRun=All"), "", web.clone()).0, 201);
    assert!(yard.get(KindId::DEPLOYMENT, "web").is_none());
    assert_eq!(send(&mut yard, "POST", DEPLOYMENTS, "application/json", web.clone()).0, 201);
    assert_eq!(send(&mut yard, "POST", DEPLOYMENTS, "application/json", web.clone()).0, 409);
    let one = format!("{DEPLOYMENTS}/web");
    yard.run(20);
    for (method, target, content_type, body, status, pointer, expected) in [
        (
            "PATCH",
            one.clone(),
            "application/merge-patch+json",
            json!({"spec": {"replicas": 2}}),
            200,
            "/spec/replicas",
            json!(2),
        ),
        (
            "PATCH",
            one.clone(),
            "application/json-patch+json",
            json!([{"op": "replace", "path": "/spec/replicas", "value": 3}]),
            200,
            "/spec/replicas",
            json!(3),
        ),
        (
            "PATCH",
            one.clone(),
            "application/strategic-merge-patch+json",
            json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}}}),
            200,
            "/spec/template/spec/containers/0/image",
            json!("nginx:2"),
        ),
        (
            "PATCH",
            one.clone(),
            "application/json-patch+json",
            json!([{"op": "test", "path": "/spec/replicas", "value": 9}]),
            422,
            "/reason",
            json!("Invalid"),
        ),
        ("PATCH", one.clone(), "text/plain", json!({}), 415, "/reason", json!("UnsupportedMediaType")),
        ("PATCH", one.clone(), "application/apply-patch+yaml", json!({}), 422, "/reason", json!("Invalid")),
        (
            "PATCH",
            format!("{one}?fieldManager=me"),
            "application/apply-patch+yaml",
            json!("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  paused: true\n"),
            409,
            "/reason",
            json!("Conflict"),
        ),
        ("GET", format!("{one}/scale"), "", Value::Null, 200, "/spec/replicas", json!(3)),
        (
            "PUT",
            format!("{one}/scale"),
            "",
            json!({"spec": {"replicas": 1}}),
            200,
            "/spec/replicas",
            json!(1),
        ),
        (
            "PATCH",
            format!("{one}/scale"),
            "application/merge-patch+json",
            json!({"spec": {"replicas": 5}}),
            200,
            "/spec/replicas",
            json!(5),
        ),
        ("GET", format!("{one}/status"), "", Value::Null, 200, "/kind", json!("Deployment")),
        ("POST", format!("{one}/what"), "", json!({}), 404, "/reason", json!("NotFound")),
        (
            "POST",
            "/api/v1/namespaces/default/configmaps".to_owned(),
            "",
            json!({"metadata": {"name": "c", "namespace": "other"}}),
            400,
            "/reason",
            json!("BadRequest"),
        ),
        (
            "PUT",
            "/api/v1/namespaces/default/configmaps/c".to_owned(),
            "",
            json!({"metadata": {"name": "d"}}),
            400,
            "/reason",
            json!("BadRequest"),
        ),
        (
            "POST",
            DEPLOYMENTS.to_owned(),
            "",
            json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}),
            400,
            "/reason",
            json!("BadRequest"),
        ),
        (
            "POST",
            DEPLOYMENTS.to_owned(),
            "application/vnd.kubernetes.protobuf",
            json!("k8s\u{0}"),
            415,
            "/reason",
            json!("UnsupportedMediaType"),
        ),
        (
            "POST",
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews".to_owned(),
            "",
            json!({"spec": {}}),
            201,
            "/status/allowed",
            json!(true),
        ),
        (
            "DELETE",
            format!("{one}?propagationPolicy=Sideways"),
            "",
            Value::Null,
            422,
            "/reason",
            json!("Invalid"),
        ),
        (
            "DELETE",
            one.clone(),
            "",
            json!({"propagationPolicy": "Foreground"}),
            200,
            "/kind",
            json!("Deployment"),
        ),
        (
            "DELETE",
            "/api/v1/namespaces/default/configmaps/none".to_owned(),
            "",
            Value::Null,
            404,
            "/details/name",
            json!("none"),
        ),
        ("TRACE", one.clone(), "", Value::Null, 405, "/reason", json!("MethodNotAllowed")),
    ] {
        let (found, answer) = if method == "GET" {
            get(&yard, &target, "")
        } else {
            send(&mut yard, method, &target, content_type, body.clone())
        };
        let is =
            if target.ends_with("fieldManager=me") { found == 200 || found == 409 } else { found == status };
        assert!(is, "{method} {target} {body}: {found} {answer}");
        if found == status {
            assert_eq!(answer.pointer(pointer), Some(&expected), "{method} {target} {body}: {answer}");
        }
    }
    yard.run(60);
    assert!(yard.get(KindId::DEPLOYMENT, "web").is_none() && yard.list(KindId::POD, "").is_empty());
}

#[test]
fn jobs_are_orphaned_by_default() {
    let mut yard = Yard::new(1);
    let job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "one"}, "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "i", "command": ["sleep", "100"]}]}}}});
    for (query, pods) in [("", 1), ("?propagationPolicy=Background", 0)] {
        send(&mut yard, "POST", "/apis/batch/v1/namespaces/default/jobs", "", job.clone());
        yard.run(10);
        send(
            &mut yard,
            "DELETE",
            &format!("/apis/batch/v1/namespaces/default/jobs/one{query}"),
            "",
            Value::Null,
        );
        yard.run(40);
        assert_eq!(yard.list(KindId::POD, "").len(), pods, "{query}");
        send(&mut yard, "DELETE", "/api/v1/namespaces/default/pods?gracePeriodSeconds=0", "", Value::Null);
        yard.run(5);
        assert!(yard.list(KindId::POD, "").is_empty());
    }
}

#[test]
fn pods_have_logs_and_can_be_bound_and_evicted() {
    let mut yard = Yard::new(1);
    yard.create("{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {schedulerName: mine, containers: [{name: a, image: i, command: [sleep, infinity]}, {name: b, image: i}]}}");
    yard.run(2);
    let pods = "/api/v1/namespaces/default/pods/one";
    assert_eq!(get(&yard, &format!("{pods}/log?container=a"), "").0, 400);
    let bound = json!({"target": {"kind": "Node", "name": "node-1"}});
    assert_eq!(send(&mut yard, "POST", &format!("{pods}/binding"), "", bound.clone()).0, 201);
    assert_eq!(send(&mut yard, "POST", &format!("{pods}/binding"), "", bound).0, 409);
    yard.run(20);
    assert_eq!(
        get(&yard, &format!("{pods}/log"), "").1["message"],
        "a container name must be specified for pod one, choose one of: [a b]"
    );
    let (status, log) = get(&yard, &format!("{pods}/log?container=a"), "");
    assert!(status == 200 && log.as_str().expect("text").ends_with("started: sleep infinity\n"), "{log}");
    assert_eq!(get(&yard, &format!("{pods}/log?container=a&previous=true"), "").0, 400);
    assert_eq!(send(&mut yard, "POST", &format!("{pods}/eviction"), "", json!({})).0, 201);
    assert!(yard.get(KindId::POD, "one").expect("ending").is_being_deleted());
}
