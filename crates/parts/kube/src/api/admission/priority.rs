//! Priority classes: a pod's priority, and the rules for classes.
//!
//! Source: `kubernetes/kubernetes: plugin/pkg/admission/priority/admission.go`, `pkg/apis/scheduling/helpers.go` (1.29), match.

use super::{Asked, forbidden};
use crate::{
    api::{Api, Draft},
    error::ApiError,
    kinds::KindId,
    object::{Object, ObjectRef},
    spec::pod::Rank,
    tree::Tree,
};
use std::sync::Arc;

/// The classes that every cluster has, with their values.
pub(crate) const SYSTEM: [(&str, i64, &str); 2] = [
    ("system-cluster-critical", 2_000_000_000, "For pods that the cluster needs, on any node."),
    ("system-node-critical", 2_000_001_000, "For pods that a node needs, on that node."),
];

impl Api {
    /// Returns the rank of a pod by its class, or by the default class. *Errors*: the class does not exist, or the pod's own
    /// priority or policy differs from it.
    pub(super) fn rank_of(&self, asked: &Asked) -> Result<Rank, String> {
        let class = if asked.class.is_empty() {
            self.default_priority_class().cloned()
        } else {
            let class = ObjectRef::new(KindId::PRIORITY_CLASS, "", &asked.class);
            Some(
                self.get(class)
                    .ok_or_else(|| format!("no PriorityClass with name {} was found", asked.class))?
                    .clone(),
            )
        };
        let value = class.as_ref().map_or(0, |class| value_of(class));
        if asked.priority.is_some_and(|own| own != value) {
            let own = asked.priority.unwrap_or(0);
            return Err(format!(
                "the integer value of priority ({own}) must not be provided in pod spec; priority admission controller computed \
                 {value} from the given PriorityClass name"
            ));
        }
        let policy = class.as_ref().map_or("", |class| class.content().text("preemptionPolicy"));
        let policy = if policy.is_empty() { "PreemptLowerPriority" } else { policy };
        if !asked.policy.is_empty() && *asked.policy != *policy {
            return Err(format!(
                "the string value of PreemptionPolicy ({}) must not be provided in pod spec; priority admission controller \
                 computed {policy} from the given PriorityClass name",
                asked.policy
            ));
        }
        Ok(Rank {
            value,
            never_preempts: policy == "Never",
            class: class
                .filter(|_| asked.class.is_empty())
                .map(|class| class.name.clone())
                .unwrap_or_default(),
        })
    }

    /// The class of pods that name none; of several the least.
    fn default_priority_class(&self) -> Option<&Arc<Object>> {
        let all = self.store.of_kind(KindId::PRIORITY_CLASS, None);
        all.filter(|class| class.content().flag("globalDefault")).min_by_key(|class| value_of(class))
    }

    /// Refuses a second default class.
    pub(super) fn admit_priority_class(&self, draft: &Draft) -> Result<(), ApiError> {
        if !draft.content.flag("globalDefault") {
            return Ok(());
        }
        let other = self.default_priority_class().filter(|class| *class.name != *draft.name());
        other.map_or(Ok(()), |other| {
            let text = format!(
                "PriorityClass {} is already marked as default. Only one default can exist",
                other.name
            );
            Err(ApiError {
                about: Some((draft.info.group.clone(), draft.info.plural.clone(), draft.name().into())),
                ..forbidden("priorityclasses.scheduling.k8s.io", draft.name(), &text)
            })
        })
    }
}

fn value_of(class: &Object) -> i64 {
    class.content().int("value").unwrap_or(0)
}
