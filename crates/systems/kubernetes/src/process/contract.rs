//! The process as required by the contract.
//!
//! *Knows*: which module does what. *Must not know*: any rule.

use std::sync::Arc;

use planarium_ground::Fleet;
use planarium_kernel::{Digest, SimTime};
use planarium_kube::{ApiError, Cluster, Reason, Watcher};
use planarium_part::{Cx, Dialect, Files, Loading, Number, Part, Request, Response, System};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, Text, Why};
use planarium_source::Diagnostic;
use planarium_source::detect::{has_key, top_keys};
use serde_json::Value;

use super::Process;
use crate::definition::{Loaded, is_manifest};
use crate::plans::{self, OBJECTS};
use crate::why::Facts;
use crate::{STATUSES, console};

/// Every file that a client would read is an object: it has `apiVersion` and `kind` at its outermost level. Packages of other kinds hold
/// objects, too, beside files that are none.
fn detect(files: &Files) -> u8 {
    let texts = || {
        let read = files.iter().filter(|(path, _)| is_manifest(path) || files.len() == 1);
        read.map(|(_, text)| text).filter(|text| top_keys(text).next().is_some())
    };
    let is_object = |text: &String| has_key(text, "apiVersion") && has_key(text, "kind");
    if texts().next().is_some() && texts().all(is_object) { 2 } else { 0 }
}

impl Part for Process {
    type Ports<'a> = Cluster<'a>;

    fn next_due(&self) -> Option<(SimTime, Number)> {
        None
    }

    fn one_shots(&self) -> usize {
        0
    }

    fn fire(&mut self, _: &mut Cx, _: &mut Cluster) {}

    fn check(&self, _: &Fleet) -> Vec<String> {
        self.services.values().flat_map(|service| service.check()).collect()
    }

    fn digest(&self, digest: &mut Digest) {
        planarium_part::digest_of_views(&self.views(), digest);
    }

    fn beyond(&self, before: Option<&Self>) -> u64 {
        let own = self.services.iter().map(|(number, service)| {
            let old = before.and_then(|before| before.services.get(number));
            match old {
                Some(old) if Arc::ptr_eq(old, service) => 64,
                Some(old) => 512 + service.members.beyond(Some(&old.members), beyond),
                None => 1024 + service.members.beyond(None, beyond),
            }
        });
        own.sum::<u64>()
            + self.places.beyond_flat(before.map(|before| &before.places))
            + self.owners.beyond_flat(before.map(|before| &before.owners))
    }
}

/// Bytes that a member holds and the one before does not.
fn beyond(member: &Arc<plans::Member>, before: Option<&Arc<plans::Member>>) -> u64 {
    let curve = |before: Option<&Arc<plans::Member>>| {
        let (now, old) = (&member.curve.samples, before.map(|before| &before.curve.samples));
        let is_shared = old.is_some_and(|old| Arc::ptr_eq(old, now));
        if is_shared { 0 } else { (now.len() * size_of::<plans::Sample>()) as u64 }
    };
    match before {
        Some(before) if Arc::ptr_eq(before, member) => 0,
        Some(before) => 512 + member.parts.beyond_flat(Some(&before.parts)) + curve(Some(before)),
        None => 512 + member.parts.beyond_flat(None) + curve(None),
    }
}

impl System for Process {
    type Definition = Loaded;

    const DIALECT: Dialect = Dialect {
        word: crate::WORD,
        title: "Kubernetes",
        noun: "set of Kubernetes objects",
        needs: &["kube"],
        detect,
        keys: &["apiVersion", "kind", "metadata", "spec"],
        owns: |_| false,
        nobody,
        statuses: STATUSES,
        links,
        carry_out: |_| {},
        console: console::CONSOLE,
    };

    fn read(load: &LoadService) -> Loaded {
        Loaded::read(load)
    }

    fn preview(definition: &Loaded) -> Option<Result<Arc<ServiceView>, Refusal>> {
        let preview = || Ok(plans::preview(definition, &super::keys(definition)));
        definition.is_usable().then(preview)
    }

    fn findings_against(definition: &Loaded, running: Option<&Self>) -> Vec<Diagnostic> {
        let before = running.and_then(|running| running.find(definition.name()));
        before.map(|(_, service)| definition.findings_against(&service.definition)).unwrap_or_default()
    }

    fn start(cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Loaded>) -> Result<(Self, Value), Refusal> {
        let seen = cluster.kube().resource_version();
        let mut process = Self::new(seen);
        let answer = process.install(cx, cluster, loading)?;
        Ok((process, answer))
    }

    fn load(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Loaded>,
    ) -> Result<Value, Refusal> {
        self.install(cx, cluster, loading)
    }

    fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
        let Some((_, service)) = self.find(&load.name) else { return Ok(None) };
        let mut complete = load.clone();
        if complete.files.is_empty() {
            complete.files.clone_from(&service.load.files);
            crate::WORD.clone_into(&mut complete.dialect);
        }
        if complete.options.is_null() {
            complete.options.clone_from(&service.load.options);
        }
        Ok((complete != *load).then_some(complete))
    }

    fn update(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Loaded>,
    ) -> Result<Value, Refusal> {
        self.change(cx, cluster, loading)
    }

    fn remove(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        name: &str,
        force: bool,
    ) -> Result<Value, Refusal> {
        self.delete(cx, cluster, name, force)
    }

    fn names(&self) -> Vec<(Number, Text)> {
        self.services.iter().map(|(number, service)| (Number(*number), service.name.clone())).collect()
    }

    fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
        self.find(name).map(|(_, service)| &service.load)
    }

    fn request_now(&self, name: &str, cluster: &Cluster) -> Option<LoadService> {
        self.current_request(name, cluster.kube())
    }

    fn is_over(&self) -> bool {
        self.services.is_empty()
    }

    fn restart(&mut self, _: &mut Cx, _: &mut Cluster, _: &Target) {}

    fn plan_command(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        command: &PlanCommand,
    ) -> Result<Value, Refusal> {
        self.command(cx, cluster, command)
    }

    fn pod_command(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        command: &PodCommand,
    ) -> Result<Value, Refusal> {
        self.on_pod(cx, cluster, command)
    }

    fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
        self.services.iter().map(|(number, service)| (Number(*number), service.view())).collect()
    }

    fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        self.find(service)?.1.status_at(element)
    }

    fn why(&self, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
        let (_, service) = self.find(&path.service)?;
        let facts = Facts { service: &service.name, kube: cluster.kube(), fleet: cluster.fleet() };
        if *path.plan == *OBJECTS && service.others().next().is_some() {
            return facts.of_objects(service.others(), path, service.objects.0);
        }
        facts.of_workload(service.of_plan(&path.plan)?, path)
    }
}

impl Watcher for Process {
    fn hear_of_objects(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        self.settle(cx, cluster);
    }
}

/// The answer without a cluster.
fn nobody(_: &Request, _: &[&str]) -> Response {
    let error = ApiError::new(Reason::NotFound, "the server could not find the requested resource");
    Response::json(404, &error.status())
}

/// Links to what can be read of the cluster.
fn links(_: &ServiceView) -> Vec<(String, &'static str)> {
    [
        ("/kube/apis/apps/v1/deployments", "deployments of the cluster"),
        ("/kube/api/v1/pods", "pods of the cluster"),
        ("/kube/api/v1/events", "events of the cluster"),
    ]
    .map(|(path, what)| (path.to_owned(), what))
    .to_vec()
}
