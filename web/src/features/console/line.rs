//! The line being typed, and its completions.
//!
//! Tab completes as far as all words agree. If there is nothing to add, or after Esc, it leaves the line as usual.

use crate::browser;
use crate::store::console::{Console, ConsoleAct};
use crate::store::ptr::Ptr;
use crate::store::{Action, Hub, use_hub};
use crate::ui::IconButton;
use planarium_protocol::View;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Words that are offered at once.
const OFFERED: usize = 12;

#[derive(Properties, PartialEq)]
pub(super) struct LineProps {
    /// The view.
    pub(super) view: Ptr<View>,
    /// The console.
    pub(super) console: Ptr<Console>,
}

/// The line.
#[component]
pub(super) fn Line(props: &LineProps) -> Html {
    let hub = use_hub();
    let console = &props.console;
    let field = use_node_ref();
    let (words, more) = console.completion().map_or((&[][..], 0), |known| (&known.words[..], known.more));
    let oninput = hub.on(|event: InputEvent| {
        let input = event.target_dyn_into::<HtmlInputElement>();
        Action::Console(ConsoleAct::Edit(input.map(|input| input.value()).unwrap_or_default()))
    });
    let run = {
        let (hub, field) = (hub.clone(), field.clone());
        move || {
            hub.send(Action::Console(ConsoleAct::Run));
            written(&hub, &field);
        }
    };
    let onsubmit = {
        let run = run.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            run();
        })
    };
    let more = more + words.len().saturating_sub(OFFERED);
    html! {
        <div class="console-line">
            <form {onsubmit}>
                <span class="console-prompt" aria-hidden="true">{ "$" }</span>
                <input
                    ref={field.clone()}
                    id="console-line"
                    type="text"
                    class="mono"
                    aria-label="Command"
                    aria-describedby="console-hint"
                    placeholder="plan status deploy"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    enterkeyhint="send"
                    value={hub.state().console.line.clone()}
                    {oninput}
                    onkeydown={keys(&hub, &field)}
                />
                <IconButton icon="play" label="Run the command" onclick={Callback::from(move |_| run())} />
            </form>
            <p class="console-hint muted" id="console-hint">
                <span class="by-key">{ "Tab completes; Esc, Tab leaves; ↑ ↓ earlier lines." }</span>
                <span class="by-touch">{ "Tap a word to go on with it." }</span>
            </p>
            <div class="console-words" role="group" aria-label="Words that fit here">
                { for words.iter().take(OFFERED).map(|word| {
                    let (hub, field, picked) = (hub.clone(), field.clone(), word.clone());
                    let onclick = Callback::from(move |_: MouseEvent| {
                        hub.send(Action::Console(ConsoleAct::Pick(picked.clone())));
                        written(&hub, &field);
                        browser::focus("#console-line");
                    });
                    html! { <button key={word.clone()} type="button" class="console-word mono" {onclick}>{ word }</button> }
                }) }
                if more > 0 { <span class="muted">{ format!("and {more} more") }</span> }
            </div>
        </div>
    }
}

/// Writes the line into its field at once: the next key may come before it is drawn.
fn written(hub: &Hub, field: &NodeRef) {
    if let Some(field) = field.cast::<HtmlInputElement>() {
        field.set_value(&hub.state().console.line);
    }
}

fn keys(hub: &Hub, field: &NodeRef) -> Callback<KeyboardEvent> {
    let (hub, field) = (hub.clone(), field.clone());
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key()
            || event.meta_key()
            || event.alt_key()
            || event.shift_key()
            || event.is_composing()
        {
            return;
        }
        let state = hub.state();
        let act = match event.key().as_str() {
            "ArrowUp" => ConsoleAct::Earlier,
            "ArrowDown" => ConsoleAct::Later,
            "Tab" if at_end(&event) && state.console.tab_completes() => ConsoleAct::Complete,
            "Escape" => ConsoleAct::LetGo,
            _ => return,
        };
        event.prevent_default();
        hub.send(Action::Console(act));
        written(&hub, &field);
    })
}

/// Returns whether the caret is after the last character, where completion works.
fn at_end(event: &KeyboardEvent) -> bool {
    let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return false };
    let length = u32::try_from(input.value().encode_utf16().count()).ok();
    input.selection_start().ok().flatten() == length
}
