//! Demos for other people's documents: a recording of a run, and pictures of it in HTML and SVG.
//!
//! *Knows*: runs of an engine, their views and status words. *Must not know*: files, HTTP, and the form of a host's document.
//!
//! A writer plays a definition or scenario once, when the document is built. Readers get a picture (a real table that needs
//! no script), and with it a [`Recording`]: changes of statuses over time, some hundred bytes, which the loader
//! (`embed/loader/`) plays back without an engine. [`fence`] reads demos in Markdown.

pub mod fence;
mod html;
mod lesson;
mod record;
mod recording;
mod sources;
mod svg;
mod text;

pub use html::{Picture, page};
pub use lesson::{LessonPicture, is_lesson_link};
pub use record::{Selection, record};
pub use recording::{Change, Family, Mark, Recording, Row, Word};
pub use sources::sources;
pub use svg::{animated, still};
pub use text::tree;

/// The styles of pictures and of the loader.
pub const STYLES: &str = include_str!("../../../embed/planarium-embed.css");

/// The loader: one classic script, with its styles in it, that plays the recordings of all pictures on a page. `cargo xtask loader`
/// makes it of `embed/loader/` and the styles.
pub const LOADER: &str = include_str!("../../../embed/planarium-embed.js");
