//! The recovery card: shown when the page itself fails, or no engine keeps running.
//!
//! *Knows*: that nothing of this program runs after a panic in WebAssembly, so the card contains only plain links and
//! text made in the panic hook. *Must not know*: the state.

use crate::browser;
use crate::store::persist;
use std::panic::PanicHookInfo;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement};

/// Puts the recovery card in place of the page when a panic strikes.
pub(super) fn install() {
    yew::set_custom_panic_hook(Box::new(|info| {
        report(info);
        show(&info.to_string());
    }));
}

/// Puts it in place of the page when no engine stays beside it.
pub(super) fn give_up(reason: &str) {
    show(reason);
}

fn report(info: &PanicHookInfo<'_>) {
    let text = info.to_string();
    gloo::console::error!(text);
}

fn show(reason: &str) -> Option<()> {
    let document = browser::window()?.document()?;
    let body = document.body()?;
    if let Some(app) = document.get_element_by_id("app") {
        let _ = app.set_attribute("hidden", "");
    }
    let card = element(&document, "section", "recovery", "")?;
    card.set_attribute("role", "alert").ok()?;
    append(&card, element(&document, "h1", "", "The page stopped")?);
    let text = "This is a defect of Planarium, not of your definition. Your run was saved before the last \
                command, and so was what you wrote.";
    append(&card, element(&document, "p", "", text)?);
    let address = Some(browser::hash()).filter(|hash| hash.len() > 1);
    let run = persist::saved_run().or(address).unwrap_or_default();
    let run = run.trim_start_matches('#').to_owned();
    let parts = persist::saved_parts();
    if !run.is_empty() || parts.is_some() {
        append(&card, link(&document, "Bring the run back", &restart_url(&run), true)?);
        let text =
            parts.map_or_else(|| run.clone(), |parts| planarium_protocol::json::of(&parts).to_string());
        let saved = link(&document, "Save the run as a file", &data_url(&text), false)?;
        saved.set_attribute("download", "planarium-run.txt").ok()?;
        append(&card, saved);
    }
    append(&card, link(&document, "Start afresh", &browser::page_url(), false)?);
    if let Some(pending) = persist::saved_pending() {
        append(&card, details(&document, "The last command", &pending)?);
    }
    append(&card, details(&document, "What to report", reason)?);
    body.append_child(&card).ok()?;
    card.dyn_into::<HtmlElement>().ok()?.scroll_into_view();
    Some(())
}

/// Another query makes the browser reload the page although only the part after `#` matters.
fn restart_url(run: &str) -> String {
    format!("{}?recovered={}#{run}", browser::page_url(), run.len())
}

fn data_url(text: &str) -> String {
    format!("data:text/plain;charset=utf-8,{}", String::from(js_sys::encode_uri_component(text)))
}

fn element(document: &Document, tag: &str, class: &str, text: &str) -> Option<Element> {
    let element = document.create_element(tag).ok()?;
    element.set_class_name(class);
    element.set_text_content((!text.is_empty()).then_some(text));
    Some(element)
}

fn link(document: &Document, text: &str, href: &str, first: bool) -> Option<Element> {
    let link = element(document, "a", "button", text)?;
    link.set_attribute("href", href).ok()?;
    link.set_attribute("data-look", if first { "primary" } else { "" }).ok()?;
    Some(link)
}

fn details(document: &Document, summary: &str, text: &str) -> Option<Element> {
    let details = element(document, "details", "", "")?;
    append(&details, element(document, "summary", "", summary)?);
    append(&details, element(document, "pre", "", text)?);
    Some(details)
}

fn append(parent: &Element, child: Element) {
    let _ = parent.append_child(&child);
}
