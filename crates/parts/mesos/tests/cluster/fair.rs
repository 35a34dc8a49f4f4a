//! Random weights, quotas and offers: the books agree after each step, and a run that finds nothing changed has missed
//! nothing.

use crate::harness::*;
use planarium_kernel::{Milli, SimTime};
use planarium_mesos::{
    api::*,
    operator::{OperatorCall, QuotaConfig},
};
use proptest::prelude::*;

const ROLES: [&str; 5] = ["a", "a/x", "a/x/y", "b", "*"];

#[derive(Clone, Debug)]
enum Op {
    Advance(u64),
    Weight(usize, i64),
    Quota { role: usize, guarantee: i64, limit: Option<i64>, force: bool },
    NoQuota(usize),
    Decline(usize, u64),
    Launch(usize, i64),
    Reserve(usize),
    End(usize),
    Suppress(usize),
    Revive(usize),
    AddAgent,
    RemoveAgent,
}

fn op() -> impl Strategy<Value = Op> {
    let who = 0..ROLES.len();
    prop_oneof![
        4 => (1..4_000_u64).prop_map(Op::Advance),
        1 => (who.clone(), 1..5_000_i64).prop_map(|(role, weight)| Op::Weight(role, weight)),
        3 => (who.clone(), 0..6_000_i64, prop::option::of(0..8_000_i64), any::<bool>())
            .prop_map(|(role, guarantee, limit, force)| Op::Quota { role, guarantee, limit, force }),
        1 => who.clone().prop_map(Op::NoQuota),
        3 => (who.clone(), prop_oneof![Just(0_u64), Just(2_000), Just(3_600_000)])
            .prop_map(|(who, refuse_ms)| Op::Decline(who, refuse_ms)),
        5 => (who.clone(), 100..2_000_i64).prop_map(|(who, cpus)| Op::Launch(who, cpus)),
        1 => who.clone().prop_map(Op::Reserve),
        3 => any::<usize>().prop_map(Op::End),
        1 => who.clone().prop_map(Op::Suppress),
        1 => who.prop_map(Op::Revive),
        1 => Just(Op::AddAgent),
        1 => Just(Op::RemoveAgent),
    ]
}

struct World {
    c: Cluster,
    frameworks: Vec<FrameworkId>,
    launched: u32,
    running: Vec<String>,
}

impl World {
    fn new() -> Self {
        let mut c = Cluster::manual();
        c.agents(3, "cpus:4;mem:1024");
        let frameworks = ROLES.iter().map(|role| c.framework(role, |info| info.roles = vec![(*role).into()]));
        let frameworks = frameworks.collect();
        Self { c, frameworks, launched: 0, running: Vec::new() }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Advance(ms) => self.c.advance(*ms),
            Op::Weight(role, weight) => {
                let call = OperatorCall::UpdateWeights(vec![(ROLES[*role].into(), Milli(*weight))]);
                self.c.operate(&call).expect("a valid weight");
            }
            Op::Quota { role, guarantee, limit, force } => {
                let one = |amount: i64| [("cpus".into(), Milli(amount))].into_iter().collect();
                let config = QuotaConfig {
                    role: ROLES[*role].into(),
                    guarantees: one(*guarantee),
                    limits: limit.map(|limit| one(limit.max(*guarantee))).unwrap_or_default(),
                };
                let nested = ROLES[*role].contains('/');
                let done =
                    self.c.operate(&OperatorCall::UpdateQuota { configs: vec![config], force: *force });
                assert!(done.is_err() || !nested);
                assert!(done.is_ok() || nested || !force, "{done:?}");
            }
            Op::NoQuota(role) => {
                let _ = self.c.operate(&OperatorCall::RemoveQuota(ROLES[*role].into()));
            }
            Op::Decline(who, refuse_ms) => self.c.decline(self.frameworks[*who], Some(*refuse_ms)),
            Op::Launch(who, cpus) => {
                let id = self.frameworks[*who];
                let Some(offer) = self.c.outstanding(id).first().copied() else { return };
                self.launched += 1;
                let task = task(&format!("t-{}", self.launched), &format!("cpus:{}", Milli(*cpus)));
                let before = self.c.statuses.len();
                self.c.accept_with(id, &[offer], vec![launch(vec![task])], Some(0));
                if self.c.statuses.len() == before {
                    self.running.push(format!("t-{}", self.launched));
                }
            }
            Op::Reserve(who) => {
                let id = self.frameworks[*who];
                let Some(offer) = self.c.outstanding(id).first().copied() else { return };
                let principal = Some(format!("{}-principal", ROLES[*who]).into());
                let reserved =
                    Resource::scalar("cpus", Milli(500)).pushed(Reservation::dynamic(ROLES[*who], principal));
                self.c.accept_with(id, &[offer], vec![Operation::Reserve(vec![reserved])], Some(0));
            }
            Op::End(nth) => {
                if !self.running.is_empty() {
                    let task = self.running.remove(nth % self.running.len());
                    self.c.status(&task, "TASK_FINISHED");
                }
            }
            Op::Suppress(who) => self.c.call(self.frameworks[*who], Call::Suppress { roles: Vec::new() }),
            Op::Revive(who) => self.c.call(self.frameworks[*who], Call::Revive { roles: Vec::new() }),
            Op::AddAgent => {
                if self.c.master.machines(&self.c.fleet).len() < 5 {
                    self.c.agents(1, "cpus:4;mem:1024");
                }
            }
            Op::RemoveAgent => {
                let machines = self.c.master.machines(&self.c.fleet);
                if machines.len() > 2 {
                    let last = machines[machines.len() - 1].hostname.clone();
                    self.c.statuses.clear();
                    self.c.master.remove_agent(&mut self.c.cx, &mut self.c.fleet, &last).expect("known");
                    self.c.settle();
                    let lost: Vec<String> =
                        self.c.statuses.iter().map(|(_, s)| s.task_id.to_string()).collect();
                    self.running.retain(|task| !lost.contains(task));
                }
            }
        }
    }

    /// Asserts that a run without changed agents would find nothing to offer.
    fn nothing_was_missed(&self) {
        if self.c.master.restless() {
            return;
        }
        let (mut master, mut fleet, mut cx) =
            (self.c.master.clone(), self.c.fleet.clone(), self.c.cx.clone());
        let touch = OperatorCall::UpdateWeights(vec![("nobody".into(), Milli::ONE)]);
        master.operate(&mut cx, &mut fleet, &touch).expect("a valid weight");
        let batch = SimTime(cx.now().ms() / 1_000 * 1_000 + 1_000);
        while let Some(due) = master.next_due().filter(|due| *due < batch) {
            cx.set_now(due);
            master.fire(&mut cx, &mut fleet);
        }
        // Only the batch: filters that end at the same instant are separate changes.
        let others = self.c.master.next_due().is_some_and(|due| due < batch);
        cx.set_now(batch);
        let before = std::iter::from_fn(|| master.next_message()).count();
        master.fire(&mut cx, &mut fleet);
        let offers = std::iter::from_fn(|| master.next_message()).count();
        assert!(others || before > 0 || offers == 0, "{offers} messages with offers that were there before");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn runs_find_exactly_what_a_full_check_finds(ops in prop::collection::vec(op(), 1..60)) {
        let mut world = World::new();
        for op in &ops {
            world.apply(op);
            world.nothing_was_missed();
        }
    }
}
