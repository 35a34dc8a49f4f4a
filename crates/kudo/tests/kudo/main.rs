//! KUDO at its boundary.

mod engine;
mod instances;
mod packages;
mod pages;
mod real;
mod script;
mod stage;
mod support;
