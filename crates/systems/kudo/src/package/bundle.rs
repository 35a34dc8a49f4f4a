//! Several files of a package in one text, each below a line `# file: PATH`.
//!
//! *Knows*: where parts begin and end. *Must not know*: what they say.
//!
//! A part keeps the places that it has in the whole text: what does not belong to it is blank.

use planarium_kernel::SortedMap;
use std::collections::BTreeMap;

/// Begins a line that a part follows.
const HEAD: &str = "# file: ";

/// Parts of texts by their own paths, each with the path of its containing text.
pub(super) type Parts = SortedMap<String, (String, String)>;

/// The files with texts of several parts taken apart. An `operator.yaml` is one when it names itself or its companions in such
/// lines, and no `params.yaml` lies beside it.
pub(super) fn taken_apart(files: &BTreeMap<String, String>) -> Option<Parts> {
    let holds = |path: &str, text: &str| {
        let folder = path.strip_suffix("operator.yaml")?;
        let alone = !files.contains_key(&format!("{folder}params.yaml"));
        (alone && text.lines().any(|line| head(line).is_some())).then_some(folder.to_owned())
    };
    if !files.iter().any(|(path, text)| holds(path, text).is_some()) {
        return None;
    }
    let mut all = Parts::new();
    for (path, text) in files {
        match holds(path, text) {
            None => {
                all.insert(path.clone(), (path.clone(), text.clone()));
            }
            Some(folder) => {
                for (own, part) in parts(text) {
                    all.insert(format!("{folder}{own}"), (path.clone(), part));
                }
            }
        }
    }
    Some(all)
}

/// The path that a line names.
fn head(line: &str) -> Option<&str> {
    let path = line.strip_prefix(HEAD)?.trim();
    let known = matches!(path, "operator.yaml" | "params.yaml") || path.starts_with("templates/");
    known.then_some(path)
}

fn parts(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = vec![("operator.yaml".to_owned(), String::new())];
    let mut before = String::new();
    for line in text.split_inclusive('\n') {
        let blank: String = line
            .chars()
            .flat_map(|c| std::iter::repeat_n(if c == '\n' { '\n' } else { ' ' }, c.len_utf8()))
            .collect();
        if let Some(path) = head(line.trim_end()) {
            match found.last_mut() {
                Some((own, part)) if own == path && part.trim().is_empty() => {}
                _ => found.push((path.to_owned(), before.clone())),
            }
            if let Some((_, part)) = found.last_mut() {
                part.push_str(&blank);
            }
        } else if let Some((_, part)) = found.last_mut() {
            part.push_str(line);
        }
        before.push_str(&blank);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_positions() {
        let text = "# file: operator.yaml\nname: ä\n# file: params.yaml\nparameters: []\n# file: templates/a/b.yaml\nkind: X\n";
        let files = BTreeMap::from([("x/operator.yaml".to_owned(), text.to_owned())]);
        let parts = taken_apart(&files).unwrap_or_default();
        let places: Vec<(&str, Option<usize>)> =
            ["name", "parameters", "kind"].map(|word| (word, text.find(word))).to_vec();
        let paths = ["x/operator.yaml", "x/params.yaml", "x/templates/a/b.yaml"];
        for ((word, place), path) in places.into_iter().zip(paths) {
            let part = parts.get(path).map(|(own, part)| (own.as_str(), part.find(word)));
            assert_eq!(part, Some(("x/operator.yaml", place)), "{path}");
        }
        assert_eq!(parts.len(), 3);
    }

    #[test]
    fn other_texts_stay_whole() {
        let beside = BTreeMap::from([
            ("operator.yaml".to_owned(), "# file: params.yaml\n".to_owned()),
            ("params.yaml".to_owned(), String::new()),
        ]);
        let plain = BTreeMap::from([("operator.yaml".to_owned(), "# file: notes\nname: x\n".to_owned())]);
        assert_eq!((taken_apart(&beside), taken_apart(&plain)), (None, None));
    }
}
