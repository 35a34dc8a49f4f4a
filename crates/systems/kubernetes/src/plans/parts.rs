//! The objects that controllers made for a member.
//!
//! *Knows*: which of them are pods. *Must not know*: their statuses.
//!
//! *Cost*: a member may have 100,000 pods, so they are kept apart from the few ReplicaSets, Jobs and ControllerRevisions: its status walks
//! only these.
//!
//! *Invariant*: pods are among the pods, all others among the makers; [`Parts::misplaced`] reports differences.

use planarium_kernel::{Map, Weight};
use planarium_kube::{KindId, ObjectNo};

use super::member::Part;

/// Objects that controllers made, by number.
#[derive(Clone, Debug, Default, Weight)]
#[weight(flat pods, flat makers)]
pub(crate) struct Parts {
    pods: Map<ObjectNo, Part>,
    /// ReplicaSets, Jobs and ControllerRevisions.
    makers: Map<ObjectNo, Part>,
}

impl Parts {
    /// The object of a number.
    pub(crate) fn get(&self, no: ObjectNo) -> Option<&Part> {
        self.pods.get(&no).or_else(|| self.makers.get(&no))
    }

    /// The object of a number, to be changed. *Invariant*: its kind stays.
    pub(crate) fn get_mut(&mut self, no: ObjectNo) -> Option<&mut Part> {
        if self.pods.contains_key(&no) { self.pods.get_mut(&no) } else { self.makers.get_mut(&no) }
    }

    /// True if an object is among them.
    pub(crate) fn has(&self, no: ObjectNo) -> bool {
        self.get(no).is_some()
    }

    /// Adds an object, or replaces it.
    pub(crate) fn put(&mut self, part: Part) {
        let no = part.object.no;
        let own = if part.object.kind == KindId::POD { &mut self.pods } else { &mut self.makers };
        own.insert(no, part);
    }

    /// Takes an object out.
    pub(crate) fn remove(&mut self, no: ObjectNo) {
        if self.pods.remove(&no).is_none() {
            self.makers.remove(&no);
        }
    }

    /// Pods. *Order*: creation.
    pub(crate) fn pods(&self) -> impl Iterator<Item = &Part> {
        self.pods.values()
    }

    /// ReplicaSets, Jobs or ControllerRevisions. *Order*: creation. *Cost*: their number, however many pods there are.
    pub(crate) fn makers(&self, kind: KindId) -> impl Iterator<Item = &Part> {
        self.makers.values().filter(move |part| part.object.kind == kind)
    }

    /// The first object that is kept in the wrong place.
    pub(crate) fn misplaced(&self) -> Option<&Part> {
        let is_wrong = |(no, part): &(&ObjectNo, &Part), of_pods: bool| {
            part.object.no != **no || (part.object.kind == KindId::POD) != of_pods
        };
        let pods = self.pods.iter().find(|entry| is_wrong(entry, true));
        pods.or_else(|| self.makers.iter().find(|entry| is_wrong(entry, false))).map(|(_, part)| part)
    }
}
