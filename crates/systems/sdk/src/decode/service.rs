//! The top level: name, scheduler, pods, plans, and the rules across pods.

use super::{Cx, Named, misplaced_fields, plan, pod, text_field};
use crate::codes;
use crate::placement::{Placement, Rule};
use crate::spec::{Domains, PodSpec, ReplacementFailurePolicy, ServiceSpec};
use planarium_kernel::{Limits, SortedMap};
use planarium_protocol::Text;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Characters of a service name without slashes at most: it becomes part of host names.
const LONGEST_NAME: usize = 63;

/// Decodes a whole definition; `None` only if it is not a mapping.
pub(crate) fn service(cx: &mut Cx<'_>, root: &Node) -> Option<ServiceSpec> {
    let head =
        root.as_mapping().and_then(|entries| entries.first()).map_or(root.span, |first| first.key.span);
    let mut fields = cx.fields(root, "the service", head)?;
    let name = fields.required_text("name");
    let web_url = text_field(&mut fields, "web-url");
    let scheduler = fields.optional("scheduler");
    let pods_entry = fields.entry("pods");
    let plans = fields.optional("plans");
    fields.finish();

    let name_span = name.as_ref().map_or(head, |name| name.span);
    let name: Text = match cx.name_override {
        Some(given) => given.into(),
        None => name.map(|name| name.value.into()).unwrap_or_default(),
    };
    check_name(cx, &name, name_span);
    let scheduler = scheduler.map(|node| scheduler_block(cx, node)).unwrap_or_default();
    let user = scheduler.user.unwrap_or_else(|| "root".into());

    let mut spec = ServiceSpec {
        role: role(&name, cx.env),
        principal: scheduler.principal.unwrap_or_else(|| format!("{name}-principal").into()),
        zookeeper: scheduler.zookeeper.unwrap_or_else(|| "master.mesos:2181".into()),
        user: user.clone(),
        web_url,
        region: cx.env.get("SERVICE_REGION").filter(|region| !region.is_empty()).map(|r| r.as_str().into()),
        domains: domains(cx.env),
        replacement_failure_policy: replacement_policy(cx.env).filter(|_| cx.program.has_timed_replacement()),
        name,
        pods: Vec::new(),
        plans: Vec::new(),
        at: cx.at(head),
    };
    match cx.program.variables(&spec, cx.env) {
        Ok(variables) => cx.variables = variables,
        Err(why) => program_fails(cx, &why, head, "mend the environment of the scheduler"),
    }

    let named = cx.named(pods_entry.map(|entry| &entry.value), "'pods'");
    if named.is_empty() {
        let span = pods_entry.map_or(head, |entry| entry.key.span);
        let nothing = pods_entry.is_none_or(|entry| {
            entry.value.is_null() || entry.value.as_mapping().is_some_and(<[_]>::is_empty)
        });
        if nothing {
            cx.error(codes::NO_PODS, span, "The service has no pods", "add at least one pod under 'pods:'");
        }
    }
    let named = misplaced_fields::in_place(cx, named, &misplaced_fields::PODS);
    let pods: Vec<Arc<PodSpec>> =
        named.iter().filter_map(|pod| pod::pod(cx, pod, &user)).map(Arc::new).collect();
    check_total(cx, &named, &pods);
    check_prefixes(cx, &named, &pods);
    check_endpoints(cx, &named);
    spec.pods = run_by_program(cx, pods, head);
    spec.plans = plan::plans(cx, plans, &spec.pods);
    plan::check_default_steps(cx, &spec);
    if let Some(plan) = cx.program.needed_plan().filter(|plan| spec.plan(plan).is_none()) {
        let help = format!("add the plan '{plan}', which it recovers lost pods by");
        program_fails(cx, &format!("Failed to find plan: {plan}"), head, &help);
    }
    Some(spec)
}

/// The pods as the program runs them: those it wants, with the placement it adds.
fn run_by_program(cx: &mut Cx<'_>, pods: Vec<Arc<PodSpec>>, head: Span) -> Vec<Arc<PodSpec>> {
    let pods = match cx.program.pods(&pods) {
        Ok(pods) => pods,
        Err(why) => {
            program_fails(cx, &why, head, "add the pod; it may be one of those that a section leaves out");
            pods
        }
    };
    let placed = pods.into_iter().map(|pod| {
        let Some(rule) = cx.program.placement(&pod.name) else { return pod };
        let placement = match &pod.placement {
            Some(own) => Placement { text: own.text.clone(), rule: Rule::And(vec![rule, own.rule.clone()]) },
            None => Placement { text: "".into(), rule },
        };
        Arc::new(PodSpec { placement: Some(Arc::new(placement)), ..(*pod).clone() })
    });
    placed.collect()
}

/// Reports that the program ends at its start.
fn program_fails(cx: &mut Cx<'_>, why: &str, at: Span, help: &str) {
    let message = format!("The program of {} does not start: {why}", cx.program.name());
    cx.error(codes::PROGRAM_FAILS, at, &message, help);
}

#[derive(Default)]
struct Scheduler {
    principal: Option<Text>,
    zookeeper: Option<Text>,
    user: Option<Text>,
}

fn scheduler_block(cx: &mut Cx<'_>, node: &Node) -> Scheduler {
    let Some(mut fields) = cx.fields(node, "'scheduler'", node.span) else { return Scheduler::default() };
    let mut filled = |key| text_field(&mut fields, key).filter(|text| !text.is_empty());
    let scheduler =
        Scheduler { principal: filled("principal"), zookeeper: filled("zookeeper"), user: filled("user") };
    fields.finish();
    scheduler
}

fn check_name(cx: &mut Cx<'_>, name: &str, span: Span) {
    if name.contains("__") {
        cx.error(
            codes::NAME_UNDERSCORES,
            span,
            &format!("The service name '{name}' holds two underscores in a row"),
            "task ids separate their parts by '__'; use one underscore or a dash",
        );
    }
    let bare = name.chars().filter(|c| *c != '/').count();
    if bare > LONGEST_NAME {
        cx.error(
            codes::NAME_TOO_LONG,
            span,
            &format!(
                "The service name has {bare} characters without slashes; {LONGEST_NAME} fit a host name"
            ),
            "shorten the name",
        );
    }
}

/// **Source**: `dcos-commons: …/scheduler/SchedulerUtils.java` and the namespace roles of `SchedulerConfig`. Match.
pub(crate) fn role(name: &str, env: &BTreeMap<String, String>) -> Text {
    let enforced = env.get("MARATHON_APP_ENFORCE_GROUP_ROLE").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    let given = env.get("MESOS_ALLOCATION_ROLE").filter(|role| !role.is_empty());
    let escaped = |text: &str| text.strip_prefix('/').unwrap_or(text).replace('/', "__");
    if let Some(role) = given.filter(|role| enforced || *role != "slave_public") {
        return escaped(role).into();
    }
    format!("{}-role", escaped(name)).into()
}

fn domains(env: &BTreeMap<String, String>) -> Domains {
    let given = |key: &str, usual: &str| Text::from(env.get(key).map_or(usual, String::as_str));
    Domains {
        autoip: given("SERVICE_TLD", "autoip.dcos.thisdcos.directory"),
        vip: given("VIP_TLD", "l4lb.thisdcos.directory"),
        marathon: given("MARATHON_NAME", "marathon"),
        api_port: given("PORT_API", "80"),
    }
}

/// Returns the replacement policy of the environment; definitions have no field for it.
fn replacement_policy(env: &BTreeMap<String, String>) -> Option<ReplacementFailurePolicy> {
    let number =
        |key: &str, default| env.get(key).and_then(|text| text.trim().parse().ok()).unwrap_or(default);
    let on = env.get("ENABLE_AUTOMATIC_POD_REPLACEMENT").is_some_and(|v| v.eq_ignore_ascii_case("true"));
    on.then(|| ReplacementFailurePolicy {
        permanent_failure_timeout_s: number("PERMANENT_FAILURE_TIMEOUT_SECS", 1200),
        min_replace_delay_s: number("MIN_REPLACE_DELAY_SECS", 10),
    })
}

/// The instances of all pods, and the processes in them, have to fit into one world.
fn check_total(cx: &mut Cx<'_>, named: &[Named<'_>], pods: &[Arc<PodSpec>]) {
    let most = u64::from(Limits::DEFAULT.instances);
    let processes = u64::from(Limits::DEFAULT.processes);
    let (mut instances, mut tasks) = (0_u64, 0_u64);
    for pod in pods {
        instances = instances.saturating_add(u64::from(pod.count));
        tasks = tasks.saturating_add(u64::from(pod.count).saturating_mul(pod.tasks.len() as u64));
        let text = if instances > most {
            format!("The pods have {instances} instances by here, more than the {most} the simulator takes")
        } else if tasks > processes {
            format!("The pods have {tasks} tasks by here, more than the {processes} the simulator takes")
        } else {
            continue;
        };
        let count = named.iter().find(|one| *one.name == *pod.name).and_then(|one| one.value.get("count"));
        let span = count.map_or_else(Span::default, |node| node.span);
        cx.error(codes::TOO_MANY_INSTANCES, span, &text, "lower the count");
        return;
    }
}

/// Tasks of different pods must not share a discovery prefix.
fn check_prefixes(cx: &mut Cx<'_>, named: &[Named<'_>], pods: &[Arc<PodSpec>]) {
    let mut first: SortedMap<&str, (&str, Span)> = SortedMap::new();
    for pod in pods {
        let Some(written) = named.iter().find(|named| *named.name == *pod.name) else { continue };
        let mut own: Vec<&str> = Vec::new();
        for task in &pod.tasks {
            let Some(prefix) = task.discovery.as_ref().and_then(|discovery| discovery.prefix.as_deref())
            else {
                continue;
            };
            if own.contains(&prefix) {
                continue;
            }
            own.push(prefix);
            let node = written.value.at(&["tasks", &task.name, "discovery", "prefix"]);
            let span = node.map_or(written.key.span, |node| node.span);
            match first.get(prefix) {
                None => {
                    first.insert(prefix, (&pod.name, span));
                }
                Some((other, earlier)) => {
                    let message = format!("Tasks in different pods cannot share DNS names: {prefix}");
                    cx.found.push(
                        Diagnostic::error(codes::SHARED_PREFIX, span, message)
                            .with_label(*earlier, format!("used by pod '{other}'"))
                            .with_help("give each pod a prefix of its own"),
                    );
                }
            }
        }
    }
}

/// Advertised ports must have names of their own across the whole service.
fn check_endpoints(cx: &mut Cx<'_>, pods: &[Named<'_>]) {
    let mut first: SortedMap<&str, Span> = SortedMap::new();
    for pod in pods {
        let groups = ["tasks", "resource-sets"];
        let owners = groups.iter().filter_map(|group| pod.value.get(group)?.as_mapping()).flatten();
        for owner in owners {
            let ports = owner.value.get("ports").and_then(Node::as_mapping).unwrap_or_default();
            for port in ports {
                let advertised = port.value.get("advertise").and_then(Node::as_bool).unwrap_or(false);
                let Some(name) = port.key.as_str().filter(|_| advertised) else { continue };
                match first.get(name) {
                    None => {
                        first.insert(name, port.key.span);
                    }
                    Some(earlier) => {
                        let message = format!("Service has duplicate advertised ports across tasks: {name}");
                        cx.found.push(
                            Diagnostic::error(codes::ENDPOINT_TWICE, port.key.span, message)
                                .with_label(*earlier, "advertised here first")
                                .with_help("rename one of the two ports, or advertise only one"),
                        );
                    }
                }
            }
        }
    }
}
