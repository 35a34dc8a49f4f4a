//! An external framework, over a real socket, against a world whose clock stops until it is moved.

#![expect(clippy::indexing_slicing, reason = "helpers of tests")]

use crate::http::Server;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// A scheduler: the stream it listens to, and calls on connections of their own.
struct Scheduler<'a> {
    server: &'a Server,
    stream: BufReader<TcpStream>,
    stream_id: String,
    id: String,
    /// Bytes of the stream that are not a whole record yet.
    pending: Vec<u8>,
}

fn connect(server: &Server, target: &str, headers: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a time-out");
    let head = format!(
        "POST {target} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json\r\n{headers}content-length: {}\r\n\r\n",
        server.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(body.as_bytes()).expect("sent");
    stream
}

/// Status line and headers in lower case.
fn head(stream: &mut impl std::io::BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(stream.read_line(&mut head).expect("a line") > 0, "closed: {head}");
    }
    head.to_lowercase()
}

impl<'a> Scheduler<'a> {
    fn subscribe(server: &'a Server, info: &Value) -> Self {
        let body = json!({ "type": "SUBSCRIBE", "subscribe": { "framework_info": info } });
        let mut stream = BufReader::new(connect(server, "/api/v1/scheduler", "", &body.to_string()));
        let head = head(&mut stream);
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert!(head.contains("transfer-encoding: chunked"), "{head}");
        let line = head.lines().find_map(|line| line.strip_prefix("mesos-stream-id: "));
        let stream_id = line.expect("a stream id").to_owned();
        let mut scheduler = Self { server, stream, stream_id, id: String::new(), pending: Vec::new() };
        let subscribed = scheduler.event();
        assert_eq!(subscribed["type"], "SUBSCRIBED");
        let id = subscribed["subscribed"]["framework_id"]["value"].as_str();
        id.expect("an id").clone_into(&mut scheduler.id);
        scheduler
    }

    /// The next event; waits for it.
    fn event(&mut self) -> Value {
        loop {
            if let Some(event) = self.record() {
                return event;
            }
            let mut size = String::new();
            self.stream.read_line(&mut size).expect("a chunk");
            let size = usize::from_str_radix(size.trim(), 16).expect("its size");
            assert!(size > 0, "the stream has ended");
            let mut chunk = vec![0; size + 2];
            self.stream.read_exact(&mut chunk).expect("a chunk");
            chunk.truncate(size);
            self.pending.extend(chunk);
        }
    }

    /// A whole record, when there is one.
    fn record(&mut self) -> Option<Value> {
        let end = self.pending.iter().position(|byte| *byte == b'\n')?;
        let length: usize = String::from_utf8_lossy(&self.pending[..end]).parse().expect("a length");
        if self.pending.len() < end + 1 + length {
            return None;
        }
        let record: Vec<u8> = self.pending.drain(..=end + length).skip(end + 1).collect();
        Some(serde_json::from_slice(&record).expect("JSON"))
    }

    /// The next event of a type; others are passed over.
    fn next(&mut self, kind: &str) -> Value {
        loop {
            let event = self.event();
            if event["type"] == kind {
                return event;
            }
        }
    }

    /// Status of the next update.
    fn status(&mut self) -> Value {
        self.next("UPDATE")["update"]["status"].clone()
    }

    fn call(&self, mut call: Value, expected: u16) {
        call["framework_id"] = json!({ "value": self.id });
        let headers = format!("connection: close\r\nmesos-stream-id: {}\r\n", self.stream_id);
        let mut stream =
            BufReader::new(connect(self.server, "/api/v1/scheduler", &headers, &call.to_string()));
        let head = head(&mut stream);
        assert!(head.starts_with(&format!("http/1.1 {expected}")), "{call}: {head}");
    }

    fn acknowledge(&self, status: &Value) {
        let acknowledge =
            json!({ "agent_id": status["agent_id"], "task_id": status["task_id"], "uuid": status["uuid"] });
        assert!(status["uuid"].is_string(), "{status}");
        self.call(json!({ "type": "ACKNOWLEDGE", "acknowledge": acknowledge }), 202);
    }
}

fn advance(server: &Server, ms: u64) {
    server.json("POST", "/sim/advance", &json!({ "for_ms": ms }).to_string(), 200);
}

#[test]
fn a_framework_runs_a_task_from_offer_to_end() {
    let server = Server::start(&["--clock", "manual", "--seed", "7"]);
    server.json("POST", "/sim/agents", r#"{"count":2,"resources":{"cpus":4,"mem":1024}}"#, 200);
    let info = json!({ "user": "root", "name": "outsider", "roles": ["dev"], "capabilities": [{ "type": "MULTI_ROLE" }] });
    let mut scheduler = Scheduler::subscribe(&server, &info);

    let offers = scheduler.next("OFFERS")["offers"]["offers"].clone();
    assert_eq!(offers.as_array().map(Vec::len), Some(2));
    let offer = &offers[0];
    let cpus = json!({ "name": "cpus", "type": "SCALAR", "scalar": { "value": 1 } });
    let task = json!({
        "name": "server", "task_id": { "value": "server.1" }, "agent_id": offer["agent_id"],
        "command": { "value": "./serve" }, "resources": [cpus],
        "kill_policy": { "grace_period": { "nanoseconds": 2_000_000_000 } },
    });
    let launch = json!({ "type": "LAUNCH", "launch": { "task_infos": [task] } });
    scheduler.call(
        json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "operations": [launch] } }),
        202,
    );
    advance(&server, 20_000);
    // It runs by now, which is reported only after its start was acknowledged; the start is repeated meanwhile.
    let first = scheduler.status();
    let again = scheduler.status();
    assert_eq!((&first["state"], &first["uuid"]), (&json!("TASK_STARTING"), &again["uuid"]));
    scheduler.acknowledge(&first);
    let status = scheduler.status();
    assert_eq!(status["state"], "TASK_RUNNING");
    scheduler.acknowledge(&status);
    let tasks = server.json("GET", "/master/tasks", "", 200);
    assert_eq!(tasks["tasks"][0]["state"], "TASK_RUNNING");

    scheduler.call(json!({ "type": "RECONCILE", "reconcile": { "tasks": [] } }), 202);
    let status = scheduler.status();
    assert_eq!(
        (&status["state"], &status["reason"]),
        (&json!("TASK_RUNNING"), &json!("REASON_RECONCILIATION"))
    );

    // A heartbeat for every fifteen seconds of virtual time, however little real time it takes.
    advance(&server, 30_000);
    scheduler.next("HEARTBEAT");
    scheduler.next("HEARTBEAT");

    scheduler.call(json!({ "type": "KILL", "kill": { "task_id": { "value": "server.1" } } }), 202);
    advance(&server, 5_000);
    let status = scheduler.status();
    assert_eq!(status["state"], "TASK_KILLED");
    scheduler.acknowledge(&status);
    let other = json!({ "type": "REVIVE", "framework_id": { "value": scheduler.id } });
    let (status, ..) = server.send("POST", "/api/v1/scheduler", &other.to_string());
    assert_eq!(status, 400, "without its media type and stream id");
}

#[test]
fn a_framework_gets_operation_statuses_until_it_acknowledges_them() {
    let server = Server::start(&["--clock", "manual", "--seed", "7"]);
    server.json("POST", "/sim/agents", r#"{"count":1,"resources":{"cpus":4,"mem":1024}}"#, 200);
    let info = json!({ "user": "root", "name": "reserver", "role": "dev" });
    let mut scheduler = Scheduler::subscribe(&server, &info);
    let offer = scheduler.next("OFFERS")["offers"]["offers"][0].clone();
    let cpus = |value: u32| json!({ "name": "cpus", "type": "SCALAR", "scalar": { "value": value }, "role": "dev", "reservation": {} });
    let reserve = |id: &str, value| json!({ "id": { "value": id }, "type": "RESERVE", "reserve": { "resources": [cpus(value)] } });
    let operations = [reserve("fits", 1), reserve("too-much", 100)];
    scheduler.call(
        json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "operations": operations } }),
        202,
    );
    let mut told = || scheduler.next("UPDATE_OPERATION_STATUS")["update_operation_status"]["status"].clone();
    let (done, refused) = (told(), told());
    assert_eq!(
        (&done["operation_id"]["value"], &done["state"]),
        (&json!("fits"), &json!("OPERATION_FINISHED"))
    );
    assert_eq!(
        (&refused["operation_id"]["value"], &refused["state"]),
        (&json!("too-much"), &json!("OPERATION_ERROR"))
    );
    advance(&server, 10_000);
    assert_eq!(told()["uuid"], done["uuid"], "it is said again");
    let acknowledge = json!({ "agent_id": done["agent_id"], "operation_id": done["operation_id"], "uuid": done["uuid"]["value"] });
    scheduler.call(
        json!({ "type": "ACKNOWLEDGE_OPERATION_STATUS", "acknowledge_operation_status": acknowledge }),
        202,
    );
    scheduler.call(json!({ "type": "RECONCILE_OPERATIONS", "reconcile_operations": {} }), 202);
    let one = json!({ "operation_id": { "value": "fits" } });
    scheduler.call(
        json!({ "type": "RECONCILE_OPERATIONS", "reconcile_operations": { "operations": [one] } }),
        202,
    );
    let status = scheduler.next("UPDATE_OPERATION_STATUS")["update_operation_status"]["status"].clone();
    assert_eq!(status["state"], "OPERATION_UNKNOWN", "it is forgotten, and the empty question had no answer");
}

#[test]
fn a_framework_that_disconnects_is_removed() {
    let server = Server::start(&["--clock", "manual"]);
    server.json("POST", "/sim/agents", r#"{"count":1}"#, 200);
    let info = json!({ "user": "root", "name": "brief", "failover_timeout": 10 });
    let scheduler = Scheduler::subscribe(&server, &info);
    drop(scheduler);
    let gone = (0..10_000).any(|_| {
        let frameworks = server.json("GET", "/frameworks", "", 200);
        frameworks["frameworks"][0]["connected"] == false
    });
    assert!(gone, "it still counts as connected");
    advance(&server, 10_000);
    let frameworks = server.json("GET", "/frameworks", "", 200);
    assert_eq!(frameworks["completed_frameworks"][0]["name"], "brief");
}
