//! "Why is it not moving?": a sentence, the chain of reasons, the offers looked at, and what would help.

use crate::store::ptr::Ptr;
use crate::store::selectors::status::look_at;
use crate::store::selectors::time::{clock, short};
use crate::store::selectors::{offers, tree};
use crate::store::state::Story;
use crate::store::{Action, Hub, use_hub};
use crate::ui::bar::{Part, bar, share};
use crate::ui::{Badge, Button, attr, icon, status_icon};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::SourceRef;
use planarium_protocol::why::{ElementRef, OfferFunnel, Reason, ReasonKind, Unblock};
use planarium_protocol::{View, Why};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct WhyPaneProps {
    /// The view.
    pub(crate) view: Ptr<View>,
    /// The answer.
    pub(crate) why: Option<Ptr<Why>>,
    /// The question.
    pub(crate) selected: Option<ElementPath>,
    /// The story.
    pub(crate) story: Ptr<Story>,
}

/// The panel.
#[component]
pub(crate) fn WhyPane(props: &WhyPaneProps) -> Html {
    let hub = use_hub();
    let Some(path) = &props.selected else {
        return html! {
            <div class="empty">
                { icon("question") }
                <p>{ "Select a plan, a phase or a step to see why it is where it is." }</p>
            </div>
        };
    };
    let summary = tree::summary(&props.view, path);
    let source = tree::source_of(&props.view, path);
    let name = summary.as_ref().map_or_else(|| tree::leaf(path).to_string(), |found| found.name.to_string());
    html! {
        <div class="why">
            <header class="why-head">
                <p class="why-path">{ above(path) }</p>
                <h3>{ name }</h3>
                if let Some(summary) = &summary {
                    <Badge status={attr(&summary.status)} word={summary.word} forced={summary.forced} />
                }
                if let Some(source) = source { { source_link(&hub, &source) } }
            </header>
            if let Some(why) = &props.why {
                <p class="why-sentence">{ &why.sentence }</p>
                if why.reasons.iter().any(|reason| !matches!(reason.kind, ReasonKind::Complete)) {
                    <h4>{ "Because" }</h4>
                    <ol class="reasons">{ for why.reasons.iter().map(|reason| reason_line(&hub, reason)) }</ol>
                }
                { for why.reasons.iter().filter_map(|reason| match &reason.kind {
                    ReasonKind::NoMatchingOffer { funnel } => Some(funnel_view(funnel)),
                    _ => None,
                }) }
                if !why.unblock.is_empty() {
                    <h4>{ "What would help" }</h4>
                    <div class="unblock">{ for why.unblock.iter().map(|unblock| unblock_button(&hub, unblock)) }</div>
                }
            } else if summary.is_none() && !path.plan.is_empty() {
                <p class="why-sentence">{ "It does not exist at this moment. Move the clock, or select something else." }</p>
            }
            if summary.is_some() {
                <h4>{ "Commands" }</h4>
                <div class="button-row">
                    { for offers::of_element(&props.view, path).into_iter().map(|offer| html! {
                        <Button
                            label={offer.label}
                            icon={AttrValue::from(offer.icon)}
                            refused={offer.refused}
                            title={offer.consequence}
                            onclick={hub.act(offer.action)}
                        />
                    }) }
                </div>
            }
            { story(&props.story) }
        </div>
    }
}

fn above(path: &ElementPath) -> String {
    tree::parent(path)
        .filter(|up| !up.plan.is_empty())
        .map_or_else(|| path.service.to_string(), |up| tree::title(&up))
}

fn source_link(hub: &Hub, source: &SourceRef) -> Html {
    let text = format!("{}:{}", source.file, source.line);
    let action = Action::Reveal(attr(&source.file), source.line, source.column);
    html! {
        <button type="button" class="link" title="Show in the editor" onclick={hub.act(action)}>{ text }</button>
    }
}

fn select(hub: &Hub, element: &ElementRef) -> Html {
    html! {
        <button type="button" class="element-link" onclick={hub.act(Action::Select(element.path.clone()))}>
            { status_icon(look_at(&element.path, &element.status)) }
            <span>{ tree::title(&element.path) }</span>
            <span class="muted">{ element.status.to_string() }</span>
        </button>
    }
}

fn reason_line(hub: &Hub, reason: &Reason) -> Html {
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
                <p>{ &reason.text }</p>
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
        ReasonKind::DirtyAsset { .. } => ("lock", "waiting"),
        ReasonKind::Backoff { .. } => ("delayed", "waiting"),
        ReasonKind::Killing { .. } | ReasonKind::Ended { .. } | ReasonKind::Maintenance { .. } => {
            ("spanner", "waiting")
        }
        ReasonKind::NoMatchingOffer { .. } | ReasonKind::NoOffers { .. } => ("machine", "error"),
        ReasonKind::NextCycle { .. } => ("prepared", "active"),
        ReasonKind::Starting { .. } => ("starting", "active"),
        ReasonKind::Readiness { .. } => ("started", "active"),
        ReasonKind::Errored { .. } => ("error", "error"),
        ReasonKind::Child { .. } => ("tree", "neutral"),
        ReasonKind::Quirk { .. } => ("info", "neutral"),
        ReasonKind::CanaryGate { .. } | ReasonKind::Verdict { .. } => ("gate", "waiting"),
        ReasonKind::AwaitingExit { .. } | ReasonKind::Underway { .. } => ("in-progress", "active"),
        ReasonKind::Manual { .. } => ("flag", "forced"),
        ReasonKind::Object { .. } => ("starting", "waiting"),
    }
}

fn unblock_button(hub: &Hub, unblock: &Unblock) -> Html {
    match &unblock.input {
        Some(input) => html! {
            <Button label={unblock.title.clone()} icon="unblock"
                onclick={hub.act(Action::Do(Box::new(input.clone())))} />
        },
        None => html! { <p class="advice">{ icon("info") }<span>{ &unblock.title }</span></p> },
    }
}

/// The offers looked at: how many machines passed each requirement, then every machine.
fn funnel_view(funnel: &OfferFunnel) -> Html {
    let machines = funnel.agents.len();
    html! {
        <section class="funnel">
            <h4>{ format!("Offers looked at, {}", clock(funnel.at_ms)) }</h4>
            if let Some(nearest) = &funnel.nearest { <p class="nearest">{ icon("info") }<span>{ nearest }</span></p> }
            <ul class="stages">
                { for funnel.stages.iter().map(|stage| {
                    let seen = i64::from(stage.passed) + i64::from(stage.failed);
                    let part = Part { share: share(i64::from(stage.passed), seen), kind: "done" };
                    html! {
                        <li>
                            <span class="stage-name">{ &*stage.requirement }</span>
                            { bar(&[part]) }
                            <span class="figure">{ format!("{} of {seen}", stage.passed) }</span>
                        </li>
                    }
                }) }
            </ul>
            <details open={machines <= 5}>
                <summary>{ format!("{machines} {}", if machines == 1 { "machine" } else { "machines" }) }</summary>
                <table class="funnel-table">
                    <thead><tr><th scope="col">{ "Machine" }</th><th scope="col">{ "Outcome" }</th></tr></thead>
                    <tbody>
                        { for funnel.agents.iter().map(|agent| html! {
                            <tr>
                                <th scope="row">{ &*agent.agent }</th>
                                <td>
                                    <ul class="outcomes">
                                        { for agent.outcomes.iter().map(|outcome| html! {
                                            <li data-family={if outcome.passed { "complete" } else { "error" }}>
                                                { icon(if outcome.passed { "check" } else { "cross" }) }
                                                <span class="visually-hidden">{ if outcome.passed { "met:" } else { "not met:" } }</span>
                                                <span>{ format!("{}: {}", outcome.requirement, outcome.text) }</span>
                                            </li>
                                        }) }
                                    </ul>
                                </td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </details>
        </section>
    }
}

/// The script of an example.
fn story(story: &Story) -> Html {
    if story.lines.is_empty() {
        return Html::default();
    }
    let done = story.lines.iter().filter(|line| line.done).count();
    html! {
        <details class="story">
            <summary>{ format!("Script of this example, {done} of {} played", story.lines.len()) }</summary>
            if !story.about.is_empty() { <p class="muted">{ &story.about }</p> }
            <ol>
                { for story.lines.iter().map(|line| html! {
                    <li data-done={line.done.to_string()}>
                        <span class="muted">{ &line.when }</span>
                        <span>{ &line.what }</span>
                    </li>
                }) }
            </ol>
        </details>
    }
}
