//! From a place in rendered text to the place in the template that a person wrote.

use std::sync::Arc;

use crate::span::{FileId, Span};

/// A stretch of rendered text and the template text it stems from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    start: u32,
    end: u32,
    source_start: u32,
    source_end: u32,
    /// Copied byte for byte, as opposed to substituted for a tag.
    literal: bool,
}

/// Position of a stretch of rendered text in its template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The place in the template.
    pub span: Span,
    /// True when the template holds exactly the rendered text there, so that it may be edited in place.
    pub literal: bool,
}

/// Maps offsets of one rendered text to its template. Cloning is cheap.
///
/// *Invariant*: segments follow each other without gaps and cover the rendered text.
/// Inside a substituted value every place means the whole tag.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct OffsetMap {
    file: FileId,
    segments: Arc<[Segment]>,
}

impl OffsetMap {
    /// The template file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Returns the template position of the rendered bytes `start..end`.
    pub fn map(&self, start: u32, end: u32) -> Mapped {
        if start >= end {
            return self.point(start);
        }
        let (Some(first), Some(last)) = (self.holding(start), self.holding(end.saturating_sub(1))) else {
            return self.point(start);
        };
        let from = first.source_of(start).0;
        let to = last.source_of(end.saturating_sub(1)).1;
        // Iterations of a section come from one place, so a span across them may run backwards.
        let span = if from <= to {
            Span::new(self.file, from, to)
        } else {
            Span::new(
                self.file,
                first.source_start.min(last.source_start),
                first.source_end.max(last.source_end),
            )
        };
        let exact = span.end.saturating_sub(span.start) == end.saturating_sub(start);
        Mapped { span, literal: exact && self.all_literal(start, end) }
    }

    /// A span of the rendered text as a span of the template.
    pub fn map_span(&self, rendered: Span) -> Span {
        self.map(rendered.start, rendered.end).span
    }

    /// The first tag between two rendered offsets that left no text at all.
    pub fn empty_tag(&self, start: u32, end: u32) -> Option<Span> {
        let at = self.segments.partition_point(|segment| segment.end < start);
        let near = self.segments.get(at..).unwrap_or_default().iter();
        near.take_while(|segment| segment.start <= end)
            .find(|segment| !segment.literal && segment.start == segment.end)
            .map(|segment| Span::new(self.file, segment.source_start, segment.source_end))
    }

    fn point(&self, at: u32) -> Mapped {
        let before = self.segments.partition_point(|segment| segment.end < at);
        let near = self.segments.get(before..).unwrap_or_default();
        let touching = near.iter().take_while(|segment| segment.start <= at);
        // Prefer the end of literal text, then literal text that starts here, then a tag.
        let mut best: Option<Mapped> = None;
        for segment in touching {
            let found = if segment.literal {
                let offset = segment.source_start.saturating_add(at.saturating_sub(segment.start));
                Mapped { span: Span::at(self.file, offset.min(segment.source_end)), literal: true }
            } else {
                let span = Span::new(self.file, segment.source_start, segment.source_end);
                Mapped { span, literal: false }
            };
            if found.literal {
                return found;
            }
            best = best.or(Some(found));
        }
        let end = self.segments.last().map_or(0, |segment| segment.source_end);
        best.unwrap_or(Mapped { span: Span::at(self.file, end), literal: false })
    }

    fn holding(&self, at: u32) -> Option<&Segment> {
        let index = self.segments.partition_point(|segment| segment.end <= at);
        self.segments.get(index).or(self.segments.last())
    }

    fn all_literal(&self, start: u32, end: u32) -> bool {
        let at = self.segments.partition_point(|segment| segment.end <= start);
        let inside = self.segments.get(at..).unwrap_or_default().iter();
        inside.take_while(|segment| segment.start < end).all(|segment| segment.literal)
    }
}

impl Segment {
    /// Start and end of the source of one rendered byte.
    fn source_of(&self, at: u32) -> (u32, u32) {
        if !self.literal {
            return (self.source_start, self.source_end);
        }
        let start = self.source_start.saturating_add(at.saturating_sub(self.start)).min(self.source_end);
        (start, start.saturating_add(1).min(self.source_end))
    }
}

/// Builds an [`OffsetMap`] while text is rendered.
#[derive(Clone, Debug)]
pub struct OffsetMapBuilder {
    file: FileId,
    segments: Vec<Segment>,
    rendered: u32,
}

impl OffsetMapBuilder {
    /// A map to the given template file.
    pub fn new(file: FileId) -> Self {
        Self { file, segments: Vec::new(), rendered: 0 }
    }

    /// The template's bytes `start..end` were copied.
    pub fn copied(&mut self, start: u32, end: u32) {
        let length = end.saturating_sub(start);
        let joins = self.segments.last_mut().filter(|last| last.literal && last.source_end == start);
        let rendered = self.rendered.saturating_add(length);
        if let Some(last) = joins {
            last.end = rendered;
            last.source_end = end;
        } else if length > 0 {
            self.push(length, start, end, true);
        }
        self.rendered = rendered;
    }

    /// The tag at the template's bytes `start..end` became `length` bytes of text.
    pub fn substituted(&mut self, length: u32, start: u32, end: u32) {
        self.push(length, start, end, false);
        self.rendered = self.rendered.saturating_add(length);
    }

    /// The finished map.
    pub fn finish(self) -> OffsetMap {
        OffsetMap { file: self.file, segments: self.segments.into() }
    }

    fn push(&mut self, length: u32, source_start: u32, source_end: u32, literal: bool) {
        let end = self.rendered.saturating_add(length);
        self.segments.push(Segment { start: self.rendered, end, source_start, source_end, literal });
    }
}
