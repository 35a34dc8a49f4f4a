//! Merge keys: `<<: *defaults` brings in the entries of another mapping.
//!
//! **Source**: `yaml.org/type/merge.html`. What is written in the mapping itself wins; of several
//! merged mappings the earlier one wins.

use crate::yaml::node::{Entry, Kind, Node, Style};
use planarium_kernel::SortedSet;

/// Replaces the merge keys among a mapping's entries; one that merges anything but mappings stays.
pub(super) fn merge(entries: Vec<Entry>) -> Vec<Entry> {
    if !entries.iter().any(is_merge) {
        return entries;
    }
    let mut taken: SortedSet<String> =
        entries.iter().filter(|entry| !is_merge(entry)).filter_map(|entry| name(&entry.key)).collect();
    let mut out = Vec::with_capacity(entries.len());
    for entry in entries {
        if !is_merge(&entry) {
            out.push(entry);
            continue;
        }
        for source in sources(&entry.value) {
            for brought in source.as_mapping().unwrap_or_default() {
                if name(&brought.key).is_none_or(|name| taken.insert(name)) {
                    out.push(Entry { merged: true, ..brought.clone() });
                }
            }
        }
    }
    out
}

fn name(key: &Node) -> Option<String> {
    key.as_str().map(str::to_owned)
}

fn is_merge(entry: &Entry) -> bool {
    let key = entry.key.as_scalar();
    let marked = key.is_some_and(|key| key.style == Style::Plain && &*key.text == "<<");
    marked && !entry.key.is_forced_text() && !sources(&entry.value).is_empty()
}

/// The mappings to be merged; none when there is anything else among them.
fn sources(value: &Node) -> &[Node] {
    match &value.kind {
        Kind::Mapping(_) => std::slice::from_ref(value),
        Kind::Sequence(items) if items.iter().all(|item| item.as_mapping().is_some()) => items,
        Kind::Sequence(_) | Kind::Scalar(_) => &[],
    }
}
