//! Start options of a process, and its identity at the master.
//!
//! *Must not know*: anything that changes while it runs, but for its registration.

use crate::dates::Calendar;
use crate::id::PathId;
use crate::settings::Settings;
use crate::shown;
use crate::shown::{DIALECT, shared};
use planarium_kernel::{SimTime, draw};
use planarium_mesos::api::FrameworkId;
use planarium_part::Number;
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use std::sync::Arc;

/// Delays that are long over are forgotten so often.
const SWEEP_MS: u64 = 10_000;
/// The node of instance ids.
const NODE: u32 = 0x6d10;

/// Start options of a process, and its identity at the master.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Number of the process among all in the world.
    pub(crate) number: Number,
    pub(crate) settings: Arc<Settings>,
    pub(crate) seed: u64,
    pub(crate) calendar: Calendar,
    pub(crate) framework: FrameworkId,
    /// Id of the framework on the wire, once the master has said it.
    pub(crate) framework_id: Text,
    /// The master's own region.
    pub(crate) region: Option<Text>,
    /// When the process started, or last started again.
    pub(crate) born: SimTime,
}

impl Setup {
    /// Returns a new UUID.
    pub(crate) fn uuid(&self, purpose: u32, n: u64) -> Text {
        draw::uuid(self.seed, draw::entity(&self.settings.framework), purpose, n).into()
    }

    /// The time of day and the node that ids of instances are made of.
    pub(crate) fn clock(&self, now: SimTime) -> (u64, u64) {
        let unix = self.calendar.epoch_ms.saturating_add(now.ms());
        (unix, draw::draw(self.seed, draw::entity(&self.settings.framework), NODE, 0))
    }

    /// When delays were last swept.
    pub(crate) fn sweep_tick(&self, now: SimTime) -> SimTime {
        let past = now.since(self.born) / SWEEP_MS;
        self.born.saturating_add(past * SWEEP_MS)
    }

    /// Returns the path of a displayed element.
    pub(crate) fn path(&self, plan: impl Into<Text>, phase: Option<Text>, step: Option<Text>) -> ElementPath {
        ElementPath {
            dialect: shared(DIALECT),
            service: self.settings.framework.clone(),
            plan: plan.into(),
            phase,
            step,
        }
    }

    /// Returns the path of an app's element, by its place.
    pub(crate) fn app_path(&self, place: shown::Place) -> ElementPath {
        self.path(shared(shown::APPS), Some(place.phase), Some(place.step))
    }

    /// The element that shows an app that nothing is known of.
    pub(crate) fn unknown_app_path(&self, id: &PathId) -> ElementPath {
        self.app_path(shown::place_of(id))
    }
}
