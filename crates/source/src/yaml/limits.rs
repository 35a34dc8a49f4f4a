//! Limits on the cost of a text.

/// The deepest nesting any limit may allow: trees are walked and dropped by recursion.
const DEEPEST: u32 = 256;

/// Bounds on one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text.
    pub bytes: usize,
    /// Collections inside collections, expanded aliases included; at most 256 whatever is asked.
    pub depth: u32,
    /// Scalars and collections written in the text.
    pub nodes: u32,
    /// Scalars and collections that aliases add to those.
    pub alias_nodes: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 2 * 1024 * 1024, depth: 128, nodes: 400_000, alias_nodes: 50_000 }
    }
}

impl Limits {
    /// The depth that is really allowed.
    pub(super) fn allowed_depth(&self) -> u32 {
        self.depth.min(DEEPEST)
    }
}
