//! Which roles want offers, and telling the master.
//!
//! *Knows*: a role wants offers while an instance of it waits for one and is not delayed, or something reserved is to be
//! taken back. *Must not know*: what is done with offers.
//!
//! **Source**: `marathon: core/launchqueue/impl/ReviveOffersState.scala, ReviveOffersStreamLogic.scala,
//! ReviveOffersActor.scala`. Match.

use super::Marathon;
use super::jobs::{Job, tick_from};
use planarium_kernel::{Class, SimTime, SortedMap, SortedSet};
use planarium_mesos::Cluster;
use planarium_mesos::api::{Call, Capability, FrameworkInfo};
use planarium_part::Cx;
use planarium_protocol::Text;

/// How a role stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wish {
    wants: bool,
    /// The newest wish of those that count.
    version: u64,
}

/// What the master was told, and what it is to be told again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Revive {
    /// Something may have changed since the master was told.
    changed: bool,
    told: SortedMap<Text, Wish>,
    told_at: Option<SimTime>,
    /// Asking again in so many ticks.
    again: SortedMap<Text, u32>,
}

/// Ticks until a role asks again.
const AGAIN: u32 = 2;

impl Marathon {
    /// Wishes for offers may have changed.
    pub(super) fn wish_changed(&mut self) {
        self.revive.changed = true;
    }

    /// Whether a role wants offers, as the master was told.
    pub(crate) fn wants_offers(&self, role: &str) -> bool {
        self.revive.told.get(role).is_some_and(|wish| wish.wants)
    }

    /// When the master is told of what has changed, if that is not at once.
    pub(crate) fn tells_master_at(&self) -> Option<SimTime> {
        let at = self.revive.told_at?.saturating_add(self.settings.revive_ms);
        (self.revive.changed && self.is_armed(Job::Revive)).then_some(at)
    }

    /// How the framework describes itself.
    pub(crate) fn framework_info(&self) -> FrameworkInfo {
        let (mut roles, mut suppressed) = (Vec::new(), Vec::new());
        for (role, wish) in &self.revive.told {
            roles.push(role.clone());
            if !wish.wants {
                suppressed.push(role.clone());
            }
        }
        if roles.is_empty() {
            roles.push(self.settings.role.clone());
        }
        let mut capabilities = vec![
            Capability::TaskKillingState,
            Capability::PartitionAware,
            Capability::MultiRole,
            Capability::RegionAware,
        ];
        if self.settings.has(crate::settings::features::GPU_RESOURCES) {
            capabilities.push(Capability::GpuResources);
        }
        FrameworkInfo {
            name: self.settings.framework.clone(),
            user: "root".into(),
            roles,
            suppressed_roles: suppressed,
            capabilities,
            checkpoint: true,
            failover_ms: 604_800_000,
            ..FrameworkInfo::default()
        }
    }

    /// Tells the master what has changed, at most once in a while.
    pub(super) fn update_wish(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        self.revive.changed |= self.tracker.take_wish_change();
        if !self.revive.changed || self.framework_id.is_empty() {
            return;
        }
        let free = self.revive.told_at.map(|at| at.saturating_add(self.settings.revive_ms));
        if let Some(at) = free.filter(|at| *at > cx.now()) {
            if !self.is_armed(Job::Revive) {
                self.arm_job(Job::Revive, at, Class::OneShot, cx.cause());
            }
            return;
        }
        self.revive.changed = false;
        self.tell_master(cx, cluster);
    }

    fn tell_master(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let new = self.wishes(cx.now());
        let old = std::mem::replace(&mut self.revive.told, new);
        let new = self.revive.told.clone();
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
        self.revive.told_at = Some(cx.now());
        if differs {
            let wanted =
                new.iter().filter(|(role, wish)| wish.wants && !old.get(*role).is_some_and(|old| old.wants));
            for (role, _) in wanted {
                self.revive.again.insert(role.clone(), AGAIN);
            }
            let (info, framework) = (self.framework_info(), self.framework);
            // It is registered and stays what it was: the master has nothing against it.
            let _ = cluster.update_framework(cx, framework, info);
        }
        if !again.is_empty() {
            for role in &again {
                self.revive.again.insert(role.clone(), AGAIN);
            }
            self.count("mesos.calls.revive");
            cluster.call(cx, self.framework, Call::Revive { roles: again });
        }
        self.arm_again(cx);
    }

    fn arm_again(&mut self, cx: &Cx) {
        if self.revive.again.is_empty() {
            self.disarm(Job::ReviveAgain);
        } else if !self.is_armed(Job::ReviveAgain) {
            let every = self.settings.revive_ms;
            let at = tick_from(cx.now().saturating_add(1), self.born, (every, every));
            self.arm_job(Job::ReviveAgain, at, Class::Periodic, cx.cause());
        }
    }

    /// Roles that still want offers a while after they said so say it again.
    pub(super) fn revive_again(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let mut due = Vec::new();
        self.revive.again.retain(|role, left| {
            *left = left.saturating_sub(1);
            if *left == 0 {
                due.push(role.clone());
            }
            *left > 0
        });
        due.retain(|role| self.wants_offers(role));
        if !due.is_empty() {
            self.count("mesos.calls.revive");
            cluster.call(cx, self.framework, Call::Revive { roles: due });
        }
        self.arm_again(cx);
    }

    /// How every role stands now.
    fn wishes(&self, now: SimTime) -> SortedMap<Text, Wish> {
        let mut all: SortedMap<Text, Wish> = SortedMap::new();
        let newest = self.tracker.wishes();
        let silent = Wish { wants: false, version: newest };
        all.insert(self.settings.role.clone(), silent);
        let mut wish = |role: &Text, version: u64| {
            let own = all.entry(role.clone()).or_insert(silent);
            let version = if own.wants { own.version.max(version) } else { version };
            *own = Wish { wants: true, version };
        };
        for no in self.tracker.waiting_specs() {
            let Some(run) = self.run(no) else { continue };
            if run.backoff.is_empty() {
                for (role, version) in self.tracker.newest_wishes(no) {
                    wish(&role, version.max(run.wish_from));
                }
                continue;
            }
            for (_, instance) in self.tracker.waiting_of(no) {
                if run.backoff.allows(&instance.spec, now) {
                    wish(&instance.role, instance.wish.max(run.wish_from));
                }
            }
        }
        for instance in self.tracker.unreserving() {
            wish(&instance.role, instance.wish);
        }
        for role in self.tracker.roles() {
            all.entry(role.clone()).or_insert(silent);
        }
        all
    }

    /// The framework is subscribed anew, with what it said of itself.
    pub(super) fn forget_wishes(&mut self) {
        self.revive = Revive { changed: true, ..Revive::default() };
        self.tracker.forget_roles();
    }
}
