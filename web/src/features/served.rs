//! The line that says whose world is shown, where it is not the page's own.

use crate::store::served::Served;
use crate::ui::icon;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct ServedLineProps {
    /// The served world.
    pub(crate) served: Served,
}

/// The line.
#[component]
pub(crate) fn ServedLine(props: &ServedLineProps) -> Html {
    let Served { address, runs, lost } = &props.served;
    let (family, name, text) = match lost {
        Some(reason) => (
            Some("error"),
            "error",
            html! { <><strong>{ format!("No connection to {address}.") }</strong>{ format!(" This is the last state; trying again. ({reason})") }</> },
        ),
        None => (
            None,
            "link",
            html! {
                <>
                    <strong>{ format!("Served world at {address}.") }</strong>
                    { " Other clients act on it, too; what is done here is done for all." }
                    if *runs { { " Its clock runs by itself." } }
                </>
            },
        ),
    };
    html! {
        <div class="served-line" data-family={family} role="status" aria-label="Served world">
            { icon(name) }
            <p>{ text }</p>
        </div>
    }
}
