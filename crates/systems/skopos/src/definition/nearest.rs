//! "Did you mean …?" for attributes of steps.
//!
//! *Knows*: names and edits between them. *Must not know*: what the names are for.

/// Edits that may lie between a name and what was meant by it.
const EDITS: usize = 2;
/// Longer names are not compared: a person does not mistype those.
const LONGEST: usize = 40;

/// The candidate that is nearest to a name: equal but for case, hyphens and underscores, or within two edits (insertion,
/// deletion, replacement, swap of neighbours). Of equally near ones the first.
pub(crate) fn nearest<'c>(name: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let wanted = folded(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let mut best: Option<(usize, &'c str)> = None;
    for candidate in candidates {
        let other = folded(candidate);
        if *candidate == name || other.len().abs_diff(wanted.len()) > EDITS {
            continue;
        }
        let edits = distance(&wanted, &other);
        // Two edits make any short name of any other.
        let plausible = edits == 0 || edits.saturating_mul(2) < wanted.len().max(other.len());
        if edits <= EDITS && plausible && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
    letters.map(|c| c.to_ascii_lowercase()).take(LONGEST.saturating_add(1)).collect()
}

/// Edits between two names, a swap of neighbours counting as one.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut last_a = None;
    for (row, ca) in a.iter().enumerate() {
        let mut line = vec![row.saturating_add(1)];
        let mut last_b = None;
        for (column, cb) in b.iter().enumerate() {
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
