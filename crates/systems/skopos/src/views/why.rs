//! Explains why an element is not finished, and what would get it moving.
//!
//! *Knows*: the run, and the machines' data about processes. *Must not know*: how anything is shown.
//!
//! *Invariant*: never empty for an unfinished element; every input among the remedies is accepted in the present
//! state.

use super::actions::input;
use crate::application::App;
use crate::blueprint::Blueprint;
use crate::calls::{Progress, progress};
use crate::commands::{Command, refusal};
use crate::flow::ahead::{after, ahead};
use crate::instances::{Group, Instances, Slot};
use crate::plan::{Class, Label, Step, StepId};
use crate::run::log::{destination, verdict};
use crate::run::{Await, Awaited, Launch, Mode, Reason as Ended, Run, Shown, Work};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{ClearFault, Input, TaskStatusInput};
use planarium_protocol::why::{ElementRef, Reason, ReasonKind, Unblock, Why};

/// Returns why an element is not finished; `None` if it does not exist.
pub(crate) fn why(app: &App, path: &ElementPath, fleet: &Fleet, now: SimTime) -> Option<Why> {
    let App { run, blueprint, instances, .. } = app;
    let id = element(run, path)?;
    let mut explainer = Explainer { run, blueprint, instances, fleet, now, unblock: Vec::new() };
    let (status, reasons) = match id {
        None => (run.names.mode(run.mode), explainer.plan()),
        Some(id) => {
            let shown = run.step(id).map_or(Shown::Pending, |own| own.shown);
            (shown.word().into(), explainer.step(id))
        }
    };
    let unblock = explainer.unblock;
    let path = match id {
        None => run.names.plan.clone(),
        Some(id) => run.names.step(id)?.clone(),
    };
    let name = path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan).clone();
    let first = reasons.first().map_or_else(String::new, |reason| reason.text.clone());
    let sentence = format!("{name} is {status}: {}", uncapitalised(&first));
    Some(Why { path, status, sentence, reasons, unblock })
}

/// The step of a path; the outer option says whether there is such an element, the inner one whether it is a step.
#[expect(clippy::option_option, reason = "no element, the plan, a step")]
pub(crate) fn element(run: &Run, path: &ElementPath) -> Option<Option<StepId>> {
    if path.plan != run.names.plan.plan {
        return None;
    }
    let Some(phase) = &path.phase else { return path.step.is_none().then_some(None) };
    let top = run.plan.find(phase)?;
    if run.plan.top(top) != top {
        return None;
    }
    let Some(step) = &path.step else { return Some(Some(top)) };
    let id = run.plan.find(step)?;
    (id != top && run.plan.top(id) == top).then_some(Some(id))
}

/// The records that explanations go by, and what would get things moving.
struct Explainer<'a> {
    run: &'a Run,
    blueprint: &'a Blueprint,
    instances: &'a Instances,
    fleet: &'a Fleet,
    now: SimTime,
    unblock: Vec<Unblock>,
}

impl Explainer<'_> {
    fn plan(&mut self) -> Vec<Reason> {
        let run = self.run;
        match run.mode {
            Mode::NotReady => vec![reason(
                "There is nothing to do: the running instances match the model",
                0,
                ReasonKind::Complete,
            )],
            Mode::Completed => vec![reason("It has passed", run.event, ReasonKind::Complete)],
            Mode::Failed => self.failed(),
            Mode::Ready => vec![self.not_started()],
            Mode::Paused | Mode::ErrorWait => self.held(),
            Mode::Running | Mode::GateWait => self.working(),
        }
    }

    fn failed(&self) -> Vec<Reason> {
        let run = self.run;
        let mut all = Vec::new();
        if let Some(why) = &run.reason {
            let text = match why {
                Ended::Abandoned => "An operator abandoned it".to_owned(),
                Ended::Guard(text) => text.to_string(),
            };
            let errors = vec![text.as_str().into()];
            all.push(reason(text, run.event, ReasonKind::Errored { errors }));
        }
        // The failed check, not the cleanup that followed.
        let is_cause = |id: StepId| {
            run.reason.is_none()
                && run.plan.step(id).is_some_and(|step| step.is_leaf() && !step.cleanup)
                && !self.is_in_cleanup(id)
        };
        let failures = || run.trace.iter().filter(|trace| !trace.passed);
        let failed = failures().filter(|trace| is_cause(trace.step)).last().or_else(|| failures().last());
        if let Some(trace) = failed {
            let own = run.step(trace.step);
            let note = self.why_failed(trace.step);
            let id = self.run.plan.step(trace.step).map_or("?", |step| &*step.id);
            let text = format!("{id} failed: {note}");
            let kind = match self.element_ref(trace.step) {
                Some(child) => ReasonKind::Child { child },
                None => ReasonKind::Errored { errors: vec![note] },
            };
            all.push(reason(text, own.map_or(0, |own| own.event), kind));
        }
        if all.is_empty() {
            all.push(reason(
                "The plan failed",
                run.event,
                ReasonKind::Errored { errors: vec!["failed".into()] },
            ));
        }
        all
    }

    /// A step is carried out below a cleanup step.
    fn is_in_cleanup(&self, id: StepId) -> bool {
        let plan = &self.run.plan;
        let owner = |id: StepId| plan.chain(plan.step(id)?.chain)?.owner;
        std::iter::successors(owner(id), |around| owner(*around))
            .any(|around| plan.step(around).is_some_and(|step| step.cleanup))
    }

    fn not_started(&mut self) -> Reason {
        self.remedy("Start the plan", &Command::Start { paused: false, interactive: None });
        reason("The plan has not been started", 0, ReasonKind::NotStarted)
    }

    /// The run is held at an exit.
    fn held(&mut self) -> Vec<Reason> {
        let run = self.run;
        let Some(hold) = run.hold else { return Vec::new() };
        let words = hold.reason.words();
        let text = match hold.at {
            Some((id, passed)) => {
                let name = self.run.plan.step(id).map_or("?", |step| &*step.id);
                let result = if passed { "passed" } else { "failed" };
                format!("The plan is held at the exit of {name}, which {result}: {words}")
            }
            None => format!("The plan is held before its first step: {words}"),
        };
        let then = hold.at.map(|(id, passed)| ahead(run, id, passed).words(&self.run.plan));
        let title = then.map_or_else(|| "Resume".to_owned(), |then| format!("Resume: {then}"));
        self.remedy(title, &Command::Resume);
        self.remedy("Carry out one step", &Command::Step);
        let held = self.run.names.plan.clone();
        let mut all = vec![reason(text, run.event, ReasonKind::Interrupted { held })];
        if let Some((id, false)) = hold.at
            && let Some(note) = run.step(id).and_then(|own| own.note.clone())
        {
            let text = format!("It failed: {note}");
            all.push(reason(text, 0, ReasonKind::Errored { errors: vec![note] }));
        }
        all
    }

    /// A leaf is being worked on.
    fn working(&mut self) -> Vec<Reason> {
        let Some(leaf) = self.run.work.leaf() else { return Vec::new() };
        let mut all = Vec::new();
        if let Some(child) = self.element_ref(leaf.step) {
            let name = self.run.plan.step(leaf.step).map_or("?", |step| &*step.id);
            all.push(reason(
                format!("{name} is being carried out"),
                self.event(leaf.step),
                ReasonKind::Child { child },
            ));
        }
        all.extend(self.leaf());
        all
    }

    fn event(&self, id: StepId) -> u64 {
        self.run.step(id).map_or(0, |own| own.event)
    }

    fn step(&mut self, id: StepId) -> Vec<Reason> {
        let run = self.run;
        let (Some(step), Some(own)) = (run.plan.step(id), run.step(id)) else { return Vec::new() };
        match own.shown {
            Shown::Passed => vec![reason("It has passed", own.event, ReasonKind::Complete)],
            Shown::Skipped => vec![reason("Its chain has ended without it", own.event, ReasonKind::Complete)],
            Shown::Failed => {
                let note = self.why_failed(id);
                let text = format!("It failed: {note}");
                let kind = match self.failed_inside(step).and_then(|id| self.element_ref(id)) {
                    Some(child) => ReasonKind::Child { child },
                    None => ReasonKind::Errored { errors: vec![note] },
                };
                let mut all = vec![reason(text, own.event, kind)];
                all.extend(self.after_failure(id, step));
                all
            }
            Shown::Waiting => self.leaf(),
            Shown::Running if run.work.leaf().is_some_and(|leaf| leaf.step == id) => self.leaf(),
            Shown::Running if run.mode.is_held() => self.held(),
            Shown::Running => self.working(),
            Shown::Paused => self.held(),
            Shown::Pending => self.pending(id, step),
        }
    }

    /// Why a step has failed, as a part of a sentence.
    fn why_failed(&self, id: StepId) -> Text {
        let run = self.run;
        if let Some(note) = run.step(id).and_then(|own| own.note.clone()) {
            return note;
        }
        let step = run.plan.step(id);
        let leaf = step.is_none_or(Step::is_leaf);
        match (leaf, &run.reason) {
            (true, None) if step.is_some_and(|step| matches!(step.class, Class::Gate { .. })) => {
                "a person said fail".into()
            }
            (true, None) => "its call failed".into(),
            (true, Some(_)) => "it was cut off".into(),
            (false, Some(_)) => "the plan was stopped in it".into(),
            (false, None) => match step.and_then(|step| self.failed_inside(step)) {
                // The cleanup that a failure led to ended the chain; the failure is the cause.
                Some(cause) if self.ends_in_cleanup(id) => {
                    let name = run.plan.step(cause).map_or("?", |step| &*step.id);
                    format!("{name} failed: {}; its cleanup ended the chain", self.why_failed(cause)).into()
                }
                _ => self.end_of_chain(id).unwrap_or_else(|| "a step in it failed".to_owned()).into(),
            },
        }
    }

    /// Returns the step whose failure ended an inner chain, if no operator stopped the plan.
    fn failed_inside(&self, step: &Step) -> Option<StepId> {
        let inside = step.inside().filter(|_| self.run.reason.is_none())?;
        let of_chain =
            |id: StepId| self.run.plan.step(id).is_some_and(|step| step.chain == inside && !step.cleanup);
        let failed = self.run.trace.iter().filter(|one| !one.passed && of_chain(one.step));
        failed.last().map(|one| one.step)
    }

    /// The last step carried out in the chain inside a step was a cleanup step.
    fn ends_in_cleanup(&self, id: StepId) -> bool {
        let plan = &self.run.plan;
        let Some(inside) = plan.step(id).and_then(Step::inside) else { return false };
        let of_chain = |one: &StepId| plan.step(*one).is_some_and(|step| step.chain == inside);
        let last = self.run.trace.iter().map(|one| one.step).filter(of_chain).last();
        last.and_then(|last| plan.step(last)).is_some_and(|step| step.cleanup)
    }

    /// Words the failure that ended the chain inside a step.
    fn end_of_chain(&self, id: StepId) -> Option<String> {
        let plan = &self.run.plan;
        let inside = plan.step(id)?.inside()?;
        let own =
            self.run.trace.iter().filter(|one| plan.step(one.step).is_some_and(|step| step.chain == inside));
        let last = own.last()?;
        let step = plan.step(last.step)?;
        let slot = last.index.map(|index| format!(" for instance {index}")).unwrap_or_default();
        let result = if last.passed { "passed" } else { "failed" };
        let on = if last.passed { "on_pass" } else { "on_fail" };
        Some(match step.exit(last.passed).label {
            Label::Fail => format!("{}{slot} {result}, and its {on} is fail", step.id),
            Label::Next if step.cleanup => {
                format!(
                    "{}{slot} {result} as the last cleanup step, and a chain that ends in cleanup has failed",
                    step.id
                )
            }
            Label::Next | Label::Pass | Label::Step(_) => format!("{}{slot} {result}", step.id),
        })
    }

    /// Returns the reason after a step's failure.
    fn after_failure(&self, id: StepId, step: &Step) -> Option<Reason> {
        // An operator or the guard has ended it: no exit was taken.
        self.run.step(id).filter(|own| own.taken[1] > 0)?;
        let to = self.run.plan.target(id, false)?;
        let text = match to {
            _ if !step.on_fail.written && !step.cleanup => {
                format!("It has no on_fail, so the failure was ignored: {}", destination(&self.run.plan, to))
            }
            Ok(to) => {
                let to = self.run.plan.step(to)?;
                let what = if to.cleanup { ", a cleanup step" } else { "" };
                format!("Its on_fail led to {}{what}", to.id)
            }
            Err(passed) => format!("Its on_fail ended the chain with {}", verdict(passed)),
        };
        let kind = ReasonKind::Quirk { text: text.as_str().into() };
        Some(reason(text, 0, kind))
    }

    fn pending(&mut self, id: StepId, step: &Step) -> Vec<Reason> {
        let run = self.run;
        if run.mode == Mode::Ready {
            return vec![self.not_started()];
        }
        let mut all = Vec::new();
        if step.cleanup {
            let text = "It belongs to the recovery: it is carried out when an exit leads to it";
            all.push(reason(
                text,
                0,
                ReasonKind::NotItsTurn { strategy: "flow".into(), waiting_for: self.leading_to(id) },
            ));
        }
        if run.mode.is_held() {
            all.extend(self.held());
            return all;
        }
        let waiting_for: Vec<ElementRef> =
            run.work.leaf().and_then(|leaf| self.element_ref(leaf.step)).into_iter().collect();
        if all.is_empty() {
            let name =
                run.work.leaf().and_then(|leaf| run.plan.step(leaf.step)).map_or("?", |step| &*step.id);
            let text = format!("It waits for its turn: {name} is being carried out");
            all.push(reason(text, 0, ReasonKind::NotItsTurn { strategy: "flow".into(), waiting_for }));
        }
        // The wait is explained for the active step; for a cleanup step, another step's end does not count.
        let name = run.work.leaf().and_then(|leaf| run.plan.step(leaf.step)).map(|step| step.id.clone());
        let of_leaf = self.leaf();
        if !step.cleanup {
            let own = |reason: Reason| match (&name, reason.text.strip_prefix("It is ")) {
                (Some(name), Some(rest)) => Reason { text: format!("{name} is {rest}"), ..reason },
                _ => reason,
            };
            all.extend(of_leaf.into_iter().map(own));
        }
        all
    }

    /// Steps of the chain whose exits lead to a step.
    fn leading_to(&self, id: StepId) -> Vec<ElementRef> {
        let plan = &self.run.plan;
        let Some(step) = plan.step(id) else { return Vec::new() };
        let from = plan.steps_of(step.chain).iter().filter(|from| {
            [true, false].into_iter().any(|passed| plan.target(**from, passed) == Some(Ok(id)))
        });
        from.filter_map(|from| self.element_ref(*from)).take(5).collect()
    }

    /// Explains the wait of a leaf.
    fn leaf(&mut self) -> Vec<Reason> {
        let Some(leaf) = self.run.work.leaf().cloned() else { return Vec::new() };
        let event = self.event(leaf.step);
        let mut all = match &leaf.work {
            Work::Gate => vec![self.gate(leaf.step, event)],
            Work::Delay | Work::Timed(_) => {
                let what = if matches!(leaf.work, Work::Delay) {
                    "letting time pass"
                } else {
                    "carrying out its call"
                };
                let until = leaf.until.map(|until| format!(" until {until}")).unwrap_or_default();
                let kind = ReasonKind::Underway { what: what.into(), until_ms: leaf.until.map(SimTime::ms) };
                vec![reason(format!("It is {what}{until}"), event, kind)]
            }
            Work::Launch(launch) => self.launch(launch, event),
            Work::Await(waiting) => self.awaiting(waiting, event),
        };
        if self.run.pause_requested {
            let held = self.run.names.plan.clone();
            let text = "A pause was asked for: the plan is held at the exit of this step";
            all.push(reason(text, 0, ReasonKind::Interrupted { held }));
            self.remedy("Take the pause back", &Command::Resume);
        }
        all
    }

    fn gate(&mut self, id: StepId, event: u64) -> Reason {
        let step = self.run.plan.step(id);
        let prompt = match step.map(|step| &step.class) {
            Some(Class::Gate { message }) => message.clone(),
            _ => "".into(),
        };
        let name = step.map(|step| step.id.to_string());
        for passed in [true, false] {
            let then = after(self.run, id, passed);
            let word = if passed { "Pass" } else { "Fail" };
            self.remedy(format!("{word} the gate. {then}"), &Command::Gate { step: name.clone(), passed });
        }
        let text = if prompt.is_empty() {
            "A person has to say pass or fail".to_owned()
        } else {
            format!("A person has to say pass or fail: {prompt}")
        };
        reason(text, event, ReasonKind::Verdict { prompt })
    }

    fn launch(&mut self, launch: &Launch, event: u64) -> Vec<Reason> {
        let task = match &launch.new {
            Some((_, id)) => id.clone(),
            None => self.instances.get(launch.slot).map(|own| own.id.clone()).unwrap_or_default(),
        };
        let facts = self.fleet.process(launch.process);
        let state = facts.as_ref().map_or("gone", |facts| facts.state.as_str());
        let due = facts
            .as_ref()
            .and_then(|facts| facts.next)
            .map(|at| format!(", due at {at}"))
            .unwrap_or_default();
        let text = format!("{task} is on its way up on {}{due}", launch.host);
        let kind =
            ReasonKind::Starting { task: task.clone(), agent: launch.host.clone(), state: state.into() };
        let mut all = vec![reason(text, event, kind)];
        if facts.as_ref().is_some_and(|facts| facts.manual) {
            let text = format!("You control {task} by hand");
            all.push(reason(text, 0, ReasonKind::Manual { task: task.clone() }));
            let said = TaskStatusInput {
                task: task.to_string(),
                state: "TASK_RUNNING".to_owned(),
                service: Some(self.blueprint.name().to_string()),
                readiness_exit: None,
                healthy: None,
                reason: None,
                message: None,
            };
            let title = format!("Say that {task} runs");
            self.unblock.push(Unblock { title, input: Some(Input::TaskStatus(said)) });
        }
        self.faults(launch.process);
        all
    }

    fn awaiting(&mut self, waiting: &Await, event: u64) -> Vec<Reason> {
        let what = waiting.words();
        let deadline = waiting.deadline;
        let until_ms = Some(deadline.ms());
        let mut all = vec![reason(
            format!("It is {what}, until {deadline} at the latest"),
            event,
            ReasonKind::Underway { what: what.as_str().into(), until_ms },
        )];
        let instance = self.instances.get(waiting.slot);
        let process = instance.and_then(|instance| instance.process);
        match progress(self.blueprint, self.instances, self.fleet, self.now, waiting) {
            Progress::There => {}
            Progress::Never(why) => {
                all.push(reason(&*why, 0, ReasonKind::Errored { errors: vec![why.clone()] }));
            }
            Progress::At(at) => {
                let what = match waiting.what {
                    Awaited::Join => "joins the register",
                    Awaited::Up => "is up",
                    Awaited::Service(_) => "is in service",
                    Awaited::All => "is updated",
                };
                if self.is_unready(waiting) {
                    let text = format!(
                        "{} {what} at {at} at the earliest, once its readiness check has passed",
                        waiting.instance
                    );
                    all.push(reason(text, 0, self.readiness(waiting)));
                } else {
                    let text = format!("{} {what} at {at}", waiting.instance);
                    let kind = ReasonKind::Underway { what: what.into(), until_ms: Some(at.ms()) };
                    all.push(reason(text, 0, kind));
                }
            }
            Progress::After(what) => {
                let text = format!("{} is in service as soon as {what}", waiting.instance);
                all.push(reason(text, 0, self.readiness(waiting)));
            }
        }
        if let Some(process) = process {
            self.faults(process);
        }
        all
    }

    /// The readiness check of an instance that is waited for.
    fn readiness(&self, waiting: &Await) -> ReasonKind {
        let process = self.instances.get(waiting.slot).and_then(|instance| instance.process);
        let facts = process.and_then(|process| self.fleet.process(process));
        ReasonKind::Readiness {
            task: waiting.instance.clone(),
            attempts: facts.as_ref().map_or(0, |facts| facts.readiness_attempts),
            last_exit: facts.as_ref().and_then(|facts| facts.readiness_last),
            next_ms: facts.as_ref().and_then(|facts| facts.readiness_next).map(SimTime::ms),
        }
    }

    /// Returns whether a readiness check must pass before the wait is over.
    fn is_unready(&self, waiting: &Await) -> bool {
        let unready = |slot: Slot| {
            self.instances.get(slot).is_some_and(|instance| instance.process.is_some() && !instance.ready)
        };
        let component = waiting.slot.component;
        match waiting.what {
            Awaited::Join => false,
            Awaited::Up | Awaited::Service(_) => unready(waiting.slot),
            Awaited::All => (0..self.blueprint.replicas(component))
                .any(|index| unready(Slot { component, group: Group::New, index })),
        }
    }

    /// Faults that target a process can be ended.
    fn faults(&mut self, process: planarium_ground::ProcessId) {
        for (id, kind) in self.fleet.faults_on(process) {
            let input = Input::ClearFault(ClearFault { id: id.to_string() });
            let remedy = Unblock { title: format!("End the fault {id} ({kind})"), input: Some(input) };
            if !self.unblock.contains(&remedy) {
                self.unblock.push(remedy);
            }
        }
    }

    fn element_ref(&self, id: StepId) -> Option<ElementRef> {
        let path = self.run.names.step(id)?.clone();
        Some(ElementRef { path, status: self.run.step(id)?.shown.word().into() })
    }

    fn remedy(&mut self, title: impl Into<String>, command: &Command) {
        if refusal(self.run, command).is_some() {
            return;
        }
        let remedy = Unblock { title: title.into(), input: Some(input(self.run, command)) };
        if !self.unblock.contains(&remedy) {
            self.unblock.push(remedy);
        }
    }
}

fn reason(text: impl Into<String>, event: u64, kind: ReasonKind) -> Reason {
    Reason { text: text.into(), event: (event > 0).then_some(event), kind }
}

fn uncapitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
