//! The examples, by how hard they are.

use crate::store::ptr::Ptr;
use crate::store::selectors::status::system;
use crate::store::selectors::text::contains;
use crate::store::state::ExampleCard;
use crate::store::{Action, Hub, state, use_hub};
use crate::ui::{Dialog, icon};
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct GalleryProps {
    /// The cards.
    pub(super) examples: Ptr<Vec<ExampleCard>>,
    /// The one shown.
    pub(super) current: Option<AttrValue>,
}

/// The dialog.
#[component]
pub(super) fn Gallery(props: &GalleryProps) -> Html {
    let hub = use_hub();
    let filter = use_state_eq(String::new);
    let oninput = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| {
            filter.set(
                event.target_dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default(),
            );
        })
    };
    let matches = |card: &&ExampleCard| {
        [&card.title, &card.teaches, &card.dialect].iter().any(|text| contains(text, &filter))
    };
    let shown: Vec<_> = props.examples.iter().filter(matches).collect();
    let mut groups: Vec<(&AttrValue, Vec<&ExampleCard>)> = Vec::new();
    for card in &shown {
        match groups.iter_mut().find(|(name, _)| **name == card.difficulty) {
            Some((_, cards)) => cards.push(card),
            None => groups.push((&card.difficulty, vec![card])),
        }
    }
    html! {
        <Dialog title="Examples" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <label class="search gallery-search">
                { icon("search") }
                <span class="visually-hidden">{ "Filter examples" }</span>
                <input type="search" placeholder="Filter examples" {oninput} />
            </label>
            { groups.into_iter().map(|(name, cards)| html! {
                <section class="gallery-group" key={name.to_string()}>
                    <h3>{ name }</h3>
                    <ul class="cards">
                        { for cards.into_iter().map(|card| html! {
                            <li key={card.id.to_string()}>
                                <button type="button" class="card" aria-current={(props.current.as_ref() == Some(&card.id)).then_some("true")}
                                    onclick={open(&hub, card)}>
                                    <strong>{ &card.title }</strong>
                                    <span>{ &card.teaches }</span>
                                    <span class="card-tags">
                                        <span class="chip">{ system(&card.dialect).to_owned() }</span>
                                        <span class="chip">{ &card.difficulty }</span>
                                    </span>
                                </button>
                            </li>
                        }) }
                    </ul>
                </section>
            }).collect::<Html>() }
            if shown.is_empty() { <p class="empty-line">{ "No example matches." }</p> }
        </Dialog>
    }
}

fn open(hub: &Hub, card: &ExampleCard) -> Callback<MouseEvent> {
    let (hub, id) = (hub.clone(), card.id.clone());
    Callback::from(move |_| hub.finish(&state::Dialog::Gallery, Action::OpenExample(id.clone())))
}
