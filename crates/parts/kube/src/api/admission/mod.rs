//! The server's own admission: checks an object before it is stored, and completes it.
//!
//! *Knows*: the plug-ins of the default set, in their order: limits, accounts, priorities, tolerations, storage, runtime classes;
//! [`quota`] comes last, after validation. *Must not know*: the client. Pods of controllers pass through it like those of clients
//! ([`Api::admit_made`]).
//!
//! Source: `kubernetes/kubernetes: pkg/kubeapiserver/options/plugins.go` (order), `plugin/pkg/admission/{limitranger,
//! serviceaccount,priority,defaulttolerationseconds,runtimeclass,storage/storageclass/setdefault,
//! storage/storageobjectinuseprotection}` (1.29); match.

mod limits;
mod priority;
mod quota;
mod tokens;
mod webhooks;

pub(crate) use priority::SYSTEM;
pub(crate) use quota::{Charge, bounds_for, gives_back, status as quota_status};
pub(crate) use tokens::mount_token;

use super::{Api, Draft, Parts};
use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    object::{Object, ObjectRef},
    spec::{
        Spec,
        pod::{PodOwn, PodSpec, Rank, admit_pod},
    },
    tree::{Tree, as_object, object_at, put_new, shared_text},
};
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};
use std::sync::Arc;

/// The class that claims get that name none is marked with this.
pub(crate) const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

impl Api {
    /// Has the server's own admission complete a draft. *Errors*: it refuses the object.
    pub(crate) fn admit_built_in(&self, draft: &mut Draft, old: Option<&Object>) -> Result<(), ApiError> {
        match draft.kind {
            KindId::POD if old.is_none() => self.admit_posted(draft)?,
            KindId::PERSISTENT_VOLUME_CLAIM if old.is_none() => {
                if draft.content.at(&["spec", "storageClassName"]).is_null()
                    && let Some(class) = self.default_class()
                    && let Some(spec) =
                        as_object(&mut draft.content).and_then(|content| object_at(content, "spec"))
                {
                    json::put(spec, "storageClassName", class.as_ref().into());
                }
                protect(draft, "kubernetes.io/pvc-protection");
                let namespace = draft.meta.namespace.as_deref().unwrap_or_default();
                self.check_claim_limits(namespace, draft.name(), draft.content.key("spec"))?;
            }
            KindId::PERSISTENT_VOLUME if old.is_none() => protect(draft, "kubernetes.io/pv-protection"),
            KindId::PRIORITY_CLASS => self.admit_priority_class(draft)?,
            _ => {}
        }
        Ok(())
    }

    /// A pod that a client sends.
    fn admit_posted(&self, draft: &mut Draft) -> Result<(), ApiError> {
        let namespace = draft.meta.namespace.clone().unwrap_or_default();
        let refused = draft.meta.generate_name.clone().filter(|_| draft.named_by_server);
        let whole: Text = draft.name().into();
        let name = refused.unwrap_or_else(|| whole.clone());
        let Some(spec) = as_object(&mut draft.content).and_then(|content| object_at(content, "spec")) else {
            return Ok(());
        };
        if let Some(noted) = self.apply_limits(&namespace, &whole, spec)? {
            draft.meta.annotations = draft.meta.annotations.with(limits::ANNOTATION, noted);
        }
        let asked = Asked::of(spec);
        let rank = self.admit_account_and_rank(&namespace, &name, &asked)?;
        if let Some(overhead) = self.overhead_of(&name, &asked)? {
            put_new(spec, "overhead", overhead);
        }
        admit_pod(spec, false, &rank);
        if let Some(token) = self.token_volume(&namespace, &name, &asked.account, &asked.automount) {
            mount_token(spec, &token);
        }
        Ok(())
    }

    /// Admits a pod that a controller makes from its template: refused like any other, and completed by limits or a runtime class.
    /// *Cost*: small in namespaces without limits.
    pub(crate) fn admit_made(&self, parts: &mut Parts) -> Result<(), ApiError> {
        if parts.kind != KindId::POD {
            return Ok(());
        }
        let (namespace, name) = (parts.namespace.clone(), parts.asked_name());
        let asked = Asked::of_value(parts.content.key("spec"));
        if self.has_limits(&namespace) || !asked.runtime_class.is_empty() {
            let mut content = Value::clone(&parts.content);
            if let Some(spec) = as_object(&mut content).and_then(|content| object_at(content, "spec")) {
                requests_of_limits(spec);
                if let Some(noted) = self.apply_limits(&namespace, &parts.name, spec)? {
                    parts.annotations = parts.annotations.with(limits::ANNOTATION, noted);
                }
                if let Some(overhead) = self.overhead_of(&name, &asked)? {
                    put_new(spec, "overhead", overhead);
                }
            }
            if let Spec::Pod(spec, _) = &mut parts.spec {
                *spec = Arc::new(PodSpec::read(content.key("spec"), spec.ends));
            }
            parts.content = Arc::new(content);
        }
        let rank = self.admit_account_and_rank(&namespace, &name, &asked)?;
        let token = self.token_volume(&namespace, &parts.name, &asked.account, &asked.automount);
        if let Spec::Pod(_, own) = &mut parts.spec {
            let own: &mut PodOwn = Arc::make_mut(own);
            (own.rank, own.token) = (rank, token);
        }
        Ok(())
    }

    fn admit_account_and_rank(&self, namespace: &str, name: &str, asked: &Asked) -> Result<Rank, ApiError> {
        // A missing account `default` is recreated immediately.
        if !matches!(&*asked.account, "" | "default")
            && self.get(ObjectRef::new(KindId::SERVICE_ACCOUNT, namespace, &asked.account)).is_none()
        {
            let account = &asked.account;
            let text = format!(
                "error looking up service account {namespace}/{account}: serviceaccount {account:?} not found"
            );
            return Err(forbidden("pods", name, &text));
        }
        self.rank_of(asked).map_err(|text| forbidden("pods", name, &text))
    }

    /// Returns the overhead of a pod's runtime class. *Errors*: the class does not exist.
    fn overhead_of(&self, name: &str, asked: &Asked) -> Result<Option<Value>, ApiError> {
        if asked.runtime_class.is_empty() {
            return Ok(None);
        }
        let class = &asked.runtime_class;
        let found = self.get(ObjectRef::new(KindId::RUNTIME_CLASS, "", class)).ok_or_else(|| {
            forbidden("pods", name, &format!("pod rejected: RuntimeClass {class:?} not found"))
        })?;
        let overhead = found.content().at(&["overhead", "podFixed"]);
        Ok(overhead.is_object().then(|| overhead.clone()))
    }

    /// The name of the default storage class.
    pub(crate) fn default_class(&self) -> Option<Text> {
        let is_default = |class: &&Arc<Object>| {
            class.annotations.get(DEFAULT_CLASS).is_some_and(|value| **value == *"true")
        };
        self.store.of_kind(KindId::STORAGE_CLASS, None).find(is_default).map(|class| class.name.clone())
    }
}

/// The fields of a pod's spec that admission goes by.
struct Asked {
    account: Text,
    class: Text,
    priority: Option<i64>,
    policy: Text,
    runtime_class: Text,
    automount: Value,
}

impl Asked {
    fn of_value(spec: &Value) -> Self {
        Self {
            account: shared_text(spec.text("serviceAccountName")),
            class: shared_text(spec.text("priorityClassName")),
            priority: spec.int("priority"),
            policy: shared_text(spec.text("preemptionPolicy")),
            runtime_class: shared_text(spec.text("runtimeClassName")),
            automount: spec.key("automountServiceAccountToken").clone(),
        }
    }

    fn of(spec: &Map<String, Value>) -> Self {
        let text = |key: &str| shared_text(spec.get(key).and_then(Value::as_str).unwrap_or_default());
        Self {
            account: text("serviceAccountName"),
            class: text("priorityClassName"),
            priority: spec.get("priority").and_then(Value::as_i64),
            policy: text("preemptionPolicy"),
            runtime_class: text("runtimeClassName"),
            automount: spec.get("automountServiceAccountToken").cloned().unwrap_or_default(),
        }
    }
}

/// Requests of containers that name a limit only are that limit, as in every pod that the server keeps.
pub(crate) fn requests_of_limits(spec: &mut Map<String, Value>) {
    for key in ["initContainers", "containers"] {
        for container in spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut)
                && let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned()
                && let Some(requests) = object_at(resources, "requests")
            {
                limits.into_iter().for_each(|(key, limit)| put_new(requests, &key, limit));
            }
        }
    }
}

/// 403, as an admission plug-in gives it.
pub(crate) fn forbidden(plural: &str, name: &str, text: &str) -> ApiError {
    let message = format!("{plural} {name:?} is forbidden: {text}");
    ApiError::new(Reason::Forbidden, message).about(&"".into(), &plural.into(), name)
}

fn protect(draft: &mut Draft, finalizer: &str) {
    if !draft.meta.finalizers.iter().any(|one| **one == *finalizer) {
        draft.meta.finalizers.push(finalizer.into());
    }
}
