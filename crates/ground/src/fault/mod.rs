//! Injected failures: active faults, their names and durations.
//!
//! *Knows*: one record per fault. The effects of each kind are in [`strike`] (immediate), `life` (processes), `probe`
//! (checks), [`absence`] (machines).

pub(crate) mod absence;
pub(crate) mod strike;

use crate::{labels::Labels, latency::Luck, spec::ProcessId};
use planarium_kernel::{Digestible, SimTime, SortedMap, SortedSet, TimerId, draw};
use planarium_protocol::{
    Refusal, Text,
    input::{Fault, FaultKind, Target},
    refusal::RefusalCode,
};
use std::fmt::Write as _;
use std::sync::Arc;

/// Returns whether a fault of this kind ends after its first strike, unless it has a duration or a count.
pub(crate) const fn is_momentary(kind: FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::TaskFail
            | FaultKind::TaskKill
            | FaultKind::TaskOom
            | FaultKind::SchedulerRestart
            | FaultKind::MasterFailover
    )
}

/// A fault in force.
#[derive(Clone, Debug, Digestible)]
#[digest(id, left.unwrap_or(u32::MAX), occasions)]
pub(crate) struct FaultRecord {
    pub(crate) id: Text,
    /// Key of its draws.
    pub(crate) entity: u64,
    pub(crate) spec: Fault,
    pub(crate) since: SimTime,
    pub(crate) until: Option<SimTime>,
    pub(crate) timer: Option<TimerId>,
    /// Strikes left, when counted.
    pub(crate) left: Option<u32>,
    /// Occasions so far, for faults whose occasions have no number of their own.
    pub(crate) occasions: u64,
    /// Number of the event that reported it.
    pub(crate) event: u64,
    /// Processes already reported, or (hang) held by the fault.
    pub(crate) marked: SortedSet<ProcessId>,
}

/// Faults in force by number.
pub(crate) type Faults = SortedMap<u32, Arc<FaultRecord>>;

impl FaultRecord {
    pub(crate) fn new(spec: Fault, id: Text, now: SimTime, event: u64) -> Self {
        Self {
            entity: draw::entity(&id),
            id,
            since: now,
            until: spec.for_ms.map(|ms| now.saturating_add(ms)),
            timer: None,
            left: spec.count,
            occasions: 0,
            event,
            marked: SortedSet::new(),
            spec,
        }
    }

    pub(crate) fn kind(&self) -> FaultKind {
        self.spec.fault
    }

    /// Its chance per occasion. *Units*: thousandths.
    pub(crate) fn per_mille(&self) -> u32 {
        self.spec.probability.map_or(1000, |p| u32::try_from(p.thousandths()).unwrap_or(0))
    }

    /// Returns whether the fault targets a process with these labels and strikes on this occasion.
    pub(crate) fn hits(&self, labels: &Labels, luck: Luck, occasion: u64) -> bool {
        self.left != Some(0)
            && labels.matches(&self.spec.target)
            && luck.strikes(self.entity, occasion, self.per_mille())
    }

    /// The exit code that it brings.
    pub(crate) fn exit_code(&self) -> i32 {
        self.spec.exit_code.unwrap_or(1)
    }

    /// Returns the fault's status message, or the given one.
    pub(crate) fn message_or(&self, otherwise: &str) -> Text {
        self.spec.message.as_deref().unwrap_or(otherwise).into()
    }

    /// One line for people.
    pub(crate) fn text(&self) -> Text {
        let mut text = self.kind().as_str().to_owned();
        let _ = write!(text, " on {}", target_text(&self.spec.target));
        if let Some(ms) = self.spec.for_ms {
            let _ = write!(text, " for {}", SimTime(ms));
        }
        if let Some(count) = self.spec.count {
            let _ = write!(text, ", {count} time{}", if count == 1 { "" } else { "s" });
        }
        if let Some(chance) = self.spec.probability {
            let _ = write!(text, ", chance {chance}");
        }
        text.into()
    }
}

/// Describes a target: `service svc, task hello-*`, or `everything`.
pub(crate) fn target_text(target: &Target) -> String {
    let words: Vec<String> = target.parts().map(|(name, pattern)| format!("{name} {pattern}")).collect();
    if words.is_empty() { "everything".to_owned() } else { words.join(", ") }
}

/// Refuses an invalid fault.
///
/// *Errors*: keys out of range, keys without a meaning for this kind, kinds handled elsewhere.
pub(crate) fn validate(fault: &Fault) -> Result<(), Refusal> {
    let bad = |text: String| Err(Refusal::new(RefusalCode::BadRequest, text));
    let word = fault.fault.as_str();
    let calls = fault.fault == FaultKind::PluginFail;
    if !calls && (fault.target.plugin.is_some() || fault.target.action.is_some()) {
        return bad(format!("{word} has no plugin and no action as its target"));
    }
    if fault.probability.is_some_and(|p| !(0..=1000).contains(&p.thousandths())) {
        return bad("probability lies between 0 and 1".to_owned());
    }
    if fault.count == Some(0) {
        return bad("count is at least 1".to_owned());
    }
    let whole = matches!(
        fault.fault,
        FaultKind::OffersWithheld | FaultKind::SchedulerRestart | FaultKind::MasterFailover
    );
    if whole && (fault.count.is_some() || fault.probability.is_some()) {
        return bad(format!("{word} takes neither count nor probability"));
    }
    if fault.fault == FaultKind::SchedulerRestart && fault.for_ms.is_some() {
        return bad("scheduler-restart takes no for_ms: the scheduler is back at once".to_owned());
    }
    if fault.fault == FaultKind::MasterFailover
        && (fault.for_ms.is_some() || fault.target != Target::default())
    {
        return bad(
            "master-failover takes no for_ms and no target: another master takes over at once".to_owned()
        );
    }
    if fault.id.as_deref().is_some_and(str::is_empty) {
        return bad("a fault's id is not empty".to_owned());
    }
    Ok(())
}
