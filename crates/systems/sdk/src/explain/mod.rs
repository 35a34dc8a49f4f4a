//! Explains why an element is not finished: typed reasons, words, and ways out.
//!
//! *Knows*: all data of the scheduler, and what a [`ClusterFacts`] adds about processes and offers. *Must not know*:
//! how anything is shown.
//!
//! Never empty for an unfinished element.

mod brief;
mod declined;
mod plan_tree;
mod process;
mod releases;
mod remedies;
mod rivals;
mod sentences;
mod step;

pub(crate) use brief::Brief;

use crate::scheduler::Scheduler;
use planarium_kernel::SimTime;
use planarium_plan::{Element, PlanId};
use planarium_protocol::Input;
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{ElementRef, Reason, ReasonKind, Why};
use remedies::Remedies;

/// Readiness of a process, as the cluster knows it and its scheduler does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadinessFacts {
    /// Number of checks so far.
    pub attempts: u32,
    /// Exit code of the last one.
    pub last_exit: Option<i32>,
    /// When the next one runs. *Units*: milliseconds since genesis.
    pub next_ms: Option<u64>,
}

/// A machine that makes no offers by the operator's will.
#[derive(Clone, Debug, PartialEq)]
pub struct MaintenanceFacts {
    /// `down`, `draining`, `drained` or `deactivated`.
    pub state: Text,
    /// Remedy that would end it, if it can be ended now: title and input.
    pub remedy: Option<(Text, Input)>,
}

/// Data about the cluster that the scheduler does not have.
pub trait ClusterFacts {
    /// The readiness check of a task's process.
    fn readiness(&self, task_id: &str) -> Option<ReadinessFacts> {
        let _ = task_id;
        None
    }

    /// The instant of the question; nothing for that of the service's last change.
    fn now(&self) -> Option<SimTime> {
        None
    }

    /// Tells if the user says what happens to a task's process.
    fn is_manual(&self, task_id: &str) -> bool {
        let _ = task_id;
        false
    }

    /// Returns whether a task's machine is lost, so that no status can come from it or be set for it.
    fn is_silent(&self, task_id: &str) -> bool {
        let _ = task_id;
        false
    }

    /// Returns the state of a machine that cannot make offers, e.g. `lost`; `None` if it is up.
    fn machine_state(&self, hostname: &str) -> Option<String> {
        let _ = hostname;
        None
    }

    /// Returns the maintenance of a machine that makes no offers because of it; `None` if it makes offers, scheduled
    /// for maintenance or not.
    fn maintenance(&self, hostname: &str) -> Option<MaintenanceFacts> {
        let _ = hostname;
        None
    }

    /// Tells if one round of offers, of all machines or of this one, would bring the service any.
    fn round_reaches(&self, hostname: Option<&str>) -> bool {
        let _ = hostname;
        true
    }

    /// Machines that make no offers by the operator's will, in order of joining; at most a handful.
    fn out_of_offers(&self) -> Vec<Text> {
        Vec::new()
    }

    /// Returns why a service gets no offers, e.g. `no machine has joined yet`.
    fn offer_drought(&self, service: &str) -> Option<String> {
        let _ = service;
        None
    }
}

/// A cluster that adds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFacts;

impl ClusterFacts for NoFacts {}

impl Scheduler {
    /// Why an element is not finished; nothing for an element that does not exist.
    pub fn why(&self, path: &ElementPath) -> Option<Why> {
        self.why_with(path, &NoFacts)
    }

    /// Explains an element with the cluster's data.
    pub fn why_with(&self, path: &ElementPath, facts: &dyn ClusterFacts) -> Option<Why> {
        let (plan, element) = self.plans.find(path)?;
        let remedies = Remedies { scheduler: self, facts, found: Vec::new() };
        let mut explainer = Explainer { scheduler: self, facts, plan, remedies };
        let reasons = explainer.reasons(element);
        let unblock = explainer.remedies.found;
        let path = self.path(plan, element);
        let status: Text = self.display_status(plan, element).into();
        let sentence = sentences::sentence(&path, &status, &reasons);
        Some(Why { path, status, sentence, reasons, unblock })
    }
}

/// Collects reasons and remedies for one question.
pub(crate) struct Explainer<'a> {
    scheduler: &'a Scheduler,
    facts: &'a dyn ClusterFacts,
    plan: PlanId,
    remedies: Remedies<'a>,
}

impl Explainer<'_> {
    fn reasons(&mut self, element: Element) -> Vec<Reason> {
        let plan = self.plan;
        let complete =
            self.scheduler.plans.get(plan).is_some_and(|plan| plan.tree.status(element).is_complete());
        if complete {
            if let Element::Step(step) = element
                && let Some(paused) = self.paused_after_all(step)
            {
                return vec![paused];
            }
            return vec![reason("It is complete", None, ReasonKind::Complete)];
        }
        if let Some(exited) = self.exited() {
            return vec![exited];
        }
        let mut reasons = match element {
            Element::Step(step) => self.step(step),
            Element::Plan | Element::Phase(_) => self.parent(element),
        };
        if reasons.is_empty() {
            reasons.push(next_cycle(self.scheduler));
        }
        reasons
    }
}

/// An element with its displayed status.
fn element_ref(scheduler: &Scheduler, plan: PlanId, element: Element) -> ElementRef {
    ElementRef { path: scheduler.path(plan, element), status: scheduler.display_status(plan, element).into() }
}

/// The control loop handles it in its next cycle.
fn next_cycle(scheduler: &Scheduler) -> Reason {
    if let Some(at) = scheduler.next_cycle() {
        let text = format!("The scheduler looks at it in its next cycle, at {at}");
        return reason(text, None, ReasonKind::NextCycle { at_ms: at.ms() });
    }
    let text = if scheduler.is_subscribed() {
        "The scheduler looks at it as soon as offers come or something changes"
    } else {
        "The scheduler looks at it once it is registered with the master"
    };
    reason(text, None, ReasonKind::NoOffers { text: text.into() })
}

/// A reason.
pub(crate) fn reason(text: impl Into<String>, event: Option<u64>, kind: ReasonKind) -> Reason {
    Reason { text: text.into(), event: event.filter(|event| *event > 0), kind }
}
