//! Quotas that prevent pods, and how far they must rise.
//!
//! *Knows*: the words of a refusal, and a template's requests. *Must not know*: who creates the pods.

use crate::{
    api::{Api, bounds_for},
    kinds::KindId,
    object::{Object, ObjectRef},
    tree::Tree,
};
use planarium_part::http::encode;
use planarium_protocol::{
    input::{HttpCall, Input},
    json::{self, Map, Value},
    why::Unblock,
};

/// Returns the call that raises the quota named in a refusal, by the requests of a workload's missing pods; `None` if it names none.
pub(super) fn raise(api: &Api, owner: &Object, refusal: &str, missing: u32) -> Option<Unblock> {
    let rest = refusal.split_once("exceeded quota: ")?.1;
    let (name, rest) = rest.split_once(", requested: ")?;
    let asked = rest.split_once(", used: ")?.0;
    let quota = api.get(ObjectRef::new(KindId::RESOURCE_QUOTA, &owner.namespace, name))?;
    let info = api.kind_info(KindId::POD)?;
    let template = owner.content().at(&["spec", "template"]);
    let bounds = bounds_for(quota, info, template, missing.max(1), asked);
    if bounds.is_empty() {
        return None;
    }
    let mut hard = Map::new();
    for (key, amount) in &bounds {
        json::put(&mut hard, key, amount.as_str().into());
    }
    let list: Vec<String> = bounds.iter().map(|(key, amount)| format!("{key}={amount}")).collect();
    let call = HttpCall {
        method: "PATCH".to_owned(),
        path: format!("/kube/api/v1/namespaces/{}/resourcequotas/{}", encode(&owner.namespace), encode(name)),
        body: planarium_protocol::json!({ "spec": { "hard": (Value::Object(hard)) } }),
        content_type: Some("application/merge-patch+json".to_owned()),
    };
    let title = format!("Raise the quota {name} to {}", list.join(", "));
    Some(Unblock { title, input: Some(Input::Call(call)) })
}
