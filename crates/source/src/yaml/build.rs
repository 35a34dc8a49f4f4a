//! Builds a tree from parser events: spans, limits, anchors.
//!
//! The nesting under construction lives on an explicit stack, so a hostile text costs no call stack;
//! it never gets deeper than the limit, so finished trees may be walked and dropped by recursion.

use planarium_kernel::SortedMap;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, ScalarStyle, ScanError, Span as RawSpan, Tag};

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::index::{TextIndex, floor};
use crate::span::{FileId, Span, narrow};
use crate::template::{Mapped, OffsetMap};
use crate::yaml::continued;
use crate::yaml::limits::Limits;
use crate::yaml::merge::merge;
use crate::yaml::message::{explain, is_too_deep};
use crate::yaml::node::{Entry, Kind, Node, Scalar, Style};

/// Continue or stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Go on.
    Go,
    /// A limit or an error ended the reading.
    Stop,
}

/// A finished node with what it costs to walk.
#[derive(Clone)]
struct Done {
    node: Node,
    nodes: u32,
    height: u32,
    /// Its end in the text that is read.
    end: usize,
}

/// The node of an anchor.
enum Anchor {
    Open,
    Done(Done),
}

enum Items {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<Entry>, key: Option<Node> },
}

/// A collection whose end has not come yet.
struct Frame {
    items: Items,
    start: usize,
    /// End of the last node inside.
    end: usize,
    /// The opening bracket, when there is one.
    bracket: Option<usize>,
    anchor: usize,
    tag: Option<Arc<str>>,
    nodes: u32,
    height: u32,
}

/// Builds one document after another.
pub(super) struct Builder<'t, 'd> {
    text: &'t str,
    /// The text as a person wrote it: no place lies within one of its characters.
    written: &'t str,
    file: FileId,
    map: Option<&'t OffsetMap>,
    limits: Limits,
    merge_keys: bool,
    /// Reads aliases as their names.
    aliases_as_text: bool,
    index: TextIndex,
    stack: Vec<Frame>,
    root: Option<Node>,
    anchors: SortedMap<usize, Anchor>,
    nodes: u32,
    alias_nodes: u32,
    /// End of the last event with text.
    last_end: usize,
    found: &'d mut Diagnostics,
}

impl<'t, 'd> Builder<'t, 'd> {
    pub(super) fn new(
        text: &'t str,
        written: &'t str,
        file: FileId,
        map: Option<&'t OffsetMap>,
        limits: Limits,
        merge_keys: bool,
        found: &'d mut Diagnostics,
    ) -> Self {
        Self {
            text,
            written,
            file,
            map,
            limits,
            merge_keys,
            aliases_as_text: false,
            index: TextIndex::new(text),
            stack: Vec::new(),
            root: None,
            anchors: SortedMap::new(),
            nodes: 0,
            alias_nodes: 0,
            last_end: 0,
            found,
        }
    }

    pub(super) fn aliases_as_text(&mut self, as_text: bool) {
        self.aliases_as_text = as_text;
    }

    pub(super) fn start_document(&mut self) {
        self.stack.clear();
        self.root = None;
        self.anchors.clear();
    }

    /// Returns the document's tree; open values are closed as they are.
    pub(super) fn take_root(&mut self) -> Option<Node> {
        while !self.stack.is_empty() {
            self.close(self.text.len());
        }
        self.root.take()
    }

    pub(super) fn event(&mut self, event: Event<'_>, raw: RawSpan) -> Outcome {
        let (start, end) = (self.byte(raw.start), self.byte(raw.end));
        let (start, end) = (start.min(end), start.max(end));
        let outcome = match event {
            Event::Scalar(text, style, anchor, tag) => {
                if self.count_node(start, end) == Outcome::Stop {
                    return Outcome::Stop;
                }
                let done = self.scalar(&text, style, anchor, full_tag(tag.as_deref()), start, end);
                self.last_end = self.last_end.max(done.end);
                self.finish(anchor, done);
                return Outcome::Go;
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(Items::Sequence(Vec::new()), anchor, full_tag(tag.as_deref()), start, end)
            }
            Event::MappingStart(anchor, tag) => {
                let items = Items::Mapping { entries: Vec::new(), key: None };
                self.open(items, anchor, full_tag(tag.as_deref()), start, end)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.close(start);
                return Outcome::Go;
            }
            Event::Alias(_) if self.aliases_as_text => self.alias_as_text(start, end),
            Event::Alias(anchor) => self.alias(anchor, start, end),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => return Outcome::Go,
        };
        self.last_end = self.last_end.max(end);
        outcome
    }

    /// Reports an error and tells where it is.
    pub(super) fn syntax_error(&mut self, error: &ScanError) -> usize {
        let at = self.byte(*error.marker());
        if is_too_deep(error.info()) {
            self.too_deep(at, at);
            return at;
        }
        // A single field in a list needs no bracket of its own.
        let bracket = self.stack.iter().rev().find_map(|frame| frame.bracket);
        let explained = explain(error.info(), self.text, at, bracket);
        let at = explained.at;
        let mut finding = Diagnostic::error(codes::YAML_SYNTAX, self.one_character(at), explained.message)
            .with_help(explained.help);
        if let Some(opened) = explained.opened {
            finding = finding.with_label(self.one_character(opened), "opened here");
        }
        if let Some(map) = self.map {
            let here = narrow(at.min(self.text.len().saturating_sub(1)));
            let next = here.saturating_add(1);
            if !map.map(here, next).literal {
                finding = finding.with_note("the offending text was inserted by the template tag");
            } else if let Some(tag) = map.empty_tag(here, next) {
                finding = finding.with_label(tag, "this tag left no text; give its variable a value");
            }
        }
        self.found.push(finding);
        at
    }

    pub(super) fn second_document(&mut self, raw: RawSpan) {
        let (start, end) = (self.byte(raw.start), self.byte(raw.end));
        let span = self.place(start, end.max(start)).span;
        self.found.push(
            Diagnostic::warning(codes::SEVERAL_DOCUMENTS, span, "Only the first document of a file is read")
                .with_help("remove the line '---', or put the second document into a file of its own"),
        );
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<Arc<str>>,
        start: usize,
        end: usize,
    ) -> Done {
        let bare = tag.is_none() && anchor == 0;
        let (mapped, end) = if text.is_empty() && style == ScalarStyle::Plain && bare {
            let at = self.where_nothing_is(start);
            (self.nothing(at), at)
        } else {
            let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
            let end =
                if quoted { end } else { start.saturating_add(self.slice(start, end).trim_end().len()) };
            (self.place(start, end), end)
        };
        let style = match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        };
        let text = self.of_several_lines(style, start, end).map_or_else(|| Arc::from(text), Arc::from);
        let kind = Kind::Scalar(Scalar { text, style });
        let in_place = bare && !matches!(style, Style::Literal | Style::Folded);
        let node = Node { span: mapped.span, literal: mapped.literal && in_place, tag, kind };
        Done { node, nodes: 1, height: 1, end }
    }

    /// The text of a scalar whose line breaks are blanks in the text that is read.
    fn of_several_lines(&self, style: Style, start: usize, end: usize) -> Option<String> {
        let written = self.written.get(start..end).filter(|written| written.contains('\n'))?;
        if self.slice(start, end).contains('\n') {
            return None;
        }
        match style {
            Style::Plain => Some(continued::folded(written)),
            Style::SingleQuoted | Style::DoubleQuoted => continued::quoted(written),
            Style::Literal | Style::Folded => None,
        }
    }

    fn open(
        &mut self,
        items: Items,
        anchor: usize,
        tag: Option<Arc<str>>,
        start: usize,
        end: usize,
    ) -> Outcome {
        if narrow(self.stack.len()) >= self.limits.allowed_depth() {
            self.too_deep(start, end);
            return Outcome::Stop;
        }
        if self.count_node(start, end) == Outcome::Stop {
            return Outcome::Stop;
        }
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Open);
        }
        let bracket = self.bracket(start, end);
        let start =
            if bracket.is_none() && matches!(items, Items::Sequence(_)) && tag.is_none() && anchor == 0 {
                self.dash_before(start)
            } else {
                start
            };
        self.stack.push(Frame { items, start, end, bracket, anchor, tag, nodes: 1, height: 1 });
        Outcome::Go
    }

    fn close(&mut self, start: usize) {
        let Some(frame) = self.stack.pop() else { return };
        let next = start.saturating_add(1);
        let closed = frame.bracket.is_some() && matches!(self.slice(start, next), "]" | "}");
        let end = if closed { next } else { frame.end.max(frame.start) };
        self.last_end = self.last_end.max(end);
        let mapped = self.place(frame.start, end);
        let kind = match frame.items {
            Items::Sequence(items) => Kind::Sequence(items.into()),
            Items::Mapping { mut entries, key } => {
                if let Some(key) = key {
                    let value = Node::null(Span::at(key.span.file, key.span.end));
                    entries.push(Entry { key, value, merged: false });
                }
                Kind::Mapping(if self.merge_keys { merge(entries) } else { entries }.into())
            }
        };
        let bare = frame.tag.is_none() && frame.anchor == 0;
        let node = Node { span: mapped.span, literal: mapped.literal && bare, tag: frame.tag, kind };
        self.finish(frame.anchor, Done { node, nodes: frame.nodes, height: frame.height, end });
    }

    fn alias(&mut self, anchor: usize, start: usize, end: usize) -> Outcome {
        let span = self.place(start, end).span;
        let done = match self.anchors.get(&anchor) {
            Some(Anchor::Done(done)) => done.clone(),
            Some(Anchor::Open) => {
                return self.bad_alias(span, "This alias is inside the value that it repeats");
            }
            None => return self.bad_alias(span, "This alias names an anchor of an earlier document"),
        };
        self.alias_nodes = self.alias_nodes.saturating_add(done.nodes);
        if self.alias_nodes > self.limits.alias_nodes {
            let message = format!("Aliases repeat more than {} values", self.limits.alias_nodes);
            return self.bad_alias(span, &message);
        }
        if narrow(self.stack.len()).saturating_add(done.height)
            > self.limits.allowed_depth().saturating_add(1)
        {
            self.too_deep(start, end);
            return Outcome::Stop;
        }
        let node = Node { span, literal: false, ..done.node };
        self.finish(0, Done { node, end, ..done });
        Outcome::Go
    }

    /// Takes the name of an alias for a text, as if it stood there in quotes.
    fn alias_as_text(&mut self, start: usize, end: usize) -> Outcome {
        if self.count_node(start, end) == Outcome::Stop {
            return Outcome::Stop;
        }
        let written = self.slice(start, end).trim_end();
        let name = written.strip_prefix('*').unwrap_or(written);
        let span = self.place(start, start.saturating_add(written.len())).span;
        let message = format!("The alias '*{name}' is not followed: it is read as the text '{name}'");
        self.found.push(
            Diagnostic::warning(codes::ALIAS_AS_TEXT, span, message)
                .with_help("write the value itself instead of the alias"),
        );
        let kind = Kind::Scalar(Scalar { text: Arc::from(name), style: Style::DoubleQuoted });
        let node = Node { span, literal: false, tag: None, kind };
        self.finish(0, Done { node, nodes: 1, height: 1, end });
        Outcome::Go
    }

    fn bad_alias(&mut self, span: Span, message: &str) -> Outcome {
        self.found.push(
            Diagnostic::error(codes::ALIAS_EXPANSION, span, message)
                .with_help("write the value itself instead of the alias"),
        );
        Outcome::Stop
    }

    /// Hands a finished node to the collection it is in, and remembers its anchor.
    fn finish(&mut self, anchor: usize, done: Done) {
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Done(done.clone()));
        }
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(done.node);
            return;
        };
        frame.nodes = frame.nodes.saturating_add(done.nodes);
        frame.height = frame.height.max(done.height.saturating_add(1));
        frame.end = frame.end.max(done.end);
        match &mut frame.items {
            Items::Sequence(items) => items.push(done.node),
            Items::Mapping { entries, key } => match key.take() {
                None => *key = Some(done.node),
                Some(key) => entries.push(Entry { key, value: done.node, merged: false }),
            },
        }
    }

    fn count_node(&mut self, start: usize, end: usize) -> Outcome {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes <= self.limits.nodes {
            return Outcome::Go;
        }
        let span = self.place(start, end).span;
        let message = format!("The text holds more than {} values", self.limits.nodes);
        self.found.push(
            Diagnostic::error(codes::TOO_MANY_NODES, span, message)
                .with_help("split it into smaller files, or leave out what does not belong here"),
        );
        Outcome::Stop
    }

    fn too_deep(&mut self, start: usize, end: usize) {
        let span = self.place(start, end).span;
        let message = format!("The text is nested more than {} levels deep", self.limits.allowed_depth());
        self.found.push(
            Diagnostic::error(codes::TOO_DEEP, span, message)
                .with_help("flatten the structure; what is deeper is not read"),
        );
    }

    /// Returns the position of a value that was not written. The event points at the ':' before it, behind the
    /// '-' before it, or at whatever comes next.
    fn where_nothing_is(&self, event: usize) -> usize {
        let key = matches!(self.stack.last(), Some(Frame { items: Items::Mapping { key: None, .. }, .. }));
        let item = matches!(self.stack.last(), Some(Frame { items: Items::Sequence(_), bracket: None, .. }));
        let next = event.saturating_add(1);
        if let Some(at) = item.then(|| self.after_next_dash()).flatten() {
            at
        } else if self.slice(event, next) == ":" {
            if key { event } else { next }
        } else if self.slice(event.saturating_sub(1), event) == "-" {
            event
        } else {
            self.last_end
        }
    }

    /// Behind the dash of the item that comes next.
    fn after_next_dash(&self) -> Option<usize> {
        if let Some(Frame { items: Items::Sequence(items), start, .. }) = self.stack.last()
            && items.is_empty()
        {
            let next = start.saturating_add(1);
            return (self.slice(*start, next) == "-").then_some(next);
        }
        let rest = self.text.get(self.last_end..)?;
        let blank = rest.len().saturating_sub(rest.trim_start().len());
        let dash = self.last_end.saturating_add(blank);
        let next = dash.saturating_add(1);
        (self.slice(dash, next) == "-").then_some(next)
    }

    /// The place of a value that was not written: after the indicator, or the template tag that left
    /// nothing there.
    fn nothing(&self, at: usize) -> Mapped {
        let rest = self.text.get(at..).unwrap_or_default();
        let blanks = rest.len().saturating_sub(rest.trim_start_matches([' ', '\t']).len());
        let tag = self.map.and_then(|map| map.empty_tag(narrow(at), narrow(at.saturating_add(blanks))));
        match tag {
            Some(span) => Mapped { span, literal: false },
            None => self.place(at, at),
        }
    }

    /// The dash of a list, whose event follows it.
    fn dash_before(&self, start: usize) -> usize {
        if self.slice(start, start.saturating_add(1)) == "-" {
            return start;
        }
        let before = self.text.get(..start).unwrap_or_default().trim_end_matches([' ', '\t']);
        if before.ends_with('-') { before.len().saturating_sub(1) } else { start }
    }

    /// Returns the position of a collection's opening bracket, past tags and anchors; the event may go
    /// on over blanks and comments. A collection without brackets starts with an empty event.
    fn bracket(&self, start: usize, end: usize) -> Option<usize> {
        let opens = |text: &str| text == "[" || text == "{";
        if start < end && opens(self.slice(start, start.saturating_add(1))) {
            return Some(start);
        }
        let last = self.slice(start, end).trim_end().len().checked_sub(1)?;
        let last = start.saturating_add(last);
        opens(self.slice(last, last.saturating_add(1))).then_some(last)
    }

    fn one_character(&self, at: usize) -> Span {
        let rest = self.text.get(at..).unwrap_or_default();
        let length = rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
        self.place(at, at.saturating_add(length)).span
    }

    /// A range of the text that is read, as a place a person wrote.
    fn place(&self, start: usize, end: usize) -> Mapped {
        let (start, end) = (floor(self.written, start), floor(self.written, end.max(start)));
        match self.map {
            Some(map) => map.map(narrow(start), narrow(end)),
            None => Mapped { span: Span::new(self.file, narrow(start), narrow(end)), literal: true },
        }
    }

    fn byte(&self, marker: Marker) -> usize {
        self.index.byte_of_char(self.text, marker.index())
    }

    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }
}

fn full_tag(tag: Option<&Tag>) -> Option<Arc<str>> {
    tag.map(|tag| Arc::from(format!("{}{}", tag.handle, tag.suffix)))
}
