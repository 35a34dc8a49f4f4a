//! "Did you mean …?"

/// Names longer than this get no suggestion: a person does not mistype those, a machine wrote them.
const LONGEST: usize = 64;

/// The candidate a person most likely meant by `name`, if one is close enough.
///
/// Close means: equal but for case, `-` and `_`; or within one edit per three characters (insertion,
/// deletion, replacement, swap of neighbours). The first of equally close candidates wins.
pub fn suggest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = fold(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let allowed = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &'c str)> = None;
    for candidate in candidates {
        let folded = fold(candidate);
        if candidate == name || folded.len() > LONGEST || folded.len().abs_diff(wanted.len()) > allowed {
            continue;
        }
        let distance = distance(&wanted, &folded);
        // One edit must not turn one short name into any other.
        let plausible = distance == 0 || distance < wanted.len().min(folded.len());
        if distance <= allowed && plausible && best.is_none_or(|(so_far, _)| distance < so_far) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn fold(name: &str) -> Vec<char> {
    let unified = name.chars().map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() });
    unified.take(LONGEST.saturating_add(1)).collect()
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
