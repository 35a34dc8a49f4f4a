//! Decisions about calls of plugins and scripts: target, failure, duration, effects.
//!
//! *Knows*: how a call is assembled, what is determined before it, what ends it. *Must not know*: chains and exits,
//! how processes are started.
//!
//! Detected before the call, in no time: names without a value, missing plugins, actions and scripts, an instance
//! operation without component or instance. Every other failure takes the usual time of the call.
//!
//! | Module | Says |
//! |---|---|
//! | `bind` | what is called, on which instance, with which values |
//! | `faults` | which planned failure or fault strikes it |
//! | `start` | what begins with it |
//! | `waits` | how far what a call waits for has come |
//! | `effects` | what it brings about when its time is over |

mod bind;
mod effects;
mod faults;
mod start;
mod waits;

pub(crate) use bind::{Bound, bind};
pub(crate) use effects::apply;
pub(crate) use faults::{Strike, labels, planned};
pub(crate) use start::{Start, start};
pub(crate) use waits::{Look, Progress, look, progress};

use crate::blueprint::Blueprint;
use crate::instances::{Hosts, Instances};
use crate::plan::Plan;
use planarium_ground::Fleet;
use planarium_kernel::SimTime;

/// State before a call begins.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) instances: &'a Instances,
    pub(crate) hosts: &'a Hosts,
    pub(crate) fleet: &'a Fleet,
    /// The slot of the innermost loop.
    pub(crate) index: Option<u64>,
    pub(crate) now: SimTime,
}
