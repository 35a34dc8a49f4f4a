//! The page inside another document: its shown parts, and its behaviour.
//!
//! *Knows*: the words of the frame's address. *Must not know*: the document around it.

use super::action::Action;
use super::catalogue;
use super::console::ConsoleAct;
use super::state::{Prefs, Speed, Tab, Theme};
use crate::systems;
use planarium_messages::questions::Wishes;
use planarium_protocol::Input;
use planarium_protocol::input::{FaultKind, PlanOp, PodOp};
use serde_json::Value;

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

/// Largest number of machines that an address may ask for.
const MOST_NODES: u32 = 1_000;

/// Kinds of input that the attribute `commands` does not name: what is in the editor is governed by `editable`.
const EDITED: [&str; 3] = ["load-service", "update-service", "remove-service"];
/// The word of the console's lines.
const CONSOLE: &str = "console";

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
    /// Settings of examples and definitions that are opened.
    pub(crate) wishes: Wishes,
    /// The words of the commands that a reader may give; `None` for all of them.
    pub(crate) commands: Option<Vec<String>>,
    /// The head has a link to the whole page.
    pub(crate) link: bool,
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
            wishes: Wishes::default(),
            commands: None,
            link: true,
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
        frame.read_wishes(value);
        frame.read_rights(value);
        for (key, words) in LOOKS {
            // `early.js` applies these.
            let word = value(key).filter(|word| !words.contains(&word.as_str()));
            frame.unknown.extend(word.map(|word| format!("{key}: `{word}`")));
        }
        frame
    }

    /// Reads the settings of what is opened.
    fn read_wishes(&mut self, value: &dyn Fn(&str) -> Option<String>) {
        let mut take = |key: &str, known: &dyn Fn(&str) -> bool| {
            let word = value(key).filter(|word| word != "auto")?;
            if known(&word) {
                return Some(word);
            }
            self.unknown.push(format!("{key}: `{word}`"));
            None
        };
        let dialects = systems::file_names();
        let dialect = take("dialect", &|word| dialects.iter().any(|names| names.dialect == word));
        let seed = take("seed", &|word| word.parse::<u64>().is_ok());
        let presets = catalogue::presets();
        let cluster = take("cluster", &|word| presets.iter().any(|preset| &*preset.name == word));
        let nodes = take("nodes", &|word| word.parse().is_ok_and(|count| (1..=MOST_NODES).contains(&count)));
        self.wishes = Wishes {
            dialect,
            seed: seed.and_then(|seed| seed.parse().ok()),
            cluster,
            nodes: nodes.and_then(|nodes| nodes.parse().ok()),
        };
    }

    /// Reads what a reader may do.
    fn read_rights(&mut self, value: &dyn Fn(&str) -> Option<String>) {
        match value("commands").as_deref().map(str::trim) {
            None | Some("" | "all") => {}
            Some("none") => self.commands = Some(Vec::new()),
            Some(words) => {
                let words: Vec<String> = words.split(',').map(|word| word.trim().to_owned()).collect();
                let (known, unknown): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| is_command(word));
                self.unknown.extend(unknown.into_iter().map(|word| format!("commands: `{word}`")));
                self.commands = Some(known);
            }
        }
        match value("editable").as_deref() {
            None => {}
            Some("" | "true") if self.shows(Part::Editor) => {}
            Some("" | "true") => self.parts.push(Part::Editor),
            Some("false") => self.parts.retain(|part| *part != Part::Editor),
            Some(word) => self.unknown.push(format!("editable: `{word}`")),
        }
        match value("link").as_deref() {
            None | Some("" | "true") => {}
            Some("false") => self.link = false,
            Some(word) => self.unknown.push(format!("link: `{word}`")),
        }
    }

    /// Returns why a reader may not do this here.
    pub(crate) fn refuses(&self, action: &Action) -> Option<String> {
        match action {
            Action::Do(input) => self.refuses_input(input),
            Action::Console(ConsoleAct::Run) => self.allows(&[CONSOLE]),
            _ => None,
        }
    }

    /// Returns why a reader may not put this in.
    pub(crate) fn refuses_input(&self, input: &Input) -> Option<String> {
        self.commands.as_ref()?;
        let written = serde_json::to_value(input).unwrap_or_default();
        let words: Vec<&str> = ["kind", "op", "fault"]
            .iter()
            .filter_map(|key| written.get(key))
            .filter_map(Value::as_str)
            .collect();
        self.allows(&words)
    }

    /// Returns a reason unless one of these words is among the commands.
    fn allows(&self, words: &[&str]) -> Option<String> {
        let allowed = self.commands.as_ref()?;
        if allowed.iter().any(|word| words.contains(&word.as_str())) {
            return None;
        }
        Some(match allowed.as_slice() {
            [] => "this document allows no commands here".to_owned(),
            some => format!("this document allows only {}", some.join(", ")),
        })
    }

    /// Returns a sentence about the words of the address that mean nothing.
    pub(crate) fn complaint(&self) -> Option<String> {
        let unknown = self.unknown.join(", ");
        (!unknown.is_empty()).then(|| format!("This document asks for what does not exist here: {unknown}."))
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

/// Keys of the address whose words are applied before the first paint.
const LOOKS: [(&str, &[&str]); 2] =
    [("density", &["comfortable", "compact"]), ("motion", &["auto", "reduce"])];

/// Returns whether a word names an operation, a failure, a kind of input, or the lines of the console.
fn is_command(word: &str) -> bool {
    let word_value = || Value::from(word);
    word == CONSOLE
        || Input::KINDS.contains(&word) && !EDITED.contains(&word)
        || serde_json::from_value::<PlanOp>(word_value()).is_ok()
        || serde_json::from_value::<PodOp>(word_value()).is_ok()
        || serde_json::from_value::<FaultKind>(word_value()).is_ok()
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
    fn settings_of_the_world_are_read_and_unknown_ones_are_reported() {
        let frame = read(&[("dialect", "kudo"), ("seed", "7"), ("nodes", "4"), ("cluster", "small")]);
        let wishes = Wishes {
            dialect: Some("kudo".to_owned()),
            seed: Some(7),
            cluster: Some("small".to_owned()),
            nodes: Some(4),
        };
        assert_eq!((frame.wishes, frame.unknown), (wishes, Vec::new()));
        assert_eq!(read(&[("dialect", "auto")]), Frame::default());
        let frame = read(&[
            ("dialect", "helm"),
            ("seed", "-1"),
            ("nodes", "0"),
            ("cluster", "huge"),
            ("density", "loose"),
            ("motion", "none"),
        ]);
        assert!(frame.wishes.is_empty());
        let unknown = [
            "dialect: `helm`",
            "seed: `-1`",
            "cluster: `huge`",
            "nodes: `0`",
            "density: `loose`",
            "motion: `none`",
        ];
        assert_eq!(frame.unknown, unknown);
        assert_eq!(
            read(&[("seed", "x")]).complaint().as_deref(),
            Some("This document asks for what does not exist here: seed: `x`.")
        );
        assert_eq!(Frame::default().complaint(), None);
    }

    #[test]
    fn a_document_says_what_its_readers_may_do() {
        let input = |text: &str| -> Input { serde_json::from_str(text).expect("an input") };
        let go_on = input(r#"{"kind":"plan","service":"x","plan":"deploy","op":"continue"}"#);
        let lost = input(r#"{"kind":"fault","fault":"agent-lost"}"#);
        let run = Action::Console(ConsoleAct::Run);
        let may = |words: &str, action: &Action| read(&[("commands", words)]).refuses(action).is_none();
        for (words, commands, faults, lines) in [
            ("all", true, true, true),
            ("none", false, false, false),
            ("continue", true, false, false),
            ("plan, agent-lost", true, true, false),
            ("fault,console", false, true, true),
        ] {
            assert_eq!(may(words, &Action::Do(Box::new(go_on.clone()))), commands, "{words}");
            assert_eq!(may(words, &Action::Do(Box::new(lost.clone()))), faults, "{words}");
            assert_eq!(may(words, &run), lines, "{words}");
            assert!(may(words, &Action::TogglePlay), "{words}");
        }
        let frame = read(&[("commands", "offer-round,console,update-service")]);
        assert_eq!(frame.unknown, ["commands: `update-service`"]);
        let frame = read(&[("commands", "continue,fly")]);
        assert_eq!(frame.unknown, ["commands: `fly`"]);
        assert_eq!(frame.refuses(&run).as_deref(), Some("this document allows only continue"));
    }

    #[test]
    fn the_editor_and_the_link_are_as_the_document_says() {
        assert!(read(&[("editable", "")]).shows(Part::Editor));
        assert!(!read(&[("panes", "tree,editor"), ("editable", "false")]).shows(Part::Editor));
        assert!(!read(&[("link", "false")]).link && read(&[]).link);
        assert_eq!(read(&[("editable", "no"), ("link", "no")]).unknown, ["editable: `no`", "link: `no`"]);
    }

    #[test]
    fn invalid_addresses_show_the_default_parts() {
        let frame = read(&[("panes", "x"), ("theme", "pink"), ("speed", "fast")]);
        assert_eq!(frame.words(), "tree timeline why");
        assert_eq!(frame.unknown, ["panes: `x`", "theme: `pink`", "speed: `fast`"]);
    }
}
