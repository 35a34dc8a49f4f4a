//! The daemon as required by the contract.
//!
//! *Knows*: which module does what. *Must not know*: any rule.

use super::Daemon;
use crate::definition::{Loaded, is_manifest};
use crate::plans::{self, OBJECTS};
use crate::why::Facts;
use crate::{STATUSES, console};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_kube::{ApiError, Cluster, Reason, Watcher};
use planarium_part::console::Console;
use planarium_part::{Cx, Dialect, Files, Loading, Number, Part, Request, Response, System};
use planarium_protocol::changes::{Changes, Recipe};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, Text, Why};
use planarium_source::Diagnostic;
use planarium_source::detect::{has_key, top_keys};
use serde_json::Value;
use std::sync::Arc;

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

impl Part for Daemon {
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
}

impl System for Daemon {
    type Definition = Loaded;

    const DIALECT: Dialect = Dialect {
        word: crate::WORD,
        title: "Kubernetes",
        noun: "set of Kubernetes objects",
        needs: &["kube"],
        detect,
        keys: &["apiVersion", "kind", "metadata", "spec"],
        owns: |_| false,
        statuses: STATUSES,
        programs: console::PROGRAMS,
        example: console::EXAMPLE,
        objects: &[],
    };
    const CONSOLE: Console = console::CONSOLE;

    fn nobody(request: &Request, parts: &[&str]) -> Response {
        nobody(request, parts)
    }

    fn links(service: &ServiceView) -> Vec<(String, &'static str)> {
        links(service)
    }

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
        let mut daemon = Self::new(seen);
        let answer = daemon.install(cx, cluster, loading)?;
        Ok((daemon, answer))
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

    fn changes(&self, cluster: &Cluster, definition: &Loaded) -> Option<Changes> {
        Some(self.changes_of(cluster.kube(), cluster.asked(), definition))
    }

    fn recipes(load: &LoadService, definition: &Loaded) -> Vec<Recipe> {
        definition.recipes(load)
    }

    fn capacity(&self, service: &str, plan: &str) -> Option<(u32, u32)> {
        let (wanted, _, available, _) = self.find(service)?.1.of_plan(plan)?.counts()?;
        Some((wanted, available))
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

impl Watcher for Daemon {
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
