//! Pods and their containers as everybody sees them.

use std::sync::Arc;

use planarium_kube::{ContainerFacts, Object};
use planarium_protocol::input::PodOp;
use planarium_protocol::view::{ActionView, PodTaskView, PodView};

use crate::statuses;

/// The view of a pod.
pub(crate) fn pod_view(pod: &Object) -> PodView {
    let node = pod.pod().map(|facts| facts.node).filter(|node| !node.is_empty());
    let leaving = pod.is_being_deleted();
    let tasks = pod.containers().into_iter().map(|container| {
        let (name, id) = pod.task_names(&container.name, container.restarts);
        let word = container_word(&container, node.is_some(), leaving);
        PodTaskView { name, id, status: Some(word.into()), agent: node.clone(), configs: Arc::default() }
    });
    let consequence = match pod.controller() {
        None => "Nobody makes another one.".to_owned(),
        Some(owner) => format!("Its {} makes another one where it still wants one.", owner.kind),
    };
    let refused = leaving.then_some("it is being deleted already");
    let delete =
        ActionView::of_pod("Delete", PodOp::Replace).icon("trash").doing(consequence).unless(refused);
    PodView {
        revision: pod.resource_version,
        name: pod.name.clone(),
        tasks: tasks.collect(),
        actions: Arc::new([delete]),
    }
}

/// A container's word, as `kubectl` shows it of its pod.
pub(super) fn container_word(container: &ContainerFacts, bound: bool, leaving: bool) -> &'static str {
    match container.state {
        "running" if leaving => "Terminating",
        "running" if container.ready || container.init => "Ready",
        "running" => "NotReady",
        "terminated" if container.reason.is_empty() => "Error",
        "waiting" if !bound || container.reason.is_empty() => "Pending",
        _ => statuses::of(&container.reason),
    }
}
