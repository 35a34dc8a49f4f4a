//! Commands of operators: to plans, to pods, and files that they store.
//!
//! *Knows*: the records that each command changes, in which order. *Must not know*: routes.

mod plan;
mod pod;

pub(crate) use plan::op_of;

use super::killer::Kill;
use super::lifecycle::not_served;
use super::state::{Override, OverrideProgress};
use super::{Cx, Request, Scheduler};
use plan::Commanded;
use planarium_kernel::Cause;
use planarium_protocol::event::{EventBody, Importance};
use planarium_protocol::input::{PlanCommand, PodCommand};
use planarium_protocol::{Refusal, json};
use pod::CommandedPod;
use serde_json::Value;

impl Scheduler {
    /// Carries out a plan command. Returns the real system's reply.
    ///
    /// *Errors*: its refusals (208, 400, 404) with their texts.
    pub fn plan_command(
        &mut self,
        cx: &mut Cx,
        command: &PlanCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.begin_command(cx)?;
        let commanded = Commanded::find(&self.plans, command)?;
        let path = commanded.path(&self.plans);
        let seq = cx.emit(EventBody::PlanCommanded { path, op: command.op.as_str().into() });
        cx.scoped(Cause::Event(seq), |cx| {
            commanded.apply(cx, &mut self.delays());
            self.plans.report_all(cx, &self.state.tasks);
            self.plans.touch(cx, commanded.plan());
            self.timers.need_cycle(cx);
            self.await_removal(cx);
        });
        Ok((commanded.reply(), Vec::new()))
    }

    /// Carries out a pod command. Returns the real system's reply.
    ///
    /// *Errors*: the pod, or one of the tasks named, is not stored (404).
    pub fn pod_command(
        &mut self,
        cx: &mut Cx,
        command: &PodCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.begin_command(cx)?;
        if self.is_uninstalling() {
            return Err(not_served());
        }
        let commanded = CommandedPod::find(&self.state.tasks, command)?;
        let seq = cx.emit(EventBody::PodCommanded {
            service: self.service.name.clone(),
            pod: commanded.key.name(),
            op: commanded.word().into(),
        });
        cx.scoped(Cause::Event(seq), |cx| self.carry_out_pod(cx, &commanded));
        Ok((commanded.reply(), self.outbox.take()))
    }

    fn carry_out_pod(&mut self, cx: &mut Cx, commanded: &CommandedPod<'_>) {
        let key = &commanded.key;
        match commanded.wanted() {
            Some(target) => {
                let before = self.plans.shown_of_pod(key, &self.state.tasks);
                for task in &commanded.tasks {
                    let goal = Override { target, progress: OverrideProgress::Pending };
                    self.state.tasks.update(&task.name, |record| record.goal = goal);
                }
                self.plans.report_shown(cx, &before, &self.state.tasks);
            }
            None => {
                for task in &commanded.tasks {
                    self.delays().clear(cx, &task.name);
                }
            }
        }
        if commanded.gives_up() {
            self.state.tasks.flag_pod(key);
        }
        for task in &commanded.tasks {
            self.kill(cx, Kill { id: &task.id, agent: Some(&task.agent), by: None });
        }
        self.note_pod(key);
        self.settle_delays(cx);
        self.plans.revision.touch(cx);
    }

    /// Stores a file, in place of one of the same name.
    ///
    /// *Errors*: it is too long (400), or there are too many; 404 while the service is being uninstalled.
    pub fn store_file(&mut self, cx: &mut Cx, name: &str, text: &str) -> Result<Value, Refusal> {
        self.begin_command(cx)?;
        if self.is_uninstalling() {
            return Err(not_served());
        }
        self.state.files.put(name, text)?;
        let service = &self.service.name;
        cx.emit(EventBody::Happened {
            speaker: service.clone(),
            what: "file-stored".into(),
            importance: Importance::Normal,
            path: None,
            facts: vec![("file".into(), name.into())],
            text: format!("{service}: file {name} stored").into(),
        });
        self.plans.revision.touch(cx);
        Ok(json!({ "status": 200 }))
    }

    /// A command is heard by a process that runs.
    fn begin_command(&mut self, cx: &Cx) -> Result<(), Refusal> {
        self.must_run()?;
        self.now = cx.now();
        Ok(())
    }
}
