//! The flags of the process, as its environment sets them.
//!
//! *Knows*: names and defaults of flags. *Must not know*: what they do.
//!
//! **Source**: `marathon: MarathonConf.scala` and the traits it is made of; flags are read from variables `MARATHON_…` as the
//! real start script does. Match for the flags named here; `MARATHON_SIM_…` are choices of this simulator.

use crate::timers::Rhythm;
use planarium_kernel::SortedSet;
use planarium_protocol::Text;
use std::collections::BTreeMap;

/// Rules for `enforceRole` of new top-level groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewGroups {
    /// Any of the valid roles.
    Off,
    /// The group's own role.
    Top,
}

/// The flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// `--mesos_role`.
    pub(crate) role: Text,
    /// `--default_network_name`.
    pub(crate) network: Option<Text>,
    /// `--mesos_bridge_name`.
    pub(crate) bridge: Text,
    /// `--enable_features`.
    pub(crate) features: SortedSet<Text>,
    /// `--new_group_enforce_role`.
    pub(crate) new_groups: NewGroups,
    /// `--framework_name`.
    pub(crate) framework: Text,
    /// `--max_running_deployments`.
    pub(crate) max_deployments: u64,
    /// `--local_port_min`, `--local_port_max`.
    pub(crate) service_ports: (u32, u32),
    /// `--maintenance_mode`.
    pub(crate) maintenance: bool,
    /// `--draining_seconds`.
    pub(crate) draining_ms: u64,
    /// `--gpu_scheduling_behavior`: agents with GPUs are kept for those who need them.
    pub(crate) gpus_kept: bool,
    /// `--max_instances_per_offer`.
    pub(crate) per_offer: u64,
    /// `--launch_tokens`.
    pub(crate) tokens: u64,
    /// `--launch_token_refresh_interval`.
    pub(crate) tokens_ms: u64,
    /// `--decline_offer_duration`.
    pub(crate) decline_ms: u64,
    /// `--min_revive_offers_interval`.
    pub(crate) revive_ms: u64,
    /// `--kill_chunk_size`.
    pub(crate) kill_chunk: u64,
    /// `--kill_retry_timeout`.
    pub(crate) kill_retry_ms: u64,
    /// `--task_launch_timeout`.
    pub(crate) launch_ms: u64,
    /// `--task_launch_confirm_timeout`.
    pub(crate) confirm_ms: u64,
    /// `--task_reservation_timeout`.
    pub(crate) reservation_ms: u64,
    /// `--scale_apps_initial_delay`, `--scale_apps_interval`.
    pub(crate) scale: Rhythm,
    /// `--reconciliation_initial_delay`, `--reconciliation_interval`.
    pub(crate) reconcile: Rhythm,
    /// `--task_lost_expunge_initial_delay`, `--task_lost_expunge_interval`.
    pub(crate) expunge: Rhythm,
    /// In a rolling restart only the flag that Mesos' own checks feed counts as healthy.
    pub(crate) strict_health: bool,
    /// Applications that others depend on are stopped after these.
    pub(crate) stop_in_order: bool,
    /// Answers leave out fields unknown to PyPI's `marathon` client.
    pub(crate) client_compat: bool,
}

/// The variable that names another default role.
pub(crate) const ROLE: &str = "MARATHON_MESOS_ROLE";

impl Settings {
    /// Returns whether definitions read the same under other flags.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        self.role == other.role
            && self.network == other.network
            && self.bridge == other.bridge
            && self.features == other.features
            && self.new_groups == other.new_groups
    }

    /// Flags of an environment.
    pub(crate) fn of(env: &BTreeMap<String, String>) -> Self {
        let text = |name: &str| env.get(name).map(|text| text.trim()).filter(|text| !text.is_empty());
        let number =
            |name: &str, default: u64| text(name).and_then(|text| text.parse().ok()).unwrap_or(default);
        let is = |name: &str, word: &str| text(name).is_some_and(|text| text.eq_ignore_ascii_case(word));
        let on = |name: &str| text(name).is_some_and(|text| !matches!(text, "false" | "0" | "no" | "off"));
        let features = text("MARATHON_ENABLE_FEATURES").unwrap_or_default();
        let features = features.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self {
            role: text(ROLE).unwrap_or("*").into(),
            network: text("MARATHON_DEFAULT_NETWORK_NAME").map(Into::into),
            bridge: text("MARATHON_MESOS_BRIDGE_NAME").unwrap_or("mesos-bridge").into(),
            features: features.map(Text::from).collect(),
            new_groups: if is("MARATHON_NEW_GROUP_ENFORCE_ROLE", "top") {
                NewGroups::Top
            } else {
                NewGroups::Off
            },
            framework: text("MARATHON_FRAMEWORK_NAME").unwrap_or("marathon").into(),
            max_deployments: number("MARATHON_MAX_RUNNING_DEPLOYMENTS", 100),
            service_ports: {
                let port =
                    |name, default| u32::try_from(number(name, default)).unwrap_or(u32::MAX).min(65_535);
                (port("MARATHON_LOCAL_PORT_MIN", 10_000), port("MARATHON_LOCAL_PORT_MAX", 20_000))
            },
            maintenance: !env.contains_key("MARATHON_DISABLE_MAINTENANCE_MODE")
                && !is("MARATHON_MAINTENANCE_MODE", "false"),
            draining_ms: number("MARATHON_DRAINING_SECONDS", 0).saturating_mul(1000),
            gpus_kept: !is("MARATHON_GPU_SCHEDULING_BEHAVIOR", "unrestricted"),
            per_offer: number("MARATHON_MAX_INSTANCES_PER_OFFER", 5).max(1),
            tokens: number("MARATHON_LAUNCH_TOKENS", 100).max(1),
            tokens_ms: number("MARATHON_LAUNCH_TOKEN_REFRESH_INTERVAL", 30_000).max(1_000),
            decline_ms: number("MARATHON_DECLINE_OFFER_DURATION", 120_000),
            revive_ms: number("MARATHON_MIN_REVIVE_OFFERS_INTERVAL", 5_000).max(1),
            kill_chunk: number("MARATHON_KILL_CHUNK_SIZE", 100).max(1),
            kill_retry_ms: number("MARATHON_KILL_RETRY_TIMEOUT", 30_000).max(1_000),
            launch_ms: number("MARATHON_TASK_LAUNCH_TIMEOUT", 300_000),
            confirm_ms: number("MARATHON_TASK_LAUNCH_CONFIRM_TIMEOUT", 300_000),
            reservation_ms: number("MARATHON_TASK_RESERVATION_TIMEOUT", 20_000),
            scale: Rhythm {
                first_ms: number("MARATHON_SCALE_APPS_INITIAL_DELAY", 15_000),
                every_ms: number("MARATHON_SCALE_APPS_INTERVAL", 300_000).max(1_000),
            },
            reconcile: Rhythm {
                first_ms: number("MARATHON_RECONCILIATION_INITIAL_DELAY", 15_000),
                every_ms: number("MARATHON_RECONCILIATION_INTERVAL", 600_000).max(1_000),
            },
            expunge: Rhythm {
                first_ms: number("MARATHON_TASK_LOST_EXPUNGE_INITIAL_DELAY", 300_000),
                every_ms: number("MARATHON_TASK_LOST_EXPUNGE_INTERVAL", 30_000).max(1_000),
            },
            strict_health: on("MARATHON_SIM_STRICT_HEALTH_FLAG"),
            stop_in_order: on("MARATHON_SIM_DOC_ORDER"),
            client_compat: on("MARATHON_SIM_CLIENT_COMPAT"),
        }
    }

    /// Returns whether a feature is enabled.
    pub(crate) fn has(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(&BTreeMap::new())
    }
}

/// The features there are.
pub(crate) mod features {
    /// Secrets in variables, volumes and pull configurations.
    pub(crate) const SECRETS: &str = "secrets";
    /// Volumes of other providers.
    pub(crate) const EXTERNAL_VOLUMES: &str = "external_volumes";
    /// GPUs.
    pub(crate) const GPU_RESOURCES: &str = "gpu_resources";
}
