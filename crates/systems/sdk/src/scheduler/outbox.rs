//! Calls for the master, each with its cause.
//!
//! *Knows*: the order they were made in. *Must not know*: why.

use super::{Cx, Request};
use planarium_kernel::Cause;
use planarium_mesos::api::{Call, Offer};
use std::sync::Arc;

/// Calls that are sent at the end of the current work; empty between two inputs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox(Vec<Request>);

impl Outbox {
    /// Adds a call with the current cause.
    pub(crate) fn push(&mut self, cx: &Cx, call: Call) {
        self.push_caused(cx.cause(), call);
    }

    /// Adds a call of another cause.
    pub(crate) fn push_caused(&mut self, cause: Cause, call: Call) {
        self.0.push(Request { cause, call });
    }

    /// Declines offers for some time.
    pub(crate) fn decline(&mut self, cx: &Cx, offers: &[Arc<Offer>], refuse_ms: u64) {
        if !offers.is_empty() {
            let offer_ids = offers.iter().map(|offer| offer.id).collect();
            self.push(cx, Call::Decline { offer_ids, refuse_ms: Some(refuse_ms) });
        }
    }

    /// Takes all calls out.
    pub(crate) fn take(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.0)
    }
}
