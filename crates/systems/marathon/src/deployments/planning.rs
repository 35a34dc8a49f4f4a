//! Plans a change of the tree: the change, its plan, and the result.
//!
//! *Knows*: the order: change, ports, versions, rules, plan. *Must not know*: whether the plan is accepted.
//!
//! **Source**: `marathon: core/group/impl/GroupManagerImpl.scala`. Match.

use crate::definition::Refused;
use crate::definition::spec::Stamp;
use crate::definition::write::Dates;
use crate::deployments::plan::{self, Plan, ToKill};
use crate::events::plan_json;
use crate::groups::{self, Difference, Levels, Marks, Root};
use crate::id::PathId;
use crate::records::Records;
use crate::setup::Setup;
use planarium_protocol::refusal::Told;
use planarium_protocol::{EventBody, Text};
use serde_json::Value;
use std::sync::Arc;

const DEPLOYMENT: u32 = 0x6d30;

/// The fact that a change failed.
const CHANGE_FAILED: &str = "group-change-failed";

/// A change of the tree.
pub(crate) struct RootChange<'a> {
    /// The group that events name.
    pub(crate) group: PathId,
    /// Its version.
    pub(crate) version: Stamp,
    pub(crate) force: bool,
    /// Specs that are restarted although nothing changes.
    pub(crate) marks: Marks,
    /// Instances to kill first when scaling down.
    pub(crate) kill: ToKill,
    /// The changed tree.
    pub(crate) change: &'a mut dyn FnMut(&mut Root) -> Result<(), Refused>,
}

/// A failed change, as reported to listeners.
#[derive(Clone, Debug)]
pub(crate) struct FailedChange {
    pub(crate) group: PathId,
    pub(crate) version: Stamp,
    pub(crate) reason: Text,
    /// The plan that was not accepted.
    pub(crate) plan: Option<Arc<Plan>>,
}

/// Result of an accepted change.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub(crate) version: Stamp,
    pub(crate) id: Text,
}

/// The plan of a change that is not carried out, and the levels of the tree that it leads to.
pub(crate) fn plan_of(
    records: &Records,
    deployments: u32,
    change: &mut RootChange<'_>,
) -> Result<(Plan, Option<Levels>), Refused> {
    let from = records.definitions.root.clone();
    let mut to = from.clone();
    (change.change)(&mut to)?;
    let to = groups::assign(&from, to, &records.setup.settings)?;
    let to = groups::with_versions(change.version, &from, to, &change.marks);
    let difference = Difference::between(&from, &to);
    let before = records.definitions.levels();
    let levels = difference.levels(before, &to);
    to.check(&difference, levels.as_ref(), &records.setup.settings)?;
    let steps =
        plan::steps(&difference, before, levels.as_ref(), &change.kill, records.setup.settings.stop_in_order);
    let id = records.setup.uuid(DEPLOYMENT, u64::from(deployments) + 1);
    let plan = Plan::of(id, &from, &to, steps);
    plan.check()?;
    Ok((plan, levels))
}

/// A failed change, as reported to the world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KnownFailure {
    /// The group that was to change.
    pub(crate) group: Text,
    /// The version of the failed change.
    pub(crate) version: Text,
    /// The deployment, where one was planned.
    pub(crate) plan: Option<Value>,
}

impl KnownFailure {
    fn to_facts(&self) -> Vec<(Text, Text)> {
        let mut facts = vec![("group".into(), self.group.clone()), ("version".into(), self.version.clone())];
        facts.extend(self.plan.iter().map(|plan| ("plan".into(), plan.to_string().into())));
        facts
    }

    /// The failure that an event tells of; none when it is another service's, or about something else.
    pub(crate) fn of(event: &EventBody, framework: &Text) -> Option<(Self, Text)> {
        let EventBody::Happened { speaker, what, facts, text, .. } = event else { return None };
        let fact = |name: &str| facts.iter().find(|(key, _)| **key == *name).map(|(_, value)| value.clone());
        (**what == *CHANGE_FAILED && speaker == framework).then(|| {
            let plan = fact("plan").and_then(|plan| planarium_protocol::json::value(plan.as_bytes()).ok());
            let known = Self {
                group: fact("group").unwrap_or_default(),
                version: fact("version").unwrap_or_default(),
                plan,
            };
            (known, text.to_string().into())
        })
    }
}

impl FailedChange {
    /// Returns the fact that becomes known of a failed change, although nothing has changed. Its text is the reason.
    pub(crate) fn told(&self, setup: &Setup) -> Told {
        let plan = self.plan.as_ref();
        let known = KnownFailure {
            group: self.group.text().clone(),
            version: setup.calendar.date(self.version).into(),
            plan: plan.map(|plan| plan_json(plan, setup.calendar, setup.settings.client_compat)),
        };
        Told {
            speaker: setup.settings.framework.clone(),
            what: CHANGE_FAILED.into(),
            facts: known.to_facts(),
            text: self.reason.clone(),
        }
    }
}
