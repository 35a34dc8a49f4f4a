//! Questions that an action asks the host, and the browser's work for a fact.
//!
//! *Knows*: questions, storage, the address bar. *Must not know*: the engine, how anything is drawn.

use super::action::{Action, Fact};
use super::console::ConsoleAct;
use super::draft::{self, Draft};
use super::frame::Frame;
use super::persist;
use super::reduce::is_modal;
use super::state::{Dialog, State};
use crate::browser;
use crate::systems;
use planarium_messages::questions::{Ask, Begin};
use planarium_protocol::Text;
use planarium_protocol::input::LoadService;
use planarium_protocol::json;

/// The first thing that a page says to a host.
pub(crate) fn begin(hash: &str, example: Option<&str>) -> Begin {
    let (tab, looks, at) = persist::saved_tab(&browser::address());
    Begin {
        at,
        hash: hash.to_owned(),
        example: example.map(str::to_owned),
        lesson: browser::query("lesson"),
        language: browser::query("lang"),
        tab,
        looks: looks.unwrap_or_default(),
        edits: persist::saved_draft().is_some(),
        recover: browser::query("recovered").and_then(|_| persist::saved_parts()),
        names: systems::file_names(),
        ..Begin::default()
    }
}

/// The same in a frame, which keeps nothing.
pub(crate) fn begin_in_frame(hash: &str, example: Option<&str>, frame: &Frame) -> Begin {
    Begin {
        wishes: frame.wishes.clone(),
        hash: hash.to_owned(),
        example: example.map(str::to_owned),
        lesson: browser::query("lesson"),
        language: browser::query("lang"),
        names: systems::file_names(),
        ..Begin::default()
    }
}

/// The same for a served world, which is what it is.
pub(crate) fn begin_on_served() -> Begin {
    Begin { names: systems::file_names(), ..Begin::default() }
}

/// The question that an action asks; the reducer has already seen the action.
pub(crate) fn ask(old: &State, state: &State, action: &Action) -> Option<Ask> {
    let text = |text: &yew::AttrValue| Text::from(text.as_str());
    Some(match action {
        Action::Frame(_) => Ask::Frame(whole_ms(state)?),
        Action::Ahead(_) => Ask::Ahead(whole_ms(state)?),
        Action::TogglePlay if state.play.playing => Ask::Play,
        Action::OpenDialog(Dialog::Share) => Ask::Link(browser::page_url()),
        // Played but unseen changes are shown now.
        Action::TogglePlay | Action::Pause | Action::OpenMenu(..) | Action::OpenDialog(_) => Ask::Look,
        Action::StepEvent(toward) => Ask::StepEvent(*toward),
        Action::StepStatus(toward) => Ask::StepStatus(*toward),
        Action::StepMark(toward) => Ask::StepMark(*toward),
        Action::SeekMs(ms) => Ask::SeekMs(*ms),
        Action::SeekSeq(seq) => Ask::SeekSeq(*seq),
        Action::SeekTenth(tenth) => Ask::SeekTenth(*tenth),
        Action::Compare(against) => Ask::Compare(against.clone()),
        Action::Branch(id) => Ask::Branch(*id),
        Action::Do(input) => Ask::Do(input.clone()),
        Action::Console(ConsoleAct::Run) => {
            Ask::Run { line: old.console.line.clone(), service: old.console.picked() }
        }
        Action::Console(ConsoleAct::Clear) => return None,
        Action::Console(_) => complete(state),
        Action::Check => Ask::Check,
        Action::Apply => Ask::Apply,
        Action::RollOut => Ask::RollOut,
        Action::DropService(at) => Ask::DropService(*at),
        Action::SeekMachines => Ask::SeekMachines,
        Action::TryHelp => Ask::TryHelp,
        Action::Reset => Ask::Reset,
        Action::SetSeed(seed) => Ask::SetSeed(*seed),
        Action::SetPreset(name) => Ask::SetPreset(text(name)),
        Action::Undo => Ask::Undo,
        Action::Redo => Ask::Redo,
        Action::DropFile(path) => match &state.removed {
            Some((at, removed, text)) if removed == path => {
                Ask::Removed { at: *at, path: path.clone(), text: text.to_string() }
            }
            _ => return None,
        },
        Action::OpenExample(id) => Ask::OpenExample(text(id)),
        Action::OpenFiles(files) => Ask::OpenFiles(files.clone(), old.ui.beside || old.served.is_some()),
        Action::OpenText(text) => Ask::OpenText(text.clone(), old.ui.beside || old.served.is_some()),
        Action::OpenHash(hash) => Ask::OpenHash(hash.clone()),
        Action::OpenPlace(example, hash) => Ask::OpenPlace(example.clone(), hash.clone()),
        Action::WriteAddress | Action::Leave if state.broken.is_none() => Ask::WriteAddress,
        Action::SaveAs(format) => Ask::SaveAs(*format),
        Action::Retry => old.stopped.as_ref()?.again.clone()?,
        Action::Lesson(ask) => Ask::Lesson(ask.clone()),
        _ => return None,
    })
}

/// Asks how the line of the console may go on.
pub(crate) fn complete(state: &State) -> Ask {
    Ask::Complete { line: state.console.line.clone(), service: state.console.picked() }
}

/// Virtual milliseconds that a frame plays. While a dialog or a menu is open the clock stops, so that its action applies
/// to the moment at which it was opened.
fn whole_ms(state: &State) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds of one frame")]
    let whole = state.play.rest_ms as u64;
    (state.play.playing && !is_modal(state)).then_some(whole)
}

/// The facts that an action makes on the page alone.
pub(crate) fn facts(action: &Action) -> Vec<Fact> {
    match action {
        Action::RestoreDraft => restored_draft(),
        _ => Vec::new(),
    }
}

/// Edits that were never applied, from the last visit.
fn restored_draft() -> Vec<Fact> {
    let text = persist::saved_draft().unwrap_or_default();
    // Earlier versions kept one definition only, and no name with it.
    let kept = json::read::<Vec<(String, LoadService)>>(text.as_bytes())
        .or_else(|_| json::read(text.as_bytes()).map(|load| vec![(String::new(), load)]));
    match kept {
        Ok(kept) => {
            persist::took_draft(&text);
            let named =
                |(label, load): (String, LoadService)| Draft { label: label.into(), ..draft::of(&load) };
            vec![Fact::Drafted(kept.into_iter().map(named).collect())]
        }
        Err(_) => vec![Fact::Refused("The kept edits cannot be read any more.".into())],
    }
}
