//! Helpers of the suites: the router as a client sees it, goldens, paths of files, hostile texts.
//!
//! Knows: the outermost surfaces only (router, scenarios, engine handle). Must not know: anything inside the engine.

#![expect(
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "helpers of tests: JSON bodies are looked into, and what is not as it should be ends the test"
)]

pub mod chains;
pub mod client;
pub mod files;
pub mod golden;
pub mod hostile;
pub mod journals;
pub mod links;
pub mod same;
#[cfg(not(target_arch = "wasm32"))]
pub mod soak;
pub mod tree;

pub use client::{Answer, Client};
