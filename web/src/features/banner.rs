//! One line above the plan with the most urgent message: broken text, a run that differs, better machines, the story,
//! the first hint. Its height never changes, so that the tree keeps its place; further messages are a click away.

use crate::store::lessons::{Card, LessonAsk, Try, Verdict};
use crate::store::ptr::Ptr;
use crate::store::selectors::faults::Dare;
use crate::store::selectors::lesson::headline;
use crate::store::selectors::time::{brief, clock as clock_text};
use crate::store::state::{Checked, Clock, Differing, EditTab, PresetCard, Story};
use crate::store::{Action, Hub, use_hub};
use crate::systems;
use crate::ui::{Button, IconButton, attr, icon};
use planarium_protocol::Input;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct BannersProps {
    /// Result of reading the draft.
    pub(crate) checked: Ptr<Checked>,
    /// The draft is not what runs.
    pub(crate) dirty: bool,
    /// There is no earlier version.
    pub(crate) empty: bool,
    /// The draft can be given to the running service.
    pub(crate) live: bool,
    /// Machines on which more gets done.
    pub(crate) better: Option<PresetCard>,
    /// The story.
    pub(crate) story: Ptr<Story>,
    /// The moment of the last words.
    pub(crate) clock: Clock,
    /// Show the first hint.
    pub(crate) hint: bool,
    /// The failure that a first visitor may dare.
    pub(crate) dare: Option<Dare>,
    /// The world is served to others, too.
    pub(crate) served: bool,
    /// The run may be another one than was recorded.
    pub(crate) differing: Option<Differing>,
    /// The open lesson, and its try.
    pub(crate) lesson: Option<(Ptr<Card>, Ptr<Try>)>,
}

/// A message of the line.
struct Message {
    /// Key of the subject: a new subject resets the banner.
    key: String,
    family: Option<&'static str>,
    icon: &'static str,
    text: Html,
    buttons: Html,
}

/// The line.
#[component]
pub(crate) fn Banners(props: &BannersProps) -> Html {
    let hub = use_hub();
    let turned = use_state_eq(|| 0_usize);
    let open = use_state_eq(|| false);
    let messages = messages(&hub, props);
    let keys: Vec<String> = messages.iter().map(|message| message.key.clone()).collect();
    {
        // A new message is shown.
        let (turned, open) = (turned.clone(), open.clone());
        use_effect_with(keys, move |_| {
            turned.set(0);
            open.set(false);
        });
    }
    let count = messages.len();
    let at = *turned % count.max(1);
    let Some(message) = messages.into_iter().nth(at) else {
        return html! { <div class="status-line" data-empty="true" role="status"></div> };
    };
    let flip = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <div class="status-line" data-family={message.family} data-open={open.to_string()} role="status">
            { icon(message.icon) }
            <p class="status-text" key={message.key.clone()} onclick={flip}>{ message.text }</p>
            { message.buttons }
            if count > 1 {
                <button type="button" class="link status-next" aria-label={format!("{}/{count}, next message", at + 1)}
                    title="Next message" onclick={Callback::from(move |_| turned.set(at + 1))}>{ format!("{}/{count}", at + 1) }</button>
            }
        </div>
    }
}

/// Returns the messages, the most urgent first.
fn messages(hub: &Hub, props: &BannersProps) -> Vec<Message> {
    let mut out = Vec::new();
    let errors = props.checked.errors();
    if errors > 0 {
        let first = if props.empty { "This cannot run yet." } else { "Showing the last valid version." };
        out.push(Message {
            key: format!("errors {errors}"),
            family: Some("error"),
            icon: "error",
            text: html! { <><strong>{ first }</strong>{ format!(" The text has {errors} {}.", if errors == 1 { "error" } else { "errors" }) }</> },
            buttons: html! { <Button label="Show" look="quiet" onclick={hub.act(Action::ShowEditTab(EditTab::Problems))} /> },
        });
    } else if props.dirty {
        out.push(Message {
            key: "edited".to_owned(),
            family: Some("active"),
            icon: "edit",
            text: html! { "The definition was edited; this run is of the version before." },
            buttons: html! {
                <>
                    if props.live {
                        <Button label="Update the service" title="Give it to the running service, at the moment shown"
                            onclick={hub.on({ let hub = hub.clone(); move |_| systems::roll_out(&hub.state().checked.dialect) })} />
                    }
                    if props.lesson.is_none() && !props.served {
                        <Button label="Start over with this" look="primary" title="A new world with the edited definition (Ctrl-Enter)"
                            onclick={hub.act(Action::Apply)} />
                    }
                </>
            },
        });
    }
    out.extend(props.lesson.as_ref().and_then(|(card, attempt)| verdict(hub, card, attempt)));
    if let Some(differing) = &props.differing {
        out.push(Message {
            key: "differing".to_owned(),
            family: Some("waiting"),
            icon: "error",
            text: html! { <><strong>{ capital(&differing.text) }{ "." }</strong>{ " This version has replayed the recorded inputs and shows the result." }</> },
            buttons: html! {
                <>
                    <Button label="Copy the recorded inputs" look="quiet" onclick={copy(hub, &attr(&differing.recorded))} />
                    <Button label="Save them" look="quiet" title="The journal as it was recorded, as a file" onclick={save(&attr(&differing.recorded))} />
                    <IconButton icon="close" label="Dismiss this message" onclick={hub.act(Action::LeaveDiffering)} />
                </>
            },
        });
    }
    if let Some(preset) = &props.better {
        out.push(Message {
            key: format!("better {}", preset.name),
            family: Some("waiting"),
            icon: "machine",
            text: html! { <><strong>{ "These machines are not enough." }</strong>{ format!(" The rollout gets further with: {}.", preset.text) }</> },
            buttons: html! {
                <Button label="Use them" look="primary" title="A new world on these machines" onclick={hub.act(Action::SetPreset(preset.name.clone()))} />
            },
        });
    }
    if let Some(Dare::Lost(machine, by, at_ms)) = &props.dare {
        out.push(Message {
            key: format!("lost {machine}"),
            family: Some("waiting"),
            icon: "lost",
            text: html! {
                <><strong>{ format!("{} notices at {}.", capital(by), brief(*at_ms)) }</strong>
                { format!(" {machine} is lost with everything on it; until then the plan goes on as if it were there.") }</>
            },
            buttons: html! {
                <Button class="dare" label="Go there" title="To the moment at which it is noticed" onclick={hub.act(Action::SeekMs(*at_ms))} />
            },
        });
    }
    if props.hint && errors == 0 && !props.served {
        out.push(Message {
            key: "hint".to_owned(),
            family: None,
            icon: "play",
            text: html! {
                <>
                    <span class="by-key">{ "Press " }<kbd>{ "Space" }</kbd></span><span class="by-touch">{ "Tap Play" }</span>
                    if props.dare.is_some() {
                        { " to roll it out; after two seconds something runs. Then dare to lose a machine." }
                    } else {
                        { " to roll this definition out. Then lose a machine, go back in time, or ask any step why it waits." }
                    }
                </>
            },
            buttons: html! {
                <>
                    { dare_button(hub, props.dare.as_ref()) }
                    <IconButton icon="close" label="Dismiss the hint" onclick={hub.act(Action::DismissHint)} />
                </>
            },
        });
    }
    if let Some((number, said)) = props.story.at(&props.clock) {
        out.push(Message {
            key: format!("said {number}"),
            family: None,
            icon: "book",
            text: html! { &said.text },
            buttons: html! {
                <>
                    <span class="time">{ clock_text(said.at_ms) }</span>
                    { dare_button(hub, props.dare.as_ref()) }
                </>
            },
        });
    }
    out
}

/// Least speed after a dare: its first consequence, a minute and a half later at most, is seen within a quarter of a minute.
const DARE_SPEED: u8 = 5;

/// The button that loses a machine; refused while nothing runs.
fn dare_button(hub: &Hub, dare: Option<&Dare>) -> Html {
    let label = "Lose a machine now";
    match dare {
        None | Some(Dare::Lost(..)) => Html::default(),
        Some(Dare::Later) => html! {
            <Button class="dare" icon="lightning" {label} refused="nothing runs yet; press Play, and something will after two seconds" onclick={Callback::noop()} />
        },
        Some(Dare::Now(machine, fault)) => {
            let title = format!("{machine} goes with everything on it; Undo brings it back");
            let (hub, fault) = (hub.clone(), fault.clone());
            let onclick = Callback::from(move |_| {
                hub.send(Action::Do(Box::new(Input::Fault((*fault).clone()))));
                if hub.state().play.speed.index() < DARE_SPEED {
                    hub.send(Action::SetSpeed(DARE_SPEED));
                }
                if !hub.state().play.playing {
                    hub.send(Action::TogglePlay);
                }
            });
            html! { <Button class="dare" icon="lightning" {label} {title} {onclick} /> }
        }
    }
}

/// The verdict over the try of a lesson, once there is one.
fn verdict(hub: &Hub, card: &Card, attempt: &Try) -> Option<Message> {
    let text = headline(card, attempt);
    let show = html! { <Button label="Show the lesson" look="quiet" onclick={hub.act(Action::ShowDefinition(false))} class="lesson-show" /> };
    let (key, family, name, buttons) = match attempt.verdict {
        Verdict::Open => return None,
        Verdict::Passed { .. } => ("passed", "complete", "flag", show),
        Verdict::Lost { .. } => {
            let back = html! { <Button icon="branch" label="Go back" look="primary" onclick={hub.act(Action::Lesson(LessonAsk::GoBack))} /> };
            ("lost", "error", "error", html! { <>{ show }{ back }</> })
        }
    };
    Some(Message {
        key: format!("{key} {text}"),
        family: Some(family),
        icon: name,
        text: html! { <strong>{ text }</strong> },
        buttons,
    })
}

/// A sentence with its first letter large.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn copy(hub: &Hub, text: &AttrValue) -> Callback<MouseEvent> {
    let (hub, text) = (hub.clone(), text.clone());
    Callback::from(move |_| {
        let hub = hub.clone();
        crate::browser::copy(&text, move |done| {
            hub.send(Action::Say(if done { "Copied." } else { "The browser refused to copy." }.into()));
        });
    })
}

fn save(text: &AttrValue) -> Callback<MouseEvent> {
    let text = text.clone();
    Callback::from(move |_| crate::browser::save_text("recorded.json", &text))
}
