//! Reports every change of a status word.
//!
//! *Cost*: a change of an instance checks its app and one action; a step that begins or ends checks its deployment.

use crate::deployments::plan::Action;
use crate::deployments::{Deployment, Deployments};
use crate::instances::tracker::SpecNo;
use crate::records::Records;
use crate::shown::{self, shared};
use crate::statuses::words::{self, action_of};
use crate::statuses::{StepWords, Tally, roll_up};
use planarium_part::Cx;
use planarium_protocol::event::ElementPath;
use planarium_protocol::{EventBody, Text};

/// Tells of every word that changed.
pub(crate) fn show_changes(records: &mut Records, deployments: &mut Deployments, cx: &mut Cx) {
    if records.statuses.touched.is_empty() && records.statuses.moved.is_empty() {
        return;
    }
    records.statuses.revision += 1;
    let mut touched = std::mem::take(&mut records.statuses.touched);
    let mut phases: Vec<Text> = Vec::new();
    for no in touched.keys() {
        let Some(phase) = show_app_word(records, cx, *no) else { continue };
        phases.push(phase);
        // The word of its action follows that of the app.
        if let Some(job) = records.run(*no).and_then(|run| run.job.as_ref()) {
            let moved = (job.deployment, Some(*no));
            records.statuses.moved.insert(moved);
        }
    }
    if records.statuses.touched.is_empty() {
        // The next ones use the same memory.
        touched.clear();
        records.statuses.touched = touched;
    }
    if !phases.is_empty() {
        show_phases(records, cx, &phases);
    }
    let moved = std::mem::take(&mut records.statuses.moved);
    if moved.is_empty() {
        return;
    }
    for (no, spec) in &moved {
        match spec {
            // As a whole as well: that comes first.
            Some(_) if moved.contains(&(*no, None)) => {}
            Some(spec) => show_action(records, deployments, cx, *no, *spec),
            None => show_deployment(records, deployments, cx, *no),
        }
    }
    deployments.forget();
}

fn tell(cx: &mut Cx, path: ElementPath, from: &'static str, to: &'static str) {
    let word = |word: &'static str| if word.is_empty() { shown::UNDEFINED } else { word };
    cx.emit(EventBody::ElementStatus { path, from: shared(word(from)), to: shared(word(to)) });
}

/// Answers the phase when the word of the app changed.
fn show_app_word(records: &mut Records, cx: &mut Cx, no: SpecNo) -> Option<Text> {
    let to = words::app_word(records, no, cx.now());
    let (revision, now) = (records.statuses.revision, cx.now());
    let run = records.run_mut(no)?;
    run.revision = revision;
    run.step.take();
    if *run.shown == *to {
        return None;
    }
    let (place, from) = (run.place.clone(), run.shown);
    run.shown = to;
    run.shown_since = now;
    let phase = place.phase.clone();
    let path = records.setup.app_path(place);
    tell(cx, path, from, to);
    records.statuses.tally.count(&phase, from, to);
    Some(phase)
}

fn show_phases(records: &mut Records, cx: &mut Cx, phases: &[Text]) {
    for phase in phases {
        let to = records.statuses.tally.phases.get(phase).map_or("", |words| roll_up(words.keys()));
        let from = records.statuses.tally.words.get(phase).copied().unwrap_or("");
        if from == to {
            continue;
        }
        if to.is_empty() {
            records.statuses.tally.words.remove(phase)
        } else {
            records.statuses.tally.words.insert(phase.clone(), to)
        };
        tell(cx, records.setup.path(shown::APPS, Some(phase.clone()), None), from, to);
    }
    let to = roll_up(records.statuses.tally.words.values());
    let from = std::mem::replace(&mut records.statuses.tally.plan, to);
    if from != to {
        tell(cx, records.setup.path(shown::APPS, None, None), from, to);
    }
}

fn show_deployment(records: &Records, deployments: &mut Deployments, cx: &mut Cx, no: u32) {
    let Some(deployment) = deployments.get(no).cloned() else { return };
    let mut words = deployment.words.clone();
    let name: Text = shown::deployment_name(no).into();
    let now = cx.now();
    words.steps.resize_with(deployment.plan.steps.len(), StepWords::default);
    let to = words::plan_word(&deployment);
    let from = std::mem::replace(&mut words.plan, to);
    if from != to {
        tell(cx, records.setup.path(name.clone(), None, None), from, to);
    }
    for (at, (step, shown)) in deployment.plan.steps.iter().zip(&mut words.steps).enumerate() {
        let phase: Text = shown::step_name(at).into();
        let to = words::step_word(&deployment, at);
        let from = std::mem::replace(&mut shown.step, to);
        if from != to {
            tell(cx, records.setup.path(name.clone(), Some(phase.clone()), None), from, to);
        }
        shown.actions.resize(step.actions.len(), ("", now));
        for (action, word) in step.actions.iter().zip(&mut shown.actions) {
            let to = action_word(records, &deployment, at, action);
            if word.0 != to {
                let path = records.setup.path(
                    name.clone(),
                    Some(phase.clone()),
                    Some(shown::action_name(action).into()),
                );
                tell(cx, path, word.0, to);
                *word = (to, now);
            }
        }
    }
    deployments.change(no, |deployment| deployment.words = words);
}

fn show_action(records: &Records, deployments: &mut Deployments, cx: &mut Cx, no: u32, spec: SpecNo) {
    let Some(deployment) = deployments.get(no).cloned() else { return };
    let Some(id) = records.run(spec).map(|run| run.id.clone()) else { return };
    let Some(step) = deployment.under_way() else { return };
    let Some(at) = action_of(&deployment, step, &id) else { return };
    let Some(action) = deployment.plan.steps.get(step).and_then(|step| step.actions.get(at)) else {
        return;
    };
    let to = words::action_word(records, &deployment, step, Some(spec));
    let from =
        deployment.words.steps.get(step).and_then(|step| step.actions.get(at)).map_or("", |word| word.0);
    if from == to {
        return;
    }
    let phase = shown::step_name(step).into();
    let path =
        records.setup.path(shown::deployment_name(no), Some(phase), Some(shown::action_name(action).into()));
    tell(cx, path, from, to);
    let now = cx.now();
    // It is not shared, so it is changed in place.
    drop(deployment);
    deployments.change(no, |deployment| {
        let word = deployment.words.steps.get_mut(step).and_then(|step| step.actions.get_mut(at));
        if let Some(word) = word {
            *word = (to, now);
        }
    });
}

/// Lists wrong status words.
pub(crate) fn check(records: &Records, deployments: &Deployments) -> Vec<String> {
    let mut found = Vec::new();
    let mut tally = Tally::default();
    for (_, run) in records.apps.iter() {
        let phase = shown::place_of(&run.id).phase;
        tally.count(&phase, "", run.shown);
    }
    if tally.phases.len() != records.statuses.tally.phases.len()
        || tally.phases.iter().any(|(phase, words)| {
            records.statuses.tally.phases.get(phase).is_none_or(|own| own.iter().ne(words.iter()))
        })
    {
        found.push("words of apps are not counted as they are".to_owned());
    }
    for deployment in deployments.iter() {
        for (at, step) in deployment.plan.steps.iter().enumerate() {
            for (index, action) in step.actions.iter().enumerate() {
                let now = action_word(records, deployment, at, action);
                let shown = deployment.words.steps.get(at).and_then(|step| step.actions.get(index));
                if shown.map(|shown| shown.0) != Some(now) {
                    found.push(format!("{}: {} is {now}, not {shown:?}", deployment.plan.id, action.spec.id));
                }
            }
        }
    }
    found
}

/// The word of an action.
fn action_word(records: &Records, deployment: &Deployment, step: usize, action: &Action) -> &'static str {
    words::action_word(records, deployment, step, records.known_number(&action.spec.id))
}
