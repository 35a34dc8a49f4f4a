//! Field selectors: `status.phase=Running,metadata.name!=x`.
//!
//! Source: `kubernetes/kubernetes: pkg/apis/core/v1/conversion.go` (which labels each kind supports), match.

use crate::{
    error::{ApiError, Reason},
    kinds::{KindId, KindInfo},
    object::Object,
    spec::Spec,
    tree::Tree,
};
use planarium_protocol::Text;

/// Requirements on fields; all have to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(Vec<(Text, bool, Text)>);

/// Fields beside name and namespace that a kind can be asked for.
fn supported(kind: KindId) -> &'static [&'static str] {
    match kind {
        KindId::POD => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        KindId::NODE => &["spec.unschedulable"],
        KindId::NAMESPACE => &["status.phase"],
        KindId::SECRET => &["type"],
        KindId::REPLICA_SET | KindId::REPLICATION_CONTROLLER => &["status.replicas"],
        KindId::JOB => &["status.successful"],
        KindId::EVENT => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        _ => &[],
    }
}

impl Fields {
    /// *Errors*: 400 for an invalid selector, or a field that the kind cannot be selected by.
    pub(super) fn parse(text: &str, kind: KindId, info: &KindInfo) -> Result<Self, ApiError> {
        let bad = |text: String| ApiError::new(Reason::BadRequest, text);
        let mut all = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let split = ["!=", "==", "="]
                .into_iter()
                .find_map(|sign| part.split_once(sign).map(|(key, value)| (key, sign != "!=", value)));
            let Some((key, equal, value)) = split else {
                return Err(bad(format!("invalid field selector: {part:?}; can't understand '{part}'")));
            };
            let known =
                matches!(key, "metadata.name" | "metadata.namespace") || supported(kind).contains(&key);
            if !known {
                let what = if info.custom || supported(kind).is_empty() {
                    format!(
                        "{key:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                    )
                } else {
                    format!("field label not supported: {key}")
                };
                return Err(bad(what));
            }
            all.push((key.into(), equal, value.replace("\\,", ",").replace("\\=", "=").into()));
        }
        Ok(Self(all))
    }

    /// True if all requirements hold for an object.
    pub(super) fn matches(&self, object: &Object) -> bool {
        self.0.iter().all(|(key, equal, wanted)| (*value_of(object, key) == **wanted) == *equal)
    }

    /// True if all requirements hold for plain data.
    pub(super) fn matches_value(&self, value: &serde_json::Value) -> bool {
        self.0.iter().all(|(key, equal, wanted)| {
            let path: Vec<&str> =
                if &**key == "source" { vec!["source", "component"] } else { key.split('.').collect() };
            (value.at(&path).as_str().unwrap_or_default() == &**wanted) == *equal
        })
    }

    /// The only name that can match, if a name is asked for.
    pub(super) fn name(&self) -> Option<&str> {
        self.0.iter().find(|(key, equal, _)| &**key == "metadata.name" && *equal).map(|(_, _, name)| &**name)
    }
}

fn value_of(object: &Object, key: &str) -> Text {
    match (key, &object.spec) {
        ("metadata.name", _) => object.name.clone(),
        ("metadata.namespace", _) => object.namespace.clone(),
        ("spec.nodeName", Spec::Pod(_, own)) => own.node.clone(),
        ("status.phase" | "status.podIP", Spec::Pod(..)) => {
            let facts = object.pod();
            facts.map(|facts| if key == "status.phase" { facts.phase } else { facts.ip }).unwrap_or_default()
        }
        ("status.successful", _) => {
            object.job().map_or_else(Text::default, |job| job.succeeded.to_string().into())
        }
        ("status.replicas", _) => {
            object.replica_set().map_or_else(Text::default, |set| set.replicas.to_string().into())
        }
        ("spec.serviceAccountName", Spec::Pod(_, own)) if own.of_template => {
            let account = object.content().at(&["spec"]).text("serviceAccountName");
            if account.is_empty() { "default".into() } else { account.into() }
        }
        _ => {
            let path: Vec<&str> = key.split('.').collect();
            let found = match path.as_slice() {
                ["status", rest @ ..] => {
                    object.status().map(|status| status.at(rest).clone()).unwrap_or_default()
                }
                path => object.content().at(path).clone(),
            };
            match found {
                serde_json::Value::String(text) => text.into(),
                serde_json::Value::Null if key == "spec.unschedulable" => "false".into(),
                serde_json::Value::Null => "".into(),
                other => other.to_string().into(),
            }
        }
    }
}
