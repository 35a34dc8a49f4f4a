//! Calls of the SDK schedulers' API that are no command of their own: files for the state store.
//!
//! Knows: which path is which kind of call. Must not know: what a call does; that is the scheduler's.
//!
//! A `call` input `PUT /service/NAME/v1/state/files/FILE` is resolved here, so that every replay resolves it alike. The
//! body is the file's text.

use crate::world::World;
use planarium_protocol::Refusal;
use planarium_protocol::input::HttpCall;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

/// What stands between a service's name and a file's.
const FILES: &str = "/v1/state/files/";

impl World {
    /// Carries a call of a scheduler's API out; none when the path is none of its calls.
    pub(crate) fn sdk_call(&mut self, call: &HttpCall) -> Option<Result<Value, Refusal>> {
        let (service, file) = call.path.strip_prefix("/service/")?.split_once(FILES)?;
        if call.method != "PUT" || file.is_empty() {
            return None;
        }
        let Value::String(text) = &call.body else {
            return Some(Err(Refusal::new(RefusalCode::BadRequest, "Missing payload")));
        };
        Some(self.services.named(service).and_then(|id| {
            let cx = &mut self.recorder;
            self.services.store_file(cx, id, file, text)
        }))
    }
}
