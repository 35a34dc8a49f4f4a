//! Actions on displayed things, ready for a menu, a button, a key or the palette.
//!
//! *Knows*: the actions of the view, and the key of each operation. *Must not know*: when a system allows an action.

use super::{cluster, tree};
use crate::store::action::Action;
use crate::store::state::Dialog;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::PlanOp;
use planarium_protocol::view::{ActionView, View};
use yew::AttrValue;

/// An action for display.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    /// Words.
    pub(crate) label: AttrValue,
    /// Icon.
    pub(crate) icon: &'static str,
    /// Key that does the same.
    pub(crate) keys: Option<&'static str>,
    /// Its consequence.
    pub(crate) consequence: Option<AttrValue>,
    /// Why it does nothing now.
    pub(crate) refused: Option<AttrValue>,
    /// Its action.
    pub(crate) action: Action,
}

/// The key of an operation.
pub(crate) fn key_of(op: PlanOp) -> Option<&'static str> {
    match op {
        PlanOp::Interrupt => Some("p"),
        PlanOp::Continue => Some("c"),
        PlanOp::Restart => Some("r"),
        PlanOp::ForceComplete => Some("f"),
        PlanOp::Start | PlanOp::Stop => None,
    }
}

/// Returns the actions on a plan, a phase or a step.
pub(crate) fn of_element(view: &View, path: &ElementPath) -> Vec<Offer> {
    let Some(found) = tree::summary(view, path) else { return Vec::new() };
    found.actions.iter().map(|action| at(action, path)).collect()
}

/// The offer of an action at an element.
fn at(action: &ActionView, path: &ElementPath) -> Offer {
    let (label, asked) = if action.asks {
        let dialog = Dialog::Parameters(path.clone(), action.title.to_string().into());
        (format!("{} …", action.title).into(), Action::OpenDialog(dialog))
    } else {
        (action.title.to_string().into(), Action::Do(Box::new(action.at(path))))
    };
    Offer { label, keys: action.op.and_then(key_of), ..plain(action, asked) }
}

/// Returns the action of an element with this title, if it needs parameters.
pub(crate) fn asking(view: &View, path: &ElementPath, title: &str) -> Option<ActionView> {
    let found = tree::summary(view, path)?;
    found.actions.iter().find(|action| action.asks && &*action.title == title).cloned()
}

/// Returns the action of a key on an element, or the reason why there is none.
pub(crate) fn by_key(view: &View, path: &ElementPath, key: &str) -> Option<Result<Offer, String>> {
    let all = of_element(view, path);
    let known = [PlanOp::Interrupt, PlanOp::Continue, PlanOp::Restart, PlanOp::ForceComplete];
    let op = known.into_iter().find(|op| key_of(*op) == Some(key))?;
    Some(match all.into_iter().find(|offer| offer.keys == Some(key)) {
        Some(offer) => match &offer.refused {
            Some(reason) => Err(format!("{} {}: {reason}", offer.label, tree::called(view, path))),
            None => Ok(offer),
        },
        None => Err(format!(
            "{} {}: there is no such command for this element",
            op.as_str(),
            tree::called(view, path)
        )),
    })
}

/// Returns the actions on a pod of a service.
pub(crate) fn of_pod(view: &View, service: &ElementPath, pod: &str) -> Vec<Offer> {
    let Some(owner) = tree::find_service(view, service) else { return Vec::new() };
    let found = owner.pods.iter().find(|known| &*known.name == pod);
    let offer = |action: &ActionView| {
        let input = action.on_pod(&owner.dialect, &owner.name, pod);
        plain(action, Action::Do(Box::new(input)))
    };
    found.map(|pod| pod.actions.iter().map(offer).collect()).unwrap_or_default()
}

/// Returns the actions on a machine.
pub(crate) fn of_machine(view: &View, hostname: &str) -> Option<Vec<Offer>> {
    cluster::machine(view, hostname).map(|machine| machine.actions.iter().map(whole).collect())
}

/// Returns the name of a task and the actions on it, by its id.
pub(crate) fn of_task(view: &View, id: &str) -> Option<(AttrValue, Vec<Offer>)> {
    let (_, task) = cluster::task(view, id)?;
    Some((task.name.to_string().into(), task.actions.iter().map(whole).collect()))
}

/// Returns the actions on the tasks of a step.
pub(crate) fn of_tasks(view: &View, path: &ElementPath) -> Vec<Offer> {
    let Some(step) = tree::find_step(view, path) else { return Vec::new() };
    cluster::task_actions(view, &step.tasks)
        .into_iter()
        .map(|(task, action)| Offer {
            label: format!("{}: {}", task.name, action.title).into(),
            ..whole(action)
        })
        .collect()
}

/// Returns the offer of an action with a complete input.
pub(crate) fn whole(action: &ActionView) -> Offer {
    plain(action, Action::Do(Box::new(action.input.clone())))
}

fn plain(action: &ActionView, asked: Action) -> Offer {
    let text =
        |text: &Option<planarium_protocol::Text>| text.as_ref().map(|text| AttrValue::from(text.to_string()));
    Offer {
        label: action.title.to_string().into(),
        icon: if action.icon.is_empty() { "lightning" } else { action.icon },
        keys: None,
        consequence: text(&action.consequence),
        refused: text(&action.refused),
        action: asked,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::{phase, plan, service, step};
    use super::*;
    use planarium_protocol::Input;
    use planarium_protocol::input::{HttpCall, PodOp};
    use planarium_protocol::view::{PlanView, PodView, StepView};
    use std::sync::Arc;

    fn call() -> Input {
        Input::Call(HttpCall {
            method: "DELETE".into(),
            path: "/v2/deployments/1".into(),
            body: serde_json::Value::Null,
            content_type: None,
        })
    }

    /// A service whose elements have all kinds of actions: shared ones, complete ones, one with parameters.
    fn view() -> View {
        let actions: Arc<[ActionView]> = Arc::from([
            ActionView::of_plan("Interrupt", PlanOp::Interrupt),
            ActionView::of_plan("Continue", PlanOp::Continue).unless(Some("It is under way already")),
            ActionView::of_plan("Start", PlanOp::Start).asking(),
            ActionView::new("Roll back", call()).found_by(PlanOp::Restart).doing("Goes back."),
        ]);
        let twin = |id: &str| {
            let actions: Arc<[ActionView]> = Arc::from([ActionView::of_plan("Restart", PlanOp::Restart)]);
            Arc::new(StepView {
                id: id.into(),
                namesake: true,
                actions,
                ..(*step("twin", "PENDING")).clone()
            })
        };
        let phases = vec![phase("p", "serial", vec![twin("id-1"), twin("id-2")])];
        let deploy = Arc::new(PlanView { actions, ..(*plan("deploy", "IN_PROGRESS", phases)).clone() });
        let mut owner = (*service("s", vec![deploy])).clone();
        let pod: Arc<[ActionView]> = Arc::from([ActionView::of_pod("Pause", PodOp::Pause)]);
        owner.pods =
            vec![Arc::new(PodView { revision: 0, name: "a-0".into(), tasks: Vec::new(), actions: pod })];
        View { services: vec![Arc::new(owner)], ..(*crate::store::state::World::default().view.0).clone() }
    }

    fn sent(action: &Action) -> &Input {
        match action {
            Action::Do(input) => input,
            other => panic!("an input, not {other:?}"),
        }
    }

    #[test]
    fn shared_actions_are_sent_with_their_element() {
        let view = view();
        let path = view.services[0].path(&"deploy".into());
        let offers = of_element(&view, &path);
        let Input::Plan(command) = sent(&offers[0].action) else { panic!("a plan command") };
        assert_eq!((&*command.dialect, &*command.service, &*command.plan), (&*path.dialect, "s", "deploy"));
        assert_eq!(offers[1].refused.as_deref(), Some("It is under way already"));
        assert_eq!(
            (offers[2].label.as_str(), &offers[2].action),
            ("Start …", &Action::OpenDialog(Dialog::Parameters(path.clone(), "Start".into())))
        );
        assert_eq!(sent(&offers[3].action), &call(), "what is complete is sent as it is");
        assert_eq!((offers[3].keys, offers[3].consequence.as_deref()), (Some("r"), Some("Goes back.")));
    }

    #[test]
    fn keys_find_actions_by_operation_in_any_system() {
        let view = view();
        let path = view.services[0].path(&"deploy".into());
        assert_eq!(by_key(&view, &path, "x"), None, "no key of a command");
        assert_eq!(sent(&by_key(&view, &path, "r").expect("a key").expect("allowed").action), &call());
        let refused = by_key(&view, &path, "c").expect("a key").expect_err("refused");
        assert!(refused.contains("under way"), "{refused}");
        let none = by_key(&view, &path, "f").expect("a key").expect_err("no such action");
        assert!(none.contains("no such command"), "{none}");
    }

    #[test]
    fn commands_on_steps_with_equal_names_contain_the_id() {
        let view = view();
        let paths: Vec<_> = tree::steps(&view).map(|(path, _)| path).collect();
        let ids: Vec<_> = paths
            .iter()
            .map(|path| match sent(&by_key(&view, path, "r").expect("a key").expect("allowed").action) {
                Input::Plan(command) => command.step.clone().expect("a step"),
                other => panic!("a plan command, not {other:?}"),
            })
            .collect();
        assert_eq!(ids, ["id-1", "id-2"]);
    }

    #[test]
    fn pods_get_the_commands_of_their_system() {
        let view = view();
        let service = view.services[0].path(&"".into());
        let offers = of_pod(&view, &service, "a-0");
        let Input::Pod(command) = sent(&offers[0].action) else { panic!("a pod command") };
        assert_eq!((&*command.service, &*command.pod, command.op), ("s", "a-0", PodOp::Pause));
        assert!(of_pod(&view, &service, "gone").is_empty());
    }
}
