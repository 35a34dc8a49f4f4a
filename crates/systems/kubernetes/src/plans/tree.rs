//! The tree of a workload's plan.

use std::sync::Arc;

use planarium_kernel::SortedMap;
use planarium_kube::{KindId, Object};
use planarium_protocol::Text;
use planarium_protocol::view::{PhaseView, PlanView, Progress, StepView};
use serde_json::Value;

use super::actions::actions;
use super::member::{Member, Part};
use super::pods::container_word;
use super::status::PhaseStatus;
use super::words::{node_of, ordinal, step_of};

/// The plan of a workload.
pub(crate) fn plan(member: &Member) -> Arc<PlanView> {
    let facts = &member.facts;
    let phases = facts.phases.iter().map(|phase| Arc::new(self::phase(member, phase))).collect();
    let mut errors: Vec<Text> = member.refused.iter().cloned().collect();
    errors.extend(error(member));
    Arc::new(PlanView {
        revision: member.revision,
        name: member.key.clone(),
        status: facts.status.into(),
        strategy: strategy(member),
        interrupted: matches!(facts.status, "Paused" | "Suspended"),
        errors,
        progress: facts.progress,
        phases,
        actions: actions(member).into(),
        custom: false,
    })
}

/// The message of a condition that says that something is wrong.
fn error(member: &Member) -> Option<Text> {
    let object = member.object.as_ref()?;
    let message = |kind: &str| object.condition(kind).map(|one| one.message).filter(|text| !text.is_empty());
    match member.facts.status {
        "ProgressDeadlineExceeded" => message("Progressing"),
        "ReplicaFailure" => message("ReplicaFailure"),
        "Failed" => message("Failed"),
        _ => None,
    }
}

/// The word that the API has for the order in which pods come and go.
fn strategy(member: &Member) -> Text {
    let Some(object) = &member.object else { return "apply".into() };
    let text = |pointer: &str| object.content().pointer(pointer).and_then(Value::as_str).map(Text::from);
    let found = match object.kind {
        KindId::DEPLOYMENT => text("/spec/strategy/type"),
        KindId::STATEFUL_SET => text("/spec/podManagementPolicy"),
        KindId::DAEMON_SET => text("/spec/updateStrategy/type"),
        KindId::CRON_JOB => text("/spec/concurrencyPolicy"),
        _ => None,
    };
    found.unwrap_or_else(|| "parallel".into())
}

fn phase(member: &Member, facts: &PhaseStatus) -> PhaseView {
    let steps = match member.kind {
        Some(KindId::STATEFUL_SET) => ordinals(member),
        Some(KindId::DAEMON_SET) => nodes(member),
        Some(KindId::POD) => containers(member),
        _ => pods(member, &facts.name),
    };
    PhaseView {
        revision: member.revision,
        id: format!("{}.{}", member.key, facts.name).into(),
        name: facts.name.clone(),
        status: facts.status.into(),
        strategy: strategy(member),
        interrupted: matches!(facts.status, "Paused" | "Suspended"),
        gates_left: 0,
        progress: facts.progress,
        steps,
        actions: Arc::new([]),
    }
}

/// The pods of a phase, in order of creation.
fn pods(member: &Member, phase: &str) -> Vec<Arc<StepView>> {
    let own = member.pods().filter_map(|part| {
        let (own, step) = step_of(member, part)?;
        (*own == *phase).then(|| Arc::new(self::step(member, step, part)))
    });
    own.collect()
}

/// The ordinals of a StatefulSet, those without a pod, too.
fn ordinals(member: &Member) -> Vec<Arc<StepView>> {
    let mut found: SortedMap<u32, &Part> = SortedMap::new();
    for part in member.pods() {
        if let Some(ordinal) = ordinal(&part.object.name) {
            found.insert(ordinal, part);
        }
    }
    let wanted = member.facts.progress.total;
    let beyond = found.keys().copied().filter(|ordinal| *ordinal >= wanted);
    let all: Vec<u32> = (0..wanted).chain(beyond).collect();
    let step = |ordinal: u32| {
        let name = Text::from(format!("{}-{ordinal}", member.name));
        match found.get(&ordinal) {
            Some(part) => self::step(member, name, part),
            None => empty(member, name, "there is no pod yet"),
        }
    };
    all.into_iter().map(|ordinal| Arc::new(step(ordinal))).collect()
}

/// The nodes of a DaemonSet; of two pods of a node the later one.
fn nodes(member: &Member) -> Vec<Arc<StepView>> {
    let mut found: SortedMap<Text, &Part> = SortedMap::new();
    for part in member.pods() {
        found.insert(node_of(&part.object), part);
    }
    found.iter().map(|(node, part)| Arc::new(step(member, node.clone(), part))).collect()
}

/// Returns the containers of a bare pod.
fn containers(member: &Member) -> Vec<Arc<StepView>> {
    let Some(pod) = &member.object else { return Vec::new() };
    let bound = pod.pod().is_some_and(|facts| !facts.node.is_empty());
    let step = |container: &planarium_kube::ContainerFacts| {
        let word = container_word(container, bound, pod.is_being_deleted());
        let (task, _) = pod.task_names(&container.name, container.restarts);
        StepView {
            status: word.into(),
            reason: if matches!(word, "Ready" | "Completed") { Text::default() } else { reason(pod) },
            pod: Some(pod.name.clone()),
            tasks: vec![task],
            ..empty(member, container.name.clone(), "")
        }
    };
    pod.containers().iter().map(|container| Arc::new(step(container))).collect()
}

/// The status of a step of a plan.
pub(crate) fn step_word(member: &Member, phase: &str, step: &str) -> Option<&'static str> {
    member.facts.phase(phase)?;
    if member.kind == Some(KindId::POD) {
        let pod = member.object.as_ref()?;
        let bound = pod.pod().is_some_and(|facts| !facts.node.is_empty());
        let container = pod.containers().into_iter().find(|container| *container.name == *step)?;
        return Some(container_word(&container, bound, pod.is_being_deleted()));
    }
    let of = |part: &&Part| step_of(member, part).is_some_and(|(own, name)| *own == *phase && *name == *step);
    if let Some(part) = member.pods().filter(of).last() {
        return Some(part.word);
    }
    let is_ordinal = member.kind == Some(KindId::STATEFUL_SET)
        && step.strip_prefix(&*member.name).is_some_and(|rest| rest.starts_with('-'))
        && ordinal(step).is_some_and(|ordinal| ordinal < member.facts.progress.total);
    is_ordinal.then_some("Pending")
}

fn step(member: &Member, name: Text, part: &Part) -> StepView {
    let pod = &part.object;
    let tasks = pod.containers().into_iter().map(|container| pod.task_names(&container.name, 0).0);
    StepView {
        id: pod.path(),
        status: part.word.into(),
        reason: if matches!(part.word, "Ready" | "Completed") { Text::default() } else { reason(pod) },
        since_ms: part.since.ms(),
        pod: Some(pod.name.clone()),
        tasks: tasks.collect(),
        ..empty(member, name, "")
    }
}

/// A step without a pod.
fn empty(member: &Member, name: Text, reason: &str) -> StepView {
    StepView {
        revision: member.revision,
        id: format!("{}.{name}", member.key).into(),
        name,
        namesake: false,
        status: "Pending".into(),
        reason: reason.into(),
        progress: None::<Progress>,
        forced: false,
        since_ms: member.since.ms(),
        pod: None,
        tasks: Vec::new(),
        source: member.source.clone(),
        actions: Arc::new([]),
    }
}

/// Describes in one line what a pod waits for, in the words of its conditions.
fn reason(pod: &Object) -> Text {
    let unmet = |kind: &str| {
        pod.condition(kind)
            .filter(|one| *one.status != *"True")
            .map(|one| one.message)
            .filter(|text| !text.is_empty())
    };
    unmet("PodScheduled").or_else(|| unmet("Initialized")).or_else(|| unmet("Ready")).unwrap_or_default()
}
