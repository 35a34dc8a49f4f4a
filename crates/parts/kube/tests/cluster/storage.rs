//! Claims and volumes.

#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

use crate::support::Yard;
use planarium_kube::{KindId, Propagation};
use serde_json::json;

fn claim(more: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: data}}, spec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 5Gi}}}}{more}}}}}"
    )
}

fn phase(yard: &Yard, kind: KindId, name: &str) -> String {
    yard.value(kind, name)["status"]["phase"].as_str().unwrap_or_default().to_owned()
}

const USER: &str = "
apiVersion: v1
kind: Pod
metadata: {name: one}
spec:
  containers: [{name: a, image: nginx}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]
";

#[test]
fn a_claim_gets_a_volume() {
    let mut yard = Yard::new(1);
    yard.create(&claim(""));
    yard.until(0);
    assert_eq!(phase(&yard, KindId::PERSISTENT_VOLUME_CLAIM, "data"), "Pending");
    yard.run(5);
    let value = yard.value(KindId::PERSISTENT_VOLUME_CLAIM, "data");
    assert_eq!(
        (value["status"]["phase"].clone(), value["spec"]["storageClassName"].clone()),
        (json!("Bound"), json!("standard"))
    );
    let volume = yard.value(KindId::PERSISTENT_VOLUME, value["spec"]["volumeName"].as_str().expect("a name"));
    assert_eq!(volume["spec"]["capacity"]["storage"], "5Gi");
    assert_eq!(volume["status"]["phase"], "Bound");
    let refused = yard.patch(
        KindId::PERSISTENT_VOLUME_CLAIM,
        "data",
        json!({"spec": {"accessModes": ["ReadWriteMany"]}}),
    );
    assert!(
        refused
            .expect_err("immutable")
            .contains("is immutable after creation except resources.requests for bound claims")
    );
    yard.patch(
        KindId::PERSISTENT_VOLUME_CLAIM,
        "data",
        json!({"spec": {"resources": {"requests": {"storage": "8Gi"}}}}),
    )
    .expect("may grow");
    yard.delete(KindId::PERSISTENT_VOLUME_CLAIM, "data", Propagation::Background);
    yard.run(1);
    assert!(
        yard.list(KindId::PERSISTENT_VOLUME_CLAIM, "").is_empty()
            && yard.list(KindId::PERSISTENT_VOLUME, "").is_empty()
    );
}

#[test]
fn a_claim_in_use_stays() {
    let mut yard = Yard::new(1);
    yard.create(&claim(""));
    yard.create(USER);
    yard.run(20);
    assert_eq!(yard.ready(""), 1);
    yard.delete(KindId::PERSISTENT_VOLUME_CLAIM, "data", Propagation::Background);
    yard.run(5);
    assert!(yard.get(KindId::PERSISTENT_VOLUME_CLAIM, "data").expect("held").is_being_deleted());
    assert!(yard.why(KindId::PERSISTENT_VOLUME_CLAIM, "data")[0].1.contains("still used by one"));
    yard.delete(KindId::POD, "one", Propagation::Background);
    yard.run(5);
    assert!(yard.get(KindId::PERSISTENT_VOLUME_CLAIM, "data").is_none());
}

#[test]
fn claims_that_wait() {
    for (class, more, reason) in [
        ("", ", storageClassName: ''", "FailedBinding"),
        ("", ", storageClassName: none", "ProvisioningFailed"),
        (
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner}",
            ", storageClassName: local",
            "ProvisioningFailed",
        ),
        (
            "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: late}, provisioner: x.example/y, volumeBindingMode: WaitForFirstConsumer}",
            ", storageClassName: late",
            "WaitForFirstConsumer",
        ),
    ] {
        let mut yard = Yard::new(1);
        yard.create(class);
        yard.create(&claim(more));
        yard.run(10);
        assert_eq!(phase(&yard, KindId::PERSISTENT_VOLUME_CLAIM, "data"), "Pending", "{more}");
        assert_eq!(yard.told(0, &[reason]).len(), 1, "{more}: {}", yard.story());
        yard.create(USER);
        yard.run(20);
        assert_eq!(
            yard.ready("") == 1,
            reason == "WaitForFirstConsumer",
            "{more}: {}\n{}",
            yard.pods(),
            yard.story()
        );
    }
}

#[test]
fn the_smallest_matching_volume_is_bound() {
    let mut yard = Yard::new(1);
    for (name, size, mode) in [
        ("big", "50Gi", "ReadWriteOnce"),
        ("right", "10Gi", "ReadWriteOnce"),
        ("small", "1Gi", "ReadWriteOnce"),
        ("other", "6Gi", "ReadOnlyMany"),
    ] {
        yard.create(&format!("{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: {name}}}, spec: {{capacity: {{storage: {size}}}, accessModes: [{mode}], hostPath: {{path: /x}}}}}}"));
    }
    yard.run(1);
    assert_eq!(phase(&yard, KindId::PERSISTENT_VOLUME, "right"), "Available");
    yard.create(&claim(", storageClassName: ''"));
    yard.run(1);
    let value = yard.value(KindId::PERSISTENT_VOLUME_CLAIM, "data");
    assert_eq!(
        (value["spec"]["volumeName"].clone(), value["status"]["capacity"]["storage"].clone()),
        (json!("right"), json!("10Gi"))
    );
    yard.delete(KindId::PERSISTENT_VOLUME_CLAIM, "data", Propagation::Background);
    yard.run(1);
    assert_eq!(
        phase(&yard, KindId::PERSISTENT_VOLUME, "right"),
        "Released",
        "it is kept, and nobody gets it"
    );
}

#[test]
fn a_volume_may_be_bound_to_nodes() {
    let mut yard = Yard::new(3);
    yard.create("{apiVersion: v1, kind: PersistentVolume, metadata: {name: local}, spec: {capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce], local: {path: /x}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node-2]}]}]}}}}");
    yard.create(&claim(", storageClassName: ''"));
    yard.run(1);
    yard.create(USER);
    yard.run(10);
    assert_eq!(&*yard.get(KindId::POD, "one").expect("there").pod().expect("a pod").node, "node-2");
    yard.delete(KindId::POD, "one", Propagation::Background);
    yard.run(5);
    yard.kube.cordon(&mut yard.cx, "node-2").expect("there");
    yard.create(USER);
    yard.run(1);
    assert!(yard.told(0, &["FailedScheduling"])[0].ends_with(
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had volume node affinity conflict. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    ));
}
