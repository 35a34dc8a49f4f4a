//! "Did you mean …?" for attributes of steps.
//!
//! *Knows*: how similar a name must be. *Must not know*: the use of the names.

use planarium_source::suggest::{Limits, did_you_mean, suggest_within};
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Diagnostics};

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

/// Reports attributes of a mapping that are not known. Without another help, only those with a near name are reported.
///
/// Not [`planarium_source::read::MapReader`]: the real reader ignores them, so they are warnings in other words.
pub(crate) fn report_unknown(
    found: &mut Diagnostics,
    code: &'static str,
    node: &Node,
    what: &str,
    known: &[&str],
    otherwise: Option<&str>,
) {
    for entry in node.as_mapping().unwrap_or_default() {
        let name = entry.key.as_str().unwrap_or_default();
        if known.contains(&name) {
            continue;
        }
        let near = nearest(name, known);
        if near.or(otherwise).is_none() {
            continue;
        }
        let text = format!("{what} has no attribute '{name}': it is ignored");
        let help = did_you_mean(near, || otherwise.unwrap_or_default());
        found.push(Diagnostic::warning(code, entry.key.span, text).with_help(help));
    }
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
