//! Tracks which roles want offers, and tells the master.
//!
//! *Knows*: a role wants offers while one of its instances waits for one and is not delayed, or a reservation must be
//! released. *Must not know*: how offers are used.
//!
//! **Source**: `marathon: core/launchqueue/impl/ReviveOffersState.scala, ReviveOffersStreamLogic.scala,
//! ReviveOffersActor.scala`. Match.

use crate::port::Port;
use crate::records::Records;
use crate::setup::Setup;
use crate::timers::{Job, Rhythm, tick_from};
use planarium_kernel::{Class, SimTime, SortedMap, SortedSet};
use planarium_mesos::api::{Call, Capability, FrameworkInfo};
use planarium_part::Cx;
use planarium_protocol::Text;

/// Offer demand of a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wish {
    wants: bool,
    /// The newest wish of those that count.
    version: u64,
}

/// Demand reported to the master, and demand to report again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demand {
    /// Something may have changed since the last report to the master.
    changed: bool,
    told: SortedMap<Text, Wish>,
    told_at: Option<SimTime>,
    /// Number of ticks until offers are requested again.
    again: SortedMap<Text, u32>,
}

/// Ticks until a role asks again.
const AGAIN: u32 = 2;

impl Demand {
    /// Returns whether a role wants offers, as last reported to the master.
    pub(crate) fn wants_offers(&self, role: &str) -> bool {
        self.told.get(role).is_some_and(|wish| wish.wants)
    }

    /// Returns when the master is told of the change, if not immediately.
    pub(crate) fn tells_master_at(&self, records: &Records) -> Option<SimTime> {
        let at = self.told_at?.saturating_add(records.setup.settings.revive_ms);
        (self.changed && records.timers.is_armed(Job::Revive)).then_some(at)
    }

    /// Returns the framework's description.
    pub(crate) fn framework_info(&self, setup: &Setup) -> FrameworkInfo {
        let (mut roles, mut suppressed) = (Vec::new(), Vec::new());
        for (role, wish) in &self.told {
            roles.push(role.clone());
            if !wish.wants {
                suppressed.push(role.clone());
            }
        }
        if roles.is_empty() {
            roles.push(setup.settings.role.clone());
        }
        let mut capabilities = vec![
            Capability::TaskKillingState,
            Capability::PartitionAware,
            Capability::MultiRole,
            Capability::RegionAware,
        ];
        if setup.settings.has(crate::settings::features::GPU_RESOURCES) {
            capabilities.push(Capability::GpuResources);
        }
        FrameworkInfo {
            name: setup.settings.framework.clone(),
            user: "root".into(),
            roles,
            suppressed_roles: suppressed,
            capabilities,
            checkpoint: true,
            failover_ms: 604_800_000,
            ..FrameworkInfo::default()
        }
    }

    /// Tells the master the change, at most once per interval.
    pub(crate) fn update_wish(&mut self, records: &mut Records, port: &mut Port<'_>) {
        self.changed |= records.instances.take_wish_change();
        if !self.changed || records.setup.framework_id.is_empty() {
            return;
        }
        let free = self.told_at.map(|at| at.saturating_add(records.setup.settings.revive_ms));
        if let Some(at) = free.filter(|at| *at > port.cx.now()) {
            if !records.timers.is_armed(Job::Revive) {
                records.timers.arm(Job::Revive, at, Class::OneShot, port.cx.cause());
            }
            return;
        }
        self.changed = false;
        self.tell_master(records, port);
    }

    fn tell_master(&mut self, records: &mut Records, port: &mut Port<'_>) {
        let new = Self::wishes(records, port.cx.now());
        let old = std::mem::replace(&mut self.told, new);
        let new = self.told.clone();
        let silent = |all: &SortedMap<Text, Wish>| -> SortedSet<Text> {
            all.iter().filter(|(_, wish)| !wish.wants).map(|(role, _)| role.clone()).collect()
        };
        let newer = |(role, wish): &(&Text, &Wish)| {
            wish.wants && old.get(*role).is_some_and(|old| old.wants && old.version < wish.version)
        };
        let again: Vec<Text> = new.iter().filter(newer).map(|(role, _)| role.clone()).collect();
        let differs = old.len() != new.len()
            || old.keys().ne(new.keys())
            || silent(&old).iter().ne(silent(&new).iter());
        if !differs && again.is_empty() {
            return;
        }
        self.told_at = Some(port.cx.now());
        if differs {
            let wanted =
                new.iter().filter(|(role, wish)| wish.wants && !old.get(*role).is_some_and(|old| old.wants));
            for (role, _) in wanted {
                self.again.insert(role.clone(), AGAIN);
            }
            let (info, framework) = (self.framework_info(&records.setup), records.setup.framework);
            port.update_framework(framework, info);
        }
        if !again.is_empty() {
            for role in &again {
                self.again.insert(role.clone(), AGAIN);
            }
            records.count("mesos.calls.revive");
            port.call(records.setup.framework, Call::Revive { roles: again });
        }
        self.arm_again(records, port.cx);
    }

    fn arm_again(&mut self, records: &mut Records, cx: &Cx) {
        if self.again.is_empty() {
            records.timers.disarm(Job::ReviveAgain);
        } else if !records.timers.is_armed(Job::ReviveAgain) {
            let every_ms = records.setup.settings.revive_ms;
            let rhythm = Rhythm { first_ms: every_ms, every_ms };
            let at = tick_from(cx.now().saturating_add(1), records.setup.born, rhythm);
            records.timers.arm(Job::ReviveAgain, at, Class::Periodic, cx.cause());
        }
    }

    /// Repeats the request of roles that still want offers.
    pub(crate) fn revive_again(&mut self, records: &mut Records, port: &mut Port<'_>) {
        let mut due = Vec::new();
        self.again.retain(|role, left| {
            *left = left.saturating_sub(1);
            if *left == 0 {
                due.push(role.clone());
            }
            *left > 0
        });
        due.retain(|role| self.wants_offers(role));
        if !due.is_empty() {
            records.count("mesos.calls.revive");
            port.call(records.setup.framework, Call::Revive { roles: due });
        }
        self.arm_again(records, port.cx);
    }

    /// Returns the offer demand of every role.
    fn wishes(records: &Records, now: SimTime) -> SortedMap<Text, Wish> {
        let mut all: SortedMap<Text, Wish> = SortedMap::new();
        let newest = records.instances.wishes();
        let silent = Wish { wants: false, version: newest };
        all.insert(records.setup.settings.role.clone(), silent);
        let mut wish = |role: &Text, version: u64| {
            let own = all.entry(role.clone()).or_insert(silent);
            let version = if own.wants { own.version.max(version) } else { version };
            *own = Wish { wants: true, version };
        };
        for no in records.instances.waiting_specs() {
            let Some(run) = records.run(no) else { continue };
            if run.backoff.is_empty() {
                for (role, version) in records.instances.newest_wishes(no) {
                    wish(&role, version.max(run.wish_from));
                }
                continue;
            }
            for (_, instance) in records.instances.waiting_of(no) {
                if run.backoff.allows(&instance.spec, now) {
                    wish(&instance.role, instance.wish.max(run.wish_from));
                }
            }
        }
        for instance in records.instances.unreserving() {
            wish(&instance.role, instance.wish);
        }
        for role in records.instances.roles() {
            all.entry(role.clone()).or_insert(silent);
        }
        all
    }

    /// Resets the state after a new subscription with the framework's own settings.
    pub(crate) fn forget(&mut self, records: &mut Records) {
        *self = Self { changed: true, ..Self::default() };
        records.instances.forget_roles();
    }
}
