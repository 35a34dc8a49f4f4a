//! The machines of a scenario (a preset by name, a number of default machines, or a list) and the flags of its master.

use super::Context;
use super::fields::{self, Fields};
use crate::codes;
use planarium_protocol::input::AddAgent;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, suggest};
use planarium_world::presets;

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

/// Reads `master: {offer_timeout: 30s}`.
pub(crate) fn offer_timeout(node: &Node, cx: &mut Context<'_>) -> Option<u64> {
    let time = Fields::open(node, "a master", &["offer_timeout"], cx)?.take("offer_timeout")?;
    let ms = fields::time(time, cx)?;
    if ms == 0 {
        fields::wrong(time, "`offer_timeout` is longer than nothing", cx);
    }
    Some(ms).filter(|ms| *ms > 0)
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
    finding = match suggest(name, names()) {
        Some(near) => finding.with_help(format!("did you mean `{near}`?")),
        None => finding.with_help(format!("presets: {}", names().collect::<Vec<_>>().join(", "))),
    };
    cx.found.push(finding);
    Vec::new()
}
