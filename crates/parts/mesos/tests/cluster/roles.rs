//! Roles: weights, trees of roles, suppression of one role among several.

use crate::harness::*;
use planarium_kernel::{Digest, Milli};
use planarium_mesos::{api::*, operator::OperatorCall};

fn weights(all: &[(&str, i64)]) -> OperatorCall {
    OperatorCall::UpdateWeights(all.iter().map(|(role, weight)| ((*role).into(), Milli(*weight))).collect())
}

/// All data of the master, and all its messages.
fn whole(c: &mut Cluster) -> (u64, Vec<String>, u64) {
    let mut digest = Digest::new();
    digest.write(&c.master);
    (digest.finish(), c.heard(), c.cx.next_seq())
}

#[test]
fn a_weight_divides_the_share() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:10;mem:1000");
    let (a, b) = (c.framework("a", |_| {}), c.framework("b", |_| {}));
    c.accept_with(a, &c.outstanding(a), vec![launch(vec![task("a1", "cpus:3")])], Some(0));
    c.advance_to(1_000);
    c.accept_with(b, &c.outstanding(b), vec![launch(vec![task("b1", "cpus:1")])], Some(0));
    c.advance_to(2_000);
    assert_eq!((c.offered(a).len(), c.offered(b).len()), (0, 1), "30 % against 10 %");
    c.heard();
    c.operate(&weights(&[("a-role", 4_000)])).expect("a valid weight");
    c.advance_to(3_000);
    assert_eq!(c.heard(), Vec::<String>::new(), "what is offered stays");
    c.decline(b, Some(0));
    c.advance_to(3_900);
    assert_eq!(c.heard(), Vec::<String>::new(), "and no run is triggered");
    c.advance_to(4_000);
    assert_eq!((c.offered(a).len(), c.offered(b).len()), (1, 0), "7.5 % against 10 %");
    c.operate(&weights(&[("a-role", 2_000), ("b-role", 1_500)])).expect("valid weights");
    c.decline(a, Some(0));
    c.advance_to(5_000);
    assert_eq!((c.offered(a).len(), c.offered(b).len()), (0, 1), "15 % against 6.7 %");
}

#[test]
fn roles_are_compared_level_by_level() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:20;mem:1000");
    let role = |role: &'static str| move |info: &mut FrameworkInfo| info.roles = vec![role.into()];
    let (x, y, ops) =
        (c.framework("x", role("eng/x")), c.framework("y", role("eng/y")), c.framework("ops", role("ops")));
    let takes = |c: &mut Cluster, id, name: &str, resources: &str| {
        c.accept_with(id, &c.outstanding(id), vec![launch(vec![task(name, resources)])], Some(0));
    };
    let next = |c: &mut Cluster| {
        c.advance(1_000);
        [x, y, ops].map(|id| c.offered(id).len())
    };
    takes(&mut c, x, "x1", "cpus:8");
    assert_eq!(next(&mut c), [0, 0, 1]);
    takes(&mut c, ops, "o1", "cpus:6");
    assert_eq!(next(&mut c), [0, 0, 1], "`eng` holds more than `ops`, though `eng/y` holds nothing");
    c.operate(&weights(&[("eng", 2_000)])).expect("a valid weight");
    c.decline(ops, Some(0));
    assert_eq!(
        next(&mut c),
        [0, 1, 0],
        "with twice the weight `eng` comes first, and in it the one with less"
    );
    takes(&mut c, y, "y1", "cpus:5");
    c.master.check(&c.fleet);
    assert_eq!(next(&mut c), [0, 0, 1]);
}

#[test]
fn reservations_of_a_role_reach_its_subroles() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let eng = c.framework("eng", |info| info.roles = vec!["eng".into()]);
    let own = Resource::scalar("cpus", Milli(1_000))
        .pushed(Reservation::dynamic("eng", Some("eng-principal".into())));
    c.accept_with(eng, &c.outstanding(eng), vec![Operation::Reserve(vec![own.clone()])], Some(0));
    c.call(eng, Call::Suppress { roles: Vec::new() });
    let below = c.framework("below", |info| {
        info.roles = vec!["eng/backend".into()];
        info.principal = Some("eng-principal".into());
    });
    assert_eq!(c.offered(below), ["agent-1 eng/backend cpus(eng):1;cpus:3;mem:1024"]);
    // It may refine its reservation; the refined part is for it alone.
    let refined = own.pushed(Reservation::dynamic("eng/backend", Some("eng-principal".into())));
    c.accept_with(below, &c.outstanding(below), vec![Operation::Reserve(vec![refined])], Some(0));
    c.call(below, Call::Suppress { roles: Vec::new() });
    c.call(eng, Call::Revive { roles: Vec::new() });
    assert_eq!(c.offered(eng), ["agent-1 eng cpus:3;mem:1024"]);
}

#[test]
fn one_role_of_several_is_suppressed() {
    let mut c = Cluster::new(1);
    c.agents(2, "cpus:4;mem:1024");
    let f = c.framework("f", |info| info.roles = vec!["a".into(), "b".into()]);
    let roles = |c: &Cluster| -> Vec<String> {
        c.offered(f).iter().filter_map(|line| line.split(' ').nth(1).map(str::to_owned)).collect()
    };
    let mut first = roles(&c);
    first.sort();
    assert_eq!(first, ["a", "b"], "the roles share the machines");
    c.call(f, Call::Suppress { roles: vec!["a".into()] });
    assert_eq!(roles(&c).len(), 2, "outstanding offers stay");
    c.decline(f, Some(0));
    c.advance(1_000);
    assert_eq!(roles(&c), ["b", "b"]);
    c.call(f, Call::Suppress { roles: vec!["b".into(), "nobody".into()] });
    c.decline(f, Some(0));
    c.advance(1_000);
    assert_eq!(roles(&c), ["b", "b"], "a role that is not its own: the whole call was dropped");
    c.call(f, Call::Suppress { roles: vec!["b".into()] });
    c.decline(f, Some(3_600_000));
    c.advance(2_000);
    assert_eq!(roles(&c), Vec::<String>::new());
    c.call(f, Call::Revive { roles: vec!["a".into()] });
    assert_eq!(roles(&c), ["a", "a"], "the filters are those of `b`");
    c.decline(f, Some(0));
    c.call(f, Call::Suppress { roles: vec!["a".into()] });
    c.call(f, Call::Revive { roles: Vec::new() });
    assert_eq!(roles(&c).len(), 2, "all roles, when none is named");
}

#[test]
fn a_framework_sets_its_minimum_offer() {
    let mut c = Cluster::new(1);
    c.agents(1, "cpus:4;mem:1024;disk:100");
    c.agents(1, "cpus:0.005;mem:16;disk:100");
    let least = |text: &str| vec![res(text).quantities().into_iter().collect()];
    let f = c.framework("f", |info| {
        info.roles = vec!["large".into()];
        info.min_allocatable = [("large".into(), least("cpus:5"))].into_iter().collect();
    });
    assert_eq!(c.offered(f), Vec::<String>::new(), "no machine has five cpus");
    let g = c.framework("g", |info| {
        info.roles = vec!["any".into()];
        info.min_allocatable = [("any".into(), Vec::new())].into_iter().collect();
    });
    assert_eq!(c.offered(g).len(), 2, "whatever there is");
    c.decline(g, Some(3_600_000));
    let h = c.framework("h", |_| {});
    assert_eq!(c.offered(h).len(), 1, "by the master's own rule");
}

#[test]
fn invalid_weights_change_nothing() {
    let mut c = Cluster::new(1);
    c.agents(2, "cpus:4;mem:1024");
    c.framework("f", |_| {});
    c.operate(&weights(&[("f-role", 2_000)])).expect("a valid weight");
    c.heard();
    for all in [
        &[("f-role", 0)][..],
        &[("f-role", -1)],
        &[("", 1_000)],
        &[("a//b", 1_000)],
        &[("a/", 1_000)],
        &[("a b", 1_000)],
        &[("good", 1_000), ("..", 1_000)],
    ] {
        let before = whole(&mut c);
        let refusal = c.operate(&weights(all)).expect_err("not a valid weight");
        assert_eq!(refusal.status, 400, "{all:?}");
        assert_eq!(whole(&mut c), before, "{all:?}");
    }
    let before = whole(&mut c);
    c.operate(&weights(&[])).expect("nothing to set");
    assert_eq!(whole(&mut c), before);
    c.operate(&weights(&[("f-role", 3_000)])).expect("a valid weight");
    assert_ne!(whole(&mut c).0, before.0, "the state knows weights");
}
