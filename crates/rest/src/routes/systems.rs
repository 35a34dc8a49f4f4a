//! The APIs of the simulated systems: each says itself what becomes of a request.
//!
//! *Knows*: how an input is put in and how a stream begins. *Must not know*: any path or body.

use crate::stream::begin;
use crate::{Request, Response, Session};
use planarium_part::Wire;
use planarium_part::http::{Rest, Source};
use planarium_protocol::Input;

/// Answers a request; none when the path is of no system.
pub(super) fn route(session: &mut Session, request: &Request, parts: &[&str]) -> Option<Response> {
    let (mut process, mut wire) = session.engine.world().wire(request, parts)?;
    if process.is_none() && matches!(wire, Wire::Stream(..)) {
        // The real program is there before anything is loaded into it: it starts, so that there is something to listen to.
        let _ = session.engine.apply(Input::Call(request.recorded()));
        (process, wire) = session.engine.world().wire(request, parts)?;
    }
    Some(match wire {
        Wire::NotMine => return None,
        Wire::Answer(response) => response,
        Wire::Change(input, reply) => reply(session.engine.apply(*input).outcome),
        Wire::Stream(response, topic) => {
            let begun = process.map(|process| Box::new(begin(session, Source::System(process, topic))));
            Response { rest: begun.map_or(Rest::Whole, Rest::Events), ..response }
        }
    })
}
