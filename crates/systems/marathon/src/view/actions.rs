//! Actions in Marathon's words, with their consequences.
//!
//! *Knows*: the calls of the API. *Must not know*: how they are carried out.

use super::Shown;
use crate::definition::double::Double;
use crate::deployments::{Deployment, Stage};
use crate::id::PathId;
use crate::instances::instance::{Goal, Instance};
use planarium_protocol::Input;
use planarium_protocol::input::{HttpCall, PlanOp};
use planarium_protocol::json;
use planarium_protocol::view::ActionView;
use serde_json::Value;

/// A call as an input.
pub(crate) fn call(method: &str, path: String, body: Value) -> Input {
    Input::Call(HttpCall { method: method.to_owned(), path, body, content_type: None })
}

fn action(title: &str, input: Input, consequence: String) -> ActionView {
    let icon = match title {
        "Rollback" => "step-back",
        "Stop deployment" => "stop",
        "Restart" => "restart",
        "Force Restart" => "lightning",
        "Scale by 1" => "plus",
        "Scale down by 1" => "minus",
        "Suspend" => "pause",
        "Destroy" | "Kill and Wipe" => "trash",
        "Reset Delay" => "reset",
        _ => "cross",
    };
    let op = match title {
        "Stop deployment" => Some(PlanOp::Stop),
        "Restart" => Some(PlanOp::Restart),
        "Suspend" => Some(PlanOp::Interrupt),
        _ => None,
    };
    let action = ActionView::new(title, input).doing(consequence).icon(icon);
    match op {
        Some(op) => action.found_by(op),
        None => action,
    }
}

fn refused(action: ActionView, why: Option<String>) -> ActionView {
    action.unless(why)
}

/// Returns the actions on a deployment.
pub(crate) fn deployment_actions(deployment: &Deployment) -> Vec<ActionView> {
    let id = &deployment.plan.id;
    let over = (!deployment.is_running()).then(|| match deployment.stage {
        Stage::Finished => "It is finished.".to_owned(),
        _ => "It was given up.".to_owned(),
    });
    let affected = deployment.plan.affected();
    let names = affected.iter().take(3).map(PathId::as_str).collect::<Vec<_>>().join(", ");
    let rest = affected.len().saturating_sub(3);
    let names = if rest > 0 { format!("{names} and {rest} more") } else { names };
    let back = format!(
        "A new deployment brings {names} back to what was before this one and replaces it. Apps that are new are taken away, \
         and every instance of a changed app is replaced once more, the old ones that still run included."
    );
    let stop = format!(
        "The deployment ends where it is and nothing is undone: {names} may be left with old and new instances side by side. \
         The definitions stay the new ones; counts are put right by the next scale check, versions only by a further deployment."
    );
    vec![
        refused(
            action("Rollback", call("DELETE", format!("/v2/deployments/{id}"), Value::Null), back),
            over.clone(),
        ),
        refused(
            action(
                "Stop deployment",
                call("DELETE", format!("/v2/deployments/{id}?force=true"), Value::Null),
                stop,
            ),
            over,
        ),
    ]
}

impl Shown<'_> {
    /// Returns the actions on an app.
    pub(crate) fn app_actions(&self, id: &PathId) -> Vec<ActionView> {
        let Some(spec) = self.records.definitions.root.spec(id) else { return Vec::new() };
        let kind = if spec.is_app() { "apps" } else { "pods" };
        let path = |rest: &str| format!("/v2/{kind}{id}{rest}");
        let locked = self.deployments.running().find(|one| one.plan.affected().contains(id));
        let lock = locked.map(|one| format!("{id} is locked by deployment {}.", one.plan.id));
        let force = |sentence: &str| {
            locked.map_or_else(
                || sentence.to_owned(),
                |one| {
                    format!(
                        "{sentence} Deployment {} is given up for it, with everything else it does.",
                        one.plan.id
                    )
                },
            )
        };
        let mut all = Vec::new();
        if spec.is_app() {
            let percent = |share: Double| share.times(Double::whole(100)).nearest();
            let (min, over) = (percent(spec.def.min_health), percent(spec.def.over_capacity));
            let text = format!(
                "Every instance is replaced, although nothing changes: at least {min} % stay healthy, at most {over} % are there on top.",
            );
            all.push(refused(
                action("Restart", call("POST", path("/restart"), Value::Null), text.clone()),
                lock.clone(),
            ));
            if locked.is_some() {
                let forced = call("POST", path("/restart?force=true"), Value::Null);
                all.push(action("Force Restart", forced, force(&text)));
            }
            for (title, instances) in [
                ("Scale by 1", spec.instances.saturating_add(1)),
                ("Scale down by 1", spec.instances.saturating_sub(1)),
            ] {
                let body = json!({"instances": instances});
                let text = format!("There are to be {instances} instances instead of {}.", spec.instances);
                let why = lock.clone().or_else(|| {
                    (instances == spec.instances).then(|| "There is none to take away.".to_owned())
                });
                all.push(refused(action(title, call("PUT", path(""), body), text), why));
            }
            let text = "All instances end; the definition stays.".to_owned();
            let why =
                lock.clone().or_else(|| (spec.instances == 0).then(|| "It is suspended already.".to_owned()));
            all.push(refused(action("Suspend", call("PUT", path(""), json!({"instances": 0})), text), why));
        }
        let destroy = if spec.is_resident() {
            "All instances end, and what is reserved for them with all data is given up. The definition is gone."
        } else {
            "All instances end, and the definition is gone."
        };
        // Apps are deleted by force unless that is ruled out.
        let forced = call("DELETE", path("?force=true"), Value::Null);
        all.push(action("Destroy", forced, force(destroy)));
        // The API knows the delays of those only that wait to be launched.
        let delayed = self.records.known_number(id).is_some_and(|no| {
            self.records.instances.counts(no).waiting > 0
                && self.records.run(no).is_some_and(|run| !run.backoff.is_empty())
        });
        let why = (!delayed).then(|| "No launch is delayed.".to_owned());
        let reset = call("DELETE", format!("/v2/queue{id}/delay"), Value::Null);
        let text =
            "The next launch does not wait any longer; the next failure begins with the shortest delay."
                .to_owned();
        all.push(refused(action("Reset Delay", reset, text), why));
        all
    }
}

/// Returns the actions on an instance.
pub(crate) fn of_instance(instance: &Instance) -> Vec<ActionView> {
    let id = instance.spec_id();
    let Some(task) = instance.task() else { return Vec::new() };
    if !instance.spec.is_app() {
        let path = format!("/v2/pods{id}::instances/{}", instance.id);
        return vec![action(
            "Kill",
            call("DELETE", path, Value::Null),
            "It is killed, and launched again.".to_owned(),
        )];
    }
    let path = |query: &str| format!("/v2/apps{id}/tasks/{}{query}", task.id);
    let why = (instance.goal != Goal::Running).then(|| "It is to end anyway.".to_owned());
    let mut all = vec![
        refused(
            action(
                "Kill",
                call("DELETE", path(""), Value::Null),
                "It is killed, and launched again.".to_owned(),
            ),
            why.clone(),
        ),
        refused(
            action(
                "Kill and Scale",
                call("DELETE", path("?scale=true&force=true"), Value::Null),
                "It is killed, and the app has one instance less from then on. A deployment that has the app locked is given up for it."
                    .to_owned(),
            ),
            why,
        ),
    ];
    if instance.reservation.is_some() {
        let text = "It is forgotten with everything that is reserved for it; a new instance without its data takes its place.";
        all.push(action("Kill and Wipe", call("DELETE", path("?wipe=true"), Value::Null), text.to_owned()));
    }
    all
}
