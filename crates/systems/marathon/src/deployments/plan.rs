//! Computing a plan.
//!
//! *Cost*: linear in specs, groups and dependencies (times a logarithm).
//!
//! **Source**: `marathon: core/deployment/DeploymentPlan.scala, raml/DeploymentPlanConversion.scala`. Match; actions of a step
//! come in order of ids.

use crate::definition::spec::{RunSpec, Stamp};
use crate::definition::write::Dates;
use crate::definition::{Refused, update_flaws};
use crate::groups::Difference;
use crate::groups::Levels;
use crate::groups::Root;
use crate::id::PathId;
use crate::instances::instance::InstanceNo;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Text;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Kinds of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ActionKind {
    /// Nothing; it is there because it always was.
    Start,
    /// Ends all instances.
    Stop,
    /// Changes the number of instances.
    Scale,
    /// Replaces all instances.
    Restart,
}

/// Instances that a scaling is to kill, by spec.
pub(crate) type ToKill = SortedMap<PathId, Arc<[InstanceNo]>>;

/// One action.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// Its effect.
    pub(crate) kind: ActionKind,
    /// With which spec.
    pub(crate) spec: Arc<RunSpec>,
    /// Instances to kill first, whatever the number.
    pub(crate) kill: Arc<[InstanceNo]>,
}

impl Action {
    fn new(kind: ActionKind, spec: &Arc<RunSpec>) -> Self {
        Self { kind, spec: spec.clone(), kill: Arc::default() }
    }

    /// The name: `StartApplication`, `RestartPod`, ...
    pub(crate) fn name(&self) -> String {
        [self.verb(), self.spec.word()].concat()
    }

    /// The first part of the name.
    pub(crate) fn verb(&self) -> &'static str {
        match self.kind {
            ActionKind::Start => "Start",
            ActionKind::Stop => "Stop",
            ActionKind::Scale => "Scale",
            ActionKind::Restart => "Restart",
        }
    }

    /// As answers show it.
    pub(crate) fn json(&self) -> Map<String, Value> {
        let mut all = self.nameless();
        self.name_in(&mut all);
        all
    }

    /// As answers show it, without the id of the spec.
    fn nameless(&self) -> Map<String, Value> {
        let mut all = Map::with_capacity(2);
        all.insert("action".to_owned(), Value::String(self.name()));
        let key = if self.spec.is_app() { "app" } else { "pod" };
        all.insert(key.to_owned(), Value::Null);
        all
    }

    /// Puts in the id of the spec.
    fn name_in(&self, json: &mut Map<String, Value>) {
        if let Some(id) = json.values_mut().last() {
            *id = Value::String(self.spec.id.as_str().to_owned());
        }
    }
}

/// Actions that are carried out at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    /// In order of ids.
    pub(crate) actions: Vec<Action>,
}

impl Step {
    /// As answers show it.
    pub(crate) fn json(&self) -> Value {
        // Most actions of a step have the previous one's name: a copy is cheaper than a new map.
        let mut last: Option<((ActionKind, bool), Map<String, Value>)> = None;
        let actions = self.actions.iter().map(|action| {
            let named = (action.kind, action.spec.is_app());
            let like = last.take().filter(|(other, _)| *other == named);
            let (_, like) = last.insert(like.unwrap_or_else(|| (named, action.nameless())));
            let mut json = like.clone();
            action.name_in(&mut json);
            Value::Object(json)
        });
        holding("actions", actions.collect())
    }
}

/// An object with a list in it, which is moved there: there may be thousands of actions.
pub(crate) fn holding(key: &str, items: Vec<Value>) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), Value::Array(items))]))
}

/// A plan.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// A UUID.
    pub(crate) id: Text,
    /// The tree before.
    pub(crate) original: Root,
    /// The tree after.
    pub(crate) target: Root,
    /// In order.
    pub(crate) steps: Arc<[Step]>,
    /// Of the change.
    pub(crate) version: Stamp,
    /// Ids that occur in actions.
    affected: Arc<SortedSet<PathId>>,
}

impl Plan {
    /// These steps, from one tree to another.
    pub(crate) fn of(id: Text, original: &Root, target: &Root, steps: Vec<Step>) -> Self {
        let version = target.version;
        let affected: SortedSet<PathId> =
            steps.iter().flat_map(|step| &step.actions).map(|action| action.spec.id.clone()).collect();
        let (original, target) = (original.clone(), target.clone());
        Self { id, original, target, steps: steps.into(), version, affected: Arc::new(affected) }
    }

    /// Ids that occur in actions.
    pub(crate) fn affected(&self) -> &SortedSet<PathId> {
        &self.affected
    }

    /// Rules of the change as a whole: what keeps volumes may not change much.
    pub(crate) fn check(&self) -> Result<(), Refused> {
        let affected = self.affected();
        let mut found = Vec::new();
        for is_app in [true, false] {
            let touched =
                affected.iter().filter_map(|id| self.target.spec(id)).filter(|spec| spec.is_app() == is_app);
            for (at, spec) in touched.enumerate() {
                let what = if is_app { "app" } else { "pod" };
                if let Some(old) = self.original.spec(&spec.id) {
                    found.extend(update_flaws(old, spec, &format!("/{what}({at})")));
                }
            }
        }
        Refused::unless_none(found)
    }

    /// As events show it.
    pub(crate) fn json(&self, dates: &dyn Dates) -> Value {
        let steps: Vec<Value> = self.steps.iter().map(Step::json).collect();
        Value::Object(Map::from_iter([
            ("id".to_owned(), Value::String(self.id.to_string())),
            ("steps".to_owned(), Value::Array(steps)),
            ("version".to_owned(), Value::String(dates.date(self.version))),
        ]))
    }
}

/// The way from one tree to another. `before` and `after` are the levels of both, none where something needs itself; `in_order`
/// stops those first that need others.
pub(crate) fn steps(
    difference: &Difference<'_>,
    before: Option<&Levels>,
    after: Option<&Levels>,
    kill: &ToKill,
    in_order: bool,
) -> Vec<Step> {
    let level = |levels: Option<&Levels>, place: usize| levels.map_or(1, |levels| levels.at(place));
    let mut steps = Vec::new();
    let stops = difference.removed.iter().map(|(at, spec)| (*at, Action::new(ActionKind::Stop, spec)));
    if in_order {
        let mut by_level: SortedMap<u32, Vec<Action>> = SortedMap::new();
        for (at, stop) in stops {
            by_level.entry(level(before, at)).or_default().push(stop);
        }
        steps.extend(by_level.into_values().rev().map(|actions| Step { actions }));
    } else {
        steps.push(Step { actions: stops.map(|(_, stop)| stop).collect() });
    }
    let added = difference.changed.iter().filter(|change| change.old.is_none());
    steps.push(Step { actions: added.map(|change| Action::new(ActionKind::Start, change.new)).collect() });
    // One step per level, those that others need first.
    let mut by_level: SortedMap<u32, Vec<Action>> = SortedMap::new();
    for change in &difference.changed {
        let action = action(change.old, change.new, kill);
        by_level.entry(level(after, change.place)).or_default().extend(action);
    }
    steps.extend(by_level.into_values().map(|actions| Step { actions }));
    steps.retain(|step| !step.actions.is_empty());
    steps
}

/// *Order* of the rules: new, scaled only or down to nothing, to be restarted.
fn action(old: Option<&Arc<RunSpec>>, new: &Arc<RunSpec>, kill: &ToKill) -> Option<Action> {
    let Some(old) = old else { return Some(Action::new(ActionKind::Scale, new)) };
    if old.is_only_scale(new) || new.instances == 0 {
        let kill = kill.get(&new.id).cloned().unwrap_or_default();
        return Some(Action { kill, ..Action::new(ActionKind::Scale, new) });
    }
    old.needs_restart(new).then(|| Action::new(ActionKind::Restart, new))
}
