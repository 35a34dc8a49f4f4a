//! The API server refuses, defaults, patches and remembers.

#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

use crate::support::{Yard, documents};
use planarium_kube::{
    Api, ChangeKind, DeleteOptions, KeptStatus, KindId, ObjectRef, Outcome, Part, Patch, Propagation, Review,
    Selector, Verdict, Webhook,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// A Deployment whose template has this container and these further fields.
fn deployment(container: &str, more: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: x}}, spec: {{{more} selector: {{matchLabels: {{app: x}}}}, template: {{metadata: {{labels: {{app: x}}}}, spec: {{containers: [{container}]}}}}}}}}"
    )
}

#[test]
fn refusals() {
    let plain = "{name: a, image: i}";
    for (yaml, expected) in [
        ("{apiVersion: v1}".to_owned(), "400 BadRequest: Object 'Kind' is missing"),
        ("{kind: Pod}".to_owned(), "400 BadRequest: Object 'apiVersion' is missing"),
        ("{apiVersion: x.example/v1, kind: Thing, metadata: {name: x}}".to_owned(), "404 NotFound: no matches for kind \"Thing\" in version \"x.example/v1\""),
        ("{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: x}}".to_owned(), "404 NotFound: no matches for kind \"Deployment\" in version \"extensions/v1beta1\""),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: nope}}".to_owned(), "404 NotFound: namespaces \"nope\" not found"),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {}}".to_owned(), "422 Invalid: ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required"),
        ("{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}".to_owned(), "409 AlreadyExists: serviceaccounts \"default\" already exists"),
        ("{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {a: '!'}}".to_owned(), "400 BadRequest: Secret in version \"v1\" cannot be handled as a Secret: v1.Secret.Data: base64Codec: invalid input: illegal base64 data"),
        (deployment(plain, "replicas: two,"), "400 BadRequest: Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"),
        (deployment("{name: a, image: i, env: [{name: X, value: 5}]}", ""), "400 BadRequest: Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal number into Go struct field EnvVar.spec.template.spec.containers.env.value of type string"),
        (deployment(plain, "replicas: -1,"), "422 Invalid: Deployment.apps \"x\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        (deployment("{name: a}", ""), "422 Invalid: Deployment.apps \"x\" is invalid: spec.template.spec.containers[0].image: Required value"),
        (deployment("{name: A_, image: i}", ""), "422 Invalid: Deployment.apps \"x\" is invalid: spec.template.spec.containers[0].name: Invalid value: \"A_\": a DNS-1123 label must consist of"),
        (deployment("{name: a, image: i}, {name: a, image: i}", ""), "422 Invalid: Deployment.apps \"x\" is invalid: spec.template.spec.containers[1].name: Duplicate value: \"a\""),
        (deployment("{name: a, image: i, volumeMounts: [{name: v, mountPath: /v}]}", ""), "422 Invalid: Deployment.apps \"x\" is invalid: spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"v\""),
        (deployment("{name: a, image: i, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}", ""), "422 Invalid: Deployment.apps \"x\" is invalid: spec.template.spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit"),
        (deployment("{name: a, image: i, ports: [{containerPort: 70000}]}", ""), "422 Invalid: Deployment.apps \"x\" is invalid: spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"),
        (deployment(plain, "").replace("matchLabels: {app: x}", "matchLabels: {app: other}"), "422 Invalid: Deployment.apps \"x\" is invalid: spec.template.metadata.labels: Invalid value: {\"app\":\"x\"}: `selector` does not match template `labels`"),
        ("{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {template: {spec: {containers: [{name: a, image: i}]}}}}".to_owned(), "422 Invalid: Job.batch \"x\" is invalid: spec.template.spec.restartPolicy: Unsupported value: \"Always\": supported values: \"OnFailure\", \"Never\""),
        ("{apiVersion: v1, kind: Service, metadata: {name: 9x}, spec: {}}".to_owned(), "422 Invalid: Service \"9x\" is invalid: [metadata.name: Invalid value: \"9x\": a DNS-1035 label must consist of"),
        ("{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {clusterIP: 1.2.3.4, ports: [{port: 80}]}}".to_owned(), "422 Invalid: Service \"x\" is invalid: spec.clusterIP: Invalid value: \"1.2.3.4\": provided IP is not in the valid range. The range of valid IPs is 10.96.0.0/12"),
        ("{apiVersion: batch/v1beta1, kind: CronJob, metadata: {name: x}, spec: {schedule: often, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: i}]}}}}}}".to_owned(), "422 Invalid: CronJob.batch \"x\" is invalid: spec.schedule: Invalid value: \"often\": expected exactly 5 fields, found 1: often"),
        ("{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {serviceAccountName: who, containers: [{name: a, image: i}]}}".to_owned(), "403 Forbidden: pods \"x\" is forbidden: error looking up service account default/who: serviceaccount \"who\" not found"),
        ("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x}, spec: {group: a.b, scope: Namespaced, names: {plural: xs, kind: X}, versions: [{name: v1, served: true, storage: true}]}}".to_owned(), "422 Invalid: CustomResourceDefinition.apiextensions.k8s.io \"x\" is invalid: metadata.name: Invalid value: \"x\": must be spec.names.plural+\".\"+spec.group"),
    ] {
        let mut yard = Yard::new(0);
        let refused = yard.refused(&yaml);
        assert!(refused.starts_with(expected), "{yaml}\n{refused}\n{expected}");
    }
}

#[test]
fn the_status_object_names_every_cause() {
    let mut yard = Yard::new(0);
    let value = documents(&deployment("{}", "replicas: -1,")).remove(0);
    let error = yard.kube.create(&mut yard.cx, value).expect_err("refused");
    let status = error.status();
    assert_eq!(
        (status["kind"].clone(), status["code"].clone(), status["reason"].clone()),
        (json!("Status"), json!(422), json!("Invalid"))
    );
    assert_eq!(status["details"]["kind"], "Deployment");
    assert_eq!(status["details"]["causes"].as_array().expect("a list").len(), 3);
    assert_eq!(
        status["details"]["causes"][0],
        json!({"reason": "FieldValueInvalid", "message": "Invalid value: -1: must be greater than or equal to 0", "field": "spec.replicas"})
    );
}

#[test]
fn refused_changes() {
    for (yaml, kind, patch, expected) in [
        (deployment("{name: a, image: i}", ""), KindId::DEPLOYMENT, json!({"spec": {"selector": {"matchLabels": {"app": "x", "b": "c"}}, "template": {"metadata": {"labels": {"b": "c"}}}}}), "spec.selector: Invalid value: "),
        ("{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: x}, spec: {serviceName: s, selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {containers: [{name: a, image: i}]}}}}".to_owned(), KindId::STATEFUL_SET, json!({"spec": {"serviceName": "t"}}), "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"),
        ("{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {ports: [{port: 80}]}}".to_owned(), KindId::SERVICE, json!({"spec": {"clusterIP": "10.96.9.9"}}), "spec.clusterIP: Invalid value: \"10.96.9.9\": field is immutable"),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, immutable: true, data: {a: b}}".to_owned(), KindId::CONFIG_MAP, json!({"data": {"a": "c"}}), "data: Forbidden: field is immutable when `immutable` is set"),
        ("{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: x}, roleRef: {kind: Role, name: r}}".to_owned(), KindId::ROLE_BINDING, json!({"roleRef": {"name": "s"}}), "roleRef: Invalid value: "),
        ("{apiVersion: v1, kind: Secret, metadata: {name: x}, type: Opaque}".to_owned(), KindId::SECRET, json!({"type": "other"}), "type: Invalid value: \"other\": field is immutable"),
    ] {
        let mut yard = Yard::new(0);
        yard.create(&yaml);
        let before = yard.kube.resource_version();
        let refused = yard.patch(kind, "x", patch).expect_err(&yaml);
        assert!(refused.contains(expected), "{refused}");
        assert_eq!(yard.kube.resource_version(), before);
        // A patch without effect is not a change.
        yard.patch(kind, "x", json!({})).expect("nothing");
        assert_eq!(yard.kube.resource_version(), before);
    }
}

#[test]
fn defaults() {
    let mut yard = Yard::new(0);
    yard.create(&deployment("{name: a, image: i, ports: [{containerPort: 80}], readinessProbe: {httpGet: {port: 80}}, resources: {limits: {memory: 1024Mi, cpu: 0.5}}}", ""));
    let value = yard.value(KindId::DEPLOYMENT, "x");
    let container = &value["spec"]["template"]["spec"]["containers"][0];
    for (path, expected) in [
        ("/ports/0/protocol", json!("TCP")),
        ("/readinessProbe/periodSeconds", json!(10)),
        ("/readinessProbe/httpGet/scheme", json!("HTTP")),
        ("/imagePullPolicy", json!("Always")),
        ("/resources/limits/memory", json!("1Gi")),
        ("/resources/limits/cpu", json!("500m")),
    ] {
        assert_eq!(container.pointer(path), Some(&expected), "{path}");
    }
    for (path, expected) in [
        ("/spec/replicas", json!(1)),
        ("/spec/strategy/rollingUpdate/maxSurge", json!("25%")),
        ("/spec/progressDeadlineSeconds", json!(600)),
        ("/spec/template/spec/restartPolicy", json!("Always")),
    ] {
        assert_eq!(value.pointer(path), Some(&expected), "{path}");
    }
    yard.create(
        "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {type: NodePort, ports: [{port: 80}]}}",
    );
    let service = yard.value(KindId::SERVICE, "s");
    assert!(service["spec"]["clusterIP"].as_str().expect("an address").starts_with("10.96."));
    assert_eq!(service["spec"]["ports"][0]["targetPort"], 80);
    assert!(
        service["spec"]["ports"][0]["nodePort"]
            .as_i64()
            .is_some_and(|port| (30_000..=32_767).contains(&port))
    );
    yard.create("{apiVersion: v1, kind: Secret, metadata: {generateName: s-}, stringData: {a: b}}");
    let secret = yard.list(KindId::SECRET, "").remove(0);
    assert!(secret.name.starts_with("s-") && secret.name.len() == 7);
    assert_eq!(secret.to_value()["data"], json!({"a": "Yg=="}));
    // Unknown fields are dropped.
    yard.create("{apiVersion: v1, kind: Service, metadata: {name: t}, spec: {prots: 1, ports: [{port: 80, fine: true}]}}");
    assert!(!yard.value(KindId::SERVICE, "t").to_string().contains("prots"));
}

#[test]
fn versions_and_preconditions() {
    let mut yard = Yard::new(0);
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: '1'}}");
    let old = yard.value(KindId::CONFIG_MAP, "x");
    yard.patch(KindId::CONFIG_MAP, "x", json!({"data": {"a": "2"}})).expect("patched");
    let mut stale = old.clone();
    stale["data"]["a"] = json!("3");
    let error = yard.kube.update(&mut yard.cx, stale.clone()).expect_err("stale");
    assert_eq!(
        (error.code, error.message.as_str()),
        (
            409,
            "Operation cannot be fulfilled on configmaps \"x\": the object has been modified; please apply your changes to the latest version and try again"
        )
    );
    stale["metadata"].as_object_mut().expect("fields").remove("resourceVersion");
    yard.kube.update(&mut yard.cx, stale).expect("without a version");
    let one = ObjectRef::new(KindId::CONFIG_MAP, "default", "x");
    let options = DeleteOptions { uid: Some("other".into()), ..DeleteOptions::default() };
    assert_eq!(yard.kube.delete(&mut yard.cx, one, &options).expect_err("another").code, 409);
    yard.kube.delete(&mut yard.cx, one, &DeleteOptions::default()).expect("there");
    let error = yard.kube.read(one).expect_err("gone");
    assert_eq!((error.code, error.message.as_str()), (404, "configmaps \"x\" not found"));
}

#[test]
fn changes_are_reported_in_order() {
    let mut yard = Yard::new(1);
    let from = yard.kube.resource_version();
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: '1'}}");
    yard.patch(KindId::CONFIG_MAP, "x", json!({"data": {"a": "2"}})).expect("patched");
    yard.delete(KindId::CONFIG_MAP, "x", Propagation::Background);
    let changes: Vec<_> = yard.kube.changes_since(from).expect("kept").collect();
    assert_eq!(
        changes.iter().map(|change| change.kind).collect::<Vec<_>>(),
        [ChangeKind::Added, ChangeKind::Modified, ChangeKind::Deleted]
    );
    assert!(changes.windows(2).all(|pair| pair[0].resource_version < pair[1].resource_version));
    for _ in 0..3000 {
        yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}");
        yard.delete(KindId::CONFIG_MAP, "x", Propagation::Background);
    }
    let error = yard.kube.changes_since(from).map(|_| ()).expect_err("too long ago");
    assert_eq!((error.code, error.reason.as_str()), (410, "Expired"));
    assert!(error.message.starts_with("too old resource version: "));
}

#[test]
fn finalizers_hold() {
    let mut yard = Yard::new(0);
    yard.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: x, finalizers: [a.example/b]}}");
    yard.delete(KindId::CONFIG_MAP, "x", Propagation::Background);
    yard.run(5);
    assert!(yard.get(KindId::CONFIG_MAP, "x").expect("held").is_being_deleted());
    assert!(yard.why(KindId::CONFIG_MAP, "x")[0].1.contains("held by the finalizer a.example/b"));
    let refused = yard.patch(
        KindId::CONFIG_MAP,
        "x",
        json!({"metadata": {"finalizers": ["a.example/b", "c.example/d"]}}),
    );
    assert!(
        refused
            .expect_err("being deleted")
            .contains("no new finalizers can be added if the object is being deleted")
    );
    yard.patch(KindId::CONFIG_MAP, "x", json!({"metadata": {"finalizers": null}})).expect("let go");
    assert!(yard.get(KindId::CONFIG_MAP, "x").is_none());
}

#[test]
fn applying_three_ways() {
    let mut yard = Yard::new(1);
    let yaml = deployment("{name: a, image: 'i:1', args: [x]}, {name: b, image: 'i:1'}", "replicas: 2,");
    let mut apply = |yaml: &str| {
        let value = Arc::new(documents(yaml).remove(0));
        let applied = yard.kube.apply(&mut yard.cx, &value, "test/applied").expect("applied");
        (applied.outcome, applied.object)
    };
    assert_eq!(apply(&yaml).0, Outcome::Created);
    assert_eq!(apply(&yaml).0, Outcome::Unchanged);
    // A container and a field that are no longer applied are removed; fields set by others stay.
    let less = deployment("{name: a, image: 'i:2'}", "");
    let (outcome, object) = apply(&less);
    let value = object.to_value();
    assert_eq!(outcome, Outcome::Configured);
    assert_eq!(value["spec"]["replicas"], 1);
    let containers = value["spec"]["template"]["spec"]["containers"].as_array().expect("a list");
    assert_eq!(
        (containers.len(), containers[0]["image"].clone(), containers[0].get("args")),
        (1, json!("i:2"), None)
    );
    assert!(object.annotations.get("test/applied").expect("kept").contains("i:2"));
    yard.patch(KindId::DEPLOYMENT, "x", json!({"spec": {"replicas": 5, "paused": true}})).expect("scaled");
    let value = Arc::new(documents(&less).remove(0));
    let applied = yard.kube.apply(&mut yard.cx, &value, "test/applied").expect("applied");
    assert_eq!(
        (applied.outcome, applied.object.to_value()["spec"]["replicas"].clone()),
        (Outcome::Unchanged, json!(5))
    );
    // The strategy may change its type, though the server had filled in the other one's parameters.
    let value =
        Arc::new(documents(&deployment("{name: a, image: 'i:2'}", "strategy: {type: Recreate},")).remove(0));
    let applied = yard.kube.apply(&mut yard.cx, &value, "test/applied").expect("applied");
    assert_eq!(applied.object.to_value()["spec"]["strategy"], json!({"type": "Recreate"}));
    // A Job that is applied again with another template is refused, one with the same is not.
    let job = "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: 'i:1'}]}}}}";
    let once = Arc::new(documents(job).remove(0));
    for _ in 0..2 {
        yard.kube.apply(&mut yard.cx, &once, "test/applied").expect("applied");
        yard.run(1);
    }
    let other = Arc::new(documents(&job.replace("i:1", "i:2")).remove(0));
    let error = yard.kube.apply(&mut yard.cx, &other, "test/applied").expect_err("refused");
    assert!(error.code == 422 && error.message.ends_with(": field is immutable"), "{}", error.message);
}

#[test]
fn server_side_apply() {
    let mut yard = Yard::new(0);
    let one = ObjectRef::new(KindId::CONFIG_MAP, "default", "x");
    let mut apply = |manager: &str, data: Value, force: bool| {
        let value = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": data});
        let patch = Patch::Apply { value, manager: manager.into(), force };
        yard.kube
            .patch(&mut yard.cx, one, Part::Whole, &patch)
            .map(|object| object.to_value()["data"].clone())
            .map_err(|error| error.message)
    };
    assert_eq!(apply("me", json!({"a": "1", "b": "1"}), false), Ok(json!({"a": "1", "b": "1"})));
    assert_eq!(apply("you", json!({"c": "2"}), false), Ok(json!({"a": "1", "b": "1", "c": "2"})));
    assert_eq!(apply("me", json!({"a": "3"}), false), Ok(json!({"a": "3", "c": "2"})));
    assert_eq!(
        apply("you", json!({"a": "4", "c": "2"}), false),
        Err("Apply failed with 1 conflict: conflict with \"me\" using v1: .data.a".to_owned())
    );
    assert_eq!(apply("you", json!({"a": "4", "c": "2"}), true), Ok(json!({"a": "4", "c": "2"})));
}

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: things.toys.example}
spec:
  group: toys.example
  version: v1
  names: {plural: things, kind: Thing, shortNames: [th]}
  subresources: {status: {}}
  additionalPrinterColumns: [{name: Colour, type: string, JSONPath: .spec.colour}]
";

const THING: &str =
    "{apiVersion: toys.example/v1, kind: Thing, metadata: {name: ball}, spec: {colour: red, list: [1, 2]}}";

/// A status that says which colour something has.
#[derive(Debug)]
struct Seen(&'static str);

impl KeptStatus for Seen {
    fn to_value(&self) -> Value {
        json!({ "seen": self.0 })
    }
}

#[test]
fn a_status_kept_by_its_controller_reads_like_any_other() {
    let mut yard = Yard::new(0);
    yard.create(CRD);
    yard.run(1);
    let thing = yard.create(THING).remove(0);
    let mut keep = |colour, version: u64| {
        let kept = yard.kube.keep_status(&mut yard.cx, thing.reference(), version, Arc::new(Seen(colour)));
        kept.map(|kept| (kept.resource_version, kept.to_value()["status"].clone()))
            .map_err(|error| error.code)
    };
    let first = thing.resource_version;
    let (second, status) = keep("red", first).expect("written");
    assert_eq!((second > first, status), (true, json!({"seen": "red"})));
    assert_eq!(keep("blue", first), Err(409), "somebody has written since");
    assert_eq!(keep("red", second), Ok((second, json!({"seen": "red"}))), "nothing has changed");
    let mut value = yard.get(thing.kind, "ball").expect("there").to_value();
    let same = yard.kube.update_status(&mut yard.cx, value.clone()).expect("the same");
    assert_eq!(same.resource_version, second);
    value["status"]["seen"] = json!("green");
    let third = yard.kube.update_status(&mut yard.cx, value).expect("another one");
    assert_eq!(third.status(), Some(json!({"seen": "green"})));
    let seen = Arc::new(Seen("green"));
    let last = yard.kube.keep_status(&mut yard.cx, thing.reference(), third.resource_version, seen);
    assert_eq!(last.expect("the same").resource_version, third.resource_version);
    let pod = yard
        .create("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: i}]}}")
        .remove(0);
    let refused =
        yard.kube.keep_status(&mut yard.cx, pod.reference(), pod.resource_version, Arc::new(Seen("red")));
    assert_eq!(refused.expect_err("the cluster keeps it").code, 404);
}

#[test]
fn custom_kinds() {
    let mut yard = Yard::new(0);
    assert!(yard.refused(THING).contains("no matches for kind \"Thing\""));
    let crd = yard.create(CRD).remove(0);
    assert!(!crd.crd().expect("a definition").established, "the answer is from before the controller looked");
    yard.run(1);
    assert!(
        yard.get(KindId::CUSTOM_RESOURCE_DEFINITION, "things.toys.example")
            .expect("there")
            .crd()
            .expect("one")
            .established
    );
    let thing = yard.create(THING).remove(0);
    let kind = thing.kind;
    assert_eq!((yard.kube.find_plural("toys.example", "th"), thing.generation), (Some(kind), 1));
    yard.patch(kind, "ball", json!({"spec": {"list": [3]}})).expect("patched");
    let mut value = yard.value(kind, "ball");
    assert_eq!(
        (value["metadata"]["generation"].clone(), value["spec"]["list"].clone()),
        (json!(2), json!([3]))
    );
    value["status"] = json!({"phase": "Bouncing"});
    value["spec"]["colour"] = json!("blue");
    let version = yard.kube.resource_version();
    let updated = yard.kube.update(&mut yard.cx, value.clone()).expect("updated");
    assert_eq!(updated.status(), None, "the status is a subresource");
    value["metadata"].as_object_mut().expect("fields").remove("resourceVersion");
    let updated = yard.kube.update_status(&mut yard.cx, value).expect("updated");
    assert_eq!((updated.status(), updated.generation), (Some(json!({"phase": "Bouncing"})), 3));
    assert_eq!(yard.kube.resource_version(), version + 2);
    let one = ObjectRef::new(kind, "default", "ball");
    let error =
        yard.kube.patch(&mut yard.cx, one, Part::Whole, &Patch::Strategic(json!({}))).expect_err("custom");
    assert_eq!(error.code, 415);
    yard.delete(KindId::CUSTOM_RESOURCE_DEFINITION, "things.toys.example", Propagation::Background);
    yard.run(1);
    assert_eq!(
        (
            yard.kube.find_kind("toys.example/v1", "Thing"),
            yard.list(KindId::CUSTOM_RESOURCE_DEFINITION, "").len()
        ),
        (None, 0)
    );
    // Once more, under the same name.
    yard.create(CRD);
    yard.run(1);
    assert_eq!(yard.create(THING)[0].kind, kind);
}

#[test]
fn a_definition_is_updated_and_keeps_its_finalizer() {
    let mut yard = Yard::new(0);
    yard.create(CRD);
    yard.run(1);
    let name = "things.toys.example";
    let crd = |yard: &Yard| yard.value(KindId::CUSTOM_RESOURCE_DEFINITION, name);
    let finalizers = crd(&yard)["metadata"]["finalizers"].clone();
    assert_eq!(finalizers, json!(["customresourcecleanup.apiextensions.k8s.io"]));
    // As an operator does that applies its definition once more.
    let mut value = crd(&yard);
    value["spec"]["versions"][0]["storage"] = json!(false);
    let second = json!({"name": "v2", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}});
    value["spec"]["versions"].as_array_mut().expect("a list").push(second);
    yard.kube.update(&mut yard.cx, value).expect("updated");
    yard.run(1);
    assert!(yard.kube.find_kind("toys.example/v2", "Thing").is_some());
    let stored = crd(&yard)["status"]["storedVersions"].clone();
    assert_eq!(stored, json!(["v1", "v2"]));
    // A client that replaces it without the finalizer does not take it away.
    let mut value = crd(&yard);
    value["metadata"].as_object_mut().expect("fields").remove("finalizers");
    yard.kube.update(&mut yard.cx, value).expect("updated");
    yard.run(1);
    assert_eq!(crd(&yard)["metadata"]["finalizers"], finalizers);
    // An unqualified finalizer is still refused of built-in kinds.
    let error = yard.refused("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [mine]}}");
    assert!(error.contains("neither a standard finalizer name"), "{error}");
    for (pointer, value) in [("/spec/scope", "Cluster"), ("/spec/names/kind", "Other")] {
        let mut changed = crd(&yard);
        *changed.pointer_mut(pointer).expect(pointer) = value.into();
        let error = yard.kube.update(&mut yard.cx, changed).expect_err(pointer);
        assert!(error.code == 422 && error.message.contains("field is immutable"), "{}", error.message);
    }
}

/// Turns red things away, and paints the others green.
fn paint(_: &Api, review: &Review<'_>) -> Verdict {
    match (review.old, review.new["spec"]["colour"].as_str()) {
        (None, Some("red")) => Verdict::Denied { code: 403, reason: "no red things".to_owned() },
        (Some(_), Some("red")) => Verdict::Denied { code: 500, reason: "out of paint".to_owned() },
        (_, Some("green")) => Verdict::Allowed,
        _ => {
            let mut new = review.new.clone();
            new["spec"]["colour"] = json!("green");
            new["metadata"]["finalizers"] = json!(["paint.example/dry"]);
            Verdict::Changed(new)
        }
    }
}

#[test]
fn webhooks_are_asked() {
    let mut yard = Yard::new(0);
    yard.create(CRD);
    yard.run(1);
    yard.kube.add_webhook(Webhook {
        name: "paint.example",
        group: "toys.example",
        plural: "things",
        review: paint,
    });
    assert_eq!(
        yard.refused(THING),
        "403 Forbidden: admission webhook \"paint.example\" denied the request: no red things"
    );
    let thing = yard.create(&THING.replace("red", "blue")).remove(0);
    assert_eq!(thing.to_value()["spec"]["colour"], "green");
    assert_eq!(thing.finalizers.len(), 1);
    let value = {
        let mut value = thing.to_value();
        value["spec"]["colour"] = json!("red");
        value
    };
    let error = yard.kube.update(&mut yard.cx, value).expect_err("denied");
    assert_eq!((error.code, error.reason.as_str()), (500, "InternalError"));
    let mut value = thing.to_value();
    value["status"] = json!({"dry": true});
    yard.kube.update_status(&mut yard.cx, value).expect("statuses are not asked about");
}

#[test]
fn namespaces_are_created_and_deleted() {
    let mut yard = Yard::new(1);
    yard.create("{apiVersion: v1, kind: Namespace, metadata: {name: team}}");
    yard.run(1);
    assert_eq!(yard.kube.list(KindId::SERVICE_ACCOUNT, Some("team"), &Selector::EVERYTHING).len(), 1);
    yard.create(
        &deployment("{name: a, image: i}", "replicas: 2,").replace("{name: x}", "{name: x, namespace: team}"),
    );
    yard.run(15);
    assert_eq!(yard.kube.list(KindId::POD, Some("team"), &Selector::EVERYTHING).len(), 2);
    yard.delete(KindId::NAMESPACE, "team", Propagation::Background);
    yard.until(yard.now());
    assert_eq!(
        yard.get(KindId::NAMESPACE, "team").expect("going").namespace_phase().as_deref(),
        Some("Terminating")
    );
    let refused = yard.refused("{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: team}}");
    assert!(
        refused.ends_with(
            "is forbidden: unable to create new content in namespace team because it is being terminated"
        ),
        "{refused}"
    );
    yard.run(10);
    assert!(yard.get(KindId::NAMESPACE, "team").is_none() && yard.list(KindId::POD, "").is_empty());
    let error = yard.kube.delete(
        &mut yard.cx,
        ObjectRef::new(KindId::NAMESPACE, "", "default"),
        &DeleteOptions::default(),
    );
    assert_eq!(
        error.expect_err("never").message,
        "namespaces \"default\" is forbidden: this namespace may not be deleted"
    );
}

#[test]
fn services_have_endpoints() {
    let mut yard = Yard::new(2);
    yard.create("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: x}, ports: [{name: web, port: 80, targetPort: 8080}]}}");
    yard.create("{apiVersion: v1, kind: Service, metadata: {name: lb}, spec: {type: LoadBalancer, ports: [{port: 80}]}}");
    yard.create("{apiVersion: v1, kind: Service, metadata: {name: out}, spec: {type: ExternalName, externalName: x.example}}");
    yard.create(&deployment(
        "{name: a, image: i, readinessProbe: {exec: {command: [c]}, initialDelaySeconds: 5}}",
        "replicas: 2,",
    ));
    yard.run(1);
    let subsets = yard.value(KindId::ENDPOINTS, "s")["subsets"].clone();
    assert_eq!(
        (subsets[0].get("addresses"), subsets[0]["notReadyAddresses"].as_array().map(Vec::len)),
        (None, Some(2))
    );
    let facts = |yard: &Yard, name: &str| {
        yard.get(KindId::SERVICE, name).expect("there").service().expect("a service")
    };
    assert_eq!((facts(&yard, "lb").ingress, &*facts(&yard, "out").cluster_ip), (0, ""));
    yard.run_until(30, |yard| yard.ready("app=x") == 2);
    let subsets = yard.value(KindId::ENDPOINTS, "s")["subsets"].clone();
    assert_eq!(subsets[0]["addresses"].as_array().expect("a list").len(), 2);
    assert_eq!(subsets[0]["ports"], json!([{"name": "web", "port": 8080, "protocol": "TCP"}]));
    assert_eq!(facts(&yard, "lb").ingress, 1);
    yard.patch(KindId::SERVICE, "s", json!({"spec": {"selector": {"app": "other"}}})).expect("patched");
    yard.run(1);
    assert_eq!(yard.value(KindId::ENDPOINTS, "s").get("subsets"), None);
    yard.delete(KindId::SERVICE, "s", Propagation::Background);
    yard.run(1);
    assert!(yard.get(KindId::ENDPOINTS, "s").is_none());
}
