//! The checks that `package verify --param-checks` adds: how well parameters are described.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/packages/verifier/template/verify_extended_parameters.go`. Match.

use crate::package::Package;

/// The words of the checks.
pub const CHECKS: [&str; 7] = ["display", "hint", "desc", "type", "hasgroup", "groups", "all"];

/// The warnings of some checks.
///
/// *Errors*: a check that does not exist.
pub fn extended(package: &Package, checks: &[&str]) -> Result<Vec<String>, String> {
    if let Some(unknown) = checks.iter().find(|check| !CHECKS.contains(check)) {
        return Err(format!("unknown parameter check: {unknown}, must be one of [{}]", CHECKS.join(" ")));
    }
    let Some(params) = &package.params else { return Ok(Vec::new()) };
    let wants = |check: &str| checks.contains(&check) || checks.contains(&"all");
    let mut found = Vec::new();
    let mut each =
        |check: &str, problem: &dyn Fn(&crate::package::model::Parameter) -> Option<&'static str>| {
            if wants(check) {
                let problems =
                    params.parameters.iter().filter_map(|parameter| Some((parameter, problem(parameter)?)));
                found.extend(
                    problems.map(|(parameter, text)| format!("parameter {:?} {text}", parameter.name.value)),
                );
            }
        };
    each("desc", &|parameter| description(&parameter.description));
    each("hint", &|parameter| hint(&parameter.hint));
    each("display", &|parameter| display(&parameter.display_name));
    each("hasgroup", &|parameter| parameter.group.value.is_empty().then_some("has no group"));
    each("type", &|parameter| parameter.kind.is_empty().then_some("has no explicit type assigned"));
    if wants("groups") {
        for group in &params.groups {
            let problems = [display(&group.display_name), description(&group.description)];
            let problems = problems.into_iter().flatten();
            found.extend(problems.map(|text| format!("parameter group {:?} {text}", group.name.value)));
        }
    }
    Ok(found)
}

fn display(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("has no displayName")
    } else if name.ends_with(':') {
        Some("has a displayName ending with ':'")
    } else if !starts_upper(name) {
        Some("has a displayName that does not start with a capital letter")
    } else {
        None
    }
}

fn hint(hint: &str) -> Option<&'static str> {
    if hint.is_empty() {
        Some("has no hint")
    } else if !hint.ends_with('.') {
        Some("has a hint not ending with a '.'")
    } else {
        None
    }
}

fn description(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        Some("has no description")
    } else if !text.ends_with(['.', '!', '?', ')']) {
        Some("has a description not ending with one of '.!?)'")
    } else if !starts_upper(text) {
        Some("has a description that does not start with a capital letter")
    } else {
        None
    }
}

/// The first byte is not a small letter: the real check looks at one byte only, which is never one in non-ASCII
/// letters.
fn starts_upper(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_lowercase())
}
