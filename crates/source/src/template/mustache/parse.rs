//! From template text to a tree of tags.
//!
//! One pass, an explicit stack, sections nested at most [`MAX_DEPTH`] deep: everything that walks the
//! tree afterwards may recurse.

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::index::floor;
use crate::span::{FileId, Span, narrow, wide};
use planarium_kernel::SortedSet;

/// Sections inside sections at most.
pub(super) const MAX_DEPTH: usize = 64;

/// Bytes of a tag other than a comment at most.
const MAX_TAG: usize = 512;

/// A piece of a template.
#[derive(Debug)]
pub(super) enum Item {
    /// Text to be copied.
    Text(Span),
    /// A value to be inserted.
    Variable { name: String, raw: bool, tag: Span },
    /// A part to be rendered for a value, or without it when inverted.
    Section { name: String, inverted: bool, standalone: bool, tag: Span, inner: Vec<Item> },
}

/// A template taken apart.
pub(super) struct Template {
    pub(super) items: Vec<Item>,
    pub(super) names: SortedSet<String>,
    pub(super) complete: bool,
}

/// Takes a template apart; what cannot be understood stays text and becomes a finding.
pub(super) fn parse(text: &str, file: FileId, found: &mut Diagnostics) -> Template {
    let mut parser = Parser {
        text,
        file,
        at: 0,
        opens: "{{".to_owned(),
        closes: "}}".to_owned(),
        items: Vec::new(),
        open: Vec::new(),
        names: SortedSet::new(),
        complete: true,
        no_more: None,
        found,
    };
    parser.run();
    Template { items: parser.items, names: parser.names, complete: parser.complete }
}

/// A section whose end has not come yet; `outer` are the items before it.
struct Open {
    name: String,
    inverted: bool,
    standalone: bool,
    tag: Span,
    outer: Vec<Item>,
}

/// A tag: its whole span, its sign and its content.
struct Tag<'t> {
    start: usize,
    end: usize,
    sign: char,
    inside: &'t str,
}

struct Parser<'t, 'd> {
    text: &'t str,
    file: FileId,
    /// Everything before is done.
    at: usize,
    opens: String,
    closes: String,
    items: Vec<Item>,
    open: Vec<Open>,
    names: SortedSet<String>,
    complete: bool,
    /// A closing delimiter that does not occur any more.
    no_more: Option<String>,
    found: &'d mut Diagnostics,
}

impl<'t> Parser<'t, '_> {
    fn run(&mut self) {
        let mut search = self.at;
        while let Some(start) = self.find(&self.opens, search) {
            let Some(tag) = self.tag(start) else {
                search = start.saturating_add(self.opens.len());
                continue;
            };
            if !self.take(&tag) {
                break;
            }
            search = self.at;
        }
        if self.complete {
            self.copy(self.text.len());
        }
        self.close_open_sections();
    }

    /// Acts on one tag; false when the rest of the template is given up.
    fn take(&mut self, tag: &Tag<'t>) -> bool {
        let span = self.span(tag.start, tag.end);
        let name = tag.inside.trim().to_owned();
        if matches!(tag.sign, '#' | '^' | '/' | '!' | '=' | '>') {
            let line = self.standalone(tag);
            self.copy(line.map_or(tag.start, |(start, _)| start));
            self.at = line.map_or(tag.end, |(_, end)| end);
            match tag.sign {
                '!' => {}
                '=' => self.set_delimiters(tag.inside, span),
                '>' => self.partial(&name, span),
                '/' => self.close(&name, span),
                _ if name.is_empty() => self.bad_name(span),
                sign => return self.enter(name, sign == '^', line.is_some(), span),
            }
            return true;
        }
        self.copy(tag.start);
        self.at = tag.end;
        if name.is_empty() {
            self.bad_name(span);
        } else {
            self.note_name(&name);
            let raw = matches!(tag.sign, '{' | '&');
            self.items.push(Item::Variable { name, raw, tag: span });
        }
        true
    }

    /// The tag that opens at `start`; none, with a finding, when it never closes.
    fn tag(&mut self, start: usize) -> Option<Tag<'t>> {
        let text = self.text;
        let after = start.saturating_add(self.opens.len());
        let first = text.get(after..).and_then(|rest| rest.chars().next());
        let sign =
            first.filter(|c| matches!(c, '#' | '^' | '/' | '!' | '=' | '>' | '{' | '&')).unwrap_or(' ');
        let inside_start = after.saturating_add(usize::from(sign != ' '));
        let closes = match sign {
            '{' => format!("}}{}", self.closes),
            '=' => format!("={}", self.closes),
            _ => self.closes.clone(),
        };
        let inside_end = if sign == '!' {
            self.find_comment_end(&closes, inside_start)
        } else {
            let near = self.near(inside_start);
            near.find(&closes).map(|at| inside_start.saturating_add(at))
        };
        let inside = inside_end.and_then(|end| text.get(inside_start..end));
        // A name never runs over a line end or another tag: then the closing braces are another tag's.
        let broken = |inside: &str| {
            !matches!(sign, '!' | '=')
                && (inside.contains(['\n', '\r']) || inside.contains(self.opens.as_str()))
        };
        match (inside_end, inside) {
            (Some(end), Some(inside)) if !broken(inside) => {
                Some(Tag { start, end: end.saturating_add(closes.len()), sign, inside })
            }
            _ => {
                self.not_closed(start, after, &closes);
                None
            }
        }
    }

    fn not_closed(&mut self, start: usize, after: usize, closes: &str) {
        if self.found.is_full() {
            return;
        }
        let line = self.near(after).split(['\n', '\r']).next().unwrap_or_default();
        let own = line.split(self.opens.as_str()).next().unwrap_or_default();
        let end = after.saturating_add(own.trim_end().len());
        let span = self.span(start, end);
        self.found.push(
            Diagnostic::error(
                codes::TAG_NOT_CLOSED,
                span,
                format!("This template tag is not closed by '{closes}'"),
            )
            .with_help(format!("write '{closes}' at the end of the tag, on the same line")),
        );
    }

    fn enter(&mut self, name: String, inverted: bool, standalone: bool, tag: Span) -> bool {
        if self.open.len() >= MAX_DEPTH {
            let message = format!("Sections are nested more than {MAX_DEPTH} deep");
            self.found.push(
                Diagnostic::error(codes::SECTIONS_TOO_DEEP, tag, message)
                    .with_help("flatten the template; nothing after this tag is rendered"),
            );
            self.complete = false;
            return false;
        }
        self.note_name(&name);
        let outer = std::mem::take(&mut self.items);
        self.open.push(Open { name, inverted, standalone, tag, outer });
        true
    }

    fn close(&mut self, name: &str, tag: Span) {
        let Some(innermost) = self.open.last() else {
            let message = format!("There is no open section for '{name}'");
            let help = format!("remove the tag, or open the section with '{{{{#{name}}}}}' before it");
            self.found.push(Diagnostic::error(codes::SECTION_MISMATCH, tag, message).with_help(help));
            return;
        };
        if innermost.name != name {
            let message =
                format!("'{name}' is closed here, but the section that is open is '{}'", innermost.name);
            let mut finding = Diagnostic::error(codes::SECTION_MISMATCH, tag, message)
                .with_label(innermost.tag, "this section is still open");
            finding = finding.with_help(format!("close '{}' first", innermost.name));
            self.found.push(finding);
            // An outer section of that name: what is inside it ends here as well.
            if !self.open.iter().any(|open| open.name == name) {
                return;
            }
            while self.open.last().is_some_and(|open| open.name != name) {
                self.leave();
            }
        }
        self.leave();
    }

    fn leave(&mut self) {
        if let Some(Open { name, inverted, standalone, tag, outer }) = self.open.pop() {
            let inner = std::mem::replace(&mut self.items, outer);
            self.items.push(Item::Section { name, inverted, standalone, tag, inner });
        }
    }

    fn close_open_sections(&mut self) {
        while let Some(innermost) = self.open.last() {
            let name = innermost.name.clone();
            let message = format!("The section '{name}' is never closed");
            let help = format!("write '{{{{/{name}}}}}' where it ends");
            if self.complete {
                self.found.push(
                    Diagnostic::error(codes::SECTION_NOT_CLOSED, innermost.tag, message).with_help(help),
                );
            }
            self.leave();
        }
    }

    fn set_delimiters(&mut self, inside: &str, tag: Span) {
        let mut words = inside.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some(opens), Some(closes), None) if !opens.contains('=') && !closes.contains('=') => {
                opens.clone_into(&mut self.opens);
                closes.clone_into(&mut self.closes);
            }
            _ => self.found.push(
                Diagnostic::error(codes::BAD_DELIMITERS, tag, "A delimiter tag names two delimiters")
                    .with_help(
                        "write it as '{{=<% %>=}}': the opening and the closing one, with a space between",
                    ),
            ),
        }
    }

    fn partial(&mut self, name: &str, tag: Span) {
        self.found.push(
            Diagnostic::error(codes::PARTIAL, tag, format!("The partial '{name}' cannot be included"))
                .with_help("put the text of the other template here"),
        );
    }

    fn bad_name(&mut self, tag: Span) {
        self.found.push(
            Diagnostic::error(codes::BAD_NAME, tag, "This template tag names no variable")
                .with_help("write the variable's name between the braces"),
        );
    }

    fn note_name(&mut self, name: &str) {
        if name != "." {
            self.names.insert(name.to_owned());
        }
    }

    /// Copies the text up to `end`.
    fn copy(&mut self, end: usize) {
        if end > self.at {
            self.items.push(Item::Text(self.span(self.at, end)));
            self.at = end;
        }
    }

    /// The whole line of a tag that has it to itself: start of the line, start of the next one.
    fn standalone(&self, tag: &Tag<'_>) -> Option<(usize, usize)> {
        let before = self.text.get(self.at..tag.start)?;
        let lead = before.rfind(['\n', '\r']).map_or(0, |at| at.saturating_add(1));
        let line_start = self.at.saturating_add(lead);
        let fresh = line_start == 0 || self.text.get(..line_start)?.ends_with(['\n', '\r']);
        let blank = |text: &str| text.chars().all(|c| matches!(c, ' ' | '\t' | '\u{feff}'));
        if !fresh || !blank(before.get(lead..)?) {
            return None;
        }
        let after = self.text.get(tag.end..)?;
        let rest = after.trim_start_matches([' ', '\t']);
        let skipped = after.len().saturating_sub(rest.len());
        let line_break = if rest.starts_with("\r\n") {
            2
        } else if rest.is_empty() {
            0
        } else if rest.starts_with(['\n', '\r']) {
            1
        } else {
            return None;
        };
        Some((line_start, tag.end.saturating_add(skipped).saturating_add(line_break)))
    }

    fn find(&self, what: &str, from: usize) -> Option<usize> {
        self.text.get(from..)?.find(what).map(|at| from.saturating_add(at))
    }

    /// Comments may be long; once one end is missing, so are all later ones.
    fn find_comment_end(&mut self, closes: &str, from: usize) -> Option<usize> {
        if self.no_more.as_deref() == Some(closes) {
            return None;
        }
        let end = self.find(closes, from);
        if end.is_none() {
            self.no_more = Some(closes.to_owned());
        }
        end
    }

    /// As much text as a tag may take.
    fn near(&self, from: usize) -> &'t str {
        let to = floor(self.text, from.saturating_add(MAX_TAG));
        self.text.get(from..to).unwrap_or_default()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, narrow(start), narrow(end))
    }
}

/// The text of a span.
pub(super) fn slice(text: &str, span: Span) -> &str {
    text.get(wide(span.start)..wide(span.end)).unwrap_or_default()
}
