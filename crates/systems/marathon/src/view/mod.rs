//! The view of the process: apps, deployments, instances, and the actions on them.
//!
//! *Knows*: names, words, counts, actions with their consequences. *Must not know*: who draws them.
//!
//! *Cost*: rebuilt after changes; unchanged instances and apps are shared.

use std::fmt::Write as _;

pub(crate) mod actions;
pub(crate) mod lookup;
mod more;

use crate::deployments::jobs::Work;
use crate::deployments::{Deployment, Deployments, Stage};
use crate::instances::instance::{Goal, Instance};
use crate::instances::tracker::{Key, SpecNo};
use crate::marathon::Marathon;
use crate::records::Records;
use crate::shown;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_protocol::view::{PhaseView, PlanView, PodTaskView, PodView, Progress, ServiceView, StepView};
use std::sync::{Arc, Mutex};

/// The last view that was built, with its revision.
#[derive(Debug, Default)]
pub(crate) struct ViewCache(Mutex<Option<Arc<ServiceView>>>);

impl Clone for ViewCache {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().map(|view| view.clone()).unwrap_or_default()))
    }
}

impl ViewCache {
    /// Returns the view, kept until something changes.
    pub(crate) fn of(&self, shown: Shown<'_>, definitions: &[Text]) -> Arc<ServiceView> {
        let revision = shown.records.statuses.revision;
        let fresh = |view: &Arc<ServiceView>| view.revision == revision && *view.definitions == *definitions;
        match self.0.lock() {
            Ok(mut kept) => match &*kept {
                Some(view) if fresh(view) => view.clone(),
                _ => {
                    let view = Arc::new(shown.build_view(definitions));
                    *kept = Some(view.clone());
                    view
                }
            },
            Err(_) => Arc::new(shown.build_view(definitions)),
        }
    }
}

/// The records that the view is built from.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) records: &'a Records,
    pub(crate) deployments: &'a Deployments,
}

impl<'a> Shown<'a> {
    /// Of a process.
    pub(crate) fn of(marathon: &'a Marathon) -> Self {
        Self { records: &marathon.records, deployments: &marathon.deployments }
    }

    fn build_view(&self, definitions: &[Text]) -> ServiceView {
        let mut plans = Vec::new();
        plans.extend(self.apps_plan());
        plans.extend(self.deployments.iter().map(|deployment| self.deployment_plan(deployment)));
        ServiceView {
            revision: self.records.statuses.revision,
            name: self.records.setup.settings.framework.clone(),
            dialect: crate::shown::DIALECT.into(),
            plans,
            pods: self.pods(),
            activity: self.activity(),
            statuses: shown::STATUSES,
            definitions: definitions.to_vec(),
            more: Arc::new(self.more()),
        }
    }

    /// Returns the instances of all apps and pods, including removed ones.
    fn pods(&self) -> Vec<Arc<PodView>> {
        let mut last: Option<(SpecNo, bool)> = None;
        let shown = |(key, instance): (Key, &Arc<Instance>)| {
            let is_defined = match last {
                Some((spec, is_defined)) if spec == key.spec => is_defined,
                _ => self.records.definitions.root.spec(instance.spec_id()).is_some(),
            };
            last = Some((key.spec, is_defined));
            let view = pod(instance);
            if is_defined { view } else { self.removed(&view) }
        };
        self.records.instances.iter().map(shown).collect()
    }

    /// An instance that only waits for its turn to end: the API knows its app no longer.
    fn removed(&self, view: &PodView) -> Arc<PodView> {
        let why = || Some("Its definition is removed: it is to end anyway.");
        let actions = view.actions.iter().map(|action| action.clone().unless(why())).collect();
        Arc::new(PodView { revision: self.records.statuses.revision, actions, ..view.clone() })
    }

    /// Describes the current activity in one line.
    fn activity(&self) -> Text {
        let running = self.deployments.running().count();
        let waiting: u32 = self.records.instances.specs().map(|(_, counts)| counts.waiting).sum();
        let text = match (running, waiting) {
            (0, 0) => "no deployment is under way; no offers are wanted".to_owned(),
            (running, 0) => format!("{running} deployments are under way"),
            (0, waiting) => format!("{waiting} instances wait for offers"),
            (running, waiting) => {
                format!("{running} deployments are under way, {waiting} instances wait for offers")
            }
        };
        text.replace("1 deployments are", "1 deployment is")
            .replace("1 instances wait", "1 instance waits")
            .into()
    }

    fn apps_plan(&self) -> Option<Arc<PlanView>> {
        let mut phases: SortedMap<Text, Vec<Arc<StepView>>> = SortedMap::new();
        for (no, run) in self.records.apps.iter().filter(|(_, run)| !run.shown.is_empty()) {
            let phase = shown::place_of(&run.id).phase;
            let step = run.step.get_or_init(|| self.app_step(no)).clone();
            phases.entry(phase).or_default().push(step);
        }
        if phases.is_empty() {
            return None;
        }
        let mut all = Vec::new();
        for (name, mut steps) in phases {
            planarium_kernel::sorted::sort_by(&mut steps, |one, other| one.name.cmp(&other.name));
            all.push(Arc::new(PhaseView {
                revision: self.records.statuses.revision,
                id: name.clone(),
                status: self.records.statuses.tally.phase(&name).unwrap_or_default().into(),
                strategy: "parallel".into(),
                interrupted: false,
                gates_left: 0,
                progress: progress(steps.iter().map(|step| &*step.status)),
                steps,
                actions: Arc::default(),
                name,
            }));
        }
        let total = all.iter().fold(Progress::default(), |sum, phase| Progress {
            done: sum.done + phase.progress.done,
            total: sum.total + phase.progress.total,
        });
        Some(Arc::new(PlanView {
            revision: self.records.statuses.revision,
            name: shown::APPS.into(),
            status: self.records.statuses.tally.plan().into(),
            strategy: "parallel".into(),
            interrupted: false,
            errors: Vec::new(),
            progress: total,
            phases: all,
            actions: Arc::default(),
            custom: false,
        }))
    }

    fn app_step(&self, no: SpecNo) -> Arc<StepView> {
        let Some(run) = self.records.run(no) else { return Arc::new(blank("", "")) };
        let name = shown::place_of(&run.id).step;
        Arc::new(StepView {
            revision: run.revision,
            reason: self.app_line(no).into(),
            progress: self.app_progress(no),
            since_ms: run.shown_since.ms(),
            tasks: self.records.instances.of_spec(no).map(|(_, instance)| instance.id.clone()).collect(),
            actions: self.app_actions(&run.id).into(),
            id: run.id.text().clone(),
            ..blank(&name, run.shown)
        })
    }

    /// Instances of an app that run and count as healthy, of those wanted.
    fn app_progress(&self, no: SpecNo) -> Option<Progress> {
        let id = &self.records.run(no)?.id;
        let total = self.records.definitions.root.spec(id)?.instances;
        let done = self.app_counts(no).healthy.min(total);
        (total > 0).then_some(Progress { done, total })
    }

    /// Returns the state of an app in a few words.
    fn app_line(&self, no: SpecNo) -> String {
        let counts = self.records.instances.counts(no);
        let Some(run) = self.records.run(no) else { return String::new() };
        let wanted = self.records.definitions.root.spec(&run.id).map_or(0, |spec| spec.instances);
        let running = self
            .records
            .instances
            .of_spec(no)
            .filter(|(_, one)| one.condition == crate::instances::instance::Condition::Running);
        let mut line = format!("{} of {wanted} run", running.count());
        if counts.waiting > 0 {
            let _ = write!(line, ", {} wait", counts.waiting);
        }
        line
    }

    fn deployment_plan(&self, deployment: &Deployment) -> Arc<PlanView> {
        let revision =
            if deployment.is_running() { self.records.statuses.revision } else { deployment.revision };
        let mut phases = Vec::new();
        for (at, step) in deployment.plan.steps.iter().enumerate() {
            let words = deployment.words.steps.get(at);
            let mut steps = Vec::new();
            for (index, action) in step.actions.iter().enumerate() {
                let (word, since) =
                    words.and_then(|words| words.actions.get(index)).copied().unwrap_or_default();
                let no = self.records.known_number(&action.spec.id);
                let working = deployment.is_running() && deployment.under_way() == Some(at);
                let open = no.filter(|no| working && deployment.open.contains(no));
                let mut view = blank(&shown::action_name(action), word);
                view.revision = revision;
                view.since_ms = since.ms();
                view.id = format!("{}-{}", action.verb(), action.spec.id).into();
                if let Some(no) = open {
                    view.reason = self.action_line(no).into();
                    view.progress = self.action_progress(no);
                    view.tasks =
                        self.records.instances.of_spec(no).map(|(_, instance)| instance.id.clone()).collect();
                }
                steps.push(Arc::new(view));
            }
            phases.push(Arc::new(PhaseView {
                revision,
                id: format!("{}-{}", deployment.plan.id, at + 1).into(),
                name: shown::step_name(at).into(),
                status: words.map_or("", |words| words.step).into(),
                strategy: "parallel".into(),
                interrupted: false,
                gates_left: 0,
                progress: progress(steps.iter().map(|step| &*step.status)),
                steps,
                actions: Arc::default(),
            }));
        }
        let progress = phases.iter().fold(Progress::default(), |sum, phase| Progress {
            done: sum.done + phase.progress.done,
            total: sum.total + phase.progress.total,
        });
        let errors = match deployment.stage {
            Stage::Canceled => vec![crate::deployments::lifecycle::CANCELLED.into()],
            _ => Vec::new(),
        };
        Arc::new(PlanView {
            revision,
            name: shown::deployment_name(deployment.no).into(),
            status: deployment.words.plan.into(),
            strategy: "serial".into(),
            interrupted: false,
            errors,
            progress,
            phases,
            actions: actions::deployment_actions(deployment).into(),
            custom: false,
        })
    }

    /// New instances of an action under way that are healthy and ready, of those it waits for.
    fn action_progress(&self, no: SpecNo) -> Option<Progress> {
        let job = self.records.run(no)?.job.as_ref()?;
        let (progress, total) = match &job.work {
            Work::Ending(_) | Work::Stopping(_) => return None,
            Work::Starting(starting) => (&starting.progress, starting.count),
            Work::Replacing(replacing) => (&replacing.progress, job.spec.instances),
        };
        let done = u32::try_from(progress.healthy.len().min(progress.ready.len())).unwrap_or(u32::MAX);
        Some(Progress { done, total })
    }

    /// Returns the state of an action that is under way in a few words.
    pub(crate) fn action_line(&self, no: SpecNo) -> String {
        let Some(job) = self.records.run(no).and_then(|run| run.job.as_ref()) else { return String::new() };
        let wanted = job.spec.instances;
        match &job.work {
            Work::Ending(waits) => format!("waits for {} instances to end", waits.left().count()),
            Work::Stopping(stopping) => format!("waits for {} instances to end", stopping.left().count()),
            Work::Starting(starting) => {
                let (healthy, ready) = (starting.progress.healthy.len(), starting.progress.ready.len());
                format!("{} of {} new instances are healthy and ready", healthy.min(ready), starting.count)
            }
            Work::Replacing(replacing) => {
                let (healthy, ready) = (replacing.progress.healthy.len(), replacing.progress.ready.len());
                let (old, new) = (replacing.old.len(), healthy.min(ready));
                format!("{new} of {wanted} new instances are healthy and ready, {old} old ones are left")
            }
        }
    }
}

fn blank(name: &str, status: &str) -> StepView {
    StepView {
        revision: 0,
        id: name.into(),
        name: name.into(),
        namesake: false,
        status: status.into(),
        reason: "".into(),
        progress: None,
        forced: false,
        since_ms: 0,
        pod: None,
        tasks: Vec::new(),
        source: None,
        actions: Arc::default(),
    }
}

/// Those that are done, of all.
fn progress<'w>(words: impl Iterator<Item = &'w str>) -> Progress {
    let mut progress = Progress::default();
    for word in words {
        progress.total += 1;
        progress.done += u32::from(matches!(word, shown::FINISHED | shown::RUNNING | shown::SUSPENDED));
    }
    progress
}

/// An instance.
fn pod(instance: &Arc<Instance>) -> Arc<PodView> {
    let build = || {
        let agent = instance.agent.as_ref().map(|agent| agent.hostname.clone());
        let ends = if instance.goal == Goal::Running { "" } else { " (to end)" };
        let tasks = instance.tasks.iter().map(|task| PodTaskView {
            name: if task.container.is_empty() {
                instance.spec.id.hostname().into()
            } else {
                task.container.clone()
            },
            id: task.id.clone(),
            status: Some(format!("{}{ends}", task.condition.as_str()).into()),
            agent: agent.clone(),
            configs: Arc::default(),
        });
        let mut tasks: Vec<PodTaskView> = tasks.collect();
        if tasks.is_empty() || instance.is_scheduled() {
            let name: Text = instance.spec.id.hostname().into();
            tasks = vec![PodTaskView {
                name,
                id: "".into(),
                status: Some(
                    format!("{}{ends}", crate::instances::instance::Condition::Scheduled.as_str()).into(),
                ),
                agent: None,
                configs: Arc::default(),
            }];
        }
        let actions = actions::of_instance(instance).into();
        Arc::new(PodView { revision: instance.revision, name: instance.id.clone(), tasks, actions })
    };
    instance.shown.get_or_init(build).clone()
}
