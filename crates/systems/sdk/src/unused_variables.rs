//! Variables of the environment that nothing uses: mostly a name that was mistyped.
//!
//! *Knows*: which variables a scheduler looks at by itself. *Must not know*: what any of them does.
//!
//! **Source**: `dcos-commons: …/scheduler/SchedulerConfig.java` and the programs around the definitions
//! (`frameworks/*/src/main/java`). Match for the names.

use crate::codes;
use crate::decode;
use crate::spec::ServiceSpec;
use planarium_kernel::SortedSet;
use planarium_source::{Diagnostic, Diagnostics, FileId, Span, suggest};
use std::collections::BTreeMap;

/// Variables that a scheduler, its program or the simulator looks at.
const KNOWN: &[&str] = &[
    "ALLOW_REGION_AWARENESS",
    "API_SERVER_TIMEOUT_S",
    "AUTH_TOKEN_REFRESH_THRESHOLD_S",
    "BOOTSTRAP_URI",
    "DATA_COUNT",
    "DISABLE_DEADLOCK_EXIT",
    "DISABLE_STATE_CACHE",
    "DISABLE_SUPPRESS",
    "ENABLE_AUTOMATIC_POD_REPLACEMENT",
    "ENABLE_BACKOFF",
    "ENABLE_ROLE_MIGRATION",
    "EXECUTOR_CPUS",
    "EXECUTOR_DISK_MB",
    "EXECUTOR_MEM_MB",
    "IMPLICIT_RECONCILIATION_DELAY_MS",
    "IMPLICIT_RECONCILIATION_PERIOD_MS",
    "LIBMESOS_URI",
    "LOCAL_SEEDS_COUNT",
    "MIN_REPLACE_DELAY_SECS",
    "PAUSE_OVERRIDE_CMD",
    "PERMANENT_FAILURE_TIMEOUT_SECS",
    "PLANARIUM_PROGRAM",
    "PLANARIUM_STRATEGIES",
    "RESERVE_DISCIPLINE",
    "SCENARIOS",
    "SDK_UNINSTALL",
    "SERVICE_REGION",
    "SERVICE_REMOVAL_TIMEOUT_S",
    "SERVICE_TLD",
    "STATSD_POLL_INTERVAL_S",
    "USE_LEGACY_KILL_UNNEEDED_TASKS",
    "VIP_TLD",
];
/// Beginnings of names that a process gets from what runs it, or that whole groups of settings share.
const PREFIXES: &[&str] = &[
    "DCOS_",
    "FRAMEWORK_",
    "GLOG_",
    "HOST",
    "JAVA_",
    "JVM_",
    "LIBPROCESS_",
    "MARATHON_",
    "MESOS_",
    "PACKAGE_",
    "PORT",
    "SDK_",
    "STATSD_UDP_",
];
/// Variables named at most.
const NAMED: usize = 5;

/// Reports the variables of a request's environment that neither the template nor the scheduler looks at, and that are
/// routed to no task.
pub(crate) fn report(
    env: &BTreeMap<String, String>,
    spec: Option<&ServiceSpec>,
    used: &SortedSet<String>,
    file: FileId,
    found: &mut Diagnostics,
) {
    let Some(spec) = spec else { return };
    let routed = |name: &str| {
        name.starts_with("TASKCFG_") && spec.pods.iter().any(|pod| decode::is_routed_to(name, &pod.name))
    };
    let known = |name: &str| {
        used.contains(name)
            || KNOWN.contains(&name)
            || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || routed(name)
    };
    let unused: Vec<&str> = env.keys().map(String::as_str).filter(|name| !known(name)).collect();
    // A name that resembles a variable without a value was most likely mistyped.
    let lacking = |name: &&str| !env.contains_key(*name);
    let (near, other): (Vec<_>, Vec<_>) = unused
        .into_iter()
        .map(|name| (name, suggest(name, used.iter().map(String::as_str).filter(lacking))))
        .partition(|(_, meant)| meant.is_some());
    let at = Span::at(file, 0);
    for (name, meant) in near {
        let message = format!("Nothing uses the variable '{name}' of the environment");
        let help = meant.map(|meant| format!("did you mean '{meant}'?")).unwrap_or_default();
        found.push(Diagnostic::warning(codes::UNUSED_VARIABLE, at, message).with_help(help));
    }
    let names: Vec<String> = other.iter().take(NAMED).map(|(name, _)| format!("'{name}'")).collect();
    let more = match other.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = match names.as_slice() {
        [] => return,
        [one] => format!("Nothing uses the variable {one} of the environment"),
        several => format!("Nothing uses the variables {}{more} of the environment", several.join(", ")),
    };
    let help = "a task gets a variable in its 'env', or routed: TASKCFG_ALL_NAME=… or TASKCFG_POD_NAME=…";
    found.push(Diagnostic::info(codes::UNUSED_VARIABLE, at, message).with_help(help));
}
