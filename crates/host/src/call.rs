//! Calls from the document that the page is embedded in.
//!
//! *Knows*: how a text names an element. *Must not know*: how a call travels.

use super::Host;
use super::guest::guest_refuses;
use super::lesson::{follow_run, lesson_refuses};
use planarium_messages::clock::BranchTab;
use planarium_messages::facts::{CallError, Fact, Reply, SavedFile};
use planarium_messages::questions::{Ask, Call};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{ActionView, ServiceView, View};
use planarium_protocol::{Input, json};
use planarium_scenario::find_element;
use planarium_world::{Condition, Engine};
use serde_json::Value;

type Called = Result<Value, CallError>;

impl Host {
    /// Carries out a call and returns the resulting facts and the call's value.
    pub(crate) fn call(&mut self, call: Call) -> Vec<Fact> {
        let (mut facts, called) = match call {
            Call::Why(element) => (Vec::new(), why_of(&self.shown.engine, &element)),
            Call::Command { op, element } => match command_of(&self.shown.engine, &op, &element) {
                Ok(input) => self.called_input(&input),
                Err(error) => (Vec::new(), Err(error)),
            },
            Call::Input(input) => self.called_input(&input),
            Call::Snapshot => {
                let branches = self.seen.tabs().iter().map(branch).collect();
                (Vec::new(), Ok(snapshot(&mut self.shown.engine, branches)))
            }
            Call::Share(page) => (Vec::new(), Ok(json!({ "url": self.link_with_lesson(&page) }))),
            Call::RunUntil(condition, limit_ms) => self.called_run(&condition, limit_ms),
            Call::Fork => called_fork(self),
            Call::Export(format) => {
                let SavedFile { name, text } = self.save_as(format);
                (Vec::new(), Ok(json!({ "name": name, "text": text })))
            }
        };
        facts.push(Fact::Reply(Reply::Called(called)));
        facts
    }

    fn called_input(&mut self, input: &Input) -> (Vec<Fact>, Called) {
        let mut facts = self.put_in(input);
        let refused = facts.iter().position(|fact| matches!(fact, Fact::Refused(_)));
        // A refusal goes to the caller only, not to the reader of the page.
        let called = match refused.map(|at| facts.remove(at)) {
            Some(Fact::Refused(reason)) => Err(error("refused", reason.to_string())),
            _ => Ok(Value::Null),
        };
        (facts, called)
    }

    /// Runs until a condition holds, unless the clock may not be started here.
    fn called_run(&mut self, condition: &str, limit_ms: u64) -> (Vec<Fact>, Called) {
        let condition = match Condition::parse(condition) {
            Ok(condition) => condition,
            Err(reason) => return (Vec::new(), Err(error("bad-request", reason.to_string()))),
        };
        let refused = lesson_refuses(self, &Ask::Play).or_else(|| guest_refuses(self, &Ask::Play));
        for fact in refused.unwrap_or_default() {
            if let Fact::Refused(reason) = fact {
                return (Vec::new(), Err(error("refused", reason.to_string())));
            }
        }
        let met = self.run_until(&condition, limit_ms);
        let facts = self.news();
        (facts, Ok(json!({ "met": met, "now_ms": self.shown.engine.now_ms() })))
    }
}

fn why_of(engine: &Engine, element: &str) -> Called {
    let path = found(&engine.view(), element)?;
    let why = engine.why(&path).ok_or_else(|| missing(element))?;
    Ok(json::of(&why))
}

/// Returns the input of a plan operation on an element, as the view offers it.
fn command_of(engine: &Engine, op: &str, element: &str) -> Result<Input, CallError> {
    let view = engine.view();
    let path = found(&view, element)?;
    let service = view.services.iter().find(|service| service.holds(&path));
    let actions = service.map(|service| actions_at(service, &path)).unwrap_or_default();
    let known = |action: &&ActionView| action.op.is_some_and(|known| known.as_str() == op);
    let Some(action) = actions.iter().find(known) else {
        let mut words: Vec<&str> = actions
            .iter()
            .filter_map(|action| action.op)
            .map(planarium_protocol::input::PlanOp::as_str)
            .collect();
        words.sort_unstable();
        words.dedup();
        let reason = if words.is_empty() {
            format!("{element} takes no command")
        } else {
            format!("{element} takes no command `{op}`; it takes {}", words.join(", "))
        };
        return Err(error("bad-request", reason));
    };
    match &action.refused {
        Some(reason) => Err(error("refused", reason.to_string())),
        None => Ok(action.at(&path)),
    }
}

/// Opens a branch at the moment shown; the run so far stays on its own branch.
fn called_fork(host: &mut Host) -> (Vec<Fact>, Called) {
    let here = host.shown.engine.place();
    host.shown.engine.branch_from(here);
    let facts = host.news();
    follow_run(host);
    let branch = host.seen.tabs().iter().find(|tab| tab.current).map(branch);
    (facts, branch.ok_or_else(|| error("refused", "no branch was opened".to_owned())))
}

/// A branch as its number, name and end.
fn branch(tab: &BranchTab) -> Value {
    json!({
        "id": tab.id, "name": &*tab.name, "forked_at_ms": tab.forked_at_ms, "head_ms": tab.head_ms, "current": tab.current,
    })
}

fn error(code: &str, reason: String) -> CallError {
    CallError { code: code.to_owned(), reason }
}

fn missing(element: &str) -> CallError {
    let element: String = element.chars().take(80).collect();
    error("not-found", format!("there is no element `{element}`; write PLAN, PLAN/PHASE or PLAN/PHASE/STEP"))
}

fn found(view: &View, element: &str) -> Result<ElementPath, CallError> {
    find_element(view, element).ok_or_else(|| missing(element))
}

/// Returns the actions of an element.
fn actions_at(service: &ServiceView, path: &ElementPath) -> Vec<ActionView> {
    let plan = service.plans.iter().find(|plan| plan.name == path.plan);
    let phase = plan
        .zip(path.phase.as_ref())
        .and_then(|(plan, name)| plan.phases.iter().find(|phase| phase.name == *name));
    let step = phase
        .zip(path.step.as_ref())
        .and_then(|(phase, name)| phase.steps.iter().find(|step| step.name == *name));
    match (plan, &path.phase, &path.step) {
        (Some(plan), None, _) => plan.actions.to_vec(),
        (_, Some(_), None) => phase.map(|phase| phase.actions.to_vec()).unwrap_or_default(),
        (_, _, Some(_)) => step.map(|step| step.actions.to_vec()).unwrap_or_default(),
        (None, None, None) => Vec::new(),
    }
}

/// Returns the instant and the digest of a run's end without moving the engine.
fn end(engine: &mut Engine) -> Value {
    let (now_ms, seq) = (engine.now_ms(), engine.seq());
    engine.seek_ms(engine.head_ms());
    let end = json!({ "ms": engine.now_ms(), "digest": engine.digest() });
    engine.seek_ms(now_ms);
    if engine.seq() != seq {
        engine.seek_seq(seq);
    }
    end
}

/// Returns the plans with the statuses of their elements, the branches, and the totals of the run.
fn snapshot(engine: &mut Engine, branches: Vec<Value>) -> Value {
    let end = end(engine);
    let view = engine.view();
    let mut plans = Vec::new();
    for service in &view.services {
        for plan in &service.plans {
            let phases = plan.phases.iter().map(|phase| {
                let steps = phase.steps.iter();
                let steps: Vec<Value> =
                    steps.map(|step| json!({ "name": &*step.name, "status": &*step.status })).collect();
                json!({ "name": &*phase.name, "status": &*phase.status, "steps": steps })
            });
            let phases: Vec<Value> = phases.collect();
            plans.push(json!({
                "service": &*service.name, "name": &*plan.name, "status": &*plan.status, "phases": phases,
            }));
        }
    }
    let clock = &view.clock;
    json!({ "now_ms": clock.now_ms, "idle": clock.idle, "digest": clock.digest, "end": end, "plans": plans, "branches": branches })
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_messages::lessons::LessonAsk;
    use planarium_messages::questions::{Begin, Question};

    fn host_on(hash: &str, example: Option<&str>) -> Host {
        let mut host = Host::new(|_| {});
        let begin = Begin { hash: hash.to_owned(), example: example.map(str::to_owned), ..Begin::default() };
        ask(&mut host, Ask::Begin(Box::new(begin)));
        host
    }

    fn ask(host: &mut Host, ask: Ask) -> Vec<Fact> {
        host.answer(Question { number: 1, selected: None, editor: None, ask })
    }

    fn call(host: &mut Host, call: Call) -> Called {
        let facts = ask(host, Ask::Call(call));
        let called = facts.into_iter().find_map(|fact| match fact {
            Fact::Reply(Reply::Called(called)) => Some(called),
            _ => None,
        });
        called.expect("an answer")
    }

    fn run(host: &mut Host, condition: &str) -> Called {
        call(host, Call::RunUntil(condition.to_owned(), 3_600_000))
    }

    #[test]
    fn a_run_to_an_instant_plays_the_script_as_the_clock_does() {
        let mut scripted = 0;
        for example in planarium_gallery::examples().iter().take(24) {
            let (mut run_on, mut played) = (host_on("", Some(example.id)), host_on("", Some(example.id)));
            scripted += usize::from(!run_on.shown.scenario.script.is_empty());
            let answer = run(&mut run_on, "t=70s").expect("a run");
            assert_eq!(answer["met"], json!(true), "{}", example.id);
            assert_eq!(answer["now_ms"], json!(70_000), "{}", example.id);
            for host in [&mut run_on, &mut played] {
                ask(host, Ask::SeekMs(100_000));
            }
            assert_eq!(run_on.shown.engine.digest(), played.shown.engine.digest(), "{}", example.id);
        }
        assert!(scripted > 4, "{scripted} of them have a script");
    }

    #[test]
    fn a_run_stops_where_nothing_more_happens() {
        let mut host = host_on("", Some("hello-world"));
        let answer = run(&mut host, "deploy=NEVER_SEEN").expect("a run");
        assert_eq!(answer["met"], json!(false));
        assert!(host.shown.engine.idle() || host.shown.engine.now_ms() == 3_600_000);
    }

    #[test]
    fn a_run_from_the_past_follows_the_recorded_inputs() {
        let mut host = host_on("", Some("canary"));
        ask(&mut host, Ask::SeekMs(60_000));
        let (digest, inputs) = (host.shown.engine.digest(), host.shown.engine.inputs());
        ask(&mut host, Ask::SeekMs(0));
        assert_eq!(run(&mut host, "t=60s").expect("a run")["met"], json!(true));
        ask(&mut host, Ask::SeekMs(60_000));
        assert_eq!((host.shown.engine.digest(), host.shown.engine.inputs()), (digest, inputs));
        assert_eq!(host.shown.engine.branches().len(), 1);
    }

    #[test]
    fn a_run_of_a_lesson_waits_for_the_answer_and_stops_at_the_verdict() {
        let mut host = host_on("#lesson=canary", None);
        let refused = run(&mut host, "t=200s").expect_err("the question comes first");
        assert_eq!((refused.code.as_str(), host.shown.engine.now_ms()), ("refused", 0), "{}", refused.reason);
        ask(&mut host, Ask::Lesson(LessonAsk::Answer(0, 0)));
        let answer = run(&mut host, "t=200s").expect("a run");
        assert_eq!((&answer["met"], &answer["now_ms"]), (&json!(false), &json!(90_000)));
    }
}
