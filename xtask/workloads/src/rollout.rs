//! W2: a rollout on a cluster, deploy then update, with failures and recovery; W3: a thousand of them.
//!
//! Two plan trees (deploy: one parallel phase; update: serial over phases of ten, parallel inside), the
//! kernel's queue for everything that takes time, and the fleet's first-fit index for placement.

use std::collections::BTreeSet;

use planarium_ground::{FirstFit, Shape};
use planarium_kernel::{Class, EventQueue, SimTime, TimerId, draw::mix32};
use planarium_plan::{
    Element, PhaseId, PhaseSpec, PlanSpec, PlanTree, Status, StepId, StepSpec, StepState, StrategySpec,
};

use crate::low32;

/// Reference results for seed 1: N, then events, ticks, launches, failures, makespan, checksum.
pub const REFERENCE: [(u32, Outcome); 5] = [
    (50, Outcome { events: 337, ticks: 59, launches: 111, failures: 11, makespan: 58_000, sum: 419_788 }),
    (
        100,
        Outcome { events: 690, ticks: 116, launches: 228, failures: 28, makespan: 115_000, sum: 5_421_374 },
    ),
    (
        1000,
        Outcome {
            events: 7061,
            ticks: 939,
            launches: 2345,
            failures: 345,
            makespan: 938_000,
            sum: 1_401_108_127,
        },
    ),
    (
        10_000,
        Outcome {
            events: 70_423,
            ticks: 9157,
            launches: 23_422,
            failures: 3422,
            makespan: 9_156_000,
            sum: 3_897_197_216,
        },
    ),
    (
        100_000,
        Outcome {
            events: 704_423,
            ticks: 91_469,
            launches: 234_047,
            failures: 34_047,
            makespan: 91_468_000,
            sum: 946_878_320,
        },
    ),
];

/// Runs of a sweep and pods in each.
pub const SWEEP: (u32, u32) = (1000, 50);

/// Reference results of the sweep over seeds 1 to 1,000: events, sum of makespans, sum of checksums.
pub const SWEEP_REFERENCE: (u64, u64, u32) = (323_019, 56_355_000, 376_415_393);

/// Runs the given seeds of a sweep one after the other. Returns events, makespans and checksums, each summed.
pub fn sweep(setup: &Setup, seeds: impl Iterator<Item = u32>) -> (u64, u64, u32) {
    seeds.map(|seed| run(setup, seed)).fold((0, 0, 0), |(events, makespans, sum), outcome| {
        (
            events + u64::from(outcome.events),
            makespans + u64::from(outcome.makespan),
            sum.wrapping_add(outcome.sum),
        )
    })
}

/// Pods updated together.
const BATCH: usize = 10;
/// Time between offer ticks. *Units*: milliseconds.
const TICK_MS: u64 = 1000;

/// Result of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Things that happened.
    pub events: u32,
    /// Offer ticks.
    pub ticks: u32,
    /// Pods launched.
    pub launches: u32,
    /// Pods failed.
    pub failures: u32,
    /// Virtual time until the end. *Units*: milliseconds.
    pub makespan: u32,
    /// Checksum.
    pub sum: u32,
}

/// Shared data of all runs of one size.
#[derive(Debug)]
pub struct Setup {
    pods: u32,
    deploy: PlanSpec,
    update: PlanSpec,
    agents: FirstFit<2>,
    /// The shapes of pods, which repeat.
    shapes: Vec<Shape>,
}

impl Setup {
    /// Returns the data of runs with so many pods.
    pub fn new(pods: u32) -> Self {
        let steps: Vec<StepSpec> =
            (0..pods).map(|pod| StepSpec::new(format!("pod-{pod}:[server]"))).collect();
        let phases = steps
            .chunks(BATCH)
            .map(|batch| PhaseSpec::new("update", StrategySpec::Parallel, batch.iter().cloned()));
        let update = PlanSpec::new("update", StrategySpec::Serial, phases.collect::<Vec<_>>());
        let deploy = PhaseSpec::new("deploy", StrategySpec::Parallel, steps);
        let mut agents = FirstFit::new((0..pods.div_ceil(4)).map(|_| [16, 64]));
        agents.register((0..SHAPES).map(need));
        let shapes = (0..SHAPES).map(|pod| agents.shape(need(pod))).collect();
        Self { pods, deploy: PlanSpec::new("deploy", StrategySpec::Serial, [deploy]), update, agents, shapes }
    }
}

/// States of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Want,
    Staging,
    Running,
    Ready,
    Killing,
    BackOff,
}

/// The two configurations, in order of rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Config {
    A,
    B,
}

#[derive(Debug, Clone)]
struct Pod {
    state: State,
    /// Configuration it runs, when it runs.
    has: Config,
    want: Config,
    attempt: u32,
    agent: u32,
    failures: u32,
    /// Its next event, and the crash before it.
    next: Option<TimerId>,
    crash: Option<TimerId>,
}

#[derive(Debug, Clone, Copy)]
enum Happening {
    Start,
    Ready,
    Crash,
    Killed,
    BackOffOver,
}

struct Rollout<'a> {
    setup: &'a Setup,
    seed: u32,
    plan: PlanTree,
    /// The configuration that the current plan rolls out.
    stage: Config,
    /// The phase in progress and its steps' first pod.
    phase: Option<PhaseId>,
    queue: EventQueue<(u32, Happening)>,
    agents: FirstFit<2>,
    pods: Vec<Pod>,
    /// Pods to start that do not belong to an unfinished step.
    recovery: BTreeSet<u32>,
    ready: u32,
    transitions: usize,
    outcome: Outcome,
}

/// Runs the workload.
pub fn run(setup: &Setup, seed: u32) -> Outcome {
    let pod = Pod {
        state: State::Want,
        has: Config::A,
        want: Config::A,
        attempt: 0,
        agent: 0,
        failures: 0,
        next: None,
        crash: None,
    };
    let plan = PlanTree::new(&setup.deploy);
    let phase = plan.phases().next();
    let mut rollout = Rollout {
        setup,
        seed,
        phase,
        plan,
        stage: Config::A,
        queue: EventQueue::new(),
        agents: setup.agents.clone(),
        pods: vec![pod; setup.pods as usize],
        recovery: BTreeSet::new(),
        ready: 0,
        transitions: 0,
        outcome: Outcome::default(),
    };
    let mut now = 0;
    let mut work = Vec::new();
    while !rollout.tick(now, &mut work) {
        now += TICK_MS;
        rollout.deliver(SimTime(now));
    }
    std::hint::black_box(rollout.transitions);
    rollout.outcome
}

impl Rollout<'_> {
    fn mix(&self, pod: u32, attempt: u32, what: u32) -> u32 {
        mix32(self.seed, pod, attempt, what)
    }

    /// An offer tick; true when the rollout is over.
    fn tick(&mut self, now: u64, work: &mut Vec<u32>) -> bool {
        self.outcome.ticks += 1;
        self.outcome.events += 1;
        let seconds = low32(now / TICK_MS);
        self.progress();
        if self.phase.is_none() && self.ready == self.setup.pods {
            self.outcome.makespan = low32(now);
            self.outcome.sum = self.outcome.sum.wrapping_add(self.outcome.makespan);
            return true;
        }
        self.collect(work);
        for pod in work.drain(..) {
            let Some(row) = self.pods.get(pod as usize) else { continue };
            let (state, attempt) = (row.state, row.attempt);
            match state {
                State::Staging | State::Running | State::Ready if row.has != row.want => {
                    self.kill(now, pod, attempt);
                }
                State::Want => self.place(now, pod, seconds),
                _ => {}
            }
        }
        false
    }

    /// Continues with the next phase when the current one is done.
    fn progress(&mut self) {
        let Some(phase) = self.phase.filter(|phase| self.plan.status(Element::Phase(*phase)).is_complete())
        else {
            return;
        };
        if self.stage == Config::A {
            self.stage = Config::B;
            self.plan = PlanTree::new(&self.setup.update);
            self.phase = self.plan.phases().next();
        } else {
            let place = self.plan.position(phase.into()).unwrap_or(usize::MAX);
            self.phase = self.plan.phases().nth(place.saturating_add(1));
        }
        for step in self.phase.map(|phase| self.plan.steps(phase)).into_iter().flatten() {
            // Steps are numbered like pods, so a pod of the phase is its own step.
            if let Some(pod) = self.pods.get_mut(step.index()) {
                pod.want = Config::B;
                self.recovery.remove(&step.0);
            }
        }
    }

    /// Pods with work, in order: pending steps of the plan and pods to recover.
    fn collect(&self, work: &mut Vec<u32>) {
        let tally = self.phase.and_then(|phase| self.plan.tally(phase.into()));
        if tally.is_some_and(|tally| tally.count(Status::Pending) > 0) {
            let pending = |step: &StepId| self.plan.step_state(*step) == Some(StepState::Pending);
            work.extend(self.plan.candidates().filter(pending).map(|step| step.0));
        }
        if !self.recovery.is_empty() {
            work.extend(&self.recovery);
            work.sort_unstable();
        }
    }

    fn kill(&mut self, now: u64, pod: u32, attempt: u32) {
        let delay = 500 + self.mix(pod, attempt, 5) % 1000;
        self.forget_timers(pod);
        let was = self.set(pod, State::Killing);
        if was == State::Ready {
            self.ready -= 1;
        }
        self.advance_step(pod, StepState::Prepared);
        self.arm(now, delay, pod, Happening::Killed);
    }

    fn place(&mut self, now: u64, pod: u32, seconds: u32) {
        let shape = self.setup.shapes.get((pod % SHAPES) as usize).copied();
        let Some(agent) = shape.and_then(|shape| self.agents.first(shape)) else { return };
        self.agents.take(agent, need(pod));
        let Some(row) = self.pods.get_mut(pod as usize) else { return };
        row.agent = low32(agent as u64);
        row.has = row.want;
        row.attempt += 1;
        row.state = State::Staging;
        let attempt = row.attempt;
        self.recovery.remove(&pod);
        self.advance_step(pod, StepState::Starting);
        self.outcome.launches += 1;
        let place = low32(agent as u64).wrapping_add(1);
        let term = (pod + 1).wrapping_mul(seconds + 1).wrapping_mul(place);
        self.outcome.sum = self.outcome.sum.wrapping_add(term);
        let delay = 500 + self.mix(pod, attempt, 0) % 4500;
        self.arm(now, delay, pod, Happening::Start);
    }

    /// Everything due before the tick at `until`.
    fn deliver(&mut self, until: SimTime) {
        while let Some((_, at, (pod, happening))) = self.queue.pop_due(until) {
            self.outcome.events += 1;
            let Some(row) = self.pods.get_mut(pod as usize) else { continue };
            let attempt = row.attempt;
            match happening {
                Happening::Crash => row.crash = None,
                _ => row.next = None,
            }
            match happening {
                Happening::Start if self.mix(pod, attempt, 1) % 1000 < 50 => self.fail(at.ms(), pod),
                Happening::Start => self.running(at.ms(), pod, attempt),
                Happening::Ready => self.is_ready(pod),
                Happening::Crash => self.fail(at.ms(), pod),
                Happening::Killed => {
                    self.free(pod);
                    self.wants_place(pod);
                }
                Happening::BackOffOver => self.wants_place(pod),
            }
        }
    }

    fn running(&mut self, now: u64, pod: u32, attempt: u32) {
        self.set(pod, State::Running);
        self.advance_step(pod, StepState::Started);
        self.arm(now, 200 + self.mix(pod, attempt, 2) % 1800, pod, Happening::Ready);
        if self.mix(pod, attempt, 3) % 1000 < 100 {
            self.arm(now, 10_000 + self.mix(pod, attempt, 4) % 110_000, pod, Happening::Crash);
        }
    }

    fn is_ready(&mut self, pod: u32) {
        self.set(pod, State::Ready);
        self.ready += 1;
        let Some(row) = self.pods.get_mut(pod as usize) else { return };
        row.failures = 0;
        if row.has == self.stage {
            self.advance_step(pod, StepState::Complete);
        }
    }

    fn fail(&mut self, now: u64, pod: u32) {
        self.outcome.failures += 1;
        self.forget_timers(pod);
        self.free(pod);
        if self.set(pod, State::BackOff) == State::Ready {
            self.ready -= 1;
        }
        self.advance_step(pod, StepState::Delayed);
        let Some(row) = self.pods.get_mut(pod as usize) else { return };
        row.failures += 1;
        let delay = 1000 << (row.failures - 1).min(5);
        self.arm(now, delay, pod, Happening::BackOffOver);
    }

    fn wants_place(&mut self, pod: u32) {
        self.set(pod, State::Want);
        if !self.advance_step(pod, StepState::Pending) {
            self.recovery.insert(pod);
        }
    }

    fn free(&mut self, pod: u32) {
        if let Some(row) = self.pods.get(pod as usize) {
            self.agents.give(row.agent as usize, need(pod));
        }
    }

    fn set(&mut self, pod: u32, state: State) -> State {
        self.pods.get_mut(pod as usize).map_or(state, |row| std::mem::replace(&mut row.state, state))
    }

    /// Tells the plan, when the pod is an unfinished step of the phase in progress.
    fn advance_step(&mut self, pod: u32, state: StepState) -> bool {
        let step = StepId(pod);
        let current = self.phase.is_some() && self.plan.phase_of(step) == self.phase;
        if !current || self.plan.step_state(step) == Some(StepState::Complete) {
            return false;
        }
        self.plan.set_step_state(step, state);
        self.transitions += self.plan.changes().len();
        self.plan.clear_changes();
        true
    }

    /// Arms a pod's timer; only ticks happen at whole seconds.
    fn arm(&mut self, now: u64, delay: u32, pod: u32, happening: Happening) {
        let at = now + u64::from(delay);
        let at = if at.is_multiple_of(TICK_MS) { at + 1 } else { at };
        let timer = self.queue.push(SimTime(at), Class::OneShot, (pod, happening));
        let Some(row) = self.pods.get_mut(pod as usize) else { return };
        match happening {
            Happening::Crash => row.crash = Some(timer),
            _ => row.next = Some(timer),
        }
    }

    fn forget_timers(&mut self, pod: u32) {
        let Some(row) = self.pods.get_mut(pod as usize) else { return };
        for timer in [row.next.take(), row.crash.take()].into_iter().flatten() {
            self.queue.cancel(timer);
        }
    }
}

/// Number of pods after which their needs repeat.
const SHAPES: u32 = 36;

/// Returns a pod's needs: cpu and memory.
const fn need(pod: u32) -> [i64; 2] {
    [(1 + pod % 4) as i64, (4 + (pod * 7) % 9) as i64]
}
