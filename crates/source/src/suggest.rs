//! "Did you mean …?"

/// The limits of a suggestion: which names are close enough to be meant.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longer names get no suggestion: a person does not mistype those, a machine wrote them.
    pub longest: usize,
    /// Characters that do not count in a comparison.
    pub ignored: &'static [char],
    /// The greatest number of edits (insertion, deletion, replacement, swap of neighbours) for a name of this length.
    pub edits: fn(usize) -> usize,
    /// Returns whether this number of edits, at least one, can be a typing error between names of these lengths.
    pub plausible: fn(edits: usize, wanted: usize, candidate: usize) -> bool,
}

/// The limits for keys and values of definitions: one edit per three characters, and `_` is as `-`.
pub const USUAL: Limits = Limits {
    longest: 64,
    ignored: &[],
    edits: |length| (length / 3).max(1),
    // One edit must not turn one short name into any other.
    plausible: |edits, wanted, candidate| edits < wanted && edits < candidate,
};

/// Returns "did you mean 'count'?", or the other sentence if no name is near.
///
/// ```
/// use planarium_source::suggest::{did_you_mean, suggest};
///
/// let help = |name| did_you_mean(suggest(name, ["count", "tasks"]), || "remove it");
/// assert_eq!(help("cuont"), "did you mean 'count'?");
/// assert_eq!(help("colour"), "remove it");
/// ```
pub fn did_you_mean<S: Into<String>>(near: Option<&str>, otherwise: impl FnOnce() -> S) -> String {
    near.map_or_else(|| otherwise().into(), |near| format!("did you mean '{near}'?"))
}

/// As [`did_you_mean`], with the name in backticks.
pub fn did_you_mean_in_ticks<S: Into<String>>(near: Option<&str>, otherwise: impl FnOnce() -> S) -> String {
    near.map_or_else(|| otherwise().into(), |near| format!("did you mean `{near}`?"))
}

/// The candidate a person most likely meant by `name`, within the [`USUAL`] limits.
pub fn suggest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    suggest_within(&USUAL, name, candidates)
}

/// The candidate a person most likely meant by `name`, if one is close enough: equal but for case, `-` and `_`, or within the limits.
/// The first of equally close candidates wins.
pub fn suggest_within<'c>(
    limits: &Limits,
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let wanted = fold(limits, name);
    if wanted.is_empty() || wanted.len() > limits.longest {
        return None;
    }
    let allowed = (limits.edits)(wanted.len());
    let mut best: Option<(usize, &'c str)> = None;
    for candidate in candidates {
        let folded = fold(limits, candidate);
        if candidate == name || folded.len() > limits.longest || folded.len().abs_diff(wanted.len()) > allowed
        {
            continue;
        }
        let distance = distance(&wanted, &folded);
        let plausible = distance == 0 || (limits.plausible)(distance, wanted.len(), folded.len());
        if distance <= allowed && plausible && best.is_none_or(|(so_far, _)| distance < so_far) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn fold(limits: &Limits, name: &str) -> Vec<char> {
    let counted = name.chars().filter(|c| !limits.ignored.contains(c));
    let unified = counted.map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() });
    unified.take(limits.longest.saturating_add(1)).collect()
}

/// Edits between two names, a swap of neighbours counting as one.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut last_a = None;
    for (row, &ca) in a.iter().enumerate() {
        let mut line = vec![row.saturating_add(1)];
        let mut last_b = None;
        for (column, &cb) in b.iter().enumerate() {
            let at = |cells: &[usize], n: usize| cells.get(n).copied().unwrap_or(usize::MAX / 2);
            let next = column.saturating_add(1);
            let mut cost = at(&above, column)
                .saturating_add(usize::from(ca != cb))
                .min(at(&above, next).saturating_add(1))
                .min(at(&line, column).saturating_add(1));
            if last_a == Some(cb) && last_b == Some(ca) {
                cost = cost.min(at(&before, column.saturating_sub(1)).saturating_add(1));
            }
            line.push(cost);
            last_b = Some(cb);
        }
        last_a = Some(ca);
        before = std::mem::replace(&mut above, line);
    }
    above.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_for_misspelt_words() {
        let keys = ["count", "tasks", "placement", "cmd", "cpus", "gpus", "readiness-check", "goal", "env"];
        let cases = [
            ("cuont", Some("count")),
            ("Count", Some("count")),
            ("taks", Some("tasks")),
            ("task", Some("tasks")),
            ("placment", Some("placement")),
            ("readiness_check", Some("readiness-check")),
            ("readinesscheck", Some("readiness-check")),
            ("cpu", Some("cpus")),
            ("command", None),
            ("x", None),
            ("", None),
            ("count", None),
            ("gaol", Some("goal")),
            ("replacement-failure-policy", None),
        ];
        for (name, meant) in cases {
            assert_eq!(suggest(name, keys), meant, "{name}");
        }
        assert_eq!(suggest(&"a".repeat(5000), ["a"]), None);
        assert_eq!(suggest("a", ["b"]), None, "one letter is not a typing error of another");
    }
}
