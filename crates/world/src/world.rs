//! One state of cluster, services and recorder.
//!
//! Knows: how the parts are held, and the view of all of them.
//! Must not know: past and future, which the timeline keeps. [`crate::step`] runs a step.

use crate::daemons::Daemons;
use crate::genesis::Genesis;
use crate::limits::LIMITS;
use crate::parts::{Lend, Parts};
use planarium_kernel::Weight;
use planarium_kernel::digest::Digest;
use planarium_kernel::recorder::Recorder;
use planarium_kernel::time::SimTime;
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::LoadService;
use planarium_protocol::view::{ClockView, ServiceView};
use planarium_protocol::why::MachineWhy;
use planarium_protocol::{EventBody, View, Why};
use std::sync::Arc;

/// One state of everything. Clones share unchanged parts.
#[derive(Clone, Weight)]
#[weight(own 1_024, parts, daemons)]
pub struct World {
    pub(crate) recorder: Recorder<EventBody>,
    pub(crate) parts: Parts,
    pub(crate) daemons: Daemons,
    /// Number of inputs so far.
    pub(crate) inputs: u64,
    /// Number of inputs and timers so far.
    pub(crate) steps: u64,
    /// Digest over every input and event.
    pub(crate) digest: Digest,
    pub(crate) instant: Instant,
    /// An event has reported too many processes.
    pub(crate) told_full: bool,
    /// Step number of the next invariant check in debug builds.
    #[cfg(debug_assertions)]
    pub(crate) next_check: u64,
}

/// Work done at one instant, limited so that no instant is endless.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Instant {
    pub(crate) at_ms: u64,
    pub(crate) steps: u32,
    /// Steps without an event since the last event of the instant.
    pub(crate) quiet: u32,
    /// The rest of its work is deferred to the next instant.
    pub(crate) exhausted: bool,
    /// Work of an exhausted instant may remain.
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

    /// Returns a copy without the views that parts keep for reuse: some megabytes where there are thousands of pods.
    pub(crate) fn without_views(&self) -> Self {
        let mut copy = self.clone();
        copy.parts.drop_views();
        copy.daemons.drop_views();
        copy
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn digest(&self) -> u64 {
        self.digest.finish()
    }

    /// Digests of the state, one per part, each with its name. *Cost*: walks everything.
    pub(crate) fn state_digests(&self) -> Vec<(String, u64)> {
        let parts = self.parts.digests().into_iter();
        let mut all: Vec<(String, u64)> = parts.map(|(name, digest)| (name.to_owned(), digest)).collect();
        for (number, daemon) in self.daemons.of_dialect("") {
            let names: Vec<String> = daemon.names().iter().map(|(_, name)| name.to_string()).collect();
            let name = format!("daemon {} ({})", number.0, names.join(", "));
            all.push((name, Digest::of(daemon)));
        }
        all
    }

    /// Estimates the bytes of a copy that shares nothing.
    pub(crate) fn weight(&self) -> u64 {
        1024 + self.parts.weight() + self.daemons.weight()
    }

    /// When the earliest timer is due.
    pub fn next_due_ms(&self) -> Option<u64> {
        self.next_timer().map(|timer| self.not_before(timer.at_ms))
    }

    /// Returns when a timer due at `ms` fires: deferred work of an exhausted instant fires a millisecond later.
    pub(crate) fn not_before(&self, ms: u64) -> u64 {
        if self.instant.exhausted { ms.max(self.instant.at_ms + 1) } else { ms }
    }

    /// Returns the number of steps since the last event, if work of the present instant is not finished.
    pub(crate) fn mid_instant(&self) -> Option<u32> {
        let is_mid = self.next_due_ms().is_some_and(|due| due <= self.now_ms());
        is_mid.then(|| self.quiet_steps(self.now_ms()))
    }

    /// Returns the number of steps at the instant `ms` since the last event, if that is the present instant.
    pub(crate) fn quiet_steps(&self, ms: u64) -> u32 {
        if self.instant.at_ms == ms { self.instant.quiet } else { 0 }
    }

    /// Returns whether the world has too many processes.
    pub(crate) fn is_full(&self) -> bool {
        self.parts.processes() > LIMITS.processes as usize
    }

    /// Returns whether only periodic work without effect remains.
    pub fn idle(&self) -> bool {
        self.parts.one_shots() == 0
            && self.daemons.one_shots() == 0
            && !self.parts.restless()
            && !self.daemons.restless()
    }

    /// Advances time without any work; work due earlier must be done.
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

    /// The request that loaded or last updated a service, or created its framework. Without a dialect, the service of that
    /// name that was installed first.
    pub fn definition(&self, dialect: &str, service: &str) -> Option<&Arc<LoadService>> {
        self.daemons.request(dialect, service)
    }

    /// Returns that request with the changes made through the API since.
    pub fn definition_now(&self, dialect: &str, service: &str) -> Option<LoadService> {
        let mut parts = self.parts.clone();
        let now = self.recorder.now();
        let mut all = self.daemons.of_dialect(dialect);
        all.find_map(|(number, daemon)| {
            daemon.request_now(service, &mut Lend { parts: &mut parts, number, now })
        })
    }

    /// Explains the state of a machine, by its host name or its agent's id.
    pub fn why_machine(&self, which: &str) -> Option<MachineWhy> {
        self.parts.why_machine(self.recorder.now(), which)
    }

    /// Explains why an element is not finished; `None` if it does not exist.
    pub fn why(&self, path: &ElementPath) -> Option<Why> {
        let mut parts = self.parts.clone();
        let now = self.recorder.now();
        let mut of_element = self.daemons.of_element(path);
        of_element.find_map(|(number, daemon)| daemon.why(path, &mut Lend { parts: &mut parts, number, now }))
    }
}
