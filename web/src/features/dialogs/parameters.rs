//! Parameters for an action that takes some: starting a plan, giving a service other values.

use crate::store::selectors::offers::asking;
use crate::store::selectors::tree::leaf;
use crate::store::{Action, state, use_hub};
use crate::ui::{Button, Dialog};
use planarium_protocol::event::ElementPath;
use std::collections::BTreeMap;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct ParametersProps {
    /// The element.
    pub(super) path: ElementPath,
    /// Title of the action.
    pub(super) title: AttrValue,
}

/// The dialog.
#[component]
pub(super) fn Parameters(props: &ParametersProps) -> Html {
    let hub = use_hub();
    let field = use_node_ref();
    let problem = use_state_eq(String::new);
    let view = &hub.state().world.view;
    let consequence = asking(view, &props.path, &props.title).and_then(|action| action.consequence);
    let send = {
        let (hub, field, problem) = (hub.clone(), field.clone(), problem.clone());
        let (path, title) = (props.path.clone(), props.title.clone());
        Callback::from(move |_| {
            let text = field.cast::<HtmlTextAreaElement>().map(|field| field.value()).unwrap_or_default();
            match parameters(&text) {
                Ok(params) => match asking(&hub.state().world.view, &path, &title) {
                    Some(action) => {
                        let dialog = state::Dialog::Parameters(path.clone(), title.clone());
                        hub.finish(&dialog, Action::Do(Box::new(action.with(&path, params))));
                    }
                    None => problem.set(format!("{} is not there at this moment.", leaf(&path))),
                },
                Err(line) => problem.set(format!("`{line}` is not of the form NAME=value.")),
            }
        })
    };
    html! {
        <Dialog title={format!("{} {}", props.title, leaf(&props.path))} onclose={hub.act(Action::CloseDialog)}>
            if let Some(text) = &consequence { <p class="muted">{ &**text }</p> }
            <label class="field">
                <span>{ "Parameters, one NAME=value per line" }</span>
                <textarea ref={field} rows="4" class="mono" spellcheck="false" placeholder="NAME=value" />
            </label>
            if !problem.is_empty() { <p role="alert" class="form-problem">{ &*problem }</p> }
            <div class="button-row"><Button label={props.title.clone()} icon="play" look="primary" onclick={send} /></div>
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
