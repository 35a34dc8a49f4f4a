//! The course with its progress, which can be taken along, and the way to lessons of one's own.

use super::value_of;
use crate::browser;
use crate::features::lesson::copy;
use crate::store::lessons::LessonAsk;
use crate::store::progress::Progress;
use crate::store::ptr::Ptr;
use crate::store::selectors::lesson::{next, parts, passed, stars};
use crate::store::selectors::status::system;
use crate::store::state::LessonCard;
use crate::store::{Action, Hub, state, use_hub};
use crate::ui::{Button, Dialog, icon};
use planarium_protocol::Text;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct LessonsProps {
    /// The course.
    pub(super) lessons: Ptr<Vec<LessonCard>>,
    /// Lessons that were passed.
    pub(super) progress: Ptr<Progress>,
    /// The open lesson.
    pub(super) current: Option<AttrValue>,
    /// The browser keeps progress.
    pub(super) keeps: bool,
}

/// The dialog.
#[component]
pub(super) fn Lessons(props: &LessonsProps) -> Html {
    let hub = use_hub();
    let (lessons, progress) = (&props.lessons, &props.progress);
    let done = passed(lessons, progress);
    html! {
        <Dialog title="Lessons" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <p>{ "Each lesson is a task on a running cluster, with checks that tell what happened and why." }</p>
            <div class="lesson-progress">
                <progress max={lessons.len().to_string()} value={done.to_string()} aria-label="Lessons passed"></progress>
                <span>{ format!("{done} of {} passed", lessons.len()) }</span>
                if let Some(card) = next(lessons, progress) {
                    <Button icon="play" look="primary" label={format!("{}: {}", if done == 0 { "Begin" } else { "Go on" }, card.title)} onclick={open(&hub, card)} />
                }
            </div>
            if !props.keeps {
                <p class="lesson-note" data-family="waiting" role="alert">{ icon("warning") }<span>{ "This browser keeps nothing for this page: progress is gone when it is closed. Copy the link below to take it along." }</span></p>
            }
            { for parts(lessons).into_iter().map(|(name, cards)| html! {
                <section class="gallery-group" key={name}>
                    <h3>{ name }</h3>
                    <ul class="cards">
                        { for cards.into_iter().map(|card| html! { <li key={card.id.to_string()}>{ item(&hub, props, card) }</li> }) }
                    </ul>
                </section>
            }) }
            <section class="gallery-group" aria-labelledby="lessons-progress">
                <h3 id="lessons-progress">{ "Progress" }</h3>
                <TakeAlong progress={progress.clone()} />
            </section>
            <section class="gallery-group" aria-labelledby="lessons-teachers">
                <h3 id="lessons-teachers">{ "For teachers" }</h3>
                <div class="button-row">
                    <Button icon="plus" label="Make a lesson from this run" onclick={hub.act(Action::OpenDialog(state::Dialog::MakeLesson))} />
                    <Button icon="table" label="Results of a class" onclick={hub.act(Action::OpenDialog(state::Dialog::Results(AttrValue::default())))} />
                </div>
            </section>
        </Dialog>
    }
}

fn item(hub: &Hub, props: &LessonsProps, card: &LessonCard) -> Html {
    let done = props.progress.of(&card.id);
    html! {
        <button type="button" class="card" aria-current={(props.current.as_ref() == Some(&card.id)).then_some("true")} onclick={open(hub, card)}>
            <strong>{ &card.title }</strong>
            <span class="card-tags">
                { for card.systems.iter().map(|word| html! { <span class="chip">{ system(word).to_owned() }</span> }) }
                if let Some(done) = done {
                    <span class="chip lesson-passed">{ icon("check") }{ format!("passed, {}", stars(done.stars)) }</span>
                }
            </span>
        </button>
    }
}

fn open(hub: &Hub, card: &LessonCard) -> Callback<MouseEvent> {
    let (hub, id) = (hub.clone(), Text::from(card.id.as_str()));
    Callback::from(move |_| hub.finish(&state::Dialog::Lessons, Action::Lesson(LessonAsk::Open(id.clone()))))
}

#[derive(Properties, PartialEq)]
struct TakeAlongProps {
    /// Lessons that were passed.
    progress: Ptr<Progress>,
}

/// Progress as link and file, and back.
#[component]
fn TakeAlong(props: &TakeAlongProps) -> Html {
    let hub = use_hub();
    let text = use_state_eq(String::new);
    let oninput = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| text.set(value_of(&event)))
    };
    let take = {
        let (hub, text) = (hub.clone(), text.clone());
        Callback::from(move |_: MouseEvent| hub.send(Action::TakeProgress((*text).clone())))
    };
    let save = {
        let line = props.progress.text();
        Callback::from(move |_: MouseEvent| browser::save_text("planarium-progress.txt", &line))
    };
    let link = {
        let (hub, line) = (hub.clone(), props.progress.text());
        Callback::from(move |_: MouseEvent| copy(&hub, &format!("{}#{line}", browser::page_url())))
    };
    let chosen = {
        let hub = hub.clone();
        Callback::from(move |event: Event| {
            let files = event.target_dyn_into::<web_sys::HtmlInputElement>().and_then(|field| field.files());
            let Some(files) = files else { return };
            let hub = hub.clone();
            browser::files(browser::read_chosen(&files), move |read| match read {
                Ok(files) => {
                    for (_, text) in files {
                        hub.send(Action::TakeProgress(text));
                    }
                }
                Err(reason) => hub.send(Action::Say(format!("Not opened: {reason}.").into())),
            });
        })
    };
    html! {
        <>
            <p class="muted">{ "Progress stays in this browser. Take it to another one as a link or a file; what is better is kept." }</p>
            <div class="button-row">
                <Button icon="link" label="Copy a link with my progress" onclick={link} />
                <Button icon="save" label="Save it as a file" onclick={save} />
                <label class="button file-button"><span>{ "Open such a file" }</span>
                    <input type="file" accept=".txt" class="visually-hidden" onchange={chosen} /></label>
            </div>
            <label class="field"><span>{ "Or paste such a link" }</span>
                <input type="text" spellcheck="false" value={(*text).clone()} {oninput} /></label>
            <div class="button-row"><Button label="Take it over" onclick={take} /></div>
        </>
    }
}
