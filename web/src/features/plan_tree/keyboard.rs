//! The treegrid's keyboard: rows first, then cells; one tab stop.
//!
//! Letters find rows only while single-key shortcuts are off, because letters are shortcuts otherwise; with
//! Shift they always do.

use super::row;
use crate::store::selectors::stuck;
use crate::store::selectors::tree::{self, Row, Shape};
use crate::store::state::{MenuTarget, Tab};
use crate::store::{Action, Hub};
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use std::sync::Arc;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Cells of a row.
const CELLS: usize = 5;
/// The cell of the reason, with the way out of a stuck element.
const REASON: usize = 3;
/// Rows that a page key moves by.
const PAGE: usize = 12;

/// Keeps the focus on the selected row while the tree has it.
#[hook]
pub(super) fn use_focus(
    scroller: &NodeRef,
    selected: &Option<ElementPath>,
    cell: Option<usize>,
    row_px: usize,
    services: &[Arc<ServiceView>],
    shape: &Shape,
) {
    let position = {
        let changed = use_mut_ref(|| None::<ElementPath>);
        let same = *changed.borrow() == *selected;
        changed.borrow_mut().clone_from(selected);
        // Looking the row up costs a walk; only a new selection needs it.
        let found = selected.as_ref().filter(|_| !same).and_then(|path| position(services, shape, path));
        let last = use_mut_ref(|| None::<usize>);
        if !same {
            *last.borrow_mut() = found;
        }
        *last.borrow()
    };
    let scroller = scroller.clone();
    use_effect_with((selected.clone(), position, cell), move |(_, position, cell)| {
        let (Some(scroller), Some(index)) = (scroller.cast::<HtmlElement>(), *position) else { return };
        if row::element(&scroller, index).is_none() && row_px > 0 {
            let top = i32::try_from(index * row_px).unwrap_or(i32::MAX);
            scroller.set_scroll_top(top.saturating_sub(scroller.client_height() / 2));
        }
        let Some(row) = row::element(&scroller, index) else { return };
        let inside = crate::browser::focused().is_some_and(|focused| scroller.contains(Some(&focused)));
        if inside {
            let cells = row.query_selector_all("[role=gridcell]").ok();
            let cell = cell.and_then(|cell| cells?.get(u32::try_from(cell).ok()?));
            let target = cell.and_then(|cell| {
                use wasm_bindgen::JsCast;
                cell.dyn_into::<HtmlElement>().ok()
            });
            let _ = target.unwrap_or_else(|| row.clone()).focus();
        }
        // Browsers let Tab continue from a row that was scrolled to: do not scroll if all rows are visible.
        if scroller.scroll_height() <= scroller.client_height() {
            return;
        }
        crate::browser::bring_into_view(&row);
    });
}

fn position(services: &[Arc<ServiceView>], shape: &Shape, path: &ElementPath) -> Option<usize> {
    tree::window(services, shape, 0, usize::MAX).rows.iter().position(|row| row.path == *path)
}

/// Handles keys in the tree. They may come faster than it is drawn: each continues from the previous one's row.
pub(super) fn handler(hub: &Hub, cell: &UseStateHandle<Option<usize>>) -> Callback<KeyboardEvent> {
    let (hub, cell) = (hub.clone(), cell.clone());
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let state = hub.state();
        let services = super::shown(state.preview(), &state.world.view);
        let shape = Shape { toggled: state.ui.toggled.clone(), filter: state.ui.row_filter.to_string() };
        let rows = tree::window(&services, &shape, 0, usize::MAX).rows;
        let at = state.ui.selected.as_ref().and_then(|path| rows.iter().position(|row| row.path == *path));
        let chip = at.and_then(|at| stuck::chip(&state.help, rows.get(at)?));
        let way = chip.and_then(|chip| chip.way).map(|(_, input)| input);
        let keys = Keys { rows: &rows, at, cell: *cell, way, letters: state.prefs.keys_off };
        match keys.answer(&event.key(), event.shift_key()) {
            Answer::Nothing => return,
            Answer::Go(to) => {
                cell.set(None);
                if let Some(row) = rows.get(to) {
                    hub.send(Action::Select(row.path.clone()));
                }
            }
            Answer::Cell(to) => cell.set(to),
            Answer::Send(action) => hub.send(action),
            Answer::Menu => open_menu(&hub, &event, at.and_then(|at| rows.get(at))),
        }
        event.prevent_default();
        event.stop_propagation();
    })
}

fn open_menu(hub: &Hub, event: &KeyboardEvent, row: Option<&Row>) {
    let Some(row) = row else { return };
    let place = event.target_dyn_into::<Element>().map(|element| element.get_bounding_client_rect());
    #[expect(clippy::cast_possible_truncation, reason = "pixels on a screen")]
    let (x, y) = place.map_or((40, 40), |place| (place.left() as i32 + 48, place.bottom() as i32));
    hub.send(Action::OpenMenu(MenuTarget::Element(row.path.clone()), x, y));
}

/// Answers to a key.
#[derive(Debug, PartialEq)]
enum Answer {
    /// Not ours.
    Nothing,
    /// To another row.
    Go(usize),
    /// To a cell of this row, or back to the row.
    Cell(Option<usize>),
    /// An action.
    Send(Action),
    /// The row's menu.
    Menu,
}

/// Everything a key's meaning depends on.
struct Keys<'a> {
    rows: &'a [Row],
    at: Option<usize>,
    cell: Option<usize>,
    /// The way out of this row, if it is stuck.
    way: Option<Input>,
    letters: bool,
}

impl Keys<'_> {
    fn answer(&self, key: &str, shift: bool) -> Answer {
        let last = self.rows.len().saturating_sub(1);
        let at = self.at.unwrap_or(0);
        match key {
            "ArrowDown" => Answer::Go(if self.at.is_none() { 0 } else { (at + 1).min(last) }),
            "ArrowUp" => Answer::Go(at.saturating_sub(1)),
            "PageDown" => Answer::Go((at + PAGE).min(last)),
            "PageUp" => Answer::Go(at.saturating_sub(PAGE)),
            "Home" => {
                if self.cell.is_some() {
                    Answer::Cell(Some(0))
                } else {
                    Answer::Go(0)
                }
            }
            "End" => {
                if self.cell.is_some() {
                    Answer::Cell(Some(CELLS - 1))
                } else {
                    Answer::Go(last)
                }
            }
            "ArrowRight" => self.right(at),
            "ArrowLeft" => self.left(at),
            "Enter" if self.cell == Some(CELLS - 1) => Answer::Menu,
            "Enter" => Answer::Send(match &self.way {
                Some(way) if self.cell == Some(REASON) => Action::Do(Box::new(way.clone())),
                _ => Action::ShowTab(Tab::Why),
            }),
            "ContextMenu" => Answer::Menu,
            "F10" if shift => Answer::Menu,
            "*" => self.open_siblings(at),
            letter if (self.letters || shift) && is_letter(letter) => {
                tree::find_prefix(self.rows, at + 1, letter).map_or(Answer::Nothing, Answer::Go)
            }
            _ => Answer::Nothing,
        }
    }

    fn right(&self, at: usize) -> Answer {
        let Some(row) = self.rows.get(at) else { return Answer::Nothing };
        match (self.cell, row.open) {
            (None, Some(false)) => Answer::Send(Action::Toggle(row.path.clone())),
            (None, _) => Answer::Cell(Some(0)),
            (Some(cell), _) => Answer::Cell(Some((cell + 1).min(CELLS - 1))),
        }
    }

    fn left(&self, at: usize) -> Answer {
        let Some(row) = self.rows.get(at) else { return Answer::Nothing };
        match (self.cell, row.open) {
            (Some(0), _) => Answer::Cell(None),
            (Some(cell), _) => Answer::Cell(Some(cell - 1)),
            (None, Some(true)) => Answer::Send(Action::Toggle(row.path.clone())),
            (None, _) => {
                let up = self.rows.iter().take(at).rposition(|other| other.level < row.level);
                up.map_or(Answer::Nothing, Answer::Go)
            }
        }
    }

    fn open_siblings(&self, at: usize) -> Answer {
        let Some(row) = self.rows.get(at) else { return Answer::Nothing };
        let parent = tree::parent(&row.path);
        let shut = self.rows.iter().filter(|other| {
            other.level == row.level && other.open == Some(false) && tree::parent(&other.path) == parent
        });
        Answer::Send(Action::ToggleMany(shut.map(|row| row.path.clone()).collect()))
    }
}

fn is_letter(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(char::is_alphanumeric) && chars.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ptr::Ptr;
    use crate::store::selectors::tree::tests::{phase, plan, service, step};
    use planarium_protocol::input::ClearFault;

    fn rows() -> Vec<Row> {
        let deploy = plan(
            "deploy",
            "IN_PROGRESS",
            vec![
                phase("hello", "serial", vec![step("hello-0", "COMPLETE"), step("hello-1", "STARTING")]),
                phase("world", "parallel", vec![step("world-0", "PENDING")]),
            ],
        );
        let side = plan("sidecar", "WAITING", vec![phase("side", "serial", vec![step("side-0", "WAITING")])]);
        let shape = Shape { toggled: Ptr::default(), filter: String::new() };
        tree::window(&[service("s", vec![deploy, side])], &shape, 0, usize::MAX).rows
    }

    #[test]
    fn moves_like_a_treegrid() {
        // 0 deploy, 1 hello, 2 hello-0, 3 hello-1, 4 world, 5 world-0, 6 sidecar (shut)
        let rows = rows();
        let toggle = |at: usize| Answer::Send(Action::Toggle(rows[at].path.clone()));
        let table = [
            (None, None, "ArrowDown", false, Answer::Go(0)),
            (Some(0), None, "ArrowDown", false, Answer::Go(1)),
            (Some(6), None, "ArrowDown", false, Answer::Go(6)),
            (Some(0), None, "ArrowUp", false, Answer::Go(0)),
            (Some(2), None, "Home", false, Answer::Go(0)),
            (Some(2), None, "End", false, Answer::Go(6)),
            (Some(6), None, "ArrowRight", false, toggle(6)),
            (Some(1), None, "ArrowRight", false, Answer::Cell(Some(0))),
            (Some(2), Some(4), "ArrowRight", false, Answer::Cell(Some(4))),
            (Some(2), Some(1), "ArrowLeft", false, Answer::Cell(Some(0))),
            (Some(2), Some(0), "ArrowLeft", false, Answer::Cell(None)),
            (Some(1), None, "ArrowLeft", false, toggle(1)),
            (Some(3), None, "ArrowLeft", false, Answer::Go(1)),
            (Some(6), None, "ArrowLeft", false, Answer::Nothing),
            (Some(2), None, "Enter", false, Answer::Send(Action::ShowTab(Tab::Why))),
            (Some(2), Some(4), "Enter", false, Answer::Menu),
            (Some(2), None, "F10", true, Answer::Menu),
            (Some(2), None, "F10", false, Answer::Nothing),
            (Some(0), None, "*", true, Answer::Send(Action::ToggleMany(vec![rows[6].path.clone()]))),
            (Some(1), None, "W", true, Answer::Go(4)),
            (Some(1), None, "w", false, Answer::Nothing),
            (Some(1), None, " ", false, Answer::Nothing),
        ];
        for (at, cell, key, shift, want) in table {
            let keys = Keys { rows: &rows, at, cell, way: None, letters: false };
            assert_eq!(keys.answer(key, shift), want, "{key} at {at:?} cell {cell:?}");
        }
        let keys = Keys { rows: &rows, at: Some(1), cell: None, way: None, letters: true };
        assert_eq!(keys.answer("w", false), Answer::Go(4), "without shortcuts letters find rows");
    }

    #[test]
    fn enter_on_the_reason_of_a_stuck_row_takes_the_way_out() {
        let end = || Input::ClearFault(ClearFault { id: "fault-1".to_owned() });
        let rows = rows();
        let on =
            |cell, way| Keys { rows: &rows, at: Some(3), cell, way, letters: false }.answer("Enter", false);
        assert_eq!(on(Some(REASON), Some(end())), Answer::Send(Action::Do(Box::new(end()))));
        for other in [on(Some(REASON), None), on(None, Some(end())), on(Some(1), Some(end()))] {
            assert_eq!(other, Answer::Send(Action::ShowTab(Tab::Why)));
        }
    }

    #[test]
    fn without_rows_nothing_happens() {
        let keys = Keys { rows: &[], at: None, cell: None, way: None, letters: true };
        for key in ["ArrowRight", "ArrowLeft", "*", "a"] {
            assert_eq!(keys.answer(key, false), Answer::Nothing, "{key}");
        }
    }
}
