//! The panes of the page, each with its part of the state.

use crate::features::banner::Banners;
use crate::features::editor::EditorPane;
use crate::features::finish::Finish;
use crate::features::inspector::Inspector;
use crate::features::lesson::LessonPaneProps;
use crate::features::plan_tree::TreePane;
use crate::features::served::ServedLine;
use crate::features::timeline::Timeline;
use crate::features::transport::Transport;
use crate::features::waiting::Waiting;
use crate::pieces::{self, Piece};
use crate::store::frame::{Frame, Part};
use crate::store::lessons::Card;
use crate::store::ptr::Ptr;
use crate::store::selectors::cluster::any_silent;
use crate::store::selectors::faults::Dare;
use crate::store::selectors::{arrows, faults, tree};
use crate::store::state::{Clock, MenuTarget, PresetCard, State, Tab, Theme};
use crate::store::{Action, Hub, reduce};
use crate::systems;
use crate::ui::{Button, attr};
use yew::prelude::*;

/// The definition, or the lesson that is open.
pub(super) fn editor(hub: &Hub, state: &State) -> Html {
    let (ui, world) = (&state.ui, &state.world);
    let lesson = state.lesson.as_ref().filter(|_| !ui.definition);
    let dark = match state.prefs.theme {
        Theme::Auto => state.system_dark,
        theme => theme == Theme::Dark,
    };
    html! {
        <section class="pane pane-editor" id="pane-editor" aria-label={if lesson.is_some() { "Lesson" } else { "Definition" }}>
            if let Some(card) = lesson {
                { self::lesson(state, card) }
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
                    served={state.served.is_some()}
                />
            }
        </section>
    }
}

/// The pane of an open lesson.
fn lesson(state: &State, card: &Ptr<Card>) -> Html {
    let Some(code) = pieces::lesson() else { return html! { <Waiting piece={Piece::Lesson} /> } };
    (code.pane)(LessonPaneProps {
        card: card.clone(),
        attempt: state.attempt.clone(),
        undo: state.ways.undo.as_deref().map(attr),
        touched: state.world.touched,
        keeps: state.keeps,
    })
}

/// The plans, with the most urgent message above them.
pub(super) fn plan(state: &State) -> Html {
    let (ui, world) = (&state.ui, &state.world);
    let linked =
        tree::step_at(&world.view, (&state.draft.dialect, &state.draft.label), &state.draft.file, ui.caret);
    let preview = state.preview().cloned();
    let open_menu = ui.menu.as_ref().and_then(|menu| match &menu.target {
        MenuTarget::Element(path) => Some(path.clone()),
        _ => None,
    });
    html! {
        <section class="pane pane-plan" id="pane-plan" aria-label="Plans">
            if let Some(served) = &state.served {
                <ServedLine served={served.clone()} />
            }
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
                served={state.served.is_some()}
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
                help={state.help.clone()}
                why={state.why.clone()}
            />
            if tree::has_ended(state) { <Finish run={(world.log.lineage, world.clock.head_seq)} /> }
        </section>
    }
}

/// The inspector; nothing where a frame shows none of its tabs.
pub(super) fn inspector(state: &State) -> Html {
    let (ui, world) = (&state.ui, &state.world);
    let tabs = state.frame.as_ref().map(Frame::tabs);
    if tabs.as_ref().is_some_and(Vec::is_empty) {
        return Html::default();
    }
    html! {
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
                now_ms={match ui.tab {
                    Tab::Compare => world.clock.now_ms,
                    // A count-down goes by seconds.
                    Tab::Cluster if any_silent(&world.view.cluster) => world.clock.now_ms / 1000 * 1000,
                    // Ages of objects go by seconds.
                    Tab::Pods if systems::has_objects(&world.view) => world.clock.now_ms / 1000 * 1000,
                    _ => 0,
                }}
            />
        </section>
    }
}

/// The controls of time, and the lanes.
pub(super) fn dock(state: &State) -> Html {
    let (ui, world) = (&state.ui, &state.world);
    let lanes = state.frame.as_ref().is_none_or(|frame| frame.shows(Part::Timeline));
    // What moves on is selected for no longer than a frame.
    let event =
        if state.play.playing { None } else { arrows::selected(state).map(|seq| (world.log.clone(), seq)) };
    html! {
        <>
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
                served={state.served.as_ref().map(|served| served.runs)}
            />
            if lanes {
            <Timeline
                clock={world.clock}
                gantt={world.gantt.clone()}
                ghost={world.ghost.clone()}
                {event}
                view={world.view.clone()}
                selected={ui.selected.clone()}
                zoom={ui.zoom}
                by_machine={ui.by_machine}
                filter={ui.row_filter.clone()}
                short_idle={!state.prefs.full_idle}
            />
            }
        </>
    }
}

/// The clock to whole events, so that banners do not change with every frame.
fn story_clock(state: &State) -> Clock {
    let clock = state.world.clock;
    let said = state.story.at(&clock).map_or((0, 0), |(_, said)| (said.at_ms, said.seq));
    Clock { now_ms: said.0, seq: said.1, ..Default::default() }
}

/// The failure that a first visitor may dare: in the first example only.
fn dare(state: &State) -> Option<Dare> {
    let first = state.examples.first().map(|card| card.id.as_str());
    let here = state.lesson.is_none() && state.story.example.as_deref() == first;
    if here { faults::dare(&state.world.view) } else { None }
}

/// Better machines, as their card says.
fn better(state: &State) -> Option<PresetCard> {
    // The machines suffice now, whatever was missing before.
    let short = tree::unfinished(&state.world.view).is_some() || !state.world.touched;
    let name = state.better.as_ref().filter(|_| short)?;
    state.presets.iter().find(|preset| preset.name == *name).cloned()
}
