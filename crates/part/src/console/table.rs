//! Tables of text whose columns are as wide as their widest cell.
//!
//! *Knows*: rows of cells. *Must not know*: what they show.

/// Rows of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table whose rows have these headings.
    pub fn headed(headings: &[&str]) -> Self {
        let mut table = Self::default();
        table.row(headings.iter().copied());
        table
    }

    /// Adds a row; rows may be of different lengths.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The lines, each column as wide as its widest cell and the gap after it, and `least` at least. The last cell of a row is not
    /// filled up.
    pub fn lines(&self, least: usize, gap: usize) -> Vec<String> {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            for (at, cell) in row.iter().enumerate() {
                let own = cell.chars().count().saturating_add(gap).max(least);
                match widths.get_mut(at) {
                    Some(width) => *width = own.max(*width),
                    None => widths.push(own),
                }
            }
        }
        let line =
            |row: &Vec<String>| {
                let last = row.len().saturating_sub(1);
                let cells = row.iter().zip(&widths).enumerate();
                let cells = cells.map(|(at, (cell, width))| {
                    if at == last { cell.clone() } else { format!("{cell:<width$}", width = *width) }
                });
                cells.collect::<String>()
            };
        self.rows.iter().map(line).collect()
    }

    /// The lines as one text, without blanks at their ends.
    pub fn text(&self, least: usize, gap: usize) -> String {
        let lines = self.lines(least, gap);
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::headed(&["ID", "NAME", "X"]);
        table.row(["ü", "longer", ""]);
        table.row(["alone"]);
        assert_eq!(table.lines(0, 2), ["ID     NAME    X", "ü      longer  ", "alone"]);
        assert_eq!(table.lines(8, 1), ["ID      NAME    X", "ü       longer  ", "alone"]);
        assert_eq!(table.text(0, 1), "ID    NAME   X\nü     longer\nalone");
        assert_eq!(Table::default().lines(6, 3), Vec::<String>::new());
    }
}
