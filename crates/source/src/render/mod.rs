//! Showing findings: as text for people and as flat JSON for programs and editors.

pub mod json;
pub mod text;
