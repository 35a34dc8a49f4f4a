//! The examples, by the question that they answer.

use crate::store::ptr::Ptr;
use crate::store::selectors::gallery::{self, COLUMNS, Picture, by_question};
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

/// Width of a column, height of all lanes, room for marks above them. *Units*: pixels, as drawn at first.
const COLUMN: usize = 8;
const LANES: usize = 42;
const MARKS: usize = 6;
/// Greatest height of a lane.
const LANE: usize = 14;

/// The steps of an example over time, and what happens to them.
fn picture(text: &str) -> Html {
    let Picture { lanes, marks } = gallery::picture(text);
    let pitch = (LANES / lanes.len().max(1)).min(LANE);
    let bar = |at: usize, family: &'static str, from: usize, count: usize| {
        let (x, y) = (from * COLUMN, MARKS + at * pitch);
        html! {
            <rect class="segment" data-family={family} x={x.to_string()} y={y.to_string()}
                width={(count * COLUMN).to_string()} height={(pitch - 2).to_string()} />
        }
    };
    let mark = |kind: &'static str, column: usize| {
        let x = column * COLUMN;
        let line = format!("M{x} 0V{}m-3-{}h6l-3 5z", MARKS + LANES, MARKS + LANES);
        html! { <path class="card-mark" data-kind={kind} d={line} /> }
    };
    html! {
        <svg class="card-picture" preserveAspectRatio="xMinYMin meet" aria-hidden="true" focusable="false"
            viewBox={format!("-3 0 {} {}", COLUMNS * COLUMN + 6, MARKS + LANES)}>
            { for lanes.iter().enumerate().flat_map(|(at, lane)| lane.iter().map(move |(family, from, count)| bar(at, family, *from, *count))) }
            { for marks.iter().map(|(kind, column)| mark(kind, *column)) }
        </svg>
    }
}

fn open(hub: &Hub, card: &ExampleCard) -> Callback<MouseEvent> {
    let (hub, id) = (hub.clone(), card.id.clone());
    Callback::from(move |_| hub.finish(&state::Dialog::Gallery, Action::OpenExample(id.clone())))
}
