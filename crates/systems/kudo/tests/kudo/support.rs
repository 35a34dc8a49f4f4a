//! Packages as texts.

#![expect(clippy::expect_used, reason = "helpers of tests")]

use planarium_kudo::definition::Loaded;
use planarium_protocol::input::LoadService;
use std::collections::BTreeMap;

/// A request from one text: `# file: PATH` begins a file, `# params: JSON` gives values.
pub(crate) fn request(text: &str) -> LoadService {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut params = BTreeMap::new();
    let mut path: Option<String> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# file: ") {
            path = Some(name.to_owned());
            files.insert(name.to_owned(), String::new());
        } else if let Some(values) = line.strip_prefix("# params: ") {
            params = serde_json::from_str(values).expect("values");
        } else if let Some(file) = path.as_ref().and_then(|path| files.get_mut(path)) {
            file.push_str(line);
            file.push('\n');
        }
    }
    LoadService { dialect: "kudo".into(), name: "shop".into(), files, params, ..LoadService::default() }
}

/// Every finding as `file:line:column: severity[CODE]: message`.
pub(crate) fn findings(loaded: &Loaded) -> Vec<String> {
    let show = |finding: &planarium_source::Diagnostic| {
        let file = loaded.sources().get(finding.span.file);
        let (name, place) =
            file.map_or(("", None), |file| (file.name(), Some(file.position(finding.span.start))));
        let (line, column) = place.map_or((1, 1), |place| (place.line, place.column));
        format!("{name}:{line}:{column}: {}[{}]: {}", finding.severity, finding.code, finding.message)
    };
    loaded.diagnostics().iter().map(show).collect()
}
