//! Resource sets, named ones and those of single tasks.
//!
//! **Source**: `dcos-commons: …/specification/{DefaultResourceSet,DefaultResourceLimits}.java`. Match.

use super::volume::{self, Owner, Volumes};
use super::{Cx, Named, Word, misplaced_fields, port, word};
use crate::codes;
use crate::spec::{Limit, ResourceLimits, ResourceSet};
use planarium_kernel::Milli;
use planarium_source::read::MapReader;
use planarium_source::yaml::{Entry, Node};
use planarium_source::{Diagnostic, Span, Spanned};
use std::sync::Arc;

/// The fields of a footprint.
pub(super) const FIELDS: &[&str] =
    &["cpus", "gpus", "memory", "resource-limits", "ports", "volume", "volumes"];

/// The fields of a footprint, read but not yet checked.
pub(super) struct Raw<'n> {
    cpus: Option<Spanned<i64>>,
    gpus: Option<Spanned<i64>>,
    memory: Option<Spanned<i64>>,
    limits: Option<&'n Node>,
    ports: Option<&'n Node>,
    volume: Option<&'n Entry>,
    volumes: Option<&'n Entry>,
    /// Some resource is written, readable or not.
    any: bool,
    /// A resource that is written and reads as nothing.
    emptied: Option<Span>,
}

impl<'n> Raw<'n> {
    pub(super) fn read(fields: &mut MapReader<'n, '_>) -> Self {
        let mut emptied = None;
        let mut any = false;
        for key in ["cpus", "gpus", "memory", "ports"] {
            let Some(entry) = fields.entry(key) else { continue };
            if entry.value.is_null() {
                emptied = emptied.or(Some(entry.value.span));
            } else {
                any = true;
            }
        }
        let present = |entry: &&Entry| !entry.value.is_null();
        Self {
            cpus: fields.thousandths("cpus"),
            gpus: fields.thousandths("gpus"),
            memory: fields.int("memory"),
            limits: fields.optional("resource-limits"),
            ports: fields.optional("ports"),
            volume: fields.entry("volume").filter(present),
            volumes: fields.entry("volumes").filter(present),
            any,
            emptied,
        }
    }

    /// Checks the fields and builds the set `id` for the owner of that name, written at `head`.
    pub(super) fn build(self, cx: &mut Cx<'_>, id: &str, owner: &str, head: Span) -> ResourceSet {
        if let (Some(volume), Some(volumes)) = (self.volume, self.volumes) {
            let message = format!("Both 'volume' and 'volumes' may not be specified at the same time: {id}");
            cx.push(
                Diagnostic::error(codes::VOLUME_AND_VOLUMES, volumes.key.span, message)
                    .with_label(volume.key.span, "'volume' is here")
                    .with_help("move the single volume into 'volumes'"),
            );
        }
        let mut volumes: Volumes =
            volume::one(cx, self.volume.map(|entry| &entry.value), Owner::Set).into_iter().collect();
        volumes.extend(volume::several(cx, self.volumes.map(|entry| &entry.value), Owner::Set));
        volume::check_paths(cx, &volumes);

        let ports = port::ports(cx, self.ports);
        let no_ports = self.ports.is_some_and(|node| node.as_mapping().is_some_and(<[_]>::is_empty));
        let only_ports = self.cpus.is_none() && self.gpus.is_none() && self.memory.is_none();
        if !self.any || (only_ports && no_ports) {
            let span = self.emptied.filter(|span| !span.is_empty()).unwrap_or(head);
            let message = format!("{owner} reserves nothing: no cpus, gpus, memory or ports");
            let help = "add 'cpus' and 'memory'; volumes alone do not count";
            cx.error(codes::EMPTY_RESOURCE_SET, span, &message, help);
        }
        let cpus = self.cpus.and_then(|cpus| positive(cx, "cpus", cpus));
        let gpus = self.gpus.and_then(|gpus| positive(cx, "gpus", gpus));
        let mem = self.memory.and_then(|memory| {
            let mib = volume::positive_mib(cx, "memory", memory.value, memory.span)?;
            Some(Milli::from_int(i64::try_from(mib).unwrap_or(i64::MAX)))
        });
        let limits = self.limits.map(|node| limits(cx, node, owner, cpus, mem)).unwrap_or_default();
        let volumes = volumes.into_iter().map(|(volume, _)| volume).collect();
        ResourceSet { id: id.into(), cpus, gpus, mem, limits, ports, volumes, at: cx.at(head) }
    }
}

/// The field `resource-sets` of a pod.
pub(super) fn sets(cx: &mut Cx<'_>, node: Option<&Node>, pod: &str) -> Vec<Arc<ResourceSet>> {
    let mut sets = Vec::new();
    let named = cx.named(node, "'resource-sets'");
    for Named { name, key, value } in misplaced_fields::in_place(cx, named, &misplaced_fields::SETS) {
        let what = format!("resource set '{name}' of pod '{pod}'");
        let Some(mut fields) = cx.fields(value, &what, key.span) else { continue };
        let raw = Raw::read(&mut fields);
        fields.finish();
        sets.push(Arc::new(raw.build(cx, name, &format!("Resource set '{name}'"), key.span)));
    }
    sets
}

fn positive(cx: &mut Cx<'_>, field: &str, amount: Spanned<i64>) -> Option<Milli> {
    if amount.value > 0 {
        return Some(Milli(amount.value));
    }
    let message = format!("'{field}' must be above zero, but is {}", Milli(amount.value));
    cx.error(codes::NOT_POSITIVE, amount.span, &message, "write a number above zero, or remove the field");
    None
}

fn limits(
    cx: &mut Cx<'_>,
    node: &Node,
    owner: &str,
    cpus: Option<Milli>,
    mem: Option<Milli>,
) -> ResourceLimits {
    let Some(mut fields) = cx.fields(node, "'resource-limits'", node.span) else {
        return ResourceLimits::default();
    };
    let (cpus_word, mem_word) = (word(&mut fields, "cpus"), word(&mut fields, "memory"));
    fields.finish();
    ResourceLimits {
        cpus: limit(cx, "cpus", cpus_word, owner, cpus),
        mem: limit(cx, "memory", mem_word, owner, mem),
    }
}

fn limit(
    cx: &mut Cx<'_>,
    field: &str,
    word: Option<Word<'_>>,
    owner: &str,
    request: Option<Milli>,
) -> Option<Limit> {
    let word = word.filter(|word| !word.text.trim().is_empty())?;
    if word.text.trim() == "unlimited" {
        return Some(Limit::Unlimited);
    }
    let Ok(amount) = Milli::parse(word.text.trim()) else {
        let message =
            format!("The {field} resource-limits '{}' is neither a number nor 'unlimited'", word.text);
        cx.error(codes::BAD_LIMIT, word.node.span, &message, "write a number, or \"unlimited\"");
        return None;
    };
    if let Some(request) = request.filter(|request| amount < *request) {
        let message = format!(
            "The {field} resource-limits for {owner}, {amount}, is less than the requested amount, {request}"
        );
        cx.error(
            codes::LIMIT_BELOW_REQUEST,
            word.node.span,
            &message,
            "raise the limit or lower the request",
        );
    }
    Some(Limit::Amount(amount))
}
