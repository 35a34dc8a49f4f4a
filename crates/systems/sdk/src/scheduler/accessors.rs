//! Questions that others ask of a scheduler. Nothing here changes anything.

use super::Scheduler;
use super::configs::Predecessor;
use super::offers::evaluate::{self, outcome::Outcome};
use super::plans::ClientStatus;
use planarium_kernel::{Cause, SimTime};
use planarium_plan::{Element, Holder, PlanId};
use planarium_protocol::event::ElementPath;
use planarium_protocol::{Refusal, Text};
use std::sync::Arc;

impl Scheduler {
    /// Service name.
    pub fn name(&self) -> &Text {
        &self.service.name
    }

    /// Head of the ids of its tasks.
    pub fn task_prefix(&self) -> String {
        self.configs.target.spec.id_prefix()
    }

    /// Why the definition that the process was started with is not the target; empty when it is.
    pub fn refused(&self) -> &[Text] {
        &self.configs.refused
    }

    /// When the next timer is due.
    pub fn next_due(&self) -> Option<SimTime> {
        self.timers.next_due()
    }

    /// Pending timers that are not merely periodic.
    pub fn one_shots(&self) -> usize {
        self.timers.one_shots()
    }

    /// Tells if the next periodic work would change something.
    pub fn restless(&self) -> bool {
        self.timers.is_cycle_needed()
    }

    /// When the next cycle runs, if one is due.
    pub(crate) fn next_cycle(&self) -> Option<SimTime> {
        self.timers.next_cycle()
    }

    /// The instant of the last input, message or timer.
    pub(crate) fn time_of_last_change(&self) -> SimTime {
        self.now
    }

    /// The last event that changed anything a view shows.
    pub(crate) fn revision(&self) -> u64 {
        self.plans.revision.event
    }

    /// Tells if the service is acquiring its footprint.
    pub fn is_reserving(&self) -> bool {
        !self.is_uninstalling() && self.plans.client_status() == ClientStatus::Footprint
    }

    /// Tells if others of its framework reserve before it.
    pub fn is_barred(&self) -> bool {
        self.barred
    }

    /// Tells if the service is being uninstalled.
    pub fn is_uninstalling(&self) -> bool {
        self.lifecycle.is_uninstalling()
    }

    /// Tells if the framework is over.
    pub fn is_torn_down(&self) -> bool {
        self.lifecycle.is_torn_down()
    }

    /// Cause of the scheduler's removal, once the package manager has removed it.
    pub fn gone(&self) -> Option<Cause> {
        self.lifecycle.gone()
    }

    /// Why the process ended, if it did.
    pub(crate) fn exited(&self) -> Option<&Text> {
        self.lifecycle.exited()
    }

    /// The line that a view shows of a process that ended.
    pub(crate) fn exit_line(&self) -> Option<String> {
        self.lifecycle.exit_line()
    }

    /// Refuses everything once the process has ended.
    pub(crate) fn must_run(&self) -> Result<(), Refusal> {
        self.lifecycle.must_run(&self.service.name)
    }

    /// Tells if the master knows this scheduler.
    pub(crate) fn is_subscribed(&self) -> bool {
        self.subscribed
    }

    /// Tells if statuses are still awaited before offers are used.
    pub(crate) fn is_reconciling(&self) -> bool {
        self.reconciler.is_waiting()
    }

    /// The word shown for an element.
    pub(crate) fn display_status(&self, plan: PlanId, element: Element) -> &'static str {
        self.plans.display_status(plan, element, &self.state.tasks)
    }

    /// The word that the view of an element shows, without a view: `PLAN[/PHASE[/STEP]]`, by names or ids.
    pub fn status_at(&self, element: &str) -> Option<&'static str> {
        self.plans.status_at(element, &self.state.tasks)
    }

    /// Path of an element.
    pub(crate) fn path(&self, plan: PlanId, element: Element) -> ElementPath {
        self.plans.path(plan, element)
    }

    /// The outcomes of a step's last evaluation of offers, one per machine.
    pub(crate) fn outcomes(&self, holder: Holder) -> Option<(SimTime, Vec<Arc<Outcome>>)> {
        let data = self.plans.step(holder)?;
        let look = data.look.as_ref()?;
        // After a replace the old reservations hold nothing back any more.
        let requirement = data.requirement.as_ref()?;
        let home = evaluate::home_of(requirement, &self.state.tasks);
        (home == look.home).then(|| (look.at, look.outcomes.values().cloned().collect()))
    }

    /// The process as seen by the checks of the next definition.
    pub(super) fn as_predecessor(&self) -> Predecessor<'_> {
        Predecessor { target: &self.configs.target, deployed_before: self.state.completed_once }
    }
}
