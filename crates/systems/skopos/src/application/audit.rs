//! An application's digest and size.
//!
//! *Knows*: the parts of its state and their sizes. *Must not know*: the meaning of any part.

use super::App;
use crate::instances::Group;
use crate::run::Frame;
use planarium_kernel::{Digest, SimTime};
use std::sync::Arc;

impl App {
    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = self.instances.check();
        found.extend(self.run.check());
        found
    }

    /// Writes its state into a digest.
    pub(crate) fn digest(&self, digest: &mut Digest) {
        let run = &self.run;
        digest.write_str(self.blueprint.name());
        digest.write_str(&self.prepared.text);
        digest.write_str(run.mode.word());
        digest.write_bool(run.pause_requested);
        digest.write_bool(run.step_mode);
        digest.write_bool(run.interactive);
        digest.write_bool(self.leaving);
        digest.write_u32(run.executions);
        for frame in &run.stack {
            match frame {
                Frame::Chain { chain, at, .. } => {
                    digest.write_u64(chain.index() as u64);
                    digest.write_u32(*at);
                }
                Frame::Loop { step, indices, k } => {
                    digest.write_u64(step.index() as u64);
                    digest.write_u64(indices.len());
                    digest.write_u64(*k);
                }
            }
        }
        for step in run.steps.iter() {
            digest.write_str(step.shown.word());
            digest.write_u32(step.entries);
        }
        digest.write_u64(run.log.len() as u64);
        digest.write_u64(run.work.next_due().map_or(0, SimTime::ms));
        for (slot, instance) in self.instances.iter() {
            digest.write_bool(slot.group == Group::New);
            digest.write_u64(slot.index);
            digest.write_str(&instance.id);
            digest.write_str(&instance.image);
            digest.write_str(instance.state.word());
            digest.write_u32(instance.machine.map_or(u32::MAX, |machine| machine.0));
        }
    }

    /// Bytes that are held here and not in `before`, by estimate.
    pub(crate) fn beyond(&self, before: Option<&Self>) -> u64 {
        let run = &self.run;
        let old = before.map(|before| &before.run);
        let plan = if before.is_some_and(|before| Arc::ptr_eq(&before.run.plan, &run.plan)) {
            0
        } else {
            1024 * run.plan.steps().len() as u64
        };
        512 + plan
            + run.steps.beyond(old.map(|old| &old.steps), |_, _| 0)
            + run.log.beyond(old.map(|old| &old.log))
            + run.trace.beyond(old.map(|old| &old.trace))
            + run.loops.beyond(old.map(|old| &old.loops), |now, was| {
                planarium_kernel::cow::behind(now, was, |now| {
                    now.iterations.beyond(was.map(|was| &was.iterations), |one, _| one.cells.len() as u64)
                })
            })
            + self.instances.beyond(before.map(|before| &before.instances))
    }
}
