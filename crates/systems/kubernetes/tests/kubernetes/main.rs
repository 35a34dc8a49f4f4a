//! Kubernetes objects as a system: reading, plans, commands, `kubectl`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod console;
mod pages;
mod plans;
mod reading;
mod stage;
mod support;
mod whys;
