//! Which module answers which path.

mod parts;
mod sim;

use crate::problem::problem;
use crate::{Request, Response, Session};

/// Answers a request by its first path segment.
pub(crate) fn route(session: &mut Session, request: &Request, is_over: &dyn Fn() -> bool) -> Response {
    let segments = request.segments();
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    if let ["sim", rest @ ..] = parts.as_slice() {
        return sim::route(session, request, rest, is_over);
    }
    parts::of_system(session, request, &parts)
        .or_else(|| parts::of_layer(session, request, &parts))
        .unwrap_or_else(|| unknown(request))
}

/// Returns whether a request is for the journal, which is returned completely or not at all.
pub(crate) fn is_journal(request: &Request) -> bool {
    request.segments() == ["sim", sim::JOURNAL]
}

fn unknown(request: &Request) -> Response {
    let text = format!("{} is not a path of /sim, /mesos or a system in this build", request.path);
    problem(404, "no such path", &text)
}
