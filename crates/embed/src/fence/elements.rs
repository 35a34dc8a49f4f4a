//! Elements as claims name them: a plan, phase or step by its path, or a phase, step, pod or task by its name alone.
//!
//! *Knows*: names in views and in events. *Must not know*: claims.

use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::view::{ServiceView, View};

/// The name of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Named {
    /// `PLAN`, `PLAN/PHASE`, `PLAN/PHASE/STEP`, with or without the service in front.
    ByPath,
    /// By the last part of its path, or as a pod or task.
    ByName,
}

/// An element with a name asked for, and its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) named: Named,
    pub(crate) service: String,
    pub(crate) name: String,
    pub(crate) status: String,
    /// Its path as events have it; empty for tasks.
    pub(crate) key: String,
}

/// Finds the elements with a name in a view. A path belongs to the first service that has it; a single name to all elements
/// with that name.
pub(crate) fn sights(view: &View, wanted: &str) -> Vec<Sight> {
    let mut all: Vec<Sight> = Vec::new();
    for service in &view.services {
        every(service, &mut |Entry { names, ids, key, status }| {
            let by_name = named(&service.name, names, wanted);
            let Some(named) = by_name.or_else(|| named(&service.name, ids, wanted)) else { return };
            all.push(Sight {
                named,
                service: service.name.to_string(),
                name: names.join("/"),
                status: (*status).to_owned(),
                key: (*key).to_owned(),
            });
        });
        for pod in &service.pods {
            for task in &pod.tasks {
                if (*pod.name == *wanted || *task.name == *wanted)
                    && let Some(status) = &task.status
                {
                    all.push(Sight {
                        named: Named::ByName,
                        service: service.name.to_string(),
                        name: task.name.to_string(),
                        status: status.to_string(),
                        key: String::new(),
                    });
                }
            }
        }
    }
    if let Some(first) = all.iter().find(|sight| sight.named == Named::ByPath).cloned() {
        all.retain(|sight| sight.named == Named::ByPath && sight.service == first.service);
        all.truncate(1);
    }
    all
}

/// Longest id that a person would write; longer ones are drawn by the system.
const LONGEST_ID: usize = 24;

/// Names of everything in a view, for suggestions: without repetition, in the order of the view.
pub(crate) fn names(view: &View) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for service in &view.services {
        every(service, &mut |Entry { names, ids, .. }| {
            let id = ids.last().copied().filter(|id| id.len() <= LONGEST_ID);
            for name in [Some(&*names.join("/")), names.last().copied(), id].into_iter().flatten() {
                if !all.iter().any(|known| known == name) {
                    all.push(name.to_owned());
                }
            }
        });
        all.extend(service.pods.iter().map(|pod| pod.name.to_string()));
    }
    all
}

/// An element of a view.
struct Entry<'v> {
    /// Names from the plan down.
    names: &'v [&'v str],
    /// Ids from the plan down.
    ids: &'v [&'v str],
    /// Its path as events have it.
    key: &'v str,
    status: &'v str,
}

/// Calls `take` for every element.
fn every(service: &ServiceView, take: &mut dyn FnMut(&Entry<'_>)) {
    for plan in &service.plans {
        let path = [&*plan.name];
        take(&Entry { names: &path, ids: &path, key: &plan.name, status: &plan.status });
        for phase in &plan.phases {
            let key = format!("{}/{}", plan.name, phase.name);
            let (names, ids) = ([&*plan.name, &*phase.name], [&*plan.name, &*phase.id]);
            take(&Entry { names: &names, ids: &ids, key: &key, status: &phase.status });
            for step in &phase.steps {
                let key = format!("{key}/{}", step.key());
                let names = [&*plan.name, &*phase.name, &*step.name];
                let ids = [&*plan.name, &*phase.id, &*step.id];
                take(&Entry { names: &names, ids: &ids, key: &key, status: &step.status });
            }
        }
    }
}

/// Returns the way in which a name fits the element with this path, if it does.
fn named(service: &str, parts: &[&str], wanted: &str) -> Option<Named> {
    let wanted = wanted.trim_matches('/');
    let path = parts.join("/");
    let is_path = wanted == path
        || wanted.strip_prefix(service.trim_matches('/')).and_then(|rest| rest.strip_prefix('/'))
            == Some(path.as_str());
    if is_path {
        return Some(Named::ByPath);
    }
    let [plan, .., last] = parts else { return None };
    // The id of an app begins with a slash, and has more of them where it belongs to a group.
    let last = last.trim_matches('/');
    // A step of the SDK is called after its pod and tasks, `world-1:[server]`.
    let alone =
        |name: &str| last == name || last.strip_prefix(name).is_some_and(|rest| rest.starts_with(':'));
    let below = wanted.strip_prefix(plan).and_then(|rest| rest.strip_prefix('/'));
    (alone(wanted) || below.is_some_and(alone)).then_some(Named::ByName)
}

/// Returns the status that an event gives to a named element. `keys` are the paths of the name in the run's views.
pub(crate) fn told(event: &EventBody, wanted: &str, keys: &[String]) -> Option<Sight> {
    match event {
        EventBody::ElementStatus { path, to, .. } => {
            let ElementPath { service, plan, phase, step, .. } = path;
            let parts: Vec<&str> = [Some(plan), phase.as_ref(), step.as_ref()]
                .into_iter()
                .flatten()
                .map(AsRef::as_ref)
                .collect();
            let name = parts.join("/");
            let by_key = || keys.contains(&name).then_some(Named::ByName);
            let named = named(service, &parts, wanted).or_else(by_key)?;
            Some(Sight {
                named,
                service: service.to_string(),
                key: name.clone(),
                name,
                status: to.to_string(),
            })
        }
        EventBody::TaskStatus { framework, task, state, .. } => {
            let is = **task == *wanted || task.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('-'));
            is.then(|| Sight {
                named: Named::ByName,
                service: framework.to_string(),
                name: task.to_string(),
                status: state.to_string(),
                key: String::new(),
            })
        }
        _ => None,
    }
}

/// Returns whether two status words are the same: case and Mesos' `TASK_` do not matter.
pub(crate) fn same(shown: &str, wanted: &str) -> bool {
    let plain = |word: &str| word.to_ascii_uppercase().trim_start_matches("TASK_").to_owned();
    plain(shown) == plain(wanted)
}
