//! What the page keeps for Skopos plans.

use super::Desk;

/// Skopos deployment plans.
pub(super) const DESK: Desk = Desk {
    dialect: "skopos",
    main: &["plan.yaml", "plan.yml", "model.yaml", "env.yaml"],
    json: "plan.json",
    first: "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\nsteps: []\n",
    commands: &["state", "start", "pause", "resume", "gate", "abandon", "log"],
    tries: &["state", "log"],
    panel: |_| None,
};
