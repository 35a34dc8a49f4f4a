//! A pod as scheduler and kubelet see it.

use super::{
    container::Container,
    placement::{Placement, Toleration},
};
use crate::{
    amounts::Amounts,
    tree::{Tree, put_new, word},
};
use planarium_protocol::{
    Text,
    json::{self, Map, Value},
};
use std::sync::Arc;

/// The deed when a container ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Restart {
    Always,
    OnFailure,
    Never,
}

/// The source of a volume, as far as it has to be there first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Claim(Text),
    ConfigMap(Text),
    Secret(Text),
}

/// The part of a spec that pods of one template share.
#[derive(Clone, Debug)]
pub(crate) struct PodSpec {
    /// Number of init containers among the containers.
    pub(crate) inits: u16,
    /// Init containers first.
    pub(crate) containers: Vec<Container>,
    pub(crate) restart: Restart,
    pub(crate) grace_s: u32,
    pub(crate) deadline_s: Option<u32>,
    /// Its requests of a node.
    pub(crate) requests: Amounts,
    pub(crate) placement: Option<Box<Placement>>,
    pub(crate) tolerations: Vec<Toleration>,
    /// Volumes by name.
    pub(crate) volumes: Vec<(Text, Source)>,
    pub(crate) host_ports: Vec<(i64, Text)>,
    pub(crate) gates: Vec<Text>,
    /// True if it is not to be scheduled yet.
    pub(crate) gated: bool,
    pub(crate) qos: &'static str,
    /// True if another scheduler must bind it.
    pub(crate) foreign_scheduler: bool,
    /// True if it belongs to a template of work that ends (a Job).
    pub(crate) ends: bool,
}

impl PodSpec {
    /// Reads a pod's spec; `ends` for the template of a Job.
    pub(crate) fn read(spec: &Value, ends: bool) -> Self {
        let host_network = spec.flag("hostNetwork");
        let read = |value: &Value| Container::read(value, host_network);
        let mut containers: Vec<Container> = spec.items("initContainers").iter().map(read).collect();
        let inits = containers.len();
        containers.extend(spec.items("containers").iter().map(read));
        let (init, main) = containers.split_at_checked(inits).unwrap_or((&[], &[]));
        let sum = main.iter().fold(Amounts::NONE, |sum, one| sum.plus(one.requests));
        let requests = init.iter().fold(sum, |most, one| most.most(one.requests));
        let overhead = Amounts::requested(&Value::Null, spec.key("overhead"));
        let requests = Amounts { pods: 1, ..requests.plus(overhead) };
        let source = |volume: &Value| {
            let source = if let Some(name) = word(volume.key("persistentVolumeClaim"), "claimName") {
                Source::Claim(name)
            } else if let Some(name) = word(volume.key("configMap"), "name") {
                if volume.key("configMap").flag("optional") {
                    return None;
                }
                Source::ConfigMap(name)
            } else {
                let name = word(volume.key("secret"), "secretName")?;
                if volume.key("secret").flag("optional") {
                    return None;
                }
                Source::Secret(name)
            };
            Some((volume.text("name").into(), source))
        };
        let qos = match () {
            () if containers.iter().all(|one| one.guaranteed) => "Guaranteed",
            () if containers.iter().any(|one| one.sized) => "Burstable",
            () => "BestEffort",
        };
        let scheduler = spec.text("schedulerName");
        Self {
            inits: u16::try_from(inits).unwrap_or(u16::MAX),
            restart: match spec.text("restartPolicy") {
                "Never" => Restart::Never,
                "OnFailure" => Restart::OnFailure,
                _ => Restart::Always,
            },
            grace_s: spec.count("terminationGracePeriodSeconds").unwrap_or(30),
            deadline_s: spec.count("activeDeadlineSeconds"),
            requests,
            placement: Placement::read(spec).map(Box::new),
            tolerations: spec.items("tolerations").iter().map(Toleration::read).collect(),
            volumes: spec.items("volumes").iter().filter_map(source).collect(),
            host_ports: containers.iter().flat_map(|one| one.host_ports.iter().cloned()).collect(),
            gates: spec
                .items("readinessGates")
                .iter()
                .filter_map(|gate| word(gate, "conditionType"))
                .collect(),
            gated: !spec.items("schedulingGates").is_empty(),
            qos,
            foreign_scheduler: !matches!(scheduler, "" | "default-scheduler"),
            ends,
            containers,
        }
    }

    /// The containers that run side by side.
    pub(crate) fn main(&self) -> &[Container] {
        self.containers.get(usize::from(self.inits)..).unwrap_or_default()
    }
}

/// The importance of a pod, as admission finds it by its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rank {
    /// `spec.priority`.
    pub(crate) value: i64,
    /// True if it waits rather than have others deleted.
    pub(crate) never_preempts: bool,
    /// The class that it has without naming one; empty otherwise.
    pub(crate) class: Text,
}

/// The part of a spec that is each pod's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PodOwn {
    /// `spec.nodeName`; empty while it is not bound.
    pub(crate) node: Text,
    /// `spec.hostname`, where a controller gives it.
    pub(crate) hostname: Option<Text>,
    /// `spec.subdomain`, where a controller gives it.
    pub(crate) subdomain: Option<Text>,
    /// Volumes from its own claims: name of the volume, name of the claim.
    pub(crate) claims: Arc<Vec<(Text, Text)>>,
    /// The only node it may go to: pods of DaemonSets.
    pub(crate) pinned: Option<Text>,
    /// True if the content is a controller's template, without what admission adds.
    pub(crate) of_template: bool,
    pub(crate) rank: Rank,
    /// Name of the volume with its account's token; `None` if the content contains it, or nothing mounts it.
    pub(crate) token: Option<Text>,
}

impl PodOwn {
    pub(crate) fn read(spec: &Value) -> Self {
        let pinned = spec.at(&["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]);
        let pinned = match pinned.items("nodeSelectorTerms") {
            [term] => match term.items("matchFields") {
                [field] if field.text("key") == "metadata.name" => {
                    field.items("values").first().and_then(Value::as_str).map(Text::from)
                }
                _ => None,
            },
            _ => None,
        };
        let rank = Rank {
            value: spec.int("priority").unwrap_or(0),
            never_preempts: spec.text("preemptionPolicy") == "Never",
            class: Text::default(),
        };
        Self { node: spec.text("nodeName").into(), pinned, rank, ..Self::default() }
    }

    /// True if the pod is bound to a node.
    pub(crate) fn is_bound(&self) -> bool {
        !self.node.is_empty()
    }
}

/// The time that a pod stays on a node that is not ready or cannot be reached, unless it says otherwise.
const TOLERATION_S: i64 = 300;

/// Adds what admission gives to the spec of every pod; `daemon` for those that belong to a node.
pub(crate) fn admit_pod(spec: &mut Map<String, Value>, daemon: bool, rank: &Rank) {
    put_new(spec, "serviceAccountName", "default".into());
    let account = spec.get("serviceAccountName").cloned().unwrap_or_default();
    put_new(spec, "serviceAccount", account);
    put_new(spec, "priority", rank.value.into());
    if !rank.class.is_empty() {
        put_new(spec, "priorityClassName", rank.class.as_ref().into());
    }
    put_new(spec, "enableServiceLinks", true.into());
    let policy = if rank.never_preempts { "Never" } else { "PreemptLowerPriority" };
    put_new(spec, "preemptionPolicy", policy.into());
    let mut all = spec.get("tolerations").and_then(Value::as_array).cloned().unwrap_or_default();
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let covers = |one: &Value| {
            let any = one.text("key").is_empty() && one.text("operator") == "Exists";
            (any || one.text("key") == key) && matches!(one.text("effect"), "" | "NoExecute")
        };
        if all.iter().any(covers) {
            continue;
        }
        let mut one = Map::new();
        json::put(&mut one, "key", key.into());
        json::put(&mut one, "operator", "Exists".into());
        json::put(&mut one, "effect", "NoExecute".into());
        if !daemon {
            json::put(&mut one, "tolerationSeconds", TOLERATION_S.into());
        }
        all.push(Value::Object(one));
    }
    if daemon {
        for key in ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"] {
            let key = format!("node.kubernetes.io/{key}");
            all.push(planarium_protocol::json!({ "key": key, "operator": "Exists", "effect": "NoSchedule" }));
        }
    }
    json::put(spec, "tolerations", Value::Array(all));
}
