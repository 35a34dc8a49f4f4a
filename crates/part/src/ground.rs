//! Access to the machines for one call of a part.
//!
//! *Knows*: the calling part and the present instant. *Must not know*: the other parts.

use crate::system::Number;
use planarium_ground::{
    Amounts, Cx, FailedCall, Fleet, HolderWords, Labels, Owner, ProcessId, ProcessSpec, Said, SaidChecks,
};
use planarium_kernel::SimTime;
use std::sync::Arc;

/// Owners below this one are parts under the systems; the daemon with number `n` is owner `SYSTEMS + n`.
pub const SYSTEMS: u32 = 16;

/// The machines, lent to a part for one call.
pub struct Ground<'a> {
    /// Machines and processes. Copies of a world share them until one of them changes.
    pub fleet: &'a mut Arc<Fleet>,
    /// The present instant.
    pub now: SimTime,
    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub epoch_ms: u64,
    /// The number of the daemon that processes are started for.
    pub number: Number,
}

impl Ground<'_> {
    /// The machines and processes, to be asked.
    pub fn fleet(&self) -> &Fleet {
        self.fleet
    }

    /// The machines and processes, to be changed.
    pub fn fleet_mut(&mut self) -> &mut Fleet {
        Arc::make_mut(self.fleet)
    }

    /// The same machines for a shorter call.
    pub fn again(&mut self) -> Ground<'_> {
        Ground { fleet: self.fleet, now: self.now, epoch_ms: self.epoch_ms, number: self.number }
    }

    /// The present instant.
    pub fn asked(&self) -> SimTime {
        self.now
    }

    /// Calendar time of genesis. *Units*: milliseconds since 1970.
    pub fn epoch_ms(&self) -> u64 {
        self.epoch_ms
    }

    /// Starts a process on a machine, given the time that starting takes when nothing slows it down. Its reports reach
    /// the daemon of this number. *Units*: milliseconds.
    pub fn launch_within(
        &mut self,
        cx: &mut Cx,
        number: Number,
        spec: ProcessSpec,
        start_ms: u64,
    ) -> ProcessId {
        let spec = ProcessSpec { owner: Owner(SYSTEMS.saturating_add(number.0)), ..spec };
        self.fleet_mut().launch_within(cx, spec, start_ms)
    }

    /// Allocates resources of its machine to a process until it ends, with these words for display.
    pub fn hold_for(&mut self, cx: &Cx, pid: ProcessId, words: HolderWords, amounts: Amounts) {
        self.fleet_mut().hold_for(cx, pid, words, amounts);
    }

    /// Asks a process to end.
    pub fn kill(&mut self, cx: &mut Cx, pid: ProcessId, grace_ms: u64) {
        self.fleet_mut().kill(cx, pid, grace_ms);
    }

    /// Says that a process has been running and ready all along. Nothing is reported.
    pub fn adopt(&mut self, cx: &mut Cx, pid: ProcessId) {
        self.fleet_mut().say(cx, pid, Said::Running(SaidChecks::ready()));
    }

    /// Takes a process away without a report.
    pub fn vanish(&mut self, pid: ProcessId) {
        self.fleet_mut().vanish(pid);
    }

    /// Returns the fault that makes a system's call fail, and counts it.
    pub fn fails_call(&mut self, cx: &mut Cx, labels: &Labels) -> Option<FailedCall> {
        self.fleet_mut().fails_call(cx, labels)
    }
}
