//! Packages: from options to the environment.

use super::support::{clean, findings, request};
use crate::load;

const PACKAGE: &str = r#"
# file: universe/config.json
{
  "type": "object",
  "properties": {
    "service": {
      "type": "object",
      "properties": {
        "name": {"type": "string", "default": "hello-world"},
        "account": {"type": "string", "default": ""},
        "flag": {"type": "boolean", "default": true},
        "list": {"type": "array", "default": [["hostname"]]}
      }
    },
    "hello": {
      "type": "object",
      "properties": {
        "count": {"type": "integer", "default": 1, "minimum": 1},
        "cpus": {"type": "number", "default": 0.1},
        "grace": {"type": "integer", "default": 0},
        "place": {"type": "string", "default": "[[\"hostname\", \"UNIQUE\"]]"},
        "volume": {"type": "string", "default": ""}
      }
    }
  }
}
# file: universe/package.json
{"name": "hello-world", "version": "{{package-version}}"}
# file: universe/resource.json
{"assets": {"uris": {"zip": "https://example.com/x.zip"}}}
# file: universe/marathon.json.mustache
{
  "id": "{{service.name}}",
  "constraints": {{service.list}},
  "env": {
    "FRAMEWORK_NAME": "{{service.name}}",
    "PACKAGE": "{{package-name}} {{package-version}}",
    "HELLO_COUNT": "{{hello.count}}",
    "HELLO_CPUS": "{{hello.cpus}}",
    "HELLO_PLACEMENT": "{{{hello.place}}}",
    {{#hello.grace}}
    "HELLO_GRACE": "{{hello.grace}}",
    {{/hello.grace}}
    {{#hello.volume}}
    "HELLO_VOLUME: "{{hello.volume}}",
    {{/hello.volume}}
    {{#service.account}}
    "ACCOUNT": "{{service.account}}",
    {{/service.account}}
    {{#service.flag}}
    "FLAG": "{{service.flag}}",
    {{/service.flag}}
    "NUMBER": 5,
    "SECRET": {"secret": "a"},
    "ZIP": "{{resource.assets.uris.zip}}"
  }
}
# file: dist/svc.yml
name: {{FRAMEWORK_NAME}}
pods:
  hello:
    count: {{HELLO_COUNT}}
    placement: '{{{HELLO_PLACEMENT}}}'
    uris: ['{{ZIP}}']
    tasks:
      server: {goal: RUNNING, cmd: x, cpus: {{HELLO_CPUS}}}
"#;

#[test]
fn defaults_options_and_overrides() {
    let env = |head: &str| {
        let loaded = clean(&format!("{head}{PACKAGE}"));
        let shown: Vec<String> = loaded.env.iter().map(|(key, value)| format!("{key}={value}")).collect();
        (loaded, shown.join("\n"))
    };
    let (loaded, shown) = env("");
    assert_eq!(
        shown,
        "FLAG=true\nFRAMEWORK_NAME=hello-world\nHELLO_COUNT=1\nHELLO_CPUS=0.1\nHELLO_GRACE=0\n\
         HELLO_PLACEMENT=[[\"hostname\", \"UNIQUE\"]]\nNUMBER=5\nPACKAGE=hello-world stub-universe\n\
         PORT0=15000\nPORT_API=15000\nSTATSD_UDP_HOST=198.51.100.1\nSTATSD_UDP_PORT=61825\n\
         ZIP=https://example.com/x.zip"
    );
    assert_eq!(&*loaded.name, "hello-world");
    assert_eq!(loaded.definition.as_deref(), Some("dist/svc.yml"));
    let (loaded, shown) = env(
        "# options: {\"service\": {\"name\": \"other\", \"flag\": false, \"account\": \"a\\\"b\"}, \"hello\": {\"count\": 3}}\n\
         # env: ZIP=z\n# name: third\n",
    );
    for line in ["ACCOUNT=a\"b", "FRAMEWORK_NAME=other", "HELLO_COUNT=3", "ZIP=z"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("FLAG="), "{shown}");
    assert_eq!((&*loaded.name, loaded.spec.expect("a spec").pods[0].count), ("third", 3));
    let (loaded, shown) = env("# name: third\n");
    assert!(shown.contains("FRAMEWORK_NAME=third"), "{shown}");
    assert_eq!(&*loaded.name, "third");
}

#[test]
fn options_are_checked_at_their_position() {
    let cases = [
        (r#"{"hello": {"cuont": 2}}"#, vec!["3:5 error[SDK010] The package has no option 'hello.cuont'"]),
        (
            r#"{"hello": {"count": 0}, "x": 1}"#,
            vec![
                "3:14 error[SDK013] The option 'hello.count' is 0, it must be at least 1",
                "5:3 error[SDK010] The package has no option 'x'",
            ],
        ),
        (r#"{"hello": []}"#, vec!["2:12 error[SDK011] The option 'hello' is a list, it must be an object"]),
        (
            r#"{"service": {"flag": "true"}}"#,
            vec!["3:13 error[SDK011] The option 'service.flag' is a text, it must be true or false"],
        ),
    ];
    for (options, want) in cases {
        let loaded = load(&request(&format!("# options: {options}\n{PACKAGE}")));
        let shown: Vec<String> =
            findings(&loaded).into_iter().filter(|line| line.contains("option '")).collect();
        assert_eq!(shown, want, "{options}");
        assert!(loaded.spec.is_none(), "{options}");
    }
}

#[test]
fn an_app_with_invalid_json_is_shown_at_the_fault() {
    let loaded = load(&request(&format!("# options: {{\"hello\": {{\"volume\": \"v\"}}}}\n{PACKAGE}")));
    let broken = loaded.diagnostics.iter().find(|finding| finding.code == "SDK016").expect("the finding");
    let at = loaded.sources.position(broken.span);
    assert_eq!(at.line, 14);
    assert!(broken.notes[0].contains("\"HELLO_VOLUME: \"v\","), "{:?}", broken.notes);
}

#[test]
fn an_option_of_the_wrong_type_is_one_finding() {
    let changed = PACKAGE.replace(
        "\"flag\": {\"type\": \"boolean\", \"default\": true},",
        "\"flag\": {\"type\": \"boolean\", \"default\": true}, \"free\": {\"default\": \"\"},",
    );
    let changed = changed.replace("\"NUMBER\": 5,", "\"NUMBER\": 5,\n    \"FREE\": \"{{service.free}}\",");
    let cases = [
        (
            r#"{"service": {"name": {"a": 1}}}"#,
            "3:13 error[SDK011] The option 'service.name' is an object, it must be a text",
        ),
        (
            r#"{"hello": {"count": {"a": 1}}}"#,
            "3:14 error[SDK011] The option 'hello.count' is an object, it must be a whole number",
        ),
        (
            r#"{"service": {"free": {"a": 1}}}"#,
            "3:13 error[SDK011] The option 'service.free' is an object, and the package's template takes it for a text",
        ),
        (
            r#"{"service": {"free": ["a"]}}"#,
            "3:13 error[SDK011] The option 'service.free' is a list, and the package's template takes it for a text",
        ),
    ];
    for (options, want) in cases {
        let loaded = load(&request(&format!("# options: {options}\n{changed}")));
        assert_eq!(findings(&loaded), [want], "{options}");
    }
    // A default of the package is reported at its own position.
    let own = changed.replace("\"free\": {\"default\": \"\"}", "\"free\": {\"default\": {\"a\": 1}}");
    let found = findings(&load(&request(&own)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("9:75 error[SDK011] The option 'service.free' is an object"), "{found:?}");
}

#[test]
fn a_value_with_invalid_json_points_to_its_variable() {
    let bare = PACKAGE.replace("\"NUMBER\": 5,", "\"NUMBER\": {{hello.place}},");
    let found = findings(&load(&request(&bare)));
    assert_eq!(found.len(), 1, "the environment that is lacking for it is no cascade: {found:?}");
    assert!(
        found[0].contains("error[SDK016] The value of 'hello.place' makes the app no JSON: Not valid JSON"),
        "{found:?}"
    );
    let empty = PACKAGE.replace("\"NUMBER\": 5,", "\"NUMBER\": {{hello.volume}},");
    let found = findings(&load(&request(&empty)));
    assert!(found.len() == 1 && found[0].contains("The value of 'hello.volume' makes"), "{found:?}");
}

#[test]
fn options_are_reported_in_their_file() {
    let text = "{\n\n  \"hello\": {\"cuont\": 2}\n}";
    let mut request = request(&format!("# options: {{\"hello\": {{\"cuont\": 2}}}}\n{PACKAGE}"));
    let named = |request: &planarium_protocol::input::LoadService| {
        let loaded = load(request);
        let finding =
            loaded.diagnostics.iter().find(|finding| finding.code == "SDK010").cloned().expect("found");
        let file = loaded.sources.get(finding.span.file).expect("a file").name().to_owned();
        (file, loaded.sources.position(finding.span).line)
    };
    assert_eq!(named(&request), ("options.json".to_owned(), 3));
    request.files.insert("mine/opts.json".to_owned(), text.to_owned());
    assert_eq!(named(&request), ("mine/opts.json".to_owned(), 3));
    request.files.insert("mine/opts.json".to_owned(), "{}".to_owned());
    assert_eq!(named(&request), ("options.json".to_owned(), 3), "a file that says something else is another");
}

#[test]
fn packaging_placeholders_are_reported_in_their_file() {
    let resource = PACKAGE.replace("https://example.com/x.zip", "%(artifact-dir)s/x-%(version)s.zip");
    let loaded = load(&request(&resource));
    let file = |loaded: &crate::Loaded, n: usize| {
        let mut sorted = loaded.diagnostics.clone().into_sorted();
        sorted.retain(|finding| finding.code != crate::codes::PROGRAM);
        loaded.sources.get(sorted[n].span.file).expect("a file").name().to_owned()
    };
    assert_eq!(
        findings(&loaded),
        [
            "1:30 info[SDK018] resource.json holds placeholders of a package build: %(artifact-dir)s, %(version)s"
        ]
    );
    assert_eq!(file(&loaded, 0), "universe/resource.json");
    let uri = loaded.spec.expect("a spec").pods[0].uris.join(" ");
    assert_eq!(uri, "artifact-dir/x-version.zip");
    let options = format!("# options: {{\"service\": {{\"account\": \"%(account)s\"}}}}\n{PACKAGE}");
    let loaded = load(&request(&options));
    assert_eq!(
        findings(&loaded),
        ["3:17 info[SDK018] The options hold placeholders of a package build: %(account)s"]
    );
    assert_eq!(file(&loaded, 0), "options.json");
}
