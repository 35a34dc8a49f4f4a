//! The columns of tables, kind by kind.
//!
//! Source: `kubernetes/kubernetes: pkg/printers/internalversion/printers.go` (1.29), match.

use crate::{
    calendar,
    kinds::{KindId, KindInfo},
    kube::Kube,
    object::Object,
    selector::Selector,
    spec::{Spec, pod::PodSpec},
    status::{Status, Tri},
    tree::Tree,
};
use planarium_kernel::SimTime;
use planarium_protocol::{
    Text,
    json::{Map, Value},
};
use std::sync::Arc;

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    name: Text,
    kind: Text,
    format: &'static str,
    priority: i64,
}

impl Column {
    fn new(name: &str, kind: &str, priority: i64) -> Self {
        let format = if name == "Name" && priority == 0 { "name" } else { "" };
        Self { name: name.into(), kind: kind.into(), format, priority }
    }

    pub(super) fn to_value(&self) -> Value {
        planarium_protocol::json!({
            "name": self.name, "type": self.kind, "format": self.format, "description": "", "priority": self.priority,
        })
    }
}

/// Makes the cells of a row.
pub(super) type Cells = Box<dyn Fn(&Kube, &Object, SimTime) -> Value>;

/// Columns and how their cells are made.
pub(super) struct Columns {
    pub(super) columns: Vec<Column>,
    pub(super) cells: Cells,
}

type Row = fn(&Kube, &Object, SimTime) -> Value;

/// Parses `Name:string:0`, several separated by spaces; `|` begins the columns shown on demand.
fn columns(words: &str) -> Vec<Column> {
    let mut priority = 0;
    let mut all = Vec::new();
    for word in words.split(',').map(str::trim) {
        if word == "|" {
            priority = 1;
            continue;
        }
        let (name, kind) = word.strip_suffix('#').map_or((word, "string"), |name| (name, "integer"));
        all.push(Column::new(name, kind, priority));
    }
    all
}

pub(super) fn of_events() -> Vec<Column> {
    let mut all = columns("Last Seen, Type, Reason, Object");
    all.extend([
        Column::new("Subobject", "string", 1),
        Column::new("Source", "string", 1),
        Column::new("Message", "string", 0),
        Column::new("First Seen", "string", 1),
        Column::new("Count", "string", 1),
        Column { format: "name", ..Column::new("Name", "string", 1) },
    ]);
    all
}

/// Columns that say most about an object's state, the best one first.
const STATES: &[&str] =
    &["Status", "Ready", "Completions", "Available", "Desired", "Schedule", "Targets", "Data"];

/// The state of an object in few words: the column of its kind that says most.
pub(crate) fn state(kube: &Kube, object: &Object, now: SimTime) -> String {
    let Columns { columns, cells } = of(&object.info, object.kind);
    let cells = cells(kube, object, now);
    let found = STATES.iter().find_map(|name| {
        let at = columns.iter().position(|column| *column.name == **name)?;
        Some((*name, cells.get(at)?))
    });
    let Some((name, cell)) = found else { return String::new() };
    let text = planarium_protocol::json::bare(cell);
    if name == "Status" { text } else { format!("{} {text}", name.to_lowercase()) }
}

/// The columns of a kind.
pub(super) fn of(info: &Arc<KindInfo>, kind: KindId) -> Columns {
    if info.custom {
        return custom(info);
    }
    let (words, row): (&str, Row) = match kind {
        KindId::POD => {
            ("Name, Ready, Status, Restarts#, Age, |, IP, Node, Nominated Node, Readiness Gates", pod)
        }
        KindId::DEPLOYMENT => {
            ("Name, Ready, Up-to-date, Available, Age, |, Containers, Images, Selector", deployment)
        }
        KindId::REPLICA_SET => {
            ("Name, Desired#, Current#, Ready#, Age, |, Containers, Images, Selector", replica_set)
        }
        KindId::STATEFUL_SET => ("Name, Ready, Age, |, Containers, Images", stateful_set),
        KindId::DAEMON_SET => (
            "Name, Desired#, Current#, Ready#, Up-to-date#, Available#, Node Selector, Age, |, Containers, Images, Selector",
            daemon_set,
        ),
        KindId::JOB => ("Name, Completions, Duration, Age, |, Containers, Images, Selector", job),
        KindId::CRON_JOB => (
            "Name, Schedule, Suspend, Active#, Last Schedule, Age, |, Containers, Images, Selector",
            cron_job,
        ),
        KindId::SERVICE => ("Name, Type, Cluster-IP, External-IP, Port(s), Age, |, Selector", service),
        KindId::ENDPOINTS => ("Name, Endpoints, Age", endpoints),
        KindId::CONFIG_MAP => ("Name, Data, Age", config_map),
        KindId::SECRET => ("Name, Type, Data#, Age", secret),
        KindId::SERVICE_ACCOUNT => ("Name, Secrets, Age", account),
        KindId::NAMESPACE => ("Name, Status, Age", namespace),
        KindId::NODE => (
            "Name, Status, Roles, Age, Version, |, Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime",
            node,
        ),
        KindId::PERSISTENT_VOLUME => (
            "Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, Reason, Age, |, VolumeMode",
            volume,
        ),
        KindId::PERSISTENT_VOLUME_CLAIM => {
            ("Name, Status, Volume, Capacity, Access Modes, StorageClass, Age, |, VolumeMode", claim)
        }
        KindId::POD_DISRUPTION_BUDGET => {
            ("Name, Min Available, Max Unavailable, Allowed Disruptions#, Age", budget)
        }
        KindId::STORAGE_CLASS => {
            ("Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age", class)
        }
        KindId::CONTROLLER_REVISION => ("Name, Controller, Revision, Age", revision),
        KindId::ROLE_BINDING | KindId::CLUSTER_ROLE_BINDING => ("Name, Role, Age", binding),
        KindId::ROLE | KindId::CLUSTER_ROLE | KindId::CUSTOM_RESOURCE_DEFINITION => {
            ("Name, Created At", created)
        }
        KindId::RESOURCE_QUOTA => ("Name, Age, Request, Limit", quota),
        KindId::PRIORITY_CLASS => ("Name, Value#, Global-Default, Age", priority_class),
        KindId::HORIZONTAL_POD_AUTOSCALER => {
            ("Name, Reference, Targets, MinPods, MaxPods, Replicas#, Age", scaler)
        }
        KindId::ENDPOINT_SLICE => ("Name, AddressType, Ports, Endpoints, Age", slice),
        KindId::INGRESS => ("Name, Class, Hosts, Address, Ports, Age", ingress),
        KindId::INGRESS_CLASS => ("Name, Controller, Parameters, Age", ingress_class),
        KindId::NETWORK_POLICY => ("Name, Pod-Selector, Age", network_policy),
        KindId::RUNTIME_CLASS => ("Name, Handler, Age", runtime_class),
        KindId::LEASE => ("Name, Holder, Age", lease),
        _ => ("Name, Age", plain),
    };
    Columns { columns: columns(words), cells: Box::new(row) }
}

/// A custom kind: the columns of its CRD.
fn custom(info: &Arc<KindInfo>) -> Columns {
    let mut all = vec![Column::new("Name", "string", 0)];
    if info.columns.is_empty() {
        all.push(Column::new("Age", "date", 0));
    }
    all.extend(info.columns.iter().map(|column| Column::new(&column.name, &column.kind, column.priority)));
    let info = info.clone();
    let cells = move |_: &Kube, object: &Object, now: SimTime| {
        let mut cells = vec![Value::from(object.name.as_ref())];
        if info.columns.is_empty() {
            cells.push(age(object, now));
        }
        let value = object.to_value();
        for column in &info.columns {
            let found = at_path(&value, &column.path);
            cells.push(match (&*column.kind, found) {
                ("date", Some(Value::String(text))) => {
                    object.epoch.parse(&text).map_or(Value::Null, |at| calendar::age(now.since(at)).into())
                }
                ("string", Some(found)) if !found.is_string() => found.to_string().into(),
                (_, found) => found.unwrap_or_default(),
            });
        }
        Value::Array(cells)
    };
    Columns { columns: all, cells: Box::new(cells) }
}

/// Returns the value at a path such as `.status.conditions[?(@.type=="Ready")].status` or `.spec.list[0]`.
fn at_path(value: &Value, path: &str) -> Option<Value> {
    let mut here = value;
    let mut rest = path.trim_start_matches('.');
    while !rest.is_empty() {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (key, tail) = rest.split_at_checked(end)?;
        if !key.is_empty() {
            here = here.get(key)?;
        }
        rest = tail;
        if let Some(tail) = rest.strip_prefix('[') {
            let (inside, tail) = tail.split_once(']')?;
            here = match inside.strip_prefix("?(@.").and_then(|inside| inside.strip_suffix(')')) {
                Some(test) => {
                    let (key, wanted) = test.split_once("==")?;
                    let wanted = wanted.trim().trim_matches(['"', '\'']);
                    here.as_array()?.iter().find(|item| item.text(key.trim()) == wanted)?
                }
                None => match inside.trim_matches(['"', '\'']).parse::<usize>() {
                    Ok(at) => here.get(at)?,
                    Err(_) => here.get(inside.trim_matches(['"', '\'']))?,
                },
            };
            rest = tail;
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    Some(here.clone())
}

fn age(object: &Object, now: SimTime) -> Value {
    calendar::age(now.since(object.created)).into()
}

fn or_none(text: &str) -> Value {
    if text.is_empty() { "<none>".into() } else { text.into() }
}

/// Names and images of containers.
fn containers(spec: &PodSpec) -> (Value, Value) {
    let join = |of: fn(&crate::spec::container::Container) -> &str| {
        Value::from(spec.main().iter().map(of).collect::<Vec<_>>().join(","))
    };
    (join(|one| &one.name), join(|one| &one.image))
}

/// The template and selector of a workload.
fn workload(object: &Object) -> (Value, Value, Value) {
    let (template, selector): (Option<&PodSpec>, Option<&Selector>) = match &object.spec {
        Spec::Deployment(spec) => (Some(&spec.template.spec), Some(&spec.selector)),
        Spec::ReplicaSet(spec) => (Some(&spec.template.spec), Some(&spec.selector)),
        Spec::StatefulSet(spec) => (Some(&spec.template.spec), Some(&spec.selector)),
        Spec::DaemonSet(spec) => (Some(&spec.template.spec), Some(&spec.selector)),
        Spec::Job(spec) => (Some(&spec.template.spec), Some(&spec.selector)),
        _ => (None, None),
    };
    let (names, images) = template.map(containers).unwrap_or_default();
    (names, images, or_none(&selector.map(Selector::text).unwrap_or_default()))
}

fn pod(_: &Kube, object: &Object, now: SimTime) -> Value {
    let Some(facts) = object.pod() else { return Value::Null };
    let gates = match &object.spec {
        Spec::Pod(spec, _) if !spec.gates.is_empty() => {
            let open = |gate: &&Text| match &object.status {
                Status::Pod(status) => {
                    status.gates.iter().any(|one| one.kind == **gate && one.status == Tri::True)
                }
                _ => false,
            };
            format!("{}/{}", spec.gates.iter().filter(open).count(), spec.gates.len())
        }
        _ => "<none>".to_owned(),
    };
    let nominated = match &object.status {
        Status::Pod(status) => &*status.nominated,
        _ => "",
    };
    planarium_protocol::json!([
        object.name,
        format!("{}/{}", facts.ready_containers, facts.containers),
        facts.shown,
        facts.restarts,
        age(object, now),
        or_none(&facts.ip),
        or_none(&facts.node),
        or_none(nominated),
        gates,
    ])
}

fn deployment(_: &Kube, object: &Object, now: SimTime) -> Value {
    let Some(facts) = object.deployment() else { return Value::Null };
    let (names, images, selector) = workload(object);
    planarium_protocol::json!([
        object.name,
        format!("{}/{}", facts.ready_replicas, facts.spec_replicas),
        facts.updated_replicas,
        facts.available_replicas,
        age(object, now),
        names,
        images,
        selector,
    ])
}

fn replica_set(_: &Kube, object: &Object, now: SimTime) -> Value {
    let Some(facts) = object.replica_set() else { return Value::Null };
    let (names, images, selector) = workload(object);
    planarium_protocol::json!([
        object.name,
        facts.spec_replicas,
        facts.replicas,
        facts.ready_replicas,
        age(object, now),
        names,
        images,
        selector,
    ])
}

fn stateful_set(_: &Kube, object: &Object, now: SimTime) -> Value {
    let Some(facts) = object.stateful_set() else { return Value::Null };
    let (names, images, _) = workload(object);
    planarium_protocol::json!([
        object.name,
        format!("{}/{}", facts.ready_replicas, facts.spec_replicas),
        age(object, now),
        names,
        images,
    ])
}

fn daemon_set(_: &Kube, object: &Object, now: SimTime) -> Value {
    let Some(facts) = object.daemon_set() else { return Value::Null };
    let (names, images, selector) = workload(object);
    let nodes = Selector::of_map(object.content().at(&["spec", "template", "spec", "nodeSelector"])).text();
    planarium_protocol::json!([
        object.name,
        facts.desired,
        facts.current,
        facts.ready,
        facts.updated,
        facts.available,
        or_none(&nodes),
        age(object, now),
        names,
        images,
        selector,
    ])
}

fn job(_: &Kube, object: &Object, now: SimTime) -> Value {
    let (Some(facts), Status::Job(status)) = (object.job(), &object.status) else { return Value::Null };
    let (names, images, selector) = workload(object);
    let completions = match facts.completions {
        Some(wanted) => format!("{}/{wanted}", facts.succeeded),
        None if facts.parallelism > 1 => format!("{}/1 of {}", facts.succeeded, facts.parallelism),
        None => format!("{}/1", facts.succeeded),
    };
    let duration = match (status.start, status.completion) {
        (None, _) => String::new(),
        (Some(start), Some(end)) => calendar::age(end.since(start)),
        (Some(start), None) => calendar::age(now.since(start)),
    };
    planarium_protocol::json!([object.name, completions, duration, age(object, now), names, images, selector])
}

fn cron_job(_: &Kube, object: &Object, now: SimTime) -> Value {
    let (Spec::CronJob(spec), Status::Cron(status)) = (&object.spec, &object.status) else {
        return Value::Null;
    };
    let template = PodSpec::read(spec.job.at(&["template", "spec"]), true);
    let (names, images) = containers(&template);
    let last = status.last.map_or_else(|| "<none>".to_owned(), |last| calendar::age(now.since(last)));
    let suspend = if spec.suspend { "True" } else { "False" };
    planarium_protocol::json!([
        object.name,
        object.content().at(&["spec"]).text("schedule"),
        suspend,
        status.active.len(),
        last,
        age(object, now),
        names,
        images,
        "<none>",
    ])
}

fn service(_: &Kube, object: &Object, now: SimTime) -> Value {
    let spec = object.content().key("spec");
    let kind = spec.text("type");
    let external = match kind {
        "LoadBalancer" => {
            let status = object.status().unwrap_or_default();
            let ingress = status.key("loadBalancer").items("ingress");
            let all: Vec<&str> = ingress.iter().map(|one| one.text("ip")).collect();
            if all.is_empty() { "<pending>".to_owned() } else { all.join(",") }
        }
        "ExternalName" => spec.text("externalName").to_owned(),
        _ => {
            let all = spec.texts("externalIPs");
            let all: Vec<&str> = all.iter().map(|one| &**one).collect();
            if all.is_empty() { "<none>".to_owned() } else { all.join(",") }
        }
    };
    let port = |port: &Value| {
        let number = port.int("port").unwrap_or(0);
        match port.int("nodePort").filter(|node| *node > 0) {
            Some(node) => format!("{number}:{node}/{}", port.text("protocol")),
            None => format!("{number}/{}", port.text("protocol")),
        }
    };
    let ports = spec.items("ports").iter().map(port).collect::<Vec<_>>().join(",");
    let selector = Selector::of_map(spec.key("selector")).text();
    planarium_protocol::json!([
        object.name,
        kind,
        or_none(spec.text("clusterIP")),
        external,
        or_none(&ports),
        age(object, now),
        or_none(&selector),
    ])
}

fn endpoints(_: &Kube, object: &Object, now: SimTime) -> Value {
    let value = object.to_value();
    let mut all: Vec<String> = Vec::new();
    for subset in value.items("subsets") {
        for port in subset.items("ports") {
            for address in subset.items("addresses") {
                all.push(format!("{}:{}", address.text("ip"), port.int("port").unwrap_or(0)));
            }
        }
        if subset.items("ports").is_empty() {
            all.extend(subset.items("addresses").iter().map(|address| address.text("ip").to_owned()));
        }
    }
    let more = all.len().saturating_sub(3);
    all.truncate(3);
    let mut text = all.join(",");
    if more > 0 {
        text = format!("{text} + {more} more...");
    }
    planarium_protocol::json!([object.name, or_none(&text), age(object, now)])
}

fn entries(object: &Object, keys: &[&str]) -> usize {
    keys.iter().map(|key| object.content().key(key).as_object().map_or(0, Map::len)).sum()
}

fn config_map(_: &Kube, object: &Object, now: SimTime) -> Value {
    planarium_protocol::json!([object.name, entries(object, &["data", "binaryData"]), age(object, now)])
}

fn secret(_: &Kube, object: &Object, now: SimTime) -> Value {
    planarium_protocol::json!([
        object.name,
        object.content().text("type"),
        entries(object, &["data"]),
        age(object, now)
    ])
}

fn account(_: &Kube, object: &Object, now: SimTime) -> Value {
    planarium_protocol::json!([object.name, object.content().items("secrets").len(), age(object, now)])
}

fn phase(object: &Object) -> String {
    object.status().map_or_else(String::new, |status| status.text("phase").to_owned())
}

fn namespace(_: &Kube, object: &Object, now: SimTime) -> Value {
    planarium_protocol::json!([object.name, phase(object), age(object, now)])
}

fn node(kube: &Kube, object: &Object, now: SimTime) -> Value {
    let own = kube.cluster.nodes.named(&object.name);
    let mut words = vec![match own.map(|own| own.ready) {
        Some(Tri::True) => "Ready",
        _ => "NotReady",
    }];
    if own.is_some_and(|own| own.unschedulable) {
        words.push("SchedulingDisabled");
    }
    let status = object.status().unwrap_or_default();
    let info = status.key("nodeInfo");
    let address = status.items("addresses").iter().find(|one| one.text("type") == "InternalIP");
    planarium_protocol::json!([
        object.name,
        words.join(","),
        "<none>",
        age(object, now),
        info.text("kubeletVersion"),
        or_none(address.map_or("", |one| one.text("address"))),
        "<none>",
        info.text("osImage"),
        info.text("kernelVersion"),
        info.text("containerRuntimeVersion"),
    ])
}

/// `RWO,ROX`.
fn modes(list: &[Text]) -> String {
    let short = |mode: &Text| match &**mode {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        _ => "?",
    };
    list.iter().map(short).collect::<Vec<_>>().join(",")
}

fn shown_phase(object: &Object) -> String {
    if object.is_being_deleted() { "Terminating".to_owned() } else { phase(object) }
}

fn volume(_: &Kube, object: &Object, now: SimTime) -> Value {
    let spec = object.content().key("spec");
    let claim = spec.key("claimRef");
    let claim = if claim.is_object() {
        format!("{}/{}", claim.text("namespace"), claim.text("name"))
    } else {
        String::new()
    };
    planarium_protocol::json!([
        object.name,
        spec.at(&["capacity", "storage"]),
        modes(&spec.texts("accessModes")),
        spec.text("persistentVolumeReclaimPolicy"),
        shown_phase(object),
        claim,
        spec.text("storageClassName"),
        "",
        age(object, now),
        spec.text("volumeMode"),
    ])
}

fn claim(_: &Kube, object: &Object, now: SimTime) -> Value {
    let spec = object.content().key("spec");
    let status = object.status().unwrap_or_default();
    let bound = !spec.text("volumeName").is_empty();
    let capacity = if bound { status.at(&["capacity", "storage"]).as_str().unwrap_or_default() } else { "" };
    let shown = if bound { modes(&status.texts("accessModes")) } else { String::new() };
    planarium_protocol::json!([
        object.name,
        shown_phase(object),
        spec.text("volumeName"),
        capacity,
        shown,
        spec.text("storageClassName"),
        age(object, now),
        spec.text("volumeMode"),
    ])
}

fn budget(_: &Kube, object: &Object, now: SimTime) -> Value {
    let spec = object.content().key("spec");
    let share = |key: &str| match spec.key(key) {
        Value::Null => Value::from("N/A"),
        Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    };
    let allowed = match &object.status {
        Status::Budget(status) => status.allowed,
        _ => 0,
    };
    planarium_protocol::json!([
        object.name,
        share("minAvailable"),
        share("maxUnavailable"),
        allowed,
        age(object, now)
    ])
}

fn class(_: &Kube, object: &Object, now: SimTime) -> Value {
    let content = object.content();
    let is_default =
        object.annotations.get(crate::api::DEFAULT_CLASS).is_some_and(|value| &**value == "true");
    let name = if is_default { format!("{} (default)", object.name) } else { object.name.to_string() };
    planarium_protocol::json!([
        name,
        content.text("provisioner"),
        content.text("reclaimPolicy"),
        content.text("volumeBindingMode"),
        content.flag("allowVolumeExpansion"),
        age(object, now),
    ])
}

fn revision(_: &Kube, object: &Object, now: SimTime) -> Value {
    let owner = object.controller().map_or_else(
        || "<none>".to_owned(),
        |owner| {
            let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
            format!("{}.{group}/{}", owner.kind.to_lowercase(), owner.name)
        },
    );
    planarium_protocol::json!([
        object.name,
        owner,
        object.content().int("revision").unwrap_or(0),
        age(object, now)
    ])
}

fn binding(_: &Kube, object: &Object, now: SimTime) -> Value {
    let role = object.content().key("roleRef");
    planarium_protocol::json!([
        object.name,
        format!("{}/{}", role.text("kind"), role.text("name")),
        age(object, now)
    ])
}

fn quota(_: &Kube, object: &Object, now: SimTime) -> Value {
    let status = object.status().unwrap_or_default();
    let used = status.key("used");
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    let mut all: Vec<(&String, &Value)> = status.key("hard").as_object().into_iter().flatten().collect();
    planarium_kernel::sorted::sort_by(&mut all, |(one, _), (other, _)| one.cmp(other));
    for (key, hard) in all {
        let shown = |value: &Value| value.as_str().unwrap_or("0").to_owned();
        let text = format!("{key}: {}/{}", shown(used.key(key)), shown(hard));
        if key.starts_with("limits") { limits.push(text) } else { requests.push(text) }
    }
    planarium_protocol::json!([object.name, age(object, now), requests.join(", "), limits.join(", ")])
}

fn priority_class(_: &Kube, object: &Object, now: SimTime) -> Value {
    let content = object.content();
    planarium_protocol::json!([
        object.name,
        content.int("value").unwrap_or(0),
        content.flag("globalDefault"),
        age(object, now)
    ])
}

fn scaler(_: &Kube, object: &Object, now: SimTime) -> Value {
    let spec = object.content().key("spec");
    let status = object.status().unwrap_or_default();
    let target = spec.key("scaleTargetRef");
    let one = |metric: &Value| {
        let (name, wanted) = (metric.at(&["resource", "name"]), metric.at(&["resource", "target"]));
        let current = status
            .items("currentMetrics")
            .iter()
            .find(|one| one.at(&["resource", "name"]) == name)
            .map(|one| one.at(&["resource", "current"]));
        match wanted.int("averageUtilization") {
            Some(percent) => {
                let now = current.and_then(|one| one.int("averageUtilization"));
                format!("{}/{percent}%", now.map_or_else(|| "<unknown>".to_owned(), |now| format!("{now}%")))
            }
            None => {
                let now = current.map_or("<unknown>", |one| one.text("averageValue"));
                format!("{now}/{}", wanted.text("averageValue"))
            }
        }
    };
    let targets = spec.items("metrics").iter().map(one).collect::<Vec<_>>().join(", ");
    planarium_protocol::json!([
        object.name,
        format!("{}/{}", target.text("kind"), target.text("name")),
        or_none(&targets),
        spec.int("minReplicas").unwrap_or(1).to_string(),
        spec.int("maxReplicas").unwrap_or(0).to_string(),
        status.int("currentReplicas").unwrap_or(0),
        age(object, now),
    ])
}

fn slice(_: &Kube, object: &Object, now: SimTime) -> Value {
    let content = object.content();
    let first = |all: Vec<String>, otherwise: &str| {
        let more = all.len().saturating_sub(3);
        let shown = all.into_iter().take(3).collect::<Vec<_>>().join(",");
        match (shown.is_empty(), more) {
            (true, _) => otherwise.to_owned(),
            (false, 0) => shown,
            (false, more) => format!("{shown} + {more} more..."),
        }
    };
    let ports = content.items("ports").iter().map(|port| port.int("port").unwrap_or(0).to_string()).collect();
    let addresses = content.items("endpoints").iter();
    let addresses = addresses.flat_map(|one| one.texts("addresses")).map(|one| one.to_string()).collect();
    planarium_protocol::json!([
        object.name,
        content.text("addressType"),
        first(ports, "<unset>"),
        first(addresses, "<unset>"),
        age(object, now)
    ])
}

fn ingress(_: &Kube, object: &Object, now: SimTime) -> Value {
    let spec = object.content().key("spec");
    let hosts: Vec<&str> =
        spec.items("rules").iter().map(|rule| rule.text("host")).filter(|host| !host.is_empty()).collect();
    let hosts = if hosts.is_empty() { "*".to_owned() } else { hosts.join(",") };
    let ports = if spec.items("tls").is_empty() { "80" } else { "80, 443" };
    planarium_protocol::json!([
        object.name,
        or_none(spec.text("ingressClassName")),
        hosts,
        "",
        ports,
        age(object, now)
    ])
}

fn ingress_class(_: &Kube, object: &Object, now: SimTime) -> Value {
    let spec = object.content().key("spec");
    let parameters = spec.key("parameters");
    let shown = if parameters.is_object() {
        format!("{}/{}", parameters.text("kind"), parameters.text("name"))
    } else {
        String::new()
    };
    planarium_protocol::json!([object.name, spec.text("controller"), or_none(&shown), age(object, now)])
}

fn network_policy(_: &Kube, object: &Object, now: SimTime) -> Value {
    let selector = Selector::of_value(object.content().at(&["spec", "podSelector"])).text();
    planarium_protocol::json!([object.name, or_none(&selector), age(object, now)])
}

fn runtime_class(_: &Kube, object: &Object, now: SimTime) -> Value {
    planarium_protocol::json!([object.name, object.content().text("handler"), age(object, now)])
}

fn lease(_: &Kube, object: &Object, now: SimTime) -> Value {
    planarium_protocol::json!([
        object.name,
        object.content().at(&["spec"]).text("holderIdentity"),
        age(object, now)
    ])
}

fn created(_: &Kube, object: &Object, _: SimTime) -> Value {
    planarium_protocol::json!([object.name, object.epoch.text(object.created)])
}

fn plain(_: &Kube, object: &Object, now: SimTime) -> Value {
    planarium_protocol::json!([object.name, age(object, now)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_into_objects() {
        let value = json!({"spec": {"a": [1, 2], "b.c": 3}, "status": {"conditions": [{"type": "X", "status": "1"}, {"type": "Ready", "status": "2"}]}});
        for (path, expected) in [
            (".spec.a[1]", Some(json!(2))),
            (".status.conditions[?(@.type==\"Ready\")].status", Some(json!("2"))),
            (".spec['b.c']", Some(json!(3))),
            (".spec.none", None),
            (".spec.a[9]", None),
            ("[", None),
        ] {
            assert_eq!(at_path(&value, path), expected, "{path}");
        }
    }
}
