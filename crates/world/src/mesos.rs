//! Calls of the Mesos master's API as inputs, and questions to it.
//!
//! Knows: which path is which kind of call. Must not know: what a call does; that is the master's.
//!
//! A `call` input whose path is one of the master's is resolved here, so that every replay resolves it alike. The body is
//! the JSON of a v1 call, or a text with the form of a v0 endpoint. What comes back is `{"status":CODE}` with more
//! beside it where the call answers something.

use crate::world::World;
use planarium_kernel::time::SimTime;
use planarium_mesos::operator::{OperatorCall, v0_call, v1_call};
use planarium_mesos::wire::{Calendar, MesosQuery};
use planarium_protocol::Refusal;
use planarium_protocol::input::HttpCall;
use planarium_protocol::refusal::RefusalCode;
use serde_json::{Value, json};

impl World {
    /// Where virtual time stands in the calendar.
    pub(crate) fn calendar(&self) -> Calendar {
        Calendar { epoch_ms: self.epoch_ms, now: SimTime(self.now_ms()) }
    }

    pub(crate) fn query_mesos(&self, query: &MesosQuery) -> Result<(u16, Value), Refusal> {
        self.cluster.master().read(self.calendar(), query).map(|value| (200, value))
    }

    /// Carries a call of the master's API out; none when the path is none of its calls.
    pub(crate) fn master_call(&mut self, call: &HttpCall) -> Option<Result<Value, Refusal>> {
        let path = call.path.split('?').next().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let parts = match parts.as_slice() {
            ["mesos", "master", rest @ ..] | ["mesos" | "master", rest @ ..] => rest,
            rest => rest,
        };
        let read = match parts {
            ["api", "v1", "scheduler"] => None,
            ["api", "v1"] => Some(v1_call(&call.body).unwrap_or_else(|| Err(unknown_type()))),
            [path] => Some(v0_call(path, call.body.as_str().unwrap_or_default())?),
            _ => return None,
        };
        if call.method != "POST" {
            let refusal = Refusal::new(RefusalCode::BadRequest, format!("{} is not for {path}", call.method));
            return Some(Err(Refusal { status: 405, ..refusal }));
        }
        Some(match read {
            None => self.scheduler_call(&call.body),
            Some(read) => read.and_then(|call| self.operate(&call)),
        })
    }

    fn operate(&mut self, call: &OperatorCall) -> Result<Value, Refusal> {
        let answer =
            self.cluster.with_master(&mut self.recorder, |master, fleet, cx| master.operate(cx, fleet, call))?;
        let mut reply = json!({ "status": answer.status });
        if let (Some(map), Some(body)) = (reply.as_object_mut(), answer.body) {
            map.insert("body".to_owned(), body);
        }
        Ok(reply)
    }
}

fn unknown_type() -> Refusal {
    Refusal::new(RefusalCode::BadRequest, "Expecting 'type' to be a known call")
}
