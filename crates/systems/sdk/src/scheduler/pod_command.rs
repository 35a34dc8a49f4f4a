//! Pod commands: restart, replace, pause, resume.
//!
//! *Knows*: what each touches. *Must not know*: how the pod comes back; that is the recovery plan's.
//!
//! **Source**: `dcos-commons: …/http/queries/PodQueries.java`. Match.

use super::store::{Override, OverrideProgress, OverrideTarget, PodKey, TaskRecord};
use super::{Cx, Request, Scheduler};
use planarium_kernel::{Cause, SortedSet};
use planarium_protocol::event::EventBody;
use planarium_protocol::input::{PodCommand, PodOp};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use serde_json::Value;

impl Scheduler {
    /// Carries out a pod command. Answers the real system's reply.
    ///
    /// *Errors*: the pod, or one of the tasks named, is not stored (404).
    pub fn pod_command(
        &mut self,
        cx: &mut Cx,
        command: &PodCommand,
    ) -> Result<(Value, Vec<Request>), Refusal> {
        self.must_run()?;
        self.now = cx.now();
        if self.is_uninstalling() {
            return Err(crate::wire::not_served());
        }
        let not_found = || Refusal::new(RefusalCode::NotFound, format!("Pod {} not found", command.pod));
        let key = self.store.pod_named(&command.pod).ok_or_else(not_found)?;
        let tasks = self.chosen(&key, command).ok_or_else(not_found)?;
        let seq = cx.emit(EventBody::PodCommanded {
            service: self.name.clone(),
            pod: key.name(),
            op: word(command.op).into(),
        });
        let mut out = Vec::new();
        cx.scoped(Cause::Event(seq), |cx| self.carry_out_pod(cx, &key, command.op, &tasks, &mut out));
        let names: Vec<&str> = tasks.iter().map(|(name, ..)| &**name).collect();
        Ok((json!({"pod": command.pod, "tasks": names}), out))
    }

    /// Names, ids and agents of the tasks meant; nothing when a name matches no task.
    fn chosen(&self, key: &PodKey, command: &PodCommand) -> Option<Vec<(Text, Text, Text)>> {
        let tasks = self.store.pod(key)?;
        let row = |task: &TaskRecord| (task.name.clone(), task.id.clone(), task.at.agent_id.clone());
        let filtered = matches!(command.op, PodOp::Pause | PodOp::Resume) && !command.tasks.is_empty();
        if !filtered {
            return Some(tasks.values().map(row).collect());
        }
        let named = |task: &&TaskRecord, name: &String| **name == *task.name || **name == *task.task;
        let wanted = tasks.values().filter(|task| command.tasks.iter().any(|name| named(task, name)));
        let wanted: Vec<_> = wanted.map(row).collect();
        // Fewer tasks than names: some name matches no task, or two names match the same one.
        let names: SortedSet<&String> = command.tasks.iter().collect();
        (wanted.len() >= names.len()).then_some(wanted)
    }

    fn carry_out_pod(
        &mut self,
        cx: &mut Cx,
        key: &PodKey,
        op: PodOp,
        tasks: &[(Text, Text, Text)],
        out: &mut Vec<Request>,
    ) {
        let wanted = match op {
            PodOp::Restart | PodOp::Replace => None,
            PodOp::Pause => Some(OverrideTarget::Paused),
            PodOp::Resume => Some(OverrideTarget::None),
        };
        match wanted {
            Some(target) => {
                let before = self.shown_of_pod(key);
                for (name, ..) in tasks {
                    let goal = Override { target, progress: OverrideProgress::Pending };
                    self.store.update(name, |task| task.goal = goal);
                }
                self.report_shown(cx, &before);
            }
            None => {
                for (name, ..) in tasks {
                    self.clear_delay(cx, name);
                }
            }
        }
        // A pod that was never launched is not flagged.
        if op == PodOp::Replace && tasks.iter().any(|(_, id, _)| !id.is_empty()) {
            self.store.flag_pod(key);
        }
        for (_, id, agent) in tasks {
            self.kill(cx, id, Some(agent), out);
        }
        self.note_pod(key);
        self.settle_delays(cx);
        self.touch_service(cx);
    }
}

fn word(op: PodOp) -> &'static str {
    match op {
        PodOp::Restart => "restart",
        PodOp::Replace => "replace",
        PodOp::Pause => "pause",
        PodOp::Resume => "resume",
    }
}
