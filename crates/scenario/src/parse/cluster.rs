//! The machines of a scenario (a preset by name, a number of default machines, or a list) and the flags of its master.

use super::Context;
use super::fields::{self, Fields};
use crate::codes;
use planarium_protocol::input::{AddAgent, Sharing};
use planarium_source::suggest::did_you_mean_in_ticks;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, suggest};
use planarium_world::{parse_duration_ms, presets};

/// Reads `cluster: NAME`, `cluster: N`, `cluster: [machines]`, `cluster: {preset: NAME, machines: [..]}`.
pub(crate) fn read(node: &Node, cx: &mut Context<'_>) -> Vec<AddAgent> {
    if let Some(items) = node.as_sequence() {
        return machines(items, cx);
    }
    if node.as_mapping().is_some() {
        let Some(mut parts) = Fields::open(node, "a cluster", &["preset", "machines"], cx) else {
            return Vec::new();
        };
        let mut all = parts.take("preset").map(|name| preset(name, cx)).unwrap_or_default();
        all.extend(machines(parts.list("machines", cx), cx));
        return all;
    }
    preset(node, cx)
}

/// Flags of a master.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) offer_timeout_ms: Option<u64>,
    pub(crate) agent_removal_interval_ms: Option<u64>,
}

/// Names of the flags. Each has a row in `docs/reference/mesos.md`.
const FLAGS: &[&str] = &["offer_timeout", "agent_removal_rate_limit"];

/// Reads `master: {offer_timeout: 30s, agent_removal_rate_limit: 1/10m}`.
pub(crate) fn flags(node: &Node, cx: &mut Context<'_>) -> Flags {
    let Some(mut flags) = Fields::open(node, "a master", FLAGS, cx) else { return Flags::default() };
    let (timeout, limit) = (flags.take("offer_timeout"), flags.take("agent_removal_rate_limit"));
    Flags {
        offer_timeout_ms: timeout.and_then(|time| offer_timeout(time, cx)),
        agent_removal_interval_ms: limit.and_then(|limit| removal_interval(limit, cx)),
    }
}

/// Reads `sharing: together` or `sharing: apart`.
pub(crate) fn sharing(node: &Node, cx: &mut Context<'_>) -> Option<Sharing> {
    let sharing = node.as_str().and_then(Sharing::parse);
    if sharing.is_none() {
        fields::wrong(node, "`sharing` must be `together` or `apart`", cx);
    }
    sharing
}

fn offer_timeout(time: &Node, cx: &mut Context<'_>) -> Option<u64> {
    let ms = fields::time(time, cx)?;
    if ms == 0 {
        fields::wrong(time, "`offer_timeout` must be above zero", cx);
    }
    Some(ms).filter(|ms| *ms > 0)
}

/// Reads a limit of agents per time as the interval between two of them.
fn removal_interval(limit: &Node, cx: &mut Context<'_>) -> Option<u64> {
    let parts = limit.as_str().and_then(|text| text.split_once('/'));
    let read = parts.and_then(|(count, time)| {
        let time = time.replace("mins", "m").replace("secs", "s").replace("hrs", "h");
        parse_duration_ms(&time)?.checked_div(count.parse().ok()?)
    });
    let read = read.filter(|ms| *ms > 0);
    if read.is_none() {
        fields::wrong(limit, "`agent_removal_rate_limit` must be agents in a time, such as `1/10m`", cx);
    }
    read
}

fn machines(items: &[Node], cx: &mut Context<'_>) -> Vec<AddAgent> {
    items.iter().filter_map(|item| fields::typed(item, "a machine", cx)).collect()
}

fn preset(node: &Node, cx: &mut Context<'_>) -> Vec<AddAgent> {
    let name = node.as_str().unwrap_or_default();
    if let Some(cluster) = presets::cluster(name) {
        return cluster;
    }
    if let Some(count) = node.as_i64().and_then(|n| u32::try_from(n).ok()) {
        return presets::cluster("1")
            .unwrap_or_default()
            .into_iter()
            .map(|one| AddAgent { count: Some(count), ..one })
            .collect();
    }
    let names = || presets::PRESETS.iter().map(|preset| preset.name);
    let mut finding =
        Diagnostic::error(codes::VALUE, node.span, format!("there is no cluster preset `{name}`"));
    finding = finding.with_help(did_you_mean_in_ticks(suggest(name, names()), || {
        format!("presets: {}", names().collect::<Vec<_>>().join(", "))
    }));
    cx.found.push(finding);
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use planarium_protocol::input::Resources;

    /// Returns the first column of the table whose header begins with `header`.
    fn rows<'p>(page: &'p str, header: &str) -> Vec<&'p str> {
        let lines = page.lines().skip_while(|line| !line.starts_with(&format!("| {header}"))).skip(2);
        let table = lines.map_while(|line| line.strip_prefix("| `"));
        table.filter_map(|line| line.split('`').next()).collect()
    }

    /// Returns the keys that a type reads, as the refusal of an unknown one lists them.
    fn keys<T: serde::de::DeserializeOwned>() -> Vec<String> {
        let refusal =
            serde_json::from_str::<T>(r#"{"no such key": 1}"#).err().expect("a refusal").to_string();
        let (_, known) = refusal.split_once("expected one of ").expect("a list of keys");
        known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn the_reference_lists_exactly_the_known_flags_and_settings() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/mesos.md");
        let page = std::fs::read_to_string(path).expect("a page");
        assert_eq!(rows(&page, "Flag "), FLAGS);
        assert_eq!(rows(&page, "Setting "), keys::<AddAgent>());
        assert_eq!(rows(&page, "Amount"), keys::<Resources>());
        for preset in presets::PRESETS {
            assert!(page.contains(&format!("`{}`", preset.name)), "{} is not on the page", preset.name);
        }
    }
}
