//! Bodies: forms that are accepted, calls of the v1 API, answers, very large bodies.

use super::*;
use reading::OperatorCall;

fn posted(body: &str) -> Result<Schedule, Refused> {
    reading::schedule(&reading::body(body.as_bytes())?)
}

#[test]
fn forms_of_the_same_schedule() {
    let plain = schedule(&[(&[host(1)], 5)]);
    for body in [
        r#"{"windows":[{"machine_ids":[{"hostname":"h1","ip":"10.0.0.1"}],"unavailability":{"start":{"nanoseconds":5},"duration":{"nanoseconds":3600000000000}}}]}"#,
        // Keys in another order, text for numbers, one value for a list.
        r#"{"windows":{"unavailability":{"duration":{"nanoseconds":"3600000000000"},"start":{"nanoseconds":"5"}},"machine_ids":{"ip":"10.0.0.1","hostname":"h1"}}}"#,
        // Nulls, nested lists, numbers with a point or an exponent.
        r#"{"windows":[null,[{"machine_ids":[[{"hostname":"h1","ip":"10.0.0.1","x":null}],null],"unavailability":{"start":{"nanoseconds":5.9},"duration":{"nanoseconds":3.6e12}}}]]}"#,
        r#"{"windows":[{"machine_ids":[{"hostname":"h1","ip":"10.0.0.1"}],"unavailability":{"start":{"nanoseconds":" 5 "},"duration":{"nanoseconds":"3.6e12"}}}]}"#,
    ] {
        assert_eq!(posted(body), Ok(plain.clone()), "{body}");
    }
}

#[test]
fn faults_name_the_field() {
    let time = |value: &str| {
        format!(
            r#"{{"windows":[{{"machine_ids":[],"unavailability":{{"start":{{"nanoseconds":{value}}}}}}}]}}"#
        )
    };
    for (value, text) in [
        ("true", "Field 'nanoseconds' cannot be a JSON boolean"),
        ("[]", "Field 'nanoseconds' cannot be a JSON array"),
        ("{}", "Field 'nanoseconds' cannot be a JSON object"),
        (r#""5s""#, "Field 'nanoseconds' cannot be '5s'"),
        (r#""""#, "Field 'nanoseconds' cannot be ''"),
        (r#""0x5""#, "Field 'nanoseconds' cannot be '0x5'"),
        ("9223372036854775808", "Field 'nanoseconds' cannot be '9223372036854775808'"),
        ("1e30", "Field 'nanoseconds' cannot be '1e+30'"),
        ("null", "Required fields missing: windows[0].unavailability.start.nanoseconds"),
    ] {
        assert_eq!(posted(&time(value)).map_err(|refused| refused.to_string()), Err(text.into()), "{value}");
    }
    let many = r#"{"windows":[{},{"unavailability":{"duration":{}}}]}"#;
    assert_eq!(
        posted(many).expect_err("missing").to_string(),
        "Required fields missing: windows[0].unavailability, windows[1].unavailability.start, \
         windows[1].unavailability.duration.nanoseconds"
    );
    let very_many = format!(r#"{{"windows":[{}{{}}]}}"#, "{},".repeat(99));
    let Err(Refused::MissingFields { paths, more }) = posted(&very_many) else { panic!("missing") };
    assert_eq!((paths.len(), more), (16, 84));
}

#[test]
fn large_and_deep_bodies_end() {
    let deep = format!(r#"{{"windows":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(posted(&deep).map_err(|refused| refused.class()), Err("not-json"));
    let nested = format!(r#"{{"windows":{}{}}}"#, "[".repeat(100), "]".repeat(100));
    assert_eq!(posted(&nested), Ok(Schedule::default()));
    let noise = vec![b'x'; 10 << 20];
    assert_eq!(reading::body(&noise).map_err(|refused| refused.class()), Err("not-json"));
    assert_eq!(reading::body(&[0xff, 0xfe]).map_err(|refused| refused.class()), Err("not-json"));
    let name = format!(r#"[{{"hostname":"{}"}}]"#, "h".repeat(10 << 20));
    let list = reading::machine_list(&reading::body(name.as_bytes()).expect("JSON")).expect("a list");
    let mut registry = MachineRegistry::new();
    let before = registry.clone();
    assert_eq!(
        registry.machine_down(&list, everyone).map_err(|refused| refused.class()),
        Err("not-scheduled")
    );
    assert_eq!(registry, before);
}

#[test]
fn calls_of_the_v1_api() {
    let list = vec![host(1)];
    let config = |max_grace_ns, mark_gone| DrainConfig { max_grace_ns, mark_gone };
    let drain = |config| Ok(OperatorCall::Drain { agent_id: "S0".into(), config });
    for (body, call) in [
        (json!({"type": "GET_MAINTENANCE_STATUS"}), Ok(OperatorCall::GetStatus)),
        (json!({"type": "GET_MAINTENANCE_SCHEDULE", "x": 1}), Ok(OperatorCall::GetSchedule)),
        (
            json!({"type": "UPDATE_MAINTENANCE_SCHEDULE", "update_maintenance_schedule": {"schedule": {}}}),
            Ok(OperatorCall::UpdateSchedule(Schedule::default())),
        ),
        (
            json!({"type": "START_MAINTENANCE", "start_maintenance": {"machines": [{"hostname": "h1", "ip": "10.0.0.1"}]}}),
            Ok(OperatorCall::Start(list.clone())),
        ),
        (
            json!({"type": "STOP_MAINTENANCE", "stop_maintenance": {"machines": {"hostname": "h1", "ip": "10.0.0.1"}}}),
            Ok(OperatorCall::Stop(list)),
        ),
        (json!({"type": "START_MAINTENANCE", "start_maintenance": {}}), Ok(OperatorCall::Start(Vec::new()))),
        (
            json!({"type": "DRAIN_AGENT", "drain_agent": {"agent_id": {"value": "S0"}}}),
            drain(config(None, false)),
        ),
        (
            json!({"type": "DRAIN_AGENT", "drain_agent": {"agent_id": {"value": "S0"}, "mark_gone": "true",
                "max_grace_period": {"seconds": "2", "nanos": 5}}}),
            drain(config(Some(2_000_000_005), true)),
        ),
        (
            json!({"type": "DEACTIVATE_AGENT", "deactivate_agent": {"agent_id": {"value": "S0"}}}),
            Ok(OperatorCall::Deactivate("S0".into())),
        ),
        (
            json!({"type": "REACTIVATE_AGENT", "reactivate_agent": {"agent_id": {"value": "S0"}}}),
            Ok(OperatorCall::Reactivate("S0".into())),
        ),
        (
            json!({"type": "MARK_AGENT_GONE", "mark_agent_gone": {"agent_id": {"value": "S0"}}}),
            Ok(OperatorCall::MarkGone("S0".into())),
        ),
        (json!({"type": "GET_AGENTS"}), Ok(OperatorCall::Other("GET_AGENTS"))),
        (json!({"type": "UNKNOWN"}), Err(("type-unknown", 501))),
        (json!({"type": "NO_SUCH"}), Err(("type-missing", 400))),
        (json!({"type": null}), Err(("type-missing", 400))),
        (json!({}), Err(("type-missing", 400))),
        (json!([]), Err(("not-an-object", 400))),
        (json!({"type": 7}), Err(("wrong-type", 400))),
        (json!({"type": "UPDATE_MAINTENANCE_SCHEDULE"}), Err(("payload-missing", 400))),
        (
            json!({"type": "UPDATE_MAINTENANCE_SCHEDULE", "update_maintenance_schedule": {}}),
            Err(("missing-fields", 400)),
        ),
        (json!({"type": "STOP_MAINTENANCE", "start_maintenance": {}}), Err(("payload-missing", 400))),
        (json!({"type": "DRAIN_AGENT", "drain_agent": {"agent_id": {}}}), Err(("missing-fields", 400))),
        (json!({"type": "DRAIN_AGENT", "drain_agent": {"agent_id": "S0"}}), Err(("wrong-type", 400))),
        (
            json!({"type": "DRAIN_AGENT", "drain_agent": {"agent_id": {"value": "S0"}, "mark_gone": "perhaps"}}),
            Err(("bad-value", 400)),
        ),
        (json!({"type": "MARK_AGENT_GONE", "mark_agent_gone": {}}), Err(("missing-fields", 400))),
    ] {
        let read = reading::operator_call(&body).map_err(|refused| (refused.class(), refused.status()));
        assert_eq!(read, call, "{body}");
    }
    let missing = reading::operator_call(&json!({
        "type": "UPDATE_MAINTENANCE_SCHEDULE",
        "update_maintenance_schedule": {"schedule": {"windows": {}}},
    }));
    assert_eq!(
        missing.expect_err("missing").to_string(),
        "Required fields missing: update_maintenance_schedule.schedule.windows[0].unavailability"
    );
}

#[test]
fn refusal_lifetimes() {
    for (seconds, expected) in [
        (3600.0, Some(3_600_000)),
        (1.5, Some(1_500)),
        (0.0, Some(0)),
        (0.0001, Some(1)),
        (-1.0, None),
        (1e9, Some(365 * 24 * 3_600_000)),
        (1e10, None),
        (f64::INFINITY, None),
        (f64::NAN, None),
    ] {
        assert_eq!(reading::refuse_ms(seconds), expected, "{seconds}");
    }
}
