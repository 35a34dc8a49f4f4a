//! The JSON of the documentation page, and nanoseconds that stay exact.

use super::*;

const SCHEDULE: &str = include_str!("../../../../../../tests/data/maintenance/schedule.json");
const MACHINES: &str = include_str!("../../../../../../tests/data/maintenance/machines.json");

#[test]
fn the_page_as_printed() {
    let mut c = Cluster::new();
    let body = reading::body(SCHEDULE.as_bytes()).expect("JSON");
    c.post(reading::schedule(&body).expect("a schedule"));
    let machines = reading::machine_list(&reading::body(MACHINES.as_bytes()).expect("JSON")).expect("a list");
    assert_eq!(c.heard(), ["machine1 DRAINING", "machine2 DRAINING", "machine3 DRAINING", "200"]);
    assert_eq!(c.posted(), body);
    let compact: String = SCHEDULE.split_whitespace().collect();
    assert_eq!(c.posted().to_string(), compact, "to the byte");
    c.down(&machines);
    assert_eq!(c.heard(), ["machine1 DOWN", "machine2 DOWN", "200"]);
    assert_eq!(
        c.status().to_string(),
        r#"{"draining_machines":[{"id":{"hostname":"machine3","ip":"10.0.0.3"}}],"down_machines":[{"hostname":"machine1","ip":"10.0.0.1"},{"hostname":"machine2","ip":"10.0.0.2"}]}"#
    );
    c.up(&machines);
    assert_eq!(c.heard(), ["machine1 UP", "machine2 UP", "200"]);
    assert_eq!(c.posted()["windows"], json!([body["windows"][1]]), "the first window is gone");
    assert_eq!(c.broken(), Vec::<String>::new());
}

#[test]
fn nanoseconds_are_exact() {
    for ns in [
        1_443_830_400_000_000_000,
        1_443_830_400_000_000_001,
        i64::MAX,
        i64::MIN,
        9_007_199_254_740_993,
        -1,
        0,
    ] {
        let text = format!(
            r#"{{"windows":[{{"machine_ids":[{{"hostname":"h"}}],"unavailability":{{"start":{{"nanoseconds":{ns}}}}}}}]}}"#
        );
        let schedule = reading::schedule(&reading::body(text.as_bytes()).expect("JSON")).expect("a schedule");
        assert_eq!(schedule.windows[0].unavailability, away(ns, None));
        assert_eq!(schedule.to_json().to_string(), text, "numbers");
        let quoted = text.replace(&format!(":{ns}}}"), &format!(":\"{ns}\"}}"));
        assert_ne!(quoted, text);
        let again = reading::schedule(&reading::body(quoted.as_bytes()).expect("JSON")).expect("a schedule");
        assert_eq!(again, schedule, "decimal text");
        assert_eq!(again.to_json().to_string(), text, "comes out as a number");
    }
}

#[test]
fn unauthorized_parts_are_left_out() {
    let mut c = Cluster::new();
    c.post(schedule(&[(&[host(1), host(2)], 1), (&[host(3)], 2)]));
    c.down(&[host(2)]);
    let only = |n: u8| move |id: &MachineId| id.is_same(&host(n));
    assert_eq!(c.registry.get_schedule(only(2)), schedule(&[(&[host(2)], 1)]));
    let status = c.registry.get_status(&c.inverse, 0, only(2));
    assert_eq!((status.draining_machines.len(), status.down_machines), (0, vec![host(2)]));
    assert_eq!(c.registry.get_schedule(|_| false), Schedule::default());
}
