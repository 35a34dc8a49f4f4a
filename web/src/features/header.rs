//! The top of the page, and the tabs at the bottom of a small screen.

use crate::store::selectors::status::system;
use crate::store::served::WORLD_STAYS;
use crate::store::state::{Dialog, Pane, Tab, Theme};
use crate::store::{Action, use_hub};
use crate::ui::{Button, IconButton, icon};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct HeaderProps {
    /// Title of the content.
    pub(crate) title: AttrValue,
    /// Colours.
    pub(crate) theme: Theme,
    /// The editor drawer is shut.
    pub(crate) editor_shut: bool,
    /// Dialect of the definition.
    pub(crate) dialect: AttrValue,
    /// The world is served to others, too.
    pub(crate) served: bool,
}

/// Name, title, and the commands of the page.
#[component]
pub(crate) fn Header(props: &HeaderProps) -> Html {
    let hub = use_hub();
    let refused = props.served.then(|| AttrValue::from(WORLD_STAYS));
    let (theme_icon, theme_word) = match props.theme {
        Theme::Auto => ("theme-auto", "Colours: as the system"),
        Theme::Light => ("sun", "Colours: light"),
        Theme::Dark => ("moon", "Colours: dark"),
    };
    let ontheme = {
        let hub = hub.clone();
        Callback::from(move |_: MouseEvent| {
            hub.send(Action::SetTheme(match hub.state().prefs.theme {
                Theme::Auto => Theme::Light,
                Theme::Light => Theme::Dark,
                Theme::Dark => Theme::Auto,
            }));
        })
    };
    html! {
        <header class="header">
            <h1 class="brand">
                <svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
                    <use href="#i-brand" />
                </svg>
                <span>{ "Planarium" }</span>
            </h1>
            <button
                type="button"
                class="title-button"
                title={refused.clone().unwrap_or_else(|| "Examples (x)".into())}
                aria-label={format!("Examples: {}", props.title)}
                aria-haspopup="dialog"
                aria-disabled={refused.is_some().then_some("true")}
                onclick={hub.act(Action::OpenDialog(Dialog::Gallery))}
            >
                { icon("book") }
                <span class="title-text">
                    if props.title.is_empty() { { "Examples" } } else { { &props.title } }
                </span>
                { icon("chevron-down") }
            </button>
            if !props.dialect.is_empty() {
                <span class="chip dialect-chip" title="Dialect of the definition">{ system(&props.dialect).to_owned() }</span>
            }
            <span class="grow"></span>
            <Button icon="flag" label="Lessons" title="Learn rollouts by doing (l)" look="quiet" class="lessons-button"
                refused={refused}
                onclick={hub.act(Action::OpenDialog(Dialog::Lessons))} />
            <IconButton
                class="drawer-button"
                icon="edit"
                label="Editor"
                pressed={!props.editor_shut}
                onclick={hub.act(Action::ToggleEditor)}
            />
            <IconButton icon="search" label="Commands" keys="Ctrl-K"
                onclick={hub.act(Action::OpenDialog(Dialog::Palette))} />
            <Button icon="folder" label="Open" title="Open or paste a definition (o)" look="quiet"
                onclick={hub.act(Action::OpenDialog(Dialog::Open))} />
            <Button icon="share" label="Share" title="Link to this run (s)" look="quiet"
                onclick={hub.act(Action::OpenDialog(Dialog::Share))} />
            <IconButton icon="keyboard" label="Keys and settings" keys="?"
                onclick={hub.act(Action::OpenDialog(Dialog::Keys))} />
            <IconButton icon={theme_icon} label={theme_word} onclick={ontheme} />
        </header>
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct SmallTabsProps {
    /// Position of the one shown.
    pub(crate) current: usize,
    /// Errors in the definition.
    pub(crate) errors: usize,
    /// A lesson is shown in place of the definition.
    pub(crate) lesson: bool,
    /// Name of the tab with pods.
    pub(crate) pods: &'static str,
}

/// The panes and the inspector's tabs: the only tab bar on a small screen.
#[component]
pub(crate) fn SmallTabs(props: &SmallTabsProps) -> Html {
    let hub = use_hub();
    let first = if props.lesson { ("Lesson", "flag") } else { ("Edit", "edit") };
    let first = (first.0, first.1, Action::ShowPane(Pane::Edit));
    let items = [
        first,
        ("Plan", "tree", Action::ShowPane(Pane::Plan)),
        ("Why", "question", Action::ShowTab(Tab::Why)),
        ("Cluster", "machine", Action::ShowTab(Tab::Cluster)),
        (props.pods, "pod", Action::ShowTab(Tab::Pods)),
        ("Log", "list", Action::ShowTab(Tab::Log)),
        ("Console", "console", Action::ShowTab(Tab::Console)),
    ];
    html! {
        <nav class="small-tabs" aria-label="Panes">
            { for items.into_iter().enumerate().map(|(at, (label, name, action))| html! {
                <button
                    key={label}
                    type="button"
                    class="small-tab"
                    aria-current={(at == props.current).then_some("page")}
                    onclick={hub.act(action)}
                >
                    { icon(name) }
                    <span>{ label }</span>
                    if at == 0 && props.errors > 0 {
                        <span class="count" data-family="error">{ props.errors }</span>
                    }
                </button>
            }) }
        </nav>
    }
}
