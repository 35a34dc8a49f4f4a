//! All actions by name: the entries of the command palette, and those that match a typed text.
//!
//! *Order*: the selected element first, then time, the page, the plans, places to go to. *Cost*: all elements once,
//! and only while the palette is open.

use super::{offers, status, tree};
use crate::store::action::{Action, Format, Toward};
use crate::store::draft::labelled;
use crate::store::served;
use crate::store::state::{Dialog, EditTab, Pane, Speed, State, Tab, Theme};
use crate::systems;
use planarium_kernel::SortedSet;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{Fault, FaultKind, Target};
use planarium_protocol::view::View;
use planarium_protocol::{Input, Text};
use yew::AttrValue;

/// An entry of the palette.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Words.
    pub(crate) label: AttrValue,
    /// Its group.
    pub(crate) group: &'static str,
    /// Icon.
    pub(crate) icon: &'static str,
    /// Key that does the same.
    pub(crate) keys: Option<&'static str>,
    /// Other words for the search.
    pub(crate) also: &'static str,
    /// Its consequence.
    pub(crate) note: Option<AttrValue>,
    /// Why it does nothing now.
    pub(crate) refused: Option<AttrValue>,
    /// Its effect.
    pub(crate) actions: Vec<Action>,
    /// Element to focus then.
    pub(crate) focus: &'static str,
}

const TREE: &str = "[role=treegrid] [tabindex='0']";
const INSPECTOR: &str = "#inspector-panel";

struct List(Vec<Entry>);

impl List {
    fn add(
        &mut self,
        group: &'static str,
        icon: &'static str,
        label: impl Into<AttrValue>,
        action: Action,
    ) -> &mut Entry {
        self.0.push(Entry {
            label: label.into(),
            group,
            icon,
            keys: None,
            also: "",
            note: None,
            refused: None,
            actions: vec![action],
            focus: "",
        });
        let last = self.0.len() - 1;
        // The entry was added just now.
        #[expect(clippy::indexing_slicing, reason = "the last of a list that is not empty")]
        &mut self.0[last]
    }
}

/// Returns all entries.
pub(crate) fn entries(state: &State) -> Vec<Entry> {
    let mut list = List(Vec::new());
    if let Some(path) = state.ui.selected.as_ref().filter(|path| !path.plan.is_empty()) {
        commands(&mut list, state, path, true);
    }
    time(&mut list, state);
    page(&mut list, state);
    for service in &state.world.view.services {
        for plan in &service.plans {
            let path = tree::plan_path(service, plan);
            if state.ui.selected.as_ref() != Some(&path) {
                commands(&mut list, state, &path, false);
            }
        }
    }
    faults(&mut list, state);
    places(&mut list, state);
    for entry in &mut list.0 {
        let refused = entry.actions.first().and_then(|action| served::refuses(state, action));
        if let Some(reason) = refused {
            entry.refused = Some(reason.into());
        }
    }
    list.0
}

/// Machines and tasks that failures are listed for.
const STRUCK: usize = 60;

/// Faults in force, which can be ended, and failures of each task and machine.
fn faults(list: &mut List, state: &State) {
    const FAULT: &str = "Failure";
    let view = &state.world.view;
    for fault in &view.faults {
        for action in &fault.actions {
            let entry = list.add(
                FAULT,
                "lightning",
                format!("End fault {}: {}", fault.id, fault.text),
                Action::Do(Box::new(action.input.clone())),
            );
            entry.also = "fault clear stop heal fix kill lose lost agent machine crash";
        }
    }
    let tasks = view.cluster.machines.iter().flat_map(|machine| &machine.tasks);
    let names: SortedSet<&Text> = tasks.map(|task| &task.name).collect();
    for name in names.iter().take(STRUCK) {
        for (kind, word, also) in [
            (FaultKind::TaskKill, "Kill", "fault terminate stop end"),
            (FaultKind::TaskFail, "Crash", "fault fail exit break kill"),
        ] {
            let target = Target { task: Some(name.to_string()), ..Target::default() };
            strike(list, FAULT, format!("{word} {name}"), kind, target).also = also;
        }
    }
    for machine in view.cluster.machines.iter().take(STRUCK) {
        let target = Target { agent: Some(machine.hostname.to_string()), ..Target::default() };
        let label = format!("Lose the machine {}", machine.hostname);
        strike(list, FAULT, label, FaultKind::AgentLost, target).also =
            "fault agent node host kill crash down";
    }
}

fn strike<'a>(
    list: &'a mut List,
    group: &'static str,
    label: String,
    kind: FaultKind,
    target: Target,
) -> &'a mut Entry {
    let fault = Fault {
        fault: kind,
        target,
        id: None,
        for_ms: None,
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    };
    list.add(group, "lightning", label, Action::Do(Box::new(Input::Fault(fault))))
}

fn time(list: &mut List, state: &State) {
    const TIME: &str = "Time";
    let word = if state.play.playing { "Pause" } else { "Play" };
    let clock = state.world.clock;
    let start = (clock.now_ms == 0 && clock.seq == 0).then(|| AttrValue::from("this is the start"));
    let end = (clock.idle && clock.at_head()).then(|| AttrValue::from("nothing more will happen by itself"));
    list.add(TIME, if state.play.playing { "pause" } else { "play" }, word, Action::TogglePlay).keys =
        Some("Space");
    for (icon, label, keys, toward, action) in [
        ("step-back", "One event back", ",", Toward::Back, Action::StepEvent(Toward::Back)),
        ("step-ahead", "One event ahead", ".", Toward::Ahead, Action::StepEvent(Toward::Ahead)),
        (
            "status-back",
            "Back to the status change before",
            "Shift-,",
            Toward::Back,
            Action::StepStatus(Toward::Back),
        ),
        (
            "status-ahead",
            "To the next status change",
            "Shift-.",
            Toward::Ahead,
            Action::StepStatus(Toward::Ahead),
        ),
        ("flag", "To the marked moment before", "[", Toward::Back, Action::StepMark(Toward::Back)),
        ("flag", "To the next marked moment", "]", Toward::Ahead, Action::StepMark(Toward::Ahead)),
        ("status-back", "To the start of the run", "0", Toward::Back, Action::SeekMs(0)),
        ("status-ahead", "To the end of the run", "End", Toward::Ahead, Action::SeekMs(clock.head_ms)),
    ] {
        let entry = list.add(TIME, icon, label, action);
        entry.keys = Some(keys);
        entry.refused = if toward == Toward::Back { start.clone() } else { end.clone() };
    }
    list.add(TIME, "reset", "Start over", Action::Reset);
    list.add(TIME, "zoom-in", "Timeline: zoom in", Action::ZoomAt(true, clock.now_ms));
    list.add(TIME, "zoom-out", "Timeline: zoom out", Action::ZoomAt(false, clock.now_ms));
    list.add(TIME, "zoom-all", "Timeline: show all of the run", Action::ZoomAll);
    list.add(TIME, "idle", "Timeline: idle stretches short or in full", Action::ToggleIdle);
    list.add(TIME, "machine", "Timeline: lanes by machine or by step", Action::ToggleByMachine);
    for index in 0..=Speed::MAX {
        list.add(TIME, "play", format!("Speed {}", Speed::at(index).label()), Action::SetSpeed(index));
    }
    for branch in state.world.branches.iter().filter(|branch| !branch.current) {
        list.add(TIME, "branch", format!("Branch {}", branch.title()), Action::Branch(branch.id));
    }
}

fn page(list: &mut List, state: &State) {
    const DO: &str = "Do";
    const SHOW: &str = "Show";
    let same = (!state.dirty()).then(|| AttrValue::from("nothing was edited"));
    let broken = (state.checked.errors() > 0).then(|| AttrValue::from("the definition has errors"));
    let apply = list.add(DO, "apply", "Start over with this definition", Action::Apply);
    (apply.keys, apply.also) = (Some("Ctrl-Enter"), "apply new world run deploy");
    apply.refused = broken.clone().or(same.clone());
    for (word, what, action, keys, nothing) in [
        ("Undo", &state.ways.undo, Action::Undo, "Ctrl-Z", "nothing was done yet"),
        ("Redo", &state.ways.redo, Action::Redo, "Ctrl-Shift-Z", "nothing was undone"),
    ] {
        let label = what.as_ref().map_or_else(|| word.to_owned(), |what| format!("{word}: {what}"));
        let entry = list.add(DO, "reset", label, action);
        (entry.keys, entry.also) = (Some(keys), "back again revert");
        entry.refused = what.is_none().then(|| AttrValue::from(nothing));
    }
    let update = systems::roll_out(&state.checked.dialect);
    let update = list.add(DO, "rocket", "Update the service with this definition", update);
    let none_broken = broken.clone();
    (update.refused, update.also) = (broken.or(same), "roll out rollout apply deploy");
    if systems::tells_changes(&state.checked.dialect) {
        let recipes = list.add(
            DO,
            "compare",
            "Change a field, and compare two worlds",
            Action::OpenDialog(Dialog::Recipes),
        );
        recipes.also = "what happens when recipe field maxsurge replicas image probe partition";
        recipes.refused.clone_from(&none_broken);
    }
    for (icon, label, keys, dialog, also) in [
        (
            "lightning",
            "Inject a failure",
            Some("i"),
            Dialog::Fault,
            "fault kill lose lost agent machine crash fail partition network chaos break slow",
        ),
        (
            "spanner",
            "Maintenance of machines",
            Some("m"),
            Dialog::Maintenance(None),
            "drain cordon window down up",
        ),
        ("plus", "Add machines", None, Dialog::AddMachine, "agent node host capacity grow"),
        ("book", "Examples", Some("x"), Dialog::Gallery, "gallery demo scenario"),
        ("flag", "Lessons", Some("l"), Dialog::Lessons, "learn course teach exercise tutorial"),
        ("plus", "Make a lesson from this run", None, Dialog::MakeLesson, "teacher record exercise export"),
        (
            "table",
            "Results of a class",
            None,
            Dialog::Results(AttrValue::default()),
            "teacher hand in learners marks",
        ),
        ("folder", "Open or paste", Some("o"), Dialog::Open, "load file import upload"),
        ("share", "Share this run", Some("s"), Dialog::Share, "link url export download"),
        (
            "book",
            "Embed this run in a document",
            Some("e"),
            Dialog::Embed,
            "iframe html markdown fence svg image docs",
        ),
        ("keyboard", "Keys and settings", Some("?"), Dialog::Keys, "help shortcuts keyboard"),
    ] {
        let entry = list.add(DO, icon, label, Action::OpenDialog(dialog));
        (entry.keys, entry.also) = (keys, also);
    }
    for (label, format) in [
        ("Save the transcript", Format::Transcript),
        ("Save the events as CSV", Format::Csv),
        ("Save the plans as text", Format::Tree),
        ("Save the timeline as a Mermaid diagram", Format::Mermaid),
        ("Save the journal as JSON", Format::Journal),
    ] {
        list.add(DO, "save", label, Action::SaveAs(format));
    }
    for (icon, label, keys, tab) in [
        ("question", "Why", Some("w"), Tab::Why),
        ("machine", "Cluster", Some("g m"), Tab::Cluster),
        ("pod", "Pods", None, Tab::Pods),
        ("list", "Log", Some("g l"), Tab::Log),
        ("console", "Console", Some("g c"), Tab::Console),
        ("compare", "Compare with another run", Some("g o"), Tab::Compare),
    ] {
        let entry = list.add(SHOW, icon, label, Action::ShowTab(tab));
        (entry.keys, entry.focus) = (keys, if tab == Tab::Console { "#console-line" } else { INSPECTOR });
    }
    for (label, tab) in [
        ("Problems of the definition", EditTab::Problems),
        ("Environment of the definition", EditTab::Env),
        ("Machines and seed to start with", EditTab::World),
    ] {
        let entry = list.add(SHOW, "edit", label, Action::ShowPane(Pane::Edit));
        entry.actions.push(Action::ShowEditTab(tab));
        entry.focus = "#editor-panel";
    }
    let entry = list.add(SHOW, "edit", "Editor", Action::ShowPane(Pane::Edit));
    (entry.keys, entry.focus) = (Some("g e"), ".cm-content, .editor-plain");
    let entry = list.add(SHOW, "tree", "Plan tree", Action::ShowPane(Pane::Plan));
    (entry.keys, entry.focus) = (Some("g t"), TREE);
    list.add(SHOW, "tree", "Tree and timeline only", Action::ToggleFocusMode).keys = Some("z");
    list.add(SHOW, "table", "Machines as a table or as cards", Action::ToggleMachineTable)
        .actions
        .push(Action::ShowTab(Tab::Cluster));
    for (icon, label, theme) in [
        ("theme-auto", "Colours as the system", Theme::Auto),
        ("sun", "Colours: light", Theme::Light),
        ("moon", "Colours: dark", Theme::Dark),
    ] {
        list.add(SHOW, icon, label, Action::SetTheme(theme)).also = "theme mode appearance colors";
    }
    if state.drafts.len() > 1 {
        for (at, draft) in state.drafts.iter().enumerate() {
            list.add(
                SHOW,
                "edit",
                format!("Definition of {}", labelled(&state.drafts, draft)),
                Action::PickService(at),
            )
            .actions
            .push(Action::ShowPane(Pane::Edit));
        }
    }
}

/// Adds the actions on an element.
fn commands(list: &mut List, state: &State, path: &ElementPath, selected: bool) {
    let view = &state.world.view;
    let name = placed(view, path, tree::called(view, path));
    for offer in offers::of_element(view, path) {
        let word = offer.label.trim_end_matches(" …");
        let group = if selected { "Selected" } else { "Plan" };
        let entry = list.add(group, offer.icon, format!("{word} {name}"), offer.action);
        entry.keys = offer.keys.filter(|_| selected);
        entry.note = offer.consequence;
        entry.refused = offer.refused;
    }
}

/// The name of an element with its service where there are several, and with the system where services share the name.
fn placed(view: &View, path: &ElementPath, name: String) -> String {
    if view.services.len() < 2 {
        return name;
    }
    let namesakes = view.services.iter().filter(|service| service.name == path.service).count();
    let system = if namesakes > 1 { format!("{} ", status::system(&path.dialect)) } else { String::new() };
    format!("{system}{}: {name}", path.service)
}

/// Adds the places to go to.
fn places(list: &mut List, state: &State) {
    const GO: &str = "Go to";
    let view = &state.world.view;
    for service in &view.services {
        for plan in &service.plans {
            let path = tree::plan_path(service, plan);
            go(list, view, &path, tree::title(&path));
            for phase in &plan.phases {
                let path = ElementPath { phase: Some(phase.name.clone()), ..path.clone() };
                go(list, view, &path, tree::title(&path));
            }
        }
    }
    for (path, step) in tree::steps(view) {
        go(list, view, &path, tree::step_title(&path, step));
    }
    for machine in &view.cluster.machines {
        let entry = list.add(GO, "machine", machine.hostname.to_string(), Action::ShowTab(Tab::Cluster));
        entry.focus = INSPECTOR;
        for task in &machine.tasks {
            let name: AttrValue = task.name.to_string().into();
            let entry = list.add(GO, "pod", name.clone(), Action::SelectTask(name));
            entry.actions.push(Action::ShowTab(Tab::Cluster));
            entry.focus = INSPECTOR;
        }
    }
    for example in state.examples.iter() {
        list.add("Example", "book", example.title.clone(), Action::OpenExample(example.id.clone()));
    }
    for preset in state.presets.iter() {
        list.add("Machines", "machine", preset.text.clone(), Action::SetPreset(preset.name.clone()));
    }
}

fn go(list: &mut List, view: &View, path: &ElementPath, name: String) {
    let icon = if path.step.is_some() { "dot" } else { "tree" };
    let entry = list.add("Go to", icon, placed(view, path, name), Action::Select(path.clone()));
    entry.actions.push(Action::ShowPane(Pane::Plan));
    entry.focus = TREE;
}

/// Returns the entries that match a text, best first, at most `most`; for an empty text all in order, recently used
/// ones first.
pub(crate) fn meant(entries: &[Entry], text: &str, lately: &[AttrValue], most: usize) -> Vec<usize> {
    let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    let mut found: Vec<(usize, usize, usize)> = entries
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| {
            let label = entry.label.to_ascii_lowercase();
            let mut score = 0;
            for word in &words {
                score += rank(&label, word)
                    .filter(|score| *score < 8)
                    .or_else(|| begins(entry.also, word).then_some(2))
                    .or_else(|| rank(&entry.group.to_ascii_lowercase(), word).map(|r| r + 2))
                    .or_else(|| rank(&label, word))?;
            }
            let used = lately.iter().position(|name| *name == entry.label).unwrap_or(lately.len());
            // Among equal matches, recently used ones come first.
            Some((score * 2 + usize::from(entry.refused.is_some() && !words.is_empty()), used, at))
        })
        .collect();
    planarium_kernel::sorted::sort(&mut found);
    found.truncate(most);
    found.into_iter().map(|(.., at)| at).collect()
}

/// Returns whether one of several words begins so.
fn begins(words: &str, with: &str) -> bool {
    words.split_whitespace().any(|word| word.starts_with(with))
}

/// Returns the rank of a match: at the start, at the start of a word, anywhere, as letters in order.
fn rank(label: &str, word: &str) -> Option<usize> {
    if let Some(at) = label.find(word) {
        let before = label.get(..at).and_then(|head| head.chars().next_back());
        return Some(match before {
            None => 0,
            Some(c) if !c.is_alphanumeric() => 1,
            Some(_) => 3,
        });
    }
    let mut rest = label.chars();
    (word.chars().count() > 2 && word.chars().all(|wanted| rest.any(|c| c == wanted))).then_some(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(label: &str, group: &'static str) -> Entry {
        Entry {
            label: label.to_owned().into(),
            group,
            icon: "dot",
            keys: None,
            also: "",
            note: None,
            refused: None,
            actions: vec![Action::Pause],
            focus: "",
        }
    }

    #[test]
    fn finds_the_best_match_first() {
        let entries = [
            entry("Interrupt deploy", "Plan"),
            entry("deploy › hello", "Go to"),
            entry("Colours: dark", "Show"),
        ];
        for (text, want) in [
            ("", vec![0, 1, 2]),
            ("deploy", vec![1, 0]),
            ("inter dep", vec![0]),
            ("go hello", vec![1]),
            ("clrs", vec![2]),
            ("nothing of this", vec![]),
        ] {
            assert_eq!(meant(&entries, text, &[], 9), want, "{text}");
        }
        let all = self::entries(&State::default());
        for (text, want) in [
            ("kill", "Inject a failure"),
            ("lose agent", "Inject a failure"),
            ("crash", "Inject a failure"),
            ("theme", "Colours as the system"),
            ("drain", "Maintenance of machines"),
            ("revert", "Undo"),
        ] {
            let first = meant(&all, text, &[], 1)
                .first()
                .and_then(|at| all.get(*at))
                .map(|entry| entry.label.to_string());
            assert_eq!(first.as_deref(), Some(want), "{text}");
        }
        assert_eq!(
            meant(&entries, "", &["Colours: dark".into()], 2),
            [2, 0],
            "what was used lately comes first"
        );
    }

    #[test]
    fn every_name_is_unique_and_each_entry_acts() {
        let all = entries(&State::default());
        assert!(all.iter().all(|entry| !entry.actions.is_empty() && !entry.label.is_empty()));
        let mut names: Vec<_> = all.iter().map(|entry| (entry.group, entry.label.clone())).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
