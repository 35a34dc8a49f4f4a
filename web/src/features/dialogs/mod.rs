//! The dialogs.

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

/// The open dialog.
#[component]
pub(crate) fn Dialogs(props: &DialogsProps) -> Html {
    let state = &props.state;
    match &state.ui.dialog {
        None => Html::default(),
        Some(Dialog::Gallery) => html! {
            <gallery::Gallery examples={state.examples.clone()} current={state.story.example.as_deref().map(attr)} />
        },
        Some(Dialog::Open) => {
            html! { <open::OpenDialog beside={state.ui.beside} running={!state.draft.files.is_empty()} served={state.served.is_some()} /> }
        }
        Some(Dialog::Share) => html! {
            <share::ShareDialog link={state.ui.link.clone()} title={attr(&state.story.title)} />
        },
        Some(Dialog::Embed) => html! {
            <embed::EmbedDialog title={state.lesson.as_ref().map_or_else(|| attr(&state.story.title), |card| attr(&card.title))}
                lesson={state.lesson.as_ref().map(|card| attr(&card.id))} plans={tree::plan_names(&state.world.view)}
                now_ms={state.world.clock.now_ms} head_ms={state.world.clock.head_ms} />
        },
        Some(Dialog::Keys) => html! { <keys::KeysDialog prefs={state.prefs.clone()} /> },
        Some(Dialog::Palette) => html! { <palette::Palette state={Rc::clone(state)} /> },
        Some(Dialog::Changes) => html! { <changes::ChangesDialog /> },
        Some(Dialog::Recipes) => html! { <recipes::Recipes /> },
        Some(Dialog::AddMachine) => html! { <add_machine::AddMachine /> },
        Some(Dialog::Fault) => html! {
            <fault::FaultDialog view={state.world.view.clone()} selected={state.ui.selected.clone()} task={state.ui.task.clone()}
                definition={attr(&state.draft.label)} />
        },
        Some(Dialog::Maintenance(machine)) => html! {
            <maintenance::MaintenanceDialog view={state.world.view.clone()} machine={machine.clone()}
                now_ms={state.world.clock.now_ms} toasts={state.ui.toasts.clone()} next_toast={state.ui.next_toast} />
        },
        Some(Dialog::Parameters(path, title)) => html! {
            <parameters::Parameters path={path.clone()} title={title.clone()} />
        },
        Some(Dialog::Lessons) => html! {
            <lessons::Lessons lessons={state.lessons.clone()} progress={state.progress.clone()} keeps={state.keeps}
                current={state.lesson.as_ref().map(|card| attr(&card.id))} />
        },
        Some(Dialog::MakeLesson) => html! { <make_lesson::MakeLesson /> },
        Some(Dialog::Results(links)) => html! { <results::Results links={links.clone()} /> },
        Some(Dialog::Source(address)) => html! { <source::SourceCard address={address.clone()} /> },
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
