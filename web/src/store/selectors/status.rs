//! How a status looks: one of six families, an icon of its own, and a word.
//!
//! Table of the screen design, section 3.2. Words of any real system are welcome; an unknown one looks neutral.

/// How a status looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Colour family: `neutral`, `active`, `complete`, `waiting`, `error`, `forced`.
    pub(crate) family: &'static str,
    /// Icon name.
    pub(crate) icon: &'static str,
}

/// The look of an element's or a task's status word.
pub(crate) fn look(status: &str) -> Look {
    let word = status.strip_prefix("TASK_").unwrap_or(status);
    let (family, icon) = match word {
        "NEVER_RUN" | "SKIPPED" => ("neutral", "never-run"),
        "PREPARED" | "STAGING" => ("active", "prepared"),
        "STARTING" => ("active", "starting"),
        "STARTED" => ("active", "started"),
        "IN_PROGRESS" => ("active", "in-progress"),
        "COMPLETE" | "FINISHED" => ("complete", "complete"),
        "RUNNING" => ("complete", "running"),
        "WAITING" | "PAUSED" | "PAUSING" | "RESUMING" => ("waiting", "waiting"),
        "DELAYED" => ("waiting", "delayed"),
        "KILLING" | "DRAINING" | "MAINTENANCE" => ("waiting", "spanner"),
        "ERROR" | "FAILED" => ("error", "error"),
        "FATAL_ERROR" => ("error", "fatal"),
        "LOST" | "UNREACHABLE" | "GONE" | "DROPPED" | "GONE_BY_OPERATOR" | "UNKNOWN" => ("error", "lost"),
        "KILLED" => ("neutral", "killed"),
        "FORCED" => ("forced", "forced"),
        _ => ("neutral", "pending"),
    };
    Look { family, icon }
}

/// The look of a machine's state.
pub(crate) fn machine(state: &str) -> Look {
    let (family, icon) = match state {
        "up" => ("complete", "running"),
        "restarting" | "recovered" => ("waiting", "delayed"),
        "draining" => ("waiting", "spanner"),
        "drained" => ("waiting", "check"),
        "deactivated" => ("waiting", "waiting"),
        "down" => ("waiting", "lock"),
        _ => ("error", "lost"),
    };
    Look { family, icon }
}

/// A status word as shown: without the Mesos prefix.
pub(crate) fn word(status: &str) -> &str {
    status.strip_prefix("TASK_").unwrap_or(status)
}

/// Whether an element with this status is at rest and well.
pub(crate) fn is_done(status: &str) -> bool {
    matches!(status, "COMPLETE" | "FINISHED")
}

/// Whether the status moves by itself.
pub(crate) fn is_active(status: &str) -> bool {
    matches!(look(status).family, "active") || status == "DELAYED"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sdk_status_has_its_own_icon() {
        let words = [
            "PENDING",
            "PREPARED",
            "STARTING",
            "STARTED",
            "COMPLETE",
            "DELAYED",
            "WAITING",
            "IN_PROGRESS",
            "ERROR",
            "FATAL_ERROR",
            "NEVER_RUN",
            "FORCED",
        ];
        let mut icons: Vec<_> = words.iter().map(|word| look(word).icon).collect();
        icons.sort_unstable();
        icons.dedup();
        assert_eq!(icons.len(), words.len());
    }

    #[test]
    fn states_of_maintenance_are_no_failures_and_differ_by_icon() {
        let states = ["draining", "drained", "deactivated", "down"];
        let mut icons: Vec<_> = states.iter().map(|state| machine(state).icon).collect();
        assert!(states.iter().all(|state| machine(state).family == "waiting"));
        icons.sort_unstable();
        icons.dedup();
        assert_eq!(icons.len(), states.len());
        assert_eq!(machine("gone").family, "error");
    }

    #[test]
    fn task_states_look_like_their_words_and_unknown_ones_stay_calm() {
        for (status, family) in [
            ("TASK_RUNNING", "complete"),
            ("TASK_FAILED", "error"),
            ("TASK_STAGING", "active"),
            ("SOMETHING_NEW", "neutral"),
            ("", "neutral"),
        ] {
            assert_eq!(look(status).family, family, "{status}");
        }
        assert_eq!(word("TASK_LOST"), "LOST");
    }
}
