//! One state of everything: cluster, services, recorder.
//!
//! Knows: how the parts are held and what all of them together show.
//! Must not know: past and future; that is the timeline's. How a step runs is in [`crate::step`].

use crate::daemons::Daemons;
use crate::genesis::Genesis;
use crate::limits::LIMITS;
use crate::parts::{Lend, Parts};
use planarium_kernel::digest::Digest;
use planarium_kernel::recorder::Recorder;
use planarium_kernel::time::SimTime;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::{ClockView, ServiceView};
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{EventBody, View, Why};
use std::sync::Arc;

/// One state of everything. Cloning shares what did not change since.
#[derive(Clone)]
pub struct World {
    pub(crate) recorder: Recorder<EventBody>,
    pub(crate) parts: Parts,
    pub(crate) daemons: Daemons,
    /// Inputs so far.
    pub(crate) inputs: u64,
    /// Inputs and timers so far.
    pub(crate) steps: u64,
    /// Chain over every input and event.
    pub(crate) digest: Digest,
    pub(crate) instant: Instant,
    /// An event has said that the world holds more processes than it may.
    pub(crate) told_full: bool,
    /// Debug builds look at the invariants when so many steps are done.
    #[cfg(debug_assertions)]
    pub(crate) next_check: u64,
}

/// Work done at one instant, limited so that no instant goes on for ever.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Instant {
    pub(crate) at_ms: u64,
    pub(crate) steps: u32,
    /// Those since its last event, or since it began: they reported nothing.
    pub(crate) quiet: u32,
    /// The rest of its work waits for the next instant.
    pub(crate) exhausted: bool,
    /// Work of an exhausted instant may still be left.
    pub(crate) late: bool,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("now_ms", &self.now_ms())
            .field("seq", &self.seq())
            .finish_non_exhaustive()
    }
}

impl World {
    /// The empty world.
    pub fn genesis(genesis: Genesis) -> Self {
        let mut digest = Digest::new();
        digest.write_u64(genesis.seed);
        digest.write_u64(genesis.epoch_ms);
        if let Some(ms) = genesis.offer_timeout_ms {
            digest.write_u64(ms);
        }
        if let Some(ms) = genesis.agent_removal_interval_ms {
            digest.write_str("agent_removal_rate_limit");
            digest.write_u64(ms);
        }
        let mut world = Self {
            recorder: Recorder::new(genesis.seed),
            parts: Parts::new(genesis.flags()),
            daemons: Daemons::default(),
            inputs: 0,
            steps: 0,
            digest,
            instant: Instant::default(),
            told_full: false,
            #[cfg(debug_assertions)]
            next_check: 0,
        };
        if genesis.mesos {
            world.parts.begin(&mut world.recorder, &["mesos"]);
        }
        world
    }

    /// Virtual time. *Units*: milliseconds since genesis.
    pub fn now_ms(&self) -> u64 {
        self.recorder.now().ms()
    }

    /// Number of the last event.
    pub fn seq(&self) -> u64 {
        self.recorder.next_seq() - 1
    }

    /// Number of the last input.
    pub fn inputs(&self) -> u64 {
        self.inputs
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn digest(&self) -> u64 {
        self.digest.finish()
    }

    /// Digests of the state, part by part, each with its name. *Cost*: walks everything.
    pub(crate) fn state_digests(&self) -> Vec<(String, u64)> {
        let of = |write: &dyn Fn(&mut Digest)| {
            let mut digest = Digest::new();
            write(&mut digest);
            digest.finish()
        };
        let parts = self.parts.digests().into_iter();
        let mut all: Vec<(String, u64)> = parts.map(|(name, digest)| (name.to_owned(), digest)).collect();
        for (number, daemon) in self.daemons.of_dialect("") {
            let names: Vec<String> = daemon.names().iter().map(|(_, name)| name.to_string()).collect();
            let name = format!("daemon {} ({})", number.0, names.join(", "));
            all.push((name, of(&|digest| daemon.digest(digest))));
        }
        all
    }

    /// Roughly how many bytes a copy that shares nothing takes.
    pub(crate) fn weight(&self) -> u64 {
        1024 + self.parts.weight() + self.daemons.weight()
    }

    /// Bytes that this world holds and `before` does not, by estimate: what it costs to keep both.
    pub(crate) fn beyond(&self, before: &Self) -> u64 {
        1024 + self.parts.beyond(Some(&before.parts)) + self.daemons.beyond(Some(&before.daemons))
    }

    /// When the earliest timer is due.
    pub fn next_due_ms(&self) -> Option<u64> {
        self.next_timer().map(|(at, _)| self.not_before(at))
    }

    /// When a timer fires that is due at `ms`: what an exhausted instant has left over comes a millisecond later.
    pub(crate) fn not_before(&self, ms: u64) -> u64 {
        if self.instant.exhausted { ms.max(self.instant.at_ms + 1) } else { ms }
    }

    /// Set when work of the present instant is still to come: its steps since the last event.
    pub(crate) fn mid_instant(&self) -> Option<u32> {
        let is_mid = self.next_due_ms().is_some_and(|due| due <= self.now_ms());
        is_mid.then(|| self.quiet_steps(self.now_ms()))
    }

    /// Steps at the instant `ms` since the last event, if that is the present one: they reported nothing.
    pub(crate) fn quiet_steps(&self, ms: u64) -> u32 {
        if self.instant.at_ms == ms { self.instant.quiet } else { 0 }
    }

    /// The world holds more processes than it may.
    pub(crate) fn is_full(&self) -> bool {
        self.parts.processes() > LIMITS.processes as usize
    }

    /// Returns whether nothing but periodic work without effect is left.
    pub fn idle(&self) -> bool {
        self.parts.one_shots() == 0
            && self.daemons.one_shots() == 0
            && !self.parts.restless()
            && !self.daemons.restless()
    }

    /// Lets time pass without any work; work that is due earlier must have been done.
    pub(crate) fn pass_to(&mut self, ms: u64) {
        if ms > self.now_ms() {
            self.recorder.set_now(SimTime(ms));
        }
    }

    /// Returns the views of the services, in order of installation.
    pub fn service_views(&self) -> Vec<Arc<ServiceView>> {
        self.daemons.views()
    }

    /// Faults in force.
    pub(crate) fn faults(&self) -> Vec<planarium_protocol::view::FaultView> {
        self.parts.faults()
    }

    pub(crate) fn view(&self, clock: ClockView) -> View {
        View {
            revision: self.seq(),
            clock,
            services: self.service_views(),
            cluster: self.parts.view(self.recorder.now()),
            faults: self.faults(),
        }
    }

    /// The request that a service was loaded or last updated with, or that its framework was brought about with. Without a
    /// dialect, the service of that name that was installed first is meant.
    pub fn definition(&self, dialect: &str, service: &str) -> Option<&Arc<LoadService>> {
        self.daemons.request(dialect, service)
    }

    /// That request as it would be written now, where calls have changed the service since.
    pub fn definition_now(&self, dialect: &str, service: &str) -> Option<LoadService> {
        let mut parts = self.parts.clone();
        let now = self.recorder.now();
        let mut all = self.daemons.of_dialect(dialect);
        all.find_map(|(number, daemon)| {
            daemon.request_now(service, &mut Lend { parts: &mut parts, number, now })
        })
    }

    /// Why a machine is in the state that it is in, by its host name or the id of its agent.
    pub fn why_machine(&self, which: &str) -> Option<MachineWhy> {
        self.parts.why_machine(self.recorder.now(), which)
    }

    /// Why an element is not finished; `None` when there is no such element.
    pub fn why(&self, path: &ElementPath) -> Option<Why> {
        let mut parts = self.parts.clone();
        let now = self.recorder.now();
        let mut of_element = self.daemons.of_element(path);
        of_element.find_map(|(number, daemon)| daemon.why(path, &mut Lend { parts: &mut parts, number, now }))
    }
}
