//! Binds a call: replaces names, finds the plugin or script, selects the instance.
//!
//! *Knows*: what is determined before a call. *Must not know*: what the call does.

use super::Site;
use crate::definition::env::Script;
use crate::instances::{ComponentId, Group, Slot};
use crate::plan::{Action, Argument, Arguments, Call, ChainKind, Step};
use crate::plugins::{self, ActionSpec};
use crate::templates::values::{Scope, Seen};
use planarium_protocol::Text;
use serde_json::Value;
use std::fmt::Write as _;

/// A call that can be made.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) callee: Callee,
    /// Arguments by name, without the selector.
    pub(crate) arguments: Vec<(Text, Value)>,
    pub(crate) component: Option<ComponentId>,
    pub(crate) selector: Option<Group>,
    /// The slot that the selector means.
    pub(crate) slot: Option<Slot>,
    /// The slot of the enclosing loop; 0 in a component chain.
    pub(crate) index: Option<u64>,
    /// The call with its names replaced, where there are any.
    pub(crate) line: Option<Text>,
}

/// Targets of a call.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// An action of a plugin that comes with Skopos.
    Plugin { plugin: Text, action: Text, spec: ActionSpec },
    /// An action of a plugin of the user's.
    Own { plugin: Text, action: Text, script: Script },
    /// A script.
    Script { name: Text, script: Script },
}

impl Callee {
    /// The call in two words.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Plugin { plugin, action, .. } | Self::Own { plugin, action, .. } => {
                format!("{plugin} {action}")
            }
            Self::Script { name, .. } => name.to_string(),
        }
    }
}

impl Bound {
    /// An argument as text.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let (_, value) = self.arguments.iter().rev().find(|(own, _)| &**own == name)?;
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
            Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        }
    }

    /// An argument in seconds. *Units* of the answer: milliseconds.
    pub(crate) fn seconds(&self, name: &str) -> Option<u64> {
        let ms = planarium_source::yaml::decimal_to_thousandths(self.text(name)?.trim())?;
        u64::try_from(ms).ok()
    }
}

/// Puts a call together.
///
/// *Errors*: why it cannot be made.
pub(crate) fn bind(site: &Site<'_>, step: &Step, action: &Action) -> Result<Bound, String> {
    let (blueprint, definition) = (site.blueprint, &*site.blueprint.definition);
    let chain = site.plan.chain(step.chain);
    let component = blueprint.component_of(step.chain);
    let in_loop = chain.is_some_and(|chain| chain.kind == ChainKind::Loop);
    let index = if in_loop { site.index } else { component.map(|_| 0) };
    let name = chain.and_then(|chain| chain.component.as_deref());
    let model = definition.model.as_deref();
    let image = name.and_then(|name| model?.component(name)?.image.as_deref());
    let mut scope = Scope {
        project: &definition.project,
        vars: &definition.env.vars,
        model: model.map(|model| &model.root),
        component: name,
        image,
        index: index.filter(|_| in_loop),
        selected: None,
        new: None,
        old: None,
    };
    let selector = selector_of(&scope, action)?;
    let slot = match (selector, component, index) {
        (Some(group), Some(component), Some(index)) => Some(Slot { component, group, index }),
        _ => None,
    };
    let has_names = !action.is_plain();
    if component.is_some() && has_names {
        let seen = |group| {
            let slot = Slot { component: component?, group, index: index? };
            let instance = site.instances.get(slot)?;
            Some(Seen { id: instance.id.clone(), ip: instance.ip.clone() })
        };
        scope.new = seen(Group::New);
        scope.old = seen(Group::Old);
        scope.selected = selector.map(|group| seen(group).ok_or(group.word()));
    }
    let mut arguments = Vec::new();
    let mut listed = Vec::new();
    match &action.arguments {
        Arguments::None => {}
        Arguments::Named(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| &**name != "selector") {
                arguments.push((name.clone(), value_of(&scope, value)?));
            }
        }
        Arguments::Listed(items) => {
            for item in items {
                listed.push(value_of(&scope, item)?);
            }
        }
    }
    let callee = callee_of(site, &scope, action)?;
    let (callee, mut words) = callee;
    words.extend(listed.iter().map(planarium_protocol::json::bare));
    let line = has_names.then(|| line(&callee, &words, &arguments));
    if let Callee::Plugin { spec, .. } = &callee {
        for (name, _) in &mut arguments {
            if spec.canonical(name) != &**name {
                *name = spec.canonical(name).into();
            }
        }
    }
    if let Callee::Plugin { spec, .. } = &callee
        && spec.op.needs_instance()
    {
        check_instance(site, &callee, spec, component, selector, slot)?;
    }
    if let Callee::Plugin { spec, .. } = &callee {
        check_component(site, &callee, spec, component, slot)?;
    }
    Ok(Bound { callee, arguments, component, selector, slot, index, line })
}

fn selector_of(scope: &Scope<'_>, action: &Action) -> Result<Option<Group>, String> {
    let template = match action.argument("selector") {
        Some(Argument::Text(template)) => Some(template),
        Some(_) => return Err("the selector must be new or old".to_owned()),
        None => action.selector.as_ref(),
    };
    let Some(template) = template else { return Ok(None) };
    match scope.text(template)?.as_str() {
        "new" => Ok(Some(Group::New)),
        "old" => Ok(Some(Group::Old)),
        other => Err(format!("the selector must be new or old, not '{other}'")),
    }
}

fn callee_of(site: &Site<'_>, scope: &Scope<'_>, action: &Action) -> Result<(Callee, Vec<String>), String> {
    let env = &site.blueprint.definition.env.simulation;
    match &action.call {
        Call::Nothing => Err("the step names neither a script nor a plugin with an action".to_owned()),
        Call::Plugin { plugin, action } => {
            let (plugin, action) = (plugin.clone(), action.clone());
            if let Some(own) = env.plugins.get(&plugin) {
                let script = own.actions.get(&action).cloned();
                let script =
                    script.ok_or_else(|| format!("the plugin '{plugin}' has no action '{action}'"))?;
                return Ok((Callee::Own { plugin, action, script }, Vec::new()));
            }
            if !plugins::exists(&plugin) {
                return Err(format!("there is no plugin '{plugin}'"));
            }
            let spec = plugins::find(&plugin, &action);
            let spec = spec.ok_or_else(|| format!("the plugin '{plugin}' has no action '{action}'"))?;
            Ok((Callee::Plugin { plugin, action, spec }, Vec::new()))
        }
        Call::Line(line) => script_of(site, crate::command_line::split(&scope.text(line)?)),
        Call::Words(words) => {
            let words: Result<Vec<String>, String> = words.iter().map(|word| scope.text(word)).collect();
            script_of(site, words?)
        }
    }
}

fn script_of(site: &Site<'_>, words: Vec<String>) -> Result<(Callee, Vec<String>), String> {
    let Some(name) = words.first().filter(|name| !name.is_empty()) else {
        return Err("the command is empty".to_owned());
    };
    let own = site.blueprint.definition.env.simulation.scripts.get(name.as_str()).cloned();
    let script =
        own.or_else(|| site.blueprint.definition.scripts.contains_key(name.as_str()).then(Script::passing));
    let script = script.ok_or_else(|| format!("there is no script '{name}'"))?;
    let name: Text = name.as_str().into();
    Ok((Callee::Script { name, script }, words))
}

fn check_instance(
    site: &Site<'_>,
    callee: &Callee,
    spec: &ActionSpec,
    component: Option<ComponentId>,
    selector: Option<Group>,
    slot: Option<Slot>,
) -> Result<(), String> {
    let name = callee.name();
    if component.is_none() {
        return Err(format!("{name} works on an instance, and there is no component around this step"));
    }
    let Some(group) = selector else {
        return Err(format!("{name} needs a selector: new or old"));
    };
    let creates = spec.op == plugins::Op::Create;
    if creates && group == Group::Old {
        return Err(format!("{name} makes new instances: its selector must be new"));
    }
    if let Some(slot) = slot.filter(|_| !creates)
        && site.instances.get(slot).is_none()
    {
        let component = site.blueprint.component_name(slot.component);
        return Err(format!("there is no {} instance {} of {component}", group.word(), slot.index));
    }
    Ok(())
}

/// Checks the component: calls on all instances need one, and a probe needs an instance.
fn check_component(
    site: &Site<'_>,
    callee: &Callee,
    spec: &ActionSpec,
    component: Option<ComponentId>,
    slot: Option<Slot>,
) -> Result<(), String> {
    if spec.op.needs_component() && component.is_none() {
        let name = callee.name();
        return Err(format!(
            "{name} works on the instances of a component, and there is none around this step"
        ));
    }
    match slot.filter(|slot| spec.op == plugins::Op::Probe && site.instances.get(*slot).is_none()) {
        Some(slot) => {
            let component = site.blueprint.component_name(slot.component);
            Err(format!("there is no {} instance {} of {component}", slot.group.word(), slot.index))
        }
        None => Ok(()),
    }
}

fn value_of(scope: &Scope<'_>, argument: &Argument) -> Result<Value, String> {
    Ok(match argument {
        Argument::Text(template) => Value::String(scope.text(template)?),
        Argument::Data(data) => data.clone(),
        Argument::List(items) => {
            let items: Result<Vec<Value>, String> = items.iter().map(|item| value_of(scope, item)).collect();
            Value::Array(items?)
        }
        Argument::Map(fields) => {
            let mut map = serde_json::Map::new();
            for (name, value) in fields {
                map.insert(name.to_string(), value_of(scope, value)?);
            }
            Value::Object(map)
        }
    })
}

/// A call on one line.
fn line(callee: &Callee, words: &[String], arguments: &[(Text, Value)]) -> Text {
    let mut line = match callee {
        Callee::Script { .. } => words.join(" "),
        Callee::Plugin { .. } | Callee::Own { .. } => callee.name(),
    };
    for (name, value) in arguments {
        let value = planarium_protocol::json::bare(value);
        let _ = write!(line, " {name}={value}");
    }
    line.into()
}
