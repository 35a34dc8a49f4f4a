//! Finds displayed elements by name.
//!
//! *Knows*: displayed names, and the usual names of apps and deployments. *Must not know*: the meaning of a word.

use super::Shown;
use crate::deployments::Deployment;
use crate::id::PathId;
use crate::instances::tracker::SpecNo;
use crate::shown;
use std::sync::Arc;

/// A displayed element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'m> {
    /// All apps.
    Apps,
    /// The apps of a top-level group.
    Group(&'m str),
    /// An app or pod.
    App(SpecNo),
    /// A deployment.
    Deployment(&'m Arc<Deployment>),
    /// A step of one, by index.
    Step(&'m Arc<Deployment>, usize),
    /// An action of a step, by both indexes.
    Action(&'m Arc<Deployment>, usize, usize),
}

impl<'a> Shown<'a> {
    /// A deployment by the name that is shown, or by its id.
    pub(crate) fn deployment_called(&self, name: &str) -> Option<&'a Arc<Deployment>> {
        let mut all = self.deployments.iter();
        all.find(|one| *one.plan.id == *name || shown::deployment_name(one.no) == name)
    }

    /// An element: plan, phase, step.
    pub(crate) fn find(&self, plan: &str, phase: Option<&'a str>, step: Option<&str>) -> Option<Found<'a>> {
        if plan == shown::APPS {
            return match (phase, step) {
                (None, _) => Some(Found::Apps),
                (Some(phase), Some(step)) => self.shown_app(&shown::app_at(phase, step)).map(Found::App),
                (Some(phase), None) => match self.records.statuses.tally.phase(phase) {
                    Some(_) => Some(Found::Group(phase)),
                    None => self.shown_app(&PathId::absolute(phase)).map(Found::App),
                },
            };
        }
        let deployment = self.deployment_called(plan)?;
        let Some(phase) = phase else { return Some(Found::Deployment(deployment)) };
        let at = (0..deployment.plan.steps.len()).find(|at| shown::step_name(*at) == phase)?;
        let Some(step) = step else { return Some(Found::Step(deployment, at)) };
        let actions = &deployment.plan.steps.get(at)?.actions;
        let called = |action: &crate::deployments::plan::Action| {
            shown::action_name(action) == step || action.spec.id.as_str() == step
        };
        Some(Found::Action(deployment, at, actions.iter().position(called)?))
    }

    fn shown_app(&self, id: &PathId) -> Option<SpecNo> {
        self.records
            .known_number(id)
            .filter(|no| self.records.run(*no).is_some_and(|run| !run.shown.is_empty()))
    }

    /// The word that an element shows.
    pub(crate) fn word_of(&self, found: Found<'_>) -> &'static str {
        match found {
            Found::Apps => self.records.statuses.tally.plan(),
            Found::Group(name) => self.records.statuses.tally.phase(name).unwrap_or_default(),
            Found::App(no) => self.records.run(no).map_or("", |run| run.shown),
            Found::Deployment(deployment) => deployment.words.plan,
            Found::Step(deployment, at) => deployment.words.steps.get(at).map_or("", |words| words.step),
            Found::Action(deployment, at, index) => {
                let words = deployment.words.steps.get(at);
                words.and_then(|words| words.actions.get(index)).map_or("", |word| word.0)
            }
        }
    }

    /// Returns the word of an element, found by a path with slashes. An app's id is found as well.
    pub(crate) fn status_at(&self, element: &str) -> Option<&'static str> {
        let mut parts = element.splitn(3, '/');
        let (plan, phase, step) = (parts.next()?, parts.next(), parts.next());
        let found = self.find(plan, phase, step).or_else(|| {
            let id = element.strip_prefix(shown::APPS).unwrap_or(element);
            self.shown_app(&PathId::absolute(id.trim_start_matches('/'))).map(Found::App)
        })?;
        Some(self.word_of(found)).filter(|word| !word.is_empty())
    }
}
