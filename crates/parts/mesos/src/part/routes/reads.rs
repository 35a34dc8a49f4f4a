//! Endpoints that only read.

use super::Asked;
use crate::wire::MesosQuery;
use planarium_part::{Request, Response};

/// The answer, wrapped as a script if the caller asks for one.
pub(super) fn answer(asked: Asked<'_>, request: &Request, query: &MesosQuery) -> Response {
    match asked.mesos.query(asked.ground, query) {
        Ok((status, value)) => match request.param("jsonp").filter(|name| is_name(name)) {
            Some(name) => Response {
                content_type: "text/javascript",
                ..Response::text(status, format!("{name}({value});"))
            },
            None => Response::json(status, &value),
        },
        Err(refusal) => super::refused(&refusal),
    }
}

/// Returns whether a text can be called as a function without being anything else.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
}
