//! All keys, and what can be set.

use crate::store::state::{Prefs, Theme, Verbosity};
use crate::store::{Action, use_hub};
use crate::ui::Dialog;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct KeysDialogProps {
    /// Settings that the browser remembers.
    pub(super) prefs: Prefs,
}

const KEYS: [(&str, &[(&str, &str)]); 4] = [
    (
        "Time",
        &[
            ("Space", "Play or pause"),
            (", .", "One event back or ahead"),
            ("Shift-, Shift-.", "Status change before or next"),
            ("[ ]", "Marked moment before or next"),
            ("- +", "Slower or faster"),
            ("0 … 9", "To a tenth of the run"),
            ("← →", "On the slider: 5 seconds; with Shift a tenth"),
            (
                "← → Home End",
                "On the strip of the whole run: move the part shown; arrows with Shift resize it",
            ),
            ("Ctrl-wheel", "On the timeline: closer or further; with Shift along it"),
        ],
    ),
    (
        "The selected element",
        &[
            ("p", "Interrupt"),
            ("c", "Continue"),
            ("f", "Force complete"),
            ("r", "Restart"),
            ("Enter, w", "Why is it not moving?"),
            ("Shift-F10", "All commands"),
        ],
    ),
    (
        "The tree",
        &[
            ("↑ ↓ Home End", "Rows"),
            ("→ ←", "Open or close a row; move into its cells and back"),
            ("Enter on a reason", "Where a step is stuck: do what its chip offers"),
            ("*", "Open all siblings"),
            ("Shift-letter", "Next row that begins with this letter"),
            ("/", "Filter"),
        ],
    ),
    (
        "The page",
        &[
            ("Ctrl-K", "All commands, by name"),
            ("Ctrl-Enter", "Start over with the definition"),
            ("Ctrl-Z", "Undo what was done last; with Shift, do it again"),
            ("i", "Inject a failure"),
            ("m", "Maintenance of machines"),
            ("s", "Share"),
            ("e", "Embed in a document"),
            ("x", "Examples"),
            ("l", "Lessons"),
            ("o", "Open or paste"),
            ("g e, g t, g l, g m, g c, g o", "To the editor, tree, log, machines, console, comparison"),
            ("z", "Tree and timeline only"),
            ("d", "Dark or light"),
            ("Esc, Tab", "Leave the text editor"),
        ],
    ),
];

/// The dialog.
#[component]
pub(super) fn KeysDialog(props: &KeysDialogProps) -> Html {
    let hub = use_hub();
    let prefs = &props.prefs;
    let onkeys = {
        let hub = hub.clone();
        Callback::from(move |event: Event| {
            // The box's state counts, however often it was pressed since it was drawn.
            let checked = event.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked());
            if hub.state().prefs.keys_off == checked {
                hub.send(Action::ToggleKeys);
            }
        })
    };
    let onspeech = hub.on(|event: Event| {
        Action::SetVerbosity(match super::value_of(&event).as_str() {
            "milestones" => Verbosity::Milestones,
            "off" => Verbosity::Off,
            _ => Verbosity::All,
        })
    });
    let ontheme = hub.on(|event: Event| {
        Action::SetTheme(match super::value_of(&event).as_str() {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::Auto,
        })
    });
    html! {
        <Dialog title="Keys and settings" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <div class="settings">
                <label class="check">
                    <input type="checkbox" checked={!prefs.keys_off} onchange={onkeys} />
                    <span>{ "Use single keys as shortcuts" }</span>
                </label>
                <label class="field">
                    <span>{ "Colours" }</span>
                    <select onchange={ontheme}>
                        { for [(Theme::Auto, "As the system"), (Theme::Light, "Light"), (Theme::Dark, "Dark")].into_iter().map(|(theme, label)| html! {
                            <option value={theme.word()} selected={prefs.theme == theme}>{ label }</option>
                        }) }
                    </select>
                </label>
                <label class="field">
                    <span>{ "Screen reader announcements" }</span>
                    <select onchange={onspeech}>
                        <option value="all" selected={prefs.verbosity == Verbosity::All}>{ "Every change, in batches" }</option>
                        <option value="milestones" selected={prefs.verbosity == Verbosity::Milestones}>{ "Plans only" }</option>
                        <option value="off" selected={prefs.verbosity == Verbosity::Off}>{ "None" }</option>
                    </select>
                </label>
            </div>
            <div class="key-groups">
                { for KEYS.iter().map(|(title, keys)| html! {
                    <section>
                        <h3>{ *title }</h3>
                        <dl>
                            { for keys.iter().map(|(key, what)| html! {
                                <div><dt><kbd>{ *key }</kbd></dt><dd>{ *what }</dd></div>
                            }) }
                        </dl>
                    </section>
                }) }
            </div>
        </Dialog>
    }
}
