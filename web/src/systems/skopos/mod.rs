//! Skopos in the page.

mod chart;
mod drawing;
mod layout;

use super::{Desk, Sketch, Spot};
use crate::store::selectors::faults::{Offer, Strikes, offer};
use crate::store::state::Finding;
use crate::store::{Action, Hub};
use crate::ui::Button;
use planarium_protocol::input::FaultKind;
use yew::prelude::*;

/// The file that a model is read from.
const MODEL_FILE: &str = "model.yaml";

/// A fix for a model in place of a plan: opens the generated plan.
pub(super) fn remedy(hub: &Hub, finding: &Finding) -> Option<Html> {
    let is_model = &*finding.code == "SKO010" && finding.message.contains("Skopos model");
    let file = finding.file.to_string();
    if !is_model || hub.state().draft.files.contains_key(MODEL_FILE) {
        return None;
    }
    let own = hub.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        let Some(text) = own.state().draft.files.get(&file).cloned() else { return };
        own.send(Action::Edit(MODEL_FILE.to_owned(), text));
        own.send(Action::AddFile(MODEL_FILE.to_owned()));
        own.send(Action::DropFile(file.clone()));
        if !own.state().world.touched {
            own.send(Action::Apply);
        }
    });
    Some(html! {
        <Button label="Generate its plan" icon="wand" title="Names the file model.yaml; the plan is made from it" {onclick} />
    })
}

/// Skopos deployment plans.
pub(super) const DESK: Desk = Desk {
    dialect: "skopos",
    main: &["plan.yaml", "plan.yml", "model.yaml", "model.yml", "env.yaml"],
    json: "plan.json",
    first: "doctype: com.datagridsys.doctype/skopos/deploy-plan
version: alpha/1
steps:
- id: window
  class: group
  on_fail: fail
  steps:
  - { id: settle, class: delay, duration: 20 }
  - { id: ask, class: manual-gate, message: Go on?, on_fail: fail }
  - { id: report, class: delay, duration: 5 }
",
    commands: &[
        "state",
        "log",
        "plan",
        "instances",
        "start",
        "pause",
        "resume",
        "step",
        "gate-pass",
        "gate-fail",
        "abandon",
        "reset",
    ],
    tries: &["state", "start", "log", "help"],
    heading: "Plan of ",
    faults: FAULTS,
    calls: drawing::calls,
    data: "flow",
    spot: Spot::Drawing,
    ..Desk::PLAIN
};

/// Its pictures.
pub(super) const SKETCH: Sketch =
    Sketch { dialect: DESK.dialect, drawing: drawing::picture, ..Sketch::PLAIN };

/// Faults of machines, instances and calls.
static FAULTS: &[Offer] = &[
    offer(
        FaultKind::PluginFail,
        Strikes::Step,
        true,
        "Fail what a step calls",
        "Its plugin, its script or its quality gate says no.",
    ),
    offer(
        FaultKind::ImageMissing,
        Strikes::Pod,
        true,
        "Take an image away",
        "Instances that start now cannot fetch it.",
    ),
    offer(FaultKind::AgentLost, Strikes::Machine, true, "Lose a host", "It goes with every container on it."),
    offer(FaultKind::TaskKill, Strikes::Task, false, "Kill a container", "Somebody kills it from outside."),
    offer(
        FaultKind::CrashLoop,
        Strikes::Pod,
        true,
        "Crash loop",
        "Containers fail shortly after every start.",
    ),
    offer(
        FaultKind::HealthFail,
        Strikes::Pod,
        true,
        "Fail health checks",
        "Instances run and are found unhealthy.",
    ),
    offer(FaultKind::SlowStart, Strikes::Pod, true, "Slow start", "Starting takes much longer."),
    offer(
        FaultKind::AgentPartitioned,
        Strikes::Machine,
        true,
        "Cut a host off",
        "Nobody hears of it; its containers run on.",
    ),
];
