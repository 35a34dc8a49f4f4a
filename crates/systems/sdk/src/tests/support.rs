//! A short way to write requests down, and findings in a form to compare.

use crate::spec::ServiceSpec;
use crate::{Loaded, load};
use planarium_protocol::input::LoadService;
use std::sync::Arc;

/// Reads a request from a text: comment lines `# env: KEY=VALUE`, `# options: {…}` and `# name: NAME` at
/// the beginning of lines say what comes with the files, `# file: PATH` begins a further file. What comes
/// first is `svc.yml`.
pub(crate) fn request(text: &str) -> LoadService {
    let mut request = LoadService { dialect: "sdk".into(), ..LoadService::default() };
    let mut path = "svc.yml".to_owned();
    let mut body = String::new();
    for line in text.lines() {
        if let Some(pair) = line.strip_prefix("# env: ") {
            let (key, value) = pair.split_once('=').expect("KEY=VALUE");
            request.env.insert(key.into(), value.into());
        } else if let Some(options) = line.strip_prefix("# options: ") {
            request.options = serde_json::from_str(options).expect("options as JSON");
        } else if let Some(name) = line.strip_prefix("# name: ") {
            request.name = name.into();
        } else if let Some(next) = line.strip_prefix("# file: ") {
            if !body.is_empty() {
                request.files.insert(std::mem::take(&mut path), std::mem::take(&mut body));
            }
            path = next.trim().to_owned();
        } else {
            body.push_str(line);
            body.push('\n');
        }
    }
    if !body.is_empty() {
        request.files.insert(path, body);
    }
    request
}

/// Findings like [`all_findings`], without the one that names the program.
pub(crate) fn findings(loaded: &Loaded) -> Vec<String> {
    let program = format!("[{}]", crate::codes::PROGRAM);
    all_findings(loaded).into_iter().filter(|line| !line.contains(&program)).collect()
}

/// Findings as `line:column severity[CODE] message`, in order.
pub(crate) fn all_findings(loaded: &Loaded) -> Vec<String> {
    let sorted = loaded.diagnostics.clone().into_sorted();
    let shown = sorted.iter().map(|finding| {
        let at = loaded.sources.position(finding.span);
        format!("{}:{} {}[{}] {}", at.line, at.column, finding.severity, finding.code, finding.message)
    });
    shown.collect()
}

/// Loads a text that must be without any finding.
pub(crate) fn clean(text: &str) -> Loaded {
    let loaded = load(&request(text));
    assert_eq!(findings(&loaded), Vec::<String>::new(), "{text}");
    loaded
}

/// The spec of a text that must be without any finding.
pub(crate) fn spec(text: &str) -> Arc<ServiceSpec> {
    clean(text).spec.expect("a spec")
}
