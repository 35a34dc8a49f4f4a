//! A link that cannot be read: reports it, and keeps the text.

use crate::browser;
use crate::store::state::Dialog;
use crate::store::{Action, use_hub};
use crate::ui::Button;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct BrokenScreenProps {
    /// The raw text.
    pub(crate) raw: AttrValue,
    /// Why.
    pub(crate) reason: AttrValue,
}

/// The screen in place of the panes.
#[component]
pub(crate) fn BrokenScreen(props: &BrokenScreenProps) -> Html {
    let hub = use_hub();
    let copy = {
        let (hub, raw) = (hub.clone(), props.raw.clone());
        Callback::from(move |_| {
            let hub = hub.clone();
            browser::copy(&raw, move |done| {
                hub.send(Action::Say(if done { "Copied." } else { "The browser refused to copy." }.into()));
            });
        })
    };
    let leave = |dialog: Option<Dialog>| {
        let hub = hub.clone();
        Callback::from(move |_: MouseEvent| {
            hub.send(Action::LeaveBroken);
            match &dialog {
                Some(dialog) => hub.send(Action::OpenDialog(dialog.clone())),
                None => {
                    if hub.state().world.view.services.is_empty()
                        && let Some(first) = hub.state().examples.first()
                    {
                        hub.send(Action::OpenExample(first.id.clone()));
                    }
                }
            }
        })
    };
    html! {
        <main class="broken">
            <h1>{ "This link cannot be opened" }</h1>
            <p>{ &props.reason }{ "." }</p>
            <p>{ "Links are often cut off by chat programs and mail. Here is all that arrived; nothing of it is lost:" }</p>
            <textarea class="broken-text" readonly=true rows="6" aria-label="Text of the link" value={props.raw.clone()} />
            <div class="button-row">
                <Button label="Open an example" look="primary" onclick={leave(None)} />
                <Button label="Open or paste something else" onclick={leave(Some(Dialog::Open))} />
                <Button label="Copy the text" icon="copy" onclick={copy} />
            </div>
        </main>
    }
}
