//! The examples, by the question that they answer.

use crate::store::ptr::Ptr;
use crate::store::selectors::gallery::{by_question, columns};
use crate::store::selectors::status::system;
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
    let groups = by_question(&props.examples, &filter);
    let none = groups.is_empty();
    html! {
        <Dialog title="Examples" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <label class="search gallery-search">
                { icon("search") }
                <span class="visually-hidden">{ "Filter examples" }</span>
                <input type="search" placeholder="Filter examples" {oninput} />
            </label>
            { groups.into_iter().map(|(name, cards)| html! {
                <section class="gallery-group" key={name}>
                    <h3>{ name }</h3>
                    <ul class="cards">
                        { for cards.into_iter().map(|card| html! {
                            <li key={card.id.to_string()}>
                                <button type="button" class="card" aria-current={(props.current.as_ref() == Some(&card.id)).then_some("true")}
                                    onclick={open(&hub, card)}>
                                    { picture(&card.picture) }
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
            if none { <p class="empty-line">{ "No example matches." }</p> }
        </Dialog>
    }
}

/// Height and width of a step in a picture. *Units*: pixels.
const STEP: (usize, usize) = (8, 22);

/// The plans of an example at a telling moment: a column for each phase, a bar for each step.
fn picture(letters: &str) -> Html {
    let columns = columns(letters);
    let width = columns.len().max(1) * (STEP.1 + 6);
    let height = 6 * (STEP.0 + 3);
    html! {
        <svg class="card-picture" preserveAspectRatio="xMinYMin meet" aria-hidden="true" focusable="false" viewBox={format!("0 0 {} {height}", width.max(112))}>
            { for columns.iter().enumerate().flat_map(|(at, column)| column.iter().enumerate().map(move |(step, family)| html! {
                <rect class="segment" data-family={*family} rx="2" x={(at * (STEP.1 + 6)).to_string()}
                    y={(step * (STEP.0 + 3)).to_string()} width={STEP.1.to_string()} height={STEP.0.to_string()} />
            })) }
        </svg>
    }
}

fn open(hub: &Hub, card: &ExampleCard) -> Callback<MouseEvent> {
    let (hub, id) = (hub.clone(), card.id.clone());
    Callback::from(move |_| hub.finish(&state::Dialog::Gallery, Action::OpenExample(id.clone())))
}
