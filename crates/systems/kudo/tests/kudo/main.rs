//! KUDO at its boundary.

mod console;
mod engine;
mod hostile;
mod instances;
mod large;
mod packages;
mod pages;
mod pods;
mod real;
mod remedies;
mod rules;
mod script;
mod stage;
mod support;
mod templates;
mod upstream;
