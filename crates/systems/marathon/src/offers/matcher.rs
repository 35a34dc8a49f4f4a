//! Matching offers with instances that wait.
//!
//! *Knows*: the order in which specs are asked, tokens, limits, what becomes of the instances that are launched.
//! *Must not know*: whether an offer suits, which is [`matching`]'s; how tasks are described, which is [`launch`]'s.
//!
//! **Source**: `marathon: core/matcher/manager/impl/OfferMatcherManagerActor.scala,
//! core/matcher/reconcile/impl/OfferMatcherReconciler.scala, core/launcher/impl/OfferProcessorImpl.scala,
//! InstanceOpFactoryImpl.scala, core/launchqueue/impl/TaskLauncherActor.scala`. Match.

use crate::causes::event_of;
use crate::definition::RunSpec;
use crate::instances::instance::{Instance, InstanceNo, LocalVolume, Reservation, ReservationState};
use crate::instances::tracker::{Key, Provision, SpecNo, Tracked};
use crate::launch_queue::tokens::Tokens;
use crate::offers::launch;
use crate::offers::matching::{self, Around, Luck, Match, Mismatch, Reject, Selector, reservation};
use crate::offers::statistics::Unused;
use crate::records::Records;
use planarium_kernel::{Cause, SortedMap, draw};
use planarium_mesos::api::{Offer, Operation, Persistence, Resource, Resources};
use planarium_part::Cx;
use planarium_protocol::Text;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

const ORDER: u32 = 0x6d20;
const PORTS: u32 = 0x6d21;
const VOLUME: u32 = 0x6d22;

/// Operations on an offer.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) operations: Vec<Operation>,
    /// Cause of the first operation.
    pub(crate) cause: Option<Cause>,
    /// The offer should come again soon.
    pub(crate) resend: bool,
}

/// A spec with waiting instances, by the order of matching: without volumes on the agent, then by draw.
type Matcher = (bool, u64, SpecNo);

/// Result of matching an offer with one spec.
enum Tried {
    /// No instance of the spec can be launched on it.
    Nobody,
    No(Mismatch, Arc<RunSpec>),
    Launch(Key, Match, Vec<Resource>),
    Reserve(Key, Match),
}

/// An offer, and the rest of it after earlier launches.
#[derive(Clone, Copy)]
struct OpenOffer<'a> {
    offer: &'a Arc<Offer>,
    left: &'a Resources,
}

/// An instance that is matched with an offer.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    spec: SpecNo,
    instance: &'a Arc<Instance>,
    /// The instance that does not count as placed: the candidate itself, where its reservation is already there.
    except: Option<InstanceNo>,
}

/// The records that matching works on.
pub(crate) struct OfferMatcher<'a> {
    pub(crate) records: &'a mut Records,
    pub(crate) tokens: &'a mut Tokens,
    pub(crate) cx: &'a mut Cx,
}

impl OfferMatcher<'_> {
    pub(crate) fn plan_for(&mut self, offer: &Arc<Offer>) -> Plan {
        let leftovers = self.take_back(offer);
        if !leftovers.operations.is_empty() {
            return leftovers;
        }
        let mut plan = Plan::default();
        if self.tokens.refreshed(&self.records.setup, self.cx.now()) == 0 {
            plan.resend = self.records.instances.waiting_specs().any(|no| self.may_launch(no));
            return plan;
        }
        let mut first = self.matchers(offer);
        // Who has launched something is asked again when all others have been.
        let mut again: VecDeque<SpecNo> = VecDeque::new();
        let mut left = offer.resources.clone();
        let mut used = 0;
        while used < self.records.setup.settings.per_offer && self.tokens.left() > 0 {
            let no = match first.pop() {
                Some(Reverse((_, _, no))) if self.may_launch(no) => no,
                Some(_) => continue,
                None => match again.pop_front() {
                    Some(no) => no,
                    None => break,
                },
            };
            let open = OpenOffer { offer, left: &left };
            let taken = match self.try_spec(no, open) {
                Tried::Nobody => continue,
                Tried::No(why, spec) => {
                    self.note_unused(no, open, why, spec);
                    continue;
                }
                Tried::Launch(key, matched, volumes) => {
                    self.provision(key, offer, matched, volumes, &mut plan)
                }
                Tried::Reserve(key, matched) => self.reserve(key, offer, matched, &mut plan),
            };
            let Some(taken) = taken else { continue };
            if !left.subtract_all(&taken) {
                left = left.minus(&taken);
            }
            self.tokens.take();
            used += 1;
            if let Some(run) = self.records.run_mut(no) {
                Arc::make_mut(&mut run.stats).used(self.cx.now());
            }
            again.push_back(no);
        }
        plan
    }

    fn note_unused(&mut self, no: SpecNo, open: OpenOffer<'_>, why: Mismatch, spec: Arc<RunSpec>) {
        let (offer, left) = (open.offer.clone(), open.left.clone());
        let event = event_of(self.cx.cause());
        let unused = Unused { at: self.cx.now(), offer, left, why, spec, event };
        if let Some(run) = self.records.run_mut(no) {
            Arc::make_mut(&mut run.stats).unused(unused);
        }
        self.records.touch(no);
    }

    /// Returns whether a spec has a waiting instance that is not delayed.
    fn may_launch(&self, no: SpecNo) -> bool {
        let Some(run) = self.records.run(no) else { return false };
        if run.backoff.is_empty() {
            return self.records.instances.counts(no).waiting > 0;
        }
        self.records
            .instances
            .waiting_of(no)
            .any(|(_, instance)| run.backoff.allows(&instance.spec, self.cx.now()))
    }

    /// Returns the specs with waiting instances, in the order in which they are matched with an offer: those with volumes there
    /// come first.
    ///
    /// *Cost*: at most one draw for each; whether a spec is tried at all is decided later.
    fn matchers(&self, offer: &Offer) -> BinaryHeap<Reverse<Matcher>> {
        let mut ids: Vec<&str> = Vec::new();
        for volume in offer.resources.iter().filter_map(Resource::persistence) {
            ids.extend(volume.id.split('#').next());
        }
        let entity = u64::from(offer.id.0);
        let has_volume = |no: SpecNo| {
            !ids.is_empty()
                && self.records.run(no).is_some_and(|run| ids.contains(&run.id.safe().as_str()))
                && self.records.instances.waiting_of(no).any(|(_, instance)| instance.spec.is_resident())
        };
        let place = |no: SpecNo| {
            Reverse((
                !has_volume(no),
                draw::draw(self.records.setup.seed, entity, ORDER, u64::from(no.0)),
                no,
            ))
        };
        self.records.instances.waiting_specs().map(place).collect::<Vec<_>>().into()
    }

    /// Matches an offer with the waiting instances of a spec, one after the other; skips those equal to one that did not
    /// match.
    fn try_spec(&self, no: SpecNo, open: OpenOffer<'_>) -> Tried {
        let now = self.cx.now();
        let Some(run) = self.records.run(no) else { return Tried::Nobody };
        let delayed = !run.backoff.is_empty();
        let waiting = || {
            self.records.instances.waiting_of(no).filter(|(_, instance)| {
                *instance.role == *open.offer.role && (!delayed || run.backoff.allows(&instance.spec, now))
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
                self.try_resident(no, instance, open, &mut waiting())
            } else {
                seen.push(like);
                self.try_plain(key, instance, open)
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

    fn try_plain(&self, key: Key, instance: &Arc<Instance>, open: OpenOffer<'_>) -> Tried {
        let spec = &instance.spec;
        let role: &str = &spec.def.role;
        let roles = if spec.def.accepted.is_empty() {
            vec!["*", role]
        } else {
            spec.def.accepted.iter().map(|role| &**role).collect()
        };
        let selector = Selector { roles, labels: None };
        let candidate = Candidate { spec: key.spec, instance, except: None };
        match self.match_spec(open, candidate, &selector, false) {
            Ok(matched) => Tried::Launch(key, matched, Vec::new()),
            Err(why) => Tried::No(why, spec.clone()),
        }
    }

    /// First instances with reservations there, then one without any.
    fn try_resident(
        &self,
        no: SpecNo,
        first: &Arc<Instance>,
        open: OpenOffer<'_>,
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
        if let Some((instance, volumes)) = reservation::volumes_of(open.left, reserved.into_iter()) {
            let selector = Selector {
                roles: vec![&instance.role],
                labels: Some((&self.records.setup.framework_id, &instance.id)),
            };
            let key = Key { spec: no, no: instance.no };
            let candidate = Candidate { spec: no, instance, except: Some(instance.no) };
            return match self.match_spec(open, candidate, &selector, false) {
                Ok(matched) => Tried::Launch(key, matched, volumes),
                Err(why) => Tried::No(why, instance.spec.clone()),
            };
        }
        let Some(instance) = bare else {
            let why = Mismatch { reasons: vec![Reject::NoReservation], ..Mismatch::default() };
            return Tried::No(why, first.spec.clone());
        };
        let selector = Selector { roles: vec!["*"], labels: None };
        let candidate = Candidate { spec: no, instance, except: None };
        match self.match_spec(open, candidate, &selector, true) {
            Ok(matched) => Tried::Reserve(Key { spec: no, no: instance.no }, matched),
            Err(why) => Tried::No(why, instance.spec.clone()),
        }
    }

    /// Matches an offer with an instance.
    fn match_spec(
        &self,
        open: OpenOffer<'_>,
        candidate: Candidate<'_>,
        selector: &Selector<'_>,
        reserve: bool,
    ) -> Result<Match, Mismatch> {
        let Candidate { spec, instance, except } = candidate;
        let placed = || self.records.placed(spec, except);
        let attempt = instance.tasks.first().map_or(0, |task| u64::from(task.attempt));
        let entity = draw::absorb(draw::entity(&instance.id), u64::from(PORTS) << 32 | attempt);
        let around = Around {
            settings: &self.records.setup.settings,
            epoch_ms: self.records.setup.calendar.epoch_ms,
            now: self.cx.now(),
            region: self.records.setup.region.as_ref(),
            placed: &placed,
            has_volume: except.is_some(),
            luck: Luck { seed: self.records.setup.seed, entity },
        };
        matching::match_offer(open.offer, open.left, &instance.spec, selector, reserve, &around)
    }

    /// Launches an instance. Answers what that takes.
    fn provision(
        &mut self,
        key: Key,
        offer: &Arc<Offer>,
        matched: Match,
        volumes: Vec<Resource>,
        plan: &mut Plan,
    ) -> Option<Resources> {
        let instance = self.records.instances.get(key)?.clone();
        let setting =
            launch::Setting { offer, framework: &self.records.setup.settings.framework, now: self.cx.now() };
        let built = launch::launch(&instance, matched, volumes, &setting);
        let provision =
            Provision { spec: instance.spec.clone(), agent: offer.info.clone(), tasks: built.tasks };
        let cause = instance.cause;
        self.records.instances.provision(key, provision, self.cx.now(), cause);
        if instance.reservation.is_some() {
            self.records.instances.use_reservation(key);
        }
        plan.cause = plan.cause.or(Some(cause));
        plan.operations.push(built.operation);
        Some(built.taken)
    }

    /// Reserves what an instance with volumes needs. Answers what that takes.
    fn reserve(
        &mut self,
        key: Key,
        offer: &Arc<Offer>,
        matched: Match,
        plan: &mut Plan,
    ) -> Option<Resources> {
        let instance = self.records.instances.get(key)?.clone();
        let mut taken = Resources::new();
        let reserve = |resource: &Resource| {
            reservation::reserved(resource, &instance.role, &self.records.setup.framework_id, &instance.id)
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
            let uuid = draw::uuid(self.records.setup.seed, draw::entity(&instance.id), VOLUME, at as u64);
            let id: Text = format!("{}#{}#{uuid}", instance.spec.id.safe(), volume.path).into();
            locals.push(LocalVolume { id: id.clone(), path: volume.path.clone() });
            volumes.push(disk.with_volume(Persistence {
                id,
                principal: None,
                container_path: volume.path.clone(),
            }));
        }
        let deadline = self.cx.now().saturating_add(self.records.setup.settings.reservation_ms);
        let own = Reservation { volumes: locals.into(), state: ReservationState::New(deadline) };
        self.records.instances.reserve(key, own, offer.info.clone(), instance.cause);
        plan.cause = plan.cause.or(Some(instance.cause));
        plan.operations.extend([Operation::Reserve(reserved), Operation::Create(volumes)]);
        Some(taken)
    }

    /// Releases reservations of instances that are gone or no longer wanted.
    fn take_back(&mut self, offer: &Arc<Offer>) -> Plan {
        let mut by_instance: SortedMap<Text, Vec<Resource>> = SortedMap::new();
        for resource in &offer.resources {
            if let Some(id) = reservation::instance_of(resource, &self.records.setup.framework_id) {
                by_instance.entry(id.clone()).or_default().push(resource.clone());
            }
        }
        let mut plan = Plan::default();
        for (id, resources) in by_instance {
            let found = self.records.instances.find(&id).map(|(key, instance)| (key, instance.clone()));
            let keep = found.as_ref().is_some_and(|(_, instance)| {
                self.records.definitions.root.spec(instance.spec_id()).is_some()
                    && !instance.is_to_unreserve()
            });
            if keep {
                continue;
            }
            if let Some((key, instance)) = &found {
                let cause = self.records.say_instance(
                    self.cx,
                    "reservation-released",
                    Tracked { key: *key, instance },
                    "what was reserved for it is given back",
                );
                self.records.instances.force_expunge(*key, cause);
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
