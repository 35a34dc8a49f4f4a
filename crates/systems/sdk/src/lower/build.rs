//! Building the lowered plans.

use super::{DEPLOY, LoweredPhase, LoweredPlan, LoweredStep, LoweredStrategy, UPDATE};
use crate::spec::{At, PhaseSpec, PlanSpec, PlanStrategy, PodSpec, ServiceSpec, StepKey, StepTasks};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::sync::Arc;

/// Every plan of a definition in the order written, or the generated `deploy` plan when it has none:
/// serial over the pods, serial over the instances, all tasks of an instance in one step.
pub fn plans(spec: &ServiceSpec) -> Vec<LoweredPlan> {
    if spec.plans.is_empty() {
        return vec![generated(spec)];
    }
    spec.plans.iter().map(|plan| written(spec, plan)).collect()
}

/// Returns the plans shown after a start of the scheduler. Before the first completed deployment, an `update` plan is
/// left out; afterwards it is the plan named `deploy`.
pub fn at_start(spec: &ServiceSpec, deployed_before: bool) -> Vec<LoweredPlan> {
    let mut all = plans(spec);
    let Some(at) = all.iter().position(|plan| &*plan.name == UPDATE) else { return all };
    let mut update = all.remove(at);
    if deployed_before {
        update.name = DEPLOY.into();
        match all.iter_mut().find(|plan| &*plan.name == DEPLOY) {
            Some(deploy) => *deploy = update,
            None => all.push(update),
        }
    }
    all
}

/// Returns the total number of steps of all plans, without building them.
pub fn step_count(spec: &ServiceSpec) -> u64 {
    if spec.plans.is_empty() {
        return spec.pods.iter().map(|pod| u64::from(pod.count)).fold(0, u64::saturating_add);
    }
    let phases = spec.plans.iter().flat_map(|plan| &plan.phases);
    phases.map(|phase| phase_steps(spec, phase)).fold(0, u64::saturating_add)
}

fn phase_steps(spec: &ServiceSpec, phase: &PhaseSpec) -> u64 {
    let Some(pod) = spec.pod(&phase.pod) else { return 0 };
    let count = u64::from(pod.count);
    if phase.steps.is_empty() {
        return count;
    }
    let length = |steps: &[StepTasks]| u64::try_from(steps.len()).unwrap_or(u64::MAX);
    let mut own: u64 = 0;
    let mut total: u64 = 0;
    let mut default: u64 = 0;
    for entry in &phase.steps {
        match entry.key {
            StepKey::Default => default = length(&entry.steps),
            StepKey::Index(index) if index < pod.count => {
                own = own.saturating_add(1);
                total = total.saturating_add(length(&entry.steps));
            }
            StepKey::Index(_) => {}
        }
    }
    total.saturating_add(count.saturating_sub(own).saturating_mul(default))
}

fn generated(spec: &ServiceSpec) -> LoweredPlan {
    let phases = spec.pods.iter().map(|pod| LoweredPhase {
        name: pod.name.clone(),
        strategy: LoweredStrategy::Serial,
        canary: false,
        steps: all_tasks(pod, &pod.at),
        at: pod.at.clone(),
    });
    LoweredPlan {
        name: DEPLOY.into(),
        strategy: LoweredStrategy::Serial,
        phases: phases.collect(),
        at: spec.at.clone(),
        generated: true,
    }
}

fn written(spec: &ServiceSpec, plan: &PlanSpec) -> LoweredPlan {
    LoweredPlan {
        name: plan.name.clone(),
        strategy: match plan.strategy {
            PlanStrategy::Serial => LoweredStrategy::Serial,
            PlanStrategy::Parallel => LoweredStrategy::Parallel,
        },
        phases: plan.phases.iter().map(|phase| self::phase(spec, phase)).collect(),
        at: plan.at.clone(),
        generated: false,
    }
}

/// A phase over an unknown pod has no steps; decoding has reported it.
fn phase(spec: &ServiceSpec, phase: &PhaseSpec) -> LoweredPhase {
    let custom = !phase.steps.is_empty();
    let strategy = match (phase.strategy.is_parallel(), custom) {
        (false, _) => LoweredStrategy::Serial,
        (true, false) => LoweredStrategy::Parallel,
        (true, true) => LoweredStrategy::Dependency,
    };
    let steps = match spec.pod(&phase.pod) {
        None => Vec::new(),
        Some(pod) if custom => custom_steps(pod, phase, strategy),
        Some(pod) => all_tasks(pod, &phase.at),
    };
    LoweredPhase {
        name: phase.name.clone(),
        strategy,
        canary: phase.strategy.is_canary(),
        steps,
        at: phase.at.clone(),
    }
}

/// One step per instance with all its tasks.
fn all_tasks(pod: &PodSpec, at: &At) -> Vec<LoweredStep> {
    let tasks: Arc<[Text]> = pod.tasks.iter().map(|task| task.name.clone()).collect();
    let list = List::new(pod, &tasks, at);
    (0..pod.count).map(|index| list.step(pod, index)).collect()
}

fn custom_steps(pod: &PodSpec, phase: &PhaseSpec, strategy: LoweredStrategy) -> Vec<LoweredStep> {
    // Looked up per instance, so an index costs a logarithm and a conflict is found out once per list.
    let mut by_index = SortedMap::new();
    let mut default: &[StepTasks] = &[];
    for entry in &phase.steps {
        match entry.key {
            StepKey::Default => default = &entry.steps,
            StepKey::Index(index) => {
                by_index.insert(index, entry.steps.as_slice());
            }
        }
    }
    let lists = |steps: &[StepTasks]| -> Vec<List> {
        steps.iter().map(|step| List::new(pod, &step.tasks, &step.at)).collect()
    };
    let default = lists(default);
    let mut steps: Vec<LoweredStep> = Vec::new();
    for index in 0..pod.count {
        let first = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let own = by_index.get(&index).map(|own| lists(own));
        for list in own.as_ref().unwrap_or(&default) {
            let mut step = list.step(pod, index);
            if strategy == LoweredStrategy::Dependency {
                step.after = first..u32::try_from(steps.len()).unwrap_or(u32::MAX);
            }
            steps.push(step);
        }
    }
    steps
}

/// Steps of several instances that launch the same tasks.
struct List {
    tasks: Arc<[Text]>,
    /// The parts of their names before and after the index.
    around: (String, String),
    at: At,
    error: Option<Text>,
}

impl List {
    fn new(pod: &PodSpec, tasks: &Arc<[Text]>, at: &At) -> Self {
        let error = conflict(pod, tasks);
        let suffix = if error.is_some() { String::new() } else { format!(":[{}]", tasks.join(", ")) };
        let around = (format!("{}-", pod.name), suffix);
        Self { tasks: Arc::clone(tasks), around, at: at.clone(), error }
    }

    fn step(&self, pod: &PodSpec, index: u32) -> LoweredStep {
        let (before, after) = &self.around;
        let name = [&**before, &index.to_string(), after].concat();
        LoweredStep {
            name: name.into(),
            pod: pod.name.clone(),
            index,
            tasks: Arc::clone(&self.tasks),
            after: 0..0,
            at: self.at.clone(),
            error: self.error.clone(),
        }
    }
}

/// Why these tasks of a pod cannot be launched by one step.
fn conflict(pod: &PodSpec, tasks: &[Text]) -> Option<Text> {
    let mut sets: SortedMap<&str, &str> = SortedMap::new();
    let mut prefixes: SortedMap<&str, &str> = SortedMap::new();
    for name in tasks {
        let Some(task) = pod.task(name) else {
            return Some(format!("the pod '{}' has no task '{name}'", pod.name).into());
        };
        let set = &*task.resource_set.id;
        if let Some(other) = sets.insert(set, name) {
            return Some(
                format!("tasks '{other}' and '{name}' use the same resource set '{set}' at the same time")
                    .into(),
            );
        }
        let prefix = task.discovery.as_ref().and_then(|discovery| discovery.prefix.as_deref());
        if let Some((other, prefix)) =
            prefix.and_then(|prefix| Some((prefixes.insert(prefix, name)?, prefix)))
        {
            return Some(
                format!("tasks '{other}' and '{name}' use the same DNS prefix '{prefix}' at the same time")
                    .into(),
            );
        }
    }
    None
}

/// A step of a definition that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Its position.
    pub at: At,
    /// The first such step's name.
    pub step: Text,
    /// Why.
    pub why: Text,
}

/// The steps that cannot be built, once for each place where they are written.
pub fn conflicts(spec: &ServiceSpec) -> Vec<Conflict> {
    let mut found = Vec::new();
    let mut look = |pod: &PodSpec, index: u32, tasks: &[Text], at: &At| {
        if let Some(why) = conflict(pod, tasks).filter(|_| index < pod.count) {
            found.push(Conflict { at: at.clone(), step: pod.instance(index).into(), why });
        }
    };
    let all = |pod: &PodSpec| pod.tasks.iter().map(|task| task.name.clone()).collect::<Vec<_>>();
    if spec.plans.is_empty() {
        for pod in &spec.pods {
            look(pod, 0, &all(pod), &pod.at);
        }
    }
    for phase in spec.plans.iter().flat_map(|plan| &plan.phases) {
        let Some(pod) = spec.pod(&phase.pod) else { continue };
        if phase.steps.is_empty() {
            look(pod, 0, &all(pod), &phase.at);
        }
        for entry in &phase.steps {
            let index = match entry.key {
                StepKey::Default => 0,
                StepKey::Index(index) => index,
            };
            for list in &entry.steps {
                // Unknown tasks are errors of the definition already.
                if list.tasks.iter().all(|name| pod.task(name).is_some()) {
                    look(pod, index, &list.tasks, &list.at);
                }
            }
        }
    }
    found
}
