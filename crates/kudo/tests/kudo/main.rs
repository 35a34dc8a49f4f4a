//! KUDO at its boundary.

mod packages;
mod pages;
mod real;
mod stage;
mod support;
