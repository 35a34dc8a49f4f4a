//! Amounts of a machine's resources, in units that are exact for every layer.

use planarium_kernel::{Digestible, Milli};
use planarium_protocol::input::Resources;
use planarium_protocol::view::MachineView;
use std::collections::BTreeMap;

/// Bytes of a MiB.
const MIB: i64 = 1_048_576;

/// A scalar resource of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scalar {
    /// Processors.
    Cpus,
    /// Memory.
    Mem,
    /// Space on the first disk.
    Disk,
    /// GPUs.
    Gpus,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Cpus, Self::Mem, Self::Disk, Self::Gpus];

    /// The word for it in explanations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cpus => "cpu",
            Self::Mem => "memory",
            Self::Disk => "disk",
            Self::Gpus => "gpu",
        }
    }
}

/// Amounts of each scalar. Memory and disk are counted in thousandths of a byte, so that thousandths of a MiB and whole
/// bytes are both exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Digestible)]
#[digest(cpus, mem, disk, gpus)]
pub struct Amounts {
    /// Processors.
    pub cpus: Milli,
    /// Memory. *Units*: bytes.
    pub mem: Milli,
    /// Space on the first disk. *Units*: bytes.
    pub disk: Milli,
    /// GPUs.
    pub gpus: Milli,
}

/// An amount of MiB in bytes.
const fn bytes(mib: Milli) -> Milli {
    mib.saturating_mul_int(MIB)
}

/// Bytes in MiB, rounded up.
const fn mib_up(bytes: Milli) -> Milli {
    Milli::from_thousandths(bytes.thousandths().saturating_add(MIB - 1).div_euclid(MIB))
}

impl Amounts {
    /// Nothing of anything.
    pub const NONE: Self = Self { cpus: Milli::ZERO, mem: Milli::ZERO, disk: Milli::ZERO, gpus: Milli::ZERO };

    /// Adds these amounts to a machine view's used amounts.
    pub fn add_to(self, machine: &mut MachineView) {
        for resource in &mut machine.resources {
            let more = match &*resource.name {
                "cpus" => self.cpus,
                "mem" => self.mem_mib_up(),
                "disk" => self.disk_mib_up(),
                "gpus" => self.gpus,
                _ => continue,
            };
            resource.used = resource.used.saturating_add(more.thousandths());
        }
    }

    /// Creates amounts with memory and disk in MiB.
    pub const fn in_mib(cpus: Milli, mem: Milli, disk: Milli, gpus: Milli) -> Self {
        Self { cpus, mem: bytes(mem), disk: bytes(disk), gpus }
    }

    /// Creates amounts from thousandths of a processor, bytes and whole GPUs.
    pub const fn in_bytes(cpu_milli: i64, mem: i64, disk: i64, gpus: i64) -> Self {
        Self {
            cpus: Milli::from_thousandths(cpu_milli),
            mem: Milli::from_int(mem),
            disk: Milli::from_int(disk),
            gpus: Milli::from_int(gpus),
        }
    }

    /// Returns the full capacity of a machine.
    pub(crate) fn of(resources: &Resources, roles: &BTreeMap<String, Resources>) -> Self {
        let one = |resources: &Resources| {
            let [cpus, mem, disk, gpus] = [resources.cpus, resources.mem, resources.disk, resources.gpus]
                .map(|amount| {
                    amount.map_or(Milli::ZERO, |amount| Milli::from_thousandths(amount.thousandths()))
                });
            Self::in_mib(cpus, mem, disk, gpus)
        };
        roles.values().fold(one(resources), |sum, resources| sum.plus(one(resources)))
    }

    /// The amount of one scalar.
    pub const fn get(self, scalar: Scalar) -> Milli {
        match scalar {
            Scalar::Cpus => self.cpus,
            Scalar::Mem => self.mem,
            Scalar::Disk => self.disk,
            Scalar::Gpus => self.gpus,
        }
    }

    /// Formats the amount of one scalar: memory and disk in MiB, rounded up.
    pub fn in_words(self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Mem => self.mem_mib_up().to_string(),
            Scalar::Disk => self.disk_mib_up().to_string(),
            Scalar::Cpus | Scalar::Gpus => self.get(scalar).to_string(),
        }
    }

    fn with(self, other: Self, join: impl Fn(Milli, Milli) -> Milli) -> Self {
        Self {
            cpus: join(self.cpus, other.cpus),
            mem: join(self.mem, other.mem),
            disk: join(self.disk, other.disk),
            gpus: join(self.gpus, other.gpus),
        }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, Milli::saturating_add)
    }

    /// Returns the difference, which may be negative.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        self.with(other, Milli::saturating_sub)
    }

    /// Returns the difference, at least zero.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        self.with(other, |one, other| one.saturating_sub(other).max(Milli::ZERO))
    }

    /// Returns the minimum of both, per scalar.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        self.with(other, Ord::min)
    }

    /// Returns the maximum of both, per scalar.
    #[must_use]
    pub fn most(self, other: Self) -> Self {
        self.with(other, Ord::max)
    }

    /// Returns whether all amounts are zero.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Returns whether every amount is at least that of `other`.
    pub fn contains(self, other: Self) -> bool {
        self.lacks(other).next().is_none()
    }

    /// Returns the scalars of which `other` has more.
    pub fn lacks(self, other: Self) -> impl Iterator<Item = Scalar> {
        Scalar::ALL.into_iter().filter(move |scalar| self.get(*scalar) < other.get(*scalar))
    }

    /// Memory, rounded down. *Units*: thousandths of a MiB.
    pub const fn mem_mib(self) -> Milli {
        Milli::from_thousandths(self.mem.thousandths().div_euclid(MIB))
    }

    /// Memory, rounded up. *Units*: thousandths of a MiB.
    pub const fn mem_mib_up(self) -> Milli {
        mib_up(self.mem)
    }

    /// Disk, rounded up. *Units*: thousandths of a MiB.
    pub const fn disk_mib_up(self) -> Milli {
        mib_up(self.disk)
    }

    /// Disk, rounded down. *Units*: thousandths of a MiB.
    pub const fn disk_mib(self) -> Milli {
        Milli::from_thousandths(self.disk.thousandths().div_euclid(MIB))
    }
}
