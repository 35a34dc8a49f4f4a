//! Starting parameters of the world: machines and seed.

use crate::features::transport::SeedField;
use crate::store::ptr::Ptr;
use crate::store::state::{Dialog, PresetCard};
use crate::store::{Action, use_hub};
use crate::ui::Button;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct SetupFormProps {
    /// Machines in use, when they are a preset.
    pub(super) preset: Option<AttrValue>,
    /// Machines to choose from.
    pub(super) presets: Ptr<Vec<PresetCard>>,
    /// The seed.
    pub(super) seed: u64,
    /// Something has happened in the world shown.
    pub(super) touched: bool,
}

/// The form.
#[component]
pub(super) fn SetupForm(props: &SetupFormProps) -> Html {
    let hub = use_hub();
    let onchange = hub.on(|event: Event| {
        let value =
            event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
        Action::SetPreset(value.into())
    });
    html! {
        <div class="setup">
            <label class="field">
                <span>{ "Machines to start with" }</span>
                <select {onchange}>
                    if props.preset.is_none() { <option value="" selected=true>{ "as this run describes them" }</option> }
                    { for props.presets.iter().map(|preset| html! {
                        <option value={preset.name.clone()} selected={props.preset.as_ref() == Some(&preset.name)}>{ &preset.text }</option>
                    }) }
                </select>
            </label>
            <SeedField seed={props.seed} />
            <div class="button-row">
                <Button icon="plus" label="Add machines" onclick={hub.act(Action::OpenDialog(Dialog::AddMachine))} />
            </div>
            <p class="muted">
                { if props.touched { "Another choice starts over; the run before can be brought back." } else { "Nothing has run yet." } }
            </p>
        </div>
    }
}
