//! The APIs of the simulated parts: each part handles its own requests.
//!
//! *Knows*: how an input is applied and how a stream begins. *Must not know*: any path or body.

use crate::stream::{begin, since};
use crate::{Request, Response, Session};
use planarium_part::Wire;
use planarium_part::http::{EventStream, Rest, Source};
use planarium_protocol::Input;
use serde_json::Value;

/// Answers a request of a system's API; none when the path is of no system.
pub(super) fn of_system(session: &mut Session, request: &Request, parts: &[&str]) -> Option<Response> {
    let (mut process, mut wire) = session.engine.world().wire(request, parts)?;
    if process.is_none() && matches!(wire, Wire::Stream(..)) {
        // The real program already runs before a service is loaded into it: start it, so that there is something to listen
        // to.
        let _ = session.engine.apply(Input::Call(request.recorded()));
        (process, wire) = session.engine.world().wire(request, parts)?;
    }
    answer(session, wire, &|topic| Some(Source::System(process?, topic)))
}

/// Answers a request of the API of a layer under the systems; none when the path is of no layer.
pub(super) fn of_layer(session: &mut Session, request: &Request, parts: &[&str]) -> Option<Response> {
    let (layer, mut wire) = session.engine.world().layer_wire(request, parts)?;
    if matches!(wire, Wire::Stream(..)) && !session.engine.world().layer_has_begun(layer) {
        // Start it, so that there is something to listen to.
        let _ = session.engine.apply(Input::Call(request.recorded()));
        (_, wire) = session.engine.world().layer_wire(request, parts)?;
    }
    answer(session, wire, &|topic| Some(Source::Layer(layer, topic)))
}

/// Carries out a part's handling of a request.
fn answer(session: &mut Session, wire: Wire, source: &dyn Fn(Value) -> Option<Source>) -> Option<Response> {
    Some(match wire {
        Wire::NotMine => return None,
        Wire::Answer(response) => response,
        Wire::Change(input, reply) => reply(session.engine.apply(*input).outcome),
        Wire::Subscribe(input, reply) => {
            let seq = session.engine.seq();
            let (response, topic) = reply(session.engine.apply(*input).outcome);
            match topic.and_then(source) {
                Some(source) => {
                    let stream = since(session, seq, source);
                    Response { rest: Rest::Events(Box::new(stream)), ..response }
                }
                None => response,
            }
        }
        Wire::Stream(response, topic, limit_s) => {
            let begun = source(topic).map(|source| {
                session.engine.stream_begins(&source);
                Box::new(EventStream { limit_s, ..begin(session, source) })
            });
            Response { rest: begun.map_or(Rest::Whole, Rest::Events), ..response }
        }
    })
}
