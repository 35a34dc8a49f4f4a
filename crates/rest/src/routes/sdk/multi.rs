//! The scheduler of a framework that several services share: its own routes, and those that manage its services.
//!
//! Knows: which input stands behind which call. Must not know: how services share a framework.
//!
//! Source: dcos-commons `MultiServiceEventClient` (which routes there are), `Multi*Resource`, and the example service's
//! `ExampleMultiServiceResource` for `/v1/multi`; sheet section 15.

use super::text::{self, Form};
use super::{answer, reads, refused, unknown};
use crate::{Request, Response, Session};
use planarium_kernel::SortedSet;
use planarium_protocol::Input;
use planarium_protocol::input::{LoadService, RemoveService};
use planarium_world::{GroupMember, GroupView};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Files of a package: they belong to the framework, not to a service of it.
const PACKAGE: &[&str] = &["config.json", "marathon.json.mustache", "resource.json", "package.json"];

/// The shared framework of a name, also with dots for slashes; the first one for none.
pub(super) fn group(session: &Session, name: &str) -> Option<GroupView> {
    let wanted = name.trim_matches('/');
    session.engine.groups().into_iter().find(|group| {
        let own = group.name.trim_matches('/');
        wanted.is_empty() || own == wanted || own.replace('/', ".") == wanted
    })
}

/// Answers for a shared framework itself.
pub(super) fn route(session: &mut Session, request: &Request, group: &GroupView, parts: &[&str]) -> Response {
    let method = request.method.as_str();
    let name = group.name.to_string();
    match (method, parts) {
        (_, ["v1", "service", one, rest @ ..]) => match member(group, one) {
            Some(_) => super::one_of_several(session, request, one, rest),
            None => nobody(one),
        },
        ("GET" | "HEAD", ["v1", "multi"]) => assembled(&services(group)),
        ("GET" | "HEAD", ["v1", "multi", "yaml"]) => assembled(&definitions(session, group).into()),
        (_, ["v1", "multi"] | ["v1", "multi", "yaml"]) => Response::wrong_method("GET"),
        ("POST", ["v1", "multi", _]) if super::is_not_json(request) => super::wrong_kind(),
        ("POST", ["v1", "multi", service]) => add(session, request, group, service),
        ("DELETE", ["v1", "multi", service]) => remove(session, group, service),
        (_, ["v1", "multi", _]) => Response::wrong_method("POST, DELETE"),
        ("POST", _) if super::is_command(parts) => command(group, parts),
        ("GET" | "HEAD", ["v1", "plans" | "plan" | "health" | "metrics", ..])
            if !super::is_command(parts) =>
        {
            reads::read(request, parts).map_or_else(unknown, |what| answer(session, name, what))
        }
        _ if super::is_command(parts) => Response::wrong_method("POST"),
        (_, ["v1", "plans" | "plan" | "health" | "metrics", ..]) => Response::wrong_method("GET"),
        _ => unknown(),
    }
}

fn assembled(value: &Value) -> Response {
    text::json(200, value, Form::Assembled)
}

fn nobody(name: &str) -> Response {
    Response::text(404, format!("Service {name} not found"))
}

/// The service of a framework that a path means: slashes of its name may be written as dots.
fn member(group: &GroupView, name: &str) -> Option<String> {
    let wanted = name.trim_matches('/');
    let mut names = group.services.iter().map(|service| &service.name);
    let found = names.find(|own| {
        let own = own.trim_matches('/');
        own == wanted || own.replace('/', ".") == wanted
    });
    found.map(ToString::to_string)
}

/// The framework's own plan moves by itself: there is nothing to hold, to release or to do again.
fn command(group: &GroupView, parts: &[&str]) -> Response {
    let plan = match parts {
        ["v1", "plans", plan, _] => *plan,
        _ => "deploy",
    };
    if plan != "deploy" {
        return Response::text(404, format!("Plan {plan} not found"));
    }
    if group.uninstalling {
        let text = "the framework leaves with its last service; command the plans of its services";
        return Response::text(409, text);
    }
    Response::text(208, "Command has already been reported or completed")
}

fn services(group: &GroupView) -> Value {
    let row = |service: &GroupMember| {
        let mut row = json!({ "service": &*service.name, "uninstall": service.uninstalling });
        if let (Some(map), Some(path)) = (row.as_object_mut(), &service.definition) {
            map.insert("yaml".to_owned(), stem(path).into());
        }
        row
    };
    let mut sorted: Vec<&GroupMember> = group.services.iter().collect();
    planarium_kernel::sorted::sort_by(&mut sorted, |a, b| a.name.cmp(&b.name));
    sorted.into_iter().map(row).collect()
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
fn requests<'s>(session: &'s Session, group: &GroupView) -> Vec<&'s LoadService> {
    let names = group.services.iter().map(|service| &service.name);
    let all = std::iter::once(&group.name).chain(names);
    all.filter_map(|name| session.engine.definition(name).map(|load| &**load)).collect()
}

fn definitions(session: &Session, group: &GroupView) -> Vec<String> {
    let found: SortedSet<String> = requests(session, group)
        .into_iter()
        .flat_map(|load| load.files.keys().filter(|path| is_yaml(path)))
        .map(|path| stem(path).to_owned())
        .collect();
    found.into_iter().collect()
}

/// Adds a service with one of the definitions at hand, or gives it another one.
fn add(session: &mut Session, request: &Request, group: &GroupView, name: &str) -> Response {
    let failed = |why: &str| Response::text(400, format!("Failed to generate or persist service: {why}"));
    let Some(yaml) = request.param("yaml").filter(|yaml| !yaml.is_empty()) else {
        return failed("the parameter yaml= names no definition");
    };
    let params: BTreeMap<String, String> = match planarium_protocol::json::read(&request.body) {
        Ok(params) => params,
        Err(error) => return failed(&error.to_string()),
    };
    let holds = |load: &&LoadService| load.files.keys().any(|path| is_yaml(path) && stem(path) == yaml);
    let Some(source) = requests(session, group).into_iter().find(holds) else {
        return failed(&format!("there is no {yaml}.yml"));
    };
    let wanted = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        if is_yaml(path) { stem(path) == yaml } else { !PACKAGE.contains(&file) }
    };
    let files = source.files.iter().filter(|(path, _)| wanted(path));
    let load = LoadService {
        dialect: "sdk".to_owned(),
        name: name.to_owned(),
        framework: group.name.to_string(),
        files: files.map(|(path, text)| (path.clone(), text.clone())).collect(),
        env: params,
        ..LoadService::default()
    };
    let input =
        if member(group, name).is_some() { Input::UpdateService(load) } else { Input::LoadService(load) };
    match session.engine.apply(input).outcome {
        Ok(_) => assembled(&json!({ "name": name, "yaml": yaml })),
        Err(refusal) => failed(&refusal.message),
    }
}

/// Starts to uninstall a service; it leaves by itself.
fn remove(session: &mut Session, group: &GroupView, name: &str) -> Response {
    let done = || Response::text(200, format!("Triggered removal of service: {name}"));
    // One that is not there is left as it is, and nobody is told.
    let Some(service) = member(group, name) else { return done() };
    let leaving = group.services.iter().any(|one| *one.name == *service && one.uninstalling);
    if leaving {
        return done();
    }
    let input = Input::RemoveService(RemoveService { name: service, force: false });
    match session.engine.apply(input).outcome {
        Ok(_) => done(),
        Err(refusal) => refused(&refusal),
    }
}
