//! Tables of text.

use std::fmt::Write as _;

/// Rows below their headings, columns as wide as they have to be.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut lines: Vec<Vec<String>> = vec![headings.iter().map(|heading| (*heading).to_owned()).collect()];
    lines.extend(rows.iter().cloned());
    let wide = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(wide).collect();
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let mut row = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            let _ = write!(row, "{cell:<width$}  ");
        }
        if at > 0 {
            text.push('\n');
        }
        text.push_str(row.trim_end());
    }
    text
}
