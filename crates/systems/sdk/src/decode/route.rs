//! Scheduler environment that is routed to tasks: `TASKCFG_ALL_*` and `TASKCFG_<POD>_*`.
//!
//! **Source**: `dcos-commons: …/config/TaskEnvRouter.java`. Match: prefixes are compared as texts, so a
//! longer pod name's variables may reach a pod whose name is a prefix of it; later keys in sorted order win.

use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use std::collections::BTreeMap;

/// Returns whether a variable is routed to the tasks of a pod.
pub(crate) fn reaches(key: &str, pod: &str) -> bool {
    let own = format!("TASKCFG_{}_", env_name(pod));
    let name = key.strip_prefix("TASKCFG_ALL_").or_else(|| key.strip_prefix(&own));
    name.is_some_and(|name| !name.is_empty())
}

/// Adds the variables routed to a pod's tasks to a task's own environment; they override it.
pub(super) fn route(env: &BTreeMap<String, String>, pod: &str, task: &mut SortedMap<Text, Text>) {
    let own = format!("TASKCFG_{}_", env_name(pod));
    for (key, value) in env {
        let name = key.strip_prefix("TASKCFG_ALL_").or_else(|| key.strip_prefix(&own));
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            task.insert(name.into(), value.as_str().into());
        }
    }
}

/// A name as part of an environment variable.
fn env_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_uppercase() } else { '_' };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routing() {
        let env = [
            ("TASKCFG_ALL_X", "all"),
            ("TASKCFG_AAA_X", "aaa"),
            ("TASKCFG_HELLO_X", "hello"),
            ("TASKCFG_CUSTOM_POD_A_Y", "custom"),
            ("TASKCFG_CUSTOM_Z", "short"),
            ("TASKCFG_ALL_", "no name"),
            ("OTHER", "no"),
        ];
        let env: BTreeMap<String, String> = env.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        for (pod, want) in [
            ("hello", "W=own X=hello"),
            ("aaa", "W=own X=all"),
            ("custom-pod-A", "W=own X=all Y=custom"),
            ("custom", "POD_A_Y=custom W=own X=all Z=short"),
        ] {
            let mut task = SortedMap::from([("W".into(), "own".into()), ("X".into(), "own".into())]);
            route(&env, pod, &mut task);
            let got: Vec<String> = task.iter().map(|(k, v)| format!("{k}={v}")).collect();
            assert_eq!(got.join(" "), want, "{pod}");
        }
    }
}
