//! Findings as text for people.
//!
//! ```text
//! svc.yml:3:5: error[SDK012]: message
//!   |
//! 3 |     cuont: 2
//!   |     ^^^^^
//! help: did you mean 'count'?
//! ```
//!
//! Control and direction characters of the source never reach the terminal.

use std::fmt::Write as _;

use crate::diagnostic::Diagnostic;
use crate::file::{SourceFile, SourceMap};
use crate::index::floor;
use crate::span::{FileId, Span, wide};

/// Columns of source shown at most; longer lines are cut around the span.
const WIDTH: usize = 100;
/// Columns kept before the span when a line is cut.
const LEAD: usize = 30;
/// Bytes of a line looked at before and after a span: enough for every visible column.
const REACH: usize = 600;
/// Columns a tab takes.
const TAB: usize = 4;

/// All findings, an empty line between two.
pub fn render(diagnostics: &[Diagnostic], files: &SourceMap) -> String {
    let all: Vec<_> = diagnostics.iter().map(|diagnostic| render_one(diagnostic, files)).collect();
    all.join("\n")
}

/// One finding with its excerpt; ends with a line break.
pub fn render_one(diagnostic: &Diagnostic, files: &SourceMap) -> String {
    let mut out = headline(diagnostic, files);
    out.push('\n');
    let mut marks = vec![(diagnostic.span, '^', "")];
    marks.extend(diagnostic.labels.iter().map(|label| (label.span, '-', label.text.as_str())));
    let gutter = marks.iter().map(|(span, ..)| digits(files.position(*span).line)).max().unwrap_or(1);
    excerpt(&mut out, diagnostic.span.file, &marks, gutter, files);
    let mut others: Vec<FileId> = marks.iter().map(|(span, ..)| span.file).collect();
    planarium_kernel::sorted::sort(&mut others);
    others.dedup();
    for other in others.into_iter().filter(|file| *file != diagnostic.span.file) {
        excerpt(&mut out, other, &marks, gutter, files);
    }
    for note in &diagnostic.notes {
        line(&mut out, format_args!("note: {}", printable(note)));
    }
    if let Some(help) = &diagnostic.help {
        line(&mut out, format_args!("help: {}", printable(help)));
    }
    out
}

/// The first line alone: `file:line:col: severity[CODE]: message`.
pub fn headline(diagnostic: &Diagnostic, files: &SourceMap) -> String {
    let name = files.get(diagnostic.span.file).map_or("<unknown>", SourceFile::name);
    let at = files.position(diagnostic.span);
    format!(
        "{}:{}:{}: {}[{}]: {}",
        printable(name),
        at.line,
        at.column,
        diagnostic.severity,
        diagnostic.code,
        printable(&diagnostic.message)
    )
}

/// The source lines of one file that carry marks.
fn excerpt(out: &mut String, id: FileId, marks: &[(Span, char, &str)], gutter: usize, files: &SourceMap) {
    let Some(file) = files.get(id) else { return };
    let mut marks: Vec<_> = marks.iter().filter(|(span, ..)| span.file == id).collect();
    let primary_here = marks.iter().any(|(_, sign, _)| *sign == '^');
    planarium_kernel::sorted::sort_by_key(&mut marks, |(span, sign, _)| {
        (file.position(span.start).line, *sign != '^', span.start)
    });
    if !primary_here && let Some((span, ..)) = marks.first() {
        let at = file.position(span.start);
        line(out, format_args!("{:gutter$}--> {}:{}:{}", "", printable(file.name()), at.line, at.column));
    }
    line(out, format_args!("{:gutter$} |", ""));
    let mut shown: Option<u32> = None;
    let mut window = Window::default();
    for (span, sign, text) in marks {
        let number = file.position(span.start).line;
        if shown != Some(number) {
            if shown.is_some_and(|last| last.saturating_add(1) < number) {
                line(out, format_args!("..."));
            }
            window = Window::around(file, number, *span);
            line(out, format_args!("{number:>gutter$} | {}", window.text));
            shown = Some(number);
        }
        let (from, width) = window.place(file, number, *span);
        let under = sign.to_string().repeat(width);
        line(out, format_args!("{:gutter$} | {:from$}{under} {}", "", "", printable(text)));
    }
}

/// The visible part of one source line.
#[derive(Default)]
struct Window {
    text: String,
    /// Bytes of the line before the part that is looked at.
    base: usize,
    /// Display column of that part's character n; one more entry for the end.
    columns: Vec<usize>,
    /// Display columns cut off at the left.
    cut: usize,
    /// Display columns the cut sign takes at the left.
    sign: usize,
    /// Display columns visible after the cut.
    visible: usize,
}

impl Window {
    fn around(file: &SourceFile, number: u32, span: Span) -> Self {
        let line = file.line_text(number);
        let within = wide(span.start).saturating_sub(wide(file.line_start(number)));
        let base = floor(line, within.saturating_sub(REACH));
        let end = floor(line, within.saturating_add(REACH));
        let source = line.get(base..end).unwrap_or_default();
        let mut columns = vec![0];
        let mut cells: Vec<(char, usize)> = Vec::new();
        let mut column = 0_usize;
        for c in source.chars() {
            let width = width_of(c);
            cells.push((c, width));
            column = column.saturating_add(width);
            columns.push(column);
        }
        let mut window = Self { text: String::new(), base, columns, cut: 0, sign: 0, visible: column };
        let (start, _) = window.display(file, number, span);
        if column > WIDTH && start > WIDTH.saturating_sub(LEAD) {
            window.cut = start.saturating_sub(LEAD);
            window.sign = 1;
            window.text.push('…');
        }
        let mut at = 0_usize;
        let mut last = window.cut;
        for (c, width) in cells {
            let next = at.saturating_add(width);
            if at >= window.cut && next <= window.cut.saturating_add(WIDTH) {
                if window.text.chars().count() <= window.sign {
                    // A wide character may straddle the cut.
                    window.cut = at;
                }
                push_visible(&mut window.text, c, width);
                last = next;
            }
            at = next;
        }
        if last < column || end < line.len() {
            window.text.push('…');
        }
        window.visible = last.saturating_sub(window.cut);
        let trimmed = window.text.trim_end().len();
        window.text.truncate(trimmed);
        window
    }

    /// Display columns of a span's start and end in the uncut line; a span over several lines ends
    /// with the line.
    fn display(&self, file: &SourceFile, number: u32, span: Span) -> (usize, usize) {
        let start = wide(file.line_start(number)).saturating_add(self.base);
        let source = file.line_text(number).get(self.base..).unwrap_or_default();
        let last = self.columns.len();
        let chars_to = |offset: u32| {
            let within = floor(source, wide(offset).saturating_sub(start));
            source.get(..within).unwrap_or_default().chars().take(last).count()
        };
        let column = |n: usize| self.columns.get(n).or(self.columns.last()).copied().unwrap_or(0);
        (column(chars_to(span.start)), column(chars_to(span.end)))
    }

    /// Returns the column and the number of underline signs.
    fn place(&self, file: &SourceFile, number: u32, span: Span) -> (usize, usize) {
        let (start, end) = self.display(file, number, span);
        let from = start.saturating_sub(self.cut).min(self.visible);
        let to = end.saturating_sub(self.cut).min(self.visible);
        (from.saturating_add(self.sign), to.saturating_sub(from).max(1))
    }
}

fn push_visible(out: &mut String, c: char, width: usize) {
    if c == '\t' {
        out.extend(std::iter::repeat_n(' ', width));
    } else {
        out.push(shown(c));
    }
}

fn width_of(c: char) -> usize {
    match c {
        '\t' => TAB,
        // East Asian wide letters and pictures take two cells on a terminal.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// A character that is safe to print.
fn shown(c: char) -> char {
    match c {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// A text on one line, safe to print.
fn printable(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { shown(c) }).collect()
}

fn digits(number: u32) -> usize {
    number.to_string().len()
}

/// Appends one line without trailing blanks.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let start = out.len();
    // Writing into a String cannot fail.
    let _ = out.write_fmt(text);
    let kept = out.get(start..).unwrap_or_default().trim_end().len();
    out.truncate(start.saturating_add(kept));
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, build: impl FnOnce(FileId) -> Diagnostic) -> String {
        let mut files = SourceMap::new();
        let id = files.add("svc.yml", text);
        render_one(&build(id), &files)
    }

    #[test]
    fn headline_excerpt_labels_and_help() {
        let text = "pods:\n  cpus: 1\n  mem: 2\n  disk: 3\n\tcpus: 4\n";
        let got = show(text, |id| {
            Diagnostic::error("SDK012", Span::new(id, 36, 40), "Duplicate field 'cpus'")
                .with_label(Span::new(id, 8, 12), "first written here")
                .with_note("the last one wins")
                .with_help("remove one of them")
        });
        let want = "svc.yml:5:2: error[SDK012]: Duplicate field 'cpus'
  |
2 |   cpus: 1
  |   ---- first written here
...
5 |     cpus: 4
  |     ^^^^
note: the last one wins
help: remove one of them
";
        assert_eq!(got, want);
    }

    #[test]
    fn wide_characters_and_control_characters() {
        let got = show("\u{4f60}\u{597d}: \u{1b}[31m x", |id| {
            Diagnostic::warning("A", Span::new(id, 6, 7), "odd\n\u{1b}[0m text")
        });
        let want = "svc.yml:1:3: warning[A]: odd \u{fffd}[0m text
  |
1 | \u{4f60}\u{597d}: \u{fffd}[31m x
  |     ^
";
        assert_eq!(got, want);
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let text = format!("{}KEY{}", "a".repeat(300), "b".repeat(300));
        let got = show(&text, |id| Diagnostic::info("A", Span::new(id, 300, 303), "m"));
        let lines: Vec<_> = got.lines().collect();
        assert!(lines[2].chars().count() <= WIDTH + 8, "{got}");
        let caret = lines[3].find('^').unwrap();
        assert_eq!(lines[3].trim_start_matches([' ', '|']), "^^^");
        let source: String = lines[2].chars().skip(caret).take(3).collect();
        assert_eq!(source, "KEY");
    }

    #[test]
    fn a_label_far_away_on_a_long_line_stays_at_the_edge() {
        let text = "x".repeat(50_000);
        let got = show(&text, |id| {
            Diagnostic::error("A", Span::new(id, 40_000, 40_002), "m")
                .with_label(Span::new(id, 5, 6), "left")
                .with_label(Span::new(id, 49_000, 49_001), "right")
        });
        let lines: Vec<_> = got.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() < WIDTH + 30), "{got}");
        assert!(lines[2].starts_with("1 | …x") && lines[2].ends_with("x…"), "{got}");
        assert_eq!(lines[3].trim_start_matches([' ', '|']), "^^");
        assert!(lines[4].ends_with("- left") && lines[5].ends_with("- right"), "{got}");
    }

    #[test]
    fn several_lines_empty_spans_and_the_end_of_text() {
        let cases = [
            ("ab\ncd\n", 1, 5, "1 | ab\n  |  ^\n"),
            ("ab", 2, 2, "1 | ab\n  |   ^\n"),
            ("", 0, 0, "1 |\n  | ^\n"),
        ];
        for (text, start, end, want) in cases {
            let got = show(text, |id| Diagnostic::error("A", Span::new(id, start, end), "m"));
            assert!(got.ends_with(want), "{got}");
        }
    }

    #[test]
    fn a_label_in_another_file_names_it() {
        let mut files = SourceMap::new();
        let one = files.add("one.yml", "a: 1\n");
        let two = files.add("two.yml", "x\ny: 1\n");
        let found =
            Diagnostic::error("A", Span::new(one, 0, 1), "m").with_label(Span::new(two, 2, 3), "there");
        let want = "one.yml:1:1: error[A]: m
  |
1 | a: 1
  | ^
 --> two.yml:2:1
  |
2 | y: 1
  | - there
";
        assert_eq!(render(&[found], &files), want);
    }
}
