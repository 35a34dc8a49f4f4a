//! The command lines of Mesos' page on maintenance, over a real socket: same paths, same bodies.

use crate::http::Server;
use serde_json::json;

const SCHEDULE: &str = include_str!("../../../../tests/data/maintenance/schedule.json");
const MACHINES: &str = include_str!("../../../../tests/data/maintenance/machines.json");

#[test]
fn the_operators_day() {
    let server = Server::start(&["--clock", "manual"]);
    let done = |target: &str, body: &str| {
        // What `curl -d @file` sends: the file without its line ends.
        let (status, head, text) = server.send("POST", target, &body.replace('\n', ""));
        assert_eq!((status, text.as_str()), (200, ""), "{target}: {head}");
    };
    // A machine may be scheduled before it joins.
    done("/master/maintenance/schedule", SCHEDULE);
    let machines = r#"{"count":3,"hostname":"machine{n}","ip":"10.0.0.{n}"}"#;
    server.json("POST", "/sim/agents", machines, 200);
    let (_, _, text) = server.send("GET", "/master/maintenance/schedule", "");
    assert_eq!(text, SCHEDULE.replace([' ', '\n'], ""), "as it was posted, to the last digit");

    done("/master/machine/down", MACHINES);
    let status = server.json("GET", "/master/maintenance/status", "", 200);
    assert_eq!(status["down_machines"].as_array().map(Vec::len), Some(2));
    assert_eq!(status["draining_machines"][0]["id"]["hostname"], "machine3");
    assert_eq!(server.json("GET", "/master/state", "", 200)["activated_slaves"], 1);

    done("/master/machine/up", MACHINES);
    server.json("POST", "/sim/advance", r#"{"for_ms":2000}"#, 200);
    assert_eq!(server.json("GET", "/master/state", "", 200)["activated_slaves"], 3);
    // To cancel a schedule, post an empty one.
    done("/master/maintenance/schedule", "{}");
    assert_eq!(server.json("GET", "/master/maintenance/status", "", 200), json!({}));
    let view = server.json("GET", "/sim/view", "", 200);
    assert!(
        view["cluster"]["machines"]
            .as_array()
            .expect("machines")
            .iter()
            .all(|machine| machine["state"] == "up")
    );
}
