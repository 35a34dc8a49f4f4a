//! The place of what is on its way: a line where it takes long, and what became of it where it does not come.

use crate::pieces::{self, Piece};
use crate::store::{Action, use_hub};
use crate::ui::Button;
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// A piece that comes sooner is not worth a line. *Units*: milliseconds.
const SLOW_MS: u32 = 300;

/// Number of pieces of the page that have arrived; whatever draws one finds it as a context around it, and is drawn again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrivals(pub(crate) u32);

/// Draws the component again when a piece has arrived.
#[hook]
pub(crate) fn use_arrivals() {
    let _ = use_context::<Arrivals>();
}

#[derive(Properties, PartialEq)]
pub(crate) struct WaitingProps {
    /// The piece that is waited for.
    pub(crate) piece: Piece,
    /// It holds the open dialog, which is shut if it does not come.
    #[prop_or_default]
    pub(crate) dialog: bool,
    /// It shows nothing.
    #[prop_or_default]
    pub(crate) quiet: bool,
}

/// The stage of its arrival.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    /// It may come at any moment.
    Soon,
    /// It takes long.
    Slow,
    /// It did not come.
    Missed,
}

/// Fetches a piece, and stands in its place until it is there.
#[component]
pub(crate) fn Waiting(props: &WaitingProps) -> Html {
    let hub = use_hub();
    let stage = use_state_eq(|| Stage::Soon);
    let tries = use_state_eq(|| 0_u32);
    {
        let stage = stage.setter();
        use_effect_with((props.piece, props.dialog, *tries), move |(piece, dialog, _)| {
            let (piece, dialog) = (*piece, *dialog);
            let here = Rc::new(());
            let slow = {
                let stage = stage.clone();
                Timeout::new(SLOW_MS, move || stage.set(Stage::Slow))
            };
            let watch = Rc::downgrade(&here);
            spawn_local(async move {
                let came = pieces::fetch(piece).await.is_ok();
                let is_here = watch.upgrade().is_some();
                if came {
                    hub.send(Action::Arrived);
                } else if is_here && dialog {
                    hub.send(Action::CloseDialog);
                    hub.send(Action::Say(MISSED.into()));
                } else if is_here {
                    stage.set(Stage::Missed);
                }
            });
            move || drop((here, slow))
        });
    }
    let again = {
        let (stage, tries) = (stage.setter(), tries.clone());
        Callback::from(move |_: MouseEvent| {
            stage.set(Stage::Soon);
            tries.set(*tries + 1);
        })
    };
    match *stage {
        Stage::Slow if !props.quiet => html! {
            <p class="waiting" data-over={props.dialog.to_string()} role="status">{ "Loading this part of the page …" }</p>
        },
        Stage::Missed if !props.quiet => html! {
            <p class="waiting" role="alert">{ MISSED }<Button label="Try again" onclick={again} /></p>
        },
        _ => Html::default(),
    }
}

/// Says that a piece did not come.
const MISSED: &str = "This part of the page could not be loaded.";
