//! The console: the service's own command line, with its answers as text.

mod answer;
mod line;

use crate::browser;
use crate::store::console::{Console, ConsoleAct, speakers};
use crate::store::ptr::Ptr;
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, IconButton, attr};
use answer::AnswerCard;
use line::Line;
use planarium_protocol::View;
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
                    { welcome(&hub) }
                }
                { for console.answers.iter().map(|answer| html! { <AnswerCard key={answer.id} answer={answer.clone()} /> }) }
            </div>
            <Line view={view.clone()} console={console.clone()} />
            <p class="visually-hidden" role="status">{ &console.said }</p>
        </div>
    }
}

/// Scrolls to the last answer: to its end, or to its beginning where it is longer than the pane.
fn show_last(scroller: &NodeRef) {
    let Some(element) = scroller.cast::<HtmlElement>() else { return };
    let Some(last) = element.last_element_child() else { return };
    let down = last.get_bounding_client_rect().top() - element.get_bounding_client_rect().top();
    #[expect(clippy::cast_possible_truncation, reason = "pixels on a screen")]
    element.set_scroll_top(element.scroll_top() + down as i32);
}

/// What can be typed, for those who see it for the first time.
fn welcome(hub: &Hub) -> Html {
    let lines = ["plan status deploy", "pod status", "endpoints", "help"];
    html! {
        <div class="console-welcome">
            <p>{ "The service's own command line: " }<kbd>{ "plan" }</kbd>{ ", " }<kbd>{ "pod" }</kbd>{ ", " }<kbd>{ "update" }</kbd>{ ", " }<kbd>{ "endpoints" }</kbd>{ ", " }<kbd>{ "describe" }</kbd>{ ", " }<kbd>{ "debug" }</kbd>{ ". Lines that begin with " }<kbd>{ "dcos" }</kbd>{ " can be pasted as they are." }</p>
            <div class="button-row">
                { for lines.into_iter().map(|line| {
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

/// Which service is talked to; a choice where there are several.
fn service_choice(hub: &Hub, view: &View, console: &Console) -> Html {
    let current = console.service(view).map(|service| service.name.clone());
    let Some(current) = current else {
        return html! { <span class="muted">{ "There is no service at this moment." }</span> };
    };
    if speakers(view).nth(1).is_none() {
        return html! { <span class="console-service"><span class="muted">{ "Service " }</span>{ &*current }</span> };
    }
    let onchange = hub.on(|event: Event| {
        let name =
            event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
        Action::Console(ConsoleAct::Service(name.into()))
    });
    html! {
        <label class="console-service">
            <span class="muted">{ "Service " }</span>
            <select {onchange}>
                { for speakers(view).map(|service| html! {
                    <option value={attr(&service.name)} selected={service.name == current}>{ &*service.name }</option>
                }) }
            </select>
        </label>
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
