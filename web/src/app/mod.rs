//! The page as a whole: opens the session, mounts the panes, keeps the clock running.

mod crash;
mod frame;
mod housekeeping;
mod keys;
mod links;
mod pace;
mod panes;
#[cfg(feature = "picture")]
mod picture;

use crate::browser;
use crate::features::announcer::Announcer;
use crate::features::broken::BrokenScreen;
use crate::features::context_menu::ContextMenu;
use crate::features::dialogs::Dialogs;
use crate::features::frame_head::FrameHead;
use crate::features::header::{Header, SmallTabs};
use crate::features::stopped::StoppedCard;
use crate::features::toasts::Toasts;
use crate::features::waiting::Arrivals;
use crate::store::action::Border;
use crate::store::engine::Engine;
use crate::store::frame::{Frame, Part};
use crate::store::link::Link;
use crate::store::state::{Pane, State};
use crate::store::{Action, Hub, effects, reduce};
use crate::systems::Second;
use crate::ui::attr;
use crate::ui::splitter::Splitter;
use gloo::timers::callback::Timeout;
use planarium_messages::questions::Ask;
use std::rc::Rc;
use yew::prelude::*;

#[cfg(feature = "picture")]
pub use picture::picture;

/// Opens the session; mounts the page in the place of its picture once there is something to show.
pub fn start() {
    crash::install();
    let hash = browser::hash();
    let arrived = links::arrived(&hash);
    let mut state =
        if browser::framed() { State::framed(Frame::read(&browser::query)) } else { State::first() };
    state.ui.editor_shut |= browser::matches(SHORT);
    let hub = Hub::new(state);
    if hub.state().frame.is_some() {
        frame::listen(&hub);
    }
    let engine = Engine::new(&hub, crash::give_up);
    let hash = if arrived.is_some() { "" } else { &hash };
    open(&hub, Rc::new(engine), hash, browser::query("example").as_deref());
    // Opening the first world shuts every dialog, so these come after it.
    let asked = arrived.or_else(|| links::named(&browser::hash()));
    let own = hub.clone();
    hub.when_settled(Callback::from(move |()| {
        let document = browser::window().and_then(|window| window.document());
        if let Some(root) = document.and_then(|document| document.get_element_by_id("app")) {
            yew::Renderer::<App>::with_root_and_props(root, AppProps { hub: own.clone() }).render();
        }
        if let Some(action) = asked.clone() {
            own.send(action);
        }
    }));
}

/// Screens on which the editor is a drawer that would cover everything, see `web/styles/short.css`.
const SHORT: &str = "(height < 520px) and (768px <= width < 1200px)";

/// Opens what an address names.
fn open(hub: &Hub, link: Rc<dyn Link>, hash: &str, example: Option<&str>) {
    let state = hub.state();
    let begin = match &state.frame {
        Some(frame) => effects::begin_in_frame(hash, example, frame),
        None if state.served.is_some() => effects::begin_on_served(),
        None => effects::begin(hash, example),
    };
    hub.connect(link, Ask::Begin(Box::new(begin)));
    if let Some(complaint) = state.frame.as_ref().and_then(Frame::complaint) {
        gloo::console::warn!(format!("planarium-embed: {complaint}"));
        hub.send(Action::Say(complaint.into()));
    }
    hub.send(Action::Check);
}

#[derive(Properties, PartialEq)]
struct AppProps {
    /// The store.
    hub: Hub,
}

/// The root: holds the state and hands each pane its part.
#[component]
fn App(props: &AppProps) -> Html {
    let hub = &props.hub;
    let state = use_state(|| hub.state());
    let drawn = use_drawn(hub);
    {
        let setter = state.setter();
        use_effect_with((hub.clone(), drawn), move |(hub, drawn)| {
            if *drawn < Drawn::Whole {
                return;
            }
            let framed = hub.state().frame.is_some();
            if framed {
                frame::tell(&State::default(), &hub.state());
            }
            if framed {
                setter.set(hub.state());
            }
            let told = std::cell::RefCell::new(hub.state());
            hub.listen(Callback::from(move |next: Rc<State>| {
                let before = told.replace(Rc::clone(&next));
                if framed {
                    frame::tell(&before, &next);
                }
                setter.set(next);
            }));
        });
    }
    housekeeping::use_housekeeping(hub, &state);
    keys::use_global_keys(hub);

    html! {
        <ContextProvider<Hub> context={hub.clone()}>
            <ContextProvider<Arrivals> context={Arrivals(state.arrivals)}>
            if let Some(broken) = &state.broken {
                <BrokenScreen raw={attr(&broken.raw)} reason={attr(&broken.reason)} />
                <Toasts toasts={state.ui.toasts.clone()} />
            } else {
                <ContextProvider<Second> context={Second(state.world.clock.now_ms / 1000)}>{ page(hub, &state, drawn) }</ContextProvider<Second>>
            }
            <ContextMenu menu={state.ui.menu.clone()} view={state.world.view.clone()} />
            <Dialogs state={Rc::clone(&state)} />
            if let Some(stopped) = &state.stopped {
                <StoppedCard stopped={stopped.clone()} />
            }
            <Announcer
                view={state.world.view.clone()}
                log={state.world.log.clone()}
                seq={state.world.clock.seq}
                playing={state.play.playing}
                muted={state.play.speed.muted()}
                verbosity={state.prefs.verbosity}
            />
            </ContextProvider<Arrivals>>
        </ContextProvider<Hub>>
    }
}

/// Parts of the page that are drawn so far. A frame draws one after the other, each in a task of its own: the browser compiles a component
/// when it is first drawn, and the document around the frame must not wait for all of them at once.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Drawn {
    /// The bar above the panes.
    Head,
    /// The bar below them, too.
    Dock,
    /// All parts.
    Whole,
}

/// Returns the parts that are drawn, and draws the next one soon.
#[hook]
fn use_drawn(hub: &Hub) -> Drawn {
    let drawn = use_state(|| if hub.state().frame.is_some() { Drawn::Head } else { Drawn::Whole });
    let setter = drawn.setter();
    use_effect_with(*drawn, move |drawn| {
        let next = match drawn {
            Drawn::Head => Some(Drawn::Dock),
            Drawn::Dock => Some(Drawn::Whole),
            Drawn::Whole => None,
        };
        let turn = next.map(|next| Timeout::new(0, move || setter.set(next)));
        move || drop(turn)
    });
    *drawn
}

fn page(hub: &Hub, state: &State, drawn: Drawn) -> Html {
    let whole = drawn == Drawn::Whole;
    let (ui, world, sizes) = (&state.ui, &state.world, state.prefs.sizes);
    let pane = match ui.pane {
        Pane::Edit => "edit",
        Pane::Plan => "plan",
        Pane::Inspect => "inspect",
    };
    let lesson = state.lesson.is_some() && !ui.definition;
    let frame = state.frame.as_ref();
    // The definition of a lesson has the way back to it, in a frame without an editor, too.
    let edits = state.lesson.is_some() || frame.is_none_or(|frame| frame.shows(Part::Editor));
    html! {
        <div
            class="page"
            data-pane={pane}
            data-editor={if ui.editor_shut { "shut" } else { "open" }}
            data-mode={if ui.focus_mode { "focus" } else { "all" }}
            data-lanes={if ui.lanes_open { "open" } else { "shut" }}
            data-playing={state.play.playing.to_string()}
            data-parts={frame.map(|frame| frame.words_with(state.lesson.is_some()))}
        >
            <a class="skip-link" href="#plan-tree" onclick={Callback::from(|event: MouseEvent| {
                event.prevent_default();
                browser::focus("[role=treegrid] [tabindex='0'], .drawings [tabindex='0']");
            })}>{ "Skip to the plan" }</a>
            if frame.is_some() {
                <FrameHead title={attr(&state.story.title)} link={frame.is_some_and(|frame| frame.link)} />
            } else {
                <Header
                    title={attr(&state.story.title)}
                    theme={state.prefs.theme}
                    editor_shut={ui.editor_shut}
                    dialect={attr(&state.checked.dialect)}
                    served={state.served.is_some()}
                />
            }
            <main class="panes">
                if whole && edits {
                    { panes::editor(hub, state) }
                }
                if frame.is_none() {
                    <Splitter
                        label="Editor width"
                        controls="pane-editor"
                        upright=true
                        relative=true
                        value={sizes.editor}
                        min=150
                        max=500
                        onmove={hub.on(|size| Action::Resize(Border::Editor, size))}
                        onreset={hub.act(Action::ResetSize(Border::Editor))}
                    />
                }
                if whole {
                    { panes::plan(state) }
                }
                if frame.is_none() {
                    <Splitter
                        label="Inspector width"
                        controls="pane-inspector"
                        upright=true
                        reversed=true
                        relative=true
                        value={sizes.inspector}
                        min=180
                        max=500
                        onmove={hub.on(|size| Action::Resize(Border::Inspector, size))}
                        onreset={hub.act(Action::ResetSize(Border::Inspector))}
                    />
                }
                if whole {
                    { panes::inspector(state) }
                }
            </main>
            <section class="dock" id="dock" aria-label="Time">
                <Toasts toasts={ui.toasts.clone()} />
                if frame.is_none() {
                    <Splitter
                        label="Timeline height"
                        controls="dock"
                        reversed=true
                        value={sizes.dock}
                        min=96
                        max=420
                        onmove={hub.on(|size| Action::Resize(Border::Dock, size))}
                        onreset={hub.act(Action::ResetSize(Border::Dock))}
                    />
                }
                if drawn >= Drawn::Dock {
                    { panes::dock(state) }
                }
            </section>
            if frame.is_none() {
                <SmallTabs current={reduce::small_tab(ui)} errors={state.checked.errors()} {lesson}
                    pods={crate::systems::pods(&world.view)} />
            }
        </div>
    }
}
