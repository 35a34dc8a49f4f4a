//! Ways out: the fix first, each tried on a copy of the world before it is offered.

use crate::features::stuck::SETTLES;
use crate::store::ways_out::Blocker;
use crate::store::{Action, Hub};
use crate::ui::{Button, icon};
use planarium_protocol::why::{Helps, Way};
use yew::prelude::*;

/// Shows the ways out for the element that holds the selected one up; nothing before trials have begun.
pub(super) fn ways(hub: &Hub, held: &Blocker, fresh: bool) -> Html {
    let best = held.best();
    let working = held.ways.iter().any(|way| way.helps != Helps::Advice);
    html! {
        if working || !held.trying && !held.ways.is_empty() {
            <section class="ways">
                <h3>{ "What would help" }</h3>
                <div class="unblock">{ for held.ways.iter().map(|way| button(hub, way, Some(way) == best)) }</div>
            </section>
        } else if held.trying && !fresh {
            <p class="muted">{ "Trying on a copy of this world what would help …" }</p>
        }
    }
}

fn button(hub: &Hub, way: &Way, best: bool) -> Html {
    let Some(input) = &way.unblock.input else {
        return html! { <p class="advice">{ icon("info") }<span>{ &way.unblock.title }</span></p> };
    };
    html! {
        <>
            <Button label={way.unblock.title.clone()} icon="unblock" look={if best { "primary" } else { "" }}
                title={match way.helps {
                    Helps::Moves => Some("Tried on a copy of this world: this gets it moving"),
                    Helps::Settles => Some(SETTLES),
                    _ => None,
                }}
                onclick={hub.act(Action::Do(Box::new(input.clone())))} />
            if let Helps::Then(next) = &way.helps { <p class="muted">{ format!("The first of several: then {next}") }</p> }
        </>
    }
}
