//! The API server: what is asked of it, in which shape it keeps objects, what it refuses.
//!
//! *Knows*: verbs, defaults, validation, admission, patches. *Must not know*: controllers; a verb changes objects and
//! nothing else.

mod admission;
mod apply;
mod builtin;
mod create;
mod defaults;
mod delete;
mod draft;
mod patch;
mod service;
mod update;

pub(crate) use builtin::{DEFAULT_CLASS, admit_pod};
pub(crate) use create::Parts;
pub(crate) use delete::{FOREGROUND, ORPHAN};
pub(crate) use draft::Draft;
pub(crate) use patch::scale_of;
