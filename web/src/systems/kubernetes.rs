//! Kubernetes in the page.

use super::Desk;
use crate::store::selectors::faults;

/// Plain Kubernetes objects.
pub(super) const DESK: Desk = Desk {
    dialect: "kubernetes",
    main: &["web.yaml", "objects.yaml", "deployment.yaml"],
    json: "objects.json",
    first: "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: web
          image: web:1
          resources: {requests: {cpu: 250m, memory: 128Mi}}
          readinessProbe: {httpGet: {path: /ready, port: 80}, periodSeconds: 5}
",
    commands: &[
        "get pods",
        "rollout status",
        "rollout undo",
        "rollout pause",
        "rollout restart",
        "scale",
        "set image",
        "drain",
        "describe",
        "delete",
    ],
    tries: &["kubectl get all", "kubectl rollout history deployment/web", "kubectl get events"],
    heading: "Workloads of ",
    faults: faults::KUBERNETES,
    ..Desk::PLAIN
};
