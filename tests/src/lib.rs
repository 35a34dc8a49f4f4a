//! What the suites share: the router as a client sees it, goldens, places of files, hostile texts.
//!
//! Knows: the outermost surfaces only (router, scenarios, engine handle). Must not know: anything inside the engine.

pub mod client;
pub mod files;
pub mod golden;
pub mod hostile;
pub mod journals;
pub mod same;
pub mod tree;

pub use client::{Answer, Client};
