//! Inverse offers: which framework was asked to leave which machine, and its answer.

use crate::store::ptr::Ptr;
use crate::store::selectors::time::clock;
use crate::ui::icon;
use planarium_protocol::view::{ClusterView, InverseOfferView};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct AnswersProps {
    /// The machines.
    pub(super) cluster: Ptr<ClusterView>,
}

/// The table.
#[component]
pub(super) fn Answers(props: &AnswersProps) -> Html {
    let machines = &props.cluster.machines;
    let asked: Vec<_> = machines
        .iter()
        .flat_map(|machine| machine.inverse_offers.iter().map(move |offer| (&machine.hostname, offer)))
        .collect();
    html! {
        <section aria-labelledby="maintenance-answers">
            <h3 id="maintenance-answers">{ "Inverse offers" }</h3>
            if asked.is_empty() {
                <p class="muted">{ "No framework is asked to leave a machine now. A framework is asked when it has something on a scheduled machine." }</p>
            } else {
                <div class="table-scroll" tabindex="0" role="group" aria-label="Inverse offers and answers">
                    <table class="machine-table">
                        <thead>
                            <tr>
                                <th scope="col">{ "Framework" }</th>
                                <th scope="col">{ "Machine" }</th>
                                <th scope="col">{ "Last answer" }</th>
                                <th scope="col">{ "Asked now" }</th>
                            </tr>
                        </thead>
                        <tbody>
                            { for asked.iter().map(|(host, offer)| html! {
                                <tr key={format!("{host}/{}", offer.framework)}>
                                    <th scope="row">{ &*offer.framework }</th>
                                    <td>{ &***host }</td>
                                    <td>{ answer(offer) }</td>
                                    <td>{ if offer.outstanding { "yes" } else { "no" } }</td>
                                </tr>
                            }) }
                        </tbody>
                    </table>
                </div>
            }
        </section>
    }
}

fn answer(offer: &InverseOfferView) -> Html {
    let (family, name) = match offer.answer.as_deref() {
        Some("ACCEPT") => ("complete", "check"),
        Some("DECLINE") => ("error", "cross"),
        _ => ("neutral", "dots"),
    };
    let word = offer.answer.as_deref().unwrap_or("none yet");
    let at = offer.answered_ms.map(|ms| format!(" at {}", clock(ms))).unwrap_or_default();
    html! { <><span class="chip" data-family={family}>{ icon(name) }{ word }</span>{ at }</> }
}
