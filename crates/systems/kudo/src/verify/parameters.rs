//! Parameters: where they are used, and whether their defaults fit.

use planarium_source::suggest::did_you_mean;
use planarium_source::template::gotemplate::{ErrorKind, Template, Value, function_names, go_quote};
use planarium_source::{Span, suggest};
use serde_json::Value as Json;

use super::Finding;
use crate::codes;
use crate::package::Package;
use crate::package::model::{Operator, Parameter, ParamsFile, TaskKind};
use crate::package::params::decoded_fits_type;

/// The variables that every template has.
const IMPLICIT: [&str; 8] = [
    "OperatorName",
    "Name",
    "Namespace",
    "AppVersion",
    "OperatorVersion",
    "PlanName",
    "PhaseName",
    "StepName",
];

/// A parameter that a template mentions: the template's name, the parameter's, the place.
type Use<'p> = (&'p str, String, Span);

pub(super) fn verify(package: &Package, operator: &Operator, params: &ParamsFile, found: &mut Vec<Finding>) {
    let uses = uses(package);
    undefined(operator, params, &uses, found);
    unused(operator, params, &uses, found);
    immutable(params, found);
    enums(params, found);
    defaults(params, found);
    metadata(params, found);
    groups(params, found);
    variables(package, found);
}

fn uses(package: &Package) -> Vec<Use<'_>> {
    let mut uses = Vec::new();
    for (name, file) in &package.templates {
        for mention in file.parsed.iter().flat_map(Template::mentions) {
            if let [first, second, ..] = mention.path.as_slice()
                && &**first == "Params"
            {
                let span = Span::new(file.file, mention.start, mention.end);
                uses.push((name.as_str(), second.to_string(), span));
            }
        }
    }
    uses
}

fn undefined(operator: &Operator, params: &ParamsFile, uses: &[Use<'_>], found: &mut Vec<Finding>) {
    let known = || params.parameters.iter().map(|parameter| parameter.name.value.as_str());
    let help = |name: &str| did_you_mean(suggest(name, known()), || "add it to params.yaml");
    let mut told: Vec<(&str, &str)> = Vec::new();
    for (template, name, span) in uses {
        if known().any(|known| known == name) || told.contains(&(template, name.as_str())) {
            continue;
        }
        told.push((template, name));
        let text = format!("parameter {name:?} in template {template} is not defined");
        found.push(Finding::error(codes::NO_PARAMETER, *span, text, help(name)));
    }
    for task in operator.tasks.iter().filter(|task| task.is() == Some(TaskKind::Toggle)) {
        let name = &task.parameter.value;
        if !name.is_empty() && !known().any(|known| known == name) {
            let text = format!("parameter {name:?} in ToggleTask {} is not defined", task.name.value);
            found.push(Finding::error(codes::NO_PARAMETER, task.parameter.span, text, help(name)));
        }
    }
}

fn unused(operator: &Operator, params: &ParamsFile, uses: &[Use<'_>], found: &mut Vec<Finding>) {
    for parameter in &params.parameters {
        let name = &parameter.name.value;
        let toggles = operator.tasks.iter().filter(|task| task.is() == Some(TaskKind::Toggle));
        let used = uses.iter().any(|(_, used, _)| used == name)
            || toggles.into_iter().any(|task| task.parameter.value == *name);
        if !used && parameter.trigger.value.is_empty() {
            let text = format!("parameter {name:?} defined but not used.");
            let help = "use it in a template, or remove it";
            found.push(Finding::warning(codes::UNUSED_PARAMETER, parameter.name.span, text, help));
        }
    }
}

fn immutable(params: &ParamsFile, found: &mut Vec<Finding>) {
    for parameter in params.parameters.iter().filter(|it| it.immutable && it.given.is_none() && !it.required)
    {
        let name = &parameter.name.value;
        let text =
            format!("parameter {name:?} is immutable but is not marked as required or has a default value");
        let help = "give it a default, or make it required";
        found.push(Finding::error(codes::IMMUTABLE, parameter.name.span, text, help));
    }
}

fn enums(params: &ParamsFile, found: &mut Vec<Finding>) {
    for parameter in &params.parameters {
        let Some(values) = &parameter.enumeration else { continue };
        let (name, span) = (&parameter.name.value, parameter.name.span);
        if values.is_empty() {
            let text = format!("parameter {name:?} is an enum but has no allowed values");
            found.push(Finding::error(codes::BAD_ENUM, span, text, "list the allowed values"));
        }
        for value in values {
            if let Err(problem) = decoded_fits_type(&parameter.kind, value) {
                let text = format!("parameter {name:?} has an invalid enum value: {problem}");
                found.push(Finding::error(codes::BAD_ENUM, span, text, quotes_help(parameter)));
            }
        }
    }
}

/// Numbers of YAML are floats to the verifier, which only whole numbers in quotes get past.
fn quotes_help(parameter: &Parameter) -> String {
    if parameter.kind == "integer" {
        "write the number in quotes: the verifier takes a bare one for a float".to_owned()
    } else {
        format!("write a value of type {}", parameter.kind)
    }
}

fn defaults(params: &ParamsFile, found: &mut Vec<Finding>) {
    for parameter in &params.parameters {
        let Some(given) = &parameter.given else { continue };
        let name = &parameter.name.value;
        let invalid = format!("parameter {name:?} has an invalid default value");
        if let Err(problem) = decoded_fits_type(&parameter.kind, given) {
            let text = format!("{invalid}: {problem}");
            found.push(Finding::error(
                codes::BAD_DEFAULT,
                parameter.default_at,
                text,
                quotes_help(parameter),
            ));
            continue;
        }
        let Some(values) = &parameter.enumeration else { continue };
        if !values.iter().any(|value| value == given) {
            let allowed: Vec<String> =
                values.iter().map(|value| Value::from_json(value).to_string()).collect();
            let value = quoted(given);
            let allowed = allowed.join(" ");
            let text = format!("{invalid}: value is {value}, but only allowed values are [{allowed}]");
            let help = "use one of the allowed values";
            found.push(Finding::error(codes::BAD_DEFAULT, parameter.default_at, text, help));
        }
    }
}

/// A value as Go's `%q` writes it, which is for texts only.
fn quoted(value: &Json) -> String {
    match value {
        Json::String(text) => go_quote(text),
        Json::Bool(flag) => format!("%!q(bool={flag})"),
        Json::Null => "%!q(<nil>)".to_owned(),
        Json::Number(_) => format!("%!q(float64={})", Value::from_json(value)),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(quoted).collect();
            format!("[{}]", items.join(" "))
        }
        Json::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            planarium_kernel::sorted::sort_by(&mut fields, |a, b| a.0.cmp(b.0));
            let fields =
                fields.into_iter().map(|(key, value)| format!("{}:{}", go_quote(key), quoted(value)));
            format!("map[{}]", fields.collect::<Vec<_>>().join(" "))
        }
    }
}

fn metadata(params: &ParamsFile, found: &mut Vec<Finding>) {
    for parameter in &params.parameters {
        let name = &parameter.name.value;
        if parameter.group.value.contains('/') {
            let text = format!("parameter {name:?} has a group with invalid character '/'");
            found.push(Finding::error(codes::BAD_GROUP, parameter.group.span, text, "leave '/' out of it"));
        }
        if parameter.advanced && parameter.given.is_none() && parameter.required {
            let text = format!(
                "parameter {name:?} is marked as advanced, but also as required and has no default. An advanced parameter \
                 must either be optional or have a default value"
            );
            let help = "give it a default, or write 'required: false'";
            found.push(Finding::error(codes::BAD_ADVANCED, parameter.name.span, text, help));
        }
    }
}

fn groups(params: &ParamsFile, found: &mut Vec<Finding>) {
    let mut seen: Vec<&str> = Vec::new();
    for group in &params.groups {
        let name = group.name.value.as_str();
        if name.contains('/') {
            let text = format!("parameter group {name:?} contains invalid character '/'");
            found.push(Finding::error(codes::BAD_GROUP, group.name.span, text, "leave '/' out of it"));
        }
        if seen.contains(&name) {
            let text = format!("parameter group {name:?} is duplicated");
            found.push(Finding::error(codes::BAD_GROUP, group.name.span, text, "keep one of the two"));
        }
        seen.push(name);
    }
    for parameter in params.parameters.iter().filter(|parameter| !parameter.group.value.is_empty()) {
        let (name, group) = (&parameter.name.value, &parameter.group);
        if !seen.contains(&group.value.as_str()) {
            let text = format!(
                "parameter {name:?} has a group {:?} that is not defined in the group section",
                group.value
            );
            let help = did_you_mean(suggest(&group.value, seen.iter().copied()), || "add it under 'groups:'");
            found.push(Finding::error(codes::BAD_GROUP, group.span, text, help));
        }
    }
}

fn variables(package: &Package, found: &mut Vec<Finding>) {
    for (name, file) in &package.templates {
        match Template::parse(name, std::sync::Arc::clone(&file.text)) {
            Err(error) => {
                let text = format!("template file {name:?} reports the following error: {}", error.message);
                let span = Span::new(file.file, error.start, error.end);
                let (code, help) = if error.kind == ErrorKind::UnknownFunction {
                    let wanted = error.reason.split('"').nth(1).unwrap_or_default();
                    let help = did_you_mean(
                        suggest(wanted, function_names()),
                        || "KUDO has the functions of Go templates and of sprig 2.22",
                    );
                    (codes::NO_FUNCTION, help)
                } else {
                    (
                        codes::BAD_TEMPLATE,
                        "a task that uses this template ends its plan in FATAL_ERROR".to_owned(),
                    )
                };
                found.push(Finding::error(code, span, text, help));
            }
            Ok(template) => {
                let mut told: Vec<String> = Vec::new();
                for mention in template.mentions() {
                    let [only] = mention.path.as_slice() else { continue };
                    if IMPLICIT.contains(&&**only) || told.iter().any(|told| **told == **only) {
                        continue;
                    }
                    told.push(only.to_string());
                    let text = format!("template {name} defines an invalid implicit parameter {:?}", &**only);
                    let help = if matches!(&**only, "Params" | "Pipes") {
                        "the verifier does not know a name behind 'index'; the template works all the same"
                            .to_owned()
                    } else {
                        let near = suggest(only, IMPLICIT).map(|meant| format!(".{meant}"));
                        did_you_mean(near.as_deref(), || {
                            format!(
                                "parameters are written '.Params.{only}'; others are .{}",
                                IMPLICIT.join(", .")
                            )
                        })
                    };
                    let span = Span::new(file.file, mention.start, mention.end);
                    found.push(Finding::error(codes::BAD_VARIABLE, span, text, help));
                }
            }
        }
    }
}
