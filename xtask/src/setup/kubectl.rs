//! The Kubernetes client for tests against `planarium serve`: Debian's, or an installed one.

use crate::out;
use crate::proc::find;
use std::path::PathBuf;

/// Makes sure of `kubectl`; installs Debian's where that is possible. Without one, the tests that run it are skipped.
pub(crate) fn ensure() -> Option<PathBuf> {
    if let Some(program) = find("kubectl") {
        return Some(program);
    }
    let skipped = "kubectl is missing: the tests that run it are skipped (on Debian, as root: apt-get install kubernetes-client)";
    if find("apt-get").is_none() || !super::browser::is_root() {
        out::warn(skipped);
        return None;
    }
    out::step("kubectl is missing: tests run it against a served world (apt-get install kubernetes-client)");
    if let Err(error) = super::browser::apt(&["kubernetes-client"], "kubectl") {
        out::warn(format!("{error}"));
        out::warn(skipped);
    }
    find("kubectl")
}
