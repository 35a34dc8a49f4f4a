//! "Why is it not moving?": a sentence, ways out, the chain of reasons, the evaluated offers, the events that led to it.

mod funnel;
pub(crate) mod past;
mod reasons;
mod story;
mod ways;

use super::waiting::use_arrivals;
use crate::store::events::EventLog;
use crate::store::ptr::Ptr;
use crate::store::selectors::{arrows, log, offers, status, tree};
use crate::store::state::Story;
use crate::store::ways_out::WaysOut;
use crate::store::{Action, Hub, use_hub};
use crate::systems;
use crate::ui::{Badge, Button, attr, icon};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{SourceRef, StatusClass};
use planarium_protocol::why::{ElementRef, Reason, ReasonKind};
use planarium_protocol::{View, Why};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct WhyPaneProps {
    /// The view.
    pub(crate) view: Ptr<View>,
    /// The answer.
    pub(crate) why: Option<Ptr<Why>>,
    /// Root causes of the element's wait, and ways out.
    pub(crate) help: Ptr<WaysOut>,
    /// The question.
    pub(crate) selected: Option<ElementPath>,
    /// Events, for the history.
    pub(crate) log: EventLog,
    /// Last event at the cursor.
    pub(crate) seq: u64,
    /// The story.
    pub(crate) story: Ptr<Story>,
}

/// The panel.
#[component]
pub(crate) fn WhyPane(props: &WhyPaneProps) -> Html {
    let hub = use_hub();
    use_arrivals();
    // When the selected step was done: what came before does not change any more.
    let done = props.selected.as_ref().and_then(|path| {
        let step = tree::find_step(&props.view, path)?;
        status::is_done(status::words(&path.dialect), &step.status).then_some(step.since_ms)
    });
    let spent = {
        let (events, seq) = (props.log.clone(), props.seq);
        use_memo((props.selected.clone(), done, events.lineage), move |(path, done, _)| {
            path.as_ref()
                .filter(|_| done.is_some())
                .map(|path| log::spent(&events, path, seq))
                .unwrap_or_default()
        })
    };
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
    let commands = if summary.is_some() { offers::of_element(&props.view, path) } else { Vec::new() };
    html! {
        <div class="why">
            <header class="why-head">
                <p class="why-path">{ above(path) }</p>
                <h2>{ name }</h2>
                if let Some(summary) = &summary {
                    <Badge status={attr(&summary.status)} word={summary.word} forced={summary.forced} />
                }
                if let Some(source) = source { { source_link(&hub, &source) } }
            </header>
            if let Some(why) = &props.why {
                { answer(&hub, props, path, why, past::spent(path, &spent)) }
            } else if summary.is_none() && !path.plan.is_empty() {
                <p class="why-sentence">{ "It does not exist at this moment. Move the clock, or select something else." }</p>
            }
            { systems::about(&props.view, path).unwrap_or_default() }
            if !commands.is_empty() {
                <h3>{ "Commands" }</h3>
                <div class="button-row">
                    { for commands.into_iter().map(|offer| html! {
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
            { story::story(&props.story) }
        </div>
    }
}

/// The answer: of the element that holds this one up, where that is another one.
fn answer(hub: &Hub, props: &WhyPaneProps, path: &ElementPath, why: &Why, spent: Html) -> Html {
    let held = props.help.selected();
    let deepest = held.map_or(why, |held| &*held.why);
    let below = deepest.path != *path;
    let failed = status::class_of(&deepest.path.dialect, &deepest.status) == StatusClass::Failed;
    let event = arrows::cause_of(why, &props.help, &props.log, props.seq);
    let said = &deepest.sentence;
    let (told, open): (Vec<&Reason>, Vec<_>) =
        deepest.reasons.iter().partition(|reason| is_said(said, &reason.text));
    let between =
        why.reasons.iter().filter(|reason| below && !matches!(reason.kind, ReasonKind::Child { .. }));
    let told = told.into_iter().filter(|reason| reasons::has_more(&reason.kind)).map(|reason| (reason, true));
    let open = open.into_iter().chain(between).map(|reason| (reason, false));
    let mut lines: Vec<(&Reason, bool)> = Vec::new();
    for (reason, said) in told.chain(open) {
        // Several parts of a step may wait for the same.
        let again = lines.iter().any(|(other, _)| other.text == reason.text);
        if !again && !matches!(reason.kind, ReasonKind::Complete) {
            lines.push((reason, said));
        }
    }
    html! {
        <>
            if below {
                <div class="held-by">
                    <span class="muted">{ if failed { "Failed at" } else { "Waits for" } }</span>
                    { reasons::select(hub, &ElementRef { path: deepest.path.clone(), status: deepest.status.clone() }) }
                </div>
            }
            <p class="why-sentence">{ said }</p>
            if let Some(held) = held { { ways::ways(hub, held, props.help.fresh) } }
            { for deepest.reasons.iter().filter_map(|reason| match &reason.kind {
                ReasonKind::NoMatchingOffer { funnel } => Some(funnel::funnel(funnel, said)),
                _ => None,
            }) }
            if !lines.is_empty() {
                <section>
                    <h3>{ "Because" }</h3>
                    <ol class="reasons">
                        { for lines.into_iter().map(|(reason, said)| reasons::reason_line(hub, reason, said)) }
                    </ol>
                </section>
            }
            { spent }
            if let Some(event) = event { { past::causes(hub, &props.log, event, "How it came to this".to_owned()) } }
        </>
    }
}

/// Returns whether a sentence says a reason already, but for its first letter.
fn is_said(sentence: &str, text: &str) -> bool {
    let tail = text.char_indices().nth(1).and_then(|(at, _)| text.get(at..)).unwrap_or(text);
    sentence.contains(tail)
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
