//! Selectors: values for components, computed from the state. Pure.

pub(crate) mod announce;
pub(crate) mod arrange;
pub(crate) mod arrows;
pub(crate) mod axis;
pub(crate) mod brush;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod faults;
pub(crate) mod files;
pub(crate) mod gallery;
pub(crate) mod guess;
pub(crate) mod lesson;
pub(crate) mod levels;
pub(crate) mod log;
pub(crate) mod maintenance;
pub(crate) mod offers;
pub(crate) mod palette;
pub(crate) mod status;
pub(crate) mod stuck;
pub(crate) mod text;
pub(crate) mod time;
pub(crate) mod tree;
pub(crate) mod words;
