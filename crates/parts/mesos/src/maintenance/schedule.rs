//! The schedule: a list of windows, kept as posted.
//!
//! Source: `apache/mesos: include/mesos/maintenance/maintenance.proto`. Match.

use super::{MachineId, MachineKey, Unavailability, Window};
use planarium_kernel::SortedSet;
use serde_json::{Map, Value};

/// Windows in the order the operator gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The windows.
    pub windows: Vec<Window>,
}

impl Schedule {
    /// Every machine with its unavailability, in the order of the schedule.
    pub fn machines(&self) -> impl Iterator<Item = (&MachineId, Unavailability)> {
        self.windows.iter().flat_map(|window| window.machine_ids.iter().map(|id| (id, window.unavailability)))
    }

    /// The schedule with only those machines that `keep` accepts; windows left without machines go.
    #[must_use]
    pub fn keeping(&self, keep: impl Fn(&MachineId) -> bool) -> Self {
        let windows = self.windows.iter().filter_map(|window| {
            let machine_ids: Vec<MachineId> =
                window.machine_ids.iter().filter(|id| keep(id)).cloned().collect();
            (!machine_ids.is_empty()).then_some(Window { machine_ids, unavailability: window.unavailability })
        });
        Self { windows: windows.collect() }
    }

    /// The schedule without those machines.
    #[must_use]
    pub fn without(&self, gone: &SortedSet<MachineKey>) -> Self {
        self.keeping(|id| !gone.contains(&id.key()))
    }

    /// Returns it as JSON; `{}` without windows.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        if !self.windows.is_empty() {
            fields.insert("windows".into(), self.windows.iter().map(Window::to_json).collect());
        }
        Value::Object(fields)
    }
}
