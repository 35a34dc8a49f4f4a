//! Fences: demos that writers put into Markdown, checked and drawn when the document is built.
//!
//! ````markdown
//! ```planarium plan="deploy" until="complete" poster_at="0:42"
//! name: hello
//! # ---cut---
//! pods: ...
//! # @expect deploy COMPLETE by 90s
//! # @expect hello-1 never FAILED
//! # ^? status at 0:42
//! ```
//! ````
//!
//! *Knows*: the grammar of the first line ([`Options`]) and of the comments ([`Body`]), where fences stand in a document ([`fences`]), how
//! claims are compared with a run ([`play`]). *Must not know*: files, and how definitions are loaded.
//!
//! Every host (mdBook, MkDocs, Sphinx, remark) passes its fences to this reader.

mod answers;
mod body;
mod elements;
mod markdown;
mod options;
mod play;
mod times;

pub use body::{Body, Claim, Query, When};
pub use markdown::{Found, fences, replaced};
pub use options::{Options, is_info};
pub use play::{Played, claims, play};

/// A finding about a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Line within the fence; 0 is its first line with the options.
    pub line: u32,
    /// Set if the fence can be understood and says something false, rather than not being understood.
    pub is_false_claim: bool,
    /// One sentence.
    pub message: String,
}

impl Finding {
    fn bad(line: u32, message: impl Into<String>) -> Self {
        Self { line, is_false_claim: false, message: message.into() }
    }

    fn untrue(line: u32, message: impl Into<String>) -> Self {
        Self { line, is_false_claim: true, message: message.into() }
    }
}
