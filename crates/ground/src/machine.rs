//! One machine: its specification, its processes, its absence.

use crate::{
    event::Absence,
    labels::Labels,
    spec::{MachineSpec, ProcessId},
};
use planarium_kernel::{Digestible, SortedSet, Weight, cow::bytes_of};
use planarium_protocol::Text;
use std::sync::Arc;

/// A machine.
#[derive(Clone, Debug, Digestible, Weight)]
#[digest(hostname(), removed, away.len(), processes.len())]
#[weight(own bytes_of::<u64>(self.processes.len()))]
pub(crate) struct Machine {
    pub(crate) spec: Arc<MachineSpec>,
    /// Labels for target patterns: `agent` and, once known, `agent-id`.
    pub(crate) labels: Labels,
    /// Faults that keep it away, and how.
    pub(crate) away: Vec<(u32, Absence)>,
    /// The most severe absence since it left.
    pub(crate) worst: Option<Absence>,
    pub(crate) removed: bool,
    /// Port of its agent, if the input named one.
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
