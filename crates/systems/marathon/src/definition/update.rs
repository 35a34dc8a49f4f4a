//! Changes of an app: given fields replace existing ones.
//!
//! *Knows*: which fields a change may leave out. *Must not know*: groups.
//!
//! **Source**: `marathon: api/v2/AppHelpers.scala (updateOrCreate, withoutPriorAppDefinition), raml/AppConversion.scala
//! (appUpdateRamlReader)`. Match.

use super::spec::RunSpec;
use super::{Around, Refused, app_of, into_map, normal, normalise_app, write};
use crate::id::PathId;
use crate::schema::{self, app::APP};
use planarium_protocol::json;
use serde_json::{Map, Value};

/// Returns a change in canonical form. `update` was read by the schema of an app, without absent fields.
pub(crate) fn normalise(update: Value, around: &Around<'_>) -> Result<Value, Refused> {
    let mut update = into_map(update);
    normal::canonical_ids(&mut update, around.base);
    normal::migrate_update(&mut update, around.settings)?;
    let alone = update.keys().all(|key| matches!(key.as_str(), "id" | "version"));
    if update.contains_key("version") && !alone {
        return Err(Refused::rule("/", "The 'version' field may only be combined with the 'id' field."));
    }
    normal::complete_update(&mut update, around.settings)?;
    Ok(Value::Object(update))
}

/// Returns the app after a change.
pub(crate) fn apply(update: &Value, current: &RunSpec, around: &Around<'_>) -> Result<RunSpec, Refused> {
    let mut app = into_map(write::spec(current, &NoDates));
    // These two are not kept.
    app.shift_remove("executorResources");
    app.shift_remove("resourceLimits");
    let mut next = finish(app, update, &current.id, around)?;
    next.version = current.version;
    Ok(next)
}

/// Returns the new app that a change creates.
pub(crate) fn create(update: &Value, id: &PathId, around: &Around<'_>) -> Result<RunSpec, Refused> {
    let template = schema::read(&APP, &json!({"id": id.as_str(), "portDefinitions": []}), false).value;
    finish(into_map(template), update, id, around)
}

fn finish(
    mut app: Map<String, Value>,
    update: &Value,
    id: &PathId,
    around: &Around<'_>,
) -> Result<RunSpec, Refused> {
    let given = update.as_object().into_iter().flatten();
    for (key, value) in given.filter(|(key, _)| !matches!(key.as_str(), "id" | "version" | "versionInfo")) {
        app.insert(key.clone(), value.clone());
    }
    app.insert("id".to_owned(), Value::String(id.to_string()));
    for key in ["version", "versionInfo"] {
        app.shift_remove(key);
    }
    // Read the written form again, so that empty fields get their defaults.
    let read = schema::read(&APP, &Value::Object(app), false);
    if !read.faults.is_empty() {
        return Err(Refused::Faults(read.faults));
    }
    let mut app = into_map(read.value);
    // A changed app needs a strategy before it is checked.
    super::spec::default_strategy(&mut app);
    app_of(normalise_app(Value::Object(app), around)?, around)
}

struct NoDates;

impl write::Dates for NoDates {
    fn date(&self, _: u64) -> String {
        String::new()
    }
}
