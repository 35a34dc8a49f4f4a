//! Work beside rendering: the play loop, debounced work, the page's view state.

use super::links;
use super::pace::{Pace, Turn};
use crate::browser;
use crate::features::dialogs::open_files;
use crate::pieces;
use crate::store::lessons::LessonAsk;
use crate::store::state::{State, Theme};
use crate::store::{Action, Hub, persist};
use gloo::events::{EventListener, EventListenerOptions};
use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// From the last keystroke to reading the draft.
const CHECK_MS: u32 = 30;
/// From a new world to looking for better machines.
const MACHINES_MS: u32 = 900;
/// From a standstill to trying what would end it.
const HELP_MS: u32 = 150;
/// From the last change to writing the address bar; browsers limit how often that may happen.
const ADDRESS_MS: u32 = 900;

/// Runs all of it.
#[hook]
pub(super) fn use_housekeeping(hub: &Hub, state: &State) {
    use_play_loop(hub, state.play.playing);
    {
        let hub = hub.clone();
        let loaded = state.draft.loaded;
        use_effect_with((state.draft.revision, loaded, state.world.generation), move |_| {
            let timer = Timeout::new(CHECK_MS, move || hub.send(Action::Check));
            move || drop(timer)
        });
    }
    {
        let hub = hub.clone();
        let sound = state.checked.errors() == 0 && state.story.example.is_none();
        use_effect_with((state.world.log.lineage, sound), move |(_, sound)| {
            let timer = sound.then(|| Timeout::new(MACHINES_MS, move || hub.send(Action::SeekMachines)));
            move || drop(timer)
        });
    }
    {
        let hub = hub.clone();
        let wait = if state.help.fresh { HELP_MS } else { 0 };
        let round = state.help.trying().then_some(state.help.round);
        use_effect_with(round, move |round| {
            let timer = round.map(|_| Timeout::new(wait, move || hub.send(Action::TryHelp)));
            move || drop(timer)
        });
    }
    {
        let hub = hub.clone();
        let world = &state.world;
        let moving = state.play.playing && !(world.clock.idle && world.clock.at_head());
        let place = if moving { None } else { Some(world.clock) };
        let edits = (state.draft.applied, state.draft.revision);
        use_effect_with((place, world.log.lineage, edits), move |(place, ..)| {
            let timer = place.map(|_| Timeout::new(ADDRESS_MS, move || hub.send(Action::WriteAddress)));
            move || drop(timer)
        });
    }
    {
        let hub = hub.clone();
        use_effect_with((), move |()| {
            let listeners = browser::window().map(|window| address_listeners(&hub, &window));
            move || drop(listeners)
        });
    }
    {
        let hub = hub.clone();
        use_effect_with((), move |()| {
            let idle = browser::window().map(|window| {
                EventListener::once(&window, "planarium:idle", move |_| {
                    spawn_local(pieces::fetch_all(move || hub.send(Action::Arrived)));
                })
            });
            move || drop(idle)
        });
    }
    {
        let hub = hub.clone();
        use_effect_with((), move |()| {
            let listener = browser::on_system_theme(move |dark| hub.send(Action::SystemTheme(dark)));
            move || drop(listener)
        });
    }
    {
        let hub = hub.clone();
        use_effect_with((), move |()| {
            let listeners = browser::window().map(|window| drop_listeners(&hub, &window));
            move || drop(listeners)
        });
    }
    {
        let hub = hub.clone();
        use_effect_with(state.lesson.clone(), move |card| {
            let kept =
                card.as_ref().map(|card| persist::saved_tries(&card.id)).filter(|kept| !kept.is_empty());
            if let Some(kept) = kept {
                hub.send(Action::Lesson(LessonAsk::Earlier(kept)));
            }
        });
    }
    use_effect_with(state.prefs.theme, |theme| {
        if let Some(root) = browser::root() {
            let _ = match theme {
                Theme::Auto => root.remove_attribute("data-theme"),
                theme => root.set_attribute("data-theme", theme.word()),
            };
        }
    });
    use_effect_with(state.prefs.sizes, |sizes| {
        if let Some(root) = browser::root() {
            let style = root.style();
            let tenth = |size: u32| format!("{}.{}%", size / 10, size % 10);
            let _ = style.set_property("--editor-size", &tenth(sizes.editor));
            let _ = style.set_property("--inspector-size", &tenth(sizes.inspector));
            let _ = style.set_property("--dock-size", &format!("{}px", sizes.dock));
        }
    });
    use_effect_with(state.story.title.clone(), |title| {
        if let Some(document) = browser::window().and_then(|window| window.document()) {
            let name =
                if title.is_empty() { "Planarium".to_owned() } else { format!("{title} · Planarium") };
            document.set_title(&name);
        }
    });
}

/// The address may change by hand, by Back and Forward; and the page may be left.
fn address_listeners(hub: &Hub, window: &web_sys::Window) -> [EventListener; 4] {
    let on = |name: &'static str, make: fn() -> Option<Action>| {
        let hub = hub.clone();
        EventListener::new(window, name, move |_| {
            if let Some(action) = make() {
                hub.send(action);
            }
        })
    };
    [
        on("popstate", || {
            let hash = browser::hash();
            let place = || Action::OpenPlace(browser::query("example"), hash.clone());
            Some(links::arrived(&hash).unwrap_or_else(place))
        }),
        on("hashchange", || {
            let hash = browser::hash();
            links::arrived(&hash).is_none().then_some(Action::OpenHash(hash))
        }),
        on("pagehide", || Some(Action::Leave)),
        on("blur", || Some(Action::Leave)),
    ]
}

/// Files may be dropped anywhere on the page.
fn drop_listeners(hub: &Hub, window: &web_sys::Window) -> [EventListener; 3] {
    let options = EventListenerOptions::enable_prevent_default();
    let over = EventListener::new_with_options(window, "dragover", options, |event| {
        event.prevent_default();
        mark_drop(true);
    });
    let left = EventListener::new(window, "dragleave", |event| {
        // Only when the page itself is left, not when the pointer moves between its parts.
        let to = event.dyn_ref::<web_sys::DragEvent>().and_then(|event| event.related_target());
        if to.is_none() {
            mark_drop(false);
        }
    });
    let hub = hub.clone();
    let dropped = EventListener::new_with_options(window, "drop", options, move |event| {
        event.prevent_default();
        mark_drop(false);
        let transfer = event.dyn_ref::<web_sys::DragEvent>().and_then(web_sys::DragEvent::data_transfer);
        if let Some(transfer) = transfer {
            open_files(&hub, browser::read_drop(&transfer));
        }
    });
    [over, left, dropped]
}

/// Shows that the dragged item may be dropped.
fn mark_drop(on: bool) {
    if let Some(root) = browser::root() {
        let _ = root.toggle_attribute_with_force("data-drop", on);
    }
}

/// One advance per animation frame while playing. A hidden tab gets no frames, so its clock stops.
#[hook]
fn use_play_loop(hub: &Hub, playing: bool) {
    let hub = hub.clone();
    use_effect_with(playing, move |playing| {
        let slot: Slot = Rc::default();
        if *playing {
            next_frame(hub, Rc::clone(&slot), Loop::default());
        }
        move || *slot.borrow_mut() = None
    });
}

type Slot = Rc<RefCell<Option<AnimationFrame>>>;

/// The play loop's record of the last turn.
#[derive(Clone, Default)]
struct Loop {
    pace: Pace,
    /// The turn that the host has not been heard of yet.
    turn: Option<Turn>,
    /// Number of states drawn.
    drawn: u64,
}

fn next_frame(hub: Hub, slot: Slot, mut all: Loop) {
    let again = Rc::clone(&slot);
    let frame = request_animation_frame(move |now_ms| {
        // Pausing and playing on may come between two draws, so only the draw of a pause ends the loop.
        if !hub.state().play.playing {
            all.pace.pause();
        } else if hub.plays() {
            // One frame at a time: the next one waits until the host has answered.
            all.pace.waits(now_ms);
        } else {
            if let Some((turn, took_ms)) = all.turn.take().zip(hub.took_ms()) {
                all.pace.played(turn, took_ms);
            }
            let drawn = std::mem::replace(&mut all.drawn, hub.drawn());
            if let Some(turn) = all.pace.frame(now_ms, drawn != all.drawn) {
                let (ahead, shown) = (Action::Ahead(turn.play_ms), Action::Frame(turn.play_ms));
                all.turn = Some(turn);
                hub.send(if turn.shows { shown } else { ahead });
            }
        }
        next_frame(hub, again, all);
    });
    *slot.borrow_mut() = Some(frame);
}
