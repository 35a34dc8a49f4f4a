//! Maintenance through the router: worked traces, bad bodies, the examples of the documentation.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "helpers of tests may panic like tests"
)]

mod maintenance {
    mod bad_bodies;
    mod cluster;
    mod drain;
    mod examples;
    mod traces;
}
