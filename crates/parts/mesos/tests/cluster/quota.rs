//! Quotas: guarantees that are held for a role, limits that cut its offers.

use crate::harness::*;
use planarium_kernel::{Digest, Milli};
use planarium_mesos::{
    api::*,
    operator::{OperatorCall, QuotaConfig},
};

fn config(role: &str, guarantees: &str, limits: &str) -> QuotaConfig {
    let sums = |text: &str| {
        let parts = text.split(';').filter(|part| !part.is_empty()).map(|part| {
            let (name, amount) = part.split_once(':').expect("NAME:AMOUNT");
            (name.into(), Milli::parse(amount).expect("an amount"))
        });
        parts.collect()
    };
    QuotaConfig { role: role.into(), guarantees: sums(guarantees), limits: sums(limits) }
}

fn update(configs: &[(&str, &str, &str)], force: bool) -> OperatorCall {
    let configs = configs.iter().map(|(role, guarantees, limits)| config(role, guarantees, limits)).collect();
    OperatorCall::UpdateQuota { configs, force }
}

fn set(role: &str, guarantees: &str, force: bool) -> OperatorCall {
    OperatorCall::SetQuota { quota: config(role, guarantees, guarantees), force }
}

fn own(role: &'static str) -> impl FnOnce(&mut FrameworkInfo) {
    move |info| info.roles = vec![role.into()]
}

#[test]
fn a_guarantee_is_held_until_its_role_subscribes() {
    let mut c = Cluster::manual();
    c.agents(2, "cpus:4;mem:1024");
    c.operate(&set("a", "cpus:4;mem:1024", false)).expect("a valid quota");
    let b = c.framework("b", own("b"));
    assert_eq!(c.offered(b).len(), 1, "half of the cluster is held for `a`");
    c.decline(b, Some(0));
    c.advance(5_000);
    assert_eq!(c.offered(b).len(), 1);
    assert!(c.offered(b)[0].ends_with("cpus:4;mem:1024"), "{:?}", c.offered(b));
    let a = c.framework("a", own("a"));
    assert_eq!(c.offered(a).len(), 1, "what was held is there at once");
    // The quota is also the limit: released resources of the other framework are not for `a`.
    c.decline(b, Some(3_600_000));
    c.advance(5_000);
    assert_eq!((c.offered(a).len(), c.offered(b).len()), (1, 0));
    // A guarantee that is consumed holds nothing back any more; when it is not, it does again.
    c.accept_with(a, &c.outstanding(a), vec![launch(vec![task("a1", "cpus:4;mem:1024")])], None);
    c.call(b, Call::Revive { roles: Vec::new() });
    assert_eq!(c.offered(b).len(), 1);
    c.status("a1", "TASK_FINISHED");
    c.call(a, Call::Suppress { roles: Vec::new() });
    c.advance(5_000);
    assert_eq!(c.offered(b).len(), 1, "`a` wants nothing now, its place is held all the same");
    c.operate(&OperatorCall::RemoveQuota("a".into())).expect("it has quota");
    c.advance(999);
    assert_eq!(c.offered(b).len(), 1, "no run is triggered");
    c.advance(1);
    assert_eq!(c.offered(b).len(), 2);
}

#[test]
fn a_limit_reduces_offers_and_follows_releases_elsewhere() {
    let mut c = Cluster::manual();
    c.agents(2, "cpus:4;mem:1024");
    c.operate(&update(&[("a", "", "cpus:2")], false)).expect("a valid quota");
    let a = c.framework("a", own("a"));
    let cpus = |c: &Cluster| c.offers.iter().map(|offer| offer.resources.scalar("cpus").0).sum::<i64>();
    assert_eq!((c.offered(a).len(), cpus(&c)), (2, 2_000), "memory of both, two cpus in all");
    let with = c.offers.iter().find(|offer| !offer.resources.scalar("cpus").is_zero()).expect("one has");
    let (with, other) = (with.id, with.hostname.clone());
    c.accept_with(a, &[with], vec![launch(vec![task("t", "cpus:2;mem:1024")])], None);
    let rest: Vec<OfferId> = c.outstanding(a);
    c.accept_with(a, &rest, vec![launch(vec![task("u", "mem:1024")])], None);
    c.advance(5_000);
    assert_eq!(c.offered(a), Vec::<String>::new(), "cpus are left, and are not for `a`");
    assert!(!c.master.restless(), "nothing that the next run could do");
    c.status("t", "TASK_FINISHED");
    c.advance(1_000);
    assert_eq!(cpus(&c), 2_000, "one machine has cpus back, and either may give two: {:?}", c.offered(a));
    assert!(c.offered(a).iter().any(|line| line.starts_with(&*other)), "its memory is there again");
    // Another role is not concerned.
    let b = c.framework("b", own("b"));
    let cpus_of_b: i64 =
        c.offers.iter().filter(|o| o.framework == b).map(|o| o.resources.scalar("cpus").0).sum();
    assert_eq!(cpus_of_b, 6_000);
}

#[test]
fn subroles_consume_quota_and_are_not_limited() {
    let mut c = Cluster::manual();
    c.agents(2, "cpus:4;mem:1024");
    c.operate(&update(&[("a", "", "cpus:5")], false)).expect("a valid quota");
    let x = c.framework("x", own("a/x"));
    assert_eq!(c.offered(x).len(), 2, "roles below have no quota of their own");
    let first = c.outstanding(x)[0];
    c.accept_with(x, &[first], vec![launch(vec![task("t", "cpus:4")])], Some(3_600_000));
    c.decline(x, Some(3_600_000));
    let a = c.framework("a", own("a"));
    let cpus: i64 = c.offers.iter().filter(|o| o.framework == a).map(|o| o.resources.scalar("cpus").0).sum();
    assert_eq!(cpus, 1_000, "what they use counts for the role above");
}

#[test]
fn reservations_count_used_or_not() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:8;mem:1024");
    let a = c.framework("a", own("a"));
    let reserved =
        Resource::scalar("cpus", Milli(3_000)).pushed(Reservation::dynamic("a", Some("a-principal".into())));
    c.accept_with(a, &c.outstanding(a), vec![Operation::Reserve(vec![reserved])], Some(0));
    c.operate(&update(&[("a", "", "cpus:4")], false)).expect("a valid quota");
    c.advance(1_000);
    assert_eq!(c.offered(a), ["agent-1 a cpus(a):3;cpus:1;mem:1024"]);
    let refusal = c.operate(&update(&[("a", "", "cpus:2")], false)).expect_err("more is consumed");
    assert!(refusal.status == 400 && refusal.message.contains("cpus:3"), "{}", refusal.message);
    c.heard();
    c.operate(&update(&[("a", "", "cpus:2")], true)).expect("forced");
    assert_eq!(c.heard(), ["1000 RESCIND"], "the offer is beyond the limit");
    c.advance(1_000);
    assert_eq!(c.offered(a), ["agent-1 a cpus(a):3;mem:1024"]);
}

#[test]
fn a_new_guarantee_rescinds_offers() {
    let mut c = Cluster::new(1);
    c.agents(3, "cpus:4;mem:1024");
    let b = c.framework("b", own("b"));
    let a = c.framework("a", own("a"));
    c.heard();
    c.operate(&set("a", "cpus:6", false)).expect("a valid quota");
    assert_eq!(c.heard(), ["0 b RESCIND", "0 b RESCIND"], "two machines make up six cpus");
    c.advance(1_000);
    let cpus = |c: &Cluster, id| -> i64 {
        c.offers.iter().filter(|o| o.framework == id).map(|o| o.resources.scalar("cpus").0).sum()
    };
    assert_eq!((cpus(&c, a), cpus(&c, b)), (6_000, 6_000));
    c.operate(&OperatorCall::RemoveQuota("a".into())).expect("it has quota");
    c.operate(&update(&[("a", "cpus:9", "")], false)).expect("a valid quota");
    c.advance(1_000);
    assert!(cpus(&c, a) >= 9_000, "{:?}", (c.offered(a), c.offered(b)));
}

#[test]
fn invalid_quotas_change_nothing() {
    let mut c = Cluster::manual();
    c.agents(2, "cpus:4;mem:1024");
    let f = c.framework("f", own("f"));
    c.accept(f, vec![launch(vec![task("t", "cpus:3")])]);
    c.operate(&set("taken", "cpus:1", false)).expect("a valid quota");
    c.heard();
    let whole = |c: &mut Cluster| {
        let mut digest = Digest::new();
        digest.write(&c.master);
        (digest.finish(), c.heard(), c.cx.next_seq(), c.outstanding(f))
    };
    for (call, status) in [
        (set("taken", "cpus:1", false), 400),
        (set("a/b", "cpus:1", false), 400),
        (set("a", "cpus:9", false), 409),
        (set("a", "cpus:7.5", false), 409),
        (set("a", "mem:2000000000000", true), 400),
        (OperatorCall::RemoveQuota("a".into()), 400),
        (OperatorCall::RemoveQuota("taken/b".into()), 400),
        (update(&[("a", "cpus:2", "cpus:1")], false), 400),
        (update(&[("a", "cpus:2", "cpus:1")], true), 400),
        (update(&[("a", "", "cpus:1"), ("b/c", "", "")], false), 400),
        (update(&[("a", "", "cpus:1"), ("..", "", "")], false), 400),
        (update(&[("a", "cpus:8", "")], false), 400),
        (update(&[("f", "", "cpus:2")], false), 400),
        (update(&[("a", "", "cpus:2000000000000")], true), 400),
    ] {
        let before = whole(&mut c);
        let refusal = c.operate(&call).expect_err("not a valid quota");
        assert_eq!(refusal.status, status, "{call:?}: {}", refusal.message);
        assert_eq!(whole(&mut c), before, "{call:?}");
    }
    let before = whole(&mut c).0;
    for (call, changes) in [
        (set("a", "cpus:9", true), true),
        (update(&[("a", "", "")], false), true),
        (update(&[("f", "", "cpus:2")], true), true),
        (update(&[("f", "", "")], false), true),
        (OperatorCall::RemoveQuota("taken".into()), true),
        (update(&[], false), false),
    ] {
        let before = whole(&mut c).0;
        c.operate(&call).expect("valid");
        assert_eq!(whole(&mut c).0 != before, changes, "{call:?}");
    }
    assert_ne!(whole(&mut c).0, before);
}
