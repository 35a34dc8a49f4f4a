//! A chip beside the clock: the stuck element, its deepest cause, and the way out of a single click.

use crate::store::ptr::Ptr;
use crate::store::selectors::status::look_at;
use crate::store::selectors::tree;
use crate::store::state::{Pane, Tab};
use crate::store::ways_out::WaysOut;
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Button, icon, status_icon};
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::Helps;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct StuckProps {
    /// Stuck elements, and ways out.
    pub(crate) help: Ptr<WaysOut>,
}

/// About a way that gives the element up.
pub(crate) const SETTLES: &str =
    "Tried on a copy of this world: it is given up, and what comes in its place is done";

/// The chip; nothing while the run continues on its own.
#[component]
pub(crate) fn Stuck(props: &StuckProps) -> Html {
    let hub = use_hub();
    let Some(held) = props.help.stuck() else { return Html::default() };
    let path = &held.why.path;
    let name = tree::leaf(path).to_string();
    html! {
        <div class="stuck" role="group" aria-label="Stuck">
            <button type="button" class="stuck-cause" title={format!("{}: {}. Click for all of it.", tree::title(path), held.cause())}
                onclick={ask(&hub, path)}>
                { status_icon(look_at(path, &held.why.status)) }
                <span class="stuck-name">{ "Stuck: " }{ name }</span>
                <span class="stuck-why">{ held.cause().to_owned() }</span>
            </button>
            if let Some(way) = held.best() {
                <Button label={way.unblock.title.clone()} icon="unblock"
                    title={match &way.helps {
                        Helps::Then(next) => format!("The first of several: then {next}"),
                        Helps::Settles => SETTLES.to_owned(),
                        _ => "Tried on a copy of this world: this gets it moving".to_owned(),
                    }}
                    onclick={way.unblock.input.clone().map(|input| hub.act(Action::Do(Box::new(input)))).unwrap_or_default()} />
            } else if held.trying {
                <span class="muted">{ icon("search") }{ "Looking for a way out" }</span>
            }
        </div>
    }
}

/// To the explanation of an element.
pub(crate) fn ask(hub: &Hub, path: &ElementPath) -> Callback<MouseEvent> {
    let (hub, path) = (hub.clone(), path.clone());
    Callback::from(move |_| {
        hub.send(Action::Select(path.clone()));
        hub.send(Action::ShowTab(Tab::Why));
        if crate::browser::matches("(max-width: 767px)") {
            hub.send(Action::ShowPane(Pane::Inspect));
        }
    })
}
