//! `run`, `check`, `test`, `render`, `share`, `--help`.

use crate::{SVC, file, folder, piped, planarium, root};
use serde_json::Value;
use std::fs;

const ENV: [&str; 4] = ["--env", "FRAMEWORK_NAME=hi", "--env", "HELLO_COUNT=2"];

fn with<'w>(first: &[&'w str], more: &[&'w str]) -> Vec<&'w str> {
    first.iter().chain(more).copied().collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let top = planarium(&["--help"]).ends(0).out;
    for command in ["run", "check", "test", "serve", "render", "share", "exec", "lesson", "schema"] {
        assert!(top.contains(&format!("  {command} ")), "{command} is not listed:\n{top}");
        let help = planarium(&[command, "--help"]).ends(0).out;
        assert!(help.contains("Example:\n  planarium "), "{command}: no example:\n{help}");
    }
    assert!(planarium(&["--version"]).ends(0).out.starts_with("planarium "));
    for words in
        [&[][..], &["dance"], &["run"], &["run", "a", "b"], &["run", "x", "--speed", "3"], &["check"]]
    {
        let said = planarium(words).ends(2);
        assert!(said.err.contains("Usage"), "{words:?}: {}", said.err);
    }
}

#[test]
fn run_plays_definitions_and_scenarios() {
    let dir = folder("run");
    let svc = file(&dir, "svc.yml", SVC);
    let out = planarium(&with(&["run", &svc], &ENV)).ends(0).out;
    let tree = "deploy (serial strategy) (COMPLETE)\n└─ hello (serial strategy) (COMPLETE)\n   ├─ hello-0:[server] (COMPLETE)\n   └─ hello-1:[server] (COMPLETE)\n";
    assert!(out.contains(tree), "{out}");

    let env = file(&dir, "scheduler.env", "# the scheduler\nFRAMEWORK_NAME=hi\nHELLO_COUNT=\"1\"\n");
    let out = planarium(&["run", &svc, "--env-file", &env, "--cluster", "1", "--seed", "9"]).ends(0).out;
    assert!(out.contains("   └─ hello-0:[server] (COMPLETE)\n") && out.contains("seed 9"), "{out}");

    // Standard input; JSON; a condition that holds before the end.
    let out = piped(
        &with(&["run", "-", "--format", "json", "--until", "deploy/hello/hello-0:[server]=COMPLETE"], &ENV),
        SVC,
    )
    .ends(0)
    .out;
    let document: Value = serde_json::from_str(&out).expect("one JSON document");
    assert_eq!(document["reached"], true);
    assert_eq!(document["view"]["services"][0]["plans"][0]["status"], "IN_PROGRESS", "{document}");

    let out = planarium(&["run", "examples/canary", "--format", "transcript"]).ends(0).out;
    let golden =
        fs::read_to_string(root().join("examples/canary/canary.transcript.txt")).expect("the golden");
    assert_eq!(out, golden, "run tells the same story as the golden");
    planarium(&["run", "examples/canary/canary.planarium.yaml"]).ends(0);
}

#[test]
fn unmet_conditions_exit_with_1() {
    let dir = folder("fails");
    let svc = file(&dir, "svc.yml", &SVC.replace("cpus: 0.1", "cpus: 64"));
    let said = planarium(&with(&["run", &svc, "--limit", "5m"], &ENV)).ends(1);
    assert!(said.out.contains("hello-0:[server] (PREPARED)"), "{}", said.out);
    assert!(
        said.out.contains("why deploy/hello/hello-0:[server]") && said.out.contains("cpus"),
        "{}",
        said.out
    );
    let said = planarium(&with(&["run", &svc, "--limit", "5m", "--format", "json"], &ENV)).ends(1);
    let document: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(document["why"][0]["reasons"][0]["reason"], "no-matching-offer", "{document}");

    let scenario = file(
        &dir,
        "wrong.planarium.yaml",
        "services: [{files: [svc.yml], env: {FRAMEWORK_NAME: x, HELLO_COUNT: '1'}}]\nlimit: 1m\nscript: [{at: 1s, expect: [deploy=COMPLETE]}]\nuntil: t=2s\n",
    );
    let said = planarium(&["run", &scenario]).ends(1);
    assert!(said.out.contains("[0:01.000] expected deploy=COMPLETE"), "{}", said.out);
}

#[test]
fn bad_words_end_with_2() {
    let dir = folder("words");
    let svc = file(&dir, "svc.yml", SVC);
    let empty = dir.join("empty");
    fs::create_dir_all(&empty).expect("a folder");
    let empty = empty.display().to_string();
    let rows: Vec<(Vec<&str>, &str)> = vec![
        (vec!["run", "no-such-file.yml"], "no-such-file.yml"),
        (vec!["run", &empty], "no definition"),
        (with(&["run", &svc, "--until", "whenever"], &ENV), "whenever"),
        (with(&["run", &svc, "--limit", "soon"], &ENV), "soon"),
        (with(&["run", &svc, "--cluster", "huge"], &ENV), "presets"),
        (vec!["run", &svc, "--env", "novalue"], "K=V"),
        (with(&["render", &svc, "--at", "later"], &ENV), "later"),
        (with(&["render", &svc, "--why", "deploy/nothing"], &ENV), "no such element"),
        (vec!["share", "--decode", "#p9:abc"], "p1:"),
        (vec!["share", "--decode", "#p1:!!!"], "damaged"),
        (vec!["test", &empty], "planarium.yaml"),
        (vec!["serve", "--listen", "nowhere"], "ADDRESS:PORT"),
        (vec!["serve", "--speed", "0"], "--speed"),
    ];
    for (words, part) in rows {
        let said = planarium(&words).ends(2);
        assert!(said.err.contains(part), "{}: {}", said.words, said.err);
    }
}

#[test]
fn check_reports_every_finding_with_its_position() {
    let dir = folder("check");
    let good = file(&dir, "good.yml", SVC);
    let bad = file(&dir, "bad.yml", &SVC.replace("memory", "memroy").replace("RUNNING", "RUNING"));
    let said = planarium(&with(&["check", &good], &ENV)).ends(0);
    assert!(said.err.contains("1 checked, 0 errors"), "{}", said.err);
    let said = planarium(&with(&["check", &good, &bad], &ENV)).ends(2);
    assert!(said.out.contains("bad.yml:7:15: error[SDK080]: "), "{}", said.out);
    assert!(said.out.contains("bad.yml:10:9: error[SDK030]: "), "{}", said.out);
    assert!(said.out.contains("memroy: 32"), "the line is shown:\n{}", said.out);
    assert!(said.err.contains("2 checked, 2 errors"), "{}", said.err);
    let said = planarium(&with(&["check", &bad, "--format", "json"], &ENV)).ends(2);
    let found: Value = serde_json::from_str(&said.out).expect("an array");
    let lines: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["severity"] == "error")
        .map(|one| one["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [7, 10], "{found}");
    for one in found.as_array().unwrap() {
        for key in ["file", "line", "column", "code", "message", "severity"] {
            assert!(!one[key].is_null(), "no {key} in {one}");
        }
    }
    let said = piped(&with(&["check", "-"], &ENV), "name: x\npods: [\n").ends(2);
    assert!(said.out.contains(": error[YAML001]: "), "{}", said.out);
    planarium(&["check", "examples/canary", "examples/hello-world/svc.yml"]).ends(0);
}

#[test]
fn test_compares_with_goldens_and_blesses() {
    planarium(&["test", "examples/canary"]).ends(0);
    let dir = folder("goldens");
    file(&dir, "svc.yml", SVC);
    let scenario = file(
        &dir,
        "one.planarium.yaml",
        "title: One\nservices: [{files: [svc.yml], env: {FRAMEWORK_NAME: x, HELLO_COUNT: '1'}}]\nuntil: deploy=COMPLETE\n",
    );
    let path = dir.display().to_string();
    let said = planarium(&["test", &path]).ends(1);
    assert!(said.out.contains("--bless") && said.out.contains("0 passed, 1 failed"), "{}", said.out);
    planarium(&["test", &path, "--bless"]).ends(0);
    let said = planarium(&["test", &scenario]).ends(0);
    assert!(said.out.contains("1 passed, 0 failed"), "{}", said.out);
    let golden = dir.join("one.transcript.txt");
    let text = fs::read_to_string(&golden).expect("the golden").replace("COMPLETE", "COMPLETED");
    fs::write(&golden, text).expect("spoils it");
    let said = planarium(&["test", &path]).ends(1);
    assert!(said.out.contains("FAILED") && said.out.contains("  - "), "{}", said.out);
    file(&dir, "two.planarium.yaml", "sedd: 1\n");
    planarium(&["test", &path]).ends(2);
}

#[test]
fn render_shows_an_instant() {
    let out = planarium(&["render", "examples/hello-world", "--at", "0s"]).ends(0).out;
    assert!(out.starts_with("deploy (serial strategy) (PENDING)\n"), "{out}");
    let out = planarium(&["render", "examples/hello-world", "--at", "end", "--cluster-map"]).ends(0).out;
    assert!(out.starts_with("deploy (serial strategy) (COMPLETE)\n"), "{out}");
    assert!(out.contains("  hello-0-server TASK_RUNNING\n"), "{out}");
    let out =
        planarium(&["render", "examples/hello-world", "--at", "1s", "--why", "deploy/world"]).ends(0).out;
    assert!(out.starts_with("why deploy/world (PENDING)\n"), "{out}");
}

#[test]
fn share_strings_round_trip() {
    let link = planarium(&["share", "examples/canary"]).ends(0).out;
    let link = link.trim();
    assert!(link.starts_with("#p1:") && link.len() < 4000, "{link}");
    assert!(link.chars().skip(4).all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)), "{link}");
    let journal: Value =
        serde_json::from_str(&planarium(&["share", "--decode", link]).ends(0).out).expect("JSON");
    assert_eq!(journal["genesis"]["seed"], 11);
    let kinds: Vec<_> = journal["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["input"]["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["add-agent", "process-behaviour", "load-service", "plan", "plan"]);
    let url = format!("https://example.org/planarium/{link}");
    planarium(&["share", "--decode", &url]).ends(0);
    planarium(&["share", "--decode", link.get(..link.len() / 2).expect("ASCII")]).ends(2);
}

#[test]
fn config_templates_beside_a_definition_are_found_and_rendered() {
    let dir = folder("templates");
    let text = "name: hi
pods:
  hello:
    count: 1
    rlimits: {RLIMIT_CORE: {soft: 1, hard: 1}}
    tasks:
      server:
        goal: RUNNING
        cmd: ./bootstrap && ./hello
        cpus: 0.1
        memory: 32
        configs:
          site: {template: site.xml, dest: etc/site.xml}
          jvm: {template: 'jvm_{{GC}}.options', dest: jvm.options}
          gone: {template: gone.xml, dest: gone.xml}
";
    let svc = file(&dir, "svc.yml", text);
    file(&dir, "site.xml", "<task>{{TASK_NAME}}</task><no>{{NOWHERE}}</no>\n");
    file(&dir, "jvm_CMS.options", "-Xmx1g\n");
    file(&dir, "jvm_G1.options", "-Xmx2g\n");
    let whole = dir.display().to_string();
    for path in [&svc, &whole] {
        let said = planarium(&["check", path, "--env", "GC=G1"]).ends(0);
        let missing = said.out.matches("[SDK092]").count();
        assert!(
            missing == 1 && said.out.contains("'gone.xml'") && said.out.contains("[SDK097]"),
            "{}",
            said.out
        );
        assert!(said.out.contains("without effect here: pods.hello.rlimits (processes"), "{}", said.out);
        let render = |file: &str| {
            let wanted = format!("hello-0-server/{file}");
            planarium(&["render", path, "--env", "GC=G1", "--file", &wanted])
        };
        assert_eq!(render("site").ends(0).out, "<task>hello-0-server</task><no></no>\n");
        assert_eq!(render("jvm").ends(0).out, "-Xmx2g\n");
        for (file, words) in
            [("gone", "the template 'gone.xml' is not among the files"), ("none", "not found")]
        {
            assert!(render(file).ends(2).err.contains(words), "{file}");
        }
        let story = planarium(&["run", path, "--env", "GC=G1", "--format", "transcript"]).ends(0).out;
        for line in [
            "hello-0-server: config file gone.xml (gone) not rendered: the template 'gone.xml' is not among the files",
            "hello-0-server: config file etc/site.xml (site) left empty for want of a value: NOWHERE",
        ] {
            assert!(story.contains(line), "{line}\n{story}");
        }
    }
}

#[test]
fn a_link_opens_at_its_moment() {
    let link = planarium(&["share", "examples/canary"]).ends(0).out.trim().to_owned();
    let end = planarium(&["run", &link]).ends(0).out;
    let moment = format!("https://example.org/?example=canary{link}~4000");
    let early = planarium(&["run", &moment]).ends(0).out;
    assert!(early.contains("at 0:04.000"), "{early}");
    assert_ne!(end, early);
    // The same as the scenario played to there; an instant that is asked for goes before the link's own.
    let there = planarium(&["render", "examples/canary", "--at", "4s"]).ends(0).out;
    assert_eq!(planarium(&["render", &moment]).ends(0).out, there);
    assert_eq!(planarium(&["render", &link, "--at", "4s"]).ends(0).out, there);
    let status = ["--", "plan", "status", "deploy"];
    let tree = planarium(&with(&["exec", "canary", "--on", &moment], &status)).ends(0).out;
    assert!(there.contains(tree.lines().nth(1).expect("a phase")), "{tree}\n{there}");
    for broken in ["#p1:AAAA~4000", "p1:", "#p1:%%%"] {
        assert!(!planarium(&["run", broken]).ends(2).err.is_empty(), "{broken}");
    }
}

const CONFIG: &str = r#"{"type": "object", "properties": {
  "service": {"type": "object", "properties": {"name": {"type": "string", "default": "hi"}}},
  "hello": {"type": "object", "properties": {"count": {"type": "integer", "default": 1, "minimum": 1},
    "cpus": {"type": "number", "default": 0.1}, "mem": {"type": "integer", "default": 32}}}}}"#;
const APP: &str = r#"{"env": {"FRAMEWORK_NAME": "{{service.name}}", "HELLO_COUNT": "{{hello.count}}",
  "HELLO_CPUS": "{{hello.cpus}}", "HELLO_MEM": "{{hello.mem}}", "ZIP": "{{resource.zip}}"}}"#;

/// A framework's folder: the definition deep in it, the package beside. Answers both paths.
fn framework(name: &str) -> (String, String) {
    let dir = folder(name);
    let (dist, package) = (dir.join("src/main/dist"), dir.join("universe"));
    fs::create_dir_all(&dist).expect("a folder");
    fs::create_dir_all(&package).expect("a folder");
    let svc = SVC.replace("0.1", "{{HELLO_CPUS}}").replace("32", "{{HELLO_MEM}}");
    let svc = file(&dist, "svc.yml", &svc);
    file(&package, "config.json", CONFIG);
    file(&package, "marathon.json.mustache", APP);
    file(&package, "resource.json", r#"{"zip": "{{artifact-dir}}/x.zip"}"#);
    (svc, package.display().to_string())
}

#[test]
fn a_missing_package_is_requested() {
    let (svc, package) = framework("framework");
    for (folder, part) in [("no-such-folder", "there is no such folder"), ("docs", "none of config.json")] {
        for command in ["check", "run", "render"] {
            let said = planarium(&[command, &svc, "--package", folder]).ends(2);
            assert!(
                said.err.contains(&format!("--package {folder}")) && said.err.contains(part),
                "{}",
                said.err
            );
        }
    }
    let said = planarium(&["check", &svc]).ends(2);
    let first = format!("{svc}: 4 variables have no value. There is a package beside it");
    assert!(said.out.starts_with(&first), "{}", said.out);
    let words = format!("planarium check {svc} --package {package}\n");
    assert!(said.out.contains(&words), "{}", said.out);
    let words: Vec<&str> = words.split_whitespace().skip(1).collect();
    let said = planarium(&words).ends(0);
    assert!(!said.out.contains("variables have no value"), "{}", said.out);
    let said = planarium(&["run", &svc]).ends(2);
    assert!(said.err.contains(&format!("planarium run {svc} --package {package}\n")), "{}", said.err);
    // One value that is lacking is lacking; no package would be the answer.
    let lonely = file(&folder("lonely"), "svc.yml", SVC);
    assert!(!planarium(&["check", &lonely]).out.contains("There is a package"));
}

#[test]
fn findings_about_options_name_their_file() {
    let (svc, package) = framework("options");
    let options = file(&folder("my-options"), "mine.json", "{\n  \"hello\": {\n    \"cuont\": 2\n  }\n}\n");
    let said = planarium(&["check", &svc, "--package", &package, "--options", &options]).ends(2);
    assert!(said.out.contains(&format!("{options}:3:5: error[SDK010]: ")), "{}", said.out);
}

#[test]
fn unused_variables_are_reported() {
    let dir = folder("unused");
    let svc = file(&dir, "svc.yml", SVC);
    let said = planarium(&["check", &svc, "--env", "FRAMEWORK_NAME=hi", "--env", "HELO_COUNT=2"]);
    assert!(said.out.contains("warning[SDK021]: Nothing uses the variable 'HELO_COUNT'"), "{}", said.out);
    assert!(said.out.contains("did you mean 'HELLO_COUNT'?"), "{}", said.out);
    let said = planarium(&with(&["run", &svc, "--env", "EXTRA=1"], &ENV)).ends(0);
    assert!(said.err.contains("info[SDK021]: Nothing uses the variable 'EXTRA'"), "{}", said.err);
    for (until, part) in [
        ("deploy=COMPLET", "`COMPLET` is not a status; did you mean `COMPLETE`?"),
        ("deploy=FINE", "`FINE` is not a status; there are ERROR, WAITING"),
        ("deplyo=COMPLETE", "there is no plan `deplyo`; did you mean `deploy`?"),
        ("hi/backup=COMPLETE", "there is no plan `hi/backup`; there are deploy, recovery"),
        ("deploy=COMPLETE && repair/x=STARTED", "there is no plan `repair/x`"),
    ] {
        let said = planarium(&with(&["run", &svc, "--until", until], &ENV)).ends(2);
        assert!(said.err.contains(part), "{until}: {}", said.err);
    }
    for until in
        ["deploy=complete", "hi/deploy/hello=COMPLETE", "recovery=COMPLETE", "t=1s && recovery=COMPLETE"]
    {
        planarium(&with(&["run", &svc, "--until", until], &ENV)).ends(0);
    }
}

#[test]
fn a_file_is_recognised_by_its_content() {
    let dir = folder("kinds");
    file(&dir, "svc.yml", SVC);
    let big = file(
        &dir,
        "big.yaml",
        "version: 1\ntitle: Big\nservices:\n  - files: [svc.yml]\n    env: {FRAMEWORK_NAME: x, HELLO_COUNT: '1'}\nuntil: deploy=COMPLETE\n",
    );
    let said = planarium(&["check", &big]).ends(0);
    assert!(said.err.contains("0 errors, 0 warnings"), "{}{}", said.out, said.err);
    assert!(planarium(&["run", &big]).ends(0).out.contains("hello-0:[server] (COMPLETE)"));
}
