//! Use of a fitting offer, before any id is drawn.
//!
//! *Knows*: parts to keep, reserve, grow, shrink or give back. *Must not know*: Mesos messages.

use crate::scheduler::state::{Disk, Held, HeldKind};
use crate::spec::TaskSpec;
use planarium_kernel::Milli;
use planarium_mesos::api::Stack;
use planarium_protocol::Text;
use std::sync::{Arc, LazyLock};

/// One part of a footprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its reservation, when there is one already.
    pub(crate) id: Option<Text>,
    /// The resulting part.
    pub(crate) kind: HeldKind,
    /// Change to get there.
    pub(crate) change: Change,
    /// The offered reservation.
    pub(crate) stack: Option<Stack>,
}

impl Part {
    /// Creates a part that is newly reserved.
    pub(crate) fn reserve(kind: HeldKind) -> Self {
        Self { id: None, kind, change: Change::Reserve, stack: None }
    }
}

/// Change of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing: it is reserved as needed.
    Keep,
    /// It is newly reserved (and, for a volume, created).
    Reserve,
    /// This much more of it is reserved.
    Grow(Milli),
    /// This much of it is released.
    Shrink(Milli),
    /// It needs no reservation (ports of a container network).
    Unreserved,
}

/// A task and its resource set.
#[derive(Clone, Debug)]
pub(crate) struct SetUse {
    /// The task.
    pub(crate) task: Arc<TaskSpec>,
    /// Launched now, or stored as a stub only.
    pub(crate) launch: bool,
    /// The parts of its resource set.
    pub(crate) parts: SetParts,
}

/// The parts of a task's resource set.
#[derive(Clone, Debug)]
pub(crate) enum SetParts {
    /// Looked at for this task.
    Own(Vec<Part>),
    /// Those of the task at this place in the list, which uses the same set.
    Of(usize),
}

/// The executor to launch under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExecutorUse {
    /// A new one.
    New,
    /// The running one, whose resources are in use already.
    Running(Text),
}

/// Everything.
#[derive(Clone, Debug)]
pub(crate) struct Footprint {
    /// Executor.
    pub(crate) executor: ExecutorUse,
    /// Parts of the executor, pod volumes included.
    pub(crate) executor_parts: Vec<Part>,
    /// Tasks with their resource sets in evaluation order.
    pub(crate) sets: Vec<SetUse>,
    /// Reservations to give back whole.
    pub(crate) release: Vec<Held>,
}

impl Footprint {
    /// Nothing yet.
    pub(crate) fn new(executor: ExecutorUse) -> Self {
        Self { executor, executor_parts: Vec::new(), sets: Vec::new(), release: Vec::new() }
    }
}

/// The names of scalars: all parts share the text of theirs.
static NAMES: LazyLock<[Text; 4]> = LazyLock::new(|| ["cpus", "mem", "disk", "gpus"].map(Text::from));

/// A scalar part.
pub(crate) fn scalar(name: &str, amount: Milli) -> HeldKind {
    let known = NAMES.iter().find(|known| ***known == *name);
    HeldKind::Scalar { name: known.map_or_else(|| name.into(), Text::clone), amount }
}

/// A volume part that is still to be created.
pub(crate) fn volume(path: &Text, size: Milli, disk: Disk) -> HeldKind {
    HeldKind::Volume { path: path.clone(), size, disk, persistence: Text::default() }
}
