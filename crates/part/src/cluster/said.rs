//! What the user says of a process that a system started itself.
//!
//! *Knows*: words of the Mesos master for states of tasks, which serve for any process. *Must not know*: tasks of frameworks;
//! those are the master's.

use super::{Cluster, News, SYSTEMS};
use crate::system::Number;
use planarium_ground::{Cx, ExitReason, FleetEvent, FleetEventKind, ProcessId, Said};
use planarium_mesos::api::TaskState;
use planarium_protocol::Refusal;
use planarium_protocol::input::TaskStatusInput;
use planarium_protocol::refusal::RefusalCode;

impl Cluster {
    /// The user says how a process is, and its system hears of it; none when no system has such a process.
    ///
    /// *Errors*: words that are none.
    pub(super) fn say_of_process(
        &mut self,
        cx: &mut Cx,
        said: &TaskStatusInput,
    ) -> Option<Result<(), Refusal>> {
        let (pid, number) = self.process_meant(said)?;
        let Some(state) = TaskState::parse(&said.state) else {
            let text = format!("`{}` is not a task state", said.state);
            return Some(Err(Refusal::new(RefusalCode::BadRequest, text)));
        };
        let mut tell = |kind| {
            let event = FleetEvent { cause: cx.cause(), owner: self.fleet.owner(pid), kind };
            self.news.push_back(News { process: Some(number), event });
        };
        let what = match state {
            TaskState::Starting => {
                tell(FleetEventKind::Started { pid });
                Said::Starting
            }
            TaskState::Running => {
                tell(FleetEventKind::Running { pid });
                if let Some(healthy) = said.healthy {
                    tell(FleetEventKind::Health { pid, healthy });
                }
                if let Some(code) = said.readiness_exit {
                    tell(FleetEventKind::Check { pid, exit_code: Some(code), attempt: 1 });
                }
                Said::Running(said.readiness_exit)
            }
            _ if state.is_terminal() => {
                let code = i32::from(state != TaskState::Finished);
                let message = said.message.as_deref().unwrap_or(&said.state).into();
                tell(FleetEventKind::Exited { pid, code, reason: ExitReason::Exit, message });
                Said::Ended
            }
            _ => return Some(Ok(())),
        };
        self.parts().0.say(cx, pid, what);
        Some(Ok(()))
    }

    /// The latest process of a system with this name or id.
    fn process_meant(&self, said: &TaskStatusInput) -> Option<(ProcessId, Number)> {
        let is = |pid: ProcessId, label: &str, value: &str| {
            self.fleet.labels(pid).and_then(|labels| labels.get(label)).is_some_and(|own| &**own == value)
        };
        let meant = |pid: &ProcessId| {
            (is(*pid, "task-id", &said.task) || is(*pid, "task", &said.task))
                && said.service.as_deref().is_none_or(|service| is(*pid, "service", service))
        };
        let owned = |pid: ProcessId| Some((pid, Number(self.fleet.owner(pid)?.0.checked_sub(SYSTEMS)?)));
        self.fleet.process_ids().filter(meant).filter_map(owned).last()
    }
}
