//! Every rule, one row each; a refused call leaves all state unchanged.

use super::*;

/// h1 UP (with an agent), h2 DRAINING (with two agents, one asked, one answered), h3 DOWN.
fn cluster() -> Cluster {
    let mut c = Cluster::new();
    c.registry.attach(&host(1), AgentId(0)).expect("up");
    c.registry.attach(&host(2), AgentId(1)).expect("up");
    c.registry.attach(&host(2), AgentId(2)).expect("up");
    c.users = BTreeMap::from([
        (AgentId(0), BTreeSet::from([F1])),
        (AgentId(1), BTreeSet::from([F1, F2])),
        (AgentId(2), BTreeSet::from([F2])),
    ]);
    c.post(schedule(&[(&[host(2)], 1), (&[host(3)], 2)]));
    c.down(&[host(3)]);
    c.answer(OfferId(0), F1, Response::Decline, None);
    c.heard();
    c
}

fn window(machines: &str, unavailability: &str) -> String {
    format!(r#"{{"machine_ids":{machines},"unavailability":{unavailability}}}"#)
}

const H3: &str = r#"{"hostname":"h3","ip":"10.0.0.3"}"#;
const SOON: &str = r#"{"start":{"nanoseconds":5}}"#;

#[test]
fn schedules() {
    let good = window(&format!("[{H3}]"), SOON);
    let with = |windows: &[String]| format!(r#"{{"windows":[{}]}}"#, windows.join(","));
    let one = |machine: &str| with(&[window(&format!("[{machine}]"), SOON), good.clone()]);
    let bodies: Vec<(&str, String, &str)> = vec![
        ("no machines", with(&[window("[]", SOON), good.clone()]), "empty-window"),
        (
            "no list of machines",
            with(&[format!(r#"{{"unavailability":{SOON}}}"#), good.clone()]),
            "empty-window",
        ),
        ("null list", with(&[window("null", SOON), good.clone()]), "empty-window"),
        (
            "negative duration",
            with(&[window(
                r#"[{"hostname":"x"}]"#,
                r#"{"start":{"nanoseconds":5},"duration":{"nanoseconds":-1}}"#,
            )]),
            "negative-duration",
        ),
        ("machine without anything", one("{}"), "empty-machine"),
        ("machine with empty fields", one(r#"{"hostname":"","ip":""}"#), "empty-machine"),
        ("machine with nulls", one(r#"{"hostname":null,"ip":null}"#), "empty-machine"),
        ("letters", one(r#"{"ip":"localhost"}"#), "bad-ip"),
        ("three numbers", one(r#"{"ip":"10.0.1"}"#), "bad-ip"),
        ("leading zero", one(r#"{"hostname":"x","ip":"10.0.0.01"}"#), "bad-ip"),
        ("too large", one(r#"{"ip":"10.0.0.256"}"#), "bad-ip"),
        ("v6", one(r#"{"ip":"::1"}"#), "bad-ip"),
        ("spaces", one(r#"{"ip":" 10.0.0.1"}"#), "bad-ip"),
        ("twice in a window", with(&[window(&format!("[{H3},{H3}]"), SOON)]), "machine-twice"),
        ("twice across windows", one(r#"{"hostname":"H3","ip":"10.0.0.3"}"#), "machine-twice"),
        ("DOWN machine dropped", with(&[window(r#"[{"hostname":"x"}]"#, SOON)]), "down-machine-dropped"),
        (
            "half an id is another machine",
            with(&[window(r#"[{"hostname":"h3"}]"#, SOON)]),
            "down-machine-dropped",
        ),
        ("cancelled with a DOWN machine", "{}".into(), "down-machine-dropped"),
        ("not JSON", "{".into(), "not-json"),
        ("nothing", String::new(), "not-json"),
        ("something behind it", "{} {}".into(), "not-json"),
        ("a list", "[]".into(), "not-an-object"),
        ("null", "null".into(), "not-an-object"),
        ("windows are text", r#"{"windows":"x"}"#.into(), "wrong-type"),
        ("a window is a number", r#"{"windows":[1]}"#.into(), "wrong-type"),
        ("a name is a number", one(r#"{"hostname":7}"#), "wrong-type"),
        ("no unavailability", with(&[format!(r#"{{"machine_ids":[{H3}]}}"#)]), "missing-fields"),
        ("null unavailability", with(&[window(&format!("[{H3}]"), "null")]), "missing-fields"),
        ("no start", with(&[window(&format!("[{H3}]"), "{}")]), "missing-fields"),
        ("empty start", with(&[window(&format!("[{H3}]"), r#"{"start":{}}"#)]), "missing-fields"),
        (
            "empty duration",
            with(&[window(&format!("[{H3}]"), r#"{"start":{"nanoseconds":1},"duration":{}}"#)]),
            "missing-fields",
        ),
        // The first fault in order decides.
        (
            "empty window before negative duration",
            with(&[window("[]", r#"{"start":{"nanoseconds":5},"duration":{"nanoseconds":-1}}"#)]),
            "empty-window",
        ),
        (
            "negative duration before machines",
            with(&[window("[{}]", r#"{"start":{"nanoseconds":5},"duration":{"nanoseconds":-1}}"#)]),
            "negative-duration",
        ),
        (
            "address before repetition",
            with(&[window(&format!(r#"[{H3},{{"ip":"x"}},{H3}]"#), SOON)]),
            "bad-ip",
        ),
        (
            "repetition before a later empty window",
            with(&[window(&format!("[{H3},{H3}]"), SOON), window("[]", SOON)]),
            "machine-twice",
        ),
        (
            "repetition before dropped",
            with(&[window(r#"[{"hostname":"x"},{"hostname":"X"}]"#, SOON)]),
            "machine-twice",
        ),
        ("type before missing", r#"{"windows":[{},{"machine_ids":7}]}"#.into(), "wrong-type"),
        ("missing before empty", r#"{"windows":[{}]}"#.into(), "missing-fields"),
    ];
    let mut c = cluster();
    let before = (c.registry.clone(), c.inverse.clone());
    for (name, body, class) in bodies {
        let result = reading::body(body.as_bytes())
            .and_then(|json| reading::schedule(&json))
            .and_then(|schedule| c.registry.post_schedule(schedule, everyone));
        let refused = result.expect_err(name);
        assert_eq!((refused.class(), refused.status()), (class, 400), "{name}: {refused}");
        assert!(!refused.to_string().is_empty() && !refused.to_string().contains('\n'), "{name}: plain text");
        assert_eq!((&c.registry, &c.inverse), (&before.0, &before.1), "{name}: state unchanged");
    }
    let good =
        reading::schedule(&reading::body(with(&[good]).as_bytes()).expect("JSON")).expect("a schedule");
    let refused = c.registry.post_schedule(good.clone(), |_| false).expect_err("not permitted");
    assert_eq!((refused.class(), refused.status()), ("forbidden", 403));
    assert_eq!(c.registry, before.0);
    assert!(c.registry.post_schedule(good, everyone).is_ok(), "the base of the table is fine itself");
}

#[test]
fn unusual_schedules_are_accepted() {
    for (name, body) in [
        ("cancel", "{}"),
        ("empty list", r#"{"windows":[]}"#),
        (
            "no duration",
            r#"{"windows":[{"machine_ids":[{"hostname":"a"}],"unavailability":{"start":{"nanoseconds":5}}}]}"#,
        ),
        (
            "zero",
            r#"{"windows":[{"machine_ids":[{"hostname":"a"}],"unavailability":{"start":{"nanoseconds":0},"duration":{"nanoseconds":0}}}]}"#,
        ),
        (
            "long ago",
            r#"{"windows":[{"machine_ids":[{"hostname":"a"}],"unavailability":{"start":{"nanoseconds":-5}}}]}"#,
        ),
        (
            "unset and empty are two",
            r#"{"windows":[{"machine_ids":[{"hostname":"a"},{"hostname":"a","ip":""}],"unavailability":{"start":{"nanoseconds":5}}}]}"#,
        ),
        (
            "same interval twice",
            r#"{"windows":[{"machine_ids":[{"hostname":"a"}],"unavailability":{"start":{"nanoseconds":5}}},{"machine_ids":[{"hostname":"b"}],"unavailability":{"start":{"nanoseconds":5}}}]}"#,
        ),
        (
            "unknown keys",
            r#"{"x":[1],"windows":[{"machine_ids":[{"hostname":"a","y":{}}],"unavailability":{"start":{"nanoseconds":5,"z":null}}}]}"#,
        ),
    ] {
        let mut c = Cluster::new();
        let schedule = reading::schedule(&reading::body(body.as_bytes()).expect("JSON")).expect(name);
        assert!(c.registry.post_schedule(schedule.clone(), everyone).is_ok(), "{name}");
        assert_eq!(
            c.registry.schedule().map(|posted| (**posted).clone()),
            Some(schedule),
            "{name}: verbatim"
        );
        assert_eq!(c.registry.check(), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn lists_of_machines() {
    const H1: &str = r#"{"hostname":"h1","ip":"10.0.0.1"}"#;
    const H2: &str = r#"{"hostname":"h2","ip":"10.0.0.2"}"#;
    let rows: Vec<(&str, String, &str, &str)> = vec![
        ("empty", "[]".into(), "empty-list", "empty-list"),
        ("not a list", "{}".into(), "not-an-array", "not-an-array"),
        ("one machine is no list", H2.into(), "not-an-array", "not-an-array"),
        ("null", "null".into(), "not-an-array", "not-an-array"),
        ("not JSON", "[".into(), "not-json", "not-json"),
        ("a null in it", "[null]".into(), "not-an-object", "not-an-object"),
        ("text in it", r#"["h2"]"#.into(), "not-an-object", "not-an-object"),
        ("name of another type", r#"[{"hostname":true}]"#.into(), "wrong-type", "wrong-type"),
        ("nothing said", "[{}]".into(), "empty-machine", "empty-machine"),
        ("bad address", r#"[{"hostname":"h2","ip":"1.2.3"}]"#.into(), "bad-ip", "bad-ip"),
        ("twice", format!("[{H2},{H2}]"), "machine-twice", "machine-twice"),
        (
            "twice, other case",
            format!(r#"[{H3},{{"hostname":"H3","ip":"10.0.0.3"}}]"#),
            "machine-twice",
            "machine-twice",
        ),
        ("not known", r#"[{"hostname":"h9"}]"#.into(), "not-scheduled", "not-scheduled"),
        ("half an id", r#"[{"hostname":"h2"}]"#.into(), "not-scheduled", "not-scheduled"),
        ("UP", format!("[{H1}]"), "not-draining", "not-down"),
        ("good and not known", format!(r#"[{H2},{{"hostname":"h9"}}]"#), "not-scheduled", "not-down"),
        ("good and UP", format!("[{H2},{H1}]"), "not-draining", "not-down"),
        ("DRAINING and DOWN", format!("[{H2},{H3}]"), "not-draining", "not-down"),
        ("DOWN and DRAINING", format!("[{H3},{H2}]"), "not-draining", "not-down"),
        // List rules come before rules about modes.
        ("UP, then bad address", format!(r#"[{H1},{{"ip":"x"}}]"#), "bad-ip", "bad-ip"),
    ];
    let mut c = cluster();
    let before = (c.registry.clone(), c.inverse.clone());
    for (name, body, down, up) in rows {
        let list = reading::body(body.as_bytes()).and_then(|json| reading::machine_list(&json));
        for (verb, class) in [("down", down), ("up", up)] {
            let result = match (list.clone(), verb) {
                (Err(refused), _) => Err(refused),
                (Ok(list), "down") => c.registry.machine_down(&list, everyone),
                (Ok(list), _) => c.registry.machine_up(&list, everyone),
            };
            let refused = result.expect_err(name);
            assert_eq!((refused.class(), refused.status()), (class, 400), "{verb}: {name}: {refused}");
            assert_eq!((&c.registry, &c.inverse), (&before.0, &before.1), "{verb}: {name}: state unchanged");
        }
    }
    let refused = [
        c.registry.machine_down(&[host(2)], |_| false).expect_err("not permitted"),
        c.registry.machine_up(&[host(3)], |_| false).expect_err("not permitted"),
    ];
    assert_eq!(refused.map(|refused| refused.status()), [403, 403]);
    // Mode comes before permission, machine by machine.
    let unpermitted = c.registry.machine_down(&[host(1)], |_| false).expect_err("UP");
    assert_eq!(unpermitted.class(), "not-draining");
    assert_eq!(c.registry, before.0);
    assert!(c.registry.machine_down(&[host(2)], everyone).is_ok());
    assert!(c.registry.machine_up(&[host(3)], everyone).is_ok());
}

#[test]
fn a_refusal_crosses_the_boundary() {
    use planarium_protocol::refusal::{Refusal, RefusalCode};
    for (refused, code, status) in [
        (Refused::EmptyWindow, RefusalCode::BadRequest, 400),
        (Refused::NotDraining(host(1)), RefusalCode::Conflict, 400),
        (Refused::NotScheduled(host(1)), RefusalCode::NotFound, 400),
        (Refused::Forbidden, RefusalCode::BadRequest, 403),
        (Refused::NoSuchAgent, RefusalCode::NotFound, 404),
        (Refused::TypeUnknown, RefusalCode::Unsupported, 501),
        (Refused::InTransition, RefusalCode::Conflict, 503),
    ] {
        let refusal = Refusal::from(&refused);
        assert_eq!((refusal.code, refusal.status), (code, status), "{refused}");
        assert_eq!(refusal.message, refused.to_string());
    }
    let text = Refused::NotDraining(host(1)).to_string();
    assert!(text.contains(r#"{"hostname":"h1","ip":"10.0.0.1"}"#), "{text}");
}
