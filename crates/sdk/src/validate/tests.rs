use super::*;
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
fn what_may_change() {
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
        ("  hello:\n    count", "  hallo:\n    count", "'PodSpec[name:hello]'; Transition: '2' => '0'"),
        ("user: nobody", "user: root", "Field: 'user'; Transition: 'nobody' => 'root'"),
        ("user: nobody", "user: root", "Fatal: true"),
        ("size: 10", "size: 20", "Volumes must be equal"),
        ("type: ROOT", "type: MOUNT", "TaskVolumes[taskname:server]"),
        ("    count: 2", "    count: 2\n    networks: {dcos: }", "cannot be exchanged"),
        ("    count: 2", "    count: 2\n    networks: {mesos-bridge: }", ""),
        ("    count: 2", "    count: 2\n    pre-reserved-role: slave_public", "Pre-reserved"),
        ("    count: 2", "    count: 2\n    placement: hostname:UNIQUE", ""),
        ("cpus: 0.5", "transport-encryption: [{name: a, type: TLS}]\n        cpus: 0.5", "service account"),
        ("pods:", "# env: SERVICE_REGION=far\npods:", "Field: 'region'; Transition: 'null' => 'far'"),
        ("pods:", "# env: MESOS_ALLOCATION_ROLE=team\npods:", "Fatal: true"),
    ];
    let base = spec(BASE);
    assert_eq!(
        validate(&Facts { previous: None, candidate: &base, deployed_before: false, service_account: false }),
        []
    );
    for (from, to, words) in cases {
        let candidate = spec(&BASE.replacen(from, to, 1));
        let facts = Facts {
            previous: Some(&base),
            candidate: &candidate,
            deployed_before: false,
            service_account: false,
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
fn facts_of_the_installation_matter() {
    let base = spec(BASE);
    let role = spec(&format!("# env: MESOS_ALLOCATION_ROLE=team\n{}", BASE.replace("size: 10", "size: 20")));
    let facts = |deployed_before| Facts {
        previous: Some(&base),
        candidate: &role,
        deployed_before,
        service_account: true,
    };
    assert!(validate(&facts(false)).iter().any(|error| error.field == "role" && error.fatal));
    // With another role everything is reserved anew, volumes included.
    assert_eq!(validate(&facts(true)), []);
    let tls = spec(&BASE.replacen(
        "cpus: 0.5",
        "transport-encryption: [{name: a, type: TLS}]\n        cpus: 0.5",
        1,
    ));
    let with = Facts { previous: None, candidate: &tls, deployed_before: false, service_account: true };
    assert_eq!(validate(&with), []);
}

#[test]
fn what_the_reader_refuses_already_is_refused_here_too() {
    let long = format!("name: {}", "x".repeat(64));
    for (from, to, check) in [
        ("name: hello", "name: a__b", "double underscores"),
        ("name: hello", long.as_str(), "63 characters"),
        ("    count: 2", "    count: 2\n    placement: nothing", "Invalid placement rule"),
        (
            "cpus: 0.5",
            "resource-limits: {cpus: '0.1'}\n        cpus: 0.5",
            "is less than the requested amount, 0.5",
        ),
    ] {
        let loaded = crate::load(&request(&BASE.replacen(from, to, 1)));
        assert!(loaded.spec.is_none(), "{to}");
        let partial = loaded.partial.expect("a partial spec");
        let facts =
            Facts { previous: None, candidate: &partial, deployed_before: false, service_account: false };
        let texts: Vec<String> = validate(&facts).iter().map(ToString::to_string).collect();
        assert!(texts.iter().any(|text| text.contains(check)), "{to}: {texts:#?}");
    }
}
