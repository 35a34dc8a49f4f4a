//! Starting a custom plan, with parameters.

use crate::store::selectors::palette::plan_command;
use crate::store::{Action, state, use_hub};
use crate::ui::{Button, Dialog};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::PlanOp;
use std::collections::BTreeMap;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct StartPlanProps {
    /// The plan.
    pub(super) path: ElementPath,
}

/// The dialog.
#[component]
pub(super) fn StartPlan(props: &StartPlanProps) -> Html {
    let hub = use_hub();
    let field = use_node_ref();
    let problem = use_state_eq(String::new);
    let start = {
        let (hub, field, problem, path) = (hub.clone(), field.clone(), problem.clone(), props.path.clone());
        Callback::from(move |_| {
            let text = field.cast::<HtmlTextAreaElement>().map(|field| field.value()).unwrap_or_default();
            match parameters(&text) {
                Ok(params) => {
                    let start = plan_command(&path, PlanOp::Start, params);
                    hub.finish(&state::Dialog::StartPlan(path.clone()), Action::Do(Box::new(start)));
                }
                Err(line) => problem.set(format!("`{line}` is not of the form NAME=value.")),
            }
        })
    };
    html! {
        <Dialog title={format!("Start {}", props.path.plan)} onclose={hub.act(Action::CloseDialog)}>
            <label class="field">
                <span>{ "Parameters, one NAME=value per line; they become environment values of the tasks" }</span>
                <textarea ref={field} rows="4" class="mono" spellcheck="false" placeholder="NAME=value" />
            </label>
            if !problem.is_empty() { <p role="alert" class="form-problem">{ &*problem }</p> }
            <div class="button-row"><Button label="Start" icon="play" look="primary" onclick={start} /></div>
        </Dialog>
    }
}

/// The parameters, or the line that is none.
fn parameters(text: &str) -> Result<BTreeMap<String, String>, String> {
    let mut all = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once('=').ok_or_else(|| line.to_owned())?;
        let name = name.trim();
        if name.is_empty() {
            return Err(line.to_owned());
        }
        all.insert(name.to_owned(), value.to_owned());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lines_of_names_and_values() {
        let read = parameters("A=1\n\n B = x=y \n").expect("good lines");
        assert_eq!((read["A"].as_str(), read["B"].as_str()), ("1", " x=y"));
        for bad in ["A", "=1"] {
            assert_eq!(parameters(bad), Err(bad.to_owned()));
        }
    }
}
