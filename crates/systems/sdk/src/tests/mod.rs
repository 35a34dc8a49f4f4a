//! Tests over whole definitions, and what other tests need for them.

mod definitions;
mod package;
mod pages;
pub(crate) mod support;

pub(crate) use support::{clean, request, spec};
