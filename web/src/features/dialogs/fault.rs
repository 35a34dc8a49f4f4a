//! Injecting a failure: what, where, for how long.

use crate::store::ptr::Ptr;
use crate::store::selectors::faults::{Near, Offer, Strikes, fault, in_view, offers, preferred, targets};
use crate::store::{Action, state, use_hub};
use crate::ui::{Button, Dialog};
use planarium_protocol::View;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::Input;
use yew::prelude::*;

#[derive(Properties, Clone, PartialEq)]
pub(super) struct FaultDialogProps {
    /// The view.
    pub(super) view: Ptr<View>,
    /// Selected element.
    pub(super) selected: Option<ElementPath>,
    /// Selected task.
    pub(super) task: Option<AttrValue>,
    /// Name of the definition in the editor.
    pub(super) definition: AttrValue,
}

/// The dialog.
#[component]
pub(super) fn FaultDialog(props: &FaultDialogProps) -> Html {
    let hub = use_hub();
    let chosen = use_state_eq(|| 0_usize);
    let target = use_state_eq(String::new);
    let seconds = use_state_eq(String::new);
    let Some(choice) = Choice::of(props, *chosen, &target, &seconds) else { return Html::default() };
    let inject = {
        let (hub, props) = (hub.clone(), props.clone());
        let (chosen, target, seconds) = (chosen.clone(), target.clone(), seconds.clone());
        Callback::from(move |_| {
            // The last choice may not be drawn yet; the options are as drawn.
            let choice = Choice::of(&props, *chosen, &target, &seconds);
            if let Some(choice) = choice.filter(|choice| choice.refused.is_none()) {
                let fault = fault(choice.offer, &choice.current, seconds_ms(&seconds));
                hub.finish(&state::Dialog::Fault, Action::Do(Box::new(Input::Fault(fault))));
            }
        })
    };
    let ontarget = {
        let target = target.clone();
        Callback::from(move |event: Event| target.set(super::value_of(&event)))
    };
    let onseconds = {
        let seconds = seconds.clone();
        Callback::from(move |event: InputEvent| seconds.set(super::value_of(&event)))
    };
    let Choice { offers, offer, targets, current, refused } = choice;
    html! {
        <Dialog title="Inject a failure" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <fieldset class="fault-kinds">
                <legend class="visually-hidden">{ "What fails" }</legend>
                { for offers.into_iter().enumerate().map(|(at, offer)| {
                    let chosen = chosen.clone();
                    html! {
                        <label class="fault-kind" key={offer.kind.as_str()}>
                            <input type="radio" name="fault" value={offer.kind.as_str()} checked={at == *chosen}
                                onchange={Callback::from(move |_| chosen.set(at))} />
                            <span><strong>{ offer.title }</strong><span class="muted">{ offer.text }</span></span>
                        </label>
                    }
                }) }
            </fieldset>
            <div class="form-grid">
                if offer.strikes != Strikes::All {
                    <label class="field">
                        <span>{ match offer.strikes {
                            Strikes::Task => "Which task",
                            Strikes::Pod => "Which pods",
                            Strikes::Machine => "Which machine",
                            Strikes::Step => "The call of which step",
                            _ => "Which service",
                        } }</span>
                        <select onchange={ontarget}>
                            { for targets.iter().map(|name| html! {
                                <option value={name.clone()} selected={*name == current}>{ name }</option>
                            }) }
                        </select>
                    </label>
                }
                if offer.lasts {
                    <label class="field">
                        <span>{ "For how many seconds; until ended when empty" }</span>
                        <input inputmode="decimal" value={(*seconds).clone()} oninput={onseconds} autocomplete="off" />
                    </label>
                }
            </div>
            <div class="button-row">
                <Button label={offer.title} icon="lightning" look="primary" {refused} looks=true onclick={inject} />
            </div>
        </Dialog>
    }
}

/// Result of the fields.
struct Choice {
    /// All failures that may be chosen.
    offers: Vec<&'static Offer>,
    offer: &'static Offer,
    /// Possible targets.
    targets: Vec<String>,
    /// The selected option.
    current: String,
    /// Why it cannot be injected as written.
    refused: Option<AttrValue>,
}

impl Choice {
    fn of(props: &FaultDialogProps, chosen: usize, target: &str, seconds: &str) -> Option<Self> {
        let offers = offers(&props.view);
        let offer = *offers.get(chosen)?;
        let targets = targets(&props.view, offer.strikes);
        let selected = props.selected.as_ref();
        let service = in_view(&props.view, selected, &props.definition);
        let near = Near { selected, task: props.task.as_deref(), service };
        let preferred = preferred(&props.view, offer.strikes, &targets, near);
        let current = targets.iter().find(|name| *name == target).cloned().or(preferred).unwrap_or_default();
        let refused = if offer.strikes != Strikes::All && targets.is_empty() {
            Some(AttrValue::from(match offer.strikes {
                Strikes::Task => "no task runs at this moment",
                Strikes::Machine => "there is no machine",
                Strikes::Step => "no step makes a call",
                _ => "there is no service",
            }))
        } else if !seconds.trim().is_empty() && seconds_ms(seconds).is_none() {
            Some("the length must be a number of seconds".into())
        } else {
            None
        };
        Some(Self { offers, offer, targets, current, refused })
    }
}

fn seconds_ms(text: &str) -> Option<u64> {
    let seconds = planarium_kernel::float::parse(text.trim()).filter(|s| (0.001..=1.0e7).contains(s))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked range just above")]
    let ms = (seconds * 1000.0).round() as u64;
    Some(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_seconds() {
        for (text, want) in
            [("2", Some(2000)), (" 0.25 ", Some(250)), ("0", None), ("x", None), ("1e99", None)]
        {
            assert_eq!(seconds_ms(text), want, "{text}");
        }
    }
}
