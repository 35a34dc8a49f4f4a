//! Tables as the command line prints them.

use planarium_part::console::table::Table;

/// Rows below their headings, columns as wide as they have to be, two blanks between them.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut table = Table::default();
    table.row(headings.iter().copied());
    for row in rows {
        table.row(row.iter().take(headings.len()).cloned());
    }
    let lines = table.lines(0, 2);
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}
