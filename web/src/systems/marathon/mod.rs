//! Marathon in the page.

mod curve;
mod panel;

use super::Desk;

/// Marathon apps, pods and groups.
pub(super) const DESK: Desk = Desk {
    dialect: "marathon",
    main: &["app.json", "group.json", "pod.json", "app.yaml", "app.yml"],
    json: "app.json",
    first: "{
  \"id\": \"/hello\",
  \"cmd\": \"python3 -m http.server $PORT0\",
  \"cpus\": 0.1,
  \"mem\": 64,
  \"instances\": 3,
  \"upgradeStrategy\": {\"minimumHealthCapacity\": 0.7, \"maximumOverCapacity\": 0.4}
}
",
    commands: &[
        "app list",
        "app show",
        "app update",
        "app restart",
        "app stop",
        "app remove",
        "deployment list",
        "deployment rollback",
        "deployment stop",
        "group scale",
        "task list",
        "task kill",
        "debug summary",
    ],
    tries: &["dcos marathon app list", "dcos marathon deployment list", "dcos marathon task list"],
    panel: panel::panel,
};
