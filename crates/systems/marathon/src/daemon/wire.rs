//! The API as clients reach it: `/marathon/...`, `/service/marathon/...`, `/v2/...`.
//!
//! *Knows*: methods, headers, which requests change something. *Must not know*: the effect of requests.

use super::Daemon;
use crate::api::Answer;
use crate::api::caller::Caller;
use crate::api::reader::Reader;
use crate::api::route::{Asked, Query, Route, below, of};
use crate::definition::Refused;
use crate::port::Port;
use planarium_mesos::Cluster;
use planarium_part::{Request, Response, Wire, outcome, reply_as_recorded};
use planarium_protocol::input::HttpCall;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Input, Refusal, json};
use serde_json::Value;
use std::borrow::Cow;

/// Returns whether a path may be one of this API's. A daemon may be called otherwise than `marathon`.
pub(super) fn owns(parts: &[&str]) -> bool {
    matches!(parts, ["marathon" | "v2" | "service", ..] | ["ping" | "metrics"])
}

/// Nothing runs that could answer.
pub(super) fn nobody(_: &Request, _: &[&str]) -> Response {
    Response::json(404, &json!({"message": "URI not found"}))
}

/// Returns the readable paths.
pub(super) fn links(_: &ServiceView) -> Vec<(String, &'static str)> {
    [
        ("/v2/apps", "apps"),
        ("/v2/groups", "groups"),
        ("/v2/deployments", "deployments under way"),
        ("/v2/queue", "what waits for offers"),
        ("/v2/tasks", "instances"),
    ]
    .map(|(path, what)| (format!("/marathon{path}"), what))
    .to_vec()
}

fn response(answer: Answer) -> Response {
    let mut response = match &answer.body {
        Value::Null => Response::empty(answer.status),
        Value::String(text) if answer.plain => Response::text(answer.status, text.as_str()),
        body => Response::json(answer.status, body),
    };
    let headers = answer.headers.into_iter().map(|(name, value)| (Cow::Borrowed(name), value));
    response.headers.extend(headers);
    response
}

/// Completes a `Location` header with the host that was asked.
///
/// **Source**: Jersey 2.27 as the real one uses it: a relative `Location` becomes absolute. Match.
fn located(mut response: Response, host: Option<String>) -> Response {
    let Some(host) = host else { return response };
    for (_, value) in response.headers.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case("location")) {
        *value = format!("http://{host}/{}", value.trim_start_matches('/'));
    }
    response
}

fn refused(refused: &Refused) -> Response {
    Response::json(refused.status(), &refused.body())
}

/// A refusal of the server itself: the words of its status.
///
/// **Source**: `marathon: api/MarathonExceptionMapper.scala`. Match.
fn status_message(status: u16, text: &str) -> Response {
    Response::json(status, &json!({"message": text}))
}

/// A request as an input. A text in quotes is JSON, and stays it; the word null is a body, too.
fn recorded(request: &Request) -> HttpCall {
    let mut call = request.recorded();
    let text = String::from_utf8_lossy(&request.body);
    if call.body.is_string() || text.trim() == "null" {
        call.body = Value::String(text.into_owned());
    }
    call
}

fn is_json(kind: &str) -> bool {
    matches!(kind, "application/json" | "application/*" | "*/*")
}

/// The forms of `pong`, best first.
const PONGS: [&str; 4] = ["text/plain", "text/html", "application/json", "text/*"];

/// Returns `pong` in the form that the client prefers; nothing if it accepts none.
///
/// **Source**: `marathon: api/SystemResource.scala`. Match.
fn pong(accept: Option<&str>) -> Response {
    let mut liked: Vec<(u32, String)> = Vec::new();
    for entry in accept.unwrap_or("*/*").split(',').filter(|entry| !entry.trim().is_empty()) {
        let mut parts = entry.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts.find_map(|part| part.strip_prefix("q="));
        liked.push((quality.map_or(1000, per_mille), kind));
    }
    planarium_kernel::sorted::sort_by(&mut liked, |one, other| other.0.cmp(&one.0));
    let fits = |kind: &str, form: &str| {
        let (main, sub) = kind.split_once('/').unwrap_or((kind, "*"));
        let (form_main, form_sub) = form.split_once('/').unwrap_or((form, "*"));
        (main == "*" || main == form_main) && (sub == "*" || form_sub == "*" || sub == form_sub)
    };
    let best = liked
        .iter()
        .filter(|(quality, _)| *quality > 0)
        .find_map(|(_, kind)| PONGS.into_iter().find(|form| fits(kind, form)));
    match best {
        Some("application/json") => Response::json(200, &Value::from("pong")),
        Some("text/html") => Response { content_type: "text/html", ..Response::text(200, "pong") },
        Some(_) => Response { content_type: "text/plain", ..Response::text(200, "pong") },
        None => Response::empty(204),
    }
}

/// A quality such as `0.8`. *Units*: thousandths.
fn per_mille(text: &str) -> u32 {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = rest.chars().chain("000".chars()).take(3).collect();
    let whole = whole.parse::<u32>().unwrap_or(1).min(1) * 1000;
    (whole + digits.parse::<u32>().unwrap_or(0)).min(1000)
}

impl Daemon {
    /// Answers a request.
    pub(super) fn answer_request(&self, cluster: &Cluster, request: &Request, parts: &[&str]) -> Wire {
        let Some(rest) = below(parts, self.framework_name()) else { return Wire::NotMine };
        let Some(found) = of(rest) else { return Wire::Answer(nobody(request, parts)) };
        let query = Query::of(&request.query);
        let method = request.method.as_str();
        let Ok(resource) = found.by(method) else {
            return Wire::Answer(status_message(405, "Method Not Allowed"));
        };
        let reads = matches!(method, "GET" | "HEAD");
        let kind = request.content_type();
        if resource.takes_json_only && !kind.is_empty() && !is_json(&kind) {
            return Wire::Answer(status_message(415, "Unsupported Media Type"));
        }
        let route = (resource.route)(&found.captures);
        let now = cluster.asked();
        match (&route, method) {
            (Route::Events, _) => {
                let accept = request.header("accept").unwrap_or_default();
                if !accept.contains("text/event-stream") {
                    return Wire::Answer(Response::text(405, "HTTP 405 Method Not Allowed"));
                }
                let (first, topic) = Reader::of(&self.marathon).begin_stream(&query, now, &self.listeners);
                let mut response = Response::text(200, first);
                response.content_type = "text/event-stream";
                Wire::Stream(response, topic, None)
            }
            (Route::Ping, _) => Wire::Answer(pong(request.header("accept"))),
            (Route::Groups | Route::Group(_), "PUT") if query.flag("dryRun", false) => {
                let id = if let Route::Group(id) = &route { id.as_str() } else { "/" };
                let done = Reader::of(&self.marathon).dry_run(id, &recorded(request).body);
                Wire::Answer(done.map_or_else(|error| refused(&error), response))
            }
            _ if reads => {
                let done = Reader::of(&self.marathon).ask(now, &route, &query);
                let mut response = done.map_or_else(|error| refused(&error), response);
                if method == "HEAD" {
                    response.body.clear();
                }
                Wire::Answer(response)
            }
            _ => {
                let call = recorded(request);
                let host = request.header("host").map(str::to_owned);
                let reply = |outcome| located(reply_as_recorded(outcome), host);
                Wire::Change(Box::new(Input::Call(call)), Box::new(reply))
            }
        }
    }

    /// Carries a journaled call out.
    pub(super) fn carry_out(
        &mut self,
        port: &mut Port<'_>,
        call: &HttpCall,
        parts: &[&str],
    ) -> Option<Result<Value, Refusal>> {
        let rest = below(parts, self.framework_name())?;
        let Some(found) = of(rest) else {
            return Some(Err(self.refuse(&Refused::NotFound("URI not found".to_owned()))));
        };
        let route = (found.meaning().route)(&found.captures);
        let query = Query::of(call.path.split_once('?').map_or("", |(_, query)| query));
        let reads = call.method == "GET" && found.by("GET").is_ok();
        let trial = call.method == "PUT" && query.flag("dryRun", false);
        let done = if reads {
            Reader::of(&self.marathon).ask(port.now(), &route, &query)
        } else if let (Route::Groups, true) = (&route, trial) {
            Reader::of(&self.marathon).dry_run("/", &call.body)
        } else if let (Route::Group(id), true) = (&route, trial) {
            Reader::of(&self.marathon).dry_run(id, &call.body)
        } else {
            self.with(port, |marathon, port| {
                let asked = Asked { method: &call.method, route: &route, query: &query };
                Caller { marathon, port }.change(asked, &call.body)
            })
        };
        Some(done.map_err(|error| self.refuse(&error)).map(|answer| {
            let Answer { status, headers, body, .. } = answer;
            let headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            outcome(status, &headers, body)
        }))
    }
}
