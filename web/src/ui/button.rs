//! Buttons. A forbidden one stays in place and shows the reason.

use super::icon::icon;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct IconButtonProps {
    /// Icon name.
    pub(crate) icon: AttrValue,
    /// Accessible name and tooltip.
    pub(crate) label: AttrValue,
    /// Key that does the same.
    #[prop_or_default]
    pub(crate) keys: Option<AttrValue>,
    /// Its effect.
    pub(crate) onclick: Callback<MouseEvent>,
    /// Why it does nothing now.
    #[prop_or_default]
    pub(crate) refused: Option<AttrValue>,
    /// On or off, for a toggle.
    #[prop_or_default]
    pub(crate) pressed: Option<bool>,
    /// Further classes.
    #[prop_or_default]
    pub(crate) class: Classes,
}

/// A button that shows only an icon.
#[component]
pub(crate) fn IconButton(props: &IconButtonProps) -> Html {
    let mut title = props.label.to_string();
    if let Some(keys) = &props.keys {
        title = format!("{title} ({keys})");
    }
    if let Some(reason) = &props.refused {
        title = format!("{title}: {reason}");
    }
    html! {
        <button
            type="button"
            class={classes!("icon-button", props.class.clone())}
            aria-label={if props.refused.is_some() { AttrValue::from(title.clone()) } else { props.label.clone() }}
            aria-disabled={props.refused.is_some().then_some("true")}
            aria-pressed={props.pressed.map(|on| on.to_string())}
            aria-keyshortcuts={props.keys.clone()}
            title={title}
            onclick={guarded(props.refused.is_some(), &props.onclick)}
        >
            { icon(&props.icon) }
        </button>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct ButtonProps {
    /// Words.
    pub(crate) label: AttrValue,
    /// Icon before them.
    #[prop_or_default]
    pub(crate) icon: Option<AttrValue>,
    /// Its effect.
    pub(crate) onclick: Callback<MouseEvent>,
    /// Why it does nothing now.
    #[prop_or_default]
    pub(crate) refused: Option<AttrValue>,
    /// Set if the handler checks for itself whether it may act: the text typed last may not be drawn yet.
    #[prop_or_default]
    pub(crate) looks: bool,
    /// `primary`, `quiet` or nothing.
    #[prop_or_default]
    pub(crate) look: AttrValue,
    /// Tooltip.
    #[prop_or_default]
    pub(crate) title: Option<AttrValue>,
    /// Further classes.
    #[prop_or_default]
    pub(crate) class: Classes,
}

/// A button with words.
#[component]
pub(crate) fn Button(props: &ButtonProps) -> Html {
    let title = props.refused.clone().or_else(|| props.title.clone());
    html! {
        <button
            type="button"
            class={classes!("button", props.class.clone())}
            data-look={props.look.clone()}
            aria-disabled={props.refused.is_some().then_some("true")}
            title={title}
            onclick={guarded(props.refused.is_some() && !props.looks, &props.onclick)}
        >
            if let Some(name) = &props.icon { { icon(name) } }
            <span class="button-label">{ &props.label }</span>
            if let Some(reason) = &props.refused { <span class="visually-hidden">{ format!(": {reason}") }</span> }
        </button>
    }
}

fn guarded(refused: bool, onclick: &Callback<MouseEvent>) -> Callback<MouseEvent> {
    if refused { Callback::noop() } else { onclick.clone() }
}
