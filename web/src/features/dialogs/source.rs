//! Loading a file from an address that a link names: nothing is requested before the reader agrees.

use crate::browser::{self, AddressParts};
use crate::store::{Action, state, use_hub};
use crate::ui::{Button, Dialog};
use yew::prelude::*;

/// Longest address. *Units*: bytes.
const LONGEST: usize = 2000;

#[derive(Properties, PartialEq)]
pub(super) struct SourceCardProps {
    /// The address as it was given.
    pub(super) address: AttrValue,
}

/// Progress of a request.
#[derive(Clone, PartialEq)]
enum Stage {
    /// The reader has not agreed.
    Asks,
    /// The request runs.
    Loads,
    /// The request failed for this reason.
    Failed(String),
}

/// The card.
#[component]
pub(super) fn SourceCard(props: &SourceCardProps) -> Html {
    let hub = use_hub();
    let stage = use_state_eq(|| Stage::Asks);
    let alive = use_mut_ref(|| true);
    {
        let alive = alive.clone();
        use_effect_with((), move |()| {
            move || {
                *alive.borrow_mut() = false;
                browser::leave_address();
            }
        });
    }
    let close = hub.act(Action::CloseDialog);
    let file = match address_of(&props.address) {
        Ok(file) => file,
        Err(reason) => {
            return html! {
                <Dialog title="Open a file from an address" onclose={close.clone()}>
                    <p class="source-address mono">{ &props.address }</p>
                    <p role="alert" class="form-problem">{ format!("This address is not loaded: {reason}.") }</p>
                    <div class="button-row"><Button label="Close" onclick={close.reform(|_| ())} /></div>
                </Dialog>
            };
        }
    };
    let load = {
        let (hub, stage, alive) = (hub.clone(), stage.setter(), alive.clone());
        let (href, dialog) = (file.href.clone(), state::Dialog::Source(props.address.clone()));
        Callback::from(move |_: MouseEvent| {
            stage.set(Stage::Loads);
            let (hub, stage, alive, dialog) = (hub.clone(), stage.clone(), alive.clone(), dialog.clone());
            browser::files(browser::read_address(&href), move |read| {
                if *alive.borrow() {
                    match read {
                        Ok(files) => {
                            let failed = stage.clone();
                            super::open::try_open(&hub, &dialog, &opening(files), move |reason| {
                                failed.set(Stage::Failed(reason.trim_end_matches('.').to_owned()));
                            });
                        }
                        Err(reason) => stage.set(Stage::Failed(reason)),
                    }
                }
            });
        })
    };
    let loads = *stage == Stage::Loads;
    html! {
        <Dialog title="Open a file from an address" onclose={close.clone()}>
            <p>
                { "This link names a file at " }<strong class="source-address">{ &file.origin }</strong>
                if *stage == Stage::Asks {
                    { ". Nothing has been requested yet. If you load it, that server sees the request as that of any visitor; nothing from this page goes along." }
                } else { { "." } }
            </p>
            <p class="source-address mono">{ &file.href }</p>
            <div role="status">
                if loads { <p>{ format!("Loading from {} …", file.origin) }</p> }
            </div>
            if let Stage::Failed(reason) = &*stage {
                <p role="alert" class="form-problem">{ format!("Not opened: {reason}.") }</p>
            }
            <div class="button-row">
                <Button label={if matches!(*stage, Stage::Failed(_)) { "Try again" } else { "Load it" }} look="primary" onclick={load}
                    refused={loads.then_some(AttrValue::from("it is being loaded"))} />
                <Button label={if loads { "Cancel" } else { "Not now" }} onclick={close.reform(|_| ())} />
            </div>
        </Dialog>
    }
}

/// Opens files as if they were dropped. A text whose name says nothing about it gets a name, as a pasted one does.
fn opening(files: Vec<(String, String)>) -> Action {
    match files.as_slice() {
        [(name, text)] if !name.contains('.') => Action::OpenText(text.clone()),
        _ => Action::OpenFiles(files),
    }
}

/// Returns a text that is an address and nothing else. A link that contains a run or a lesson is none.
pub(super) fn alone(text: &str) -> Option<&str> {
    let text = text.trim();
    let web = text.starts_with("https://") || text.starts_with("http://");
    (web && !text.contains(|letter: char| letter.is_whitespace() || letter == '#')).then_some(text)
}

/// The parts of an address that may be loaded, or the reason against it.
fn address_of(text: &str) -> Result<AddressParts, String> {
    if text.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} characters"));
    }
    let parts = browser::parts_of(text.trim())
        .ok_or_else(|| "it is not a whole address such as https://example.org/svc.yml".to_owned())?;
    judged(parts)
}

fn judged(parts: AddressParts) -> Result<AddressParts, String> {
    if !matches!(parts.scheme.as_str(), "https:" | "http:") {
        return Err(format!("only https and http are loaded, not {}", parts.scheme.trim_end_matches(':')));
    }
    if parts.user {
        return Err("it has a name or a password before the host".to_owned());
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(scheme: &str, user: bool) -> AddressParts {
        let (href, origin) = (format!("{scheme}//example.org/a"), format!("{scheme}//example.org"));
        AddressParts { href, origin, scheme: scheme.to_owned(), user }
    }

    #[test]
    fn only_plain_web_addresses_are_loaded() {
        assert!(judged(parts("https:", false)).is_ok() && judged(parts("http:", false)).is_ok());
        let refused = |scheme, user| judged(parts(scheme, user)).err().unwrap_or_default();
        assert_eq!(refused("ftp:", false), "only https and http are loaded, not ftp");
        assert_eq!(refused("javascript:", false), "only https and http are loaded, not javascript");
        assert_eq!(refused("https:", true), "it has a name or a password before the host");
        let long = format!("https://example.org/{}", "a".repeat(LONGEST));
        assert!(address_of(&long).is_err_and(|reason| reason.starts_with("it is longer")));
    }

    #[test]
    fn a_pasted_address_is_told_from_a_link_and_a_text() {
        assert_eq!(alone(" https://example.org/svc.yml\n"), Some("https://example.org/svc.yml"));
        for other in ["https://example.org/#p1:abc", "name: x", "https://a b", "see https://example.org"] {
            assert_eq!(alone(other), None, "{other}");
        }
    }

    #[test]
    fn a_text_without_an_ending_gets_a_name_by_its_content() {
        let file = |name: &str| vec![(name.to_owned(), "name: x".to_owned())];
        assert_eq!(opening(file("raw")), Action::OpenText("name: x".into()));
        assert_eq!(opening(file("svc.yml")), Action::OpenFiles(file("svc.yml")));
    }
}
