//! Companion files, names from folders, and the last message of a failed run.

use crate::{file, folder, planarium};
use std::fs;

const PLAN: &str = "doctype: com.datagridsys.doctype/skopos/deploy-plan
version: alpha/1
steps:
- id: back
  class: component
  on_fail: fail
  steps:
  - id: back-10
    class: instance-loop
    selector: target
    on_fail: fail
    steps:
    - { id: back-10-10, class: action, plugin: docker, action: inst_create, arguments: { selector: new }, on_fail: fail }
    - { id: back-10-20, class: action, exec: look, on_fail: fail }
- id: front
  class: component
  on_fail: fail
  steps:
  - { id: front-10, class: delay, duration: 5 }
";
const MODEL: &str = "doctype: com.datagridsys.doctype/skopos/model
version: 1
components:
  back: { image: acme/back:2.0, replicas: 2 }
  front: { image: acme/front:2.0 }
";

#[test]
fn a_plan_is_read_with_its_companion_model() {
    let dir = folder("beside-shop");
    let plan = file(&dir, "plan.yaml", PLAN);
    let alone = planarium(&["check", &plan]).ends(0);
    assert!(alone.out.contains("SKO053") && alone.out.contains("SKO057"), "{}", alone.out);
    file(&dir, "model.yaml", MODEL);
    file(&dir, "env.yaml", "core_plugin: docker\n");
    fs::create_dir_all(dir.join("scripts")).expect("a folder");
    file(&dir.join("scripts"), "look", "#!/bin/sh\n");
    let whole = planarium(&["check", &plan]).ends(0);
    assert!(whole.err.contains("also read: ") && whole.err.contains("model.yaml"), "{}", whole.err);
    assert!(!whole.out.contains("SKO0"), "{}", whole.out);
    let run = planarium(&["run", &dir.display().to_string(), "--format", "json"]).ends(0);
    assert!(run.out.contains("\"name\": \"beside-shop\""), "the folder names it: {}", run.out);
}

#[test]
fn options_do_not_count_as_an_unread_file() {
    let dir = folder("beside-options");
    file(&dir, "model.yaml", MODEL);
    let options = file(&dir, "options.json", "{\"replace_all\": true}");
    let said = planarium(&["check", &dir.display().to_string(), "--options", &options]).ends(0);
    assert!(!said.out.contains("SKO005"), "{}", said.out);
}

#[test]
fn an_environment_file_passed_as_env_is_reported() {
    let dir = folder("beside-env");
    let model = file(&dir, "model.yaml", MODEL);
    let said = planarium(&["run", &model, "--env", "env.yaml"]).ends(2);
    assert!(
        said.err.contains("--env `env.yaml` is not K=V") && said.err.contains("planarium run DIR"),
        "{}",
        said.err
    );
}

#[test]
fn the_root_cause_is_printed_last() {
    let dir = folder("beside-cause");
    file(&dir, "plan.yaml", PLAN);
    file(&dir, "model.yaml", MODEL);
    file(&dir, "env.yaml", "simulation: { scripts: { look: { exit: 3, stderr: too slow } } }\n");
    let said = planarium(&["run", &dir.display().to_string()]).ends(1);
    let (_, whys) = said.out.split_once("did not come true").expect("it failed");
    assert!(whys.contains("look exited with code 3: too slow"), "{}", said.out);
    assert!(!whys.contains("Its chain has ended without it"), "what was passed over says nothing: {whys}");
    let last = whys.trim().split("\n\n").last().unwrap_or_default();
    assert!(last.contains("back-10-20") && last.contains("too slow"), "{whys}");
}
