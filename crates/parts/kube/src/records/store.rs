//! Objects, their indexes, and the log of their changes.
//!
//! *Knows*: objects by number, name, uid, owner and label; the latest changes. *Must not know*: consequences of a
//! change.
//!
//! *Invariant*: every index equals a walk over all objects; [`Store::check`] reports differences.

use crate::{
    error::{ApiError, Reason},
    kinds::KindId,
    object::{Object, ObjectNo, ObjectRef, OwnerReference},
    request::{Change, ChangeKind},
    selector::Selector,
};
use planarium_kernel::{
    Finder, IdMap, Map, SortedMap, draw,
    fingerprint::{self, fold},
    id::{Counter, Id},
    sorted,
};
use planarium_protocol::Text;
use std::{borrow::Borrow, cmp::Ordering, sync::Arc};

/// Maximum of changes kept for watches.
pub(crate) const CHANGES_KEPT: usize = 4_096;
const UID: u32 = 0x4B01;

/// Kind, namespace and name. *Order*: that of lists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "Kubernetes calls this part the name too")]
pub(crate) struct Name {
    kind: KindId,
    namespace: Text,
    name: Text,
}

/// A [`Name`] or a reference to one, for looking up without making one.
trait AsName {
    fn parts(&self) -> (KindId, &str, &str);
}

impl AsName for Name {
    fn parts(&self) -> (KindId, &str, &str) {
        (self.kind, &self.namespace, &self.name)
    }
}

impl AsName for ObjectRef<'_> {
    fn parts(&self) -> (KindId, &str, &str) {
        (self.kind, self.namespace, self.name)
    }
}

impl PartialEq for dyn AsName + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for dyn AsName + '_ {}

impl PartialOrd for dyn AsName + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for dyn AsName + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl<'a> Borrow<dyn AsName + 'a> for Name {
    fn borrow(&self) -> &(dyn AsName + 'a) {
        self
    }
}

/// A version of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version(u64);

impl Id for Version {
    fn number(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// All objects and their indexes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub(crate) objects: Map<ObjectNo, Arc<Object>>,
    /// In the order of lists.
    names: Map<Name, ObjectNo>,
    /// Fingerprint of kind, namespace and name, and number: a look-up by name compares no texts but those of the object found.
    prints: Map<u128, ()>,
    /// Number of objects of each kind that has some.
    counts: SortedMap<KindId, u32>,
    uids: Finder,
    /// Owner and dependant.
    owned: Map<(ObjectNo, ObjectNo), ()>,
    /// Fingerprint of namespace, key and value, and pod.
    labels: Map<(u64, ObjectNo), ()>,
    /// Pods without a controller.
    pub(crate) bare_pods: Map<ObjectNo, ()>,
    /// ReplicaSets without a controller.
    bare_sets: Map<ObjectNo, ()>,
    /// The latest changes, without gaps up to today's version.
    pub(crate) history: IdMap<Version, Change>,
    pub(crate) version: u64,
    next: Counter,
}

/// The entry of a name among the fingerprints.
fn name_print(ObjectRef { kind, namespace, name }: ObjectRef<'_>, no: u32) -> u128 {
    let print = fold(fold(fingerprint::of(name), fingerprint::of(namespace)), u64::from(kind.0));
    u128::from(print) << 32 | u128::from(no)
}

/// The fingerprint of a label in a namespace.
fn print(namespace: &str, key: &str, value: &str) -> u64 {
    fold(fold(fingerprint::of(value), fingerprint::of(key)), fingerprint::of(namespace))
}

impl Store {
    pub(crate) fn get(&self, object: ObjectRef<'_>) -> Option<&Arc<Object>> {
        let all = name_print(object, 0)..=name_print(object, u32::MAX);
        #[expect(clippy::cast_possible_truncation, reason = "the low 32 bits are the number")]
        let found = self.prints.range(all).map(|(row, ())| ObjectNo(*row as u32));
        found.filter_map(|no| self.objects.get(&no)).find(|one| one.reference() == object)
    }

    /// Notes the name of a new object.
    fn index_name(&mut self, object: &Object) {
        let (kind, namespace, name) = (object.kind, object.namespace.clone(), object.name.clone());
        self.names.insert(Name { kind, namespace, name }, object.no);
        self.prints.insert(name_print(object.reference(), object.no.0), ());
        *self.counts.entry(kind).or_default() += 1;
    }

    fn forget_name(&mut self, object: &Object) {
        self.names.remove(&object.reference() as &dyn AsName);
        self.prints.remove(&name_print(object.reference(), object.no.0));
        if let Some(count) = self.counts.get_mut(&object.kind) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&object.kind);
            }
        }
    }

    pub(crate) fn object(&self, no: ObjectNo) -> Option<&Arc<Object>> {
        self.objects.get(&no)
    }

    pub(crate) fn by_uid(&self, uid: &str) -> Option<&Arc<Object>> {
        self.uids
            .find(uid)
            .filter_map(|no| self.objects.get(&ObjectNo(no)))
            .find(|object| *object.uid == *uid)
    }

    /// The object that a reference to an owner names, if it is still there.
    pub(crate) fn owner(&self, owner: &OwnerReference) -> Option<&Arc<Object>> {
        let Some(no) = owner.no else { return self.by_uid(&owner.uid) };
        self.objects.get(&no)
    }

    /// A number for a new object, and its uid.
    pub(crate) fn next(&mut self, seed: u64) -> (ObjectNo, Text) {
        let no = self.next.next();
        (
            ObjectNo(no),
            draw::Uuid::draw(seed, draw::entity("kubernetes object"), UID, u64::from(no)).as_str().into(),
        )
    }

    /// Objects of a kind, in one namespace or (without one) in all. *Order*: namespace, name.
    pub(crate) fn of_kind<'a>(
        &'a self,
        kind: KindId,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Arc<Object>> {
        let mut found: Vec<ObjectNo> = Vec::new();
        if self.counts.contains_key(&kind) {
            let from = ObjectRef::new(kind, namespace.unwrap_or_default(), "");
            let from: &dyn AsName = &from;
            let all =
                self.names.range::<dyn AsName>((std::ops::Bound::Included(from), std::ops::Bound::Unbounded));
            let here =
                |name: &Name| name.kind == kind && namespace.is_none_or(|wanted| *name.namespace == *wanted);
            found.extend(all.take_while(|(name, _)| here(name)).map(|(_, no)| *no));
        }
        found.into_iter().filter_map(|no| self.objects.get(&no))
    }

    /// Everything in a namespace.
    pub(crate) fn in_namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Arc<Object>> {
        let all = self.names.iter().filter(move |(name, _)| *name.namespace == *namespace);
        all.filter_map(|(_, no)| self.objects.get(no))
    }

    /// Objects that belong to one. *Order*: creation.
    pub(crate) fn dependants(&self, owner: ObjectNo) -> impl Iterator<Item = &Arc<Object>> {
        let range = (owner, ObjectNo(0))..=(owner, ObjectNo(u32::MAX));
        self.owned.range(range).filter_map(|((_, no), ())| self.objects.get(no))
    }

    pub(crate) fn has_dependants(&self, owner: ObjectNo) -> bool {
        self.dependants(owner).next().is_some()
    }

    /// Returns the pods of a namespace that match a selector. *Cost*: by the number with the rarest label that it
    /// requires.
    pub(crate) fn pods_selected<'a>(
        &'a self,
        namespace: &'a str,
        selector: &'a Selector,
    ) -> Box<dyn Iterator<Item = &'a Arc<Object>> + 'a> {
        let Some((key, value)) = selector.pairs().last() else {
            let all = self.of_kind(KindId::POD, Some(namespace));
            return Box::new(all.filter(move |pod| selector.matches(&pod.labels)));
        };
        let print = print(namespace, key, value);
        let range = (print, ObjectNo(0))..=(print, ObjectNo(u32::MAX));
        let all = self.labels.range(range).filter_map(|((_, no), ())| self.objects.get(no));
        Box::new(all.filter(move |pod| *pod.namespace == *namespace && selector.matches(&pod.labels)))
    }

    /// Pods that belong to an object. *Order*: creation.
    pub(crate) fn pods_of(&self, workload: ObjectNo) -> impl Iterator<Item = &Arc<Object>> {
        self.dependants(workload).filter(|pod| pod.kind == KindId::POD)
    }

    /// Pods of a claim's namespace that mount it and are not over.
    pub(crate) fn pods_using<'a>(&'a self, claim: &'a Object) -> impl Iterator<Item = &'a Arc<Object>> {
        self.of_kind(KindId::POD, Some(&claim.namespace))
            .filter(move |pod| !pod.is_over() && pod.claims().any(|name| *name == claim.name))
    }

    /// The object that manages another one.
    pub(crate) fn controller_of(&self, object: &Object) -> Option<&Arc<Object>> {
        self.owner(object.controller()?)
    }

    /// The first change after a version.
    pub(crate) fn change_after(&self, version: u64) -> Option<&Change> {
        if version >= self.version {
            return None;
        }
        self.history.get(&Version(version.saturating_add(1).max(self.first_kept())))
    }

    /// The version of the oldest change that is kept; the next one where none is.
    fn first_kept(&self) -> u64 {
        (self.version + 1).saturating_sub(self.history.len() as u64)
    }

    /// Replaces an object by one whose visible and indexed fields are equal: its version stays, and so does the log.
    pub(crate) fn refresh(&mut self, object: Object) {
        self.objects.insert(object.no, Arc::new(object));
    }

    /// Puts an object in its place under the next version.
    pub(crate) fn put(&mut self, mut object: Object) -> Arc<Object> {
        self.version += 1;
        object.resource_version = self.version;
        let object = Arc::new(object);
        let no = object.no;
        let old = self.objects.insert(no, object.clone());
        match &old {
            None => {
                self.index_name(&object);
                self.uids.insert(&object.uid, no.0);
                self.index_owners(&object);
                self.index_labels(&object);
            }
            Some(old) => {
                if !Arc::ptr_eq(&old.owners, &object.owners) && old.owners != object.owners {
                    self.forget_owners(old);
                    self.index_owners(&object);
                }
                if !old.labels.is_same(&object.labels) {
                    self.forget_labels(old);
                    self.index_labels(&object);
                }
            }
        }
        let kind = if old.is_some() { ChangeKind::Modified } else { ChangeKind::Added };
        self.note(kind, object.clone(), old);
        object
    }

    /// Adds an object that exists from the beginning, numbered from the end, so that no other number and no version depends on
    /// it; no watcher is notified.
    pub(crate) fn seat(&mut self, seed: u64, from_end: u32, object: impl FnOnce(ObjectNo, Text) -> Object) {
        let no = ObjectNo(u32::MAX - from_end);
        let uid = draw::Uuid::draw(seed, draw::entity("kubernetes object"), UID, u64::from(no.0));
        let mut object = object(no, uid.as_str().into());
        object.resource_version = 1;
        self.index_name(&object);
        self.uids.insert(&object.uid, no.0);
        self.objects.insert(no, Arc::new(object));
    }

    /// Replaces an object's internal data, without a new version.
    pub(crate) fn keep(&mut self, object: &Arc<Object>, kept: Arc<Object>) {
        if self.object(object.no).is_some_and(|there| Arc::ptr_eq(there, object)) {
            self.objects.insert(object.no, kept);
        }
    }

    /// Takes an object out.
    pub(crate) fn take(&mut self, no: ObjectNo) {
        let Some(object) = self.objects.remove(&no) else { return };
        self.version += 1;
        self.forget_name(&object);
        self.uids.remove(&object.uid, no.0);
        self.forget_owners(&object);
        self.forget_labels(&object);
        let last = Object { resource_version: self.version, ..Object::clone(&object) };
        self.note(ChangeKind::Deleted, Arc::new(last), Some(object));
    }

    fn note(&mut self, kind: ChangeKind, object: Arc<Object>, before: Option<Arc<Object>>) {
        let resource_version = self.version;
        let change = Change { resource_version, kind, object, before };
        self.history.insert(Version(resource_version), change);
        if self.history.len() > CHANGES_KEPT {
            self.history.remove(&Version(self.first_kept()));
        }
    }

    fn index_owners(&mut self, object: &Object) {
        for owner in object.owners.iter() {
            let found = self.owner(owner).map(|owner| owner.no);
            if let Some(owner) = found {
                self.owned.insert((owner, object.no), ());
            }
        }
        if object.kind == KindId::POD && object.controller().is_none() {
            self.bare_pods.insert(object.no, ());
        }
        if object.kind == KindId::REPLICA_SET && object.controller().is_none() {
            self.bare_sets.insert(object.no, ());
        }
    }

    fn forget_owners(&mut self, object: &Object) {
        let owners: Vec<ObjectNo> =
            object.owners.iter().filter_map(|owner| self.owner(owner)).map(|owner| owner.no).collect();
        for owner in owners {
            self.owned.remove(&(owner, object.no));
        }
        self.bare_pods.remove(&object.no);
        self.bare_sets.remove(&object.no);
    }

    /// ReplicaSets of a namespace that have no controller. *Order*: name.
    pub(crate) fn bare_sets(&self, namespace: &str) -> Vec<&Arc<Object>> {
        let all = self.bare_sets.keys().filter_map(|no| self.objects.get(no));
        let mut here: Vec<&Arc<Object>> = all.filter(|set| *set.namespace == *namespace).collect();
        sorted::sort_by(&mut here, |one, other| one.name.cmp(&other.name));
        here
    }

    /// Removes a deleted owner from the index; returns its dependants.
    pub(crate) fn release(&mut self, owner: ObjectNo) -> Vec<ObjectNo> {
        let range = (owner, ObjectNo(0))..=(owner, ObjectNo(u32::MAX));
        let all: Vec<ObjectNo> = self.owned.range(range).map(|((_, no), ())| *no).collect();
        for no in &all {
            self.owned.remove(&(owner, *no));
        }
        all
    }

    fn index_labels(&mut self, object: &Object) {
        if object.kind == KindId::POD {
            for (key, value) in object.labels.iter() {
                self.labels.insert((print(&object.namespace, key, value), object.no), ());
            }
        }
    }

    fn forget_labels(&mut self, object: &Object) {
        if object.kind == KindId::POD {
            for (key, value) in object.labels.iter() {
                self.labels.remove(&(print(&object.namespace, key, value), object.no));
            }
        }
    }

    /// Changes since a version. *Errors*: 410 when that is too long ago.
    pub(crate) fn changes_since(&self, version: u64) -> Result<impl Iterator<Item = &Change>, ApiError> {
        let first = self.first_kept();
        if version + 1 < first {
            let message = format!("too old resource version: {version} ({})", first - 1);
            return Err(ApiError::new(Reason::Expired, message));
        }
        let newer = version.saturating_add(1)..=self.version;
        Ok(newer.filter_map(|version| self.history.get(&Version(version))))
    }

    /// Says in words which invariants do not hold.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let mut again = Self { version: 0, ..Self::default() };
        for object in self.objects.values() {
            again.objects.insert(object.no, object.clone());
            again.uids.insert(&object.uid, object.no.0);
        }
        for object in self.objects.values() {
            let before = again.names.len();
            again.index_name(object);
            if again.names.len() == before {
                broken.push(format!("two objects are called {}", object.path()));
            }
            again.index_owners(object);
            again.index_labels(object);
        }
        let same = [
            ("names", again.names == self.names),
            ("fingerprints of names", again.prints == self.prints),
            ("numbers of objects", again.counts == self.counts),
            ("owners", again.owned == self.owned),
            ("pods by label", again.labels == self.labels),
            ("pods without a controller", again.bare_pods == self.bare_pods),
            ("ReplicaSets without a controller", again.bare_sets == self.bare_sets),
            ("uids", again.uids.len() == self.uids.len()),
        ];
        broken.extend(
            same.iter().filter(|(_, same)| !same).map(|(what, _)| format!("index of {what} is out of step")),
        );
        broken
    }
}
