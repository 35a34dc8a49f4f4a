//! `kubectl apply`, `kubectl delete -f`.
//!
//! *Knows*: that objects are applied one by one, and that a refused one does not stop the others. *Must not know*: the
//! API server's rules.
//!
//! **Source**: `kubernetes/kubernetes: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go`, `pkg/cmd/delete/delete.go`. Match, without
//! `--prune`: objects that are no longer in the files stay.

use std::sync::{Arc, OnceLock};

use planarium_kernel::Map;
use planarium_kube::{ApiError, Cluster, DeleteOptions, KindId, Kube, ObjectRef, Outcome, Propagation};
use planarium_part::{Cx, Loading, Number};
use planarium_protocol::event::Importance;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::Progress;
use planarium_protocol::{EventBody, Refusal, Text, json, shared};
use serde_json::Value;

use super::follow::with_statuses;
use super::{Daemon, Place, Service, keys};
use crate::LAST_APPLIED;
use crate::definition::{Item, Loaded};
use crate::plans::Member;

impl Daemon {
    /// Applies a definition as a new service.
    pub(super) fn install(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Loaded>,
    ) -> Result<Value, Refusal> {
        let Loading { number: Number(number), load, definition } = loading;
        let service = Service {
            name: definition.name().clone(),
            load,
            definition: definition.clone(),
            members: Map::default(),
            keys: Map::default(),
            others: Arc::default(),
            objects: ("Pending", Progress::default()),
            leaving: false,
            revision: 0,
            shown: Arc::new(OnceLock::new()),
        };
        self.services.insert(number, Arc::new(service));
        self.apply(cx, cluster, number, &definition)
    }

    /// Applies another definition of a service: three ways, without pruning.
    pub(super) fn change(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Loaded>,
    ) -> Result<Value, Refusal> {
        let Loading { load, definition, .. } = loading;
        let name = if load.name.is_empty() { definition.name().clone() } else { load.name.as_str().into() };
        let (number, service) = self.named(&name)?;
        if service.leaving {
            let text = format!("Service {name} is being deleted");
            return Err(Refusal::new(RefusalCode::Conflict, text));
        }
        if let Some(service) = self.services.get_mut(&number).map(Arc::make_mut) {
            service.load = load;
            service.definition = definition.clone();
        }
        let answer = self.apply(cx, cluster, number, &definition)?;
        cx.emit(EventBody::ServiceUpdated {
            service: name,
            what: "definition".into(),
            text: "applied again".into(),
        });
        Ok(answer)
    }

    /// Applies the objects of a definition one by one. *Errors*: every one is refused.
    pub(super) fn apply(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        number: u32,
        definition: &Loaded,
    ) -> Result<Value, Refusal> {
        self.take_members(number, definition, cx);
        let items = definition.items();
        // The client looks up every kind before it sends anything: a kind defined by these objects does not count yet.
        let kinds: Vec<_> = {
            let kube = cluster.kube();
            items.iter().map(|item| kube.find_kind(&item.api_version, &item.kind)).collect()
        };
        let name = self.services.get(&number).map(|service| service.name.clone()).unwrap_or_default();
        let mut lines: Vec<Text> = Vec::new();
        let mut first_refusal = None;
        for ((item, kind), key) in items.iter().zip(kinds).zip(keys(definition)) {
            let at = self.services.get(&number).and_then(|service| service.keys.get(&key)).copied();
            let Some(at) = at else { continue };
            let place = (number, at);
            let Some(kind) = kind else {
                let text = no_kind(item);
                first_refusal.get_or_insert_with(|| Refusal::new(RefusalCode::NotFound, text.clone()));
                self.refuse(cx, place, item, text.into());
                continue;
            };
            let service = name.clone();
            let applied = cluster.with_kube(cx, |kube, _, cx| {
                let applied = kube.apply(cx, &item.value, LAST_APPLIED)?;
                kube.set_service(&applied.object, service);
                Ok::<_, ApiError>(applied)
            });
            let line = match applied {
                Ok(applied) => {
                    let word = match applied.outcome {
                        Outcome::Created => "created",
                        Outcome::Configured => "configured",
                        Outcome::Unchanged => "unchanged",
                    };
                    if let Some(member) = self.member_mut(place) {
                        member.refused = None;
                        member.kind = Some(kind);
                    }
                    self.register(place, kind, item);
                    let line = format!("{} {word}", item.path());
                    tell(cx, item, word, Importance::Normal, line.clone());
                    line
                }
                Err(error) => {
                    if let Some(member) = self.member_mut(place) {
                        member.kind = Some(kind);
                    }
                    self.register(place, kind, item);
                    self.refuse(cx, place, item, error.message.clone().into());
                    first_refusal.get_or_insert_with(|| error.refusal());
                    continue;
                }
            };
            lines.push(line.into());
        }
        if let Some(refusal) = first_refusal.filter(|_| lines.is_empty()) {
            return Err(refusal);
        }
        self.settle(cx, cluster);
        let places: Vec<Place> = self.places_of(number);
        self.look_up(cluster.kube(), &places);
        self.refresh(cx, cluster.kube(), with_statuses(places));
        Ok(json!({ "service": name, "dialect": (crate::WORD), "applied": lines }))
    }

    /// Makes members from the items of a definition; members of an earlier one that are missing in it stay.
    fn take_members(&mut self, number: u32, definition: &Loaded, cx: &Cx) {
        let Some(service) = self.services.get_mut(&number).map(Arc::make_mut) else { return };
        let known: Vec<u32> = service.members.keys().copied().collect();
        for at in known {
            if let Some(member) = service.members.get_mut(&at).map(Arc::make_mut) {
                member.in_files = false;
            }
        }
        for (item, key) in definition.items().iter().zip(keys(definition)) {
            let found = service
                .keys
                .get(&key)
                .copied()
                .filter(|at| service.members.get(at).is_some_and(|member| member.is(item)));
            if let Some(member) = found.and_then(|at| service.members.get_mut(&at)).map(Arc::make_mut) {
                member.in_files = true;
                member.source.clone_from(&item.source);
                continue;
            }
            let at = service.members.keys().last().map_or(0, |last| last.saturating_add(1));
            let member = Member::new(item, key.clone(), cx.now());
            if !member.is_workload() {
                Arc::make_mut(&mut service.others).push(at);
            }
            service.members.insert(at, Arc::new(member));
            service.keys.insert(key, at);
        }
    }

    fn refuse(&mut self, cx: &mut Cx, place: Place, item: &Item, text: Text) {
        tell(cx, item, "refused", Importance::High, format!("{}: {text}", item.path()));
        if let Some(member) = self.member_mut(place) {
            member.refused = Some(text);
        }
    }

    /// Notes that a member is about an object.
    fn register(&mut self, place: Place, kind: KindId, item: &Item) {
        let of_kind = self.places.entry(kind).or_default();
        of_kind.upsert((item.namespace.clone(), item.name.clone()), Arc::default, |of| {
            if !of.contains(&place) {
                Arc::make_mut(of).push(place);
            }
        });
    }

    /// Every place of a service.
    pub(super) fn places_of(&self, number: u32) -> Vec<Place> {
        let members = self.services.get(&number).into_iter().flat_map(|service| service.members.keys());
        members.map(|at| (number, *at)).collect()
    }

    /// Deletes the objects of a service; by force without their grace, and the service is forgotten at once.
    pub(super) fn delete(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        name: &str,
        force: bool,
    ) -> Result<Value, Refusal> {
        let (number, service) = self.named(name)?;
        let name = service.name.clone();
        let objects: Vec<_> = service
            .members
            .values()
            .filter(|member| member.in_files)
            .filter_map(|member| Some((member.kind?, member.namespace.clone(), member.name.clone())))
            .collect();
        let options = DeleteOptions {
            propagation: Propagation::Background,
            grace_s: force.then_some(0),
            ..DeleteOptions::default()
        };
        cluster.with_kube(cx, |kube, _, cx| {
            for (kind, namespace, name) in &objects {
                // An object that is gone, or cannot be deleted, does not stop the others.
                let _ = kube.delete(cx, ObjectRef::new(*kind, namespace, name), &options);
            }
        });
        if let Some(service) = self.services.get_mut(&number).map(Arc::make_mut) {
            service.leaving = true;
        }
        self.settle(cx, cluster);
        if force {
            self.forget(cx, number);
        } else {
            self.refresh(cx, cluster.kube(), with_statuses(self.places_of(number)));
        }
        Ok(json!({ "service": name, "removed": (self.services.get(&number).is_none()) }))
    }

    /// Forgets a service.
    pub(super) fn forget(&mut self, cx: &mut Cx, number: u32) {
        let Some(service) = self.services.remove(&number) else { return };
        let without = |of: &Arc<Vec<Place>>| -> Vec<Place> {
            of.iter().copied().filter(|(own, _)| *own != number).collect()
        };
        for of_kind in self.places.values_mut() {
            let places: Vec<_> = of_kind.iter().map(|(key, of)| (key.clone(), without(of))).collect();
            for (key, left) in places {
                if left.is_empty() {
                    of_kind.remove(&key);
                } else {
                    of_kind.insert(key, Arc::new(left));
                }
            }
        }
        self.places.retain(|_, of_kind| !of_kind.is_empty());
        let owners: Vec<_> = self.owners.iter().map(|(no, of)| (*no, without(of))).collect();
        for (no, left) in owners {
            if left.is_empty() {
                self.owners.remove(&no);
            } else {
                self.owners.insert(no, Arc::new(left));
            }
        }
        cx.emit(EventBody::ServiceRemoved { service: service.name.clone(), dialect: crate::WORD.into() });
    }

    /// Adds existing objects at these places, and the objects that controllers made from them.
    pub(super) fn look_up(&mut self, kube: &Kube, places: &[Place]) {
        for place in places {
            let Some(member) = self.member(*place) else { continue };
            let Some(kind) = member.kind else { continue };
            let object = kube.get(ObjectRef::new(kind, &member.namespace, &member.name)).cloned();
            if let Some(object) = &object {
                let mut open = vec![Arc::clone(object)];
                while let Some(owner) = open.pop() {
                    for child in kube.dependants(&owner) {
                        if self.take_part(*place, &child, owner.no) {
                            open.push(child);
                        }
                    }
                }
            }
            if let Some(member) = self.member_mut(*place) {
                member.object = object;
            }
        }
    }
}

/// The client's message for an unknown kind.
fn no_kind(item: &Item) -> String {
    let file = item.source.as_ref().map_or("", |source| &*source.file);
    format!(
        "resource mapping not found for name: {:?} namespace: {:?} from {file:?}: no matches for kind {:?} in version {:?}\nensure CRDs \
         are installed first",
        &*item.name, &*item.namespace, &*item.kind, &*item.api_version
    )
}

/// Tells the world what became of an object that was applied.
fn tell(cx: &mut Cx, item: &Item, outcome: &'static str, importance: Importance, text: String) {
    cx.emit(EventBody::Happened {
        speaker: shared("kubectl"),
        what: shared("apply"),
        importance,
        path: None,
        facts: vec![
            (shared("object"), item.path().into()),
            (shared("namespace"), item.namespace.clone()),
            (shared("outcome"), shared(outcome)),
        ],
        text: text.into(),
    });
}
