//! Maintenance of machines: the schedule with its windows, actions on each machine, answers of frameworks.
//!
//! *Knows*: the parts and which window is being edited. *Must not know*: what the master refuses; its answer is shown.

mod answers;
mod form;
mod machines;
mod windows;

use crate::browser;
use crate::store::ptr::Ptr;
use crate::store::selectors::maintenance::{
    Name, Window, instead, place_by_now, post, schedule, windows as windows_of, with,
};
use crate::store::state::{Toast, ToastKind};
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, Dialog, icon};
use planarium_protocol::View;
use std::cell::Cell;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct MaintenanceDialogProps {
    /// The view.
    pub(super) view: Ptr<View>,
    /// A machine that is chosen for a window from the start.
    pub(super) machine: Option<AttrValue>,
    /// The cursor.
    pub(super) now_ms: u64,
    /// Messages; those that came while the dialog was open are shown in it, as it covers all others.
    pub(super) toasts: Ptr<Vec<Toast>>,
    /// Number of the next message.
    pub(super) next_toast: u32,
}

/// The dialog.
#[component]
pub(super) fn MaintenanceDialog(props: &MaintenanceDialogProps) -> Html {
    let hub = use_hub();
    let first_toast = *use_memo((), |()| props.next_toast);
    // The window in the form: its index and its state when editing began; `None` for a new one. The count resets the
    // form.
    let editing = use_state_eq(|| (None::<(usize, Window)>, 0_u32));
    // Waits for the answer to a post.
    let posting = use_memo((), |()| Cell::new(false));
    // The focused control may have disappeared with the old form.
    use_effect_with(editing.1, |count| {
        if *count > 0 {
            browser::focus("#window-form");
        }
    });
    let view = &props.view;
    let epoch_ms = view.clock.epoch_ms;
    let windows = windows_of(&view.cluster);

    let onedit = {
        let (editing, windows) = (editing.clone(), windows.clone());
        Callback::from(move |at: usize| {
            if let Some(window) = windows.get(at) {
                editing.set((Some((at, window.clone())), editing.1 + 1));
            }
        })
    };
    let oncancel = {
        let (hub, windows, editing) = (hub.clone(), windows.clone(), editing.clone());
        Callback::from(move |at: usize| {
            let Some(seen) = windows.get(at) else { return };
            // A form about another window stays.
            if editing.0.as_ref().is_some_and(|(_, edited)| edited == seen) {
                editing.set((None, editing.1 + 1));
            } else {
                browser::focus("#window-form");
            }
            if let Some(input) = instead(&hub.state().world.view.cluster, at, seen, None) {
                hub.send(Action::Do(Box::new(input)));
            }
        })
    };
    let onpost = {
        let (hub, editing, posting, drawn) = (hub.clone(), editing.clone(), posting.clone(), editing.1);
        Callback::from(move |window: Window| {
            // The second of two clicks comes from a finished form, or one that waits for its answer.
            if editing.1 != drawn || posting.replace(true) {
                return;
            }
            // Time may have passed: replace only the window that was edited.
            let state = hub.state();
            let windows = windows_of(&state.world.view.cluster);
            let at = editing.0.as_ref().and_then(|(at, was)| place_by_now(&windows, *at, was));
            let (editing, posting) = (editing.clone(), posting.clone());
            let told = move |accepted| {
                posting.set(false);
                if accepted {
                    editing.set((None, editing.1 + 1));
                }
            };
            hub.try_input(post(&with(&windows, at, Some(window))), Callback::from(told));
        })
    };
    let onleave = {
        let editing = editing.clone();
        Callback::from(move |()| editing.set((None, editing.1 + 1)))
    };
    let chosen: Vec<Name> = match (&editing.0, &props.machine) {
        (Some((_, window)), _) => window.machines.clone(),
        (None, Some(host)) if editing.1 == 0 => {
            let machines = view.cluster.machines.iter().filter(|machine| *machine.hostname == **host);
            machines.take(1).map(|machine| Name::of(machine)).collect()
        }
        (None, _) => Vec::new(),
    };
    let text = serde_json::to_string_pretty(&schedule(&windows)).unwrap_or_default();
    html! {
        <Dialog title="Maintenance" size="wide" onclose={hub.act(Action::CloseDialog)}>
            { messages(&hub, &props.toasts, first_toast) }
            <div class="maintenance">
                <section class="maintenance-plan" aria-labelledby="maintenance-windows">
                    <h3 id="maintenance-windows">{ "Schedule" }</h3>
                    <windows::WindowList view={view.clone()} windows={windows.clone()} {onedit} {oncancel} />
                    <form::WindowForm
                        key={editing.1}
                        cluster={Ptr::from(&view.cluster)}
                        {epoch_ms}
                        now_ms={props.now_ms}
                        editing={editing.0.clone().map(|(_, window)| window)}
                        {chosen}
                        {onpost}
                        {onleave}
                    />
                </section>
                <section class="maintenance-json" aria-labelledby="maintenance-json">
                    <header>
                        <h3 id="maintenance-json">{ "As JSON" }</h3>
                        <Button label="Copy" icon="copy" look="quiet" onclick={copy(&hub, text.clone())} />
                    </header>
                    <pre class="mono" tabindex="0" aria-label="The schedule as JSON">{ text }</pre>
                    <p class="muted">{ "What GET /maintenance/schedule answers. Every change here posts the whole schedule." }</p>
                </section>
            </div>
            <machines::MachineModes cluster={Ptr::from(&view.cluster)} {epoch_ms} />
            <answers::Answers cluster={Ptr::from(&view.cluster)} />
        </Dialog>
    }
}

/// Returns the results of the last requests.
fn messages(hub: &Hub, toasts: &[Toast], first: u32) -> Html {
    let fresh = toasts.iter().filter(|toast| toast.id >= first);
    html! {
        <div class="maintenance-messages" role="region" aria-label="What came of it">
            { for fresh.map(|toast| {
                let alert = toast.kind == ToastKind::Alert;
                html! {
                    <div class="toast" key={toast.id} data-kind={if alert { "alert" } else { "info" }}
                        role={if alert { "alert" } else { "status" }}>
                        { icon(if alert { "error" } else { "info" }) }
                        <p>{ &toast.text }</p>
                        <Button label="Close the message" look="quiet" onclick={hub.act(Action::CloseToast(toast.id))} />
                    </div>
                }
            }) }
        </div>
    }
}

fn copy(hub: &Hub, text: String) -> Callback<MouseEvent> {
    let hub = hub.clone();
    Callback::from(move |_| {
        let hub = hub.clone();
        browser::copy(&text, move |done| {
            hub.send(Action::Say(
                if done { "Copied." } else { "The browser refused to copy; select the text instead." }.into(),
            ));
        });
    })
}
