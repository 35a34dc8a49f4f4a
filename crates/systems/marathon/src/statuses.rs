//! The status words that are shown, and telling of each that changes.
//!
//! *Knows*: which word an element shows now and showed before. *Must not know*: how a word is drawn, why it is shown.
//!
//! *Cost*: a change of an instance looks at its app and at one action; a step that begins or ends looks at its deployment.

use crate::deployments::plan::Action;
use crate::deployments::{Deployment, Stage};
use crate::id::PathId;
use crate::instances::tracker::SpecNo;
use crate::marathon::Marathon;
use crate::reports::shared;
use crate::shown;
use planarium_kernel::{SimTime, SortedMap};
use planarium_part::Cx;
use planarium_protocol::event::ElementPath;
use planarium_protocol::{EventBody, Text};

/// Words of a deployment, its steps and their actions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) plan: &'static str,
    pub(crate) steps: Vec<StepWords>,
}

/// Words of a step, each with since when.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepWords {
    pub(crate) step: &'static str,
    pub(crate) actions: Vec<(&'static str, SimTime)>,
}

/// Apps by phase and word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    phases: SortedMap<Text, SortedMap<&'static str, u32>>,
    plan: &'static str,
    words: SortedMap<Text, &'static str>,
}

impl Tally {
    /// The word of a phase.
    pub(crate) fn phase(&self, phase: &str) -> Option<&'static str> {
        self.words.get(phase).copied()
    }

    /// Phases and their words.
    pub(crate) fn phases(&self) -> impl Iterator<Item = (&Text, &'static str)> {
        self.words.iter().map(|(phase, word)| (phase, *word))
    }

    /// The word of the plan; empty when there is no app.
    pub(crate) fn plan(&self) -> &'static str {
        self.plan
    }

    fn count(&mut self, phase: &Text, from: &'static str, to: &'static str) {
        let words = self.phases.entry(phase.clone()).or_default();
        if !from.is_empty() {
            let count = words.entry(from).or_default();
            *count = count.saturating_sub(1);
        }
        if !to.is_empty() {
            *words.entry(to).or_default() += 1;
        }
        words.retain(|_, count| *count > 0);
        if words.is_empty() {
            self.phases.remove(phase);
        }
    }
}

/// The word of several: what still goes on comes before what is done.
fn roll_up<'w>(words: impl Iterator<Item = &'w &'static str> + Clone) -> &'static str {
    let order = [shown::DELAYED, shown::WAITING, shown::DEPLOYING, shown::RUNNING, shown::SUSPENDED];
    order.into_iter().find(|word| words.clone().any(|own| own == word)).unwrap_or("")
}

impl Marathon {
    /// What is shown of a spec may change.
    pub(crate) fn touch(&mut self, no: SpecNo) {
        self.touched.insert(no, ());
    }

    /// What is shown of a deployment may change: as a whole, or of one spec in it.
    pub(crate) fn moved(&mut self, no: u32, spec: Option<SpecNo>) {
        self.revision += 1;
        self.moved.insert((no, spec));
    }

    /// Tells of every word that changed.
    pub(crate) fn show_changes(&mut self, cx: &mut Cx) {
        if self.touched.is_empty() && self.moved.is_empty() {
            return;
        }
        self.revision += 1;
        let mut touched = std::mem::take(&mut self.touched);
        let mut phases: Vec<Text> = Vec::new();
        for no in touched.keys() {
            let Some(phase) = self.show_app_word(cx, *no) else { continue };
            phases.push(phase);
            // The word of its action follows that of the app.
            if let Some(job) = self.run(*no).and_then(|run| run.job.as_ref()) {
                let moved = (job.deployment, Some(*no));
                self.moved.insert(moved);
            }
        }
        if self.touched.is_empty() {
            // The next ones use the same memory.
            touched.clear();
            self.touched = touched;
        }
        if !phases.is_empty() {
            self.show_phases(cx, &phases);
        }
        let moved = std::mem::take(&mut self.moved);
        if moved.is_empty() {
            return;
        }
        for (no, spec) in &moved {
            match spec {
                // As a whole as well: that comes first.
                Some(_) if moved.contains(&(*no, None)) => {}
                Some(spec) => self.show_action(cx, *no, *spec),
                None => self.show_deployment(cx, *no),
            }
        }
        self.deployments.forget();
    }

    fn tell(cx: &mut Cx, path: ElementPath, from: &'static str, to: &'static str) {
        let word = |word: &'static str| if word.is_empty() { shown::UNDEFINED } else { word };
        cx.emit(EventBody::ElementStatus { path, from: shared(word(from)), to: shared(word(to)) });
    }

    /// Answers the phase when the word of the app changed.
    fn show_app_word(&mut self, cx: &mut Cx, no: SpecNo) -> Option<Text> {
        let to = self.find_app_status(no, cx.now());
        let (revision, now) = (self.revision, cx.now());
        let run = self.run_mut(no)?;
        run.revision = revision;
        run.step.take();
        if *run.shown == *to {
            return None;
        }
        let (place, from) = (run.place.clone(), run.shown);
        run.shown = to;
        run.shown_since = now;
        let path = self.path(shared(shown::APPS), Some(place.0.clone()), Some(place.1.clone()));
        Self::tell(cx, path, from, to);
        let (phase, _) = place;
        self.tally.count(&phase, from, to);
        Some(phase)
    }

    fn show_phases(&mut self, cx: &mut Cx, phases: &[Text]) {
        for phase in phases {
            let to = self.tally.phases.get(phase).map_or("", |words| roll_up(words.keys()));
            let from = self.tally.words.get(phase).copied().unwrap_or("");
            if from == to {
                continue;
            }
            if to.is_empty() {
                self.tally.words.remove(phase)
            } else {
                self.tally.words.insert(phase.clone(), to)
            };
            Self::tell(cx, self.path(shown::APPS, Some(phase.clone()), None), from, to);
        }
        let to = roll_up(self.tally.words.values());
        let from = std::mem::replace(&mut self.tally.plan, to);
        if from != to {
            Self::tell(cx, self.path(shown::APPS, None, None), from, to);
        }
    }

    /// The word of an app or pod as things stand; empty for one that is nowhere.
    fn find_app_status(&self, no: SpecNo, now: SimTime) -> &'static str {
        let Some(run) = self.run(no) else { return "" };
        let counts = self.tracker.counts(no);
        let Some(spec) = &run.spec else {
            return if run.job.is_some() || counts.all > 0 { shown::DEPLOYING } else { "" };
        };
        if counts.waiting > 0 {
            let delayed = !run.backoff.is_empty()
                && self.tracker.waiting_of(no).all(|(_, instance)| !run.backoff.allows(&instance.spec, now));
            return if delayed { shown::DELAYED } else { shown::WAITING };
        }
        // A scale check holds the lock as well, and may still wait when a deployment has taken it over.
        let checking = run.rescaling.as_ref().map(|rescaling| rescaling.lock);
        if run.lock.is_some() && run.lock != checking {
            shown::DEPLOYING
        } else if spec.instances == 0 && counts.present == 0 {
            shown::SUSPENDED
        } else {
            shown::RUNNING
        }
    }

    /// The word of an action.
    fn action_word(&self, deployment: &Deployment, step: usize, action: &Action) -> &'static str {
        self.word_of_action(deployment, step, self.known_number(&action.spec.id))
    }

    /// The word of the action on a spec.
    fn word_of_action(&self, deployment: &Deployment, step: usize, no: Option<SpecNo>) -> &'static str {
        let current = deployment.step.checked_sub(1);
        let open = current == Some(step) && no.is_some_and(|no| deployment.open.contains(&no));
        let begun = current.is_some_and(|current| step <= current);
        match deployment.stage {
            Stage::Finished => shown::FINISHED,
            Stage::Canceled | Stage::Deploying if begun && !open => shown::FINISHED,
            Stage::Canceled => shown::CANCELED,
            Stage::Deploying if open => {
                let run = no.and_then(|no| self.run(no));
                match run.map(|run| run.shown) {
                    Some(word @ (shown::WAITING | shown::DELAYED)) => word,
                    _ => shown::DEPLOYING,
                }
            }
            Stage::Deploying | Stage::Scheduled => shown::SCHEDULED,
        }
    }

    fn plan_word(deployment: &Deployment) -> &'static str {
        match deployment.stage {
            Stage::Scheduled => shown::SCHEDULED,
            Stage::Deploying => shown::DEPLOYING,
            Stage::Finished => shown::FINISHED,
            Stage::Canceled => shown::CANCELED,
        }
    }

    fn step_word(deployment: &Deployment, step: usize) -> &'static str {
        let current = deployment.step.checked_sub(1);
        let before = current.is_some_and(|current| step < current);
        match deployment.stage {
            Stage::Finished => shown::FINISHED,
            Stage::Canceled | Stage::Deploying if before => shown::FINISHED,
            Stage::Canceled => shown::CANCELED,
            Stage::Deploying if current == Some(step) => shown::DEPLOYING,
            Stage::Deploying | Stage::Scheduled => shown::SCHEDULED,
        }
    }

    fn show_deployment(&mut self, cx: &mut Cx, no: u32) {
        let Some(deployment) = self.deployments.get(no).cloned() else { return };
        let mut words = deployment.words.clone();
        let name: Text = shown::deployment_name(no).into();
        let now = cx.now();
        words.steps.resize_with(deployment.plan.steps.len(), StepWords::default);
        let to = Self::plan_word(&deployment);
        let from = std::mem::replace(&mut words.plan, to);
        if from != to {
            Self::tell(cx, self.path(name.clone(), None, None), from, to);
        }
        for (at, (step, shown)) in deployment.plan.steps.iter().zip(&mut words.steps).enumerate() {
            let phase: Text = shown::step_name(at).into();
            let to = Self::step_word(&deployment, at);
            let from = std::mem::replace(&mut shown.step, to);
            if from != to {
                Self::tell(cx, self.path(name.clone(), Some(phase.clone()), None), from, to);
            }
            shown.actions.resize(step.actions.len(), ("", now));
            for (action, word) in step.actions.iter().zip(&mut shown.actions) {
                let to = self.action_word(&deployment, at, action);
                if word.0 != to {
                    let path =
                        self.path(name.clone(), Some(phase.clone()), Some(shown::action_name(action).into()));
                    Self::tell(cx, path, word.0, to);
                    *word = (to, now);
                }
            }
        }
        self.deployments.change(no, |deployment| deployment.words = words);
    }

    fn show_action(&mut self, cx: &mut Cx, no: u32, spec: SpecNo) {
        let Some(deployment) = self.deployments.get(no).cloned() else { return };
        let Some(id) = self.run(spec).map(|run| run.id.clone()) else { return };
        let Some(step) = deployment.step.checked_sub(1) else { return };
        let Some(at) = action_of(&deployment, step, &id) else { return };
        let Some(action) = deployment.plan.steps.get(step).and_then(|step| step.actions.get(at)) else {
            return;
        };
        let to = self.word_of_action(&deployment, step, Some(spec));
        let from =
            deployment.words.steps.get(step).and_then(|step| step.actions.get(at)).map_or("", |word| word.0);
        if from == to {
            return;
        }
        let phase = shown::step_name(step).into();
        let path =
            self.path(shown::deployment_name(no), Some(phase), Some(shown::action_name(action).into()));
        Self::tell(cx, path, from, to);
        let now = cx.now();
        // Shared with nobody, it is changed where it is.
        drop(deployment);
        self.deployments.change(no, |deployment| {
            let word = deployment.words.steps.get_mut(step).and_then(|step| step.actions.get_mut(at));
            if let Some(word) = word {
                *word = (to, now);
            }
        });
    }

    /// What does not hold of the words, in words.
    pub(crate) fn check_board(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut tally = Tally::default();
        for (_, run) in self.specs.iter() {
            let (phase, _) = shown::place_of(&run.id);
            tally.count(&phase, "", run.shown);
        }
        if tally.phases.len() != self.tally.phases.len()
            || tally.phases.iter().any(|(phase, words)| {
                self.tally.phases.get(phase).is_none_or(|own| own.iter().ne(words.iter()))
            })
        {
            found.push("words of apps are not counted as they are".to_owned());
        }
        for deployment in self.deployments.iter() {
            for (at, step) in deployment.plan.steps.iter().enumerate() {
                for (index, action) in step.actions.iter().enumerate() {
                    let now = self.action_word(deployment, at, action);
                    let shown = deployment.words.steps.get(at).and_then(|step| step.actions.get(index));
                    if shown.map(|shown| shown.0) != Some(now) {
                        found.push(format!(
                            "{}: {} is {now}, not {shown:?}",
                            deployment.plan.id, action.spec.id
                        ));
                    }
                }
            }
        }
        found
    }
}

/// The place of an app's action in a step.
pub(crate) fn action_of(deployment: &Deployment, step: usize, id: &PathId) -> Option<usize> {
    let actions = &deployment.plan.steps.get(step)?.actions;
    actions.binary_search_by(|action| action.spec.id.cmp(id)).ok()
}
