//! Pod instances that may have to be recovered, with what they need to come back.
//!
//! *Knows*: which pods have failed tasks, in order of their names; what was found out about them, and in which state of
//! their tasks. *Must not know*: what is to be recovered, and whether anything stands in the way.
//!
//! A failed pod that something else works on is looked at in every cycle. What it needs follows from its tasks alone
//! unless launches are delayed, so it is found out once for each state of them.

use super::requirement::Requirement;
use super::store::PodKey;
use planarium_kernel::Map;
use planarium_plan::Asset;
use planarium_protocol::Text;
use std::sync::Arc;

/// What a pod instance needs to come back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// The count of changes of its tasks that it was found out at.
    pub(super) changes: u64,
    /// By the version that its failed tasks run.
    pub(super) requirements: Vec<(Requirement, Asset)>,
}

/// A pod instance.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    /// Which.
    pub(super) key: PodKey,
    /// What it needs, as far as that is known.
    pub(super) needs: Option<Arc<Needs>>,
}

/// All of them, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Failing {
    pods: Map<Text, Failed>,
    /// Which pod instances are among them, by number: most that are asked for are not.
    marks: Vec<bool>,
}

impl Failing {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.pods.len()
    }

    /// There are none any more.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Notes whether a pod instance is one of them.
    pub(super) fn note(&mut self, key: &PodKey, failing: bool) {
        let at = key.number() as usize;
        if !key.is_stored() || self.marks.get(at).copied().unwrap_or(false) == failing {
            return;
        }
        if self.marks.len() <= at {
            self.marks.resize(at + 1, false);
        }
        if let Some(mark) = self.marks.get_mut(at) {
            *mark = failing;
        }
        if failing {
            self.pods.insert(key.name(), Failed { key: key.clone(), needs: None });
        } else {
            self.pods.remove(key.name_text());
        }
    }

    /// All as they are now, in order of their names.
    pub(super) fn all(&self) -> Vec<Failed> {
        self.pods.values().cloned().collect()
    }

    /// Keeps what a pod instance needs, if it is still one of them.
    pub(super) fn keep(&mut self, key: &PodKey, needs: &Arc<Needs>) {
        if let Some(pod) = self.pods.get_mut(key.name_text()) {
            pod.needs = Some(needs.clone());
        }
    }

    /// What is wrong with the marks, if anything.
    pub(super) fn check(&self) -> Option<String> {
        let marked = |pod: &Failed| self.marks.get(pod.key.number() as usize) == Some(&true);
        let count = self.marks.iter().filter(|mark| **mark).count();
        let sound = count == self.pods.len() && self.pods.values().all(marked);
        (!sound).then(|| "the marks of failed pods are not those of the pods".to_owned())
    }
}
