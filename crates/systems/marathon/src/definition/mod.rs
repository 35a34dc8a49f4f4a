//! Definitions: from a posted body to a spec that runs.
//!
//! *Knows*: the order: read by schema, convert old forms, rules of the posted form, defaults, the spec, rules of the spec.
//! *Must not know*: the groups of an app, tasks, offers.
//!
//! **Source**: `marathon: api/v2/AppHelpers.scala, AppNormalization.scala, validation/AppValidation.scala,
//! state/AppDefinition.scala`. Match.

mod canonical;
mod checks;
mod container;
pub(crate) mod double;
mod expect;
mod model;
mod networks;
pub(crate) mod normal;
mod old;
pub(crate) mod peek;
mod pods;
pub(crate) mod posted;
pub(crate) mod refused;
mod resident;
pub(crate) mod roles;
mod scheduling;
pub(crate) mod spec;
pub(crate) mod update;
pub(crate) mod write;

pub(crate) use expect::{Rules, too_many};
pub(crate) use refused::{Refused, Violation};
pub(crate) use resident::update_flaws;
pub(crate) use roles::RoleSettings;
pub(crate) use scheduling::OPERATORS;
pub(crate) use spec::RunSpec;

use crate::id::PathId;
use crate::settings::Settings;
use serde_json::{Map, Value};

/// Context of a definition while it is read.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// Flags of the process.
    pub(crate) settings: &'a Settings,
    /// Which roles it may have.
    pub(crate) roles: &'a RoleSettings,
    /// Base of relative ids.
    pub(crate) base: &'a PathId,
}

/// An app as posted, brought to its canonical form. `app` was read by its shape.
pub(crate) fn normalise_app(app: Value, around: &Around<'_>) -> Result<Value, Refused> {
    let mut app = into_map(app);
    normal::canonical_ids(&mut app, around.base);
    Refused::unless_none(old::flaws(&app))?;
    normal::migrate(&mut app, around.settings)?;
    if !app.contains_key("role") {
        app.insert("role".to_owned(), Value::String(around.roles.default.to_string()));
    }
    Refused::unless_none(canonical::flaws(&app, around))?;
    normal::complete(&mut app, around.settings)?;
    Ok(Value::Object(app))
}

/// The app that a canonical form describes.
pub(crate) fn app_of(app: Value, around: &Around<'_>) -> Result<RunSpec, Refused> {
    let spec = spec::app(app)?;
    Refused::unless_none(model::flaws(&spec, around.settings, around.roles))?;
    Ok(spec)
}

/// The pod that a posted one describes.
pub(crate) fn pod_of(pod: Value, around: &Around<'_>) -> Result<RunSpec, Refused> {
    let mut pod = into_map(pod);
    Refused::unless_none(pods::flaws(&pod, around))?;
    pods::complete(&mut pod, around);
    Refused::unless_none(pods::role_flaws(&pod, around))?;
    Ok(spec::pod(pod))
}

pub(crate) use model::flaws_in_group;

/// The fields of an object.
pub(crate) fn into_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
