//! A scheduler process that ended because the master said so.
//!
//! *Knows*: that the master removed the framework, and what is left of the service then. *Must not know*: who asked.
//!
//! The real process exits with code 6 and is started again by Marathon; each new one asks for the framework id it
//! remembers, hears the same error and exits again. Here it stays down: nothing is served, no timer runs.
//!
//! **Source**: `dcos-commons: …/framework/FrameworkScheduler.java (error), …/scheduler/SchedulerErrorCode.java`.
//! Match,
//! but for the loop of starts.

use super::{Cx, Scheduler};
use planarium_protocol::event::{EventBody, Importance};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};

/// What the master says to a framework that was removed.
pub const FRAMEWORK_REMOVED: &str = "Framework has been removed";

/// Exit code of a scheduler that the driver told an error.
const ERROR: u8 = 6;

impl Scheduler {
    /// The driver tells an error: the process ends.
    pub fn fail(&mut self, cx: &mut Cx, error: &str) {
        if self.torn_down {
            return;
        }
        self.now = cx.now();
        cx.emit(EventBody::Happened {
            speaker: self.name.clone(),
            what: "scheduler-exited".into(),
            importance: Importance::High,
            path: None,
            facts: vec![("exit-code".into(), ERROR.to_string().into())],
            text: format!("{}: its scheduler exits with code {ERROR}: {error}", self.name).into(),
        });
        self.torn_down = true;
        self.subscribed = false;
        self.exited = Some(error.into());
        self.stop_timers();
        self.touch_all(cx);
    }

    /// Why the process ended, if it did.
    pub(crate) fn exited(&self) -> Option<&Text> {
        self.exited.as_ref()
    }

    /// What a view shows of a process that ended.
    pub(crate) fn exit_line(&self) -> Option<String> {
        self.exited().map(|error| format!("the scheduler has exited with code {ERROR}: {error}"))
    }

    /// Nothing is answered by a process that ended.
    pub(crate) fn must_run(&self) -> Result<(), Refusal> {
        let Some(error) = self.exited() else { return Ok(()) };
        let text =
            format!("Service {} is not there: its scheduler exits with code {ERROR} ({error})", self.name);
        Err(Refusal { status: 503, ..Refusal::new(RefusalCode::Conflict, text) })
    }

    /// A start of a scheduler whose framework the master has removed.
    pub(super) fn ends_again(&self) -> Refusal {
        let text = format!(
            "The framework of service {} has been removed: every start of its scheduler ends with exit code {ERROR} \
             ({FRAMEWORK_REMOVED}). Remove the service with force, and install it anew",
            self.name
        );
        Refusal::new(RefusalCode::Conflict, text)
    }
}
