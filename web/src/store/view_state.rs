//! Selected, open and shown parts of the page as data, so that a reloaded page looks the same.
//!
//! *Knows*: parts of the view state by name. *Must not know*: where they are stored. Unreadable parts keep their
//! present value.

use super::ptr::Ptr;
use super::state::{EditTab, Pane, Speed, State, Tab};
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::json::Read;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use yew::AttrValue;

/// Place of a definition, its files, its environment.
type Typed = (usize, BTreeMap<String, String>, BTreeMap<String, String>);

const PANES: [Pane; 3] = [Pane::Edit, Pane::Plan, Pane::Inspect];
const TABS: [Tab; 6] = [Tab::Why, Tab::Cluster, Tab::Log, Tab::Pods, Tab::Console, Tab::Compare];
const EDIT_TABS: [EditTab; 3] = [EditTab::Problems, EditTab::Env, EditTab::World];

/// Returns the view state of a page.
pub(crate) fn of(state: &State) -> Value {
    let ui = &state.ui;
    json!({
        "pane": PANES.iter().position(|pane| *pane == ui.pane),
        "tab": TABS.iter().position(|tab| *tab == ui.tab),
        "below": EDIT_TABS.iter().position(|tab| *tab == ui.edit_tab),
        "service": state.at,
        "file": state.draft.file,
        "selected": ui.selected.as_ref().map(path),
        "task": ui.task.as_ref().map(AttrValue::to_string),
        "toggled": ui.toggled.iter().map(path).collect::<Vec<_>>(),
        "list": ui.as_rows,
        "rows": ui.row_filter.to_string(),
        "log": ui.filter.text.to_string(),
        "table": ui.machine_table,
        "machines": ui.by_machine,
        "lanes": ui.lanes_open,
        "shut": ui.editor_shut,
        "focus": ui.focus_mode,
        "zoom": ui.zoom.map(|(from, to)| [from, to]),
        "speed": state.play.speed.index(),
        "typed": typed(state),
    })
}

/// Typed texts that do not run: index of the definition, files, environment. The host may not have received them when the page is left.
fn typed(state: &State) -> Vec<Value> {
    let all = state.all_drafts().into_iter().enumerate();
    let typed = all.filter(|(_, draft)| draft.typed && draft.dirty());
    typed.map(|(at, draft)| json!([at, *draft.files, *draft.env])).collect()
}

/// Restores a stored view state.
pub(crate) fn give(state: &mut State, looks: &Value) {
    let one = |name: &str| looks.get(name);
    let at = |name: &str| one(name).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    let is = |name: &str, otherwise: bool| one(name).and_then(Value::as_bool).unwrap_or(otherwise);
    let text = |name: &str| one(name).and_then(Value::as_str).map(|text| AttrValue::from(text.to_owned()));
    let ui = &mut state.ui;
    ui.pane = at("pane").and_then(|at| PANES.get(at).copied()).unwrap_or(ui.pane);
    ui.tab =
        at("tab").and_then(|at| TABS.get(at).copied()).filter(|tab| *tab != Tab::Compare).unwrap_or(ui.tab);
    ui.edit_tab = at("below").and_then(|at| EDIT_TABS.get(at).copied()).unwrap_or(ui.edit_tab);
    if let Some(path) = one("selected").and_then(read_path) {
        ui.selected = Some(path);
    }
    ui.task = text("task");
    let toggled = one("toggled").and_then(Value::as_array);
    let rows = Arc::make_mut(&mut ui.toggled.0);
    for path in toggled.into_iter().flatten().filter_map(read_path) {
        rows.insert(path);
    }
    ui.as_rows = one("list").and_then(Value::as_bool).or(ui.as_rows);
    ui.row_filter = text("rows").unwrap_or_default();
    ui.filter.text = text("log").unwrap_or_default();
    ui.machine_table = is("table", ui.machine_table);
    ui.by_machine = is("machines", ui.by_machine);
    ui.lanes_open = is("lanes", ui.lanes_open);
    ui.editor_shut = is("shut", ui.editor_shut);
    ui.focus_mode = is("focus", ui.focus_mode);
    ui.zoom = one("zoom")
        .and_then(|zoom| Some((zoom.get(0)?.as_u64()?, zoom.get(1)?.as_u64()?)))
        .filter(|(from, to)| from < to);
    if let Some(speed) = at("speed").and_then(|speed| u8::try_from(speed).ok()) {
        state.play.speed = Speed::at(speed);
    }
    let typed = one("typed").cloned().and_then(|typed| Vec::<Typed>::read(typed).ok());
    for (at, files, env) in typed.unwrap_or_default() {
        retype(state, at, files, env);
    }
    super::files::pick(state, at("service").unwrap_or(0), text("file").as_deref());
}

/// Restores the texts typed into a definition before a reload.
fn retype(state: &mut State, at: usize, files: BTreeMap<String, String>, env: BTreeMap<String, String>) {
    let mut drafts = state.all_drafts();
    let Some(draft) = drafts.get_mut(at) else { return };
    if *draft.files == files && *draft.env == env {
        return;
    }
    draft.files = Ptr::new(files);
    draft.env = Ptr::new(env);
    draft.typed = true;
    draft.revision += 1;
    let shown = state.at;
    super::files::hold(state, drafts, shown);
}

/// A path as its parts, with nothing for those that it does not have.
fn path(path: &ElementPath) -> Value {
    json!([&*path.dialect, &*path.service, &*path.plan, path.phase.as_deref(), path.step.as_deref()])
}

fn read_path(value: &Value) -> Option<ElementPath> {
    let part = |at: usize| value.get(at).and_then(Value::as_str).map(Text::from);
    Some(ElementPath { dialect: part(0)?, service: part(1)?, plan: part(2)?, phase: part(3), step: part(4) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_typed_text_is_restored_with_the_view_state() {
        use crate::store::{Action, draft::Draft, reduce};
        use planarium_protocol::input::LoadService;
        let load =
            LoadService { files: [("a".to_owned(), "old".to_owned())].into(), ..LoadService::default() };
        let mut state = State { draft: Draft::of(&load), ..State::default() };
        let mut there = State { draft: Draft::of(&load), ..State::default() };
        give(&mut there, &of(&state));
        assert!(!there.draft.dirty(), "nothing was typed");
        reduce::action(&mut state, &Action::EditAt(0, "a".to_owned(), "new".to_owned()));
        give(&mut there, &of(&state));
        assert_eq!(there.draft.files.get("a").map(String::as_str), Some("new"));
        assert!(there.draft.dirty());
    }

    #[test]
    fn view_state_is_restored_and_invalid_data_changes_nothing() {
        let mut state = State::default();
        let selected = ElementPath {
            dialect: "d".into(),
            service: "s".into(),
            plan: "p".into(),
            phase: Some("x".into()),
            step: None,
        };
        state.ui.tab = Tab::Log;
        state.ui.pane = Pane::Inspect;
        state.ui.zoom = Some((3, 9));
        state.ui.selected = Some(selected.clone());
        Arc::make_mut(&mut state.ui.toggled.0).insert(selected);
        state.play.speed = Speed::at(7);
        let mut other = State::default();
        give(&mut other, &of(&state));
        assert_eq!(of(&other), of(&state));
        for nonsense in [json!(null), json!({"tab": 99, "zoom": [9, 3], "selected": [1], "speed": -1})] {
            let mut other = State::default();
            give(&mut other, &nonsense);
            assert_eq!(of(&other), of(&State::default()));
        }
    }
}
