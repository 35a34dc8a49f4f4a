//! Events of Mesos for daemons: content and order of a round.

use planarium_mesos::api::{Capability, FrameworkInfo, SchedulerEvent};
use planarium_mesos::{Alone, Cx, Mesos, News};
use planarium_part::{Delivery, Flags, Ground, Layer as _, Number};
use planarium_protocol::input::{AddAgent, HttpCall, OfferRound};
use planarium_protocol::{Input, json};
use std::sync::Arc;

/// Mesos with one agent and a framework of daemon 0, which has heard nothing yet, and the framework's id.
fn framework() -> (Cx, Alone, String) {
    let mut cx = Cx::new(1);
    let mut alone = Alone::new(&mut cx, &Flags { seed: 1, ..Flags::default() });
    alone.add_agent(&mut cx, &AddAgent::default()).expect("an agent");
    let info = FrameworkInfo {
        name: "web".into(),
        roles: vec!["web".into()],
        capabilities: vec![Capability::MultiRole],
        failover_ms: 60_000,
        ..FrameworkInfo::default()
    };
    let now = cx.now();
    let framework = alone.cluster(now).subscribe(&mut cx, info);
    let id = alone.cluster(now).mesos.master().framework_id(framework).to_owned();
    (cx, alone, id)
}

fn at<R>(cx: &mut Cx, alone: &mut Alone, work: impl FnOnce(&mut Mesos, &mut Cx, &mut Ground<'_>) -> R) -> R {
    let mut cluster = alone.cluster(cx.now());
    work(Arc::make_mut(cluster.mesos), cx, &mut cluster.ground)
}

/// Delivers a round, and says in a word what came.
fn round(cx: &mut Cx, alone: &mut Alone) -> Vec<&'static str> {
    let count = at(cx, alone, planarium_part::Layer::begin_delivery);
    let deliver = |left| {
        let delivery = at(cx, alone, |mesos, cx, ground| mesos.deliver(cx, ground, left));
        match delivery {
            Delivery::To(Number(0), News::Message(message)) => match message.event {
                SchedulerEvent::Offers(_) => "offers",
                _ => "message",
            },
            Delivery::To(Number(0), News::Removed) => "removed",
            Delivery::ToAll(News::OfferRound) => "round",
            _ => "other",
        }
    };
    (1..=count).rev().map(deliver).collect()
}

fn has_news(cx: &mut Cx, alone: &mut Alone) -> bool {
    at(cx, alone, |mesos, _, _| mesos.has_news())
}

#[test]
fn a_requested_round_is_reported_after_waiting_messages() {
    let (mut cx, mut alone, _) = framework();
    assert!(has_news(&mut cx, &mut alone));
    let input = Input::OfferRound(OfferRound::default());
    let done = at(&mut cx, &mut alone, |mesos, cx, ground| mesos.perform(cx, ground, &input));
    assert!(done.is_some_and(|done| done.is_ok()));
    assert_eq!(round(&mut cx, &mut alone), ["message", "offers", "round"]);
    assert!(!has_news(&mut cx, &mut alone), "it is reported once");
}

#[test]
fn removals_have_a_round_of_their_own_before_messages() {
    let (mut cx, mut alone, id) = framework();
    let input = Input::OfferRound(OfferRound::default());
    let _ = at(&mut cx, &mut alone, |mesos, cx, ground| mesos.perform(cx, ground, &input));
    let teardown = json!({ "type": "TEARDOWN", "teardown": { "framework_id": { "value": id } } });
    let call = HttpCall {
        method: "POST".to_owned(),
        path: "/mesos/api/v1".to_owned(),
        body: teardown,
        content_type: None,
    };
    let done = at(&mut cx, &mut alone, |mesos, cx, ground| mesos.perform(cx, ground, &Input::Call(call)));
    assert!(done.is_some_and(|done| done.is_ok()));
    assert_eq!(round(&mut cx, &mut alone), ["removed"]);
    let rest = round(&mut cx, &mut alone);
    assert_eq!(rest.last(), Some(&"round"), "{rest:?}");
    assert!(!has_news(&mut cx, &mut alone));
}
