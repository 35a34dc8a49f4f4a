//! Inverse offers one rule at a time.

use super::*;

/// One agent that drains, with two frameworks on it.
fn draining() -> Cluster {
    let mut c = Cluster::new();
    c.registry.attach(&host(1), A1).expect("up");
    c.users.insert(A1, BTreeSet::from([F1, F2]));
    c.post(schedule(&[(&[host(1)], 1)]));
    c.heard();
    c
}

#[test]
fn one_inverse_offer_at_a_time() {
    let mut c = draining();
    c.advance_to(60_000);
    assert_eq!(c.heard(), Vec::<String>::new(), "not sent again while it is out, and it does not expire");
    for round in 0..3 {
        let id = c.inverse.outstanding().find(|offer| offer.grant.framework == F1).expect("out").id;
        let response = if round == 1 { Response::Accept } else { Response::Decline };
        c.answer(id, F1, response, None);
        let now = c.now.ms();
        c.advance_to(now + 4_999);
        assert_eq!(c.heard(), Vec::<String>::new(), "filtered for five seconds, round {round}");
        c.advance_to(now + 6_000);
        assert_eq!(c.heard().len(), 1, "asked again, whatever the answer was, round {round}");
    }
}

#[test]
fn length_of_filters() {
    for (refuse_ms, again_ms) in [
        (None, Some(5_000)),
        (Some(0), Some(1_000)),
        (Some(200), Some(1_000)),
        (Some(2_500), Some(3_000)),
        (Some(20_000), Some(20_000)),
        (Some(u64::MAX), None),
    ] {
        let mut c = draining();
        c.answer(OfferId(0), F1, Response::Accept, refuse_ms);
        for ms in (1_000..=40_000).step_by(1_000) {
            c.advance_to(ms);
            let asked = !c.heard().is_empty();
            assert_eq!(asked, Some(ms) == again_ms, "{refuse_ms:?} at {ms}");
            if asked {
                break;
            }
        }
    }
    let mut c = draining();
    let answered = c.inverse.answer(c.now, OfferId(0), F1, Response::Decline, Some(u64::MAX)).expect("out");
    assert_eq!(answered.filter.map(|(_, until)| until.ms()), Some(31_536_000_000), "a year at most");
}

#[test]
fn a_filter_and_a_batch_at_the_same_instant() {
    // Creation order decides: a filter as long as the interval was armed after the batch, a longer one before
    // it.
    for (refuse_ms, again_ms) in [(1_000, 3_000), (2_000, 3_000)] {
        let mut c = draining();
        c.advance_to(1_000);
        c.answer(OfferId(0), F1, Response::Decline, Some(refuse_ms));
        let mut ms = 1_000;
        while c.heard().is_empty() {
            ms += 1_000;
            c.advance_to(ms);
        }
        assert_eq!(ms, again_ms, "{refuse_ms}");
    }
}

#[test]
fn ignored_answers_and_one_that_counts_for_another() {
    let mut c = draining();
    let before = c.inverse.clone();
    assert_eq!(c.inverse.answer(c.now, OfferId(99), F1, Response::Accept, None), None);
    assert_eq!(c.inverse, before, "unknown");
    let answered = c.inverse.answer(c.now, OfferId(1), F1, Response::Accept, None).expect("out");
    assert!(answered.foreign);
    let told: Vec<_> =
        c.inverse.answers_on(A1).map(|(framework, response, _)| (framework, response)).collect();
    assert_eq!(told, [(F2, Response::Accept)], "the addressee has answered");
    let before = c.inverse.clone();
    assert_eq!(c.inverse.answer(c.now, OfferId(1), F2, Response::Decline, None), None);
    assert_eq!(c.inverse, before, "answered before");
}

#[test]
fn recipients_of_inverse_offers() {
    let mut c = draining();
    c.answer(OfferId(0), F1, Response::Decline, Some(0));
    c.users.insert(A1, BTreeSet::from([F2]));
    c.advance_to(5_000);
    assert_eq!(c.heard(), Vec::<String>::new(), "nothing there any more, not asked");
    assert_eq!(c.inverse.answers_on(A1).count(), 1, "but its answer stays");
    c.users.clear();
    c.advance_to(9_000);
    assert_eq!(c.inverse.outstanding().count(), 1, "what is out stays out");
    // Without unavailability no framework is asked.
    c.registry.attach(&host(2), A2).expect("up");
    c.users.insert(A2, BTreeSet::from([F1]));
    c.advance_to(12_000);
    assert_eq!(c.heard(), Vec::<String>::new());
}

#[test]
fn operations_that_return_reservations() {
    // (what happens, rescinded, filter of F1 left, answer of F1 left, asked again at the next run)
    type Happens = fn(&mut InverseOffers) -> usize;
    type Row = (&'static str, Happens, usize, bool, bool, &'static [FrameworkId]);
    let rows: [Row; 6] = [
        ("agent disconnects", |i| i.rescind_agent(A1).len(), 1, true, true, &[F2]),
        ("agent refreshed or removed", |i| i.refresh(A1).len(), 1, false, false, &[F1, F2]),
        ("offer timeout", |i| usize::from(i.withdraw(OfferId(1)).is_some()), 1, true, true, &[F2]),
        (
            "framework of the offer disconnects",
            |i| {
                i.framework_gone(F2);
                0
            },
            0,
            true,
            true,
            &[F2],
        ),
        (
            "framework of the filter disconnects",
            |i| {
                i.framework_gone(F1);
                0
            },
            0,
            false,
            true,
            &[F1],
        ),
        (
            "framework revives",
            |i| {
                i.clear_filters(F1);
                0
            },
            0,
            false,
            true,
            &[F1],
        ),
    ];
    for (name, happens, rescinded, filtered, answered, asked) in rows {
        let mut c = draining();
        c.answer(OfferId(0), F1, Response::Accept, Some(60_000));
        assert_eq!(happens(&mut c.inverse), rescinded, "{name}: rescinded");
        assert_eq!(c.inverse.is_filtered(A1, F1), filtered, "{name}: filter");
        assert_eq!(c.inverse.answers_on(A1).count(), usize::from(answered), "{name}: answer");
        let grants = c.inverse.grant(A1, away(1, None), [F1, F2]);
        let again: Vec<FrameworkId> = grants.iter().map(|grant| grant.framework).collect();
        assert_eq!(again, asked, "{name}: asked again");
    }
}

#[test]
fn an_unsent_grant_stays_marked() {
    let mut inverse = InverseOffers::new();
    assert_eq!(inverse.grant(A1, away(1, None), [F1]).len(), 1);
    assert_eq!(inverse.grant(A1, away(1, None), [F1]).len(), 0);
    assert_eq!(inverse.rescind_agent(A1), [], "nothing was sent, nothing to rescind");
    assert_eq!(inverse.grant(A1, away(1, None), [F1]).len(), 0);
    assert_eq!(inverse.refresh(A1), []);
    assert_eq!(inverse.grant(A1, away(1, None), [F1]).len(), 1);
}

#[test]
fn a_cleared_filter_expires_without_effect() {
    let mut c = draining();
    let filter =
        c.inverse.answer(c.now, OfferId(0), F1, Response::Decline, None).expect("out").filter.expect("one").0;
    c.inverse.clear_filters(F1);
    let grant = c.inverse.grant(A1, away(1, None), [F1])[0];
    c.inverse.record(OfferId(7), grant);
    let second =
        c.inverse.answer(c.now, OfferId(7), F1, Response::Decline, None).expect("out").filter.expect("one").0;
    assert!(!c.inverse.expire(A1, F1, filter), "the old timer must not end the new filter");
    assert!(c.inverse.is_filtered(A1, F1));
    assert!(c.inverse.expire(A1, F1, second));
    assert!(!c.inverse.is_filtered(A1, F1));
}
