//! Plan trees through their public surface, as stories.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

mod admit;
mod canary;
mod coordinator;
mod dsl;
mod edit;
mod properties;
mod random;
mod strategies;
mod why;
