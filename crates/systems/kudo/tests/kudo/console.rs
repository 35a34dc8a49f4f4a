//! `kubectl kudo` over a cluster: exact output.

use super::stage::Stage;
use planarium_kernel::SimTime;
use planarium_kudo::Daemon;
use planarium_part::console::{Output, Terminal};
use planarium_part::{Request, Response, System};
use std::collections::BTreeMap;

const PACKAGE: &[(&str, &str)] = &[
    (
        "web/operator.yaml",
        "apiVersion: kudo.dev/v1beta1\nname: web\noperatorVersion: \"1.0.0\"\nappVersion: \"2.1\"\nkubernetesVersion: 1.16.0\n\
         tasks:\n  - { name: app, kind: Apply, spec: { resources: [app.yaml] } }\n  - { name: never, kind: Dummy, spec: { done: false } }\n\
         plans:\n  deploy:\n    strategy: serial\n    phases:\n      - name: main\n        strategy: parallel\n        steps:\n\
         \x20         - { name: app, tasks: [app] }\n\
         \x20 backup:\n    strategy: serial\n    phases:\n      - name: dump\n        strategy: serial\n        steps:\n\
         \x20         - { name: run, tasks: [never] }\n",
    ),
    (
        "web/params.yaml",
        "apiVersion: kudo.dev/v1beta1\nparameters:\n  - name: COLOR\n    displayName: Color\n    description: The color.\n    default: red\n\
         \x20 - name: SIZE\n    required: false\n    immutable: false\n",
    ),
    (
        "web/templates/app.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Name }}\ndata:\n  color: {{ .Params.COLOR }}\n  size: {{ .Params.SIZE | quote }}\n",
    ),
];

/// Runs a line; `/sim/advance` lets time pass.
pub(crate) fn run(stage: &mut Stage, files: &BTreeMap<String, String>, service: &str, line: &str) -> Output {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let mut send = |request: &Request| -> Response {
        if request.path == "/sim/advance" {
            stage.run_for(1000);
            return Response::empty(200);
        }
        stage.send(request)
    };
    let mut read = |path: &str| {
        let path = path.strip_prefix("./").unwrap_or(path);
        if path.ends_with('/') {
            let below = files.keys().filter_map(|file| file.strip_prefix(path));
            return Ok(below.collect::<Vec<_>>().join("\n"));
        }
        files.get(path).cloned().ok_or_else(|| format!("open {path}: no such file or directory"))
    };
    let mut terminal = Terminal { service, send: &mut send, read: &mut read };
    (Daemon::CONSOLE.run)(&words, &mut terminal)
}

fn files() -> BTreeMap<String, String> {
    PACKAGE.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_life_cycle_on_the_command_line() {
    let mut stage = Stage::new(2);
    let mut files = files();
    let upgraded: Vec<(String, String)> = files
        .iter()
        .map(|(path, text)| (path.replace("web/", "next/"), text.replace("\"1.0.0\"", "\"1.1.0\"")))
        .collect();
    files.extend(upgraded);
    // The line, its output, and its error output.
    let lines: &[(&str, &str, &str)] = &[
        ("get instances", "List of current installed instances in namespace \"default\":\n.\n\n", ""),
        (
            "install web --instance shop -p SIZE=big",
            "operator default/web created\noperatorversion default/web-2.1-1.0.0 created\ninstance default/shop created\n",
            "",
        ),
        (
            "plan status --instance shop",
            "No plan ever run for instance - nothing to show for instance shop\n",
            "",
        ),
        (
            "install web --instance shop",
            "operatorversion default/web-2.1-1.0.0 already installed\n",
            "Error: cannot install instance 'shop' because an instance of that name already exists in namespace default\n",
        ),
        (
            "install web --instance other --wait",
            "operatorversion default/web-2.1-1.0.0 already installed\ninstance default/other created\ninstance default/other ready\n",
            "",
        ),
        (
            "plan status --instance shop",
            "Plan(s) for \"shop\" in namespace \"default\":\n.\n└── shop (Operator-Version: \"web-2.1-1.0.0\" Active-Plan: \"deploy\")\n\
             \x20   ├── Plan backup (serial strategy) [NOT ACTIVE]\n    │\u{a0}\u{a0} └── Phase dump (serial strategy) [NOT ACTIVE]\n\
             \x20   │\u{a0}\u{a0}     └── Step run [NOT ACTIVE]\n\
             \x20   └── Plan deploy (serial strategy) [COMPLETE], last updated 2020-01-01 00:00:00\n\
             \x20       └── Phase main (parallel strategy) [COMPLETE]\n            └── Step app [COMPLETE]\n\n",
            "",
        ),
        (
            "plan history --instance shop",
            ".\n├── backup (NEVER_RUN)\n└── deploy (last finished run at 2020-01-01T00:00:00 (COMPLETE))\n\n",
            "",
        ),
        (
            "get all",
            "List of current installed operators including versions and instances in namespace \"default\":\n.\n└── web\n\
             \x20   └── web-2.1-1.0.0\n        ├── other\n        └── shop\n\n",
            "",
        ),
        ("update --instance shop -p COLOR=blue --wait", "Instance shop was updated.\n", ""),
        (
            "update --instance shop -p NOPE=1",
            "",
            "Error: updating instance shop admission webhook \"instance-admission.kudo.dev\" denied the request: failed to update Instance default/shop: failed to find parameter \"NOPE\" in the OperatorVersion\n",
        ),
        (
            "update --instance shop",
            "",
            "Error: need to specify at least one parameter to override via -p otherwise there is nothing to update\n",
        ),
        (
            "update --instance nobody -p A=1",
            "",
            "Error: instance nobody in namespace default does not exist in the cluster\n",
        ),
        (
            "plan trigger --name backup --instance shop",
            "Triggered backup plan for default/shop instance\n",
            "",
        ),
        (
            "plan trigger --name deploy --instance shop",
            "",
            "Error: admission webhook \"instance-admission.kudo.dev\" denied the request: failed to update Instance default/shop: overriding currently scheduled (or running) plan 'backup' with 'deploy' is not supported\n",
        ),
        ("plan trigger --instance shop", "", "Error: please choose the plan name with '--name=<planName>'\n"),
        (
            "upgrade web --instance other",
            "",
            "Error: upgraded version 1.0.0 is the same or smaller as current version 1.0.0 -> not upgrading\n",
        ),
        (
            "upgrade next --instance other",
            "operatorversion default/web-2.1-1.1.0 created\ninstance default/other updated\n",
            "",
        ),
        ("uninstall --instance other --wait", "instance.kudo.dev/v1beta1/other deleted\n", ""),
        (
            "uninstall --instance other",
            "",
            "Error: instance other in namespace default does not exist in the cluster\n",
        ),
        ("package verify web", "package is valid\n", ""),
        (
            "package list plans web",
            "plans\n├── backup (serial)\n│\u{a0}\u{a0} └── [phase]  dump (serial)\n│\u{a0}\u{a0}     └── [step]  run\n│\u{a0}\u{a0}         └── never\n└── deploy (serial)\n    └── [phase]  main (parallel)\n        └── [step]  app\n            └── app\n\n",
            "",
        ),
        (
            "install nowhere",
            "",
            "Error: failed to resolve operator package for: nowhere operator.yaml: open nowhere/operator.yaml: no such file or directory\n",
        ),
    ];
    for (line, stdout, stderr) in lines {
        let output = run(&mut stage, &files, "", line);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (*stdout, *stderr), "{line}");
        assert_eq!(output.code, u8::from(!stderr.is_empty()), "{line}");
    }
    assert_eq!(stage.cx.now(), SimTime(stage.now()));
}

#[test]
fn invalid_commands_send_nothing() {
    let mut stage = Stage::new(1);
    for line in ["nonsense", "plan --nope", "install --nope", "get -o"] {
        let output = run(&mut stage, &files(), "", line);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{line}");
        assert!(output.stderr.starts_with("Error: "), "{line}: {}", output.stderr);
    }
    for line in ["", "--help", "install --help"] {
        let output = run(&mut stage, &files(), "", line);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{line}");
        assert!(output.stdout.contains("kubectl kudo install <path>"), "{line}: {}", output.stdout);
    }
    // The real program shows what may follow, whatever follows.
    for (line, within) in [
        ("plan", "plan"),
        ("plan list", "plan"),
        ("package", "package"),
        ("package list", "package list"),
        ("package list nonsense -n x", "package list"),
    ] {
        let output = run(&mut stage, &files(), "", line);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{line}");
        let mut lines = output.stdout.lines();
        assert_eq!(lines.next(), Some("Usage:"), "{line}");
        let head = format!("  kubectl kudo {within} ");
        assert!(
            lines.clone().count() >= 3 && lines.all(|shown| shown.starts_with(&head)),
            "{line}: {}",
            output.stdout
        );
    }
    // The selected service replaces the flag.
    let mut stage = Stage::new(1);
    run(&mut stage, &files(), "", "install web --instance shop --wait");
    assert_eq!(run(&mut stage, &files(), "shop", "uninstall").code, 0);
}

#[test]
fn a_message_of_several_lines_is_printed_unchanged_in_the_tree() {
    let mut files = files();
    let broken = files["web/templates/app.yaml"].replace("{{ .Name }}", "{{ fail \"one\\ntwo\" }}");
    files.insert("web/templates/app.yaml".to_owned(), broken);
    let mut stage = Stage::new(1);
    run(&mut stage, &files, "", "install web --instance shop");
    stage.run_for(2_000);
    let output = run(&mut stage, &files, "", "plan status --instance shop");
    let lines: Vec<&str> = output.stdout.lines().collect();
    let first = lines.iter().position(|line| line.contains("Step app [FATAL_ERROR]")).expect("a step");
    assert!(lines[first].ends_with("one"), "{}", output.stdout);
    assert_eq!(lines[first + 1], "two)", "{}", output.stdout);
}

#[test]
fn objects_are_printed_unchanged() {
    let mut stage = Stage::new(1);
    run(&mut stage, &files(), "", "install web --instance shop --wait");
    let output = run(&mut stage, &files(), "", "plan status --instance shop -o json");
    let value: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(value["planStatus"]["deploy"]["status"], "COMPLETE");
    let output = run(&mut stage, &files(), "", "get instances -o yaml");
    assert!(
        output.stdout.starts_with("---\n") && output.stdout.contains("kind: Instance\n"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.ends_with("...\n"), "{}", output.stdout);
}

#[test]
fn templates_without_a_task_are_warned_about() {
    let mut files = files();
    files.insert("web/templates/deep/spare.yaml".to_owned(), "apiVersion: v1\nkind: ConfigMap\n".to_owned());
    files.insert("web/templates/notes.txt".to_owned(), "no template".to_owned());
    let output = run(&mut Stage::new(1), &files, "", "package verify web/");
    let warned = "template \"deep/spare.yaml\" is not referenced from any task\n";
    assert!(output.stdout.contains(warned), "{}", output.stdout);
    assert!(!output.stdout.contains("notes.txt"), "{}", output.stdout);
    assert_eq!(output.code, 0);
}

#[test]
fn flags_have_the_real_names() {
    let mut stage = Stage::new(1);
    for line in ["package list plans web -t", "package list plans web --with-tasks"] {
        let output = run(&mut stage, &files(), "", line);
        assert!(output.stdout.contains("[apply]  app"), "{line}: {}", output.stdout);
    }
    let output = run(&mut stage, &files(), "", "package list tasks web --repo community");
    assert!(output.stdout.starts_with("Name"), "{}", output.stdout);
}

#[test]
fn tables_match_the_real_client() {
    let mut files = files();
    let broken =
        files["web/operator.yaml"].replace("tasks: [app]", "tasks: [app, gone]").replace("2.1", "2.");
    files.insert("web/operator.yaml".to_owned(), broken);
    let params = "parameters:\n- { name: COLOR, default: red }\n- { name: color, default: red, trigger: nowhere }\n- name: SIZE\n  required: false\n\
                  - name: LONG\n  description: A description that does not fit into one line of its column, and so goes on.\n  default: [a, b]\n  type: array\n";
    files.insert("web/params.yaml".to_owned(), params.to_owned());
    let mut stage = Stage::new(1);
    for (line, expected) in [
        (
            "package verify web",
            "Warnings                              \nparameter \"LONG\" defined but not used.\n\
             Errors                                                 \n\
             parameter \"color\" has a duplicate                      \n\
             unable to parse \"appVersion\": Invalid Semantic Version \n\
             task \"gone\" in plan \"deploy\" is not defined            \n\
             plan \"nowhere\" used in parameter \"color\" is not defined\n",
        ),
        (
            "package list parameters web",
            "Name \tDefault\tRequired\tImmutable\nCOLOR\tred    \ttrue    \tfalse    \nLONG \t- a    \ttrue    \tfalse    \n     \t- b    \t        \t         \n\
             \x20    \t       \t        \t         \nSIZE \t       \tfalse   \tfalse    \ncolor\tred    \ttrue    \tfalse    \n",
        ),
        (
            "package list parameters web --names",
            "Name \nCOLOR\nLONG \nSIZE \ncolor\n\
             Name \nCOLOR\nLONG \nSIZE \ncolor\n\
             Name \tDefault\tRequired\tImmutable\nCOLOR\tred    \ttrue    \tfalse    \nLONG \t- a    \ttrue    \tfalse    \n     \t- b    \t        \t         \n\
             \x20    \t       \t        \t         \nSIZE \t       \tfalse   \tfalse    \ncolor\tred    \ttrue    \tfalse    \n",
        ),
        (
            "package list tasks web",
            "Name \tKind \tResources \napp  \tApply\t[app.yaml]\nnever\tDummy\t[]        \n",
        ),
    ] {
        let output = run(&mut stage, &files, "", line);
        assert_eq!(output.stdout, expected, "{line}");
    }
    let output = run(&mut stage, &files, "", "package list parameters web -d");
    let long = "LONG \t- a    \ttrue    \tfalse    \tA description that does not fit    \n\
                \x20    \t- b    \t        \t         \tinto one line of its column, and so\n\
                \x20    \t       \t        \t         \tgoes on.                           \n";
    assert!(output.stdout.contains(long), "{}", output.stdout);
    let output = run(&mut stage, &files, "", "package list parameters web -r");
    assert!(
        output.stdout.starts_with("no required parameters without default values found\nName \n"),
        "{}",
        output.stdout
    );
}

#[test]
fn a_namespace_is_created_from_the_packages_manifest() {
    let mut files = files();
    let named =
        files["web/operator.yaml"].replace("name: web\n", "name: web\nnamespaceManifest: space.yaml\n");
    files.insert("web/operator.yaml".to_owned(), named);
    let manifest = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: other\n  labels:\n    owner: {{ .Name }}-{{ .OperatorName }}-{{ .AppVersion }}\n\
                    \x20   size: {{ .Params.SIZE }}\n";
    files.insert("web/templates/space.yaml".to_owned(), manifest.to_owned());
    let mut stage = Stage::new(1);
    let made =
        "operator team/web created\noperatorversion team/web-2.1-1.0.0 created\ninstance team/shop created\n";
    for (line, stdout, stderr) in [
        (
            "install web --create-namespace -n team",
            "",
            "Error: failed to render namespace manifest \"space.yaml\": error rendering template: template: namespace:7:20: executing \
             \"namespace\" at <.Params.SIZE>: map has no entry for key \"SIZE\"\n",
        ),
        ("install web --create-namespace -n team --instance shop -p SIZE=big", made, ""),
        (
            "install web --create-namespace -n team --instance two -p SIZE=big",
            "",
            "Error: namespaces \"team\" already exists\n",
        ),
    ] {
        let output = run(&mut stage, &files, "", line);
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), (stdout, stderr), "{line}");
    }
    let space = stage.object("api/v1/namespaces/team").expect("a namespace");
    assert_eq!(space["metadata"]["labels"]["owner"], "shop-web-2.1");
    assert_eq!(space["metadata"]["labels"]["size"], "big");
    assert_eq!(space["metadata"]["annotations"]["created-by"], "kudo-cli");
}
