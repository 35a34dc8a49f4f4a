//! Operator packages on the command line: parameters, packages beside each other, archives, what a run waits for.

use crate::{file, folder, planarium};
use std::path::Path;
use std::process::Command;

const PARAMS: &str = "parameters:\n- name: TEXT\n";

/// An operator whose plan `backup` nobody starts, with a task of its own.
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

/// Writes a package into a folder of its own.
fn package(top: &Path, name: &str, operator: &str, params: &str) -> String {
    let root = top.join(name);
    std::fs::create_dir_all(root.join("templates")).expect("a folder");
    file(&root, "operator.yaml", operator);
    file(&root, "params.yaml", params);
    file(&root, "templates/app.yaml", TEMPLATE);
    root.display().to_string()
}

#[test]
fn a_run_waits_for_deploy_and_asks_no_other_plan_why() {
    let top = folder("operators-deploy");
    let path = package(&top, "web", &operator("web", "", "app"), "parameters: [{name: TEXT, default: x}]\n");
    let said = planarium(&["run", &path]).ends(0);
    assert!(said.out.contains("NEVER_RUN") && !said.out.contains("why "), "{}", said.out);
    // A plan that nobody started is explained where the run waits for it, and nowhere else.
    let said = planarium(&["run", &path, "--until", "backup=COMPLETE", "--limit", "5m"]).ends(1);
    assert!(said.out.contains("why backup/main/all"), "{}", said.out);
    let said = planarium(&["run", &path, "--until", "deploy=FATAL_ERROR", "--limit", "5m"]).ends(1);
    assert!(!said.out.contains("why "), "{}", said.out);
}

#[test]
fn advice_of_the_verifier_does_not_stand_in_the_way() {
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
fn packages_beside_the_own_one_are_read() {
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
