//! An object as a client sends it, brought into shape.
//!
//! *Knows*: the way from plain data to typed metadata, content and status. *Must not know*: whether there is such an object
//! already.

use super::{Api, defaults};
use crate::{
    error::{ApiError, Reason},
    kinds::{KindId, KindInfo, autoscaling},
    object::Meta,
    schema::{Mismatch, conform, shape_of},
    spec::{self, Spec},
    tree::Tree,
};
use planarium_protocol::Text;
use serde_json::Value;
use std::sync::Arc;

/// An object to be: parts in the shape they are kept in.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) kind: KindId,
    pub(crate) info: Arc<KindInfo>,
    pub(crate) meta: Meta,
    /// Everything but `apiVersion`, `kind`, `metadata` and (where that is a subresource) `status`.
    pub(crate) content: Value,
    pub(crate) status: Option<Value>,
    /// True if the server made its name of a prefix; messages show the prefix.
    pub(crate) named_by_server: bool,
}

impl Draft {
    pub(crate) fn replicas(&self) -> u32 {
        self.content
            .at(&["spec", "replicas"])
            .as_i64()
            .map_or(1, |count| u32::try_from(count.max(0)).unwrap_or(u32::MAX))
    }

    pub(crate) fn read_spec(&self) -> Spec {
        spec::read(self.kind, &self.content)
    }

    /// The name, for messages.
    pub(crate) fn name(&self) -> &str {
        self.meta.name.as_deref().unwrap_or_default()
    }
}

impl Api {
    /// The kind that an object says it is. *Errors*: it says nothing, or the cluster does not serve that.
    pub(crate) fn kind_of(&self, value: &Value) -> Result<KindId, ApiError> {
        let (api_version, kind) = (value.text("apiVersion"), value.text("kind"));
        if kind.is_empty() {
            return Err(ApiError::new(Reason::BadRequest, "Object 'Kind' is missing"));
        }
        if api_version.is_empty() {
            return Err(ApiError::new(Reason::BadRequest, "Object 'apiVersion' is missing"));
        }
        self.find_kind(api_version, kind).ok_or_else(|| {
            let message = format!("no matches for kind {kind:?} in version {api_version:?}");
            ApiError::new(Reason::NotFound, message)
        })
    }

    /// The first field of an object whose value has a type that its kind cannot take.
    pub fn mismatch(&self, kind: KindId, value: &Value) -> Option<Mismatch> {
        conform(&shape_of(kind), &mut value.clone()).err()
    }

    /// Takes an object apart. *Errors*: 400 for values of a wrong type.
    pub(crate) fn draft(&self, kind: KindId, mut value: Value) -> Result<Draft, ApiError> {
        let Some(info) = self.kind_info(kind).cloned() else {
            return Err(ApiError::new(Reason::NotFound, "the server could not find the requested resource"));
        };
        if !value.is_object() {
            return Err(ApiError::new(Reason::BadRequest, "the body is not an object"));
        }
        let version: Text = value.text("apiVersion").rsplit('/').next().unwrap_or_default().into();
        let unfit = |text: String| {
            let kind = &info.kind;
            let message = format!("{kind} in version {version:?} cannot be handled as a {kind}: {text}");
            ApiError::new(Reason::BadRequest, message)
        };
        if kind == KindId::HORIZONTAL_POD_AUTOSCALER
            && let Some(spec) = value.get_mut("spec").and_then(Value::as_object_mut)
        {
            autoscaling::from_v1(spec);
        }
        conform(&shape_of(kind), &mut value).map_err(|mismatch| unfit(mismatch.text()))?;
        let mut metadata = value.get_mut("metadata").map(Value::take).unwrap_or_default();
        if info.custom || !metadata.is_object() {
            if metadata.is_null() {
                metadata = Value::Object(serde_json::Map::new());
            }
            conform(&crate::schema::META, &mut metadata).map_err(|mismatch| unfit(mismatch.text()))?;
        }
        let meta = Meta::read(&metadata);
        let mut status = None;
        if let Some(fields) = value.as_object_mut() {
            for key in ["apiVersion", "kind", "metadata"] {
                fields.shift_remove(key);
            }
            if info.has_status {
                status = fields.shift_remove("status");
            }
            defaults::fill(kind, fields).map_err(unfit)?;
        }
        Ok(Draft { kind, info, meta, content: value, status, named_by_server: false })
    }
}
