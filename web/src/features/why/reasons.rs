//! Reasons as lines: the words, the elements they point to, the facts behind them.

#![expect(
    clippy::match_same_arms,
    reason = "written as the real program has it, which is easier to hold against it"
)]

use crate::store::selectors::status::look_at;
use crate::store::selectors::time::{clock, short};
use crate::store::selectors::tree;
use crate::store::{Action, Hub};
use crate::ui::{icon, status_icon};
use planarium_protocol::why::{ElementRef, Reason, ReasonKind};
use yew::prelude::*;

/// An element that a click selects.
pub(super) fn select(hub: &Hub, element: &ElementRef) -> Html {
    html! {
        <button type="button" class="element-link" onclick={hub.act(Action::Select(element.path.clone()))}>
            { status_icon(look_at(&element.path, &element.status)) }
            <span>{ tree::title(&element.path) }</span>
            <span class="muted">{ element.status.to_string() }</span>
        </button>
    }
}

/// A reason; `said` leaves out words that stand above it already.
pub(super) fn reason_line(hub: &Hub, reason: &Reason, said: bool) -> Html {
    let (name, family) = reason_icon(&reason.kind);
    let elements: Vec<&ElementRef> = match &reason.kind {
        ReasonKind::NotItsTurn { waiting_for, .. } => waiting_for.iter().take(5).collect(),
        ReasonKind::DirtyAsset { held_by, .. } => vec![held_by],
        ReasonKind::Child { child } => vec![child],
        _ => Vec::new(),
    };
    html! {
        <li class="reason" data-family={family}>
            <span class="reason-icon">{ icon(name) }</span>
            <div>
                if !said { <p>{ &reason.text }</p> }
                { for elements.into_iter().map(|element| select(hub, element)) }
                if let Some(detail) = detail(&reason.kind) { <p class="muted">{ detail }</p> }
                if let Some(seq) = reason.event {
                    <button type="button" class="link" title="Go to the moment of this event"
                        onclick={hub.act(Action::SeekSeq(seq))}>{ format!("event {seq}") }</button>
                }
            </div>
        </li>
    }
}

/// Facts that the sentence may not spell out.
fn detail(kind: &ReasonKind) -> Option<String> {
    match kind {
        ReasonKind::Backoff { until_ms, delay_ms, .. } => {
            Some(format!("next try at {}, delay {}", clock(*until_ms), short(*delay_ms)))
        }
        ReasonKind::Readiness { attempts, last_exit, next_ms, .. } => {
            let last = last_exit.map(|exit| format!(", last exit code {exit}")).unwrap_or_default();
            let next = next_ms.map(|at| format!(", next at {}", clock(at))).unwrap_or_default();
            Some(format!("{attempts} {} so far{last}{next}", if *attempts == 1 { "check" } else { "checks" }))
        }
        ReasonKind::CanaryGate { proceeds_left } => Some(format!(
            "{proceeds_left} more {} needed",
            if *proceeds_left == 1 { "continue is" } else { "continues are" }
        )),
        ReasonKind::HeldByOthers { held, .. } => Some(held.in_words()),
        ReasonKind::NextCycle { at_ms } => Some(format!("at {} at the latest", clock(*at_ms))),
        ReasonKind::Underway { until_ms: Some(at_ms), .. } => Some(format!("until {}", clock(*at_ms))),
        _ => None,
    }
}

fn reason_icon(kind: &ReasonKind) -> (&'static str, &'static str) {
    match kind {
        ReasonKind::Complete => ("complete", "complete"),
        ReasonKind::NotItsTurn { .. } => ("queue", "neutral"),
        ReasonKind::Interrupted { .. } => ("waiting", "waiting"),
        ReasonKind::NotStarted => ("never-run", "neutral"),
        ReasonKind::CanaryGate { .. } => ("gate", "waiting"),
        ReasonKind::DirtyAsset { .. } => ("lock", "waiting"),
        ReasonKind::Backoff { .. } => ("delayed", "waiting"),
        ReasonKind::Killing { .. } | ReasonKind::Ended { .. } | ReasonKind::Maintenance { .. } => {
            ("spanner", "waiting")
        }
        ReasonKind::NoMatchingOffer { .. }
        | ReasonKind::NoOffers { .. }
        | ReasonKind::HeldByOthers { .. } => ("machine", "error"),
        ReasonKind::NextCycle { .. } => ("prepared", "active"),
        ReasonKind::Starting { .. } => ("starting", "active"),
        ReasonKind::Readiness { .. } => ("started", "active"),
        ReasonKind::AwaitingExit { .. } => ("in-progress", "active"),
        ReasonKind::Errored { .. } => ("error", "error"),
        ReasonKind::Child { .. } => ("tree", "neutral"),
        ReasonKind::Quirk { .. } => ("info", "neutral"),
        ReasonKind::Verdict { .. } => ("gate", "waiting"),
        ReasonKind::Underway { .. } => ("in-progress", "active"),
        ReasonKind::Manual { .. } => ("flag", "forced"),
        ReasonKind::Object { .. } => ("starting", "waiting"),
    }
}

/// Returns whether a reason has more to show than its words.
pub(super) fn has_more(kind: &ReasonKind) -> bool {
    (detail(kind).is_some() && !matches!(kind, ReasonKind::NextCycle { .. }))
        || matches!(
            kind,
            ReasonKind::NotItsTurn { .. } | ReasonKind::DirtyAsset { .. } | ReasonKind::Child { .. }
        )
}
