//! Recovers from syntax errors: a text is divided by its indentation, every broken piece reports its own first error, and
//! the rest is read without those pieces.
//!
//! *Knows*: indentation, and which lines can head a block. *Must not know*: what any field means.
//!
//! A piece counts as broken only if it is broken by itself under the fields around it, so that no error is a consequence of
//! another one. A piece with brackets or quotes over several lines, several documents or lines that fit no indentation is
//! not divided further.

use super::reader::{Parsed, Reader};
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use std::ops::Range;

/// Maximum depth of the division.
const DEPTH: u32 = 6;
/// Bytes read again at most, over all pieces.
const WORK: usize = 16 * 1024 * 1024;
/// Broken pieces reported at most.
const PIECES: usize = 50;

/// A line of text without its break.
#[derive(Clone, Debug)]
struct Line {
    at: Range<usize>,
    /// Spaces before the first character; none for lines without content and for lines indented by tabs.
    indent: Option<usize>,
    dash: bool,
}

/// A broken piece.
struct Broken {
    at: Range<usize>,
    found: Diagnostics,
}

impl Reader<'_> {
    /// Returns the first document. Broken places are reported and left out.
    pub fn one_around_errors(&self, found: &mut Diagnostics) -> Parsed {
        let mut first = Diagnostics::new();
        let whole = self.one(&mut first);
        let syntax = first.iter().any(|finding| finding.code == codes::YAML_SYNTAX);
        if !whole.complete && syntax {
            let mut search = Search { reader: self, left: WORK, broken: Vec::new() };
            if let Some(parsed) = search.run(whole.stopped_at.unwrap_or(0)) {
                for piece in search.broken {
                    found.extend(piece.found);
                }
                return parsed;
            }
        }
        found.extend(first);
        whole
    }
}

struct Search<'r, 't> {
    reader: &'r Reader<'t>,
    left: usize,
    broken: Vec<Broken>,
}

impl Search<'_, '_> {
    /// Finds the broken pieces and reads the rest; none if the text cannot be divided.
    fn run(&mut self, first_error: usize) -> Option<Parsed> {
        let lines = lines(self.reader.text());
        let several = lines.iter().skip_while(|line| line.indent.is_none()).skip(1);
        let text = self.reader.text();
        let marker = |line: &Line| {
            text.get(line.at.clone()).is_some_and(|line| line.starts_with("---") || line.starts_with("..."))
        };
        if several.clone().any(marker) {
            return None;
        }
        for piece in pieces(&lines)? {
            self.look(piece, &mut Vec::new(), DEPTH)?;
        }
        // The error that ended the reading must be in one of them or after it: a missing bracket may be noticed much later.
        if self.broken.first()?.at.start > first_error {
            return None;
        }
        let keep = |at: usize| !self.broken.iter().any(|piece| piece.at.contains(&at));
        let rest = masked(text, text.len(), keep);
        let mut parsed = self.reader.over(&rest).one(&mut Diagnostics::new());
        if !parsed.complete || parsed.root.is_none() {
            return None;
        }
        parsed.complete = false;
        parsed.holes = true;
        Some(parsed)
    }

    /// Finds broken places in a piece below these headings; none if the piece is too large.
    fn look(&mut self, piece: &[Line], heads: &mut Vec<Range<usize>>, depth: u32) -> Option<()> {
        let (Some(head), Some(last)) = (piece.first(), piece.last()) else { return Some(()) };
        let at = head.at.start..last.at.end;
        let Some(found) = self.alone(&at, heads)? else { return Some(()) };
        let before = self.broken.len();
        if depth > 0
            && self.heads_a_block(head)
            && let Some(inner) = pieces(piece.get(1..).unwrap_or_default())
        {
            heads.push(head.at.clone());
            if self.alone(&(head.at.end..head.at.end), heads)?.is_none() {
                for piece in inner {
                    self.look(piece, heads, depth.saturating_sub(1))?;
                }
            }
            heads.pop();
        }
        if self.broken.len() == before {
            if self.broken.len() >= PIECES {
                return None;
            }
            self.broken.push(Broken { at, found });
        }
        Some(())
    }

    /// A line that is nothing but a field's name.
    fn heads_a_block(&self, line: &Line) -> bool {
        let text = self.reader.text().get(line.at.clone()).unwrap_or_default();
        let text = text.split(" #").next().unwrap_or_default().trim_end();
        text.ends_with(':') && !text.contains(['"', '\'', '{', '[', '|', '>'])
    }

    /// Reads a part of the text under its headings and returns its error, if any; none if the budget is used up.
    #[expect(clippy::option_option, reason = "the outer one ends the search")]
    fn alone(&mut self, at: &Range<usize>, heads: &[Range<usize>]) -> Option<Option<Diagnostics>> {
        self.left = self.left.checked_sub(at.end.max(1))?;
        let kept = |byte: usize| at.contains(&byte) || heads.iter().any(|head| head.contains(&byte));
        let text = masked(self.reader.text(), at.end, kept);
        let mut found = Diagnostics::new();
        let parsed = self.reader.over(&text).one(&mut found);
        let wrong = |finding: &Diagnostic| finding.code == codes::YAML_SYNTAX && !about_an_anchor(finding);
        let broken = !parsed.complete && found.iter().any(wrong);
        Some(broken.then_some(found))
    }
}

/// The anchor may be in another piece.
fn about_an_anchor(finding: &Diagnostic) -> bool {
    finding.message.contains("anchor")
}

/// The text up to `end` with spaces in place of what is not kept; line breaks stay.
fn masked(text: &str, end: usize, keep: impl Fn(usize) -> bool) -> String {
    let mut out = String::with_capacity(end);
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < end) {
        if keep(at) || matches!(c, '\n' | '\r') {
            out.push(c);
        } else {
            out.extend(std::iter::repeat_n(' ', c.len_utf8()));
        }
    }
    out
}

fn lines(text: &str) -> Vec<Line> {
    let mut start = 0_usize;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let at = start..start.saturating_add(line.len());
        start = at.end;
        let content = line.trim_start_matches(' ');
        let says = !content.trim().is_empty() && !content.starts_with(['#', '\t']);
        let indent = says.then(|| line.len().saturating_sub(content.len()));
        let dash = content.starts_with("- ") || content.trim_end() == "-";
        lines.push(Line { at, indent, dash });
    }
    lines
}

/// Cuts lines where their least indentation begins anew; none when the first of them is indented further.
fn pieces(lines: &[Line]) -> Option<Vec<&[Line]>> {
    let least = lines.iter().filter_map(|line| line.indent).min()?;
    let at_least = |line: &&Line| line.indent == Some(least);
    // A list may be indented like the field it belongs to.
    let dashes_begin = lines.iter().filter(at_least).all(|line| line.dash);
    let begins = |line: &Line| line.indent == Some(least) && (dashes_begin || !line.dash);
    let first = lines.iter().position(|line| line.indent.is_some())?;
    if !lines.get(first).is_some_and(begins) {
        return None;
    }
    let mut starts: Vec<usize> =
        (first..lines.len()).filter(|at| lines.get(*at).is_some_and(begins)).collect();
    starts.push(lines.len());
    Some(starts.windows(2).filter_map(|pair| lines.get(*pair.first()?..*pair.last()?)).collect())
}
