//! KUDO in the page.

mod form;
mod objects;
mod pane;

use super::{Desk, Sketch};
use crate::store::selectors::faults;
use serde_json::Value;

/// KUDO operators.
pub(super) const DESK: Desk = Desk {
    dialect: "kudo",
    main: &["operator.yaml"],
    json: "operator.json",
    first: "# file: operator.yaml
apiVersion: kudo.dev/v1beta1
name: hello
operatorVersion: 0.1.0
kubernetesVersion: 1.17.0
tasks:
  - name: servers
    kind: Apply
    spec:
      resources: [servers.yaml]
plans:
  deploy:
    strategy: serial
    phases:
      - name: main
        strategy: serial
        steps:
          - name: servers
            tasks: [servers]
# file: params.yaml
apiVersion: kudo.dev/v1beta1
parameters:
  - name: REPLICAS
    displayName: Replicas
    description: How many servers run.
    type: integer
    default: 2
# file: templates/servers.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Name }}-servers
spec:
  replicas: {{ .Params.REPLICAS }}
  selector:
    matchLabels: { app: {{ .Name }} }
  template:
    metadata:
      labels: { app: {{ .Name }} }
    spec:
      containers:
        - name: server
          image: hello:1
          resources: { requests: { cpu: 250m, memory: 128Mi } }
",
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
    heading: "Plans of instance ",
    pods: "Instance",
    objects: true,
    faults: faults::KUBERNETES,
    data: "kudo",
    ..Desk::PLAIN
};

/// Its pictures.
pub(super) const SKETCH: Sketch = Sketch {
    dialect: DESK.dialect,
    panel: pane::panel,
    below: pane::below,
    about: pane::about,
    ..Sketch::PLAIN
};

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}
