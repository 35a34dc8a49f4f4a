//! Properties after every sequence of operations on an engine.
//!
//! Debug builds check the engine's own invariants after every step, too; here is what can be seen from outside. `PROPTEST_CASES`
//! asks for more sequences than a build has time for.

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
