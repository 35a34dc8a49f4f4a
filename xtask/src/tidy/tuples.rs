//! A function takes its arguments one by one, or as a record whose fields have names; not as a tuple that it takes apart in its
//! parameter list, which hides arguments from the limit on their number.

use super::{Repository, Source};

/// A file with parameters that are still taken apart. None may get more; where there are fewer, the entry is lowered.
struct Known {
    path: &'static str,
    count: usize,
}

/// The files that have such parameters.
const KNOWN: [Known; 4] = [
    Known { path: "crates/systems/skopos/src/definition/generate/steps.rs", count: 2 },
    Known { path: "web/src/features/event_log.rs", count: 1 },
    Known { path: "web/src/store/reduce.rs", count: 1 },
    Known { path: "web/src/store/selectors/tree.rs", count: 2 },
];

/// Parameters of functions that take a tuple apart, where they are not known.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let folders = ["crates", "web/src", "xtask/src"];
    let sources = folders.into_iter().flat_map(|folder| repository.below(folder));
    let mut findings: Vec<String> = sources.filter(|source| source.is(&["rs"])).flat_map(compared).collect();
    findings.extend(gone(repository));
    findings
}

/// Entries of files that are not there any more.
fn gone(repository: &Repository) -> impl Iterator<Item = String> {
    // The tests of other checks have repositories without these files.
    let is_whole = repository.text("xtask/src/tidy/tuples.rs").is_some();
    let missing = KNOWN.iter().filter(move |known| is_whole && repository.text(known.path).is_none());
    missing.map(|known| format!("{} is gone: remove its entry from tidy/tuples.rs", known.path))
}

fn compared(source: &Source) -> Vec<String> {
    let found: Vec<(usize, &str)> = functions(&source.text).filter(|(_, list)| takes_apart(list)).collect();
    let known = KNOWN.iter().find(|known| known.path == source.path).map_or(0, |known| known.count);
    if found.len() < known {
        let count = found.len();
        return vec![format!(
            "{} has {count} parameters that are tuples: lower the entry in tidy/tuples.rs from {known}",
            source.path
        )];
    }
    let excess = if found.len() > known { found } else { Vec::new() };
    let finding = |(line, _): (usize, &str)| {
        format!("{}:{line}: a parameter is a tuple; write a record, or each argument by itself", source.path)
    };
    excess.into_iter().map(finding).collect()
}

/// The parameter list of each function, without its parentheses, with the line of `fn`.
fn functions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut number = 0;
    let mut begins = 0;
    let starts = text.split_inclusive('\n').filter_map(move |line| {
        number += 1;
        let at = begins;
        begins += line.len();
        let code = line.split("//").next().unwrap_or_default().trim_start();
        let before = code.split("fn ").next().unwrap_or_default();
        let words = ["pub", "const", "async", "unsafe", "extern", "crate::", "super::"];
        let is_function = code.contains("fn ")
            && before.split_whitespace().all(|word| words.iter().any(|known| word.starts_with(known)));
        is_function.then_some((number, at))
    });
    starts.filter_map(|(number, at)| Some((number, parameters(text.get(at..)?)?)))
}

/// The text between the parentheses of the first parameter list; generic parameters may stand before it.
fn parameters(text: &str) -> Option<&str> {
    let after = text.split_once("fn ")?.1;
    let mut angles = 0_usize;
    let mut last = ' ';
    let mut open = None;
    for (at, c) in after.char_indices() {
        match c {
            '<' => angles += 1,
            '>' if last != '-' && last != '=' => angles = angles.saturating_sub(1),
            '(' if angles == 0 => {
                open = Some(at + 1);
                break;
            }
            '{' | ';' => return None,
            _ => {}
        }
        last = c;
    }
    let list = after.get(open?..)?;
    let mut depth = 1_usize;
    let end = list.char_indices().find(|(_, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    list.get(..end?.0)
}

/// Returns whether one of the parameters begins with a parenthesis, which is a tuple pattern.
fn takes_apart(list: &str) -> bool {
    let mut depth = 0_usize;
    let mut at_start = true;
    let mut last = ' ';
    for c in list.chars() {
        match c {
            '(' if depth == 0 && at_start => return true,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '>' if last != '-' && last != '=' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at_start = (c == ',' && depth == 0) || (at_start && (c.is_whitespace() || c == '&'));
        last = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&fixture(&[(path, text)]))
    }

    #[test]
    fn tuples_in_parameter_lists_are_found() {
        for (text, findings) in [
            ("fn a(x: u32, (y, z): (u32, u32)) {}", 1),
            ("pub(crate) const fn a(\n    &self,\n    (y, z): Pair,\n) -> u32 {\n    0\n}", 1),
            ("fn a<F: Fn(u32) -> (u32, u32)>(f: F, &(x, y): &(u32, u32)) {}", 1),
            ("fn a<'w, T: Iterator<Item = (u32, u32)>>((x, y): (T, &'w str)) {}", 1),
            ("fn a(pair: (u32, u32), f: impl Fn((u32, u32)) -> u32, list: [(u32, u32); 2]) {}", 0),
            ("fn a(x: Vec<(u32, u32)>, y: Option<(u32, u32)>) {}", 0),
            ("fn a(f: fn(u32) -> u32, (x, y): (u32, u32)) {}", 1),
            (
                "// fn a((x, y): (u32, u32)) {}\nlet f: fn(u32) = g((1, 2));\nlet g = |(x, y): (u32, u32)| x;",
                0,
            ),
            ("fn a() {}\nfn b((x, y): (u32, u32)) {}\nfn c((x, y): (u32, u32)) {}", 2),
        ] {
            assert_eq!(found("crates/a/src/lib.rs", text).len(), findings, "{text}");
        }
        let named = found("crates/a/src/lib.rs", "\n\nfn b((x, y): (u32, u32)) {}\n");
        assert!(named.iter().all(|finding| finding.starts_with("crates/a/src/lib.rs:3: ")), "{named:?}");
    }

    #[test]
    fn known_files_may_only_shrink() {
        let Known { path, count } = &KNOWN[0];
        let one = "fn a((x, y): (u32, u32)) {}\n";
        assert_eq!(found(path, &one.repeat(*count)), Vec::<String>::new());
        assert_eq!(found(path, &one.repeat(count + 1)).len(), count + 1);
        assert!(found(path, "")[0].contains("lower the entry"));
        let whole = found("xtask/src/tidy/tuples.rs", "");
        assert_eq!(whole.len(), KNOWN.len(), "each file that is gone is named: {whole:?}");
    }
}
