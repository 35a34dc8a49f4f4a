//! Latencies: seeded draws, all in one place.
//!
//! *Knows*: spans and purposes. A draw depends on the seed, the process's name and its number of launches, so that an
//! additional process does not change the draws of others.

use planarium_kernel::draw;

/// Purposes of draws. The numbers are part of every digest: never reuse one.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Purpose {
    Start = 0x0F01,
    Slow = 0x0F02,
    Work = 0x0F03,
    Crash = 0x0F04,
    Kill = 0x0F05,
    Fault = 0x0F06,
    Resume = 0x0F07,
}

/// The key of one process's draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Luck {
    pub(crate) seed: u64,
    pub(crate) entity: u64,
    pub(crate) nth: u64,
}

impl Luck {
    fn between(self, purpose: Purpose, lo: u64, hi: u64) -> u64 {
        draw::between(self.seed, self.entity, purpose as u32, self.nth, lo, hi)
    }

    /// From launch to running.
    pub(crate) fn start_ms(self) -> u64 {
        self.between(Purpose::Start, 500, 5_000)
    }

    /// Returns the delay that a slow start adds.
    pub(crate) fn slow_ms(self) -> u64 {
        self.between(Purpose::Slow, 20_000, 40_000)
    }

    /// Returns how long a process works before it ends on its own.
    pub(crate) fn work_ms(self) -> u64 {
        self.between(Purpose::Work, 1_000, 8_000)
    }

    /// Returns the time from running to a crash caused by its name or a fault.
    pub(crate) fn crash_ms(self) -> u64 {
        self.between(Purpose::Crash, 500, 3_000)
    }

    /// From SIGKILL to the end.
    pub(crate) fn kill_ms(self) -> u64 {
        self.between(Purpose::Kill, 50, 250)
    }

    /// Returns the time from the end of a hang to the next progress.
    pub(crate) fn resume_ms(self) -> u64 {
        self.between(Purpose::Resume, 200, 1_000)
    }

    /// Returns whether a fault with this chance strikes on this occasion. *Units*: thousandths.
    pub(crate) fn strikes(self, fault: u64, occasion: u64, per_mille: u32) -> bool {
        let n = draw::absorb(draw::absorb(fault, self.nth), occasion);
        draw::chance(self.seed, self.entity, Purpose::Fault as u32, n, per_mille)
    }
}
