//! Paths of elements of a view.

use crate::statuses::ClassOf;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{PlanView, ServiceView, StatusClass};
use planarium_protocol::{Text, View};

/// The path of a service.
pub fn service_path(service: &ServiceView) -> ElementPath {
    service.path(&"".into())
}

/// The path of a plan.
pub fn plan_path(service: &ServiceView, plan: &PlanView) -> ElementPath {
    service.path(&plan.name)
}

/// Returns a key of the service: its name is unique within its dialect only.
pub fn service_key(path: &ElementPath) -> String {
    format!("{}:{}", path.dialect, path.service)
}

/// Usual name of the plan that brings a service up.
const DEPLOY: &str = "deploy";

/// Returns the index of a service's main plan: the one called `deploy`, otherwise the first. Some systems list plans by
/// name, so a plan that never runs may come first.
pub fn main_plan(service: &ServiceView) -> usize {
    service.plans.iter().position(|plan| &*plan.name == DEPLOY).unwrap_or(0)
}

/// The plan to show first: the main plan of the first service.
pub fn first_plan(view: &View) -> Option<ElementPath> {
    let service = view.services.first()?;
    service.plans.get(main_plan(service)).map(|plan| plan_path(service, plan))
}

/// Finds the element named as in documents: `PLAN`, `PLAN/PHASE`, `PLAN/PHASE/STEP`, optionally with the service in front. The
/// first match wins.
pub fn named(view: &View, names: &str) -> Option<ElementPath> {
    let below = |text: &str, name: &str| {
        let rest = text.strip_prefix(name)?;
        if rest.is_empty() { Some(None) } else { rest.strip_prefix('/').map(|rest| Some(rest.to_owned())) }
    };
    let element = |service: &ServiceView, text: &str| {
        service.plans.iter().find_map(|plan| {
            let path = plan_path(service, plan);
            let Some(rest) = below(text, &plan.name)? else { return Some(path) };
            plan.phases.iter().find_map(|phase| {
                let path = ElementPath { phase: Some(phase.name.clone()), ..path.clone() };
                let Some(rest) = below(&rest, &phase.name)? else { return Some(path) };
                let step = phase.steps.iter().find(|step| *step.name == *rest)?;
                Some(ElementPath { step: Some(step.key().clone()), ..path })
            })
        })
    };
    let names = names.trim_matches('/');
    view.services.iter().find_map(|service| element(service, names)).or_else(|| {
        view.services.iter().find_map(|service| {
            let rest = below(names, service.name.trim_matches('/'))??;
            element(service, &rest)
        })
    })
}

/// The last part of a path.
pub fn leaf(path: &ElementPath) -> &Text {
    path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan)
}

/// Returns the plans that have begun, or begin by themselves, and are not done. A failed plan is one of them; one that was ended
/// on purpose is not, nor one that nobody started.
pub fn unfinished(view: &View, class_of: ClassOf) -> impl Iterator<Item = ElementPath> {
    view.services.iter().flat_map(move |service| {
        let open = service.plans.iter().filter(move |plan| {
            let class = class_of(&service.dialect, &plan.status);
            let asleep = class == StatusClass::Unused
                || plan.custom && class.is_asleep() && !has_begun(service, plan, class_of);
            let done = plan.progress.done >= plan.progress.total;
            match class {
                StatusClass::Done | StatusClass::Stopped => false,
                StatusClass::Failed => true,
                _ => !asleep && !done,
            }
        });
        open.map(|plan| plan_path(service, plan))
    })
}

/// Returns whether a step of a plan was worked on, or waits for a person.
fn has_begun(service: &ServiceView, plan: &PlanView, class_of: ClassOf) -> bool {
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    plan.progress.done > 0
        || steps
            .map(|step| class_of(&service.dialect, &step.status))
            .any(|class| !matches!(class, StatusClass::Pending | StatusClass::Unused))
}
