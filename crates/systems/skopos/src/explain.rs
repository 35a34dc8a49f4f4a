//! Why an element is not finished, and what would get it moving.
//!
//! *Knows*: the run, and what the machines know about processes. *Must not know*: how anything is shown.
//!
//! *Invariant*: never empty for an unfinished element; every input among the remedies is accepted as things are.

use crate::app::App;
use crate::call::{Await, Awaited, Launch, Leaf, Progress, Work};
use crate::engine::ahead::{after, ahead};
use crate::engine::log::{destination, verdict};
use crate::engine::{Command, Frame, Mode, Shown};
use crate::plan::{Class, Label, Step, StepId};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{ClearFault, Input, TaskStatusInput};
use planarium_protocol::why::{ElementRef, Reason, ReasonKind, Unblock, Why};

impl App {
    /// Why an element is not finished; none when there is no such element.
    pub(crate) fn why(&self, path: &ElementPath, fleet: &Fleet, now: SimTime) -> Option<Why> {
        let id = self.element(path)?;
        let mut teller = Teller { app: self, fleet, now, unblock: Vec::new() };
        let (status, reasons) = match id {
            None => (self.names.mode(self.run.mode), teller.plan()),
            Some(id) => {
                let shown = self.run.step(id).map_or(Shown::Pending, |own| own.shown);
                (shown.word().into(), teller.step(id))
            }
        };
        let unblock = teller.unblock;
        let path = match id {
            None => self.names.plan.clone(),
            Some(id) => self.names.step(id)?.clone(),
        };
        let name = path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan).clone();
        let first = reasons.first().map_or_else(String::new, |reason| reason.text.clone());
        let sentence = format!("{name} is {status}: {}", uncapitalised(&first));
        Some(Why { path, status, sentence, reasons, unblock })
    }

    /// The step of a path; the outer option says whether there is such an element, the inner one whether it is a step.
    #[expect(clippy::option_option, reason = "no element, the plan, a step")]
    pub(crate) fn element(&self, path: &ElementPath) -> Option<Option<StepId>> {
        if path.plan != self.names.plan.plan {
            return None;
        }
        let Some(phase) = &path.phase else { return path.step.is_none().then_some(None) };
        let top = self.plan.find(phase)?;
        if self.plan.top(top) != top {
            return None;
        }
        let Some(step) = &path.step else { return Some(Some(top)) };
        let id = self.plan.find(step)?;
        (id != top && self.plan.top(id) == top).then_some(Some(id))
    }

    /// One line: why a step is where it is.
    pub(crate) fn brief(&self, id: StepId) -> String {
        let (Some(step), Some(own)) = (self.plan.step(id), self.run.step(id)) else { return String::new() };
        match own.shown {
            Shown::Passed => self.brief_ended(id).unwrap_or_default(),
            Shown::Failed => match (&own.note, self.brief_ended(id)) {
                (Some(note), _) => note.to_string(),
                (None, Some(ended)) => ended,
                (None, None) => "failed".to_owned(),
            },
            Shown::Skipped => "its chain ended without it".to_owned(),
            Shown::Waiting => match &step.class {
                Class::Gate { message } if !message.is_empty() => format!("pass or fail? {message}"),
                _ => "waits for pass or fail".to_owned(),
            },
            Shown::Paused => {
                let reason = self.run.hold.map_or("", |hold| hold.reason.words());
                format!("the plan is held before it: {reason}")
            }
            Shown::Running => match self.run.leaf.as_ref().filter(|leaf| leaf.step == id) {
                Some(leaf) => match self.iteration(id) {
                    Some(iteration) => format!("{iteration}: {}", doing(leaf)),
                    None => doing(leaf),
                },
                None => match &step.class {
                    Class::Loop { .. } => self.brief_loop(id),
                    _ => "a step in it is being carried out".to_owned(),
                },
            },
            Shown::Pending if self.run.mode == Mode::Ready => "the plan has not been started".to_owned(),
            Shown::Pending if step.cleanup => "carried out only when something fails".to_owned(),
            Shown::Pending => "waits for its turn".to_owned(),
        }
    }

    /// Which instance a step of a loop is at work on: `instance 1, 2 of 3`.
    fn iteration(&self, id: StepId) -> Option<String> {
        let chain = self.plan.chain(self.plan.step(id)?.chain)?;
        let owner = chain.owner.filter(|_| chain.kind == crate::plan::ChainKind::Loop)?;
        Some(self.brief_loop(owner))
    }

    /// How far a loop has come that has ended.
    fn brief_ended(&self, id: StepId) -> Option<String> {
        let run = self.run.loops.get(&id)?;
        let failed = run.iterations.iter().find(|one| one.result == Some(false));
        let ended = run.iterations.len();
        Some(match failed {
            Some(one) => format!("failed at instance {}, {ended} of {}", one.index, run.planned),
            None if run.planned == 0 => "there was no instance".to_owned(),
            None => format!("{ended} of {} instances", run.planned),
        })
    }

    fn brief_loop(&self, id: StepId) -> String {
        let frame = self.run.stack.iter().find_map(|frame| match frame {
            Frame::Loop { step, indices, k } if *step == id => Some((indices.at(*k), *k, indices.len())),
            _ => None,
        });
        match frame {
            Some((index, k, len)) => format!("instance {index}, {} of {len}", k.saturating_add(1)),
            None => "going through instances".to_owned(),
        }
    }

    /// The instance that a step is working on.
    pub(crate) fn instance_at_work(&self, id: StepId) -> Option<Text> {
        let leaf = self.run.leaf.as_ref().filter(|leaf| leaf.step == id)?;
        match &leaf.work {
            Work::Launch(launch) => match &launch.new {
                Some((_, id)) => Some(id.clone()),
                None => self.instances.get(launch.slot).map(|instance| instance.id.clone()),
            },
            Work::Await(waiting) if waiting.what == Awaited::All => None,
            Work::Await(waiting) => Some(waiting.instance.clone()),
            Work::Delay | Work::Gate | Work::Timed(_) => None,
        }
    }
}

/// What a leaf does.
fn doing(leaf: &Leaf) -> String {
    let until = leaf.until.map(|until| format!(", until {until}")).unwrap_or_default();
    match &leaf.work {
        Work::Delay => format!("lets time pass{until}"),
        Work::Gate => "waits for pass or fail".to_owned(),
        Work::Timed(_) => format!("its call takes its time{until}"),
        Work::Launch(launch) => match &launch.new {
            Some((_, id)) => format!("{id} is starting on {}", launch.host),
            None => format!("the instance is starting on {}", launch.host),
        },
        Work::Await(waiting) => waiting.words(),
    }
}

struct Teller<'a> {
    app: &'a App,
    fleet: &'a Fleet,
    now: SimTime,
    unblock: Vec<Unblock>,
}

impl Teller<'_> {
    fn plan(&mut self) -> Vec<Reason> {
        let run = &self.app.run;
        match run.mode {
            Mode::NotReady => vec![reason(
                "Nothing is to be done: what runs is what the model says",
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
        let run = &self.app.run;
        let mut all = Vec::new();
        if let Some(why) = &run.reason {
            let text = match why {
                crate::engine::Reason::Abandoned => "An operator abandoned it".to_owned(),
                crate::engine::Reason::Guard(text) => text.to_string(),
            };
            let errors = vec![text.as_str().into()];
            all.push(reason(text, run.event, ReasonKind::Errored { errors }));
        }
        let failed = run.trace.iter().filter(|trace| !trace.passed).last();
        if let Some(trace) = failed {
            let own = run.step(trace.step);
            let note = self.why_failed(trace.step);
            let id = self.app.plan.step(trace.step).map_or("?", |step| &*step.id);
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

    fn not_started(&mut self) -> Reason {
        self.remedy("Start the plan", &Command::Start { paused: false, interactive: None });
        reason("The plan has not been started", 0, ReasonKind::NotStarted)
    }

    /// The run is held at an exit.
    fn held(&mut self) -> Vec<Reason> {
        let run = &self.app.run;
        let Some(hold) = run.hold else { return Vec::new() };
        let words = hold.reason.words();
        let text = match hold.at {
            Some((id, passed)) => {
                let name = self.app.plan.step(id).map_or("?", |step| &*step.id);
                let result = if passed { "passed" } else { "failed" };
                format!("The plan is held at the exit of {name}, which {result}: {words}")
            }
            None => format!("The plan is held before its first step: {words}"),
        };
        let then = hold.at.map(|(id, passed)| ahead(&self.app.plan, run, id, passed).words(&self.app.plan));
        let title = then.map_or_else(|| "Resume".to_owned(), |then| format!("Resume: {then}"));
        self.remedy(title, &Command::Resume);
        self.remedy("Carry out one step", &Command::Step);
        let held = self.app.names.plan.clone();
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
        let Some(leaf) = &self.app.run.leaf else { return Vec::new() };
        let mut all = Vec::new();
        if let Some(child) = self.element_ref(leaf.step) {
            let name = self.app.plan.step(leaf.step).map_or("?", |step| &*step.id);
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
        self.app.run.step(id).map_or(0, |own| own.event)
    }

    fn step(&mut self, id: StepId) -> Vec<Reason> {
        let app = self.app;
        let (Some(step), Some(own)) = (app.plan.step(id), app.run.step(id)) else { return Vec::new() };
        match own.shown {
            Shown::Passed => vec![reason("It has passed", own.event, ReasonKind::Complete)],
            Shown::Skipped => vec![reason("Its chain has ended without it", own.event, ReasonKind::Complete)],
            Shown::Failed => {
                let note = self.why_failed(id);
                let text = format!("It failed: {note}");
                let mut all = vec![reason(text, own.event, ReasonKind::Errored { errors: vec![note] })];
                all.extend(self.after_failure(id, step));
                all
            }
            Shown::Waiting => self.leaf(),
            Shown::Running if app.run.leaf.as_ref().is_some_and(|leaf| leaf.step == id) => self.leaf(),
            Shown::Running if app.run.mode.is_held() => self.held(),
            Shown::Running => self.working(),
            Shown::Paused => self.held(),
            Shown::Pending => self.pending(id, step),
        }
    }

    /// Why a step has failed, as a part of a sentence.
    fn why_failed(&self, id: StepId) -> Text {
        let (app, run) = (self.app, &self.app.run);
        if let Some(note) = run.step(id).and_then(|own| own.note.clone()) {
            return note;
        }
        let step = app.plan.step(id);
        let leaf = step.is_none_or(Step::is_leaf);
        match (leaf, &run.reason) {
            (true, None) if step.is_some_and(|step| matches!(step.class, Class::Gate { .. })) => {
                "a person said fail".into()
            }
            (true, None) => "its call failed".into(),
            (true, Some(_)) => "it was cut off".into(),
            (false, Some(_)) => "the plan was stopped in it".into(),
            (false, None) => self.end_of_chain(id).unwrap_or_else(|| "a step in it failed".to_owned()).into(),
        }
    }

    /// What ended the chain inside a step with a failure.
    fn end_of_chain(&self, id: StepId) -> Option<String> {
        let plan = &self.app.plan;
        let inside = plan.step(id)?.inside()?;
        let own = self
            .app
            .run
            .trace
            .iter()
            .filter(|one| plan.step(one.step).is_some_and(|step| step.chain == inside));
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

    /// Where the plan goes after a step's failure.
    fn after_failure(&self, id: StepId, step: &Step) -> Option<Reason> {
        // An operator or the guard has ended it: no exit was taken.
        self.app.run.step(id).filter(|own| own.taken[1] > 0)?;
        let to = self.app.plan.target(id, false)?;
        let text = match to {
            _ if !step.on_fail.written && !step.cleanup => {
                format!("It has no on_fail, so the failure was ignored: {}", destination(&self.app.plan, to))
            }
            Ok(to) => {
                let to = self.app.plan.step(to)?;
                let what = if to.cleanup { ", a cleanup step" } else { "" };
                format!("Its on_fail led to {}{what}", to.id)
            }
            Err(passed) => format!("Its on_fail ended the chain with {}", verdict(passed)),
        };
        let kind = ReasonKind::Quirk { text: text.as_str().into() };
        Some(reason(text, 0, kind))
    }

    fn pending(&mut self, id: StepId, step: &Step) -> Vec<Reason> {
        let app = self.app;
        if app.run.mode == Mode::Ready {
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
        if app.run.mode.is_held() {
            all.extend(self.held());
            return all;
        }
        let waiting_for: Vec<ElementRef> =
            app.run.leaf.as_ref().and_then(|leaf| self.element_ref(leaf.step)).into_iter().collect();
        if all.is_empty() {
            let name =
                app.run.leaf.as_ref().and_then(|leaf| app.plan.step(leaf.step)).map_or("?", |step| &*step.id);
            let text = format!("It waits for its turn: {name} is being carried out");
            all.push(reason(text, 0, ReasonKind::NotItsTurn { strategy: "flow".into(), waiting_for }));
        }
        all.extend(self.leaf());
        all
    }

    /// Steps of the chain whose exits lead to a step.
    fn leading_to(&self, id: StepId) -> Vec<ElementRef> {
        let plan = &self.app.plan;
        let Some(step) = plan.step(id) else { return Vec::new() };
        let from = plan.steps_of(step.chain).iter().filter(|from| {
            [true, false].into_iter().any(|passed| plan.target(**from, passed) == Some(Ok(id)))
        });
        from.filter_map(|from| self.element_ref(*from)).take(5).collect()
    }

    /// What the leaf waits for.
    fn leaf(&mut self) -> Vec<Reason> {
        let Some(leaf) = self.app.run.leaf.clone() else { return Vec::new() };
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
        if self.app.run.pause_requested {
            let held = self.app.names.plan.clone();
            let text = "A pause was asked for: the plan is held at the exit of this step";
            all.push(reason(text, 0, ReasonKind::Interrupted { held }));
            self.remedy("Take the pause back", &Command::Resume);
        }
        all
    }

    fn gate(&mut self, id: StepId, event: u64) -> Reason {
        let step = self.app.plan.step(id);
        let prompt = match step.map(|step| &step.class) {
            Some(Class::Gate { message }) => message.clone(),
            _ => "".into(),
        };
        let name = step.map(|step| step.id.to_string());
        for passed in [true, false] {
            let then = after(&self.app.plan, &self.app.run, id, passed);
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
            None => self.app.instances.get(launch.slot).map(|own| own.id.clone()).unwrap_or_default(),
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
            let text = format!("What happens to {task} is up to you: it is on manual");
            all.push(reason(text, 0, ReasonKind::Manual { task: task.clone() }));
            let said = TaskStatusInput {
                task: task.to_string(),
                state: "TASK_RUNNING".to_owned(),
                service: Some(self.app.definition.name.to_string()),
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
        let instance = self.app.instances.get(waiting.slot);
        let process = instance.and_then(|instance| instance.process);
        match self.app.progress_at(self.now, self.fleet, waiting) {
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
                let text = format!("{} {what} at {at}", waiting.instance);
                all.push(reason(
                    text,
                    0,
                    ReasonKind::Underway { what: what.into(), until_ms: Some(at.ms()) },
                ));
            }
            Progress::After(what) => {
                let facts = process.and_then(|process| self.fleet.process(process));
                let text = format!("{} is in service as soon as {what}", waiting.instance);
                let kind = ReasonKind::Readiness {
                    task: waiting.instance.clone(),
                    attempts: facts.as_ref().map_or(0, |facts| facts.readiness_attempts),
                    last_exit: facts.as_ref().and_then(|facts| facts.readiness_last),
                    next_ms: facts.as_ref().and_then(|facts| facts.readiness_next).map(SimTime::ms),
                };
                all.push(reason(text, 0, kind));
            }
        }
        if let Some(process) = process {
            self.faults(process);
        }
        all
    }

    /// Faults that are meant for a process can be ended.
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
        let path = self.app.names.step(id)?.clone();
        Some(ElementRef { path, status: self.app.run.step(id)?.shown.word().into() })
    }

    fn remedy(&mut self, title: impl Into<String>, command: &Command) {
        if self.app.refusal(command).is_some() {
            return;
        }
        let remedy = Unblock { title: title.into(), input: Some(self.app.input(command)) };
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
