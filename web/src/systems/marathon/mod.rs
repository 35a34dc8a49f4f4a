//! Marathon in the page.

mod panel;

use super::{Desk, Passing, Sketch};
use crate::store::state::Finding;
use crate::store::{Action, Hub};
use crate::ui::Button;
use yew::prelude::*;

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
    heading: "Apps and deployments of ",
    pods: "Apps",
    passing: Some(Passing { is: |plan| &*plan.name != APPS, over: "Finished deployments" }),
    data: "apps",
    ..Desk::PLAIN
};

/// Its pictures.
pub(super) const SKETCH: Sketch = Sketch {
    dialect: DESK.dialect,
    panel: panel::panel,
    below: panel::below,
    about: panel::about,
    ..Sketch::PLAIN
};

/// The setting of Marathon's own role, and a role to set it to.
const ROLE: (&str, &str) = ("MARATHON_MESOS_ROLE", "marathon");

/// A fix for apps with volumes under the role `*`, for which nothing can be reserved: starts Marathon with its own role.
pub(super) fn remedy(hub: &Hub, finding: &Finding) -> Option<Html> {
    if &*finding.code != "MAR072" || hub.state().draft.env.contains_key(ROLE.0) {
        return None;
    }
    let onclick = hub.act(Action::SetEnv(ROLE.0.to_owned(), Some(ROLE.1.to_owned())));
    Some(html! {
        <Button label="Give Marathon a role of its own" icon="wand" title={format!("Sets {} to {}", ROLE.0, ROLE.1)} {onclick} />
    })
}

/// The plan of all apps; every other one is a deployment.
const APPS: &str = "apps";
