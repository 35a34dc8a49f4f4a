//! Icons: references to the symbols of `web/icons.svg`, which the page carries once.

use yew::prelude::*;

/// An icon that says nothing a neighbour does not say in words.
pub(crate) fn icon(name: &str) -> Html {
    html! {
        <svg class="icon" aria-hidden="true" focusable="false"><use href={format!("#i-{name}")} /></svg>
    }
}
