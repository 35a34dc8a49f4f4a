//! Whole definitions: parsed fields, findings, cost of hostile input.
//!
//! Length: one table of definitions with what each is read to.

use super::support::{clean, findings, request, spec};
use crate::load;
use crate::spec::{Goal, Limit, PhaseStrategy, StepKey, Visibility, VolumeKind, VolumeMode};
use planarium_kernel::Milli;
use serde_json::json;

/// A definition with every field there is.
const EVERYTHING: &str = "\
# env: TASKCFG_ALL_A=routed
# env: SERVICE_REGION=far
# env: DCOS_SERVICE_ACCOUNT_CREDENTIAL=secrets/service-account.json
# env: ENABLE_AUTOMATIC_POD_REPLACEMENT=true
# env: PERMANENT_FAILURE_TIMEOUT_SECS=120
name: /team/hello
web-url: http://x
scheduler: {principal: p, zookeeper: 'zk:2181', user: nobody}
pods:
  hello:
    count: '2'
    placement: '[[\"hostname\", \"UNIQUE\"]]'
    image: ubuntu
    networks: {mesos-bridge: {host-ports: [4040], container-ports: [80], labels: 'k:v'}, dcos: }
    rlimits: {RLIMIT_NOFILE: {soft: 1, hard: 2}, RLIMIT_CORE: {soft: , hard: ''}}
    uris: ['https://a/b']
    volume: {path: shared, type: ROOT, size: 10}
    volumes: {more: {path: more, type: PATH, size: 20, profiles: [fast]}}
    host-volumes: {etc: {host-path: /etc, container-path: e, mode: RO}}
    external-volumes: {x: {type: DOCKER, container-path: c, driver-name: pxd, driver-options: 'a=1;b=2', volume-mode: ''}}
    secrets: {s: {secret: a/b}, t: {secret: c, env-key: T}}
    pre-reserved-role: slave_public
    share-pid-namespace: true
    allow-decommission: true
    seccomp-unconfined: false
    seccomp-profile-name: strict
    ipc-mode: PRIVATE
    shm-size: 64
    resource-sets:
      set: {cpus: 0.5, memory: 32, gpus: 1, resource-limits: {cpus: unlimited, memory: 64.5}}
    tasks:
      server:
        goal: running
        cmd: sleep 1000
        essential: false
        env: {A: own, B: 1, C: }
        labels: 'l:1:2,m:'
        configs: {main: {template: t.mustache, dest: d.conf}}
        resource-set: set
        health-check: {cmd: a, interval: 5, delay: 1, timeout: 10, grace-period: 30, max-consecutive-failures: 3}
        readiness-check: {cmd: b, interval: 5, timeout: 10}
        discovery: {prefix: node, visibility: EXTERNAL}
        kill-grace-period: 30
        transport-encryption: [{name: cert, type: KEYSTORE}]
        ipc-mode: SHARE_PARENT
      once:
        goal: ONCE
        cmd: echo
        memory: 16
        ports:
          http: {port: 0, env-key: PORT, advertise: true, vip: {port: 80}, ranges: [{begin: 1024}, {end: 9}]}
        kill-grace-period:
        shm-size: 32
plans:
  deploy:
    strategy: parallel
    phases:
      go: {strategy: canary, pod: hello, steps: [0: [[server]], default: [[server], [once]]]}
# file: t.mustache
x={{A}}
";

#[test]
fn every_field_is_read() {
    let loaded = clean(EVERYTHING);
    let kept: Vec<&str> = loaded.kept.iter().map(|kept| kept.path.as_str()).collect();
    assert!(kept.contains(&"web-url") && kept.contains(&"pods.hello.rlimits"), "{kept:?}");
    assert!(kept.contains(&"pods.hello.tasks.server.configs"), "{kept:?}");
    let spec = loaded.spec.expect("a spec");
    assert_eq!((&*spec.name, &*spec.role, &*spec.principal), ("/team/hello", "team__hello-role", "p"));
    assert_eq!((spec.id_prefix().as_str(), spec.bare_name().as_str()), ("team.hello", "teamhello"));
    assert_eq!((&*spec.user, &*spec.zookeeper, spec.region.as_deref()), ("nobody", "zk:2181", Some("far")));
    let policy = spec.replacement_failure_policy.expect("a policy");
    assert_eq!((policy.permanent_failure_timeout_s, policy.min_replace_delay_s), (120, 10));

    let pod = spec.pod("hello").expect("the pod");
    assert_eq!((pod.count, &*pod.pre_reserved_role, pod.uses_host_ports()), (2, "slave_public", true));
    let mappings: Vec<_> = pod.networks[0].port_mappings.iter().map(|m| (m.host, m.container)).collect();
    assert_eq!(mappings, [(4040, 80), (0, 0)]);
    assert_eq!(pod.rlimits.iter().map(|limit| limit.values).collect::<Vec<_>>(), [Some((1, 2)), None]);
    let volumes: Vec<_> =
        pod.volumes.iter().map(|v| (&*v.path, v.kind, v.size.whole(), v.profiles.len())).collect();
    assert_eq!(volumes, [("shared", VolumeKind::Root, 10, 0), ("more", VolumeKind::Mount, 20, 1)]);
    assert_eq!(pod.host_volumes[0].mode, Some(VolumeMode::Ro));
    assert_eq!(pod.external_volumes[0].driver_options.len(), 2);
    let files: Vec<_> = pod.secrets.iter().map(|s| (s.file.as_deref(), s.env_key.as_deref())).collect();
    assert_eq!(files, [(Some("a/b"), None), (None, Some("T"))]);
    assert_eq!((pod.seccomp_unconfined, pod.shm_size_mib), (false, Some(64)));
    assert_eq!(
        pod.resource_sets.iter().map(|set| &*set.id).collect::<Vec<_>>(),
        ["set", "once-resource-set"]
    );

    let server = pod.task("server").expect("the task");
    assert_eq!((server.goal, server.essential, server.kill_grace_s), (Goal::Running, false, 30));
    let env: Vec<String> = server.env.iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(env, ["A=routed", "B=1", "C="]);
    assert_eq!(&*server.labels[0].1, "1:2");
    assert_eq!(server.configs[0].content.as_deref(), Some("x={{A}}\n"));
    let set = &server.resource_set;
    assert_eq!((set.cpus, set.mem, set.gpus), (Some(Milli(500)), Some(Milli(32_000)), Some(Milli(1000))));
    assert_eq!(
        (set.limits.cpus, set.limits.mem),
        (Some(Limit::Unlimited), Some(Limit::Amount(Milli(64_500))))
    );
    let health = server.health_check.as_ref().expect("a health check");
    assert_eq!((health.delay_s, health.grace_s, health.max_failures), (1, 30, 3));
    assert_eq!(server.readiness_check.as_ref().expect("a readiness check").delay_s, 0);
    assert_eq!(server.discovery.as_ref().expect("discovery").visibility, Visibility::External);

    let once = pod.task("once").expect("the task");
    let port = &once.resource_set.ports[0];
    assert_eq!(
        (port.port, port.advertise, port.vip.as_ref().map(|vip| (&*vip.prefix, vip.port))),
        (0, true, Some(("http", 80)))
    );
    assert_eq!(
        port.ranges.iter().map(|range| (range.begin, range.end)).collect::<Vec<_>>(),
        [(1024, 65535), (0, 9)]
    );
    assert_eq!((once.kill_grace_s, once.essential), (0, true));

    let phase = &spec.plan("deploy").expect("the plan").phases[0];
    assert_eq!((phase.strategy, phase.steps.len()), (PhaseStrategy::SerialCanary, 2));
    assert_eq!((phase.steps[0].key, phase.steps[1].steps.len()), (StepKey::Index(0), 2));
    assert_eq!(
        (phase.at.source().line, phase.at.source().column, &*phase.at.source().file),
        (53, 7, "svc.yml")
    );
}

#[test]
fn all_mistakes_are_found_at_once() {
    let text = "\
name: a__b
pods:
  hello:
    count: -1
    volume: {path: a/b, type: BLOCK, size: 0}
    tasks:
      server:
        goal: FINISHED
        cpus: 0
        memory: x
        colour: red
  world:
    count: 1
    tasks:
      server: {goal: RUNNING, cmd: x, cpus: 1}
      server: {goal: RUNNING, cmd: x, cpus: 1}
plans:
  deploy:
    strategy: canary
    phases:
      one: {pod: wolrd, strategy: random}
      two: {pod: world, steps: [default: [[servr]]]}
";
    let loaded = load(&request(text));
    assert!(loaded.spec.is_none());
    let partial = loaded.partial.as_ref().expect("a partial spec");
    assert_eq!((partial.pods.len(), partial.plans.len()), (2, 1));
    let got: Vec<String> = findings(&loaded)
        .iter()
        .map(|line| line.split_once(']').map_or(String::new(), |(head, _)| format!("{head}]")))
        .collect();
    assert_eq!(
        got,
        [
            "1:7 error[SDK041]",
            "4:12 error[SDK050]",
            "5:20 error[SDK120]",
            "5:31 error[SDK122]",
            "5:44 error[SDK081]",
            "7:7 error[SDK032]",
            "8:15 error[SDK080]",
            "9:15 error[SDK081]",
            "10:17 error[SDK033]",
            "11:9 error[SDK030]",
            "16:7 error[YAML006]",
            "19:15 error[SDK140]",
            "21:18 error[SDK142]",
            "21:35 error[SDK141]",
            "22:44 error[SDK146]",
        ],
        "{:#?}",
        findings(&loaded)
    );
}

#[test]
fn texts_accepted_and_refused_by_the_real_parser() {
    let base = "\
name: x
pods:
  a:
    count: 1
    # pod
    tasks:
      t:
        goal: ONCE
        cmd: x
        cpus: 1
        # task
";
    // Pod or task, its text, the severities and codes of the findings.
    let cases = [
        ("pod", "allow-decommission: yes", ""),
        ("pod", "allow-decommission: 1", ""),
        ("pod", "allow-decommission: 'yes'", "error[SDK033]"),
        ("pod", "networks: {dcos: ''}", ""),
        ("pod", "networks: {dcos: {host-ports: [1]}}", "warning[SDK061]"),
        ("pod", "networks: {mesos-bridge: {container-ports: [1]}}", "warning[SDK061]"),
        ("pod", "networks: {mesos-bridge: {host-ports: [1, 1], container-ports: [2, 3]}}", "error[SDK061]"),
        ("pod", "networks: {dcos: {labels: 'a:b,c:d,'}}", ""),
        ("pod", "volume: {path: p, type: ROOT, size: 1, profiles: [fast]}", "warning[SDK123]"),
        ("task", "volume: {path: p, type: ROOT, size: 1, profiles: [fast]}", "error[SDK123]"),
        ("task", "volumes: {v: {path: p, type: ROOT, size: 1, profiles: [fast]}}", "error[SDK123]"),
        ("pod", "host-volumes: {v: {host-path: /etc, container-path: a_/b-.c/}}", ""),
        ("pod", "host-volumes: {v: {host-path: /, container-path: c}}", "error[SDK062]"),
        ("pod", "host-volumes: {v: {host-path: '/a b', container-path: c}}", "error[SDK062]"),
        ("pod", "host-volumes: {v: {host-path: /etc, container-path: /c}}", "error[SDK062]"),
        ("pod", "host-volumes: {v: {host-path: /etc, container-path: _c}}", "error[SDK062]"),
        ("pod", "secrets: {s: {secret: a/b, file: etc/s.txt}}", ""),
        ("pod", "secrets: {s: {secret: a/b, file: /etc/s}}", "error[SDK068]"),
        ("pod", "secrets: {s: {secret: /a/b}}", "error[SDK068]"),
        ("pod", "secrets: {s: {secret: /a/b, env-key: S}}", ""),
        (
            "pod",
            "external-volumes: {v: {type: DOCKER, container-path: c, driver-name: d, driver-options: 'a=1;b=2;'}}",
            "",
        ),
        (
            "pod",
            "external-volumes: {v: {type: DOCKER, container-path: c, driver-name: d, driver-options: 'a=1;;b=2'}}",
            "error[SDK065]",
        ),
        (
            "pod",
            "external-volumes: {v: {type: DOCKER, container-path: c, driver-name: d, driver-options: 'a='}}",
            "error[SDK065]",
        ),
        ("task", "labels: 'a:b,'", ""),
        ("task", "labels: ',a:b'", "error[SDK082]"),
        ("task", "labels: ' '", "error[SDK082]"),
        ("task", "resource-limits: {cpus: ' unlimited ', memory: ' 2 '}", ""),
        ("pod", "placement: rack:GROUP_BY:0", ""),
        ("pod", "placement: rack:GROUP_BY:x", "error[SDK132]"),
        ("task", "env: &env {A: b}\n        discovery: *env", "error[SDK033] warning[YAML008]"),
        ("task", "env: &env {A: b}\n        health-check: {<<: *env}", "error[SDK032]"),
    ];
    for (place, line, want) in cases {
        let mark = format!("# {place}\n");
        let loaded = load(&request(&base.replace(&mark, &format!("{line}\n"))));
        let got: Vec<String> = findings(&loaded)
            .iter()
            .filter_map(|found| Some(format!("{}]", found.split_once(' ')?.1.split_once(']')?.0)))
            .collect();
        if want.starts_with("error[SDK032]") {
            assert!(got.iter().any(|one| one == "error[SDK030]"), "{line}: {:#?}", findings(&loaded));
            continue;
        }
        assert_eq!(got.join(" "), want, "{line}: {:#?}", findings(&loaded));
    }
    for (from, to) in [("  a:\n", "  '': \n"), ("      t:\n", "      ' ':\n")] {
        let loaded = load(&request(&base.replacen(from, to, 1)));
        assert!(findings(&loaded).iter().any(|found| found.contains("SDK032")), "{to}");
    }
}

#[test]
fn obvious_mistakes_come_with_a_fix() {
    let base = "name: x\npods:\n  hello:\n    count: 1\n    tasks:\n      server: {goal: RUNNING, cmd: x, cpus: 1}\n\
                plans:\n  deploy: {strategy: serial, phases: {a: {pod: hello, steps: [default: [[server]]]}}}\n";
    let cases = [
        ("goal: RUNNING", "goal: FINISHED", "FINISH"),
        ("goal: RUNNING", "goal: running1", "RUNNING"),
        ("cpus: 1", "cpu: 1, memory: 1", "cpus"),
        ("strategy: serial", "strategy: serail", "serial"),
        ("pod: hello", "pod: helo", "hello"),
        ("[[server]]", "[[sever]]", "server"),
        ("    count: 1", "    count: 1\n    placment: ''", "placement"),
    ];
    for (from, to, replacement) in cases {
        let loaded = load(&request(&base.replace(from, to)));
        let fixes: Vec<_> = loaded.diagnostics.iter().filter_map(|finding| finding.fix.clone()).collect();
        assert_eq!(fixes.len(), 1, "{to}: {:#?}", findings(&loaded));
        assert_eq!(fixes[0].replacement, replacement, "{to}");
        // The mend mends it.
        let mut text = base.replace(from, to);
        text.replace_range(fixes[0].span.range(), &fixes[0].replacement);
        assert_eq!(findings(&load(&request(&text))), Vec::<String>::new(), "{to}");
    }
}

#[test]
fn variables_without_a_value() {
    let text = "name: hello\npods:\n  hello:\n    count: {{COUNT}}\n    tasks:\n      server:\n        goal: RUNNING\n        \
                cmd: \"{{CMD}}\"\n        cpus: 1\n        kill-grace-period: {{GRACE}}\n        env: {A: '{{GRACE}}', B: {{#ON}}x{{/ON}}}\n";
    let loaded = load(&request(text));
    let got = findings(&loaded);
    assert_eq!(
        got,
        [
            "4:12 error[SDK004] The template variable 'COUNT' has no value, and the field needs one",
            "8:15 error[SDK004] The template variable 'CMD' has no value, and the field needs one",
            "10:28 warning[SDK004] The template variable 'GRACE' has no value and is left empty",
        ]
    );
    let missing: Vec<_> = loaded.missing.iter().map(|m| (&*m.name, m.spans.len(), m.required)).collect();
    assert_eq!(missing, [("CMD", 1, true), ("COUNT", 1, true), ("GRACE", 2, false)]);
    let count =
        loaded.diagnostics.iter().find(|finding| finding.message.contains("COUNT")).expect("the finding");
    assert!(count.notes[0].contains("Missing required 'count' in pod 'hello'"), "{:?}", count.notes);
    assert!(count.help.as_deref().unwrap_or_default().contains("COUNT=…"));
    let resources = load(&request(&text.replace("cpus: 1", "cpus: {{CPUS}}\n        memory: {{MEM}}")));
    assert!(findings(&resources).iter().any(|line| line.contains("error[SDK004]") && line.contains("CPUS")));

    let given = format!("# env: COUNT=1\n# env: CMD=x\n# env: GRACE=5\n# env: ON=TRUE\n{text}");
    let spec = spec(&given);
    assert_eq!(&*spec.pods[0].tasks[0].env["B"], "x");
}

#[test]
fn a_name_from_the_environment_wins() {
    let fixed =
        "# name: other\nname: hello\npods: {a: {count: 1, tasks: {t: {goal: ONCE, cmd: x, cpus: 1}}}}\n";
    let loaded = clean(fixed);
    assert_eq!(&*loaded.name, "other");
    let spec = loaded.spec.expect("a spec");
    assert_eq!((&*spec.name, &*spec.role, &*spec.principal), ("other", "other-role", "other-principal"));
    let variable = clean(&fixed.replace("name: hello", "name: '{{FRAMEWORK_NAME}}'"));
    assert_eq!(&*variable.name, "other");
    assert_eq!(variable.env.get("FRAMEWORK_NAME").map(String::as_str), Some("other"));
    let given = clean(&format!("# env: FRAMEWORK_NAME=mine\n{}", fixed.replace("# name: other\n", "")));
    assert_eq!(&*given.name, "hello");
}

#[test]
fn roles() {
    let text = "name: /a/b\npods: {a: {count: 1, tasks: {t: {goal: ONCE, cmd: x, cpus: 1}}}}\n";
    for (env, role) in [
        ("PORT1=1", "a__b-role"),
        ("MESOS_ALLOCATION_ROLE=slave_public", "a__b-role"),
        ("MESOS_ALLOCATION_ROLE=team", "team"),
        ("MESOS_ALLOCATION_ROLE=/team/a", "team__a"),
        ("MARATHON_APP_ENFORCE_GROUP_ROLE=true", "a__b-role"),
        ("MESOS_ALLOCATION_ROLE=slave_public\n# env: MARATHON_APP_ENFORCE_GROUP_ROLE=true", "slave_public"),
    ] {
        assert_eq!(&*spec(&format!("# env: {env}\n{text}")).role, role, "{env}");
    }
}

#[test]
fn hostile_input_is_refused_in_time() {
    let pods = "name: x\npods:\n";
    let deep = format!("{pods}  {}", "[".repeat(10_000));
    let deep_block = (0..10_000).fold(String::new(), |text, level| {
        let indent = " ".repeat(level % 300 + level / 300);
        text + &indent
            + "a:
"
    });
    let bomb: String = (0..30).fold("a0: &a0 [x, x, x]\n".to_owned(), |text, level| {
        let below = format!("*a{level}");
        format!("{text}a{}: &a{} [{below}, {below}, {below}]\n", level + 1, level + 1)
    });
    let cases = [
        ("broken", "name: x\npods: [\n".to_owned(), "YAML001"),
        ("large", format!("{pods}{}", "# filler filler filler\n".repeat(240_000)), "TPL007"),
        ("deep", deep, "YAML003"),
        ("deep blocks", format!("{pods}{deep_block}"), "YAML"),
        ("bomb", format!("{pods}  a: {{}}\n{bomb}"), "SDK030"),
        ("sections", "{{#a}}".repeat(10_000), "TPL006"),
        ("a list", "- name: x\n- pods: {}\n".to_owned(), "SDK033"),
        ("a word", "pods".to_owned(), "SDK033"),
        ("many names", format!("{pods}{}", "  p: {x: 1}\n".repeat(50_000)), "YAML006"),
    ];
    for (what, text, code) in cases {
        let mut request = request("");
        request.files.insert("svc.yml".into(), text);
        let loaded = load(&request);
        assert!(loaded.spec.is_none(), "{what}");
        let shown = findings(&loaded);
        assert!(shown.iter().any(|line| line.contains(&format!("error[{code}"))), "{what}: {shown:#?}");
        assert!(shown.len() <= 501, "{what}: {}", shown.len());
        assert!(loaded.diagnostics.iter().all(|f| !f.is_error() || f.help.is_some()), "{what}: help");
    }
    let none = load(&request(""));
    assert_eq!(findings(&none), ["1:1 error[SDK001] There is no service definition among the files"]);
}

#[test]
fn a_large_count_costs_no_time_in_reading() {
    let text = "name: x\npods: {a: {count: 100000, tasks: {t: {goal: ONCE, cmd: x, cpus: 1}}}}\n";
    assert_eq!(spec(text).pods[0].count, 100_000);
    for (count, code) in [
        ("100001", "SDK051"),
        ("99999999999", "SDK051"),
        ("99999999999999999999", "SDK033"),
        ("-5", "SDK050"),
    ] {
        let shown = findings(&load(&request(&text.replace("100000", count))));
        assert!(shown[0].contains(code), "{count}: {shown:?}");
    }
}

#[test]
fn truncated_and_damaged_texts_are_read() {
    let text = "\
# name: x
name: {{N}}
scheduler: {user: nobody}
pods:
  hello:
    count: {{COUNT}}
    placement: '[[\"rack\", \"LIKE\", \"(a|b)+\"]]'
    networks: {mesos-bridge: {host-ports: [1], container-ports: [2], labels: 'k:v'}}
    rlimits: {RLIMIT_CORE: {soft: -1, hard: -1}}
    resource-sets: {set: {cpus: 1, ports: {a: {port: 0, ranges: [{begin: 1, end: 2}]}}}}
    tasks:
      server: {goal: RUNNING, cmd: \"{{{CMD}}}\", resource-set: set, labels: \"a:b\", env: {A: ~}}
      other: {goal: ONCE, cmd: x, memory: 1, volumes: {v: {path: p, type: MOUNT, size: 1, profiles: [q]}}}
plans:
  deploy: {strategy: serial, phases: {a: {pod: hello, strategy: parallel-canary, steps: [0: [[server]], default: []]}}}
";
    let whole = request(text).files.remove("svc.yml").expect("the file");
    let mut texts: Vec<String> =
        (0..whole.len()).step_by(3).filter_map(|at| whole.get(..at)).map(str::to_owned).collect();
    for (at, _) in whole.char_indices().step_by(5) {
        for put in ["", "{", "[", ":", "- ", "'", "{{", "*a ", "&a ", "é\u{1f600}", "\n"] {
            let mut damaged = whole.clone();
            damaged.replace_range(at..=at, put);
            texts.push(damaged);
        }
    }
    for text in texts {
        let mut request = request("# env: COUNT=2");
        request.files.insert("svc.yml".into(), text.clone());
        let loaded = load(&request);
        for finding in &loaded.diagnostics {
            let spans = finding.labels.iter().map(|label| label.span).chain([finding.span]);
            for span in spans.chain(finding.fix.iter().map(|fix| fix.span)) {
                assert!(span.start <= span.end && span.end as usize <= text.len(), "{finding:?} in {text}");
            }
        }
        if let Some(partial) = &loaded.partial {
            let plans = crate::lower::plans(partial);
            let steps: usize =
                plans.iter().flat_map(|plan| &plan.phases).map(|phase| phase.steps.len()).sum();
            assert_eq!(crate::lower::step_count(partial), steps as u64, "{text}");
        }
    }
}

#[test]
fn a_definition_without_any_section_left_is_reported() {
    let sections = |count: u32| -> String {
        let pod = |n| format!("  {{{{#ON_{n}}}}}\n  p{n}: {{count: 1, tasks: {{}}}}\n  {{{{/ON_{n}}}}}\n");
        format!("name: hello\npods:\n{}", (0..count).map(pod).collect::<String>())
    };
    let words = ", whose variables have no value or are false";
    for (text, notes) in [
        (sections(0), vec![]),
        (sections(2), vec![format!("left out: the sections of ON_0, ON_1{words}")]),
        (sections(7), vec![format!("left out: the sections of ON_0, ON_1, ON_2, ON_3, ON_4, …{words}")]),
        (
            format!("# env: ON_0=false\n{}", sections(1)),
            vec![format!("left out: the sections of ON_0{words}")],
        ),
        (format!("# env: ON_0=true\n{}", sections(1)), vec![]),
    ] {
        let found = load(&request(&text)).diagnostics.into_sorted();
        let seen: Vec<String> =
            found.iter().flat_map(|one| one.notes.iter()).map(ToString::to_string).collect();
        assert!(found.iter().any(planarium_source::Diagnostic::is_error), "{text}");
        assert_eq!(seen, notes, "{text}");
    }
}

#[test]
fn common_real_world_files() {
    // text, findings
    let cases: &[(&str, &[&str])] = &[
        // Packaging placeholders are reported; those in comments are not.
        (
            "name: hello
pods:
  hello:
    count: 1
    # image: {{OLD_IMAGE}} @OLD@
    image: example/hello:@VERSION@
    uris: ['{{artifact-dir}}/x.zip']
    tasks:
      server: {goal: RUNNING, cmd: ./x, cpus: 1, memory: 32}
",
            &[
                "6:26 warning[SDK020] '@VERSION@' looks like a placeholder of a package build; it is used as it is",
                "7:13 warning[SDK018] '{{artifact-dir}}' is a placeholder of a package build; it is left empty",
            ],
        ),
        // Python's marks: once each, wherever they stand.
        (
            "# env: ZIP=%(artifact-dir)s/x.zip
name: hello
pods:
  hello:
    count: 1
    image: %(image)s
    uris: [%(artifact-dir)s/a.zip, '%(artifact-dir)s/b.zip', \"%(artifact-dir)s/c.zip\", {{ZIP}}]
    tasks:
      server: {goal: RUNNING, cmd: '%(cmd)s', cpus: 1, memory: 32}
",
            &[
                "5:12 warning[SDK020] '%(image)s' is a placeholder of a package build; its name is used as its value",
                "6:12 warning[SDK020] '%(artifact-dir)s' is a placeholder of a package build; its name is used as its value",
                "8:37 warning[SDK020] '%(cmd)s' is a placeholder of a package build; its name is used as its value",
            ],
        ),
        (
            "# env: ZIP=%(artifact-dir)s/x.zip
name: hello
pods:
  hello:
    count: 1
    uris:
    - {{ZIP}}
    tasks:
      server: {goal: RUNNING, cmd: x, cpus: 1, memory: 32}
",
            &[
                "6:7 warning[SDK020] '%(artifact-dir)s' in the value of 'ZIP' is a placeholder of a package build; its \
                 name is used as its value",
            ],
        ),
        // A volume of an external provider where the disks of machines stand.
        (
            "name: hello
pods:
  hello:
    count: 1
    tasks:
      a:
        goal: RUNNING
        cmd: x
        cpus: 1
        volumes:
          data: {type: DOCKER, container-path: data, driver-name: pxd, driver-options: 'size=1'}
          more: {driver-name: pxd, volume-name: more, container-path: more}
",
            &[
                "11:24 error[SDK122] The volume 'data' is one of an external provider, and 'volumes' takes disks of machines",
                "12:11 error[SDK122] The volume 'more' is one of an external provider, and 'volumes' takes disks of machines",
            ],
        ),
        // A key one level too deep, or with the level between left out.
        (
            "name: hello
pods:
  hello:
    count: 1
    tasks:
      a: {goal: RUNNING, cmd: x, cpus: 1}
      placement: '[[\"hostname\", \"UNIQUE\"]]'
      resource-sets: {s: {cpus: 1}}
  plans:
    deploy: {phases: {p: {pod: hello}}}
  web-url: http://x
",
            &[
                "7:7 error[SDK030] 'placement' is a field of the pod, but is written among its tasks",
                "8:7 error[SDK030] 'resource-sets' is a field of the pod, but is written among its tasks",
                "9:3 error[SDK030] 'plans' is a field of the service, but is written among its pods",
                "11:3 error[SDK030] 'web-url' is a field of the service, but is written among its pods",
            ],
        ),
        (
            "name: hello
pods:
  count: 1
  tasks:
    a: {goal: RUNNING, cmd: x, cpus: 1}
plans:
  strategy: serial
  phases: {p: {pod: hello}}
",
            &[
                "3:3 error[SDK030] 'count' is written directly under 'pods': the name of a pod is missing in between",
                "7:3 error[SDK030] 'strategy' is written directly under 'plans': the name of a plan is missing in between",
            ],
        ),
        (
            "name: hello
pods:
  hello:
    count: 1
    resource-sets:
      cpus: 1
      memory: 32
    tasks:
      goal: RUNNING
      cmd: x
      resource-set: s
plans:
  deploy:
    phases:
      strategy: parallel
      p: {pod: hello}
",
            &[
                "6:7 error[SDK030] 'cpus' is written directly under 'resource-sets': the name of a resource set is missing in \
                 between",
                "9:7 error[SDK030] 'goal' is written directly under 'tasks': the name of a task is missing in between",
                "15:7 error[SDK030] 'strategy' is a field of the plan, but is written among its phases",
            ],
        ),
        // A list item that a variable leaves empty is about the variable.
        (
            "name: hello
pods:
  hello:
    count: {{build-count}}
    uris:
    - {{URI}}
    tasks:
      server: {goal: RUNNING, cmd: ./x, cpus: 1, memory: 32}
",
            &[
                "4:12 error[SDK018] '{{build-count}}' is a placeholder of a package build; it is left empty, and the \
                 field needs a value",
                "6:7 error[SDK004] The template variable 'URI' has no value, and the field needs one",
            ],
        ),
        // One finding per occurrence.
        (
            "name: hello
pods:
  hello:
    count: 1
    tasks:
      a: {goal: FINISHED, cmd: ./x, cpus: 1, memory: 32}
      b: {goal: Finished, cmd: ./x, cpus: 1, memory: 32}
",
            &[
                "6:17 error[SDK080] Unsupported GoalState FINISHED in task a, expected one of: RUNNING, FINISH, ONCE",
                "7:17 error[SDK080] Unsupported GoalState FINISHED in task b, expected one of: RUNNING, FINISH, ONCE",
            ],
        ),
        // Broken syntax in two places, and errors elsewhere; nothing about the unreadable parts.
        (
            "name: hello
scheduler: {user: \"nobody}
pods:
  hello:
    count: many
    tasks:
      server:
        goal: RUN
        cmd: 'x
      other: {goal: RUNNING, cmd: ./x, cpus: -1, memory: 32}
plans:
  deploy:
    phases:
      one: {pod: hello, strategy: random, steps: [default: [[server]]]}
",
            &[
                "2:19 error[YAML001] The quoted text is never closed",
                "5:12 error[SDK033] 'count' must be a whole number, but is 'many'",
                "8:15 error[SDK080] Unsupported GoalState RUN in task server, expected one of: RUNNING, FINISH, ONCE",
                "9:14 error[YAML001] The quoted text is never closed",
                "10:46 error[SDK081] 'cpus' must be above zero, but is -1",
                "14:35 error[SDK141] Unsupported phase strategy 'random', expected one of: serial, parallel, canary, \
                 serial-canary, parallel-canary",
            ],
        ),
    ];
    for (text, want) in cases {
        assert_eq!(findings(&load(&request(text))), *want, "{text}");
    }
}

#[test]
fn the_target_configuration_names_secrets_limits_and_checks_like_the_real_one() {
    let text = EVERYTHING.replace("    seccomp-unconfined: false\n", "");
    let loaded = clean(&text);
    let (scheduler, _) = crate::Scheduler::start(&mut crate::Cx::new(1), &loaded, None).expect("starts");
    let (_, body) = scheduler.query(&crate::SdkQuery::Target, 0).expect("the target");
    let pod = &body["pod-specs"][0];
    let check = &pod["task-specs"][0]["health-check-spec"];
    for (value, want) in [
        (&pod["secrets"][0], json!({"secret": "a/b", "env-key": null, "file": "a/b"})),
        (&pod["secrets"][1], json!({"secret": "c", "env-key": "T", "file": null})),
        (&pod["rlimits"][1], json!({"name": "RLIMIT_CORE", "soft": null, "hard": null})),
        (&pod["seccomp-unconfined"], json!(false)),
        (&check["grace-period"], json!(30)),
        (&check["gracePeriod"], json!(30)),
    ] {
        assert_eq!(*value, want);
    }
}

#[test]
fn the_option_behind_a_variable_is_named() {
    let package = "# file: config.json
{\"properties\": {\"hello\": {\"type\": \"object\", \"properties\": {\"image\": {\"type\": \"string\"}}}}}
# file: marathon.json.mustache
{\"env\": { {{#hello.image}}\"IMAGE\": \"{{hello.image}}\", {{/hello.image}} \"X\": \"1\"}}
# file: svc.yml
name: hello
pods:
  hello:
    count: 1
    image: '{{IMAGE}}'
    tasks:
      server: {goal: RUNNING, cmd: ./x, cpus: 1, memory: 32}
";
    let loaded = load(&request(package));
    let helps: Vec<String> =
        loaded.diagnostics.into_sorted().into_iter().filter_map(|one| one.help).collect();
    assert_eq!(helps, ["set the option 'hello.image', or give the variable in the environment (IMAGE=…)"]);
    // A default missing in the package arrives as an empty text.
    let package = package
        .replace(
            "{{#hello.image}}\"IMAGE\": \"{{hello.image}}\", {{/hello.image}}",
            "\"IMAGE\": \"{{hello.image}}\", ",
        )
        .replace("count: 1", "count: {{COUNT}}")
        .replace("\"X\": \"1\"", "\"COUNT\": \"{{hello.count}}\"");
    let loaded = load(&request(&package));
    let findings: Vec<String> = findings(&loaded);
    assert_eq!(
        findings,
        [
            "1:21 warning[SDK004] The package has no value for 'hello.image'; it is left empty",
            "1:50 warning[SDK004] The package has no value for 'hello.count'; it is left empty",
            "4:12 error[SDK004] The template variable 'COUNT' is empty, and the field needs a value",
            "5:13 error[SDK004] The template variable 'IMAGE' is empty, and the field needs a value",
        ]
    );
    let helps: Vec<String> =
        loaded.diagnostics.into_sorted().into_iter().filter_map(|one| one.help).collect();
    assert_eq!(helps[2], "set the option 'hello.count', or give the variable a text (COUNT=…)");
}

#[test]
fn resources_of_the_target_configuration() {
    let loaded = clean(EVERYTHING);
    let (scheduler, _) = crate::Scheduler::start(&mut crate::Cx::new(1), &loaded, None).expect("starts");
    let (_, body) = scheduler.query(&crate::SdkQuery::Target, 0).expect("the target");
    let pod = &body["pod-specs"][0];
    let set = &pod["task-specs"][1]["resource-set"];
    let name = &body["name"];
    let owners = format!(
        "\"role\":\"slave_public/{}\",\"pre-reserved-role\":\"slave_public\",\"principal\":{}",
        body["role"].as_str().expect("a role"),
        body["principal"],
    );
    let scalar = |value: &str| {
        format!(
            "{{\"type\":\"SCALAR\",\"scalar\":{{\"value\":{value}}},\"ranges\":null,\"set\":null,\"text\":null}}"
        )
    };
    let resources = &set["resource-specifications"];
    let amount = resources[0]["value"]["scalar"]["value"].to_string();
    assert!(amount.contains('.'), "{name}: {amount}");
    assert_eq!(
        resources[0].to_string(),
        format!(
            "{{\"@type\":\"DefaultResourceSpec\",\"name\":{},\"value\":{},{owners}}}",
            resources[0]["name"],
            scalar(&amount)
        )
    );
    assert_eq!(
        resources[1].to_string(),
        format!(
            "{{\"@type\":\"NamedVIPSpec\",\"value\":{{\"type\":\"RANGES\",\"scalar\":null,\"ranges\":{{\"range\":[{{\"begin\":0,\"end\":0}}]}},\"set\":null,\"text\":null}},{owners},\"env-key\":\"PORT\",\"port-name\":\"http\",\"visibility\":\"EXTERNAL\",\"network-names\":[\"mesos-bridge\",\"dcos\"],\"protocol\":\"tcp\",\"vip-name\":\"http\",\"vip-port\":80,\"name\":\"ports\",\"ranges\":{}}}",
            resources[1]["ranges"]
        )
    );
    assert_eq!(
        pod["volumes"][0].to_string(),
        format!(
            "{{\"@type\":\"DefaultVolumeSpec\",\"type\":\"ROOT\",\"container-path\":\"shared\",\"profiles\":[],\"name\":\"disk\",\"value\":{},{owners}}}",
            scalar("10.0")
        )
    );
    assert_eq!(set["role"], resources[0]["role"]);
}

#[test]
fn preserved_but_ineffective_fields_are_shown() {
    let loaded = clean(EVERYTHING);
    let mut cx = crate::Cx::new(1);
    let (scheduler, _) = crate::Scheduler::start(&mut cx, &loaded, None).expect("starts");
    let (_, body) = scheduler.query(&crate::SdkQuery::Target, 0).expect("the target");
    let pod = &body["pod-specs"][0];
    let (server, once) = (&pod["task-specs"][0], &pod["task-specs"][1]);
    let port = &once["resource-set"]["resource-specifications"][1];
    // Field of `without_effect::FIELDS`, and its form in the target configuration.
    let shown = [
        ("web-url", &body["web-url"], "\"http://x\""),
        ("scheduler.zookeeper", &body["zookeeper"], "\"zk:2181\""),
        ("pods.*.networks", &pod["networks"][0]["network-name"], "\"mesos-bridge\""),
        ("pods.*.rlimits", &pod["rlimits"][0]["soft"], "1"),
        ("pods.*.uris", &pod["uris"][0], "\"https://a/b\""),
        ("pods.*.host-volumes", &pod["host-volumes"][0]["mode"], "\"RO\""),
        (
            "pods.*.external-volumes",
            &pod["external-volumes"][0]["driver-options"],
            "{\"a\":\"1\",\"b\":\"2\"}",
        ),
        ("pods.*.secrets", &pod["secrets"][1]["env-key"], "\"T\""),
        ("pods.*.share-pid-namespace", &pod["share-pid-namespace"], "true"),
        ("pods.*.seccomp-unconfined", &pod["seccomp-unconfined"], "false"),
        ("pods.*.seccomp-profile-name", &pod["seccomp-profile-name"], "\"strict\""),
        ("pods.*.ipc-mode", &pod["ipc-mode"], "\"PRIVATE\""),
        ("pods.*.shm-size", &pod["shm-size"], "64"),
        ("pods.*.tasks.*.configs", &server["config-files"][0]["relative-path"], "\"d.conf\""),
        (
            "pods.*.tasks.*.resource-limits",
            &server["resource-set"]["resource-limits"],
            "{\"cpus\":\"unlimited\",\"memory\":64.5}",
        ),
        ("pods.*.tasks.*.discovery", &server["discovery-spec"]["visibility"], "\"EXTERNAL\""),
        ("pods.*.tasks.*.transport-encryption", &server["transport-encryption"][0]["type"], "\"KEYSTORE\""),
        ("pods.*.tasks.*.ipc-mode", &server["ipc-mode"], "\"SHARE_PARENT\""),
        ("pods.*.tasks.*.shm-size", &once["shm-size"], "32"),
        ("pods.*.tasks.*.ports.*.vip", &port["vip-port"], "80"),
    ];
    let fields: Vec<&str> = shown.iter().map(|(field, ..)| *field).collect();
    let kept: Vec<&str> = crate::without_effect::FIELDS.iter().map(|(field, _)| *field).collect();
    assert_eq!(fields, kept, "every field without effect is looked at");
    for (field, value, want) in shown {
        assert_eq!(value.to_string(), want, "{field}");
    }
}
