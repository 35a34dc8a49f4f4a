//! Compares specs: equal targets, and pods that must be updated.
//!
//! *Knows*: which differences the real scheduler compares. *Must not know*: stored tasks, config ids.
//!
//! **Source**: `dcos-commons: …/config/DefaultConfigurationUpdater.java` and the `equals` of the spec classes. Match,
//! including the quirk that changed limits and changed properties of ports are ignored. Differs: renaming the key of
//! a secret, host volume or external volume counts as a change here.

use crate::spec::{PodSpec, ResourceSet, ServiceSpec, TaskSpec};

/// Returns whether two specs are one target configuration. Plans are not part of a target.
pub fn same_target(a: &ServiceSpec, b: &ServiceSpec) -> bool {
    a.name == b.name
        && a.role == b.role
        && a.principal == b.principal
        && a.user == b.user
        && a.zookeeper == b.zookeeper
        && a.web_url == b.web_url
        && a.region == b.region
        && a.replacement_failure_policy == b.replacement_failure_policy
        && a.pods == b.pods
}

/// Returns whether the tasks of a pod type have to be launched again to move from one spec to another. Count,
/// placement, the permission to decommission and roles make no difference; a missing side does.
pub fn pod_needs_update(old: Option<&PodSpec>, new: Option<&PodSpec>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => reduced(old) != reduced(new),
        (None, _) | (_, None) => true,
    }
}

/// A pod without the parts that updates ignore.
fn reduced(pod: &PodSpec) -> PodSpec {
    let mut pod = pod.clone();
    pod.count = 0;
    pod.placement = None;
    pod.allow_decommission = false;
    pod.tasks = pod.tasks.iter().map(|task| reduced_task(task).into()).collect();
    pod.resource_sets = pod.resource_sets.iter().map(|set| reduced_set(set).into()).collect();
    pod
}

fn reduced_task(task: &TaskSpec) -> TaskSpec {
    let mut task = task.clone();
    task.resource_set = reduced_set(&task.resource_set).into();
    task
}

fn reduced_set(set: &ResourceSet) -> ResourceSet {
    let mut set = set.clone();
    set.limits = crate::spec::ResourceLimits::default();
    planarium_kernel::sorted::sort_by_key(&mut set.ports, |port| port.port);
    for port in &mut set.ports {
        port.name = "ports".into();
        port.env_key = None;
        port.advertise = false;
        port.vip = None;
        port.ranges.clear();
    }
    set
}

#[cfg(test)]
mod tests {
    use super::{pod_needs_update, same_target};
    use crate::tests::clean;

    const BASE: &str = "\
name: hello
pods:
  hello:
    count: 1
    allow-decommission: false
    placement: 'hostname:UNIQUE'
    tasks:
      server:
        goal: RUNNING
        cmd: sleep 1000
        cpus: 0.5
        memory: 32
        resource-limits: {memory: '64'}
        env: {A: b}
        ports:
          http: {port: 8080, env-key: PORT, advertise: true}
plans:
  deploy: {phases: {hello: {pod: hello}}}
";

    #[test]
    fn changes_that_need_a_new_version() {
        // replaced, by, another target, pod needs an update
        let cases = [
            ("name: hello", "name: hello", false, false),
            ("{pod: hello}", "{pod: hello, strategy: parallel}", false, false),
            ("'hostname:UNIQUE'", r#"'[["hostname", "UNIQUE"]]'"#, false, false),
            ("count: 1", "count: 2", true, false),
            ("hostname:UNIQUE", "hostname:MAX_PER:2", true, false),
            ("allow-decommission: false", "allow-decommission: true", true, false),
            ("memory: '64'", "memory: '128'", true, false),
            ("env-key: PORT", "env-key: OTHER", true, false),
            ("advertise: true", "advertise: false", true, false),
            ("http: {", "web: {", true, false),
            ("port: 8080", "port: 8081", true, true),
            ("cpus: 0.5", "cpus: 0.6", true, true),
            ("cpus: 0.5", "cpus: 0.500", false, false),
            ("A: b", "A: c", true, true),
            ("sleep 1000", "sleep 1001", true, true),
            ("      server:", "      worker:", true, true),
        ];
        let base = clean(BASE).spec.expect("a spec");
        for (from, to, target, pod) in cases {
            let other = clean(&BASE.replace(from, to)).spec.expect("a spec");
            assert_eq!(!same_target(&base, &other), target, "{to}: target");
            let update = pod_needs_update(base.pods.first().map(|p| &**p), other.pods.first().map(|p| &**p));
            assert_eq!(update, pod, "{to}: update");
        }
        assert!(pod_needs_update(None, base.pods.first().map(|p| &**p)));
    }
}
