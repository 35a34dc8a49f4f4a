//! The head of a page in a frame: the title, and the way to the whole page.

use crate::browser;
use crate::store::use_hub;
use planarium_messages::facts::Reply;
use planarium_messages::questions::{Ask, Call};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct FrameHeadProps {
    /// Title of the content.
    pub(crate) title: AttrValue,
    /// There is a way to the whole page.
    pub(crate) link: bool,
}

/// The head.
#[component]
pub(crate) fn FrameHead(props: &FrameHeadProps) -> Html {
    let hub = use_hub();
    let onclick = Callback::from(move |_: MouseEvent| {
        let answer = Callback::from(|reply| {
            if let Reply::Called(Ok(value)) = reply
                && let Some(url) = value.get("url").and_then(serde_json::Value::as_str)
            {
                browser::open_apart(url);
            }
        });
        hub.ask(Ask::Call(Call::Share(browser::whole_page_url())), answer);
    });
    html! {
        <header class="frame-head">
            <h1>{ if props.title.is_empty() { "Planarium" } else { &*props.title } }</h1>
            <span class="grow"></span>
            if props.link {
                <button type="button" class="frame-way-out" {onclick} title="Everything that was done here comes along">
                    { "Open in Planarium" }
                </button>
            }
        </header>
    }
}
