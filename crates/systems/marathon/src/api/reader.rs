//! Returns the reader that answers questions.
//!
//! *Must not know*: how anything is changed.

use crate::deployments::Deployments;
use crate::kills::Kills;
use crate::marathon::Marathon;
use crate::records::Records;

/// The records that questions are answered from.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) records: &'a Records,
    pub(crate) deployments: &'a Deployments,
    pub(crate) kills: &'a Kills,
}

impl<'a> Reader<'a> {
    /// Of a process.
    pub(crate) fn of(marathon: &'a Marathon) -> Self {
        Self { records: &marathon.records, deployments: &marathon.deployments, kills: &marathon.kills }
    }
}
