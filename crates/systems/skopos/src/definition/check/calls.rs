//! Plugins, actions, scripts and arguments that do not exist.
//!
//! *Knows*: the simulated plugins and those of the environment. *Must not know*: variables.
//!
//! **Source**: Skopos Deployment Plan Reference, "Plan Errors": none of this is verified before a plan starts. The step
//! fails when it is reached.

use crate::codes;
use crate::definition::decode::{Cx, Decoded, Places};
use crate::definition::env::Env;
use crate::definition::nearest::nearest;
use crate::plan::{Action, Argument, Arguments, Call, Class};
use crate::plugins;
use crate::templates::Template;
use planarium_source::Span;
use planarium_source::suggest::did_you_mean;

/// Checks every call.
pub(super) fn run(cx: &mut Cx<'_>, decoded: &Decoded, env: &Env, scripts: &[&str]) {
    for ((_, step), places) in decoded.plan.steps().zip(&decoded.places) {
        let Class::Action(action) = &step.class else { continue };
        match &action.call {
            Call::Plugin { plugin, action: name } => call(cx, env, places, action, plugin, name, &step.id),
            Call::Line(line) => script(cx, env, scripts, places, first_word(line), &step.id),
            Call::Words(words) => {
                let first = words.first().filter(|word| word.is_plain()).map(|word| word.written.to_string());
                script(cx, env, scripts, places, first, &step.id);
            }
            Call::Nothing => {}
        }
        if let Arguments::Named(fields) = &action.arguments {
            for (name, value) in fields {
                dollar(cx, value, place(places, name), &step.id);
            }
        }
    }
}

fn place(places: &Places, argument: &str) -> Span {
    let own = places.argument.iter().find(|(name, _)| &**name == argument);
    own.map_or(places.arguments, |(_, span)| *span)
}

fn call(cx: &mut Cx<'_>, env: &Env, places: &Places, action: &Action, plugin: &str, name: &str, id: &str) {
    let fails = "as it is, the step fails when it is reached";
    if let Some(own) = env.simulation.plugins.get(plugin) {
        if !own.actions.contains_key(name) {
            let text = format!("The plugin '{plugin}' of step '{id}' has no action '{name}'");
            let names: Vec<&str> = own.actions.keys().map(|name| &**name).collect();
            let help = did_you_mean(nearest(name, &names), || {
                format!("declare it among the plugin's actions; {fails}")
            });
            cx.warn(codes::ACTION_UNKNOWN, places.action, text, help);
        }
        return;
    }
    if !plugins::exists(plugin) {
        let text = format!("The plugin '{plugin}' of step '{id}' does not exist");
        let names: Vec<&str> =
            plugins::PLUGINS.into_iter().chain(env.simulation.plugins.keys().map(|name| &**name)).collect();
        let declare = format!("declare it in the environment (simulation: plugins: {plugin}: …); {fails}");
        let help = match nearest(plugin, &names) {
            Some(meant) => format!("did you mean '{meant}'? If it is one of your own, {declare}"),
            None => declare,
        };
        cx.warn(codes::PLUGIN_UNKNOWN, places.plugin, text, help);
        return;
    }
    let Some(spec) = plugins::find(plugin, name) else {
        let text = format!("The plugin '{plugin}' of step '{id}' has no action '{name}'");
        let names = plugins::actions(plugin);
        let help =
            did_you_mean(nearest(name, &names), || format!("its actions are {}; {fails}", names.join(", ")));
        cx.warn(codes::ACTION_UNKNOWN, places.action, text, help);
        return;
    };
    if let Arguments::Named(fields) = &action.arguments {
        for (argument, _) in fields.iter().filter(|(argument, _)| !spec.takes(argument)) {
            let text = format!("'{plugin} {name}' of step '{id}' takes no argument '{argument}'");
            let names: Vec<&str> =
                spec.required.iter().chain(spec.optional).copied().chain(["selector"]).collect();
            let help = did_you_mean(nearest(argument, &names), || "remove it; it is ignored");
            cx.warn(codes::ARGUMENT_UNKNOWN, place(places, argument), text, help);
        }
    }
    let selector = spec.op.needs_instance().then_some("selector");
    for required in spec.required.iter().copied().chain(selector) {
        let given = match required {
            "selector" => action.effective_selector().is_some(),
            _ => match &action.arguments {
                Arguments::Named(fields) => fields.iter().any(|(own, _)| spec.canonical(own) == required),
                Arguments::None | Arguments::Listed(_) => false,
            },
        };
        if !given {
            let text = format!("'{plugin} {name}' of step '{id}' lacks the argument '{required}'");
            let help = if required == "selector" {
                format!("add 'selector: new' or 'selector: old'; {fails}")
            } else {
                format!("add it; {fails}")
            };
            cx.warn(codes::ARGUMENT_MISSING, places.action, text, help);
        }
    }
}

/// The script of a command line, where no variable names it.
fn first_word(line: &Template) -> Option<String> {
    let words = crate::command_line::split(&line.written);
    words.into_iter().next().filter(|word| !word.contains("{{"))
}

fn script(cx: &mut Cx<'_>, env: &Env, scripts: &[&str], places: &Places, name: Option<String>, id: &str) {
    let Some(name) = name else { return };
    if env.simulation.scripts.contains_key(name.as_str()) || scripts.contains(&name.as_str()) {
        return;
    }
    let text = format!("The script '{name}' of step '{id}' does not exist");
    let names: Vec<&str> =
        env.simulation.scripts.keys().map(|own| &**own).chain(scripts.iter().copied()).collect();
    let help = did_you_mean(nearest(&name, &names), || {
        format!(
            "add it to the environment (simulation: scripts: {name}: {{ exit: 0 }}); as it is, the step fails \
             when it is reached"
        )
    });
    cx.warn(codes::SCRIPT_UNKNOWN, places.exec, text, help);
}

/// `${name}` is the models' form.
fn dollar(cx: &mut Cx<'_>, value: &Argument, span: Span, id: &str) {
    let mut templates = Vec::new();
    value.templates(&mut templates);
    let Some(template) = templates.iter().find(|template| template.written.contains("${")) else { return };
    let text = format!("Step '{id}' has '{}': in plans '${{…}}' is not replaced", template.written);
    cx.info(codes::DOLLAR, span, text, "write {{.vars.NAME}} in quotes");
}
