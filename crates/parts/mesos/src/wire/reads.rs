//! Answers questions to the master.

use super::{
    common::{Calendar, version},
    query::MesosQuery,
    read::bad,
};
use crate::{
    maintenance::cluster::view,
    operator::{quota, weights},
    records::Records,
    wire::{metrics, operator, sandbox, state, summary, task},
};
use planarium_protocol::{Refusal, json};
use serde_json::Value;

/// Answers a question.
///
/// *Errors*: an operator call that is not a read.
pub(crate) fn read(records: &Records, calendar: Calendar, query: &MesosQuery) -> Result<Value, Refusal> {
    Ok(match query {
        MesosQuery::State => state::state_v0(records, calendar),
        MesosQuery::Slaves { slave_id } => state::slaves_v0(records, calendar, slave_id.as_deref()),
        MesosQuery::Tasks(ask) => task::tasks_v0(&records.tasks, &records.cluster, calendar, ask),
        MesosQuery::Frameworks { framework_id } => {
            state::frameworks_v0(records, calendar, framework_id.as_deref())
        }
        MesosQuery::StateSummary => summary::state_summary(records, calendar),
        MesosQuery::Roles => summary::roles_v0(records),
        MesosQuery::Weights => weights::weights_json(&records.cluster.allocator).into(),
        MesosQuery::Quota => quota::quota_json(&records.cluster.allocator),
        MesosQuery::Metrics => metrics::metrics(records, calendar),
        MesosQuery::MaintenanceSchedule => view::maintenance_schedule(&records.maintenance),
        MesosQuery::MaintenanceStatus => {
            view::maintenance_status(&records.maintenance, &records.cluster.frameworks, calendar.epoch_ms)
        }
        MesosQuery::Flags => json!({ "flags": state::flags(records) }),
        MesosQuery::Version => version(),
        MesosQuery::ListFiles { path } => {
            sandbox::list_files(&records.tasks, &records.cluster, calendar, path)?
        }
        MesosQuery::ReadFile { path, offset, length } => {
            sandbox::read_file(&records.tasks, &records.cluster, path, *offset, *length)?
        }
        MesosQuery::Operator(kind) => match operator::operator_read(records, calendar, kind) {
            Some(reply) => reply,
            None => return Err(bad(format!("'{kind}' is not a read"))),
        },
    })
}
