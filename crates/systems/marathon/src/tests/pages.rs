//! Every code has a page, and the examples on it behave as the page says.

use crate::codes::{self, CODES};
use crate::decode::{Loaded, load, try_out};
use crate::definition::update_flaws;
use crate::settings::Settings;
use planarium_part::Definition;
use planarium_protocol::input::LoadService;

/// The fenced blocks of a page whose info string is `yaml WORD`.
fn blocks<'p>(page: &'p str, word: &str) -> Vec<&'p str> {
    let fence = format!("```yaml {word}\n");
    page.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

/// Reads a request from a text: lines `# env: KEY=VALUE` say what Marathon is started with, `# file: PATH` begins a further file, `# then:`
/// the definition that takes its place. What comes first is `app.json`.
fn requests(text: &str) -> Vec<LoadService> {
    let mut all = vec![LoadService { dialect: "marathon".into(), ..LoadService::default() }];
    let mut path = "app.json".to_owned();
    for line in text.lines() {
        let request = all.last_mut().expect("the first");
        if let Some(pair) = line.strip_prefix("# env: ") {
            let (key, value) = pair.split_once('=').expect("KEY=VALUE");
            request.env.insert(key.into(), value.into());
        } else if let Some(next) = line.strip_prefix("# file: ") {
            next.trim().clone_into(&mut path);
        } else if line.starts_with("# then:") {
            let next = LoadService { files: std::collections::BTreeMap::new(), ..request.clone() };
            all.push(next);
        } else {
            let file = request.files.entry(path.clone()).or_default();
            file.push_str(line);
            file.push('\n');
        }
    }
    all
}

/// Findings as `line severity[CODE] message`, in order.
fn findings(loaded: &Loaded) -> Vec<String> {
    let sorted = loaded.diagnostics();
    let shown = sorted.iter().map(|finding| {
        let at = loaded.sources().position(finding.span);
        format!("{} {}[{}] {}", at.line, finding.severity, finding.code, finding.message)
    });
    shown.collect()
}

/// Returns the findings in an example; in a replacement, those about the change as well.
fn shown(text: &str) -> Vec<String> {
    let loaded: Vec<Loaded> = requests(text).iter().map(load).collect();
    let mut found: Vec<String> = loaded.iter().flat_map(findings).collect();
    for pair in loaded.windows(2) {
        let specs: Vec<_> = pair
            .iter()
            .filter_map(|one| Some(try_out(one.body()?, &Settings::of(one.env())).ok()?.specs))
            .flatten()
            .collect();
        let [from, to] = specs.as_slice() else { panic!("two definitions of one app each: {found:?}") };
        for flaw in update_flaws(from, to, "") {
            found.push(format!("error[{}] {}: {}", codes::of_violation(&flaw), flaw.path, flaw.message));
        }
    }
    found
}

#[test]
fn the_examples_of_every_page_show_their_finding() {
    let mut wrong = Vec::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/diagnostics");
    for (code, title) in CODES {
        let page = std::fs::read_to_string(format!("{folder}/{code}.md"))
            .unwrap_or_else(|_| panic!("{code} has no page"));
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "{code}: heading");
        let (bad, good) = (blocks(&page, "bad"), blocks(&page, "good"));
        assert!(!bad.is_empty() && !good.is_empty(), "{code}: examples");
        let tag = format!("[{code}]");
        for text in bad {
            let found = shown(text);
            if found.is_empty() || !found.iter().all(|line| line.contains(&tag)) {
                wrong.push(format!("{code} bad: {found:#?}"));
            }
        }
        for text in good {
            let found = shown(text);
            if !found.is_empty() {
                wrong.push(format!("{code} good: {found:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn schema_errors_and_violated_rules_are_reported_in_one_round() {
    let codes = |text: &str| -> Vec<String> {
        let found = shown(text);
        let code = |line: &String| line.split(['[', ']']).nth(1).unwrap_or_default().to_owned();
        found.iter().map(code).collect()
    };
    let app = r#"{"id": "/web", "cmd": "./x",
"cpus": "many",
"constraints": [["hostname", "UNIQE"]],
"healthChecks": [{"protocol": "HTTP", "portIndex": 7}],
"upgradeStrategy": {"minimumHealthCapacity": 2, "maximumOverCapacity": 1}}"#;
    assert_eq!(codes(app), ["MAR011", "MAR050", "MAR060", "MAR013"]);
    let group = r#"{"id": "/g", "apps": [
{"id": "a", "cmd": "./x", "instances": "two"},
{"id": "b", "cmd": "./x", "constraints": [["hostname", "LIKE", "("]]}]}"#;
    assert_eq!(codes(group), ["MAR011", "MAR050"]);
    // Findings that only follow from a removed field are not reported.
    assert_eq!(codes(r#"{"id": "/web", "cmd": 7}"#), ["MAR011"]);
    let ports =
        r#"{"id": "/web", "cmd": "./x", "portDefinitions": "none", "healthChecks": [{"portIndex": 1}]}"#;
    assert_eq!(codes(ports), ["MAR011"]);
}

#[test]
fn a_malformed_field_a_bad_constraint_and_a_bad_port_are_three_findings() {
    let shapes = [
        r#""cpus": "many""#,
        r#""instances": 1.5"#,
        r#""env": []"#,
        r#""dependencies": "db""#,
        r#""upgradeStrategy": {"minimumHealthCapacity": 2, "maximumOverCapacity": 1}"#,
    ];
    let constraints = [
        r#"["hostname", "UNIQE"]"#,
        r#"["hostname", "UNIQUE", "1"]"#,
        r#"["rack", "GROUP_BY", "two"]"#,
        r#"["rack", "LIKE", "("]"#,
        r#"["rack"]"#,
    ];
    let ports = [
        (r#""portDefinitions": [{"port": 70000}]"#, "MAR013"),
        (r#""portDefinitions": [{"port": "http"}]"#, "MAR011"),
        (r#""portDefinitions": [{"port": 8080}, {"port": 8080}]"#, "MAR040"),
        (r#""portDefinitions": [{"port": 0, "name": "a"}, {"port": 0, "name": "a"}]"#, "MAR040"),
        (r#""healthChecks": [{"protocol": "HTTP", "portIndex": 3}]"#, "MAR060"),
        (r#""ports": [8080], "portDefinitions": [{"port": 8081}]"#, "MAR031"),
        (r#""healthChecks": [{"protocol": "MESOS_HTTP"}, {"protocol": "MESOS_TCP"}]"#, "MAR060"),
    ];
    for shape in shapes {
        for constraint in constraints {
            for (port, code) in ports {
                let app = format!(
                    r#"{{"id": "/web", "cmd": "./x",
{shape},
"constraints": [{constraint}],
{port}}}"#
                );
                let found = shown(&app);
                let has = |code: &str| found.iter().any(|line| line.contains(&format!("[{code}]")));
                assert!(has("MAR011") || has("MAR013"), "shape: {app}\n{found:#?}");
                assert!(has("MAR050"), "constraint: {app}\n{found:#?}");
                assert!(has(code), "port: {app}\n{found:#?}");
                assert_eq!(found.len(), 3, "{app}\n{found:#?}");
            }
        }
    }
}

/// An app with a volume in a group that is not in the text, with a comment at its id.
const RESIDENT_YAML: &str = "# the database
id: /prod/db   # keeps its data
cmd: ./db
container:
  type: MESOS
  volumes:
    - {containerPath: data, mode: RW, persistent: {size: 100}}
";

/// A group with an app with a volume.
const RESIDENT_GROUP_YAML: &str = "id: /shop
apps:
  - id: web
    cmd: ./web
  - id: db
    cmd: ./db
    container:
      type: MESOS
      volumes:
        - {containerPath: data, mode: RW, persistent: {size: 100}}
";

#[test]
fn a_fix_of_a_role_is_not_offered_where_the_text_would_still_be_refused() {
    // The role of an app right below the root of a group's body is Marathon's own.
    let text = format!(
        r#"{{"id": "/", "apps": [{{"id": "db", "cmd": "./db", "container": {{"type": "MESOS", "volumes": [{}]}}}}]}}"#,
        r#"{"containerPath": "data", "mode": "RW", "persistent": {"size": 100}}"#
    );
    let loaded = load(&requests(&text).remove(0));
    let found = loaded.diagnostics();
    assert!(
        !found.is_empty() && found.iter().all(|finding| finding.code == codes::RESIDENT_ROLE),
        "{found:?}"
    );
    assert!(found.iter().all(|finding| finding.fix.is_none()), "{found:?}");
}

#[test]
fn pages_of_roles_and_constraints_show_texts_that_can_be_fixed() {
    // What keeps volumes cannot be changed by any text (MAR074), except for its role.
    for code in [codes::CONSTRAINT, codes::UPGRADE_STRATEGY, codes::RESIDENT_ROLE, codes::ROLE] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/diagnostics");
        let page = std::fs::read_to_string(format!("{folder}/{code}.md")).expect("a page");
        for text in blocks(&page, "bad") {
            let found = load(&requests(text).remove(0)).diagnostics();
            assert!(found.iter().any(|finding| finding.fix.is_some()), "{code}: {found:?}");
        }
    }
}

#[test]
fn the_role_of_what_keeps_volumes_is_written_back() {
    let text = resident_with(r#""role": "db""#).replace("/db", "/db/db");
    let loaded = load(&requests(&text).remove(0));
    assert!(loaded.is_usable(), "{:?}", findings(&loaded));
    let message = "It is not possible to change the role for existing reservations. If you proceed with this change, all existing \
         instances will continue to run under the previous role, data. Only new instances will be allocated with the new role, db.";
    let refused = crate::definition::Refused::rule("/role", message);
    let found = loaded.findings_of(&refused);
    let fix = found.first().and_then(|finding| finding.fix.clone()).expect("a fix");
    assert_eq!(fix.replacement, "\"data\"");
}

/// An app with a volume, and further fields.
fn resident_with(more: &str) -> String {
    let volume = r#"{"containerPath": "data", "mode": "RW", "persistent": {"size": 100}}"#;
    format!(
        r#"{{"id": "/db", "cmd": "./db",
"container": {{"type": "MESOS", "volumes": [{volume}]}},
{more}}}"#
    )
}

#[test]
fn refused_texts_are_fixed_in_place() {
    let resident = resident_with;
    let single = |more: &str| {
        format!(
            r#"{{"id": "/web", "cmd": "./x", "labels": {{"MARATHON_SINGLE_INSTANCE_APP": "true"}}, {more}}}"#
        )
    };
    let constraint = |written: &str| {
        format!(r#"{{"id": "/web", "cmd": "./x", "constraints": [["zone", "UNIQUE"], {written}]}}"#)
    };
    let pod = |more: &str| {
        format!(
            r#"{{"id": "/prod/db", "containers": [{{"name": "db", "resources": {{"cpus": 0.1, "mem": 32}},
"volumeMounts": [{{"name": "data", "mountPath": "data"}}]}}],
{more}}}"#
        )
    };
    let of_pod = |constraint: &str| {
        pod(&format!(
            r#""volumes": [{{"name": "data"}}], "scheduling": {{"placement": {{"constraints": [{constraint}]}}}}"#
        ))
    };
    for (text, role) in [
        (r#"{"id": "/web", "cmd": "./x", "role": "dev"}"#.to_owned(), None),
        (
            resident(r#""unreachableStrategy": {"inactiveAfterSeconds": 10, "expungeAfterSeconds": 20}"#),
            Some("db"),
        ),
        (
            resident(r#""upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0.5}"#),
            Some("db"),
        ),
        (r#"{"id": "/web", "cmd": "./x", "acceptedResourceRoles": ["dev", "*"]}"#.to_owned(), None),
        (r#"{"id": "/web", "cmd": "./x", "acceptedResourceRoles": ["dev"]}"#.to_owned(), None),
        (r#"{"id": "/dev", "apps": [{"id": "web", "cmd": "./x", "role": "dve"}]}"#.to_owned(), None),
        (
            single(
                r#""instances": 3, "upgradeStrategy": {"minimumHealthCapacity": 0, "maximumOverCapacity": 0}"#,
            ),
            None,
        ),
        (single(r#""upgradeStrategy": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 0}"#), None),
        (constraint(r#"["hostname", "UNIQE"]"#), None),
        (constraint(r#"["hostname", "UNIQUE", "1"]"#), None),
        (constraint(r#"["hostname", "GROUP_BY", "two"]"#), None),
        (constraint(r#"["hostname", "MAX_PER", "two"]"#), None),
        // What keeps volumes: a role of its own, a group that enforces its role, a group of its own.
        (resident(r#""instances": 1"#).replace("/db", "/prod/db"), None),
        (resident(r#""role": "*""#).replace("/db", "/prod/db"), None),
        (resident(r#""instances": 1"#), None),
        (resident(r#""role": "*""#), None),
        (resident(r#""role": "data""#), None),
        (format!("[{},\n {{\"id\": \"/web\", \"cmd\": \"./x\"}}]", resident(r#""instances": 1"#)), None),
        (
            format!(
                "{{\"id\": \"/shop\", \"apps\": [{}]}}",
                resident(r#""instances": 1"#).replace("/db", "db")
            ),
            None,
        ),
        (
            format!(
                "{{\"id\": \"/\", \"groups\": [{{\"id\": \"shop\", \"groups\": [{{\"id\": \"eu\", \"apps\": [{}]}}]}}]}}",
                resident(r#""instances": 1"#).replace("/db", "db")
            ),
            None,
        ),
        // A group whose app takes roles that it may not have.
        (
            r#"{"id": "/dev", "apps": [{"id": "web", "cmd": "./x", "acceptedResourceRoles": ["dve", "*"]}]}"#
                .to_owned(),
            None,
        ),
        (RESIDENT_YAML.to_owned(), None),
        (RESIDENT_GROUP_YAML.to_owned(), None),
        (pod(r#""volumes": [{"name": "data", "persistent": {"size": 100}}]"#), None),
        (
            pod(r#""volumes": [{"name": "data", "persistent": {"size": 100}}], "role": "prod",
"scheduling": {"unreachableStrategy": {"inactiveAfterSeconds": 10, "expungeAfterSeconds": 20}}"#),
            None,
        ),
        (
            pod(r#""volumes": [{"name": "data", "persistent": {"size": 100}}], "role": "prod",
"scheduling": {"upgrade": {"minimumHealthCapacity": 0.5, "maximumOverCapacity": 1}}"#),
            None,
        ),
        (of_pod(r#"{"fieldName": "hostname", "operator": "UNIQE"}"#), None),
        (of_pod(r#"{"fieldName": "hostname", "operator": "UNIQUE", "value": "1"}"#), None),
        (of_pod(r#"{"fieldName": "hostname", "operator": "GROUP_BY", "value": "two"}"#), None),
        (of_pod(r#"{"fieldName": "hostname", "operator": "MAX_PER", "value": "two"}"#), None),
    ] {
        let read = |text: &str| {
            let mut request = requests(text).remove(0);
            if let Some(role) = role {
                request.env.insert("MARATHON_MESOS_ROLE".into(), role.to_owned());
            }
            load(&request)
        };
        let loaded = read(&text);
        let sorted = loaded.diagnostics();
        let fix = sorted.iter().find_map(|finding| finding.fix.clone());
        let fix = fix.unwrap_or_else(|| panic!("no mend: {text}\n{:#?}", findings(&loaded)));
        let (from, to) =
            (usize::try_from(fix.span.start).expect("small"), usize::try_from(fix.span.end).expect("small"));
        let mut mended = text.clone();
        mended.replace_range(from..to, &fix.replacement);
        let after = read(&mended);
        assert_eq!(findings(&after), Vec::<String>::new(), "{} makes {mended}", fix.title);
        assert!(after.is_usable(), "{mended}");
    }
}
