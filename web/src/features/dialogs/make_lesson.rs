//! Makes a lesson from the run shown: its inputs, possible checks, texts, and the files.

use super::value_of;
use crate::browser;
use crate::features::lesson::copy;
use crate::store::lessons::{DraftCheck, LessonAsk, LessonDraft, MadeLesson, Material, Role};
use crate::store::selectors::lesson::{instant, slug};
use crate::store::{Action, Hub, state, use_hub};
use crate::ui::{Button, Dialog, icon};
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use std::rc::Rc;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Texts of the form.
#[derive(Clone, Debug, Default, PartialEq)]
struct Form {
    title: String,
    story: String,
    hints: String,
    done: String,
    allowed: String,
    /// Checks with their choice.
    checks: Vec<(bool, DraftCheck)>,
}

impl Form {
    fn of(material: &Material) -> Self {
        // The first goal that takes a command, and what must not get worse.
        let goal = material.checks.iter().position(|check| check.takes_a_command && check.role == Role::Goal);
        let chosen = |at: usize, check: &DraftCheck| Some(at) == goal || check.id.ends_with("stays-up");
        let checks = material.checks.iter().enumerate().map(|(at, check)| (chosen(at, check), check.clone()));
        Self { allowed: material.words.join(", "), checks: checks.collect(), ..Self::default() }
    }

    fn draft(&self) -> LessonDraft {
        let list = |text: &str, apart: char| {
            text.split(apart).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
        };
        LessonDraft {
            id: slug(&self.title),
            title: self.title.clone(),
            story: self.story.clone(),
            done: self.done.clone(),
            hints: list(&self.hints, '\n'),
            allowed: list(&self.allowed, ','),
            checks: self
                .checks
                .iter()
                .filter(|(chosen, _)| *chosen)
                .map(|(_, check)| check.clone())
                .collect(),
        }
    }
}

/// Answer to a form that was sent.
type Outcome = Option<Result<Rc<MadeLesson>, Rc<Vec<String>>>>;

/// The dialog.
#[component]
pub(super) fn MakeLesson() -> Html {
    let hub = use_hub();
    let material = use_state_eq(|| None::<Rc<Material>>);
    let form = use_state_eq(Form::default);
    let outcome = use_state_eq(|| None::<Result<Rc<MadeLesson>, Rc<Vec<String>>>>);
    {
        let (hub, material, form) = (hub.clone(), material.setter(), form.setter());
        use_effect_with((), move |()| {
            let answer = move |reply| {
                if let Reply::Material(found) = reply {
                    form.set(Form::of(&found));
                    material.set(Some(Rc::new(*found)));
                }
            };
            hub.ask(Ask::Lesson(LessonAsk::Suggest), Callback::from(answer));
        });
    }
    let onclose = hub.act(Action::CloseDialog);
    let Some(material) = &*material else {
        return html! { <Dialog title="Make a lesson from this run" size="wide" {onclose}><p role="status">{ "Looking at the run …" }</p></Dialog> };
    };
    if material.moves.is_empty() {
        return html! {
            <Dialog title="Make a lesson from this run" {onclose}>
                <p>{ "Nothing was done by hand in this run. Play it as a learner should: commands, restarts, failures. Then come back." }</p>
            </Dialog>
        };
    }
    let send = {
        let (hub, form, outcome) = (hub.clone(), form.clone(), outcome.setter());
        Callback::from(move |_: MouseEvent| {
            let outcome = outcome.clone();
            let answer = move |reply| {
                if let Reply::Made(made) = reply {
                    outcome.set(Some(made.map(|made| Rc::new(*made)).map_err(Rc::new)));
                }
            };
            hub.ask(Ask::Lesson(LessonAsk::Make(Box::new(form.draft()))), Callback::from(answer));
        })
    };
    let id = slug(&form.title);
    html! {
        <Dialog title="Make a lesson from this run" size="wide" {onclose}>
            <p>{ format!("Your run up to its end becomes the solution. The lesson ends at {}.", instant(material.limit_ms)) }</p>
            <ol class="lesson-chain">
                { for material.moves.iter().map(|line| html! { <li><span class="time">{ instant(line.at_ms) }</span>{ " " }<code>{ &*line.text }</code></li> }) }
            </ol>
            { text(&form, "Title", if id.is_empty() { None } else { Some(format!("Its files are called {id}.")) }, |form| &form.title, |form, text| form.title = text) }
            { area(&form, "Task, as a learner reads it", 4, |form| &form.story, |form, text| form.story = text) }
            <fieldset class="lesson-choices">
                <legend>{ "Checks that hold for your run" }</legend>
                { for form.checks.iter().enumerate().map(|(at, (chosen, one))| check(&form, at, *chosen, one)) }
            </fieldset>
            { area(&form, "Hints, one to a line, the smallest first", 3, |form| &form.hints, |form, text| form.hints = text) }
            { area(&form, "Said when the lesson is passed", 2, |form| &form.done, |form, text| form.done = text) }
            { text(&form, "Commands that a learner may use, separated by commas", None, |form| &form.allowed, |form, text| form.allowed = text) }
            <div class="button-row"><Button icon="check" look="primary" label="Make the lesson and prove it" onclick={send} /></div>
            <div role="status">{ answered(&hub, &outcome) }</div>
        </Dialog>
    }
}

fn text(
    form: &UseStateHandle<Form>,
    label: &'static str,
    note: Option<String>,
    get: fn(&Form) -> &String,
    set: fn(&mut Form, String),
) -> Html {
    html! {
        <label class="field"><span>{ label }</span>
            <input type="text" value={get(form).clone()} oninput={changed(form, set)} />
            if let Some(note) = note { <small class="muted">{ note }</small> }
        </label>
    }
}

fn area(
    form: &UseStateHandle<Form>,
    label: &'static str,
    rows: u32,
    get: fn(&Form) -> &String,
    set: fn(&mut Form, String),
) -> Html {
    html! {
        <label class="field"><span>{ label }</span>
            <textarea rows={rows.to_string()} value={get(form).clone()} oninput={changed(form, set)} />
        </label>
    }
}

/// Stores a text as it is typed.
fn changed(form: &UseStateHandle<Form>, set: fn(&mut Form, String)) -> Callback<InputEvent> {
    let form = form.clone();
    Callback::from(move |event: InputEvent| {
        let mut next = (*form).clone();
        set(&mut next, value_of(&event));
        form.set(next);
    })
}

fn check(form: &UseStateHandle<Form>, at: usize, chosen: bool, one: &DraftCheck) -> Html {
    let change = |act: fn(&mut (bool, DraftCheck), &Event)| {
        let form = form.clone();
        move |event: &Event| {
            let mut next = (*form).clone();
            if let Some(check) = next.checks.get_mut(at) {
                act(check, event);
            }
            form.set(next);
        }
    };
    let onchange = {
        let act = change(|check, event| {
            check.0 = event.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked());
        });
        Callback::from(move |event: Event| act(&event))
    };
    let oninput = {
        let act = change(|check, event| check.1.text = value_of(event));
        Callback::from(move |event: InputEvent| act(&event))
    };
    let kind = match (one.role, one.takes_a_command) {
        (Role::Goal, true) => "goal",
        (Role::Goal, false) => "goal that comes true by itself",
        (Role::Never, _) => "must stay true",
    };
    html! {
        <div class="lesson-choice" key={one.id.clone()}>
            <label class="check"><input type="checkbox" checked={chosen} {onchange} /><code>{ &one.check }</code></label>
            <span class="muted">{ kind }</span>
            if chosen {
                <label class="field"><span class="visually-hidden">{ format!("Text of {}", one.id) }</span>
                    <input type="text" value={one.text.clone()} {oninput} /></label>
            }
        </div>
    }
}

fn answered(hub: &Hub, outcome: &Outcome) -> Html {
    match outcome {
        None => Html::default(),
        Some(Err(found)) => html! {
            <div class="lesson-note" data-family="error">
                { icon("error") }
                <div>
                    <p>{ "This is not a lesson yet:" }</p>
                    <ul class="lesson-chain">{ for found.iter().map(|text| html! { <li>{ text }</li> }) }</ul>
                </div>
            </div>
        },
        Some(Ok(made)) => {
            let link = format!("#{}", made.link);
            let play = {
                let (hub, link) = (hub.clone(), link.clone());
                Callback::from(move |_: MouseEvent| {
                    hub.finish(&state::Dialog::MakeLesson, Action::OpenText(link.clone()));
                })
            };
            let share = {
                let hub = hub.clone();
                Callback::from(move |_: MouseEvent| copy(&hub, &format!("{}{link}", browser::page_url())))
            };
            html! {
                <section class="lesson-done" data-family="complete" aria-label="The lesson">
                    <p>{ format!("The lesson holds: {} runs were made to prove it.", made.runs) }</p>
                    <div class="button-row">
                        <Button icon="play" look="primary" label="Play it" onclick={play} />
                        <Button icon="link" label="Copy its link" onclick={share} />
                        { for made.files.iter().map(|(name, text)| {
                            let (name, text) = (name.clone(), text.clone());
                            let label = format!("Save {name}");
                            html! { <Button icon="save" {label} onclick={Callback::from(move |_: MouseEvent| browser::save_text(&name, &text))} /> }
                        }) }
                    </div>
                    <p class="muted">{ "Check the files in a repository of yours with " }<code>{ "planarium lesson check" }</code>{ "." }</p>
                </section>
            }
        }
    }
}
