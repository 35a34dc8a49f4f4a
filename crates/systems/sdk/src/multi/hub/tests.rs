//! Offers and calls of several services on one framework.

use super::*;
use planarium_kernel::Milli;
use planarium_mesos::api::{AgentId, AgentInfo, FrameworkId, Reservation};

const CAUSE: Cause = Cause::Event(7);

fn offer(id: u32, owners: &[&str]) -> Arc<Offer> {
    let free = Resource::scalar("cpus", Milli(1_000));
    let reserved = owners.iter().map(|owner| {
        let reservation = Reservation::dynamic("r", None).with_label("resource_id", *owner);
        let reservation =
            if owner.is_empty() { reservation } else { reservation.with_label(NAMESPACE, *owner) };
        Resource::scalar("mem", Milli(1_000)).pushed(reservation)
    });
    Arc::new(Offer {
        id: OfferId(id),
        master: "m".into(),
        framework: FrameworkId(0),
        agent: AgentId(0),
        info: Arc::new(AgentInfo {
            agent_id: "S0".into(),
            hostname: "a".into(),
            ip: "10.0.0.1".into(),
            port: 5051,
            attributes: Vec::new(),
            region: None,
            zone: None,
        }),
        role: "r".into(),
        resources: std::iter::once(free).chain(reserved).collect(),
        executor_ids: Arc::default(),
        unavailability: None,
    })
}

/// A hub with the services `a`, `b` and `c`.
fn hub(limit: Option<u64>) -> Hub {
    let mut hub = Hub::new(limit);
    for (id, name) in [(1, "a"), (2, "b"), (4, "c")] {
        hub.join(MemberId(id), &name.into(), name);
    }
    hub
}

fn request(call: Call) -> Request {
    Request { cause: CAUSE, call }
}

fn decline(ids: &[u32], ms: u64) -> Vec<Request> {
    let offer_ids = ids.iter().map(|id| OfferId(*id)).collect();
    vec![request(Call::Decline { offer_ids, refuse_ms: Some(ms) })]
}

fn suppress() -> Vec<Request> {
    vec![request(Call::Suppress { roles: Vec::new() })]
}

/// Returns the routed calls in words.
fn words(routed: &Routed) -> String {
    let calls = routed.calls.iter().map(|request| match &request.call {
        Call::Decline { offer_ids, refuse_ms } => {
            let ids: Vec<u32> = offer_ids.iter().map(|id| id.0).collect();
            format!("decline {ids:?} {}", refuse_ms.unwrap_or(0))
        }
        Call::Accept { operations, .. } => format!("accept with {} operations", operations.len()),
        Call::Suppress { .. } => "suppress".to_owned(),
        Call::Revive { .. } => "revive".to_owned(),
        other => format!("{other:?}"),
    });
    let turns = routed.turns.iter().map(|turn| {
        let seen: Vec<String> = turn
            .offers
            .iter()
            .map(|offer| format!("{}/{}", offer.id.0, offer.resources.iter().count()))
            .collect();
        format!("{} gets {}", turn.member.0, seen.join(" "))
    });
    calls.chain(turns).chain(routed.leaves.then(|| "leaves".to_owned())).collect::<Vec<_>>().join("; ")
}

fn nobody(_: MemberId) -> bool {
    false
}

#[test]
fn offers_are_passed_between_services_and_back_to_the_master() {
    let mut hub = hub(None);
    let offered = hub.offered(CAUSE, vec![offer(1, &[]), offer(2, &[])], &nobody);
    assert_eq!(words(&offered), "1 gets 1/1 2/1");
    let accept = Call::Accept { offer_ids: vec![OfferId(1)], operations: Vec::new(), refuse_ms: None };
    let mut requests = vec![request(accept)];
    requests.extend(decline(&[2], 3_600_000));
    let routed = hub.sent(CAUSE, MemberId(1), requests, &nobody);
    assert_eq!(words(&routed), "accept with 0 operations; 2 gets 2/1", "what one uses the next does not see");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(2), decline(&[2], 5_000), &nobody)), "4 gets 2/1");
    let last = hub.sent(CAUSE, MemberId(4), decline(&[2], 3_600_000), &nobody);
    assert_eq!(words(&last), "decline [2] 5000", "one that was not ready makes the wait short");
}

#[test]
fn services_see_only_their_own_reservations() {
    let mut hub = hub(None);
    let all = vec![offer(1, &["a", "b", ""]), offer(2, &["gone"])];
    assert_eq!(words(&hub.offered(CAUSE, all, &nobody)), "1 gets 1/2 2/1");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(1), decline(&[1, 2], 9), &nobody)), "2 gets 1/2 2/1");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(2), decline(&[1, 2], 9), &nobody)), "4 gets 1/1 2/1");
    let end = hub.sent(CAUSE, MemberId(4), decline(&[1, 2], 9), &nobody);
    assert_eq!(
        words(&end),
        "accept with 1 operations; decline [1] 9",
        "what nobody owns any more is given back"
    );
}

#[test]
fn offers_are_suppressed_when_all_services_are_idle() {
    let mut hub = hub(None);
    assert_eq!(words(&hub.sent(CAUSE, MemberId(1), suppress(), &nobody)), "");
    assert_eq!(words(&hub.offered(CAUSE, vec![offer(1, &[])], &nobody)), "2 gets 1/1", "a rests");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(2), decline(&[1], 9), &nobody)), "4 gets 1/1");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(4), decline(&[1], 9), &nobody)), "decline [1] 9");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(4), suppress(), &nobody)), "");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(2), suppress(), &nobody)), "suppress");
    assert_eq!(words(&hub.offered(CAUSE, vec![offer(2, &[])], &nobody)), "decline [2] 3600000");
    let revive = vec![request(Call::Revive { roles: Vec::new() })];
    assert_eq!(words(&hub.sent(CAUSE, MemberId(1), revive, &nobody)), "revive");
    assert_eq!(words(&hub.offered(CAUSE, vec![offer(3, &[])], &nobody)), "1 gets 3/1");
}

#[test]
fn concurrent_reservations_are_limited() {
    let mut hub = hub(Some(1));
    let all = |_: MemberId| true;
    assert_eq!(words(&hub.offered(CAUSE, vec![offer(1, &[])], &all)), "1 gets 1/1");
    assert_eq!(words(&hub.sent(CAUSE, MemberId(1), decline(&[1], 9), &all)), "decline [1] 9", "b and c wait");
    // `a` is done: `b` is next, and requests the offers that passed it.
    let not_a = |id: MemberId| id != MemberId(1);
    assert_eq!(words(&hub.sent(CAUSE, MemberId(1), Vec::new(), &not_a)), "revive");
    assert_eq!(
        words(&hub.offered(CAUSE, vec![offer(2, &[])], &not_a)),
        "1 gets 2/1",
        "a may, it reserves nothing"
    );
    assert_eq!(words(&hub.sent(CAUSE, MemberId(1), decline(&[2], 9), &not_a)), "2 gets 2/1");
    assert_eq!(
        words(&hub.sent(CAUSE, MemberId(2), decline(&[2], 9), &not_a)),
        "decline [2] 9",
        "c still waits"
    );
}

#[test]
fn a_leaving_service_passes_its_offers_on() {
    let mut hub = hub(None);
    hub.offered(CAUSE, vec![offer(1, &["a"])], &nobody);
    let teardown = hub.sent(CAUSE, MemberId(1), vec![request(Call::Teardown)], &nobody);
    assert_eq!(words(&teardown), "leaves", "the framework stays");
    assert_eq!(words(&hub.release(CAUSE, MemberId(1), &nobody)), "2 gets 1/1");
    hub.leave(MemberId(1));
    hub.sent(CAUSE, MemberId(2), decline(&[1], 9), &nobody);
    let end = hub.sent(CAUSE, MemberId(4), decline(&[1], 9), &nobody);
    assert_eq!(words(&end), "accept with 1 operations");
    assert_eq!(hub.rescinded(OfferId(1)), None);
}

#[test]
fn tasks_and_offers_are_mapped_to_their_service() {
    let mut hub = hub(None);
    hub.join(MemberId(9), &"/team/db".into(), "team.db");
    for (task, owner) in [
        ("a__hello-0-x__1", Some(1)),
        ("team.db__hello-0-x__1", Some(9)),
        ("other__x__1", None),
        ("a", None),
        ("", None),
    ] {
        assert_eq!(hub.owner(task), owner.map(MemberId), "{task}");
    }
    hub.offered(CAUSE, vec![offer(1, &[])], &nobody);
    assert_eq!(hub.rescinded(OfferId(1)), Some(MemberId(1)));
    assert_eq!(hub.rescinded(OfferId(1)), None);
    assert_eq!(words(&hub.sent(CAUSE, MemberId(1), decline(&[1], 9), &nobody)), "", "it is no more");
}
