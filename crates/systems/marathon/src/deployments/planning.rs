//! Planning a change of the tree: what it is, which plan it has, what came of it.
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
use planarium_protocol::Text;
use planarium_protocol::refusal::Told;
use std::sync::Arc;

const DEPLOYMENT: u32 = 0x6d30;

/// The fact that a change failed.
pub(crate) const CHANGE_FAILED: &str = "group-change-failed";

/// A change of the tree.
pub(crate) struct RootChange<'a> {
    /// The group that events name.
    pub(crate) group: PathId,
    /// Its version.
    pub(crate) version: Stamp,
    pub(crate) force: bool,
    /// What is restarted although nothing changes.
    pub(crate) marks: Marks,
    /// Who has to go if there are to be fewer.
    pub(crate) kill: ToKill,
    /// The changed tree.
    pub(crate) change: &'a mut dyn FnMut(&mut Root) -> Result<(), Refused>,
}

/// A change that failed: what those who listen are told of it.
#[derive(Clone, Debug)]
pub(crate) struct FailedChange {
    pub(crate) group: PathId,
    pub(crate) version: Stamp,
    pub(crate) reason: Text,
    /// The plan that was not accepted.
    pub(crate) plan: Option<Arc<Plan>>,
}

/// What came of it.
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
    let steps = plan::steps(
        &difference,
        (before, levels.as_ref()),
        &change.kill,
        records.setup.settings.stop_in_order,
    );
    let id = records.setup.uuid(DEPLOYMENT, u64::from(deployments) + 1);
    let plan = Plan::of(id, &from, &to, steps);
    plan.check()?;
    Ok((plan, levels))
}

impl FailedChange {
    /// What becomes known of a change that failed, although nothing has changed. Its text is the reason.
    pub(crate) fn told(&self, setup: &Setup) -> Told {
        let mut facts: Vec<(Text, Text)> = vec![
            ("group".into(), self.group.text().clone()),
            ("version".into(), setup.calendar.date(self.version).into()),
        ];
        if let Some(plan) = &self.plan {
            let plan = plan_json(plan, setup.calendar, setup.settings.client_compat);
            facts.push(("plan".into(), plan.to_string().into()));
        }
        Told {
            speaker: setup.settings.framework.clone(),
            what: CHANGE_FAILED.into(),
            facts,
            text: self.reason.clone(),
        }
    }
}
