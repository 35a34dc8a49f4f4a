//! Tables of texts.
//!
//! **Source**: `gosuri/uitable: table.go`, `util/wordwrap`, with its defaults. Match, but that every character is one column wide. It
//! stays apart from [`planarium_part::console::table`]: `uitable` pads with tabs between columns, and wraps or cuts cells.

/// The column width set by the client, if any.
pub(super) const COLUMN: usize = 35;

/// Rows of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    /// Cells wider than this are wrapped; none where they may be of any width.
    pub(super) widest: Option<usize>,
}

impl Table {
    /// Adds a row; rows may be of different lengths.
    pub(super) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The lines: cells as wide as the widest one of their column, a tab between them.
    pub(super) fn text(&self) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            for (at, cell) in row.iter().enumerate() {
                let own = cell.split('\n').map(width).max().unwrap_or(0);
                let own = own.min(self.widest.unwrap_or(usize::MAX));
                match widths.get_mut(at) {
                    Some(known) => *known = own.max(*known),
                    None => widths.push(own),
                }
            }
        }
        let rows = self.rows.iter().map(|row| self.lines(row, &widths));
        rows.collect::<Vec<_>>().join("\n")
    }

    /// A row, which takes as many lines as its longest cell.
    fn lines(&self, row: &[String], widths: &[usize]) -> String {
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(widths)
            .map(|(cell, column)| self.shown(cell, *column).split('\n').map(str::to_owned).collect())
            .collect();
        let tallest = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let cells = cells.iter().zip(widths).map(|(cell, column)| match cell.get(at) {
                Some(text) => resized(text, *column),
                None => " ".repeat((*column).max(1)),
            });
            cells.collect::<Vec<_>>().join("\t")
        };
        (0..tallest).map(line).collect::<Vec<_>>().join("\n")
    }

    fn shown(&self, cell: &str, column: usize) -> String {
        match self.widest {
            _ if column == 0 => cell.to_owned(),
            // The length of a text is counted in bytes here, and in columns elsewhere.
            Some(_) if cell.len() > column => wrapped(cell, column),
            _ => resized(cell, column),
        }
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Pads a text with blanks, or cuts it if it is too long.
fn resized(text: &str, column: usize) -> String {
    if column == 0 || width(text) <= column {
        return format!("{text:<column$}");
    }
    let kept: String = text.chars().take(column.saturating_sub(3).max(1)).collect();
    format!("{kept}...")
}

/// Replaces blanks by line breaks to limit the line length. Longer words stay whole.
fn wrapped(text: &str, widest: usize) -> String {
    let mut out = String::new();
    let (mut word, mut blanks) = (String::new(), String::new());
    let mut column = 0_usize;
    for c in text.chars() {
        if c == '\n' {
            if word.is_empty() {
                if column.saturating_add(width(&blanks)) <= widest {
                    out.push_str(&blanks);
                }
            } else {
                out.push_str(&blanks);
                out.push_str(&word);
            }
            blanks.clear();
            word.clear();
            out.push(c);
            column = 0;
        } else if c.is_whitespace() {
            if blanks.is_empty() || !word.is_empty() {
                column = column.saturating_add(width(&blanks)).saturating_add(width(&word));
                out.push_str(&blanks);
                out.push_str(&word);
                blanks.clear();
                word.clear();
            }
            blanks.push(c);
        } else {
            word.push(c);
            let end = column.saturating_add(width(&blanks)).saturating_add(width(&word));
            if end > widest && width(&word) < widest {
                out.push('\n');
                column = 0;
                blanks.clear();
            }
        }
    }
    if !word.is_empty() || column.saturating_add(width(&blanks)) <= widest {
        out.push_str(&blanks);
        out.push_str(&word);
    }
    out
}
