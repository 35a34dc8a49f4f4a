//! Machines with what their kubelets run, beside what others run there.
//!
//! *Knows*: the words of the Mesos master for states of tasks, which serve for any process. *Must not know*: any object.
//!
//! The used amounts of a machine are the sums of all owners' holdings in the ledger of machines.

use super::Kubernetes;
use crate::KUBELETS;
use crate::{Kube, TaskFacts};
use planarium_ground::{Fleet, strike, strikes};
use planarium_kernel::SortedMap;
use planarium_protocol::input::{FaultKind, TaskStatusInput};
use planarium_protocol::view::{ActionView, MachineView, NoticeView, TaskView};
use planarium_protocol::{Input, Text};
use std::sync::{Arc, Mutex, PoisonError};

/// A machine as the master shows it, what its pods were then, and both together.
type Row = (Arc<MachineView>, u64, Arc<MachineView>);

/// Machines with their pods as last shown, by name.
///
/// *Invariant*: a cached value is a function of the machine and its pods; the cache is not part of any state.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<Arc<SortedMap<Text, Row>>>);

impl Clone for Shown {
    fn clone(&self) -> Self {
        Self(Mutex::new(Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))))
    }
}

impl Kubernetes {
    /// Adds the containers that run on machines; the number grows whenever those show something else.
    pub(super) fn add_pods(&self, fleet: &Fleet, machines: &mut Vec<Arc<MachineView>>) -> u64 {
        let kube = &self.kube;
        let mut newest = 0;
        let mut rows = self.shown.0.lock().unwrap_or_else(PoisonError::into_inner);
        for machine in machines.iter_mut() {
            let changed = kube.changed_on(&machine.hostname);
            newest = newest.max(changed);
            // The kubelet is that of the machine, however many agents there are.
            if changed == 0 || machine.port.is_some() {
                continue;
            }
            if let Some((base, then, shown)) = rows.get(&machine.hostname)
                && Arc::ptr_eq(base, machine)
                && *then == changed
            {
                *machine = Arc::clone(shown);
                continue;
            }
            let shown = Arc::new(merge(kube, fleet, machine, changed));
            let row = (Arc::clone(machine), changed, Arc::clone(&shown));
            Arc::make_mut(&mut rows).insert(machine.hostname.clone(), row);
            *machine = shown;
        }
        drop(rows);
        // The instant is not kept with the rest: it goes when it has come.
        for machine in machines {
            let silent = fleet.find_machine(&machine.hostname).filter(|id| fleet.absence(*id).is_some());
            if let Some(at) = silent.and_then(|id| kube.notices_at(id)).filter(|_| machine.port.is_none()) {
                Arc::make_mut(machine).notices.push(NoticeView { by: "Kubernetes".into(), at_ms: at.ms() });
            }
        }
        newest
    }
}

fn merge(kube: &Kube, fleet: &Fleet, machine: &MachineView, changed: u64) -> MachineView {
    let mut merged = MachineView::clone(machine);
    // A sum, because either part may be the newer one.
    merged.revision = merged.revision.saturating_add(changed);
    if let Some(id) = fleet.find_machine(&machine.hostname) {
        fleet.ledger().held_by(id, KUBELETS).add_to(&mut merged);
        merged.promised_twice = fleet.ledger().is_promised_twice(id);
    }
    merged.tasks.extend(kube.tasks_on(&machine.hostname).into_iter().map(|task| view(fleet, task)));
    merged
}

fn view(fleet: &Fleet, task: TaskFacts) -> TaskView {
    let actions = actions(fleet, &task);
    TaskView {
        name: task.name,
        id: task.id,
        service: task.service,
        pod: task.pod,
        state: if task.leaving { "TASK_KILLING" } else { "TASK_RUNNING" }.into(),
        since_ms: task.since.ms(),
        healthy: None,
        ready: task.ready,
        actions,
    }
}

/// Actions that break a container, and set its status if it is manual.
fn actions(fleet: &Fleet, task: &TaskFacts) -> Vec<ActionView> {
    let facts = task.process.and_then(|process| fleet.process(process));
    // Decided by the cluster's records: a process may have ended without a report.
    let refused = task.leaving.then_some("its pod is being deleted");
    let mut actions = strikes(&task.service, &task.id, refused);
    if task.ready.is_some() {
        let (title, kind) = ("Fail its readiness probe", FaultKind::ReadinessFail);
        actions.push(strike(&task.service, &task.id, refused, title, kind));
    }
    if facts.is_some_and(|facts| facts.manual) {
        let said = [
            ("Say it is ready", "TASK_RUNNING", Some(0)),
            ("Say it has finished", "TASK_FINISHED", None),
            ("Say it has failed", "TASK_FAILED", None),
        ];
        actions.extend(said.into_iter().map(|(title, state, readiness_exit)| {
            let said = TaskStatusInput {
                task: task.id.to_string(),
                state: state.to_owned(),
                service: Some(task.service.to_string()),
                readiness_exit,
                healthy: None,
                reason: None,
                message: None,
            };
            ActionView::new(title, Input::TaskStatus(said))
        }));
    }
    actions
}
