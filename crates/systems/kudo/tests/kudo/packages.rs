//! Packages that people have.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use super::support::{findings, request};
use planarium_kudo::definition::Loaded;
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn read_folder(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read_folder(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The real packages. They are not part of the repository: without them, their tests are skipped (`tests/build.rs`).
pub(crate) fn real_packages() -> Vec<(String, BTreeMap<String, String>)> {
    let real = std::env::var_os("PLANARIUM_REAL").map(PathBuf::from);
    let real = real.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/real"));
    let folder = real.join("kudo-operators");
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.is_empty(), "{}", folder.display());
    names.sort();
    let read = |name: String| {
        let root = folder.join(&name).join("operator");
        let mut files = BTreeMap::new();
        read_folder(&root, &root, &mut files);
        (name, files)
    };
    names.into_iter().map(read).collect()
}

#[test]
#[cfg_attr(not(real_operators), ignore = "the real KUDO packages are not at hand")]
fn real_packages_have_no_errors() {
    for (name, files) in real_packages() {
        let load = LoadService { dialect: "kudo".into(), files, ..LoadService::default() };
        let loaded = Loaded::read(&load);
        let errors: Vec<_> = findings(&loaded).into_iter().filter(|line| line.contains("error[")).collect();
        assert!(loaded.is_usable() && errors.is_empty(), "{name}: {errors:#?}");
        assert_eq!(&**loaded.name(), format!("{name}-instance"));
    }
}

#[test]
fn unusual_files_are_read_like_the_real_reader() {
    // The replaced text, its replacement, the resulting finding (if any), and whether it can be installed.
    let base = "# file: operator.yaml\nname: web\noperatorVersion: 1.0.0\nkubernetesVersion: 1.10\n\
                tasks:\n- name: app\n  kind: Apply\n  spec:\n    resources: [app.yaml]\n\
                plans:\n  deploy:\n    strategy: serial\n    phases:\n    - name: main\n      strategy: serial\n      steps:\n\
                \x20     - name: 1st-step\n        tasks: [app]\n\
                # file: params.yaml\nparameters:\n- name: with-dash\n  default: 1000000\n\
                # file: templates/app.yaml\nkind: ConfigMap\napiVersion: v1\nmetadata:\n  name: {{ .Name }}\n\
                data:\n  n: {{ index .Params \"with-dash\" | quote }}\n";
    let cases: &[(&str, &str, &str, bool)] = &[
        ("", "", "warning[KUDO018]: parameter \"with-dash\" defined but not used.", true),
        ("NAME: web", "name: web", "", true),
        ("name: web\n", "name: 7\n", "", true),
        ("resources: [app.yaml]", "resources: [app.yaml, app.yaml]", "", true),
        ("tasks: [app]", "tasks: []", "warning[KUDO014]", true),
        ("kind: Apply", "kind: apply", "error[KUDO009]: unknown task kind apply", false),
        (
            "operatorVersion: 1.0.0\n",
            "",
            "error[KUDO012]: \"operatorVersion\" is required and must be semver",
            true,
        ),
        ("kubernetesVersion: 1.10", "kubernetesVersion: \"1.\"", "error[KUDO012]", false),
        ("# file: templates/app.yaml", "# file: templates/sub/app.yaml", "error[KUDO008]", false),
        ("  name: {{ .Name }}", "  name: {{ .Nmae }}", "error[KUDO026]", true),
        ("{{ .Name }}", "{{ .Name }", "error[KUDO024]", true),
        (
            "parameters:\n",
            "parameters:\n- name: LIST\n  type: array\n  default: \"[a\"\n",
            "error[KUDO021]",
            true,
        ),
        ("    phases:\n", "    phases: {}\n    unread:\n", "warning[KUDO005]", true),
    ];
    for (from, to, finding, usable) in cases {
        let text = if from.is_empty() { base.to_owned() } else { base.replacen(from, to, 1) };
        assert!(from.is_empty() || *from == "NAME: web" || text != base, "{from}");
        let loaded = Loaded::read(&request(&text));
        let shown = findings(&loaded);
        assert!(finding.is_empty() || shown.iter().any(|line| line.contains(finding)), "{to:?}: {shown:#?}");
        assert_eq!(loaded.is_usable(), *usable, "{to:?}: {shown:#?}");
    }
}

#[test]
fn the_verifier_prints_values_like_go() {
    let verified = |parameter: &str| {
        let text = format!(
            "# file: operator.yaml\nname: shop\noperatorVersion: \"1.0.0\"\nkubernetesVersion: 1.16.0\ntasks:\n\
             \x20 - {{ name: done, kind: Dummy, spec: {{ done: true }} }}\nplans:\n  deploy:\n    strategy: serial\n    phases: []\n\
             # file: params.yaml\nparameters:\n  - {{ name: P, trigger: deploy, {parameter} }}\n"
        );
        let loaded = Loaded::read(&request(&text));
        let found = loaded.diagnostics().iter().filter(|finding| finding.is_error());
        found.map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    for (parameter, shown, allowed) in [
        ("default: z, enum: [a, b]", "\"z\"", "a b"),
        ("type: number, default: 5, enum: [1, 2]", "%!q(float64=5)", "1 2"),
        ("type: boolean, default: true, enum: [false]", "%!q(bool=true)", "false"),
        ("type: array, default: [a, 1], enum: [[b]]", "[\"a\" %!q(float64=1)]", "[b]"),
    ] {
        let expected = format!(
            "parameter \"P\" has an invalid default value: value is {shown}, but only allowed values are [{allowed}]"
        );
        assert_eq!(verified(parameter), [expected], "{parameter}");
    }
}
