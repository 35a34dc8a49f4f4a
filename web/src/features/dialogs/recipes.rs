//! "What happens when I change this field?": a change of one field in one of two worlds with the same luck.

use crate::store::state::{Against, Tab};
use crate::store::{Action, Hub, state, use_hub};
use crate::ui::{Button, Dialog, icon};
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use planarium_protocol::Text;
use planarium_protocol::changes::{Recipe, Trial};
use std::rc::Rc;
use yew::prelude::*;

/// A chosen change: its number, and the result once it is there.
type Chosen = (usize, Option<Result<Rc<Trial>, Text>>);

/// The dialog.
#[component]
pub(super) fn Recipes() -> Html {
    let hub = use_hub();
    let all = use_state(|| None::<Rc<Vec<Recipe>>>);
    let chosen = use_state(|| None::<Chosen>);
    {
        let (hub, all) = (hub.clone(), all.clone());
        use_effect_with((), move |()| {
            let answer = move |reply| {
                if let Reply::Recipes(recipes) = reply {
                    all.set(Some(Rc::new(recipes)));
                }
            };
            hub.ask(Ask::Recipes, Callback::from(answer));
        });
    }
    let pick = {
        let (hub, chosen) = (hub.clone(), chosen.clone());
        Callback::from(move |number: usize| {
            chosen.set(Some((number, None)));
            let into = chosen.setter();
            let answer = move |reply| {
                if let Reply::Trial(tried) = reply {
                    into.set(Some((number, Some(tried.map(|trial| Rc::new(*trial))))));
                }
            };
            hub.ask(Ask::TryRecipe(number), Callback::from(answer));
        })
    };
    html! {
        <Dialog title="What happens when I change this field?" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <p>{ "Two worlds begin with the definition in the editor and the same seed. One of them takes the change; then both restart the workload." }</p>
            <p role="status" class="visually-hidden">{ said(chosen.as_ref()) }</p>
            { list(all.as_deref().map(Vec::as_slice), chosen.as_ref(), &pick, &hub) }
        </Dialog>
    }
}

/// The result for a screen reader.
fn said(chosen: Option<&Chosen>) -> String {
    match chosen {
        Some((_, None)) => "Playing both worlds …".to_owned(),
        Some((_, Some(Ok(trial)))) => trial.verdict.to_string(),
        // The paragraph of a reason is an alert.
        None | Some((_, Some(Err(_)))) => String::new(),
    }
}

fn list(all: Option<&[Recipe]>, chosen: Option<&Chosen>, pick: &Callback<usize>, hub: &Hub) -> Html {
    let Some(all) = all else { return html! { <p class="empty-line">{ "Reading the definition …" }</p> } };
    if all.is_empty() {
        return html! { <p>{ "The definition in the editor has no workload of Kubernetes, or it has errors." }</p> };
    }
    let mut objects: Vec<&str> = Vec::new();
    for recipe in all {
        if !objects.contains(&&*recipe.object) {
            objects.push(&recipe.object);
        }
    }
    html! {
        { for objects.into_iter().map(|object| html! {
            <section key={object.to_owned()} aria-label={object.to_owned()}>
                <h3>{ object.to_owned() }</h3>
                <ul class="recipes">
                    { for all.iter().enumerate().filter(|(_, recipe)| &*recipe.object == object).map(|(number, recipe)| {
                        let own = chosen.filter(|(chosen, _)| *chosen == number);
                        let body = own.map(|(_, trial)| match trial {
                            None => html! { <p class="empty-line">{ "Playing both worlds …" }</p> },
                            Some(Ok(trial)) => result(number, trial, hub),
                            Some(Err(reason)) => html! { <p role="alert" class="form-problem">{ reason.to_string() }</p> },
                        });
                        entry(number, recipe, body, pick)
                    }) }
                </ul>
            </section>
        }) }
    }
}

/// A recipe that can be chosen; below the chosen one is what came of it.
fn entry(number: usize, recipe: &Recipe, body: Option<Html>, pick: &Callback<usize>) -> Html {
    let onclick = pick.reform(move |_: MouseEvent| number);
    html! {
        <li key={number.to_string()}>
            <button type="button" class="recipe" aria-expanded={body.is_some().to_string()} {onclick}>
                { icon("compare") }
                <span><strong>{ recipe.field.to_string() }</strong>{ format!(": {} → {}", recipe.old, recipe.new) }</span>
                <span class="muted">{ recipe.about.to_string() }</span>
            </button>
            { body.unwrap_or_default() }
        </li>
    }
}

fn result(number: usize, trial: &Trial, hub: &Hub) -> Html {
    let watch = {
        let hub = hub.clone();
        Callback::from(move |_: MouseEvent| {
            hub.finish(&state::Dialog::Recipes, Action::Compare(Some(Against::Recipe(number))));
            hub.send(Action::ShowTab(Tab::Compare));
        })
    };
    html! {
        <div class="recipe-result">
            <p>{ trial.applied.to_string() }</p>
            <p class="changes-summary">{ trial.verdict.to_string() }</p>
            <table class="compare-table">
                <caption class="visually-hidden">{ "Both worlds in numbers" }</caption>
                <thead><tr><th scope="col">{ "Number" }</th><th scope="col">{ "Without it" }</th><th scope="col">{ "With it" }</th></tr></thead>
                <tbody>
                    { for trial.measures.iter().map(|measure| html! {
                        <tr>
                            <th scope="row">{ measure.name.to_string() }</th>
                            { for measure.values.iter().enumerate().map(|(at, value)| html! {
                                <td data-better={(measure.better == Some(at == 1)).to_string()}>
                                    { value.to_string() }
                                    if measure.better == Some(at == 1) { { icon("check") }<span class="visually-hidden">{ "better" }</span> }
                                </td>
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
            <div class="button-row"><Button icon="play" label="Watch both side by side" onclick={watch} /></div>
        </div>
    }
}
