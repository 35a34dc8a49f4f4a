//! Ways to fit waiting instances into the offers: roles, quota, smaller requests, fewer instances.
//!
//! *Knows*: the rest of the last offers, and the app fields that an operator would change. *Must not know*: which of the ways
//! works; the caller tries them.

use super::Explainer;
use super::remedies::Turn;
use crate::definition::RunSpec;
use crate::deployments::jobs::Work;
use crate::id::PathId;
use crate::instances::instance::{Goal, Instance};
use crate::instances::tracker::SpecNo;
use crate::offers::matching::{Reject, Selector};
use crate::offers::statistics::Unused;
use crate::view::actions::call;
use planarium_kernel::Milli;
use planarium_protocol::json;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The smallest request for CPUs that is proposed.
const LEAST_CPUS: Milli = Milli::from_thousandths(10);
/// The smallest request for memory that is proposed. *Units*: MiB.
const LEAST_MEM: Milli = Milli::from_int(16);

impl Explainer<'_> {
    /// Proposes changes of the quota and of the definition with which the instances that wait would fit.
    pub(super) fn fit_remedies(&mut self, no: SpecNo, spec: &Arc<RunSpec>, looked: &[Arc<Unused>]) {
        self.quota_remedy(spec);
        let current = self.records.definitions.root.spec(&spec.id);
        let is_current = current.is_some_and(|current| current.version.changed == spec.version.changed);
        if !is_current || !spec.is_app() {
            // What waits is given up anyway, or is a pod, which is changed as a whole.
            return;
        }
        if !spec.is_resident() {
            self.role_remedy(spec, looked);
            self.size_remedy(spec, looked);
        }
        self.count_remedy(no, spec);
    }

    /// A quota that leaves less for the role than an instance needs.
    fn quota_remedy(&mut self, spec: &RunSpec) {
        let needs = &spec.def.needs;
        let amounts = [("cpus", needs.cpus), ("mem", needs.mem), ("disk", needs.disk), ("gpus", needs.gpus)];
        let role = &spec.def.role;
        if self.cluster.is_limited(role, &amounts) {
            let input = call("DELETE", format!("/quota/{role}"), Value::Null);
            self.help(Turn::Cause, format!("Remove the quota of role {role}"), Some(input));
        }
    }

    /// The roles whose resources it accepts, where others would do.
    fn role_remedy(&mut self, spec: &RunSpec, looked: &[Arc<Unused>]) {
        let role: &str = &spec.def.role;
        let all: Vec<&str> = if role == "*" { vec!["*"] } else { vec!["*", role] };
        let accepted = accepted(spec);
        if all.iter().all(|role| accepted.contains(role)) {
            return;
        }
        let suits = |unused: &&Arc<Unused>| {
            let is_else =
                |reject: &Reject| !matches!(reject, Reject::Role | Reject::Ports) && !is_amount(*reject);
            let short = |(name, needed): (&str, Milli)| usable(unused, &all, name) < needed;
            !unused.why.region
                && !unused.why.reasons.iter().any(is_else)
                && !requests(spec).into_iter().any(short)
        };
        if looked.iter().any(|unused| suits(&unused)) {
            let title = format!("Have {} accept resources of role {}", spec.id, all.join(" and "));
            self.change(Turn::Cause, &title, &spec.id, &json!({"acceptedResourceRoles": all}));
        }
    }

    /// A request that fits the machines that are nearest.
    fn size_remedy(&mut self, spec: &RunSpec, looked: &[Arc<Unused>]) {
        let roles = accepted(spec);
        let only_size = |unused: &&Arc<Unused>| {
            let reasons = &unused.why.reasons;
            !unused.why.region && !reasons.is_empty() && reasons.iter().all(|reject| is_amount(*reject))
        };
        let mut near: Vec<&Arc<Unused>> = looked.iter().filter(only_size).collect();
        planarium_kernel::sorted::sort_by_key(&mut near, |unused| super::offers::distance(spec, unused));
        let instances = usize::try_from(spec.instances).unwrap_or(usize::MAX).max(1);
        near.truncate(instances);
        // Several instances may share a machine.
        let Ok(each) = i64::try_from(instances.div_ceil(near.len().max(1))) else { return };
        let mut body = Map::new();
        let mut words = Vec::new();
        for (name, needed) in requests(spec) {
            let room = near.iter().map(|unused| usable(unused, &roles, name)).min().unwrap_or_default();
            let fits = whole(name, room.thousandths() / each);
            if fits >= needed {
                continue;
            }
            if fits < least(name) || name == "gpus" {
                return;
            }
            words.push(format!("{fits} {name} instead of {needed}"));
            body.insert(name.to_owned(), number(fits));
        }
        if !body.is_empty() {
            let title = format!("Ask for {} in {}", words.join(" and "), spec.id);
            self.change(Turn::Fit, &title, &spec.id, &Value::Object(body));
        }
    }

    /// As many instances as run already, where some do and others are on their way beside them.
    fn count_remedy(&mut self, no: SpecNo, spec: &RunSpec) {
        let job = self.records.run(no).and_then(|run| run.job.clone());
        if job.is_some_and(|job| matches!(job.work, Work::Replacing(_) | Work::Stopping(_))) {
            // A count alone would leave old instances beside new ones.
            return;
        }
        let runs = |instance: &Instance| {
            instance.goal == Goal::Running && instance.condition.is_active() && !instance.is_scheduled()
        };
        let fit = self.records.instances.of_spec(no).filter(|(_, instance)| runs(instance)).count();
        let fit = u32::try_from(fit).unwrap_or(u32::MAX);
        if fit > 0 && fit < spec.instances {
            let plural = if fit == 1 { "instance that fits" } else { "instances that fit" };
            let title = format!("Scale {} down to the {fit} {plural}", spec.id);
            self.change(Turn::Fit, &title, &spec.id, &json!({"instances": fit}));
        }
    }

    /// A restart by force of an app that a deployment has locked while it works on something else.
    pub(super) fn force_remedy(&mut self, id: &PathId) {
        let Some(spec) = self.records.definitions.root.spec(id).filter(|spec| spec.is_app()) else { return };
        if spec.instances > 0
            && let Some(blocking) = self.blocking(id)
        {
            let title = format!("Restart {id} by force; {blocking} is given up for it");
            let path = format!("/v2/apps{id}/restart?force=true");
            self.help(Turn::Fit, title, Some(call("POST", path, Value::Null)));
        }
    }

    /// Adds a change of an app: with `force` if a deployment has locked it.
    fn change(&mut self, turn: Turn, title: &str, id: &PathId, body: &Value) {
        let blocking = self.blocking(id);
        let force = if blocking.is_some() { "?force=true" } else { "" };
        let title = match blocking {
            Some(blocking) => format!("{title}, by force; {blocking} is given up for it"),
            None => title.to_owned(),
        };
        self.help(turn, title, Some(call("PUT", format!("/v2/apps{id}{force}"), body.clone())));
    }

    /// The name of the deployment that has an app locked.
    fn blocking(&self, id: &PathId) -> Option<String> {
        let locks = self.deployments.running().find(|one| one.plan.affected().contains(id))?;
        Some(crate::shown::deployment_name(locks.no))
    }
}

/// The roles whose resources an app takes.
fn accepted(spec: &RunSpec) -> Vec<&str> {
    if spec.def.accepted.is_empty() {
        vec!["*", &spec.def.role]
    } else {
        spec.def.accepted.iter().map(|role| &**role).collect()
    }
}

/// Returns an app's requests by field name.
fn requests(spec: &RunSpec) -> [(&'static str, Milli); 4] {
    let needs = &spec.def.needs;
    [("cpus", needs.cpus), ("mem", needs.mem), ("disk", needs.disk), ("gpus", needs.gpus)]
}

fn is_amount(reject: Reject) -> bool {
    matches!(reject, Reject::Cpus | Reject::Mem | Reject::Disk | Reject::Gpus)
}

/// Returns the amount of an offer's rest that a user of these roles may use.
fn usable(unused: &Unused, roles: &[&str], name: &str) -> Milli {
    let selector = Selector { roles: roles.to_vec(), labels: None };
    unused.left.filter(|resource| selector.takes(resource)).scalar(name)
}

/// An amount that people would write: tenths of a CPU where that is not nothing, whole MiB.
fn whole(name: &str, thousandths: i64) -> Milli {
    let unit = match name {
        "cpus" if thousandths >= 100 => 100,
        "cpus" => 1,
        _ => 1000,
    };
    Milli::from_thousandths(thousandths.saturating_sub(thousandths % unit))
}

fn least(name: &str) -> Milli {
    match name {
        "cpus" => LEAST_CPUS,
        "mem" => LEAST_MEM,
        _ => Milli::ZERO,
    }
}

/// An amount as a number of JSON.
fn number(amount: Milli) -> Value {
    planarium_protocol::json::value(amount.to_string().as_bytes()).unwrap_or_default()
}
