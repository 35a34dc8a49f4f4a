//! Usage of containers: a simulated share of their requests, or the share set by a behaviour rule.
//!
//! *Knows*: running containers and their processes. *Must not know*: its readers, the metrics API and the autoscaler.

use super::Cluster;
use crate::{object::Object, spec::Spec, status::State};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_protocol::Text;

/// Shares in percent where no rule says otherwise.
const CPU_PERCENT: u32 = 50;
const MEMORY_PERCENT: u32 = 60;
/// Amounts assumed for containers without requests. *Units*: thousandths of a CPU, bytes.
const CPU_MILLI: i64 = 100;
const MEMORY: i64 = 64 << 20;

/// The use of a container. *Units*: thousandths of a CPU, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) container: Text,
    pub(crate) cpu_milli: i64,
    pub(crate) memory: i64,
    /// Its requests.
    pub(crate) requested: (i64, i64),
}

impl Cluster {
    /// Returns the usage of a pod's running containers; `None` if none runs.
    pub(crate) fn usage_of(&self, fleet: &Fleet, pod: &Object) -> Option<Vec<Use>> {
        let Spec::Pod(spec, _) = &pod.spec else { return None };
        let run = self.runs.get(pod.no)?;
        let mut all = Vec::new();
        for (container, cell) in spec.containers.iter().zip(&run.cells).skip(usize::from(spec.inits)) {
            let State::Running { .. } = cell.status.state else { continue };
            let facts = cell.pid.and_then(|pid| fleet.process(pid));
            let (cpu, memory) = facts.map_or((None, None), |facts| (facts.cpu_percent, facts.memory_percent));
            let of = |amount: i64, otherwise: i64, percent: Option<u32>, usual: u32| {
                let base = if amount > 0 { amount } else { otherwise };
                base.saturating_mul(i64::from(percent.unwrap_or(usual))) / 100
            };
            let requests = container.requests;
            all.push(Use {
                container: container.name.clone(),
                cpu_milli: of(requests.cpu_milli, CPU_MILLI, cpu, CPU_PERCENT),
                memory: of(requests.memory, MEMORY, memory, MEMORY_PERCENT),
                requested: (requests.cpu_milli, requests.memory),
            });
        }
        (!all.is_empty()).then_some(all)
    }
}

/// The window over which the metrics API says that it has measured. *Units*: milliseconds.
pub(crate) const WINDOW_MS: u64 = 15_000;

/// The end of the last window.
pub(crate) fn window_end(now: SimTime) -> SimTime {
    SimTime(now.ms() - now.ms() % WINDOW_MS)
}
