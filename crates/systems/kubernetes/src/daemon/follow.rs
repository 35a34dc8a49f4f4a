//! Applies changes of objects to services.
//!
//! *Knows*: owners. *Must not know*: how a change is shown, which [`crate::plans`] decides.
//!
//! *Cost*: a change costs the same for any number of pods. A workload's pods are walked when its revision changes.

use std::sync::Arc;

use planarium_kernel::SortedMap;
use planarium_kube::{Change, ChangeKind, Cluster, KindId, Kube, Object, ObjectNo};
use planarium_part::Cx;
use planarium_protocol::event::ElementPath;
use planarium_protocol::{EventBody, shared};

use super::{Daemon, Place};
use crate::plans::{self, MemberStatus, OBJECTS, Part, ordinal, part_word, step_of};

impl Daemon {
    /// Handles changes of the cluster and updates the stored data.
    pub(super) fn settle(&mut self, cx: &mut Cx, cluster: &Cluster) {
        let kube = cluster.kube();
        let changes = kube.changes_since(self.seen);
        self.seen = kube.resource_version();
        let dirty = match changes {
            Ok(changes) => {
                let mut dirty = SortedMap::new();
                for change in changes {
                    let (places, concern) = self.follow(cx, kube, change);
                    for place in places.iter() {
                        let known = dirty.entry(*place).or_insert(concern);
                        *known = concern.max(*known);
                    }
                }
                dirty
            }
            // Log truncated: relist.
            Err(_) => {
                let all: Vec<u32> = self.services.keys().copied().collect();
                let places: Vec<Place> = all.into_iter().flat_map(|number| self.places_of(number)).collect();
                self.look_up(kube, &places);
                with_statuses(places)
            }
        };
        self.refresh(cx, kube, dirty);
    }

    /// Takes one change up; returns whom it concerns, and how.
    fn follow(&mut self, cx: &mut Cx, kube: &Kube, change: &Change) -> (Arc<Vec<Place>>, Concern) {
        let object = &change.object;
        let is_gone = change.kind == ChangeKind::Deleted;
        if let Some(places) = self.places_about(object).cloned() {
            for place in places.iter() {
                let before = self.member(*place).and_then(|member| member.object.clone());
                if let Some(member) = self.member_mut(*place) {
                    member.object = (!is_gone).then(|| Arc::clone(object));
                    // A refused object exists: another client has created it.
                    if !is_gone && before.is_none() {
                        member.refused = None;
                    }
                }
                if before.is_none_or(|before| is_another_revision(&before, object)) {
                    self.reword(cx, *place);
                }
            }
            return (places, Concern::Status);
        }
        let concern = if object.kind == KindId::POD { Concern::Pods } else { Concern::Status };
        (self.follow_part(cx, kube, change), concern)
    }

    /// Takes up a change of an object that a controller made; returns whom it concerns.
    fn follow_part(&mut self, cx: &mut Cx, kube: &Kube, change: &Change) -> Arc<Vec<Place>> {
        let object = &change.object;
        let is_part = matches!(
            object.kind,
            KindId::POD | KindId::REPLICA_SET | KindId::JOB | KindId::CONTROLLER_REVISION
        );
        if !is_part {
            return Arc::default();
        }
        if change.kind == ChangeKind::Deleted {
            let Some(places) = self.owners.remove(&object.no) else { return Arc::default() };
            for place in places.iter() {
                self.tell_end(cx, *place, object.no);
                if let Some(member) = self.member_mut(*place) {
                    member.parts.remove(object.no);
                }
            }
            return places;
        }
        let Some((parent, places)) = self.whose(kube, object) else { return Arc::default() };
        for place in places.iter() {
            self.note_part(cx, *place, object, parent);
        }
        if object.kind == KindId::CONTROLLER_REVISION {
            for place in places.iter() {
                self.reword(cx, *place);
            }
        }
        places
    }

    /// Returns the owner of an object made by a controller, and the owner's places.
    fn whose(&self, kube: &Kube, object: &Object) -> Option<(ObjectNo, Arc<Vec<Place>>)> {
        let known = self.owners.get(&object.no).cloned();
        let owner = object.controller().and_then(|owner| kube.owner(owner))?;
        let places = self.places_about(owner).or_else(|| self.owners.get(&owner.no)).cloned().or(known)?;
        Some((owner.no, places))
    }

    /// Adds an object made by a controller; returns false if it is known already.
    pub(super) fn take_part(&mut self, place: Place, object: &Arc<Object>, parent: ObjectNo) -> bool {
        let is_part = matches!(
            object.kind,
            KindId::POD | KindId::REPLICA_SET | KindId::JOB | KindId::CONTROLLER_REVISION
        );
        if !is_part || self.member(place).is_none_or(|member| member.parts.has(object.no)) {
            return false;
        }
        let since = object.created;
        if let Some(member) = self.member_mut(place) {
            member.parts.put(Part::new(object, parent, "", since));
            let word = part_word(member, object);
            if let Some(part) = member.parts.get_mut(object.no) {
                part.word = word;
            }
        }
        self.own(place, object.no, parent);
        true
    }

    /// Notes that an object belongs to a place. Most belong to the places of their parent, whose list they share.
    fn own(&mut self, place: Place, no: ObjectNo, parent: ObjectNo) {
        let Some(of) = self.owners.get(&no) else {
            let shared = self.owners.get(&parent).filter(|of| ***of == [place]).cloned();
            self.owners.insert(no, shared.unwrap_or_else(|| Arc::new(vec![place])));
            return;
        };
        if !of.contains(&place) {
            let mut all = Vec::clone(of);
            all.push(place);
            self.owners.insert(no, Arc::new(all));
        }
    }

    /// Notes a change of an object that a controller made, and tells of a pod's new status.
    fn note_part(&mut self, cx: &mut Cx, place: Place, object: &Arc<Object>, parent: ObjectNo) {
        if self.take_part(place, object, parent) {
            return self.tell_step(cx, place, object.no, "Pending");
        }
        let Some(member) = self.member_mut(place) else { return };
        let word = part_word(member, object);
        let Some(part) = member.parts.get_mut(object.no) else { return };
        let before = part.word;
        let since = if word == before { part.since } else { cx.now() };
        part.follow(object, parent, word, since);
        self.tell_step(cx, place, object.no, before);
    }

    /// Tells of a pod's status if it is not `before`.
    fn tell_step(&self, cx: &mut Cx, place: Place, no: ObjectNo, before: &'static str) {
        let Some(service) = self.services.get(&place.0) else { return };
        let Some(member) = service.members.get(&place.1) else { return };
        let Some(part) = member.parts.get(no).filter(|part| part.word != before && !part.word.is_empty())
        else {
            return;
        };
        if let Some((phase, step)) = step_of(member, part) {
            let path = service.path(member.key.clone(), Some(phase), Some(step));
            cx.emit(EventBody::ElementStatus { path, from: shared(before), to: shared(part.word) });
        }
    }

    /// Tells of the end of a pod: its step goes away with it, or waits for the next pod of its ordinal.
    fn tell_end(&self, cx: &mut Cx, place: Place, no: ObjectNo) {
        let Some(service) = self.services.get(&place.0) else { return };
        let Some(member) = service.members.get(&place.1) else { return };
        let Some(part) = member.parts.get(no).filter(|part| !part.word.is_empty()) else { return };
        let Some((phase, step)) = step_of(member, part) else { return };
        let stays = member.kind == Some(KindId::STATEFUL_SET)
            && ordinal(&part.object.name).is_some_and(|ordinal| ordinal < member.facts.progress.total);
        let path = service.path(member.key.clone(), Some(phase), Some(step));
        let to = if stays { "Pending" } else { "Deleted" };
        cx.emit(EventBody::ElementStatus { path, from: shared(part.word), to: shared(to) });
    }

    /// Updates the words of a workload's pods after their target revision has changed.
    fn reword(&mut self, cx: &mut Cx, place: Place) {
        let Some(member) = self.member_mut(place) else { return };
        if !matches!(member.kind, Some(KindId::STATEFUL_SET | KindId::DAEMON_SET)) {
            return;
        }
        let words: Vec<(ObjectNo, &'static str, &'static str)> = member
            .pods()
            .map(|part| (part.object.no, part.word, part_word(member, &part.object)))
            .filter(|(_, before, after)| before != after)
            .collect();
        for (no, _, word) in &words {
            if let Some(part) = member.parts.get_mut(*no) {
                part.word = word;
                part.since = cx.now();
            }
        }
        for (no, before, _) in words {
            self.tell_step(cx, place, no, before);
        }
    }

    /// Updates statuses of members, reports changed ones, and drops their cached views.
    pub(super) fn refresh(&mut self, cx: &mut Cx, kube: &Kube, places: SortedMap<Place, Concern>) {
        let revision = kube.resource_version().max(1);
        // Services, and whether objects of their plan `objects` are among the places.
        let mut services = SortedMap::<u32, bool>::new();
        for (place, concern) in places {
            let Some(member) = self.member_mut(place) else { continue };
            member.revision = member.revision.saturating_add(1).max(revision);
            plans::drop_view(&mut member.shown);
            if concern == Concern::Pods {
                services.entry(place.0).or_default();
                continue;
            }
            let after = MemberStatus::of(member);
            *services.entry(place.0).or_default() |= !member.is_workload();
            let now = cx.now();
            let point = plans::Point::of(member);
            if member.facts.status != after.status {
                member.since = now;
            }
            if let Some(point) = point {
                member.curve.note(point, after.status, now);
            }
            let before = std::mem::replace(&mut member.facts, after);
            self.tell_facts(cx, place, &before);
        }
        for (number, with_objects) in &services {
            self.refresh_service(cx, *number, *with_objects, revision);
        }
    }

    /// Drops the view of a service; with `with_objects`, the status of its plan `objects` is read again.
    fn refresh_service(&mut self, cx: &mut Cx, number: u32, with_objects: bool, revision: u64) {
        let Some(service) = self.services.get(&number) else { return };
        let before = service.objects;
        let after = if with_objects { plans::objects_status(service.others()) } else { before };
        let has_others = service.others().next().is_some();
        let is_there = |member: &&Arc<plans::Member>| member.in_files && member.object.is_some();
        let is_over = service.leaving && !service.members.values().any(|member| is_there(&member));
        if let Some(service) = self.services.get_mut(&number).map(Arc::make_mut) {
            service.revision = service.revision.saturating_add(1).max(revision);
            plans::drop_view(&mut service.shown);
            service.objects = after;
        }
        if has_others
            && before.0 != after.0
            && let Some(service) = self.services.get(&number)
        {
            let path = service.path(OBJECTS.into(), None, None);
            cx.emit(EventBody::ElementStatus { path, from: shared(before.0), to: shared(after.0) });
        }
        if is_over {
            self.forget(cx, number);
        }
    }

    /// Tells of statuses of a plan and its phases that have changed.
    fn tell_facts(&self, cx: &mut Cx, place: Place, before: &MemberStatus) {
        let Some(service) = self.services.get(&place.0) else { return };
        let Some(member) = service.members.get(&place.1) else { return };
        let after = &member.facts;
        let mut tell = |path: &dyn Fn() -> ElementPath, from: &'static str, to: &'static str| {
            let from = if from.is_empty() { "Pending" } else { from };
            if from != to {
                cx.emit(EventBody::ElementStatus { path: path(), from: shared(from), to: shared(to) });
            }
        };
        if !member.is_workload() {
            let path = || service.path(OBJECTS.into(), Some(OBJECTS.into()), Some(member.key.clone()));
            return tell(&path, before.status, after.status);
        }
        for phase in &after.phases {
            let from = before.phase(&phase.name).map_or("", |phase| phase.status);
            tell(&|| service.path(member.key.clone(), Some(phase.name.clone()), None), from, phase.status);
        }
        tell(&|| service.path(member.key.clone(), None, None), before.status, after.status);
    }
}

/// The part of a member that a change concerns. *Order*: the greater concerns more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Concern {
    /// Its pods: the view shows them, and no status follows from them.
    Pods,
    /// Its status as well.
    Status,
}

/// Places whose statuses may have changed.
pub(super) fn with_statuses(places: Vec<Place>) -> SortedMap<Place, Concern> {
    places.into_iter().map(|place| (place, Concern::Status)).collect()
}

/// Returns whether the pods of a workload may have to have another revision than before.
fn is_another_revision(before: &Object, after: &Object) -> bool {
    before.generation != after.generation
        || match (before.stateful_set(), after.stateful_set()) {
            (Some(before), Some(after)) => before.update_revision != after.update_revision,
            _ => false,
        }
}
