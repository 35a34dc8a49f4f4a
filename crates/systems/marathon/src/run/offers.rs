//! Offers: what is done with each.
//!
//! *Knows*: the order in which specs are asked, tokens, limits, what is accepted and for how long the rest is turned down.
//! *Must not know*: whether an offer suits; how tasks are described.
//!
//! **Source**: `marathon: core/matcher/manager/impl/OfferMatcherManagerActor.scala,
//! core/matcher/reconcile/impl/OfferMatcherReconciler.scala, core/launcher/impl/OfferProcessorImpl.scala,
//! InstanceOpFactoryImpl.scala, core/launchqueue/impl/TaskLauncherActor.scala`. Match; offers of one message are looked at one
//! after the other.

use super::build;
use super::instance::{Instance, LocalVolume, Reservation, ReservationState};
use super::jobs::Job;
use super::matching::{self, Around, Match, Mismatch, Reject, Selector, reservation};
use super::stats::Unused;
use super::tracker::{Key, Provision, SpecNo};
use super::{Marathon, changes::event_of};
use crate::definition::RunSpec;
use planarium_kernel::{Cause, Class, SortedMap, draw};
use planarium_mesos::Cluster;
use planarium_mesos::api::{Call, Offer, OfferId, Operation, Persistence, Resource, Resources};
use planarium_part::Cx;
use planarium_protocol::Text;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// Offers that are turned down without saying for how long have come again by then: after the master's own 5 seconds, with the
/// next round.
const RESENT_MS: u64 = 7_000;

const ORDER: u32 = 0x6d20;
const PORTS: u32 = 0x6d21;
const VOLUME: u32 = 0x6d22;

/// What is done with an offer.
#[derive(Default)]
struct Plan {
    operations: Vec<Operation>,
    /// What stands behind the first operation.
    cause: Option<Cause>,
    /// It is to come again soon.
    resend: bool,
}

/// A spec whose instances wait, by the order in which offers are looked at: none of its volumes is there, what the draw says.
type Matcher = (bool, u64, SpecNo);

/// What matching an offer with one spec gave.
enum Tried {
    /// Nobody there may be launched on it.
    Nobody,
    No(Mismatch, Arc<RunSpec>),
    Launch(Key, Match, Vec<Resource>),
    Reserve(Key, Match),
}

impl Marathon {
    /// Offers have come.
    pub(super) fn on_offers(&mut self, cx: &mut Cx, cluster: &mut Cluster, offers: &[Arc<Offer>]) {
        let mut declined: [Vec<OfferId>; 2] = [Vec::new(), Vec::new()];
        let cause = cx.cause();
        for offer in offers {
            self.count("mesos.offers.incoming");
            let plan = self.plan_for(cx, offer);
            if plan.operations.is_empty() {
                let [later, soon] = &mut declined;
                if plan.resend {
                    soon.push(offer.id);
                } else {
                    later.push(offer.id);
                }
                continue;
            }
            self.count("mesos.offers.used");
            cx.set_cause(plan.cause.unwrap_or(cause));
            let call =
                Call::Accept { offer_ids: vec![offer.id], operations: plan.operations, refuse_ms: Some(0) };
            cluster.call(cx, self.framework, call);
            cx.set_cause(cause);
        }
        let [later, soon] = declined;
        if !soon.is_empty() {
            // Nothing else says that these come again: the world is not at rest until they have.
            let at = cx.now().saturating_add(RESENT_MS);
            self.arm_job(Job::Resent, at, Class::OneShot, cx.cause());
        }
        for (offer_ids, refuse_ms) in [(later, Some(self.settings.decline_ms)), (soon, None)] {
            if !offer_ids.is_empty() {
                cluster.call(cx, self.framework, Call::Decline { offer_ids, refuse_ms });
            }
        }
    }

    fn plan_for(&mut self, cx: &mut Cx, offer: &Arc<Offer>) -> Plan {
        let leftovers = self.take_back(cx, offer);
        if !leftovers.operations.is_empty() {
            return leftovers;
        }
        let mut plan = Plan::default();
        if self.tokens(cx.now()) == 0 {
            plan.resend = self.tracker.waiting_specs().any(|no| self.may_launch(cx, no));
            return plan;
        }
        let mut first = self.matchers(offer);
        // Who has launched something is asked again when all others have been.
        let mut again: VecDeque<SpecNo> = VecDeque::new();
        let mut left = offer.resources.clone();
        let mut used = 0;
        while used < self.settings.per_offer && self.tokens > 0 {
            let no = match first.pop() {
                Some(Reverse((_, _, no))) if self.may_launch(cx, no) => no,
                Some(_) => continue,
                None => match again.pop_front() {
                    Some(no) => no,
                    None => break,
                },
            };
            let taken = match self.try_spec(cx, no, offer, &left) {
                Tried::Nobody => continue,
                Tried::No(why, spec) => {
                    self.note_unused(cx, no, (offer, &left), why, spec);
                    continue;
                }
                Tried::Launch(key, matched, volumes) => {
                    self.provision(cx, key, offer, matched, volumes, &mut plan)
                }
                Tried::Reserve(key, matched) => self.reserve(cx, key, offer, matched, &mut plan),
            };
            let Some(taken) = taken else { continue };
            if !left.subtract_all(&taken) {
                left = left.minus(&taken);
            }
            self.take_token();
            used += 1;
            if let Some(run) = self.run_mut(no) {
                Arc::make_mut(&mut run.stats).used(cx.now());
            }
            again.push_back(no);
        }
        plan
    }

    fn note_unused(
        &mut self,
        cx: &Cx,
        no: SpecNo,
        (offer, left): (&Arc<Offer>, &Resources),
        why: Mismatch,
        spec: Arc<RunSpec>,
    ) {
        let event = event_of(cx.cause());
        let unused = Unused { at: cx.now(), offer: offer.clone(), left: left.clone(), why, spec, event };
        if let Some(run) = self.run_mut(no) {
            Arc::make_mut(&mut run.stats).unused(unused);
        }
        self.touch(no);
    }

    /// Whether somebody of a spec waits who is not delayed.
    fn may_launch(&self, cx: &Cx, no: SpecNo) -> bool {
        let Some(run) = self.run(no) else { return false };
        if run.backoff.is_empty() {
            return self.tracker.counts(no).waiting > 0;
        }
        self.tracker.waiting_of(no).any(|(_, instance)| run.backoff.allows(&instance.spec, cx.now()))
    }

    /// Whose instances wait, in the order in which they look at an offer: first those whose volumes are there.
    ///
    /// *Cost*: no more than a draw for each; who is asked at all is found out as it goes on.
    fn matchers(&self, offer: &Offer) -> BinaryHeap<Reverse<Matcher>> {
        let mut ids: Vec<&str> = Vec::new();
        for volume in offer.resources.iter().filter_map(Resource::persistence) {
            ids.extend(volume.id.split('#').next());
        }
        let entity = u64::from(offer.id.0);
        let has_volume = |no: SpecNo| {
            !ids.is_empty()
                && self.run(no).is_some_and(|run| ids.contains(&run.id.safe().as_str()))
                && self.tracker.waiting_of(no).any(|(_, instance)| instance.spec.is_resident())
        };
        let place = |no: SpecNo| {
            Reverse((!has_volume(no), draw::draw(self.seed, entity, ORDER, u64::from(no.0)), no))
        };
        self.tracker.waiting_specs().map(place).collect::<Vec<_>>().into()
    }

    /// Matches an offer with those of a spec who wait, one after the other; who is like one that did not match is passed over.
    fn try_spec(&self, cx: &Cx, no: SpecNo, offer: &Arc<Offer>, left: &Resources) -> Tried {
        let now = cx.now();
        let Some(run) = self.run(no) else { return Tried::Nobody };
        let delayed = !run.backoff.is_empty();
        let waiting = || {
            self.tracker.waiting_of(no).filter(|(_, instance)| {
                *instance.role == *offer.role && (!delayed || run.backoff.allows(&instance.spec, now))
            })
        };
        let mut last: Option<(Mismatch, Arc<RunSpec>)> = None;
        let mut seen: Vec<*const RunSpec> = Vec::new();
        for (key, instance) in waiting() {
            let like = Arc::as_ptr(&instance.spec);
            if seen.contains(&like) {
                continue;
            }
            let tried = if instance.spec.is_resident() {
                self.try_resident(cx, no, instance, (offer, left), &mut waiting())
            } else {
                seen.push(like);
                self.try_plain(cx, key, instance, (offer, left))
            };
            match tried {
                Tried::No(why, spec) => last = Some((why, spec)),
                tried => return tried,
            }
            if instance.spec.is_resident() {
                // All who wait have been looked at together.
                seen.push(like);
            }
        }
        last.map_or(Tried::Nobody, |(why, spec)| Tried::No(why, spec))
    }

    fn try_plain(
        &self,
        cx: &Cx,
        key: Key,
        instance: &Arc<Instance>,
        (offer, left): (&Arc<Offer>, &Resources),
    ) -> Tried {
        let spec = &instance.spec;
        let role: &str = &spec.def.role;
        let roles = if spec.def.accepted.is_empty() {
            vec!["*", role]
        } else {
            spec.def.accepted.iter().map(|role| &**role).collect()
        };
        let selector = Selector { roles, labels: None };
        match self.match_spec(cx, (offer, left), (key.spec, instance, None), &selector, false) {
            Ok(matched) => Tried::Launch(key, matched, Vec::new()),
            Err(why) => Tried::No(why, spec.clone()),
        }
    }

    /// First those whose reservations are there, then somebody who has none yet.
    fn try_resident(
        &self,
        cx: &Cx,
        no: SpecNo,
        first: &Arc<Instance>,
        (offer, left): (&Arc<Offer>, &Resources),
        waiting: &mut dyn Iterator<Item = (Key, &Arc<Instance>)>,
    ) -> Tried {
        let (mut reserved, mut bare) = (Vec::new(), None);
        for (_, instance) in waiting {
            if instance.reservation.is_some() {
                reserved.push(instance);
            } else if bare.is_none() {
                bare = Some(instance);
            }
        }
        if let Some((instance, volumes)) = reservation::volumes_of(left, reserved.into_iter()) {
            let selector =
                Selector { roles: vec![&instance.role], labels: Some((&self.framework_id, &instance.id)) };
            let key = Key { spec: no, no: instance.no };
            return match self.match_spec(
                cx,
                (offer, left),
                (no, instance, Some(instance.no)),
                &selector,
                false,
            ) {
                Ok(matched) => Tried::Launch(key, matched, volumes),
                Err(why) => Tried::No(why, instance.spec.clone()),
            };
        }
        let Some(instance) = bare else {
            let why = Mismatch { reasons: vec![Reject::NoReservation], ..Mismatch::default() };
            return Tried::No(why, first.spec.clone());
        };
        let selector = Selector { roles: vec!["*"], labels: None };
        match self.match_spec(cx, (offer, left), (no, instance, None), &selector, true) {
            Ok(matched) => Tried::Reserve(Key { spec: no, no: instance.no }, matched),
            Err(why) => Tried::No(why, instance.spec.clone()),
        }
    }

    /// Matches an offer with an instance; `except` does not count as placed.
    fn match_spec(
        &self,
        cx: &Cx,
        (offer, left): (&Arc<Offer>, &Resources),
        (no, instance, except): (SpecNo, &Arc<Instance>, Option<u64>),
        selector: &Selector<'_>,
        reserve: bool,
    ) -> Result<Match, Mismatch> {
        let placed = || self.placed(no, except);
        let attempt = instance.tasks.first().map_or(0, |task| u64::from(task.attempt));
        let entity = draw::absorb(draw::entity(&instance.id), u64::from(PORTS) << 32 | attempt);
        let around = Around {
            settings: &self.settings,
            epoch_ms: self.calendar.epoch_ms,
            now: cx.now(),
            region: self.region.as_ref(),
            placed: &placed,
            has_volume: except.is_some(),
            luck: (self.seed, entity),
        };
        matching::match_offer(offer, left, &instance.spec, selector, reserve, &around)
    }

    /// Instances that count as placed.
    pub(crate) fn placed(&self, no: SpecNo, except: Option<u64>) -> Vec<Arc<Instance>> {
        let there = |instance: &Arc<Instance>| {
            !instance.condition.is_lost() && !instance.is_scheduled() && Some(instance.no) != except
        };
        self.tracker
            .of_spec(no)
            .map(|(_, instance)| instance)
            .filter(|instance| there(instance))
            .cloned()
            .collect()
    }

    /// Launches an instance. Answers what that takes.
    fn provision(
        &mut self,
        cx: &mut Cx,
        key: Key,
        offer: &Arc<Offer>,
        matched: Match,
        volumes: Vec<Resource>,
        plan: &mut Plan,
    ) -> Option<Resources> {
        let instance = self.tracker.get(key)?.clone();
        let setting = build::Setting { offer, framework: &self.settings.framework, now: cx.now() };
        let built = build::launch(&instance, matched, volumes, &setting);
        let provision =
            Provision { spec: instance.spec.clone(), agent: offer.info.clone(), tasks: built.tasks };
        let cause = instance.cause;
        self.tracker.provision(key, provision, cx.now(), cause);
        if instance.reservation.is_some() {
            self.tracker.use_reservation(key);
        }
        plan.cause = plan.cause.or(Some(cause));
        plan.operations.push(built.operation);
        Some(built.taken)
    }

    /// Reserves what an instance with volumes needs. Answers what that takes.
    fn reserve(
        &mut self,
        cx: &mut Cx,
        key: Key,
        offer: &Arc<Offer>,
        matched: Match,
        plan: &mut Plan,
    ) -> Option<Resources> {
        let instance = self.tracker.get(key)?.clone();
        let mut taken = Resources::new();
        let reserve = |resource: &Resource| {
            reservation::reserved(resource, &instance.role, &self.framework_id, &instance.id)
        };
        let (mut reserved, mut volumes, mut locals) = (Vec::new(), Vec::new(), Vec::new());
        for resource in matched.resources.iter().chain(matched.volumes.iter().map(|(_, disk)| disk)) {
            taken.add(resource.clone());
            reserved.push(reserve(resource));
        }
        let parts: SortedMap<usize, Resource> =
            matched.volumes.iter().map(|(at, disk)| (*at, reserve(disk))).collect();
        for (at, disk) in parts {
            let Some(volume) = instance.spec.def.volumes.get(at) else { continue };
            let uuid = draw::uuid(self.seed, draw::entity(&instance.id), VOLUME, at as u64);
            let id: Text = format!("{}#{}#{uuid}", instance.spec.id.safe(), volume.path).into();
            locals.push(LocalVolume { id: id.clone(), path: volume.path.clone() });
            volumes.push(disk.with_volume(Persistence {
                id,
                principal: None,
                container_path: volume.path.clone(),
            }));
        }
        let deadline = cx.now().saturating_add(self.settings.reservation_ms);
        let own = Reservation { volumes: locals.into(), state: ReservationState::New(deadline) };
        self.tracker.reserve(key, own, offer.info.clone(), instance.cause);
        plan.cause = plan.cause.or(Some(instance.cause));
        plan.operations.extend([Operation::Reserve(reserved), Operation::Create(volumes)]);
        Some(taken)
    }

    /// Gives back what is reserved for instances that are gone or not wanted any more.
    fn take_back(&mut self, cx: &mut Cx, offer: &Arc<Offer>) -> Plan {
        let mut by_instance: SortedMap<Text, Vec<Resource>> = SortedMap::new();
        for resource in &offer.resources {
            if let Some(id) = reservation::instance_of(resource, &self.framework_id) {
                by_instance.entry(id.clone()).or_default().push(resource.clone());
            }
        }
        let mut plan = Plan::default();
        for (id, resources) in by_instance {
            let found = self.tracker.find(&id).map(|(key, instance)| (key, instance.clone()));
            let keep = found.as_ref().is_some_and(|(_, instance)| {
                self.root.spec(instance.spec_id()).is_some() && !instance.is_to_unreserve()
            });
            if keep {
                continue;
            }
            if let Some((key, instance)) = &found {
                let cause = self.say_instance(
                    cx,
                    "reservation-released",
                    (key.spec, instance),
                    "what was reserved for it is given back",
                );
                self.tracker.force_expunge(*key, cause);
            }
            let (volumes, plain): (Vec<Resource>, Vec<Resource>) =
                resources.into_iter().partition(|resource| resource.persistence().is_some());
            let bare = volumes.iter().map(Resource::without_volume);
            let reserved: Vec<Resource> = bare.chain(plain).collect();
            if !volumes.is_empty() {
                plan.operations.push(Operation::Destroy(volumes));
            }
            plan.operations.push(Operation::Unreserve(reserved));
        }
        plan
    }
}
