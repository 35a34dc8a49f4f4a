//! The link to this run.

use crate::browser;
use crate::store::action::Format;
use crate::store::selectors::time::clock;
use crate::store::state::Link;
use crate::store::{Action, Hub, state, use_hub};
use crate::ui::bar::{Part, bar, share};
use crate::ui::{Button, Dialog, attr};
use yew::prelude::*;

/// Up to this length a link survives chat programs.
const SAFE: usize = 2000;
/// Beyond this length some programs cut it off.
const RISKY: usize = 8000;

/// Files beside the link.
const FORMATS: [(Format, &str, &str); 5] = [
    (Format::Transcript, "Transcript", "What happened, line by line"),
    (Format::Csv, "Events (CSV)", "Every event as a table"),
    (Format::Tree, "Plans (text)", "The plans at the moment shown"),
    (Format::Mermaid, "Timeline (Mermaid)", "A Gantt chart for documents"),
    (Format::Journal, "Journal (JSON)", "Everything that was put in, for tools; can be opened again"),
];

#[derive(Properties, PartialEq)]
pub(super) struct ShareDialogProps {
    /// The link.
    pub(super) link: Option<Link>,
    /// Title of the content.
    pub(super) title: AttrValue,
}

/// The dialog.
#[component]
pub(super) fn ShareDialog(props: &ShareDialogProps) -> Html {
    let hub = use_hub();
    let link = props.link.as_ref().map(|link| link.address.clone()).unwrap_or_default();
    let title =
        if props.title.is_empty() { "A rollout in Planarium".to_owned() } else { props.title.to_string() };
    let markdown = format!("[{title}]({link})");
    let (kind, text) = verdict(link.len());
    let meter = Part { share: share(i64::try_from(link.len()).unwrap_or(i64::MAX), 10_000), kind };
    let save = {
        let run = link.split('#').next_back().unwrap_or_default().to_owned();
        Callback::from(move |_| browser::save_text("planarium-run.txt", &run))
    };
    html! {
        <Dialog title="Share this run" onclose={hub.act(Action::CloseDialog)}>
            <p>{ "The link holds everything: the definition, the machines, the seed, and all that was done. It is the address bar's own; no server keeps it." }</p>
            <label class="field">
                <span>{ "Link" }</span>
                <textarea class="mono" rows="4" readonly=true value={attr(&link)} />
            </label>
            <div class="meter" data-kind={kind}>
                { bar(&[meter]) }
                <span>{ format!("{} characters: {text}", link.len()) }</span>
            </div>
            <div class="button-row">
                <Button label="Copy the link" icon="link" look="primary" onclick={copy(&hub, link.to_string())} />
                <Button label="Copy as Markdown" icon="copy" onclick={copy(&hub, markdown)} />
                <Button label="Save as a file" icon="save" onclick={save} />
                <Button label="Embed …" icon="book" title="For a document of your own (e)" onclick={hub.act(Action::OpenDialog(state::Dialog::Embed))} />
            </div>
            if let Some(link) = &props.link {
                <p class="muted">
                    { format!("At {} the digest of all that happened is ", clock(link.at_ms)) }
                    <code>{ &*link.digest }</code>
                    { ". It is the same wherever the link is opened, and in " }
                    <code>{ "planarium run LINK" }</code>
                    { "." }
                </p>
            }
            <h3>{ "For other programs" }</h3>
            <div class="button-row">
                { for FORMATS.into_iter().map(|(format, label, title)| html! {
                    <Button icon="save" {label} {title} onclick={hub.act(Action::SaveAs(format))} />
                }) }
            </div>
        </Dialog>
    }
}

fn verdict(length: usize) -> (&'static str, &'static str) {
    if length < SAFE {
        ("done", "safe in chats and mails")
    } else if length < RISKY {
        ("waiting", "fine for browsers; some chats cut links of this length")
    } else {
        ("failed", "long; a file is the safer way")
    }
}

pub(super) fn copy(hub: &Hub, text: String) -> Callback<MouseEvent> {
    let hub = hub.clone();
    Callback::from(move |_| {
        let hub = hub.clone();
        browser::copy(&text, move |done| {
            hub.send(Action::Say(
                if done { "Copied." } else { "The browser refused to copy; select the text instead." }.into(),
            ));
        });
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_links_are_called_long() {
        for (length, kind) in
            [(0, "done"), (1999, "done"), (2000, "waiting"), (7999, "waiting"), (8000, "failed")]
        {
            assert_eq!(verdict(length).0, kind, "{length}");
        }
    }
}
