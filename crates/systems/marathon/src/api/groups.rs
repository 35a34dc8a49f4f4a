//! Groups: showing, creating, changing and deleting them.
//!
//! **Source**: `marathon: api/v2/GroupsResource.scala, api/GroupApiService.scala,
//! core/appinfo/impl/DefaultInfoService.scala`. Match.

use super::apps::put;
use super::caller::Caller;
use super::reader::Reader;
use super::route::Query;
use super::show::{Embed, unknown_group};
use super::{Answer, Done, read_as};
use crate::dates::Calendar;
use crate::definition::double::Double;
use crate::definition::peek::Peek;
use crate::definition::write::Dates;
use crate::definition::{Refused, RunSpec, Violation};
use crate::deployments::plan::{self, ToKill};
use crate::deployments::planning::Accepted;
use crate::groups::Difference;
use crate::groups::Group;
use crate::groups::Root;
use crate::groups::change::{self, GroupChange, Posted};
use crate::id::PathId;
use crate::schema::group::GROUP_PATCH;
use crate::settings::Settings;
use planarium_kernel::SimTime;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Embedded parts of groups.
#[derive(Clone, Copy, Debug)]
struct GroupEmbed {
    groups: bool,
    apps: bool,
    pods: bool,
    app: Embed,
}

/// Requests in the body of a group's change.
#[derive(Clone, Debug)]
pub(crate) enum GroupBody {
    /// Back to this version.
    Version(u64, String),
    /// Multiplies the instances by this factor.
    Scale(Double),
    /// Another structure.
    Structure(Arc<GroupChange>),
}

impl Reader<'_> {
    pub(super) fn group_route(&self, now: SimTime, path: &str, query: &Query) -> Done {
        let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let of = |parts: &[&str]| PathId::absolute(&format!("/{}", parts.join("/")));
        match segments.as_slice() {
            [id @ .., "apps"] => {
                let (embed, _) = embeds(query);
                Ok(Answer::json(Value::Array(self.apps_within(&of(id), embed, now))))
            }
            [id @ .., "versions"] => {
                let id = of(id);
                self.records.definitions.root.group(&id).ok_or_else(|| unknown_group(&id))?;
                let with =
                    self.records.definitions.roots.iter().filter(|(_, root)| root.group(&id).is_some());
                Ok(Answer::json(Value::Array(
                    with.map(|(at, _)| self.records.setup.calendar.date(*at).into()).collect(),
                )))
            }
            [id @ .., "versions", version] => {
                let id = of(id);
                let stamp = self.stamp(version)?;
                let root =
                    self.records.definitions.roots.get(&stamp).filter(|root| root.group(&id).is_some());
                let root = root.ok_or_else(|| unknown_group(&id))?;
                let (_, embed) = embeds(query);
                // Only definitions are kept of old versions.
                let embed = GroupEmbed { app: Embed::default(), ..embed };
                Ok(Answer::json(self.group_json(root, &id, embed, now)))
            }
            id => self.show_group(now, &of(id), query),
        }
    }

    pub(super) fn show_group(&self, now: SimTime, id: &PathId, query: &Query) -> Done {
        let (_, embed) = embeds(query);
        self.records.definitions.root.group(id).ok_or_else(|| unknown_group(id))?;
        Ok(Answer::json(self.group_json(&self.records.definitions.root, id, embed, now)))
    }

    fn group_json(&self, root: &Root, id: &PathId, embed: GroupEmbed, now: SimTime) -> Value {
        let mut all = Map::new();
        let group = root.group(id);
        all.insert("id".to_owned(), id.as_str().into());
        let needs = group.map(|group| group.dependencies.clone()).unwrap_or_default();
        all.insert("dependencies".to_owned(), needs.iter().map(PathId::as_str).collect());
        all.insert("version".to_owned(), self.records.setup.calendar.date(root.version).into());
        let mine = || root.specs_within(id).filter(|spec| spec.id.parent() == *id && spec.id != *id);
        // Parts that are not embedded are empty lists.
        for key in ["apps", "pods", "groups"] {
            all.insert(key.to_owned(), Value::Array(Vec::new()));
        }
        if embed.apps {
            let apps = mine().filter(|spec| spec.is_app()).map(|app| self.app_info(app, embed.app, now));
            all.insert("apps".to_owned(), apps.collect());
        }
        if embed.groups {
            let groups = root.subgroups(id).map(|(id, _)| self.group_json(root, id, embed, now));
            all.insert("groups".to_owned(), groups.collect());
        }
        if embed.pods {
            let pods = mine().filter(|spec| !spec.is_app()).map(|pod| self.pod_status_json(pod, now));
            all.insert("pods".to_owned(), pods.collect());
        }
        // The root and nested groups neither enforce roles nor show the field.
        if !self.records.setup.settings.client_compat && id.is_top_level() {
            all.insert("enforceRole".to_owned(), group.is_some_and(|group| group.enforce).into());
        }
        Value::Object(all)
    }

    /// Reads the request in a posted body; `id` is the posted path.
    pub(crate) fn group_body(&self, id: &PathId, posted: &Posted) -> Result<(PathId, GroupBody), Refused> {
        let body = posted.body()?;
        let id = match body.text("id") {
            Some(text) => {
                let flaws = crate::id::flaws(text).into_iter().map(|flaw| Violation::new("/", flaw));
                Refused::unless_none(flaws.collect())?;
                PathId::resolve(text, id)
            }
            None => id.clone(),
        };
        if body.field("version").is_some() || body.field("scaleBy").is_some() {
            let settings = &self.records.setup.settings;
            change::check_whole(body, &id, &self.records.definitions.root, settings)?;
        }
        let wanted = if let Some(version) = body.text("version") {
            GroupBody::Version(self.stamp(version)?, version.to_owned())
        } else if body.field("scaleBy").is_some() {
            GroupBody::Scale(Double::of(body.number("scaleBy")))
        } else {
            GroupBody::Structure(posted.structure(
                &id,
                &self.records.definitions.root,
                &self.records.setup.settings,
            )?)
        };
        Ok((id, wanted))
    }

    /// Applies a body to the tree.
    pub(crate) fn apply_group(&self, root: &mut Root, id: &PathId, body: &GroupBody) -> Result<(), Refused> {
        match body {
            GroupBody::Structure(change) => change.apply(root, &self.records.setup.settings),
            GroupBody::Scale(factor) => {
                scale(root, id, *factor);
                Ok(())
            }
            GroupBody::Version(stamp, text) => {
                let old = self.records.definitions.roots.get(stamp).filter(|old| old.group(id).is_some());
                let version = Calendar::canonical(text);
                let old = old.ok_or_else(|| {
                    Refused::Illegal(format!("Group {id} not available in version {version}"))
                })?;
                go_back(root, old, id, &self.records.setup.settings)
            }
        }
    }

    /// Returns the steps of a change, without carrying it out.
    pub(crate) fn dry_run(&self, at: &str, body: &Value) -> Done {
        let at = named(at)?;
        let (id, body) = self.group_body(&at, &posted(body)?)?;
        let mut to = self.records.definitions.root.clone();
        self.apply_group(&mut to, &id, &body)?;
        if let GroupBody::Structure(change) = &body {
            change.version_anew(&mut to);
        }
        let difference = Difference::between(&self.records.definitions.root, &to);
        let before = self.records.definitions.levels();
        let after = difference.levels(before, &to);
        let in_order = self.records.setup.settings.stop_in_order;
        let steps = plan::steps(&difference, before, after.as_ref(), &ToKill::new(), in_order);
        let steps = steps.iter().map(plan::Step::json).collect();
        Ok(Answer::json(plan::holding("steps", steps)))
    }
}

impl Caller<'_, '_> {
    fn change_group(
        &mut self,
        at: &PathId,
        id: &PathId,
        body: &GroupBody,
        force: bool,
    ) -> Result<Accepted, Refused> {
        let mut changed = self.marathon.records.definitions.root.clone();
        self.reader()
            .apply_group(&mut changed, id, body)
            .map_err(|refused| self.marathon.refuse_change(self.port.cx, at.parent(), refused))?;
        self.simple_change(at.parent(), force, &mut |root| {
            *root = changed.clone();
            Ok(())
        })
    }

    pub(crate) fn create_group(&mut self, at: &PathId, posted: &Posted, force: bool) -> Done {
        let (id, body) = self.reader().group_body(at, posted)?;
        if self.marathon.records.definitions.root.group(&id).is_some() {
            let text = format!("Group {id} is already created. Use PUT to change this group.");
            return Err(Refused::Conflict(text));
        }
        if self.marathon.records.definitions.root.app(&id).is_some() {
            return Err(Refused::Conflict(format!("An app with the path {id} already exists.")));
        }
        let accepted = self.change_group(at, &id, &body, force)?;
        Ok(self.deployed(&accepted).with_status(201).with("Location", id.as_str()))
    }

    pub(crate) fn update_group(&mut self, at: &PathId, posted: &Posted, force: bool) -> Done {
        let (id, body) = self.reader().group_body(at, posted)?;
        let accepted = self.change_group(at, &id, &body, force)?;
        Ok(self.deployed(&accepted))
    }

    pub(super) fn patch_group(&mut self, id: &str, body: &Value) -> Done {
        let id = PathId::absolute(id);
        let enforce = read_as(&GROUP_PATCH, body, true)?.field("enforceRole").and_then(Value::as_bool);
        if !id.is_top_level() {
            return Err(Refused::rule("/", "Path needs to be top-level"));
        }
        let old =
            self.marathon.records.definitions.root.group(&id).cloned().ok_or_else(|| unknown_group(&id))?;
        let mut root = self.marathon.records.definitions.root.clone();
        let enforce = enforce
            .unwrap_or(self.marathon.records.setup.settings.new_groups == crate::settings::NewGroups::Top);
        root.groups.insert(id, Group { enforce, ..old });
        self.marathon.patch_root(root);
        Ok(Answer::empty(200))
    }

    pub(super) fn delete_root(&mut self, force: bool) -> Done {
        let accepted = self.simple_change(PathId::root(), force, &mut |root| {
            *root = Root { version: root.version, ..Root::default() };
            Ok(())
        })?;
        Ok(self.deployed(&accepted))
    }

    pub(crate) fn delete_group(&mut self, id: &str, force: bool) -> Done {
        let id = PathId::absolute(id);
        if id.is_root() {
            return self.delete_root(force);
        }
        let accepted = self.simple_change(id.parent(), force, &mut |root| {
            root.group(&id).ok_or_else(|| unknown_group(&id))?;
            root.remove_group(&id);
            Ok(())
        })?;
        Ok(self.deployed(&accepted))
    }
}

/// The body of a change of a group. The word `null` is a change in which nothing is named.
pub(super) fn posted(body: &Value) -> Result<Posted, Refused> {
    let body = super::body_of(body)?;
    Ok(Posted::of(Arc::new(if body.is_null() { Value::Object(Map::new()) } else { body })))
}

/// The id in a URL.
pub(super) fn named(id: &str) -> Result<PathId, Refused> {
    let flaws = crate::id::flaws(id).into_iter().map(|flaw| Violation::new("/", flaw));
    Refused::unless_none(flaws.collect())?;
    Ok(PathId::absolute(id))
}

/// Reads the words of `embed`: for apps, and for groups.
fn embeds(query: &Query) -> (Embed, GroupEmbed) {
    let given: Vec<&str> = query.all("embed").collect();
    let words = if given.is_empty() { vec!["group.groups", "group.apps", "group.pods"] } else { given };
    let app = Embed::of(words.iter().copied(), &["group.apps."]);
    let has = |word: &str| words.contains(&word);
    let embed =
        GroupEmbed { groups: has("group.groups"), apps: has("group.apps"), pods: has("group.pods"), app };
    (app, embed)
}

/// Multiplies the instances of all apps in a group and its subgroups by a factor, rounded up.
fn scale(root: &mut Root, id: &PathId, factor: Double) {
    let apps: Vec<Arc<RunSpec>> = root.specs_within(id).filter(|spec| spec.is_app()).cloned().collect();
    for app in apps {
        // Too large values are limited to the maximum; negative ones are as in the real system.
        let instances = Double::whole(u64::from(app.instances)).times(factor).ceil_i32().cast_unsigned();
        if let Some(place) = root.specs.get_mut(&app.id) {
            *place = Arc::new(RunSpec { instances, ..RunSpec::clone(&app) });
        }
    }
}

/// Restores a group with its content.
fn go_back(root: &mut Root, old: &Root, id: &PathId, settings: &Settings) -> Result<(), Refused> {
    let at = old.group(id).cloned().unwrap_or_default();
    let kept: Vec<Arc<RunSpec>> =
        old.specs_within(id).filter(|spec| spec.id != *id || id.is_root()).cloned().collect();
    let groups: Vec<(PathId, Group)> =
        old.groups_within(id).map(|(id, group)| (id.clone(), group.clone())).collect();
    let before = root.clone();
    root.remove_group(id);
    root.make_group(id, settings);
    for (id, group) in groups {
        root.groups.insert(id, group);
    }
    root.groups.insert(id.clone(), at);
    for spec in kept {
        let version = before.spec(&spec.id).map_or(spec.version, |now| now.version);
        put(root, RunSpec { version, ..RunSpec::clone(&spec) }, settings)?;
    }
    Ok(())
}
