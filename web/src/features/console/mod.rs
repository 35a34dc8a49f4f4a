//! The console: the service's own command line, with its answers as text.

mod answer;
mod line;

use crate::browser;
use crate::store::console::{Console, ConsoleAct, key_of, speakers};
use crate::store::ptr::Ptr;
use crate::store::selectors::status::system;
use crate::store::{Action, Hub, use_hub};
use crate::systems;
use crate::ui::{Button, IconButton};
use answer::AnswerCard;
use line::Line;
use planarium_protocol::View;
use planarium_protocol::view::ServiceView;
use web_sys::{HtmlElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct ConsolePaneProps {
    /// The view.
    pub(crate) view: Ptr<View>,
    /// The console.
    pub(crate) console: Ptr<Console>,
}

/// The pane.
#[component]
pub(crate) fn ConsolePane(props: &ConsolePaneProps) -> Html {
    let hub = use_hub();
    let (view, console) = (&props.view, &props.console);
    let scroller = use_node_ref();
    {
        let scroller = scroller.clone();
        use_effect_with(console.answers.back().map(|answer| answer.id), move |_| {
            show_last(&scroller);
        });
    }
    let nothing = console.answers.is_empty().then(|| AttrValue::from("there is nothing yet"));
    html! {
        <div class="console">
            <div class="console-tools">
                { service_choice(&hub, view, console) }
                <span class="grow"></span>
                <IconButton icon="copy" label="Copy everything" refused={nothing.clone()} onclick={copy(&hub)} />
                <IconButton icon="trash" label="Clear" refused={nothing}
                    onclick={hub.act(Action::Console(ConsoleAct::Clear))} />
            </div>
            <div ref={scroller} class="console-answers" role="log" aria-label="Answers" tabindex="0">
                if console.answers.is_empty() {
                    { welcome(&hub, console.service(view).map_or("", |service| &*service.dialect)) }
                }
                { for console.answers.iter().map(|answer| html! { <AnswerCard key={answer.id} answer={answer.clone()} /> }) }
            </div>
            <Line view={view.clone()} console={console.clone()} />
            <p class="visually-hidden" role="status">{ &console.said }</p>
        </div>
    }
}

/// Scrolls to the last answer: to its end, or to its beginning if it is longer than the pane.
fn show_last(scroller: &NodeRef) {
    let Some(element) = scroller.cast::<HtmlElement>() else { return };
    let Some(last) = element.last_element_child() else { return };
    let down = last.get_bounding_client_rect().top() - element.get_bounding_client_rect().top();
    #[expect(clippy::cast_possible_truncation, reason = "pixels on a screen")]
    element.set_scroll_top(element.scroll_top() + down as i32);
}

/// Shows usual commands to a new reader.
fn welcome(hub: &Hub, dialect: &str) -> Html {
    let Some(desk) = systems::desk(dialect) else { return Html::default() };
    let lines = desk.tries;
    let program = program(dialect);
    html! {
        <div class="console-welcome">
            <p>
                { "The service's own command line: " }
                { for desk.commands.iter().enumerate().map(|(at, word)| html! {
                    <>if at > 0 { { ", " } }<kbd>{ *word }</kbd></>
                }) }
                { "." }
                if let Some(program) = program {
                    { " Lines that begin with " }<kbd>{ program }</kbd>{ " can be pasted as they are." }
                }
            </p>
            <div class="button-row">
                { for lines.iter().copied().map(|line| {
                    let hub = hub.clone();
                    let onclick = Callback::from(move |_: MouseEvent| {
                        hub.send(Action::Console(ConsoleAct::Edit(line.to_owned())));
                        hub.send(Action::Console(ConsoleAct::Run));
                    });
                    html! { <Button key={line} class="mono" label={line} {onclick} /> }
                }) }
            </div>
        </div>
    }
}

/// The first word of lines of the real command line of a system.
fn program(dialect: &str) -> Option<&'static str> {
    let system = crate::store::catalogue::dialects().iter().find(|known| &*known.word == dialect)?;
    system.program.as_deref()
}

/// Which service is talked to; a choice where there are several.
fn service_choice(hub: &Hub, view: &View, console: &Console) -> Html {
    let Some(current) = console.service(view) else {
        return html! { <span class="muted">{ "There is no service at this moment." }</span> };
    };
    if speakers(view).nth(1).is_none() {
        return html! { <span class="console-service"><span class="muted">{ "Service " }</span>{ &*current.name }</span> };
    }
    let onchange = hub.on(|event: Event| {
        let key =
            event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
        Action::Console(ConsoleAct::Service(key.into()))
    });
    html! {
        <label class="console-service">
            <span class="muted">{ "Service " }</span>
            <select {onchange}>
                { for speakers(view).map(|service| html! {
                    <option value={key_of(service)} selected={key_of(service) == key_of(current)}>{ called(view, service) }</option>
                }) }
            </select>
        </label>
    }
}

/// A service among others; with its system where another one has its name.
fn called(view: &View, service: &ServiceView) -> String {
    let namesakes = speakers(view).filter(|other| other.name == service.name).count();
    if namesakes > 1 {
        format!("{} ({})", service.name, system(&service.dialect))
    } else {
        service.name.to_string()
    }
}

fn copy(hub: &Hub) -> Callback<MouseEvent> {
    let hub = hub.clone();
    Callback::from(move |_| {
        let (hub, text) = (hub.clone(), hub.state().console.text());
        browser::copy(&text, move |done| {
            hub.send(Action::Say(
                if done { "Copied." } else { "The browser refused to copy; select the text instead." }.into(),
            ));
        });
    })
}
