//! The endpoints of the master, with their methods and meanings.
//!
//! Source: `apache/mesos: src/master/master.cpp` (routes), `3rdparty/libprocess/src/process.cpp` (the longest prefix of a path that has a
//! route answers; the rest is ignored). Match.

use crate::operator::{Conversion, V0};
use crate::wire::{MesosQuery, TasksQuery};
use planarium_part::routes::Route;

/// Values of a query by their keys.
pub(in super::super) type Param<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The meaning of an endpoint.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Endpoint {
    /// Calls of a framework.
    Scheduler,
    /// Calls of an operator, version 1.
    Operator,
    /// A read.
    Read(fn(&Param<'_>) -> MesosQuery),
    /// A maintenance call.
    Maintenance(&'static str),
    /// Another change of the v0 API.
    Change(V0),
    /// The master is there.
    Health,
    /// To the leading master.
    Redirect,
    /// An endpoint of another process, beside the master.
    Beside,
}

const fn read(pattern: &'static str, query: fn(&Param<'_>) -> MesosQuery) -> Route<Endpoint> {
    Route::new("GET", pattern, Endpoint::Read(query))
}

const fn change(methods: &'static str, pattern: &'static str, change: V0) -> Route<Endpoint> {
    Route::new(methods, pattern, Endpoint::Change(change))
}

const fn maintenance(pattern: &'static str, op: &'static str) -> Route<Endpoint> {
    Route::new("POST", pattern, Endpoint::Maintenance(op))
}

/// Every endpoint, below its prefix.
pub(in super::super) const ROUTES: &[Route<Endpoint>] = &[
    Route::new("POST", "api/v1/scheduler/...", Endpoint::Scheduler),
    Route::new("POST", "api/v1/...", Endpoint::Operator),
    read("maintenance/schedule/...", |_| MesosQuery::MaintenanceSchedule),
    maintenance("maintenance/schedule/...", "schedule"),
    read("maintenance/status/...", |_| MesosQuery::MaintenanceStatus),
    maintenance("machine/down/...", "down"),
    maintenance("machine/up/...", "up"),
    Route::new("GET", "health/...", Endpoint::Health),
    Route::new("", "redirect", Endpoint::Redirect),
    change("POST", "reserve/...", V0::Convert(Conversion::Reserve)),
    change("POST", "unreserve/...", V0::Convert(Conversion::Unreserve)),
    change("POST", "create-volumes/...", V0::Convert(Conversion::Create)),
    change("POST", "destroy-volumes/...", V0::Convert(Conversion::Destroy)),
    change("POST", "teardown/...", V0::Teardown),
    read("weights/...", |_| MesosQuery::Weights),
    change("PUT", "weights/...", V0::Weights),
    read("quota/...", |_| MesosQuery::Quota),
    change("POST", "quota/...", V0::Quota),
    change("DELETE", "quota/...", V0::RemoveQuota),
    read("metrics/snapshot/...", |_| MesosQuery::Metrics),
    read("state|state.json/...", |_| MesosQuery::State),
    read("slaves/...", |param| MesosQuery::Slaves { slave_id: given(param, "slave_id") }),
    read("tasks|tasks.json/...", |param| {
        MesosQuery::Tasks(TasksQuery {
            limit: number(param, "limit"),
            offset: number(param, "offset"),
            ascending: given(param, "order").is_some_and(|order| order == "asc"),
            framework_id: given(param, "framework_id"),
            task_id: given(param, "task_id"),
        })
    }),
    read("frameworks/...", |param| MesosQuery::Frameworks { framework_id: given(param, "framework_id") }),
    read("state-summary/...", |_| MesosQuery::StateSummary),
    read("roles|roles.json/...", |_| MesosQuery::Roles),
    read("flags/...", |_| MesosQuery::Flags),
    read("version", |_| MesosQuery::Version),
    Route::new("", "version/...", Endpoint::Beside),
];

fn given(param: &Param<'_>, key: &str) -> Option<String> {
    param(key).filter(|value| !value.is_empty())
}

/// A number; one that cannot be read counts as absent.
fn number<T: std::str::FromStr>(param: &Param<'_>, key: &str) -> Option<T> {
    given(param, key).and_then(|text| text.parse().ok())
}

/// Parts a path from its prefix; the second value says that it names the master.
pub(in super::super) fn unprefixed<'p, 's>(parts: &'p [&'s str]) -> (&'p [&'s str], bool, bool) {
    match parts {
        ["mesos", "master", rest @ ..] | ["master", rest @ ..] => (rest, true, true),
        ["mesos", rest @ ..] => (rest, true, false),
        rest => (rest, false, false),
    }
}
