//! A row of the timeline: the name of a lane, its changes in words, and the instants of losses. Its stretches are drawn on the canvas that
//! lies over the rows.

use super::sheet::{Strip, told};
use crate::store::lane::Segment;
use crate::store::selectors::axis::Axis;
use crate::store::selectors::time::clock;
use crate::store::selectors::tree;
use crate::store::{Action, use_hub};
use crate::ui::{attr, icon};
use planarium_protocol::event::ElementPath;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct LaneRowProps {
    /// Position among all lines.
    pub(super) at: usize,
    /// Its element.
    pub(super) path: ElementPath,
    /// Display name, where the path has an id.
    #[prop_or_default]
    pub(super) name: Option<String>,
    /// The lane; none for a phase that is open.
    pub(super) strip: Option<Strip>,
    /// When tasks of the step were lost, and the axis on which that is marked.
    #[prop_or_default]
    pub(super) losses: Option<(Vec<u64>, Axis)>,
    /// It can be folded, and is or is not.
    #[prop_or_default]
    pub(super) folded: Option<bool>,
    /// Folds and unfolds it.
    #[prop_or_default]
    pub(super) fold: Callback<ElementPath>,
    /// It is selected.
    pub(super) selected: bool,
}

/// The row.
#[component]
pub(super) fn LaneRow(props: &LaneRowProps) -> Html {
    let hub = use_hub();
    let leaf = tree::leaf(&props.path);
    let name = props.name.as_deref().unwrap_or(leaf);
    let on_machine = props.path.plan.is_empty();
    let title =
        if on_machine { format!("{name} on {}", props.path.service) } else { tree::title(&props.path) };
    let onclick = match props.folded {
        Some(_) => props.fold.reform(|(path, _): (ElementPath, MouseEvent)| path).reform({
            let path = props.path.clone();
            move |event| (path.clone(), event)
        }),
        None if on_machine => hub.act(Action::SelectTask(attr(leaf))),
        None => hub.act(Action::Select(props.path.clone())),
    };
    html! {
        <div class={classes!("lane", props.folded.map(|_| "lane-phase"))} data-row={props.at.to_string()} data-selected={props.selected.to_string()}>
            <button type="button" class="lane-label" tabindex={if props.folded.is_some() { "0" } else { "-1" }} title={title}
                aria-expanded={props.folded.map(|folded| (!folded).to_string())} {onclick}>
                if let Some(folded) = props.folded { { icon(if folded { "chevron-right" } else { "chevron-down" }) } }
                { name.to_owned() }
            </button>
            if let Some(strip) = &props.strip {
                <div class="lane-bar" role="img" aria-label={spoken(name, strip, props)}>
                    if let Some((losses, axis)) = &props.losses {
                        <svg class="lane-losses" aria-hidden="true" focusable="false">
                            { for losses.iter().filter(|at_ms| axis.sees(**at_ms)).map(|at_ms| html! {
                                <svg class="loss" x={axis.x(*at_ms)} overflow="visible">
                                    <title>{ format!("lost at {}", clock(*at_ms)) }</title>
                                    <use href="#i-lost" x="-6" y="4" width="12" height="12" />
                                </svg>
                            }) }
                        </svg>
                    }
                </div>
            }
        </div>
    }
}

/// Describes the last stretches of a lane, its last loss, and how it ended in the run before the branch.
fn spoken(name: &str, strip: &Strip, props: &LaneRowProps) -> String {
    // The last stretch goes on, so the end does not matter.
    let segments = strip.segments(u64::MAX);
    let all: Vec<&Segment> = segments.iter().filter(|segment| !segment.status.is_empty()).collect();
    let last = all.get(all.len().saturating_sub(4)..).unwrap_or_default();
    let parts: Vec<_> = last.iter().map(|segment| told(segment)).collect();
    let losses = props.losses.as_ref().and_then(|(losses, _)| losses.last());
    let lost = losses.map(|at_ms| format!("; lost at {}", clock(*at_ms)));
    let before = strip.ghost.as_ref().and_then(|ghost| ghost.last());
    let before = before.map(|last| format!("; before the branch: {}", told(last)));
    format!("{name}: {}{}{}", parts.join(", "), lost.unwrap_or_default(), before.unwrap_or_default())
}
