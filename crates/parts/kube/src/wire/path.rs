//! Paths and queries.

use super::{Request, nothing_there};
use crate::{
    error::ApiError,
    kinds::{KindId, KindInfo},
    kube::Kube,
};
use planarium_part::routes::Route;
use std::sync::Arc;

/// The meaning of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// All paths.
    Paths,
    /// The version of the server.
    Version,
    /// Versions of the core group.
    Core,
    /// All other groups.
    Groups,
    /// A group.
    Group,
    /// Resources of the metrics API.
    MetricsResources,
    /// Numbers of the metrics API.
    Metrics,
    /// The list of documents that describe the API.
    Documents,
    /// The document of a group's version.
    Document,
    /// The older document of everything.
    OldDocument,
    /// Resources of a group's version.
    Resources,
    /// The server is there.
    Health,
    /// Objects. Kinds and subresources decide which of the methods they take, so that is not in the table.
    Objects,
}

/// Every path of the API server.
pub(super) const ROUTES: &[Route<Meaning>] = &[
    Route::new("GET", "", Meaning::Paths),
    Route::new("GET", "version", Meaning::Version),
    Route::new("GET", "api", Meaning::Core),
    Route::new("GET", "apis", Meaning::Groups),
    Route::new("GET", "apis/{group}", Meaning::Group),
    Route::new("GET", "apis/metrics.k8s.io/v1beta1", Meaning::MetricsResources),
    Route::new("GET", "apis/metrics.k8s.io/v1beta1/...", Meaning::Metrics),
    Route::new("GET", "openapi/v3", Meaning::Documents),
    Route::new("GET", "openapi/v3/api/{version}", Meaning::Document),
    Route::new("GET", "openapi/v3/apis/{group}/{version}", Meaning::Document),
    Route::new("GET", "openapi/v2", Meaning::OldDocument),
    Route::new("GET", "healthz|livez|readyz/...", Meaning::Health),
    Route::new("GET", "api/{version}", Meaning::Resources),
    Route::new("GET", "apis/{group}/{version}", Meaning::Resources),
    Route::new(METHODS, "api/{version}/...", Meaning::Objects),
    Route::new(METHODS, "apis/{group}/{version}/...", Meaning::Objects),
];

/// The methods that objects may take.
pub(crate) const METHODS: &str = "GET, POST, PUT, PATCH, DELETE";

/// The meaning of a resource's path.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) kind: KindId,
    pub(super) info: Arc<KindInfo>,
    /// `apps/v1`.
    pub(super) api_version: String,
    /// Nothing for all namespaces, or for kinds that have none.
    pub(super) namespace: Option<String>,
    /// Nothing for a collection.
    pub(super) name: Option<String>,
    /// `status`, `scale`, `log`, `eviction`, `binding`, ...; empty for the object itself.
    pub(super) sub: String,
}

/// Percent-decodes a text; invalid escapes stay unchanged.
fn decode(text: &str, plus_is_space: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digit =
                    |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                if let (Some(high), Some(low)) = (digit(high), digit(low)) {
                    bytes.push(high << 4 | low);
                    rest = after;
                } else {
                    bytes.push(b'%');
                }
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Request<'_> {
    /// Segments of the path, decoded, without empty ones.
    pub(super) fn segments(&self) -> Vec<String> {
        self.path.split('/').filter(|part| !part.is_empty()).map(|part| decode(part, false)).collect()
    }

    /// The first value of a query key.
    pub(super) fn param(&self, key: &str) -> Option<String> {
        self.query.split('&').find_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name, true) == key).then(|| decode(value, true))
        })
    }

    /// True if a query key says yes.
    pub(super) fn flag(&self, key: &str) -> bool {
        self.param(key).is_some_and(|value| matches!(value.as_str(), "" | "1" | "true" | "True"))
    }
}

/// Reads the segments below `/api/v1` or `/apis/GROUP/VERSION`. *Errors*: 404.
pub(super) fn target(kube: &Kube, group: &str, version: &str, rest: &[&str]) -> Result<Target, ApiError> {
    let (namespace, rest) = match rest {
        // A namespace itself, or a subresource of one.
        ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => (None, rest),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some((*namespace).to_owned()), rest),
        rest => (None, rest),
    };
    let (plural, name, sub) = match rest {
        [plural] => (*plural, None, ""),
        [plural, name] => (*plural, Some(*name), ""),
        [plural, name, sub] => (*plural, Some(*name), *sub),
        _ => return Err(nothing_there()),
    };
    let kind = kube.find_plural(group, plural).ok_or_else(nothing_there)?;
    let info = kube.kind_info(kind).ok_or_else(nothing_there)?.clone();
    let api_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    if !info.serves(&api_version) || *info.plural != *plural || namespace.is_some() && !info.namespaced {
        return Err(nothing_there());
    }
    Ok(Target { kind, info, api_version, namespace, name: name.map(str::to_owned), sub: sub.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let kube = Kube::new(1, 0);
        let of = |path: &str| {
            let parts = Request { path, ..Request::default() }.segments();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            target(&kube, "", "v1", &parts).map(|target| {
                let name = target.name.unwrap_or_default();
                format!(
                    "{} {} {name} {}",
                    target.info.plural,
                    target.namespace.unwrap_or_default(),
                    target.sub
                )
            })
        };
        for (path, expected) in [
            ("pods", "pods   "),
            ("namespaces/a/pods", "pods a  "),
            ("namespaces/a/pods/x", "pods a x "),
            ("namespaces/a/pods/x/log", "pods a x log"),
            ("namespaces", "namespaces   "),
            ("namespaces/a", "namespaces  a "),
            ("namespaces/a/status", "namespaces  a status"),
            ("nodes/n%2D1", "nodes  n-1 "),
        ] {
            assert_eq!(of(path).expect(path), expected, "{path}");
        }
        for path in ["", "deployments", "po", "namespaces/a/nodes", "pods/a/b/c", "namespaces/a/b/c/d/e"] {
            assert_eq!(of(path).expect_err(path).code, 404, "{path}");
        }
        let request = Request { query: "labelSelector=a%3Db%2Cc&watch=1&x", ..Request::default() };
        assert_eq!(request.param("labelSelector").as_deref(), Some("a=b,c"));
        assert!(request.flag("watch") && request.flag("x") && !request.flag("y"));
    }
}
