//! Reports unused environment variables: mostly mistyped names.
//!
//! *Knows*: the variables that a scheduler itself reads. *Must not know*: their effects.
//!
//! **Source**: `dcos-commons: …/scheduler/SchedulerConfig.java` and the programs around the definitions
//! (`frameworks/*/src/main/java`). Match for the names.

use crate::codes;
use crate::decode;
use crate::spec::ServiceSpec;
use planarium_kernel::SortedSet;
use planarium_source::suggest::did_you_mean;
use planarium_source::{Diagnostic, Diagnostics, FileId, Span, suggest};
use std::collections::BTreeMap;

/// Variables that affect a scheduler, its program or the simulator. Each has a row in `docs/reference/dcos-sdk.md`.
const WITH_EFFECT: &[&str] = &[
    "ALLOW_REGION_AWARENESS",
    "DATA_COUNT",
    "DCOS_SERVICE_ACCOUNT_CREDENTIAL",
    "DISABLE_STATE_CACHE",
    "ENABLE_AUTOMATIC_POD_REPLACEMENT",
    "ENABLE_BACKOFF",
    "EXECUTOR_CPUS",
    "EXECUTOR_DISK_MB",
    "EXECUTOR_MEM_MB",
    "FRAMEWORK_BACKOFF_FACTOR",
    "FRAMEWORK_INITIAL_BACKOFF",
    "FRAMEWORK_MAX_LAUNCH_DELAY",
    "LOCAL_SEEDS_COUNT",
    "MARATHON_APP_ENFORCE_GROUP_ROLE",
    "MARATHON_NAME",
    "MESOS_ALLOCATION_ROLE",
    "MIN_REPLACE_DELAY_SECS",
    "PACKAGE_NAME",
    "PAUSE_OVERRIDE_CMD",
    "PERMANENT_FAILURE_TIMEOUT_SECS",
    "PLANARIUM_PROGRAM",
    "PLANARIUM_STRATEGIES",
    "PORT_API",
    "RESERVE_DISCIPLINE",
    "SCENARIOS",
    "SDK_UNINSTALL",
    "SERVICE_REGION",
    "SERVICE_TLD",
    "TASKCFG_ALL_AUTHENTICATION_CUSTOM_YAML_BLOCK_BASE64",
    "TASKCFG_ALL_AUTH_TO_LOCAL",
    "TASKCFG_ALL_REMOTE_SEEDS",
    "TASKCFG_ALL_SECURITY_KERBEROS_ENABLED",
    "TASKCFG_ALL_SECURITY_KERBEROS_PRIMARY",
    "TASKCFG_ALL_SECURITY_KERBEROS_REALM",
    "TASKCFG_ALL_TASK_USER",
    "VIP_TLD",
];
/// Variables of the real scheduler that change nothing here. Each has a row in `docs/reference/dcos-sdk.md`.
const WITHOUT_EFFECT: &[&str] = &[
    "API_SERVER_TIMEOUT_S",
    "AUTH_TOKEN_REFRESH_THRESHOLD_S",
    "BOOTSTRAP_URI",
    "DISABLE_DEADLOCK_EXIT",
    "DISABLE_SUPPRESS",
    "ENABLE_ROLE_MIGRATION",
    "IMPLICIT_RECONCILIATION_DELAY_MS",
    "IMPLICIT_RECONCILIATION_PERIOD_MS",
    "LIBMESOS_URI",
    "SERVICE_REMOVAL_TIMEOUT_S",
    "STATSD_POLL_INTERVAL_S",
    "USE_LEGACY_KILL_UNNEEDED_TASKS",
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

/// Reports variables of a request's environment that neither the template nor the scheduler reads, and that are not
/// routed to a task.
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
            || [WITH_EFFECT, WITHOUT_EFFECT].iter().any(|names| names.contains(&name))
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
        let help = did_you_mean(meant, String::new);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The first column of every table below one of the headings.
    fn rows<'p>(page: &'p str, headings: &[&str]) -> Vec<&'p str> {
        let sections = page
            .split("\n## ")
            .filter(|section| headings.contains(&section.lines().next().unwrap_or_default()));
        let lines = sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("| `"));
        let mut rows: Vec<&str> = lines.filter_map(|line| line.split('`').next()).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn the_reference_lists_exactly_the_known_variables() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/reference/dcos-sdk.md");
        let page = fs::read_to_string(path).expect("the page");
        let with = ["Variables with an effect", "Variables of a package's program", "Variables of Planarium"];
        assert_eq!(rows(&page, &with), WITH_EFFECT);
        assert_eq!(rows(&page, &["Variables without effect"]), WITHOUT_EFFECT);
        for prefix in PREFIXES {
            assert!(page.contains(&format!("`{prefix}`")), "{prefix} is not on the page");
        }
    }

    /// Appends the text of every source file of a folder but this one and tests.
    fn sources(folder: &Path, into: &mut String) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() && name != "tests" {
                sources(&path, into);
            } else if name.ends_with(".rs") && !matches!(&*name, "tests.rs" | "unused_variables.rs") {
                into.push_str(&fs::read_to_string(&path).expect("a source"));
            }
        }
    }

    #[test]
    fn variables_with_an_effect_are_read() {
        let mut text = String::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut text);
        let read = |name: &&&str| text.contains(&format!("\"{name}\""));
        let unread: Vec<_> = WITH_EFFECT.iter().filter(|name| !read(name)).collect();
        assert!(unread.is_empty(), "nothing reads {unread:?}");
        let read: Vec<_> = WITHOUT_EFFECT.iter().filter(|name| read(name)).collect();
        assert!(read.is_empty(), "{read:?} are read");
    }
}
