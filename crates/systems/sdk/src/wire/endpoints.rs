//! Endpoints: where clients find the service's advertised ports.
//!
//! **Source**: `dcos-commons: …/http/queries/EndpointsQueries.java, …/http/EndpointUtils.java,
//! frameworks/cassandra …/api/SeedsResource.java`. Match.

use super::nothing;
use crate::scheduler::configs::Configs;
use crate::scheduler::service::Service;
use crate::scheduler::state::{HeldKind, TaskStore};
use planarium_kernel::{SortedMap, SortedSet};
use planarium_protocol::Refusal;
use planarium_protocol::json;
use serde_json::{Map, Value};

#[derive(Default)]
struct Endpoint {
    dns: Vec<String>,
    address: Vec<String>,
    vip: Option<String>,
}

/// Names of all endpoints.
pub(super) fn names(service: &Service, configs: &Configs, tasks: &TaskStore) -> Value {
    let mut names: SortedSet<String> = all_endpoints(configs, tasks).into_keys().collect();
    names.extend(service.served.iter().map(|file| file.name.to_string()));
    names.into_iter().collect()
}

/// Returns an endpoint: a text if it comes from the program, otherwise an object.
pub(super) fn endpoint(
    service: &Service,
    configs: &Configs,
    tasks: &TaskStore,
    name: &str,
) -> Result<Value, Refusal> {
    if let Some(file) = service.served.iter().find(|file| *file.name == *name) {
        return Ok((*file.text).into());
    }
    let endpoint = all_endpoints(configs, tasks).remove(name).ok_or_else(nothing)?;
    let mut body = Map::new();
    body.insert("dns".to_owned(), endpoint.dns.into());
    body.insert("address".to_owned(), endpoint.address.into());
    if let Some(vip) = endpoint.vip {
        body.insert("vip".to_owned(), vip.into());
    }
    Ok(body.into())
}

/// `/v1/seeds`, a resource of the program of cassandra.
pub(super) fn seeds(service: &Service, configs: &Configs) -> Result<Value, Refusal> {
    let seeds =
        service.program.seeds(&configs.target.spec, &service.env).ok_or_else(crate::scheduler::not_served)?;
    Ok(json!({"seeds": seeds}))
}

fn all_endpoints(configs: &Configs, tasks: &TaskStore) -> SortedMap<String, Endpoint> {
    let mut all: SortedMap<String, Endpoint> = SortedMap::new();
    let service = &configs.target.spec;
    for task in tasks.tasks() {
        let Some(spec) = configs.task_spec(task) else { continue };
        let discovery = spec.discovery.as_ref().and_then(|discovery| discovery.prefix.as_ref());
        let host = match discovery {
            Some(prefix) => format!("{prefix}-{}", task.pod.index),
            None => task.name.to_string(),
        };
        for held in &*task.held {
            let HeldKind::Port { name, port } = &held.kind else { continue };
            let Some(declared) = spec.resource_set.ports.iter().find(|p| p.name == *name) else {
                continue;
            };
            if !declared.advertise {
                continue;
            }
            let endpoint = all.entry(name.to_string()).or_default();
            endpoint.dns.push(format!("{}:{port}", service.autoip_host(&host)));
            let known = task.addressed && !task.at.ip.is_empty();
            let address = if known { &task.at.ip } else { &task.at.hostname };
            endpoint.address.push(format!("{address}:{port}"));
            if let Some(vip) = &declared.vip {
                endpoint.vip = Some(format!("{}:{}", service.vip_host(&vip.prefix), vip.port));
            }
        }
    }
    all
}
