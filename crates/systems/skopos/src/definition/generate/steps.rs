//! Single steps of generated plans, with unused ids.
//!
//! *Knows*: attributes of steps, plugins of the environment, lifecycle steps. *Must not know*: the work for a
//! component.

use super::yaml::{Flow, Yaml, map, of_node, text};
use super::{flow, tag};
use crate::definition::env::Env;
use crate::definition::model::{Component, Hook, HookKind, Model};
use crate::plugins::PROBE_PLUGIN;
use planarium_ground::glob;
use planarium_kernel::SortedSet;
use planarium_protocol::Text;
use planarium_source::Span;
use planarium_source::yaml::Node;

/// Exits of a step, and whether it belongs to the recovery.
#[derive(Clone, Debug, Default)]
pub(super) struct Exits {
    pub(super) on_pass: Option<&'static str>,
    pub(super) on_fail: Option<String>,
    pub(super) cleanup: bool,
}

impl Exits {
    /// A forward step whose failure fails the chain.
    pub(super) fn fail() -> Self {
        Self { on_fail: Some("fail".to_owned()), ..Self::default() }
    }

    /// A forward step whose failure leads to a step.
    pub(super) fn to(step: &str) -> Self {
        Self { on_fail: Some(step.to_owned()), ..Self::default() }
    }

    /// A step inside a cleanup loop, or a cleanup step.
    pub(super) fn cleanup() -> Self {
        Self { cleanup: true, ..Self::default() }
    }

    /// Without anything said.
    pub(super) fn none() -> Self {
        Self::default()
    }
}

/// Writes steps.
pub(super) struct Writer<'a> {
    pub(super) model: &'a Model,
    pub(super) env: &'a Env,
    /// Instances are replaced pair by pair.
    pub(super) pairwise: bool,
    /// Position of each written lifecycle step.
    pub(super) places: Vec<(String, Span)>,
    used: SortedSet<String>,
}

impl<'a> Writer<'a> {
    /// A writer for a plan with these component steps.
    pub(super) fn new(
        model: &'a Model,
        env: &'a Env,
        pairwise: bool,
        components: impl Iterator<Item = &'a str>,
    ) -> Self {
        Self { model, env, pairwise, places: Vec::new(), used: components.map(str::to_owned).collect() }
    }

    /// An id that no step has.
    pub(super) fn id(&mut self, wanted: String) -> String {
        let mut id = wanted;
        while !self.used.insert(id.clone()) {
            id = format!("s-{id}");
        }
        id
    }

    pub(super) fn core(&self) -> &'a str {
        self.env.core_plugin.as_deref().unwrap_or("docker")
    }

    /// The balancers in front of a component, when the environment has a plugin for them.
    pub(super) fn balancers(&self, component: &str) -> Vec<(&'a str, &'a str)> {
        let Some(plugin) = self.env.balancer_plugin.as_deref().filter(|_| !self.env.balancer_auto) else {
            return Vec::new();
        };
        let in_front = |gateway: &&crate::definition::model::Gateway| {
            gateway.is_balancer() && gateway.targets.iter().any(|target| &**target == component)
        };
        self.model.gateways.iter().filter(in_front).map(|gateway| (plugin, &*gateway.name)).collect()
    }

    /// The plugin that registers instances, when they do not register themselves.
    pub(super) fn discovery(&self) -> Option<&'a str> {
        self.env.discovery_plugin.as_deref().filter(|_| !self.env.discovery_auto)
    }

    /// The checks of a component: its own and those of the environment for its image.
    pub(super) fn gates(&self, component: &'a Component) -> Vec<&'a Hook> {
        let image = component.image.as_deref().unwrap_or_default();
        let own = component.hooks.quality_probe.iter();
        let meant = self
            .env
            .gates
            .iter()
            .filter(|gate| gate.images.iter().any(|pattern| image_matches(pattern, image)));
        own.chain(meant.flat_map(|gate| &gate.steps)).collect()
    }

    /// A call of a plugin.
    #[expect(
        clippy::unused_self,
        reason = "all kinds of steps are written through the writer, also those that need no model"
    )]
    pub(super) fn call(
        &self,
        id: &str,
        label: &str,
        (plugin, action): (&str, &str),
        arguments: &[(&str, &str)],
        exits: &Exits,
    ) -> Yaml {
        let mut fields = head(id, label, "action");
        fields.extend([("plugin", text(plugin)), ("action", text(action))]);
        if !arguments.is_empty() {
            fields.push(("arguments", flow(arguments)));
        }
        finish(fields, exits)
    }

    /// A loop with its steps. `over` is old, new or target, or a number of iterations.
    #[expect(
        clippy::unused_self,
        reason = "all kinds of steps are written through the writer, also those that need no model"
    )]
    pub(super) fn instance_loop(
        &self,
        id: &str,
        label: &str,
        (over, start_index): (&str, u64),
        steps: Vec<Yaml>,
        exits: &Exits,
    ) -> Yaml {
        let mut fields = head(id, label, "instance-loop");
        if over.starts_with(|c: char| c.is_ascii_digit()) {
            fields.push(("target_num", Yaml::Plain(over.to_owned())));
        } else {
            fields.push(("selector", text(over)));
        }
        if start_index > 0 {
            fields.push(("start_index", Yaml::Plain(start_index.to_string())));
        }
        fields.push(("steps", Yaml::Steps(steps)));
        finish(fields, exits)
    }

    /// A lifecycle step. `selector` is given to what works on an instance.
    pub(super) fn hook(&mut self, id: &str, hook: &Hook, selector: Option<&str>, exits: &Exits) -> Yaml {
        self.places.push((id.to_owned(), hook.span));
        let selected = |arguments: Option<&Node>| {
            let mut fields: Vec<(String, Flow)> = match arguments.map(of_node) {
                Some(Flow::Map(fields)) => fields,
                _ => Vec::new(),
            };
            if let Some(selector) = selector.filter(|_| !fields.iter().any(|(key, _)| key == "selector")) {
                fields.insert(0, ("selector".to_owned(), Flow::Text(selector.to_owned())));
            }
            fields
        };
        let given = |fields: Vec<(String, Flow)>| {
            (!fields.is_empty()).then_some(("arguments", Yaml::Flow(Flow::Map(fields))))
        };
        let label = hook.label.as_deref().unwrap_or_default();
        match &hook.does {
            HookKind::Exec(command) => {
                let mut fields = head(id, label, "action");
                fields.push(("exec", Yaml::Flow(of_node(command))));
                fields.extend(given(selected(None)));
                finish(fields, exits)
            }
            HookKind::Call { plugin, action, arguments } => {
                let mut fields = head(id, label, "action");
                fields.extend([("plugin", text(&**plugin)), ("action", text(&**action))]);
                let needs = crate::plugins::find(plugin, action).is_none_or(|spec| spec.op.needs_instance());
                let plain = || match arguments.as_ref().map(of_node) {
                    Some(Flow::Map(fields)) => fields,
                    _ => Vec::new(),
                };
                fields.extend(given(if needs { selected(arguments.as_ref()) } else { plain() }));
                finish(fields, exits)
            }
            HookKind::Gate(message) => {
                let mut fields = head(id, label, "manual-gate");
                if !message.is_empty() {
                    fields.push(("message", text(&**message)));
                }
                finish(fields, exits)
            }
            HookKind::Delay(seconds) => {
                let mut fields = head(id, label, "delay");
                fields.push(("duration", Yaml::Plain(seconds.to_string())));
                finish(fields, exits)
            }
            HookKind::Probe { image, action, arguments } => {
                let mut fields = head(id, label, "action");
                fields.extend([("plugin", text(PROBE_PLUGIN)), ("action", text(&**action))]);
                let mut given = selected(arguments.as_ref());
                given.insert(0, ("image".to_owned(), Flow::Text(image.to_string())));
                fields.push(("arguments", Yaml::Flow(Flow::Map(given))));
                finish(fields, exits)
            }
        }
    }

    /// The checks before anything is changed.
    pub(super) fn preflight(&mut self, images: impl Iterator<Item = &'a str>) -> Option<Yaml> {
        let group = self.id("preflight".to_owned());
        let mut seen: Vec<&str> = Vec::new();
        let mut steps = Vec::new();
        let (core, lifecycle) = (self.core(), &self.model.lifecycle);
        for image in images.filter(|_| !lifecycle.skip_image_checks) {
            if seen.contains(&image) {
                continue;
            }
            seen.push(image);
            let id = self.id(format!("pre-{}", seen.len().saturating_mul(10)));
            let label = format!("Check image {image} exists");
            steps.push(self.call(&id, &label, (core, "image_check"), &[("arg", image)], &Exits::fail()));
        }
        let checks = steps.len();
        for (at, hook) in lifecycle.pre_flight.iter().enumerate() {
            let number = checks.saturating_add(at).saturating_add(1).saturating_mul(10);
            let id = self.id(format!("pre-{number}"));
            steps.push(self.hook(&id, hook, None, &Exits::fail()));
        }
        (!steps.is_empty()).then(|| composite(&group, "group", Vec::new(), steps))
    }

    /// A group of lifecycle steps.
    pub(super) fn group(&mut self, id: &str, prefix: &str, hooks: &[Hook]) -> Option<Yaml> {
        if hooks.is_empty() {
            return None;
        }
        let group = self.id(id.to_owned());
        let mut steps = Vec::new();
        for (at, hook) in hooks.iter().enumerate() {
            let id = self.id(format!("{prefix}-{}", at.saturating_add(1).saturating_mul(10)));
            steps.push(self.hook(&id, hook, None, &Exits::fail()));
        }
        Some(composite(&group, "group", Vec::new(), steps))
    }
}

/// A top-level step whose failure fails the plan.
pub(super) fn composite(id: &str, class: &str, own: Vec<(&'static str, Yaml)>, steps: Vec<Yaml>) -> Yaml {
    let mut fields = vec![("id", text(id)), ("class", text(class))];
    fields.extend(own);
    fields.extend([("steps", Yaml::Steps(steps)), ("on_fail", text("fail"))]);
    map(fields)
}

fn head<'s>(id: &str, label: &str, class: &str) -> Vec<(&'s str, Yaml)> {
    let mut fields = vec![("id", text(id))];
    if !label.is_empty() {
        fields.push(("label", text(label)));
    }
    fields.push(("class", text(class)));
    fields
}

fn finish(mut fields: Vec<(&str, Yaml)>, exits: &Exits) -> Yaml {
    if exits.cleanup {
        fields.push(("cleanup", Yaml::Plain("true".to_owned())));
    }
    if let Some(on_pass) = exits.on_pass {
        fields.push(("on_pass", text(on_pass)));
    }
    if let Some(on_fail) = &exits.on_fail {
        fields.push(("on_fail", text(on_fail)));
    }
    map(fields)
}

/// Returns whether a pattern of a quality gate means an image: with `*` anywhere, and without a version any version.
fn image_matches(pattern: &Text, image: &str) -> bool {
    glob(pattern, image) || (!pattern.contains(':') && tag(image) == "latest" && &**pattern == image)
}
