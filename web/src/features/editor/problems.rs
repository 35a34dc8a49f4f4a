//! The findings as a list.

use crate::store::ptr::Ptr;
use crate::store::state::{Checked, Finding, Severity};
use crate::store::{Action, Hub, use_hub};
use crate::systems;
use crate::ui::{Button, attr, icon};
use yew::prelude::*;

/// Findings shown at most.
const MOST: usize = 100;

#[derive(Properties, PartialEq)]
pub(super) struct ProblemsProps {
    /// Result of reading the draft.
    pub(super) checked: Ptr<Checked>,
}

/// The list.
#[component]
pub(super) fn Problems(props: &ProblemsProps) -> Html {
    let hub = use_hub();
    let findings = &props.checked.findings;
    if findings.is_empty() {
        return html! { <p class="all-well">{ icon("check") }{ "No problem found." }</p> };
    }
    html! {
        <ul class="problems">
            { for findings.iter().take(MOST).map(|finding| problem(&hub, finding)) }
            if findings.len() > MOST { <li class="muted">{ format!("and {} more", findings.len() - MOST) }</li> }
        </ul>
    }
}

fn problem(hub: &Hub, finding: &Finding) -> Html {
    let (name, family) = match finding.severity {
        Severity::Error => ("error", "error"),
        Severity::Warning => ("warning", "waiting"),
        Severity::Info => ("info", "neutral"),
    };
    let place = Action::Reveal(attr(&finding.file), finding.line, finding.column);
    html! {
        <li class="problem" data-family={family}>
            <button type="button" class="problem-main" onclick={hub.act(place)} title="Show in the editor">
                { icon(name) }
                <span class="visually-hidden">{ finding.severity.word() }</span>
                <span class="problem-text">{ &finding.message }</span>
                <span class="muted problem-place">{ format!("{} {}:{}:{}", finding.code, finding.file, finding.line, finding.column) }</span>
            </button>
            if let Some(help) = &finding.help { <p class="problem-help">{ help }</p> }
            if let Some(fix) = &finding.fix {
                <Button label={attr(&fix.title)} icon="wand" onclick={hub.act(Action::Mend(Box::new(fix.clone())))} />
            }
            { systems::remedy(hub, finding).unwrap_or_default() }
        </li>
    }
}
