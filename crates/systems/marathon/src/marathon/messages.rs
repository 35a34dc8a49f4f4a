//! Handles messages of the master, and results of checks made by Marathon.
//!
//! **Source**: `marathon: MarathonScheduler.scala, core/task/update/impl/TaskStatusUpdateProcessorImpl.scala`. Match.

use crate::deployments::jobs::JobEvent;
use crate::events::{Happening, spec_of_task};
use crate::health::probes::READINESS;
use crate::health::result_of;
use crate::instances::instance::Condition;
use crate::instances::tracker::Tracked;
use crate::marathon::Marathon;
use crate::offers;
use crate::port::Port;
use planarium_ground::{FleetEvent, FleetEventKind};
use planarium_mesos::api::{Message, SchedulerEvent, TaskStatus};
use planarium_part::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

impl Marathon {
    /// A message of the master, under its cause.
    pub(crate) fn on_message(&mut self, port: &mut Port<'_>, message: Message) {
        port.cx.set_cause(message.cause);
        match message.event {
            SchedulerEvent::Subscribed { framework_id, region } => {
                self.subscribed(port.cx, framework_id, region);
            }
            SchedulerEvent::Offers(offers) => {
                offers::answer(&mut self.records, &mut self.tokens, port, &offers);
            }
            SchedulerEvent::Update(status) => self.on_status(port, status),
            SchedulerEvent::Failure { .. } => self.in_doubt = true,
            SchedulerEvent::Rescind(_)
            | SchedulerEvent::InverseOffers(_)
            | SchedulerEvent::RescindInverseOffer(_)
            | SchedulerEvent::Operation(_) => {}
        }
        self.settle(port);
    }

    fn subscribed(&mut self, cx: &mut Cx, framework_id: Text, region: Option<Text>) {
        let first = self.records.setup.framework_id.is_empty();
        self.records.setup.framework_id = framework_id.clone();
        self.records.setup.region = region;
        self.in_doubt = true;
        let kind = if first { "scheduler_registered_event" } else { "scheduler_reregistered_event" };
        self.records.publish(
            cx,
            Happening::Scheduler { kind, framework: framework_id, master: "leader.mesos".into() },
        );
        self.records.instances.note_wish_change();
    }

    /// Handles a task's status from the master.
    fn on_status(&mut self, port: &mut Port<'_>, status: TaskStatus) {
        self.records.count("mesos.task-updates");
        let condition = Condition::of(&status);
        let found = self.records.instances.of_task(&status.task_id).map(|(key, instance)| {
            let is_its_own = instance.tasks.iter().any(|task| task.id == status.task_id);
            (key, if is_its_own { None } else { Some(instance.id.clone()) })
        });
        let id = status.task_id.clone();
        match found {
            Some((_, Some(instance))) => {
                if kills_unknown(condition) {
                    self.kills.kill_unknown(&mut self.records, port, instance, id);
                }
            }
            Some((key, None)) => {
                let (now, cause) = (port.cx.now(), port.cx.cause());
                self.records.instances.update(key, &Arc::new(status), now, cause);
            }
            None => {
                let (instance, spec) = spec_of_task(&id);
                if condition.is_terminal() || condition == Condition::Unreachable {
                    let what = Happening::UnknownEnded {
                        instance: instance.clone(),
                        spec,
                        condition: condition.as_str(),
                    };
                    self.records.publish(port.cx, what);
                    self.kills.done(&mut self.records, port, &instance);
                } else if kills_unknown(condition) {
                    self.kills.kill_unknown(&mut self.records, port, instance, id);
                }
            }
        }
    }

    /// Handles a result of an external check.
    pub(crate) fn on_fleet(&mut self, port: &mut Port<'_>, event: &FleetEvent) {
        let FleetEventKind::Watched { pid, number, exit_code } = event.kind else { return };
        port.cx.set_cause(event.cause);
        let Some(key) = self.probes.instance_of(pid) else { return };
        let Some(instance) = self.records.instances.get(key).cloned() else { return };
        if number == READINESS {
            self.deploying(port)
                .job_hears(key.spec, &JobEvent::Readiness { key, instance: &instance, exit_code });
        } else if let Ok(at) = usize::try_from(number)
            && let Some(check) = instance.spec.def.health.get(at)
        {
            let result = result_of(check, exit_code);
            let of = Tracked { key, instance: &instance };
            self.health_result(port, of, instance.version(), at, &result);
        }
        self.settle(port);
    }
}

/// Returns whether a task that should not be there is killed.
fn kills_unknown(condition: Condition) -> bool {
    !matches!(condition, Condition::Killing | Condition::Unreachable) && !condition.is_terminal()
}
