//! Actions on plans, phases, steps and pods: the commands with the effect of each now.
//!
//! *Knows*: the commands, when each is refused or changes nothing. *Must not know*: who shows them.
//!
//! Elements with the same permissions share one list; the inputs leave the element out.
//!
//! **Source**: dcos-commons `sdk/scheduler/src/main/java/com/mesosphere/sdk/http/queries/PlansQueries.java` and
//! `PodQueries.java`. Match; the sentences are the simulator's.

use crate::scheduler::op_of;
use crate::scheduler::state::PodTasks;
use planarium_kernel::SortedMap;
use planarium_plan::{Element, PlanTree, Status, StepState};
use planarium_protocol::Input;
use planarium_protocol::input::{PlanCommand, PlanOp, PodOp};
use planarium_protocol::view::ActionView;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Action lists in use, by content.
#[derive(Clone, Debug, Default)]
pub(super) struct Actions {
    plans: SortedMap<Vec<ElementCommand>, Arc<[ActionView]>>,
    pods: SortedMap<(bool, bool), Arc<[ActionView]>>,
}

/// A command for an element, with its present permission.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ElementCommand {
    op: PlanOp,
    refused: Option<&'static str>,
    consequence: &'static str,
    /// Service, plan and phase that the list applies to, if not the element itself.
    phase: Option<[String; 3]>,
}

/// Why no action is possible on a service, and why none on its pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shut {
    /// Its scheduler is not there.
    pub(super) ended: bool,
    /// It is being uninstalled.
    pub(super) uninstalling: bool,
}

const ENDED: &str = "The scheduler of the service has ended";
const UNINSTALLING: &str = "The service is being uninstalled: its scheduler takes no pod commands any more";

const PLAN: [PlanOp; 6] = [
    PlanOp::Start,
    PlanOp::Stop,
    PlanOp::Interrupt,
    PlanOp::Continue,
    PlanOp::Restart,
    PlanOp::ForceComplete,
];
const PHASE: [PlanOp; 4] = [PlanOp::Interrupt, PlanOp::Continue, PlanOp::Restart, PlanOp::ForceComplete];
const STEP: [PlanOp; 2] = [PlanOp::Restart, PlanOp::ForceComplete];

impl Actions {
    /// Actions on an element of a plan; equal lists are one.
    pub(super) fn of_element(
        &mut self,
        tree: &PlanTree,
        element: Element,
        shut: Shut,
        service: &str,
    ) -> Arc<[ActionView]> {
        let ops: &[PlanOp] = match element {
            Element::Plan => &PLAN,
            Element::Phase(_) => &PHASE,
            Element::Step(_) => &STEP,
        };
        let command = |op: &PlanOp| ElementCommand {
            op: *op,
            refused: if shut.ended { Some(ENDED) } else { refusal(tree, element, *op) },
            consequence: consequence(tree, element, *op),
            phase: None,
        };
        let gate = gate(tree, element).filter(|_| !shut.ended).map(|phase| ElementCommand {
            op: PlanOp::Continue,
            refused: None,
            consequence: go_on(tree, phase),
            phase: Some([service, tree.name(element), tree.name(phase)].map(str::to_owned)),
        });
        let mut key: Vec<ElementCommand> = ops.iter().map(command).collect();
        if let Some(gate) = gate {
            // Before the command on the plan itself, so that the key of the operation does what moves the plan.
            let at = key.iter().position(|command| command.op == PlanOp::Continue).unwrap_or(key.len());
            key.insert(at, gate);
        }
        if let Some(list) = self.plans.get(&key) {
            return list.clone();
        }
        let list: Arc<[ActionView]> = key.iter().map(shown).collect();
        self.plans.insert(key, list.clone());
        list
    }

    /// Actions on a pod.
    pub(super) fn of_pod(&mut self, tasks: &PodTasks, shut: Shut) -> Arc<[ActionView]> {
        let launched = tasks.values().any(|task| !task.id.is_empty());
        let paused = tasks.values().any(|task| task.goal.word().is_some());
        if let Some(list) = self.pods.get(&(launched, paused)) {
            return list.clone();
        }
        let refused = match shut {
            Shut { ended: true, .. } => Some(ENDED),
            Shut { uninstalling: true, .. } => Some(UNINSTALLING),
            _ => None,
        };
        let list: Arc<[ActionView]> = [
            ("Restart in place", PodOp::Restart, "restart"),
            ("Replace: launch anywhere", PodOp::Replace, "machine"),
            ("Pause", PodOp::Pause, "waiting"),
            ("Resume", PodOp::Resume, "play"),
        ]
        .into_iter()
        .map(|(title, op, icon)| {
            let consequence = pod_consequence(op, launched, paused);
            ActionView::of_pod(title, op).icon(icon).doing(consequence).unless(refused)
        })
        .collect();
        self.pods.insert((launched, paused), list.clone());
        list
    }
}

fn shown(command: &ElementCommand) -> ActionView {
    let (title, icon) = match command.op {
        PlanOp::Start => ("Start", "play"),
        PlanOp::Stop => ("Stop", "stop"),
        PlanOp::Interrupt => ("Interrupt", "waiting"),
        PlanOp::Continue => ("Continue", "unblock"),
        PlanOp::Restart => ("Restart", "restart"),
        PlanOp::ForceComplete => ("Force complete", "forced"),
    };
    let action = match &command.phase {
        Some([service, plan, phase]) => ActionView::new(
            format!("{title} phase {phase}"),
            Input::Plan(PlanCommand {
                dialect: crate::DIALECT.to_owned(),
                service: service.clone(),
                plan: plan.clone(),
                op: command.op,
                phase: Some(phase.clone()),
                step: None,
                params: BTreeMap::new(),
            }),
        ),
        None => ActionView::of_plan(title, command.op),
    };
    let action = action.icon(icon).doing(command.consequence).unless(command.refused);
    if command.op == PlanOp::Start { action.asking() } else { action }
}

/// Why a command is refused now, in plain words.
fn refusal(tree: &PlanTree, element: Element, op: PlanOp) -> Option<&'static str> {
    tree.allowed(element, op_of(op)).err()?;
    let complete = tree.status(element).is_complete();
    Some(match op {
        PlanOp::Interrupt if complete => "It is complete: there is nothing left to interrupt",
        PlanOp::Interrupt => "It is interrupted already",
        PlanOp::Continue if complete => "It is complete: there is nothing left to continue",
        PlanOp::Continue => "It is under way already",
        PlanOp::Restart => "It is pending already: nothing of it has begun",
        PlanOp::ForceComplete => "It is complete already",
        PlanOp::Start | PlanOp::Stop => "Only a whole plan can be started or stopped",
    })
}

/// Effect of a command now.
fn consequence(tree: &PlanTree, element: Element, op: PlanOp) -> &'static str {
    let held = tree.is_interrupted(element);
    match op {
        PlanOp::Start if tree.status(element).is_complete() => {
            "Sets every step back to PENDING and begins anew; parameters become environment values of its tasks."
        }
        PlanOp::Start if held => "Lets the plan begin; parameters become environment values of its tasks.",
        PlanOp::Start => {
            "Starts nothing again: the plan is not interrupted. Parameters count for tasks that are launched from now on."
        }
        PlanOp::Stop if held && !has_begun(tree, element) => {
            "Changes nothing: the plan is held, and no step of it has begun."
        }
        PlanOp::Stop => "Holds the plan and sets every step back to PENDING. Tasks that run go on.",
        PlanOp::Interrupt => interrupt(tree, element),
        PlanOp::Continue => go_on(tree, element),
        PlanOp::Restart => restart(tree, element),
        PlanOp::ForceComplete if matches!(element, Element::Step(_)) => {
            "Marks it COMPLETE as it is. Nothing is launched or ended; what waits for it may begin."
        }
        PlanOp::ForceComplete => {
            "Marks every step of it COMPLETE as it is. Nothing is launched or ended; what waits for it may begin."
        }
    }
}

/// The phase whose canary gate holds a plan that is not held itself: the first one in order that can be continued.
fn gate(tree: &PlanTree, element: Element) -> Option<Element> {
    let open = element == Element::Plan && !tree.is_interrupted(Element::Plan);
    let held = |phase: &Element| refusal(tree, *phase, PlanOp::Continue).is_none();
    open.then(|| tree.phases().filter(|phase| tree.in_canary(*phase)).map(Element::Phase).find(held))
        .flatten()
}

fn interrupt(tree: &PlanTree, element: Element) -> &'static str {
    match element {
        Element::Phase(phase) if tree.in_canary(phase) => {
            "Changes nothing: a phase is not held as long as one of its canary gates is closed."
        }
        _ => "Begins no further step until it is continued. Steps that are under way go on.",
    }
}

fn go_on(tree: &PlanTree, element: Element) -> &'static str {
    let held = tree.is_interrupted(element);
    match element {
        Element::Phase(phase) if tree.in_canary(phase) => match tree.proceeds_left(phase) {
            1 => "Opens the last canary gate: all steps that are left may begin.",
            _ => "Opens the next canary gate: one more step may begin.",
        },
        Element::Phase(_) if !held && tree.is_interrupted(Element::Plan) => {
            "Changes nothing: the phase itself is not held, its plan is."
        }
        Element::Plan if !held && tree.phases().any(|phase| tree.in_canary(phase)) => {
            "Changes nothing: the plan itself is not held, a canary gate of a phase is. Continue that phase."
        }
        Element::Plan if !held && tree.phases().any(|phase| tree.is_interrupted(Element::Phase(phase))) => {
            "Changes nothing: the plan itself is not held, a phase of it is."
        }
        Element::Plan if held && tree.phases().any(|phase| tree.in_canary(phase)) => {
            "Lets it go on, but for phases behind a canary gate."
        }
        _ if held => "Lets it go on.",
        _ => "Changes nothing: it is not held.",
    }
}

/// Returns whether any step of it has begun.
fn has_begun(tree: &PlanTree, element: Element) -> bool {
    let begun = |step| tree.step_state(step).is_some_and(|state| state != StepState::Pending);
    // Only a hold hides from the status whether something has begun.
    match (tree.status(element), element) {
        (Status::Pending, _) => false,
        (Status::Waiting, Element::Plan) => tree.all_steps().any(begun),
        (Status::Waiting, Element::Phase(phase)) => tree.steps(phase).any(begun),
        (Status::Waiting, Element::Step(step)) => begun(step),
        _ => true,
    }
}

fn restart(tree: &PlanTree, element: Element) -> &'static str {
    let held = tree.is_interrupted(element);
    match element {
        Element::Phase(phase) if tree.in_canary(phase) => {
            "Opens the next canary gate and sets every step back to PENDING: as each has its turn, its tasks are ended and \
             launched again."
        }
        Element::Step(_) if held => {
            "Releases it from its canary gate and sets it back to PENDING: when it has its turn, its tasks are ended and \
             launched again."
        }
        Element::Step(_) => {
            "Sets it back to PENDING: when it has its turn, its tasks are ended and launched again, without delay."
        }
        _ if !held && !has_begun(tree, element) => {
            "Changes nothing: it is not held itself, and no step of it has begun."
        }
        _ if held => {
            "Lets it go on and sets every step back to PENDING: as each has its turn, its tasks are ended and launched again."
        }
        _ => "Sets every step back to PENDING: as each has its turn, its tasks are ended and launched again.",
    }
}

fn pod_consequence(op: PodOp, launched: bool, paused: bool) -> &'static str {
    match op {
        PodOp::Restart | PodOp::Replace if !launched => {
            "Changes nothing: no task of it has been launched yet."
        }
        PodOp::Restart => {
            "Ends its tasks; they are launched again on the same machine, with what is reserved there."
        }
        PodOp::Replace => {
            "Ends its tasks and launches them wherever an offer fits; its reservations and volumes are given up."
        }
        PodOp::Pause if !launched => "Its tasks will be launched with a command that only sleeps.",
        PodOp::Pause if paused => {
            "Ends its tasks and launches them once more with a command that only sleeps."
        }
        PodOp::Pause => {
            "Ends its tasks and launches them with a command that only sleeps; checks are left out."
        }
        PodOp::Resume if paused => "Ends its tasks and launches them with their own command again.",
        PodOp::Resume if !launched => {
            "Changes nothing: it is not paused, and no task of it has been launched yet."
        }
        PodOp::Resume => "It is not paused: its tasks are ended and launched once more all the same.",
    }
}
