//! Action steps: what they call and with which arguments.
//!
//! *Knows*: the two forms, plugin and script. *Must not know*: which plugins and scripts exist.

use super::{Cx, Places, scalar};
use crate::codes;
use crate::plan::{Action, Argument, Arguments, Call};
use crate::templates::Template;
use planarium_protocol::Text;
use planarium_source::yaml::{Kind, Node, Style};

/// Reads an action step.
pub(super) fn read(cx: &mut Cx<'_>, node: &Node, id: &str, places: &mut Places) -> Action {
    let present = |key: &str| node.entry(key).filter(|entry| !entry.value.is_null());
    for (place, key) in [
        (&mut places.plugin, "plugin"),
        (&mut places.action, "action"),
        (&mut places.exec, "exec"),
        (&mut places.arguments, "arguments"),
        (&mut places.selector, "selector"),
    ] {
        *place = node.get(key).map_or(places.head, |value| value.span);
    }
    let plugin = present("plugin").and_then(|entry| name(cx, &entry.value, "plugin", id));
    let action = present("action").and_then(|entry| name(cx, &entry.value, "action", id));
    let exec = present("exec");
    let call = match (plugin, action, exec) {
        (Some(plugin), action, exec) => {
            if let Some(exec) = exec {
                let text = format!("Step '{id}' calls a plugin: its exec is ignored");
                let help = "keep either plugin and action, or exec";
                cx.warn(codes::UNKNOWN_ATTRIBUTE, exec.key.span, text, help);
            }
            match action {
                Some(action) => Call::Plugin { plugin, action },
                None => {
                    nothing(cx, places, format!("Step '{id}' names the plugin '{plugin}' and no action"));
                    Call::Nothing
                }
            }
        }
        (None, action, Some(exec)) => {
            if let Some(entry) = present("action").filter(|_| action.is_some()) {
                let text = format!("Step '{id}' runs a script: its action is ignored");
                cx.warn(
                    codes::UNKNOWN_ATTRIBUTE,
                    entry.key.span,
                    text,
                    "keep either plugin and action, or exec",
                );
            }
            script(cx, &exec.value, id, places)
        }
        (None, Some(action), None) => {
            nothing(cx, places, format!("Step '{id}' names the action '{action}' and no plugin"));
            Call::Nothing
        }
        (None, None, None) => {
            nothing(cx, places, format!("Step '{id}' names neither a plugin nor a script"));
            Call::Nothing
        }
    };
    let selector = node.get("selector").filter(|value| !value.is_null()).and_then(|value| {
        let word = name(cx, value, "selector", id)?;
        if matches!(call, Call::Plugin { .. }) {
            let text = format!("The selector of step '{id}' belongs among the arguments of its plugin");
            let help = "write arguments: { selector: … }; here it is taken all the same";
            cx.warn(codes::ATTRIBUTE_TYPE, value.span, text, help);
        }
        Some(Template::parse(&word))
    });
    let is_script = matches!(call, Call::Line(_) | Call::Words(_));
    let arguments = arguments(cx, node.get("arguments"), id, is_script, places);
    Action { call, arguments, selector }
}

fn name(cx: &mut Cx<'_>, value: &Node, what: &str, id: &str) -> Option<Text> {
    let word = scalar::word(value).filter(|word| !word.is_empty());
    if word.is_none() {
        let text = format!("'{what}' of step '{id}' must be a name, but is {}", value.describe());
        cx.warn(codes::ATTRIBUTE_TYPE, value.span, text, "write a name; as it is, it is ignored");
    }
    word
}

fn nothing(cx: &mut Cx<'_>, places: &Places, text: String) {
    let help = "add plugin and action, or exec; as it is, the step fails when it is reached";
    cx.warn(codes::ACTION_FORM, places.head, text, help);
}

fn script(cx: &mut Cx<'_>, value: &Node, id: &str, places: &Places) -> Call {
    match &value.kind {
        Kind::Scalar(scalar) if !scalar.text.trim().is_empty() => Call::Line(Template::parse(&scalar.text)),
        Kind::Sequence(items) if !items.is_empty() => {
            let words = items.iter().map(|item| scalar::word(item).unwrap_or_else(|| "".into()));
            Call::Words(words.map(|word| Template::parse(&word)).collect())
        }
        Kind::Scalar(_) | Kind::Sequence(_) => {
            nothing(cx, places, format!("The exec of step '{id}' is empty"));
            Call::Nothing
        }
        Kind::Mapping(_) => {
            nothing(
                cx,
                places,
                format!("The exec of step '{id}' must be a text or a list, but is a mapping"),
            );
            Call::Nothing
        }
    }
}

fn arguments(
    cx: &mut Cx<'_>,
    value: Option<&Node>,
    id: &str,
    is_script: bool,
    places: &mut Places,
) -> Arguments {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Arguments::None };
    match &value.kind {
        Kind::Mapping(entries) => {
            let mut fields = Vec::with_capacity(entries.len());
            for entry in entries.iter() {
                let Some(name) = entry.key.as_str() else { continue };
                unquoted(cx, &entry.value, name, id);
                places.argument.push((name.into(), entry.value.span));
                fields.push((Text::from(name), argument(&entry.value)));
            }
            Arguments::Named(fields)
        }
        Kind::Sequence(items) if is_script => Arguments::Listed(items.iter().map(argument).collect()),
        Kind::Sequence(_) | Kind::Scalar(_) => {
            let text =
                format!("The arguments of step '{id}' must be a mapping, but are {}", value.describe());
            let help = "write names and values, such as { selector: new }; as they are, they are ignored";
            cx.warn(codes::ATTRIBUTE_TYPE, value.span, text, help);
            Arguments::None
        }
    }
}

/// `{{.name}}` without quotes is a mapping within a mapping, and never interpolated.
fn unquoted(cx: &mut Cx<'_>, value: &Node, name: &str, id: &str) {
    let is_one = value.as_mapping().is_some_and(
        |entries| matches!(entries, [only] if only.key.as_mapping().is_some() && only.value.is_null()),
    );
    if is_one {
        let text = format!("The argument '{name}' of step '{id}' has a template without quotes");
        let help = "put it in quotes, such as \"{{.vars.name}}\": without, YAML reads a mapping";
        cx.warn(codes::TEMPLATE, value.span, text, help);
    }
}

fn argument(value: &Node) -> Argument {
    match &value.kind {
        Kind::Sequence(items) => Argument::List(items.iter().map(argument).collect()),
        Kind::Mapping(entries) => {
            let fields = entries.iter().filter_map(|entry| {
                let name = entry.key.as_str()?;
                Some((Text::from(name), argument(&entry.value)))
            });
            Argument::Map(fields.collect())
        }
        Kind::Scalar(scalar) => {
            let data = value.to_json();
            // What has a template in it is a text, and so is what YAML takes for one.
            if scalar.style != Style::Plain || data.is_string() {
                Argument::Text(Template::parse(&scalar.text))
            } else {
                Argument::Data(data)
            }
        }
    }
}
