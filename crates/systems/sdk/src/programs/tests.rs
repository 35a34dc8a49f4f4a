//! Effects of programs on definitions before anything runs.

use super::strategies::STRATEGIES;
use super::{OwnStep, Program};
use crate::lower::{self, LoweredPhase, LoweredPlan, LoweredStep, LoweredStrategy};
use crate::scheduler::{Cx, Scheduler};
use crate::tests::request;
use crate::tests::support::{all_findings, findings};
use crate::wire::SdkQuery;
use crate::{Loaded, load};
use planarium_protocol::Refusal;

/// Two nodes with the fields that the program uses.
pub(crate) const CASSANDRA: &str = "\
# env: PLANARIUM_PROGRAM=cassandra
name: /db/cassandra
pods:
  node:
    count: 3
    tasks:
      server: {goal: RUNNING, cmd: \"  run \\n\", cpus: 0.5, memory: 32}
      repair: {goal: FINISH, cmd: repair, cpus: 0.5, memory: 32}
plans:
  deploy: {phases: {node: {pod: node, steps: [{default: [[server]]}]}}}
  replace: {phases: {node: {pod: node, steps: [{default: [[server]]}]}}}
";

/// All nodes with the fields that the program uses; the pods in another order than it requires.
pub(crate) const HDFS: &str = "\
# env: PLANARIUM_PROGRAM=hdfs
name: hdfs
pods:
  data: {count: 2, tasks: {node: {goal: RUNNING, cmd: data, cpus: 0.1, memory: 32}}}
  extra: {count: 1, tasks: {node: {goal: RUNNING, cmd: extra, cpus: 0.1, memory: 32}}}
  name:
    count: 2
    placement: 'hostname:LIKE:a.*'
    tasks:
      node: {goal: RUNNING, cmd: name, cpus: 0.1, memory: 32}
      zkfc: {goal: RUNNING, cmd: zkfc, cpus: 0.1, memory: 32}
      bootstrap: {goal: ONCE, cmd: bootstrap, cpus: 0.1, memory: 32}
  journal:
    count: 3
    tasks:
      node: {goal: RUNNING, cmd: journal, cpus: 0.1, memory: 32}
      bootstrap: {goal: ONCE, cmd: bootstrap, cpus: 0.1, memory: 32}
plans:
  deploy:
    phases:
      journal: {pod: journal, steps: [{default: [[node]]}]}
      name: {pod: name, steps: [{default: [[node, zkfc]]}]}
      data: {pod: data}
  replace:
    phases:
      journal: {pod: journal, steps: [{default: [[bootstrap], [node]]}]}
      name: {pod: name, steps: [{default: [[bootstrap], [node, zkfc]]}]}
";

fn loaded(text: &str) -> Loaded {
    let loaded = load(&request(text));
    assert!(loaded.spec.is_some(), "{:#?}", findings(&loaded));
    loaded
}

fn env_of(loaded: &Loaded, pod: &str, task: &str, name: &str) -> Option<String> {
    let spec = loaded.spec.as_ref().expect("a spec");
    let task = spec.pod(pod).expect(pod).task(task).expect(task);
    task.env.get(name).map(ToString::to_string)
}

#[test]
fn programs_set_task_variables_that_routed_ones_override() {
    let seeds = "node-0-server.dbcassandra.autoip.dcos.thisdcos.directory,\
                 node-1-server.dbcassandra.autoip.dcos.thisdcos.directory";
    let one = "node-0-server.dbcassandra.autoip.dcos.thisdcos.directory";
    // definition, more environment, pod, task, variable, value
    let cases = [
        (CASSANDRA, "", "node", "repair", "LOCAL_SEEDS", Some(seeds)),
        (CASSANDRA, "LOCAL_SEEDS_COUNT=1", "node", "server", "LOCAL_SEEDS", Some(one)),
        (CASSANDRA, "LOCAL_SEEDS_COUNT=-1", "node", "server", "LOCAL_SEEDS", Some("")),
        (CASSANDRA, "TASKCFG_ALL_LOCAL_SEEDS=x", "node", "server", "LOCAL_SEEDS", Some("x")),
        (CASSANDRA, "", "node", "server", "AUTHENTICATION_CUSTOM_YAML_BLOCK", None),
        (
            CASSANDRA,
            "TASKCFG_ALL_AUTHENTICATION_CUSTOM_YAML_BLOCK_BASE64=YTogMQ",
            "node",
            "server",
            "AUTHENTICATION_CUSTOM_YAML_BLOCK",
            Some("a: 1"),
        ),
        (HDFS, "", "name", "zkfc", "SERVICE_ZK_ROOT", Some("/dcos-service-hdfs")),
        (HDFS, "", "data", "node", "SERVICE_ZK_ROOT", None),
        (HDFS, "", "data", "node", "DECODED_AUTH_TO_LOCAL", Some("")),
    ];
    for (text, env, pod, task, name, want) in cases {
        let env = if env.is_empty() { String::new() } else { format!("# env: {env}\n") };
        let loaded = loaded(&format!("{env}{text}"));
        assert_eq!(env_of(&loaded, pod, task, name).as_deref(), want, "{env}{name}");
    }
}

#[test]
fn kerberos_principals_are_mapped_for_every_task() {
    let kerberos = "# env: TASKCFG_ALL_SECURITY_KERBEROS_ENABLED=true\n\
                    # env: TASKCFG_ALL_SECURITY_KERBEROS_PRIMARY=hdfs\n\
                    # env: TASKCFG_ALL_SECURITY_KERBEROS_REALM=LOCAL\n";
    let all = format!(
        "{kerberos}# env: TASKCFG_ALL_TASK_USER=nobody\n# env: DATA_COUNT=2\n\
         # env: TASKCFG_ALL_AUTH_TO_LOCAL=UlVMRTpY\n{HDFS}"
    );
    let mapped = env_of(&loaded(&all), "data", "node", "DECODED_AUTH_TO_LOCAL").expect("mapped");
    let lines: Vec<&str> = mapped.lines().collect();
    assert_eq!(lines.len(), 1 + 3 + 2 + 2 + 2);
    assert_eq!(lines[0], "RULE:X");
    assert_eq!(
        lines[4],
        "RULE:[2:$1/$2@$0](hdfs/name-0-zkfc.hdfs.autoip.dcos.thisdcos.directory@LOCAL)s/.*/nobody/"
    );
    let lacking = findings(&load(&request(&format!("{kerberos}{HDFS}"))));
    let want = "The following environment keys are missing TASKCFG_ALL_TASK_USER";
    assert!(lacking.iter().any(|line| line.contains("error[SDK023]") && line.contains(want)), "{lacking:#?}");
}

#[test]
fn hdfs_runs_its_three_pods_apart_from_each_other() {
    let loaded = loaded(HDFS);
    let spec = loaded.spec.as_ref().expect("a spec");
    let placed: Vec<String> = spec
        .pods
        .iter()
        .map(|pod| format!("{} {}", pod.name, pod.placement.as_ref().expect("a placement").rule))
        .collect();
    let avoid = |pod: &str| {
        format!("TaskTypeRule{{type={pod}, converter=TaskTypeLabelConverter{{}}, behavior=AVOID}}")
    };
    let apart = |a: &str, b: &str| format!("AndRule{{rules=[{}, {}]}}", avoid(a), avoid(b));
    assert_eq!(
        placed,
        [
            format!("journal {}", apart("journal", "name")),
            format!(
                "name AndRule{{rules=[{}, HostnameRule{{matcher=RegexMatcher{{pattern='a.*'}}}}]}}",
                apart("name", "journal")
            ),
            format!("data {}", avoid("data")),
        ]
    );
}

#[test]
fn missing_program_variables_are_reported() {
    // definition, replaced, by, words
    let cases = [
        (CASSANDRA, "  replace:", "  other:", "Failed to find plan: replace"),
        (HDFS, "  replace:", "  other:", "Failed to find plan: replace"),
        (HDFS, "  data:", "  dota:", "Missing required pod named 'data' in service spec"),
        (
            CASSANDRA,
            "name:",
            "# env: LOCAL_SEEDS_COUNT=two\nname:",
            "LOCAL_SEEDS_COUNT is not a whole number",
        ),
        (
            CASSANDRA,
            "name:",
            "# env: TASKCFG_ALL_AUTHENTICATION_CUSTOM_YAML_BLOCK_BASE64=!\nname:",
            "is not base64",
        ),
    ];
    for (text, from, to, words) in cases {
        let changed = load(&request(&text.replacen(from, to, 1)));
        assert!(changed.spec.is_none(), "{to}");
        let shown = findings(&changed);
        assert!(
            shown.iter().any(|line| line.contains("error[SDK023]") && line.contains(words)),
            "{shown:#?}"
        );
    }
}

#[test]
fn a_recognised_program_is_reported() {
    let plain = "name: s\npods: {a: {count: 1, tasks: {t: {goal: RUNNING, cmd: x, cpus: 1, memory: 1}}}}\n";
    let package = |name: &str| format!("{plain}# file: package.json\n{{\"name\": \"{name}\"}}\n");
    // definition, the program, the finding
    let cases = [
        (plain.to_owned(), "hello-world", None),
        (CASSANDRA.to_owned(), "cassandra", Some("info[SDK022] The program of cassandra runs")),
        (package("hello-world"), "hello-world", Some("info[SDK022] The program of hello-world runs")),
        (package("kafka"), "kafka", Some("info[SDK022] The program of the package 'kafka' is not simulated")),
        (
            format!("# env: PLANARIUM_PROGRAM=casandra\n{plain}"),
            "casandra",
            Some("warning[SDK022] There is no simulated program 'casandra'"),
        ),
    ];
    for (text, name, words) in cases {
        let loaded = loaded(&text);
        assert_eq!(loaded.program.name(), name);
        let shown = all_findings(&loaded);
        match words {
            None => assert_eq!(shown, Vec::<String>::new()),
            Some(words) => assert!(shown.len() == 1 && shown[0].contains(words), "{shown:#?}"),
        }
    }
}

fn started(text: &str) -> Scheduler {
    Scheduler::start(&mut Cx::new(1), &loaded(text), None).expect("starts").0
}

#[test]
fn only_cassandra_serves_seeds() {
    let text = format!("# env: TASKCFG_ALL_REMOTE_SEEDS=10.0.0.1,node-0-server,10.0.0.1,\n{CASSANDRA}");
    let (_, body) = started(&text).query(&SdkQuery::Seeds, 0).expect("served");
    // In the order of a hash set of the Java library.
    let want = r#"{"seeds":["node-1-server.dbcassandra.autoip.dcos.thisdcos.directory","node-0-server","node-0-server.dbcassandra.autoip.dcos.thisdcos.directory","10.0.0.1"]}"#;
    assert_eq!(body.to_string(), want);
    assert_eq!(started(HDFS).query(&SdkQuery::Seeds, 0).expect_err("not there").status, 404);
}

#[test]
fn hdfs_serves_rendered_files() {
    let endpoint = |scheduler: &Scheduler, name: &str| {
        let name = name.to_owned();
        scheduler.query(&SdkQuery::Endpoint { name }, 0).expect("served").1
    };
    let files = "# file: hdfs-site.xml\n<a>{{JOURNAL_PORT}} {{FRAMEWORK_HOST}} {{MESOS_SANDBOX}}</a>\n\
                 {{#OFF}}no{{/OFF}}{{SERVICE_ZK_ROOT}}\n";
    let with = started(&format!(
        "# env: TASKCFG_ALL_JOURNAL_PORT=8485\n# env: TASKCFG_ALL_OFF=false\n{HDFS}{files}"
    ));
    let (_, names) = with.query(&SdkQuery::Endpoints, 0).expect("served");
    assert_eq!(names.to_string(), r#"["core-site.xml","hdfs-site.xml"]"#);
    assert_eq!(
        endpoint(&with, "hdfs-site.xml"),
        "<a>8485 hdfs.autoip.dcos.thisdcos.directory sandboxpath</a>\n/dcos-service-hdfs\n"
    );
    assert_eq!(
        endpoint(&with, "core-site.xml"),
        "Failed to read /mnt/mesos/sandbox/./hdfs-scheduler/core-site.xml"
    );
    let lacking = findings(&load(&request(&format!("{HDFS}{files}"))));
    let want = "error[SDK023] The template variable 'JOURNAL_PORT' has no value";
    assert!(lacking.iter().any(|line| line.contains(want)), "{lacking:#?}");
}

#[test]
fn programs_may_keep_tasks_in_the_region() {
    let aware = |text: &str, scenario: &str| {
        let env = format!(
            "# env: ALLOW_REGION_AWARENESS=false\n# env: SERVICE_REGION=r\n# env: SCENARIOS={scenario}\n"
        );
        let scheduler = started(&format!("{env}{text}"));
        scheduler
            .configs
            .target
            .pods
            .values()
            .all(|pod| pod.rule.to_string().contains("RegionRule{matcher=Exact"))
    };
    assert!(aware(CASSANDRA, "YAML") && aware(HDFS, "YAML") && aware(PLANS, "multi_region"));
    assert!(!aware(PLANS, "YAML"));
}

#[test]
fn only_some_programs_replace_pods_in_time() {
    let policy = |text: &str| {
        let loaded = loaded(&format!("# env: ENABLE_AUTOMATIC_POD_REPLACEMENT=true\n{text}"));
        loaded.spec.expect("a spec").replacement_failure_policy.is_some()
    };
    assert!(policy(CASSANDRA));
    assert!(!policy(HDFS));
}

// ---- plans -------------------------------------------------------------------------------------------

const PLANS: &str = "name: s\npods:\n  a:\n    count: 2\n    tasks:\n      x: {goal: RUNNING, cmd: x, cpus: 1, memory: 1}\n      \
    y: {goal: FINISH, cmd: y, cpus: 1, memory: 1}\nplans:\n  deploy:\n    phases:\n      one: {pod: a}\n      two:\n        \
    strategy: parallel\n        pod: a\n        steps:\n          - default: [[x], [y]]\n";

fn customized(program: &Program, env: &[(&str, &str)]) -> Result<Vec<LoweredPlan>, Refusal> {
    let loaded = loaded(PLANS);
    let mut all = lower::plans(loaded.spec.as_ref().expect("a spec"));
    let env = env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    program.customize(&mut all, &env).map(|()| all)
}

fn shown(plan: &LoweredPlan) -> Vec<String> {
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    let after = |step: &LoweredStep| match step.after.clone().next() {
        Some(first) => format!(" after {first}"),
        None => String::new(),
    };
    steps.map(|step| format!("{}{}", step.name, after(step))).collect()
}

#[test]
fn a_hello_world_scenario_reverses_the_deploy_phases() {
    let scenario = [("SCENARIOS", "YAML, custom_plan")];
    let all = customized(&Program::HelloWorld, &scenario).expect("plans");
    let expected = ["a-1:[x, y]", "a-0:[x, y]", "a-1:[y] after 1", "a-1:[x]", "a-0:[y] after 3", "a-0:[x]"];
    assert_eq!(shown(&all[0]), expected);
    let as_written = customized(&Program::HelloWorld, &[("SCENARIOS", "YAML")]).expect("plans");
    assert_ne!(as_written, all);
    let other = customized(&Program::Other("kafka".into()), &scenario).expect("plans");
    assert_eq!(other, as_written, "no other program knows scenarios");
}

#[test]
fn strategies_are_set_on_plans_and_phases() {
    let given = |value: &str| customized(&Program::Hdfs, &[(STRATEGIES, value)]);
    let all = given("deploy=random, deploy/one=random").expect("plans");
    assert_eq!(all[0].strategy, LoweredStrategy::Random);
    let names: Vec<&str> = all[0].phases.iter().map(LoweredPhase::strategy_name).collect();
    assert_eq!(names, ["random", "dependency"]);
    for (bad, word) in [
        ("deploy", "form"),
        ("deploy=serial", "form"),
        ("other=random", "no plan 'other'"),
        ("deploy/three=random", "no phase 'deploy/three'"),
    ] {
        let refusal = given(bad).expect_err(bad);
        assert!(refusal.message.contains(word), "{bad}: {}", refusal.message);
    }
}

// ---- recovery ----------------------------------------------------------------------------------------

#[test]
fn steps_of_a_recovery() {
    use super::{KnownPhase, KnownStep, Lost};
    let phases_of = |loaded: &Loaded| {
        let spec = loaded.spec.as_ref().expect("a spec");
        let plan = lower::plans(spec).into_iter().find(|plan| &*plan.name == "replace").expect("there");
        let step = |step: &LoweredStep| {
            Some(KnownStep { pod: spec.pod(&step.pod).expect("a pod").clone(), index: step.index })
        };
        let phase = |phase: &LoweredPhase| KnownPhase {
            name: phase.name.clone(),
            steps: phase.steps.iter().map(step).collect(),
        };
        plan.phases.iter().map(phase).collect::<Vec<_>>()
    };
    let words = |step: &OwnStep| {
        let how = if step.anew { "anew" } else { "in place" };
        let command =
            step.command.as_ref().map_or(String::new(), |(task, command)| format!(" {task} {command:?}"));
        format!("{}.{} {how}{command}", step.of.phase, step.of.step)
    };
    let replaced =
        "\"run -Dcassandra.replace_address=10.0.0.7 -Dcassandra.consistent.rangemovement=false\\n\"";
    let seed =
        format!("permanent-node-failure-recovery: 0.0 anew server {replaced}, 0.1 in place, 0.2 in place");
    let node = format!("permanent-node-failure-recovery: 0.2 anew server {replaced}");
    // definition, lost pod, its index, whether it had an address, the phase
    let cases = [
        (CASSANDRA, "node", 0, true, Some(seed.as_str())),
        (CASSANDRA, "node", 2, true, Some(node.as_str())),
        (CASSANDRA, "node", 2, false, None),
        (CASSANDRA, "node", 3, true, None),
        (HDFS, "journal", 2, true, Some("permanent-journal-failure-recovery: 0.4 anew, 0.5 in place")),
        (HDFS, "journal", 3, true, None),
        (HDFS, "name", 1, true, Some("permanent-name-failure-recovery: 1.2 anew, 1.3 in place")),
        (HDFS, "data", 0, true, None),
    ];
    for (text, pod, index, addressed, want) in cases {
        let loaded = loaded(text);
        let phases = phases_of(&loaded);
        let address = |_: &str, _: u32, _: &str| addressed.then(|| "10.0.0.7".into());
        let lost = Lost { pod, index, phases: &phases, address: &address, env: &loaded.env };
        let phase = loaded.program.recovery(&lost);
        let got = phase.map(|phase| {
            let steps: Vec<String> = phase.steps.iter().map(words).collect();
            format!("{}: {}", phase.name, steps.join(", "))
        });
        assert_eq!(got.as_deref(), want, "{pod}-{index}");
    }
}
