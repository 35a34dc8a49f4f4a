//! The router as a client sees it: JSON in, JSON out.

use crate::tree;
use planarium_rest::{Request, Session, handle};
use planarium_world::Genesis;
use serde_json::{Value, json};

/// A client with its own world.
#[derive(Debug)]
pub struct Client {
    /// The session it talks to.
    pub session: Session,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The request, for messages.
    pub asked: String,
    /// Status code.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: String,
    /// The `allow` header, where there is one.
    pub allow: Option<String>,
    /// Body.
    pub text: String,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Panics
    /// When it is not.
    #[expect(clippy::panic, reason = "helper of tests")]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{}: {error}: {}", self.asked, self.text))
    }

    /// Itself, when it has this status.
    ///
    /// # Panics
    /// When it has another.
    #[track_caller]
    pub fn status(&self, status: u16) -> &Self {
        assert_eq!(self.status, status, "{}: {}", self.asked, self.text);
        self
    }

    /// Itself, when it is a problem of `/sim` in the agreed shape.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn problem(&self, status: u16) -> Value {
        self.status(status);
        assert_eq!(self.content_type, "application/problem+json", "{}", self.asked);
        let body = self.json();
        assert_eq!(body["status"], status, "{}: {body}", self.asked);
        for key in ["type", "title", "detail"] {
            assert!(
                body[key].as_str().is_some_and(|text| !text.is_empty()),
                "{}: no {key} in {body}",
                self.asked
            );
        }
        body
    }
}

impl Default for Client {
    fn default() -> Self {
        Self::new(1)
    }
}

impl Client {
    /// A client of an empty world.
    pub fn new(seed: u64) -> Self {
        Self { session: Session::new(Genesis { seed, ..Genesis::default() }) }
    }

    /// A client of a world with a cluster preset (`PUT /sim/scenario`).
    #[track_caller]
    pub fn with_cluster(preset: &str) -> Self {
        let mut client = Self::default();
        client.put("/sim/scenario", &json!({ "version": 1, "cluster": preset })).status(200);
        client
    }

    /// Sends a request with an unchanged body.
    pub fn send(&mut self, method: &str, target: &str, body: impl Into<Vec<u8>>) -> Answer {
        let response = handle(&mut self.session, &Request::new(method, target, body));
        Answer {
            asked: format!("{method} {target}"),
            status: response.status,
            content_type: response.content_type.to_owned(),
            allow: response.headers.iter().find(|(name, _)| *name == "allow").map(|(_, value)| value.clone()),
            text: String::from_utf8_lossy(&response.body).into_owned(),
        }
    }

    /// `GET`.
    pub fn get(&mut self, target: &str) -> Answer {
        self.send("GET", target, "")
    }

    /// Sends a `POST` with a JSON body; `null` means no body.
    pub fn post(&mut self, target: &str, body: &Value) -> Answer {
        self.send("POST", target, if body.is_null() { String::new() } else { body.to_string() })
    }

    /// `PUT` with a JSON body.
    pub fn put(&mut self, target: &str, body: &Value) -> Answer {
        self.send("PUT", target, body.to_string())
    }

    /// An input that has to be accepted.
    #[track_caller]
    pub fn input(&mut self, input: &Value) -> Value {
        let answer = self.post("/sim/inputs", input);
        answer.status(200);
        let body = answer.json();
        assert_eq!(body["accepted"], true, "{input}: {body}");
        body
    }

    /// Lets time pass.
    #[track_caller]
    pub fn advance(&mut self, ms: u64) -> Value {
        self.post("/sim/advance", &json!({ "for_ms": ms })).status(200).json()
    }

    /// Lets time pass until a condition holds, which it must within the hour.
    #[track_caller]
    pub fn until(&mut self, condition: &str) -> Value {
        let body = self
            .post("/sim/advance", &json!({ "until": condition, "limit_ms": 3_600_000 }))
            .status(200)
            .json();
        assert_eq!(body["met"], true, "{condition}: {body}\n{}", self.trees());
        body
    }

    /// The tree of a plan of the first service, drawn from the wire.
    #[track_caller]
    pub fn tree(&mut self, plan: &str) -> String {
        let answer = self.get(&format!("/v1/plans/{plan}"));
        assert!(
            matches!(answer.status, 200 | 202 | 417),
            "{}: {} {}",
            answer.asked,
            answer.status,
            answer.text
        );
        tree::draw(plan, &answer.json())
    }

    /// All trees of the world, for messages.
    pub fn trees(&self) -> String {
        planarium_scenario::text::world_trees(&self.session.engine.view())
    }

    /// Returns the whole visible state except the clock, which a refused input must not change.
    pub fn state(&self) -> Value {
        let view = self.session.engine.view();
        json!({ "services": view.services, "cluster": view.cluster, "faults": view.faults })
    }

    /// The digest.
    pub fn digest(&self) -> String {
        self.session.engine.digest()
    }
}
