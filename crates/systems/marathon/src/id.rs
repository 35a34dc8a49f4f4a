//! Ids of apps and groups: paths of labels.
//!
//! *Knows*: segments, canonical forms, the order of ids. *Must not know*: what has an id.
//!
//! **Source**: `marathon: state/PathId.scala`. Match.

use planarium_kernel::Digestible;
use planarium_protocol::Text;
use std::cmp::Ordering;
use std::fmt;

/// Words that an id may not end with.
pub(crate) const RESERVED: [&str; 5] = ["restart", "tasks", "versions", ".", ".."];

/// Pattern of every segment, as messages show it.
pub(crate) const SEGMENT: &str =
    r"^(([a-z0-9]|[a-z0-9][a-z0-9\-]*[a-z0-9])\.)*([a-z0-9]|[a-z0-9][a-z0-9\-]*[a-z0-9])|(\.|\.\.)$";

/// An absolute path in canonical form: `/`, `/shop`, `/shop/db`.
///
/// *Order*: segment by segment, so that a group comes right before everything in it.
#[derive(Clone, PartialEq, Eq, Digestible)]
#[digest(as_str())]
pub struct PathId(Text);

impl PathId {
    /// The root.
    pub fn root() -> Self {
        Self("/".into())
    }

    /// Parses a path; relative ones begin at the root.
    pub fn absolute(text: &str) -> Self {
        Self::resolve(text, &Self::root())
    }

    /// Parses a path relative to a group.
    pub fn resolve(text: &str, base: &Self) -> Self {
        let mut parts: Vec<&str> = if text.starts_with('/') { Vec::new() } else { base.segments().collect() };
        for part in text.split('/').filter(|part| !part.is_empty()) {
            match part {
                "." => {}
                ".." => _ = parts.pop(),
                part => parts.push(part),
            }
        }
        Self::of_segments(&parts)
    }

    fn of_segments(parts: &[&str]) -> Self {
        if parts.is_empty() {
            return Self::root();
        }
        let mut text = String::with_capacity(parts.iter().map(|part| part.len() + 1).sum());
        for part in parts {
            text.push('/');
            text.push_str(part);
        }
        Self(text.into())
    }

    /// The text, beginning with a slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, shared.
    pub fn text(&self) -> &Text {
        &self.0
    }

    /// The text as ids are compared by: the root is the empty list of segments.
    fn bytes(&self) -> &[u8] {
        if self.is_root() { &[] } else { self.0.as_bytes() }
    }

    /// The segments, outermost first; none for the root.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }

    /// Returns whether it is `/`.
    pub fn is_root(&self) -> bool {
        &*self.0 == "/"
    }

    /// Returns whether it is directly below the root.
    pub fn is_top_level(&self) -> bool {
        !self.is_root() && self.parent().is_root()
    }

    /// Returns its group; the root for the root.
    pub fn parent(&self) -> Self {
        match self.0.rsplit_once('/') {
            Some(("", _)) | None => Self::root(),
            Some((head, _)) => Self(head.into()),
        }
    }

    /// Returns whether [`PathId::parent`] is `group`.
    pub fn is_right_in(&self, group: &Self) -> bool {
        match self.0.rsplit_once('/') {
            Some(("", _)) | None => group.is_root(),
            Some((head, _)) => *head == *group.0,
        }
    }

    /// The last segment; empty for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// The first segment; empty for the root.
    pub fn top(&self) -> &str {
        self.segments().next().unwrap_or_default()
    }

    /// The path of the first segment.
    pub fn top_path(&self) -> Self {
        match self.segments().next() {
            Some(top) => Self::of_segments(&[top]),
            None => Self::root(),
        }
    }

    /// Returns whether it is `group` or anywhere below it.
    pub fn is_within(&self, group: &Self) -> bool {
        if group.is_root() {
            return true;
        }
        let Some(rest) = self.0.strip_prefix(&*group.0) else { return false };
        rest.is_empty() || rest.starts_with('/')
    }

    /// The groups around it, innermost first, the root last; none for the root.
    pub fn parents(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut at = self.clone();
        while !at.is_root() {
            at = at.parent();
            all.push(at.clone());
        }
        all
    }

    /// The segments joined by `_`: the head of instance ids.
    pub fn safe(&self) -> String {
        self.0.strip_prefix('/').unwrap_or(&self.0).replace('/', "_")
    }

    /// Returns the path encoded in this form.
    pub fn of_safe(text: &str) -> Self {
        Self::of_segments(&text.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>())
    }

    /// The segments in reverse, joined by `.`: the name of its tasks.
    pub fn hostname(&self) -> String {
        self.segments().rev().collect::<Vec<_>>().join(".")
    }
}

impl fmt::Display for PathId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for PathId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Ord for PathId {
    fn cmp(&self, other: &Self) -> Ordering {
        if std::sync::Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        let slash_first = |byte: u8| if byte == b'/' { 0 } else { byte };
        let (mine, theirs) = (self.bytes(), other.bytes());
        // Ids of a group begin alike: that much is compared by the word.
        let ((my_words, my_rest), (their_words, their_rest)) =
            (mine.as_chunks::<8>(), theirs.as_chunks::<8>());
        let words = my_words.iter().zip(their_words);
        let (one, other) = match words.into_iter().position(|(one, other)| one != other) {
            Some(at) => (mine.get(8 * at..), theirs.get(8 * at..)),
            None if my_words.len() == their_words.len() => (Some(my_rest), Some(their_rest)),
            None => {
                let alike = 8 * my_words.len().min(their_words.len());
                (mine.get(alike..), theirs.get(alike..))
            }
        };
        let rest = one.unwrap_or_default().iter().zip(other.unwrap_or_default());
        for (one, other) in rest {
            if one != other {
                return slash_first(*one).cmp(&slash_first(*other));
            }
        }
        mine.len().cmp(&theirs.len())
    }
}

impl PartialOrd for PathId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the violations of a written path, in the real system's words and order.
pub(crate) fn flaws(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    if !parts.iter().all(|part| is_segment(part)) {
        found.push(format!("must fully match regular expression '{SEGMENT}'"));
    }
    if parts.last().is_some_and(|last| RESERVED.contains(last)) {
        found.push(format!(
            "must not end with any of the following reserved keywords: {}",
            RESERVED.join(", ")
        ));
    }
    found
}

/// Returns whether a segment is `.`, `..` or labels divided by dots.
pub(crate) fn is_segment(part: &str) -> bool {
    let is_label = |label: &str| {
        let plain = label.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        plain && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
    };
    matches!(part, "." | "..") || part.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_forms() {
        for (text, base, expected) in [
            ("/", "/", "/"),
            ("", "/a", "/a"),
            ("db", "/", "/db"),
            ("db", "/shop/eu", "/shop/eu/db"),
            ("../db", "/shop/eu", "/shop/db"),
            ("../../../db", "/shop", "/db"),
            ("./db/.", "/shop", "/shop/db"),
            ("//shop///db//", "/x", "/shop/db"),
            ("/a/../b/./c", "/x", "/b/c"),
        ] {
            let base = PathId::absolute(base);
            assert_eq!(PathId::resolve(text, &base).as_str(), expected, "{text} against {base}");
        }
    }

    #[test]
    fn ids_sort_by_their_segments() {
        let sorted = ["/", "/a", "/a/b", "/a/b/c", "/a/c", "/a-b", "/a.b", "/b"];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                let order = PathId::absolute(one).cmp(&PathId::absolute(other));
                assert_eq!(order, at.cmp(&other_at), "{one} and {other}");
            }
        }
    }

    #[test]
    fn relations() {
        let id = PathId::absolute("/shop/eu/db");
        assert_eq!(id.parent().as_str(), "/shop/eu");
        assert_eq!(
            (id.name(), id.top(), id.safe().as_str(), id.hostname().as_str()),
            ("db", "shop", "shop_eu_db", "db.eu.shop")
        );
        assert_eq!(id.parents().iter().map(PathId::as_str).collect::<Vec<_>>(), ["/shop/eu", "/shop", "/"]);
        assert!(
            id.is_within(&PathId::root()) && id.is_within(&id) && id.is_within(&PathId::absolute("/shop"))
        );
        assert!(
            !id.is_within(&PathId::absolute("/sho")) && !id.is_within(&PathId::absolute("/shop/eu/db/x"))
        );
        assert!(
            PathId::absolute("/shop").is_top_level() && !id.is_top_level() && !PathId::root().is_top_level()
        );
        assert_eq!(PathId::of_safe("shop_eu_db"), id);
        for one in ["/", "/shop", "/shop/eu", "/shop/eu/db"].map(PathId::absolute) {
            for group in ["/", "/shop", "/shop/eu", "/sho", "/shop/e"].map(PathId::absolute) {
                assert_eq!(one.is_right_in(&group), one.parent() == group, "{one} in {group}");
            }
        }
    }

    #[test]
    fn flaws_have_the_real_systems_words() {
        for (text, count) in [
            ("/a/b-c/d.e", 0),
            ("../a", 0),
            ("/A", 1),
            ("/a_b", 1),
            ("/-a", 1),
            ("/a-", 1),
            ("/a..b", 1),
            ("/a/restart", 1),
            ("/restart/a", 0),
            ("/a/..", 1),
            ("/a b/versions", 2),
        ] {
            assert_eq!(flaws(text).len(), count, "{text}: {:?}", flaws(text));
        }
    }
}
