//! Plain-text pictures of a view: plan trees, clusters, explanations.
//!
//! The plan tree is the real command line's (`plan status`): connectors `├─ ` and `└─ `, then name, strategy and status.
//! Source: dcos-commons `cli/` plan commands.

use crate::instances::Instances;
use planarium_kernel::Stretch;
use planarium_protocol::event::Event;
pub use planarium_protocol::view::plan_tree;
use planarium_protocol::view::{ClusterView, ServiceView, View};
use planarium_protocol::why::{OfferFunnel, ReasonKind, RequirementOutcome, Why};
use std::fmt::Write as _;

/// All plans of a service, separated by empty lines.
pub fn service_trees(service: &ServiceView) -> String {
    service.plans.iter().map(|plan| plan_tree(plan)).collect::<Vec<_>>().join("\n\n")
}

/// Every service's plans, with a heading per service if there are several.
pub fn world_trees(view: &View) -> String {
    let several = view.services.len() > 1;
    view.services
        .iter()
        .map(|service| {
            let trees = service_trees(service);
            if several { format!("== {}\n{trees}", service.name) } else { trees }
        })
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Formats thousandths: `1500` is `1.5`.
pub fn amount(thousandths: i64) -> String {
    planarium_protocol::Amount(thousandths).to_string()
}

/// The machines as a table: one line each, with its tasks below. `events` are those of the run: tasks of one name get the
/// numbers of their instances.
pub fn cluster(cluster: &ClusterView, events: Stretch<'_, Event>) -> String {
    numbered_cluster(cluster, &Instances::of(events))
}

/// The machines as a table, with the given numbers.
pub(crate) fn numbered_cluster(cluster: &ClusterView, instances: &Instances) -> String {
    let mut out = String::new();
    for machine in &cluster.machines {
        let twice = if machine.promised_twice { ", promised twice" } else { "" };
        let _ = write!(out, "{} ({}{twice}", machine.hostname, machine.state);
        if machine.without_size > 0 {
            let _ = write!(out, ", {} without a size", machine.without_size);
        }
        out.push(')');
        for resource in &machine.resources {
            let _ = write!(
                out,
                "  {} {}/{}",
                resource.name,
                amount(resource.used.saturating_add(resource.reserved)),
                amount(resource.total)
            );
        }
        out.push('\n');
        for task in &machine.tasks {
            let number = instances.of_task(&task.id).map(|number| format!(" #{number}")).unwrap_or_default();
            let _ = writeln!(out, "  {}{number} {}", task.name, task.state);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// An explanation: the sentence, the chain, the offer funnel, the ways out.
pub fn why(why: &Why) -> String {
    let step = [Some(&why.path.plan), why.path.phase.as_ref(), why.path.step.as_ref()];
    let path: Vec<&str> = step.into_iter().flatten().map(AsRef::as_ref).collect();
    let mut out = format!("why {} ({})\n  {}", path.join("/"), why.status, why.sentence);
    for (index, reason) in why.reasons.iter().enumerate() {
        let _ = write!(out, "\n  {}. {}", index + 1, reason.text);
        if let ReasonKind::NoMatchingOffer { funnel } = &reason.kind {
            offer_funnel(&mut out, funnel);
        }
    }
    for unblock in &why.unblock {
        let _ = write!(out, "\n  -> {}", unblock.title);
    }
    out
}

fn offer_funnel(out: &mut String, funnel: &OfferFunnel) {
    for stage in &funnel.stages {
        let of = stage.passed.saturating_add(stage.failed);
        let _ = write!(out, "\n     {}: {} of {of} machines", stage.requirement, stage.passed);
    }
    for agent in &funnel.agents {
        let misses: Vec<String> = agent
            .outcomes
            .iter()
            .filter(|outcome| !outcome.passed)
            .map(RequirementOutcome::in_words)
            .collect();
        let verdict = if misses.is_empty() { "fits".to_owned() } else { misses.join("; ") };
        let _ = write!(out, "\n     {}: {verdict}", agent.agent);
    }
    if let Some(nearest) = &funnel.nearest {
        let _ = write!(out, "\n     nearest: {nearest}");
    }
}
