//! One machine: what it is, what runs on it, whether it is away.

use crate::{
    event::Absence,
    labels::Labels,
    spec::{MachineSpec, ProcessId},
};
use planarium_kernel::SortedSet;
use planarium_protocol::Text;
use std::sync::Arc;

/// A machine.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) spec: Arc<MachineSpec>,
    /// Labels that targets match on: `agent` and, once known, `agent-id`.
    pub(crate) labels: Labels,
    /// Faults that keep it away, with their way.
    pub(crate) away: Vec<(u32, Absence)>,
    /// The worst that befell it since it left.
    pub(crate) worst: Option<Absence>,
    pub(crate) removed: bool,
    /// Port of whoever runs it, where the input named one.
    pub(crate) port: Option<u16>,
    pub(crate) processes: SortedSet<ProcessId>,
}

impl Machine {
    pub(crate) fn new(spec: MachineSpec) -> Self {
        let labels = Labels::new([("agent", spec.hostname.clone())]);
        Self {
            spec: Arc::new(spec),
            labels,
            away: Vec::new(),
            worst: None,
            removed: false,
            port: None,
            processes: SortedSet::new(),
        }
    }

    pub(crate) fn hostname(&self) -> &Text {
        &self.spec.hostname
    }
}
