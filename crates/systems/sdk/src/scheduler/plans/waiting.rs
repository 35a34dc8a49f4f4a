//! Steps by their awaited tasks.
//!
//! *Knows*: task ids by pod instance. *Must not know*: how a step reacts to its task.
//!
//! A step waits for few tasks of a pod instance, so its list is searched linearly.

use crate::scheduler::state::PodKey;
use planarium_kernel::cow::{behind, bytes_of};
use planarium_kernel::{Table, Weight};
use planarium_plan::Holder;
use planarium_protocol::Text;
use std::sync::Arc;

type Row = Option<Arc<Vec<(Text, Holder)>>>;

/// Steps by the ids of tasks they launched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    /// By the number of the pod instance.
    pods: Table<Row, 16>,
    len: u32,
}

impl Waiting {
    /// Number of tasks that are waited for.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The step that waits for a task of a pod instance.
    pub(crate) fn get(&self, pod: &PodKey, id: &str) -> Option<Holder> {
        let row = self.pods.get(pod.number() as usize)?.as_ref()?;
        // Mostly it is the very text of the row, and then none is read.
        let same = row.iter().find(|(mine, _)| std::ptr::eq(&raw const **mine, id));
        same.or_else(|| row.iter().find(|(mine, _)| **mine == *id)).map(|(_, holder)| *holder)
    }

    /// A step waits for a task from now on.
    pub(crate) fn insert(&mut self, pod: &PodKey, id: &Text, holder: Holder) {
        let at = pod.number() as usize;
        while pod.is_stored() && self.pods.len() <= at {
            self.pods.push(None);
        }
        let Some(row) = self.pods.get_mut(at) else { return };
        let row = Arc::make_mut(row.get_or_insert_default());
        match row.iter_mut().find(|(mine, _)| *mine == *id) {
            Some((_, step)) => *step = holder,
            None => {
                row.push((id.clone(), holder));
                self.len += 1;
            }
        }
    }

    /// No step waits for a task any more.
    pub(crate) fn remove(&mut self, pod: &PodKey, id: &str) {
        let Some(Some(row)) = self.pods.get_mut(pod.number() as usize) else { return };
        let Some(at) = row.iter().position(|(mine, _)| **mine == *id) else { return };
        Arc::make_mut(row).remove(at);
        self.len -= 1;
    }

    /// Every task that is waited for, with its step.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &Holder)> {
        self.pods.iter().flatten().flat_map(|row| row.iter()).map(|(id, holder)| (id, holder))
    }
}

impl Weight for Waiting {
    fn beyond(&self, before: Option<&Self>) -> u64 {
        let list = |row: &Arc<Vec<(Text, Holder)>>| bytes_of::<(Text, Holder)>(row.len());
        self.pods.beyond_with(before.map(|before| &before.pods), |row, old| {
            let old = old.and_then(|old| old.as_ref());
            row.as_ref().map_or(0, |row| behind(row, old, |_| list(row)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::state::TaskStore;
    use planarium_plan::{PlanId, StepId};

    #[test]
    fn steps_are_found_by_pod_and_task() {
        let mut store = TaskStore::default();
        let pods: Vec<PodKey> = (0..40).map(|index| store.key(&"a".into(), index)).collect();
        let holder = |step| Holder { plan: PlanId::at(0), step: StepId::at(step) };
        let id = |pod: usize, task: usize| Text::from(format!("a-{pod}-{task}"));
        let mut waiting = Waiting::default();
        for (at, pod) in pods.iter().enumerate().rev() {
            waiting.insert(pod, &id(at, 0), holder(at));
            waiting.insert(pod, &id(at, 1), holder(at));
            waiting.insert(pod, &id(at, 1), holder(at + 100));
        }
        assert_eq!((waiting.len(), waiting.iter().count()), (80, 80));
        for (at, pod) in pods.iter().enumerate() {
            assert_eq!(waiting.get(pod, &id(at, 0)), Some(holder(at)));
            assert_eq!(waiting.get(pod, &id(at, 1)), Some(holder(at + 100)));
            assert_eq!(waiting.get(pod, &id(at, 2)), None);
            waiting.remove(pod, &id(at, 0));
            waiting.remove(pod, &id(at, 2));
            assert_eq!(waiting.get(pod, &id(at, 0)), None);
        }
        assert_eq!((waiting.len(), waiting.iter().count()), (40, 40));
    }
}
