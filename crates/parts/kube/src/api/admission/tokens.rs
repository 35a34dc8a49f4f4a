//! The volume with a token of the pod's service account, in every pod that does not decline it.
//!
//! Source: `kubernetes/kubernetes: plugin/pkg/admission/serviceaccount/admission.go` (`shouldAutomount`, `mountServiceAccountToken`,
//! `TokenVolumeSource`, 1.29), match. The ConfigMap `kube-root-ca.crt` that it names is no object here, so nothing waits for it.

use crate::{
    api::Api,
    kinds::KindId,
    object::ObjectRef,
    spec::workload::safe_text,
    tree::{Tree, array_at},
};
use planarium_kernel::draw;
use planarium_protocol::{
    Text,
    json::{Map, Value},
};

/// Names of such volumes begin so.
const PREFIX: &str = "kube-api-access-";
/// The path that containers find the token at.
const PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
/// Life of a token. *Units*: seconds.
const EXPIRES_S: u32 = 3_607;
/// The purpose of the draw of a volume's name.
const NAME: u32 = 0x4B0B;

impl Api {
    /// Returns the volume's name for a new pod of an account (default: `default`); `None` if the pod or its account declines it.
    pub(super) fn token_volume(
        &self,
        namespace: &str,
        pod: &str,
        account: &str,
        wish: &Value,
    ) -> Option<Text> {
        let account = if account.is_empty() { "default" } else { account };
        let mounts = wish.as_bool().or_else(|| {
            let account = self.get(ObjectRef::new(KindId::SERVICE_ACCOUNT, namespace, account))?;
            account.content().key("automountServiceAccountToken").as_bool()
        });
        mounts.unwrap_or(true).then(|| {
            let entity = draw::entity_of(&[namespace, "/", pod]);
            let suffix = draw::draw(self.seed, entity, NAME, self.store.version);
            format!("{PREFIX}{}", safe_text(suffix, 5)).into()
        })
    }
}

/// Mounts the named volume in every container that has nothing at its path; a pod's existing volume of that kind stays.
pub(crate) fn mount_token(spec: &mut Map<String, Value>, name: &str) {
    let volumes = spec.get("volumes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let known = volumes.iter().map(|volume| volume.text("name")).find(|name| name.starts_with(PREFIX));
    let (is_there, name) = (known.is_some(), known.unwrap_or(name).to_owned());
    let mut is_needed = false;
    for key in ["initContainers", "containers"] {
        for container in spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            if container.items("volumeMounts").iter().any(|mount| mount.text("mountPath") == PATH) {
                continue;
            }
            let Some(mounts) = container.as_object_mut().and_then(|fields| array_at(fields, "volumeMounts"))
            else {
                continue;
            };
            mounts.push(planarium_protocol::json!({
                "name": (name.as_str()), "readOnly": true, "mountPath": PATH,
            }));
            is_needed = true;
        }
    }
    if is_needed
        && !is_there
        && let Some(volumes) = array_at(spec, "volumes")
    {
        volumes.push(planarium_protocol::json!({ "name": name, "projected": {
            "sources": [
                { "serviceAccountToken": { "expirationSeconds": EXPIRES_S, "path": "token" } },
                { "configMap": { "name": "kube-root-ca.crt", "items": [{ "key": "ca.crt", "path": "ca.crt" }] } },
                { "downwardAPI": { "items": [
                    { "path": "namespace", "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.namespace" } },
                ] } },
            ],
            "defaultMode": 420,
        } }));
    }
}
