//! References by name: tasks in plans, plans in triggers, templates in tasks.

use super::{Finding, place};
use crate::codes;
use crate::package::Package;
use crate::package::model::{Operator, ParamsFile, TaskKind};
use planarium_source::suggest::did_you_mean;
use planarium_source::{Span, suggest};

pub(super) fn tasks(operator: &Operator, found: &mut Vec<Finding>) {
    let mut used: Vec<&str> = Vec::new();
    for plan in &operator.plans {
        for task in plan.phases.iter().flat_map(|phase| &phase.steps).flat_map(|step| &step.tasks) {
            used.push(&task.value);
            let known = || operator.tasks.iter().map(|task| task.name.value.as_str());
            if known().any(|name| name == task.value) {
                continue;
            }
            let text = format!("task {:?} in plan {:?} is not defined", task.value, plan.name.value);
            let help = match suggest(&task.value, known()) {
                Some(meant) => {
                    format!("did you mean '{meant}'? A plan that reaches this step ends in FATAL_ERROR")
                }
                None => "define the task; a plan that reaches this step ends in FATAL_ERROR".to_owned(),
            };
            found.push(Finding::error(codes::NO_TASK, task.span, text, help));
        }
    }
    for task in operator.tasks.iter().filter(|task| !used.contains(&task.name.value.as_str())) {
        let text = format!("task {:?} defined but not used", task.name.value);
        let help = "name it in a step of a plan, or remove it";
        found.push(Finding::warning(codes::UNUSED_TASK, place(&task.name, operator.at), text, help));
    }
}

pub(super) fn plans(operator: &Operator, params: &ParamsFile, found: &mut Vec<Finding>) {
    let known = || operator.plans.iter().map(|plan| plan.name.value.as_str());
    for parameter in params.parameters.iter().filter(|parameter| !parameter.trigger.value.is_empty()) {
        let trigger = &parameter.trigger;
        if known().any(|name| name == trigger.value) {
            continue;
        }
        let text =
            format!("plan {:?} used in parameter {:?} is not defined", trigger.value, parameter.name.value);
        let help = match suggest(&trigger.value, known()) {
            Some(meant) => format!("did you mean '{meant}'? A change of this parameter is denied"),
            None => "define the plan; until then a change of this parameter is denied".to_owned(),
        };
        found.push(Finding::error(codes::NO_PLAN, trigger.span, text, help));
    }
    if !known().any(|name| name == "deploy") {
        let text = "an operator is required to have 'deploy' plan";
        let help = "add a plan 'deploy'; without it no instance can be created";
        found.push(Finding::error(codes::NO_DEPLOY, operator.at, text, help));
    }
}

pub(super) fn templates(package: &Package, operator: &Operator, found: &mut Vec<Finding>) {
    let mut required: Vec<&str> = Vec::new();
    for task in &operator.tasks {
        for template in task.templates() {
            required.push(&template.value);
            if package.templates.contains_key(&template.value) {
                continue;
            }
            let text =
                format!("template {:?} required by {} but is not defined", template.value, task.name.value);
            let help =
                did_you_mean(suggest(&template.value, package.templates.keys().map(String::as_str)), || {
                    format!("add templates/{}", template.value)
                });
            let what = if task.is() == Some(TaskKind::Pipe) { task.name.span } else { template.span };
            found.push(Finding::error(codes::NO_TEMPLATE, place(template, what), text, help));
        }
    }
    for (name, file) in &package.templates {
        if *name == operator.namespace_manifest.value || required.contains(&name.as_str()) {
            continue;
        }
        let text = format!("template {name:?} is not referenced from any task");
        let help = "name it in a task, or remove the file";
        found.push(Finding::warning(codes::UNUSED_TEMPLATE, Span::at(file.file, 0), text, help));
    }
}
