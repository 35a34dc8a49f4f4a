//! The scheduler of a framework that several services share: the part between them and the master.

use crate::scheduler::Request;
use crate::scheduler::offers::evaluate::build::NAMESPACE;
use planarium_kernel::Cause;
use planarium_kernel::{SortedMap, SortedSet};
use planarium_mesos::api::{Call, Offer, OfferId, Operation, Resource, Resources, SchedulerEvent};
use planarium_protocol::Text;
use std::sync::Arc;

/// A service of the framework. *Order*: that of joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberId(pub u32);

/// Decline when no service has a use for an offer. *Units*: milliseconds.
const DECLINE_MS: u64 = 3_600_000;
/// Not to be offered again after cleaning up. *Units*: milliseconds.
const CLEAN_UP_MS: u64 = 1_000;

/// A service as the framework knows it.
#[derive(Clone, Debug)]
struct Member {
    name: Text,
    /// Head of its task ids.
    prefix: Text,
    /// It has nothing to do with offers.
    at_rest: bool,
    /// It may reserve.
    selected: bool,
    /// Offers passed it by because it may not reserve yet.
    passed_by: bool,
}

/// An offer that is passed from service to service.
#[derive(Clone, Debug)]
struct PassedOffer {
    offer: Arc<Offer>,
    holder: MemberId,
    /// The shortest time that anyone turned it down for. *Units*: milliseconds.
    refuse_ms: u64,
}

/// Offers for the next service.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The member whose turn it is.
    pub member: MemberId,
    /// Its cause.
    pub cause: Cause,
    /// As it may see them.
    pub offers: Vec<Arc<Offer>>,
}

/// Consequences of a message of a service or the master.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routed {
    /// For the master, first.
    pub calls: Vec<Request>,
    /// For services, then.
    pub turns: Vec<Turn>,
    /// The service has taken itself down: it leaves.
    pub leaves: bool,
}

/// The framework's side of its services.
#[derive(Clone, Debug, Default)]
pub struct Hub {
    limit: Option<u64>,
    members: SortedMap<MemberId, Member>,
    passed: SortedMap<OfferId, PassedOffer>,
    /// The master's answer to the last subscription.
    greeting: Option<SchedulerEvent>,
}

impl Hub {
    /// Creates a hub without services. `limit` is the number that may reserve at the same time.
    pub fn new(limit: Option<u64>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Adds a service, or adds it again after its scheduler was recreated.
    pub fn join(&mut self, id: MemberId, name: &Text, prefix: &str) {
        let selected = self.members.get(&id).is_some_and(|member| member.selected);
        let member =
            Member { name: name.clone(), prefix: prefix.into(), at_rest: false, selected, passed_by: false };
        self.members.insert(id, member);
    }

    /// Passes on the offers of a service that is gone, or whose scheduler is recreated.
    pub fn release(&mut self, cause: Cause, id: MemberId, reserving: &dyn Fn(MemberId) -> bool) -> Routed {
        let held: Vec<OfferId> =
            self.passed.iter().filter(|(_, passed)| passed.holder == id).map(|(offer, _)| *offer).collect();
        let mut routed = Routed::default();
        self.pass_on(cause, &held, DECLINE_MS, reserving, &mut routed);
        routed
    }

    /// Removes a service; its offers must have been released.
    pub fn leave(&mut self, id: MemberId) {
        self.members.remove(&id);
    }

    /// The services, in the order they joined.
    pub fn members(&self) -> impl Iterator<Item = MemberId> {
        self.members.keys().copied()
    }

    /// Tells if each service must wait until others have reserved; nothing without a limit.
    pub fn barred(&self, reserving: &dyn Fn(MemberId) -> bool) -> Vec<(MemberId, bool)> {
        if self.limit.is_none() {
            return Vec::new();
        }
        self.members.iter().map(|(id, member)| (*id, reserving(*id) && !member.selected)).collect()
    }

    /// The master's answer when the framework subscribed, for a service that comes later.
    pub fn greeting(&self) -> Option<SchedulerEvent> {
        self.greeting.clone()
    }

    /// The framework subscribed: offers made before are void.
    pub fn subscribed(&mut self, event: &SchedulerEvent) {
        self.greeting = Some(event.clone());
        self.passed.clear();
    }

    /// The service that a task belongs to.
    pub fn owner(&self, task_id: &str) -> Option<MemberId> {
        let (prefix, _) = task_id.split_once("__")?;
        self.members.iter().find(|(_, member)| *member.prefix == *prefix).map(|(id, _)| *id)
    }

    /// Forgets an offer; returns its holder.
    pub fn rescinded(&mut self, offer: OfferId) -> Option<MemberId> {
        self.passed.remove(&offer).map(|passed| passed.holder)
    }

    /// Offers came: the first service that may have them gets them.
    pub fn offered(
        &mut self,
        cause: Cause,
        offers: Vec<Arc<Offer>>,
        reserving: &dyn Fn(MemberId) -> bool,
    ) -> Routed {
        let mut routed = Routed::default();
        self.select(cause, reserving, &mut routed);
        let first = self.next(None, reserving);
        let ids: Vec<OfferId> = offers.iter().map(|offer| offer.id).collect();
        for offer in offers {
            let holder = first.unwrap_or(MemberId(u32::MAX));
            self.passed.insert(offer.id, PassedOffer { offer, holder, refuse_ms: DECLINE_MS });
        }
        match first {
            Some(member) => routed.turns.push(self.turn(cause, member, &ids)),
            None => self.end(cause, &ids, &mut routed),
        }
        routed
    }

    /// A service asks the master for something.
    pub fn sent(
        &mut self,
        now: Cause,
        id: MemberId,
        requests: Vec<Request>,
        reserving: &dyn Fn(MemberId) -> bool,
    ) -> Routed {
        let mut routed = Routed::default();
        for Request { cause, call } in requests {
            match call {
                Call::Decline { offer_ids, refuse_ms } => {
                    let refuse_ms = refuse_ms.unwrap_or(DECLINE_MS);
                    self.pass_on(cause, &offer_ids, refuse_ms, reserving, &mut routed);
                }
                Call::Accept { offer_ids, operations, refuse_ms } => {
                    for offer in &offer_ids {
                        self.passed.remove(offer);
                    }
                    let call = Call::Accept { offer_ids, operations, refuse_ms };
                    routed.calls.push(Request { cause, call });
                }
                Call::Suppress { roles } => {
                    if let Some(member) = self.members.get_mut(&id) {
                        member.at_rest = true;
                    }
                    if self.members.values().all(|member| member.at_rest) {
                        routed.calls.push(Request { cause, call: Call::Suppress { roles } });
                    }
                }
                Call::Revive { roles } => {
                    if let Some(member) = self.members.get_mut(&id) {
                        member.at_rest = false;
                    }
                    routed.calls.push(Request { cause, call: Call::Revive { roles } });
                }
                Call::Teardown => {
                    routed.leaves = true;
                    if let Some(member) = self.members.get_mut(&id) {
                        member.at_rest = true;
                    }
                }
                call => routed.calls.push(Request { cause, call }),
            }
        }
        self.select(now, reserving, &mut routed);
        routed
    }

    /// Offers that a service turned down go to the next one, and back to the master after the last.
    fn pass_on(
        &mut self,
        cause: Cause,
        offers: &[OfferId],
        refuse_ms: u64,
        reserving: &dyn Fn(MemberId) -> bool,
        routed: &mut Routed,
    ) {
        let mut onward: SortedMap<MemberId, Vec<OfferId>> = SortedMap::new();
        let mut done = Vec::new();
        for offer in offers {
            let Some(holder) = self.passed.get(offer).map(|passed| passed.holder) else { continue };
            let next = self.next(Some(holder), reserving);
            if let Some(passed) = self.passed.get_mut(offer) {
                passed.refuse_ms = passed.refuse_ms.min(refuse_ms);
                passed.holder = next.unwrap_or(holder);
            }
            match next {
                Some(next) => onward.entry(next).or_default().push(*offer),
                None => done.push(*offer),
            }
        }
        for (member, offers) in onward {
            let turn = self.turn(cause, member, &offers);
            routed.turns.push(turn);
        }
        self.end(cause, &done, routed);
    }

    /// The first service after another that may have offers.
    fn next(&mut self, after: Option<MemberId>, reserving: &dyn Fn(MemberId) -> bool) -> Option<MemberId> {
        let limited = self.limit.is_some();
        for (id, member) in &mut self.members {
            if after.is_some_and(|after| *id <= after) || member.at_rest {
                continue;
            }
            if !limited || member.selected || !reserving(*id) {
                return Some(*id);
            }
            member.passed_by = true;
        }
        None
    }

    fn turn(&self, cause: Cause, member: MemberId, offers: &[OfferId]) -> Turn {
        let name = self.members.get(&member).map(|member| &member.name);
        let shown = |offer: &OfferId| Some(seen_by(&self.passed.get(offer)?.offer, name?));
        Turn { member, cause, offers: offers.iter().filter_map(shown).collect() }
    }

    /// Ends unused offers: releases the reservations of services that are gone, and declines the rest.
    fn end(&mut self, cause: Cause, offers: &[OfferId], routed: &mut Routed) {
        let names: SortedSet<&Text> = self.members.values().map(|member| &member.name).collect();
        let mut declined: SortedMap<u64, Vec<OfferId>> = SortedMap::new();
        let mut cleaned = Vec::new();
        for id in offers {
            let Some(passed) = self.passed.get(id) else { continue };
            let left_over: Vec<&Resource> =
                passed.offer.resources.iter().filter(|resource| is_left_over(resource, &names)).collect();
            if left_over.is_empty() {
                declined.entry(passed.refuse_ms).or_default().push(*id);
            } else {
                cleaned.push((*id, give_back(&left_over)));
            }
        }
        for id in offers {
            self.passed.remove(id);
        }
        for (id, operations) in cleaned {
            let call = Call::Accept { offer_ids: vec![id], operations, refuse_ms: Some(CLEAN_UP_MS) };
            routed.calls.push(Request { cause, call });
        }
        for (refuse_ms, offer_ids) in declined {
            let call = Call::Decline { offer_ids, refuse_ms: Some(refuse_ms) };
            routed.calls.push(Request { cause, call });
        }
    }

    /// Selects the services that may reserve. One that offers had passed requests them again when its turn comes.
    fn select(&mut self, cause: Cause, reserving: &dyn Fn(MemberId) -> bool, routed: &mut Routed) {
        let Some(limit) = self.limit else { return };
        for (id, member) in &mut self.members {
            member.selected &= reserving(*id);
        }
        let selected = self.members.values().filter(|member| member.selected).count();
        let mut free = limit.saturating_sub(selected as u64);
        let mut revive = false;
        for (id, member) in &mut self.members {
            if free == 0 {
                break;
            }
            if !member.selected && reserving(*id) {
                member.selected = true;
                free -= 1;
                revive |= std::mem::take(&mut member.passed_by);
            }
        }
        if revive {
            routed.calls.push(Request { cause, call: Call::Revive { roles: Vec::new() } });
        }
    }
}

/// An offer as one service may see it: without what others have reserved.
fn seen_by(offer: &Arc<Offer>, name: &Text) -> Arc<Offer> {
    let foreign = |resource: &Resource| {
        resource.is_dynamically_reserved() && resource.label(NAMESPACE).is_none_or(|owner| owner != name)
    };
    if !offer.resources.iter().any(foreign) {
        return offer.clone();
    }
    let resources: Resources =
        offer.resources.iter().filter(|resource| !foreign(resource)).cloned().collect();
    Arc::new(Offer { resources, ..(**offer).clone() })
}

/// Tells if a service that is not there any more reserved this. Reservations without a name are left alone.
fn is_left_over(resource: &Resource, names: &SortedSet<&Text>) -> bool {
    resource.is_dynamically_reserved()
        && resource.label(NAMESPACE).is_some_and(|owner| !names.contains(owner))
}

fn give_back(resources: &[&Resource]) -> Vec<Operation> {
    let volumes: Vec<Resource> = resources
        .iter()
        .filter(|resource| resource.persistence().is_some())
        .map(|resource| (*resource).clone())
        .collect();
    let reserved = resources.iter().map(|resource| resource.without_volume()).collect();
    let destroyed = (!volumes.is_empty()).then_some(Operation::Destroy(volumes));
    destroyed.into_iter().chain([Operation::Unreserve(reserved)]).collect()
}

#[cfg(test)]
mod tests;
