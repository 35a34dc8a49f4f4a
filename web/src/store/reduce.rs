//! The next state: pure functions of a state and an action or a fact.
//!
//! *Knows*: the effect of an action or a fact on the page. *Must not know*: the engine, the browser.

use super::action::{Action, Fact};
use super::draft::Draft;
use super::progress::{Done, Progress};
use super::ptr::Ptr;
use super::state::{EditTab, Fix, Menu, Pane, Place, State, Tab, Toast, ToastKind, ToastUndo, Ui, World};
use super::{action::Snapshot, files, selectors, settings};
use super::{meant, moment};
use crate::ui::attr;
use planarium_messages::lessons::LessonAsk;
use planarium_messages::questions::Ask;
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use std::sync::Arc;
use yew::AttrValue;

/// Applies an action of a component to the state.
pub(crate) fn action(state: &mut State, action: &Action) {
    if meant::replaces_world(action) {
        state.play.meant = false;
    }
    match action {
        Action::TogglePlay => {
            state.play.playing = !state.play.playing;
            state.play.meant = state.play.playing;
            state.play.rest_ms = 0.0;
        }
        Action::Pause
        | Action::StepEvent(_)
        | Action::StepStatus(_)
        | Action::StepMark(_)
        | Action::Reset
        | Action::SetSeed(_)
        | Action::Undo
        | Action::Redo
        | Action::Branch(_) => state.play.playing = false,
        Action::Lesson(ask) => {
            state.play.playing &= !matches!(ask, LessonAsk::GoBack | LessonAsk::Open(_));
            if matches!(ask, LessonAsk::Open(_)) {
                state.ui.dialog = None;
            }
        }
        Action::ShowDefinition(shown) => {
            state.ui.definition = *shown;
            state.ui.pane = Pane::Edit;
        }
        Action::TakeProgress(text) => take_progress(state, text),
        Action::Nudge(faster) => state.play.speed = state.play.speed.nudged(*faster),
        Action::SetSpeed(index) => state.play.speed = super::state::Speed::at(*index),
        Action::Frame(wall_ms) | Action::Ahead(wall_ms) => {
            // The effect plays the accumulated time; the fraction stays for the next frame.
            state.play.rest_ms = state.play.rest_ms.fract() + wall_ms * state.play.speed.factor();
        }
        Action::Edit(path, text) => state.draft.edit(path, text.clone()),
        Action::EditAt(at, path, text) => files::edit_at(state, *at, path, text),
        Action::PickFile(path) => {
            if state.draft.files.contains_key(path) {
                state.draft.file.clone_from(path);
                state.draft.loaded += 1;
            }
        }
        Action::PickService(at) => {
            let drafts = state.all_drafts();
            files::hold(state, drafts, *at);
        }
        Action::ShowRunning => moment::show_running(state),
        Action::ShowDraft => moment::show_draft(state),
        Action::AddFile(path) => files::add(state, path),
        Action::DropFile(path) => files::drop(state, path),
        Action::RenameFile(from, to) => files::rename(state, from, to),
        Action::SetEnv(name, value) => state.draft.set_env(name, value.clone()),
        Action::FillEnv => fill_env(state),
        Action::Mend(fix) => mend(state, fix),
        // The machines have changed, and were not tried yet.
        Action::Do(input) if matches!(**input, Input::AddAgent(_) | Input::RemoveAgent(_)) => {
            state.better = None;
        }
        Action::SystemTheme(dark) => state.system_dark = *dark,
        Action::Arrived => state.arrivals += 1,
        Action::Console(act) => Arc::make_mut(&mut state.console.0).act(act),
        _ => looks(state, action),
    }
}

/// Merges progress from elsewhere.
fn take_progress(state: &mut State, text: &str) {
    let said = match Progress::read(text) {
        Some(other) => {
            let taken = Arc::make_mut(&mut state.progress.0).merge(&other);
            format!("Progress taken over: {} of {} new or better.", taken, other.len())
        }
        None => "This is not progress that Planarium exported.".to_owned(),
    };
    toast(&mut state.ui, said.into(), ToastKind::Info, None, None);
}

/// Guesses missing values; values given since the definition was read stay.
fn fill_env(state: &mut State) {
    let env = state.draft.env.clone();
    let unset = state.checked.missing.iter().map(|name| &**name).filter(|name| !env.contains_key(*name));
    let values = selectors::guess::usual(unset, env.values().map(String::as_str));
    let values: Vec<_> = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    for (name, value) in values {
        state.draft.set_env(&name, Some(value));
    }
}

/// Mends the text at places that hold only for the text that was read.
fn mend(state: &mut State, fix: &Fix) {
    let known = state.checked.findings.iter().any(|finding| finding.fix.as_ref() == Some(fix));
    if !known || state.checked.revision != state.draft.revision {
        return;
    }
    let Some(text) = state.draft.files.get(&*fix.file) else { return };
    if let Some(mended) = selectors::text::splice_utf16(text, fix.from, fix.to, &fix.text) {
        state.draft.edit(&fix.file, mended);
        state.draft.file = fix.file.to_string();
        state.draft.loaded += 1;
    }
}

fn looks(state: &mut State, action: &Action) {
    let ui = &mut state.ui;
    match action {
        Action::Caret(line) => ui.caret = *line,
        Action::Reveal(file, line, column) => {
            if state.draft.files.contains_key(file.as_str()) {
                if state.draft.file != file.as_str() {
                    state.draft.file = file.to_string();
                    state.draft.loaded += 1;
                }
                let number = ui.reveal.as_ref().map_or(0, |last| last.3) + 1;
                ui.reveal = Some((file.clone(), *line, *column, number));
            }
        }
        Action::Select(path) => {
            ui.selected = Some(path.clone());
            ui.task = None;
            reveal_source(state, path);
        }
        Action::SelectTask(name) => {
            let path = selectors::tree::step_of_task(&state.world.view, name);
            ui.task = Some(name.clone());
            if path.is_some() {
                ui.selected = path;
            }
        }
        Action::Toggle(path) => toggle(ui, std::slice::from_ref(path)),
        Action::ToggleMany(paths) => toggle(ui, paths),
        Action::ShowRows(rows) => ui.as_rows = Some(*rows),
        Action::FilterRows(text) => ui.row_filter = text.clone(),
        Action::ShowPane(pane) => ui.pane = *pane,
        Action::ShowTab(tab) => {
            ui.tab = *tab;
            ui.pane = Pane::Inspect;
        }
        Action::ShowEditTab(tab) => ui.edit_tab = *tab,
        Action::ToggleEditor => ui.editor_shut = !ui.editor_shut,
        Action::ToggleLanes => ui.lanes_open = !ui.lanes_open,
        Action::ZoomAt(closer, at_ms) => {
            ui.zoom = zoomed(ui.zoom, *closer, *at_ms, selectors::time::horizon(state.world.clock.head_ms));
        }
        Action::ZoomTo(at_ms) => ui.zoom = ui.zoom.map(|(from, to)| around(*at_ms, to - from)),
        Action::ZoomPart(part) => ui.zoom = ui.zoom.map(|_| *part),
        Action::ZoomAll => ui.zoom = None,
        Action::ToggleByMachine => ui.by_machine = !ui.by_machine,
        Action::Pan(later) => ui.zoom = ui.zoom.map(|zoom| panned(zoom, *later, state.world.clock.head_ms)),
        Action::ToggleFocusMode => ui.focus_mode = !ui.focus_mode,
        Action::ToggleMachineTable => ui.machine_table = !ui.machine_table,
        Action::Filter(filter) => ui.filter = filter.clone(),
        Action::Used(name) => {
            let lately = Arc::make_mut(&mut ui.lately.0);
            lately.retain(|old| old != name);
            lately.insert(0, name.clone());
            lately.truncate(5);
        }
        Action::Beside(beside) => ui.beside = *beside,
        Action::OpenDialog(dialog) => {
            ui.menu = None;
            ui.link = None;
            // Nothing comes in place of a served world.
            ui.beside = state.served.is_some();
            ui.dialog = Some(dialog.clone());
        }
        Action::OpenMenu(target, x, y) => ui.menu = Some(Menu { target: target.clone(), x: *x, y: *y }),
        Action::CloseMenu => ui.menu = None,
        Action::CloseToast(id) => close_toast(ui, *id),
        Action::Say(text) => toast(ui, text.clone(), ToastKind::Info, None, None),
        Action::CloseDialog | Action::OpenExample(_) | Action::OpenFiles(_) | Action::OpenText(_) => {
            ui.dialog = None;
        }
        Action::Stopped(stopped) => {
            state.play.playing = false;
            // If looking at an element ends the engine, the next one does not look at it again.
            if matches!(stopped.again, Some(Ask::Look)) {
                state.ui.selected = None;
            }
            state.stopped = Some(Ptr::new((**stopped).clone()));
        }
        Action::Lost(reason) => {
            state.play.playing = false;
            if let Some(served) = &mut state.served {
                served.lost = Some(reason.clone());
            }
        }
        Action::LeaveStopped => state.stopped = None,
        Action::Retry => {
            state.play.playing = state.stopped.as_ref().is_some_and(|stopped| stopped.played());
            state.stopped = None;
        }
        Action::LeaveBroken => state.broken = None,
        Action::LeaveDiffering => state.differing = None,
        _ => settings::take(&mut state.prefs, action),
    }
}

/// The least that the timeline shows.
const CLOSEST_MS: u64 = 1000;

/// Half or twice as much of the run; the instant keeps its place.
fn zoomed(zoom: Option<(u64, u64)>, closer: bool, at_ms: u64, span_ms: u64) -> Option<(u64, u64)> {
    let (from, to) = zoom.unwrap_or((0, span_ms));
    let length = to - from;
    let at_ms = at_ms.clamp(from, to);
    let wanted = if closer { (length / 2).max(CLOSEST_MS) } else { length * 2 };
    if wanted >= span_ms {
        return None;
    }
    let before = (at_ms - from) * wanted / length.max(1);
    let from = at_ms.saturating_sub(before).min(span_ms - wanted);
    Some((from, from + wanted))
}

/// Returns a stretch of this length around the instant, with more of the future than of the past.
fn around(at_ms: u64, length: u64) -> (u64, u64) {
    let from = at_ms.saturating_sub(length / 4);
    (from, from + length)
}

fn panned((from, to): (u64, u64), later: bool, head_ms: u64) -> (u64, u64) {
    let (length, by) = (to - from, ((to - from) / 8).max(1));
    let last = selectors::time::horizon(head_ms).saturating_sub(length);
    let from = if later { (from + by).min(last) } else { from.saturating_sub(by) };
    (from, from + length)
}

fn toggle(ui: &mut Ui, paths: &[ElementPath]) {
    let toggled = Arc::make_mut(&mut ui.toggled.0);
    for path in paths {
        if !toggled.remove(path) {
            toggled.insert(path.clone());
        }
    }
}

fn reveal_source(state: &mut State, path: &ElementPath) {
    let source = selectors::tree::source_of(&state.world.view, path);
    if let Some(source) = source {
        // Services may have files of the same name.
        if let Some(at) = state.place_of_element(path, &source.file).filter(|at| *at != state.at) {
            let drafts = state.all_drafts();
            files::hold(state, drafts, at);
        }
        let place = Action::Reveal(AttrValue::from(source.file.to_string()), source.line, source.column);
        looks(state, &place);
    }
}

/// Returns the place of a new message.
fn here(world: &World, only: bool) -> Place {
    Place { lineage: world.log.lineage, at_ms: world.clock.now_ms, only }
}

/// Takes away what does not hold at the moment shown.
fn leave_toasts(state: &mut State) {
    let (lineage, clock) = (state.world.log.lineage, state.world.clock);
    let gone = |toast: &Toast| toast.place.is_some_and(|place| !place.holds(lineage, &clock));
    if state.ui.toasts.iter().any(gone) {
        Arc::make_mut(&mut state.ui.toasts.0).retain(|toast| !gone(toast));
    }
}

fn toast(ui: &mut Ui, text: AttrValue, kind: ToastKind, undo: Option<ToastUndo>, place: Option<Place>) {
    let id = ui.next_toast;
    ui.next_toast += 1;
    let toasts = Arc::make_mut(&mut ui.toasts.0);
    let way = |undo: &Option<ToastUndo>| matches!(undo, Some(ToastUndo::Last | ToastUndo::Undone));
    // There is one thing to undo or redo at a time, so one message that offers it.
    toasts.retain(|old| old.text != text && !(way(&undo) && way(&old.undo)));
    toasts.push(Toast { id, text, kind, undo, place });
    let surplus = toasts.len().saturating_sub(3);
    toasts.drain(..surplus);
}

fn close_toast(ui: &mut Ui, id: u32) {
    if ui.toasts.iter().any(|toast| toast.id == id) {
        Arc::make_mut(&mut ui.toasts.0).retain(|toast| toast.id != id);
    }
}

/// Marks a revision of a definition as running. Text typed since is not.
pub(crate) fn rolled_out(state: &mut State, at: usize, revision: u32) {
    if at == state.at {
        state.draft.applied = revision;
    }
    let mut drafts = state.all_drafts();
    if let Some(draft) = drafts.get_mut(at) {
        draft.applied = revision;
    }
    state.drafts = Ptr::new(drafts);
}

/// Marks whether the editor's text is what runs.
fn compare(state: &mut State, running: &[LoadService]) {
    let mut drafts = state.all_drafts();
    for draft in &mut drafts {
        draft.compare(running);
    }
    state.draft.compare(running);
    state.drafts = Ptr::new(drafts);
}

/// Applies a fact to the state.
pub(crate) fn fact(state: &mut State, fact: Fact) {
    match fact {
        Fact::Moved(mut snapshot) => {
            let running = snapshot.running.take();
            moved(&mut state.world, *snapshot);
            leave_toasts(state);
            if let Some(running) = running {
                state.running = running;
                moment::follow(state);
            }
        }
        Fact::Opened { drafts, story, preset } => {
            files::hold(state, drafts, 0);
            moment::follow(state);
            state.checked = Ptr::default();
            state.better = None;
            state.story = story;
            state.preset = preset.as_deref().map(attr);
            state.broken = None;
            state.differing = None;
            state.play.playing &= state.play.meant;
            state.why = None;
            state.world.generation += 1;
            Arc::make_mut(&mut state.console.0).answers.clear();
            let wanted = state.frame.as_mut().and_then(|frame| frame.select.take());
            let wanted = wanted.and_then(|names| selectors::tree::named(&state.world.view, &names));
            let ui = &mut state.ui;
            *ui = Ui {
                pane: ui.pane,
                tab: ui.tab,
                edit_tab: ui.edit_tab,
                editor_shut: ui.editor_shut,
                machine_table: ui.machine_table,
                by_machine: ui.by_machine,
                as_rows: ui.as_rows,
                filter: ui.filter.clone(),
                lately: ui.lately.clone(),
                toasts: ui.toasts.clone(),
                next_toast: ui.next_toast,
                selected: wanted.or_else(|| selectors::tree::first_plan(&state.world.view)),
                ..Ui::default()
            };
        }
        Fact::Drafted(kept) => {
            let mut drafts = state.all_drafts();
            for draft in kept {
                let named = drafts.iter().position(|old| old.is_of(&draft.dialect, &draft.label));
                let place = if draft.label.is_empty() { Some(state.at) } else { named };
                match place.and_then(|at| drafts.get_mut(at)) {
                    Some(old) if old.files.0 == draft.files.0 && old.env.0 == draft.env.0 => {}
                    Some(old) => {
                        let (label, revision, applied) = (old.label.clone(), old.revision + 1, old.applied);
                        *old = Draft { label, revision, applied, typed: true, ..draft };
                    }
                    None => drafts.push(Draft { revision: 1, typed: true, ..draft }),
                }
            }
            files::hold(state, drafts, state.at);
            moment::follow(state);
        }
        // Others changed what runs; what is being written here stays.
        Fact::Drafts(_) if state.served.is_some() && state.dirty() => {}
        Fact::Drafts(drafts) => {
            files::hold(state, drafts, state.at);
            moment::follow(state);
        }
        Fact::Beside(draft) => {
            let mut drafts = state.all_drafts();
            drafts.push(*draft);
            let last = drafts.len() - 1;
            files::hold(state, drafts, last);
            moment::follow(state);
            state.ui.pane = Pane::Edit;
        }
        Fact::RolledOut => {
            state.draft.applied = state.draft.revision;
            state.drafts = Ptr::new(state.all_drafts());
        }
        Fact::Better(preset) => state.better = preset.as_deref().map(attr),
        Fact::Rebuilt(running) => {
            compare(state, &running);
            moment::follow(state);
            state.better = None;
            state.play.playing &= state.play.meant;
            let gone = state
                .ui
                .selected
                .as_ref()
                .is_none_or(|path| selectors::tree::status_of(&state.world.view, path).is_none());
            if gone {
                state.ui.selected = selectors::tree::first_plan(&state.world.view);
            }
        }
        Fact::Story(story) => state.story = story,
        Fact::Preset(name) => state.preset = name.as_deref().map(attr),
        Fact::Checked(checked) => {
            state.draft.errors = checked.errors();
            if !checked.name.is_empty() {
                state.draft.label = checked.name.clone();
            }
            let unset = !checked.missing.is_empty() && state.checked.missing != checked.missing;
            if unset && state.ui.edit_tab == EditTab::Problems {
                state.ui.edit_tab = EditTab::Env;
            }
            state.checked = checked;
        }
        Fact::Why(why) => state.why = why,
        Fact::Help(help) => state.help = help,
        Fact::Ghost(ghost) => state.world.ghost = ghost,
        Fact::Compared(compared) => state.compare = compared,
        Fact::Looks(kept) => super::view_state::give(state, &kept),
        Fact::Ways(ways) => state.ways = ways,
        Fact::File(at, path, text) => files::bring(state, at, &path, text.as_deref()),
        Fact::Stopped => state.play.playing = false,
        Fact::Told(text, undo) => {
            let place = (undo != Some(ToastUndo::Draft)).then(|| here(&state.world, false));
            toast(&mut state.ui, attr(&text), ToastKind::Info, undo, place);
        }
        Fact::Rested(text) => {
            let place = Some(here(&state.world, true));
            toast(&mut state.ui, attr(&text), ToastKind::Info, None, place);
        }
        Fact::Refused(text) => {
            let place = Some(here(&state.world, false));
            toast(&mut state.ui, attr(&text), ToastKind::Alert, None, place);
        }
        Fact::Completion(completion) => Arc::make_mut(&mut state.console.0).complete(completion),
        // These are for the browser, and for the callers.
        Fact::Address(_) | Fact::Saved(_) | Fact::Reply(_) => {}
        Fact::Answered(answer) => Arc::make_mut(&mut state.console.0).answered(*answer),
        Fact::Link(link) => state.ui.link = Some(*link),
        Fact::Served(told) => {
            if let Some(served) = &mut state.served {
                (served.runs, served.lost) = (told.runs, None);
            }
        }
        Fact::Broken(broken) => state.broken = Some(broken),
        Fact::Differing(differing) => state.differing = Some(differing),
        Fact::Lesson(card) => {
            state.ui.definition = false;
            if card.is_some() && !state.world.touched {
                state.ui.pane = Pane::Edit;
                state.ui.editor_shut = false;
            }
            state.attempt = Ptr::default();
            state.lesson = card;
        }
        Fact::Try(attempt) => {
            if let Some(card) = &state.lesson
                && let Some(done) = Done::of(&attempt)
                && state.progress.is_better(&card.id, &done)
            {
                Arc::make_mut(&mut state.progress.0).record(&card.id, done);
            }
            state.attempt = attempt;
        }
    }
}

fn moved(world: &mut World, snapshot: Snapshot) {
    let Snapshot { view, clock, log, gantt, branches, touched, before, .. } = snapshot;
    world.clock = clock;
    world.touched = touched;
    world.before = before;
    if let Some(view) = view {
        world.view = view;
    }
    if let Some(log) = log {
        world.log = log;
    }
    if let Some(gantt) = gantt {
        world.gantt = gantt;
    }
    if let Some(branches) = branches {
        world.branches = branches;
    }
}

/// A dialog is open, so keys belong to it.
pub(crate) fn is_modal(state: &State) -> bool {
    state.ui.dialog.is_some() || state.ui.menu.is_some() || state.broken.is_some()
}

/// Returns the index of the small screen's tab.
pub(crate) fn small_tab(ui: &Ui) -> usize {
    match (ui.pane, ui.tab) {
        (Pane::Edit, _) => 0,
        (Pane::Plan, _) | (Pane::Inspect, Tab::Compare) => 1,
        (Pane::Inspect, Tab::Why) => 2,
        (Pane::Inspect, Tab::Cluster) => 3,
        (Pane::Inspect, Tab::Pods) => 4,
        (Pane::Inspect, Tab::Log) => 5,
        (Pane::Inspect, Tab::Console) => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::super::action::Border;
    use super::super::draft;
    use super::*;
    use crate::store::state::{Checked, Finding, Severity, Speed};
    use planarium_protocol::input::LoadService;

    fn drafted(text: &str) -> State {
        let mut load = LoadService::default();
        load.files.insert("svc.yml".into(), text.into());
        State { draft: draft::of(&load), ..State::default() }
    }

    #[test]
    fn stepping_and_seeking_by_hand_stop_the_clock() {
        use crate::store::action::Toward;
        for (request, playing) in [
            (Action::StepEvent(Toward::Back), false),
            (Action::StepStatus(Toward::Ahead), false),
            (Action::Reset, false),
            (Action::SeekMs(5), true),
            (Action::Nudge(true), true),
        ] {
            let mut state = State::default();
            state.play.playing = true;
            action(&mut state, &request);
            assert_eq!(state.play.playing, playing, "{request:?}");
        }
    }

    #[test]
    fn speeds_stay_between_a_quarter_and_sixty_four() {
        let mut state = State::default();
        for _ in 0..20 {
            action(&mut state, &Action::Nudge(true));
        }
        assert_eq!((state.play.speed.label(), state.play.speed.factor().to_string()), ("64×", "64".into()));
        for _ in 0..20 {
            action(&mut state, &Action::Nudge(false));
        }
        assert_eq!(state.play.speed, Speed::at(0));
        assert_eq!(state.play.speed.factor().to_string(), "0.25");
    }

    #[test]
    fn frames_gather_fractions() {
        let mut state = State::default();
        state.play.speed = Speed::at(0);
        action(&mut state, &Action::Frame(10.0));
        assert_eq!(state.play.rest_ms.to_string(), "2.5");
        action(&mut state, &Action::Frame(10.0));
        assert_eq!(state.play.rest_ms.to_string(), "3", "the half is kept, the whole part was played");
    }

    #[test]
    fn a_fix_changes_only_the_text_it_was_made_for() {
        let mut state = drafted("é: serail\n");
        let fix =
            Fix { title: "serial".into(), file: "svc.yml".into(), from: 3, to: 9, text: "serial".into() };
        let finding = Finding {
            file: "svc.yml".into(),
            line: 1,
            column: 4,
            from: 3,
            to: 9,
            severity: Severity::Error,
            code: "SDK001".into(),
            message: "unknown strategy".into(),
            help: None,
            fix: Some(fix.clone()),
        };
        let other = Fix { from: 2, ..fix.clone() };
        state.checked = Ptr::new(Checked { findings: vec![finding], ..Checked::default() });
        action(&mut state, &Action::Mend(Box::new(other)));
        assert_eq!(state.draft.text(), "é: serail\n", "no such finding");
        let mut typed_on = state.clone();
        action(&mut typed_on, &Action::Edit("svc.yml".into(), "# é\né: serail\n".into()));
        action(&mut typed_on, &Action::Mend(Box::new(fix.clone())));
        assert_eq!(typed_on.draft.text(), "# é\né: serail\n", "its place is one of the text before");
        action(&mut state, &Action::Mend(Box::new(fix)));
        assert_eq!(state.draft.text(), "é: serial\n");
        assert!(state.draft.dirty());
    }

    #[test]
    fn stored_edits_go_to_their_services() {
        let named = |label: &'static str, text: &str| {
            let mut load = LoadService::default();
            load.files.insert("svc.yml".into(), text.into());
            Draft { label: label.into(), ..draft::of(&load) }
        };
        let mut state = State::default();
        fact(&mut state, Fact::Drafts(vec![named("a", "1"), named("b", "2")]));
        let kept = vec![named("a", "1"), named("b", "3"), named("c", "4")];
        fact(&mut state, Fact::Drafted(kept));
        let all: Vec<_> =
            state.all_drafts().iter().map(|draft| (draft.text().to_owned(), draft.dirty())).collect();
        assert_eq!(all, [("1".into(), false), ("3".into(), true), ("4".into(), true)]);
        // An edit stored without a name belongs to the shown definition.
        fact(&mut state, Fact::Drafted(vec![named("", "5")]));
        assert_eq!((state.draft.text(), &*state.draft.label, state.draft.dirty()), ("5", "a", true));
    }

    #[test]
    fn messages_are_limited_and_shown_once() {
        let mut state = State::default();
        for text in ["a", "b", "b", "c", "d"] {
            fact(&mut state, Fact::Told(text.into(), None));
        }
        let texts: Vec<_> = state.ui.toasts.iter().map(|toast| toast.text.to_string()).collect();
        assert_eq!(texts, ["b", "c", "d"]);
        let id = state.ui.toasts[1].id;
        action(&mut state, &Action::CloseToast(id));
        assert_eq!(state.ui.toasts.len(), 2);
    }

    #[test]
    fn removing_the_shown_file_shows_another() {
        let mut state = drafted("name: x");
        action(&mut state, &Action::AddFile("extra.yml".into()));
        assert_eq!(state.draft.file, "extra.yml");
        action(&mut state, &Action::RenameFile("extra.yml".into(), "svc.yml".into()));
        action(&mut state, &Action::RenameFile("nobody.yml".into(), "other.yml".into()));
        assert!(state.draft.files.contains_key("extra.yml"), "no path is taken from another file");
        action(&mut state, &Action::RenameFile("extra.yml".into(), "more/extra.yml".into()));
        assert!(
            state.draft.files.contains_key("more/extra.yml") && !state.draft.files.contains_key("extra.yml")
        );
        action(&mut state, &Action::RenameFile("more/extra.yml".into(), "extra.yml".into()));
        action(&mut state, &Action::DropFile("extra.yml".into()));
        assert_eq!((state.draft.file.as_str(), state.draft.files.len()), ("svc.yml", 1));
        action(&mut state, &Action::PickFile("extra.yml".into()));
        assert_eq!(state.draft.file, "svc.yml", "what is gone cannot be shown");
    }

    #[test]
    fn another_pane_is_shown_only_in_a_frame_with_parts() {
        let mut state = State::default();
        action(&mut state, &Action::ZoomPart((1000, 5000)));
        assert_eq!(state.ui.zoom, None, "the window has been closed meanwhile");
        state.ui.zoom = Some((0, 9000));
        action(&mut state, &Action::ZoomPart((1000, 5000)));
        assert_eq!(state.ui.zoom, Some((1000, 5000)));
    }

    #[test]
    fn zooming_keeps_the_instant_in_place_and_ends_at_the_whole() {
        let mut state = State::default();
        state.world.clock.head_ms = 60_000;
        action(&mut state, &Action::ZoomAt(true, 40_000));
        let half = selectors::time::horizon(60_000) / 2;
        assert_eq!(state.ui.zoom, Some((20_000, 20_000 + half)), "what was to the left is half as long");
        action(&mut state, &Action::Pan(true));
        let by = half / 8;
        assert_eq!(state.ui.zoom, Some((20_000 + by, 20_000 + by + half)));
        action(&mut state, &Action::ZoomTo(5_000));
        assert_eq!(state.ui.zoom, Some((0, half)));
        action(&mut state, &Action::ZoomAt(false, 5_000));
        assert_eq!(state.ui.zoom, None);
        for _ in 0..40 {
            action(&mut state, &Action::ZoomAt(true, 60_000));
        }
        let (from, to) = state.ui.zoom.expect("a part");
        assert!(to - from == 1000 && (from..=to).contains(&60_000), "a second is the least: {from} to {to}");
    }

    #[test]
    fn borders_stay_on_the_page() {
        let mut state = State::default();
        for (border, size, want) in [
            (Border::Editor, 9, (150, 270, 176)),
            (Border::Inspector, 999, (150, 500, 176)),
            (Border::Dock, 10_000, (150, 500, 420)),
        ] {
            action(&mut state, &Action::Resize(border, size));
            let sizes = state.prefs.sizes;
            assert_eq!((sizes.editor, sizes.inspector, sizes.dock), want);
        }
        action(&mut state, &Action::ResetSize(Border::Dock));
        assert_eq!(state.prefs.sizes.dock, 176);
    }
}
