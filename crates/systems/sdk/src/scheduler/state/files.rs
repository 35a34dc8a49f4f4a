//! Small files that clients store in the service's state store.
//!
//! *Knows*: the maximum size and number. *Must not know*: multipart bodies, properties.
//!
//! **Source**: `dcos-commons: …/http/queries/StateQueries.java` (putFile), `…/http/RequestUtils.java`. Match; here the
//! number is limited, too.

use planarium_kernel::SortedMap;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};

/// Longest file. *Units*: bytes.
pub const FILE_BYTES: usize = 1024;

/// Maximum number of files of one service.
const FILES: usize = 1_000;

/// Files by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(SortedMap<Text, Text>);

impl Files {
    /// Stores a file, in place of one of the same name.
    ///
    /// *Errors*: it is too long (400), or there are too many.
    pub(crate) fn put(&mut self, name: &str, text: &str) -> Result<(), Refusal> {
        if text.len() > FILE_BYTES {
            let text = format!("Stream exceeds {FILE_BYTES} byte size limit");
            return Err(Refusal::new(RefusalCode::BadRequest, text));
        }
        if self.0.len() >= FILES && !self.0.contains_key(name) {
            let text = format!("{FILES} files are as many as a service keeps here");
            return Err(Refusal::new(RefusalCode::LimitReached, text));
        }
        self.0.insert(name.into(), text.into());
        Ok(())
    }

    /// The text of a file.
    pub(crate) fn get(&self, name: &str) -> Option<&Text> {
        self.0.get(name)
    }

    /// Names and texts, in order of names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        self.0.iter()
    }
}
