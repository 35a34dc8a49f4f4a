//! The worked traces: one machine from notice to return, edits of a schedule, two agents on one machine.

use super::*;

#[track_caller]
fn expect(cluster: &mut Cluster, lines: &[&str]) {
    assert_eq!(cluster.heard(), lines);
    assert_eq!(cluster.broken(), Vec::<String>::new());
}

#[test]
fn rolling_maintenance_of_one_machine() {
    let mut c = Cluster::new();
    assert_eq!(c.registry.attach(&host(1), A1), Ok(None));
    c.offer(A1, F1);
    expect(&mut c, &["F0 OFFERS O0 a0 without unavailability"]);
    // Accepted at once: a task runs there from now on.
    c.offers.clear();

    c.advance_to(2_000);
    let one = Schedule {
        windows: vec![Window {
            machine_ids: vec![host(1)],
            unavailability: away(60_000_000_000, Some(120_000_000_000)),
        }],
    };
    c.post(one.clone());
    expect(&mut c, &["h1 DRAINING", "200", "F0 INVERSE_OFFERS O1 a0"]);
    assert_eq!(c.status(), json!({"draining_machines": [{"id": {"hostname": "h1", "ip": "10.0.0.1"}}]}));

    c.advance_to(2_500);
    c.answer(OfferId(1), F1, Response::Decline, None);
    let declined = json!({
        "status": "DECLINE",
        "framework_id": {"value": "f-0000"},
        "timestamp": {"nanoseconds": 1_443_830_402_500_000_000_i64},
    });
    assert_eq!(c.status()["draining_machines"][0]["statuses"], json!([declined]));

    c.advance_to(6_000);
    c.offer(A1, F1);
    expect(&mut c, &["F0 OFFERS O2 a0 with unavailability"]);
    c.advance_to(7_999);
    expect(&mut c, &[]);
    c.advance_to(8_000);
    expect(&mut c, &["F0 INVERSE_OFFERS O3 a0"]);
    assert_eq!(c.status()["draining_machines"][0]["statuses"], json!([declined]), "the last answer stays");

    c.advance_to(8_100);
    c.answer(OfferId(3), F1, Response::Accept, Some(3_600_000));
    assert_eq!(c.status()["draining_machines"][0]["statuses"][0]["status"], "ACCEPT");
    c.advance_to(9_000);
    expect(&mut c, &[]);
    c.up(&[host(1)]);
    expect(&mut c, &["400 not-down"]);

    c.advance_to(10_000);
    c.down(&[host(1)]);
    expect(
        &mut c,
        &["a0 shut down", "F0 UPDATE TASK_LOST a0", "F0 RESCIND O2", "FAILURE a0", "h1 DOWN", "200"],
    );
    assert_eq!(c.status(), json!({"down_machines": [{"hostname": "h1", "ip": "10.0.0.1"}]}));
    assert_eq!(c.posted(), one.to_json(), "a machine that is DOWN stays in the schedule");

    c.advance_to(11_000);
    assert_eq!(c.registry.attach(&host(1), A2), Err(MachineIsDown));
    c.advance_to(12_000);
    c.post(Schedule::default());
    expect(&mut c, &["400 down-machine-dropped"]);
    c.advance_to(13_000);
    c.up(&[host(1)]);
    expect(&mut c, &["h1 UP", "200"]);
    assert_eq!((c.posted(), c.status()), (json!({}), json!({})));
    assert!(c.registry.schedule().is_none());

    c.advance_to(14_000);
    assert_eq!(c.registry.attach(&host(1), A2), Ok(None));
    c.offer(A2, F1);
    c.advance_to(20_000);
    expect(&mut c, &["F0 OFFERS O4 a1 without unavailability"]);
}

#[test]
fn nothing_happens_when_a_window_begins_or_ends() {
    let mut c = Cluster::new();
    c.registry.attach(&host(1), A1).expect("up");
    c.offer(A1, F1);
    c.post(schedule(&[(&[host(1)], i64::try_from(EPOCH_MS).expect("fits") * 1_000_000 + 5_000_000_000)]));
    c.answer(OfferId(1), F1, Response::Accept, Some(365 * 24 * 3_600_000));
    c.heard();
    let before = c.registry.clone();
    c.advance_to(4 * 3_600_000);
    expect(&mut c, &[]);
    assert_eq!(c.registry, before);
    c.down(&[host(1)]);
    c.post(schedule(&[(&[host(1)], 0)]));
    assert!(c.heard().contains(&"h1 DOWN".to_owned()), "late is fine");
    assert_eq!(c.registry.mode(&host(1)), Mode::Down);
}

#[test]
fn edits_of_a_schedule() {
    let (a, b, d) = (host(1), host(2), host(3));
    let mut c = Cluster::new();
    let modes = |c: &Cluster| [1, 2, 3].map(|n| c.registry.mode(&host(n)).as_str()).join(" ");
    assert_eq!(modes(&c), "UP UP UP");

    c.post(schedule(&[(&[a.clone(), b.clone()], 1), (std::slice::from_ref(&d), 2)]));
    expect(&mut c, &["h1 DRAINING", "h2 DRAINING", "h3 DRAINING", "200"]);
    c.down(std::slice::from_ref(&a));
    expect(&mut c, &["h1 DOWN", "200"]);

    let before = c.registry.clone();
    c.post(schedule(&[(std::slice::from_ref(&b), 1), (std::slice::from_ref(&d), 2)]));
    expect(&mut c, &["400 down-machine-dropped"]);
    assert_eq!(c.registry, before);

    c.post(schedule(&[(std::slice::from_ref(&a), 7), (std::slice::from_ref(&d), 2)]));
    expect(&mut c, &["h2 UP", "200"]);
    assert_eq!(modes(&c), "DOWN UP DRAINING");
    let start = |c: &Cluster, id| {
        c.registry.machine(id).and_then(|machine| machine.info.unavailability).map(|away| away.start_ns)
    };
    assert_eq!([start(&c, &a), start(&c, &b), start(&c, &d)], [Some(7), None, Some(2)]);

    c.post(schedule(&[
        (std::slice::from_ref(&a), 7),
        (std::slice::from_ref(&d), 2),
        (std::slice::from_ref(&b), 3),
    ]));
    expect(&mut c, &["h2 DRAINING", "200"]);

    let before = c.registry.clone();
    c.down(&[a.clone(), d.clone()]);
    expect(&mut c, &["400 not-draining"]);
    assert_eq!(c.registry, before);
    c.down(std::slice::from_ref(&d));
    expect(&mut c, &["h3 DOWN", "200"]);

    let before = c.registry.clone();
    c.up(&[a.clone(), b.clone()]);
    expect(&mut c, &["400 not-down"]);
    assert_eq!(c.registry, before);
    c.up(&[a.clone(), d.clone()]);
    expect(&mut c, &["h1 UP", "h3 UP", "200"]);
    assert_eq!(c.posted(), schedule(&[(std::slice::from_ref(&b), 3)]).to_json());

    c.post(Schedule::default());
    expect(&mut c, &["h2 UP", "200"]);
    assert_eq!((modes(&c).as_str(), c.posted()), ("UP UP UP", json!({})));
    assert_eq!(c.registry.schedule().map(|schedule| schedule.windows.len()), Some(0), "cancelled, not gone");
}

#[test]
fn two_frameworks_and_two_agents_on_one_machine() {
    let mut c = Cluster::new();
    for agent in [A1, A2] {
        assert_eq!(c.registry.attach(&host(1), agent), Ok(None));
    }
    c.users = BTreeMap::from([(A1, BTreeSet::from([F1])), (A2, BTreeSet::from([F1, F2]))]);
    let one = schedule(&[(&[host(1)], 1)]);
    c.post(one.clone());
    let asked = ["F0 INVERSE_OFFERS O0 a0", "F0 INVERSE_OFFERS O1 a1", "F1 INVERSE_OFFERS O2 a1"];
    expect(&mut c, &[["h1 DRAINING", "200"].as_slice(), &asked].concat());

    c.answer(OfferId(0), F1, Response::Accept, None);
    c.answer(OfferId(1), F1, Response::Decline, None);
    let statuses = c.status()["draining_machines"][0]["statuses"].clone();
    let told: Vec<(&str, &str)> = statuses
        .as_array()
        .expect("a list")
        .iter()
        .map(|status| {
            let framework = &status["framework_id"]["value"];
            (status["status"].as_str().expect("text"), framework.as_str().expect("text"))
        })
        .collect();
    assert_eq!(told, [("ACCEPT", "f-0000"), ("DECLINE", "f-0000")]);

    c.post(one);
    expect(
        &mut c,
        &[
            "F1 RESCIND_INVERSE_OFFER O2",
            "200",
            "F0 INVERSE_OFFERS O3 a0",
            "F0 INVERSE_OFFERS O4 a1",
            "F1 INVERSE_OFFERS O5 a1",
        ],
    );
    assert!(c.status()["draining_machines"][0].get("statuses").is_none());

    c.down(&[host(1)]);
    expect(
        &mut c,
        &[
            "a0 shut down",
            "F0 UPDATE TASK_LOST a0",
            "F0 RESCIND_INVERSE_OFFER O3",
            "FAILURE a0",
            "a1 shut down",
            "F0 UPDATE TASK_LOST a1",
            "F1 UPDATE TASK_LOST a1",
            "F0 RESCIND_INVERSE_OFFER O4",
            "F1 RESCIND_INVERSE_OFFER O5",
            "FAILURE a1",
            "h1 DOWN",
            "200",
        ],
    );
}

#[test]
fn a_post_refreshes_every_agent_known_once() {
    let mut c = Cluster::new();
    for (n, agent) in [(1, AgentId(0)), (2, AgentId(1)), (3, AgentId(2))] {
        c.registry.attach(&host(n), agent).expect("up");
        c.offer(agent, F1);
    }
    c.heard();
    c.post(schedule(&[(&[host(3), host(1)], 1)]));
    expect(
        &mut c,
        &[
            "F0 RESCIND O1",
            "h3 DRAINING",
            "F0 RESCIND O2",
            "h1 DRAINING",
            "F0 RESCIND O0",
            "200",
            "F0 INVERSE_OFFERS O3 a2",
            "F0 INVERSE_OFFERS O4 a0",
        ],
    );
}

#[test]
fn status_has_the_first_spelling_and_the_schedule_the_last() {
    let mut c = Cluster::new();
    c.registry.attach(&machine("Box", "10.0.0.1"), A1).expect("up");
    c.post(schedule(&[(&[machine("BOX", "10.0.0.1")], 1)]));
    assert_eq!(c.registry.unavailability(A1).map(|away| away.start_ns), Some(1));
    assert_eq!(c.posted()["windows"][0]["machine_ids"][0]["hostname"], "BOX");
    assert_eq!(c.status()["draining_machines"][0]["id"]["hostname"], "Box");
    // An incomplete id is a separate machine and matches no agent.
    let half = MachineId { hostname: Some("Box".into()), ip: None };
    c.post(schedule(&[(std::slice::from_ref(&half), 1)]));
    assert_eq!((c.registry.mode(&half), c.registry.unavailability(A1)), (Mode::Draining, None));
    assert!(c.registry.attach(&machine("box", "10.0.0.1"), A2).is_ok());
    c.down(std::slice::from_ref(&half));
    assert_eq!(c.registry.machine_of(A1).map(|machine| machine.agents.clone()), Some(vec![A1, A2]));
}
