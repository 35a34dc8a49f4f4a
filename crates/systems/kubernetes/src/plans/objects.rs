//! The plan of all objects of a service that are not workloads.

use std::sync::Arc;

use planarium_kube::{KindId, Object};
use planarium_protocol::Text;
use planarium_protocol::view::{PhaseView, PlanView, Progress, StepView};
use serde_json::Value;

use super::member::Member;
use super::{OBJECTS, count};
use crate::statuses::STATUSES;
use planarium_protocol::view::{StatusClass, StatusWord};

/// Returns the status of an object that is not a workload.
pub(super) fn word(object: &Object) -> &'static str {
    match object.kind {
        KindId::PERSISTENT_VOLUME_CLAIM | KindId::PERSISTENT_VOLUME => {
            let value = object.to_value();
            let phase = value.pointer("/status/phase").and_then(Value::as_str).unwrap_or_default();
            crate::statuses::of(if phase.is_empty() { "Pending" } else { phase })
        }
        KindId::SERVICE => {
            let facts = object.service();
            let waits = facts.is_some_and(|facts| *facts.kind == *"LoadBalancer" && facts.ingress == 0);
            if waits { "Pending" } else { "Applied" }
        }
        KindId::CUSTOM_RESOURCE_DEFINITION if object.crd().is_some_and(|facts| !facts.established) => {
            "Pending"
        }
        _ => "Applied",
    }
}

/// Returns the status of all of them: the worst one.
pub(crate) fn status<'m>(members: impl Iterator<Item = &'m Member>) -> (&'static str, Progress) {
    let (mut worst, mut progress) = ("Complete", Progress::default());
    for member in members {
        progress.total = progress.total.saturating_add(1);
        let word = member.facts.status;
        if is_done(word) {
            progress.done = progress.done.saturating_add(1);
        } else if word == "NotApplied" || worst == "Complete" {
            worst =
                if matches!(word, "NotApplied" | "Terminating" | "Deleted") { word } else { "Progressing" };
        }
    }
    (worst, progress)
}

fn is_done(word: &str) -> bool {
    StatusWord::find(STATUSES, word).is_some_and(|word| word.class == StatusClass::Done)
}

/// The plan.
pub(crate) fn objects_plan(members: &[&Member], revision: u64) -> Arc<PlanView> {
    let (status, progress) = status(members.iter().copied());
    let step = |member: &&Member| {
        Arc::new(StepView {
            revision: member.revision,
            id: member.path().into(),
            name: member.key.clone(),
            namesake: false,
            status: member.facts.status.into(),
            reason: reason(member),
            progress: None,
            forced: false,
            since_ms: member.since.ms(),
            pod: None,
            tasks: Vec::new(),
            source: member.source.clone(),
            actions: Arc::new([]),
        })
    };
    let steps: Vec<Arc<StepView>> = members.iter().map(step).collect();
    let phase = PhaseView {
        revision,
        id: OBJECTS.into(),
        name: OBJECTS.into(),
        status: status.into(),
        strategy: "apply".into(),
        interrupted: false,
        gates_left: 0,
        progress: Progress { total: count(steps.len()), ..progress },
        steps,
        actions: Arc::new([]),
    };
    let errors = members.iter().filter_map(|member| member.refused.clone());
    Arc::new(PlanView {
        revision,
        name: OBJECTS.into(),
        status: status.into(),
        strategy: "apply".into(),
        interrupted: false,
        errors: errors.collect(),
        progress,
        phases: vec![Arc::new(phase)],
        actions: Arc::new([]),
        custom: false,
    })
}

/// One line on what an object waits for.
fn reason(member: &Member) -> Text {
    match member.facts.status {
        "NotApplied" => member.refused.clone().unwrap_or_default(),
        "Pending" => match &*member.kind_name {
            "Service" => "the load balancer has no address yet".into(),
            "PersistentVolumeClaim" => "the claim has no volume yet".into(),
            _ => Text::default(),
        },
        _ => Text::default(),
    }
}
