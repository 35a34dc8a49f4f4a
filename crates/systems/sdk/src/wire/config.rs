//! Configurations: ids and definitions, as shown by the configuration store.
//!
//! **Source**: `dcos-commons: …/http/queries/ConfigQueries.java, …/specification/DefaultServiceSpec.java` (JSON
//! annotations). Match for names, nesting and order of the listed fields; additions of later versions (external
//! volumes, limits, shared memory) are spelled as in the definition.

use super::nothing;
use super::pod::number;
use crate::scheduler::configs::{Config, Configs};
use crate::scheduler::ids::is_uuid;
use crate::scheduler::offers::evaluate::reservation_role;
use crate::spec::{
    ExternalVolume, Goal, IpcMode, Limit, PodSpec, PortSpec, ResourceSet, ServiceSpec, TaskSpec,
    TransportEncryptionKind, VolumeMode, VolumeSpec,
};
use planarium_protocol::Refusal;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use serde_json::{Map, Value};

/// Ids of all configurations.
pub(super) fn ids(configs: &Configs) -> Value {
    configs.versions.keys().map(|id| Value::from(&**id)).collect()
}

/// The id of the target.
pub(super) fn target_id(configs: &Configs) -> Value {
    vec![Value::from(&*configs.target.id)].into()
}

/// The target's definition.
pub(super) fn target(configs: &Configs) -> Value {
    service_json(&configs.target.spec)
}

/// The definition of a configuration.
pub(super) fn configuration(configs: &Configs, id: &str) -> Result<Value, Refusal> {
    Ok(service_json(&version(configs, id)?.spec))
}

/// The text of a task's config template.
pub(super) fn template(
    configs: &Configs,
    id: &str,
    pod: &str,
    task: &str,
    config: &str,
) -> Result<Value, Refusal> {
    let stored = version(configs, id)?;
    let task = stored.spec.pod(pod).and_then(|pod| pod.task(task)).ok_or_else(nothing)?;
    let found = task.configs.iter().find(|one| *one.name == *config).ok_or_else(nothing)?;
    found.content.as_deref().map(Value::from).ok_or_else(nothing)
}

fn version<'a>(configs: &'a Configs, id: &str) -> Result<&'a Config, Refusal> {
    if !is_uuid(id) {
        return Err(not_an_id());
    }
    let config = configs.versions.get(id.to_ascii_lowercase().as_str());
    config.map(|config| &**config).ok_or_else(nothing)
}

/// A 400 with an empty body.
fn not_an_id() -> Refusal {
    Refusal::new(RefusalCode::BadRequest, "")
}

fn service_json(spec: &ServiceSpec) -> Value {
    let policy = spec.replacement_failure_policy.map(|policy| {
        json!({
            "permanent-failure-timeout-secs": policy.permanent_failure_timeout_s,
            "min-replace-delay-secs": policy.min_replace_delay_s,
        })
    });
    json!({
        "name": &*spec.name,
        "role": &*spec.role,
        "principal": &*spec.principal,
        "user": &*spec.user,
        "goal": "RUNNING",
        "region": spec.region.as_deref(),
        "web-url": spec.web_url.as_deref(),
        "zookeeper": &*spec.zookeeper,
        "replacement-failure-policy": policy,
        "pod-specs": spec.pods.iter().map(|pod| pod_json(spec, pod)).collect::<Vec<_>>(),
    })
}

fn pod_json(service: &ServiceSpec, pod: &PodSpec) -> Value {
    let networks: Vec<Value> = pod
        .networks
        .iter()
        .map(|network| {
            let mappings: Map<String, Value> = network
                .port_mappings
                .iter()
                .map(|mapping| (mapping.host.to_string(), mapping.container.into()))
                .collect();
            let labels: Map<String, Value> =
                network.labels.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect();
            json!({"network-name": &*network.name, "port-mappings": mappings, "network-labels": labels})
        })
        .collect();
    let rlimits: Vec<Value> = pod
        .rlimits
        .iter()
        .map(|rlimit| {
            let (soft, hard) = rlimit.values.unzip();
            json!({"name": &*rlimit.name, "soft": soft, "hard": hard})
        })
        .collect();
    let uris: Vec<&str> = pod.uris.iter().map(|uri| &**uri).collect();
    let secrets: Vec<Value> = pod
        .secrets
        .iter()
        .map(|secret| {
            json!({
                "secret": &*secret.secret,
                "env-key": secret.env_key.as_deref(),
                "file": secret.file.as_deref(),
            })
        })
        .collect();
    let host_volumes: Vec<Value> = pod
        .host_volumes
        .iter()
        .map(|volume| {
            json!({
                "host-path": &*volume.host_path,
                "container-path": &*volume.container_path,
                "mode": volume.mode.map(mode_word),
            })
        })
        .collect();
    let external: Vec<Value> = pod.external_volumes.iter().map(external_json).collect();
    json!({
        "type": &*pod.name,
        "user": &*pod.user,
        "count": pod.count,
        "allow-decommission": pod.allow_decommission,
        "image": pod.image.as_deref(),
        "networks": networks,
        "rlimits": rlimits,
        "uris": uris,
        "task-specs": pod.tasks.iter().map(|task| task_json(service, pod, task)).collect::<Vec<_>>(),
        "placement-rule": pod.placement.as_ref().map(|placement| placement.rule.to_json()),
        "volumes": volumes_json(service, pod, &pod.volumes),
        "pre-reserved-role": &*pod.pre_reserved_role,
        "secrets": secrets,
        "share-pid-namespace": pod.share_pid_namespace,
        "host-volumes": host_volumes,
        "seccomp-unconfined": pod.seccomp_unconfined,
        "seccomp-profile-name": pod.seccomp_profile_name.as_deref(),
        "external-volumes": external,
        "ipc-mode": pod.ipc_mode.map(ipc_word),
        "shm-size": pod.shm_size_mib,
    })
}

fn mode_word(mode: VolumeMode) -> &'static str {
    match mode {
        VolumeMode::Rw => "RW",
        VolumeMode::Ro => "RO",
    }
}

fn ipc_word(mode: IpcMode) -> &'static str {
    match mode {
        IpcMode::Private => "PRIVATE",
        IpcMode::ShareParent => "SHARE_PARENT",
    }
}

fn external_json(volume: &ExternalVolume) -> Value {
    let options: Map<String, Value> =
        volume.driver_options.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect();
    json!({
        "type": "DOCKER",
        "volume-name": volume.volume_name.as_deref(),
        "driver-name": &*volume.driver_name,
        "driver-options": options,
        "container-path": &*volume.container_path,
        "volume-mode": volume.mode.map(mode_word),
    })
}

/// A bound on use; absent when there is none.
fn limit_json(limit: Option<Limit>) -> Value {
    match limit {
        Some(Limit::Amount(amount)) => number(amount),
        Some(Limit::Unlimited) => "unlimited".into(),
        None => Value::Null,
    }
}

fn task_json(service: &ServiceSpec, pod: &PodSpec, task: &TaskSpec) -> Value {
    let env: Map<String, Value> =
        task.env.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect();
    let labels: Map<String, Value> =
        task.labels.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect();
    let configs: Vec<Value> = task
        .configs
        .iter()
        .map(|config| {
            json!({
                "name": &*config.name,
                "relative-path": &*config.dest,
                "template-content": config.content.as_deref(),
            })
        })
        .collect();
    let goal = match task.goal {
        Goal::Running => "RUNNING",
        Goal::Finish => "FINISH",
        Goal::Once => "ONCE",
    };
    json!({
        "name": &*task.name,
        "goal": goal,
        "essential": task.essential,
        "resource-set": set_json(service, pod, &task.resource_set),
        "command-spec": {"value": &*task.cmd, "environment": env},
        "task-labels": labels,
        "health-check-spec": task.health_check.as_ref().map(|check| json!({
            "command": &*check.cmd,
            "max-consecutive-failures": check.max_failures,
            "delay": check.delay_s,
            "interval": check.interval_s,
            "timeout": check.timeout_s,
            "grace-period": check.grace_s,
            "gracePeriod": check.grace_s,
        })),
        "readiness-check-spec": task.readiness_check.as_ref().map(|check| json!({
            "command": &*check.cmd,
            "delay": check.delay_s,
            "interval": check.interval_s,
            "timeout": check.timeout_s,
        })),
        "config-files": configs,
        "discovery-spec": task.discovery.as_ref().map(|discovery| json!({
            "prefix": discovery.prefix.as_deref(),
            "visibility": discovery.visibility.as_str(),
        })),
        "kill-grace-period": task.kill_grace_s,
        "transport-encryption": task.transport_encryption.iter().map(|tls| json!({
            "name": &*tls.name,
            "type": match tls.kind {
                TransportEncryptionKind::Tls => "TLS",
                TransportEncryptionKind::Keystore => "KEYSTORE",
            },
        })).collect::<Vec<_>>(),
        "ipc-mode": task.ipc_mode.map(ipc_word),
        "shm-size": task.shm_size_mib,
    })
}

fn set_json(service: &ServiceSpec, pod: &PodSpec, set: &ResourceSet) -> Value {
    let scalars = [("cpus", set.cpus), ("gpus", set.gpus), ("mem", set.mem)];
    let mut resources: Vec<Value> = scalars
        .into_iter()
        .filter_map(|(name, value)| {
            let mut body = Map::new();
            body.insert("@type".to_owned(), "DefaultResourceSpec".into());
            body.insert("name".to_owned(), name.into());
            body.insert("value".to_owned(), scalar_json(value?));
            owners(&mut body, service, pod);
            Some(body.into())
        })
        .collect();
    resources.extend(set.ports.iter().map(|port| port_json(service, pod, port)));
    json!({
        "id": &*set.id,
        "resource-specifications": resources,
        "resource-limits": {"cpus": limit_json(set.limits.cpus), "memory": limit_json(set.limits.mem)},
        "volume-specifications": volumes_json(service, pod, &set.volumes),
        "role": reservation_role(pod, &service.role).as_ref(),
        "principal": &*service.principal,
    })
}

/// Adds the owners of resources.
fn owners(body: &mut Map<String, Value>, service: &ServiceSpec, pod: &PodSpec) {
    let role = reservation_role(pod, &service.role);
    for (key, value) in [
        ("role", role.as_ref()),
        ("pre-reserved-role", &*pod.pre_reserved_role),
        ("principal", &*service.principal),
    ] {
        body.insert(key.to_owned(), value.into());
    }
}

fn scalar_json(amount: planarium_kernel::Milli) -> Value {
    json!({"type": "SCALAR", "scalar": {"value": number(amount)}, "ranges": null, "set": null, "text": null})
}

fn port_json(service: &ServiceSpec, pod: &PodSpec, port: &PortSpec) -> Value {
    let range = json!({"range": [{"begin": port.port, "end": port.port}]});
    let networks: Vec<&str> = pod.networks.iter().map(|network| &*network.name).collect();
    let ranges: Vec<Value> =
        port.ranges.iter().map(|range| json!({"begin": range.begin, "end": range.end})).collect();
    let mut body = Map::new();
    let kind = if port.vip.is_some() { "NamedVIPSpec" } else { "PortSpec" };
    body.insert("@type".to_owned(), kind.into());
    let value = json!({"type": "RANGES", "scalar": null, "ranges": range, "set": null, "text": null});
    body.insert("value".to_owned(), value);
    owners(&mut body, service, pod);
    let mut more = json!({
        "env-key": port.env_key.as_deref(),
        "port-name": &*port.name,
        "visibility": if port.advertise { "EXTERNAL" } else { "CLUSTER" },
        "network-names": networks,
    });
    if let (Some(vip), Some(more)) = (&port.vip, more.as_object_mut()) {
        more.insert("protocol".to_owned(), "tcp".into());
        more.insert("vip-name".to_owned(), Value::from(&*vip.prefix));
        more.insert("vip-port".to_owned(), vip.port.into());
    }
    body.extend(more.as_object_mut().map(std::mem::take).unwrap_or_default());
    body.insert("name".to_owned(), "ports".into());
    body.insert("ranges".to_owned(), ranges.into());
    body.into()
}

fn volumes_json(service: &ServiceSpec, pod: &PodSpec, volumes: &[VolumeSpec]) -> Vec<Value> {
    let one = |volume: &VolumeSpec| {
        let profiles: Vec<&str> = volume.profiles.iter().map(|profile| &**profile).collect();
        let mut body = Map::new();
        for (key, value) in [
            ("@type", "DefaultVolumeSpec".into()),
            ("type", volume.kind.as_str().into()),
            ("container-path", Value::from(&*volume.path)),
            ("profiles", profiles.into()),
            ("name", "disk".into()),
            ("value", scalar_json(volume.size)),
        ] {
            body.insert(key.to_owned(), value);
        }
        owners(&mut body, service, pod);
        body.into()
    };
    volumes.iter().map(one).collect()
}
