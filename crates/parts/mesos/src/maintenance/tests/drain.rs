//! Draining, deactivation, reactivation, gone: preconditions and progress.

use super::*;
use crate::api::TaskState;

const HERE: Standing = Standing::Registered { connected: true, can_drain: true, scheduled: false };
const AWAY: Standing = Standing::Registered { connected: false, can_drain: true, scheduled: false };
const OLD: Standing = Standing::Registered { connected: true, can_drain: false, scheduled: false };
const SCHEDULED: Standing = Standing::Registered { connected: true, can_drain: false, scheduled: true };
const PLAIN: DrainConfig = DrainConfig { max_grace_ns: None, mark_gone: false };
const GONE: DrainConfig = DrainConfig { max_grace_ns: None, mark_gone: true };
const NOW: SimTime = SimTime(7);

#[test]
fn preconditions_of_calls() {
    type Row = (Standing, [Result<usize, (&'static str, u16)>; 3], Result<MarkGone, (&'static str, u16)>);
    let rows: [Row; 10] = [
        (HERE, [Ok(3), Err(("forbidden", 403)), Ok(1)], Ok(MarkGone::Now)),
        (AWAY, [Ok(2), Err(("forbidden", 403)), Ok(1)], Ok(MarkGone::Now)),
        (OLD, [Err(("cannot-drain", 400)), Err(("cannot-drain", 400)), Ok(1)], Ok(MarkGone::Now)),
        (SCHEDULED, [Err(("agent-scheduled", 400)), Err(("agent-scheduled", 400)), Ok(1)], Ok(MarkGone::Now)),
        (Standing::Recovered, [Ok(0), Err(("forbidden", 403)), Ok(0)], Ok(MarkGone::Now)),
        (Standing::Unreachable, [Ok(0), Err(("forbidden", 403)), Ok(0)], Ok(MarkGone::Now)),
        (Standing::InTransition, [Ok(0), Err(("forbidden", 403)), Ok(0)], Err(("in-transition", 503))),
        (
            Standing::BeingMarkedGone,
            [Err(("being-marked-gone", 409)), Err(("forbidden", 403)), Err(("unknown-agent", 400))],
            Err(("in-transition", 503)),
        ),
        (
            Standing::Gone,
            [Err(("unknown-agent", 400)), Err(("forbidden", 403)), Err(("unknown-agent", 400))],
            Ok(MarkGone::Already),
        ),
        (
            Standing::Unknown,
            [Err(("unknown-agent", 400)), Err(("forbidden", 403)), Err(("unknown-agent", 400))],
            Err(("no-such-agent", 404)),
        ),
    ];
    let short = |result: Result<Vec<DrainEffect>, Refused>| {
        result.map(|effects| effects.len()).map_err(|refused| (refused.class(), refused.status()))
    };
    for (standing, [drain, forbidden, deactivate], gone) in rows {
        let mut drains = Drains::new();
        assert_eq!(
            short(drains.drain(NOW, A1, PLAIN, standing, false)),
            forbidden,
            "{standing:?}: drain, not permitted"
        );
        assert_eq!(drains, Drains::new(), "{standing:?}: state unchanged");
        assert_eq!(short(drains.drain(NOW, A1, PLAIN, standing, true)), drain, "{standing:?}: drain");
        assert_eq!(drains != Drains::new(), drain.is_ok(), "{standing:?}: state changed only when accepted");
        let mut drains = Drains::new();
        assert_eq!(short(drains.deactivate(A1, standing, false)), Err(("forbidden", 403)), "{standing:?}");
        assert_eq!(drains, Drains::new());
        assert_eq!(short(drains.deactivate(A1, standing, true)), deactivate, "{standing:?}: deactivate");
        assert_eq!(drains.is_deactivated(A1), deactivate.is_ok(), "{standing:?}");
        let marked = may_mark_gone(standing, true).map_err(|refused| (refused.class(), refused.status()));
        assert_eq!(marked, gone, "{standing:?}: mark gone");
        if gone == Ok(MarkGone::Now) {
            assert_eq!(may_mark_gone(standing, false), Err(Refused::Forbidden), "{standing:?}");
        }
    }
}

#[test]
fn from_draining_to_offers_again() {
    let mut drains = Drains::new();
    assert_eq!(
        drains.drain(NOW, A1, PLAIN, HERE, true),
        Ok(vec![DrainEffect::Deactivate(A1), DrainEffect::Order(A1, PLAIN), DrainEffect::CheckDrained(A1)])
    );
    assert!(drains.is_deactivated(A1));
    let before = drains.clone();
    assert_eq!(drains.reactivate(A1, HERE, true), Err(Refused::StillDraining));
    assert_eq!(drains, before);
    assert_eq!(drains.order_on_return(A1), Some(PLAIN));
    assert_eq!(drains.finish(A1), Some(DrainEnd::Drained));
    assert_eq!((drains.finish(A1), drains.order_on_return(A1)), (None, None), "once");
    assert_eq!(drains.info(A1).map(|info| info.state), Some(DrainState::Drained));
    // A second call starts over, with its own options.
    assert!(drains.drain(SimTime(9), A1, GONE, HERE, true).is_ok());
    assert_eq!(
        drains.info(A1),
        Some(&DrainInfo { state: DrainState::Draining, config: GONE, since: SimTime(9) })
    );
    assert!(drains.drain(NOW, A1, PLAIN, HERE, true).is_ok());
    assert_eq!(drains.finish(A1), Some(DrainEnd::Drained));
    assert_eq!(drains.reactivate(A1, HERE, false), Err(Refused::Forbidden));
    assert_eq!(drains.reactivate(A1, HERE, true), Ok(vec![DrainEffect::Reactivate(A1)]));
    assert_eq!(drains, Drains::new());
    assert_eq!(drains.reactivate(A1, HERE, true), Err(Refused::NotDeactivated));
}

#[test]
fn gone_in_the_end() {
    let mut drains = Drains::new();
    drains.drain(NOW, A1, GONE, HERE, true).expect("here");
    assert_eq!(drains.finish(A1), Some(DrainEnd::MarkGone));
    assert_eq!(drains.info(A1).map(|info| info.state), Some(DrainState::Draining), "there is no DRAINED");
    drains.forget(A1);
    assert_eq!(drains, Drains::new());
    assert_eq!(drains.finish(A1), None);
}

#[test]
fn reactivated_while_away() {
    let mut drains = Drains::new();
    drains.deactivate(A1, HERE, true).expect("here");
    let again = drains.clone();
    assert_eq!(drains.deactivate(A1, HERE, true), Ok(vec![DrainEffect::Deactivate(A1)]), "again is fine");
    assert_eq!(drains, again);
    let refused = drains.reactivate(A1, Standing::Unreachable, true).expect_err("not registered");
    assert_eq!((refused.class(), refused.status()), ("not-registered", 409));
    assert!(!drains.is_deactivated(A1), "cleared nevertheless");
}

#[test]
fn an_agent_of_the_schedule_cannot_be_drained_but_a_drained_one_can_be_scheduled() {
    let mut c = Cluster::new();
    c.registry.attach(&host(1), A1).expect("up");
    let standing = |c: &Cluster| {
        let scheduled = c.registry.is_scheduled(A1);
        Standing::Registered { connected: true, can_drain: true, scheduled }
    };
    let mut drains = Drains::new();
    assert!(drains.drain(NOW, A1, PLAIN, standing(&c), true).is_ok());
    c.post(schedule(&[(&[host(1)], 1)]));
    assert_eq!(c.registry.mode(&host(1)), Mode::Draining);
    assert_eq!(drains.drain(NOW, A1, PLAIN, standing(&c), true), Err(Refused::AgentScheduled));
    c.post(Schedule::default());
    assert!(drains.drain(NOW, A1, PLAIN, standing(&c), true).is_ok());
}

#[test]
fn grace_of_drained_tasks() {
    let limit = |ns| DrainConfig { max_grace_ns: Some(ns), mark_gone: false };
    for (config, own, grace) in [
        (PLAIN, None, None),
        (PLAIN, Some(60_000), Some(60_000)),
        (limit(10_000_000_000), None, Some(10_000)),
        (limit(10_000_000_000), Some(60_000), Some(10_000)),
        (limit(10_000_000_000), Some(2_000), Some(2_000)),
        (limit(0), Some(2_000), Some(0)),
        (limit(-5_000_000), Some(2_000), Some(0)),
    ] {
        assert_eq!(grace_while_draining(config, own), grace, "{config:?} {own:?}");
    }
}

#[test]
fn states_told_while_draining() {
    for (config, state, aware, told) in [
        (GONE, TaskState::Killed, true, TaskState::GoneByOperator),
        (GONE, TaskState::Killing, true, TaskState::GoneByOperator),
        (GONE, TaskState::Killed, false, TaskState::Killed),
        (GONE, TaskState::Finished, true, TaskState::Finished),
        (GONE, TaskState::Failed, true, TaskState::Failed),
        (PLAIN, TaskState::Killed, true, TaskState::Killed),
    ] {
        assert_eq!(state_while_draining(config, state, aware), told, "{state:?} {aware}");
    }
}

#[test]
fn as_agents_show_it() {
    let mut drains = Drains::new();
    let config = DrainConfig { max_grace_ns: Some(10_000_000_000), mark_gone: false };
    drains.drain(NOW, A1, config, HERE, true).expect("here");
    assert_eq!(
        drains.info(A1).expect("drains").to_json().to_string(),
        r#"{"state":"DRAINING","config":{"max_grace_period":{"nanoseconds":10000000000},"mark_gone":false}}"#
    );
    assert_eq!(drains.check(), Vec::<String>::new());
}
