//! Run specs: an app or a pod with all its requirements for the scheduler.
//!
//! *Knows*: how the canonical form becomes numbers. *Must not know*: instances, offers.
//!
//! **Source**: `marathon: raml/AppConversion.scala, PodConversion.scala, state/AppDefinition.scala, core/pod/PodDefinition.scala`.
//! Match.

use super::double::Double;
use super::peek::Peek;
use super::{Refused, checks, normal};
use crate::id::PathId;
use planarium_kernel::{Digestible, Milli, SortedMap, sorted};
use planarium_protocol::Text;
use regex_lite::Regex;
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};

/// A version: the instant of the change that made it. *Units*: milliseconds since genesis.
pub(crate) type Stamp = u64;

/// Versions of a spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct VersionInfo {
    /// Of the last change of any kind.
    pub(crate) version: Stamp,
    /// Of the last change of the number of instances; with a new spec, that of the spec.
    pub(crate) scaled: Stamp,
    /// Of the last change of anything else.
    pub(crate) changed: Stamp,
}

impl VersionInfo {
    /// Creates the version info of a new spec.
    pub(crate) fn all(version: Stamp) -> Self {
        Self { version, scaled: version, changed: version }
    }
}

/// App or pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An app.
    App,
    /// A pod.
    Pod,
}

/// An app or a pod.
#[derive(Clone, Debug, PartialEq, Digestible)]
#[digest(version.version, version.changed, instances)]
pub(crate) struct RunSpec {
    /// Id.
    pub(crate) id: PathId,
    /// Wanted number.
    pub(crate) instances: u32,
    /// Versions.
    pub(crate) version: VersionInfo,
    /// Everything else.
    pub(crate) def: Arc<Definition>,
}

/// Parts that stay the same when a spec is scaled or restarted.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// App or pod.
    pub(crate) kind: Kind,
    /// The canonical form without id, instances and versions.
    pub(crate) json: Map<String, Value>,
    /// The role it runs under.
    pub(crate) role: Text,
    /// Roles whose resources it takes; empty for the default.
    pub(crate) accepted: Vec<Text>,
    /// Needs of one instance, executors of pods included.
    pub(crate) needs: Amounts,
    /// Its tasks: one for an app, one per container for a pod.
    pub(crate) tasks: Vec<TaskDef>,
    /// Ports on the host.
    pub(crate) ports: HostPorts,
    /// Ports for load balancers.
    pub(crate) service_ports: Vec<u32>,
    /// Volumes that outlive tasks.
    pub(crate) volumes: Vec<VolumeDef>,
    /// Placement.
    pub(crate) constraints: Vec<Constraint>,
    /// Its dependencies.
    pub(crate) dependencies: Vec<PathId>,
    /// Share of instances that stay healthy during an upgrade.
    pub(crate) min_health: Double,
    /// Share of instances that an upgrade may have on top.
    pub(crate) over_capacity: Double,
    /// Launch delays after failures.
    pub(crate) backoff: BackoffDef,
    /// Scaling down kills the oldest first.
    pub(crate) oldest_first: bool,
    /// When instances that do not answer are replaced and forgotten; never when none. *Units*: milliseconds.
    pub(crate) unreachable: Option<(u64, u64)>,
    /// Health checks of an app.
    pub(crate) health: Vec<HealthDef>,
    /// Containers have health checks of their own (pods).
    pub(crate) pod_health: bool,
    /// A check whose result is only shown.
    pub(crate) has_check: bool,
    /// Readiness check.
    pub(crate) readiness: Option<ReadinessDef>,
}

impl PartialEq for Definition {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.json == other.json
    }
}

/// Scalars that an instance needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amounts {
    pub(crate) cpus: Milli,
    pub(crate) mem: Milli,
    pub(crate) disk: Milli,
    pub(crate) gpus: Milli,
}

impl Amounts {
    fn of(from: &impl Peek) -> Self {
        Self {
            cpus: from.milli("cpus"),
            mem: from.milli("mem"),
            disk: from.milli("disk"),
            gpus: from.milli("gpus"),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            cpus: self.cpus.saturating_add(other.cpus),
            mem: self.mem.saturating_add(other.mem),
            disk: self.disk.saturating_add(other.disk),
            gpus: self.gpus.saturating_add(other.gpus),
        }
    }
}

/// One task of an instance.
#[derive(Clone, Debug)]
pub(crate) struct TaskDef {
    /// Name of the container of a pod; empty for an app.
    pub(crate) name: Text,
    /// The program it runs.
    pub(crate) command: Text,
    /// Its image.
    pub(crate) image: Option<Text>,
    /// Its own needs.
    pub(crate) needs: Amounts,
    /// The agent's own health check.
    pub(crate) health: Option<HealthDef>,
    /// Time between SIGTERM and SIGKILL. *Units*: milliseconds.
    pub(crate) grace_ms: Option<u64>,
    /// Number of the spec's ports that are its own.
    pub(crate) ports: u32,
    /// Name and labels of all its tasks, once one was launched.
    pub(crate) described: OnceLock<(Text, SortedMap<Text, Text>)>,
}

/// Ports on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostPorts {
    /// This number of any ports.
    Any(u32),
    /// These very ones.
    Fixed(Vec<u32>),
    /// One per mapping: none, any (0) or this one.
    Mapped(Vec<Option<u32>>),
}

impl HostPorts {
    /// Returns the number of ports, mapped or not.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Any(count) => *count as usize,
            Self::Fixed(ports) => ports.len(),
            Self::Mapped(ports) => ports.len(),
        }
    }
}

/// A disk's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskKind {
    Root,
    Path,
    Mount,
}

/// A volume that outlives tasks.
#[derive(Clone, Debug)]
pub(crate) struct VolumeDef {
    /// Its path in tasks.
    pub(crate) path: Text,
    pub(crate) disk: DiskKind,
    /// *Units*: MiB.
    pub(crate) size: Milli,
    pub(crate) max_size: Option<Milli>,
    pub(crate) profile: Option<Text>,
    /// Patterns that the path of the disk has to match.
    pub(crate) path_like: Vec<Regex>,
}

/// Fields that a constraint refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConstraintField {
    Hostname,
    Region,
    Zone,
    Attribute(Text),
}

/// Operators of a constraint.
#[derive(Clone, Debug)]
pub(crate) enum Operator {
    Unique,
    /// Anywhere, as long as all are together; or there.
    Cluster(Option<Text>),
    /// Over this many values; 0 if not specified.
    GroupBy(u32),
    Like(Regex),
    Unlike(Regex),
    MaxPer(u32),
    Is(Text),
}

/// A rule of placement.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) field: ConstraintField,
    pub(crate) operator: Operator,
    /// As written, for explanations.
    pub(crate) text: Text,
}

/// Launch delays after failures. *Units*: milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BackoffDef {
    pub(crate) first_ms: u64,
    pub(crate) factor: Double,
    pub(crate) max_ms: u64,
}

/// A health check. *Units*: milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct HealthDef {
    /// The agent runs it.
    pub(crate) by_agent: bool,
    /// `HTTP`, `TCP`, `COMMAND`, ...
    pub(crate) protocol: Text,
    /// The request: a path or a command.
    pub(crate) asks: Text,
    pub(crate) grace_ms: u64,
    pub(crate) interval_ms: u64,
    pub(crate) timeout_ms: u64,
    pub(crate) max_failures: u32,
    pub(crate) delay_ms: u64,
    /// As written.
    pub(crate) json: Value,
}

/// A readiness check. *Units*: milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct ReadinessDef {
    pub(crate) name: Text,
    pub(crate) path: Text,
    pub(crate) interval_ms: u64,
    pub(crate) timeout_ms: u64,
    pub(crate) codes: Vec<i64>,
    pub(crate) keeps: bool,
}

impl Definition {
    /// Sets the service ports of an app: nothing else depends on them.
    pub(crate) fn set_service_ports(&mut self, ports: &[u32]) {
        let mapped = self.json.object("container").is_some_and(|container| container.holds("portMappings"));
        let (list, key) = if mapped {
            let container = self.json.get_mut("container");
            (container.and_then(|container| container.get_mut("portMappings")), "servicePort")
        } else {
            (self.json.get_mut("portDefinitions"), "port")
        };
        if let Some(Value::Array(items)) = list {
            for (item, port) in items.iter_mut().filter_map(Value::as_object_mut).zip(ports) {
                item.insert(key.to_owned(), Value::from(*port));
            }
        }
        (self.ports, self.service_ports) = ports_of(&self.json);
    }
}

impl RunSpec {
    /// Returns whether it is an app.
    pub(crate) fn is_app(&self) -> bool {
        self.def.kind == Kind::App
    }

    /// Returns whether it keeps volumes.
    pub(crate) fn is_resident(&self) -> bool {
        !self.def.volumes.is_empty()
    }

    /// Returns whether anything but the number of instances differs in what runs.
    ///
    /// **Source**: `marathon: state/AppDefinition.scala, core/pod/PodDefinition.scala (isUpgrade)`. Match.
    pub(crate) fn is_upgrade(&self, to: &Self) -> bool {
        if Arc::ptr_eq(&self.def, &to.def) {
            return false;
        }
        let is_pod = self.def.kind == Kind::Pod;
        // What an executor needs is not looked at.
        let counts = |key: &str| key != "executorResources" && !(is_pod && key == "legacySharedCgroups");
        let (mine, theirs) = (&self.def.json, &to.def.json);
        let differs = |key: &str| match (mine.get(key), theirs.get(key)) {
            (Some(mine), Some(theirs)) if is_pod && key == "scheduling" => !is_alike(mine, theirs),
            (mine, theirs) => mine != theirs,
        };
        self.def.kind != to.def.kind
            || mine.keys().filter(|key| counts(key)).any(|key| differs(key))
            || theirs.keys().filter(|key| counts(key)).any(|key| !mine.contains_key(key))
    }

    /// Returns whether only the number of instances differs.
    pub(crate) fn is_only_scale(&self, to: &Self) -> bool {
        !self.is_upgrade(to) && self.instances != to.instances
    }

    /// Returns whether its instances have to be replaced.
    pub(crate) fn needs_restart(&self, to: &Self) -> bool {
        self.version != to.version || self.is_upgrade(to)
    }

    /// Returns whether something says more of an instance than that it runs.
    pub(crate) fn has_checks(&self) -> bool {
        !self.def.health.is_empty()
            || self.def.pod_health
            || self.def.has_check
            || self.def.readiness.is_some()
    }

    /// Returns whether deployments wait for health.
    pub(crate) fn has_health(&self) -> bool {
        !self.def.health.is_empty() || self.def.pod_health
    }

    /// Names of ports in order, where they have one.
    pub(crate) fn word(&self) -> &'static str {
        match self.def.kind {
            Kind::App => "Application",
            Kind::Pod => "Pod",
        }
    }
}

fn text(value: &str) -> Text {
    value.into()
}

fn seconds(from: &impl Peek, key: &str) -> u64 {
    u64::try_from(from.whole(key).unwrap_or(0)).unwrap_or(0).saturating_mul(1000)
}

/// Seconds with decimals. *Units*: milliseconds.
fn decimal_seconds(from: &impl Peek, key: &str) -> u64 {
    u64::try_from(from.milli(key).thousandths()).unwrap_or(0)
}

fn port(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(0)
}

fn count(value: Option<i64>) -> u32 {
    value.map_or(0, |value| u32::try_from(value).unwrap_or(0))
}

/// Sorts a list without a defined order, and removes duplicates.
fn as_set(app: &mut Map<String, Value>, key: &str) {
    if let Some(Value::Array(items)) = app.get_mut(key) {
        let mut keyed: Vec<(String, Value)> = items.drain(..).map(|item| (in_order(&item), item)).collect();
        sorted::sort_by(&mut keyed, |one, other| one.0.cmp(&other.0));
        keyed.dedup_by(|one, other| one.0 == other.0);
        items.extend(keyed.into_iter().map(|(_, item)| item));
    }
}

/// Returns the text of a value with sorted keys: equal values have equal texts.
pub(super) fn in_order(value: &Value) -> String {
    fn write(value: &Value, text: &mut String) {
        match value {
            Value::Object(map) => {
                let mut fields: Vec<(&String, &Value)> = map.iter().collect();
                sorted::sort_by(&mut fields, |one, other| one.0.cmp(other.0));
                text.push('{');
                for (key, value) in fields {
                    text.push_str(key);
                    text.push(':');
                    write(value, text);
                    text.push(',');
                }
                text.push('}');
            }
            Value::Array(items) => {
                text.push('[');
                for item in items {
                    write(item, text);
                    text.push(',');
                }
                text.push(']');
            }
            other => text.push_str(&other.to_string()),
        }
    }
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Returns whether pods that are scheduled in these two ways need not be replaced: who is killed first and how long the unreachable are
/// waited for are not looked at, and of rules of placement the order is not.
fn is_alike(one: &Value, other: &Value) -> bool {
    let rules = |scheduling: &Value, key: &str| {
        let mut placement = scheduling.object("placement").cloned().unwrap_or_default();
        as_set(&mut placement, key);
        placement.get(key).cloned()
    };
    ["backoff", "upgrade"].iter().all(|key| one.field(key) == other.field(key))
        && ["constraints", "acceptedResourceRoles"].iter().all(|key| rules(one, key) == rules(other, key))
}

/// The app of a canonical form.
///
/// *Errors*: checks that the real system fails at.
pub(crate) fn app(from: Value) -> Result<RunSpec, Refused> {
    let mut json = super::into_map(from);
    if let Some(text) = json.items("healthChecks").iter().find_map(checks::senseless) {
        return Err(Refused::Internal(text));
    }
    if let Some(Value::Array(checks)) = json.get_mut("healthChecks") {
        checks.iter_mut().filter_map(Value::as_object_mut).for_each(checks::settle);
    }
    if let Some(Value::Array(constraints)) = json.get_mut("constraints") {
        let operators = constraints.iter_mut().filter_map(|one| one.as_array_mut()?.get_mut(1));
        operators.filter(|one| one.is_string()).for_each(|one| {
            *one = one.as_str().unwrap_or_default().to_ascii_uppercase().into();
        });
    }
    if let Some(Value::Array(checks)) = json.get_mut("readinessChecks") {
        let checks = checks.iter_mut().filter_map(Value::as_object_mut);
        checks.for_each(|check| as_set(check, "httpStatusCodesForReady"));
    }
    for key in ["constraints", "dependencies", "healthChecks", "acceptedResourceRoles"] {
        as_set(&mut json, key);
    }
    default_strategy(&mut json);
    default_disks(&mut json);
    let persistent = json.object("container").is_some_and(|container| {
        container.items("volumes").iter().any(|volume| volume.field("persistent").is_some())
    });
    json.shift_remove("residency");
    if persistent {
        json.insert("residency".to_owned(), normal::residency());
    }
    let id = PathId::absolute(json.word("id"));
    let instances = count(json.whole("instances"));
    for key in ["id", "instances", "version", "versionInfo"] {
        json.shift_remove(key);
    }
    let def = definition_of_app(json);
    Ok(RunSpec { id, instances, version: VersionInfo::default(), def: Arc::new(def) })
}

pub(super) fn default_strategy(app: &mut Map<String, Value>) {
    if app.contains_key("upgradeStrategy") {
        return;
    }
    let kept = app.object("container").is_some_and(|container| {
        container
            .items("volumes")
            .iter()
            .any(|v| v.field("persistent").is_some() || v.field("external").is_some())
    });
    let (over, min) = if kept { (0.0, 0.5) } else { (1.0, 1.0) };
    let mut strategy = Map::new();
    strategy.insert("maximumOverCapacity".to_owned(), crate::schema::plain(over));
    strategy.insert("minimumHealthCapacity".to_owned(), crate::schema::plain(min));
    app.insert("upgradeStrategy".to_owned(), Value::Object(strategy));
}

/// Persistent volumes say which disk they are on.
fn default_disks(app: &mut Map<String, Value>) {
    let Some(Value::Object(container)) = app.get_mut("container") else { return };
    let Some(Value::Array(volumes)) = container.get_mut("volumes") else { return };
    for info in volumes.iter_mut().filter_map(|volume| volume.get_mut("persistent")?.as_object_mut()) {
        let default = if info.contains_key("profileName") { "mount" } else { "root" };
        if !info.contains_key("type") {
            info.insert("type".to_owned(), Value::String(default.to_owned()));
        }
        as_set(info, "constraints");
    }
}

/// Ports of an app on the host, and for load balancers.
fn ports_of(json: &Map<String, Value>) -> (HostPorts, Vec<u32>) {
    let container = json.object("container");
    let mapped = container.map(|container| container.items("portMappings")).unwrap_or_default();
    let defined = json.items("portDefinitions");
    let ports = if !mapped.is_empty() {
        HostPorts::Mapped(mapped.iter().map(|mapping| mapping.whole("hostPort").map(port)).collect())
    } else if json.flag("requirePorts") {
        HostPorts::Fixed(defined.iter().map(|one| port(one.whole("port").unwrap_or(0))).collect())
    } else {
        HostPorts::Any(u32::try_from(defined.len()).unwrap_or(u32::MAX))
    };
    let (all, key) = if mapped.is_empty() { (defined, "port") } else { (mapped, "servicePort") };
    (ports, all.iter().map(|one| port(one.whole(key).unwrap_or(0))).collect())
}

fn definition_of_app(json: Map<String, Value>) -> Definition {
    let container = json.object("container");
    let (ports, service_ports) = ports_of(&json);
    let needs = Amounts::of(&json);
    let health: Vec<HealthDef> = json.items("healthChecks").iter().map(health_of).collect();
    let task = TaskDef {
        name: Text::default(),
        command: json.text("cmd").map_or_else(|| json.texts("args").join(" ").into(), Text::from),
        image: container
            .and_then(|container| container.object("docker"))
            .map(|docker| text(docker.word("image"))),
        needs,
        health: health.iter().find(|check| check.by_agent).cloned(),
        grace_ms: json
            .whole("taskKillGracePeriodSeconds")
            .map(|_| seconds(&json, "taskKillGracePeriodSeconds")),
        ports: u32::try_from(ports.len()).unwrap_or(u32::MAX),
        described: OnceLock::new(),
    };
    let volumes = container.map(|container| container.items("volumes")).unwrap_or_default();
    let volumes =
        volumes.iter().filter_map(|volume| Some((volume.word("containerPath"), volume.field("persistent")?)));
    let strategy = json.object("upgradeStrategy");
    let share = |key: &str| strategy.map_or(Double::ONE, |strategy| Double::of(strategy.number(key)));
    Definition {
        kind: Kind::App,
        role: text(json.word("role")),
        accepted: json.texts("acceptedResourceRoles").into_iter().map(text).collect(),
        needs,
        tasks: vec![task],
        ports,
        service_ports,
        volumes: volumes.map(|(path, info)| volume_of(path, info)).collect(),
        constraints: json.items("constraints").iter().filter_map(constraint_of).collect(),
        dependencies: json.texts("dependencies").into_iter().map(PathId::absolute).collect(),
        min_health: share("minimumHealthCapacity"),
        over_capacity: share("maximumOverCapacity"),
        backoff: BackoffDef {
            first_ms: seconds(&json, "backoffSeconds"),
            factor: Double::of(json.number("backoffFactor")),
            max_ms: seconds(&json, "maxLaunchDelaySeconds"),
        },
        oldest_first: json.word("killSelection") == "OLDEST_FIRST",
        unreachable: unreachable_of(json.get("unreachableStrategy")),
        health,
        pod_health: false,
        has_check: json.contains_key("check"),
        readiness: json.items("readinessChecks").first().map(readiness_of),
        json,
    }
}

fn unreachable_of(value: Option<&Value>) -> Option<(u64, u64)> {
    match value {
        Some(Value::String(_)) => None,
        Some(value) => Some((seconds(value, "inactiveAfterSeconds"), seconds(value, "expungeAfterSeconds"))),
        None => Some((0, 0)),
    }
}

fn health_of(check: &Value) -> HealthDef {
    let asks = match check.field("command") {
        Some(command) => command.word("value"),
        None => check.text("path").unwrap_or("/"),
    };
    HealthDef {
        by_agent: checks::is_mesos(check),
        protocol: text(check.word("protocol")),
        asks: text(asks),
        grace_ms: seconds(check, "gracePeriodSeconds"),
        interval_ms: seconds(check, "intervalSeconds"),
        timeout_ms: seconds(check, "timeoutSeconds"),
        max_failures: count(check.whole("maxConsecutiveFailures")),
        delay_ms: seconds(check, "delaySeconds"),
        json: check.clone(),
    }
}

fn readiness_of(check: &Value) -> ReadinessDef {
    ReadinessDef {
        name: text(check.word("name")),
        path: text(check.word("path")),
        interval_ms: seconds(check, "intervalSeconds"),
        timeout_ms: seconds(check, "timeoutSeconds"),
        codes: check.items("httpStatusCodesForReady").iter().filter_map(Value::as_i64).collect(),
        keeps: check.flag("preserveLastResponse"),
    }
}

fn volume_of(path: &str, info: &Value) -> VolumeDef {
    let mib = |key: &str| info.whole(key).map(Milli::from_int);
    let default = if info.field("profileName").is_some() { "mount" } else { "root" };
    let like =
        info.items("constraints").iter().filter_map(|constraint| constraint.as_array()?.get(2)?.as_str());
    VolumeDef {
        path: text(path),
        disk: match info.text("type").unwrap_or(default) {
            "mount" => DiskKind::Mount,
            "path" => DiskKind::Path,
            _ => DiskKind::Root,
        },
        size: mib("size").unwrap_or(Milli::ZERO),
        max_size: mib("maxSize"),
        profile: info.text("profileName").map(text),
        path_like: like.filter_map(whole_regex).collect(),
    }
}

/// An expression that has to match the whole text.
fn whole_regex(text: &str) -> Option<Regex> {
    Regex::new(&format!("^(?:{text})$")).ok()
}

fn constraint_of(constraint: &Value) -> Option<Constraint> {
    let parts: Vec<&str> = constraint.as_array()?.iter().filter_map(Value::as_str).collect();
    let operator = parts.get(1)?.to_ascii_uppercase();
    constraint_from(parts.first()?, &operator, parts.get(2).copied())
}

fn constraint_from(field: &str, operator: &str, value: Option<&str>) -> Option<Constraint> {
    let number =
        || value.and_then(|value| value.parse::<i32>().ok()).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    let written = value.unwrap_or_default();
    let parsed = match operator {
        "UNIQUE" => Operator::Unique,
        "CLUSTER" => Operator::Cluster((!written.is_empty()).then(|| text(written))),
        "GROUP_BY" => Operator::GroupBy(number()),
        "LIKE" => Operator::Like(whole_regex(written)?),
        // An empty UNLIKE matches every value.
        "UNLIKE" if written.is_empty() => Operator::Unlike(Regex::new("").ok()?),
        "UNLIKE" => Operator::Unlike(whole_regex(written)?),
        "MAX_PER" => Operator::MaxPer(number()),
        "IS" => Operator::Is(text(written)),
        _ => return None,
    };
    let on = match field {
        "hostname" | "@hostname" => ConstraintField::Hostname,
        "@region" => ConstraintField::Region,
        "@zone" => ConstraintField::Zone,
        name => ConstraintField::Attribute(text(name)),
    };
    let shown = if written.is_empty() {
        format!("{field} {operator}")
    } else {
        format!("{field} {operator} {written}")
    };
    Some(Constraint { field: on, operator: parsed, text: shown.into() })
}

/// The pod of a canonical form.
pub(crate) fn pod(mut json: Map<String, Value>) -> RunSpec {
    let id = PathId::absolute(json.word("id"));
    let instances = json.object("scaling").map_or(Some(1), |scaling| scaling.whole("instances"));
    for key in ["id", "scaling", "version"] {
        json.shift_remove(key);
    }
    let def = Arc::new(definition_of_pod(json));
    RunSpec { id, instances: count(instances), version: VersionInfo::default(), def }
}

fn definition_of_pod(json: Map<String, Value>) -> Definition {
    let containers = json.items("containers");
    let tasks: Vec<TaskDef> = containers.iter().map(container_of).collect();
    let executor = json.object("executorResources").map_or_else(Amounts::default, Amounts::of);
    let needs = tasks.iter().fold(executor, |sum, task| sum.plus(task.needs));
    let endpoints = containers.iter().flat_map(|container| container.items("endpoints"));
    let ports = endpoints.map(|endpoint| endpoint.whole("hostPort").map(port)).collect();
    let none = Map::new();
    let scheduling = json.object("scheduling").unwrap_or(&none);
    let backoff = scheduling.object("backoff");
    let upgrade = scheduling.object("upgrade");
    let placement = scheduling.object("placement").unwrap_or(&none);
    let volumes = json
        .items("volumes")
        .iter()
        .filter_map(|volume| Some((volume.word("name"), volume.field("persistent")?)));
    let volumes: Vec<VolumeDef> = volumes.map(|(name, info)| volume_of(name, info)).collect();
    let share = |key: &str, resident: Double| match upgrade {
        Some(upgrade) => Double::of(upgrade.number(key)),
        None if volumes.is_empty() => Double::ONE,
        None => resident,
    };
    let constraint =
        |one: &Value| constraint_from(one.word("fieldName"), one.word("operator"), one.text("value"));
    Definition {
        kind: Kind::Pod,
        role: text(json.word("role")),
        accepted: placement.texts("acceptedResourceRoles").into_iter().map(text).collect(),
        needs,
        pod_health: containers.iter().any(|container| container.field("healthCheck").is_some()),
        ports: HostPorts::Mapped(ports),
        service_ports: Vec::new(),
        constraints: placement.items("constraints").iter().filter_map(constraint).collect(),
        dependencies: Vec::new(),
        min_health: share("minimumHealthCapacity", Double::HALF),
        over_capacity: share("maximumOverCapacity", Double::ZERO),
        backoff: backoff.map_or(
            BackoffDef { first_ms: 1_000, factor: Double::of(1.15), max_ms: 300_000 },
            |backoff| BackoffDef {
                first_ms: decimal_seconds(backoff, "backoff"),
                factor: Double::of(backoff.number("backoffFactor")),
                max_ms: decimal_seconds(backoff, "maxLaunchDelay"),
            },
        ),
        oldest_first: scheduling.word("killSelection") == "OLDEST_FIRST",
        unreachable: match scheduling.get("unreachableStrategy") {
            None if !volumes.is_empty() => None,
            given => unreachable_of(given),
        },
        health: Vec::new(),
        has_check: false,
        readiness: None,
        tasks,
        volumes,
        json,
    }
}

fn container_of(container: &Value) -> TaskDef {
    let command = container.field("exec").and_then(|exec| exec.field("command"));
    let command = command
        .map(|command| command.text("shell").map_or_else(|| command.texts("argv").join(" "), str::to_owned));
    let grace =
        container.field("lifecycle").filter(|lifecycle| lifecycle.field("killGracePeriodSeconds").is_some());
    TaskDef {
        name: text(container.word("name")),
        command: command.unwrap_or_default().into(),
        image: container.field("image").map(|image| text(image.word("id"))),
        needs: container.field("resources").map_or_else(Amounts::default, Amounts::of),
        health: container.field("healthCheck").map(pod_health),
        grace_ms: grace.map(|lifecycle| decimal_seconds(lifecycle, "killGracePeriodSeconds")),
        ports: u32::try_from(container.items("endpoints").len()).unwrap_or(u32::MAX),
        described: OnceLock::new(),
    }
}

fn pod_health(check: &Value) -> HealthDef {
    let (protocol, asks) = if let Some(exec) = check.field("exec") {
        let command = exec.field("command");
        let shell = command.and_then(|command| command.text("shell")).map(str::to_owned);
        let argv = command.map(|command| command.texts("argv").join(" "));
        ("COMMAND", shell.or(argv).unwrap_or_default())
    } else if let Some(http) = check.field("http") {
        ("MESOS_HTTP", http.text("path").unwrap_or("/").to_owned())
    } else {
        ("MESOS_TCP", String::new())
    };
    HealthDef { by_agent: true, protocol: text(protocol), asks: asks.into(), ..health_of(check) }
}
