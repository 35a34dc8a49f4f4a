//! A status in its three channels: icon, word, colour.

use crate::store::selectors::status::{FORCED, Look, of_word, word};
use planarium_protocol::view::StatusWord;
use yew::prelude::*;

/// The icon of a status.
pub(crate) fn status_icon(look: Look) -> Html {
    html! {
        <svg class="icon status-icon" data-family={look.family} data-class={look.class} data-icon={look.icon} aria-hidden="true" focusable="false">
            <use href={format!("#i-{}", look.icon)} />
        </svg>
    }
}

/// The icon of a status within a drawing, 14 units wide.
pub(crate) fn status_icon_at(look: Look, x: i32, y: i32) -> Html {
    html! {
        <svg class="icon status-icon" data-family={look.family} data-class={look.class} data-icon={look.icon}
            x={x.to_string()} y={y.to_string()} width="14" height="14" aria-hidden="true" focusable="false">
            <use href={format!("#i-{}", look.icon)} width="14" height="14" />
        </svg>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct BadgeProps {
    /// The status word.
    pub(crate) status: AttrValue,
    /// Entry of its status word in its system.
    pub(crate) word: &'static StatusWord,
    /// Marked complete by an operator: keeps its word and gets a diamond.
    #[prop_or_default]
    pub(crate) forced: bool,
}

/// Icon and word on the family's tint.
#[component]
pub(crate) fn Badge(props: &BadgeProps) -> Html {
    let look = of_word(props.word);
    let meaning = Some(props.word.meaning).filter(|meaning| !meaning.is_empty());
    html! {
        <span class="badge" data-family={look.family} data-class={look.class} data-status={&props.status} title={meaning}>
            { status_icon(look) }
            <span class="badge-word">{ word(&props.status).to_owned() }</span>
            if props.forced {
                <span class="badge-forced" title="Marked complete by an operator">
                    { status_icon(FORCED) }
                    <span class="visually-hidden">{ "forced" }</span>
                </span>
            }
        </span>
    }
}
