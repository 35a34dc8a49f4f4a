//! The request of an instance as it would be written now: calls may have given it other values or another version since.
//!
//! *Knows*: instances and the requests that they were loaded with. *Must not know*: which calls there are.

use std::collections::BTreeMap;

use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use serde_json::Value;

use super::Daemon;
use crate::controller::Known;
use crate::definition::Loaded;
use crate::package::{files, params, version_name};

impl Daemon {
    /// Returns the request as it would be written now; `None` if it still describes what runs.
    pub(super) fn current_request(&self, name: &str) -> Option<LoadService> {
        let (key, known) = self.find(name)?;
        let service = self.services.get(key)?;
        let load = service.load.as_ref()?;
        let params = values(load, known);
        let files = service.definition.as_ref().and_then(|definition| upgraded(load, definition, known));
        (params != load.params || files.is_some()).then(|| LoadService {
            params,
            files: files.unwrap_or_else(|| load.files.clone()),
            ..LoadService::clone(load)
        })
    }
}

/// The values of an instance's parameters; those that are as they were given stay as they were written.
fn values(load: &LoadService, known: &Known) -> BTreeMap<String, Value> {
    let value = |(name, text): (&Text, &Text)| {
        let given = load.params.get(&**name).filter(|value| params::from_value(value).as_ref() == Some(text));
        (name.to_string(), given.cloned().unwrap_or_else(|| Value::from(&**text)))
    };
    known.instance.parameters.iter().map(value).collect()
}

/// Returns the files of the instance's version, if that differs from the request's.
fn upgraded(load: &LoadService, definition: &Loaded, known: &Known) -> Option<BTreeMap<String, String>> {
    let operator = definition.operator()?;
    let loaded =
        version_name(&operator.name.value, &operator.app_version.value, &operator.operator_version.value);
    let version = known.version.as_ref().filter(|version| version.name == known.instance.version)?;
    if *version.name == *loaded {
        return None;
    }
    let root = definition.main().map(|main| main.root.as_str()).filter(|root| !root.is_empty());
    let prefix = root.map(|root| format!("{root}/")).unwrap_or_default();
    let templates = format!("{prefix}templates/");
    let own = |path: &String| {
        let name = path.strip_prefix(prefix.as_str()).unwrap_or_default();
        path.starts_with(&templates)
            || matches!(name, "operator.yaml" | "operator.yml" | "params.yaml" | "params.yml")
    };
    let others = load.files.iter().filter(|(path, _)| !own(path));
    let mut all: BTreeMap<String, String> = others.map(|(path, text)| (path.clone(), text.clone())).collect();
    all.extend(files(version, operator).into_iter().map(|(path, text)| (format!("{prefix}{path}"), text)));
    Some(all)
}
