//! "Did you mean …?" for attributes of steps.
//!
//! *Knows*: how similar a name must be. *Must not know*: the use of the names.

use planarium_source::suggest::{Limits, suggest_within};

/// Two edits, and neither case nor hyphens, underscores and spaces count.
const LIMITS: Limits = Limits {
    longest: 40,
    ignored: &['-', '_', ' '],
    edits: |_| 2,
    // Two edits make any short name of any other.
    plausible: |edits, wanted, candidate| edits * 2 < wanted.max(candidate),
};

/// The candidate that is nearest to a name; of equally near ones the first.
pub(crate) fn nearest<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    suggest_within(&LIMITS, name, candidates.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_for_misspelt_words() {
        let keys = [
            "id",
            "label",
            "class",
            "on_pass",
            "on_fail",
            "cleanup",
            "plugin",
            "action",
            "arguments",
            "exec",
            "steps",
            "target_num",
            "start_index",
            "selector",
            "duration",
        ];
        for (name, meant) in [
            ("on_fial", Some("on_fail")),
            ("onfail", Some("on_fail")),
            ("on-fail", Some("on_fail")),
            ("on fail", Some("on_fail")),
            ("On_Fail", Some("on_fail")),
            ("arguements", Some("arguments")),
            ("clean_up", Some("cleanup")),
            ("target-num", Some("target_num")),
            ("lbl", Some("label")),
            ("exc", Some("exec")),
            ("stps", Some("steps")),
            ("startindx", Some("start_index")),
            ("xy", None),
            ("ix", None),
            ("retries", None),
            ("", None),
            ("on_fail", None),
        ] {
            assert_eq!(nearest(name, &keys), meant, "{name}");
        }
        assert_eq!(nearest(&"a".repeat(5000), &["a"]), None);
    }
}
