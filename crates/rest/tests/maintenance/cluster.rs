//! A world behind the router, with frameworks from outside; the events that they receive are recorded as lines of text.

use planarium_rest::{Request, Session, handle};
use planarium_world::Genesis;
use serde_json::{Value, json};

/// Genesis in the calendar, where the documentation's first window begins.
pub(crate) const EPOCH_NS: i64 = 1_443_830_400_000_000_000;

pub(crate) struct Cluster {
    pub(crate) session: Session,
    /// Events up to here were looked at.
    seen: u64,
    /// Every framework event, with its framework.
    pub(crate) events: Vec<(String, Value)>,
}

impl Cluster {
    pub(crate) fn new() -> Self {
        Self { session: Session::new(Genesis::default()), seen: 0, events: Vec::new() }
    }

    /// Machines with 4 cpus called `h1`, ..., at 10.0.0.1, ...
    pub(crate) fn of(machines: u32) -> Self {
        let mut cluster = Self::new();
        cluster.input(json!({ "kind": "process-behaviour", "behaviour": { "start_ms": 50 } }));
        cluster.input(json!({ "kind": "add-agent", "count": machines, "hostname": "h{n}", "ip": "10.0.0.{n}", "resources": { "cpus": 4, "mem": 4096 } }));
        cluster
    }

    /// Status, content type and body of a call.
    pub(crate) fn send(&mut self, method: &str, target: &str, body: &str) -> (u16, String) {
        let mut request = Request::new(method, target, body);
        if target.contains("/api/v1") {
            request.headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let response = handle(&mut self.session, &request);
        if response.status >= 400 {
            assert!(
                response.content_type.starts_with("text/plain"),
                "{method} {target} {}",
                response.content_type
            );
        }
        (response.status, String::from_utf8(response.body).expect("text"))
    }

    pub(crate) fn post(&mut self, target: &str, body: &Value) -> (u16, String) {
        self.send("POST", target, &body.to_string())
    }

    /// A call that must be answered with 200 and an empty body.
    #[track_caller]
    pub(crate) fn ok(&mut self, target: &str, body: &Value) {
        assert_eq!(self.post(target, body), (200, String::new()), "POST {target} {body}");
    }

    #[track_caller]
    pub(crate) fn read(&mut self, target: &str) -> Value {
        let (status, body) = self.send("GET", target, "");
        assert_eq!(status, 200, "GET {target}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    #[track_caller]
    pub(crate) fn input(&mut self, input: Value) -> Value {
        let input = serde_json::from_value(input).expect("an input");
        self.session.engine.apply(input).outcome.expect("accepted")
    }

    pub(crate) fn to(&mut self, ms: u64) {
        self.session.engine.advance_to(ms);
    }

    /// A framework with one role `*` that sends nothing on its own.
    pub(crate) fn framework(&mut self, name: &str) {
        self.input(
            json!({ "kind": "framework", "op": "add", "name": name, "roles": ["*"], "policy": "manual" }),
        );
        self.heard();
    }

    pub(crate) fn call(&mut self, name: &str, call: Value) {
        self.input(json!({ "kind": "framework", "op": "call", "name": name, "call": call }));
    }

    /// Returns the messages to frameworks since the last call: `instant framework EVENT kind`.
    pub(crate) fn heard(&mut self) -> Vec<String> {
        let events = self.session.engine.events_since(self.seen).to_vec();
        let mut lines = Vec::new();
        for event in &events {
            self.seen = event.seq;
            let value = serde_json::to_value(event).expect("plain data");
            if value["kind"] != "framework-event" {
                continue;
            }
            let (framework, event) = (value["framework"].as_str().expect("a name"), value["event"].clone());
            lines.push(format!("{} {framework} {}", value["at_ms"], line(&event)));
            self.events.push((framework.to_owned(), event));
        }
        lines
    }

    /// Launches tasks of one cpu each on the offers a framework has for a machine, the rest refused for `refuse` s.
    #[track_caller]
    pub(crate) fn launch(&mut self, name: &str, hostname: &str, tasks: &[&str], refuse: f64) {
        self.heard();
        let offer = self.last_offer(name, hostname);
        let infos: Vec<Value> = tasks
            .iter()
            .map(|task| {
                json!({ "name": task, "task_id": { "value": task }, "agent_id": offer["agent_id"],
                    "command": { "value": "sleep 100000" },
                    "resources": [{ "name": "cpus", "type": "SCALAR", "scalar": { "value": 1 }, "allocation_info": { "role": "*" } }] })
            })
            .collect();
        self.call(
            name,
            json!({ "type": "ACCEPT", "accept": { "offer_ids": [offer["id"]], "filters": { "refuse_seconds": refuse },
                "operations": [{ "type": "LAUNCH", "launch": { "task_infos": infos } }] } }),
        );
    }

    /// The newest offer of a machine to a framework.
    #[track_caller]
    pub(crate) fn last_offer(&self, name: &str, hostname: &str) -> Value {
        let all = self
            .events
            .iter()
            .rev()
            .filter(|(framework, event)| framework == name && event["type"] == "OFFERS");
        let mut offers =
            all.flat_map(|(_, event)| event["offers"]["offers"].as_array().cloned().unwrap_or_default());
        offers.find(|offer| offer["hostname"] == hostname).expect("an offer")
    }

    /// Ids of the newest inverse offers to a framework, with the hostnames of their agents.
    pub(crate) fn inverse(&self, name: &str) -> Vec<Value> {
        let mut all = self
            .events
            .iter()
            .rev()
            .filter(|(framework, event)| framework == name && event["type"] == "INVERSE_OFFERS");
        let newest = all.next().map(|(_, event)| event["inverse_offers"]["inverse_offers"].clone());
        newest.and_then(|offers| offers.as_array().cloned()).unwrap_or_default()
    }

    /// Answers an inverse offer.
    pub(crate) fn answer(&mut self, name: &str, accept: bool, id: &Value, refuse: Option<f64>) {
        let (kind, part) = if accept {
            ("ACCEPT_INVERSE_OFFERS", "accept_inverse_offers")
        } else {
            ("DECLINE_INVERSE_OFFERS", "decline_inverse_offers")
        };
        let mut payload = json!({ "inverse_offer_ids": [id] });
        if let Some(seconds) = refuse {
            payload["filters"] = json!({ "refuse_seconds": seconds });
        }
        let mut call = json!({ "type": kind });
        call[part] = payload;
        self.call(name, call);
    }

    /// Everything that could change, except the record of requests.
    pub(crate) fn state(&mut self) -> String {
        let view = self.session.engine.view();
        let clock = view.clock.now_ms;
        let reads: Vec<String> =
            ["/state", "/tasks", "/maintenance/schedule", "/maintenance/status", "/metrics/snapshot"]
                .iter()
                .map(|target| self.send("GET", target, "").1)
                .collect();
        let cluster = serde_json::to_string(&view.cluster).expect("plain data");
        format!("{clock} {cluster} {}", reads.join("\n"))
    }
}

fn line(event: &Value) -> String {
    let kind = event["type"].as_str().expect("a type");
    let offers = |list: &Value| {
        let one = |offer: &Value| {
            let away = &offer["unavailability"]["start"]["nanoseconds"];
            let host =
                offer["hostname"].as_str().or(offer["url"]["address"]["hostname"].as_str()).unwrap_or("?");
            match away.as_i64() {
                Some(start) => format!("{host}@{}", (start - EPOCH_NS) / 1_000_000_000),
                None => host.to_owned(),
            }
        };
        let mut hosts: Vec<String> = list.as_array().into_iter().flatten().map(one).collect();
        hosts.sort_unstable();
        hosts.join(" ")
    };
    match kind {
        "OFFERS" => format!("OFFERS {}", offers(&event["offers"]["offers"])),
        "INVERSE_OFFERS" => format!("INVERSE_OFFERS {}", offers(&event["inverse_offers"]["inverse_offers"])),
        "UPDATE" => {
            let status = &event["update"]["status"];
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let reason = word(&status["reason"]);
            let (task, state) = (word(&status["task_id"]["value"]), word(&status["state"]));
            format!("{task} {state} {reason}").trim_end().to_owned()
        }
        _ => kind.to_owned(),
    }
}

/// A window of `seconds` after genesis, with its length in seconds.
pub(crate) fn window(machines: &[Value], start_s: i64, length_s: Option<i64>) -> Value {
    let mut away = json!({ "start": { "nanoseconds": EPOCH_NS + start_s * 1_000_000_000 } });
    if let Some(length_s) = length_s {
        away["duration"] = json!({ "nanoseconds": length_s * 1_000_000_000 });
    }
    json!({ "machine_ids": machines, "unavailability": away })
}

pub(crate) fn schedule(windows: &[Value]) -> Value {
    json!({ "windows": windows })
}

/// Machine `hN`.
pub(crate) fn h(n: u32) -> Value {
    json!({ "hostname": format!("h{n}"), "ip": format!("10.0.0.{n}") })
}
