//! Properties that hold after every sequence of operations on an engine.
//!
//! Debug builds also check the engine's own invariants after every step; these tests check it from outside. `PROPTEST_CASES`
//! sets a larger number of sequences than a build has time for.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "helpers of tests")]

mod bodies;
mod checks;
mod cluster;
mod crowd;
mod deeds;
mod definitions;
mod lacking;
mod marathon;
mod remedies;
mod sharing;
mod skopos;
mod small;
mod texts;
mod whys;
