//! The real definitions, when a folder of them is at hand.

use super::support::findings;
use crate::{load, lower};
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;
use std::path::Path;

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
        let loaded = load(&LoadService { dialect: "sdk".into(), files, ..LoadService::default() });
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
