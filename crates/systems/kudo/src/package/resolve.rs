//! Dependencies of packages on other packages.
//!
//! **Source**: `kudobuilder/kudo: pkg/kudoctl/resources/dependencies/resolve.go` and `pkg/kudoctl/packages/resolver`. Match,
//! except that there is no repository: a name refers to a package among the files.

use planarium_source::template::gotemplate::Version;
use std::cmp::Ordering;

use super::decode::Package;
use super::model::{Task, TaskKind};
use super::objects::version_name;

/// Orders versions newest first: by version of the application, then of the operator. Invalid versions come last.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    match (Version::parse(a), Version::parse(b)) {
        (Ok(a), Ok(b)) => a.compare(&b),
        (Err(_), Err(_)) => a.cmp(b),
        (Err(_), Ok(_)) => Ordering::Less,
        (Ok(_), Err(_)) => Ordering::Greater,
    }
}

/// Returns the name of an operator version in dependencies between packages.
pub fn qualified_name(package: &Package) -> String {
    package.operator.as_ref().map_or_else(String::new, |operator| {
        version_name(&operator.name.value, &operator.app_version.value, &operator.operator_version.value)
    })
}

/// Returns a task's request in the real words.
fn wanted(task: &Task) -> String {
    let any = |text: &str| if text.is_empty() { "any".to_owned() } else { text.to_owned() };
    format!(
        "Operator: {:?}, OperatorVersion: {:?}, AppVersion {:?}",
        task.package.value,
        any(&task.operator_version.value),
        any(&task.app_version.value)
    )
}

/// A dependency that could not be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Number of the package whose task it is.
    pub package: usize,
    /// Number of the task in it.
    pub task: usize,
    /// The real words.
    pub message: String,
    /// The packages depend on each other.
    pub cycle: bool,
}

/// The packages that the first one depends on, in the order of finding, each once; tasks of children then name the operator and
/// its versions.
///
/// *Errors*: the first dependency that does not exist, or a circle.
pub fn resolve(packages: &mut [Package]) -> Result<Vec<usize>, Unresolved> {
    let mut found = vec![0];
    let mut edges: Vec<(usize, usize)> = Vec::new();
    walk(packages, 0, &mut found, &mut edges)?;
    found.remove(0);
    Ok(found)
}

fn walk(
    packages: &mut [Package],
    parent: usize,
    found: &mut Vec<usize>,
    edges: &mut Vec<(usize, usize)>,
) -> Result<(), Unresolved> {
    let tasks =
        packages.get(parent).and_then(|package| package.operator.as_ref()).map_or(0, |it| it.tasks.len());
    for task in 0..tasks {
        let Some(own) = packages.get(parent) else { break };
        let Some(wish) = own.operator.as_ref().and_then(|operator| operator.tasks.get(task)) else { break };
        if wish.is() != Some(TaskKind::KudoOperator) {
            continue;
        }
        let failed = |message: String, cycle: bool| Unresolved { package: parent, task, message, cycle };
        let (name, parent_name) = (wanted(wish), qualified_name(own));
        let child = child_of(packages, own, wish).map_err(|problem| {
            failed(
                format!("failed to resolve package {name}, dependency of package {parent_name}: {problem}"),
                false,
            )
        })?;
        let child_name = packages.get(child).map(qualified_name).unwrap_or_default();
        if let Some(operator) = packages.get(child).and_then(|package| package.operator.clone()) {
            let resolved = packages.get_mut(parent).and_then(|package| package.operator.as_mut());
            if let Some(task) = resolved.and_then(|operator| operator.tasks.get_mut(task)) {
                task.package.value = operator.name.value;
                task.operator_version.value = operator.operator_version.value;
                task.app_version.value = operator.app_version.value;
            }
        }
        let new = !found.contains(&child);
        if new {
            found.push(child);
        }
        edges.push((parent, child));
        if reaches(edges, child, parent) {
            let message =
                format!("cyclic package dependency found when adding package {parent_name} -> {child_name}");
            return Err(failed(message, true));
        }
        if new {
            walk(packages, child, found, edges)?;
        }
    }
    Ok(())
}

fn reaches(edges: &[(usize, usize)], from: usize, to: usize) -> bool {
    let mut seen = vec![from];
    let mut at = 0;
    while let Some(one) = seen.get(at).copied() {
        if one == to {
            return true;
        }
        at += 1;
        for (_, next) in edges.iter().filter(|(start, _)| *start == one) {
            if !seen.contains(next) {
                seen.push(*next);
            }
        }
    }
    false
}

/// Finds the package of a task: by a path that begins with `./` or `../` from the parent's folder, otherwise by the
/// operator's name, the newest matching one.
fn child_of(packages: &[Package], parent: &Package, task: &Task) -> Result<usize, String> {
    let name = task.package.value.as_str();
    if name.starts_with("./") || name.starts_with("../") || name.starts_with('/') {
        let path = join(&parent.root, name);
        let found = packages.iter().position(|package| path.as_deref() == Some(package.root.as_str()));
        return found
            .filter(|at| packages.get(*at).is_some_and(|package| package.operator.is_some()))
            .ok_or_else(|| format!("{name} is not a valid local package path"));
    }
    let mut best: Option<usize> = None;
    for (at, package) in packages.iter().enumerate() {
        let Some(operator) = &package.operator else { continue };
        let fits = operator.name.value == name
            && (task.operator_version.value.is_empty()
                || task.operator_version.value == operator.operator_version.value)
            && (task.app_version.value.is_empty() || task.app_version.value == operator.app_version.value);
        let newer = best.and_then(|best| packages.get(best)?.operator.as_ref()).is_none_or(|best| {
            compare_versions(&operator.app_version.value, &best.app_version.value)
                .then_with(|| {
                    compare_versions(&operator.operator_version.value, &best.operator_version.value)
                })
                .is_gt()
        });
        if fits && newer {
            best = Some(at);
        }
    }
    best.ok_or_else(|| format!("no operator version found for {name}"))
}

/// Returns the path of a package named relative to its parent's folder, from the top of all files; it begins with `../` if it
/// leads above the top. `None` for a package named otherwise.
pub fn outside(folder: &str, name: &str) -> Option<String> {
    if !(name.starts_with("./") || name.starts_with("../")) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Joins a path to a folder; `None` if it leads above the top.
fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = if path.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').filter(|part| !part.is_empty()).collect()
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
