//! The real definitions, when a folder of them is at hand.

use super::support::findings;
use crate::{load, lower};
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;
use std::path::Path;

/// Paths of the secrets of `secrets.yml`.
const SECRETS: &[&str] =
    &["HELLO_SECRET1", "HELLO_SECRET2", "WORLD_SECRET1", "WORLD_SECRET2", "WORLD_SECRET3"];

/// Reads files of a folder as `prefix/name`.
fn folder(path: &Path, prefix: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(path).expect("a folder") {
        let path = entry.expect("an entry").path();
        if let (Some(name), Ok(text)) = (path.file_name(), std::fs::read_to_string(&path)) {
            files.insert(format!("{prefix}/{}", name.to_string_lossy()), text);
        }
    }
    files
}

#[test]
fn every_real_file_loads_with_the_environment_of_its_package() {
    let Ok(root) = std::env::var("PLANARIUM_REAL") else {
        eprintln!("PLANARIUM_REAL is not set: no real definitions were read");
        return;
    };
    let root = Path::new(&root).join("dcos-commons/helloworld");
    let package = folder(&root.join("universe"), "universe");
    let dist = folder(&root.join("dist"), "dist");
    assert_eq!(dist.len(), 39);
    for (path, text) in &dist {
        let mut files = package.clone();
        files.insert(path.clone(), text.clone());
        // A secret needs its path, which the package leaves to who installs it.
        let secrets: &[&str] = if path.ends_with("/secrets.yml") { SECRETS } else { &[] };
        let env = secrets.iter().map(|name| ((*name).to_owned(), "a/path".to_owned())).collect();
        let loaded = load(&LoadService { dialect: "sdk".into(), files, env, ..LoadService::default() });
        let shown = findings(&loaded);
        eprintln!("{path}");
        for line in &shown {
            eprintln!("    {line}");
        }
        assert!(!shown.iter().any(|line| line.contains(" error[")), "{path}: {shown:#?}");
        let spec = loaded.spec.expect("a spec");
        assert!(lower::at_start(&spec, false).iter().any(|plan| &*plan.name == lower::DEPLOY), "{path}");
    }
}

#[test]
fn the_definitions_of_simulated_programs_load_and_start() {
    let Ok(root) = std::env::var("PLANARIUM_REAL") else {
        eprintln!("PLANARIUM_REAL is not set: no real definitions were read");
        return;
    };
    for name in ["cassandra", "hdfs"] {
        let root = Path::new(&root).join("dcos-commons").join(name);
        if !root.exists() {
            eprintln!("{name} is not among the real definitions");
            continue;
        }
        let mut files = folder(&root.join("universe"), "universe");
        files.extend(folder(&root.join("dist"), "dist"));
        let loaded = load(&LoadService { dialect: "sdk".into(), files, ..LoadService::default() });
        let shown = findings(&loaded);
        eprintln!("{name}\n    {}", shown.join("\n    "));
        assert_eq!(loaded.program.name(), name);
        assert!(!shown.iter().any(|line| line.contains(" error[")), "{name}: {shown:#?}");
        let (scheduler, _) = crate::Scheduler::start(&mut crate::Cx::new(1), &loaded, None).expect("starts");
        assert!(scheduler.plan_named("replace").is_some(), "{name}");
    }
}
