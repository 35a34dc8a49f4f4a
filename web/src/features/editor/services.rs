//! Tabs of several services in the editor.

use crate::store::draft::{Draft, labelled};
use crate::store::ptr::Ptr;
use crate::store::state::Dialog;
use crate::store::{Action, Hub, use_hub};
use crate::ui::IconButton;
use crate::ui::tabs::{TabItem, Tabs};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct ServiceTabsProps {
    /// The definitions of all services; that of the one edited may be out of date.
    pub(super) drafts: Ptr<Vec<Draft>>,
    /// The one edited.
    pub(super) draft: Draft,
    /// Its place.
    pub(super) at: usize,
}

/// The services as tabs; nothing while there is only one.
#[component]
pub(super) fn ServiceTabs(props: &ServiceTabsProps) -> Html {
    let hub = use_hub();
    if props.drafts.len() < 2 {
        return Html::default();
    }
    let items = props.drafts.iter().enumerate().map(|(at, draft)| {
        let draft = if at == props.at { &props.draft } else { draft };
        let name = if draft.label.is_empty() {
            format!("Service {}", at + 1)
        } else {
            labelled(&props.drafts, draft)
        };
        let edited = if draft.dirty() { " •" } else { "" };
        TabItem::new(&format!("{name}{edited}")).icon("pod").count(draft.errors, "error")
    });
    let items: Vec<_> = items.collect();
    let seen: Vec<_> =
        props.drafts.iter().map(|draft| (draft.dialect.clone(), crate::ui::attr(&draft.label))).collect();
    let onpick = by_now(&hub, &seen, Action::PickService);
    let ondrop = by_now(&hub, &seen, Action::DropService).reform({
        let at = props.at;
        move |_: MouseEvent| at
    });
    let name = items.get(props.at).map(|item| item.label.clone()).unwrap_or_default();
    html! {
        <div class="service-tabs">
            <Tabs label="Services" id="service" controls="file-text" {items} current={props.at} {onpick} />
            <IconButton icon="plus" label="Open another service" onclick={
                let hub = hub.clone();
                Callback::from(move |_| {
                    hub.send(Action::OpenDialog(Dialog::Open));
                    hub.send(Action::Beside(true));
                })
            } />
            <IconButton icon="trash" label={format!("Remove the service {name}")} onclick={ondrop} />
        </div>
    }
}

/// Does something to the service that was seen at a place: the list may be another one by now.
fn by_now(hub: &Hub, seen: &[(String, AttrValue)], what: fn(usize) -> Action) -> Callback<usize> {
    let (hub, seen) = (hub.clone(), seen.to_vec());
    Callback::from(move |at| {
        if let Some(at) = hub.state().place_by_now(&seen, at) {
            hub.send(what(at));
        }
    })
}
