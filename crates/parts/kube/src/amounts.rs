//! Resource amounts of pods and nodes.

use crate::{quantity, tree::Tree};
use planarium_protocol::json::Value;

/// Requests of pods. *Units*: thousandths of a CPU, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    /// Thousandths of a CPU.
    pub cpu_milli: i64,
    /// Bytes of memory.
    pub memory: i64,
    /// Bytes of ephemeral storage.
    pub storage: i64,
    /// GPUs.
    pub gpus: i64,
    /// Pods.
    pub pods: i64,
}

impl Amounts {
    /// Nothing of anything.
    pub(crate) const NONE: Self = Self { cpu_milli: 0, memory: 0, storage: 0, gpus: 0, pods: 0 };

    /// Returns a container's requests; a missing request equals its limit.
    pub(crate) fn requested(limits: &Value, requests: &Value) -> Self {
        let text = |key: &str| requests.key(key).as_str().or_else(|| limits.key(key).as_str()).unwrap_or("0");
        let whole = |key: &str| quantity::whole(text(key)).unwrap_or(0).max(0);
        Self {
            cpu_milli: quantity::thousandths(text("cpu")).unwrap_or(0).max(0),
            memory: whole("memory"),
            storage: whole("ephemeral-storage"),
            gpus: whole("nvidia.com/gpu"),
            pods: 0,
        }
    }

    fn with(self, other: Self, each: impl Fn(i64, i64) -> i64) -> Self {
        Self {
            cpu_milli: each(self.cpu_milli, other.cpu_milli),
            memory: each(self.memory, other.memory),
            storage: each(self.storage, other.storage),
            gpus: each(self.gpus, other.gpus),
            pods: each(self.pods, other.pods),
        }
    }

    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        self.with(other, i64::saturating_add)
    }

    /// The rest of these.
    pub(crate) fn minus(self, other: Self) -> Self {
        self.with(other, i64::saturating_sub)
    }

    /// The greater of each.
    pub fn most(self, other: Self) -> Self {
        self.with(other, i64::max)
    }
}
