//! Plans, phases and custom steps.
//!
//! **Source**: `dcos-commons: …/specification/PlanGenerator.java`. Match; it checks plans when the scheduler starts,
//! here they are checked with everything else.

use super::{Cx, Named, Word, misplaced_fields, word};
use crate::codes;
use crate::lower;
use crate::spec::{
    PhaseSpec, PhaseStrategy, PlanSpec, PlanStrategy, PodSpec, ServiceSpec, StepEntry, StepKey, StepTasks,
};
use planarium_kernel::Limits;
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_source::read;
use planarium_source::yaml::{Entry, Node};
use planarium_source::{Diagnostic, Severity, Span, suggest};
use std::sync::Arc;

/// Decodes the field `plans`.
pub(super) fn plans(cx: &mut Cx<'_>, node: Option<&Node>, pods: &[Arc<PodSpec>]) -> Vec<Arc<PlanSpec>> {
    let mut plans = Vec::new();
    let named = cx.named(node, "'plans'");
    let written = named.len();
    let named = misplaced_fields::in_place(cx, named, &misplaced_fields::PLANS);
    if named.len() < written {
        // It is missing because of another finding.
        return named.iter().filter_map(|plan| self::plan(cx, plan, pods).map(Arc::new)).collect();
    }
    for plan in &named {
        plans.extend(self::plan(cx, plan, pods).map(Arc::new));
    }
    if let (Some(first), None) = (named.first(), named.iter().find(|plan| plan.name == "deploy")) {
        let near = suggest("deploy", named.iter().map(|plan| plan.name));
        let span =
            near.and_then(|near| named.iter().find(|plan| plan.name == near)).unwrap_or(first).key.span;
        let help = match near {
            Some(near) => format!("did you mean 'deploy' instead of '{near}'?"),
            None => "add a plan 'deploy', or remove 'plans' to get one generated".to_owned(),
        };
        cx.error(codes::NO_DEPLOY_PLAN, span, "There are plans, but none is named 'deploy'", &help);
    }
    plans
}

fn plan(cx: &mut Cx<'_>, named: &Named<'_>, pods: &[Arc<PodSpec>]) -> Option<PlanSpec> {
    let Named { name, key, value } = *named;
    let mut fields = cx.fields(value, &format!("plan '{name}'"), key.span)?;
    let strategy = word(&mut fields, "strategy");
    let phases = fields.required("phases");
    fields.finish();
    let strategy = strategy.map_or(PlanStrategy::Serial, |word| match word.text {
        "serial" => PlanStrategy::Serial,
        "parallel" => PlanStrategy::Parallel,
        other => {
            let message = format!("Unsupported plan strategy '{other}', expected one of: serial, parallel");
            cx.not_one_of(codes::PLAN_STRATEGY, &word, &message, &["serial", "parallel"]);
            PlanStrategy::Serial
        }
    });
    let phases = cx.named(phases, "'phases'");
    let phases = misplaced_fields::in_place(cx, phases, &misplaced_fields::PHASES);
    let phases = phases.iter().filter_map(|named| phase(cx, named, pods)).map(Arc::new).collect();
    Some(PlanSpec { name: name.into(), strategy, phases, at: cx.at(key.span) })
}

fn phase(cx: &mut Cx<'_>, named: &Named<'_>, pods: &[Arc<PodSpec>]) -> Option<PhaseSpec> {
    let Named { name, key, value } = *named;
    let mut fields = cx.fields(value, &format!("phase '{name}'"), key.span)?;
    let strategy = word(&mut fields, "strategy");
    let pod_word = fields.required_text("pod").and(word(&mut fields, "pod"));
    let steps = fields.entry("steps").filter(|entry| !entry.value.is_null());
    fields.finish();
    let strategy = strategy.map_or(PhaseStrategy::Serial, |word| phase_strategy(cx, &word));
    let pod = pod_word.as_ref().and_then(|word| find_pod(cx, word, name, pods));
    let (entries, ignored) = steps.map(|entry| self::steps(cx, entry, name, pod)).unwrap_or_default();
    if let (Some(steps), Some(pod)) = (steps, pod)
        && (ignored || !entries.is_empty())
    {
        check_indexes(cx, &entries, steps, name, pod);
    }
    Some(PhaseSpec {
        name: name.into(),
        strategy,
        pod: pod_word.map(|word| word.shared()).unwrap_or_default(),
        pod_at: cx.at(pod_word.map_or(key.span, |word| word.node.span)),
        steps: entries.into_iter().map(|(entry, _)| entry).collect(),
        at: cx.at(key.span),
    })
}

fn phase_strategy(cx: &mut Cx<'_>, word: &Word<'_>) -> PhaseStrategy {
    match word.text {
        "serial" => PhaseStrategy::Serial,
        "parallel" => PhaseStrategy::Parallel,
        "canary" | "serial-canary" => PhaseStrategy::SerialCanary,
        "parallel-canary" => PhaseStrategy::ParallelCanary,
        other => {
            let permitted = ["serial", "parallel", "canary", "serial-canary", "parallel-canary"];
            let message =
                format!("Unsupported phase strategy '{other}', expected one of: {}", permitted.join(", "));
            cx.not_one_of(codes::PHASE_STRATEGY, word, &message, &permitted);
            PhaseStrategy::Serial
        }
    }
}

fn find_pod<'p>(
    cx: &mut Cx<'_>,
    word: &Word<'_>,
    phase: &str,
    pods: &'p [Arc<PodSpec>],
) -> Option<&'p Arc<PodSpec>> {
    let pod = pods.iter().find(|pod| *pod.name == *word.text);
    if pod.is_none() {
        let message = format!("Unable to find pod '{}' referenced by phase '{phase}'", word.text);
        let finding = Diagnostic::error(codes::UNKNOWN_POD, word.node.span, message);
        let known: Vec<&str> = pods.iter().map(|pod| &*pod.name).collect();
        cx.push(word.meant(finding, &known, || format!("the service has the pods: {}", known.join(", "))));
    }
    pod
}

/// Entries with the places of their keys.
type Entries = Vec<(StepEntry, Span)>;

/// The entries, and whether some were ignored.
fn steps(cx: &mut Cx<'_>, steps: &Entry, phase: &str, pod: Option<&Arc<PodSpec>>) -> (Entries, bool) {
    let mut ignored = false;
    let items = read::sequence(&steps.value, "'steps'", &codes::READ, cx.found).unwrap_or_default();
    let mut entries: Entries = Vec::new();
    let mut first: SortedMap<&str, Span> = SortedMap::new();
    for item in items {
        let pairs = read::mapping(item, "an item of 'steps'", &codes::READ, cx.found).unwrap_or_default();
        let [Entry { key, value, .. }] = pairs else {
            if item.as_mapping().is_some() || item.is_null() {
                let message = format!(
                    "Malformed step in phase '{phase}': Map should contain a single entry, but has {}",
                    pairs.len()
                );
                let help = "write one item per index: '- default: [[task]]' and '- 0: [[task]]'";
                cx.error(codes::STEP_SHAPE, item.span, &message, help);
            }
            continue;
        };
        let name = key.as_str().unwrap_or_default();
        if let Some(earlier) = first.get(name) {
            let message = format!("The steps of '{name}' in phase '{phase}' are given twice");
            cx.push(
                Diagnostic::error(codes::STEP_TWICE, key.span, message)
                    .with_label(*earlier, "first given here")
                    .with_help("put all steps of an index into one list"),
            );
            continue;
        }
        first.insert(name, key.span);
        let Some(step_key) = step_key(name) else {
            ignored = true;
            let message =
                format!("The steps entry '{name}' is ignored: it is neither 'default' nor an index");
            cx.push(
                Diagnostic::new(Severity::Warning, codes::STEP_IGNORED, key.span, message)
                    .with_help("write 'default' or a number such as 0"),
            );
            continue;
        };
        if value.is_null() {
            let message = format!(
                "The entry '{name}' of phase '{phase}' has no list; the real scheduler does not start with it"
            );
            cx.push(
                Diagnostic::warning(codes::STEPS_EMPTY, key.span, message)
                    .with_help("write the tasks, as in '[[first], [second]]', or '[]' for no step at all"),
            );
        }
        let steps = task_lists(cx, value, pod);
        entries.push((StepEntry { key: step_key, steps, at: cx.at(key.span) }, key.span));
    }
    (entries, ignored)
}

/// An index is looked up as its decimal text, so `00` is not an index.
fn step_key(name: &str) -> Option<StepKey> {
    if name == "default" {
        return Some(StepKey::Default);
    }
    let index: u32 = name.parse().ok()?;
    (index.to_string() == name).then_some(StepKey::Index(index))
}

fn task_lists(cx: &mut Cx<'_>, node: &Node, pod: Option<&Arc<PodSpec>>) -> Vec<StepTasks> {
    let lists = read::sequence(node, "the steps", &codes::READ, cx.found).unwrap_or_default();
    let mut steps = Vec::new();
    for list in lists {
        if list.as_sequence().is_none() {
            let message = format!("A step must be a list of tasks, but is {}", list.describe());
            let help = "put the tasks of each step in brackets: [[first], [second, third]]";
            cx.error(codes::STEP_SHAPE, list.span, &message, help);
            continue;
        }
        let words = cx.texts(Some(list), "a step");
        for word in &words {
            if let Some(pod) = pod.filter(|pod| pod.task(word.text).is_none()) {
                report_unknown_task(cx, word, pod);
            }
        }
        let tasks: Vec<Text> = words.iter().map(Word::shared).collect();
        steps.push(StepTasks { tasks: tasks.into(), at: cx.at(list.span) });
    }
    steps
}

fn report_unknown_task(cx: &mut Cx<'_>, word: &Word<'_>, pod: &PodSpec) {
    let message = format!(
        "Malformed step: step refers to a task that does not exist: '{}' in pod '{}'",
        word.text, pod.name
    );
    let finding = Diagnostic::error(codes::UNKNOWN_TASK, word.node.span, message);
    let known: Vec<&str> = pod.tasks.iter().map(|task| &*task.name).collect();
    cx.push(word.meant(finding, &known, || format!("the pod has the tasks: {}", known.join(", "))));
}

/// Checks that every instance has its own entry or a default; entries beyond the count have no effect.
fn check_indexes(cx: &mut Cx<'_>, entries: &Entries, steps: &Entry, phase: &str, pod: &PodSpec) {
    let has = |key| entries.iter().any(|(entry, _)| entry.key == key);
    for (entry, span) in entries {
        if let StepKey::Index(index) = entry.key
            && index >= pod.count
        {
            let message = format!("There is no {}; this entry is ignored", pod.instance(index));
            cx.push(
                Diagnostic::info(codes::STEP_IGNORED, *span, message)
                    .with_help(format!("pod '{}' has {} instances, counted from 0", pod.name, pod.count)),
            );
        }
    }
    if has(StepKey::Default) {
        return;
    }
    // Indexes are unique, so checking one more than there are entries finds a gap if there is one.
    let some = u32::try_from(entries.len()).unwrap_or(u32::MAX).saturating_add(1);
    if let Some(missing) = (0..pod.count.min(some)).find(|index| !has(StepKey::Index(*index))) {
        let message = format!(
            "Malformed steps in phase '{phase}': Missing '{missing}' step entry, and no 'default' defined"
        );
        let help = format!("add '- {missing}: [[…]]' or '- default: [[…]]'");
        cx.error(codes::STEP_MISSING, steps.key.span, &message, &help);
    }
}

/// Checks the lowered plans: steps that cannot be built, and too many of them.
pub(super) fn check_default_steps(cx: &mut Cx<'_>, spec: &ServiceSpec) {
    let limit = u64::from(Limits::DEFAULT.elements);
    let total: u64 = lower::step_count(spec);
    if total > limit {
        let span = cx.span_of(&spec.at);
        let message = format!("The plans have {total} steps, more than the {limit} the simulator takes");
        cx.error(codes::TOO_MANY_STEPS, span, &message, "lower the counts of the pods");
        return;
    }
    for conflict in lower::conflicts(spec) {
        let message =
            format!("Step '{}' cannot be built and will show ERROR: {}", conflict.step, conflict.why);
        let span = cx.span_of(&conflict.at);
        cx.push(
            Diagnostic::warning(codes::STEP_CONFLICT, span, message)
                .with_help("launch these tasks in steps of their own, or give them different resource sets"),
        );
    }
}
