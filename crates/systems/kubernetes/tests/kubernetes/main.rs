//! Kubernetes objects as a system: reading, plans, commands, `kubectl`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod changes;
mod console;
mod pages;
mod plans;
mod plays;
mod reading;
mod stage;
mod support;
mod whys;
