//! KUDO at its boundary.

mod large;
mod packages;
mod pages;
mod real;
mod console;
mod engine;
mod hostile;
mod instances;
mod script;
mod stage;
mod support;
