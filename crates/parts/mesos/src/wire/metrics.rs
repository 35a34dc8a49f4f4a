//! `/metrics/snapshot`: one flat object.
//!
//! Source: `apache/mesos: src/master/metrics.cpp`, `src/master/allocator/mesos/metrics.cpp`. Match in keys; times and
//! rates of the real process are left out.

use super::common::Calendar;
use crate::{
    agents::{AgentState, Agents},
    api::{Resources, TaskState},
    cluster::Cluster,
    frameworks::Frameworks,
    records::Records,
    tasks::Tasks,
    wire::{state, summary, task},
};
use planarium_kernel::Milli;
use planarium_protocol::json;
use serde_json::{Map, Number, Value};

pub(super) fn metrics(records: &Records, calendar: Calendar) -> Value {
    let Records { cluster, tasks, offers, .. } = records;
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("master/elected", json!(1));
    put("master/uptime_secs", super::common::seconds(calendar.now.ms()));
    agent_gauges(&cluster.agents, &mut put);
    framework_gauges(&cluster.frameworks, &mut put);
    put("master/outstanding_offers", json!(offers.outstanding.len()));
    task_gauges(tasks, cluster, &mut put);
    counted(cluster, &mut put);
    resource_gauges(tasks, cluster, &mut put);
    for (id, counts) in &cluster.counters.offers {
        let Some(framework) = cluster.frameworks.get(*id) else { continue };
        let principal = framework.info.principal.as_deref().unwrap_or("");
        let prefix = format!("master/frameworks/{principal}-{}/offers", framework.name);
        for (word, count) in [
            ("sent", counts.sent),
            ("accepted", counts.accepted),
            ("declined", counts.declined),
            ("rescinded", counts.rescinded),
        ] {
            put(&format!("{prefix}/{word}"), json!(count));
        }
    }
    put("allocator/mesos/allocation_runs", json!(cluster.counters.allocation_runs));
    let filters = cluster.allocator.filters_by_role();
    for role in summary::role_names(cluster) {
        let active = filters.get(&role).copied().unwrap_or(0);
        put(&format!("allocator/mesos/offer_filters/roles/{role}/active"), json!(active));
    }
    Value::Object(map)
}

fn agent_gauges(agents: &Agents, put: &mut impl FnMut(&str, Value)) {
    let registered = || agents.rows.iter().filter(|agent| agent.state == AgentState::Registered);
    let connected = registered().filter(|agent| agent.connected).count();
    let active = registered().filter(|agent| agent.is_active()).count();
    put("master/slaves_connected", json!(connected));
    put("master/slaves_disconnected", json!(registered().count() - connected));
    put("master/slaves_active", json!(active));
    put("master/slaves_inactive", json!(registered().count() - active));
    put("master/slaves_unreachable", json!(state::unreachable_agents(agents)));
}

fn framework_gauges(frameworks: &Frameworks, put: &mut impl FnMut(&str, Value)) {
    let registered = frameworks.rows.iter().filter(|framework| framework.is_registered()).count();
    let connected = frameworks.rows.iter().filter(|framework| framework.is_connected()).count();
    for (word, other) in [("connected", "disconnected"), ("active", "inactive")] {
        put(&format!("master/frameworks_{word}"), json!(connected));
        put(&format!("master/frameworks_{other}"), json!(registered - connected));
    }
}

fn task_gauges(tasks: &Tasks, cluster: &Cluster, put: &mut impl FnMut(&str, Value)) {
    for (word, state) in [
        ("staging", TaskState::Staging),
        ("starting", TaskState::Starting),
        ("running", TaskState::Running),
        ("killing", TaskState::Killing),
    ] {
        let live = tasks.all.values().filter(|task| task.unreachable_since.is_none());
        put(&format!("master/tasks_{word}"), json!(live.filter(|task| task.state == state).count()));
    }
    // Tasks of frameworks that are not PARTITION_AWARE are LOST, though listed as unreachable.
    let unreachable: usize = task::task_rows(tasks, &cluster.frameworks)
        .iter()
        .map(|of| of.unreachable.iter().filter(|row| row.state == TaskState::Unreachable).count())
        .sum();
    put("master/tasks_unreachable", json!(unreachable));
    for (word, state) in [
        ("finished", TaskState::Finished),
        ("failed", TaskState::Failed),
        ("killed", TaskState::Killed),
        ("lost", TaskState::Lost),
        ("error", TaskState::Error),
        ("dropped", TaskState::Dropped),
        ("gone", TaskState::Gone),
        ("gone_by_operator", TaskState::GoneByOperator),
    ] {
        put(&format!("master/tasks_{word}"), json!(cluster.counters.ended(state)));
    }
}

fn counted(cluster: &Cluster, put: &mut impl FnMut(&str, Value)) {
    let counters = &cluster.counters;
    for (key, count) in [
        ("slave_registrations", counters.registrations),
        ("slave_reregistrations", counters.reregistrations),
        ("slave_removals", counters.removals),
        ("slave_removals/reason_unhealthy", counters.unreachable_completed),
        ("slave_removals/reason_unregistered", 0),
        ("slave_removals/reason_registered", counters.replaced),
        ("slave_unreachable_scheduled", counters.unreachable_scheduled),
        ("slave_unreachable_completed", counters.unreachable_completed),
        ("slave_unreachable_canceled", counters.unreachable_canceled),
        ("recovery_slave_removals", counters.recovery_removals),
        ("messages_launch_tasks", counters.launch_tasks),
        ("messages_decline_offers", counters.decline_offers),
        ("messages_revive_offers", counters.revive_offers),
        ("messages_suppress_offers", counters.suppress_offers),
        ("messages_kill_task", counters.kill_task),
        ("messages_reconcile_tasks", counters.reconcile_tasks),
        ("valid_status_updates", counters.status_updates),
        ("invalid_status_updates", 0),
        ("valid_status_update_acknowledgements", counters.acknowledgements),
        ("invalid_status_update_acknowledgements", counters.invalid_acknowledgements),
    ] {
        put(&format!("master/{key}"), json!(count));
    }
}

fn resource_gauges(tasks: &Tasks, cluster: &Cluster, put: &mut impl FnMut(&str, Value)) {
    let (mut total, mut used) = (Resources::new(), Resources::new());
    for (id, slot) in cluster.allocator.agents() {
        total.add_all(&slot.total());
        for (_, allocated) in tasks.allocated_on(&cluster.agents, id) {
            used.add_all(&allocated);
        }
    }
    let (total, used) = (total.quantities(), used.quantities());
    for name in ["cpus", "mem", "disk", "gpus"] {
        let of = |sums: &planarium_kernel::SortedMap<planarium_protocol::Text, Milli>| {
            sums.get(name).copied().unwrap_or_default()
        };
        put(&format!("master/{name}_total"), json!(of(&total)));
        put(&format!("master/{name}_used"), json!(of(&used)));
        put(&format!("master/{name}_percent"), ratio(of(&used), of(&total)));
    }
}

/// A fraction with six decimals; that of nothing is 0.
fn ratio(part: Milli, whole: Milli) -> Value {
    if !whole.is_positive() {
        return json!(0.0);
    }
    let millionths = i128::from(part.0) * 1_000_000 / i128::from(whole.0);
    let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
    planarium_kernel::float::parse(&text).and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}
