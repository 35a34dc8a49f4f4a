//! Definitions as texts.

use planarium_kubernetes::definition::Loaded;
use planarium_protocol::input::LoadService;
use planarium_protocol::json;
use planarium_source::Diagnostic;
use std::collections::BTreeMap;

/// A request of one file; a first line `# namespace: NAME` is the namespace that it names.
pub(crate) fn request(text: &str) -> LoadService {
    let namespace = text.lines().next().and_then(|line| line.strip_prefix("# namespace: "));
    let options = namespace.map_or(serde_json::Value::Null, |namespace| json!({ "namespace": namespace }));
    let path = if text.trim_start().starts_with(['{', '[']) { "objects.json" } else { "objects.yaml" };
    let files = BTreeMap::from([(path.to_owned(), text.to_owned())]);
    LoadService {
        dialect: "kubernetes".into(),
        name: "shop".into(),
        files,
        options,
        ..LoadService::default()
    }
}

/// Findings as `line:column: severity[CODE]: message`.
pub(crate) fn shown(loaded: &Loaded, findings: &[Diagnostic]) -> Vec<String> {
    let show = |finding: &Diagnostic| {
        let place = loaded.sources().position(finding.span);
        format!(
            "{}:{}: {}[{}]: {}",
            place.line, place.column, finding.severity, finding.code, finding.message
        )
    };
    findings.iter().map(show).collect()
}

/// The findings of a text.
pub(crate) fn findings(text: &str) -> Vec<String> {
    let loaded = Loaded::read(&request(text));
    shown(&loaded, loaded.diagnostics())
}

/// A Deployment with this image and number of pods.
pub(crate) fn deployment(image: &str, replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: {replicas}
  selector:
    matchLabels: {{app: web}}
  template:
    metadata:
      labels: {{app: web}}
    spec:
      containers:
        - name: web
          image: {image}
          resources: {{requests: {{cpu: 250m, memory: 64Mi}}}}
"
    )
}

/// A StatefulSet with this image and number of pods; further lines of its spec.
pub(crate) fn stateful_set(image: &str, replicas: u32, more: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
spec:
  serviceName: db
  replicas: {replicas}
{more}  selector:
    matchLabels: {{app: db}}
  template:
    metadata:
      labels: {{app: db}}
    spec:
      containers:
        - name: db
          image: {image}
"
    )
}
