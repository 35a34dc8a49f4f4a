//! Views of services.

use std::sync::Arc;

use planarium_kernel::{SortedSet, sorted};
use planarium_kube::KindId;
use planarium_protocol::view::{PlanView, PodView, ServiceView};
use planarium_protocol::{Text, json};
use serde_json::Value;

use super::Service;
use crate::plans::{self, Member, OBJECTS};
use crate::rollout;
use crate::statuses::STATUSES;

impl Service {
    /// Returns the view, built when requested.
    pub(super) fn view(&self) -> Arc<ServiceView> {
        Arc::clone(self.shown.get_or_init(|| Arc::new(self.fresh())))
    }

    /// Builds the view.
    fn fresh(&self) -> ServiceView {
        let workloads: Vec<&Arc<Member>> =
            self.members.values().filter(|member| member.is_workload()).collect();
        let others: Vec<&Member> = self.others().collect();
        let is_last = |member: &&&Arc<Member>| *member.kind_name == *"CronJob";
        let mut all: Vec<Arc<PlanView>> =
            workloads.iter().filter(|member| !is_last(member)).map(|member| plan_of(member)).collect();
        if !others.is_empty() {
            all.push(plans::objects_plan(&others, self.revision));
        }
        all.extend(workloads.iter().filter(is_last).map(|member| plan_of(member)));
        let pods = workloads.iter().flat_map(|member| pods_of(member)).collect();
        ServiceView {
            revision: self.revision,
            name: self.name.clone(),
            dialect: crate::WORD.into(),
            pods,
            activity: self.activity(&workloads),
            plans: all,
            statuses: STATUSES,
            definitions: Vec::new(),
            more: Arc::new(json!({ "kubernetes": {
                    "namespace": (self.definition.namespace()), "workloads": (more(&workloads)), "objects": (places(&others)),
                } })),
        }
    }

    /// Describes the first unfinished rollout in one line, in the words of `kubectl rollout status`.
    fn activity(&self, workloads: &[&Arc<Member>]) -> Text {
        if self.leaving {
            return "being deleted".into();
        }
        let refused = self.members.values().filter(|member| member.refused.is_some()).count();
        if refused > 0 {
            return format!("{refused} of {} objects were refused", self.members.len()).into();
        }
        let open = workloads.iter().find(|member| !matches!(member.facts.status, "Complete" | "Scheduled"));
        match open.and_then(|member| member.object.as_ref()) {
            Some(object) => rollout::sentence(object).into(),
            None => Text::default(),
        }
    }

    /// Lists differences between the shown view and the state.
    pub(super) fn check(&self) -> Vec<String> {
        let mut found = Vec::new();
        let stale =
            |member: &&Arc<Member>| member.shown.get().is_some_and(|shown| **shown != *plans::plan(member));
        for member in self.members.values().filter(stale) {
            found.push(format!("{}/{}: shows what is not the case any more", self.name, member.key));
        }
        for member in self.members.values() {
            if let Some(part) = member.parts.misplaced() {
                let path = part.object.path();
                found.push(format!("{}/{}: keeps {path} in the wrong place", self.name, member.key));
            }
            if member.facts != plans::MemberStatus::of(member) {
                found.push(format!("{}/{}: keeps a status that is not its own", self.name, member.key));
            }
        }
        if self.others().next().is_some() && self.objects != plans::objects_status(self.others()) {
            found.push(format!("{}: keeps a status of its objects that is not theirs", self.name));
        }
        if self.shown.get().is_some_and(|shown| **shown != self.fresh()) {
            found.push(format!("{}: shows what is not the case any more", self.name));
        }
        found
    }

    /// The status of an element.
    pub(super) fn status_at(&self, element: &str) -> Option<&'static str> {
        let mut parts = element.splitn(3, '/');
        let (plan, phase, step) = (parts.next()?, parts.next(), parts.next());
        if plan == OBJECTS && self.others().next().is_some() {
            return match (phase, step) {
                (None, _) | (Some(OBJECTS), None) => Some(self.objects.0),
                (Some(OBJECTS), Some(step)) => {
                    let member = self.members.get(self.keys.get(step)?)?;
                    (!member.is_workload()).then_some(member.facts.status)
                }
                _ => None,
            };
        }
        let member = self.of_plan(plan)?;
        match (phase, step) {
            (None, _) => Some(member.facts.status),
            (Some(phase), None) => member.facts.phase(phase).map(|phase| phase.status),
            (Some(phase), Some(step)) => plans::step_word(member, phase, step),
        }
    }
}

fn plan_of(member: &Member) -> Arc<PlanView> {
    Arc::clone(member.shown.get_or_init(|| plans::plan(member)))
}

/// Returns the pods of a workload; a pod is its own.
fn pods_of(member: &Member) -> impl Iterator<Item = Arc<PodView>> {
    let own = member.object.iter().filter(|object| object.kind == KindId::POD);
    own.map(|pod| Arc::new(plans::pod_view(pod))).chain(member.pods().map(plans::Part::view))
}

/// Maximum of capacity curves shown; those of rollouts under way come first.
const CURVES: usize = 20;

/// Selects the members whose curves are shown: by key, active ones first, then those with the newest status.
fn with_curves(workloads: &[&Arc<Member>]) -> SortedSet<Text> {
    let mut having: Vec<&&Arc<Member>> =
        workloads.iter().filter(|member| !member.curve.samples.is_empty()).collect();
    sorted::sort_by_key(&mut having, |member| (member.curve.is_over, u64::MAX - member.since.ms()));
    having.into_iter().take(CURVES).map(|member| member.key.clone()).collect()
}

/// The curve of a Deployment's latest rollout: `{"revision", "most", "least", "samples": [[ms, wanted, updated, available, unavailable]]}`.
fn curve(member: &Member) -> Option<Value> {
    let facts = member.object.as_ref()?.deployment()?;
    let row = |sample: &plans::Sample| {
        let [wanted, updated, available, unavailable] = sample.counts;
        json!([sample.at.ms(), wanted, updated, available, unavailable])
    };
    let samples: Vec<Value> = member.curve.samples.iter().map(row).collect();
    Some(json!({
        "revision": (member.curve.revision), "most": (facts.most), "least": (facts.least), "over": (member.curve.is_over),
        "samples": samples,
    }))
}

/// Objects without a plan of their own: step of the plan `objects`, object and namespace.
fn places(others: &[&Member]) -> Value {
    let place = |member: &&Member| json!({ "step": (member.key), "object": (member.path()), "namespace": (member.namespace) });
    Value::Array(others.iter().map(place).collect())
}

/// Counts and conditions of workloads, as their status has them, and capacity curves of Deployments.
fn more(workloads: &[&Arc<Member>]) -> Value {
    let drawn = with_curves(workloads);
    let of = |member: &&Arc<Member>| {
        let object = member.object.as_ref()?;
        let conditions = ["Available", "Progressing", "ReplicaFailure", "Complete", "Failed"];
        let conditions = conditions.iter().filter_map(|kind| object.condition(kind)).map(|one| {
            json!({ "type": (one.kind), "status": (one.status), "reason": (one.reason), "message": (one.message) })
        });
        let conditions: Vec<Value> = conditions.collect();
        let (wanted, updated, available, unavailable) = member.counts()?;
        let mut shown = json!({
            "plan": (member.key), "object": (member.path()), "namespace": (member.namespace), "wanted": wanted,
            "updated": updated, "available": available, "unavailable": unavailable, "conditions": conditions,
        });
        if let Some(curve) = curve(member).filter(|_| drawn.contains(&member.key))
            && let Some(shown) = shown.as_object_mut()
        {
            shown.insert("curve".to_owned(), curve);
        }
        Some(shown)
    };
    Value::Array(workloads.iter().filter_map(of).collect())
}
