//! An update before it is carried out: what becomes of each object, field by field, and what restarts.

use crate::Text;
use crate::json::Read;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Outcome for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is made.
    Created,
    /// It changes.
    Configured,
    /// It stays as it is.
    #[default]
    Unchanged,
    /// It is no longer in the files, and is deleted.
    Pruned,
    /// It is no longer in the files, and stays.
    Left,
    /// The API refuses it.
    Refused,
}

impl Outcome {
    /// The word as the API's client prints it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Configured => "configured",
            Self::Unchanged => "unchanged",
            Self::Pruned => "pruned",
            Self::Left => "left",
            Self::Refused => "refused",
        }
    }
}

/// A field that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct FieldChange {
    /// Its path: `spec.template.spec.containers[web].image`.
    pub path: Text,
    /// Its value before; `None` if it is new.
    pub old: Option<Text>,
    /// Its value after; `None` if it is removed.
    pub new: Option<Text>,
}

/// The change of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct ObjectChange {
    /// The object as commands write it: `deployment.apps/web`.
    pub object: Text,
    /// Its namespace; empty for kinds that have none.
    pub namespace: Text,
    /// Its outcome.
    pub outcome: Outcome,
    /// Fields that change, in the order of the object.
    pub fields: Vec<FieldChange>,
    /// Number of further fields that are left out.
    pub more: u32,
    /// Pods that are replaced.
    pub replaced: u32,
    /// Effect on pods in a sentence; the API's sentence if it is refused.
    pub effect: Text,
}

/// An update before it is carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Changes {
    /// Name of the service.
    pub service: Text,
    /// Objects in the order in which they are applied, then those that are no longer in the files.
    pub objects: Vec<ObjectChange>,
}

impl Changes {
    /// Returns the number of objects with an outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.objects.iter().filter(|object| object.outcome == outcome).count()
    }

    /// Returns whether carrying it out would change nothing.
    pub fn is_empty(&self) -> bool {
        self.objects.iter().all(|object| matches!(object.outcome, Outcome::Unchanged | Outcome::Left))
    }

    /// The sum in a line: `1 created, 1 configured, 2 unchanged; 3 pods are replaced`.
    pub fn summary(&self) -> String {
        let all = [
            Outcome::Created,
            Outcome::Configured,
            Outcome::Unchanged,
            Outcome::Pruned,
            Outcome::Left,
            Outcome::Refused,
        ];
        let counts = all.into_iter().map(|outcome| (self.count(outcome), outcome.as_str()));
        let counts: Vec<String> =
            counts.filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        let replaced: u32 = self.objects.iter().map(|object| object.replaced).sum();
        let pods = match replaced {
            0 => "restarts nothing".to_owned(),
            1 => "1 pod is replaced".to_owned(),
            count => format!("{count} pods are replaced"),
        };
        format!("{}; {pods}", counts.join(", "))
    }

    /// The whole as text, an object for each paragraph.
    pub fn text(&self) -> String {
        let mut out = Vec::new();
        for object in &self.objects {
            let word = match object.outcome {
                Outcome::Left => "is no longer in the files and stays",
                outcome => outcome.as_str(),
            };
            let at = if matches!(&*object.namespace, "" | "default") {
                String::new()
            } else {
                format!(" (namespace {})", object.namespace)
            };
            out.push(format!("{}{at} {word}", object.object));
            for field in &object.fields {
                let value = |value: &Option<Text>| value.as_deref().unwrap_or("<none>").replace('\n', "\\n");
                out.push(format!("  {}: {} -> {}", field.path, value(&field.old), value(&field.new)));
            }
            if object.more > 0 {
                out.push(format!("  and {} more fields", object.more));
            }
            if !object.effect.is_empty() {
                out.push(format!("  {}", object.effect));
            }
        }
        out.push(self.summary());
        out.join("\n")
    }
}

/// A change of one field of a definition that is worth trying.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Recipe {
    /// Plan of the workload.
    pub plan: Text,
    /// The workload as commands write it: `deployment.apps/web`.
    pub object: Text,
    /// The field as the API names it: `maxSurge`.
    pub field: Text,
    /// Its value now, defaults included.
    pub old: Text,
    /// Its value after the change.
    pub new: Text,
    /// Effect of the field, in a sentence.
    pub about: Text,
    /// The files with the change, by name. They stay with the host.
    #[serde(skip)]
    pub files: BTreeMap<String, String>,
}

/// A number of two worlds: without a change and with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Measure {
    /// Name of the number.
    pub name: Text,
    /// Without the change and with it, in words.
    pub values: [Text; 2],
    /// The better number is that of the world with the change; `None` if neither is better.
    pub better: Option<bool>,
}

/// Two worlds with the same luck, without a change and with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
pub struct Trial {
    /// The change.
    pub recipe: Recipe,
    /// Effect of applying it to what runs, as the API and its controllers decide.
    pub applied: Text,
    /// The difference, in a sentence.
    pub verdict: Text,
    /// The numbers.
    pub measures: Vec<Measure>,
}
