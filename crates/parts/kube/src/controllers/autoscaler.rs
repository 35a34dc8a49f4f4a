//! HorizontalPodAutoscalers: scale workloads by usage.
//!
//! Source: `kubernetes/kubernetes: pkg/controller/podautoscaler/{horizontal,replica_calculator}.go` (1.29); match for CPU and memory by
//! utilization or average value, tolerance, pods that are not ready or report nothing, bounds, policies and stabilization. Other metrics
//! do not exist here, which the status says. Ratios are compared as whole numbers.

use crate::{
    cluster::Cluster,
    object::{Object, ObjectNo, ObjectRef},
    records::{autoscalers::Memory, queue::Timer},
    selector::Selector,
    status::Status,
    tree::Tree,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::{Class, SimTime, sorted};
use planarium_protocol::{
    Text, json,
    json::{Map, Value},
};
use std::{cmp::Ordering, sync::Arc};

const SOURCE: &str = "horizontal-pod-autoscaler";
/// Interval between two syncs. *Units*: milliseconds.
const SYNC_MS: u64 = 15_000;
/// A ratio nearer to one than this changes nothing. *Units*: thousandths.
const TOLERANCE: i128 = 100;
const STABILIZATION_S: u32 = 300;

/// Syncs a new or changed autoscaler now, and then every 15 s.
pub(crate) fn sync(cluster: &mut Cluster, cx: &Cx, scaler: &Object) {
    arm(cluster, cx, scaler.no, 0);
}

fn arm(cluster: &mut Cluster, cx: &Cx, no: ObjectNo, delay_ms: u64) {
    let armed = cluster.workloads.get(no).and_then(|workload| workload.timer);
    cluster.queue.disarm(armed.map(|(timer, _)| timer));
    let due = cx.now().saturating_add(delay_ms);
    let class = if delay_ms == 0 { Class::OneShot } else { Class::Periodic };
    let timer = cluster.queue.arm(due, class, cx.cause(), Timer::Autoscale(no));
    cluster.workloads.change(no, |workload| workload.timer = Some((timer, due)));
}

/// Measures the usage of the scaled workload.
pub(crate) fn due(cluster: &mut Cluster, cx: &mut Cx, fleet: &Fleet, no: ObjectNo) {
    cluster.workloads.change(no, |workload| workload.timer = None);
    let Some(scaler) = cluster.api.store.object(no).filter(|one| !one.is_being_deleted()).cloned() else {
        cluster.autoscalers.forget(no);
        return;
    };
    arm(cluster, cx, no, SYNC_MS);
    let mut memory = cluster.autoscalers.get(no);
    let status = look(cluster, cx, fleet, &scaler, &mut memory);
    cluster.autoscalers.put(no, memory);
    let Some(scaler) = cluster.api.store.object(no).cloned() else { return };
    let same = matches!(&scaler.status, Status::Plain(before) if **before == status);
    if !same {
        cluster.put_status(cx, &scaler, Status::Plain(Arc::new(status)));
    }
}

/// The conditions collected for an autoscaler.
struct Conditions<'a> {
    before: &'a [Value],
    at: String,
    all: Vec<Value>,
}

impl Conditions<'_> {
    fn put(&mut self, kind: &str, good: bool, reason: &str, message: &str) {
        // The last condition of a type wins.
        self.all.retain(|one| one.text("type") != kind);
        let word = if good { "True" } else { "False" };
        let old = self.before.iter().find(|one| one.text("type") == kind && one.text("status") == word);
        let at = old.map_or(self.at.as_str(), |old| old.text("lastTransitionTime"));
        self.all.push(json!({
            "type": kind, "status": word, "lastTransitionTime": at, "reason": reason, "message": message,
        }));
    }
}

fn look(
    cluster: &mut Cluster,
    cx: &mut Cx,
    fleet: &Fleet,
    scaler: &Arc<Object>,
    memory: &mut Memory,
) -> Value {
    let before = scaler.status().unwrap_or_default();
    let mut conditions = Conditions {
        before: before.items("conditions"),
        at: cluster.api.epoch.text(cx.now()),
        all: Vec::new(),
    };
    let spec = scaler.content().key("spec");
    let bounds = Bounds {
        least: spec.count("minReplicas").unwrap_or(1),
        most: spec.count("maxReplicas").unwrap_or(1),
    };
    let Bounds { least, most } = bounds;
    let last_scale = before.key("lastScaleTime").clone();
    let Some(target) = target_of(cluster, scaler) else {
        let named = spec.key("scaleTargetRef");
        let message = format!(
            "the HPA controller was unable to get the target's current scale: {} {:?} not found",
            named.text("kind"),
            named.text("name")
        );
        conditions.put("AbleToScale", false, "FailedGetScale", &message);
        cluster.reports.record(cx, scaler, true, "FailedGetScale", &message, SOURCE);
        return status(scaler, before.count("currentReplicas").unwrap_or(0), 0, &[], last_scale, conditions);
    };
    conditions.put(
        "AbleToScale",
        true,
        "SucceededGetScale",
        "the HPA controller was able to get the target's current scale",
    );
    let current = target.replicas;
    if current == 0 && least != 0 {
        let message = "scaling is disabled since the replica count of the target is zero";
        conditions.put("ScalingActive", false, "ScalingDisabled", message);
        return status(scaler, current, 0, &[], last_scale, conditions);
    }
    if current > most || current < least {
        let (wanted, reason) = if current > most {
            (most, "Current number of replicas above Spec.MaxReplicas")
        } else {
            (least, "Current number of replicas below Spec.MinReplicas")
        };
        rescale(cluster, cx, scaler, &target, wanted, reason, memory);
        let at = conditions.at.clone().into();
        return status(scaler, current, wanted, &[], at, conditions);
    }
    let mut proposals = Vec::new();
    let mut shown = Vec::new();
    for metric in spec.items("metrics") {
        match propose(cluster, fleet, &target, metric) {
            Ok(proposal) => {
                shown.push(proposal.shown.clone());
                proposals.push(proposal);
            }
            Err((reason, message)) => {
                cluster.reports.record(cx, scaler, true, reason, &message, SOURCE);
                // A metric that is not known keeps pods from going, not from coming.
                if proposals.is_empty() && spec.items("metrics").len() == 1 {
                    conditions.put(
                        "ScalingActive",
                        false,
                        reason,
                        &format!("the HPA was unable to compute the replica count: {message}"),
                    );
                    return status(scaler, current, current, &shown, last_scale, conditions);
                }
            }
        }
    }
    let Some(best) = proposals.iter().max_by_key(|proposal| proposal.replicas) else {
        let message = "the HPA was unable to compute the replica count: no metric is known";
        conditions.put("ScalingActive", false, "FailedGetResourceMetric", message);
        return status(scaler, current, current, &shown, last_scale, conditions);
    };
    let message = format!("the HPA was able to successfully calculate a replica count from {}", best.name);
    conditions.put("ScalingActive", true, "ValidMetricFound", &message);
    let wanted = bounded(spec, current, best.replicas, memory, cx.now(), &mut conditions, bounds);
    if wanted == current {
        return status(scaler, current, current, &shown, last_scale, conditions);
    }
    let reason = if wanted > current {
        format!("{} above target", best.name)
    } else {
        "All metrics below target".to_owned()
    };
    rescale(cluster, cx, scaler, &target, wanted, &reason, memory);
    let at = conditions.at.clone().into();
    status(scaler, current, wanted, &shown, at, conditions)
}

/// The object that an autoscaler scales.
fn target_of(cluster: &Cluster, scaler: &Object) -> Option<Arc<Object>> {
    let named = scaler.content().at(&["spec", "scaleTargetRef"]);
    let version = named.text("apiVersion");
    let kind = cluster.api.find_kind(if version.is_empty() { "v1" } else { version }, named.text("kind"))?;
    let object = cluster.api.get(ObjectRef::new(kind, &scaler.namespace, named.text("name")))?;
    object.info().has_scale.then(|| object.clone())
}

/// A number of pods by one metric.
struct Proposal {
    replicas: u32,
    name: Text,
    /// `status.currentMetrics`.
    shown: Value,
}

/// Amounts of the pods that a metric is taken of.
#[derive(Default)]
struct Sums {
    use_: i128,
    requested: i128,
    ready: u32,
    /// Requests of pods that are not ready, and of those that say nothing.
    unready: (u32, i128),
    silent: (u32, i128),
}

fn propose(
    cluster: &Cluster,
    fleet: &Fleet,
    target: &Object,
    metric: &Value,
) -> Result<Proposal, (&'static str, String)> {
    let resource = metric.key("resource");
    let name = resource.text("name");
    if metric.text("type") != "Resource" || !matches!(name, "cpu" | "memory") {
        let kind = metric.text("type");
        let text = format!(
            "unable to get metric of type {kind}: no metrics returned from the simulator's metrics API, which has cpu and memory"
        );
        return Err(("FailedGetResourceMetric", text));
    }
    let is_cpu = name == "cpu";
    let sums = sums(cluster, fleet, target, is_cpu);
    if sums.ready == 0 {
        let text = format!(
            "failed to get {name} utilization: did not receive metrics for targeted pods (pods might be unready)"
        );
        return Err(("FailedGetResourceMetric", text));
    }
    let current = target.replicas;
    let wanted = resource.key("target");
    let average = sums.use_ / i128::from(sums.ready);
    let shown_average = if is_cpu {
        crate::quantity::cpu_text(clamp(average))
    } else {
        crate::quantity::bytes_text(clamp(average))
    };
    let mut shown = Map::new();
    json::put(&mut shown, "averageValue", shown_average.into());
    let (part, whole, title) = if let Some(percent) = wanted.int("averageUtilization") {
        if sums.requested == 0 {
            let text = format!("failed to get {name} utilization: missing request for {name}");
            return Err(("FailedGetResourceMetric", text));
        }
        json::put(&mut shown, "averageUtilization", clamp(sums.use_ * 100 / sums.requested).into());
        (sums.use_ * 100, sums.requested * i128::from(percent.max(1)), "utilization (percentage of request)")
    } else {
        let text = wanted.text("averageValue");
        let each = if is_cpu { crate::quantity::thousandths(text) } else { crate::quantity::whole(text) };
        let each = i128::from(each.unwrap_or(1).max(1));
        (sums.use_, each * i128::from(sums.ready), "")
    };
    let replicas = replicas_of(current, &sums, part, whole);
    let title =
        if title.is_empty() { format!("{name} resource") } else { format!("{name} resource {title}") };
    Ok(Proposal {
        replicas,
        name: title.into(),
        shown: json!({ "type": "Resource", "resource": { "name": name, "current": Value::Object(shown) } }),
    })
}

fn clamp(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Sums over the pods of a workload.
fn sums(cluster: &Cluster, fleet: &Fleet, target: &Object, is_cpu: bool) -> Sums {
    let selector = Selector::of_value(target.content().at(&["spec", "selector"]));
    let mut sums = Sums::default();
    for pod in cluster.api.store.pods_selected(&target.namespace, &selector) {
        if pod.is_being_deleted() || pod.is_over() {
            continue;
        }
        let Some(facts) = pod.pod() else { continue };
        let crate::spec::Spec::Pod(spec, _) = &pod.spec else { continue };
        let asked = i128::from(if is_cpu { spec.requests.cpu_milli } else { spec.requests.memory });
        match cluster.usage_of(fleet, pod) {
            Some(_) if !facts.ready && is_cpu => {
                sums.unready.0 += 1;
                sums.unready.1 += asked;
            }
            Some(all) => {
                let own: i64 = all.iter().map(|one| if is_cpu { one.cpu_milli } else { one.memory }).sum();
                sums.use_ += i128::from(own);
                sums.requested += asked;
                sums.ready += 1;
            }
            None => {
                sums.silent.0 += 1;
                sums.silent.1 += asked;
            }
        }
    }
    sums
}

/// The number of pods that brings a ratio back to one.
fn replicas_of(current: u32, sums: &Sums, part: i128, whole: i128) -> u32 {
    let is_near = |part: i128, whole: i128| (part * 1000 - whole * 1000).abs() <= whole * TOLERANCE;
    let up = |part: i128, whole: i128, count: u32| {
        let number = (part * i128::from(count) + whole - 1) / whole.max(1);
        u32::try_from(number.max(0)).unwrap_or(u32::MAX)
    };
    let (unready, silent) = (sums.unready.0, sums.silent.0);
    let grows = part > whole;
    if unready + silent == 0 || unready > 0 && silent == 0 && !grows {
        return if is_near(part, whole) { current } else { up(part, whole, sums.ready) };
    }
    // Pods without metrics count with full usage when scaling down, and with none when scaling up.
    let each_whole = whole / i128::from(sums.ready.max(1));
    let mut count = sums.ready;
    let (mut part_all, mut whole_all) = (part, whole);
    for _ in 0..silent {
        count += 1;
        whole_all += each_whole;
        if !grows {
            part_all += each_whole;
        }
    }
    if grows {
        for _ in 0..unready {
            count += 1;
            whole_all += each_whole;
        }
    }
    let turns = (part_all > whole_all) != grows;
    if is_near(part_all, whole_all) || turns {
        return current;
    }
    let wanted = up(part_all, whole_all, count);
    // Never against the direction of the ratio.
    if grows && wanted < current || !grows && wanted > current { current } else { wanted }
}

/// The numbers of replicas between which an autoscaler chooses.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: u32,
    most: u32,
}

/// Limits a proposal by the bounds, the policies and recent proposals.
fn bounded(
    spec: &Value,
    current: u32,
    proposed: u32,
    memory: &mut Memory,
    now: SimTime,
    conditions: &mut Conditions<'_>,
    bounds: Bounds,
) -> u32 {
    let Bounds { least, most } = bounds;
    let rules = |key: &str| spec.key("behavior").key(key);
    let window = |key: &str, usual: u32| {
        u64::from(rules(key).count("stabilizationWindowSeconds").unwrap_or(usual)) * 1000
    };
    let (up_ms, down_ms) = (window("scaleUp", 0), window("scaleDown", STABILIZATION_S));
    memory.recommended.retain(|(at, _)| now.since(*at) < up_ms.max(down_ms).max(1));
    let since = |ms: u64| {
        memory.recommended.iter().filter(move |(at, _)| now.since(*at) < ms).map(|(_, count)| *count)
    };
    let (low, high) = (since(up_ms).fold(proposed, u32::min), since(down_ms).fold(proposed, u32::max));
    let stable = if current < low {
        low
    } else if current > high {
        high
    } else {
        current
    };
    memory.recommended.push((now, proposed));
    if stable == proposed {
        conditions.put("AbleToScale", true, "ReadyForNewScale", "recommended size matches current size");
    } else {
        let message =
            "recent recommendations were higher than current one, applying the highest recent recommendation";
        conditions.put("AbleToScale", true, "ScaleDownStabilized", message);
    }
    let allowed = match stable.cmp(&current) {
        Ordering::Greater => stable.min(limit(rules("scaleUp"), current, memory, now, true)),
        Ordering::Less => stable.max(limit(rules("scaleDown"), current, memory, now, false)),
        Ordering::Equal => current,
    };
    let wanted = allowed.clamp(least, most.max(least));
    let (limited, reason, message) = if stable > most {
        (true, "TooManyReplicas", "the desired replica count is more than the maximum replica count")
    } else if stable < least {
        (true, "TooFewReplicas", "the desired replica count is less than the minimum replica count")
    } else if allowed != stable && stable > current {
        (true, "ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate")
    } else if allowed != stable {
        (true, "ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate")
    } else {
        (false, "DesiredWithinRange", "the desired count is within the acceptable range")
    };
    conditions.put("ScalingLimited", limited, reason, message);
    wanted
}

/// The number that the policies of a direction allow.
fn limit(rules: &Value, current: u32, memory: &Memory, now: SimTime, grows: bool) -> u32 {
    let usual = if grows {
        json!([{ "type": "Pods", "value": 4, "periodSeconds": 15 }, { "type": "Percent", "value": 100, "periodSeconds": 15 }])
    } else {
        json!([{ "type": "Percent", "value": 100, "periodSeconds": 15 }])
    };
    let policies = match rules.items("policies") {
        [] => usual.as_array().cloned().unwrap_or_default(),
        own => own.to_vec(),
    };
    let select = rules.text("selectPolicy");
    if select == "Disabled" {
        return current;
    }
    let mut limits = Vec::new();
    for policy in &policies {
        let period_ms = u64::from(policy.count("periodSeconds").unwrap_or(15)) * 1000;
        let changed: u32 = memory
            .changes
            .iter()
            .filter(|(at, _, up)| *up == grows && now.since(*at) < period_ms)
            .map(|(_, count, _)| *count)
            .sum();
        let start = if grows { current.saturating_sub(changed) } else { current.saturating_add(changed) };
        let value = policy.count("value").unwrap_or(0);
        let share = u64::from(start) * u64::from(value);
        let bound = match (policy.text("type"), grows) {
            ("Percent", true) => start.saturating_add(u32::try_from(share.div_ceil(100)).unwrap_or(u32::MAX)),
            ("Percent", false) => start.saturating_sub(u32::try_from(share / 100).unwrap_or(u32::MAX)),
            (_, true) => start.saturating_add(value),
            (_, false) => start.saturating_sub(value),
        };
        limits.push(bound);
    }
    sorted::sort(&mut limits);
    // The policy with the largest change, unless the definition selects another.
    let most = grows != (select == "Min");
    let chosen = if most { limits.last() } else { limits.first() };
    let bound = chosen.copied().unwrap_or(current);
    if grows { bound.max(current) } else { bound.min(current) }
}

fn rescale(
    cluster: &mut Cluster,
    cx: &mut Cx,
    scaler: &Arc<Object>,
    target: &Arc<Object>,
    wanted: u32,
    reason: &str,
    memory: &mut Memory,
) {
    let scale = json!({ "spec": { "replicas": wanted } });
    let current = target.replicas;
    let scaled = cluster.write(cx, |api, _| api.rescale(target, &scale));
    let (warning, word, message) = match scaled {
        Ok(_) => (false, "SuccessfulRescale", format!("New size: {wanted}; reason: {reason}")),
        Err(error) => {
            (true, "FailedRescale", format!("New size: {wanted}; reason: {reason}; error: {}", error.message))
        }
    };
    if !warning {
        memory.note_change(cx.now(), wanted.abs_diff(current), wanted > current);
    }
    cluster.reports.record(cx, scaler, warning, word, &message, SOURCE);
}

fn status(
    scaler: &Object,
    current: u32,
    wanted: u32,
    metrics: &[Value],
    last_scale: Value,
    conditions: Conditions<'_>,
) -> Value {
    let mut fields = Map::new();
    json::put(&mut fields, "observedGeneration", scaler.generation.max(1).into());
    if !last_scale.is_null() {
        json::put(&mut fields, "lastScaleTime", last_scale);
    }
    json::put(&mut fields, "currentReplicas", current.into());
    json::put(&mut fields, "desiredReplicas", wanted.into());
    if !metrics.is_empty() {
        json::put(&mut fields, "currentMetrics", Value::Array(metrics.to_vec()));
    }
    let mut all = conditions.all;
    sorted::sort_by(&mut all, |one, other| one.text("type").cmp(other.text("type")));
    json::put(&mut fields, "conditions", Value::Array(all));
    Value::Object(fields)
}
