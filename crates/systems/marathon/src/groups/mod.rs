//! The tree of groups with its apps and pods.
//!
//! *Knows*: groups, their members, dependencies between them, versions. *Must not know*: instances, deployments.
//!
//! **Source**: `marathon: state/Group.scala, state/RootGroup.scala`. Match; the tree is stored flat, by id.

pub(crate) mod change;
pub(crate) mod definitions;
mod difference;
mod graph;
mod ports;
mod versions;

pub(crate) use difference::Difference;
pub(crate) use graph::Levels;
pub(crate) use ports::assign;
pub(crate) use versions::{Marks, with_versions};

use crate::definition::spec::{RunSpec, Stamp};
use crate::definition::{Refused, RoleSettings, too_many};
use crate::id::PathId;
use crate::settings::{NewGroups, Settings};
use planarium_kernel::{Limits, Map, SortedSet};
use planarium_protocol::Text;
use std::cmp::Ordering;
use std::sync::Arc;

/// One group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// Its dependencies.
    pub(crate) dependencies: Arc<[PathId]>,
    /// Set if the members run under the group's own role; top-level groups only.
    pub(crate) enforce: bool,
}

/// All groups, apps and pods.
///
/// *Invariant*: the group of every member exists, up to the root.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// Of the last change; all groups have it.
    pub(crate) version: Stamp,
    /// By id, the root included.
    pub(crate) groups: Map<PathId, Group>,
    /// Apps and pods by id.
    pub(crate) specs: Map<PathId, Arc<RunSpec>>,
}

impl Default for Root {
    fn default() -> Self {
        let groups = [(PathId::root(), Group::default())].into_iter().collect();
        Self { version: 0, groups, specs: Map::new() }
    }
}

impl Root {
    /// Pairs the specs of this tree and another one, in order of ids.
    pub(crate) fn beside<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = (Option<&'a Arc<RunSpec>>, Option<&'a Arc<RunSpec>>)> {
        let (mut mine, mut theirs) = (self.specs.iter().peekable(), other.specs.iter().peekable());
        std::iter::from_fn(move || {
            let order = match (mine.peek(), theirs.peek()) {
                (Some((one, _)), Some((other, _))) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return None,
            };
            let one = if order.is_le() { mine.next() } else { None };
            let other = if order.is_ge() { theirs.next() } else { None };
            Some((one.map(|(_, spec)| spec), other.map(|(_, spec)| spec)))
        })
    }

    /// Returns whether another tree has the same groups with the same needs.
    fn has_groups_of(&self, other: &Self) -> bool {
        self.groups.len() == other.groups.len()
            && (self.groups.iter().zip(other.groups.iter()))
                .all(|(one, other)| one.0 == other.0 && one.1.dependencies == other.1.dependencies)
    }

    /// An app or pod.
    pub(crate) fn spec(&self, id: &PathId) -> Option<&Arc<RunSpec>> {
        self.specs.get(id)
    }

    /// An app.
    pub(crate) fn app(&self, id: &PathId) -> Option<&Arc<RunSpec>> {
        self.spec(id).filter(|spec| spec.is_app())
    }

    /// A pod.
    pub(crate) fn pod(&self, id: &PathId) -> Option<&Arc<RunSpec>> {
        self.spec(id).filter(|spec| !spec.is_app())
    }

    /// A group.
    pub(crate) fn group(&self, id: &PathId) -> Option<&Group> {
        self.groups.get(id)
    }

    /// Apps and pods in a group and in all groups below it.
    pub(crate) fn specs_within<'a>(&'a self, group: &'a PathId) -> impl Iterator<Item = &'a Arc<RunSpec>> {
        self.specs.range(group..).map(|(_, spec)| spec).take_while(move |spec| spec.id.is_within(group))
    }

    /// A group and all groups below it.
    pub(crate) fn groups_within<'a>(
        &'a self,
        group: &'a PathId,
    ) -> impl Iterator<Item = (&'a PathId, &'a Group)> {
        self.groups.range(group..).take_while(move |(id, _)| id.is_within(group))
    }

    /// Groups right below a group.
    pub(crate) fn subgroups<'a>(
        &'a self,
        group: &'a PathId,
    ) -> impl Iterator<Item = (&'a PathId, &'a Group)> {
        self.groups_within(group).filter(move |(id, _)| *id != group && id.parent() == *group)
    }

    /// Returns whether a group has no members, including other groups.
    pub(crate) fn is_empty_group(&self, group: &PathId) -> bool {
        let below = |id: &PathId| id != group;
        !self.specs_within(group).any(|spec| below(&spec.id))
            && !self.groups_within(group).any(|(id, _)| below(id))
    }

    /// Makes a group with all groups around it exist.
    pub(crate) fn make_group(&mut self, id: &PathId, settings: &Settings) {
        if self.groups.contains_key(id) {
            return;
        }
        for id in std::iter::once(id.clone()).chain(id.parents()) {
            if self.groups.contains_key(&id) {
                break;
            }
            let enforce = id.is_top_level() && settings.new_groups == NewGroups::Top;
            self.groups.insert(id, Group { enforce, ..Group::default() });
        }
    }

    /// Puts an app or pod in its place; a group without apps and pods that has its id makes way.
    pub(crate) fn put(&mut self, spec: Arc<RunSpec>, settings: &Settings) {
        let id = spec.id.clone();
        if self.groups.contains_key(&id) && self.specs_within(&id).all(|spec| spec.id == id) {
            self.drop_groups(&id);
        }
        if let Some(place) = self.specs.get_mut(&id) {
            // Its group is there.
            *place = spec;
            return;
        }
        self.make_group(&id.parent(), settings);
        self.specs.insert(id, spec);
    }

    /// Takes an app or pod out.
    pub(crate) fn remove(&mut self, id: &PathId) {
        self.specs.remove(id);
    }

    fn drop_groups(&mut self, id: &PathId) {
        let gone: Vec<PathId> = self.groups_within(id).map(|(id, _)| id.clone()).collect();
        for id in gone.iter().filter(|id| !id.is_root()) {
            self.groups.remove(id);
        }
    }

    /// Takes a group out with everything in it.
    pub(crate) fn remove_group(&mut self, id: &PathId) {
        let below = |spec: &&Arc<RunSpec>| spec.id != *id;
        let gone: Vec<PathId> = self.specs_within(id).filter(below).map(|spec| spec.id.clone()).collect();
        for id in &gone {
            self.specs.remove(id);
        }
        self.drop_groups(id);
    }

    /// Sets the dependencies of a group.
    pub(crate) fn set_dependencies(&mut self, id: &PathId, dependencies: Vec<PathId>, settings: &Settings) {
        self.make_group(id, settings);
        if let Some(group) = self.groups.get_mut(id) {
            group.dependencies = dependencies.into_iter().collect::<SortedSet<_>>().into_iter().collect();
        }
    }

    /// Returns the permitted roles of an app or pod, by its group.
    ///
    /// **Source**: `marathon: util/RoleSettings.scala (forService)`. Match.
    pub(crate) fn roles_for(&self, id: &PathId, settings: &Settings, forced: bool) -> RoleSettings {
        if id.parent().is_root() {
            return RoleSettings::only(&settings.role);
        }
        let group: Text = id.top().into();
        let enforce =
            self.group(&id.top_path()).map_or(settings.new_groups == NewGroups::Top, |group| group.enforce);
        let existing = self.spec(id).map(|spec| spec.def.role.clone());
        let base = if enforce {
            RoleSettings::only(&group)
        } else {
            RoleSettings::only(&settings.role).and([group])
        };
        RoleSettings { previous: existing.clone(), forced, ..base.and(existing) }
    }

    /// Checks the whole tree; `difference` leads to it from a valid tree, `levels` are its own.
    ///
    /// **Source**: `marathon: state/RootGroup.scala (validRootGroup), state/Group.scala (validGroup)`. Match; only changed
    /// specs are checked individually.
    /// changed is looked at one by one.
    pub(crate) fn check(
        &self,
        difference: &Difference<'_>,
        levels: Option<&Levels>,
        settings: &Settings,
    ) -> Result<(), Refused> {
        if levels.is_none() {
            return Err(Refused::rule("/", "Dependency graph has cyclic dependencies."));
        }
        if let Some(spec) = self.groups.keys().find_map(|id| self.spec(id)) {
            let what = if spec.is_app() { "Applications" } else { "Pods" };
            return Err(Refused::rule("/", format!("Groups and {what} may not have the same identifier.")));
        }
        let all = self.specs.values().map(|spec| i64::from(spec.instances)).sum::<i64>();
        if all > i64::from(Limits::DEFAULT.instances) {
            return Err(Refused::rule("/", format!("instances of all apps and pods: {}", too_many(all))));
        }
        let mut found = Vec::new();
        for change in difference.changed.iter().filter(|change| change.new.is_app()) {
            let spec = change.new;
            if change.old.is_some_and(|old| old.def == spec.def && old.instances == spec.instances) {
                continue;
            }
            let roles = self.roles_for(&spec.id, settings, false);
            for flaw in crate::definition::flaws_in_group(spec, settings, &roles) {
                let path = format!("/apps/{}{}", spec.id, place_in_group(&flaw.path));
                found.push(crate::definition::Violation::new(path, flaw.message));
            }
        }
        Refused::unless_none(found)
    }
}

/// Returns the rest of a violation's path within an app, where it is reported for a group's app: most rules lose it to the app's id.
///
/// **Source**: `marathon: state/Group.scala (everyApp), api/v2/Validation.scala (withPath)`. Match.
fn place_in_group(path: &str) -> &str {
    match path.strip_prefix("/unreachableStrategy") {
        Some(inner) => inner,
        None if path == "/isSingleInstance" || path.starts_with("/upgradeStrategy/") => path,
        None => "",
    }
}
