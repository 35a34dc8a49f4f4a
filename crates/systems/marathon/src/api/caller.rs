//! Calls that change something: the process, over the port to its cluster.

use super::reader::Reader;
use super::{Answer, DEPLOYMENT};
use crate::definition::Refused;
use crate::definition::write::Dates;
use crate::deployments::plan::ToKill;
use crate::deployments::planning::{Accepted, RootChange};
use crate::groups::{Marks, Root};
use crate::id::PathId;
use crate::marathon::Marathon;
use crate::port::Port;
use planarium_protocol::json;

/// A process that is called to change something.
pub(crate) struct Caller<'a, 'p> {
    pub(crate) marathon: &'a mut Marathon,
    pub(crate) port: &'a mut Port<'p>,
}

impl Caller<'_, '_> {
    /// Returns the reader that answers questions.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader::of(self.marathon)
    }

    /// The answer to a change that has been accepted.
    pub(crate) fn deployed(&self, accepted: &Accepted) -> Answer {
        let version = self.marathon.records.setup.calendar.date(accepted.version);
        let body = json!({"version": version, "deploymentId": accepted.id});
        Answer::json(body).with(DEPLOYMENT, &*accepted.id)
    }

    /// Applies a change of the tree without further options.
    pub(crate) fn simple_change(
        &mut self,
        group: PathId,
        force: bool,
        change: &mut dyn FnMut(&mut Root) -> Result<(), Refused>,
    ) -> Result<Accepted, Refused> {
        let version = self.marathon.records.definitions.new_stamp(self.port.cx.now());
        let change = RootChange { group, version, force, marks: Marks::new(), kill: ToKill::new(), change };
        self.marathon.change_root(self.port, change)
    }
}
