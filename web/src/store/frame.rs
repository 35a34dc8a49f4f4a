//! The page inside another document: its shown parts, and its behaviour.
//!
//! *Knows*: the words of the frame's address. *Must not know*: the document around it.

use super::state::{Prefs, Speed, Tab, Theme};

/// A part of the page that a document may select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The editor.
    Editor,
    /// The plan tree.
    Tree,
    /// The lanes.
    Timeline,
    /// A tab of the inspector.
    Tab(Tab),
}

/// Every part with the words that an address may use for it; the first one is the usual one.
const PARTS: [(Part, &[&str]); 8] = [
    (Part::Tree, &["tree"]),
    (Part::Timeline, &["timeline"]),
    (Part::Editor, &["editor"]),
    (Part::Tab(Tab::Why), &["why"]),
    (Part::Tab(Tab::Cluster), &["machines", "map"]),
    (Part::Tab(Tab::Pods), &["pods"]),
    (Part::Tab(Tab::Log), &["log"]),
    (Part::Tab(Tab::Console), &["console"]),
];

/// The parts that are shown without being asked for.
const USUAL: [Part; 3] = [Part::Tree, Part::Timeline, Part::Tab(Tab::Why)];

/// A page inside another document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    parts: Vec<Part>,
    /// Colours.
    pub(crate) theme: Theme,
    /// Play speed.
    pub(crate) speed: Speed,
    /// The element that is selected when the first run opens, `PLAN/PHASE/STEP`; none from then on.
    pub(crate) select: Option<String>,
    /// Words of the address that mean nothing here.
    pub(crate) unknown: Vec<String>,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            parts: USUAL.to_vec(),
            theme: Theme::Auto,
            speed: Speed::default(),
            select: None,
            unknown: Vec::new(),
        }
    }
}

impl Frame {
    /// Reads a frame's address; `value` looks up a key of the query.
    pub(crate) fn read(value: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut frame = Self::default();
        if let Some(words) = value("panes") {
            frame.parts.clear();
            for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
                match PARTS.iter().find(|(_, names)| names.contains(&word)) {
                    Some((part, _)) if !frame.parts.contains(part) => frame.parts.push(*part),
                    Some(_) => {}
                    None => frame.unknown.push(format!("panes: `{word}`")),
                }
            }
            if frame.parts.is_empty() {
                frame.parts = USUAL.to_vec();
            }
        }
        match value("theme").as_deref() {
            None | Some("auto") => {}
            Some("light") => frame.theme = Theme::Light,
            Some("dark") => frame.theme = Theme::Dark,
            Some(word) => frame.unknown.push(format!("theme: `{word}`")),
        }
        if let Some(word) = value("speed") {
            let near = (0..=Speed::MAX).map(Speed::at).find(|speed| word.parse() == Ok(speed.factor()));
            match near {
                Some(speed) => frame.speed = speed,
                None => frame.unknown.push(format!("speed: `{word}`")),
            }
        }
        frame.select = value("select");
        frame
    }

    /// Returns whether a part is shown.
    pub(crate) fn shows(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Returns the tabs of the inspector that are shown, in the order asked for.
    pub(crate) fn tabs(&self) -> Vec<Tab> {
        let tabs = self.parts.iter();
        tabs.filter_map(|part| if let Part::Tab(tab) = part { Some(*tab) } else { None }).collect()
    }

    /// Returns the words of the parts, for style sheets.
    pub(crate) fn words(&self) -> String {
        let word =
            |part: &Part| PARTS.iter().find(|(known, _)| known == part).map(|(_, names)| names.first());
        self.parts.iter().filter_map(word).flatten().copied().collect::<Vec<_>>().join(" ")
    }

    /// Returns the words of the parts, and with a lesson the place where it is shown.
    pub(crate) fn words_with(&self, lesson: bool) -> String {
        match (lesson, self.shows(Part::Editor)) {
            (false, _) => self.words(),
            (true, true) => format!("{} lesson", self.words()),
            (true, false) => format!("{} editor lesson", self.words()),
        }
    }

    /// Returns the settings of a page in a frame; those that the reader has chosen on the page itself stay there.
    pub(crate) fn prefs(&self) -> Prefs {
        Prefs { theme: self.theme, hint_seen: true, ..Prefs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Frame {
        Frame::read(&|key| pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn an_empty_address_shows_tree_timeline_and_why() {
        let frame = read(&[]);
        assert_eq!(frame, Frame::default());
        assert_eq!(frame.words(), "tree timeline why");
        assert_eq!(frame.words_with(true), "tree timeline why editor lesson");
        assert_eq!(read(&[("panes", "editor")]).words_with(true), "editor lesson");
        assert_eq!(frame.tabs(), [Tab::Why]);
    }

    #[test]
    fn parts_are_the_named_ones_once_each_and_unknown_words_are_reported() {
        let frame = read(&[
            ("panes", "tree, map,log,map,river"),
            ("theme", "dark"),
            ("speed", "8"),
            ("select", "a/b"),
        ]);
        assert_eq!(frame.tabs(), [Tab::Cluster, Tab::Log]);
        assert!(frame.shows(Part::Tree) && !frame.shows(Part::Timeline) && !frame.shows(Part::Editor));
        assert_eq!((frame.theme, frame.speed.label()), (Theme::Dark, "8×"));
        assert_eq!(frame.unknown, ["panes: `river`"]);
        assert_eq!(frame.select.as_deref(), Some("a/b"));
    }

    #[test]
    fn invalid_addresses_show_the_default_parts() {
        let frame = read(&[("panes", "x"), ("theme", "pink"), ("speed", "fast")]);
        assert_eq!(frame.words(), "tree timeline why");
        assert_eq!(frame.unknown, ["panes: `x`", "theme: `pink`", "speed: `fast`"]);
    }
}
