//! The flags of the process: known flags, and errors in given ones.
//!
//! *Knows*: names, kinds and defaults of flags. *Must not know*: their effects; [`crate::settings`] reads them.
//!
//! **Source**: `marathon: MarathonConf.scala` and its traits; the start script takes flags from variables `MARATHON_...`.

use crate::codes;
use planarium_source::{Diagnostic, Diagnostics, Span, suggest};
use std::collections::BTreeMap;

/// The beginning of every flag's variable.
const PREFIX: &str = "MARATHON_";

/// The value of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Any text.
    Text,
    /// A whole number.
    Number,
    /// One of these words, in any case.
    Word(&'static [&'static str]),
    /// Anything turns it on, but for `false`, `0`, `no` and `off`.
    Switch,
}

/// A flag that makes a difference here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    /// Without `MARATHON_`.
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    /// As written.
    pub(crate) default: &'static str,
}

const fn flag(name: &'static str, takes: Takes, default: &'static str) -> Flag {
    Flag { name, takes, default }
}

/// Flags that make a difference. Each has a row in `docs/marathon-flags.md`.
pub(crate) const FLAGS: &[Flag] = &[
    flag("FRAMEWORK_NAME", Takes::Text, "marathon"),
    flag("MESOS_ROLE", Takes::Text, "*"),
    flag("NEW_GROUP_ENFORCE_ROLE", Takes::Word(&["off", "top"]), "off"),
    flag("DEFAULT_NETWORK_NAME", Takes::Text, ""),
    flag("MESOS_BRIDGE_NAME", Takes::Text, "mesos-bridge"),
    flag("ENABLE_FEATURES", Takes::Text, ""),
    flag("GPU_SCHEDULING_BEHAVIOR", Takes::Word(&["restricted", "unrestricted"]), "restricted"),
    flag("MAINTENANCE_MODE", Takes::Word(&["true", "false"]), "true"),
    flag("DISABLE_MAINTENANCE_MODE", Takes::Switch, ""),
    flag("DRAINING_SECONDS", Takes::Number, "0"),
    flag("MAX_RUNNING_DEPLOYMENTS", Takes::Number, "100"),
    flag("LOCAL_PORT_MIN", Takes::Number, "10000"),
    flag("LOCAL_PORT_MAX", Takes::Number, "20000"),
    flag("MAX_INSTANCES_PER_OFFER", Takes::Number, "5"),
    flag("LAUNCH_TOKENS", Takes::Number, "100"),
    flag("LAUNCH_TOKEN_REFRESH_INTERVAL", Takes::Number, "30000"),
    flag("DECLINE_OFFER_DURATION", Takes::Number, "120000"),
    flag("MIN_REVIVE_OFFERS_INTERVAL", Takes::Number, "5000"),
    flag("KILL_CHUNK_SIZE", Takes::Number, "100"),
    flag("KILL_RETRY_TIMEOUT", Takes::Number, "30000"),
    flag("TASK_LAUNCH_CONFIRM_TIMEOUT", Takes::Number, "300000"),
    flag("TASK_LAUNCH_TIMEOUT", Takes::Number, "300000"),
    flag("TASK_RESERVATION_TIMEOUT", Takes::Number, "20000"),
    flag("SCALE_APPS_INITIAL_DELAY", Takes::Number, "15000"),
    flag("SCALE_APPS_INTERVAL", Takes::Number, "300000"),
    flag("RECONCILIATION_INITIAL_DELAY", Takes::Number, "15000"),
    flag("RECONCILIATION_INTERVAL", Takes::Number, "600000"),
    flag("TASK_LOST_EXPUNGE_INITIAL_DELAY", Takes::Number, "300000"),
    flag("TASK_LOST_EXPUNGE_INTERVAL", Takes::Number, "30000"),
    flag("SIM_STRICT_HEALTH_FLAG", Takes::Switch, ""),
    flag("SIM_DOC_ORDER", Takes::Switch, ""),
    flag("SIM_CLIENT_COMPAT", Takes::Switch, ""),
];

/// Flags of the real program that make no difference here, without `disable_`.
const WITHOUT_EFFECT: &str = "ACCESS_CONTROL_ALLOW_ORIGIN APP_INFO_MODULE_EXECUTION_CONTEXT_SIZE ASSETS_PATH BACKUP_LOCATION CHECKPOINT \
DEFAULT_ACCEPTED_RESOURCE_ROLES DEFAULT_INFO_SERVICE_EXECUTION_CONTEXT_SIZE DEPLOYMENT_MANAGER_REQUEST_TIMEOUT DEPRECATED_FEATURES \
ENV_VARS_PREFIX EVENT_STREAM_MAX_OUTSTANDING_MESSAGES EXECUTOR FAILOVER_TIMEOUT GRACEFUL_SHUTDOWN_TIMEOUT \
GROUP_MANAGER_EXECUTION_CONTEXT_SIZE GROUP_MANAGER_REQUEST_TIMEOUT GROUP_VERSIONS_CACHE_SIZE HA HOSTNAME HTTP HTTP_ADDRESS HTTP_COMPRESSION \
HTTP_CREDENTIALS HTTP_MAX_CONCURRENT_REQUESTS HTTP_PORT HTTP_REALM HTTPS_ADDRESS HTTPS_PORT INSTANCE_TRACKER_NUM_PARALLEL_LOADS \
INSTANCE_TRACKER_NUM_PARALLEL_UPDATES INSTANCE_TRACKER_UPDATE_QUEUE_SIZE INTERNAL_STORE_BACKEND INTERNAL_VERSION_CACHING \
LAUNCH_QUEUE_REQUEST_TIMEOUT LEADER_ELECTION_BACKEND LEADER_PROXY_CONNECTION_TIMEOUT LEADER_PROXY_MAX_OPEN_CONNECTIONS \
LEADER_PROXY_READ_TIMEOUT LEADER_PROXY_SSL_IGNORE_HOSTNAME LOGGING_LEVEL LOGSTASH MASTER MAX_ACTOR_STARTUP_TIME MAX_APPS \
MAX_CONCURRENT_MARATHON_HEALTH_CHECKS MAX_PARALLEL_OFFERS MAX_PARALLEL_STATUS_UPDATES MAX_QUEUED_OFFERS MAX_QUEUED_ROOT_GROUP_UPDATES \
MAX_QUEUED_STATUS_UPDATES MESOS_AUTHENTICATION MESOS_AUTHENTICATION_PRINCIPAL MESOS_AUTHENTICATION_SECRET \
MESOS_AUTHENTICATION_SECRET_FILE MESOS_HEARTBEAT_FAILURE_THRESHOLD MESOS_HEARTBEAT_INTERVAL MESOS_LEADER_UI_URL MESOS_OFFER_CONSTRAINTS \
MESOS_USER METRICS METRICS_DATADOG METRICS_DATADOG_API_KEY METRICS_DATADOG_HOST METRICS_DATADOG_PORT METRICS_DATADOG_PROTOCOL \
METRICS_DATADOG_TRANSMISSION_INTERVAL_MS METRICS_HISTOGRAM_RESERVOIR_HIGHEST_TRACKABLE_VALUE \
METRICS_HISTOGRAM_RESERVOIR_RESET_PERIODICALLY METRICS_HISTOGRAM_RESERVOIR_RESETTING_CHUNKS \
METRICS_HISTOGRAM_RESERVOIR_RESETTING_INTERVAL_MS METRICS_HISTOGRAM_RESERVOIR_SIGNIFICANT_DIGITS METRICS_NAME_PREFIX METRICS_PROMETHEUS \
METRICS_STATSD METRICS_STATSD_HOST METRICS_STATSD_PORT METRICS_STATSD_TRANSMISSION_INTERVAL_MS \
MIN_MESOS_OFFER_CONSTRAINTS_UPDATE_INTERVAL OFFER_MATCHING_TIMEOUT ON_ELECTED_PREPARE_TIMEOUT PLUGIN_CONF PLUGIN_DIR \
SCHEDULER_ACTIONS_EXECUTION_CONTEXT_SIZE SENTRY SENTRY_TAGS SSL_KEYSTORE_PASSWORD SSL_KEYSTORE_PATH STORAGE_COMPACTION_INTERVAL \
STORAGE_COMPACTION_SCAN_BATCH_SIZE STORAGE_EXECUTION_CONTEXT_SIZE STORE_CACHE SUPPRESS_OFFERS TASK_OPERATION_NOTIFICATION_TIMEOUT \
TASK_TRACKER_REQUEST_TIMEOUT TASK_UPDATE_REQUEST_TIMEOUT WEBUI_URL ZK ZK_COMPRESSION ZK_COMPRESSION_THRESHOLD ZK_CONNECTION_TIMEOUT \
ZK_MAX_CONCURRENCY ZK_MAX_NODE_SIZE ZK_MAX_VERSIONS ZK_OPERATION_BASE_RETRY_SLEEP_MS ZK_OPERATION_MAX_RETRIES ZK_SESSION_TIMEOUT ZK_TIMEOUT";

/// Checks the flags among the variables of a request.
pub(crate) fn check(env: &BTreeMap<String, String>, found: &mut Diagnostics) {
    for (variable, value) in env {
        if let Some(name) = variable.strip_prefix(PREFIX) {
            check_flag(variable, name, value.trim(), found);
        }
    }
}

fn check_flag(variable: &str, name: &str, value: &str, found: &mut Diagnostics) {
    let at = Span::default();
    let Some(flag) = FLAGS.iter().find(|flag| flag.name == name) else {
        let plain = name.strip_prefix("DISABLE_").unwrap_or(name);
        if WITHOUT_EFFECT.split_whitespace().any(|known| known == plain) {
            let text = format!("{variable} makes no difference here");
            found.push(
                Diagnostic::info(codes::FLAG, at, text).with_help("leave it out, or leave it as it is"),
            );
            return;
        }
        let near = suggest(name, FLAGS.iter().map(|flag| flag.name));
        let help = match near {
            Some(near) => format!("did you mean {PREFIX}{near}?"),
            None => "docs/marathon-flags.md lists the flags".to_owned(),
        };
        let text = format!("Marathon has no flag {variable}");
        found.push(Diagnostic::error(codes::FLAG, at, text).with_help(help));
        return;
    };
    let wrong = match flag.takes {
        Takes::Number => {
            (!value.is_empty() && value.parse::<u64>().is_err()).then(|| "a whole number".to_owned())
        }
        Takes::Word(words) => {
            let known = value.is_empty() || words.iter().any(|word| word.eq_ignore_ascii_case(value));
            (!known).then(|| format!("one of {}", words.join(", ")))
        }
        Takes::Text | Takes::Switch => None,
    };
    if let Some(wanted) = wrong {
        let text = format!("{variable} takes {wanted}, not '{value}'");
        let help = if flag.default.is_empty() {
            "leave it out".to_owned()
        } else {
            format!("without it, it is {}", flag.default)
        };
        found.push(Diagnostic::error(codes::FLAG, at, text).with_help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flags that the settings read.
    fn read() -> Vec<&'static str> {
        let source = include_str!("settings.rs");
        let mut names: Vec<&str> =
            source.split("\"MARATHON_").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    #[test]
    fn every_flag_is_read_and_has_a_row_in_the_reference() {
        let page = include_str!("../../../../docs/marathon-flags.md");
        let mut known: Vec<&str> = FLAGS.iter().map(|flag| flag.name).collect();
        known.sort_unstable();
        assert_eq!(known, read());
        for flag in FLAGS {
            let row = page.lines().find(|line| line.starts_with(&format!("| `MARATHON_{}` |", flag.name)));
            let row = row.unwrap_or_else(|| panic!("{} has no row", flag.name));
            let default =
                if flag.default.is_empty() { "-".to_owned() } else { format!("`{}`", flag.default) };
            assert_eq!(row.split('|').nth(2).map(str::trim), Some(default.as_str()), "{}", flag.name);
        }
    }

    #[test]
    fn misspelt_flags_and_values_are_refused() {
        for (variable, value, expected) in [
            ("MARATHON_KILL_CHUNK_SIZE", "10", None),
            ("MARATHON_KILL_CHUNK_SIZ", "10", Some("did you mean MARATHON_KILL_CHUNK_SIZE?")),
            ("MARATHON_KILL_CHUNK_SIZE", "ten", Some("without it, it is 100")),
            ("MARATHON_NEW_GROUP_ENFORCE_ROLE", "Top", None),
            ("MARATHON_NEW_GROUP_ENFORCE_ROLE", "all", Some("without it, it is off")),
            ("MARATHON_NONSENSE", "1", Some("docs/marathon-flags.md lists the flags")),
            ("MARATHON_ZK", "zk://x", Some("leave it out, or leave it as it is")),
            ("OTHER", "1", None),
        ] {
            let mut found = Diagnostics::new();
            check(&[(variable.to_owned(), value.to_owned())].into(), &mut found);
            let found = found.into_sorted();
            let help = found.first().and_then(|one| one.help.as_deref());
            assert_eq!(help, expected, "{variable}={value}");
            assert_eq!(
                found.first().is_some_and(Diagnostic::is_error),
                expected.is_some() && !variable.ends_with("ZK")
            );
        }
    }
}
