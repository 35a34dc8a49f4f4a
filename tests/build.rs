//! Tells the tests whether the real definitions are at hand, so that those that read them are skipped and counted as such
//! where they are not.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=PLANARIUM_REAL");
    println!("cargo:rustc-check-cfg=cfg(real_files, real_programs)");
    let named = std::env::var_os("PLANARIUM_REAL").map(PathBuf::from);
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let folder = named.unwrap_or_else(|| here.join("../../shared/real"));
    // Looked at again when the folder, or what would hold it, changes.
    let watched = folder.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    println!("cargo:rerun-if-changed={}", watched.display());
    if folder.join("dcos-commons/helloworld").is_dir() {
        println!("cargo:rustc-cfg=real_files");
    }
    if ["cassandra", "hdfs"].iter().all(|name| folder.join("dcos-commons").join(name).is_dir()) {
        println!("cargo:rustc-cfg=real_programs");
    }
}
