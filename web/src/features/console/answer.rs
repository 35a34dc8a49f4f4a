//! A command and its result.

use crate::store::console::ConsoleAct;
use crate::store::selectors::time::clock;
use crate::store::{Action, use_hub};
use crate::ui::{Button, attr, icon};
use planarium_messages::facts::Answer;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct AnswerCardProps {
    /// The command and its answer.
    pub(super) answer: Answer,
}

/// The line, then its text; a failure in one line with the nearest command.
#[component]
pub(super) fn AnswerCard(props: &AnswerCardProps) -> Html {
    let hub = use_hub();
    let answer = &props.answer;
    let verdict = match answer.code {
        0 => None,
        1 => Some("Turned down"),
        _ => Some("Not understood"),
    };
    // The usage text is a table and keeps its lines.
    let (message, usage) = match answer.stderr.split_once("\n\n").filter(|_| answer.code == 2) {
        Some((message, usage)) => (message, Some(usage.trim_end().to_owned())),
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
                    <p title={format!("{verdict}, exit code {}", answer.code)}>
                        { icon("error") }<span class="visually-hidden">{ format!("{verdict}, exit code {}: ", answer.code) }</span>
                        <span class="console-message">{ message.strip_prefix("error: ").unwrap_or(message) }</span>
                        if let Some(line) = answer.meant.clone() {
                            <Button class="mono" look="quiet" label={attr(&line)} title="Write this line"
                                onclick={hub.act(Action::Console(ConsoleAct::Edit(line.to_string())))} />
                        }
                    </p>
                </div>
                if let Some(usage) = usage {
                    <details><summary class="muted">{ "What can be typed" }</summary><pre>{ usage }</pre></details>
                }
            } else if !answer.stderr.is_empty() {
                <pre class="muted">{ answer.stderr.trim_end() }</pre>
            }
        </div>
    }
}
