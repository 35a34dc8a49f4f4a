//! Posted queries: a user's identity and permissions, a token for an account. Everything is permitted here.
//!
//! **Source**: `kubernetes/api: authorization/v1, authentication/v1`; the answers are ours.

use super::{Answer, Request, nothing_there, write::plain};
use crate::{
    calendar::Epoch,
    error::ApiError,
    kinds::KindId,
    kube::Kube,
    object::ObjectRef,
    tree::{Tree, as_object},
};
use planarium_kernel::SimTime;
use planarium_protocol::json;

/// Answers a posted question; none for a path that is none. Reviews are posted to paths that the table of [`super::path`] has for objects, in
/// any version, and an unknown review is 404 itself: they stay apart from it.
pub(super) fn answer(request: &Request<'_>, words: &[&str]) -> Option<Result<Answer, ApiError>> {
    let status = match words {
        ["apis", "authorization.k8s.io", _, rest @ ..] => {
            let review = match rest {
                [review] | ["namespaces", _, review] => *review,
                _ => return None,
            };
            if !matches!(
                review,
                "selfsubjectaccessreviews"
                    | "subjectaccessreviews"
                    | "selfsubjectrulesreviews"
                    | "localsubjectaccessreviews"
            ) {
                return Some(Err(nothing_there()));
            }
            let anything = json!([{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }]);
            let anywhere = json!([{ "verbs": ["*"], "nonResourceURLs": ["*"] }]);
            if review == "selfsubjectrulesreviews" {
                json!({ "resourceRules": anything, "nonResourceRules": anywhere, "incomplete": false })
            } else {
                json!({ "allowed": true, "reason": "everybody may do everything here" })
            }
        }
        ["apis", "authentication.k8s.io", _, "selfsubjectreviews"] => {
            json!({ "userInfo": { "username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"] } })
        }
        _ => return None,
    };
    Some(plain(request).map(|mut value| {
        if let Some(fields) = as_object(&mut value) {
            json::put(fields, "status", status);
        }
        Answer::json(201, value)
    }))
}

/// A token of a service account; it opens nothing, as nothing is closed. *Errors*: 404.
pub(super) fn token(
    kube: &Kube,
    now: SimTime,
    request: &Request<'_>,
    namespace: &str,
    name: &str,
) -> Result<Answer, ApiError> {
    let account = kube.read(ObjectRef::new(KindId::SERVICE_ACCOUNT, namespace, name))?;
    let mut value = plain(request)?;
    let seconds = value.at(&["spec", "expirationSeconds"]).as_u64().unwrap_or(3600);
    let epoch: Epoch = kube.api().epoch;
    let status = json!({
        "token": format!("simulated.{namespace}.{name}.{}", account.uid),
        "expirationTimestamp": epoch.text(now.saturating_add(seconds.saturating_mul(1000))),
    });
    if let Some(fields) = as_object(&mut value) {
        json::put(
            fields,
            "metadata",
            json!({ "name": name, "namespace": namespace, "creationTimestamp": epoch.text(now) }),
        );
        json::put(fields, "status", status);
    }
    Ok(Answer::json(201, value))
}
