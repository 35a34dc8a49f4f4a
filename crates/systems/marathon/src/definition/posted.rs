//! Apps and pods as posted: read by their schema once, and interpreted once for the same flags and roles.
//!
//! *Knows*: the body and its interpretation. *Must not know*: how it is used.

use super::{Around, Refused, RoleSettings, RunSpec, app_of, normalise_app, peek::Peek, pod_of};
use crate::id::PathId;
use crate::schema::{self, Readout, Shape, app::APP, pod::POD};
use crate::settings::Settings;
use serde_json::Value;
use std::sync::Arc;

/// A body after reading, with the flags and roles of that time.
#[derive(Clone, Debug)]
struct Understood {
    settings: Settings,
    roles: RoleSettings,
    spec: RunSpec,
}

/// An app or pod as posted.
#[derive(Clone, Debug)]
pub(crate) struct PostedSpec {
    json: Arc<Value>,
    is_app: bool,
    id: PathId,
    read: Readout,
    understood: Option<Arc<Understood>>,
}

impl PostedSpec {
    /// An app.
    pub(crate) fn app(json: Arc<Value>) -> Self {
        Self::of(json, true)
    }

    /// A pod.
    pub(crate) fn pod(json: Arc<Value>) -> Self {
        Self::of(json, false)
    }

    fn of(json: Arc<Value>, is_app: bool) -> Self {
        let read = schema::read(shape(is_app), &json, false);
        let id = PathId::absolute(read.value.word("id"));
        Self { json, is_app, id, read, understood: None }
    }

    /// The id that it was posted with.
    pub(crate) fn id(&self) -> &PathId {
        &self.id
    }

    /// Returns whether it was posted as an app.
    pub(crate) fn is_app(&self) -> bool {
        self.is_app
    }

    /// The body.
    pub(crate) fn json(&self) -> &Value {
        &self.json
    }

    /// Fields that do not exist, by path.
    pub(crate) fn unknown(&self) -> &[String] {
        &self.read.unknown
    }

    /// Refuses what cannot be read.
    pub(crate) fn check_shape(&self) -> Result<(), Refused> {
        if self.read.faults.is_empty() { Ok(()) } else { Err(Refused::Faults(self.read.faults.clone())) }
    }

    /// The app or pod that it describes.
    pub(crate) fn spec(&self, settings: &Settings, roles: &RoleSettings) -> Result<RunSpec, Refused> {
        self.check_shape()?;
        match &self.understood {
            Some(known) if known.settings.reads_as(settings) && known.roles == *roles => {
                Ok(known.spec.clone())
            }
            Some(_) => {
                let whole = schema::read(shape(self.is_app), &self.json, false).value;
                understand(whole, self.is_app, settings, roles)
            }
            None => understand(self.read.value.clone(), self.is_app, settings, roles),
        }
    }

    /// Stores its interpretation.
    pub(crate) fn keep(&mut self, settings: &Settings, roles: RoleSettings, spec: RunSpec) {
        self.read.value = Value::Null;
        self.understood = Some(Arc::new(Understood { settings: settings.clone(), roles, spec }));
    }
}

fn shape(is_app: bool) -> &'static Shape {
    if is_app { &APP } else { &POD }
}

fn understand(
    body: Value,
    is_app: bool,
    settings: &Settings,
    roles: &RoleSettings,
) -> Result<RunSpec, Refused> {
    let root = PathId::root();
    let around = Around { settings, roles, base: &root };
    if is_app { app_of(normalise_app(body, &around)?, &around) } else { pod_of(body, &around) }
}
