//! The transport: play, step, speed, start over, seed, branches.

use super::stuck::Stuck;
use crate::store::action::Toward;
use crate::store::gantt::Gantt;
use crate::store::ptr::Ptr;
use crate::store::selectors::time::{clock as clock_text, read_time};
use crate::store::served::{CLOCK_RUNS, WORLD_STAYS};
use crate::store::state::{BranchTab, Clock, Dialog, Play, Speed};
use crate::store::ways_out::WaysOut;
use crate::store::{Action, use_hub};
use crate::ui::tabs::{TabItem, Tabs};
use crate::ui::{IconButton, icon};
use planarium_protocol::View;
use planarium_protocol::event::ElementPath;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct TransportProps {
    /// The clock.
    pub(crate) clock: Clock,
    /// Playing or not.
    pub(crate) play: Play,
    /// The view.
    pub(crate) view: Ptr<View>,
    /// Marks.
    pub(crate) gantt: Ptr<Gantt>,
    /// Branches.
    pub(crate) branches: Ptr<Vec<BranchTab>>,
    /// Selected element.
    pub(crate) selected: Option<ElementPath>,
    /// Stuck elements, and ways out.
    pub(crate) help: Ptr<WaysOut>,
    /// Lanes are shown on a small screen.
    pub(crate) lanes_open: bool,
    /// A dialog or a menu holds the clock.
    pub(crate) held: bool,
    /// On a served world: its clock runs by itself.
    pub(crate) served: Option<bool>,
}

/// The row of controls.
#[component]
pub(crate) fn Transport(props: &TransportProps) -> Html {
    let hub = use_hub();
    let (clock, playing) = (props.clock, props.play.playing);
    let at_start = (clock.now_ms == 0 && clock.seq == 0).then(|| AttrValue::from("this is the start"));
    let at_end =
        (clock.idle && clock.at_head()).then(|| AttrValue::from("nothing more will happen by itself"));
    let marked = props.gantt.marks.last().is_some_and(|mark| mark.at_ms > clock.now_ms) || !clock.at_head();
    let no_mark = (!marked).then(|| AttrValue::from("no marked moment is ahead"));
    let no_reset = props.served.map(|_| AttrValue::from(WORLD_STAYS));
    let no_play = props.served.filter(|runs| *runs).map(|_| CLOCK_RUNS);
    let onplay = {
        let hub = hub.clone();
        Callback::from(move |_: MouseEvent| {
            // The button does what its label says, whatever happened to the clock since.
            if hub.state().play.playing == playing {
                hub.send(Action::TogglePlay);
            }
        })
    };
    html! {
        <div class="transport" role="group" aria-label="Transport">
            <div class="transport-group">
                <IconButton icon="reset" label="Start over" class="wide-only"
                    refused={no_reset.clone()} onclick={hub.act(Action::Reset)} />
                <IconButton icon="status-back" label="Back to the status change before" keys="Shift-," class="wide-only"
                    refused={at_start.clone()} onclick={hub.act(Action::StepStatus(Toward::Back))} />
                <IconButton icon="step-back" label="One event back" keys="," refused={at_start}
                    onclick={hub.act(Action::StepEvent(Toward::Back))} />
                <button type="button" class="play-button" data-playing={playing.to_string()}
                    aria-label={if playing { "Pause" } else { "Play" }} aria-keyshortcuts="Space"
                    aria-disabled={no_play.map(|_| "true")}
                    title={no_play.unwrap_or(if playing { "Pause (Space)" } else { "Play (Space)" })}
                    onclick={onplay}>
                    { icon(if playing { "pause" } else { "play" }) }
                    <span class="play-word">{ if playing { "Pause" } else { "Play" } }</span>
                </button>
                <IconButton icon="step-ahead" label="One event ahead" keys="." refused={at_end.clone()}
                    onclick={hub.act(Action::StepEvent(Toward::Ahead))} />
                <IconButton icon="status-ahead" label="To the next status change" keys="Shift-." class="wide-only" refused={at_end}
                    onclick={hub.act(Action::StepStatus(Toward::Ahead))} />
                <IconButton icon="flag" label="To the next marked moment" keys="]" class="wide-only" refused={no_mark}
                    onclick={hub.act(Action::StepMark(Toward::Ahead))} />
            </div>
            <SpeedControl speed={props.play.speed} />
            <div class="clock">
                <ClockNow now_ms={clock.now_ms} />
                <span class="clock-head">{ note(&clock, playing, props.held) }</span>
            </div>
            <Stuck help={props.help.clone()} />
            <Branches branches={props.branches.clone()} />
            <span class="grow"></span>
            <IconButton icon="lightning" label="Inject a failure" keys="i" class="wide-only" onclick={hub.act(Action::OpenDialog(Dialog::Fault))} />
            <SeedField seed={clock.seed} refused={no_reset} />
            <IconButton class="lanes-button" icon="lanes" label="Timeline" pressed={props.lanes_open}
                onclick={hub.act(Action::ToggleLanes)} />
        </div>
    }
}

/// Farthest way beyond the moment shown that is run on at once. *Units*: milliseconds.
const FARTHEST_MS: u64 = 2 * 3_600_000;

#[derive(Properties, PartialEq)]
struct ClockNowProps {
    now_ms: u64,
}

/// The time; a click makes it a field for the time to go to.
#[component]
fn ClockNow(props: &ClockNowProps) -> Html {
    let hub = use_hub();
    let open = use_state_eq(|| false);
    let field = use_node_ref();
    use_effect_with((*open, field.clone()), |(open, field)| {
        if let Some(field) = field.cast::<HtmlInputElement>().filter(|_| *open) {
            let _ = field.focus();
            field.select();
        }
    });
    if !*open {
        let open = open.clone();
        return html! {
            <button type="button" class="clock-now" title="Virtual time; click to go to another"
                onclick={Callback::from(move |_| open.set(true))}>
                <span class="visually-hidden">{ "Go to a time; it is " }</span>{ clock_text(props.now_ms) }
            </button>
        };
    }
    let onkeydown = {
        let open = open.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                let Some(field) = event.target_dyn_into::<HtmlInputElement>() else { return };
                let now_ms = hub.state().world.clock.now_ms;
                match read_time(&field.value()) {
                    Some(ms) => {
                        hub.send(Action::Pause);
                        hub.send(Action::SeekMs(ms.min(now_ms.saturating_add(FARTHEST_MS))));
                        open.set(false);
                    }
                    None => {
                        hub.send(Action::Say("A time is written as 20:00, 1:05:00, 90 s or 20 min.".into()));
                    }
                }
            }
            "Escape" => open.set(false),
            _ => {}
        })
    };
    let onblur = Callback::from(move |_| open.set(false));
    html! {
        <input ref={field} class="clock-field" aria-label="Go to the time" value={clock_text(props.now_ms)} size="8"
            autocomplete="off" {onkeydown} {onblur} />
    }
}

fn note(clock: &Clock, playing: bool, held: bool) -> String {
    if playing && held {
        "stands meanwhile".to_owned()
    } else if !clock.at_head() {
        format!("of {}", clock_text(clock.head_ms))
    } else if let Some(ms) = clock.scheduled_ms {
        format!("at rest until {}", clock_text(ms))
    } else if clock.idle {
        "at rest".to_owned()
    } else {
        "now".to_owned()
    }
}

#[derive(Properties, PartialEq)]
struct SpeedControlProps {
    speed: Speed,
}

#[component]
fn SpeedControl(props: &SpeedControlProps) -> Html {
    let hub = use_hub();
    let onchange = hub.on(|event: Event| {
        let value =
            event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
        Action::SetSpeed(value.parse().unwrap_or(4))
    });
    html! {
        <div class="speed" role="group" aria-label="Speed">
            <IconButton icon="minus" label="Slower" keys="-" class="wide-only" onclick={hub.act(Action::Nudge(false))} />
            <select aria-label="Speed" {onchange}>
                { for (0..=Speed::MAX).map(|index| html! {
                    <option value={index.to_string()} selected={index == props.speed.index()}>{ Speed::at(index).label() }</option>
                }) }
            </select>
            <IconButton icon="plus" label="Faster" keys="+" class="wide-only" onclick={hub.act(Action::Nudge(true))} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct SeedFieldProps {
    /// The seed.
    pub(crate) seed: u64,
    /// Why it does not change.
    #[prop_or_default]
    pub(crate) refused: Option<AttrValue>,
}

/// The seed; a change starts over.
#[component]
pub(crate) fn SeedField(props: &SeedFieldProps) -> Html {
    let hub = use_hub();
    let onchange = {
        let hub = hub.clone();
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            match input.value().trim().parse() {
                Ok(seed) => hub.send(Action::SetSeed(seed)),
                Err(_) => input.set_value(&hub.state().world.clock.seed.to_string()),
            }
        })
    };
    html! {
        <label class="seed" title={props.refused.clone().unwrap_or_else(|| "The seed fixes every chance; a change starts over".into())}>
            <span>{ "Seed" }</span>
            <input inputmode="numeric" value={props.seed.to_string()} {onchange} size="6" maxlength="20" autocomplete="off"
                readonly={props.refused.is_some()} />
        </label>
    }
}

#[derive(Properties, PartialEq)]
struct BranchesProps {
    branches: Ptr<Vec<BranchTab>>,
}

#[component]
fn Branches(props: &BranchesProps) -> Html {
    let hub = use_hub();
    if props.branches.len() < 2 {
        return Html::default();
    }
    let current = props.branches.iter().position(|branch| branch.current).unwrap_or(0);
    let items = props.branches.iter().map(|branch| TabItem::new(&branch.title())).collect::<Vec<_>>();
    let ids: Vec<u32> = props.branches.iter().map(|branch| branch.id).collect();
    let onpick = hub.on(move |at: usize| Action::Branch(ids.get(at).copied().unwrap_or_default()));
    let shown = props.branches.get(current);
    let title = shown.map(|branch| {
        format!(
            "Left its parent at {}, reaches {}",
            clock_text(branch.forked_at_ms),
            clock_text(branch.head_ms)
        )
    });
    html! {
        <div class="branches" {title}>
            { icon("branch") }
            <Tabs label="Branches" id="branch" controls="dock" {items} {current} {onpick} />
        </div>
    }
}
