//! Small files that clients keep in the service's state store.
//!
//! *Knows*: how large one may be and under which property it is stored. *Must not know*: multipart bodies.
//!
//! **Source**: `dcos-commons: …/http/queries/StateQueries.java` (putFile), `…/http/RequestUtils.java`. Match; how many
//! there may be is bounded here.

use super::{Cx, Scheduler};
use planarium_protocol::Refusal;
use planarium_protocol::event::{EventBody, Importance};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

/// Longest file. *Units*: bytes.
pub const FILE_BYTES: usize = 1024;

/// How many files one service keeps.
const FILES: usize = 1_000;

impl Scheduler {
    /// Keeps a file, in place of one of the same name.
    ///
    /// *Errors*: it is too long (400), or there are too many; 404 while the service is being uninstalled.
    pub fn store_file(&mut self, cx: &mut Cx, name: &str, text: &str) -> Result<Value, Refusal> {
        self.must_run()?;
        self.now = cx.now();
        if self.is_uninstalling() {
            return Err(crate::wire::not_served());
        }
        if text.len() > FILE_BYTES {
            let text = format!("Stream exceeds {FILE_BYTES} byte size limit");
            return Err(Refusal::new(RefusalCode::BadRequest, text));
        }
        if self.files.len() >= FILES && !self.files.contains_key(name) {
            let text = format!("{FILES} files are as many as a service keeps here");
            return Err(Refusal::new(RefusalCode::LimitReached, text));
        }
        self.files.insert(name.into(), text.into());
        cx.emit(EventBody::Happened {
            speaker: self.name.clone(),
            what: "file-stored".into(),
            importance: Importance::Normal,
            path: None,
            facts: vec![("file".into(), name.into())],
            text: format!("{}: file {name} stored", self.name).into(),
        });
        self.touch_service(cx);
        Ok(json!({ "status": 200 }))
    }
}
