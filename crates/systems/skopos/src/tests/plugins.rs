//! Simulated plugins and scripts: what they do to instances, how long they take, how they fail.

#![expect(clippy::format_push_string, clippy::manual_let_else, reason = "helpers of tests")]

use super::support::{Bench, HEAD};
use crate::commands::Command;
use crate::run::Mode;

const MODEL: &str = "# file: model.yaml
doctype: com.datagridsys.doctype/skopos/model
version: 1
vars: { timeout: 30, model_only: m }
components:
  back: { image: acme/back:2.0, replicas: 2 }
  bare: { replicas: 1 }
gateways:
  web: { type: load_balancer, target: [back] }
";

const ENV: &str = "# file: env.yaml
core_plugin: docker
load_balancer_plugin: elb
vars: { timeout: 45 }
simulation:
  registry: [ acme/back:1.0, acme/back:2.0 ]
  instances:
    back: [ { image: acme/back:1.0 }, { image: acme/back:1.0 } ]
  scripts: { ok: { duration: 2 }, bad: { exit: 3, stderr: \"too slow\" }, echo: }
  plugins: { mine: { actions: { do_it: { duration: 1 }, fail_it: { exit: 7 } } } }
";

/// Steps inside a component step of `back`, as flow mappings without id and class, one a line.
fn steps(lines: &str, more: &str) -> String {
    let mut text = format!("{HEAD}steps:\n- id: back\n  class: component\n  on_fail: fail\n  steps:\n");
    for (at, line) in lines.lines().enumerate() {
        text.push_str(&format!("  - {{id: s{at}, class: action, on_fail: fail, {}}}\n", line.trim()));
    }
    text + MODEL + ENV + more
}

/// Returns the last step's milliseconds, and its message if it failed.
fn last(bench: &Bench) -> (u64, String) {
    let log = bench.log_from(0);
    let steps: Vec<&String> = log.iter().filter(|line| line.contains(" step-")).collect();
    let is_own =
        |line: &&String| line.split(' ').nth(3).is_some_and(|id| id.starts_with('s') && id.len() == 2);
    let own: Vec<&String> = steps.into_iter().filter(is_own).collect();
    let ms = |line: &str| line.split(' ').next().and_then(|ms| ms.parse::<u64>().ok()).expect("a time");
    let (start, end) = match own.as_slice() {
        [.., start, end] => (start, end),
        _ => panic!("{log:#?}"),
    };
    let message = end.split_once("failed: ").map_or("passed", |(_, message)| message);
    (ms(end) - ms(start), message.to_owned())
}

const CREATE: &str = "plugin: docker, action: inst_create, arguments: {selector: new}";
const ATTACH: &str = "plugin: elb, action: lb_attach, arguments: {selector: new, name: web}";

#[test]
fn every_action_takes_its_time_or_fails() {
    let cases: &[(&str, u64, &str)] = &[
        ("plugin: docker, action: image_check, arguments: {arg: acme/back:2.0}", 1_000, "passed"),
        (
            "plugin: docker, action: image_check, arguments: {arg: acme/back:9}",
            1_000,
            "there is no image acme/back:9",
        ),
        ("plugin: docker, action: image_check", 1_000, "docker image_check: the argument 'arg' is missing"),
        ("plugin: ec2-docker, action: image_pull, arguments: {arg: acme/back:2.0}", 5_000, "passed"),
        (CREATE, 3_000, "passed"),
        ("plugin: docker, action: inst_create", 0, "docker inst_create needs a selector: new or old"),
        (
            "plugin: docker, action: inst_create, arguments: {selector: newest}",
            0,
            "the selector must be new or old, not 'newest'",
        ),
        (
            "plugin: docker, action: inst_create, arguments: {selector: old}",
            0,
            "docker inst_create makes new instances: its selector must be new",
        ),
        ("plugin: docker, action: inst_destroy, arguments: {selector: old}", 2_000, "passed"),
        (
            "plugin: docker, action: inst_destroy, arguments: {selector: new}",
            0,
            "there is no new instance 0 of back",
        ),
        ("plugin: docker, action: inst_stop, arguments: {selector: old}", 1_000, "passed"),
        ("plugin: docker, action: inst_start, arguments: {selector: old}", 1_000, "passed"),
        ("plugin: docker, action: inst_wait, arguments: {selector: old}", 0, "passed"),
        ("plugin: docker, action: network_create", 1_000, "passed"),
        ("plugin: docker, action: comp_signal, arguments: {component: back, signal: HUP}", 1_000, "passed"),
        ("plugin: docker, action: comp_signal, arguments: {target: back, signal: HUP}", 1_000, "passed"),
        ("plugin: docker, action: comp_signal, arguments: {component: front, signal: HUP}", 1_000, "passed"),
        (
            "plugin: docker, action: comp_signal, arguments: {signal: HUP}",
            1_000,
            "docker comp_signal: the argument 'component' is missing",
        ),
        ("plugin: elb, action: lb_attach, arguments: {selector: old, name: web}", 1_000, "passed"),
        (
            "plugin: elb, action: lb_attach, arguments: {selector: old, name: nowhere}",
            1_000,
            "elb lb_attach: there is no balancer 'nowhere'",
        ),
        ("plugin: elb, action: lb_detach, arguments: {selector: old, name: nowhere}", 1_000, "passed"),
        (
            "plugin: docker, action: lb_attach, arguments: {selector: old, name: web}",
            0,
            "the plugin 'docker' has no action 'lb_attach'",
        ),
        ("plugin: docker-elb, action: lb-wait, arguments: {selector: old, name: web}", 0, "passed"),
        (
            "plugin: elb, action: lb_wait, arguments: {selector: old, name: other}",
            4_000,
            "elb lb_wait: back-o0 is not attached to other",
        ),
        ("plugin: consul, action: sd_detach, arguments: {selector: old}", 1_000, "passed"),
        ("plugin: consul, action: sd_wait_join, arguments: {selector: old}", 0, "passed"),
        ("plugin: slack, action: notify, arguments: {text: hello}", 1_000, "passed"),
        ("plugin: swarm-exec, action: inst_exec, arguments: {selector: old, command: ls}", 1_000, "passed"),
        (
            "plugin: probe, action: get_ok, arguments: {image: opsani/probe-http, selector: old, port: 80}",
            1_000,
            "passed",
        ),
        ("plugin: dokcer, action: image_check", 0, "there is no plugin 'dokcer'"),
        ("plugin: docker, action: image_chekc", 0, "the plugin 'docker' has no action 'image_chekc'"),
        ("plugin: mine, action: do_it, arguments: {any: thing}", 1_000, "passed"),
        ("plugin: mine, action: fail_it", 1_000, "mine fail_it exited with code 7"),
        ("plugin: mine, action: do_that", 0, "the plugin 'mine' has no action 'do_that'"),
        ("exec: ok", 2_000, "passed"),
        ("exec: 'ok with \"some words\"'", 2_000, "passed"),
        ("exec: [ok, 1, 2]", 2_000, "passed"),
        ("exec: bad", 1_000, "bad exited with code 3: too slow"),
        ("exec: nowhere", 0, "there is no script 'nowhere'"),
        ("exec: ''", 0, "the step names neither a script nor a plugin with an action"),
        ("plugin: docker", 0, "the step names neither a script nor a plugin with an action"),
        ("exec: 'ok {{.vars.nowhere}}'", 0, ".vars.nowhere has no value"),
        ("exec: 'ok {{.index}}'", 0, ".index has a value only inside instance loops"),
        ("exec: 'ok {{.id}}'", 0, ".id has a value only inside component steps, for actions with a selector"),
        ("exec: 'ok {{.id}}', selector: new", 0, ".id has no value: there is no new instance in this slot"),
        ("exec: 'ok {{.new}}'", 0, ".new has no value: there is no new instance in this slot"),
        ("exec: 'ok {{.id}} {{.ipaddr}} {{.old}} {{.old_ip}}', arguments: {selector: old}", 2_000, "passed"),
        (
            "exec: 'ok {{.id | upper}}'",
            0,
            "'ok {{.id | upper}}' cannot be interpolated: pipelines are not interpolated",
        ),
        ("exec: 'ok {{.id'", 0, "'ok {{.id' cannot be interpolated: `{{` is never closed"),
        ("exec: '{{.vars.model_only}}'", 0, "there is no script 'm'"),
    ];
    for (call, ms, message) in cases {
        let mut bench = Bench::new(&steps(call, ""));
        bench.start();
        bench.finish();
        assert_eq!(last(&bench), (*ms, (*message).to_owned()), "{call}");
    }
}

#[test]
fn outside_of_components_no_instances_exist() {
    let text = format!(
        "{HEAD}steps:\n- id: g\n  class: group\n  steps:\n  - {{id: s, class: action, {CREATE}}}\n{MODEL}{ENV}"
    );
    let mut bench = Bench::new(&text);
    bench.start();
    bench.finish();
    let log = bench.log_from(0).join("\n");
    assert!(
        log.contains(
            "s failed: docker inst_create works on an instance, and there is no component around this step"
        ),
        "{log}"
    );
}

#[test]
fn sequences_on_instances() {
    let cases: &[(&str, &[&str], u64, &str, &str)] = &[
        (
            "a slot that is taken",
            &[CREATE, CREATE],
            3_000,
            "docker inst_create: there is a new instance 0 of back already",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running",
        ),
        (
            "created, attached, in service",
            &[CREATE, ATTACH, "plugin: elb, action: lb_wait, arguments: {selector: new, name: web}"],
            4_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running",
        ),
        (
            "not long enough",
            &[CREATE, ATTACH, "plugin: elb, action: lb_wait, arguments: {selector: new, name: web, wait: 2}"],
            2_000,
            "waiting until back-n0 is in service at web timed out after 2 s",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running",
        ),
        (
            "waited for",
            &[CREATE, "plugin: docker, action: inst_wait, arguments: {selector: new}"],
            4_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running",
        ),
        (
            "not joined yet",
            &[CREATE, "plugin: consul, action: sd_attach, arguments: {selector: new}"],
            1_000,
            "the instance has not joined yet",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running",
        ),
        (
            "a register that takes everybody",
            &[CREATE, "plugin: docker, action: sd_attach, arguments: {selector: new}"],
            1_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running",
        ),
        (
            "joined",
            &[
                CREATE,
                "plugin: consul, action: sd_wait_join, arguments: {selector: new}",
                "plugin: consul, action: sd_attach, arguments: {selector: new}",
            ],
            1_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running",
        ),
        (
            "stopped",
            &[
                "plugin: docker, action: inst_stop, arguments: {selector: old}",
                "plugin: elb, action: lb_wait, arguments: {selector: old, name: web}",
            ],
            4_000,
            "elb lb_wait: back-o0 is stopped",
            "back-o0:old0=stopped back-o1:old1=running",
        ),
        (
            "stopped and started",
            &[
                "plugin: docker, action: inst_stop, arguments: {selector: old}",
                "plugin: docker, action: inst_start, arguments: {selector: old}",
            ],
            1_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running",
        ),
        (
            "destroyed and created again",
            &[CREATE, "plugin: docker, action: inst_destroy, arguments: {selector: new}", CREATE],
            3_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running back-n0-r1:new0=running",
        ),
    ];
    for (name, calls, ms, message, instances) in cases {
        for machines in [0, 2] {
            let mut bench = Bench::with_machines(&steps(&calls.join("\n"), ""), machines);
            bench.start();
            bench.finish();
            assert_eq!(last(&bench), (*ms, (*message).to_owned()), "{name} on {machines} machines");
            assert_eq!(bench.instances(), *instances, "{name} on {machines} machines");
        }
    }
}

/// Name, calls, milliseconds and message of the last one, instances without machines and with two.
type Sequence<'t> = (&'t str, &'t [&'t str], u64, &'t str, &'t str, &'t str);

#[test]
fn operations_on_whole_services() {
    const DEPLOY: &str = "plugin: docker-swarm, action: inst_deploy_all_async";
    const UPDATED: &str = "plugin: docker-swarm, action: inst_wait_all_updated";
    const ROLLBACK: &str = "plugin: docker-swarm, action: inst_rollback_all_async";
    const BOTH: &str = "back-o0:old0=running back-o1:old1=running";
    let cases: &[Sequence<'_>] = &[
        (
            "ordered",
            &[DEPLOY],
            1_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running back-n1:new1=running",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=stopped back-n1:new1=stopped",
        ),
        (
            "updated",
            &[DEPLOY, UPDATED],
            4_000,
            "passed",
            "back-o0:old0=stopped back-o1:old1=stopped back-n0:new0=running back-n1:new1=running",
            "back-o0:old0=stopped back-o1:old1=stopped back-n0:new0=running back-n1:new1=running",
        ),
        ("rolled back", &[DEPLOY, UPDATED, ROLLBACK, "exec: ok", "exec: ok"], 2_000, "passed", BOTH, BOTH),
        ("nothing was ordered", &[UPDATED], 0, "there is no new instance 0 of back", BOTH, BOTH),
        (
            "not long enough",
            &[DEPLOY, "plugin: k8s, action: inst_wait_all_updated, arguments: {wait: 2}"],
            2_000,
            "waiting until all new instances of back are up timed out after 2 s",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running back-n1:new1=running",
            "",
        ),
        (
            "all but as many as the model says",
            &[CREATE, "plugin: ec2-asg, action: inst_scale_all_async", "exec: ok", "exec: ok"],
            2_000,
            "passed",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running back-n1:new1=running",
            "back-o0:old0=running back-o1:old1=running back-n0:new0=running back-n1:new1=running",
        ),
        (
            "the old ones go",
            &[CREATE, "plugin: k8s, action: inst_destroy_all, arguments: {selector: old}"],
            2_000,
            "passed",
            "back-n0:new0=running",
            "back-n0:new0=running",
        ),
        ("everything goes", &[CREATE, "plugin: k8s, action: inst_destroy_all"], 2_000, "passed", "", ""),
        (
            "passed on",
            &["plugin: k8s, action: call_plugin, arguments: {plugin: mine, action: fail_it}"],
            1_000,
            "mine fail_it exited with code 7",
            BOTH,
            BOTH,
        ),
        (
            "passed on to nobody",
            &["plugin: k8s, action: call_plugin, arguments: {plugin: mine, action: x}"],
            1_000,
            "k8s call_plugin: there is no 'mine x'",
            BOTH,
            BOTH,
        ),
        (
            "docker has no services",
            &["plugin: docker, action: inst_deploy_all_async"],
            0,
            "the plugin 'docker' has no action 'inst_deploy_all_async'",
            BOTH,
            BOTH,
        ),
    ];
    for (name, calls, ms, message, bare, on_machines) in cases {
        for (machines, instances) in [(0, bare), (2, on_machines)] {
            let mut bench = Bench::with_machines(&steps(&calls.join("\n"), ""), machines);
            bench.start();
            bench.finish();
            let (took, said) = last(&bench);
            assert_eq!(said, *message, "{name} on {machines} machines");
            if machines == 0 || *name != "updated" {
                assert_eq!(took, *ms, "{name} on {machines} machines");
            }
            if !instances.is_empty() || bare.is_empty() {
                assert_eq!(bench.instances(), **instances, "{name} on {machines} machines");
            }
        }
    }
}

#[test]
fn probes_check_instances_or_nothing() {
    const PROBES: &str = "  probes: { opsani/probe-http: { exit: [1, 0], duration: 3, stderr: refused } }\n";
    let probe = |more: &str| {
        format!("plugin: probe, action: service_up, arguments: {{image: 'opsani/probe-http:v1'{more}}}")
    };
    let stop = "plugin: docker, action: inst_stop, arguments: {selector: old}";
    let once = probe(", selector: old");

    for (calls, env, ms, message) in [
        (once.clone(), "", 1_000, "passed"),
        (once.clone(), PROBES, 3_000, "probe opsani/probe-http:v1 exited with code 1: refused"),
        (format!("{stop}\n{once}"), "", 1_000, "back-o0 is stopped"),
        (probe(", selector: new"), "", 0, "there is no new instance 0 of back"),
        (probe(""), "", 1_000, "passed"),
    ] {
        let mut bench = Bench::new(&steps(&calls, env));
        bench.start();
        bench.finish();
        assert_eq!(last(&bench), (ms, message.to_owned()), "{calls}");
    }
    let text = format!(
        "{HEAD}steps:\n- id: g\n  class: group\n  steps:\n  - {{id: s0, class: action, {}}}\n{MODEL}{ENV}",
        probe("")
    );
    let mut bench = Bench::new(&text);
    bench.start();
    bench.finish();
    assert_eq!(last(&bench), (1_000, "passed".to_owned()), "before anything is there");
}

#[test]
fn components_that_cannot_be_created() {
    for (component, message) in [
        ("front", "docker inst_create: the component front is not in the model"),
        ("bare", "docker inst_create: the component bare has no image"),
    ] {
        let text = steps(CREATE, "").replace("- id: back\n", &format!("- id: {component}\n"));
        let mut bench = Bench::new(&text);
        bench.start();
        bench.finish();
        assert_eq!(last(&bench), (3_000, message.to_owned()));
    }
}

#[test]
fn planned_failures_strike() {
    let lb =
        format!("{CREATE}\n{ATTACH}\nplugin: elb, action: lb_wait, arguments: {{selector: new, name: web}}");
    let cases: &[(&str, &str, &str, u64, &str)] = &[
        ("any call", "{}", CREATE, 3_000, "docker inst_create: exit code 1"),
        (
            "with a code and a message",
            "{exit_code: 9, message: boom}",
            CREATE,
            3_000,
            "docker inst_create: exit code 9: boom",
        ),
        ("another step", "{step: s9}", CREATE, 3_000, "passed"),
        ("by step", "{step: s*}", CREATE, 3_000, "docker inst_create: exit code 1"),
        (
            "by plugin and action",
            "{plugin: docker, action: inst_create}",
            CREATE,
            3_000,
            "docker inst_create: exit code 1",
        ),
        ("by another action", "{plugin: docker, action: inst_destroy}", CREATE, 3_000, "passed"),
        (
            "by component, index and selector",
            "{component: back, index: 0, selector: new}",
            CREATE,
            3_000,
            "docker inst_create: exit code 1",
        ),
        ("by another index", "{index: 1}", CREATE, 3_000, "passed"),
        ("by script", "{exec: ok}", "exec: ok", 2_000, "ok: exit code 1"),
        ("not a script", "{plugin: ok}", "exec: ok", 2_000, "passed"),
        ("at the second attempt", "{attempt: 2}", CREATE, 3_000, "passed"),
        ("no uses left", "{times: 0}", CREATE, 3_000, "passed"),
        ("a timeout", "{outcome: timeout}", CREATE, 60_000, "docker inst_create: timed out after 60 s"),
        (
            "a timeout that is told how long",
            "{outcome: timeout}",
            "plugin: docker, action: inst_wait, arguments: {selector: old, wait: 2.5}",
            2_500,
            "docker inst_wait: timed out after 2.500 s",
        ),
        (
            "a timeout in an instance",
            "{outcome: timeout}",
            "plugin: swarm-exec, action: inst_exec, arguments: {selector: old, command: ls}",
            300_000,
            "swarm-exec inst_exec: timed out after 300 s",
        ),
        (
            "a timeout in an instance that is told how long",
            "{outcome: timeout}",
            "plugin: swarm-exec, action: inst_exec, arguments: {selector: old, command: ls, timeout: 20, wait: 3}",
            20_000,
            "swarm-exec inst_exec: timed out after 20 s",
        ),
        ("slow", "{outcome: slow, delay: 7}", CREATE, 10_000, "passed"),
        ("a script that is slow", "{outcome: slow, delay: 7}", "exec: ok", 9_000, "passed"),
        (
            "unhealthy",
            "{action: inst_create, outcome: unhealthy}",
            &lb,
            4_000,
            "elb lb_wait: back-n0 is unhealthy",
        ),
        (
            "unhealthy behind the balancer",
            "{action: lb_attach, outcome: unhealthy}",
            &lb,
            4_000,
            "elb lb_wait: back-n0 is unhealthy",
        ),
        (
            "a message that nobody needs",
            "{}",
            "plugin: slack, action: notify, arguments: {text: x}",
            1_000,
            "passed",
        ),
        (
            "a message that matters",
            "{}",
            "plugin: slack, action: notify, arguments: {text: x, fail_on_error: true}",
            1_000,
            "slack notify: exit code 1",
        ),
    ];
    for (name, rule, calls, ms, message) in cases {
        for machines in [0, 1] {
            let more = format!("  faults: [ {rule} ]\n");
            let mut bench = Bench::with_machines(&steps(calls, &more), machines);
            bench.start();
            bench.finish();
            assert_eq!(last(&bench), (*ms, (*message).to_owned()), "{name} on {machines} machines");
        }
    }
}

#[test]
fn rules_apply_in_order_and_are_used_up() {
    let more = "  faults: [ {action: inst_destroy, times: 1}, {plugin: docker, attempt: 1, message: first}, {times: 1, message: second} ]\n";
    let text = steps(CREATE, more).replace("on_fail: fail, plugin", "on_fail: s0, plugin");
    let mut bench = Bench::new(&text);
    bench.start();
    bench.finish();
    let log = bench.log_from(0);
    let failed: Vec<&str> =
        log.iter().filter_map(|line| line.split_once("s0 failed: ").map(|(_, why)| why)).collect();
    assert_eq!(failed, ["docker inst_create: exit code 1: first", "docker inst_create: exit code 1: second"]);
    assert_eq!(bench.trace(), "s0! s0! s0 back");
}

#[test]
fn a_failed_create_may_leave_an_instance_behind() {
    for (leave, instances) in [
        ("", "back-o0:old0=running back-o1:old1=running"),
        (", leave: true", "back-o0:old0=running back-o1:old1=running back-n0:new0=stopped"),
    ] {
        let mut bench =
            Bench::new(&steps(CREATE, &format!("  faults: [ {{action: inst_create{leave}}} ]\n")));
        bench.start();
        bench.finish();
        assert_eq!(bench.instances(), instances);
    }
}

#[test]
fn faults_of_the_world_strike_calls() {
    let failed = "{\"fault\":\"plugin-fail\",\"target\":{\"plugin\":\"docker\",\"action\":\"inst_create\"},\"count\":1,\"message\":\"no route\"}";
    let mut bench = Bench::new(
        &steps(&format!("{CREATE}\n{CREATE}"), "").replace("on_fail: fail, plugin", "on_fail: next, plugin"),
    );
    bench.inject(failed);
    bench.start();
    bench.finish();
    assert_eq!(bench.trace(), "s0! s1 back", "it strikes once");
    let log = bench.log_from(0).join("\n");
    assert!(log.contains("docker inst_create: exit code 1: no route"), "{log}");
    // Another step, another component: no match.
    for target in
        ["{\"step\":\"x\"}", "{\"pod\":\"front\"}", "{\"plugin\":\"elb\"}", "{\"service\":\"other\"}"]
    {
        let mut bench = Bench::new(&steps(CREATE, ""));
        bench.inject(&format!("{{\"fault\":\"plugin-fail\",\"target\":{target}}}"));
        bench.start();
        bench.finish();
        assert_eq!(bench.trace(), "s0 back", "{target}");
    }
}

#[test]
fn durations_come_from_the_environment() {
    let more = "  durations: { docker.inst_create: 7, ok: 0.5 }\n  warm_up: 10\n";
    for (calls, ms) in [
        (CREATE.to_owned(), 7_000),
        ("exec: ok".to_owned(), 500),
        (
            format!(
                "{CREATE}\n{ATTACH}\nplugin: elb, action: lb_wait, arguments: {{selector: new, name: web}}"
            ),
            10_000,
        ),
    ] {
        for machines in [0, 1] {
            let mut bench = Bench::with_machines(&steps(&calls, more), machines);
            bench.start();
            bench.finish();
            assert_eq!(last(&bench), (ms, "passed".to_owned()), "{calls}");
        }
    }
}

#[test]
fn machines_are_used_evenly_and_their_faults_have_effects() {
    let twice = steps(CREATE, "");
    let bench = Bench::with_machines(&twice, 3);
    let hosts: Vec<Option<u32>> =
        bench.app.instances.iter().map(|(_, one)| one.machine.map(|machine| machine.0)).collect();
    assert_eq!(hosts, [Some(0), Some(1)]);
    assert_eq!(bench.machines.fleet.process_ids().count(), 2);

    // The machine that a container is being started on goes.
    let mut bench = Bench::with_machines(&twice, 3);
    bench.start();
    bench.advance_to(1_000);
    bench.inject("{\"fault\":\"agent-lost\",\"target\":{\"agent\":\"m3\"}}");
    assert_eq!(last(&bench), (1_000, "machine m3 was lost".to_owned()));

    // A machine with an instance goes and comes back: the container is there, stopped.
    let mut bench = Bench::with_machines(&steps("exec: ok", ""), 2);
    bench.inject("{\"fault\":\"agent-lost\",\"target\":{\"agent\":\"m1\"},\"for_ms\":5000}");
    assert_eq!(bench.instances(), "back-o0:old0=lost back-o1:old1=running");
    bench.advance_to(6_000);
    assert_eq!(bench.instances(), "back-o0:old0=stopped back-o1:old1=running");

    // With every machine away nothing can be created.
    let mut bench = Bench::with_machines(&twice, 1);
    bench.inject("{\"fault\":\"agent-lost\"}");
    bench.start();
    bench.finish();
    assert_eq!(last(&bench), (3_000, "docker inst_create: no machine is up".to_owned()));

    // An unreachable machine: containers keep running, calls on them fail.
    let mut bench = Bench::with_machines(
        &steps("plugin: docker, action: inst_destroy, arguments: {selector: old}", ""),
        2,
    );
    bench.inject("{\"fault\":\"agent-partitioned\",\"target\":{\"agent\":\"m1\"}}");
    bench.start();
    bench.finish();
    assert_eq!(last(&bench), (2_000, "docker inst_destroy: machine m1 cannot be reached".to_owned()));
}

#[test]
fn slow_starts_and_missing_images_have_effects() {
    for (fault, ms, message) in [
        ("{\"fault\":\"slow-start\",\"delay_ms\":20000}", 23_000, "passed"),
        ("{\"fault\":\"image-missing\"}", 3_000, "back-n0 did not start: Failed to fetch the image"),
        (
            "{\"fault\":\"agent-full\",\"target\":{\"agent\":\"m*\"}}",
            3_000,
            "back-n0 did not start: No space left on device",
        ),
    ] {
        let mut bench = Bench::with_machines(&steps(CREATE, ""), 2);
        bench.inject(fault);
        bench.start();
        bench.finish();
        assert_eq!(last(&bench), (ms, message.to_owned()), "{fault}");
    }
    // An image whose tag says that it is slow.
    let text = steps(CREATE, "")
        .replace("back: { image: acme/back:2.0", "back: { image: acme/back:slow-2.0")
        .replace("acme/back:2.0 ]", "acme/back:slow-2.0 ]");
    let mut bench = Bench::with_machines(&text, 1);
    bench.start();
    bench.finish();
    assert!(last(&bench).0 > 20_000, "{:?}", last(&bench));
}

#[test]
fn readiness_affects_the_balancer() {
    let calls = format!(
        "{CREATE}\n{ATTACH}\nplugin: elb, action: lb_wait, arguments: {{selector: new, name: web, wait: 20}}"
    );
    let mut bench = Bench::with_machines(&steps(&calls, ""), 1);
    bench.inject("{\"fault\":\"readiness-fail\"}");
    bench.start();
    bench.finish();
    assert_eq!(
        last(&bench),
        (20_000, "waiting until back-n0 is in service at web timed out after 20 s".to_owned())
    );
    let mut bench = Bench::with_machines(&steps(&calls, ""), 1);
    bench.inject("{\"fault\":\"readiness-fail\",\"for_ms\":15000}");
    bench.start();
    bench.finish();
    let (ms, message) = last(&bench);
    assert_eq!(message, "passed");
    assert!((11_000..12_500).contains(&ms), "{ms}");
    // It ends while it is waited for.
    let mut bench = Bench::with_machines(&steps(&calls, ""), 1);
    bench.start();
    bench.advance_to(5_000);
    bench.inject("{\"fault\":\"task-fail\",\"target\":{\"task\":\"back-n0\"}}");
    assert_eq!(last(&bench).1, "back-n0 is stopped");
    assert_eq!(bench.instances(), "back-o0:old0=running back-o1:old1=running back-n0:new0=stopped");
}

#[test]
fn running_work_is_cancelled() {
    let mut bench = Bench::with_machines(&steps(CREATE, ""), 1);
    bench.start();
    bench.advance_to(1_000);
    assert_eq!(bench.command(&Command::Abandon), None);
    bench.advance_to(60_000);
    assert_eq!(bench.instances(), "back-o0:old0=running back-o1:old1=running");
    assert_eq!(bench.machines.fleet.process_ids().count(), 2);
    assert_eq!(bench.app.run.mode, Mode::Failed);
}

#[test]
fn calls_are_kept() {
    let text = steps("exec: 'echo {{.component}} {{.image}} {{.timeout}} {{.project}}'", "");
    let mut bench = Bench::new(&text);
    bench.start();
    bench.finish();
    let id = bench.app.run.plan.find("s0").expect("a step");
    assert_eq!(
        bench.app.run.step(id).and_then(|own| own.called.as_deref()),
        Some("echo back acme/back:2.0 45 demo")
    );
}

#[test]
fn loops_work_on_their_slots() {
    let text = format!(
        "{HEAD}steps:\n- id: back\n  class: component\n  steps:\n  - id: l\n    class: instance-loop\n    selector: target\n    steps:\n    - {{id: a, class: action, {CREATE}}}\n    - {{id: b, class: action, exec: 'echo {{{{.index}}}} {{{{.id}}}}', selector: new}}\n  - id: m\n    class: instance-loop\n    selector: old\n    steps:\n    - {{id: d, class: action, plugin: docker, action: inst_destroy, arguments: {{selector: old}}}}\n{MODEL}{ENV}"
    );
    let mut bench = Bench::with_machines(&text, 2);
    bench.start();
    bench.finish();
    assert_eq!(bench.trace(), "a[0] b[0] a[1] b[1] l d[0] d[1] m back");
    assert_eq!(bench.instances(), "back-n0:new0=running back-n1:new1=running");
    assert_eq!(bench.machines.fleet.process_ids().count(), 2);
    let id = bench.app.run.plan.find("b").expect("a step");
    assert_eq!(bench.app.run.step(id).and_then(|own| own.called.as_deref()), Some("echo 1 back-n1"));
}
