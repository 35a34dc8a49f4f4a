//! The editor pane: files, text, findings, environment, machines.

mod env;
mod file_tree;
mod files;
mod moment;
mod problems;
mod rich;
mod services;
mod setup;

use crate::browser;
use crate::store::draft::Draft;
use crate::store::moment::{Standing, standing};
use crate::store::ptr::Ptr;
use crate::store::served::WORLD_STAYS;
use crate::store::state::{Checked, EditTab, PresetCard, Severity};
use crate::store::{Action, use_hub};
use crate::systems;
use crate::ui::Button;
use crate::ui::tabs::{TabItem, Tabs};
use env::EnvTable;
use files::FileTabs;
use moment::MomentStrip;
use problems::Problems;
use rich::TextPane;
use services::ServiceTabs;
use setup::SetupForm;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct EditorPaneProps {
    /// The draft.
    pub(crate) draft: Draft,
    /// The definitions of all services.
    pub(crate) drafts: Ptr<Vec<Draft>>,
    /// Index of the edited definition.
    pub(crate) at: usize,
    /// True if any definition differs from what runs.
    pub(crate) dirty: bool,
    /// Result of reading it.
    pub(crate) checked: Ptr<Checked>,
    /// Tab below the text.
    pub(crate) tab: EditTab,
    /// Place to show.
    pub(crate) reveal: Option<(AttrValue, u32, u32, u32)>,
    /// Dark colours.
    pub(crate) dark: bool,
    /// Machines in use.
    pub(crate) preset: Option<AttrValue>,
    /// Machines to choose from.
    pub(crate) presets: Ptr<Vec<PresetCard>>,
    /// The seed.
    pub(crate) seed: u64,
    /// Something has happened in the world shown.
    pub(crate) touched: bool,
    /// The world is that of a lesson.
    pub(crate) lesson: bool,
    /// The world is served to others, too.
    pub(crate) served: bool,
}

const TABS: [EditTab; 3] = [EditTab::Problems, EditTab::Env, EditTab::World];

/// The pane.
#[component]
pub(crate) fn EditorPane(props: &EditorPaneProps) -> Html {
    let hub = use_hub();
    let draft = &props.draft;
    let (errors, all) = (props.checked.errors(), props.checked.findings.len());
    let items = vec![
        TabItem::new("Problems").count(all, tone(&props.checked)),
        TabItem::new("Environment").count(props.checked.missing.len(), "waiting"),
        TabItem::new("Machines"),
    ];
    let current = TABS.iter().position(|tab| *tab == props.tab).unwrap_or(0);
    let refused: Option<AttrValue> = if props.lesson {
        Some("the world of a lesson stays as it is".into())
    } else if props.served {
        Some(WORLD_STAYS.into())
    } else if errors > 0 {
        Some("the definition has errors".into())
    } else if !props.dirty {
        Some("nothing was edited".into())
    } else {
        None
    };
    // Before anything has run an edit takes effect immediately: it is a draft too briefly to say so.
    let stands = match standing(draft) {
        Standing::Draft | Standing::Absent if !props.touched && errors == 0 => Standing::Runs,
        stands => stands,
    };
    html! {
        <div class="editor">
            <ServiceTabs drafts={props.drafts.clone()} draft={draft.clone()} at={props.at} />
            <div class="pane-head">
                <FileTabs files={draft.files.clone()} current={draft.file.clone()} />
                if props.touched && errors == 0 && matches!(stands, Standing::Draft | Standing::Absent) {
                    <Button label="Update the service" icon="rocket" title="Give the edited definition to the running service, at the moment shown"
                        onclick={hub.on({ let hub = hub.clone(); move |_| systems::roll_out(&hub.state().checked.dialect) })} />
                }
                <Button label="Start over with this" icon="apply" look="primary" {refused} title="A new world with this definition (Ctrl-Enter)"
                    class="apply-button" onclick={hub.act(Action::Apply)} />
            </div>
            if draft.files.is_empty() {
                <NoFile />
            } else {
                <MomentStrip standing={stands} />
                <TextPane
                    at={props.at}
                    file={draft.file.clone()}
                    text={AttrValue::from(draft.text().to_owned())}
                    loaded={draft.loaded}
                    checked={props.checked.clone()}
                    reveal={props.reveal.clone()}
                    dark={props.dark}
                />
            }
            <div class="editor-below">
                <Tabs label="About the definition" id="editor" {items} {current}
                    onpick={hub.on(|at: usize| Action::ShowEditTab(TABS.get(at).copied().unwrap_or_default()))} />
                <div class="editor-panel" id="editor-panel" role="tabpanel" tabindex="0" aria-labelledby={format!("editor-{current}")}>
                    { match props.tab {
                        EditTab::Problems => html! { <Problems checked={props.checked.clone()} /> },
                        EditTab::Env => html! { <EnvTable env={draft.env.clone()} checked={props.checked.clone()} /> },
                        EditTab::World => html! {
                            <SetupForm preset={props.preset.clone()} presets={props.presets.clone()} seed={props.seed} touched={props.touched} />
                        },
                    } }
                </div>
            </div>
        </div>
    }
}

/// The colour of the worst finding.
fn tone(checked: &Checked) -> &'static str {
    match checked.findings.iter().map(|finding| finding.severity).min() {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "waiting",
        Some(Severity::Info) | None => "neutral",
    }
}

/// Nothing is open.
#[component]
fn NoFile() -> Html {
    let hub = use_hub();
    let onclick = {
        let hub = hub.clone();
        Callback::from(move |_: MouseEvent| {
            // Files opened meanwhile stay.
            if hub.state().draft.files.is_empty() {
                let (path, text) = systems::first();
                hub.send(Action::Edit(path.to_owned(), text.to_owned()));
            }
        })
    };
    html! {
        <div class="empty">
            <p>{ "No definition is open." }</p>
            <Button label="Write one" {onclick} />
        </div>
    }
}

/// The rich editor is worth loading: there is room for it, and a fine pointer.
pub(crate) fn wants_rich() -> bool {
    browser::matches("(min-width: 768px)")
}
