//! Views of an instance: its plans with their words, the work and waits of each step, the form of its parameters.

use std::sync::Arc;

use planarium_protocol::Text;
use planarium_protocol::input::PlanOp;
use planarium_protocol::json;
use planarium_protocol::view::{
    ActionView, PhaseView, PlanView, PodView, Progress, ServiceView, SourceRef, StepView,
};
use serde_json::Value;

use crate::admission::{self, Decision};
use crate::controller::{Known, Mark};
use crate::definition::Loaded;
use crate::engine::Memory;
use crate::form::form;
use crate::instance::{Instance, PlanStatus, StepStatus};
use crate::package::model::{Phase, Plan, Step};
use crate::status::Status;
use crate::statuses::SHOWN;
use crate::version::Version;

/// Facts for a view.
pub struct Facts<'f> {
    /// The instance; `None` if it does not run yet.
    pub instance: Option<&'f Instance>,
    /// The version of its operator.
    pub version: &'f Version,
    /// Memory of its run.
    pub memory: &'f Memory,
    /// Its pods.
    pub pods: Vec<Arc<PodView>>,
    /// The package that it was loaded from.
    pub definition: Option<&'f Loaded>,
    /// Why the controller does not get anywhere.
    pub trouble: &'f str,
    /// When an element changed last; phase and step are empty for plans, the step for phases.
    pub mark: &'f dyn Fn(&str, &str, &str) -> Mark,
}

/// The view of an instance.
pub fn service(name: &Text, facts: &Facts<'_>, revision: u64) -> Arc<ServiceView> {
    let plans = facts.version.plans.iter().map(|plan| self::plan(plan, facts));
    let view = ServiceView {
        revision,
        name: name.clone(),
        dialect: crate::WORD.into(),
        plans: plans.collect(),
        pods: facts.pods.clone(),
        activity: activity(facts),
        statuses: SHOWN,
        definitions: Vec::new(),
        more: Arc::new(more(facts)),
    };
    Arc::new(view)
}

/// Describes the controller's activity in one line.
fn activity(facts: &Facts<'_>) -> Text {
    let Some(instance) = facts.instance else { return Text::default() };
    if !facts.trouble.is_empty() {
        return facts.trouble.into();
    }
    let running = &instance.execution.plan;
    if instance.deleting {
        return match instance.plans.get("cleanup").map(|plan| plan.status) {
            Some(Status::FatalError) => {
                "being deleted: cleanup has failed, and the finalizer holds the instance".into()
            }
            _ if running.is_empty() => "being deleted".into(),
            _ => format!("being deleted: running plan {running}").into(),
        };
    }
    if !running.is_empty() {
        return format!("running plan {running}").into();
    }
    match instance.ready() {
        Some(ready) if ready.message.is_empty() => {
            format!("Ready: {} ({})", ready.status, ready.reason).into()
        }
        Some(ready) => format!("Ready: {} ({}): {}", ready.status, ready.reason, ready.message.trim()).into(),
        None => Text::default(),
    }
}

/// Returns KUDO's own view beside plans: the form, the objects of each step, the condition.
fn more(facts: &Facts<'_>) -> Value {
    let file = facts.definition.and_then(|definition| definition.main()?.params.as_ref());
    let steps = facts.memory.rendered.iter().map(|((phase, step, task), rendered)| {
        let waits = facts.memory.unhealthy.get(&(phase.clone(), step.clone(), task.clone()));
        let stuck = waits.and_then(|(object, _)| rendered.objects.iter().position(|it| it.is(object)));
        let objects = rendered.objects.iter().enumerate().map(|(at, object)| {
            let (health, message) = match (waits, stuck) {
                (None, _) => ("healthy", ""),
                (Some((_, message)), Some(stuck)) if stuck == at => ("unhealthy", message.trim()),
                (Some(_), Some(stuck)) if at < stuck => ("healthy", ""),
                (Some(_), _) => ("unknown", ""),
            };
            json!({ "object": (object.path()), "namespace": (object.namespace), "health": health, "why": message })
        });
        let objects: Vec<Value> = objects.collect();
        let templates: Vec<&Text> = rendered.texts.iter().map(|(name, ..)| name).collect();
        json!({ "phase": phase, "step": step, "task": task, "objects": objects, "templates": templates })
    });
    let steps: Vec<Value> = steps.collect();
    let instance = facts.instance;
    json!({
        "kudo": {
            "form": (form(instance, facts.version, file)),
            "work": steps,
            "operatorVersion": (facts.version.name),
            "plan": (instance.map_or("", |it| &it.execution.plan)),
            "uid": (instance.map_or("", |it| &it.execution.uid)),
            "deleting": (instance.is_some_and(|it| it.deleting)),
            "finalizers": (instance.map(|it| it.finalizers.clone()).unwrap_or_default()),
        }
    })
}

fn plan(plan: &Plan, facts: &Facts<'_>) -> Arc<PlanView> {
    let name = plan.name.value.as_str();
    let status = facts.instance.and_then(|instance| instance.plans.get(name)).map(|status| &**status);
    let phases: Vec<Arc<PhaseView>> =
        plan.phases.iter().map(|phase| self::phase(plan, phase, status, facts)).collect();
    let progress = phases.iter().fold(Progress::default(), |sum, phase| Progress {
        done: sum.done.saturating_add(phase.progress.done),
        total: sum.total.saturating_add(phase.progress.total),
    });
    let errors = status.filter(|status| !status.message.is_empty()).map(|status| status.message.clone());
    Arc::new(PlanView {
        revision: (facts.mark)(name, "", "").revision,
        name: name.into(),
        status: status.map_or(Status::NeverRun, |status| status.status).text(),
        strategy: plan.strategy.value.as_str().into(),
        interrupted: false,
        errors: errors.into_iter().collect(),
        progress,
        phases,
        actions: actions(name, facts).into(),
        custom: !matches!(name, "deploy" | "update" | "upgrade" | "cleanup"),
    })
}

fn phase(plan: &Plan, phase: &Phase, status: Option<&PlanStatus>, facts: &Facts<'_>) -> Arc<PhaseView> {
    let name = phase.name.value.as_str();
    let status = status.and_then(|status| status.phases.iter().find(|it| *it.name == *name));
    let steps: Vec<Arc<StepView>> = phase
        .steps
        .iter()
        .enumerate()
        .map(|(at, step)| {
            let status =
                status.and_then(|status| status.steps.iter().find(|it| *it.name == *step.name.value));
            self::step(plan, phase, step, at, status, facts)
        })
        .collect();
    let done = steps.iter().filter(|step| &*step.status == Status::Complete.word()).count();
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Arc::new(PhaseView {
        revision: (facts.mark)(&plan.name.value, name, "").revision,
        id: name.into(),
        name: name.into(),
        status: status.map_or(Status::NeverRun, |status| status.status).text(),
        strategy: phase.strategy.value.as_str().into(),
        interrupted: false,
        gates_left: 0,
        progress: Progress { done: count(done), total: count(steps.len()) },
        steps,
        actions: Arc::new([]),
    })
}

fn step(
    plan: &Plan,
    phase: &Phase,
    step: &Step,
    at: usize,
    status: Option<&StepStatus>,
    facts: &Facts<'_>,
) -> Arc<StepView> {
    let name = step.name.value.as_str();
    let namesakes = phase.steps.iter().filter(|other| other.name.value == name).count();
    let word = status.map_or(Status::NeverRun, |status| status.status);
    let written = facts.definition.and_then(|definition| written(definition, plan, phase, at));
    let mark = (facts.mark)(&plan.name.value, &phase.name.value, name);
    Arc::new(StepView {
        revision: mark.revision,
        id: format!("{}.{}.{name}.{at}", plan.name.value, phase.name.value).into(),
        name: name.into(),
        namesake: namesakes > 1,
        status: word.text(),
        reason: reason(plan, phase, step, status, facts),
        progress: None,
        forced: false,
        since_ms: mark.since.ms(),
        pod: None,
        tasks: step.tasks.iter().map(|task| Text::from(task.value.as_str())).collect(),
        source: written,
        actions: Arc::new([]),
    })
}

/// Returns the position of a step in the package.
fn written(definition: &Loaded, plan: &Plan, phase: &Phase, at: usize) -> Option<SourceRef> {
    let plan = definition.operator()?.plans.iter().find(|it| it.name.value == plan.name.value)?;
    let phase = plan.phases.iter().find(|it| it.name.value == phase.name.value)?;
    let span = phase.steps.get(at)?.name.span;
    let file = definition.sources().get(span.file)?;
    let place = file.position(span.start);
    Some(SourceRef { file: file.name().into(), line: place.line, column: place.column })
}

/// Describes in one line why a step has its status.
fn reason(plan: &Plan, phase: &Phase, step: &Step, status: Option<&StepStatus>, facts: &Facts<'_>) -> Text {
    let Some(status) = status else { return Text::default() };
    match status.status {
        Status::Complete | Status::NeverRun => Text::default(),
        Status::Error | Status::FatalError => status.message.clone(),
        Status::Pending if !facts.trouble.is_empty() => facts.trouble.into(),
        Status::Pending => {
            let plan_status = facts.instance.and_then(|it| it.plans.get(plan.name.value.as_str()));
            if plan_status.is_some_and(|plan| plan.status == Status::FatalError) {
                return "the plan was aborted before".into();
            }
            "waits for what comes before it".into()
        }
        Status::InProgress => step
            .tasks
            .iter()
            .find_map(|task| {
                let place = (
                    Text::from(phase.name.value.as_str()),
                    Text::from(step.name.value.as_str()),
                    Text::from(task.value.as_str()),
                );
                facts.memory.unhealthy.get(&place).map(|(_, message)| Text::from(message.trim()))
            })
            .unwrap_or_else(|| {
                let dummy = step.tasks.iter().any(|name| {
                    facts.version.task(&name.value).is_some_and(|it| !it.done && it.kind.value == "Dummy")
                });
                if dummy { "a Dummy task that is never done".into() } else { Text::default() }
            }),
    }
}

/// Returns the actions on a plan, with the reasons against those that are refused.
fn actions(plan: &str, facts: &Facts<'_>) -> Vec<ActionView> {
    let Some(instance) = facts.instance else { return Vec::new() };
    let running = &*instance.execution.plan == plan;
    let refused = trigger_refusal(instance, facts.version, plan);
    let (start, restart) = if running {
        (Some(format!("plan {plan} is running").into()), refused)
    } else {
        (refused, Some(format!("plan {plan} is not running").into()))
    };
    let begins = "The plan runs from its first step with the parameters as they are.";
    let again = "The running plan is given up and begins again from its first step.";
    vec![
        ActionView::of_plan("Trigger", PlanOp::Start).unless(start).doing(begins),
        ActionView::of_plan("Restart", PlanOp::Restart).unless(restart).doing(again),
    ]
}

/// Why triggering a plan by hand would be denied.
pub fn trigger_refusal(instance: &Instance, version: &Version, plan: &str) -> Option<Text> {
    let mut wanted = instance.clone();
    wanted.execution.plan = plan.into();
    wanted.execution.uid = "wanted".into();
    match admission::admit(instance, &mut wanted, version, version) {
        Ok(Decision::Start(_)) => None,
        Ok(_) => Some("nothing would start".into()),
        Err(reason) => Some(reason.into()),
    }
}

/// Returns the plans of a package before anything runs.
pub fn preview(name: &Text, version: &Version, definition: &Loaded) -> Arc<ServiceView> {
    let facts = Facts {
        instance: None,
        version,
        memory: &Memory::default(),
        pods: Vec::new(),
        definition: Some(definition),
        trouble: "",
        mark: &|_, _, _| Mark { revision: 1, ..Mark::default() },
    };
    service(name, &facts, 1)
}

/// The view of an instance that the controller knows.
pub fn of_known(known: &Known, definition: Option<&Loaded>) -> Arc<ServiceView> {
    let unknown;
    let version = match &known.version {
        Some(version) => version,
        None => {
            unknown = Version::of_value(&json!({ "metadata": { "name": (known.instance.version) } }));
            &unknown
        }
    };
    let facts = Facts {
        instance: Some(&known.instance),
        version,
        memory: &known.memory,
        pods: known.pods(),
        definition,
        trouble: &known.trouble,
        mark: &|plan, phase, step| known.mark(plan, phase, step),
    };
    service(&known.instance.name, &facts, known.revision)
}
