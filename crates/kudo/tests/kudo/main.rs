//! KUDO at its boundary.

mod packages;
mod pages;
mod real;
mod engine;
mod instances;
mod script;
mod stage;
mod support;
