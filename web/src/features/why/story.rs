//! The script of an example.

use crate::store::state::Story;
use yew::prelude::*;

/// The script, folded away.
pub(super) fn story(story: &Story) -> Html {
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
