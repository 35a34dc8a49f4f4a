//! Reads texts as trees.

use saphyr_parser::{Event, Parser};

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{FileId, Span, narrow};
use crate::template::OffsetMap;
use crate::yaml::build::{Builder, Outcome};
use crate::yaml::limits::Limits;
use crate::yaml::node::Node;
use crate::yaml::{continued, go_rules};

/// The readable part of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The tree; none for a text without any content. When `complete` is false, what was understood
    /// before the reading ended, with nothing where values were still to come.
    pub root: Option<Node>,
    /// False if a syntax error or a limit ended the reading early.
    pub complete: bool,
    /// True if only broken pieces were left out and the rest was read to its end.
    pub holes: bool,
    /// Position at which the reading ended early.
    pub(super) stopped_at: Option<usize>,
}

impl Parsed {
    pub(super) fn new(root: Option<Node>, complete: bool) -> Self {
        Self { root, complete, holes: false, stopped_at: None }
    }
}

/// Reads one text. Build it with [`Reader::new`], then ask for [`Reader::one`] or [`Reader::all`].
#[derive(Clone, Copy, Debug)]
pub struct Reader<'t> {
    text: &'t str,
    /// The text that spans refer to: the same text, or the template that it was rendered from.
    written: &'t str,
    file: FileId,
    limits: Limits,
    map: Option<&'t OffsetMap>,
    merge_keys: bool,
    aliases: bool,
    go: bool,
}

impl<'t> Reader<'t> {
    /// A reader of a file's text with the usual limits, merge keys resolved.
    pub fn new(text: &'t str, file: FileId) -> Self {
        Self {
            text,
            written: text,
            file,
            limits: Limits::default(),
            map: None,
            merge_keys: true,
            aliases: true,
            go: false,
        }
    }

    /// Other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The text was rendered: every span is to point at the template instead.
    #[must_use]
    pub fn with_map(mut self, map: &'t OffsetMap) -> Self {
        self.map = Some(map);
        self
    }

    /// Sets whether `<<` adds another mapping's entries or is a plain key.
    #[must_use]
    pub fn with_merge_keys(mut self, merge_keys: bool) -> Self {
        self.merge_keys = merge_keys;
        self
    }

    /// Reads as a Java reader built on Jackson does, which knows neither aliases nor merge keys: `*name` is the
    /// text `name`, with a warning, and `<<` a key like any other.
    ///
    /// **Source**: `FasterXML/jackson-dataformat-yaml: YAMLParser.java`, alias events. Match.
    #[must_use]
    pub fn with_aliases_as_text(self) -> Self {
        Self { aliases: false, merge_keys: false, ..self }
    }

    /// Reads as programs written in Go do: tabs may stand for blanks between tokens, lines in quotes and brackets may begin anywhere. What
    /// their reader refuses is an error (YAML009), and a plain word that it takes for true or false is warned about (YAML010). Values
    /// are then those of [`Node::to_go_json`].
    #[must_use]
    pub fn with_go_rules(self) -> Self {
        Self { go: true, ..self }
    }

    /// The text that is read.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// A reader of another text with the same bytes or other ones in the same places.
    pub(super) fn over<'o>(&self, text: &'o str) -> Reader<'o>
    where
        't: 'o,
    {
        Reader { text, ..*self }
    }

    /// The first document. A second one is a warning and is not read.
    pub fn one(&self, found: &mut Diagnostics) -> Parsed {
        let mut documents = self.read(found, false);
        if documents.is_empty() {
            return Parsed::new(None, true);
        }
        documents.swap_remove(0)
    }

    /// Every document, in order. After a syntax error the last one is incomplete.
    pub fn all(&self, found: &mut Diagnostics) -> Vec<Parsed> {
        self.read(found, true)
    }

    fn read(&self, found: &mut Diagnostics, several: bool) -> Vec<Parsed> {
        if !self.go {
            return self.read_once(found, several);
        }
        let mut own = Diagnostics::new();
        let mut documents = self.read_once(&mut own, several);
        if documents.iter().any(|one| !one.complete)
            && let Some(text) = continued::joined(self.text)
        {
            let mut again = Diagnostics::new();
            let joined = self.over(&text).read_once(&mut again, several);
            if joined.iter().all(|one| one.complete) {
                (documents, own) = (joined, again);
            }
        }
        found.extend(own);
        for root in documents.iter().filter_map(|one| one.root.as_ref()) {
            go_rules::check(root, found);
        }
        documents
    }

    fn read_once(&self, found: &mut Diagnostics, several: bool) -> Vec<Parsed> {
        if self.text.len() > self.limits.bytes {
            let message =
                format!("The text has {} bytes; the limit is {}", self.text.len(), self.limits.bytes);
            let finding = Diagnostic::error(codes::TOO_LARGE, self.start(), message)
                .with_help("split it into smaller files, or leave out what does not belong here");
            found.push(finding);
            return vec![Parsed::new(None, false)];
        }
        let mut builder =
            Builder::new(self.text, self.written, self.file, self.map, self.limits, self.merge_keys, found);
        builder.aliases_as_text(!self.aliases);
        let mut parser = Parser::new_from_str(self.text);
        let mut documents: Vec<Parsed> = Vec::new();
        let mut inside = false;
        let mut stopped_at = None;
        loop {
            let outcome = match parser.next_event() {
                None | Some(Ok((Event::StreamEnd, _))) => break,
                Some(Ok((Event::DocumentStart(_), span))) => {
                    if !several && !documents.is_empty() {
                        builder.second_document(span);
                        break;
                    }
                    inside = true;
                    builder.start_document();
                    Outcome::Go
                }
                Some(Ok((Event::DocumentEnd, _))) => {
                    inside = false;
                    documents.push(Parsed::new(builder.take_root(), true));
                    Outcome::Go
                }
                Some(Ok((event, span))) => builder.event(event, span),
                Some(Err(error)) => {
                    stopped_at = Some(builder.syntax_error(&error));
                    match documents.last_mut() {
                        // The text continues after the apparent end of the document.
                        Some(last) if !inside => {
                            last.complete = false;
                            last.stopped_at = stopped_at;
                        }
                        _ => inside = true,
                    }
                    Outcome::Stop
                }
            };
            if outcome == Outcome::Stop {
                break;
            }
        }
        if inside {
            documents.push(Parsed { stopped_at, ..Parsed::new(builder.take_root(), false) });
        }
        documents
    }

    /// The place after the last character, in the template when there is one: where findings about
    /// what is missing altogether may point.
    pub fn end(&self) -> Span {
        let end = narrow(self.text.trim_end().len());
        match self.map {
            Some(map) => map.map(end, end).span,
            None => Span::at(self.file, end),
        }
    }

    fn start(&self) -> Span {
        match self.map {
            Some(map) => Span::at(map.file(), 0),
            None => Span::at(self.file, 0),
        }
    }
}
