//! The single checks.

use super::{Change, ConfigError, Facts, account};
use crate::placement;
use crate::programs::FixedVariable;
use crate::spec::{At, Limit, PodSpec, VolumeSpec};
use planarium_protocol::Text;
use std::sync::Arc;

fn error(at: &At, field: &str, value: Change, message: String) -> ConfigError {
    ConfigError { code: "", field: field.to_owned(), value, message, fatal: false, at: at.clone() }
}

fn value(at: &At, field: &str, value: &str, message: String) -> ConfigError {
    error(at, field, Change::Value(value.to_owned()), message)
}

fn transition(at: &At, field: &str, old: &str, new: &str, message: String) -> ConfigError {
    error(at, field, Change::Transition(old.to_owned(), new.to_owned()), message)
}

fn pod_field(name: &str) -> String {
    format!("PodSpec[name:{name}]")
}

/// Pods that exist before and after.
fn both<'s>(facts: &Facts<'s>) -> Vec<(&'s Arc<PodSpec>, &'s Arc<PodSpec>)> {
    let Some(previous) = facts.previous else { return Vec::new() };
    previous.pods.iter().filter_map(|old| Some((old, facts.candidate.pod(&old.name)?))).collect()
}

pub(super) fn name_underscores(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let name = &*facts.candidate.name;
    if name.contains("__") {
        errors.push(value(
            &facts.candidate.at,
            "ServiceName",
            name,
            "Service name cannot contain double underscores".to_owned(),
        ));
    }
}

pub(super) fn pods_shrink(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let pods = &facts.candidate.pods;
    for (at, pod) in pods.iter().enumerate() {
        if pods.iter().take(at).any(|earlier| earlier.name == pod.name) {
            errors.push(value(
                &pod.at,
                "PodSpecs",
                &pod.name,
                format!("Duplicate pod types detected: {}", pod.name),
            ));
        }
    }
    let Some(previous) = facts.previous else { return };
    for old in &previous.pods {
        let new = facts.candidate.pod(&old.name);
        let allowed = new.map_or(old.allow_decommission, |new| new.allow_decommission);
        if !allowed && new.is_none_or(|new| new.count < old.count) {
            let (name, least) = (&old.name, old.count);
            let message = match new {
                Some(new) => {
                    format!("PodSpec named '{name}' has {} tasks, expected >={least} tasks", new.count)
                }
                None => format!("PodSpec named '{name}' is missing, expected it with >={least} tasks"),
            };
            errors.push(transition(
                new.map_or(&facts.candidate.at, |new| &new.at),
                &pod_field(&old.name),
                &old.count.to_string(),
                &new.map_or("null".to_owned(), |new| new.count.to_string()),
                message,
            ));
        }
    }
}

pub(super) fn network_regime(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    for (old, new) in both(facts) {
        if old.uses_host_ports() != new.uses_host_ports() {
            let words = |host: bool| if host { "host ports" } else { "no host ports" };
            let message = format!(
                "New config has pod {} moving networks from {} to {}: networks using and not using host ports \
                 cannot be exchanged",
                new.name,
                words(old.uses_host_ports()),
                words(new.uses_host_ports())
            );
            errors.push(transition(
                &new.at,
                &pod_field(&new.name),
                &network_names(old),
                &network_names(new),
                message,
            ));
        }
    }
}

fn network_names(pod: &PodSpec) -> String {
    pod.networks.iter().map(|network| &*network.name).collect::<Vec<_>>().join(",")
}

pub(super) fn pre_reservation(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    for (old, new) in both(facts) {
        if old.pre_reserved_role != new.pre_reserved_role {
            errors.push(transition(
                &new.at,
                &format!("PodSpec[pre-reserved-role:{}]", old.pre_reserved_role),
                &old.pre_reserved_role,
                &new.pre_reserved_role,
                format!("The pre-reserved role of pod {} cannot be changed", new.name),
            ));
        }
    }
}

pub(super) fn user(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let Some(previous) = facts.previous else { return };
    if previous.user != facts.candidate.user {
        let message = "The user of a service cannot be changed".to_owned();
        let error = transition(&facts.candidate.at, "user", &previous.user, &facts.candidate.user, message);
        errors.push(ConfigError { fatal: true, ..error });
    }
    for (old, new) in both(facts) {
        if old.user != new.user {
            let message = format!("The user of pod {} cannot be changed", new.name);
            let error = transition(&new.at, "user", &old.user, &new.user, message);
            errors.push(ConfigError { fatal: true, ..error });
        }
    }
}

pub(super) fn tls(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    if facts.service_account {
        return;
    }
    // Reported once, for the first task that requires it.
    if let Some(at) = account::needed_at(facts.candidate) {
        let message =
            "Scheduler is missing a service account that is required for provisioning TLS artifacts. \
                       Please configure it in order to continue."
                .to_owned();
        errors.push(value(at, "transport-encryption", "", message));
    }
}

pub(super) fn placement_rules(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    for pod in &facts.candidate.pods {
        let Some(placement) = &pod.placement else { continue };
        if let Some(why) = placement.rule.invalid() {
            errors.push(value(
                &pod.at,
                "PlacementRule",
                &placement.text,
                format!("Invalid placement rule of pod {}: {why}", pod.name),
            ));
        }
    }
}

pub(super) fn region(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let Some(previous) = facts.previous else { return };
    let (old, new) = (previous.region.as_deref(), facts.candidate.region.as_deref());
    if old != new {
        errors.push(transition(
            &facts.candidate.at,
            "region",
            &optional(old),
            &optional(new),
            "The region of a service cannot be changed".to_owned(),
        ));
    }
}

pub(super) fn name_length(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let bare = facts.candidate.bare_name();
    let length = bare.chars().count();
    if facts.previous.is_none() && length > 63 {
        let message = format!("Service name (without slashes) exceeds 63 characters: {length}");
        errors.push(value(&facts.candidate.at, "service.name", &facts.candidate.name, message));
    }
}

pub(super) fn limits(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    for pod in &facts.candidate.pods {
        for task in &pod.tasks {
            let set = &task.resource_set;
            for (name, limit, request) in
                [("cpus", set.limits.cpus, set.cpus), ("mem", set.limits.mem, set.mem)]
            {
                let (Some(Limit::Amount(limit)), Some(request)) = (limit, request) else { continue };
                if limit < request {
                    let message = format!(
                        "The {name} resource-limits for task '{}', {limit}, is less than the requested amount, {request}",
                        task.name
                    );
                    errors.push(value(&task.at, "ResourceLimits", &limit.to_string(), message));
                }
            }
        }
    }
}

pub(super) fn volumes(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    for pod in &facts.candidate.pods {
        for (at, task) in pod.tasks.iter().enumerate() {
            if pod.tasks.iter().take(at).any(|earlier| earlier.name == task.name) {
                let message = format!("Duplicate task name in pod {}: {}", pod.name, task.name);
                errors.push(value(&task.at, "TaskSpecs", &task.name, message));
            }
        }
    }
    if facts.previous.is_none_or(|previous| previous.role != facts.candidate.role) {
        return;
    }
    for (old_pod, new_pod) in both(facts) {
        for new in &new_pod.tasks {
            let Some(old) = old_pod.task(&new.name) else { continue };
            let (old, new_volumes) = (&old.resource_set.volumes, &new.resource_set.volumes);
            if sorted(old) != sorted(new_volumes) {
                let message = format!(
                    "Volumes must be equal. Task '{}-{}' has other volumes than before",
                    new_pod.name, new.name
                );
                errors.push(transition(
                    &new.at,
                    &format!("TaskVolumes[taskname:{}]", new.name),
                    &shown(old),
                    &shown(new_volumes),
                    message,
                ));
            }
        }
    }
}

/// Volumes compare as a set.
fn sorted(volumes: &[VolumeSpec]) -> Vec<&VolumeSpec> {
    let mut sorted: Vec<&VolumeSpec> = volumes.iter().collect();
    planarium_kernel::sorted::sort_by(&mut sorted, |a, b| a.path.cmp(&b.path));
    sorted
}

fn shown(volumes: &[VolumeSpec]) -> String {
    let texts = volumes.iter().map(|volume| {
        format!("{}:{}:{}:{}", volume.path, volume.kind.as_str(), volume.size, volume.profiles.join("+"))
    });
    format!("[{}]", texts.collect::<Vec<_>>().join(", "))
}

pub(super) fn role(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let Some(previous) = facts.previous.filter(|_| !facts.deployed_before) else { return };
    if previous.role != facts.candidate.role {
        let message = "The role cannot be changed before the first deployment is complete".to_owned();
        let error = transition(&facts.candidate.at, "role", &previous.role, &facts.candidate.role, message);
        errors.push(ConfigError { fatal: true, ..error });
    }
}

/// Formats an optional value as Java does.
fn optional(value: Option<&str>) -> String {
    value.map_or("Optional.empty".to_owned(), |value| format!("Optional[{value}]"))
}

pub(super) fn zones(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let Some(previous) = facts.previous else { return };
    for name in facts.program.fixed_zones() {
        let Some(old) = previous.pod(name) else { continue };
        let Some(new) = facts.candidate.pod(name) else {
            errors.push(gone(facts, &format!("requested pod={name},")));
            continue;
        };
        let looks =
            |pod: &PodSpec| pod.placement.as_ref().is_some_and(|placement| placement.rule.references_zone());
        if looks(old) != looks(new) {
            // The rule with the part that every scheduler adds.
            let shown = |pod: &PodSpec, region: Option<&str>| {
                optional(Some(&placement::effective(pod.placement.as_deref(), region, true).to_string()))
            };
            let before = shown(old, previous.region.as_deref());
            let after = shown(new, facts.candidate.region.as_deref());
            let message = format!("PlacementRule cannot change from {before} to {after}");
            errors.push(transition(&new.at, &format!("{name}.PlacementRule"), &before, &after, message));
        }
    }
}

/// The program ends with an exception: a pod that it needs is gone.
fn gone(facts: &Facts<'_>, what: &str) -> ConfigError {
    let message = format!("Unable to find {what} in config");
    ConfigError { fatal: true, ..value(&facts.candidate.at, "PodSpecs", "", message) }
}

pub(super) fn fixed_variables(facts: &Facts<'_>, errors: &mut Vec<ConfigError>) {
    let Some(previous) = facts.previous else { return };
    for FixedVariable { pod, task, name } in facts.program.fixed_variables() {
        let Some(old) = previous.pod(pod).and_then(|pod| pod.task(task)) else { continue };
        let Some(new) = facts.candidate.pod(pod).and_then(|pod| pod.task(task)) else {
            errors.push(gone(facts, &format!("requested pod={pod}, task={task}")));
            continue;
        };
        let (before, after) = (old.env.get(*name), new.env.get(*name));
        let set = |value: Option<&Text>| value.is_some_and(|value| !value.trim().is_empty());
        if !set(before) || before == after {
            continue;
        }
        let message = if set(after) {
            format!("Env value {name} cannot change")
        } else {
            format!("Env value {name} cannot be unset after being set")
        };
        let shown = |value: Option<&Text>| value.map_or("null".to_owned(), ToString::to_string);
        let field = format!("{pod}.{task}.env.{name}");
        errors.push(transition(&new.at, &field, &shown(before), &shown(after), message));
    }
}
