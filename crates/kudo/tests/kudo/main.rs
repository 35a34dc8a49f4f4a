//! KUDO at its boundary.

mod packages;
mod pages;
mod support;
