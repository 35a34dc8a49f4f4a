//! Which of several services is edited.

use crate::store::draft::Draft;
use crate::store::ptr::Ptr;
use crate::store::state::Dialog;
use crate::store::{Action, use_hub};
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
        let name =
            if draft.label.is_empty() { format!("Service {}", at + 1) } else { draft.label.to_string() };
        let edited = if draft.dirty() { " •" } else { "" };
        TabItem::new(&format!("{name}{edited}")).icon("pod").count(draft.errors, "error")
    });
    let items: Vec<_> = items.collect();
    let name = items.get(props.at).map(|item| item.label.clone()).unwrap_or_default();
    html! {
        <div class="service-tabs">
            <Tabs label="Services" id="service" controls="file-text" {items} current={props.at}
                onpick={hub.on(Action::PickService)} />
            <IconButton icon="plus" label="Open another service" onclick={
                let hub = hub.clone();
                Callback::from(move |_| {
                    hub.send(Action::OpenDialog(Dialog::Open));
                    hub.send(Action::Beside(true));
                })
            } />
            <IconButton icon="trash" label={format!("Remove the service {name}")} onclick={hub.act(Action::DropService(props.at))} />
        </div>
    }
}
