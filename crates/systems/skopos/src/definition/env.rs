//! Environment files (target environment descriptors) and the playground's `simulation` block in them.
//!
//! *Knows*: what several files make together, what runs at load time, which scripts and plugins there are, which failures
//! are planned. *Must not know*: plans, how a call is carried out.
//!
//! **Source**: environment files of the samples named in [`crate::definition::model`]; the block `simulation` is ours.

use crate::codes;
use crate::definition::decode::word;
use crate::definition::model::{Hook, hooks};
use crate::definition::nearest::{nearest, report_unknown};
use crate::templates::values::Vars;
use planarium_kernel::{Limits, SortedMap};
use planarium_protocol::Text;
use planarium_source::suggest::did_you_mean;
use planarium_source::yaml::{Coerced, Entry, Kind, Node};
use planarium_source::{Diagnostic, Diagnostics, Span};
use std::sync::Arc;

/// The environment that all files together describe.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env {
    /// Plugin that creates and destroys instances.
    pub(crate) core_plugin: Option<Text>,
    pub(crate) discovery_plugin: Option<Text>,
    /// Instances register themselves.
    pub(crate) discovery_auto: bool,
    pub(crate) balancer_plugin: Option<Text>,
    /// Instances join balancers themselves.
    pub(crate) balancer_auto: bool,
    /// User variables: of the environment files, later ones winning.
    pub(crate) vars: Vars,
    /// Balancers that the configuration of plugins names.
    pub(crate) configured_balancers: Vec<Text>,
    pub(crate) gates: Vec<QualityGate>,
    pub(crate) simulation: Simulation,
}

/// Checks for every component whose image matches.
#[derive(Clone, Debug)]
pub(crate) struct QualityGate {
    pub(crate) images: Vec<Text>,
    pub(crate) steps: Vec<Hook>,
}

/// Results of the simulated plugins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simulation {
    /// Images that exist; every image without a list.
    pub(crate) registry: Option<Vec<Text>>,
    /// Balancers that exist; the gateways without a list.
    pub(crate) balancers: Option<Vec<Text>>,
    pub(crate) instances: Vec<Planted>,
    pub(crate) scripts: SortedMap<Text, Script>,
    /// Exit codes of probe containers, by image.
    pub(crate) probes: SortedMap<Text, Script>,
    pub(crate) plugins: SortedMap<Text, UserPlugin>,
    /// Durations of calls, by `PLUGIN.ACTION`. *Units*: milliseconds.
    pub(crate) durations: SortedMap<Text, u64>,
    pub(crate) faults: Vec<FaultRule>,
    /// From running to ready. *Units*: milliseconds.
    pub(crate) warm_up_ms: Option<u64>,
}

/// An instance that runs at load time.
#[derive(Clone, Debug)]
pub(crate) struct Planted {
    pub(crate) component: Text,
    pub(crate) image: Text,
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<Text>,
    pub(crate) ip: Option<Text>,
    pub(crate) stopped: bool,
    /// Balancers to which it is attached; all of its gateways without a list.
    pub(crate) balancers: Option<Vec<Text>>,
}

/// A script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// Exit codes in order; the last one repeats.
    pub(crate) exits: Arc<[i32]>,
    /// *Units*: milliseconds.
    pub(crate) ms: u64,
    pub(crate) stderr: Option<Text>,
}

/// A plugin of the user's.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserPlugin {
    pub(crate) actions: SortedMap<Text, Script>,
}

/// Effects of a planned failure on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It fails after its usual time.
    Fail,
    /// It waits as long as it may, then fails.
    Timeout,
    /// It takes longer. *Units*: milliseconds.
    Slow(u64),
    /// It passes, and its instance never gets healthy.
    Unhealthy,
}

/// A planned failure: all given patterns must match.
#[derive(Clone, Debug)]
pub(crate) struct FaultRule {
    pub(crate) step: Option<Text>,
    pub(crate) plugin: Option<Text>,
    pub(crate) action: Option<Text>,
    pub(crate) exec: Option<Text>,
    pub(crate) component: Option<Text>,
    pub(crate) selector: Option<Text>,
    pub(crate) index: Option<u64>,
    /// Only this execution of the step, counted from 1.
    pub(crate) attempt: Option<u64>,
    pub(crate) times: Option<u64>,
    pub(crate) outcome: Outcome,
    pub(crate) exit_code: i32,
    pub(crate) message: Option<Text>,
    /// A create that fails leaves a stopped instance behind.
    pub(crate) leave: bool,
}

/// Several environment files as one tree: later ones win, mappings are merged key by key.
pub(crate) fn merge(files: Vec<Node>) -> Option<Node> {
    files.into_iter().reduce(merged)
}

fn merged(earlier: Node, later: Node) -> Node {
    let (Kind::Mapping(old), Kind::Mapping(new)) = (&earlier.kind, &later.kind) else {
        return if later.is_null() { earlier } else { later };
    };
    let mut entries: Vec<Entry> = Vec::with_capacity(old.len().saturating_add(new.len()));
    for entry in old.iter().chain(new.iter()) {
        let name = entry.key.as_str();
        let same = entries.iter_mut().find(|own| name.is_some() && own.key.as_str() == name);
        match same {
            Some(own) => {
                let before = std::mem::replace(&mut own.value, Node::null(entry.value.span));
                own.value = merged(before, entry.value.clone());
                own.key = entry.key.clone();
            }
            None => entries.push(entry.clone()),
        }
    }
    let literal = later.literal && earlier.literal;
    Node { span: later.span, literal, tag: None, kind: Kind::Mapping(entries.into()) }
}

/// Reads the environment out of all its files together.
pub(crate) fn read(root: Option<&Node>, found: &mut Diagnostics) -> Env {
    let mut reader = EnvReader { found };
    let Some(root) = root.filter(|root| !root.is_null()) else { return Env::default() };
    if root.as_mapping().is_none() {
        let text = format!("An environment file is a mapping, but this one is {}", root.describe());
        reader.error(root.span, text, "write keys such as 'core_plugin' and 'vars'");
        return Env::default();
    }
    let known: Vec<&str> =
        crate::definition::files::ENV_KEYS.into_iter().chain(["doctype", "version"]).collect();
    report_unknown(reader.found, codes::ENV_UNKNOWN, root, "The environment", &known, None);
    if let Some(what) =
        super::decode::foreign(root).map(|(what, _)| what).filter(|what| !what.contains("environment"))
    {
        let what = what.split(", ").next().unwrap_or(what);
        reader.error(
            root.span,
            format!("This is {what}, not an environment file"),
            "give the file another name",
        );
        return Env::default();
    }
    if root.get("steps").is_some() && root.get("doctype").is_some() {
        let text = "This is a deployment plan, not an environment file".to_owned();
        reader.error(root.span, text, "name the file 'plan.yaml'");
        return Env::default();
    }
    let mut env = Env {
        core_plugin: root.get("core_plugin").and_then(word),
        discovery_plugin: root.get("service_discovery_plugin").and_then(word),
        discovery_auto: reader.flag(root, "service_discovery_auto"),
        balancer_plugin: root.get("load_balancer_plugin").and_then(word),
        balancer_auto: reader.flag(root, "load_balancer_auto"),
        ..Env::default()
    };
    if let Some(vars) = reader.mapping(root, "vars") {
        env.vars.extend(vars);
    }
    if let Some(config) = reader.mapping(root, "plugin_config") {
        for entry in config.as_mapping().unwrap_or_default() {
            let named = entry.value.get("lb").and_then(Node::as_mapping).unwrap_or_default();
            env.configured_balancers.extend(named.iter().filter_map(|entry| word(&entry.key)));
        }
    }
    if let Some(gates) = reader.mapping(root, "quality_gates") {
        for entry in gates.as_mapping().unwrap_or_default() {
            let what = format!("The quality gate '{}'", entry.key.as_str().unwrap_or_default());
            reader.known(&entry.value, &what, &["images", "steps"]);
            let images = entry.value.get("images").map(texts).unwrap_or_default();
            let steps = hooks(&entry.value, reader.found);
            env.gates.push(QualityGate { images, steps });
        }
    }
    if let Some(simulation) = reader.mapping(root, "simulation") {
        env.simulation = reader.simulation(simulation);
    }
    env
}

/// The texts of a list, or of a single value.
fn texts(node: &Node) -> Vec<Text> {
    match node.as_sequence() {
        Some(items) => items.iter().filter_map(word).collect(),
        None => word(node).into_iter().collect(),
    }
}

/// Keys of the block `simulation`.
const SIMULATION: &[&str] = &[
    "registry",
    "load_balancers",
    "instances",
    "scripts",
    "probes",
    "plugins",
    "durations",
    "faults",
    "warm_up",
];
/// Keys of an instance that runs at load time.
const INSTANCE: &[&str] = &["image", "index", "id", "ip", "state", "lb", "count"];
/// Keys of a script, a probe, an action.
const SCRIPT: &[&str] = &["exit", "duration", "stderr", "message", "arguments"];
/// Keys of a planned failure.
const FAULT: &[&str] = &[
    "step",
    "plugin",
    "action",
    "exec",
    "component",
    "index",
    "selector",
    "attempt",
    "times",
    "outcome",
    "delay",
    "exit_code",
    "message",
    "leave",
];
/// Every key of the block `simulation` and of its parts: `docs/simulation.md` has all of them.
#[cfg(test)]
pub(crate) const SIMULATION_KEYS: &[&[&str]] = &[SIMULATION, INSTANCE, SCRIPT, FAULT, &["actions"]];

/// Default duration of a script. *Units*: milliseconds.
const SCRIPT_MS: u64 = 1_000;

impl Script {
    /// A script that passes.
    pub(crate) fn passing() -> Self {
        Self { exits: Arc::from([0]), ms: SCRIPT_MS, stderr: None }
    }
}

struct EnvReader<'d> {
    found: &'d mut Diagnostics,
}

impl EnvReader<'_> {
    fn error(&mut self, span: Span, text: String, help: impl Into<String>) {
        self.found.push(Diagnostic::error(codes::ENV_VALUE, span, text).with_help(help));
    }

    fn known(&mut self, node: &Node, what: &str, known: &[&str]) {
        let help = format!("the attributes are {}", known.join(", "));
        report_unknown(self.found, codes::ENV_UNKNOWN, node, what, known, Some(&help));
    }

    fn mapping<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n Node> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        if value.as_mapping().is_none() {
            let text = format!("'{key}' must be a mapping, but is {}", value.describe());
            self.error(value.span, text, "write names and values below it");
            return None;
        }
        Some(value)
    }

    fn list<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n [Node]> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        let items = value.as_sequence();
        if items.is_none() {
            let text = format!("'{key}' must be a list, but is {}", value.describe());
            self.error(value.span, text, "begin each item with '- '");
        }
        items
    }

    fn flag(&mut self, node: &Node, key: &str) -> bool {
        match node.get(key).map(Node::boolean) {
            None | Some(Coerced::Null) => false,
            Some(Coerced::Value(value)) => value,
            Some(Coerced::Wrong) => {
                let span = node.get(key).map_or(node.span, |value| value.span);
                self.error(span, format!("'{key}' must be true or false"), "write true or false");
                false
            }
        }
    }

    fn count(&mut self, node: &Node, key: &str) -> Option<u64> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        let number = value.as_i64().and_then(|number| u64::try_from(number).ok());
        if number.is_none() {
            let text = format!("'{key}' must be a whole number that is not below zero");
            self.error(value.span, text, "write a number");
        }
        number
    }

    /// Seconds. *Units* of the answer: milliseconds.
    fn seconds(&mut self, value: &Node, what: &str) -> Option<u64> {
        let ms = value.as_thousandths().and_then(|ms| u64::try_from(ms).ok());
        if ms.is_none() {
            let text = format!("'{what}' must be a number of seconds that is not below zero");
            self.error(value.span, text, "write a number");
        }
        ms
    }

    fn simulation(&mut self, node: &Node) -> Simulation {
        self.known(node, "The simulation", SIMULATION);
        let list = |found: Option<&[Node]>| found.map(|items| items.iter().filter_map(word).collect());
        let mut simulation = Simulation {
            registry: list(self.list(node, "registry")),
            balancers: list(self.list(node, "load_balancers")),
            ..Simulation::default()
        };
        if let Some(value) = node.get("warm_up").filter(|value| !value.is_null()) {
            simulation.warm_up_ms = self.seconds(value, "warm_up");
        }
        if let Some(instances) = self.mapping(node, "instances") {
            for entry in instances.as_mapping().unwrap_or_default() {
                let component = word(&entry.key).unwrap_or_default();
                self.instances(&component, &entry.value, &mut simulation.instances);
            }
        }
        if let Some(scripts) = self.mapping(node, "scripts") {
            for entry in scripts.as_mapping().unwrap_or_default() {
                if let Some(name) = word(&entry.key) {
                    let script = self.script(&entry.value, &format!("The script '{name}'"));
                    simulation.scripts.insert(name, script);
                }
            }
        }
        if let Some(probes) = self.mapping(node, "probes") {
            for entry in probes.as_mapping().unwrap_or_default() {
                if let Some(image) = word(&entry.key) {
                    let probe = self.script(&entry.value, &format!("The probe '{image}'"));
                    simulation.probes.insert(image, probe);
                }
            }
        }
        if let Some(plugins) = self.mapping(node, "plugins") {
            for entry in plugins.as_mapping().unwrap_or_default() {
                let Some(name) = word(&entry.key) else { continue };
                if simulation.scripts.contains_key(&name) {
                    let text = format!("'{name}' is both a plugin and a script");
                    let finding = Diagnostic::error(codes::ENV_NAMES, entry.key.span, text);
                    self.found
                        .push(finding.with_help("plugins and scripts share their names: rename one of them"));
                }
                simulation.plugins.insert(name.clone(), self.plugin(&entry.value, &name));
            }
        }
        if let Some(durations) = self.mapping(node, "durations") {
            for entry in durations.as_mapping().unwrap_or_default() {
                if let (Some(name), Some(ms)) = (word(&entry.key), self.seconds(&entry.value, "durations")) {
                    simulation.durations.insert(name, ms);
                }
            }
        }
        for item in self.list(node, "faults").unwrap_or_default() {
            simulation.faults.extend(self.fault(item));
        }
        simulation
    }

    fn instances(&mut self, component: &Text, node: &Node, out: &mut Vec<Planted>) {
        if node.is_null() {
            return;
        }
        if let Some(items) = node.as_sequence() {
            for item in items {
                out.extend(self.instance(component, item));
            }
            return;
        }
        let Some(one) = self.instance(component, node) else { return };
        let count = self.count(node, "count").unwrap_or(1);
        let most = u64::from(Limits::DEFAULT.instances).saturating_sub(out.len() as u64);
        if count > most {
            let text =
                format!("There are more instances than the simulator takes ({})", Limits::DEFAULT.instances);
            self.error(node.span, text, "write a smaller count");
        }
        for _ in 0..count.min(most) {
            out.push(one.clone());
        }
    }

    fn instance(&mut self, component: &Text, node: &Node) -> Option<Planted> {
        if let Some(image) = word(node) {
            return Some(Planted::of(component, image));
        }
        self.known(node, "An instance", INSTANCE);
        let image = node.get("image").and_then(word);
        let Some(image) = image.filter(|_| node.as_mapping().is_some()) else {
            let text = format!("An instance of '{component}' has no image");
            self.error(node.span, text, "write { image: NAME:VERSION }");
            return None;
        };
        let state = node.get("state").and_then(word);
        if let Some(state) = state.as_ref().filter(|state| !matches!(&***state, "running" | "stopped")) {
            let span = node.get("state").map_or(node.span, |value| value.span);
            self.error(span, format!("An instance cannot be '{state}'"), "write running or stopped");
        }
        Some(Planted {
            component: component.clone(),
            image,
            index: self.count(node, "index"),
            id: node.get("id").and_then(word),
            ip: node.get("ip").and_then(word),
            stopped: state.as_deref() == Some("stopped"),
            balancers: node.get("lb").filter(|value| !value.is_null()).map(texts),
        })
    }

    fn script(&mut self, node: &Node, what: &str) -> Script {
        let mut script = Script::passing();
        if node.is_null() {
            return script;
        }
        if node.as_mapping().is_none() {
            let text = format!("{what} must be a mapping, but is {}", node.describe());
            self.error(node.span, text, "write { exit: 0, duration: 2 }");
            return script;
        }
        self.known(node, what, SCRIPT);
        if let Some(exit) = node.get("exit").filter(|value| !value.is_null()) {
            let codes = exit.as_sequence().unwrap_or(std::slice::from_ref(exit)).iter();
            let codes: Option<Vec<i32>> =
                codes.map(|code| code.as_i64().and_then(|code| i32::try_from(code).ok())).collect();
            match codes.filter(|codes| !codes.is_empty()) {
                Some(codes) => script.exits = codes.into(),
                None => {
                    let text = format!("{what} has an exit code that is not a number");
                    self.error(
                        exit.span,
                        text,
                        "write a number, or a list of numbers for one run after the other",
                    );
                }
            }
        }
        if let Some(duration) = node.get("duration").filter(|value| !value.is_null()) {
            script.ms = self.seconds(duration, "duration").unwrap_or(SCRIPT_MS);
        }
        script.stderr = node.get("stderr").or_else(|| node.get("message")).and_then(word);
        script
    }

    fn plugin(&mut self, node: &Node, name: &str) -> UserPlugin {
        let mut plugin = UserPlugin::default();
        self.known(node, &format!("The plugin '{name}'"), &["actions"]);
        if let Some(items) = node.get("actions").and_then(Node::as_sequence) {
            plugin.actions.extend(items.iter().filter_map(word).map(|action| (action, Script::passing())));
            return plugin;
        }
        let Some(actions) = self.mapping(node, "actions") else { return plugin };
        for entry in actions.as_mapping().unwrap_or_default() {
            if let Some(action) = word(&entry.key) {
                let script = self.script(&entry.value, &format!("The action '{action}'"));
                plugin.actions.insert(action, script);
            }
        }
        plugin
    }

    fn fault(&mut self, node: &Node) -> Option<FaultRule> {
        if node.as_mapping().is_none() {
            let text = format!("A fault is a mapping, but this one is {}", node.describe());
            self.error(node.span, text, "write { step: ID, outcome: fail }");
            return None;
        }
        self.known(node, "A fault", FAULT);
        let text = |key: &str| node.get(key).and_then(word);
        let delay = node.get("delay").filter(|value| !value.is_null());
        let delay_ms = delay.and_then(|value| self.seconds(value, "delay")).unwrap_or(SCRIPT_MS);
        let outcome = match text("outcome").as_deref() {
            None | Some("fail") => Outcome::Fail,
            Some("timeout") => Outcome::Timeout,
            Some("slow") => Outcome::Slow(delay_ms),
            Some("unhealthy") => Outcome::Unhealthy,
            Some(other) => {
                let span = node.get("outcome").map_or(node.span, |value| value.span);
                let near = nearest(other, &["fail", "timeout", "slow", "unhealthy"]);
                let help = did_you_mean(near, || "write fail, timeout, slow or unhealthy");
                self.error(span, format!("A fault has no outcome '{other}'"), help);
                return None;
            }
        };
        let exit_code =
            node.get("exit_code").and_then(Node::as_i64).and_then(|code| i32::try_from(code).ok());
        Some(FaultRule {
            step: text("step"),
            plugin: text("plugin"),
            action: text("action"),
            exec: text("exec"),
            component: text("component"),
            selector: text("selector"),
            index: self.count(node, "index"),
            attempt: self.count(node, "attempt"),
            times: self.count(node, "times"),
            outcome,
            exit_code: exit_code.unwrap_or(1),
            message: text("message"),
            leave: self.flag(node, "leave"),
        })
    }
}

impl Simulation {
    /// Returns the script of a probe container: by its image, else by the image's name without a version.
    pub(crate) fn probe(&self, image: &str) -> Option<&Script> {
        let bare = image.rsplit_once(':').map_or(image, |(name, _)| name);
        self.probes.get(image).or_else(|| self.probes.get(bare))
    }
}

impl Planted {
    fn of(component: &Text, image: Text) -> Self {
        Self {
            component: component.clone(),
            image,
            index: None,
            id: None,
            ip: None,
            stopped: false,
            balancers: None,
        }
    }
}
