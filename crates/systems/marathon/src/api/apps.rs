//! Apps: creating, changing, restarting and deleting them.
//!
//! **Source**: `marathon: api/v2/AppsResource.scala, AppHelpers.scala, AppVersionsResource.scala`. Match.

use super::caller::Caller;
use super::reader::Reader;
use super::{Answer, DEPLOYMENT, Done, read_as};
use crate::dates::Calendar;
use crate::definition::peek::Peek;
use crate::definition::posted::PostedSpec;
use crate::definition::write::{self, Dates};
use crate::definition::{Around, Refused, RoleSettings, RunSpec, into_map, normalise_app, update};
use crate::deployments::plan::ToKill;
use crate::deployments::planning::RootChange;
use crate::events::Happening;
use crate::groups::Root;
use crate::id::PathId;
use crate::schema::app::APP;
use crate::schema::read_list;
use crate::settings::Settings;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::sync::Arc;

/// No app has that id.
pub(super) fn unknown_app(id: &PathId) -> Refused {
    Refused::NotFound(format!("App '{id}' does not exist"))
}

/// Options of an app's update.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    /// Keeps absent fields.
    pub(super) partial: bool,
    /// An app that is not there is created.
    pub(super) create: bool,
    /// Cancels conflicting deployments.
    pub(super) force: bool,
}

/// One app of a change, with its previous state.
pub(super) enum Wanted {
    /// The new definition.
    Whole(Box<RunSpec>),
    /// The definition of an earlier version.
    Back(Arc<RunSpec>),
}

impl Reader<'_> {
    /// The roles that an app or pod may have.
    pub(crate) fn roles_of(&self, id: &PathId, force: bool) -> RoleSettings {
        self.records.definitions.root.roles_for(id, &self.records.setup.settings, force)
    }

    /// The app that a posted body describes.
    pub(crate) fn posted_app(&self, app: &PostedSpec) -> Result<RunSpec, Refused> {
        app.check_shape()?;
        app.spec(&self.records.setup.settings, &self.roles_of(app.id(), false))
    }

    /// Brings a change into its canonical form.
    fn canonical_update(
        &self,
        id: &PathId,
        body: &Value,
        partial: bool,
        force: bool,
    ) -> Result<Value, Refused> {
        let existing = self.records.definitions.root.app(id).cloned();
        let roles = self.roles_of(id, force);
        let around = Around { settings: &self.records.setup.settings, roles: &roles, base: &PathId::root() };
        match existing.filter(|_| partial) {
            Some(existing) => {
                let read = read_as(&APP, body, true)?;
                let update = update::normalise(read, &around)?;
                if update.get("version").is_none() {
                    // Check whether the result is a valid app.
                    update::apply(&update, &existing, &around)?;
                }
                Ok(update)
            }
            None => {
                let Value::Object(fields) = body else {
                    return Err(Refused::Faults(vec![crate::schema::Fault::at_root(
                        "error.expected.jsobject",
                    )]));
                };
                let mut fields = fields.clone();
                fields.insert("id".to_owned(), id.as_str().into());
                let app = read_as(&APP, &Value::Object(fields), false)?;
                let mut app = into_map(normalise_app(app, &around)?);
                drop_unkept(&mut app);
                Ok(Value::Object(app))
            }
        }
    }

    /// Returns an app after a change in canonical form.
    fn updated(&self, root: &Root, id: &PathId, update: &Value, how: Update) -> Result<Wanted, Refused> {
        let Update { partial, create, force } = how;
        let roles = root.roles_for(id, &self.records.setup.settings, force);
        let around = Around { settings: &self.records.setup.settings, roles: &roles, base: &PathId::root() };
        match root.app(id) {
            Some(current) => {
                if let Some(version) = update.text("version") {
                    let stamp = self.stamp(version)?;
                    return self
                        .records
                        .definitions
                        .version_of(id, stamp)
                        .filter(|spec| spec.is_app())
                        .map(Wanted::Back)
                        .ok_or_else(|| unknown_app(id));
                }
                let next = if partial {
                    update::apply(update, current, &around)?
                } else {
                    update::create(update, id, &around)?
                };
                Ok(Wanted::Whole(Box::new(RunSpec { version: current.version, ..next })))
            }
            None if create => Ok(Wanted::Whole(Box::new(update::create(update, id, &around)?))),
            None => Err(unknown_app(id)),
        }
    }

    /// Parses a version.
    ///
    /// *Errors*: the text is not an instant.
    pub(crate) fn stamp(&self, text: &str) -> Result<u64, Refused> {
        if !Calendar::is_date(text) {
            let text = format!("Invalid timestamp provided '{text}'. Expecting ISO-8601 datetime string.");
            return Err(Refused::Illegal(text));
        }
        // Instants before genesis have no version.
        Ok(self.records.setup.calendar.stamp(text).unwrap_or(u64::MAX))
    }

    /// Returns apps after changes in canonical form, each applied to the result of those before it.
    fn updated_one_by_one(&self, updates: &[(PathId, Value)], how: Update) -> Result<Vec<RunSpec>, Refused> {
        let mut root = self.records.definitions.root.clone();
        let mut wanted = Vec::with_capacity(updates.len());
        for (at, (id, update)) in updates.iter().enumerate() {
            let next = self.updated(&root, id, update, how);
            let spec = match next.map_err(|refused| refused.within(&format!("({at})")))? {
                Wanted::Whole(spec) => *spec,
                Wanted::Back(spec) => RunSpec::clone(&spec),
            };
            put(&mut root, spec.clone(), &self.records.setup.settings)?;
            wanted.push(spec);
        }
        Ok(wanted)
    }

    pub(super) fn app_versions(&self, id: &str) -> Done {
        let id = PathId::absolute(id);
        self.records.definitions.root.app(&id).ok_or_else(|| unknown_app(&id))?;
        let versions = self.records.definitions.versions_of(&id);
        let versions: Vec<String> =
            versions.iter().map(|spec| self.records.setup.calendar.date(spec.version.version)).collect();
        Ok(Answer::json(json!({"versions": versions})))
    }

    pub(super) fn app_version(&self, id: &str, version: &str) -> Done {
        let id = PathId::absolute(id);
        let stamp = self.stamp(version)?;
        let found = self.records.definitions.version_of(&id, stamp).filter(|spec| spec.is_app());
        let spec = found.ok_or_else(|| {
            let version = Calendar::canonical(version);
            Refused::NotFound(format!("App '{id}' does not exist in version {version}"))
        })?;
        Ok(Answer::json(self.definition_json(&spec)))
    }
}

impl Caller<'_, '_> {
    pub(crate) fn create_app(&mut self, body: &PostedSpec, force: bool) -> Done {
        let app = self.reader().posted_app(body)?;
        let (id, settings) = (app.id.clone(), self.marathon.records.setup.settings.clone());
        let accepted = self.simple_change(id.parent(), force, &mut |root| {
            if root.app(&id).is_some() {
                return Err(Refused::Conflict(format!("An app with id [{id}] already exists.")));
            }
            put(root, app.clone(), &settings)
        })?;
        let posted = RunSpec { version: crate::definition::spec::VersionInfo::all(accepted.version), ..app };
        self.marathon.records.publish(
            self.port.cx,
            Happening::ApiPost { uri: "/v2/apps".into(), app: Arc::new(posted.clone()) },
        );
        self.marathon.settle(self.port);
        let mut body = into_map(write::spec(&posted, &self.marathon.records.setup.calendar));
        // As posted, without values that are assigned later.
        body.shift_remove("versionInfo");
        for count in ["tasksStaged", "tasksRunning", "tasksHealthy", "tasksUnhealthy"] {
            body.insert(count.to_owned(), 0.into());
        }
        body.insert("deployments".to_owned(), json!([{"id": accepted.id}]));
        let answer = Answer::json(Value::Object(body)).with_status(201);
        Ok(answer.with("Location", id.as_str()).with(DEPLOYMENT, &*accepted.id))
    }

    pub(super) fn update_app(&mut self, id: &str, body: &Value, how: Update) -> Done {
        let Update { partial, force, .. } = how;
        let id = PathId::absolute(id);
        let update = self.reader().canonical_update(&id, body, partial, force)?;
        let existed = self.marathon.records.definitions.root.app(&id).is_some();
        let wanted = self
            .reader()
            .updated(&self.marathon.records.definitions.root, &id, &update, how)
            .map_err(|refused| self.marathon.refuse_change(self.port.cx, id.parent(), refused))?;
        let settings = self.marathon.records.setup.settings.clone();
        let accepted = self.simple_change(id.parent(), force, &mut |root| match &wanted {
            Wanted::Whole(spec) => put(root, RunSpec::clone(spec), &settings),
            Wanted::Back(spec) => put(root, RunSpec::clone(spec), &settings),
        })?;
        if let Some(app) = self.marathon.records.definitions.root.app(&id).cloned() {
            let uri = format!("/v2/apps{id}").into();
            self.marathon.records.publish(self.port.cx, Happening::ApiPost { uri, app });
            self.marathon.settle(self.port);
        }
        let answer = self.deployed(&accepted);
        Ok(if existed { answer } else { answer.with_status(201).with("Location", id.as_str()) })
    }

    /// Changes several apps in one deployment.
    pub(super) fn update_apps(&mut self, body: &Value, how: Update) -> Done {
        let Update { partial, force, .. } = how;
        let read = read_list(&APP, body, partial);
        if !read.faults.is_empty() {
            return Err(Refused::Faults(read.faults));
        }
        let mut updates: Vec<(PathId, Value)> = Vec::new();
        for (at, app) in read.value.as_array().into_iter().flatten().enumerate() {
            let Some(id) = app.text("id") else {
                return Err(Refused::Illegal(
                    "requirement failed: App Update must have app id set".to_owned(),
                ));
            };
            let id = PathId::absolute(id);
            let roles = self.reader().roles_of(&id, force);
            let around = Around {
                settings: &self.marathon.records.setup.settings,
                roles: &roles,
                base: &PathId::root(),
            };
            let update = if partial {
                update::normalise(app.clone(), &around)
            } else {
                normalise_app(app.clone(), &around).map(|app| {
                    let mut app = into_map(app);
                    drop_unkept(&mut app);
                    Value::Object(app)
                })
            };
            updates.push((id, update.map_err(|refused| refused.within(&format!("({at})")))?));
        }
        let wanted = self
            .reader()
            .updated_one_by_one(&updates, how)
            .map_err(|refused| self.marathon.refuse_change(self.port.cx, PathId::root(), refused))?;
        let settings = self.marathon.records.setup.settings.clone();
        let accepted = self.simple_change(PathId::root(), force, &mut |root| {
            wanted.iter().try_for_each(|spec| put(root, spec.clone(), &settings))
        })?;
        Ok(self.deployed(&accepted))
    }

    pub(crate) fn delete_app(&mut self, id: &str, force: bool) -> Done {
        let id = PathId::absolute(id);
        let accepted = self.simple_change(id.parent(), force, &mut |root| {
            root.app(&id).ok_or_else(|| unknown_app(&id))?;
            root.remove(&id);
            Ok(())
        })?;
        Ok(self.deployed(&accepted))
    }

    /// Deletes several apps at once. No call of the API does so: the definition that they were loaded with is one.
    pub(crate) fn delete_apps(&mut self, ids: &[PathId], force: bool) -> Done {
        let accepted = self.simple_change(PathId::root(), force, &mut |root| {
            for id in ids {
                root.remove(id);
            }
            Ok(())
        })?;
        Ok(self.deployed(&accepted))
    }

    pub(crate) fn restart_app(&mut self, id: &str, force: bool) -> Done {
        let id = PathId::absolute(id);
        let version = self.marathon.records.definitions.new_stamp(self.port.cx.now());
        let change = RootChange {
            group: id.parent(),
            version,
            force,
            marks: [id.clone()].into_iter().collect(),
            kill: ToKill::new(),
            change: &mut |root| root.app(&id).map(|_| ()).ok_or_else(|| unknown_app(&id)),
        };
        let accepted = self.marathon.change_root(self.port, change)?;
        Ok(self.deployed(&accepted))
    }
}

/// Leaves out of a whole definition what an update does not take over.
///
/// **Source**: `marathon: raml/AppConversion.scala (appToUpdate)`. Match.
fn drop_unkept(app: &mut Map<String, Value>) {
    for key in ["version", "versionInfo", "executorResources"] {
        app.shift_remove(key);
    }
}

/// Puts an app or pod into the tree, keeping the versions of the one it replaces.
pub(super) fn put(root: &mut Root, spec: RunSpec, settings: &Settings) -> Result<(), Refused> {
    let other = root.spec(&spec.id).is_some_and(|old| old.is_app() != spec.is_app());
    if other {
        return Err(Refused::rule("/", "Applications and Pods may not share the same id"));
    }
    let version = root.spec(&spec.id).map_or(spec.version, |old| old.version);
    root.put(Arc::new(RunSpec { version, ..spec }), settings);
    Ok(())
}
