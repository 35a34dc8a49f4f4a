//! Models: components, gateways, lifecycle steps.
//!
//! *Knows*: what plan generation and plugins need of a model. *Must not know*: environments, plans, running
//! instances.
//!
//! **Source**: models of `opsani/skopos-sample-{app,gates,dynamic,jenkins,on-change}`, `datagridsys/skopos-sample-galera`,
//! `opsani/skopos-plugin-swarm-exec`; Skopos model reference. Simplified: ports, volumes, environment variables and plugin
//! settings of a component are kept for `.Model` and have no effect.

use crate::codes;
use crate::definition::decode::{MODEL_DOCTYPE, word};
use crate::definition::nearest::{nearest, report_unknown};
use planarium_kernel::Limits;
use planarium_protocol::Text;
use planarium_source::suggest::did_you_mean;
use planarium_source::yaml::{Entry, Node};
use planarium_source::{Diagnostic, Diagnostics, Span};

/// A model.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// Its whole text as a tree, for names that begin with `.Model`.
    pub(crate) root: Node,
    /// Components in the order of the text.
    pub(crate) components: Vec<Component>,
    /// Gateways in the order of the text.
    pub(crate) gateways: Vec<Gateway>,
    /// Steps of the application.
    pub(crate) lifecycle: Lifecycle,
}

/// A component.
#[derive(Clone, Debug)]
pub(crate) struct Component {
    /// Its name.
    pub(crate) name: Text,
    /// Position of its name.
    pub(crate) span: Span,
    /// The image that is to run.
    pub(crate) image: Option<Text>,
    /// No image is written.
    pub(crate) imageless: bool,
    /// Wanted number of instances; a singleton has one at most.
    pub(crate) replicas: u64,
    /// Two instances must never run side by side.
    pub(crate) singleton: bool,
    /// Components that have to be there before it.
    pub(crate) uses: Vec<Text>,
    /// Position of `uses`, else of the name.
    pub(crate) uses_span: Span,
    pub(crate) hooks: Hooks,
}

/// A way in from outside.
#[derive(Clone, Debug)]
pub(crate) struct Gateway {
    /// Its name.
    pub(crate) name: Text,
    /// `load_balancer`, `host_port` or any other text.
    pub(crate) kind: Text,
    /// Components behind it.
    pub(crate) targets: Vec<Text>,
}

/// Lifecycle steps of the application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifecycle {
    pub(crate) pre_flight: Vec<Hook>,
    /// The image checks are left out.
    pub(crate) skip_image_checks: bool,
    pub(crate) post_flight: Vec<Hook>,
    pub(crate) post_teardown: Vec<Hook>,
}

/// Lifecycle steps of a component.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hooks {
    pub(crate) quality_probe: Vec<Hook>,
    pub(crate) post_instance_create: Vec<Hook>,
    pub(crate) post_instance_attach: Vec<Hook>,
    pub(crate) post_instance_detach: Vec<Hook>,
    pub(crate) post_component: Vec<Hook>,
}

/// A lifecycle step.
#[derive(Clone, Debug)]
pub(crate) struct Hook {
    /// Its position.
    pub(crate) span: Span,
    pub(crate) label: Option<Text>,
    pub(crate) does: HookKind,
}

/// Kinds of lifecycle step.
#[derive(Clone, Debug)]
pub(crate) enum HookKind {
    /// A command: a line or words.
    Exec(Node),
    /// An action of a plugin.
    Call { plugin: Text, action: Text, arguments: Option<Node> },
    /// A question to a person.
    Gate(Text),
    /// Seconds to wait, as written.
    Delay(Text),
    /// A container that checks an instance.
    Probe { image: Text, action: Text, arguments: Option<Node> },
}

impl Model {
    /// A model without components.
    pub(crate) fn empty() -> Self {
        let root = Node::null(Span::default());
        Self { root, components: Vec::new(), gateways: Vec::new(), lifecycle: Lifecycle::default() }
    }

    /// A component by name.
    pub(crate) fn component(&self, name: &str) -> Option<&Component> {
        self.components.iter().find(|component| &*component.name == name)
    }

    /// Names of the load balancer gateways in front of a component.
    pub(crate) fn balancers<'m>(&'m self, component: &'m str) -> impl Iterator<Item = &'m Text> {
        let in_front = move |gateway: &&Gateway| {
            gateway.is_balancer() && gateway.targets.iter().any(|target| &**target == component)
        };
        self.gateways.iter().filter(in_front).map(|gateway| &gateway.name)
    }
}

impl Gateway {
    pub(crate) fn is_balancer(&self) -> bool {
        &*self.kind == "load_balancer"
    }
}

/// The part of an image's name that says its version.
pub(crate) fn tag(image: &str) -> &str {
    match image.rsplit_once(':') {
        Some((_, tag)) if !tag.contains('/') => tag,
        _ => "latest",
    }
}

/// Attributes of a component.
const ATTRIBUTES: [&str; 13] = [
    "image",
    "replicas",
    "singleton",
    "uses",
    "provides",
    "env",
    "volumes",
    "args",
    "plugin",
    "visual",
    "lifecycle",
    "label",
    "description",
];

/// Events of an application's life, and the standing attribute beside them.
const APPLICATION_EVENTS: [&str; 4] = ["pre_flight", "post_flight", "post_teardown", "teardown_orphans"];
/// Events of a component's life.
const COMPONENT_EVENTS: [&str; 5] = [
    "quality_probe",
    "post_instance_create",
    "post_instance_attach",
    "post_instance_detach",
    "post_component",
];

/// Returns whether a document is a model by its content: components with at least one of their attributes, or names only. Other documents, for
/// instance an `OpenAPI` description, may have a key `components`, too.
pub(crate) fn resembles(root: &Node) -> bool {
    let Some(components) = root.get("components").and_then(Node::as_mapping) else { return false };
    let own = |component: &Node| {
        let entries = component.as_mapping().unwrap_or_default();
        entries.iter().any(|entry| entry.key.as_str().is_some_and(|key| ATTRIBUTES.contains(&key)))
    };
    let bare = components.iter().all(|entry| entry.value.is_null());
    components.iter().any(|entry| own(&entry.value)) || bare && !components.is_empty()
}

/// Reads a model.
pub(crate) fn read(root: Option<&Node>, start: Span, found: &mut Diagnostics) -> Option<Model> {
    let mut reader = ModelReader { found, replicas: 0 };
    let Some(root) = root.filter(|root| root.as_mapping().is_some()) else {
        let span = root.map_or(start, |root| root.span);
        let what = root.map_or("nothing", Node::describe);
        reader.error(
            codes::MODEL_HEADER,
            span,
            format!("A model is a mapping, but this document is {what}"),
            "start with the keys 'doctype', 'version' and 'components'",
        );
        return None;
    };
    reader.header(root, start)?;
    let known = ["doctype", "version", "components", "gateways", "lifecycle", "vars"];
    report_unknown(reader.found, codes::MODEL_UNKNOWN, root, "The model", &known, None);
    let Some(components) = root.get("components") else {
        let text = "The model has no components".to_owned();
        reader.error(codes::MODEL_VALUE, start, text, "add 'components:' with a name for each");
        return None;
    };
    let components = reader.entries(components, "'components'");
    let components: Vec<Component> =
        components.iter().map(|(name, span, node)| reader.component(name, *span, node)).collect();
    let gateways = root.get("gateways").map(|node| reader.entries(node, "'gateways'")).unwrap_or_default();
    let gateways: Vec<Gateway> =
        gateways.iter().map(|(name, _, node)| reader.gateway(name, node, &components)).collect();
    let lifecycle = root.get("lifecycle").map(|node| reader.lifecycle(node)).unwrap_or_default();
    let model = Model { root: root.clone(), components, gateways, lifecycle };
    for component in &model.components {
        for used in component.uses.iter().filter(|used| model.component(used).is_none()) {
            let text = format!("The component '{}' uses '{used}', which does not exist", component.name);
            let names: Vec<&str> = model.components.iter().map(|other| &*other.name).collect();
            let help = did_you_mean(nearest(used, &names), || "add it to the components, or remove it here");
            reader.warn(codes::MODEL_REFERENCE, component.uses_span, text, help);
        }
    }
    Some(model)
}

struct ModelReader<'d> {
    found: &'d mut Diagnostics,
    /// Total replicas of the components read so far.
    replicas: u64,
}

impl ModelReader<'_> {
    fn error(&mut self, code: &'static str, span: Span, text: String, help: impl Into<String>) {
        self.found.push(Diagnostic::error(code, span, text).with_help(help));
    }

    fn warn(&mut self, code: &'static str, span: Span, text: String, help: impl Into<String>) {
        self.found.push(Diagnostic::warning(code, span, text).with_help(help));
    }

    fn header(&mut self, root: &Node, start: Span) -> Option<()> {
        let doctype = root.get("doctype").filter(|node| !node.is_null());
        match doctype {
            None => {
                let text = "The model has no doctype".to_owned();
                self.warn(codes::MODEL_HEADER, start, text, format!("begin with 'doctype: {MODEL_DOCTYPE}'"));
            }
            Some(node) if node.as_str() != Some(MODEL_DOCTYPE) => {
                let shown = node.as_str().unwrap_or_else(|| node.describe());
                let plan = shown.ends_with("deploy-plan");
                let text = if plan {
                    "This is a deployment plan, not a model".to_owned()
                } else {
                    format!("The doctype of a model is '{MODEL_DOCTYPE}', but this one is '{shown}'")
                };
                let help = if plan {
                    "name the file 'plan.yaml'".to_owned()
                } else {
                    format!("write 'doctype: {MODEL_DOCTYPE}'")
                };
                self.error(codes::MODEL_HEADER, node.span, text, help);
                return None;
            }
            Some(_) => {}
        }
        let version = root.get("version").filter(|node| !node.is_null());
        if doctype.is_some() && version.is_none_or(|node| node.as_i64() != Some(1)) {
            let span = version.map_or(start, |node| node.span);
            self.warn(
                codes::MODEL_HEADER,
                span,
                "The version of a model is 1".to_owned(),
                "write 'version: 1'",
            );
        }
        Some(())
    }

    /// The entries of a mapping of names; of a list of texts, its items.
    fn entries(&mut self, node: &Node, what: &str) -> Vec<(Text, Span, Node)> {
        if node.is_null() {
            return Vec::new();
        }
        let Some(entries) = node.as_mapping() else {
            let text = format!("{what} must be a mapping, but is {}", node.describe());
            self.error(
                codes::MODEL_VALUE,
                node.span,
                text,
                "write a name for each, and what belongs to it below",
            );
            return Vec::new();
        };
        let named = entries
            .iter()
            .filter_map(|entry| Some((Text::from(entry.key.as_str()?), entry.key.span, entry.value.clone())));
        named.collect()
    }

    fn component(&mut self, name: &Text, span: Span, node: &Node) -> Component {
        let what = format!("The component '{name}'");
        if name.contains(',') || name.is_empty() || name.trim() != &**name {
            let text = format!("{what} has a name that no step of a plan can have");
            let help = "leave out commas, and blanks at its ends: exits name steps, with commas behind them";
            self.error(codes::MODEL_VALUE, span, text, help);
        }
        if !node.is_null() && node.as_mapping().is_none() {
            let text = format!("{what} must be a mapping, but is {}", node.describe());
            self.error(codes::MODEL_VALUE, node.span, text, "write 'image:' and 'replicas:' below the name");
        }
        report_unknown(self.found, codes::MODEL_UNKNOWN, node, &what, &ATTRIBUTES, None);
        let image = node.get("image").filter(|node| !node.is_null());
        if let Some(image) = image.filter(|image| image.as_str().is_none()) {
            let text = format!("The image of '{name}' must be a text, but is {}", image.describe());
            self.error(codes::MODEL_VALUE, image.span, text, "write the image's name, such as acme/back:2.0");
        }
        let singleton = node.get("singleton").filter(|node| !node.is_null());
        let singleton = singleton.is_some_and(|node| {
            node.as_bool().unwrap_or_else(|| {
                let text = format!("'singleton' of '{name}' must be true or false");
                self.error(codes::MODEL_VALUE, node.span, text, "write true or false");
                false
            })
        });
        let replicas = node.get("replicas").filter(|node| !node.is_null());
        let replicas = replicas.map_or(1, |node| self.replicas(name, node));
        let uses = node.get("uses").filter(|node| !node.is_null());
        let names = |node: &Node| match (node.as_mapping(), node.as_sequence()) {
            (Some(entries), _) => entries.iter().filter_map(|entry| word(&entry.key)).collect(),
            (None, Some(items)) => items.iter().filter_map(word).collect(),
            (None, None) => word(node).into_iter().collect::<Vec<Text>>(),
        };
        // Mistyped keys were reported.
        let mistyped =
            |entry: &Entry| entry.key.as_str().is_some_and(|key| nearest(key, &["image"]).is_some());
        Component {
            name: name.clone(),
            span,
            imageless: image.is_none() && !node.as_mapping().unwrap_or_default().iter().any(mistyped),
            image: image.and_then(word).filter(|image| !image.is_empty()),
            replicas: if singleton { replicas.min(1) } else { replicas },
            singleton,
            uses: uses.map(names).unwrap_or_default(),
            uses_span: uses.map_or(span, |node| node.span),
            hooks: node.get("lifecycle").map(|node| self.hooks(node, name)).unwrap_or_default(),
        }
    }

    fn replicas(&mut self, name: &str, node: &Node) -> u64 {
        let text = node.as_str().unwrap_or_default().trim();
        let most = u64::from(Limits::DEFAULT.instances);
        match text.parse::<u64>() {
            Ok(replicas) if replicas > most => {
                let text = format!("'{name}' has more replicas than the simulator takes ({most})");
                self.error(codes::MODEL_VALUE, node.span, text, format!("write {most} or less"));
                1
            }
            Ok(replicas) => {
                let before = self.replicas;
                self.replicas = before.saturating_add(replicas);
                if before <= most && self.replicas > most {
                    let text = format!(
                        "With '{name}' the components have {} replicas, more than the simulator takes ({most})",
                        self.replicas
                    );
                    self.error(codes::MODEL_VALUE, node.span, text, "write a smaller number");
                }
                replicas
            }
            Err(_) => {
                let shown = if text.is_empty() { node.describe().to_owned() } else { format!("'{text}'") };
                let text = format!("'replicas' of '{name}' must be a whole number, but is {shown}");
                self.error(
                    codes::MODEL_VALUE,
                    node.span,
                    text,
                    "write a number, or a variable such as ${count-2}",
                );
                1
            }
        }
    }

    fn gateway(&mut self, name: &Text, node: &Node, components: &[Component]) -> Gateway {
        let target = node.get("target").filter(|node| !node.is_null());
        let targets: Vec<Text> = target.map_or_else(Vec::new, |node| match node.as_sequence() {
            Some(items) => items.iter().filter_map(word).collect(),
            None => word(node).into_iter().collect(),
        });
        for missing in targets.iter().filter(|target| !components.iter().any(|one| one.name == **target)) {
            let span = target.map_or(node.span, |node| node.span);
            let text = format!("The gateway '{name}' leads to '{missing}', which is not a component");
            let names: Vec<&str> = components.iter().map(|other| &*other.name).collect();
            let help = did_you_mean(nearest(missing, &names), || "name a component of the model");
            self.warn(codes::MODEL_REFERENCE, span, text, help);
        }
        let kind = node.get("type").and_then(word).unwrap_or_else(|| "load_balancer".into());
        Gateway { name: name.clone(), kind, targets }
    }

    fn lifecycle(&mut self, node: &Node) -> Lifecycle {
        self.events(node, "the application", &APPLICATION_EVENTS, &COMPONENT_EVENTS);
        let skips =
            |key: &str| node.at(&[key, "skip_standard_steps"]).and_then(Node::as_bool).unwrap_or(false);
        Lifecycle {
            pre_flight: self.steps(node, "pre_flight"),
            skip_image_checks: skips("pre_flight"),
            post_flight: self.steps(node, "post_flight"),
            post_teardown: self.steps(node, "post_teardown"),
        }
    }

    fn hooks(&mut self, node: &Node, component: &str) -> Hooks {
        self.events(node, &format!("'{component}'"), &COMPONENT_EVENTS, &APPLICATION_EVENTS);
        Hooks {
            quality_probe: self.steps(node, "quality_probe"),
            post_instance_create: self.steps(node, "post_instance_create"),
            post_instance_attach: self.steps(node, "post_instance_attach"),
            post_instance_detach: self.steps(node, "post_instance_detach"),
            post_component: self.steps(node, "post_component"),
        }
    }

    /// Reports events of a life cycle that do not exist: their steps would be in no plan. They are not ignored attributes, so they
    /// have a text of their own.
    fn events(&mut self, node: &Node, whose: &str, known: &[&str], elsewhere: &[&str]) {
        if !node.is_null() && node.as_mapping().is_none() {
            let text = format!("The lifecycle of {whose} must be a mapping, but is {}", node.describe());
            let help = format!(
                "write an event, such as '{}:', with 'steps:' below it",
                known.first().unwrap_or(&"")
            );
            self.warn(codes::LIFECYCLE_STEP, node.span, text, help);
        }
        for entry in node.as_mapping().unwrap_or_default() {
            let name = entry.key.as_str().unwrap_or_default();
            if known.contains(&name) {
                continue;
            }
            let text = format!("The lifecycle of {whose} has no event '{name}': its steps are in no plan");
            let help = did_you_mean(nearest(name, known), || match elsewhere.contains(&name) {
                true if whose == "the application" => "it is an event of components".to_owned(),
                true => "it is an event of the application, outermost in the model".to_owned(),
                false => format!("the events are {}", known.join(", ")),
            });
            self.warn(codes::MODEL_UNKNOWN, entry.key.span, text, help);
        }
    }

    fn steps(&mut self, node: &Node, event: &str) -> Vec<Hook> {
        let Some(node) = node.get(event).filter(|node| !node.is_null()) else { return Vec::new() };
        if node.as_mapping().is_none() {
            let text = format!("'{event}' must be a mapping, but is {}", node.describe());
            let help = "write 'steps:' below it, and the list below that";
            self.warn(codes::LIFECYCLE_STEP, node.span, text, help);
            return Vec::new();
        }
        let (what, help) = (format!("'{event}'"), "write 'steps:' with a list below it");
        let known = ["steps", "skip_standard_steps"];
        report_unknown(self.found, codes::MODEL_UNKNOWN, node, &what, &known, Some(help));
        hooks(node, self.found)
    }
}

/// The steps below a lifecycle event or a quality gate.
pub(crate) fn hooks(node: &Node, found: &mut Diagnostics) -> Vec<Hook> {
    let steps = node.get("steps").filter(|steps| !steps.is_null());
    let Some(steps) = steps else { return Vec::new() };
    let Some(items) = steps.as_sequence() else {
        let text = format!("'steps' must be a list, but is {}", steps.describe());
        let finding = Diagnostic::warning(codes::LIFECYCLE_STEP, steps.span, text);
        found.push(finding.with_help("begin each step with '- '"));
        return Vec::new();
    };
    let mut out = Vec::new();
    for item in items {
        match hook(item) {
            Some((label, does)) => out.push(Hook { span: item.span, label, does }),
            None => {
                let text = "This lifecycle step cannot be used: it is left out".to_owned();
                let finding = Diagnostic::warning(codes::LIFECYCLE_STEP, item.span, text);
                let forms = ["exec", "call", "gate", "delay", "probe"];
                let mut keys =
                    item.as_mapping().unwrap_or_default().iter().filter_map(|entry| entry.key.as_str());
                let meant = keys.find_map(|key| Some((key, nearest(key, &forms)?)));
                found.push(finding.with_help(match meant {
                    Some((key, meant)) => format!("'{key}' is not a form of a step; did you mean '{meant}'?"),
                    None => "write exec, call, gate, delay or probe with what belongs to it".to_owned(),
                }));
            }
        }
    }
    out
}

fn hook(item: &Node) -> Option<(Option<Text>, HookKind)> {
    let of = |key: &str| item.get(key).filter(|value| !value.is_null());
    let label = |node: &Node| node.get("label").and_then(word).or_else(|| item.get("label").and_then(word));
    let filled = |node: &Node| match (node.as_str(), node.as_sequence()) {
        (Some(text), _) => !text.trim().is_empty(),
        (None, items) => items.is_some_and(|items| !items.is_empty()),
    };
    if let Some(exec) = of("exec") {
        let command = if exec.as_mapping().is_some() {
            exec.get("exec").or_else(|| exec.get("command")).or_else(|| exec.get("arguments"))?
        } else {
            exec
        };
        return filled(command).then(|| (label(exec), HookKind::Exec(command.clone())));
    }
    if let Some(call) = of("call") {
        let (plugin, action) = (word(call.get("plugin")?)?, word(call.get("action")?)?);
        let arguments = call.get("arguments").filter(|node| node.as_mapping().is_some()).cloned();
        return Some((label(call), HookKind::Call { plugin, action, arguments }));
    }
    if let Some(gate) = item.entry("gate") {
        let message = word(&gate.value).or_else(|| gate.value.get("message").and_then(word));
        let does = HookKind::Gate(message.unwrap_or_else(|| "".into()));
        return Some((label(&gate.value), does));
    }
    if let Some(delay) = of("delay") {
        let seconds = word(delay).or_else(|| delay.get("duration").and_then(word))?;
        let is_number =
            planarium_source::yaml::decimal_to_thousandths(&seconds).is_some_and(|seconds| seconds >= 0);
        return is_number.then(|| (label(delay), HookKind::Delay(seconds)));
    }
    let probe = of("probe")?;
    if let Some(image) = word(probe) {
        let does = HookKind::Probe { image, action: "check".into(), arguments: None };
        return Some((label(probe), does));
    }
    let image = word(probe.get("image")?)?;
    let action = probe.get("action").and_then(word).unwrap_or_else(|| "check".into());
    let arguments = probe.get("arguments").filter(|node| node.as_mapping().is_some()).cloned();
    Some((label(probe), HookKind::Probe { image, action, arguments }))
}
