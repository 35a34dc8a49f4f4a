use super::*;
use crate::programs::Program;
use crate::tests::{request, spec};

const BASE: &str = "\
name: hello
scheduler: {user: nobody}
pods:
  hello:
    count: 2
    tasks:
      server:
        goal: RUNNING
        cmd: sleep 1000
        cpus: 0.5
        memory: 32
        volume: {path: data, type: ROOT, size: 10}
  world:
    count: 1
    allow-decommission: true
    tasks:
      server: {goal: RUNNING, cmd: sleep 1000, cpus: 0.5, memory: 32}
";

#[test]
fn permitted_changes() {
    // replaced, by, part of the error or nothing
    let cases = [
        ("count: 2", "count: 3", ""),
        ("cpus: 0.5", "cpus: 1", ""),
        (
            "count: 2",
            "count: 0",
            "Field: 'PodSpec[name:hello]'; Transition: '2' => '0'; Message: 'PodSpec named 'hello' has 0 tasks, \
             expected >=2 tasks'; Fatal: false",
        ),
        ("count: 1", "count: 0", ""),
        ("  hello:\n    count", "  hallo:\n    count", "'PodSpec[name:hello]'; Transition: '2' => 'null'"),
        ("user: nobody", "user: root", "Field: 'user'; Transition: 'nobody' => 'root'"),
        ("user: nobody", "user: root", "Fatal: true"),
        ("size: 10", "size: 20", "Volumes must be equal"),
        ("type: ROOT", "type: MOUNT", "TaskVolumes[taskname:server]"),
        ("    count: 2", "    count: 2\n    networks: {dcos: }", "cannot be exchanged"),
        ("    count: 2", "    count: 2\n    networks: {mesos-bridge: }", ""),
        (
            "    count: 2",
            "    count: 2\n    pre-reserved-role: slave_public",
            "Field: 'PodSpec[pre-reserved-role:*]'",
        ),
        ("    count: 2", "    count: 2\n    placement: hostname:UNIQUE", ""),
        (
            "cpus: 0.5",
            "transport-encryption: [{name: a, type: TLS}]\n        cpus: 0.5",
            "Field: 'transport-encryption'; Value: ''",
        ),
        (
            "pods:",
            "# env: SERVICE_REGION=far\npods:",
            "Field: 'region'; Transition: 'Optional.empty' => 'Optional[far]'",
        ),
        ("pods:", "# env: MESOS_ALLOCATION_ROLE=team\npods:", "Fatal: true"),
    ];
    let base = spec(BASE);
    assert_eq!(
        validate(&Facts {
            previous: None,
            candidate: &base,
            deployed_before: false,
            service_account: false,
            program: &Program::HelloWorld
        }),
        []
    );
    for (from, to, words) in cases {
        let candidate = spec(&BASE.replacen(from, to, 1));
        let facts = Facts {
            previous: Some(&base),
            candidate: &candidate,
            deployed_before: false,
            service_account: false,
            program: &Program::HelloWorld,
        };
        let texts: Vec<String> = validate(&facts).iter().map(ToString::to_string).collect();
        if words.is_empty() {
            assert_eq!(texts, Vec::<String>::new(), "{to}");
        } else {
            assert!(texts.iter().any(|text| text.contains(words)), "{to}: {texts:#?}");
        }
    }
}

#[test]
fn facts_of_the_installation_are_used() {
    let base = spec(BASE);
    let role = spec(&format!("# env: MESOS_ALLOCATION_ROLE=team\n{}", BASE.replace("size: 10", "size: 20")));
    let facts = |deployed_before| Facts {
        previous: Some(&base),
        candidate: &role,
        deployed_before,
        service_account: true,
        program: &Program::HelloWorld,
    };
    assert!(validate(&facts(false)).iter().any(|error| error.field == "role" && error.fatal));
    // With another role everything is reserved again, including volumes.
    assert_eq!(validate(&facts(true)), []);
    let tls = spec(&BASE.replacen(
        "cpus: 0.5",
        "transport-encryption: [{name: a, type: TLS}]\n        cpus: 0.5",
        1,
    ));
    let with = Facts {
        previous: None,
        candidate: &tls,
        deployed_before: false,
        service_account: true,
        program: &Program::HelloWorld,
    };
    assert_eq!(validate(&with), []);
}

#[test]
fn reader_errors_are_also_reported_here() {
    let long = format!("name: {}", "x".repeat(64));
    for (from, to, check, readable) in [
        ("name: hello", "name: a__b", "Field: 'ServiceName'; Value: 'a__b'", false),
        ("name: hello", long.as_str(), "63 characters", false),
        ("    count: 2", "    count: 2\n    placement: nothing", "Field: 'PlacementRule'", true),
        (
            "memory: 32",
            "resource-limits: {memory: '16'}\n        memory: 32",
            "Message: 'The mem resource-limits for task 'server', 16, is less than the requested amount, 32'",
            true,
        ),
    ] {
        let loaded = crate::load(&request(&BASE.replacen(from, to, 1)));
        assert!(loaded.spec.is_some() == readable && !loaded.is_clean(), "{to}");
        let partial = loaded.partial.expect("a partial spec");
        let facts = Facts {
            previous: None,
            candidate: &partial,
            deployed_before: false,
            service_account: false,
            program: &Program::HelloWorld,
        };
        let texts: Vec<String> = validate(&facts).iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(check)), "{to}: {texts:#?}");
    }
}

/// The fenced blocks of a page with this info string.
fn blocks<'p>(page: &'p str, info: &str) -> Vec<&'p str> {
    let fence = format!("```{info}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

/// Returns the refusals of a documentation page's definition, `in force` being the one before.
fn refusals(text: &str, in_force: Option<&str>) -> Vec<ConfigError> {
    let read = |text: &str| crate::load(&request(text));
    let before = in_force.map(|text| read(text).partial.expect("a definition"));
    let loaded = read(text);
    validate(&Facts {
        previous: before.as_deref(),
        candidate: loaded.partial.as_deref().expect("a definition"),
        deployed_before: text.contains("# fact: deployed before"),
        service_account: account::is_given(&loaded.env),
        program: &loaded.program,
    })
}

#[test]
fn every_check_has_a_page_whose_examples_hold() {
    let mut wrong = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/diagnostics");
    for Validator { code, name, title, .. } in VALIDATORS {
        let page = std::fs::read_to_string(format!("{folder}/{code}.md"))
            .unwrap_or_else(|_| panic!("{name} ({code}) has no page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: heading");
        assert!(page.contains(name) && page.contains("\n## How to fix it\n"), "{code}: name and help");
        let in_force = blocks(&page, "yaml before").first().copied();
        let (bad, texts) = (blocks(&page, "yaml bad"), blocks(&page, "text"));
        let good = blocks(&page, "yaml good");
        assert!(bad.len() == texts.len() && !bad.is_empty() && !good.is_empty(), "{code}: examples");
        for (bad, texts) in bad.iter().zip(texts) {
            let errors = refusals(bad, in_force);
            let got: Vec<String> = errors.iter().map(ToString::to_string).collect();
            if got != texts.lines().collect::<Vec<_>>() || errors.iter().any(|error| error.code != *code) {
                wrong.push(format!("{code} bad: {got:#?}"));
            }
        }
        for good in good {
            let errors = refusals(good, in_force);
            let read = crate::load(&request(good)).is_clean();
            if !errors.is_empty() || !read {
                wrong.push(format!("{code} good: {errors:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_finding_points_at_its_field() {
    let base = crate::load(&request(BASE)).spec.expect("a spec");
    let changed = BASE.replacen("size: 10", "size: 20", 1).replacen("count: 2", "count: 1", 1);
    let loaded = crate::load(&request(&changed));
    let facts = Facts {
        previous: Some(&base),
        candidate: loaded.spec.as_deref().expect("a spec"),
        deployed_before: false,
        service_account: true,
        program: &Program::HelloWorld,
    };
    let found: Vec<String> = validate(&facts)
        .iter()
        .map(|error| finding(error, &loaded.sources, true))
        .map(|finding| {
            let at = loaded.sources.position(finding.span);
            assert!(finding.is_error() && finding.help.is_some() && !finding.notes.is_empty(), "{finding:?}");
            format!("{}:{} {}", at.line, at.column, finding.code)
        })
        .collect();
    assert_eq!(found, ["4:3 SDK202", "7:7 SDK211"]);
}
