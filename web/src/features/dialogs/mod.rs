//! The dialogs. Their code comes later, see [`crate::pieces`].

mod add_machine;
mod changes;
mod embed;
mod fault;
mod gallery;
mod keys;
mod lessons;
mod maintenance;
mod make_lesson;
mod open;
mod palette;
mod parameters;
mod recipes;
mod results;
mod share;
mod source;

pub(crate) use open::open_files;

use super::waiting::Waiting;
use crate::pieces::{self, Piece};
use crate::store::selectors::tree;
use crate::store::state::{Dialog, State};
use crate::ui::attr;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties)]
pub(crate) struct DialogsProps {
    /// The state.
    pub(crate) state: Rc<State>,
}

impl PartialEq for DialogsProps {
    fn eq(&self, other: &Self) -> bool {
        // With no dialog open on either side nothing here depends on the state.
        let shut = self.state.ui.dialog.is_none() && other.state.ui.dialog.is_none();
        shut || Rc::ptr_eq(&self.state, &other.state)
    }
}

/// Draws dialogs.
pub(crate) struct Code {
    /// Draws one.
    draw: fn(&Rc<State>, &Dialog) -> Html,
}

/// The code of all dialogs.
pub(crate) static CODE: Code = Code { draw };

/// The open dialog.
#[component]
pub(crate) fn Dialogs(props: &DialogsProps) -> Html {
    let state = &props.state;
    let Some(dialog) = &state.ui.dialog else { return Html::default() };
    pieces::dialogs().map_or_else(
        || html! { <Waiting piece={Piece::Dialogs} dialog=true /> },
        |code| (code.draw)(state, dialog),
    )
}

fn draw(state: &Rc<State>, dialog: &Dialog) -> Html {
    match dialog {
        Dialog::Gallery => html! {
            <gallery::Gallery examples={state.examples.clone()} current={state.story.example.as_deref().map(attr)} />
        },
        Dialog::Open => {
            html! { <open::OpenDialog beside={state.ui.beside} running={!state.draft.files.is_empty()} served={state.served.is_some()} /> }
        }
        Dialog::Share => html! {
            <share::ShareDialog link={state.ui.link.clone()} title={attr(&state.story.title)} />
        },
        Dialog::Embed => html! {
            <embed::EmbedDialog title={state.lesson.as_ref().map_or_else(|| attr(&state.story.title), |card| attr(&card.title))}
                lesson={state.lesson.as_ref().map(|card| attr(&card.id))} plans={tree::plan_names(&state.world.view)}
                now_ms={state.world.clock.now_ms} head_ms={state.world.clock.head_ms} />
        },
        Dialog::Keys => html! { <keys::KeysDialog prefs={state.prefs.clone()} /> },
        Dialog::Palette => html! { <palette::Palette state={Rc::clone(state)} /> },
        Dialog::Changes => html! { <changes::ChangesDialog /> },
        Dialog::Recipes => html! { <recipes::Recipes /> },
        Dialog::AddMachine => html! { <add_machine::AddMachine /> },
        Dialog::Fault => html! {
            <fault::FaultDialog view={state.world.view.clone()} selected={state.ui.selected.clone()} task={state.ui.task.clone()}
                definition={attr(&state.draft.label)} />
        },
        Dialog::Maintenance(machine) => html! {
            <maintenance::MaintenanceDialog view={state.world.view.clone()} machine={machine.clone()}
                now_ms={state.world.clock.now_ms} toasts={state.ui.toasts.clone()} next_toast={state.ui.next_toast} />
        },
        Dialog::Parameters(path, title) => html! {
            <parameters::Parameters path={path.clone()} title={title.clone()} />
        },
        Dialog::Lessons => html! {
            <lessons::Lessons lessons={state.lessons.clone()} progress={state.progress.clone()} keeps={state.keeps}
                current={state.lesson.as_ref().map(|card| attr(&card.id))} />
        },
        Dialog::MakeLesson => html! { <make_lesson::MakeLesson /> },
        Dialog::Results(links) => html! { <results::Results links={links.clone()} /> },
        Dialog::Source(address) => html! { <source::SourceCard address={address.clone()} /> },
    }
}

/// The value of the field that an event came from.
pub(crate) fn value_of(event: &Event) -> String {
    use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
    event
        .target_dyn_into::<HtmlInputElement>()
        .map(|field| field.value())
        .or_else(|| event.target_dyn_into::<HtmlSelectElement>().map(|field| field.value()))
        .or_else(|| event.target_dyn_into::<HtmlTextAreaElement>().map(|field| field.value()))
        .unwrap_or_default()
}
