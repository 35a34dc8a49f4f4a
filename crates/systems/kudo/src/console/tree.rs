//! Trees of lines, as `xlab/treeprint` draws them.
//!
//! **Source**: `xlab/treeprint: treeprint.go` of v1.0.0. Match: a line that continues past a branch is followed by two non-breaking blanks,
//! and a label of several lines is printed unchanged.

use std::fmt::Write as _;

/// A branch with its label.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    label: String,
    children: Vec<Tree>,
}

impl Tree {
    /// A tree whose root shows a label.
    pub(super) fn new(label: &str) -> Self {
        Self { label: label.to_owned(), children: Vec::new() }
    }

    /// Adds a branch.
    pub(super) fn add(&mut self, label: impl Into<String>) -> &mut Self {
        self.children.push_mut(Self { label: label.into(), children: Vec::new() })
    }

    /// Adds a branch with a word in brackets before its label.
    pub(super) fn add_meta(&mut self, meta: &str, label: &str) -> &mut Self {
        self.add(format!("[{meta}]  {label}"))
    }

    /// The lines, each with its line end.
    pub(super) fn text(&self) -> String {
        let mut out = format!("{}\n", self.label);
        self.write(&mut out, "");
        out
    }

    fn write(&self, out: &mut String, prefix: &str) {
        let last = self.children.len().saturating_sub(1);
        for (at, child) in self.children.iter().enumerate() {
            let (edge, next) =
                if at == last { ("└── ", "    ") } else { ("├── ", "│\u{a0}\u{a0} ") };
            let _ = writeln!(out, "{prefix}{edge}{}", child.label);
            child.write(out, &format!("{prefix}{next}"));
        }
    }
}
