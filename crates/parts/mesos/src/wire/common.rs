//! Small shapes that many replies share: ids, times, domains.

use crate::cluster::Cluster;
use planarium_kernel::SimTime;
use planarium_protocol::Text;
use planarium_protocol::json;
use serde_json::{Map, Number, Value};

/// The version of Mesos that is simulated.
pub(crate) const VERSION: &str = "1.11.0";
/// Port of the master.
pub(crate) const MASTER_PORT: u32 = 5050;
/// Address of the master.
pub(crate) const MASTER_IP: &str = "127.0.0.1";
/// Time between two heartbeats to a framework. *Units*: seconds.
pub const HEARTBEAT_S: u32 = 15;

/// The calendar time of the virtual clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// Genesis. *Units*: milliseconds since 1970.
    pub epoch_ms: u64,
    /// Now.
    pub now: SimTime,
}

impl Calendar {
    /// Seconds since 1970, as v0 writes them.
    pub(crate) fn seconds(self, at: SimTime) -> Value {
        seconds(self.epoch_ms.saturating_add(at.ms()))
    }

    /// `{"nanoseconds":N}`, as v1 writes it.
    pub(crate) fn nanoseconds(self, at: SimTime) -> Value {
        let ms = i64::try_from(self.epoch_ms.saturating_add(at.ms())).unwrap_or(i64::MAX);
        json!({ "nanoseconds": ms.saturating_mul(1_000_000) })
    }
}

/// Milliseconds as a number of seconds.
pub(crate) fn seconds(ms: u64) -> Value {
    let text = format!("{}.{:03}", ms / 1000, ms % 1000);
    planarium_kernel::float::parse(&text).and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}

/// Thousandths as a number that always has a point.
pub(crate) fn decimal(thousandths: i64) -> Value {
    seconds(thousandths.max(0).unsigned_abs())
}

/// `{"value":ID}`.
pub(crate) fn id(text: &str) -> Value {
    json!({ "value": text })
}

/// Returns the libprocess address of an agent.
pub(crate) fn agent_pid(ip: &Text, port: u16) -> String {
    format!("slave(1)@{ip}:{port}")
}

/// Region and zone, when there are any.
pub(crate) fn domain(region: Option<&Text>, zone: Option<&Text>) -> Option<Value> {
    region.or(zone)?;
    let name = |text: Option<&Text>| json!({ "name": text.map_or("", |text| &**text) });
    Some(json!({ "fault_domain": { "region": name(region), "zone": name(zone) } }))
}

/// The version of Mesos and when it was built.
pub(crate) fn version() -> Value {
    json!({
        "version": VERSION,
        "build_date": "2020-11-24 00:00:00",
        "build_time": 1_606_176_000.0,
        "build_user": "planarium",
    })
}

/// Leaves out empty lists, as messages do.
pub(super) fn filled(lists: Vec<(&str, Vec<Value>)>) -> Value {
    let full = lists.into_iter().filter(|(_, list)| !list.is_empty());
    Value::Object(full.map(|(key, list)| (key.to_owned(), list.into())).collect())
}

/// The master itself, as frameworks see it too.
pub(crate) fn master_info(cluster: &Cluster) -> Value {
    let mut map = Map::new();
    map.insert("id".to_owned(), json!(cluster.ids.uuid));
    map.insert("ip".to_owned(), json!(16_777_343));
    map.insert("port".to_owned(), json!(MASTER_PORT));
    map.insert("pid".to_owned(), json!(format!("master@{MASTER_IP}:{MASTER_PORT}")));
    map.insert("hostname".to_owned(), json!("localhost"));
    map.insert("version".to_owned(), json!(VERSION));
    map.insert(
        "address".to_owned(),
        json!({ "hostname": "localhost", "ip": MASTER_IP, "port": MASTER_PORT }),
    );
    if let Some(domain) = domain(cluster.agents.region.as_ref(), None) {
        map.insert("domain".to_owned(), domain);
    }
    Value::Object(map)
}
