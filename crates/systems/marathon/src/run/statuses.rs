//! Messages of the master.
//!
//! **Source**: `marathon: MarathonScheduler.scala, core/task/update/impl/TaskStatusUpdateProcessorImpl.scala`. Match.

use super::Marathon;
use super::bus::{Happening, spec_of_task};
use super::instance::Condition;
use planarium_mesos::Cluster;
use planarium_mesos::api::{Message, SchedulerEvent, TaskStatus};
use planarium_part::Cx;
use planarium_protocol::Text;
use std::sync::Arc;

impl Marathon {
    /// A message of the master, under its cause.
    pub(crate) fn on_message(&mut self, cx: &mut Cx, cluster: &mut Cluster, message: Message) {
        cx.set_cause(message.cause);
        match message.event {
            SchedulerEvent::Subscribed { framework_id, region } => self.subscribed(cx, framework_id, region),
            SchedulerEvent::Offers(offers) => self.on_offers(cx, cluster, &offers),
            SchedulerEvent::Update(status) => self.on_status(cx, cluster, status),
            SchedulerEvent::Failure { .. } => self.in_doubt = true,
            SchedulerEvent::Rescind(_)
            | SchedulerEvent::InverseOffers(_)
            | SchedulerEvent::RescindInverseOffer(_)
            | SchedulerEvent::Operation(_) => {}
        }
        self.settle(cx, cluster);
    }

    fn subscribed(&mut self, cx: &mut Cx, framework_id: Text, region: Option<Text>) {
        let first = self.framework_id.is_empty();
        self.framework_id = framework_id.clone();
        self.region = region;
        self.in_doubt = true;
        let kind = if first { "scheduler_registered_event" } else { "scheduler_reregistered_event" };
        self.publish(
            cx,
            Happening::Scheduler { kind, framework: framework_id, master: "leader.mesos".into() },
        );
        self.wish_changed();
    }

    /// What the master says of a task.
    fn on_status(&mut self, cx: &mut Cx, cluster: &mut Cluster, status: TaskStatus) {
        self.count("mesos.task-updates");
        let condition = Condition::of(&status);
        let found = self.tracker.of_task(&status.task_id).map(|(key, instance)| {
            let is_its_own = instance.tasks.iter().any(|task| task.id == status.task_id);
            (key, if is_its_own { None } else { Some(instance.id.clone()) })
        });
        let id = status.task_id.clone();
        match found {
            Some((_, Some(instance))) => {
                if kills_unknown(condition) {
                    self.kill_unknown(cx, cluster, instance, id);
                }
            }
            Some((key, None)) => {
                let (now, cause) = (cx.now(), cx.cause());
                self.tracker.update(key, &Arc::new(status), now, cause);
            }
            None => {
                let (instance, spec) = spec_of_task(&id);
                if condition.is_terminal() || condition == Condition::Unreachable {
                    let what = Happening::UnknownEnded {
                        instance: instance.clone(),
                        spec,
                        condition: condition.as_str(),
                    };
                    self.publish(cx, what);
                    self.kill_done(cx, cluster, &instance);
                } else if kills_unknown(condition) {
                    self.kill_unknown(cx, cluster, instance, id);
                }
            }
        }
    }
}

/// Whether a task that should not be there is killed.
fn kills_unknown(condition: Condition) -> bool {
    !matches!(condition, Condition::Killing | Condition::Unreachable) && !condition.is_terminal()
}
