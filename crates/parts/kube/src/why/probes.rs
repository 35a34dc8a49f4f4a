//! Probes of a container with their history, in words.
//!
//! *Knows*: consecutive failures of each probe, and since when. *Must not know*: what a probe checks.

use crate::{
    calendar::Epoch,
    records::runs::{Cell, Failures},
    spec::container::{Container, Probe},
};

/// Why a container that runs is not ready: its startup probe, else its readiness probe.
pub(super) fn sentence(cell: &Cell, container: &Container, last: Option<i32>, epoch: Epoch) -> String {
    let name = &container.name;
    if let Some(probe) = container.startup.as_ref().filter(|_| !cell.status.started) {
        return match cell.unhealthy.filter(|failures| failures.probe == "startup") {
            Some(failures) => format!(
                "the startup probe of container {name} fails: {}; {}{}",
                times(failures, epoch),
                killed_after(probe),
                killed(cell, epoch)
            ),
            None => {
                format!("the startup probe of container {name} has not passed yet{}", killed(cell, epoch))
            }
        };
    }
    match cell.unready {
        Some(failures) => {
            let code = last.filter(|code| *code != 0);
            let code = code.map_or_else(String::new, |code| format!(", last result {code}"));
            format!("the readiness probe of container {name} fails: {}{code}", times(failures, epoch))
        }
        None => format!("the readiness probe of container {name} has not passed yet{}", killed(cell, epoch)),
    }
}

/// Describes the failures for which a container was last killed, as the end of a sentence; empty if there were none.
pub(super) fn killed(cell: &Cell, epoch: Epoch) -> String {
    cell.killed_for.map_or_else(String::new, |failures| {
        format!("; it was killed after its {} probe had failed {}", failures.probe, times(failures, epoch))
    })
}

/// `3 times in a row since 2020-01-01T00:00:30Z`.
fn times(failures: Failures, epoch: Epoch) -> String {
    let times =
        if failures.count == 1 { "once".to_owned() } else { format!("{} times in a row", failures.count) };
    format!("{times} since {}", epoch.text(failures.since))
}

fn killed_after(probe: &Probe) -> String {
    format!("after {} failures in a row the container is killed", probe.failures.max(1))
}
