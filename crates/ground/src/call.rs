//! Calls on machines besides processes: the usual duration of a start, and calls that a fault makes fail.
//!
//! *Knows*: labels of a call. *Must not know*: the called thing.

use crate::{Cx, Fleet, labels::Labels, latency::Luck, spec::ProcessId, spec::ProcessSpec};
use planarium_kernel::draw;
use planarium_protocol::Text;
use planarium_protocol::input::FaultKind;
use std::sync::Arc;

/// A call that fails because of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCall {
    /// Exit code.
    pub exit_code: i32,
    /// For people.
    pub message: Text,
    /// Delay before it fails. *Units*: milliseconds.
    pub delay_ms: u64,
}

impl Fleet {
    /// Like [`Fleet::launch`], with the usual duration of the start. *Units*: milliseconds.
    pub fn launch_within(&mut self, cx: &mut Cx, spec: ProcessSpec, start_ms: u64) -> ProcessId {
        let pid = self.launch(cx, spec);
        if let Some(process) = self.process_mut(pid) {
            process.usual_start_ms = Some(start_ms);
        }
        self.refresh(cx, pid);
        pid
    }

    /// Returns whether a fault can make calls fail.
    pub fn calls_may_fail(&self) -> bool {
        self.faults.values().any(|fault| fault.kind() == FaultKind::PluginFail)
    }

    /// Returns the fault that makes a call with these labels fail, and counts it. Events about the call have the fault's
    /// strike as their cause.
    pub fn fails_call(&mut self, cx: &mut Cx, labels: &Labels) -> Option<FailedCall> {
        let meant: Vec<u32> = self
            .faults
            .iter()
            .filter(|(_, fault)| fault.kind() == FaultKind::PluginFail && labels.matches(&fault.spec.target))
            .map(|(number, _)| *number)
            .collect();
        let step = labels.get("step").cloned().unwrap_or_default();
        let service = labels.get("service").cloned().unwrap_or_default();
        for number in meant {
            let seed = self.seed;
            let Some(fault) = self.faults.get_mut(&number).map(Arc::make_mut) else { continue };
            fault.occasions += 1;
            let luck = Luck { seed, entity: draw::entity_of(&[&service, "/", &step]), nth: 0 };
            if fault.hits(labels, luck, fault.occasions) {
                let failed = FailedCall {
                    exit_code: fault.exit_code(),
                    message: fault.message_or("made to fail"),
                    delay_ms: fault.spec.delay_ms.unwrap_or(0),
                };
                cx.scoped(cx.cause(), |cx| {
                    self.struck(cx, number, step.clone(), Text::default());
                    self.settle_exhausted(cx);
                });
                return Some(failed);
            }
        }
        None
    }
}
