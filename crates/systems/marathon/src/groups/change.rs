//! Posted changes of groups: structure, with the defaults and rules of every app.
//!
//! *Knows*: the fields of a group's body, and their effect on the tree. *Must not know*: deployments.
//!
//! **Source**: `marathon: api/v2/GroupNormalization.scala, state/Group.scala (validNestedGroupUpdateWithBase),
//! raml/GroupConversion.scala (UpdateGroupStructureOp)`. Match.

use crate::definition::peek::Peek;
use crate::definition::spec::{self, RunSpec};
use crate::definition::{Around, Refused, RoleSettings, Rules, normalise_app};
use crate::groups::Group;
use crate::groups::Root;
use crate::id::PathId;
use crate::schema::group::GROUP;
use crate::schema::{self, Readout};
use crate::settings::{NewGroups, Settings};
use planarium_kernel::SortedSet;
use planarium_protocol::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A change of a group's structure. Absent parts stay unchanged.
#[derive(Clone, Debug)]
pub(crate) struct GroupChange {
    /// The group.
    pub(crate) id: PathId,
    apps: Option<Vec<AppChange>>,
    groups: Option<Vec<GroupChange>>,
    dependencies: Option<Vec<PathId>>,
    enforce: bool,
    /// Role rules of its apps.
    roles: Roles,
}

/// An app of a group.
#[derive(Clone, Debug)]
struct AppChange {
    spec: Arc<RunSpec>,
    /// The role that is permitted only because it was used before.
    kept: Option<Text>,
}

/// Role rules of a group's apps.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Roles {
    default: Text,
    enforce: bool,
}

/// The body of a group's change, read by its schema. Its apps are interpreted once, while settings and roles stay the same.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    json: Arc<Value>,
    read: Readout,
    understood: Option<(Settings, Arc<GroupChange>)>,
}

impl Posted {
    /// Creates it from a posted body.
    pub(crate) fn of(json: Arc<Value>) -> Self {
        Self { read: schema::read(&GROUP, &json, true), json, understood: None }
    }

    /// Fields that do not exist, by path.
    pub(crate) fn unknown(&self) -> &[String] {
        &self.read.unknown
    }

    /// Returns the value read; of parsed apps, their ids.
    ///
    /// *Errors*: what cannot be read.
    pub(crate) fn body(&self) -> Result<&Value, Refused> {
        if self.read.faults.is_empty() {
            Ok(&self.read.value)
        } else {
            Err(Refused::Faults(self.read.faults.clone()))
        }
    }

    /// Returns the requested structure; `path` is the group.
    pub(crate) fn structure(
        &self,
        path: &PathId,
        root: &Root,
        settings: &Settings,
    ) -> Result<Arc<GroupChange>, Refused> {
        let Some((with, change)) = &self.understood else {
            return Ok(Arc::new(read(self.body()?, path, root, settings)?));
        };
        if change.id == *path && with.reads_as(settings) && change.would_be_same(root, settings) {
            check(self.body()?, path, root, settings.new_groups == NewGroups::Top)?;
            return Ok(change.clone());
        }
        let whole = schema::read(&GROUP, &self.json, true).value;
        Ok(Arc::new(read(&whole, path, root, settings)?))
    }

    /// Stores its interpretation.
    pub(crate) fn keep(&mut self, change: Arc<GroupChange>, settings: &Settings) {
        forget_apps(&mut self.read.value);
        self.understood = Some((settings.clone(), change));
    }
}

/// Leaves nothing of apps but their ids.
fn forget_apps(group: &mut Value) {
    for app in group.get_mut("apps").and_then(Value::as_array_mut).into_iter().flatten() {
        let id = app.get_mut("id").map(Value::take).unwrap_or_default();
        *app = Value::Object(Map::from_iter([("id".to_owned(), id)]));
    }
    group.get_mut("groups").and_then(Value::as_array_mut).into_iter().flatten().for_each(forget_apps);
}

/// Context of a change while it is read.
struct Reading<'a> {
    root: &'a Root,
    settings: &'a Settings,
}

/// Reads the body of a change of structure. `body` was read by its shape; `path` is the group it is about.
fn read(body: &Value, path: &PathId, root: &Root, settings: &Settings) -> Result<GroupChange, Refused> {
    let reading = Reading { root, settings };
    let mut change = if !path.is_root() && path.is_top_level() {
        reading.top_level(body, path, "")?
    } else {
        reading.group(body, path, &roles_around(path, root, settings), "")?
    };
    check(body, path, root, settings.new_groups == NewGroups::Top)?;
    if !path.is_top_level() {
        change.enforce = false;
    }
    Ok(change)
}

/// Returns the role rules in a group that is not right below the root.
fn roles_around(path: &PathId, root: &Root, settings: &Settings) -> Roles {
    if path.is_root() {
        return Roles { default: settings.role.clone(), enforce: false };
    }
    let top = root.group(&path.top_path());
    let enforce = top.map_or(settings.new_groups == NewGroups::Top, |top| top.enforce);
    let default = if top.is_some_and(|top| top.enforce) { path.top().into() } else { settings.role.clone() };
    Roles { default, enforce }
}

impl Roles {
    /// The roles that every app of the group may have.
    fn valid(&self, settings: &Settings) -> RoleSettings {
        let valid = RoleSettings::only(&self.default);
        if self.enforce { valid } else { valid.and([settings.role.clone()]) }
    }
}

impl Reading<'_> {
    fn top_level(&self, body: &Value, path: &PathId, within: &str) -> Result<GroupChange, Refused> {
        let given = body.field("enforceRole").and_then(Value::as_bool);
        let enforce = given.unwrap_or(self.settings.new_groups == NewGroups::Top);
        let default = if enforce { path.top().into() } else { self.settings.role.clone() };
        let mut change = self.group(body, path, &Roles { default, enforce }, within)?;
        change.enforce = enforce;
        Ok(change)
    }

    fn group(
        &self,
        body: &Value,
        path: &PathId,
        roles: &Roles,
        within: &str,
    ) -> Result<GroupChange, Refused> {
        let groups = match body.field("groups") {
            None => None,
            Some(_) => {
                let mut all = Vec::new();
                for (at, group) in body.items("groups").iter().enumerate() {
                    let id = PathId::resolve(group.word("id"), path);
                    let within = format!("{within}/groups({at})");
                    all.push(if path.is_root() {
                        self.top_level(group, &id, &within)?
                    } else {
                        // Below the top level a group keeps the role of those around it and does not enforce it.
                        let enforce = group.flag("enforceRole");
                        self.group(group, &id, &Roles { enforce, ..roles.clone() }, &within)?
                    });
                }
                Some(all)
            }
        };
        let apps = match body.field("apps") {
            None => None,
            Some(_) => {
                let valid = roles.valid(self.settings);
                let items = body.items("apps");
                let mut all = Vec::with_capacity(items.len());
                for (at, app) in items.iter().enumerate() {
                    let refused = |refused: Refused| refused.within(&format!("{within}/apps({at})"));
                    all.push(self.app(app, path, &valid).map_err(refused)?);
                }
                Some(all)
            }
        };
        let dependencies = body
            .field("dependencies")
            .map(|_| body.texts("dependencies").into_iter().map(|id| PathId::resolve(id, path)).collect());
        Ok(GroupChange { id: path.clone(), apps, groups, dependencies, enforce: false, roles: roles.clone() })
    }

    fn app(&self, app: &Value, group: &PathId, valid: &RoleSettings) -> Result<AppChange, Refused> {
        let kept = kept_role(&PathId::resolve(app.word("id"), group), self.root, valid);
        let wider;
        let roles = match &kept {
            None => valid,
            Some(role) => {
                wider = valid.clone().and([role.clone()]);
                &wider
            }
        };
        let around = Around { settings: self.settings, roles, base: group };
        Ok(AppChange { spec: Arc::new(spec::app(normalise_app(app.clone(), &around)?)?), kept })
    }
}

/// The role that an app has and that it might not have if it was new.
fn kept_role(id: &PathId, root: &Root, valid: &RoleSettings) -> Option<Text> {
    let role = &root.spec(id)?.def.role;
    (!valid.valid.contains(role)).then(|| role.clone())
}

/// Checks a body that restores a version or scales, which must not contain anything else. Errors of the groups in it are
/// reported, too.
pub(crate) fn check_whole(
    body: &Value,
    path: &PathId,
    root: &Root,
    settings: &Settings,
) -> Result<(), Refused> {
    check(body, path, root, settings.new_groups == NewGroups::Top)
}

/// Rules of the body of a change.
fn check(body: &Value, path: &PathId, root: &Root, new_enforces: bool) -> Result<(), Refused> {
    let mut rules = Rules::default();
    let whole = Whole { root, modified: modifies(body), new_enforces };
    check_group(body, path, "", whole, &mut rules);
    Refused::unless_none(rules.into_found())
}

/// Returns whether a body changes apps anywhere.
fn modifies(body: &Value) -> bool {
    ["version", "scaleBy", "apps"].iter().any(|key| body.field(key).is_some())
        || body.items("groups").iter().any(modifies)
}

/// Rules for all groups of a body.
#[derive(Clone, Copy)]
struct Whole<'a> {
    root: &'a Root,
    /// It changes apps.
    modified: bool,
    /// The default of `enforceRole` in a top-level group that does not set it.
    new_enforces: bool,
}

fn check_group(body: &Value, id: &PathId, at: &str, whole: Whole<'_>, rules: &mut Rules) {
    let enforce = body.field("enforceRole").and_then(Value::as_bool);
    if !id.is_top_level() && enforce == Some(true) {
        let message = format!("enforceRole can only be set for top-level groups, and {id} is not top-level");
        rules.expect(false, format!("{at}/enforceRole"), message);
    }
    check_alone(body, at, rules);
    if let Some(text) = body.text("id") {
        for flaw in crate::id::flaws(text) {
            rules.expect(false, format!("{at}/id"), flaw);
        }
    }
    for (n, app) in body.items("apps").iter().enumerate() {
        if !PathId::resolve(app.word("id"), id).is_right_in(id) {
            let message = format!("Identifier is not child of '{id}'");
            rules.expect(false, format!("{at}/apps({n})/id"), message);
        }
    }
    for (n, group) in body.items("groups").iter().enumerate() {
        let inner = PathId::resolve(group.word("id"), id);
        let at = format!("{at}/groups({n})");
        let message = "Group has to be child of groups with parent id";
        rules.expect(inner.is_right_in(id), at.clone(), message);
        check_group(group, &inner, &at, whole, rules);
    }
    let Some(old) = whole.root.group(id).filter(|_| whole.modified && id.is_top_level()) else { return };
    // Parts missing in the body get the defaults of new groups; a group without an id is not checked.
    if body.text("id").is_some() {
        let message = "enforceRole cannot be modified in a request that adds, removes or modifies services; \
            please make these changes in separate requests.";
        let enforce = enforce.unwrap_or(whole.new_enforces);
        rules.expect(enforce == old.enforce, format!("{at}/enforceRole"), message);
    }
}

/// Going back and scaling stand alone.
fn check_alone(body: &Value, at: &str, rules: &mut Rules) {
    let given = body.as_object().map_or(0, serde_json::Map::len);
    for key in ["version", "scaleBy"] {
        let alone = body.field(key).is_none() || given == 1;
        rules.expect(alone, format!("{at}/{key}"), "not allowed in conjunction with other properties.");
    }
}

impl GroupChange {
    /// Returns whether it would be read as the same against another tree.
    fn would_be_same(&self, root: &Root, settings: &Settings) -> bool {
        // The roles of a group right below the root are said by the body.
        let around = self.id.is_root() || self.id.is_top_level();
        (around || self.roles == roles_around(&self.id, root, settings)) && self.roles_stay(root, settings)
    }

    fn roles_stay(&self, root: &Root, settings: &Settings) -> bool {
        let valid = self.roles.valid(settings);
        let same = |app: &AppChange| kept_role(&app.spec.id, root, &valid) == app.kept;
        self.apps.iter().flatten().all(same)
            && self.groups.iter().flatten().all(|group| group.roles_stay(root, settings))
    }

    /// Changes the tree.
    pub(crate) fn apply(&self, root: &mut Root, settings: &Settings) -> Result<(), Refused> {
        root.make_group(&self.id, settings);
        self.apply_inner(root, settings)
    }

    /// Gives the apps that it names versions of their own, whether or not anything about them changes: so a trial has them.
    pub(crate) fn version_anew(&self, root: &mut Root) {
        for AppChange { spec, .. } in self.apps.iter().flatten() {
            root.specs.insert(spec.id.clone(), spec.clone());
        }
        self.groups.iter().flatten().for_each(|group| group.version_anew(root));
    }

    fn apply_inner(&self, root: &mut Root, settings: &Settings) -> Result<(), Refused> {
        if let Some(groups) = &self.groups {
            let listed: SortedSet<&PathId> = groups.iter().map(|group| &group.id).collect();
            let gone: Vec<PathId> = root
                .subgroups(&self.id)
                .map(|(id, _)| id.clone())
                .filter(|id| !listed.contains(&id))
                .collect();
            for id in &gone {
                root.remove_group(id);
            }
        }
        if let Some(apps) = &self.apps {
            let mine =
                |spec: &&Arc<RunSpec>| spec.is_app() && spec.id.is_right_in(&self.id) && spec.id != self.id;
            let listed: SortedSet<&PathId> = apps.iter().map(|app| &app.spec.id).collect();
            let gone = root.specs_within(&self.id).filter(mine).map(|spec| spec.id.clone());
            let gone: Vec<PathId> = gone.filter(|id| !listed.contains(&id)).collect();
            for id in &gone {
                root.remove(id);
            }
            for AppChange { spec: app, .. } in apps {
                if root.pod(&app.id).is_some() {
                    return Err(Refused::rule("/", "Applications and Pods may not share the same id"));
                }
                let version = root.app(&app.id).map_or(app.version, |old| old.version);
                let spec = if version == app.version {
                    app.clone()
                } else {
                    Arc::new(RunSpec { version, ..RunSpec::clone(app) })
                };
                root.specs.insert(app.id.clone(), spec);
            }
        }
        if let Some(group) = root.groups.get_mut(&self.id) {
            group.enforce = self.enforce && self.id.is_top_level();
        }
        if let Some(dependencies) = &self.dependencies {
            root.set_dependencies(&self.id, dependencies.clone(), settings);
        }
        for group in self.groups.iter().flatten() {
            if !root.groups.contains_key(&group.id) {
                root.groups.insert(group.id.clone(), Group::default());
            }
            group.apply_inner(root, settings)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Posted, Settings};
    use crate::groups::Root;
    use crate::id::PathId;
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn flags(text: &str) -> Settings {
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
        Settings::of(
            &pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<BTreeMap<_, _>>(),
        )
    }

    fn told(posted: &Posted, path: &PathId, root: &Root, settings: &Settings) -> String {
        match posted.structure(path, root, settings) {
            Ok(change) => format!("{change:?}"),
            Err(refused) => format!("{refused:?}"),
        }
    }

    /// A tree with the apps of a body.
    fn tree(id: &str, body: &Value, settings: &Settings) -> Root {
        let mut root = Root::default();
        let posted = Posted::of(Arc::new(body.clone()));
        let change = posted.structure(&PathId::absolute(id), &root, settings).expect("a group");
        change.apply(&mut root, settings).expect("it fits");
        root
    }

    #[test]
    fn cached_readings_equal_fresh_ones() {
        let app = |id: &str| json!({"id": id, "cmd": "sleep 1", "container": {"type": "MESOS"}, "networks": [{"mode": "container"}]});
        let plain = || json!({"id": "db", "cmd": "sleep 1"});
        let with_role = |role: &str| json!({"id": "db", "cmd": "sleep 1", "role": role});
        let bodies = [
            ("/shop", json!({"apps": [app("db")]})),
            (
                "/shop",
                json!({"apps": [app("db")], "enforceRole": true, "groups": [{"id": "eu", "apps": [app("db")]}]}),
            ),
            ("/shop/eu", json!({"apps": [app("db")], "groups": [{"id": "berlin", "apps": [app("db")]}]})),
            ("/", json!({"apps": [app("db")], "groups": [{"id": "shop", "apps": [app("db")]}]})),
        ];
        let settings = [
            "MARATHON_MESOS_ROLE=ops",
            "MARATHON_NEW_GROUP_ENFORCE_ROLE=top",
            "MARATHON_DEFAULT_NETWORK_NAME=blue",
            "",
        ];
        let settings = settings.map(flags);
        let roots = [
            ("/shop", json!({"enforceRole": true, "apps": [plain()]})),
            (
                "/shop",
                json!({"enforceRole": true, "apps": [plain()], "groups": [{"id": "eu", "apps": [plain()]}]}),
            ),
            ("/shop", json!({"enforceRole": false, "apps": [with_role("ops")]})),
            ("/shop", json!({"enforceRole": false, "groups": [{"id": "eu", "apps": [with_role("ops")]}]})),
        ];
        let (mut same, mut different) = (0, 0);
        for (id, body) in &bodies {
            let id = PathId::absolute(id);
            for first in &settings {
                let body = Arc::new(body.clone());
                let fresh = Posted::of(body.clone());
                let Ok(change) = fresh.structure(&id, &Root::default(), first) else { continue };
                let then = format!("{change:?}");
                let mut kept = fresh.clone();
                kept.keep(change, first);
                for now in &settings {
                    let ops = flags("MARATHON_MESOS_ROLE=ops");
                    let trees = roots.iter().map(|(id, body)| tree(id, body, &ops));
                    for root in trees.chain([Root::default()]) {
                        let read = told(&fresh, &id, &root, now);
                        assert_eq!(told(&kept, &id, &root, now), read, "{id} {body}");
                        if read == then { same += 1 } else { different += 1 }
                    }
                }
            }
        }
        assert!(same > 0 && different > 0, "{same} {different}");
    }
}
