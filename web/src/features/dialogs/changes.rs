//! An update before it is carried out: each object, its fields, and what restarts.

use crate::store::{Action, Hub, state, use_hub};
use crate::ui::{Button, Dialog, icon};
use planarium_messages::facts::Reply;
use planarium_messages::questions::Ask;
use planarium_protocol::Text;
use planarium_protocol::changes::{Changes, ObjectChange, Outcome};
use yew::prelude::*;

/// The answer: the changes, none where the system does not tell, or why there is no update.
type Told = Result<Option<Box<Changes>>, String>;

/// The dialog. A system that does not tell its changes is updated at once.
#[component]
pub(super) fn ChangesDialog() -> Html {
    let hub = use_hub();
    let told = use_state(|| None::<Told>);
    {
        let (hub, told) = (hub.clone(), told.clone());
        use_effect_with((), move |()| {
            let asking = hub.clone();
            let answer = move |reply| match reply {
                Reply::Changes(Ok(None)) => carry_out(&hub),
                Reply::Changes(changes) => told.set(Some(changes)),
                _ => {}
            };
            asking.ask(Ask::Changes, Callback::from(answer));
        });
    }
    let apply = {
        let hub = hub.clone();
        Callback::from(move |_: MouseEvent| carry_out(&hub))
    };
    html! {
        <Dialog title="Changes before they are applied" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <p role="status" class="changes-summary">{ summary(told.as_ref()) }</p>
            <div class="button-row">
                <Button label="Apply" icon="rocket" look="primary" refused={refusal(told.as_ref())} onclick={apply} />
                <Button label="Cancel" onclick={hub.act(Action::CloseDialog)} />
            </div>
            if let Some(Ok(Some(changes))) = &*told {
                <ul class="changes">{ for changes.objects.iter().map(object) }</ul>
            }
        </Dialog>
    }
}

fn carry_out(hub: &Hub) {
    hub.finish(&state::Dialog::Changes, Action::RollOut);
}

fn summary(told: Option<&Told>) -> String {
    match told {
        None => "Asking the API what would change …".to_owned(),
        Some(Ok(Some(changes))) if changes.is_empty() => format!("Nothing changes: {}.", changes.summary()),
        Some(Ok(changes)) => {
            changes.as_ref().map(|changes| format!("{}.", changes.summary())).unwrap_or_default()
        }
        Some(Err(reason)) => format!("{reason}."),
    }
}

/// Why the update is not carried out.
fn refusal(told: Option<&Told>) -> Option<AttrValue> {
    match told {
        None => Some("the answer is on its way".into()),
        Some(Err(_)) => Some("the definition cannot be used".into()),
        Some(Ok(Some(changes))) => {
            let all = !changes.objects.is_empty()
                && changes.objects.iter().all(|one| one.outcome == Outcome::Refused);
            all.then(|| "the API refuses every object".into())
        }
        Some(Ok(None)) => None,
    }
}

fn object(change: &ObjectChange) -> Html {
    let word = match change.outcome {
        Outcome::Left => "no longer in the files",
        outcome => outcome.as_str(),
    };
    let sign = match change.outcome {
        Outcome::Created => "plus",
        Outcome::Configured => "edit",
        Outcome::Unchanged => "check",
        Outcome::Pruned => "trash",
        Outcome::Left => "info",
        Outcome::Refused => "error",
    };
    html! {
        <li key={format!("{}/{}", change.namespace, change.object)} data-outcome={change.outcome.as_str()}>
            <h3>
                { icon(sign) }
                <span>{ change.object.to_string() }</span>
                <span class="changes-word">{ word }</span>
                if !matches!(&*change.namespace, "" | "default") { <span class="muted">{ change.namespace.to_string() }</span> }
            </h3>
            if !change.fields.is_empty() {
                <table class="object-table">
                    <thead><tr><th scope="col">{ "Field" }</th><th scope="col">{ "Now" }</th><th scope="col">{ "Then" }</th></tr></thead>
                    <tbody>
                        { for change.fields.iter().map(|field| html! {
                            <tr>
                                <th scope="row" class="mono">{ field.path.to_string() }</th>
                                <td class="mono">{ value(field.old.as_ref()) }</td>
                                <td class="mono">{ value(field.new.as_ref()) }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            }
            if change.more > 0 { <p class="muted">{ format!("and {} more fields", change.more) }</p> }
            if !change.effect.is_empty() { <p class="changes-effect">{ change.effect.to_string() }</p> }
        </li>
    }
}

fn value(value: Option<&Text>) -> Html {
    match value {
        Some(text) => html! { text.to_string() },
        None => html! { <span class="muted">{ "none" }</span> },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(outcomes: &[Outcome]) -> Changes {
        let object = |outcome: &Outcome| ObjectChange { outcome: *outcome, ..ObjectChange::default() };
        Changes { service: "web".into(), objects: outcomes.iter().map(object).collect() }
    }

    #[test]
    fn only_an_update_that_the_api_takes_in_part_can_be_applied() {
        let told = |outcomes: &[Outcome]| Ok(Some(Box::new(of(outcomes))));
        assert!(refusal(None).is_some());
        assert!(refusal(Some(&told(&[Outcome::Refused]))).is_some());
        assert!(refusal(Some(&told(&[Outcome::Refused, Outcome::Configured]))).is_none());
        assert!(refusal(Some(&told(&[Outcome::Unchanged]))).is_none());
        assert_eq!(
            summary(Some(&told(&[Outcome::Unchanged]))),
            "Nothing changes: 1 unchanged; restarts nothing."
        );
    }
}
