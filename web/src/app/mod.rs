//! The page as a whole: opens the session, mounts the panes, keeps the clock running.

mod crash;
mod frame;
mod housekeeping;
mod keys;
mod links;
mod pace;
#[cfg(feature = "picture")]
mod picture;

use crate::browser;
use crate::features::announcer::Announcer;
use crate::features::banner::Banners;
use crate::features::broken::BrokenScreen;
use crate::features::context_menu::ContextMenu;
use crate::features::dialogs::Dialogs;
use crate::features::editor::EditorPane;
use crate::features::finish::Finish;
use crate::features::frame_head::FrameHead;
use crate::features::header::{Header, SmallTabs};
use crate::features::inspector::Inspector;
use crate::features::lesson::LessonPane;
use crate::features::plan_tree::TreePane;
use crate::features::stopped::StoppedCard;
use crate::features::timeline::Timeline;
use crate::features::toasts::Toasts;
use crate::features::transport::Transport;
use crate::store::action::Border;
use crate::store::engine::Engine;
use crate::store::frame::{Frame, Part};
use crate::store::link::Link;
use crate::store::selectors::{faults, tree};
use crate::store::state::{MenuTarget, Pane, State, Tab};
use crate::store::{Action, Hub, effects, reduce};
use crate::ui::splitter::Splitter;
use crate::ui::{Button, attr};
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
    let state = if browser::framed() { State::framed(Frame::read(&browser::query)) } else { State::first() };
    let hub = Hub::new(state);
    if hub.state().frame.is_some() {
        frame::listen(&hub);
    }
    let engine = Engine::new(&hub, crash::give_up);
    let hash = if arrived.is_some() { "" } else { &hash };
    open(&hub, Rc::new(engine), hash, browser::query("example").as_deref());
    if let Some(action) = arrived {
        hub.send(action);
    }
    let own = hub.clone();
    hub.when_settled(Callback::from(move |()| {
        let document = browser::window().and_then(|window| window.document());
        if let Some(root) = document.and_then(|document| document.get_element_by_id("app")) {
            yew::Renderer::<App>::with_root_and_props(root, AppProps { hub: own.clone() }).render();
        }
    }));
}

/// Opens what an address names.
fn open(hub: &Hub, link: Rc<dyn Link>, hash: &str, example: Option<&str>) {
    let framed = hub.state().frame.is_some();
    let begin = if framed { effects::begin_in_frame(hash, example) } else { effects::begin(hash, example) };
    hub.connect(link, Ask::Begin(Box::new(begin)));
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
    {
        let setter = state.setter();
        use_effect_with(hub.clone(), move |hub| {
            let framed = hub.state().frame.is_some();
            if framed {
                frame::tell(&State::default(), &hub.state());
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
            if let Some(broken) = &state.broken {
                <BrokenScreen raw={attr(&broken.raw)} reason={attr(&broken.reason)} />
            } else {
                { page(hub, &state) }
            }
            <ContextMenu menu={state.ui.menu.clone()} view={state.world.view.clone()} />
            <Dialogs state={Rc::clone(&state)} />
            <Toasts toasts={state.ui.toasts.clone()} />
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
        </ContextProvider<Hub>>
    }
}

fn page(hub: &Hub, state: &State) -> Html {
    let (ui, world, sizes) = (&state.ui, &state.world, state.prefs.sizes);
    let pane = match ui.pane {
        Pane::Edit => "edit",
        Pane::Plan => "plan",
        Pane::Inspect => "inspect",
    };
    let dark = match state.prefs.theme {
        crate::store::state::Theme::Auto => state.system_dark,
        theme => theme == crate::store::state::Theme::Dark,
    };
    let linked =
        tree::step_at(&world.view, (&state.draft.dialect, &state.draft.label), &state.draft.file, ui.caret);
    let preview = state.preview().cloned();
    let lesson = state.lesson.as_ref().filter(|_| !ui.definition);
    let frame = state.frame.as_ref();
    let shows = |part: Part| frame.is_none_or(|frame| frame.shows(part));
    let tabs = frame.map(Frame::tabs);
    let open_menu = ui.menu.as_ref().and_then(|menu| match &menu.target {
        MenuTarget::Element(path) => Some(path.clone()),
        _ => None,
    });
    html! {
        <div
            class="page"
            data-pane={pane}
            data-editor={if ui.editor_shut { "shut" } else { "open" }}
            data-mode={if ui.focus_mode { "focus" } else { "all" }}
            data-lanes={if ui.lanes_open { "open" } else { "shut" }}
            data-playing={state.play.playing.to_string()}
            data-parts={frame.map(Frame::words)}
        >
            <a class="skip-link" href="#plan-tree" onclick={Callback::from(|event: MouseEvent| {
                event.prevent_default();
                browser::focus("[role=treegrid] [tabindex='0'], .drawings [tabindex='0']");
            })}>{ "Skip to the plan" }</a>
            if frame.is_some() {
                <FrameHead title={attr(&state.story.title)} />
            } else {
                <Header
                    title={attr(&state.story.title)}
                    theme={state.prefs.theme}
                    editor_shut={ui.editor_shut}
                    dialect={attr(&state.checked.dialect)}
                />
            }
            <main class="panes">
                if shows(Part::Editor) || lesson.is_some() {
                <section class="pane pane-editor" id="pane-editor" aria-label={if lesson.is_some() { "Lesson" } else { "Definition" }}>
                    if let Some(card) = lesson {
                        <LessonPane
                            card={card.clone()}
                            attempt={state.attempt.clone()}
                            undo={state.ways.undo.as_deref().map(attr)}
                            touched={world.touched}
                            keeps={state.keeps}
                        />
                    } else {
                    if state.lesson.is_some() {
                        <div class="pane-head"><Button icon="flag" label="Back to the lesson" onclick={hub.act(Action::ShowDefinition(false))} /></div>
                    }
                    <EditorPane
                        draft={state.draft.clone()}
                        drafts={state.drafts.clone()}
                        at={state.at}
                        dirty={state.dirty()}
                        checked={state.checked.clone()}
                        tab={ui.edit_tab}
                        reveal={ui.reveal.clone()}
                        {dark}
                        preset={state.preset.clone()}
                        presets={state.presets.clone()}
                        seed={world.clock.seed}
                        touched={world.touched}
                        lesson={state.lesson.is_some()}
                    />
                    }
                </section>
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
                <section class="pane pane-plan" id="pane-plan" aria-label="Plans">
                    <Banners
                        checked={state.checked.clone()}
                        dirty={state.dirty()}
                        empty={world.view.services.is_empty()}
                        live={world.touched && state.draft.dirty()}
                        better={better(state)}
                        story={state.story.clone()}
                        clock={story_clock(state)}
                        hint={!state.prefs.hint_seen && !world.touched && !world.view.services.is_empty() && state.lesson.is_none()}
                        dare={dare(state)}
                        differing={state.differing.clone()}
                        lesson={state.lesson.as_ref().map(|card| (card.clone(), state.attempt.clone()))}
                    />
                    <TreePane
                        view={world.view.clone()}
                        {preview}
                        selected={ui.selected.clone()}
                        {linked}
                        menu={open_menu}
                        toggled={ui.toggled.clone()}
                        filter={ui.row_filter.clone()}
                        now_s={world.clock.now_ms / 1000}
                        errors={state.checked.errors()}
                        missing={state.checked.missing.len()}
                        touched={world.touched}
                        as_rows={ui.as_rows}
                        why={state.why.clone()}
                    />
                    if ended(state) { <Finish run={(world.log.lineage, world.clock.head_seq)} /> }
                </section>
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
                if tabs.as_ref().is_none_or(|tabs| !tabs.is_empty()) {
                <section class="pane pane-inspector" id="pane-inspector" aria-label="Inspector">
                    <Inspector
                        tab={ui.tab}
                        only={tabs}
                        view={world.view.clone()}
                        why={state.why.clone()}
                        help={state.help.clone()}
                        selected={ui.selected.clone()}
                        task={ui.task.clone()}
                        machine_table={ui.machine_table}
                        log={world.log.clone()}
                        seq={world.clock.seq}
                        filter={ui.filter.clone()}
                        story={state.story.clone()}
                        console={state.console.clone()}
                        compared={state.compare.clone()}
                        branches={world.branches.clone()}
                        before={world.before}
                        edited={state.dirty() && state.checked.errors() == 0}
                        now_ms={if ui.tab == Tab::Compare { world.clock.now_ms } else { 0 }}
                    />
                </section>
                }
            </main>
            <section class="dock" id="dock" aria-label="Time">
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
                <Transport
                    clock={world.clock}
                    play={state.play}
                    view={world.view.clone()}
                    gantt={world.gantt.clone()}
                    branches={world.branches.clone()}
                    selected={ui.selected.clone()}
                    help={state.help.clone()}
                    lanes_open={ui.lanes_open}
                    held={reduce::is_modal(state)}
                />
                if shows(Part::Timeline) {
                <Timeline
                    clock={world.clock}
                    gantt={world.gantt.clone()}
                    view={world.view.clone()}
                    selected={ui.selected.clone()}
                    zoom={ui.zoom}
                    by_machine={ui.by_machine}
                    short_idle={!state.prefs.full_idle}
                />
                }
            </section>
            if frame.is_none() {
                <SmallTabs current={reduce::small_tab(ui)} errors={state.checked.errors()} lesson={lesson.is_some()}
                    pods={crate::systems::pods(&world.view)} />
            }
        </div>
    }
}

/// The clock to whole events, so that banners do not change with every frame.
fn story_clock(state: &State) -> crate::store::state::Clock {
    let clock = state.world.clock;
    let said = state.story.at(&clock).map_or((0, 0), |(_, said)| (said.at_ms, said.seq));
    crate::store::state::Clock { now_ms: said.0, seq: said.1, ..Default::default() }
}

/// The failure that a first visitor may dare: in the first example only.
fn dare(state: &State) -> Option<(String, planarium_protocol::input::Fault)> {
    let first = state.examples.first().map(|card| card.id.as_str());
    let here = state.world.touched && state.story.example.as_deref() == first;
    if here { faults::dare(&state.world.view) } else { None }
}

/// Better machines, as their card says.
fn better(state: &State) -> Option<crate::store::state::PresetCard> {
    // They suffice by now, whatever was missing.
    let short = tree::unfinished(&state.world.view).is_some() || !state.world.touched;
    let name = state.better.as_ref().filter(|_| short)?;
    state.presets.iter().find(|preset| preset.name == *name).cloned()
}

/// Returns whether all is done and nothing more will happen.
fn ended(state: &State) -> bool {
    let clock = state.world.clock;
    let loaded = !state.world.view.services.is_empty() && state.world.touched;
    state.lesson.is_none()
        && clock.idle
        && clock.at_head()
        && loaded
        && tree::unfinished(&state.world.view).is_none()
}
