//! Memory that a fleet does not share with an earlier copy.
//!
//! *Knows*: which parts copies share. *Must not know*: what the estimate is for.

use crate::{Fleet, machine::Machine, process::Process};
use planarium_kernel::cow::{behind, bytes_of};
use std::sync::Arc;

/// Estimated bytes for the texts and labels of a process, including its name among launches.
const PROCESS_TEXTS: u64 = 512;

impl Fleet {
    /// Estimates the bytes that this fleet does not share with `before`. *Cost*: by the number of chunks.
    pub fn beyond(&self, before: Option<&Self>) -> u64 {
        let machine = |(row, machine): (usize, &Arc<Machine>)| {
            let old = before.and_then(|before| before.machines.get(row));
            behind(machine, old, |machine| bytes_of::<u64>(machine.processes.len()))
        };
        let process = |process: &Arc<Process>, old: Option<&Arc<Process>>| {
            let new = if old.is_none() { PROCESS_TEXTS } else { 0 };
            behind(process, old, |process| new + behind(&process.spec, old.map(|old| &old.spec), |_| 0))
        };
        bytes_of::<Self>(1)
            + bytes_of::<usize>(self.machines.len())
            + self.machines.iter().enumerate().map(machine).sum::<u64>()
            + self.processes.beyond(before.map(|before| &before.processes), process)
            + self.launches.beyond_flat(before.map(|before| &before.launches))
            + self.timers.bytes()
            + self.ledger.beyond(before.map(|before| &before.ledger))
    }
}
