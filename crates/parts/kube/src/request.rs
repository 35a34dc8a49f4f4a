//! Requests to the API server, beside the object itself.

use crate::{
    error::ApiError,
    kinds::KindId,
    object::{OBJECT, Object},
};
use planarium_kernel::{Weight, cow::behind};
use planarium_protocol::Text;
use serde_json::Value;
use std::sync::Arc;

/// A patch by its media type.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// `application/json-patch+json`: a list of operations.
    Json(Value),
    /// `application/merge-patch+json`: keys are set, `null` removes, lists are replaced.
    Merge(Value),
    /// `application/strategic-merge-patch+json`: as above, but lists of built-in kinds are merged by their keys.
    /// *Errors*: 415 for custom resources.
    Strategic(Value),
    /// `application/apply-patch+yaml`: server-side apply by a field manager.
    Apply {
        /// The object as the manager wants it.
        value: Value,
        /// The manager.
        manager: Text,
        /// Take fields over from other managers.
        force: bool,
    },
}

/// Which part of an object a write means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The object; its status stays where that is a subresource.
    #[default]
    Whole,
    /// The subresource `status`.
    Status,
    /// The subresource `scale`.
    Scale,
}

/// The fate of an object's dependants when it is deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// They go after it.
    #[default]
    Background,
    /// They go first; the object waits for those that block its deletion.
    Foreground,
    /// They stay and lose their owner.
    Orphan,
}

/// Options of a deletion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    /// The fate of dependants.
    pub propagation: Propagation,
    /// Replaces the pod's own grace period; 0 removes a pod immediately, without its node's confirmation. *Units*:
    /// seconds.
    pub grace_s: Option<u32>,
    /// Only if it is still this object.
    pub uid: Option<Text>,
    /// Only if it is still at this version.
    pub resource_version: Option<u64>,
}

/// The result of an apply.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The object as the API server answered: before any controller has acted on the change.
    pub object: Arc<Object>,
    /// The deed.
    pub outcome: Outcome,
}

/// The deed of an apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There was none.
    Created,
    /// It was changed.
    Configured,
    /// There was nothing to change.
    Unchanged,
}

/// The change that an admission webhook is asked about.
#[derive(Debug)]
pub struct Review<'a> {
    /// The current object; `None` on creation.
    pub old: Option<&'a Arc<Object>>,
    /// The object as it would be, `metadata` (name, namespace, labels, deletionTimestamp, ...), `spec` and `status` included.
    pub new: &'a Value,
}

/// The verdict of an admission webhook.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Allowed unchanged.
    Allowed,
    /// With these changes: the object that takes the place of the new one.
    Changed(Value),
    /// Denied: `admission webhook "..." denied the request: ...`.
    Denied {
        /// 403 unless the webhook says otherwise.
        code: u16,
        /// Why.
        reason: String,
    },
}

/// An admission webhook: a pure function of the cluster and the change.
#[derive(Clone, Copy, Debug)]
pub struct Webhook {
    /// Its name, for messages.
    pub name: &'static str,
    /// Group of the kind that it is for.
    pub group: &'static str,
    /// Plural of the kind that it is for.
    pub plural: &'static str,
    /// The function. Called for creation and for every change of the object, its status apart.
    pub review: fn(&crate::Api, &Review<'_>) -> Verdict,
}

/// One change of one object.
#[derive(Clone, Debug, Weight)]
#[weight(new OBJECT + behind(&self.object, None, |_| 512))]
pub struct Change {
    /// The version it brought.
    pub resource_version: u64,
    /// Its kind.
    pub kind: ChangeKind,
    /// The object after it; as it last was, with the new version, for a removal.
    pub object: Arc<Object>,
    /// The object before the change; `None` if it was created.
    pub before: Option<Arc<Object>>,
}

impl Change {
    /// Returns the object before the change; `None` if it was created.
    pub(crate) fn before(&self) -> Option<&Arc<Object>> {
        self.before.as_ref()
    }

    /// Returns the object after the change; `None` if it was deleted.
    pub(crate) fn after(&self) -> Option<&Arc<Object>> {
        (self.kind != ChangeKind::Deleted).then_some(&self.object)
    }
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The object came into being.
    Added,
    /// It changed.
    Modified,
    /// It was deleted.
    Deleted,
}

/// The answer to a write.
pub type Written = Result<Arc<Object>, ApiError>;

/// Which objects a list means.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The kind.
    pub kind: KindId,
    /// Only in this namespace; in all where there is none.
    pub namespace: Option<&'a str>,
}
