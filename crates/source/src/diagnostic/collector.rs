//! Collects findings while a text is read.

use crate::codes;
use crate::diagnostic::{Diagnostic, Severity};
use crate::span::Span;

/// Default maximum of findings kept.
const DEFAULT_LIMIT: usize = 500;

/// A bounded collection of findings.
///
/// *Invariant*: holds at most its limit; what came later is counted and announced by one closing
/// `SRC001` note. Errors that were dropped still make [`Diagnostics::has_errors`] true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    found: Vec<Diagnostic>,
    limit: usize,
    dropped: usize,
    last_dropped: Option<Span>,
    any_error: bool,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self::new()
    }
}

impl Diagnostics {
    /// An empty collection of the usual bound, 500.
    pub fn new() -> Self {
        Self::with_limit(DEFAULT_LIMIT)
    }

    /// An empty collection of another bound.
    pub fn with_limit(limit: usize) -> Self {
        Self { found: Vec::new(), limit, dropped: 0, last_dropped: None, any_error: false }
    }

    /// Adds a finding, or counts it when the bound is reached.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.any_error |= diagnostic.is_error();
        if self.is_full() {
            self.dropped = self.dropped.saturating_add(1);
            self.last_dropped = Some(diagnostic.span);
        } else {
            self.found.push(diagnostic);
        }
    }

    /// Takes over another collection's findings.
    pub fn extend(&mut self, other: Self) {
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.last_dropped = other.last_dropped.or(self.last_dropped);
        self.any_error |= other.any_error;
        for diagnostic in other.found {
            self.push(diagnostic);
        }
    }

    /// True when nothing further is kept; costly findings need not be worked out then.
    pub fn is_full(&self) -> bool {
        self.found.len() >= self.limit
    }

    /// True when there was any error, kept or dropped.
    pub fn has_errors(&self) -> bool {
        self.any_error
    }

    /// True when nothing was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.dropped == 0
    }

    /// Returns how many findings are kept.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns how many came after the bound was reached.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The findings kept so far, in the order of finding.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.found.iter()
    }

    /// The findings by file, position, severity and code, each once; the note about dropped ones last.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        planarium_kernel::sorted::sort_by(&mut self.found, |a, b| {
            (a.span, a.severity, &a.code, &a.message).cmp(&(b.span, b.severity, &b.code, &b.message))
        });
        self.found.dedup_by(|later, earlier| {
            later.span == earlier.span && later.code == earlier.code && later.message == earlier.message
        });
        if self.dropped > 0 {
            let span = self.last_dropped.or(self.found.last().map(|last| last.span)).unwrap_or_default();
            let things = if self.dropped == 1 { "finding was" } else { "findings were" };
            let message = format!("{} further {things} dropped", self.dropped);
            self.found.push(
                Diagnostic::new(Severity::Info, codes::FINDINGS_DROPPED, span, message)
                    .with_help("mend the findings above and check again"),
            );
        }
        self.found
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    fn finding(at: u32, code: &'static str) -> Diagnostic {
        Diagnostic::warning(code, Span::at(FileId(0), at), format!("at {at}"))
    }

    #[test]
    fn sorted_once_each() {
        let mut found = Diagnostics::new();
        for at in [3, 1, 2, 1] {
            found.push(finding(at, "A"));
        }
        found.push(finding(1, "B"));
        let order: Vec<_> =
            found.into_sorted().iter().map(|d| (d.span.start, d.code.clone().into_owned())).collect();
        let want = [(1, "A"), (1, "B"), (2, "A"), (3, "A")];
        assert_eq!(order, want.map(|(at, code)| (at, code.to_owned())));
    }

    #[test]
    fn the_bound_keeps_count_and_errors() {
        let mut found = Diagnostics::with_limit(2);
        for at in 0..5 {
            found.push(finding(at, "A"));
        }
        assert!(found.is_full() && !found.has_errors());
        found.push(Diagnostic::error("E", Span::default(), "late"));
        assert!(found.has_errors());
        assert_eq!((found.len(), found.dropped()), (2, 4));
        let mut outer = Diagnostics::new();
        outer.extend(found);
        assert!(outer.has_errors());
        let shown = outer.into_sorted();
        assert_eq!(shown.len(), 3);
        let last = shown.last().unwrap();
        assert_eq!(
            (last.code.as_ref(), last.message.as_str()),
            ("SRC001", "4 further findings were dropped")
        );
    }
}
