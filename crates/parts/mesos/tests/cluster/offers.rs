//! Offers: their recipients and their times.

use crate::harness::*;
use planarium_mesos::api::*;
use planarium_protocol::input::{AddAgent, FaultKind, Target};

#[test]
fn the_last_unsuppress_triggers_the_run() {
    let mut c = Cluster::new(1);
    c.agents(2, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    assert_eq!(c.heard(), ["0 SUBSCRIBED", "0 OFFERS agent-1 agent-2"]);
    c.agents(1, "cpus:4;mem:1024");
    assert_eq!(c.heard(), ["0 OFFERS agent-3"], "only the new agent, although the call was not a batch");
    assert_eq!(c.offered(f)[2], "agent-3 f-role cpus:4;mem:1024");
    c.advance(10_000);
    assert_eq!(c.heard(), Vec::<String>::new(), "offers stay out until they are answered");
    assert!(!c.master.restless());
}

/// Offers are turned down as they come, at the same instant or a little later, for so long.
#[test]
fn skipped_rounds_change_nothing() {
    for (refuse_ms, wait_ms) in
        [(1_000, 0), (1_000, 300), (2_000, 1_000), (3_000, 0), (20_000, 500), (20_000, 0)]
    {
        let run = |pass: bool| {
            let mut c = Cluster::new(1);
            c.pass = pass;
            c.agents(2, "cpus:4;mem:1024");
            let f = c.framework("f", |_| {});
            while c.now() < 100_000 {
                c.advance(wait_ms);
                c.decline(f, Some(refuse_ms));
                // To the next offers, by leaps that end on a round and beside one.
                for leap in [1_000, 700, 5_300, 60_000] {
                    let next = c.now() + leap;
                    while c.outstanding(f).is_empty() && c.now() < next {
                        c.advance_to(next.min(c.now() + leap));
                    }
                }
            }
            (c.heard(), c.master.next_due(), c.passed)
        };
        let (singly, due, _) = run(false);
        let (passing, due_passing, passed) = run(true);
        assert_eq!((singly.len() > 3, &passing, due_passing), (true, &singly, due), "{refuse_ms} {wait_ms}");
        assert!(passed > 0 || refuse_ms < 3_000, "nothing was passed over: {refuse_ms} {wait_ms}");
    }
}

/// Refusal, instant of the decline, instant of the next offer. Batches come at whole seconds; timers that are
/// due at the same instant fire in the order in which they were armed.
#[test]
fn filters_hold_for_at_least_one_batch() {
    for (refuse_ms, declined_at, offered_at) in [
        (Some(0), 0, 1_000_u64),
        (Some(0), 1_000, 2_000),
        (Some(1), 300, 2_000),
        (Some(500), 300, 2_000),
        (Some(1_000), 300, 2_000),
        // Tie: the filter ends at the batch's instant, but the batch was armed first.
        (Some(1_000), 1_000, 3_000),
        // Tie the other way round: the filter was armed before the second batch.
        (Some(2_000), 1_000, 3_000),
        (Some(2_000), 300, 3_000),
        (None, 300, 6_000),
        (Some(5_000), 1_000, 6_000),
        (Some(3_600_000), 300, 3_601_000),
    ] {
        let mut c = Cluster::new(1);
        c.check = false;
        c.agents(1, "cpus:4;mem:1024");
        let f = c.framework("f", |_| {});
        c.advance_to(declined_at);
        c.heard();
        c.decline(f, refuse_ms);
        c.advance_to(offered_at.saturating_sub(1));
        assert_eq!(c.heard(), Vec::<String>::new(), "{refuse_ms:?} at {declined_at}: too early");
        c.advance_to(offered_at);
        assert_eq!(c.heard(), [format!("{offered_at} OFFERS agent-1")], "{refuse_ms:?} at {declined_at}");
    }
}

#[test]
fn more_resources_break_through_a_filter_and_fewer_do_not() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept_with(
        f,
        &c.outstanding(f),
        vec![launch(vec![task("a", "cpus:1"), task("b", "cpus:1")])],
        Some(3_600_000),
    );
    c.advance(5_000);
    assert_eq!(c.offered(f), Vec::<String>::new(), "the rest was refused for an hour");
    c.status("a", "TASK_FINISHED");
    assert_eq!(c.offered(f), Vec::<String>::new(), "a task's end triggers no run");
    c.advance_to(6_000);
    assert_eq!(c.offered(f), ["agent-1 f-role cpus:3;mem:1024"]);
    c.decline(f, Some(3_600_000));
    c.accept_nothing_more();
    c.advance(5_000);
    assert_eq!(c.offered(f), Vec::<String>::new());
}

impl Cluster {
    fn accept_nothing_more(&mut self) {
        self.heard();
    }
}

#[test]
fn revive_clears_filters_and_suppression_at_once() {
    let mut c = Cluster::new(1);
    c.agents(2, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.decline(f, Some(3_600_000));
    c.call(f, Call::Suppress { roles: Vec::new() });
    c.advance_to(2_500);
    c.agents(1, "cpus:4;mem:1024");
    c.heard();
    c.call(f, Call::Revive { roles: vec!["someone-else".into()] });
    assert_eq!(c.heard(), Vec::<String>::new(), "a role that is not its own: the call is dropped");
    c.call(f, Call::Revive { roles: Vec::new() });
    assert_eq!(c.heard(), ["2500 OFFERS agent-1 agent-2 agent-3"]);
    c.call(f, Call::Revive { roles: Vec::new() });
    assert_eq!(c.heard(), Vec::<String>::new(), "nothing new to offer");
}

#[test]
fn suppress_keeps_outstanding_offers() {
    let mut c = Cluster::new(1);
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.call(f, Call::Suppress { roles: Vec::new() });
    c.advance(3_000);
    assert_eq!(c.offered(f).len(), 1);
    c.decline(f, Some(0));
    c.advance(3_000);
    assert_eq!(c.offered(f), Vec::<String>::new());
}

#[test]
fn fairness_over_two_frameworks_is_coarse_grained() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:10;mem:1000");
    let (a, b) = (c.framework("a", |_| {}), c.framework("b", |_| {}));
    assert_eq!((c.offered(a).len(), c.offered(b).len()), (1, 0), "the first one got everything");
    c.accept_with(a, &c.outstanding(a), vec![launch(vec![task("a1", "cpus:1;mem:500")])], Some(0));
    c.advance_to(1_000);
    assert_eq!(
        (c.offered(a).len(), c.offered(b)),
        (0, vec!["agent-1 b-role cpus:9;mem:500".to_owned()]),
        "a holds half the memory"
    );
    c.accept_with(b, &c.outstanding(b), vec![launch(vec![task("b1", "cpus:3")])], Some(0));
    c.advance_to(2_000);
    assert_eq!(c.offered(b), ["agent-1 b-role cpus:6;mem:500"], "3 of 10 cpus is less than half the memory");
    c.decline(b, Some(60_000));
    c.advance_to(3_000);
    assert_eq!(c.offered(a), ["agent-1 a-role cpus:6;mem:500"], "b declined: its filter lets a through");
    // Outstanding offers count: an agent that joins now goes to the framework with less.
    c.agents(1, "cpus:10;mem:1000");
    assert_eq!(c.offered(b), ["agent-2 b-role cpus:10;mem:1000"]);
}

#[test]
fn static_reservations_go_to_their_role_and_its_subtree() {
    let mut c = Cluster::new(1);
    let mut add = AddAgent { resources: machine("cpus:4;mem:1024"), ..AddAgent::default() };
    add.roles.insert(
        "pre".into(),
        planarium_protocol::input::Resources {
            cpus: Some(planarium_protocol::Amount(2_000)),
            ..Default::default()
        },
    );
    c.add(&add);
    let plain = c.framework("plain", |_| {});
    let sub = c.framework("sub", |info| info.roles = vec!["pre/sub".into()]);
    assert_eq!(c.offered(plain), ["agent-1 plain-role cpus:4;mem:1024"]);
    assert_eq!(c.offered(sub), ["agent-1 pre/sub cpus(pre):2"]);
}

#[test]
fn agents_without_usable_resources_are_not_offered() {
    let mut c = Cluster::new(1);
    let local =
        AddAgent { resources: machine("cpus:4;mem:1024"), region: Some("r1".into()), ..AddAgent::default() };
    c.add(&local);
    c.add(&AddAgent { region: Some("r2".into()), hostname: Some("far".into()), ..local.clone() });
    c.add(&AddAgent {
        resources: machine("cpus:4;mem:1024;gpus:1"),
        hostname: Some("gpu".into()),
        ..local.clone()
    });
    let hosts = |c: &Cluster, f| -> Vec<String> {
        c.offered(f).iter().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect()
    };
    let plain = c.framework("plain", |info| info.capabilities = vec![Capability::MultiRole]);
    assert_eq!(hosts(&c, plain), ["agent-1"]);
    let aware = c.framework("aware", |info| info.capabilities = vec![Capability::RegionAware]);
    assert_eq!(hosts(&c, aware), ["far"]);
    let gpu = c.framework("gpu", |info| info.capabilities = vec![Capability::GpuResources]);
    assert_eq!(hosts(&c, gpu), ["gpu"]);
}

#[test]
fn withheld_offers_come_when_the_fault_ends_or_a_round_is_made_by_hand() {
    let mut c = Cluster::new(1);
    let all = c.fault(FaultKind::OffersWithheld, Target::default(), |_| {});
    c.agents(3, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.advance(5_000);
    assert_eq!(c.offered(f), Vec::<String>::new());
    assert_eq!(c.round(&["agent-3", "agent-1"]), 2);
    let order: Vec<&str> = c.offers.iter().map(|offer| &*offer.hostname).collect();
    assert_eq!(order, ["agent-3", "agent-1"]);
    c.decline(f, Some(3_600_000));
    c.advance(5_000);
    assert_eq!(c.offered(f), Vec::<String>::new());
    assert_eq!(
        c.round(&["agent-1"]),
        1,
        "a round by hand does not look at filters when nobody else wants it"
    );
    assert_eq!(c.round(&["agent-1"]), 0, "nothing left to offer");
    c.clear(&all);
    c.advance(1_000);
    assert_eq!(c.offered(f).len(), 2, "agent-2 now; agent-3 is filtered");
    let none = planarium_protocol::input::OfferRound { agents: vec!["nowhere".into()] };
    assert!(c.master.offer_round(&mut c.cx, &none).is_err());
}

#[test]
fn a_leaving_framework_frees_its_offers_without_filters() {
    let mut c = Cluster::manual();
    c.agents(2, "cpus:4;mem:1024");
    let a = c.framework("a", |_| {});
    c.accept(a, vec![launch(vec![task("t", "cpus:1")])]);
    c.master.disconnect_framework(&mut c.cx, a);
    c.settle();
    c.offers.clear();
    c.heard();
    let b = c.framework("b", |_| {});
    assert_eq!(c.offered(b).len(), 2);
    let info = FrameworkInfo {
        name: "a".into(),
        roles: vec!["a-role".into()],
        checkpoint: true,
        failover_ms: 60_000,
        ..FrameworkInfo::default()
    };
    c.heard();
    c.decline(b, Some(3_600_000));
    assert!(c.master.resubscribe(&mut c.cx, &c.fleet, a, info.clone()));
    c.settle();
    assert_eq!(c.heard(), ["0 a SUBSCRIBED", "0 a OFFERS agent-1 agent-2"]);
    c.call(a, Call::Reconcile { tasks: Vec::new() });
    assert_eq!(c.heard(), ["0 a t TASK_STAGING REASON_RECONCILIATION"], "its task lives on");
    c.master.disconnect_framework(&mut c.cx, a);
    c.settle();
    c.advance(60_000);
    assert_eq!(
        c.master.framework_by_id(c.master.framework_id(a)),
        None,
        "away longer than its failover timeout"
    );
    assert!(!c.master.resubscribe(&mut c.cx, &c.fleet, a, info));
    let used: i64 = c.master.machines(&c.fleet).iter().flat_map(|m| &m.resources).map(|r| r.used).sum();
    assert_eq!(used, 0);
}

#[test]
fn the_order_of_agents_depends_on_the_seed() {
    let orders: Vec<Vec<String>> = (0..4)
        .map(|seed| {
            let mut c = Cluster::new(seed);
            c.agents(5, "cpus:4;mem:1024");
            c.framework("f", |_| {});
            c.offers.iter().map(|offer| offer.hostname.to_string()).collect()
        })
        .collect();
    assert!(orders.windows(2).any(|two| two[0] != two[1]), "{orders:?}");
}
