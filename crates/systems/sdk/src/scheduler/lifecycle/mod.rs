//! The end of a scheduler process: uninstalled, or its framework was removed by the master.
//!
//! *Knows*: whether the service is being uninstalled, and the package manager that waits for that. *Must not know*:
//! how the service is removed from the world.
//!
//! The package manager asks every [`POLL_MS`] whether `deploy` is COMPLETE and then removes the scheduler.
//!
//! A process that got an error from the driver exits with code 6 and is started again by Marathon; each new one requests
//! its stored framework id, gets the same error and exits again. Here it stays down: nothing is served, no timer runs.
//!
//! **Source**: `dcos-commons: …/scheduler/uninstall/UninstallScheduler.java, …/framework/FrameworkScheduler.java (error),
//! …/scheduler/SchedulerErrorCode.java`. Match for the order; ours are the interval of the package manager and the
//! missing restart loop.

pub(crate) mod uninstall;

use super::Cx;
use super::service::Service;
use super::timers::{TimerKind, Timers};
use planarium_kernel::queue::Class;
use planarium_kernel::{Cause, SimTime};
use planarium_protocol::event::{EventBody, Importance};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};

/// The variable in the scheduler's environment that starts the uninstall; its value does not matter.
pub const UNINSTALL_FLAG: &str = "SDK_UNINSTALL";

/// The flag's value that removes one service from a shared framework.
pub const OF_SEVERAL: &str = "service";

/// Time limit of a service that leaves its framework to others. *Units*: milliseconds.
const REMOVAL_MS: u64 = 600_000;

/// Interval between two polls of the package manager. *Units*: milliseconds.
pub const POLL_MS: u64 = 10_000;

/// Message of the master to a framework that was removed.
pub const FRAMEWORK_REMOVED: &str = "Framework has been removed";

/// Exit code of a scheduler after an error from the driver.
const ERROR: u8 = 6;

/// A service that is being uninstalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Uninstall {
    /// When it was first asked for.
    since: SimTime,
    /// The package manager's next poll is scheduled.
    polled: bool,
    /// The package manager has removed the scheduler.
    gone: Option<Cause>,
}

/// Uninstall, teardown and exit of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifecycle {
    /// Set when the service is being uninstalled.
    uninstall: Option<Uninstall>,
    /// The framework is over.
    torn_down: bool,
    /// The process ended because of this error from the driver.
    exited: Option<Text>,
}

impl Lifecycle {
    /// As the next process finds it.
    pub(crate) fn of_next_process(&self) -> Self {
        let uninstall = self.uninstall.map(|uninstall| Uninstall { polled: false, ..uninstall });
        Self { uninstall, ..Self::default() }
    }

    /// Tells if the service is being uninstalled.
    pub(crate) fn is_uninstalling(&self) -> bool {
        self.uninstall.is_some()
    }

    /// Starts the uninstall of the service.
    pub(crate) fn begin_uninstall(&mut self, now: SimTime) {
        self.uninstall.get_or_insert(Uninstall { since: now, polled: false, gone: None });
    }

    /// Cause of the scheduler's removal, once the package manager has removed it.
    pub(crate) fn gone(&self) -> Option<Cause> {
        self.uninstall?.gone
    }

    /// Tells if the framework is over.
    pub(crate) fn is_torn_down(&self) -> bool {
        self.torn_down
    }

    /// The framework is over.
    pub(crate) fn tear_down(&mut self) {
        self.torn_down = true;
        if let Some(uninstall) = &mut self.uninstall {
            uninstall.polled = false;
        }
    }

    /// A service that leaves its framework to others is dropped when that takes too long: counted from the start of
    /// the process.
    pub(crate) fn arm_removal(cx: &Cx, service: &Service, timers: &mut Timers) {
        if service.env.get(UNINSTALL_FLAG).is_some_and(|value| value == OF_SEVERAL) {
            let at = cx.now().saturating_add(REMOVAL_MS);
            timers.arm(cx, at, Class::OneShot, TimerKind::RemovalTimeout);
        }
    }

    /// It took too long.
    pub(crate) fn give_up_removal(&mut self, cx: &Cx) {
        if let Some(uninstall) = &mut self.uninstall {
            uninstall.gone = Some(cx.cause());
        }
    }

    /// Schedules the package manager's next poll once `deploy` is COMPLETE.
    pub(crate) fn await_removal(&mut self, cx: &Cx, deployed: bool, timers: &mut Timers) {
        let Some(uninstall) = self.uninstall.as_mut().filter(|uninstall| deployed && !uninstall.polled)
        else {
            return;
        };
        uninstall.polled = true;
        let looks = cx.now().since(uninstall.since) / POLL_MS + 1;
        let at = uninstall.since.saturating_add(looks.saturating_mul(POLL_MS));
        timers.arm(cx, at, Class::OneShot, TimerKind::Removal);
    }

    /// Handles a poll of the package manager.
    pub(crate) fn look_for_removal(&mut self, cx: &Cx, deployed: bool) {
        let over = self.torn_down || deployed;
        if let Some(uninstall) = &mut self.uninstall {
            uninstall.polled = false;
            if over {
                uninstall.gone = Some(cx.cause());
            }
        }
    }

    /// The driver tells an error: the process ends.
    pub(crate) fn exit(&mut self, cx: &mut Cx, service: &Text, error: &str) {
        cx.emit(EventBody::Happened {
            speaker: service.clone(),
            what: "scheduler-exited".into(),
            importance: Importance::High,
            path: None,
            facts: vec![("exit-code".into(), ERROR.to_string().into())],
            text: format!("{service}: its scheduler exits with code {ERROR}: {error}").into(),
        });
        self.exited = Some(error.into());
        self.tear_down();
    }

    /// Why the process ended, if it did.
    pub(crate) fn exited(&self) -> Option<&Text> {
        self.exited.as_ref()
    }

    /// The line that a view shows of a process that ended.
    pub(crate) fn exit_line(&self) -> Option<String> {
        self.exited().map(|error| format!("the scheduler has exited with code {ERROR}: {error}"))
    }

    /// Refuses everything once the process has ended.
    pub(crate) fn must_run(&self, service: &Text) -> Result<(), Refusal> {
        let Some(error) = self.exited() else { return Ok(()) };
        let text = format!("Service {service} is not there: its scheduler exits with code {ERROR} ({error})");
        Err(Refusal { status: 503, ..Refusal::new(RefusalCode::Conflict, text) })
    }

    /// Refuses a start after a process that has ended.
    pub(crate) fn may_start_again(&self, service: &Text) -> Result<(), Refusal> {
        if !self.torn_down {
            return Ok(());
        }
        let text = if self.exited.is_some() {
            format!(
                "The framework of service {service} has been removed: every start of its scheduler ends with exit \
                 code {ERROR} ({FRAMEWORK_REMOVED}). Remove the service with force, and install it anew"
            )
        } else {
            "The service is uninstalled; the package manager is about to remove it".to_owned()
        };
        Err(Refusal::new(RefusalCode::Conflict, text))
    }
}

/// Refuses a start without the flag after all, in the real scheduler's words.
pub(crate) fn irreversible(service: &str) -> Refusal {
    let text = format!(
        "Service {service} has been told to uninstall, and that cannot be taken back: a scheduler without \
         {UNINSTALL_FLAG} exits with code 11"
    );
    Refusal::new(RefusalCode::Conflict, text)
}

/// Refuses everything that an uninstalling scheduler does not serve: all but plans and health.
pub(crate) fn not_served() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "HTTP 404 Not Found")
}
