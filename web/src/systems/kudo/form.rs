//! The form of an instance's parameters: in groups, searchable, each with the effect of a change.
//!
//! *Knows*: the view's data about parameters. *Must not know*: rules of admission; it asks for the effect of a change.

use super::{flag, list, text};
use crate::store::ptr::Ptr;
use crate::store::{Action, use_hub};
use crate::ui::{Button, attr, icon};
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use planarium_protocol::Input;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use serde_json::Value;
use std::collections::BTreeMap;
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

/// Typed values, by name; `None` to restore the default.
type Edits = BTreeMap<String, Option<String>>;

#[derive(Properties, PartialEq)]
pub(super) struct ParameterFormProps {
    /// The view's additional data of the instance.
    pub(super) more: Ptr<Value>,
    /// Of the service.
    pub(super) path: ElementPath,
}

/// Returns the number of parameters with their own value.
pub(super) fn differing(parameters: &[Value]) -> usize {
    parameters.iter().filter(|parameter| flag(parameter, "changed")).count()
}

/// The form.
#[component]
pub(super) fn ParameterForm(props: &ParameterFormProps) -> Html {
    let hub = use_hub();
    let edits = use_state(Edits::new);
    let (search, only) = (use_state(String::new), use_state(|| false));
    let null = Value::Null;
    let form = props.more.get("kudo").and_then(|own| own.get("form")).unwrap_or(&null);
    let wanted = |parameter: &&Value| {
        let name = text(parameter, "name");
        let kept = edits.contains_key(name) || !*only || flag(parameter, "changed");
        kept && matches(parameter, &search)
    };
    let shown: Vec<&Value> = list(form, "parameters").iter().filter(wanted).collect();
    let input = change(&props.path, &edits);
    let outcome = use_state_eq(|| None);
    {
        let (hub, outcome) = (hub.clone(), outcome.setter());
        let (path, input) = (props.path.clone(), input.clone());
        // Another view may have another outcome.
        use_effect_with(((*edits).clone(), props.more.clone()), move |(edits, _)| {
            if edits.is_empty() {
                outcome.set(None);
                return;
            }
            let answer = move |reply| {
                if let Reply::Outcome(after) = reply {
                    let plan = |more: Value| more.get("kudo").map_or("", |own| text(own, "plan")).to_owned();
                    outcome.set(Some(after.map(plan)));
                }
            };
            hub.ask(Ask::Outcome(Box::new(input), path), Callback::from(answer));
        });
    }
    let outcome = (*outcome).clone().filter(|_| !edits.is_empty());
    let oninput = {
        let search = search.clone();
        Callback::from(move |event: InputEvent| search.set(typed(&event)))
    };
    let ononly = {
        let only = only.clone();
        Callback::from(move |_: Event| only.set(!*only))
    };
    let onchange = {
        let (hub, edits, input) = (hub.clone(), edits.clone(), input.clone());
        Callback::from(move |_: MouseEvent| {
            hub.send(Action::Do(Box::new(input.clone())));
            edits.set(Edits::new());
        })
    };
    let ondrop = {
        let edits = edits.clone();
        Callback::from(move |_: MouseEvent| edits.set(Edits::new()))
    };
    let groups = groups(form, &shown);
    html! {
        <div class="kudo-form">
            <div class="kudo-tools">
                <label class="search">
                    { icon("search") }
                    <span class="visually-hidden">{ "Search parameters" }</span>
                    <input type="search" placeholder="Search" value={(*search).clone()} {oninput} />
                </label>
                <label class="check">
                    <input type="checkbox" checked={*only} onchange={ononly} />
                    <span>{ "Only those with a value of their own" }</span>
                </label>
                <span class="muted figure">{ format!("{} of {}", shown.len(), list(form, "parameters").len()) }</span>
            </div>
            { for groups.into_iter().map(|(title, parameters)| html! {
                <fieldset key={title.clone()}>
                    <legend>{ title }</legend>
                    { for parameters.into_iter().map(|parameter| field(parameter, &edits)) }
                </fieldset>
            }) }
            if let Some(outcome) = outcome {
                <div class="kudo-outcome" role="status">
                    { outcome_line(&outcome) }
                    <Button label="Change" icon="apply" look="primary" refused={outcome.err().map(|why| attr(&why))} onclick={onchange} />
                    <Button label="Drop" look="quiet" onclick={ondrop} />
                </div>
            }
        </div>
    }
}

fn outcome_line(outcome: &Result<String, String>) -> Html {
    match outcome {
        Ok(plan) if plan.is_empty() => html! { <p>{ "The change would be admitted and start no plan." }</p> },
        Ok(plan) => html! { <p>{ format!("The change would be admitted and start plan {plan}.") }</p> },
        Err(why) => html! { <p class="form-problem">{ why.clone() }</p> },
    }
}

/// Returns whether a parameter matches the search.
fn matches(parameter: &Value, search: &str) -> bool {
    let search = search.trim().to_lowercase();
    let texts = ["name", "title", "description", "group", "value", "plan"];
    search.is_empty() || texts.iter().any(|key| text(parameter, key).to_lowercase().contains(&search))
}

/// Parameters by the titles of their groups, those without one last. *Order*: of the package.
fn groups<'v>(form: &Value, parameters: &[&'v Value]) -> Vec<(String, Vec<&'v Value>)> {
    let known = list(form, "groups");
    let title = |group: &Value| {
        let title = text(group, "title");
        if title.is_empty() { text(group, "name").to_owned() } else { title.to_owned() }
    };
    let of =
        |name: &str| parameters.iter().copied().filter(|it| text(it, "group") == name).collect::<Vec<_>>();
    let mut all: Vec<(String, Vec<&Value>)> =
        known.iter().map(|group| (title(group), of(text(group, "name")))).collect();
    let is_known = |name: &str| known.iter().any(|group| text(group, "name") == name);
    let others = parameters.iter().copied().filter(|it| !is_known(text(it, "group")));
    let word = if known.is_empty() { "Parameters" } else { "Others" };
    all.push((word.to_owned(), others.collect()));
    all.retain(|(_, parameters)| !parameters.is_empty());
    all
}

fn change(path: &ElementPath, edits: &Edits) -> Input {
    let value = |value: &Option<String>| value.as_deref().map_or(Value::Null, Value::from);
    Input::UpdateService(LoadService {
        dialect: path.dialect.to_string(),
        name: path.service.to_string(),
        params: edits.iter().map(|(name, text)| (name.clone(), value(text))).collect(),
        ..LoadService::default()
    })
}

fn field(parameter: &Value, edits: &UseStateHandle<Edits>) -> Html {
    let name = text(parameter, "name").to_owned();
    let now = text(parameter, "value").to_owned();
    let value = match edits.get(&name) {
        Some(Some(typed)) => typed.clone(),
        Some(None) => text(parameter, "default").to_owned(),
        None => now.clone(),
    };
    let title = match text(parameter, "title") {
        "" => name.clone(),
        title => format!("{title} ({name})"),
    };
    let set = {
        let (edits, name) = (edits.clone(), name.clone());
        move |value: String| {
            let mut all = (*edits).clone();
            if value == now {
                all.remove(&name);
            } else {
                all.insert(name.clone(), Some(value));
            }
            edits.set(all);
        }
    };
    let refused = text(parameter, "refused");
    let starts = match text(parameter, "plan") {
        "" => "starts no plan".to_owned(),
        plan => format!("starts plan {plan}"),
    };
    let kind = text(parameter, "type");
    let marks = [
        kind.to_owned(),
        if flag(parameter, "required") { "required".to_owned() } else { String::new() },
        if flag(parameter, "immutable") { "immutable".to_owned() } else { String::new() },
        if flag(parameter, "advanced") { "advanced".to_owned() } else { String::new() },
        starts,
    ];
    let marks: Vec<String> = marks.into_iter().filter(|mark| !mark.is_empty()).collect();
    html! {
        <div class="kudo-field" key={name.clone()} data-changed={(flag(parameter, "changed") || edits.contains_key(&name)).to_string()}>
            <label class="field">
                <span>{ title }</span>
                { control(parameter, value, set) }
            </label>
            <p class="muted">{ marks.join(", ") }</p>
            if !text(parameter, "description").is_empty() { <p>{ text(parameter, "description").to_owned() }</p> }
            if !refused.is_empty() { <p class="kudo-why">{ refused.to_owned() }</p> }
            if flag(parameter, "changed") { { back(parameter, edits) } }
        </div>
    }
}

/// Gives a parameter its default again.
fn back(parameter: &Value, edits: &UseStateHandle<Edits>) -> Html {
    let name = text(parameter, "name").to_owned();
    let default = text(parameter, "default");
    let label =
        if default.is_empty() { "Take the value away".to_owned() } else { format!("Back to {default}") };
    let edits = edits.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        let mut all = (*edits).clone();
        all.insert(name.clone(), None);
        edits.set(all);
    });
    html! { <Button label={attr(&label)} icon="reset" look="quiet" {onclick} /> }
}

/// Input control of a value.
fn control(parameter: &Value, value: String, set: impl Fn(String) + 'static) -> Html {
    let kind = text(parameter, "type");
    let mut allowed: Vec<String> =
        list(parameter, "allowed").iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if kind == "boolean" && allowed.is_empty() {
        allowed = vec!["true".to_owned(), "false".to_owned()];
    }
    if !allowed.is_empty() {
        if !allowed.contains(&value) {
            allowed.insert(0, value.clone());
        }
        let onchange = Callback::from(move |event: Event| {
            set(event.target_dyn_into::<HtmlSelectElement>().map(|field| field.value()).unwrap_or_default());
        });
        return html! {
            <select {onchange}>
                { for allowed.iter().map(|one| html! { <option value={one.clone()} selected={*one == value}>{ one.clone() }</option> }) }
            </select>
        };
    }
    let oninput = Callback::from(move |event: InputEvent| set(typed(&event)));
    if matches!(kind, "array" | "map") || value.contains('\n') {
        let rows = value.lines().count().clamp(2, 12).to_string();
        return html! { <textarea class="mono" spellcheck="false" {rows} {value} {oninput} /> };
    }
    let inputmode = match kind {
        "integer" => "numeric",
        "number" => "decimal",
        _ => "text",
    };
    html! { <input {value} {oninput} {inputmode} autocomplete="off" spellcheck="false" /> }
}

fn typed(event: &InputEvent) -> String {
    let input = event.target_dyn_into::<HtmlInputElement>().map(|field| field.value());
    let area = || event.target_dyn_into::<HtmlTextAreaElement>().map(|field| field.value());
    input.or_else(area).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_are_grouped_and_found() {
        let form = json!({
            "groups": [{ "name": "net", "title": "Network" }, { "name": "none" }],
            "parameters": [
                { "name": "PORT", "group": "net", "value": "80", "changed": true },
                { "name": "MODE", "group": "", "description": "How calm" },
            ],
        });
        let all: Vec<&Value> = list(&form, "parameters").iter().collect();
        let titles: Vec<(String, usize)> =
            groups(&form, &all).into_iter().map(|(title, all)| (title, all.len())).collect();
        assert_eq!(titles, [("Network".to_owned(), 1), ("Others".to_owned(), 1)]);
        let found = |search: &str| all.iter().filter(|one| matches(one, search)).count();
        assert_eq!((found(""), found("80"), found("CALM"), found("nope")), (2, 1, 1, 0));
        assert_eq!(differing(list(&form, "parameters")), 1);
    }
}
