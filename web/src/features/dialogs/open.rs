//! Opening files, folders and pasted texts.

use super::source;
use crate::browser;
use crate::store::{Action, Hub, state, use_hub};
use crate::ui::{Button, Dialog};
use planarium_protocol::Text;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct OpenDialogProps {
    /// Set if the definition is opened beside the present one.
    pub(super) beside: bool,
    /// There is something it could come beside.
    pub(super) running: bool,
    /// The world is served to others, too: nothing comes in its place.
    pub(super) served: bool,
}

/// The dialog.
#[component]
pub(super) fn OpenDialog(props: &OpenDialogProps) -> Html {
    let hub = use_hub();
    let text = use_node_ref();
    let folder = use_node_ref();
    let refused = use_state_eq(|| None::<AttrValue>);
    let opening = use_mut_ref(|| false);
    // Yew knows no property of this name; the attribute makes the browser offer folders.
    use_effect_with(folder.clone(), |folder| {
        if let Some(field) = folder.cast::<HtmlInputElement>() {
            let _ = field.set_attribute("webkitdirectory", "");
        }
    });
    let open_text = {
        let (hub, text, refused, opening) = (hub.clone(), text.clone(), refused.clone(), opening.clone());
        Callback::from(move |_| {
            let written = text.cast::<HtmlTextAreaElement>().map(|field| field.value()).unwrap_or_default();
            if let Some(address) = source::alone(&written) {
                let address = state::Dialog::Source(address.to_owned().into());
                hub.finish(&state::Dialog::Open, Action::OpenDialog(address));
            } else if !opening.replace(true) {
                let (refused, opening) = (refused.clone(), opening.clone());
                try_open(&hub, &state::Dialog::Open, &Action::OpenText(written), move |reason| {
                    opening.replace(false);
                    refused.set(Some(AttrValue::from(reason.to_string())));
                });
            }
        })
    };
    html! {
        <Dialog title="Open" onclose={hub.act(Action::CloseDialog)}>
            if props.served {
                <p>{ "A service definition or a package folder. It becomes another service of the served world. Files, folders and archives (.tgz, .zip) can also be dropped anywhere on the page." }</p>
            } else {
                <p>{ "A service definition, a package folder, a scenario, a saved run. Files, folders and archives (.tgz, .zip) can also be dropped anywhere on the page. Nothing leaves your browser." }</p>
            }
            if props.running && !props.served {
                <fieldset class="choices">
                    <legend class="visually-hidden">{ "Where it goes" }</legend>
                    { for [(false, "A world of its own"), (true, "Another service on these machines")].into_iter().map(|(beside, label)| html! {
                        <label class="check">
                            <input type="radio" name="beside" checked={props.beside == beside} onchange={hub.act(Action::Beside(beside))} />
                            <span>{ label }</span>
                        </label>
                    }) }
                </fieldset>
            }
            <div class="button-row">
                <label class="button file-button" data-look="primary">
                    <span>{ "Choose files" }</span>
                    <input type="file" multiple=true class="visually-hidden" onchange={chosen(&hub)} />
                </label>
                <label class="button file-button">
                    <span>{ "Choose a folder" }</span>
                    <input ref={folder} type="file" class="visually-hidden" onchange={chosen(&hub)} />
                </label>
            </div>
            <label class="field">
                <span>{ "Or paste a definition, a scenario, a share link, a journal, or the address of a file" }</span>
                <textarea ref={text} rows="10" spellcheck="false" class="mono" />
            </label>
            if let Some(reason) = &*refused {
                <p role="alert" class="form-problem">{ reason }</p>
            }
            <div class="button-row">
                <Button label="Open the text" onclick={open_text} />
            </div>
        </Dialog>
    }
}

/// Opens a text or files that a dialog was given. The dialog closes once they are shown; otherwise it stays as it is, and
/// `refused` gets the reason.
pub(super) fn try_open(hub: &Hub, dialog: &state::Dialog, action: &Action, refused: impl Fn(Text) + 'static) {
    let (opened, dialog) = (hub.clone(), dialog.clone());
    let then = move |outcome: Result<(), Text>| match outcome {
        Ok(()) => opened.close(&dialog),
        Err(reason) => refused(reason),
    };
    hub.try_open(action, Callback::from(then));
}

fn chosen(hub: &Hub) -> Callback<Event> {
    let hub = hub.clone();
    Callback::from(move |event: Event| {
        let files = event.target_dyn_into::<HtmlInputElement>().and_then(|field| field.files());
        if let Some(files) = files {
            open_files(&hub, browser::read_chosen(&files));
        }
    })
}

/// Opens files once they are read.
pub(crate) fn open_files(hub: &Hub, reading: js_sys::Promise) {
    let hub = hub.clone();
    browser::files(reading, move |read| match read {
        Ok(files) => hub.send(Action::OpenFiles(files)),
        Err(reason) => hub.send(Action::Say(format!("Not opened: {reason}.").into())),
    });
}
