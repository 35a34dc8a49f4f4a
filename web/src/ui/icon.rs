//! Icons: references to the symbols of `web/icons.svg`, which the page carries once.

use yew::prelude::*;

/// An icon that says nothing a neighbour does not say in words.
pub(crate) fn icon(name: &str) -> Html {
    html! {
        <svg class="icon" aria-hidden="true" focusable="false"><use href={format!("#i-{name}")} /></svg>
    }
}

/// An icon within a drawing, 14 units wide.
pub(crate) fn icon_at(name: &str, x: i32, y: i32) -> Html {
    html! {
        <svg class="icon" x={x.to_string()} y={y.to_string()} width="14" height="14" aria-hidden="true" focusable="false">
            <use href={format!("#i-{name}")} width="14" height="14" />
        </svg>
    }
}
