//! Explains why an element of a plan is not finished, and what would change that.
//!
//! *Knows*: statuses, what the controller waits for, and the cluster's explanations of objects. *Must not know*: how these come about.

use std::sync::Arc;

use std::collections::BTreeMap;

use planarium_ground::Fleet;
use planarium_kube::{Amounts, Kube, ObjectRef};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{AddAgent, HttpCall, PlanCommand, PlanOp, Resources};
use planarium_protocol::json;
use planarium_protocol::why::{ElementRef, Reason, ReasonKind, Unblock};
use planarium_protocol::{Amount, Input, Text, Why};

use crate::controller::{Controller, Known};
use crate::engine::Rendered;
use crate::instance::{FINALIZER, PhaseStatus, PlanStatus, StepStatus};
use crate::package::model::{Phase, Plan, Step, Task, TaskKind};
use crate::smaller::{Waiting, smaller};
use crate::status::Status;
use crate::version::Version;
use crate::view::trigger_refusal;

/// Facts for the explanation.
pub(crate) struct Facts<'f> {
    /// The instance.
    pub(crate) known: &'f Known,
    /// All instances.
    pub(crate) controller: &'f Controller,
    /// The cluster.
    pub(crate) kube: &'f Kube,
    /// The machines.
    pub(crate) fleet: &'f Fleet,
}

/// Reasons found so far.
#[derive(Default)]
struct Found {
    reasons: Vec<Reason>,
    unblock: Vec<Unblock>,
}

impl Found {
    fn because(&mut self, text: impl Into<String>, kind: ReasonKind) {
        let text = text.into();
        if self.reasons.iter().any(|known| known.text == text) {
            return;
        }
        self.reasons.push(Reason { text, event: None, kind });
    }

    fn hint(&mut self, title: impl Into<String>, input: Option<Input>) {
        let title = title.into();
        if self.unblock.iter().all(|known| known.title != title) {
            self.unblock.push(Unblock { title, input });
        }
    }
}

/// A phase or a step with its parents, each with its status if it has one.
#[derive(Clone, Copy)]
struct Part<'a> {
    version: &'a Version,
    plan: &'a Plan,
    run: Option<&'a PlanStatus>,
    phase: &'a Phase,
    phase_run: Option<&'a PhaseStatus>,
    step: Option<(&'a Step, Option<&'a StepStatus>)>,
}

/// Explains why an element is not finished; `None` if it does not exist.
pub(crate) fn why(path: &ElementPath, facts: &Facts<'_>) -> Option<Why> {
    let version = facts.known.version.as_deref()?;
    let plan = version.plan(&path.plan)?;
    let run = facts.known.instance.plans.get(plan.name.value.as_str()).map(|run| &**run);
    let mut found = Found::default();
    let status = match (&path.phase, &path.step) {
        (None, _) => {
            let status = run.map_or(Status::NeverRun, |run| run.status);
            facts.plan(version, plan, run, status, &mut found);
            status
        }
        (Some(phase), step) => {
            let phase = plan.phases.iter().find(|it| *it.name.value == **phase)?;
            let phase_run = run.and_then(|run| run.phases.iter().find(|it| *it.name == *phase.name.value));
            let phase_run = phase_run.map(|run| &**run);
            let (status, step) = match step {
                None => (phase_run.map_or(Status::NeverRun, |it| it.status), None),
                Some(step) => {
                    let step = phase.steps.iter().find(|it| *it.name.value == **step)?;
                    let run =
                        phase_run.and_then(|it| it.steps.iter().find(|it| *it.name == *step.name.value));
                    (run.map_or(Status::NeverRun, |it| it.status), Some((step, run)))
                }
            };
            let part = Part { version, plan, run, phase, phase_run, step };
            facts.part(part, status, &mut found);
            status
        }
    };
    if found.reasons.is_empty() {
        found.because("The controller looks at it again", facts.next_look());
    }
    let name = path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan);
    let sentence = sentence(name, status.word(), found.reasons.first());
    Some(Why {
        path: ElementPath {
            dialect: crate::WORD.into(),
            service: facts.known.instance.name.clone(),
            ..path.clone()
        },
        status: status.text(),
        sentence,
        reasons: found.reasons,
        unblock: found.unblock,
    })
}

/// The sentence of an element: its name, its status and the first reason.
fn sentence(name: &str, status: &str, first: Option<&Reason>) -> String {
    let text = first.map_or("", |reason| reason.text.as_str());
    if text.is_empty() || text.starts_with("It is ") {
        return format!("{name} is {status}");
    }
    let mut letters = text.chars();
    let (start, rest) = (letters.next(), letters.as_str());
    // A compound name stays unchanged: `CronJob`.
    let is_word = !rest.split(' ').next().unwrap_or_default().contains(char::is_uppercase);
    let start =
        start.map(|letter| if is_word { letter.to_lowercase().collect() } else { letter.to_string() });
    format!("{name} is {status}: {}{rest}", start.unwrap_or_default())
}

/// Returns the reason that ended a plan: its own message, or the step that reports it; in words, and as the message itself.
fn failed(run: Option<&PlanStatus>) -> (String, Text) {
    let own = run.map(|run| run.message.clone()).unwrap_or_default();
    if !own.is_empty() {
        return (own.to_string(), own);
    }
    let phases = run.map(|run| run.phases.as_slice()).unwrap_or_default();
    let steps = phases.iter().flat_map(|phase| phase.steps.iter().map(move |step| (phase, step)));
    let is_fatal = |(_, step): &(&Arc<PhaseStatus>, &StepStatus)| step.status == Status::FatalError;
    match steps.into_iter().find(is_fatal) {
        Some((phase, step)) => (
            format!("Step {}/{} failed for good: {}", phase.name, step.name, step.message),
            step.message.clone(),
        ),
        None => ("A task failed for good".to_owned(), Text::default()),
    }
}

impl Facts<'_> {
    fn next_look(&self) -> ReasonKind {
        match self.known.next_look() {
            Some(at) => ReasonKind::NextCycle { at_ms: at.ms() },
            None => {
                ReasonKind::Underway { what: "waiting for a change in the cluster".into(), until_ms: None }
            }
        }
    }

    fn path(&self, plan: &str, phase: Option<&str>, step: Option<&str>) -> ElementPath {
        ElementPath {
            dialect: crate::WORD.into(),
            service: self.known.instance.name.clone(),
            plan: plan.into(),
            phase: phase.map(Text::from),
            step: step.map(Text::from),
        }
    }

    /// Offers to start a plan, unless that would be refused.
    fn offer(&self, version: &Version, plan: &str, op: PlanOp, found: &mut Found) {
        let instance = &self.known.instance;
        let words = if op == PlanOp::Restart { "Start the plan anew" } else { "Start the plan" };
        if trigger_refusal(instance, version, plan).is_none() {
            let command = PlanCommand {
                dialect: crate::WORD.to_owned(),
                service: instance.name.to_string(),
                plan: plan.to_owned(),
                op,
                phase: None,
                step: None,
                params: BTreeMap::default(),
            };
            found.hint(words, Some(Input::Plan(command)));
        }
    }

    /// Returns the reasons that hold a whole plan and each of its parts alike.
    fn whole(&self, version: &Version, plan: &Plan, run: Option<&PlanStatus>, found: &mut Found) {
        let name = plan.name.value.as_str();
        let instance = &self.known.instance;
        let status = run.map_or(Status::NeverRun, |run| run.status);
        let scheduled = *instance.execution.plan == *name;
        let wanted = scheduled || (name == "cleanup" && instance.deleting && status == Status::NeverRun);
        if wanted && !self.known.trouble.is_empty() {
            let errors = vec![self.known.trouble.clone()];
            found.because(self.known.trouble.to_string(), ReasonKind::Errored { errors });
            found.because("The controller tries again after a delay", self.next_look());
        }
        match status {
            Status::NeverRun if scheduled => {
                found.because(
                    "It is scheduled; the controller begins when it looks at the instance",
                    self.next_look(),
                );
            }
            Status::NeverRun => {
                let text = match name {
                    "cleanup" if instance.deleting => {
                        "The instance is being deleted; the controller starts it when it looks at it"
                            .to_owned()
                    }
                    "cleanup" => "It runs when the instance is deleted".to_owned(),
                    _ => format!("Nobody has started plan {name} yet"),
                };
                found.because(text, ReasonKind::NotStarted);
                if name != "cleanup" {
                    self.offer(version, name, PlanOp::Start, found);
                }
            }
            Status::FatalError => {
                // Of an element that has failed itself, that has been said.
                if found.reasons.iter().all(|reason| !matches!(reason.kind, ReasonKind::Errored { .. })) {
                    let (text, message) = failed(run);
                    found.because(text, ReasonKind::Errored { errors: vec![message] });
                }
                if name == "cleanup" && instance.deleting {
                    self.finalizer(found);
                } else {
                    found.hint(
                        "Mend what failed (other parameters or another version), which starts a plan",
                        None,
                    );
                    self.offer(version, name, PlanOp::Start, found);
                }
            }
            _ if !scheduled && status != Status::Complete => {
                let text = match &*instance.execution.plan {
                    "" => format!("Plan {name} is not scheduled any more, so nobody works on it"),
                    other => format!("Plan {other} has taken its place, so nobody works on it"),
                };
                found.because(text.clone(), ReasonKind::Quirk { text: text.into() });
                self.offer(version, name, PlanOp::Start, found);
            }
            _ => {}
        }
    }

    fn finalizer(&self, found: &mut Found) {
        let instance = &self.known.instance;
        if !instance.finalizers.iter().any(|it| &**it == FINALIZER) {
            return;
        }
        let object = Text::from(format!("instance/{}", instance.name));
        let text =
            format!("The finalizer {FINALIZER} holds the instance, because its cleanup is not complete");
        found.because(text, ReasonKind::Object { object, state: "Finalizer".into() });
        let call = HttpCall {
            method: "PATCH".to_owned(),
            path: format!(
                "/kube/apis/kudo.dev/v1beta1/namespaces/{}/instances/{}",
                instance.namespace, instance.name
            ),
            body: json!({ "metadata": { "finalizers": null } }),
            content_type: Some("application/merge-patch+json".to_owned()),
        };
        found.hint("Take the finalizer off: the instance goes without its cleanup", Some(Input::Call(call)));
    }

    fn plan(
        &self,
        version: &Version,
        plan: &Plan,
        run: Option<&PlanStatus>,
        status: Status,
        found: &mut Found,
    ) {
        let name = plan.name.value.as_str();
        if status == Status::Complete {
            return found.because("It is complete", ReasonKind::Complete);
        }
        self.whole(version, plan, run, found);
        let Some(run) = run.filter(|_| status.is_running()) else { return };
        for phase in
            run.phases.iter().filter(|phase| phase.status.is_running() && phase.status != Status::Pending)
        {
            let child =
                ElementRef { path: self.path(name, Some(&phase.name), None), status: phase.status.text() };
            found.because(
                format!("Phase {} is {}", phase.name, phase.status.word()),
                ReasonKind::Child { child },
            );
        }
        if found.reasons.is_empty() {
            found.because("The controller begins when it looks at the instance", self.next_look());
        }
        if *self.known.instance.execution.plan == *name {
            self.offer(version, name, PlanOp::Restart, found);
        }
    }

    fn part(&self, part: Part<'_>, status: Status, found: &mut Found) {
        let Part { version, plan, run, phase, phase_run, step } = part;
        if status == Status::Complete {
            return found.because("It is complete", ReasonKind::Complete);
        }
        let name = plan.name.value.as_str();
        let (own, reached) = match step {
            None => (phase_run.map(|it| &it.message), matches!(status, Status::InProgress | Status::Error)),
            Some((_, run)) => {
                (run.map(|it| &it.message), matches!(status, Status::InProgress | Status::Error))
            }
        };
        if status == Status::FatalError {
            let message = own.cloned().unwrap_or_default();
            let (text, message) =
                if message.is_empty() { failed(run) } else { (message.to_string(), message) };
            found.because(text, ReasonKind::Errored { errors: vec![message] });
        } else if status == Status::Error {
            let message = own.cloned().unwrap_or_default();
            if !message.is_empty() {
                if let Some((title, call)) = stuck_job(&message) {
                    found.hint(title, Some(Input::Call(call)));
                }
                found.because(message.to_string(), ReasonKind::Errored { errors: vec![message] });
                found.because("The controller tries it again", self.next_look());
            }
        }
        if !reached && status != Status::FatalError {
            self.turn(plan, run, phase, phase_run, step.map(|(step, _)| step), found);
        }
        match step {
            None => {
                for step in phase_run.into_iter().flat_map(|it| &it.steps) {
                    if step.status.is_running() && step.status != Status::Pending {
                        let path = self.path(name, Some(&phase.name.value), Some(&step.name));
                        let child = ElementRef { path, status: step.status.text() };
                        let text = format!("Step {} is {}", step.name, step.status.word());
                        found.because(text, ReasonKind::Child { child });
                    }
                }
            }
            Some((step, _)) if reached => {
                for task in step.tasks.iter().filter_map(|task| version.task(&task.value)) {
                    self.task(version, phase, step, task, found);
                }
            }
            Some(_) => {}
        }
        let before = found.unblock.len();
        self.whole(version, plan, run, found);
        if before == found.unblock.len() && run.is_some_and(|run| run.status.is_running()) {
            self.offer(version, name, PlanOp::Restart, found);
        }
    }

    /// Returns the elements that go first, if any.
    fn turn(
        &self,
        plan: &Plan,
        run: Option<&PlanStatus>,
        phase: &Phase,
        phase_run: Option<&PhaseStatus>,
        step: Option<&Step>,
        found: &mut Found,
    ) {
        let Some(run) = run.filter(|run| run.status.is_running()) else { return };
        let name = plan.name.value.as_str();
        if plan.strategy.value == "serial" {
            let first: Vec<ElementRef> = run
                .phases
                .iter()
                .take_while(|it| *it.name != *phase.name.value)
                .filter(|it| !it.status.is_finished())
                .map(|it| ElementRef {
                    path: self.path(name, Some(&it.name), None),
                    status: it.status.text(),
                })
                .collect();
            Self::after(&plan.strategy.value, first, "Phase", found);
        }
        if let (Some(step), Some(phase_run)) = (step, phase_run)
            && phase.strategy.value == "serial"
        {
            let first: Vec<ElementRef> = phase_run
                .steps
                .iter()
                .take_while(|it| *it.name != *step.name.value)
                .filter(|it| !it.status.is_finished())
                .map(|it| ElementRef {
                    path: self.path(name, Some(&phase.name.value), Some(&it.name)),
                    status: it.status.text(),
                })
                .collect();
            Self::after(&phase.strategy.value, first, "Step", found);
        }
    }

    fn after(strategy: &str, first: Vec<ElementRef>, kind: &str, found: &mut Found) {
        let Some(next) = first.first() else { return };
        let name = next.path.step.as_ref().or(next.path.phase.as_ref()).cloned().unwrap_or_default();
        let text = format!("{kind} {name} goes first and is {}", next.status);
        found.because(text, ReasonKind::NotItsTurn { strategy: strategy.into(), waiting_for: first });
    }

    /// Ways past what an object waits for.
    fn ways(
        &self,
        version: &Version,
        rendered: Option<&Rendered>,
        reasons: &[planarium_kube::Why],
        found: &mut Found,
    ) {
        let movable = reasons.iter().filter(|reason| !reason.pinned);
        let movable: Vec<Amounts> = movable.filter_map(|reason| reason.requests).collect();
        if let Some(first) = movable.first() {
            let (title, count) = match u32::try_from(movable.len()) {
                Ok(count) if count > 1 => (format!("Add {count} machines with room for them"), count),
                _ => ("Add a machine with room for it".to_owned(), 1),
            };
            let most = movable.iter().fold(*first, |most, one| most.most(*one));
            found.hint(title, Some(roomy(most, count)));
        }
        let homeless: Vec<Amounts> = reasons.iter().filter_map(|reason| reason.requests).collect();
        if !homeless.is_empty() {
            let instance = &self.known.instance;
            let by_parameter = rendered.and_then(|rendered| {
                let homeless = &homeless;
                smaller(&Waiting { instance, version, kube: self.kube, rendered, homeless })
            });
            match by_parameter {
                Some((title, input)) => found.hint(title, Some(input)),
                None => found.hint("Lower what the pod requests, in the template or by its parameter", None),
            }
        }
        for missing in reasons.iter().flat_map(|reason| &reason.missing) {
            found.hint(missing.title(), Some(Input::Call(missing.call())));
        }
    }

    fn task(&self, version: &Version, phase: &Phase, step: &Step, task: &Task, found: &mut Found) {
        let name = task.name.value.as_str();
        if task.is() == Some(TaskKind::Dummy) && !task.done && !task.want_err {
            let text = format!("Task {name} is a Dummy that is never done");
            found.because(text.clone(), ReasonKind::Quirk { text: text.into() });
            found.hint("Give the task 'done: true', or leave the step out", None);
            return;
        }
        let place =
            (Text::from(phase.name.value.as_str()), Text::from(step.name.value.as_str()), Text::from(name));
        let Some((object, message)) = self.known.memory.unhealthy.get(&place) else { return };
        if let Some((kind, child)) = object.split_once('/')
            && kind == "Instance"
            && let Some(child) = self.controller.get(&self.known.instance.namespace, child)
            && let Some(plan) = child.instance.last_plan()
        {
            let path =
                ElementPath { service: child.instance.name.clone(), ..self.path(&plan.name, None, None) };
            let text = format!(
                "Task {name} waits for instance {}, whose plan {} is {}",
                child.instance.name,
                plan.name,
                plan.status.word()
            );
            found.because(text, ReasonKind::Child { child: ElementRef { path, status: plan.status.text() } });
            return;
        }
        let state = Text::from("NotHealthy");
        found.because(
            format!("Task {name} waits for {object}: {}", message.trim()),
            ReasonKind::Object { object: shown(object), state },
        );
        let rendered = self.known.memory.rendered.get(&place);
        let prepared = rendered.and_then(|it| it.objects.iter().find(|it| *it.path() == **object));
        let there = prepared.and_then(|it| self.kube.get(ObjectRef::new(it.kind?, &it.namespace, &it.name)));
        let reasons = there.map(|there| self.kube.why(self.fleet, there)).unwrap_or_default();
        self.ways(version, rendered.map(|rendered| &**rendered), &reasons, found);
        for reason in reasons {
            let kind = match reason.held {
                Some(held) => ReasonKind::HeldByOthers {
                    machine: held.machine,
                    requirement: held.scalar.into(),
                    held: held.others,
                },
                None => {
                    let state = Text::from(format!("{:?}", reason.kind));
                    ReasonKind::Object { object: reason.about, state }
                }
            };
            // Several pods may wait for the same: that is said once.
            if found.reasons.iter().all(|known| known.text != reason.text) {
                found.reasons.push(Reason { text: reason.text, event: reason.event, kind });
            }
        }
    }
}

/// Reads a Job out of an error that says that its template cannot change, and returns the call that deletes it.
///
/// A Secret or ConfigMap that comes or changes while the Job waits changes the hash in its template.
fn stuck_job(message: &str) -> Option<(String, HttpCall)> {
    let (_, rest) = message.split_once("failed to patch a batch/v1, Kind=Job ")?;
    let (object, problem) = rest.split_once(": ")?;
    let (namespace, name) = object.split_once('/').filter(|_| problem.ends_with("field is immutable"))?;
    let call = HttpCall {
        method: "DELETE".to_owned(),
        path: format!("/kube/apis/batch/v1/namespaces/{namespace}/jobs/{name}"),
        body: json!({ "propagationPolicy": "Background" }),
        content_type: Some("application/json".to_owned()),
    };
    Some((format!("Delete the Job {name}, which cannot be changed: the controller creates it anew"), call))
}

/// Machines on each of which a pod fits with something to spare.
fn roomy(requests: Amounts, count: u32) -> Input {
    let up = |amount: i64, unit: i64, spare: i64, least: i64| {
        let whole = amount.saturating_add(unit - 1) / unit;
        Some(Amount::whole(whole.saturating_add(spare).max(least)))
    };
    let resources = Resources {
        cpus: up(requests.cpu_milli, 1000, 1, 4),
        mem: up(requests.memory, 1024 * 1024, 512, 8192),
        disk: up(requests.storage, 1024 * 1024, 1024, 20_480),
        gpus: if requests.gpus > 0 { Some(Amount::whole(requests.gpus)) } else { None },
        ports: None,
        disks: Vec::new(),
    };
    Input::AddAgent(AddAgent { count: Some(count), resources, ..AddAgent::default() })
}

/// `Kind/name` as clients write it.
fn shown(object: &str) -> Text {
    match object.split_once('/') {
        Some((kind, name)) => format!("{}/{name}", kind.to_ascii_lowercase()).into(),
        None => object.into(),
    }
}
