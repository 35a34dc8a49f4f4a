//! Tasks.

use super::resources::{self, Raw};
use super::{Cx, Named, Word, labels, route, task_parts, word};
use crate::codes;
use crate::spec::{Goal, IpcMode, ResourceSet, TaskSpec};
use planarium_kernel::SortedMap;
use planarium_protocol::Text;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Span};
use std::sync::Arc;

const LONGEST_GRACE_S: i64 = 3600;

/// Decodes one task; `None` if it is not a mapping.
pub(super) fn task(
    cx: &mut Cx<'_>,
    named: &Named<'_>,
    pod: &str,
    sets: &[Arc<ResourceSet>],
) -> Option<TaskSpec> {
    let Named { name, key, value } = *named;
    cx.check_name("a task", named);
    let mut fields = cx.fields(value, &format!("task '{name}' of pod '{pod}'"), key.span)?;
    let goal = fields.required_text("goal").and(word(&mut fields, "goal"));
    let cmd = fields.required_text("cmd");
    let essential = fields.boolean("essential").is_none_or(|flag| flag.value);
    let env = fields.optional("env");
    let labels_word = word(&mut fields, "labels");
    let configs = fields.optional("configs");
    let set_word = word(&mut fields, "resource-set").filter(|word| !word.text.trim().is_empty());
    let raw = Raw::read(&mut fields);
    let health = fields.optional("health-check");
    let readiness = fields.optional("readiness-check");
    let discovery = fields.optional("discovery");
    let grace = fields.int("kill-grace-period");
    let encryption = fields.optional("transport-encryption");
    let ipc_mode = word(&mut fields, "ipc-mode");
    let shm_size = fields.int("shm-size");
    fields.finish();

    let resource_set = match set_word {
        Some(word) => {
            report_own_resources(cx, value, &word);
            find_set(cx, &word, sets, pod)
        }
        None => {
            let id = format!("{name}-resource-set");
            Arc::new(raw.build(cx, &id, &format!("task '{name}'"), key.span))
        }
    };
    let ipc_mode = ipc_mode.and_then(|word| self::ipc_mode(cx, &word));
    let shm_span = shm_size.as_ref().map(|size| size.span);
    let shm_size_mib =
        shm_size.and_then(|size| super::volume::positive_mib(cx, "shm-size", size.value, size.span));
    if let (Some(IpcMode::ShareParent), Some(span)) = (ipc_mode, shm_span) {
        let message = format!("Task '{name}' shares the pod's IPC namespace and cannot have a 'shm-size'");
        cx.error(codes::SHM_SHARED, span, &message, "set 'shm-size' on the pod, or use 'PRIVATE'");
    }
    Some(TaskSpec {
        name: name.into(),
        goal: goal.map_or(Goal::Running, |word| self::goal(cx, &word, name)),
        cmd: cmd.map(|cmd| cmd.value.into()).unwrap_or_default(),
        essential,
        env: environment(cx, env, pod),
        labels: labels(cx, labels_word),
        configs: task_parts::configs(cx, configs),
        resource_set,
        health_check: health.and_then(|node| task_parts::health_check(cx, node)),
        readiness_check: readiness.and_then(|node| task_parts::readiness_check(cx, node)),
        discovery: discovery.and_then(|node| task_parts::discovery(cx, node)),
        kill_grace_s: grace.map_or(0, |grace| kill_grace(cx, grace.value, grace.span)),
        transport_encryption: task_parts::transport_encryption(cx, encryption),
        ipc_mode,
        shm_size_mib,
        at: cx.at(key.span),
    })
}

fn find_set(cx: &mut Cx<'_>, word: &Word<'_>, sets: &[Arc<ResourceSet>], pod: &str) -> Arc<ResourceSet> {
    if let Some(set) = sets.iter().find(|set| *set.id == *word.text) {
        return Arc::clone(set);
    }
    let message = format!("Pod '{pod}' has no resource set '{}'", word.text);
    let finding = Diagnostic::error(codes::UNKNOWN_RESOURCE_SET, word.node.span, message);
    let known: Vec<&str> = sets.iter().map(|set| &*set.id).collect();
    cx.push(word.meant(finding, &known, || match known.as_slice() {
        [] => "add it under 'resource-sets:' of the pod".to_owned(),
        known => format!("the pod has: {}", known.join(", ")),
    }));
    Arc::new(ResourceSet {
        id: word.shared(),
        cpus: None,
        gpus: None,
        mem: None,
        limits: crate::spec::ResourceLimits::default(),
        ports: Vec::new(),
        volumes: Vec::new(),
        at: cx.at(word.node.span),
    })
}

fn report_own_resources(cx: &mut Cx<'_>, task: &Node, set: &Word<'_>) {
    for key in resources::FIELDS {
        if let Some(entry) = task.entry(key).filter(|entry| !entry.value.is_null()) {
            let message = format!("'{key}' is ignored: the task uses the resource set '{}'", set.text);
            cx.push(
                Diagnostic::warning(codes::OWN_RESOURCES_IGNORED, entry.key.span, message)
                    .with_label(set.node.span, "the resource set")
                    .with_help("move it into the resource set, or remove 'resource-set'"),
            );
        }
    }
}

/// **Source**: `dcos-commons: …/yaml/YAMLToInternalMappers.java`, goals. Match; `UNKNOWN` is refused here at once.
fn goal(cx: &mut Cx<'_>, word: &Word<'_>, task: &str) -> Goal {
    let upper = word.text.to_ascii_uppercase();
    match upper.as_str() {
        "RUNNING" => Goal::Running,
        "FINISH" => Goal::Finish,
        "ONCE" => Goal::Once,
        _ => {
            let message = format!(
                "Unsupported GoalState {upper} in task {task}, expected one of: RUNNING, FINISH, ONCE"
            );
            let upper_word = Word { text: &upper, node: word.node };
            cx.not_one_of(codes::BAD_GOAL, &upper_word, &message, &["RUNNING", "FINISH", "ONCE"]);
            Goal::Running
        }
    }
}

fn environment(cx: &mut Cx<'_>, node: Option<&Node>, pod: &str) -> SortedMap<Text, Text> {
    let mut env = SortedMap::new();
    for Named { name, value, .. } in cx.named(node, "'env'") {
        if value.is_null() {
            env.insert(name.into(), "".into());
            continue;
        }
        let what = format!("'{name}'");
        if let Some(text) = planarium_source::read::text(value, &what, &codes::READ, cx.found) {
            env.insert(name.into(), text.value.into());
        }
    }
    let own = cx.variables.iter().filter(|variable| variable.pod.is_none_or(|of| of == pod));
    env.extend(own.map(|variable| (variable.name.into(), variable.value.clone())));
    route::route(cx.env, pod, &mut env);
    env
}

fn kill_grace(cx: &mut Cx<'_>, seconds: i64, span: Span) -> u64 {
    if (0..=LONGEST_GRACE_S).contains(&seconds) {
        return u64::try_from(seconds).unwrap_or(0);
    }
    let message = format!("The kill grace period of {seconds} s is out of range");
    cx.error(codes::BAD_GRACE_PERIOD, span, &message, "write 0 to 3600 seconds");
    0
}

fn ipc_mode(cx: &mut Cx<'_>, word: &Word<'_>) -> Option<IpcMode> {
    match word.text {
        "PRIVATE" => Some(IpcMode::Private),
        "SHARE_PARENT" => Some(IpcMode::ShareParent),
        other => {
            let message = format!("Invalid IPC Mode '{other}'");
            cx.not_one_of(codes::BAD_IPC_MODE, word, &message, &["PRIVATE", "SHARE_PARENT"]);
            None
        }
    }
}
