//! The manager as required by the contract.
//!
//! *Knows*: which module does what. *Must not know*: any rule.

use super::lifecycle::refused;
use super::{Daemon, wire};
use crate::definition::Loaded;
use crate::status::Status;
use crate::version::Version;
use crate::{STATUSES, codes, console, package, view, why};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_kube::Cluster;
use planarium_kube::{DeleteOptions, ObjectRef, Watcher};
use planarium_part::console::Console;
use planarium_part::{
    Cx, Definition, Dialect, Done, Files, Loading, Number, Part, Request, Response, System,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{LoadService, PlanCommand, PlanOp, PodCommand, PodOp, Target};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, Text, Why};
use planarium_source::detect::is_named;
use planarium_source::{Diagnostic, SourceMap};
use serde_json::Value;
use std::sync::Arc;

impl Definition for Loaded {
    fn name(&self) -> &Text {
        Loaded::name(self)
    }

    fn is_usable(&self) -> bool {
        Loaded::is_usable(self)
    }

    fn is_usable_as_update(&self) -> bool {
        Loaded::is_usable_as_update(self)
    }

    fn value_codes(&self) -> &'static [&'static str] {
        codes::OF_VALUES
    }

    fn folders(&self) -> Vec<String> {
        Loaded::folders(self)
    }

    fn beside(&self) -> Vec<&'static str> {
        let lacks = |package: &package::Package| package.params.is_none() || package.templates.is_empty();
        if self.main().is_some_and(lacks) { vec!["params.yaml", "templates/"] } else { Vec::new() }
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        Loaded::diagnostics(self).to_vec()
    }

    fn sources(&self) -> &SourceMap {
        Loaded::sources(self)
    }

    fn path(&self) -> Option<&Text> {
        Loaded::path(self)
    }
}

/// A file of that name decides, whatever else is in the folder; otherwise a single text with an operator's keys.
fn detect(files: &Files) -> u8 {
    let is_operator = |path: &String| is_named(path, "operator.yaml") || is_named(path, "operator.yml");
    if files.keys().any(is_operator) {
        return 3;
    }
    let [text] = files.values().collect::<Vec<_>>()[..] else { return 0 };
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    if has("operatorVersion:") && has("plans:") && has("tasks:") { 2 } else { 0 }
}

impl Part for Daemon {
    type Ports<'a> = Cluster<'a>;

    fn next_due(&self) -> Option<(SimTime, Number)> {
        Some((self.controller.next_due()?, self.number))
    }

    fn one_shots(&self) -> usize {
        self.controller.one_shots()
    }

    fn restless(&self) -> bool {
        self.restless
    }

    fn fire(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let (controller, epoch_ms) = (&mut self.controller, self.epoch_ms);
        cluster.with_kube(cx, |kube, _, cx| controller.fire(cx, kube, epoch_ms));
        self.settle(cx, cluster);
    }

    fn drop_views(&mut self) {
        for (_, service) in self.services.iter_mut() {
            service.shown = Arc::default();
        }
    }

    fn check(&self, _: &Fleet) -> Vec<String> {
        let mut found = Vec::new();
        for (key, known) in self.controller.instances() {
            match self.services.get(key) {
                None => found.push(format!("{}/{}: an instance that no service stands for", key.0, key.1)),
                Some(service) => {
                    let fresh = || view::of_known(known, service.definition.as_ref());
                    let same = service.revision == known.revision
                        && service.shown.get().is_none_or(|shown| **shown == *fresh());
                    if !same {
                        found.push(format!("{}/{}: shows what is not the case any more", key.0, key.1));
                    }
                }
            }
        }
        found
    }

    fn weight(&self) -> u64 {
        256 * u64::try_from(self.services.len()).unwrap_or(u64::MAX)
    }
}

impl System for Daemon {
    type Definition = Loaded;

    const DIALECT: Dialect = Dialect {
        word: crate::WORD,
        title: "KUDO",
        noun: "KUDO operator",
        needs: &["kube"],
        detect,
        keys: &[
            "operatorVersion",
            "kudoVersion",
            "kubernetesVersion",
            "appVersion",
            "maintainers",
            "tasks",
            "plans",
            "parameters",
        ],
        owns: wire::owns,
        statuses: STATUSES,
        programs: console::PROGRAMS,
        example: console::EXAMPLE,
        objects: &["kudo", "operator", "instance"],
    };
    const CONSOLE: Console = console::CONSOLE;

    fn nobody(request: &Request, parts: &[&str]) -> Response {
        wire::nobody(request, parts)
    }

    fn links(service: &ServiceView) -> Vec<(String, &'static str)> {
        wire::links(service)
    }

    fn read(load: &LoadService) -> Loaded {
        Loaded::read(load)
    }

    fn preview(definition: &Loaded) -> Option<Result<Arc<ServiceView>, Refusal>> {
        if !definition.is_usable() {
            return None;
        }
        let objects = package::objects(definition.main()?).ok()?;
        let version = Version::of_value(&objects.version);
        Some(Ok(view::preview(definition.name(), &version, definition)))
    }

    fn empty(cx: &mut Cx, cluster: &mut Cluster, number: Number) -> Option<Self> {
        let mut daemon = Self::begin(cx, cluster, number);
        daemon.settle(cx, cluster);
        Some(daemon)
    }

    fn load(&mut self, cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Loaded>) -> Done {
        self.install(cx, cluster, loading)
    }

    fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
        Ok(self.completed(load))
    }

    fn update(&mut self, cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Loaded>) -> Done {
        self.change(cx, cluster, loading)
    }

    fn remove(&mut self, cx: &mut Cx, cluster: &mut Cluster, name: &str, force: bool) -> Done {
        self.delete(cx, cluster, name, force)
    }

    fn names(&self) -> Vec<(Number, Text)> {
        self.numbered().into_iter().map(|(number, key, _)| (number, key.1.clone())).collect()
    }

    fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
        let (key, _) = self.find(name)?;
        self.services.get(key)?.load.as_ref()
    }

    fn request_now(&self, name: &str, _: &Cluster) -> Option<LoadService> {
        self.current_request(name)
    }

    fn restart(&mut self, cx: &mut Cx, cluster: &mut Cluster, target: &Target) {
        let pattern = target.service.as_deref();
        let meant = |name: &str| pattern.is_none_or(|pattern| planarium_ground::glob(pattern, name));
        if pattern.is_none() || self.services.keys().any(|(_, name)| meant(name)) {
            self.controller.restart(cx.now());
            self.settle(cx, cluster);
        }
    }

    fn plan_command(&mut self, cx: &mut Cx, cluster: &mut Cluster, command: &PlanCommand) -> Done {
        if command.phase.is_some() || command.step.is_some() {
            let text = "KUDO starts whole plans; there are no commands for phases and steps";
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        }
        if !command.params.is_empty() {
            let text = "KUDO starts plans without parameters; give the instance other ones";
            return Err(Refusal::new(RefusalCode::BadRequest, text));
        }
        let (_, known) = self.named(&command.service)?;
        let runs = *known.instance.execution.plan == *command.plan;
        match command.op {
            PlanOp::Start if runs => {
                let text = format!("plan {} is scheduled (or running) already", command.plan);
                Err(Refusal::new(RefusalCode::AlreadyDone, text))
            }
            PlanOp::Restart if !runs => {
                let text = format!("plan {} does not run; start it", command.plan);
                Err(Refusal::new(RefusalCode::Conflict, text))
            }
            PlanOp::Start | PlanOp::Restart => self.trigger(cx, cluster, &command.service, &command.plan),
            PlanOp::Stop | PlanOp::Interrupt | PlanOp::Continue | PlanOp::ForceComplete => {
                let text = format!(
                    "KUDO has no command '{}': a plan that runs can only be started anew",
                    command.op.as_str()
                );
                Err(Refusal::new(RefusalCode::Unsupported, text))
            }
        }
    }

    fn pod_command(&mut self, cx: &mut Cx, cluster: &mut Cluster, command: &PodCommand) -> Done {
        let (key, known) = self.named(&command.service)?;
        let namespace = key.0.clone();
        if !known.has_pod(&command.pod) {
            let text = format!("pods {:?} not found", command.pod);
            return Err(Refusal::new(RefusalCode::NotFound, text));
        }
        if matches!(command.op, PodOp::Pause | PodOp::Resume) {
            let text = "Kubernetes does not pause pods; delete one, and its controller makes another";
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        }
        cluster.with_kube(cx, |kube, _, cx| {
            let Some(kind) = kube.find_kind("v1", "Pod") else { return Ok(()) };
            let pod = ObjectRef::new(kind, &namespace, &command.pod);
            kube.delete(cx, pod, &DeleteOptions::default()).map(|_| ()).map_err(refused)
        })?;
        self.settle(cx, cluster);
        Ok(json!({ "pod": (command.pod) }))
    }

    fn rendered_file(&self, service: &str, task: &str, file: &str) -> Option<Result<(u16, Value), Refusal>> {
        let (_, known) = self.find(service)?;
        if task.is_empty() {
            // The template itself.
            let template = known.version.as_ref()?.templates.get(file);
            return template
                .and_then(|it| it.as_ref().ok())
                .map(|template| Ok((200, Value::from(template.text()))));
        }
        let is_task = |(phase, step, name): &(Text, Text, Text)| {
            **name == *task || format!("{phase}/{step}/{name}") == task
        };
        let of_task = known.memory.rendered.iter().filter(|(place, _)| is_task(place));
        let text = of_task.flat_map(|(_, rendered)| &rendered.texts).find(|(name, ..)| **name == *file);
        Some(match text {
            Some((_, text, _)) => Ok((200, Value::from(&**text))),
            None => {
                let text = format!("Task {task} has not rendered {file} in the plan that ran last");
                Err(Refusal::new(RefusalCode::NotFound, text))
            }
        })
    }

    fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
        let all = self.numbered().into_iter();
        all.filter_map(|(number, key, service)| Some((number, self.view(key, service)?))).collect()
    }

    fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        let (_, known) = self.find(service)?;
        let version = known.version.as_ref()?;
        let mut parts = element.splitn(3, '/');
        let plan = version.plan(parts.next()?)?;
        let status = known.instance.plans.get(plan.name.value.as_str());
        let Some(phase) = parts.next() else {
            return Some(status.map_or(Status::NeverRun, |status| status.status).word());
        };
        let phase = plan.phases.iter().find(|it| it.name.value == phase)?;
        let status = status.and_then(|status| status.phases.iter().find(|it| *it.name == *phase.name.value));
        let Some(step) = parts.next() else {
            return Some(status.map_or(Status::NeverRun, |status| status.status).word());
        };
        let step = phase.steps.iter().find(|it| it.name.value == step)?;
        let status = status.and_then(|status| status.steps.iter().find(|it| *it.name == *step.name.value));
        Some(status.map_or(Status::NeverRun, |status| status.status).word())
    }

    fn why(&self, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
        let (_, known) = self.find(&path.service)?;
        why::why(
            path,
            &why::Facts { known, controller: &self.controller, kube: cluster.kube(), fleet: cluster.fleet() },
        )
    }
}

impl Watcher for Daemon {
    fn hear_of_objects(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        self.settle(cx, cluster);
    }
}
