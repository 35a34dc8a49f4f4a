//! Checks dependencies of an operator version: installed, and without cycles.
//!
//! *Knows*: versions in the cluster. *Must not know*: instances.
//!
//! **Source**: `kudobuilder/kudo: pkg/controller/instance/instance_controller.go`, `resolver_incluster.go`. Match.

use std::sync::Arc;

use planarium_kube::{Kube, ObjectRef};
use planarium_protocol::Text;

use super::Controller;
use crate::codes::API_VERSION;
use crate::package::model::TaskKind;
use crate::package::version_name;
use crate::version::{Version, read_again};

impl Controller {
    /// Checks that all dependencies of a version are installed, without a cycle.
    pub(super) fn dependencies(&mut self, kube: &Kube, version: &Arc<Version>) -> Result<(), String> {
        let mut found = vec![Arc::clone(version)];
        let mut edges: Vec<(Text, Text)> = Vec::new();
        self.walk(kube, &version.namespace, version, &mut found, &mut edges)
    }

    fn walk(
        &mut self,
        kube: &Kube,
        namespace: &Text,
        parent: &Arc<Version>,
        found: &mut Vec<Arc<Version>>,
        edges: &mut Vec<(Text, Text)>,
    ) -> Result<(), String> {
        let qualified =
            |version: &Version| version_name(&version.operator, &version.app_version, &version.version);
        let parent_name = Text::from(qualified(parent));
        for task in parent.tasks.iter().filter(|task| task.is() == Some(TaskKind::KudoOperator)) {
            let (operator, app, own) =
                (&task.package.value, &task.app_version.value, &task.operator_version.value);
            let any = |text: &str| if text.is_empty() { "any".to_owned() } else { text.to_owned() };
            let name = version_name(operator, app, own);
            let object = |kind: &str, name: &str| {
                let kind = kube.find_kind(API_VERSION, kind)?;
                kube.get(ObjectRef::new(kind, namespace, name)).cloned()
            };
            let failed = |problem: String| {
                format!(
                    "failed to resolve package Operator: {operator:?}, OperatorVersion: {:?}, AppVersion {:?}, dependency of \
                     package {parent_name}: {problem}",
                    any(own),
                    any(app)
                )
            };
            let Some(child) = object("OperatorVersion", &name) else {
                return Err(failed(format!("failed to resolve operator version {namespace}/{name}:{app}")));
            };
            if object("Operator", operator).is_none() {
                return Err(failed(format!("failed to resolve operator {namespace}/{operator}")));
            }
            let key = (namespace.clone(), child.name.clone());
            let child = read_again(self.versions.get(&key), &child);
            self.versions.insert(key, Arc::clone(&child));
            let child_name = Text::from(qualified(&child));
            let new = !found.iter().any(|known| *qualified(known) == *child_name);
            if new {
                found.push(Arc::clone(&child));
            }
            edges.push((parent_name.clone(), child_name.clone()));
            if reaches(edges, &child_name, &parent_name) {
                return Err(format!(
                    "cyclic package dependency found when adding package {parent_name} -> {child_name}"
                ));
            }
            if new {
                self.walk(kube, namespace, &child, found, edges)?;
            }
        }
        Ok(())
    }
}

fn reaches(edges: &[(Text, Text)], from: &Text, to: &Text) -> bool {
    let mut seen = vec![from.clone()];
    let mut at = 0;
    while let Some(one) = seen.get(at).cloned() {
        if one == *to {
            return true;
        }
        at += 1;
        for (_, next) in edges.iter().filter(|(start, _)| *start == one) {
            if !seen.contains(next) {
                seen.push(next.clone());
            }
        }
    }
    false
}
