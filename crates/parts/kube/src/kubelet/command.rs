//! Programs that the fleet is asked to run for containers.

use crate::{
    cluster::Cluster,
    object::Object,
    spec::{
        command::Ending,
        container::{Container, Probe},
        pod::{PodSpec, Restart},
    },
};
use planarium_ground::{CheckSpec, HealthSpec, Labels, Program};
use planarium_protocol::Text;

/// The course of a container's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Course {
    /// It runs on.
    Lives,
    /// It ends on its own, after a time drawn by the fleet, with 0 or as its command says.
    Ends,
    /// It ends after so long with this code. *Units*: milliseconds.
    Timed(u64, i32),
}

/// Tells the course of a container's command.
pub(super) fn course(spec: &PodSpec, at: usize, container: &Container) -> Course {
    match container.ending {
        Ending::Never => Course::Lives,
        Ending::After { ms: 0, .. } => Course::Ends,
        Ending::After { ms, code } => Course::Timed(ms, code),
        // Init containers and pods of Jobs must end, whatever they run.
        Ending::Unknown if at < usize::from(spec.inits) || spec.ends => Course::Ends,
        Ending::Unknown if spec.restart == Restart::Always || !container.commanded => Course::Lives,
        Ending::Unknown => Course::Ends,
    }
}

fn check(probe: &Probe, delay_ms: u64) -> CheckSpec {
    CheckSpec {
        command: probe.command.clone(),
        delay_ms,
        interval_ms: probe.period_ms,
        timeout_ms: probe.timeout_ms,
    }
}

/// Makes the program that the fleet runs for a container.
pub(super) fn program(spec: &PodSpec, at: usize, container: &Container) -> Program {
    // Readiness and liveness begin when the startup probe has passed.
    let startup_ms = container.startup.as_ref().map_or(0, |probe| probe.delay_ms);
    let stuck = container.startup.as_ref().filter(|probe| fails(&probe.command));
    let readiness = container.readiness.as_ref().filter(|_| stuck.is_none());
    let health = match stuck {
        Some(startup) => Some((startup, startup.delay_ms)),
        None => container.liveness.as_ref().map(|probe| (probe, probe.delay_ms.max(startup_ms))),
    };
    Program {
        lives: course(spec, at, container) != Course::Ends,
        goalless: false,
        command: container.script.clone(),
        code: container.ending.failure(),
        image: Some(container.image.clone()),
        readiness: readiness.map(|probe| check(probe, probe.delay_ms.max(startup_ms))),
        health: health.map(|(probe, delay_ms)| HealthSpec {
            check: check(probe, delay_ms),
            grace_ms: 0,
            max_failures: probe.failures,
        }),
    }
}

/// True if a probe's command plainly fails.
pub(super) fn fails(command: &str) -> bool {
    let last = command.rsplit([';', '\n']).find(|part| !part.trim().is_empty()).unwrap_or_default().trim();
    let code = last.strip_prefix("exit ").and_then(|code| code.trim().parse::<i32>().ok());
    last == "false" || last.ends_with("/false") || code.is_some_and(|code| code != 0)
}

/// Name and labels that fault targets match on.
pub(super) fn labels_of(
    cluster: &Cluster,
    pod: &Object,
    container: &Container,
    restarts: u32,
) -> (Text, Labels) {
    let (task, id) = pod.task_names(&container.name, restarts);
    let (workload, service) = cluster.workload_and_service_of(pod);
    let node =
        cluster.runs.get(pod.no).and_then(|run| cluster.nodes.get(run.node)).map(|node| node.name.clone());
    let labels = Labels::new([
        ("agent", node.unwrap_or_default()),
        ("pod", pod.name.clone()),
        ("pod-type", workload),
        ("service", service),
        ("task", task.clone()),
        ("task-id", id),
    ]);
    (task, labels)
}
