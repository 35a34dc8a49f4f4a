//! The scheduler of a framework that several services share: its own routes, and those that manage its services.
//!
//! Knows: the input of each call. Must not know: how services share a framework.
//!
//! **Source**: dcos-commons `MultiServiceEventClient` (which routes there are), `Multi*Resource`, and the example service's
//! `ExampleMultiServiceResource` for `/v1/multi`.

use super::paths::{Meaning, ROUTES, plan_of};
use super::text::{self, Form};
use super::{is_called, refused, shaped, unknown, wrong_method};
use crate::daemon::{Daemon, Member, Shared};
use planarium_kernel::SortedSet;
use planarium_part::routes::{Route, find};
use planarium_part::{Request, Response, Wire};
use planarium_protocol::Input;
use planarium_protocol::input::{LoadService, RemoveService};
use planarium_protocol::json;
use serde_json::Value;
use std::collections::BTreeMap;

/// Files of a package: they belong to the framework, not to one of its services.
const PACKAGE: &[&str] = &["config.json", "marathon.json.mustache", "resource.json", "package.json"];

/// Reads of a framework itself: `/v1/plans` and so on.
const OF_FRAMEWORK: &[&str] = &["plans", "plan", "health", "metrics"];

/// An operation on the services of a framework.
#[derive(Clone, Copy, Debug)]
enum Multi {
    Services,
    Definitions,
    Add,
    Remove,
}

const MULTI: &[Route<Multi>] = &[
    Route::new("GET", "v1/multi", Multi::Services),
    Route::new("GET", "v1/multi/yaml", Multi::Definitions),
    Route::new("POST", "v1/multi/{service}", Multi::Add),
    Route::new("DELETE", "v1/multi/{service}", Multi::Remove),
];

impl Daemon {
    /// Answers for a shared framework itself.
    pub(super) fn answer_framework(
        &self,
        request: &Request,
        shared: &Shared,
        members: &[&Member],
        parts: &[&str],
        epoch_ms: u64,
    ) -> Wire {
        if let ["v1", "service", one, rest @ ..] = parts {
            return match member(members, one) {
                Some(_) => self.one_of_several(request, one, rest, epoch_ms),
                None => Wire::Answer(nobody(one)),
            };
        }
        let method = request.method.as_str();
        if let Some(found) = find(MULTI, parts) {
            let service = found.captures.one("service");
            return match found.by(method) {
                Ok(Multi::Services) => assembled(&services(members)),
                Ok(Multi::Definitions) => assembled(&definitions(shared, members).into()),
                Ok(Multi::Add) if super::is_not_json(request) => super::wrong_kind(),
                Ok(Multi::Add) => add(request, shared, members, service),
                Ok(Multi::Remove) => remove(members, service),
                Err(allowed) => wrong_method(&allowed),
            };
        }
        let found = find(ROUTES, parts);
        if let Some(found) = found.as_ref().filter(|found| found.meaning().is_command()) {
            return match found.by(method) {
                Ok(_) => Wire::Answer(command(shared, plan_of(&found.captures))),
                Err(allowed) => wrong_method(&allowed),
            };
        }
        if !parts.get(1).is_some_and(|first| OF_FRAMEWORK.contains(first)) {
            return unknown();
        }
        if !matches!(method, "GET" | "HEAD") {
            return wrong_method("GET");
        }
        let Some(found) = found else { return unknown() };
        let Meaning::Read(read) = found.meaning() else { return unknown() };
        let what = read(&found.captures, request);
        match self.query_framework(&what) {
            Some(answer) => Wire::Answer(shaped(&what, Ok(answer))),
            None => unknown(),
        }
    }
}

fn assembled(value: &Value) -> Wire {
    Wire::Answer(text::json(200, value, Form::Assembled))
}

fn nobody(name: &str) -> Response {
    Response::text(404, format!("Service {name} not found"))
}

/// The service of a framework that a path means.
fn member<'m>(members: &[&'m Member], name: &str) -> Option<&'m Member> {
    members.iter().copied().find(|member| !name.is_empty() && is_called(&member.name, name))
}

/// The framework's own plan runs automatically: it cannot be held, continued or restarted.
fn command(shared: &Shared, plan: &str) -> Response {
    if plan != "deploy" {
        return Response::text(404, format!("Plan {plan} not found"));
    }
    if shared.uninstalling {
        let text = "the framework leaves with its last service; command the plans of its services";
        return Response::text(409, text);
    }
    Response::text(208, "Command has already been reported or completed")
}

fn services(members: &[&Member]) -> Value {
    let row = |member: &&Member| {
        let uninstalling = member.scheduler.is_uninstalling();
        let mut row = json!({ "service": &*member.name, "uninstall": uninstalling });
        if let (Some(map), Some(path)) = (row.as_object_mut(), &member.definition.definition) {
            map.insert("yaml".to_owned(), stem(path).into());
        }
        row
    };
    let mut sorted: Vec<&Member> = members.to_vec();
    planarium_kernel::sorted::sort_by(&mut sorted, |a, b| a.name.cmp(&b.name));
    sorted.iter().map(row).collect()
}

/// Name of a definition file without folders and ending.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".yml").or_else(|| name.strip_suffix(".yaml")).unwrap_or(name)
}

fn is_yaml(path: &str) -> bool {
    path.strip_suffix(".yml").or_else(|| path.strip_suffix(".yaml")).is_some()
}

/// Requests that brought files along: the framework's first, then its services'.
fn requests<'s>(shared: &'s Shared, members: &[&'s Member]) -> Vec<&'s LoadService> {
    let own = members.iter().map(|member| &*member.load);
    std::iter::once(&*shared.load).chain(own).collect()
}

fn definitions(shared: &Shared, members: &[&Member]) -> Vec<String> {
    let found: SortedSet<String> = requests(shared, members)
        .into_iter()
        .flat_map(|load| load.files.keys().filter(|path| is_yaml(path)))
        .map(|path| stem(path).to_owned())
        .collect();
    found.into_iter().collect()
}

/// Adds a service with one of the known definitions, or gives it another one.
fn add(request: &Request, shared: &Shared, members: &[&Member], name: &str) -> Wire {
    let failed = |why: &str| Response::text(400, format!("Failed to generate or persist service: {why}"));
    let Some(yaml) = request.param("yaml").filter(|yaml| !yaml.is_empty()) else {
        return Wire::Answer(failed("the parameter yaml= names no definition"));
    };
    let params: BTreeMap<String, String> = match planarium_protocol::json::read(&request.body) {
        Ok(params) => params,
        Err(error) => return Wire::Answer(failed(&error.to_string())),
    };
    let holds = |load: &&LoadService| load.files.keys().any(|path| is_yaml(path) && stem(path) == yaml);
    let Some(source) = requests(shared, members).into_iter().find(holds) else {
        return Wire::Answer(failed(&format!("there is no {yaml}.yml")));
    };
    let wanted = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        if is_yaml(path) { stem(path) == yaml } else { !PACKAGE.contains(&file) }
    };
    let files = source.files.iter().filter(|(path, _)| wanted(path));
    let load = LoadService {
        dialect: crate::DIALECT.to_owned(),
        name: name.to_owned(),
        framework: shared.name.to_string(),
        files: planarium_kernel::sorted::tree(files.map(|(path, text)| (path.clone(), text.clone()))),
        env: params,
        ..LoadService::default()
    };
    let known = member(members, name).is_some();
    let input = if known { Input::UpdateService(load) } else { Input::LoadService(load) };
    let name = name.to_owned();
    let reply = move |outcome: Result<Value, planarium_protocol::Refusal>| match outcome {
        Ok(_) => text::json(200, &json!({ "name": name, "yaml": yaml }), Form::Assembled),
        Err(refusal) => {
            Response::text(400, format!("Failed to generate or persist service: {}", refusal.message))
        }
    };
    Wire::Change(Box::new(input), Box::new(reply))
}

/// Starts to uninstall a service, which then leaves on its own.
fn remove(members: &[&Member], name: &str) -> Wire {
    let done = Response::text(200, format!("Triggered removal of service: {name}"));
    // A missing service is ignored without a message.
    let Some(member) = member(members, name) else { return Wire::Answer(done) };
    if member.scheduler.is_uninstalling() {
        return Wire::Answer(done);
    }
    let remove =
        RemoveService { dialect: crate::DIALECT.to_owned(), name: member.name.to_string(), force: false };
    let reply = |outcome: Result<Value, planarium_protocol::Refusal>| match outcome {
        Ok(_) => done,
        Err(refusal) => refused(&refusal),
    };
    Wire::Change(Box::new(Input::RemoveService(remove)), Box::new(reply))
}
