//! Answers questions to the master.

use super::{
    common::{Calendar, version},
    query::MesosQuery,
    read::bad,
};
use crate::{Master, api::FrameworkId};
use planarium_protocol::{Refusal, json};
use serde_json::Value;

impl Master {
    /// Answers a question.
    ///
    /// *Errors*: an operator call that is no read.
    pub fn read(&self, calendar: Calendar, query: &MesosQuery) -> Result<Value, Refusal> {
        Ok(match query {
            MesosQuery::State => self.state_v0(calendar),
            MesosQuery::Slaves { slave_id } => self.slaves_v0(calendar, slave_id.as_deref()),
            MesosQuery::Tasks(ask) => self.tasks_v0(calendar, ask),
            MesosQuery::Frameworks { framework_id } => self.frameworks_v0(calendar, framework_id.as_deref()),
            MesosQuery::StateSummary => self.state_summary(calendar),
            MesosQuery::Roles => self.roles_v0(),
            MesosQuery::Weights => self.weights_json().into(),
            MesosQuery::Quota => self.quota_json(),
            MesosQuery::Metrics => self.metrics(calendar),
            MesosQuery::MaintenanceSchedule => self.maintenance_schedule(),
            MesosQuery::MaintenanceStatus => self.maintenance_status(calendar.epoch_ms),
            MesosQuery::Flags => json!({ "flags": self.flags() }),
            MesosQuery::Version => version(),
            MesosQuery::ListFiles { path } => self.list_files(calendar, path)?,
            MesosQuery::ReadFile { path, offset, length } => self.read_file(path, *offset, *length)?,
            MesosQuery::Operator(kind) => match self.operator_read(calendar, kind) {
                Some(reply) => reply,
                None => return Err(bad(format!("'{kind}' is not a read"))),
            },
        })
    }

    /// The registered framework with this id on the wire.
    pub fn framework_by_id(&self, wire: &str) -> Option<FrameworkId> {
        self.registered_frameworks().into_iter().find(|id| self.framework_wire_id(*id) == wire)
    }

    /// A framework's id on the wire.
    pub fn framework_id(&self, id: FrameworkId) -> &str {
        self.framework_wire_id(id)
    }

    /// Whether a framework is connected.
    pub fn is_connected(&self, id: FrameworkId) -> bool {
        self.framework(id).is_some_and(crate::frameworks::Framework::is_connected)
    }
}
