//! The pods of an instance in views: their containers with Kubernetes' words, and the actions on them.
//!
//! *Knows*: pods in the cluster. *Must not know*: plans; labels say which step made a pod.
//!
//! *Cost*: a change of a pod only stores the object; its view is built once, when requested.

use std::sync::{Arc, OnceLock};

use planarium_kube::{ContainerFacts, Object};
use planarium_protocol::Text;
use planarium_protocol::input::PodOp;
use planarium_protocol::view::{ActionView, PodTaskView, PodView};

/// The label that says which instance an object belongs to.
pub const INSTANCE_LABEL: &str = "kudo.dev/instance";

/// A pod of an instance.
#[derive(Clone, Debug)]
pub struct Pod {
    object: Arc<Object>,
    revision: u64,
    shown: Arc<OnceLock<Arc<PodView>>>,
}

impl Pod {
    /// A pod that shows something else from this revision on.
    pub fn new(object: Arc<Object>, revision: u64) -> Self {
        Self { object, revision, shown: Arc::default() }
    }

    /// Returns its view.
    pub fn view(&self) -> Arc<PodView> {
        Arc::clone(self.shown.get_or_init(|| Arc::new(view(&self.object, self.revision))))
    }
}

fn view(pod: &Object, revision: u64) -> PodView {
    let node = pod.pod().map(|facts| facts.node).filter(|node| !node.is_empty());
    let leaving = pod.is_being_deleted();
    let tasks = pod.containers().into_iter().map(|container| {
        let (name, id) = pod.task_names(&container.name, container.restarts);
        PodTaskView {
            name,
            id,
            status: Some(status(&container, node.is_some(), leaving)),
            agent: node.clone(),
            configs: Arc::default(),
        }
    });
    let comes_back = match pod.controller().map(|owner| &*owner.kind) {
        Some("Instance") | None => "It is deleted. No workload makes another one.".to_owned(),
        Some(kind) => format!("It is deleted, and its {kind} makes another one where it still wants one."),
    };
    let refused = leaving.then_some("it is being deleted already");
    let delete = ActionView::of_pod("Delete", PodOp::Replace).icon("trash").doing(comes_back);
    PodView {
        revision,
        name: pod.name.clone(),
        tasks: tasks.collect(),
        actions: Arc::new([delete.unless(refused)]),
    }
}

/// Returns a container's status: the word of `kubectl`, or `NotReady` if it runs and is not ready.
fn status(container: &ContainerFacts, bound: bool, leaving: bool) -> Text {
    match container.state {
        "running" if leaving => "Terminating".into(),
        "running" if container.ready || container.init => "Running".into(),
        "running" => "NotReady".into(),
        "terminated" if container.reason.is_empty() => "Error".into(),
        "waiting" if !bound || container.reason.is_empty() => "Pending".into(),
        _ => container.reason.clone(),
    }
}
