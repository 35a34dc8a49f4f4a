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

#[test]
fn refused_texts_are_fixed_in_place() {
    let volume = r#""container": {"type": "MESOS", "volumes": [{"containerPath": "data", "mode": "RW", "persistent": {"size": 100}}]}"#;
    let resident = |more: &str| format!("{{\"id\": \"/db\", \"cmd\": \"./db\",\n{volume},\n{more}}}");
    let constraint = |written: &str| {
        format!(r#"{{"id": "/web", "cmd": "./x", "constraints": [["zone", "UNIQUE"], {written}]}}"#)
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
        (constraint(r#"["hostname", "UNIQE"]"#), None),
        (constraint(r#"["hostname", "UNIQUE", "1"]"#), None),
        (constraint(r#"["hostname", "GROUP_BY", "two"]"#), None),
        (constraint(r#"["hostname", "MAX_PER", "two"]"#), None),
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
        assert_eq!(findings(&read(&mended)), Vec::<String>::new(), "{} makes {mended}", fix.title);
    }
}
