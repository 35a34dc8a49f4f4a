//! The tasks that plans mention.
//!
//! *Knows*: pod instances and names of tasks. *Must not know*: plans.

use crate::scheduler::requirement::Requirement;
use crate::scheduler::state::TaskRecord;
use planarium_protocol::Text;
use std::sync::Arc;

/// Tasks that plans mention.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mentioned {
    /// Lists of names within the pod, by the number of the pod instance. Steps that launch the same share theirs.
    pods: Vec<Vec<Arc<[Text]>>>,
}

impl<'a> FromIterator<&'a Requirement> for Mentioned {
    fn from_iter<I: IntoIterator<Item = &'a Requirement>>(steps: I) -> Self {
        let mut all = Self::default();
        for Requirement { key, tasks, .. } in steps.into_iter().filter(|step| step.key.is_stored()) {
            let pod = key.number() as usize;
            if all.pods.len() <= pod {
                all.pods.resize(pod + 1, Vec::new());
            }
            let Some(lists) = all.pods.get_mut(pod) else { continue };
            if !lists.iter().any(|list| Arc::ptr_eq(list, tasks)) {
                lists.push(tasks.clone());
            }
        }
        all
    }
}

impl Mentioned {
    /// Tells if a plan mentions the task.
    pub(crate) fn contains(&self, task: &TaskRecord) -> bool {
        let lists = self.pods.get(task.pod.number() as usize);
        lists.is_some_and(|lists| lists.iter().any(|list| list.contains(&task.task)))
    }
}
