//! Tells the tests of a crate which real definitions, and whether Go, are available, so that tests that need them are skipped and counted as such
//! without them: `#[cfg_attr(not(real_files), ignore = "the real definitions are not at hand")]`. Shared by the crates that read some.

use std::path::{Path, PathBuf};

/// Each flag, and the folders that must all be there for it.
const FLAGS: [(&str, &[&str]); 3] = [
    ("real_files", &["dcos-commons/helloworld", "marathon"]),
    ("real_programs", &["dcos-commons/cassandra", "dcos-commons/hdfs"]),
    ("real_operators", &["kudo-operators"]),
];

/// Go and its packages, where Debian puts them.
const GO: [&str; 3] = [
    "/usr/bin/go",
    "/usr/share/gocode/src/github.com/Masterminds/sprig",
    "/usr/share/gocode/src/gopkg.in/yaml.v2",
];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(go_templates)");
    // Go that is installed after the first build is seen when this variable is set, to anything.
    println!("cargo:rerun-if-env-changed=PLANARIUM_GO");
    if GO.iter().all(|path| Path::new(path).exists()) {
        println!("cargo:rustc-cfg=go_templates");
    }
    println!("cargo:rerun-if-env-changed=PLANARIUM_REAL");
    let named = std::env::var_os("PLANARIUM_REAL").map(PathBuf::from);
    let folder = named.unwrap_or_else(beside_the_repository);
    // Checked again when the folder changes. A folder that is added later must be named explicitly: cargo would treat a missing
    // folder as one that always changes, and its parent contains too much to scan for each build.
    if folder.is_dir() {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    for (flag, folders) in FLAGS {
        println!("cargo:rustc-check-cfg=cfg({flag})");
        if folders.iter().all(|name| folder.join(name).is_dir()) {
            println!("cargo:rustc-cfg={flag}");
        }
    }
}

/// `../shared/real` as seen from the repository, whose lock file lies at its top.
fn beside_the_repository() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let top = here.ancestors().find(|path| path.join("Cargo.lock").is_file()).unwrap_or(&here);
    top.join("../shared/real")
}
