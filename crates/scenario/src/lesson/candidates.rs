//! Commands that a learner could give now: the view's actions and the inputs of the lesson's own routes.
//!
//! Knows: where a view has its actions. Must not know: which command is best.

use super::commands::covers;
use super::model::{Lesson, Route};
use crate::model::Action;
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{ActionView, View};

/// The commands with their titles, each once.
pub fn candidates(lesson: &Lesson, view: &View) -> Vec<(String, Input)> {
    let mut list = List { lesson, found: Vec::new() };
    for service in &view.services {
        for plan in &service.plans {
            let path = service.path(&plan.name);
            list.of_element(&plan.actions, &path);
            for phase in &plan.phases {
                let path = ElementPath { phase: Some(phase.name.clone()), ..path.clone() };
                list.of_element(&phase.actions, &path);
                for step in &phase.steps {
                    let path = ElementPath { step: Some(step.key().clone()), ..path.clone() };
                    list.of_element(&step.actions, &path);
                }
            }
        }
        for pod in &service.pods {
            for action in pod.actions.iter() {
                list.add(action, &pod.name, action.on_pod(&service.dialect, &service.name, &pod.name));
            }
        }
    }
    for machine in &view.cluster.machines {
        for action in &machine.actions {
            list.add(action, &machine.hostname, action.input.clone());
        }
        for task in &machine.tasks {
            for action in &task.actions {
                list.add(action, &task.name, action.input.clone());
            }
        }
    }
    for fault in &view.faults {
        for action in &fault.actions {
            list.add(action, &fault.id, action.input.clone());
        }
    }
    for input in inputs(lesson) {
        list.push(title(input), input.clone());
    }
    list.found
}

/// Describes an input. Updates of one service differ by their changes.
fn title(input: &Input) -> String {
    let mut title = crate::describe::input(input);
    if let Input::LoadService(load) | Input::UpdateService(load) = input {
        let env = load.env.iter().map(|(name, value)| format!(" {name}={value}"));
        let params = load.params.iter().map(|(name, value)| format!(" {name}={value}"));
        title.extend(env.chain(params));
    }
    title
}

/// Every input of the lesson's routes.
fn inputs(lesson: &Lesson) -> impl Iterator<Item = &Input> {
    lesson.routes().flat_map(inputs_of)
}

/// Every input of a route.
fn inputs_of(route: &Route) -> impl Iterator<Item = &Input> {
    route.iter().flat_map(|entry| &entry.actions).filter_map(|action| match action {
        Action::Do(input) => Some(&**input),
        _ => None,
    })
}

struct List<'l> {
    lesson: &'l Lesson,
    found: Vec<(String, Input)>,
}

impl List<'_> {
    fn of_element(&mut self, actions: &[ActionView], path: &ElementPath) {
        let names = [Some(&path.plan), path.phase.as_ref(), path.step.as_ref()];
        let names: Vec<&str> = names.into_iter().flatten().map(AsRef::as_ref).collect();
        for action in actions {
            self.add(action, &names.join("/"), action.at(path));
        }
    }

    fn add(&mut self, action: &ActionView, of: &str, input: Input) {
        if action.refused.is_none() && !action.asks {
            self.push(format!("{} {of}", action.title), input);
        }
    }

    fn push(&mut self, title: String, input: Input) {
        if !self.lesson.allowed.iter().any(|allowed| covers(allowed, &input)) {
            return;
        }
        match self.found.iter_mut().find(|(_, known)| *known == input) {
            // Of several titles of one input, use the shortest.
            Some((known, _)) if title.len() < known.len() => *known = title,
            Some(_) => {}
            None => self.found.push((title, input)),
        }
    }
}
