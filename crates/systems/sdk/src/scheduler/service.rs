//! The service as its process was started: nothing here changes while the process runs.

use crate::programs::{Program, ServedFile};
use planarium_protocol::Text;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The service of a scheduler process.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    /// Service name: how everyone calls this service.
    pub(crate) name: Text,
    /// Environment of the scheduler.
    pub(crate) env: Arc<BTreeMap<String, String>>,
    /// The program that this is the scheduler of.
    pub(crate) program: Program,
    /// Files that the program serves as endpoints.
    pub(crate) served: Arc<[ServedFile]>,
    /// The service's own name on its reservations, when it shares its framework with others.
    pub(crate) namespace: Option<Text>,
}
