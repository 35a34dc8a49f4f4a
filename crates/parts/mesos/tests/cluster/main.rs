//! The cluster at its boundary: calls and fleet events in, messages to frameworks out.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests may panic like tests")]

mod accept;
mod acknowledge;
mod expiry;
mod failover;
mod fair;
mod faults;
mod harness;
mod liveness;
mod machines;
mod news;
mod offers;
mod operations;
mod quota;
mod roles;
mod soak;
mod tasks;
mod untracked;
mod views;
