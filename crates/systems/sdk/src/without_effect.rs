//! Fields that are read, checked and kept, and have no effect in the simulator yet.
//!
//! `docs/fidelity/sdk-definition.md` shows the same table for people.

use crate::spec::{PodSpec, ServiceSpec, TaskSpec};

/// A field of a definition without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its path with names, e.g. `pods.hello.rlimits`.
    pub path: String,
    /// Why it makes no difference.
    pub why: &'static str,
}

/// The fields without effect: path with `*` for names, and why.
pub const FIELDS: &[(&str, &str)] = &[
    ("web-url", "the master's page is not simulated"),
    ("scheduler.zookeeper", "state lives in the journal"),
    ("pods.*.networks", "only whether host ports are needed is used; container networks carry no traffic"),
    ("pods.*.rlimits", "processes have no limits to hit"),
    ("pods.*.uris", "fetching always succeeds"),
    ("pods.*.host-volumes", "there are no files"),
    ("pods.*.external-volumes", "storage drivers are not simulated"),
    ("pods.*.secrets", "secrets have no values"),
    ("pods.*.share-pid-namespace", "processes do not see each other"),
    ("pods.*.seccomp-unconfined", "there are no system calls"),
    ("pods.*.seccomp-profile-name", "there are no system calls"),
    ("pods.*.ipc-mode", "there is no shared memory"),
    ("pods.*.shm-size", "there is no shared memory"),
    ("pods.*.tasks.*.configs", "files are rendered and shown; no process reads them"),
    ("pods.*.tasks.*.resource-limits", "use never exceeds the request"),
    ("pods.*.tasks.*.discovery", "names are reported, not resolved"),
    ("pods.*.tasks.*.transport-encryption", "certificates are not made"),
    ("pods.*.tasks.*.ipc-mode", "there is no shared memory"),
    ("pods.*.tasks.*.shm-size", "there is no shared memory"),
    ("pods.*.tasks.*.ports.*.vip", "addresses are reported, nothing is routed"),
];

/// The fields without effect that a definition uses.
pub fn of(spec: &ServiceSpec) -> Vec<Kept> {
    let mut kept = Vec::new();
    let mut add = |pattern: &'static str, names: &[&str]| {
        if let Some((pattern, why)) = FIELDS.iter().find(|(known, _)| *known == pattern) {
            let mut path = (*pattern).to_owned();
            for name in names {
                path = path.replacen('*', name, 1);
            }
            kept.push(Kept { path, why });
        }
    };
    if spec.web_url.is_some() {
        add("web-url", &[]);
    }
    if &*spec.zookeeper != "master.mesos:2181" {
        add("scheduler.zookeeper", &[]);
    }
    for pod in &spec.pods {
        for (pattern, used) in pod_fields(pod) {
            if used {
                add(pattern, &[&pod.name]);
            }
        }
        for task in &pod.tasks {
            for (pattern, used) in task_fields(task) {
                if used {
                    add(pattern, &[&pod.name, &task.name]);
                }
            }
            for port in task.resource_set.ports.iter().filter(|port| port.vip.is_some()) {
                add("pods.*.tasks.*.ports.*.vip", &[&pod.name, &task.name, &port.name]);
            }
        }
    }
    kept
}

fn pod_fields(pod: &PodSpec) -> [(&'static str, bool); 11] {
    [
        ("pods.*.networks", !pod.networks.is_empty()),
        ("pods.*.rlimits", !pod.rlimits.is_empty()),
        ("pods.*.uris", !pod.uris.is_empty()),
        ("pods.*.host-volumes", !pod.host_volumes.is_empty()),
        ("pods.*.external-volumes", !pod.external_volumes.is_empty()),
        ("pods.*.secrets", !pod.secrets.is_empty()),
        ("pods.*.share-pid-namespace", pod.share_pid_namespace),
        ("pods.*.seccomp-unconfined", pod.seccomp_unconfined),
        ("pods.*.seccomp-profile-name", pod.seccomp_profile_name.is_some()),
        ("pods.*.ipc-mode", pod.ipc_mode.is_some()),
        ("pods.*.shm-size", pod.shm_size_mib.is_some()),
    ]
}

fn task_fields(task: &TaskSpec) -> [(&'static str, bool); 6] {
    let limits = &task.resource_set.limits;
    [
        ("pods.*.tasks.*.configs", !task.configs.is_empty()),
        ("pods.*.tasks.*.resource-limits", limits.cpus.is_some() || limits.mem.is_some()),
        ("pods.*.tasks.*.discovery", task.discovery.is_some()),
        ("pods.*.tasks.*.transport-encryption", !task.transport_encryption.is_empty()),
        ("pods.*.tasks.*.ipc-mode", task.ipc_mode.is_some()),
        ("pods.*.tasks.*.shm-size", task.shm_size_mib.is_some()),
    ]
}

#[cfg(test)]
mod tests {
    use super::FIELDS;

    #[test]
    fn the_page_shows_the_same_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/fidelity/sdk-definition.md");
        let page = std::fs::read_to_string(path).expect("the page");
        let (_, table) = page.split_once("## Fields that are kept without effect").expect("the table");
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
        let want: Vec<String> = FIELDS.iter().map(|(field, why)| format!("| `{field}` | {why} |")).collect();
        assert_eq!(rows, want);
    }
}
