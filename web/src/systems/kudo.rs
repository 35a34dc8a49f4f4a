//! What the page keeps for KUDO operators.

use super::Desk;

/// KUDO operators.
pub(super) const DESK: Desk = Desk {
    dialect: "kudo",
    main: &["operator.yaml", "operator.yml"],
    json: "operator.json",
    first: "apiVersion: kudo.dev/v1beta1\nname: hello\noperatorVersion: 0.1.0\nplans: {}\ntasks: []\n",
    commands: &[
        "plan status",
        "plan history",
        "plan trigger",
        "update",
        "upgrade",
        "uninstall",
        "get instances",
    ],
    tries: &["kubectl kudo plan status --instance=INSTANCE", "kubectl kudo get instances"],
    panel: |_| None,
};
