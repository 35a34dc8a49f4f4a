//! Reads about the process itself.
//!
//! **Source**: `marathon: api/v2/InfoResource.scala, LeaderResource.scala, api/SystemResource.scala`. Match for the values that
//! the simulator has.

use super::Answer;
use super::reader::Reader;
use crate::definition::Refused;
use crate::instances::instance::Condition;
use planarium_protocol::json;
use serde_json::{Map, Value};

/// Address of the leader: there is one process.
pub(super) const LEADER: &str = "marathon.mesos:8080";

/// The version that is simulated.
const VERSION: &str = "1.11.24";

/// No plugin answers below its id: none is loaded.
///
/// **Source**: `marathon: api/v2/PluginsResource.scala`. Match.
pub(super) fn no_plugin(id: &str) -> Refused {
    Refused::NotFound(format!("No plugin with this pluginId: {id}"))
}

impl Reader<'_> {
    pub(super) fn info(&self) -> Answer {
        let settings = &self.records.setup.settings;
        let features: Vec<&str> = settings.features.iter().map(|feature| &**feature).collect();
        let config = json!({
            "access_control_allow_origin": null,
            "checkpoint": true,
            "decline_offer_duration": settings.decline_ms,
            "default_network_name": settings.network,
            "env_vars_prefix": null,
            "executor": "//cmd",
            "failover_timeout": 604_800,
            "features": features,
            "framework_name": settings.framework,
            "ha": true,
            "hostname": "marathon.mesos",
            "launch_token": settings.tokens,
            "launch_token_refresh_interval": settings.tokens_ms,
            "leader_proxy_connection_timeout_ms": 5000,
            "leader_proxy_read_timeout_ms": 10_000,
            "local_port_min": settings.service_ports.0,
            "local_port_max": settings.service_ports.1,
            "maintenance_mode": settings.maintenance,
            "master": "zk://zk-1.zk:2181/mesos",
            "max_instances_per_offer": settings.per_offer,
            "mesos_bridge_name": settings.bridge,
            "mesos_heartbeat_failure_threshold": 5,
            "mesos_heartbeat_interval": 15_000,
            "mesos_leader_ui_url": "http://leader.mesos:5050/",
            "mesos_role": settings.role,
            "mesos_user": "root",
            "min_revive_offers_interval": settings.revive_ms,
            "new_group_enforce_role": if settings.new_groups == crate::settings::NewGroups::Top { "Top" } else { "Off" },
            "offer_matching_timeout": 3000,
            "on_elected_prepare_timeout": 180_000,
            "reconciliation_initial_delay": settings.reconcile.first_ms,
            "reconciliation_interval": settings.reconcile.every_ms,
            "scale_apps_initial_delay": settings.scale.first_ms,
            "scale_apps_interval": settings.scale.every_ms,
            "store_cache": true,
            "task_launch_confirm_timeout": settings.confirm_ms,
            "task_launch_timeout": settings.launch_ms,
            "task_lost_expunge_initial_delay": settings.expunge.first_ms,
            "task_lost_expunge_interval": settings.expunge.every_ms,
            "task_reservation_timeout": settings.reservation_ms,
            "webui_url": null,
        });
        Answer::json(json!({
            "name": "marathon",
            "version": VERSION,
            "buildref": "unknown",
            "elected": true,
            "leader": LEADER,
            "frameworkId": self.records.setup.framework_id,
            "marathon_config": config,
            "zookeeper_config": {
                "zk": "zk://zk-1.zk:2181/marathon", "zk_compression": true, "zk_compression_threshold": 65_536,
                "zk_connection_timeout": 10_000, "zk_max_node_size": 1_024_000, "zk_max_versions": 50,
                "zk_session_timeout": 10_000, "zk_timeout": 10_000,
            },
            "http_config": {"http_port": 8080, "https_port": 8443},
        }))
    }

    pub(super) fn show_metrics(&self) -> Answer {
        let (mut counters, mut gauges) = (Map::new(), Map::new());
        for (name, count) in &self.records.metrics {
            counters.insert(format!("marathon.{name}.counter"), json!({"count": count}));
        }
        let apps = self.records.definitions.root.specs.values().filter(|spec| spec.is_app()).count();
        let running = self
            .records
            .instances
            .iter()
            .filter(|(_, instance)| instance.condition == Condition::Running)
            .count();
        let staged = self.records.instances.iter().filter(|(_, one)| {
            matches!(one.condition, Condition::Provisioned | Condition::Staging | Condition::Starting)
        });
        let (kills, _) = self.kills.counts();
        for (name, value) in [
            ("apps.active", apps),
            ("pods.active", self.records.definitions.root.specs.len().saturating_sub(apps)),
            ("groups.active", self.records.definitions.root.groups.len()),
            ("deployments.active", self.deployments.running().count()),
            ("instances.running", running),
            ("instances.staged", staged.count()),
            ("instances.inflight-kills", kills),
        ] {
            gauges.insert(format!("marathon.{name}.gauge"), json!({"value": value}));
        }
        Answer::json(json!({
            "version": "4.0.0", "counters": Value::Object(counters), "gauges": Value::Object(gauges),
            "histograms": {}, "meters": {}, "timers": {},
        }))
    }
}
