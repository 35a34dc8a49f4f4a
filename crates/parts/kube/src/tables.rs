//! Rows of upstream's unit tables, each with its source, and their number. Those that need a whole cluster are in
//! `tests/cluster/upstream`.

use std::collections::BTreeSet;
use std::fmt::Debug;

/// Rows that were checked.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    source: &'static str,
    sources: BTreeSet<&'static str>,
    count: u32,
}

impl Rows {
    /// Names the table of `kubernetes/kubernetes` that the next rows are from.
    pub(crate) fn source(&mut self, source: &'static str) {
        assert!(source.starts_with("pkg/controller/") && source.contains(": Test"), "{source}");
        assert!(self.sources.insert(source), "{source} is named twice");
        self.source = source;
    }

    /// Checks a row.
    pub(crate) fn check<T: PartialEq + Debug>(&mut self, row: &str, actual: T, expected: T) {
        assert!(!self.source.is_empty(), "{row} has a source");
        assert_eq!(actual, expected, "{}: {row}", self.source);
        self.count += 1;
    }
}

#[test]
fn upstream_rows_hold_and_are_counted() {
    let mut rows = Rows::default();
    crate::controllers::deployment::tables::rows(&mut rows);
    crate::controllers::job::tables::rows(&mut rows);
    crate::controllers::cron_job::tables::rows(&mut rows);
    crate::controllers::pods::tables::rows(&mut rows);
    // With those of `tests/cluster/upstream` more than two hundred.
    assert!(rows.count >= 130, "{} rows of {} tables", rows.count, rows.sources.len());
}
