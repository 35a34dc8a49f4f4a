//! Pods.

use super::{Cx, Named, Word, misplaced_fields, network, placement, resources, secret, task, volume, word};
use crate::codes;
use crate::spec::{IpcMode, PodSpec, ResourceSet, Rlimit, TaskSpec};
use planarium_kernel::Limits;
use planarium_protocol::Text;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Fix, Severity, Span, suggest};
use std::sync::Arc;

/// The fields of a pod. Any other is ignored.
pub(super) const FIELDS: &[&str] = &[
    "count",
    "tasks",
    "resource-sets",
    "placement",
    "image",
    "networks",
    "rlimits",
    "uris",
    "volume",
    "volumes",
    "host-volumes",
    "external-volumes",
    "secrets",
    "pre-reserved-role",
    "share-pid-namespace",
    "allow-decommission",
    "seccomp-unconfined",
    "seccomp-profile-name",
    "ipc-mode",
    "shm-size",
];

const RLIMITS: &[&str] = &[
    "RLIMIT_AS",
    "RLIMIT_CORE",
    "RLIMIT_CPU",
    "RLIMIT_DATA",
    "RLIMIT_FSIZE",
    "RLIMIT_LOCKS",
    "RLIMIT_MEMLOCK",
    "RLIMIT_MSGQUEUE",
    "RLIMIT_NICE",
    "RLIMIT_NOFILE",
    "RLIMIT_NPROC",
    "RLIMIT_RSS",
    "RLIMIT_RTPRIO",
    "RLIMIT_RTTIME",
    "RLIMIT_SIGPENDING",
    "RLIMIT_STACK",
];

/// Decodes one pod; `None` if it is not a mapping.
pub(super) fn pod(cx: &mut Cx<'_>, named: &Named<'_>, user: &Text) -> Option<PodSpec> {
    let Named { name, key, value } = *named;
    cx.check_name("a pod", named);
    let what = format!("pod '{name}'");
    let mut fields = cx.fields(value, &what, key.span)?;
    let count = fields.required_int("count");
    let tasks_entry = fields.entry("tasks");
    let sets = fields.optional("resource-sets");
    let placement = word(&mut fields, "placement");
    let image = word(&mut fields, "image");
    let networks = fields.optional("networks");
    let rlimits = fields.optional("rlimits");
    let uris = fields.optional("uris");
    let one_volume = fields.optional("volume");
    let volumes = fields.optional("volumes");
    let host_volumes = fields.optional("host-volumes");
    let external_volumes = fields.optional("external-volumes");
    let secrets = fields.optional("secrets");
    let pre_reserved_role = fields.text("pre-reserved-role").map(|text| text.value);
    let share_pid_namespace = fields.boolean("share-pid-namespace").is_some_and(|flag| flag.value);
    let allow_decommission = fields.boolean("allow-decommission").is_some_and(|flag| flag.value);
    let seccomp_unconfined = fields.boolean("seccomp-unconfined");
    let seccomp_profile = fields.text("seccomp-profile-name").filter(|text| !text.value.is_empty());
    let ipc_mode = word(&mut fields, "ipc-mode");
    let shm_size = fields.int("shm-size");
    report_ignored(cx, value, name);

    let count = count.map_or(0, |count| instances(cx, count.value, count.span));
    if let Some(image) = image.filter(|image| image.text.trim().is_empty()) {
        cx.error(
            codes::EMPTY_IMAGE,
            image.node.span,
            "The image is empty",
            "name an image, or remove the field",
        );
    }
    if let (Some(unconfined), Some(profile)) = (&seccomp_unconfined, &seccomp_profile)
        && unconfined.value
    {
        cx.push(
            Diagnostic::error(
                codes::SECCOMP_BOTH,
                profile.span,
                format!("Pod '{name}' cannot be unconfined and have a seccomp profile"),
            )
            .with_label(unconfined.span, "unconfined here")
            .with_help("remove one of the two"),
        );
    }
    let ipc_mode = ipc_mode.and_then(|word| pod_ipc_mode(cx, &word));
    let secrets = secret::secrets(cx, secrets);
    let sets = resources::sets(cx, sets, name);
    let tasks = tasks(
        cx,
        tasks_entry.map(|entry| &entry.value),
        tasks_entry.map_or(key.span, |e| e.key.span),
        name,
        &sets,
    );
    report_unused(cx, &sets, &tasks, value);

    let mut volumes_of_pod = volume::one(cx, one_volume, volume::Owner::Pod).into_iter().collect::<Vec<_>>();
    volumes_of_pod.extend(volume::several(cx, volumes, volume::Owner::Pod));
    let ports = network::ports_of(value);
    Some(PodSpec {
        name: name.into(),
        count,
        resource_sets: used_sets(&tasks),
        tasks,
        placement: placement::placement(cx, name, placement),
        image: image.map(|image| image.shared()),
        networks: network::networks(cx, networks, &ports),
        rlimits: self::rlimits(cx, rlimits),
        uris: self::uris(cx, uris),
        volumes: volumes_of_pod.into_iter().map(|(volume, _)| volume).collect(),
        host_volumes: volume::host(cx, host_volumes),
        external_volumes: volume::external(cx, external_volumes),
        secrets,
        pre_reserved_role: pre_reserved_role.filter(|role| !role.is_empty()).map_or("*".into(), Into::into),
        user: user.clone(),
        share_pid_namespace,
        allow_decommission,
        seccomp_unconfined: seccomp_unconfined.is_some_and(|flag| flag.value),
        seccomp_profile_name: seccomp_profile.map(|profile| profile.value.into()),
        ipc_mode,
        shm_size_mib: shm_size.and_then(|size| volume::positive_mib(cx, "shm-size", size.value, size.span)),
        at: cx.at(key.span),
    })
}

/// Unknown fields of a pod are not errors: the real parser ignores them. Not by
/// [`planarium_source::read::MapReader`]: its findings call a field unknown, not ignored.
fn report_ignored(cx: &mut Cx<'_>, pod: &Node, name: &str) {
    for entry in pod.as_mapping().unwrap_or_default() {
        let Some(field) = entry.key.as_str().filter(|field| !FIELDS.contains(field)) else { continue };
        let meant = suggest(field, FIELDS.iter().copied().filter(|known| pod.get(known).is_none()));
        let severity = if meant.is_some() { Severity::Warning } else { Severity::Info };
        let message = format!("The field '{field}' of pod '{name}' is ignored by the real parser");
        let finding = Diagnostic::new(severity, codes::IGNORED_FIELD, entry.key.span, message);
        cx.push(finding.with_meant(
            meant,
            |meant| Fix::rename(&entry.key, meant),
            || misplaced_fields::home(field).unwrap_or("remove it: pods have no such field"),
        ));
    }
}

fn instances(cx: &mut Cx<'_>, count: i64, span: Span) -> u32 {
    let limit = Limits::DEFAULT.instances;
    match u32::try_from(count) {
        Ok(count) if count <= limit => count,
        Ok(_) => {
            let message = format!("The count {count} is more than the {limit} instances the simulator takes");
            cx.error(codes::TOO_MANY_INSTANCES, span, &message, "lower the count");
            0
        }
        Err(_) if count < 0 => {
            let message = format!("The count {count} is below zero");
            cx.error(codes::BAD_COUNT, span, &message, "write 0 or more");
            0
        }
        Err(_) => instances(cx, i64::from(u32::MAX), span),
    }
}

fn pod_ipc_mode(cx: &mut Cx<'_>, word: &Word<'_>) -> Option<IpcMode> {
    match word.text {
        "PRIVATE" => Some(IpcMode::Private),
        "SHARE_PARENT" => {
            cx.error(
                codes::BAD_IPC_MODE,
                word.node.span,
                "A pod cannot share the IPC namespace of a parent",
                "'SHARE_PARENT' is for tasks; a pod may be 'PRIVATE'",
            );
            None
        }
        other => {
            cx.not_one_of(codes::BAD_IPC_MODE, word, &format!("Invalid IPC Mode '{other}'"), &["PRIVATE"]);
            None
        }
    }
}

fn tasks(
    cx: &mut Cx<'_>,
    node: Option<&Node>,
    head: Span,
    pod: &str,
    sets: &[Arc<ResourceSet>],
) -> Vec<Arc<TaskSpec>> {
    let named = cx.named(node, "'tasks'");
    let named = misplaced_fields::in_place(cx, named, &misplaced_fields::TASKS);
    let nothing = node.is_none_or(|node| node.is_null() || node.as_mapping().is_some_and(<[_]>::is_empty));
    if nothing {
        let message = format!("Pod '{pod}' has no tasks");
        cx.error(codes::NO_TASKS, head, &message, "add at least one task under 'tasks:'");
    }
    named.iter().filter_map(|named| task::task(cx, named, pod, sets)).map(Arc::new).collect()
}

/// The sets that tasks use, in order of first use.
fn used_sets(tasks: &[Arc<TaskSpec>]) -> Vec<Arc<ResourceSet>> {
    let mut used: Vec<Arc<ResourceSet>> = Vec::new();
    for task in tasks {
        if !used.iter().any(|set| set.id == task.resource_set.id) {
            used.push(Arc::clone(&task.resource_set));
        }
    }
    used
}

fn report_unused(cx: &mut Cx<'_>, sets: &[Arc<ResourceSet>], tasks: &[Arc<TaskSpec>], pod: &Node) {
    for set in sets {
        if tasks.iter().any(|task| task.resource_set.id == set.id) {
            continue;
        }
        let entry = pod.get("resource-sets").and_then(|sets| sets.entry(&set.id));
        cx.push(
            Diagnostic::info(
                codes::UNUSED_RESOURCE_SET,
                entry.map_or(pod.span, |entry| entry.key.span),
                format!("No task uses the resource set '{}'; nothing is reserved for it", set.id),
            )
            .with_help("remove it, or name it in a task's 'resource-set'"),
        );
    }
}

/// **Source**: `dcos-commons: …/specification/RLimitSpec.java`. Match.
fn rlimits(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<Rlimit> {
    let mut limits = Vec::new();
    for Named { name, key, value } in cx.named(node, "'rlimits'") {
        if !RLIMITS.contains(&name) {
            let word = Word { text: name, node: key };
            let message = format!("'{name}' is not a known process limit");
            cx.not_one_of(codes::BAD_RLIMIT_NAME, &word, &message, RLIMITS);
        }
        let Some(mut fields) = cx.fields(value, &format!("rlimit '{name}'"), key.span) else { continue };
        let (soft, hard) = (fields.int("soft"), fields.int("hard"));
        fields.finish();
        let values = match (soft, hard) {
            (None, None) => None,
            (Some(soft), Some(hard)) => {
                let (s, h) = (soft.value, hard.value);
                let wrong = if s < -1 || h < -1 {
                    Some("Limits are -1 (unlimited) or more")
                } else if (s == -1) != (h == -1) {
                    Some("Either both limits are unlimited (-1) or neither")
                } else if s > h {
                    Some("The soft limit is above the hard limit")
                } else {
                    None
                };
                if let Some(wrong) = wrong {
                    let message = format!("{wrong}: {name} has soft {s}, hard {h}");
                    cx.error(codes::BAD_RLIMIT, soft.span, &message, "write soft <= hard, or -1 for both");
                }
                Some((s, h))
            }
            (Some(one), None) | (None, Some(one)) => {
                let message = format!("{name} has only one of 'soft' and 'hard'");
                cx.error(codes::BAD_RLIMIT, one.span, &message, "give both limits, or neither");
                None
            }
        };
        limits.push(Rlimit { name: name.into(), values });
    }
    limits
}

fn uris(cx: &mut Cx<'_>, node: Option<&Node>) -> Vec<Text> {
    let mut uris = Vec::new();
    for word in cx.texts(node, "'uris'") {
        match uri_problem(word.text) {
            None => uris.push(word.shared()),
            Some(problem) => {
                let message = format!("'{}' is not a URI: {problem}", word.text);
                cx.error(codes::BAD_URI, word.node.span, &message, "write blanks and the like as %20");
            }
        }
    }
    uris
}

/// Returns why a text is not a URI reference.
///
/// **Source**: RFC 2396 as read by `java.net.URI`, which also accepts characters beyond ASCII. Simplified:
/// characters, percent escapes and an empty scheme are checked, not the inner structure of authorities.
fn uri_problem(text: &str) -> Option<String> {
    if let Some(bad) =
        text.chars().find(|c| c.is_whitespace() || c.is_control() || "\"<>\\^`{|}".contains(*c))
    {
        return Some(format!("it holds '{}'", bad.escape_default()));
    }
    let escapes_fine = text.split('%').skip(1).all(|rest| {
        let mut digits = rest.chars().take(2).map(|c| c.is_ascii_hexdigit());
        digits.next() == Some(true) && digits.next() == Some(true)
    });
    if !escapes_fine {
        return Some("'%' is not followed by two hexadecimal digits".to_owned());
    }
    if text.starts_with(':') || text.ends_with(':') {
        return Some("something is missing at the colon".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::uri_problem;

    #[test]
    fn uris() {
        for good in ["https://a.b/c?d=e&f#g", "artifact-dir/bootstrap.zip", "file:///x%20y", ""] {
            assert_eq!(uri_problem(good), None, "{good}");
        }
        for bad in ["a b", "{{x}}/y", "http:", "x%2", "x%zz", "a|b", ":x"] {
            assert!(uri_problem(bad).is_some(), "{bad}");
        }
    }
}
