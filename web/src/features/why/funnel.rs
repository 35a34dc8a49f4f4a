//! The offers looked at: what fails first and marked, what passed folded away.

use crate::store::selectors::time::clock;
use crate::ui::bar::{Part, bar, share};
use crate::ui::icon;
use planarium_protocol::why::{AgentOutcome, FunnelStage, OfferFunnel, RequirementOutcome};
use yew::prelude::*;

/// Shows the number of machines that passed each requirement, then every machine. The nearest miss is left out if it was `said`
/// above.
pub(super) fn funnel(funnel: &OfferFunnel, said: &str) -> Html {
    let machines = funnel.agents.len();
    let (failing, passed): (Vec<&FunnelStage>, Vec<_>) =
        funnel.stages.iter().partition(|stage| stage.failed > 0);
    let nearest = funnel.nearest.as_ref().filter(|nearest| !said.contains(nearest.as_str()));
    html! {
        <section class="funnel">
            <h3>{ format!("Offers looked at, {}", clock(funnel.at_ms)) }</h3>
            if let Some(nearest) = nearest { <p class="nearest">{ icon("info") }<span>{ nearest }</span></p> }
            <ul class="stages">{ for failing.into_iter().map(stage) }</ul>
            if !passed.is_empty() {
                <details>
                    <summary>{ format!("Met by all: {}", passed.iter().map(|stage| &*stage.requirement).collect::<Vec<_>>().join(", ")) }</summary>
                    <ul class="stages">{ for passed.into_iter().map(stage) }</ul>
                </details>
            }
            <details open={machines <= 5}>
                <summary>{ format!("{machines} {}", if machines == 1 { "machine" } else { "machines" }) }</summary>
                <table class="funnel-table">
                    <thead><tr><th scope="col">{ "Machine" }</th><th scope="col">{ "Outcome" }</th></tr></thead>
                    <tbody>{ for funnel.agents.iter().map(machine) }</tbody>
                </table>
            </details>
        </section>
    }
}

fn stage(stage: &FunnelStage) -> Html {
    let seen = i64::from(stage.passed) + i64::from(stage.failed);
    let part = Part { share: share(i64::from(stage.passed), seen), kind: "done" };
    let fails = stage.failed > 0;
    html! {
        <li data-family={if fails { "error" } else { "complete" }}>
            <span class="stage-name">{ icon(if fails { "cross" } else { "check" }) }{ &*stage.requirement }</span>
            { bar(&[part]) }
            <span class="figure">{ format!("{} of {seen}", stage.passed) }</span>
        </li>
    }
}

fn machine(agent: &AgentOutcome) -> Html {
    let (passed, failing): (Vec<&RequirementOutcome>, Vec<_>) =
        agent.outcomes.iter().partition(|outcome| outcome.passed);
    html! {
        <tr>
            <th scope="row">{ &*agent.agent }</th>
            <td>
                <ul class="outcomes">{ for failing.into_iter().map(outcome) }</ul>
                if !passed.is_empty() {
                    <details class="passed">
                        <summary>{ format!("{} met", passed.len()) }</summary>
                        <ul class="outcomes">{ for passed.into_iter().map(outcome) }</ul>
                    </details>
                }
            </td>
        </tr>
    }
}

fn outcome(outcome: &RequirementOutcome) -> Html {
    let (family, name, word) =
        if outcome.passed { ("complete", "check", "met:") } else { ("error", "cross", "not met:") };
    html! {
        <li data-family={family}>
            { icon(name) }
            <span class="visually-hidden">{ word }</span>
            <span>{ format!("{}: {}", outcome.requirement, outcome.in_words()) }</span>
        </li>
    }
}
