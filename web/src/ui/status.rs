//! A status in its three channels: icon, word, colour.

use crate::store::selectors::status::{look, word};
use yew::prelude::*;

/// The icon of a status.
pub(crate) fn status_icon(status: &str) -> Html {
    let look = look(status);
    html! {
        <svg class="icon status-icon" data-family={look.family} data-icon={look.icon} aria-hidden="true" focusable="false">
            <use href={format!("#i-{}", look.icon)} />
        </svg>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct BadgeProps {
    /// The status word.
    pub(crate) status: AttrValue,
    /// Marked complete by an operator: keeps its word and gets a diamond.
    #[prop_or_default]
    pub(crate) forced: bool,
}

/// Icon and word on the family's tint.
#[component]
pub(crate) fn Badge(props: &BadgeProps) -> Html {
    let look = look(&props.status);
    html! {
        <span class="badge" data-family={look.family} data-status={&props.status}>
            { status_icon(&props.status) }
            <span class="badge-word">{ word(&props.status).to_owned() }</span>
            if props.forced {
                <span class="badge-forced" title="Marked complete by an operator">
                    { status_icon("FORCED") }
                    <span class="visually-hidden">{ "forced" }</span>
                </span>
            }
        </span>
    }
}
