//! Injecting a failure: what, where, for how long.

use crate::store::ptr::Ptr;
use crate::store::selectors::tree;
use crate::store::{Action, state, use_hub};
use crate::ui::{Button, Dialog};
use planarium_protocol::View;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{Fault, FaultKind, Input, Target};
use yew::prelude::*;

/// Kinds of target of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strikes {
    Task,
    Pod,
    Machine,
    Service,
    All,
}

/// A failure as the dialog offers it.
struct Offer {
    id: &'static str,
    kind: FaultKind,
    strikes: Strikes,
    lasts: bool,
    title: &'static str,
    text: &'static str,
}

static OFFERS: [Offer; 13] = [
    offer(FaultKind::TaskFail, Strikes::Task, false, "Fail a task", "It exits with code 1."),
    offer(FaultKind::TaskKill, Strikes::Task, false, "Kill a task", "Somebody kills it from outside."),
    offer(
        FaultKind::TaskOom,
        Strikes::Task,
        false,
        "Run a task out of memory",
        "It takes more than it was given.",
    ),
    offer(
        FaultKind::CrashLoop,
        Strikes::Pod,
        true,
        "Crash loop",
        "Every launch fails shortly after its start.",
    ),
    offer(
        FaultKind::ReadinessFail,
        Strikes::Pod,
        true,
        "Fail readiness checks",
        "Tasks run and never become ready.",
    ),
    offer(
        FaultKind::HealthFail,
        Strikes::Pod,
        true,
        "Fail health checks",
        "Tasks run and are found unhealthy.",
    ),
    offer(FaultKind::SlowStart, Strikes::Pod, true, "Slow start", "Starting takes much longer."),
    offer(FaultKind::AgentLost, Strikes::Machine, true, "Lose a machine", "It goes with everything on it."),
    offer(
        FaultKind::AgentPartitioned,
        Strikes::Machine,
        true,
        "Cut a machine off",
        "It is silent both ways; its tasks run on.",
    ),
    offer(
        FaultKind::OffersWithheld,
        Strikes::All,
        true,
        "Withhold offers",
        "No offer reaches any scheduler.",
    ),
    offer(
        FaultKind::StatusDropped,
        Strikes::Pod,
        true,
        "Drop status updates",
        "What tasks report gets lost.",
    ),
    offer(
        FaultKind::SchedulerRestart,
        Strikes::Service,
        false,
        "Restart a scheduler",
        "It comes back with what it had stored.",
    ),
    offer(
        FaultKind::MasterFailover,
        Strikes::All,
        false,
        "Fail the master over",
        "Another master takes over and learns from agents and schedulers what there is.",
    ),
];

const fn offer(
    kind: FaultKind,
    strikes: Strikes,
    lasts: bool,
    title: &'static str,
    text: &'static str,
) -> Offer {
    Offer { id: kind.as_str(), kind, strikes, lasts, title, text }
}

#[derive(Properties, Clone, PartialEq)]
pub(super) struct FaultDialogProps {
    /// The view.
    pub(super) view: Ptr<View>,
    /// Selected element.
    pub(super) selected: Option<ElementPath>,
    /// Selected task.
    pub(super) task: Option<AttrValue>,
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
            // What was chosen last may not be drawn yet; what there is to choose from is as it was drawn.
            let choice = Choice::of(&props, *chosen, &target, &seconds);
            if let Some(choice) = choice.filter(|choice| choice.refused.is_none()) {
                let fault = fault(choice.offer, &choice.current, &seconds);
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
    let Choice { offer, targets, current, refused } = choice;
    html! {
        <Dialog title="Inject a failure" size="wide" onclose={hub.act(Action::CloseDialog)}>
            <fieldset class="fault-kinds">
                <legend class="visually-hidden">{ "What fails" }</legend>
                { for OFFERS.iter().enumerate().map(|(at, offer)| {
                    let chosen = chosen.clone();
                    html! {
                        <label class="fault-kind" key={offer.id}>
                            <input type="radio" name="fault" value={offer.id} checked={at == *chosen}
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
    offer: &'static Offer,
    /// Possible targets.
    targets: Vec<String>,
    /// Which of that is meant.
    current: String,
    /// Why it cannot be injected as written.
    refused: Option<AttrValue>,
}

impl Choice {
    fn of(props: &FaultDialogProps, chosen: usize, target: &str, seconds: &str) -> Option<Self> {
        let offer = OFFERS.get(chosen)?;
        let targets = targets(&props.view, offer.strikes);
        let preferred = preferred(props, &targets);
        let current = targets.iter().find(|name| *name == target).cloned().or(preferred).unwrap_or_default();
        let refused = if offer.strikes != Strikes::All && targets.is_empty() {
            Some(AttrValue::from(match offer.strikes {
                Strikes::Task => "no task runs at this moment",
                Strikes::Machine => "there is no machine",
                _ => "there is no service",
            }))
        } else if !seconds.trim().is_empty() && seconds_ms(seconds).is_none() {
            Some("the length must be a number of seconds".into())
        } else {
            None
        };
        Some(Self { offer, targets, current, refused })
    }
}

fn targets(view: &View, strikes: Strikes) -> Vec<String> {
    let mut names: Vec<String> = match strikes {
        Strikes::Task => {
            view.cluster.machines.iter().flat_map(|m| &m.tasks).map(|task| task.name.to_string()).collect()
        }
        Strikes::Machine => view.cluster.machines.iter().map(|m| m.hostname.to_string()).collect(),
        Strikes::Service => view.services.iter().map(|service| service.name.to_string()).collect(),
        Strikes::Pod => {
            let of_steps =
                tree::steps(view).filter_map(|(_, step)| step.pod.as_ref().map(ToString::to_string));
            let of_pods = view.services.iter().flat_map(|s| &s.pods).map(|pod| pod.name.to_string());
            let mut pods: Vec<String> = of_steps.chain(of_pods).collect();
            let kinds: Vec<String> =
                pods.iter().filter_map(|pod| pod.rsplit_once('-').map(|(kind, _)| kind.to_owned())).collect();
            pods.extend(kinds);
            pods
        }
        Strikes::All => Vec::new(),
    };
    planarium_kernel::sorted::sort(&mut names);
    names.dedup();
    names
}

/// Returns the selected thing, where it is among the choices.
fn preferred(props: &FaultDialogProps, targets: &[String]) -> Option<String> {
    let step = props.selected.as_ref().and_then(|path| tree::find_step(&props.view, path));
    let near =
        step.into_iter().flat_map(|step| step.tasks.iter().chain(step.pod.as_ref())).map(|name| &**name);
    let wanted: Vec<&str> = props.task.as_deref().into_iter().chain(near).collect();
    targets.iter().find(|name| wanted.contains(&name.as_str())).or(targets.first()).cloned()
}

fn seconds_ms(text: &str) -> Option<u64> {
    let seconds = planarium_kernel::float::parse(text.trim()).filter(|s| (0.001..=1.0e7).contains(s))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked range just above")]
    let ms = (seconds * 1000.0).round() as u64;
    Some(ms)
}

fn fault(offer: &Offer, target: &str, seconds: &str) -> Fault {
    let named = Some(target.to_owned());
    let target = match offer.strikes {
        Strikes::Task => Target { task: named, ..Target::default() },
        Strikes::Pod => Target { pod: named, ..Target::default() },
        Strikes::Machine => Target { agent: named, ..Target::default() },
        Strikes::Service => Target { service: named, ..Target::default() },
        Strikes::All => Target::default(),
    };
    Fault {
        fault: offer.kind,
        id: None,
        target,
        for_ms: if offer.lasts { seconds_ms(seconds) } else { None },
        count: None,
        probability: None,
        exit_code: None,
        message: None,
        delay_ms: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_the_journal_word_and_the_target_is_of_the_right_kind() {
        for offer in &OFFERS {
            let fault = fault(offer, "x", "1.5");
            let word = serde_json::to_value(fault.fault).expect("a word");
            assert_eq!(word, offer.id);
            assert_eq!(fault.for_ms, offer.lasts.then_some(1500), "{}", offer.id);
            let given = [&fault.target.task, &fault.target.pod, &fault.target.agent, &fault.target.service];
            let named = given.iter().filter(|name| name.is_some()).count();
            assert_eq!(named, usize::from(offer.strikes != Strikes::All), "{}", offer.id);
        }
    }

    #[test]
    fn lengths_are_seconds() {
        for (text, want) in
            [("2", Some(2000)), (" 0.25 ", Some(250)), ("0", None), ("x", None), ("1e99", None)]
        {
            assert_eq!(seconds_ms(text), want, "{text}");
        }
    }
}
