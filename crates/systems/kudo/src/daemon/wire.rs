//! Paths of KUDO's kinds in the Kubernetes API, answered by the API server.
//!
//! *Knows*: which paths need KUDO to be installed. *Must not know*: the meaning of requests.

use planarium_kube::{ApiError, Reason};
use planarium_part::{Request, Response};
use planarium_protocol::view::ServiceView;

/// Returns whether a path is about KUDO's kinds, so that KUDO has to be installed for it.
pub(super) fn owns(parts: &[&str]) -> bool {
    matches!(parts, ["kube", "apis", "kudo.dev", ..])
}

/// The answer without a cluster.
pub(super) fn nobody(_: &Request, _: &[&str]) -> Response {
    let error = ApiError::new(Reason::NotFound, "the server could not find the requested resource");
    Response::json(404, &error.status())
}

/// Links to what can be read of the cluster.
pub(super) fn links(_: &ServiceView) -> Vec<(String, &'static str)> {
    [
        ("/kube/apis/kudo.dev/v1beta1/instances", "instances of operators"),
        ("/kube/api/v1/pods", "pods of the cluster"),
    ]
    .map(|(path, what)| (path.to_owned(), what))
    .to_vec()
}
