//! Words for kinds: `deploy`, `deployments.apps`, `pod/web`.

use planarium_kube::{KindInfo, Reviewer};
use planarium_protocol::Text;
use serde_json::Value;

use super::client::Client;

/// A kind as paths have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    /// API group; empty for the core group.
    pub(super) group: Text,
    /// The preferred version.
    pub(super) version: Text,
    /// `deployments`.
    pub(super) plural: Text,
    /// `deployment`.
    pub(super) singular: Text,
    /// `Deployment`.
    pub(super) kind: Text,
    /// Its objects live in a namespace.
    pub(super) namespaced: bool,
}

impl Resource {
    fn of(info: &KindInfo) -> Self {
        Self {
            group: info.group.clone(),
            version: info.versions.first().cloned().unwrap_or_else(|| "v1".into()),
            plural: info.plural.clone(),
            singular: info.singular.clone(),
            kind: info.kind.clone(),
            namespaced: info.namespaced,
        }
    }

    /// `deployment.apps`, as messages write it before a name.
    pub(super) fn word(&self) -> String {
        if self.group.is_empty() {
            self.singular.to_string()
        } else {
            format!("{}.{}", self.singular, self.group)
        }
    }

    /// `deployments.apps`.
    pub(super) fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.plural.to_string()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// Returns the path of its collection, or of one object, in a namespace (empty: all namespaces).
    pub(super) fn path(&self, namespace: &str, name: &str) -> String {
        let mut path = if self.group.is_empty() {
            format!("/kube/api/{}", self.version)
        } else {
            format!("/kube/apis/{}/{}", self.group, self.version)
        };
        if self.namespaced && !namespace.is_empty() {
            path.push_str("/namespaces/");
            path.push_str(&planarium_part::http::encode(namespace));
        }
        path.push('/');
        path.push_str(&self.plural);
        if !name.is_empty() {
            path.push('/');
            path.push_str(&planarium_part::http::encode(name));
        }
        path
    }
}

/// Finds the kind by plural, singular, short name or kind, optionally with version and group after dots.
///
/// *Errors*: the server has no such type.
pub(super) fn resource(client: &mut Client<'_, '_>, word: &str) -> Result<Resource, String> {
    let lower = word.to_lowercase();
    let (name, rest) = lower.split_once('.').unwrap_or((&lower, ""));
    let is_called = |plural: &str, singular: &str, short: &[Text]| {
        plural == name || singular == name || short.iter().any(|short| **short == *name)
    };
    let in_group = |group: &str| {
        rest.is_empty() || group == rest || rest.ends_with(&format!(".{group}")) && !group.is_empty()
    };
    let reviewer = Reviewer::default();
    let found = reviewer
        .kinds()
        .find(|info| is_called(&info.plural, &info.singular, &info.short_names) && in_group(&info.group));
    if let Some(info) = found {
        return Ok(Resource::of(info));
    }
    for (group, version) in client.groups()? {
        if !in_group(&group) {
            continue;
        }
        let list = client.get(&format!("/kube/apis/{group}/{version}"))?;
        for one in list.get("resources").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default();
            let short = one.get("shortNames").and_then(Value::as_array).into_iter().flatten();
            let short: Vec<Text> = short.filter_map(Value::as_str).map(Text::from).collect();
            let singular = match text("singularName") {
                "" => text("kind").to_lowercase(),
                singular => singular.to_owned(),
            };
            if !text("name").contains('/') && is_called(text("name"), &singular, &short) {
                return Ok(Resource {
                    group: group.as_str().into(),
                    version: version.as_str().into(),
                    plural: text("name").into(),
                    singular: singular.into(),
                    kind: text("kind").into(),
                    namespaced: one.get("namespaced").and_then(Value::as_bool).unwrap_or(false),
                });
            }
        }
    }
    Err(format!("error: the server doesn't have a resource type {word:?}"))
}

/// The kind of an object that is written down.
pub(super) fn of_value(client: &mut Client<'_, '_>, value: &Value) -> Result<Resource, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let reviewer = Reviewer::default();
    if let Some(info) = reviewer.find_kind(api_version, kind).and_then(|kind| reviewer.kind_info(kind)) {
        return Ok(Resource { version: version.into(), ..Resource::of(info) });
    }
    let unknown = || {
        let name = value.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        format!(
            "error: resource mapping not found for name: {name:?} namespace: \"\" from \"\": no matches for kind {kind:?} in version \
             {api_version:?}\nensure CRDs are installed first"
        )
    };
    if group.is_empty() {
        return Err(unknown());
    }
    let found = resource(client, &format!("{kind}.{group}")).map_err(|_| unknown())?;
    Ok(Resource { version: version.into(), ..found })
}

/// Kinds and names that arguments mean: `TYPE NAME...`, `TYPE/NAME ...`.
///
/// *Errors*: words that name no kind, or mix both forms.
pub(super) fn targets(
    client: &mut Client<'_, '_>,
    arguments: &[String],
) -> Result<Vec<(Resource, String)>, String> {
    let Some(first) = arguments.first() else {
        return Err("error: required resource not specified".to_owned());
    };
    if first.contains('/') {
        let mut found = Vec::new();
        for argument in arguments {
            let Some((kind, name)) =
                argument.split_once('/').filter(|(kind, name)| !kind.is_empty() && !name.is_empty())
            else {
                return Err(format!(
                    "error: there is no need to specify a resource type as a separate argument when passing arguments in \
                     resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource \
                     resource/<resource_name>'): {argument:?}"
                ));
            };
            found.push((resource(client, kind)?, name.to_owned()));
        }
        return Ok(found);
    }
    let names = arguments.get(1..).unwrap_or_default();
    let mut found = Vec::new();
    for kind in first.split(',').filter(|kind| !kind.is_empty()) {
        let kind = resource(client, kind)?;
        if names.is_empty() {
            found.push((kind, String::new()));
        } else {
            found.extend(names.iter().map(|name| (kind.clone(), name.clone())));
        }
    }
    Ok(found)
}
