//! Strips above the plan: broken text, the story's narration, the first hint, a run that will not move.

use crate::store::ptr::Ptr;
use crate::store::selectors::time::clock as clock_text;
use crate::store::selectors::tree;
use crate::store::state::{Checked, Clock, Differing, EditTab, Pane, PresetCard, Story, Tab};
use crate::store::{Action, use_hub};
use crate::ui::{Button, IconButton, icon};
use planarium_protocol::event::ElementPath;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct BannersProps {
    /// What reading the draft gave.
    pub(crate) checked: Ptr<Checked>,
    /// The draft is not what runs.
    pub(crate) dirty: bool,
    /// There is no version before it.
    pub(crate) empty: bool,
    /// The draft can be given to the running service.
    pub(crate) live: bool,
    /// Machines on which more gets done.
    pub(crate) better: Option<PresetCard>,
    /// The story.
    pub(crate) story: Ptr<Story>,
    /// The moment of the last words.
    pub(crate) clock: Clock,
    /// Show the first hint.
    pub(crate) hint: bool,
    /// What will not finish by itself.
    pub(crate) stuck: Option<ElementPath>,
    /// The run may be another one than was recorded.
    pub(crate) differing: Option<Differing>,
}

/// The strips, most urgent first.
#[component]
pub(crate) fn Banners(props: &BannersProps) -> Html {
    let hub = use_hub();
    let errors = props.checked.errors();
    let said = props.story.at(&props.clock);
    html! {
        <div class="banners">
            if errors > 0 {
                <div class="banner" data-family="error" role="status">
                    { icon("error") }
                    <p>
                        <strong>{ if props.empty { "This cannot run yet." } else { "Showing the last valid version." } }</strong>
                        { format!(" The text has {errors} {}.", if errors == 1 { "error" } else { "errors" }) }
                    </p>
                    <Button label="Show" look="quiet" onclick={hub.on(move |_| Action::ShowEditTab(EditTab::Problems))} />
                </div>
            } else if props.dirty {
                <div class="banner" data-family="active">
                    { icon("edit") }
                    <p>{ "The definition was edited; this run is of the version before." }</p>
                    if props.live {
                        <Button label="Roll out" title="Give it to the running service, at the moment shown"
                            onclick={hub.act(Action::RollOut)} />
                    }
                    <Button label="Apply" look="primary" title="A new world with the edited definition (Ctrl-Enter)"
                        onclick={hub.act(Action::Apply)} />
                </div>
            }
            if let Some(differing) = &props.differing {
                <div class="banner" data-family="waiting" role="status">
                    { icon("error") }
                    <p>
                        <strong>{ capital(&differing.text) }{ "." }</strong>
                        { " What is shown comes of the recorded inputs, replayed by this version." }
                    </p>
                    <Button label="Copy the recorded inputs" look="quiet" onclick={copy(&hub, &differing.recorded)} />
                    <Button label="Save them" look="quiet" title="The journal as it was recorded, as a file" onclick={save(&differing.recorded)} />
                    <IconButton icon="close" label="Dismiss this message" onclick={hub.act(Action::LeaveDiffering)} />
                </div>
            }
            if let Some(preset) = &props.better {
                <div class="banner" data-family="waiting" role="status">
                    { icon("machine") }
                    <p>
                        <strong>{ "These machines do not suffice." }</strong>
                        { format!(" It gets further on: {}.", preset.text) }
                    </p>
                    <Button label="Use them" look="primary" title="A new world on these machines"
                        onclick={hub.act(Action::SetPreset(preset.name.clone()))} />
                </div>
            }
            if let Some(path) = &props.stuck {
                <div class="banner" data-family="waiting" role="status">
                    { icon("waiting") }
                    <p>
                        <strong>{ format!("Nothing more will happen by itself, and {} is not finished.", tree::title(path)) }</strong>
                    </p>
                    <Button label="Why?" onclick={ask(&hub, path)} />
                </div>
            }
            if let Some((number, said)) = said {
                <div class="banner narration" key={format!("said-{number}")}>
                    { icon("book") }
                    <p>{ &said.text }</p>
                    <span class="time">{ clock_text(said.at_ms) }</span>
                </div>
            }
            if props.hint && errors == 0 {
                <div class="banner hint">
                    { icon("play") }
                    <p>
                        { "Press " }<kbd>{ "Space" }</kbd>
                        { " to roll this definition out. Then lose a machine, go back in time, or ask any step why it waits." }
                    </p>
                    <IconButton icon="close" label="Dismiss the hint" onclick={hub.act(Action::DismissHint)} />
                </div>
            }
        </div>
    }
}

/// A sentence with its first letter large.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn copy(hub: &crate::store::Hub, text: &AttrValue) -> Callback<MouseEvent> {
    let (hub, text) = (hub.clone(), text.clone());
    Callback::from(move |_| {
        let hub = hub.clone();
        crate::browser::copy(&text, move |done| {
            hub.send(Action::Say(if done { "Copied." } else { "The browser refused to copy." }.into()));
        });
    })
}

fn save(text: &AttrValue) -> Callback<MouseEvent> {
    let text = text.clone();
    Callback::from(move |_| crate::browser::save_text("recorded.json", &text))
}

fn ask(hub: &crate::store::Hub, path: &ElementPath) -> Callback<MouseEvent> {
    let (hub, path) = (hub.clone(), path.clone());
    Callback::from(move |_| {
        hub.send(Action::Select(path.clone()));
        hub.send(Action::ShowTab(Tab::Why));
        if crate::browser::matches("(max-width: 767px)") {
            hub.send(Action::ShowPane(Pane::Inspect));
        }
    })
}
