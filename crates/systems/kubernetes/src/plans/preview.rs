//! Plans of a definition before anything runs.

use std::sync::Arc;

use planarium_protocol::Text;
use planarium_protocol::view::{PhaseView, PlanView, Progress, ServiceView, StepView};
use serde_json::Value;

use super::{OBJECTS, count, is_workload};
use crate::definition::{Item, Loaded};
use crate::statuses::STATUSES;

/// Steps of a preview that are shown at most.
const MOST: u32 = 1_000;

/// The service with plans of which nothing has been done; `keys` are the names of plans and steps, item by item.
pub(crate) fn preview(definition: &Loaded, keys: &[Text]) -> Arc<ServiceView> {
    let mut plans = Vec::new();
    let mut last = Vec::new();
    let mut others = Vec::new();
    for (item, key) in definition.items().iter().zip(keys) {
        if !is_workload(&item.kind) {
            others.push(step(item, key.clone()));
        } else if *item.kind == *"CronJob" {
            last.push(workload(item, key));
        } else {
            plans.push(workload(item, key));
        }
    }
    if !others.is_empty() {
        let progress = Progress { done: 0, total: count(others.len()) };
        plans.push(plan(OBJECTS.into(), "apply", progress, vec![phase(OBJECTS, "apply", progress, others)]));
    }
    plans.append(&mut last);
    Arc::new(ServiceView {
        revision: 1,
        name: definition.name().clone(),
        dialect: crate::WORD.into(),
        plans,
        pods: Vec::new(),
        activity: Text::default(),
        statuses: STATUSES,
        definitions: Vec::new(),
        more: Arc::default(),
    })
}

fn workload(item: &Item, key: &Text) -> Arc<PlanView> {
    let text = |pointer: &str| item.full.pointer(pointer).and_then(Value::as_str);
    let number = |pointer: &str| {
        item.full.pointer(pointer).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok())
    };
    let replicas = number("/spec/replicas").unwrap_or(1);
    let (name, strategy, total) = match &*item.kind {
        "Deployment" => ("revision-1", text("/spec/strategy/type").unwrap_or("RollingUpdate"), replicas),
        "StatefulSet" => ("pods", text("/spec/podManagementPolicy").unwrap_or("OrderedReady"), replicas),
        "DaemonSet" => ("nodes", text("/spec/updateStrategy/type").unwrap_or("RollingUpdate"), 0),
        "Job" => {
            let parallelism = number("/spec/parallelism").unwrap_or(1).max(1);
            ("pods", "parallel", number("/spec/completions").unwrap_or(parallelism))
        }
        "CronJob" => ("", text("/spec/concurrencyPolicy").unwrap_or("Allow"), 0),
        "Pod" => {
            let of = |key: &str| item.full.pointer(key).and_then(Value::as_array).map_or(0, Vec::len);
            ("containers", "parallel", count(of("/spec/containers")))
        }
        _ => ("pods", "parallel", replicas),
    };
    let progress = Progress { done: 0, total };
    let steps = match &*item.kind {
        "StatefulSet" => (0..total.min(MOST))
            .map(|ordinal| step(item, format!("{}-{ordinal}", item.name).into()))
            .collect(),
        "Pod" => {
            let containers = item.full.pointer("/spec/containers").and_then(Value::as_array);
            let names =
                containers.into_iter().flatten().filter_map(|one| one.get("name").and_then(Value::as_str));
            names.map(|name| step(item, name.into())).collect()
        }
        _ => Vec::new(),
    };
    let phases = if name.is_empty() { Vec::new() } else { vec![phase(name, strategy, progress, steps)] };
    plan(key.clone(), strategy, progress, phases)
}

fn plan(name: Text, strategy: &str, progress: Progress, phases: Vec<Arc<PhaseView>>) -> Arc<PlanView> {
    Arc::new(PlanView {
        revision: 1,
        name,
        status: "Pending".into(),
        strategy: strategy.into(),
        interrupted: false,
        errors: Vec::new(),
        progress,
        phases,
        actions: Arc::new([]),
        custom: false,
    })
}

fn phase(name: &str, strategy: &str, progress: Progress, steps: Vec<Arc<StepView>>) -> Arc<PhaseView> {
    Arc::new(PhaseView {
        revision: 1,
        id: name.into(),
        name: name.into(),
        status: "Pending".into(),
        strategy: strategy.into(),
        interrupted: false,
        gates_left: 0,
        progress,
        steps,
        actions: Arc::new([]),
    })
}

fn step(item: &Item, name: Text) -> Arc<StepView> {
    Arc::new(StepView {
        revision: 1,
        id: name.clone(),
        name,
        namesake: false,
        status: "Pending".into(),
        reason: Text::default(),
        progress: None,
        forced: false,
        since_ms: 0,
        pod: None,
        tasks: Vec::new(),
        source: item.source.clone(),
        actions: Arc::new([]),
    })
}
