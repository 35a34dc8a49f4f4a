//! This run and another one on the same clock: totals, running tasks, differences of their steps.

use crate::store::ptr::Ptr;
use crate::store::selectors::compare::{Pair, figures, line, pairs, verdict};
use crate::store::selectors::status::{entry, words};
use crate::store::selectors::time::percent;
use crate::store::selectors::tree;
use crate::store::state::{Against, BranchTab, Compared};
use crate::store::{Action, Hub, use_hub};
use crate::ui::{Badge, Button, attr, icon};
use planarium_protocol::View;
use yew::prelude::*;

/// Steps listed at most.
const MOST: usize = 80;

#[derive(Properties, PartialEq)]
pub(crate) struct ComparePaneProps {
    /// The comparison.
    pub(crate) compared: Option<Ptr<Compared>>,
    /// The view of this run.
    pub(crate) view: Ptr<View>,
    /// Branches.
    pub(crate) branches: Ptr<Vec<BranchTab>>,
    /// There is a run before this one.
    pub(crate) before: bool,
    /// The definition was edited and can be used.
    pub(crate) edited: bool,
    /// The cursor.
    pub(crate) now_ms: u64,
}

/// The pane.
#[component]
pub(crate) fn ComparePane(props: &ComparePaneProps) -> Html {
    let hub = use_hub();
    let all = use_state_eq(|| false);
    let Some(compared) = &props.compared else { return choice(&hub, props) };
    let figures = figures(compared);
    let steps = pairs(&props.view, &compared.view);
    let different = steps.iter().filter(|pair| pair.differs()).count();
    let shown: Vec<&Pair> = steps.iter().filter(|pair| *all || pair.differs()).collect();
    let ontoggle = {
        let all = all.clone();
        Callback::from(move |_: Event| all.set(!*all))
    };
    html! {
        <div class="compare">
            <h2>{ format!("This run and {}", compared.name) }</h2>
            <p class="compare-verdict">{ verdict(compared) }</p>
            { curves(compared, props.now_ms) }
            <table class="compare-table">
                <caption class="visually-hidden">{ "Both runs in numbers" }</caption>
                <thead><tr><th scope="col"><span class="visually-hidden">{ "What" }</span></th>
                    <th scope="col">{ "This run" }</th><th scope="col">{ "The other" }</th></tr></thead>
                <tbody>
                    { for figures.iter().map(|figure| html! {
                        <tr key={figure.name}>
                            <th scope="row">{ figure.name }</th>
                            { for figure.values.iter().enumerate().map(|(at, value)| html! {
                                <td data-better={(figure.better == Some(at)).to_string()}>
                                    { value }
                                    if figure.better == Some(at) { { icon("check") }<span class="visually-hidden">{ "better" }</span> }
                                </td>
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
            <div class="compare-head">
                <h3>{ match different { 0 => "No step differs at this moment".to_owned(), 1 => "1 step differs at this moment".to_owned(), n => format!("{n} steps differ at this moment") } }</h3>
                <label class="check"><input type="checkbox" checked={*all} onchange={ontoggle} /><span>{ "All steps" }</span></label>
            </div>
            if !shown.is_empty() {
                <table class="compare-table compare-steps">
                    <caption class="visually-hidden">{ "Steps of both runs" }</caption>
                    <thead><tr><th scope="col">{ "Step" }</th><th scope="col">{ "This run" }</th><th scope="col">{ "The other" }</th></tr></thead>
                    <tbody>{ for shown.iter().take(MOST).map(|pair| step_row(&hub, pair)) }</tbody>
                </table>
            }
            if shown.len() > MOST { <p class="muted">{ format!("and {} more", shown.len() - MOST) }</p> }
            <div class="button-row">
                <Button icon="close" label="Stop comparing" onclick={hub.act(Action::Compare(None))} />
            </div>
        </div>
    }
}

fn step_row(hub: &Hub, pair: &Pair) -> Html {
    let words = words(&pair.path.dialect);
    let cell = |status: &Option<planarium_protocol::Text>| match status {
        Some(status) => html! { <Badge status={attr(status)} word={entry(words, status)} /> },
        None => html! { <span class="muted">{ "not there" }</span> },
    };
    html! {
        <tr key={format!("{}/{}", tree::service_key(&pair.path), tree::title(&pair.path))}>
            <th scope="row">
                <button type="button" class="link" title={tree::title(&pair.path)} onclick={hub.act(Action::Select(pair.path.clone()))}>
                    { &**tree::leaf(&pair.path) }
                </button>
            </th>
            { for pair.statuses.iter().map(|status| html! { <td>{ cell(status) }</td> }) }
        </tr>
    }
}

/// Draws the number of running tasks over time, one line per run.
fn curves(compared: &Compared, now_ms: u64) -> Html {
    let [own, other] = &compared.tallies;
    let end_ms = compared.heads.into_iter().max().unwrap_or(1).max(1);
    let most =
        [own, other].into_iter().flat_map(|tally| &tally.running).map(|(_, count)| *count).max().unwrap_or(0);
    let now = percent(now_ms, end_ms);
    html! {
        <figure class="compare-figure">
            <figcaption>
                { format!("Running tasks, up to {most}") }
                <span class="compare-key" data-run="own">{ "this run" }</span>
                <span class="compare-key" data-run="other">{ "the other" }</span>
            </figcaption>
            <svg class="compare-curves" role="img" aria-label={format!("Running tasks over time, up to {most}")} focusable="false">
                <svg viewBox="0 0 1000 100" preserveAspectRatio="none">
                    <polyline class="curve" data-run="other" points={line(&other.running, end_ms, most)} />
                    <polyline class="curve" data-run="own" points={line(&own.running, end_ms, most)} />
                </svg>
                <line class="playhead" x1={now.clone()} x2={now} y1="0" y2="100%" />
            </svg>
        </figure>
    }
}

/// Runs that this one can be compared with.
fn choice(hub: &Hub, props: &ComparePaneProps) -> Html {
    let others: Vec<_> = props.branches.iter().filter(|branch| !branch.current).collect();
    let nothing = others.is_empty() && !props.before && !props.edited;
    html! {
        <div class="compare">
            <h2>{ "Compare with another run" }</h2>
            <p>{ "Both runs keep to one clock: play, step and scrub move them together." }</p>
            if nothing {
                <p class="muted">{ "There is no other run yet. Go back in time and do something else, which opens a branch; or edit the definition." }</p>
            }
            <div class="compare-choices">
                { for others.into_iter().map(|branch| html! {
                    <Button icon="branch" label={format!("Branch {}", branch.title())} onclick={hub.act(Action::Compare(Some(Against::Branch(branch.id))))} />
                }) }
                if props.before {
                    <Button icon="reset" label="The run before this one" onclick={hub.act(Action::Compare(Some(Against::Before)))} />
                }
                if props.edited {
                    <Button icon="edit" label="The edited definition" onclick={hub.act(Action::Compare(Some(Against::Edited)))} />
                }
            </div>
        </div>
    }
}
