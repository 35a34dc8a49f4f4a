//! Messages that pass.

use crate::store::ptr::Ptr;
use crate::store::state::{Toast, ToastKind, ToastUndo};
use crate::store::toast::{action_of, label_of};
use crate::store::{Action, use_hub};
use crate::ui::{Button, IconButton, icon};
use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// How long a message stays. *Units*: milliseconds.
const STAY_MS: u32 = 7000;

#[derive(Properties, PartialEq)]
pub(crate) struct ToastsProps {
    /// The messages.
    pub(crate) toasts: Ptr<Vec<Toast>>,
}

/// The messages, newest last.
#[component]
pub(crate) fn Toasts(props: &ToastsProps) -> Html {
    html! {
        <div class="toasts" role="region" aria-label="Messages">
            { for props.toasts.iter().map(|toast| html! { <ToastCard key={toast.id} toast={toast.clone()} /> }) }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct ToastCardProps {
    toast: Toast,
}

#[component]
fn ToastCard(props: &ToastCardProps) -> Html {
    let hub = use_hub();
    let toast = &props.toast;
    {
        let hub = hub.clone();
        // A message with the only way to restore something waits for the user's decision.
        let passes = toast.kind == ToastKind::Info && toast.undo != Some(ToastUndo::Draft);
        use_effect_with((toast.id, passes), move |(id, passes)| {
            let id = *id;
            let timer = passes.then(|| Timeout::new(STAY_MS, move || hub.send(Action::CloseToast(id))));
            move || drop(timer)
        });
    }
    let undo = toast.undo.as_ref().map(|undo| {
        let action = action_of(*undo);
        let (hub, id) = (hub.clone(), toast.id);
        Callback::from(move |_: MouseEvent| {
            // The second of two clicks would undo the first one.
            if hub.state().ui.toasts.iter().any(|toast| toast.id == id) {
                hub.send(action.clone());
                hub.send(Action::CloseToast(id));
            }
        })
    });
    let alert = toast.kind == ToastKind::Alert;
    html! {
        <div class="toast" data-kind={if alert { "alert" } else { "info" }} role={if alert { "alert" } else { "status" }}>
            { icon(if alert { "error" } else { "info" }) }
            <p>{ &toast.text }</p>
            if let Some(onclick) = undo { <Button label={toast.undo.map_or("", label_of)} {onclick} /> }
            <IconButton icon="close" label="Close the message" onclick={hub.act(Action::CloseToast(toast.id))} />
        </div>
    }
}
