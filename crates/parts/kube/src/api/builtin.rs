//! The server's own admission: service accounts, tolerations, storage classes, finalizers that protect.
//!
//! Source: `kubernetes/kubernetes: plugin/pkg/admission/{serviceaccount,defaulttolerationseconds,storage/storageclass/
//! setdefault,storage/storageobjectinuseprotection,priority}`; match but for the volume with the account's token, which no pod
//! gets here.

use super::{Api, Draft};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    object::{Object, ObjectRef},
    spec::pod::admit_pod,
    tree::{Tree, as_object, object_at},
};
use planarium_protocol::{
    Text,
    json::{self},
};

/// The class that claims get that name none is marked with this.
pub(crate) const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

impl Api {
    /// Has the server's own admission complete a draft. *Errors*: a pod's service account or priority class is not there.
    pub(crate) fn admit_built_in(&self, draft: &mut Draft, old: Option<&Object>) -> Result<(), ApiError> {
        if old.is_some() {
            return Ok(());
        }
        match draft.kind {
            KindId::POD => {
                let namespace = draft.meta.namespace.clone().unwrap_or_default();
                let account: Text = draft.content.at(&["spec"]).text("serviceAccountName").into();
                let name = draft.name().to_owned();
                let forbidden = |text: String| {
                    ApiError::new(Reason::Forbidden, format!("pods {name:?} is forbidden: {text}")).about(
                        &"".into(),
                        &"pods".into(),
                        &name,
                    )
                };
                if !account.is_empty()
                    && self.get(ObjectRef::new(KindId::SERVICE_ACCOUNT, &namespace, &account)).is_none()
                {
                    let text = format!(
                        "error looking up service account {namespace}/{account}: serviceaccount {account:?} not found"
                    );
                    return Err(forbidden(text));
                }
                let class: Text = draft.content.at(&["spec"]).text("priorityClassName").into();
                let Some(priority) = self.priority_of(&class) else {
                    return Err(forbidden(format!("no PriorityClass with name {class} was found")));
                };
                if let Some(spec) =
                    as_object(&mut draft.content).and_then(|content| object_at(content, "spec"))
                {
                    json::put(spec, "priority", priority.into());
                    admit_pod(spec, false);
                }
            }
            KindId::PERSISTENT_VOLUME_CLAIM => {
                if draft.content.at(&["spec", "storageClassName"]).is_null()
                    && let Some(class) = self.default_class()
                    && let Some(spec) =
                        as_object(&mut draft.content).and_then(|content| object_at(content, "spec"))
                {
                    json::put(spec, "storageClassName", class.as_ref().into());
                }
                protect(draft, "kubernetes.io/pvc-protection");
            }
            KindId::PERSISTENT_VOLUME => protect(draft, "kubernetes.io/pv-protection"),
            _ => {}
        }
        Ok(())
    }

    /// The value of a priority class; nothing when there is none of that name.
    fn priority_of(&self, class: &str) -> Option<i64> {
        match class {
            "" => Some(0),
            "system-cluster-critical" => Some(2_000_000_000),
            "system-node-critical" => Some(2_000_001_000),
            class => {
                let class = self.get(ObjectRef::new(KindId::PRIORITY_CLASS, "", class))?;
                Some(class.content().int("value").unwrap_or(0))
            }
        }
    }

    /// The name of the default storage class.
    pub(crate) fn default_class(&self) -> Option<Text> {
        let is_default = |class: &&std::sync::Arc<Object>| {
            class.annotations.get(DEFAULT_CLASS).is_some_and(|value| **value == *"true")
        };
        self.store.of_kind(KindId::STORAGE_CLASS, None).find(is_default).map(|class| class.name.clone())
    }
}

fn protect(draft: &mut Draft, finalizer: &str) {
    if !draft.meta.finalizers.iter().any(|one| **one == *finalizer) {
        draft.meta.finalizers.push(finalizer.into());
    }
}
