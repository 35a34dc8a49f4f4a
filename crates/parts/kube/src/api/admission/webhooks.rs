//! Webhooks: functions that are asked about a change before it is made.
//!
//! *Must not know*: what they decide by.

use crate::{
    api::{Api, Draft},
    error::{ApiError, Reason},
    object::Object,
    request::{Review, Verdict},
    tree::put_new,
};
use planarium_protocol::json::{self, Map, Value};
use std::sync::Arc;

impl Api {
    /// Asks the webhooks about a draft and takes over what they change. *Errors*: one denies it.
    pub(crate) fn review(&self, draft: &mut Draft, old: Option<&Arc<Object>>) -> Result<(), ApiError> {
        let webhooks = self.webhooks.clone();
        for webhook in webhooks.iter() {
            if *webhook.group != *draft.info.group || *webhook.plural != *draft.info.plural {
                continue;
            }
            let new = draft_value(draft, old);
            match (webhook.review)(self, &Review { old, new: &new }) {
                Verdict::Allowed => {}
                Verdict::Changed(value) => {
                    let changed = self.draft(draft.kind, value)?;
                    let (name, namespace) = (draft.meta.name.take(), draft.meta.namespace.take());
                    draft.meta = changed.meta;
                    (draft.meta.name, draft.meta.namespace) = (name, namespace);
                    (draft.content, draft.status) = (changed.content, changed.status);
                }
                Verdict::Denied { code, reason } => {
                    let message =
                        format!("admission webhook {:?} denied the request: {reason}", webhook.name);
                    let kind = if code >= 500 { Reason::InternalError } else { Reason::Forbidden };
                    return Err(ApiError { code, ..ApiError::new(kind, message) });
                }
            }
        }
        Ok(())
    }
}

/// The whole object that a draft would become.
fn draft_value(draft: &Draft, old: Option<&Arc<Object>>) -> Value {
    let mut fields = Map::new();
    json::put(&mut fields, "apiVersion", draft.info.preferred().as_ref().into());
    json::put(&mut fields, "kind", draft.info.kind.as_ref().into());
    let mut metadata = match old.map(|old| old.metadata()) {
        Some(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let meta = &draft.meta;
    for (key, text) in
        [("name", &meta.name), ("generateName", &meta.generate_name), ("namespace", &meta.namespace)]
    {
        if let Some(text) = text {
            put_new(&mut metadata, key, text.as_ref().into());
        }
    }
    for (key, pairs) in [("labels", &meta.labels), ("annotations", &meta.annotations)] {
        metadata.shift_remove(key);
        if !pairs.is_empty() {
            json::put(&mut metadata, key, pairs.to_value());
        }
    }
    metadata.shift_remove("ownerReferences");
    if !meta.owners.is_empty() {
        let owners = meta.owners.iter().map(crate::object::OwnerReference::to_value).collect();
        json::put(&mut metadata, "ownerReferences", Value::Array(owners));
    }
    metadata.shift_remove("finalizers");
    if !meta.finalizers.is_empty() {
        let finalizers = meta.finalizers.iter().map(|one| one.as_ref().into()).collect();
        json::put(&mut metadata, "finalizers", Value::Array(finalizers));
    }
    json::put(&mut fields, "metadata", Value::Object(metadata));
    if let Value::Object(content) = &draft.content {
        fields.extend(content.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    if let Some(status) = old.and_then(|old| old.status()) {
        json::put(&mut fields, "status", status);
    }
    Value::Object(fields)
}
