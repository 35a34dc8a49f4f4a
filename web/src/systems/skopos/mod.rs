//! What the page keeps for Skopos plans.

mod chart;
mod drawing;
mod layout;

use super::Desk;

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
    panel: drawing::panel,
};
