//! The form of an instance's parameters: description, present value, and the effect of a change.

use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::Value;

use crate::instance::Instance;
use crate::package::model::{Parameter, ParamsFile};
use crate::version::Version;

/// The form as data: `groups` and `parameters`, each with the value by now, the default, whether it differs, the plan that a change
/// starts, and why a change would be refused.
pub fn form(instance: Option<&Instance>, version: &Version, file: Option<&ParamsFile>) -> Value {
    let mut groups: Vec<_> = file.map(|file| file.groups.iter().collect()).unwrap_or_default();
    planarium_kernel::sorted::sort_by(&mut groups, |a, b| a.priority.cmp(&b.priority));
    let groups = groups.into_iter().map(|group| {
        json!({ "name": group.name.value, "title": group.display_name, "description": group.description })
    });
    let parameters = version.parameters.iter().map(|parameter| {
        let described =
            file.and_then(|file| file.parameters.iter().find(|it| it.name.value == parameter.name.value));
        field(instance, version, parameter, described)
    });
    let (groups, parameters): (Vec<Value>, Vec<Value>) = (groups.collect(), parameters.collect());
    json!({ "groups": groups, "parameters": parameters })
}

fn field(
    instance: Option<&Instance>,
    version: &Version,
    parameter: &Parameter,
    described: Option<&Parameter>,
) -> Value {
    let name = parameter.name.value.as_str();
    let value = instance.and_then(|instance| instance.parameters.get(name));
    let current = value.or(parameter.default.as_ref());
    let plan = started_by(version, parameter);
    let refused = instance.and_then(|instance| refusal(instance, parameter, plan));
    let kind = if parameter.kind.is_empty() { "string" } else { parameter.kind.as_str() };
    json!({
        "name": name,
        "title": parameter.display_name,
        "description": parameter.description,
        "hint": (described.map_or("", |it| it.hint.as_str())),
        "group": (described.map_or("", |it| it.group.value.as_str())),
        "advanced": (described.is_some_and(|it| it.advanced)),
        "type": kind,
        "value": current,
        "default": (parameter.default),
        "changed": (value.is_some_and(|value| Some(value) != parameter.default.as_ref())),
        "required": (parameter.required),
        "immutable": (parameter.immutable),
        "allowed": (parameter.allowed),
        "trigger": (parameter.trigger.value),
        "plan": plan,
        "refused": refused,
    })
}

/// Returns the plan started by a change of a parameter; `None` if no plan exists.
pub fn started_by<'v>(version: &'v Version, parameter: &'v Parameter) -> Option<&'v str> {
    match parameter.trigger.value.as_str() {
        "" => version.first_plan(&["update", "deploy"]),
        trigger => version.plan(trigger).map(|plan| plan.name.value.as_str()),
    }
}

/// Why a change of a parameter alone would be refused now.
fn refusal(instance: &Instance, parameter: &Parameter, plan: Option<&str>) -> Option<Text> {
    let name = parameter.name.value.as_str();
    let running = &instance.execution.plan;
    if parameter.immutable {
        return Some(format!("parameter '{name}' is immutable").into());
    }
    let Some(plan) = plan else {
        return Some(match parameter.trigger.value.as_str() {
            "" => "couldn't find any plans that would be triggered by the update".into(),
            trigger => format!(
                "param {name} defined trigger plan {trigger}, but plan not defined in operatorversion"
            )
            .into(),
        });
    };
    if instance.deleting {
        return Some("the instance is being deleted".into());
    }
    (!running.is_empty() && **running != *plan).then(|| {
        format!(
            "plan '{running}' is scheduled (or running) and an update would trigger a different plan '{plan}'"
        )
        .into()
    })
}
