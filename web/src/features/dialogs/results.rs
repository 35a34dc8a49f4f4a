//! Results of a class: links that learners hand in, played again by the engine on this page.

use super::value_of;
use crate::browser;
use crate::store::lessons::{LessonAsk, ResultRow};
use crate::store::selectors::lesson::{RESULT_HEADS, result_cells, results_csv};
use crate::store::{Action, use_hub};
use crate::ui::{Button, Dialog};
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct ResultsProps {
    /// Initial links.
    pub(super) links: AttrValue,
}

/// The dialog.
#[component]
pub(super) fn Results(props: &ResultsProps) -> Html {
    let hub = use_hub();
    let text = use_state_eq(|| props.links.to_string());
    let rows = use_state_eq(|| None::<Rc<Vec<ResultRow>>>);
    let oninput = {
        let text = text.clone();
        Callback::from(move |event: InputEvent| text.set(value_of(&event)))
    };
    let check = {
        let (hub, text, rows) = (hub.clone(), text.clone(), rows.setter());
        Callback::from(move |_: MouseEvent| {
            let rows = rows.clone();
            let answer = move |reply| {
                if let Reply::Results(found) = reply {
                    rows.set(Some(Rc::new(found)));
                }
            };
            hub.ask(Ask::Lesson(LessonAsk::Results((*text).clone())), Callback::from(answer));
        })
    };
    html! {
        <Dialog title="Results of a class" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <p>{ "Paste the links that learners handed in, one to a line. Each try is played again here; nothing leaves this page. For a lesson of your own, open it by its link first." }</p>
            <label class="field"><span>{ "Links" }</span>
                <textarea class="mono" rows="6" spellcheck="false" value={(*text).clone()} {oninput} /></label>
            <div class="button-row"><Button icon="check" look="primary" label="Play them again" onclick={check} /></div>
            <div role="status">
            if let Some(rows) = &*rows {
                if rows.is_empty() {
                    <p class="muted">{ "There is no link in it." }</p>
                } else {
                    <div class="lesson-table" tabindex="0" role="region" aria-label="Results">
                        <table class="compare-table">
                            <caption class="visually-hidden">{ "Tries that were handed in" }</caption>
                            <thead><tr>{ for RESULT_HEADS.iter().map(|head| html! { <th scope="col">{ *head }</th> }) }</tr></thead>
                            <tbody>{ for rows.iter().map(|row| html! {
                                <tr key={row.line}>
                                    <th scope="row">{ if row.name.is_empty() { format!("Line {}", row.line) } else { row.name.clone() } }</th>
                                    <td>{ &row.lesson }</td>
                                    { for result_cells(row).into_iter().map(|cell| html! { <td>{ cell }</td> }) }
                                </tr>
                            }) }</tbody>
                        </table>
                    </div>
                    <div class="button-row"><Button icon="save" label="Save as CSV" onclick={save(rows)} /></div>
                }
            }
            </div>
        </Dialog>
    }
}

fn save(rows: &Rc<Vec<ResultRow>>) -> Callback<MouseEvent> {
    let rows = Rc::clone(rows);
    Callback::from(move |_| browser::save_text("planarium-results.csv", &results_csv(&rows)))
}
