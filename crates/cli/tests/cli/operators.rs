//! Operator packages on the command line: parameters, companion packages, archives, the condition of a run.

use crate::http::Server;
use crate::{file, folder, planarium};
use std::path::Path;
use std::process::Command;

const PARAMS: &str = "parameters:\n- name: TEXT\n";

/// An operator whose plan `backup` is never started, with its own task.
fn operator(name: &str, tasks: &str, step: &str) -> String {
    format!(
        "name: {name}\noperatorVersion: \"1.0.0\"\nkubernetesVersion: 1.16.0\ntasks:\n- name: app\n  kind: Apply\n  spec:\n    \
         resources: [app.yaml]\n{tasks}plans:\n  backup:\n    strategy: serial\n    phases:\n    - name: main\n      strategy: \
         serial\n      steps: [{{name: all, tasks: [app]}}]\n  deploy:\n    strategy: serial\n    phases:\n    - name: main\n      \
         strategy: serial\n      steps: [{{name: all, tasks: [{step}]}}]\n"
    )
}

const TEMPLATE: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Name }}\ndata:\n  text: {{ .Params.TEXT }}\n";

/// Writes a package into its own folder.
fn package(top: &Path, name: &str, operator: &str, params: &str) -> String {
    let root = top.join(name);
    std::fs::create_dir_all(root.join("templates")).expect("a folder");
    file(&root, "operator.yaml", operator);
    file(&root, "params.yaml", params);
    file(&root, "templates/app.yaml", TEMPLATE);
    root.display().to_string()
}

#[test]
fn a_run_waits_for_deploy_and_explains_no_other_plan() {
    let top = folder("operators-deploy");
    let path = package(&top, "web", &operator("web", "", "app"), "parameters: [{name: TEXT, default: x}]\n");
    let said = planarium(&["run", &path]).ends(0);
    assert!(said.out.contains("NEVER_RUN") && !said.out.contains("why "), "{}", said.out);
    // An unstarted plan is explained only if the run waits for it.
    let said = planarium(&["run", &path, "--until", "backup=COMPLETE", "--limit", "5m"]).ends(1);
    assert!(said.out.contains("why backup/main/all"), "{}", said.out);
    let said = planarium(&["run", &path, "--until", "deploy=FATAL_ERROR", "--limit", "5m"]).ends(1);
    assert!(!said.out.contains("why "), "{}", said.out);
}

#[test]
fn advice_of_the_verifier_does_not_prevent_a_run() {
    let top = folder("operators-advice");
    let params = "parameters: [{name: TEXT, default: x}, {name: 'a;b', default: x}]\n";
    let path = package(&top, "web", &operator("web", "", "app"), params);
    assert!(planarium(&["check", &path]).ends(2).out.contains("error[KUDO011]"));
    let said = planarium(&["run", &path]).ends(0);
    assert!(said.err.contains("error[KUDO011]"), "{}", said.err);
}

#[test]
fn parameters_are_given_on_the_command_line() {
    let top = folder("operators-parameters");
    let path = package(&top, "web", &operator("web", "", "app"), PARAMS);
    let said = planarium(&["check", &path]).ends(0);
    assert!(said.out.contains("warning[KUDO036]") && said.out.contains("-p TEXT=VALUE"), "{}", said.out);
    assert!(planarium(&["run", &path]).ends(2).err.contains("error[KUDO036]"));
    let values = file(&top, "values.yaml", "TEXT: from a file\n");
    planarium(&["run", &path, "-p", "TEXT=a=b"]).ends(0);
    planarium(&["run", &path, "-P", &values]).ends(0);
    let shown = |words: &[&str]| {
        let mut all = vec!["exec", "web-instance", "--on", &path];
        all.extend(words);
        all.extend(["--", "get", "instances", "-o", "yaml"]);
        planarium(&all).ends(0).out
    };
    assert!(
        shown(&["-P", &values, "--parameter", "TEXT=own"]).contains("TEXT: own"),
        "the command line wins"
    );
    assert!(shown(&["--parameter-file", &values]).contains("TEXT: from a file"));
    let nothing = file(&top, "nothing.yaml", "TEXT: null\n");
    for (words, part) in [
        (&["-p", "TEXT"][..], "parameter not set: TEXT"),
        (&["-p", "=x"], "parameter name can not be empty: =x"),
        (&["-p", "TEXT="], "parameter value can not be empty: TEXT="),
        (&["-P", &nothing], "TEXT has a null value"),
        (&["-P", "no-such-file.yaml"], "no-such-file.yaml"),
    ] {
        let mut all = vec!["run", &path];
        all.extend(words);
        let said = planarium(&all).ends(2);
        assert!(said.err.contains(part), "{}: {}", said.words, said.err);
    }
}

#[test]
fn companion_packages_are_read() {
    let top = folder("operators-children");
    let task =
        "- name: child\n  kind: KudoOperator\n  spec: {package: ../parts/child, parameterFile: child.yaml}\n";
    let parent = package(
        &top,
        "parent",
        &operator("parent", task, "child"),
        "parameters: [{name: TEXT, default: x}]\n",
    );
    file(&top.join("parent"), "templates/child.yaml", "TEXT: {{ .Params.TEXT }}\n");
    let said = planarium(&["check", &parent]).ends(2);
    assert!(said.out.contains("error[KUDO033]"), "{}", said.out);
    let grandchild =
        "- name: child\n  kind: KudoOperator\n  spec: {package: ../../last, parameterFile: last.yaml}\n";
    package(&top, "parts/child", &operator("child", grandchild, "app, child"), PARAMS);
    file(&top.join("parts/child"), "templates/last.yaml", "TEXT: {{ .Params.TEXT }}\n");
    package(&top, "last", &operator("last", "", "app"), "parameters: [{name: TEXT, default: y}]\n");
    planarium(&["check", &parent]).ends(0);
    for path in [parent.clone(), format!("{parent}/operator.yaml")] {
        let said = planarium(&["run", &path]).ends(0);
        for name in ["parent-instance", "parent-instance-child", "parent-instance-child-last"] {
            assert!(said.out.contains(name), "{path}: {}", said.out);
        }
    }
}

#[test]
fn archives_are_read_like_folders() {
    let top = folder("operators-archives");
    let path = package(&top, "web", &operator("web", "", "app"), PARAMS);
    let archive = top.join("web-1.0.0.tgz").display().to_string();
    let made = Command::new("tar").args(["-czf", &archive, "-C", &path, "."]).status().expect("tar");
    assert!(made.success());
    assert!(planarium(&["check", &archive]).ends(0).out.contains("KUDO036"));
    planarium(&["run", &archive, "-p", "TEXT=x"]).ends(0);
    let said = planarium(&[
        "exec",
        "web-instance",
        "--on",
        &path,
        "-p",
        "TEXT=x",
        "--",
        "package",
        "verify",
        &archive,
    ]);
    assert!(said.ends(0).out.contains("package is valid"));
    let cut = file(&top, "cut.tgz", &"x".repeat(600));
    assert!(planarium(&["check", &cut]).ends(2).err.contains("not an archive"));
}

#[test]
fn a_package_is_verified_without_a_world() {
    let top = folder("operators-verify");
    let path = package(&top, "web", &operator("web", "", "app"), PARAMS);
    let nobody = ["exec", "any", "--url", "http://127.0.0.1:9", "--"];
    for words in [&["package", "verify", &path][..], &["kubectl", "kudo", "package", "verify", &path]] {
        let said = planarium(&[&nobody[..], words].concat()).ends(0);
        assert_eq!((said.out.as_str(), said.err.as_str()), ("package is valid\n", ""), "{}", said.words);
    }
    let said = planarium(&[&nobody[..], &["package", "list", "plans", &path]].concat()).ends(0);
    assert!(
        said.out.starts_with("plans\n├── backup (serial)\n│\u{a0}\u{a0} └── [phase]  main"),
        "{}",
        said.out
    );
    let said = planarium(&[&nobody[..], &["install", &path, "-p", "TEXT=x"]].concat()).ends(1);
    assert!(said.err.contains("connecting to 127.0.0.1:9"), "{}", said.err);
}

#[test]
fn an_empty_world_accepts_kudo_commands() {
    let top = folder("operators-empty");
    let path = package(&top, "web", &operator("web", "", "app"), PARAMS);
    let server = Server::start(&["--clock", "manual", "--cluster", "small"]);
    let url = format!("http://{}", server.address);
    let exec = |words: &[&str]| planarium(&[&["exec", "web", "--url", &url, "--"], words].concat());
    let said = exec(&["install", &path]).ends(1);
    assert_eq!(said.err, "Error: missing required parameters during installation: TEXT\n");
    let said = exec(&["install", &path, "-p", "TEXT=x", "--wait"]).ends(0);
    assert!(said.out.ends_with("instance default/web-instance ready\n"), "{}", said.out);
    let said = exec(&["plan", "status"]).ends(0);
    assert!(said.out.contains("Plan deploy (serial strategy) [COMPLETE]"), "{}", said.out);
}

#[test]
fn an_upgrade_needs_its_own_plan_and_no_other() {
    let top = folder("operators-upgrade");
    let first = operator("web", "", "app");
    let old = package(&top, "old", &first, "parameters: [{name: TEXT, default: x}]\n");
    let server = Server::start(&["--clock", "manual", "--cluster", "small"]);
    let url = format!("http://{}", server.address);
    let exec = |words: &[&str]| planarium(&[&["exec", "web-instance", "--url", &url, "--"], words].concat());
    exec(&["install", &old, "--wait"]).ends(0);
    let next = |name: &str, version: &str, deploy: &str| {
        let operator = first.replace("1.0.0", version).replace("  deploy:", deploy);
        package(&top, name, &operator, "parameters: [{name: TEXT, default: x}]\n")
    };
    // Like the real client, it has put the version there before the server says no.
    let nothing = next("nothing", "1.1.0", "  other:");
    let said = exec(&["upgrade", &nothing, "--instance", "web-instance"]).ends(1);
    assert!(
        said.err.contains(
            "couldn't find any suitable plan that would be triggered by an OperatorVersion upgrade"
        ),
        "{}",
        said.err
    );
    assert_eq!(said.out, "operatorversion default/web-1.1.0 created\n");
    let upgrade = next("upgrade", "1.2.0", "  upgrade:");
    exec(&["upgrade", &upgrade, "--instance", "web-instance"]).ends(0);
    server.json("POST", "/sim/advance", r#"{"for_ms":60000}"#, 200);
    let said = exec(&["plan", "status"]).ends(0);
    assert!(said.out.contains("Plan upgrade (serial strategy) [COMPLETE]"), "{}", said.out);
    // The same by one request: a refusal leaves nothing behind.
    let body = |folder: &str| {
        let files: serde_json::Map<String, serde_json::Value> =
            ["operator.yaml", "params.yaml", "templates/app.yaml"]
                .into_iter()
                .map(|name| {
                    (
                        name.to_owned(),
                        std::fs::read_to_string(Path::new(folder).join(name)).expect("a file").into(),
                    )
                })
                .collect();
        serde_json::json!({ "dialect": "kudo", "files": files }).to_string()
    };
    let third = next("third", "1.3.0", "  other:");
    let refused = server.json("PUT", "/sim/services/web-instance", &body(&third), 403);
    assert!(refused.to_string().contains("couldn't find any suitable plan"), "{refused}");
    let said = exec(&["get", "operatorversions"]).ends(0);
    assert!(!said.out.contains("web-1.3.0"), "{}", said.out);
    let fourth = next("fourth", "1.4.0", "  update:");
    server.json("PUT", "/sim/services/web-instance", &body(&fourth), 200);
}
