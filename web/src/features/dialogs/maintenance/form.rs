//! A window to add or to change: machines, begin, length.

use crate::features::dialogs::value_of;
use crate::store::ptr::Ptr;
use crate::store::selectors::maintenance::{
    Name, Window, choices, instant, instant_ms, length_ms, length_text, same, unsigned, window_of,
};
use crate::store::use_hub;
use crate::ui::Button;
use planarium_protocol::view::ClusterView;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Machines listed at most; the filter finds the others.
const SHOWN: usize = 60;
/// From this many machines on there is a filter.
const FILTER_FROM: usize = 9;

#[derive(Properties, PartialEq)]
pub(super) struct WindowFormProps {
    /// The machines.
    pub(super) cluster: Ptr<ClusterView>,
    /// Calendar time of the start of the run.
    pub(super) epoch_ms: u64,
    /// The cursor.
    pub(super) now_ms: u64,
    /// The window that is changed; none for a new one.
    pub(super) editing: Option<Window>,
    /// Machines chosen at first.
    pub(super) chosen: Vec<Name>,
    /// Post the schedule with this window.
    pub(super) onpost: Callback<Window>,
    /// Change nothing.
    pub(super) onleave: Callback<()>,
}

/// Values of the form.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    chosen: Vec<Name>,
    start: String,
    length: String,
}

impl Form {
    fn of(window: Option<&Window>, chosen: &[Name], epoch_ms: u64) -> Self {
        let chosen = chosen.to_vec();
        match window {
            None => Self { chosen, start: "+60s".to_owned(), length: "2m".to_owned() },
            Some(window) => {
                let start = unsigned(window.start_ms(epoch_ms));
                let end = window.end_ms(epoch_ms).map(unsigned);
                let length = end.map(|end| length_text(end.saturating_sub(start))).unwrap_or_default();
                Self { chosen, start: instant(unsigned_again(start)), length }
            }
        }
    }

    /// Returns the window, or the fault. The master validates windows: one without machines is sent, too.
    fn read(&self, now_ms: u64, epoch_ms: u64) -> Result<Window, String> {
        let start = instant_ms(&self.start, now_ms)?;
        let length = if self.length.trim().is_empty() { None } else { Some(length_ms(&self.length)?) };
        Ok(window_of(self.chosen.clone(), start, length, epoch_ms))
    }
}

fn unsigned_again(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// The form.
#[component]
pub(super) fn WindowForm(props: &WindowFormProps) -> Html {
    let hub = use_hub();
    // Closures of an earlier draw also read the present value.
    let form = use_state_eq(|| Form::of(props.editing.as_ref(), &props.chosen, props.epoch_ms));
    let filter = use_state_eq(String::new);
    let wrong = form.read(props.now_ms, props.epoch_ms).err();
    let all = choices(&props.cluster);
    let found: Vec<&Name> = all.iter().filter(|name| name.words().contains(filter.trim())).collect();
    let field = |label: &'static str, value: &str, hint: &'static str, write: fn(&mut Form, String)| {
        let form = form.clone();
        let oninput = Callback::from(move |event: InputEvent| {
            let mut next = (*form).clone();
            write(&mut next, value_of(&event));
            form.set(next);
        });
        html! {
            <label class="field">
                <span>{ label }</span>
                <input value={value.to_owned()} placeholder={hint} {oninput} autocomplete="off" />
            </label>
        }
    };
    let post = {
        let (hub, form, onpost, epoch_ms) = (hub.clone(), form.clone(), props.onpost.clone(), props.epoch_ms);
        Callback::from(move |_: MouseEvent| {
            if let Ok(window) = form.read(hub.state().world.clock.now_ms, epoch_ms) {
                onpost.emit(window);
            }
        })
    };
    let editing = props.editing.is_some();
    let onfilter = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| filter.set(value_of(&event)))
    };
    html! {
        <fieldset class="window-form" id="window-form" tabindex="-1">
            <legend>{ if editing { "Change the window" } else { "Add a window" } }</legend>
            if all.len() >= FILTER_FROM {
                <label class="field">
                    <span>{ "Find machines" }</span>
                    <input type="search" value={(*filter).clone()} oninput={onfilter} autocomplete="off" />
                </label>
            }
            <div class="window-choice" role="group" aria-label="Machines of the window">
                { for found.iter().take(SHOWN).map(|name| choice(&form, name)) }
            </div>
            if found.len() > SHOWN {
                <p class="muted">{ format!("{} more; the filter finds them.", found.len() - SHOWN) }</p>
            }
            <div class="form-grid">
                { field("Begins: +60s from now, or 1:30 on the clock", &form.start, "+60s", |form, text| form.start = text) }
                { field("Lasts: 90s, 10m, 1h; empty is open-ended", &form.length, "open-ended", |form, text| form.length = text) }
            </div>
            if let Some(wrong) = &wrong { <p class="form-problem" role="status">{ wrong }</p> }
            <div class="button-row">
                <Button label={if editing { "Post the change" } else { "Post the schedule with it" }}
                    icon={if editing { "apply" } else { "plus" }} look="primary"
                    refused={wrong.map(AttrValue::from)} looks=true onclick={post} />
                if editing {
                    <Button label="Leave it as it is" onclick={props.onleave.reform(|_| ())} />
                }
            </div>
        </fieldset>
    }
}

fn choice(form: &UseStateHandle<Form>, name: &Name) -> Html {
    let checked = form.chosen.iter().any(|chosen| same(chosen, name));
    let onchange = {
        let (form, name) = (form.clone(), name.clone());
        Callback::from(move |event: Event| {
            // The box's state counts, however often it was pressed since it was drawn.
            let checked = event.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked());
            let mut next = (*form).clone();
            next.chosen.retain(|chosen| !same(chosen, &name));
            if checked {
                next.chosen.push(name.clone());
            }
            form.set(next);
        })
    };
    html! {
        <label class="check" key={name.words().to_string()}>
            <input type="checkbox" {checked} {onchange} />
            <span>{ &*name.words() }</span>
        </label>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPOCH: u64 = 1_443_830_400_000;

    #[test]
    fn a_window_survives_the_form_unchanged() {
        let names = [Name { hostname: Some("m1".into()), ip: None }];
        for (start, length) in [(90_000, Some(3_600_000)), (0, None), (3_723_500, Some(1))] {
            let window = window_of(names.to_vec(), start, length, EPOCH);
            let form = Form::of(Some(&window), &names, EPOCH);
            assert_eq!(form.read(5_000, EPOCH), Ok(window), "{form:?}");
        }
    }

    #[test]
    fn a_new_window_is_relative_to_now_and_may_name_no_machine() {
        let form = Form::of(None, &[], EPOCH);
        let window = form.read(5_000, EPOCH).expect("a good form");
        assert_eq!((window.start_ms(EPOCH), window.end_ms(EPOCH)), (65_000, Some(185_000)));
        assert!(window.machines.is_empty(), "that it names none is for the master to say");
        let form = Form { length: "soon".into(), ..form };
        assert!(form.read(0, EPOCH).expect_err("no length").contains("soon"));
    }
}
