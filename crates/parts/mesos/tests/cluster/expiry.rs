//! Offers that end by the clock (the flag `offer_timeout`), and inverse offers that are made again.

use crate::harness::*;
use planarium_mesos::{
    api::*,
    maintenance::{
        Schedule,
        decode::{self, OperatorCall},
    },
};
use serde_json::json;

fn agent_1_is_away() -> Schedule {
    let windows = json!({ "windows": [{
        "machine_ids": [{ "hostname": "agent-1", "ip": "10.0.0.1" }],
        "unavailability": { "start": { "nanoseconds": 1 } },
    }] });
    decode::schedule(&windows).expect("a schedule")
}

#[test]
fn unanswered_offers_are_rescinded_and_made_again() {
    let mut c = Cluster::manual();
    c.master.set_offer_timeout(Some(2_500));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.advance_to(6_000);
    let all = [
        "0 SUBSCRIBED",
        "0 OFFERS agent-1",
        "2500 RESCIND",
        "3000 OFFERS agent-1",
        "5500 RESCIND",
        "6000 OFFERS agent-1",
    ];
    assert_eq!(c.heard(), all, "without a filter, so at the next batch");
    c.decline(f, Some(3_600_000));
    c.advance_to(20_000);
    assert_eq!(c.heard(), Vec::<String>::new(), "it was answered");
    c.call(f, Call::Revive { roles: Vec::new() });
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("t", "cpus:1")])], Some(3_600_000));
    c.advance_to(40_000);
    assert_eq!(c.heard(), ["20000 OFFERS agent-1"], "what is used is not taken back");
}

#[test]
fn another_framework_is_offered_next() {
    let mut c = Cluster::new(1);
    c.master.set_offer_timeout(Some(1_500));
    c.agents(1, "cpus:4;mem:1024");
    let (f, g) = (c.framework("f", |_| {}), c.framework("g", |_| {}));
    let mut turns = Vec::new();
    for _ in 0..4 {
        turns.push((c.offered(f).len(), c.offered(g).len()));
        c.advance(2_000);
    }
    assert_eq!(turns, [(1, 0), (0, 1), (1, 0), (0, 1)], "fewer gifts come first");
}

#[test]
fn by_default_offers_do_not_expire() {
    let mut c = Cluster::new(1);
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.advance(3_600_000);
    assert_eq!(c.offered(f).len(), 1);
}

#[test]
fn inverse_offers_are_asked_again() {
    let mut c = Cluster::manual();
    c.master.set_offer_timeout(Some(2_500));
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("t", "cpus:4;mem:1024")])], Some(3_600_000));
    c.heard();
    c.maintain(OperatorCall::UpdateSchedule(agent_1_is_away())).expect("a valid schedule");
    c.advance_to(6_000);
    let all = ["0 INVERSE_OFFERS agent-1", "2500 RESCIND_INVERSE_OFFER", "3000 INVERSE_OFFERS agent-1"];
    let heard = c.heard();
    assert_eq!(heard[..3], all);
    assert_eq!(heard[3..], ["5500 RESCIND_INVERSE_OFFER", "6000 INVERSE_OFFERS agent-1"]);
}

#[test]
fn a_new_description_ends_filters_against_inverse_offers() {
    let mut c = Cluster::manual();
    c.agents(1, "cpus:4;mem:1024");
    let f = c.framework("f", |_| {});
    c.accept_with(f, &c.outstanding(f), vec![launch(vec![task("t", "cpus:4;mem:1024")])], Some(3_600_000));
    c.maintain(OperatorCall::UpdateSchedule(agent_1_is_away())).expect("a valid schedule");
    let offer_ids: Vec<OfferId> = c.inverse.drain(..).map(|offer| offer.id).collect();
    let response = planarium_mesos::maintenance::Response::Accept;
    c.call(f, Call::AnswerInverseOffers { offer_ids, response, refuse_ms: Some(3_600_000) });
    c.advance_to(5_000);
    c.heard();
    let info = FrameworkInfo {
        name: "f".into(),
        roles: vec!["other".into()],
        principal: Some("f-principal".into()),
        checkpoint: true,
        ..FrameworkInfo::default()
    };
    c.master.update_framework(&mut c.cx, f, info).expect("nothing that must stay has changed");
    c.settle();
    assert_eq!(c.heard(), Vec::<String>::new(), "no run is triggered");
    c.advance_to(6_000);
    assert_eq!(c.heard(), ["6000 INVERSE_OFFERS agent-1"]);
}
