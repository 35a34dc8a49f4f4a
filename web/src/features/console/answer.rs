//! A command and what came of it.

use crate::store::console::Answer;
use crate::store::selectors::time::clock;
use crate::ui::icon;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct AnswerCardProps {
    /// The command and its answer.
    pub(super) answer: Answer,
}

/// The line, then its text; a failure with icon, word and exit code.
#[component]
pub(super) fn AnswerCard(props: &AnswerCardProps) -> Html {
    let answer = &props.answer;
    let verdict = match answer.code {
        0 => None,
        1 => Some("Turned down"),
        _ => Some("Not understood"),
    };
    // The usage text is a table and keeps its lines.
    let (message, usage) = match answer.stderr.split_once("\n\nUsage:") {
        Some((message, usage)) => (message, Some(format!("Usage:{}", usage.trim_end()))),
        None => (answer.stderr.trim_end(), None),
    };
    html! {
        <div class="console-answer">
            <p class="console-asked">
                <span class="muted" aria-hidden="true">{ "$" }</span>
                <code>{ &answer.line }</code>
                <span class="time">{ clock(answer.at_ms) }</span>
            </p>
            if !answer.stdout.is_empty() { <pre>{ answer.stdout.trim_end() }</pre> }
            if let Some(verdict) = verdict {
                <div class="console-failure" data-family="error">
                    <p>{ icon("error") }<strong>{ verdict }</strong><span class="muted">{ format!("exit code {}", answer.code) }</span></p>
                    <pre>{ message }</pre>
                </div>
                if let Some(usage) = usage { <pre>{ usage }</pre> }
            } else if !answer.stderr.is_empty() {
                <pre class="muted">{ answer.stderr.trim_end() }</pre>
            }
        </div>
    }
}
