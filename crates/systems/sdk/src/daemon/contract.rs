//! The scheduler daemon as driven by the world.
//!
//! *Knows*: which module of the daemon does what. *Must not know*: any rule.

use super::cluster_facts::Facts;
use super::{Daemon, Member, not_found};
use crate::load::Loaded;
use crate::scheduler::Scheduler;
use crate::wire::{SdkQuery, http};
use crate::{DIALECT, STATUSES, console};
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_kernel::recorder::Recorder;
use planarium_mesos::Cluster;
use planarium_mesos::{Framework, News};
use planarium_part::console::Console;
use planarium_part::{
    Cx, Daemons, Definition, Dialect, Done, Files, Loading, Number, Part, Request, Response, System, Wire,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PodCommand, Target};
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Refusal, Text, Why};
use planarium_source::detect::{familiar_keys, has_key};
use planarium_source::{Diagnostic, SourceMap};
use serde_json::Value;
use std::sync::Arc;

/// A definition with its source.
impl Definition for Loaded {
    fn name(&self) -> &Text {
        &self.name
    }

    fn is_usable(&self) -> bool {
        self.spec.is_some()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.clone().into_sorted()
    }

    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn path(&self) -> Option<&Text> {
        self.definition.as_ref()
    }

    fn missing(&self) -> Vec<String> {
        self.missing.iter().map(|missing| missing.name.to_string()).collect()
    }

    fn kept(&self) -> Vec<(String, &'static str)> {
        self.kept.iter().map(|kept| (kept.path.clone(), kept.why)).collect()
    }
}

/// Outermost keys of a service.
const KEYS: &[&str] = &["name", "web-url", "scheduler", "plans", "pods"];

/// A file with `pods:` decides, whatever else is in the folder, unless most of its keys do not belong to a service.
fn detect(files: &Files) -> u8 {
    let sure = |text: &String| {
        let (familiar, strange) = familiar_keys(text, KEYS);
        if has_key(text, "pods") { 1 + u8::from(familiar >= strange) } else { 0 }
    };
    files.values().map(sure).max().unwrap_or_default()
}

impl Daemon {
    /// The services in order of installation.
    pub(crate) fn services(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// Does now what its services do periodically.
    fn cycle_now(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let numbers: Vec<Number> = self.members.keys().copied().collect();
        for number in numbers {
            let calls = self.with(number, |scheduler| scheduler.run_cycle_now(cx)).unwrap_or_default();
            self.send(cx, cluster, number, calls);
        }
    }

    pub(crate) fn store_file(
        &mut self,
        cx: &mut Cx,
        service: &str,
        file: &str,
        text: &str,
    ) -> Result<Value, Refusal> {
        let number = self.named(service)?;
        self.with(number, |scheduler| scheduler.store_file(cx, file, text)).unwrap_or(Ok(Value::Null))
    }
}

impl Part for Daemon {
    type Ports<'a> = Cluster<'a>;

    fn next_due(&self) -> Option<(SimTime, Number)> {
        self.earliest()
    }

    fn one_shots(&self) -> usize {
        self.services().map(|member| member.scheduler.one_shots()).sum()
    }

    fn restless(&self) -> bool {
        self.services().any(|member| member.scheduler.restless())
    }

    fn fire(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        let Some((_, number)) = self.earliest() else { return };
        let calls = self.with(number, |scheduler| scheduler.fire(cx)).unwrap_or_default();
        self.send(cx, cluster, number, calls);
        self.drop_if_gone(cx, cluster, number);
    }

    fn wire(&self, cluster: &Cluster, request: &Request, parts: &[&str]) -> Wire {
        self.answer_request(request, parts, cluster.epoch_ms())
    }

    fn drop_views(&mut self) {
        for (_, member) in self.members.iter_mut() {
            member.drop_views();
        }
    }

    fn check(&self, _: &Fleet) -> Vec<String> {
        let mut found: Vec<String> = self.check_shared().into_iter().collect();
        for member in self.services() {
            let name = &member.name;
            found.extend(member.scheduler.check().into_iter().map(|text| format!("{name}: {text}")));
        }
        found
    }

    fn weight(&self) -> u64 {
        self.services().map(|member| 256 + member.scheduler.weight()).sum()
    }
}

impl System for Daemon {
    type Definition = Arc<Loaded>;

    const DIALECT: Dialect = Dialect {
        word: DIALECT,
        title: "DC/OS SDK",
        noun: "DC/OS SDK service",
        needs: &["mesos"],
        detect,
        keys: KEYS,
        owns: http::owns,
        statuses: STATUSES,
        programs: console::PROGRAMS,
        example: console::EXAMPLE,
        objects: &[],
    };
    const CONSOLE: Console = console::CONSOLE;
    const DAEMONS: Daemons = Daemons::OneEach;

    fn nobody(request: &Request, parts: &[&str]) -> Response {
        http::nobody(request, parts)
    }

    fn links(service: &ServiceView) -> Vec<(String, &'static str)> {
        http::links(service)
    }

    fn read(load: &LoadService) -> Arc<Loaded> {
        Arc::new(crate::load(load))
    }

    fn preview(definition: &Arc<Loaded>) -> Option<Result<Arc<ServiceView>, Refusal>> {
        definition.spec.as_ref()?;
        let started = Scheduler::start(&mut Recorder::new(1), definition, None);
        Some(started.map(|(scheduler, _)| scheduler.view()))
    }

    fn findings_against(definition: &Arc<Loaded>, running: Option<&Self>) -> Vec<Diagnostic> {
        let previous = running.and_then(|daemon| daemon.find(&definition.name));
        Scheduler::findings_against(definition, previous.map(|(_, member)| &*member.scheduler))
    }

    fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal> {
        Daemon::objection(self, load, name)
    }

    fn start(
        cx: &mut Cx,
        cluster: &mut Cluster,
        loading: Loading<Arc<Loaded>>,
    ) -> Result<(Self, Value), Refusal> {
        Self::begin(cx, cluster, loading)
    }

    fn load(&mut self, cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Arc<Loaded>>) -> Done {
        self.add(cx, cluster, loading)
    }

    fn adapted(&self, load: &LoadService) -> Result<Option<LoadService>, Refusal> {
        self.as_member(load)
    }

    fn update(&mut self, cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Arc<Loaded>>) -> Done {
        self.change(cx, cluster, loading)
    }

    fn remove(&mut self, cx: &mut Cx, cluster: &mut Cluster, name: &str, force: bool) -> Done {
        self.take_away(cx, cluster, name, force)
    }

    fn names(&self) -> Vec<(Number, Text)> {
        let own = self.members.iter().map(|(number, member)| (*number, member.name.clone()));
        let shared = self.shared.iter().map(|shared| (self.number, shared.name.clone()));
        own.chain(shared).collect()
    }

    fn shown(&self) -> Vec<(Number, Text)> {
        self.members.iter().map(|(number, member)| (*number, member.name.clone())).collect()
    }

    fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
        match self.find(name) {
            Some((_, member)) => Some(&member.load),
            None => {
                let shared = self.shared.as_ref()?;
                (shared.name.trim_matches('/') == name.trim_matches('/')).then_some(&shared.load)
            }
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn restart(&mut self, cx: &mut Cx, cluster: &mut Cluster, target: &Target) {
        self.start_over(cx, cluster, target);
    }

    fn plan_command(&mut self, cx: &mut Cx, cluster: &mut Cluster, command: &PlanCommand) -> Done {
        let number = self.named(&command.service)?;
        let done = self.with(number, |scheduler| scheduler.plan_command(cx, command));
        let (answer, calls) = done.unwrap_or_else(|| Err(not_found(&command.service)))?;
        self.send(cx, cluster, number, calls);
        Ok(answer)
    }

    fn pod_command(&mut self, cx: &mut Cx, cluster: &mut Cluster, command: &PodCommand) -> Done {
        let number = self.named(&command.service)?;
        let done = self.with(number, |scheduler| scheduler.pod_command(cx, command));
        let (answer, calls) = done.unwrap_or_else(|| Err(not_found(&command.service)))?;
        self.send(cx, cluster, number, calls);
        Ok(answer)
    }

    fn call(&mut self, cx: &mut Cx, cluster: &mut Cluster, call: &HttpCall, parts: &[&str]) -> Option<Done> {
        self.carry_out(cx, cluster, call, parts)
    }

    fn rendered_file(&self, service: &str, task: &str, file: &str) -> Option<Result<(u16, Value), Refusal>> {
        let member = self.meant(service)?;
        let what = SdkQuery::ConfigFile { task: task.to_owned(), config: file.to_owned() };
        Some(member.scheduler.query(&what, 0))
    }

    fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
        self.members.iter().map(|(number, member)| (*number, member.view())).collect()
    }

    fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        self.find(service)?.1.scheduler.status_at(element)
    }

    fn why(&self, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
        let (_, member) = self.find(&path.service)?;
        let name = self.shared.as_ref().map_or(&member.name, |shared| &shared.name);
        let mut why = member.scheduler.why_with(path, &Facts { cluster, framework: self.framework, name })?;
        cluster.name_holders(&mut why);
        Some(why)
    }
}

impl Framework for Daemon {
    fn hear_from_master(&mut self, cx: &mut Cx, cluster: &mut Cluster<'_>, news: News) {
        let message = match news {
            News::Message(message) => message,
            News::Removed => return self.removed(cx),
            News::OfferRound => return self.cycle_now(cx, cluster),
        };
        if self.shared.is_some() {
            self.hear(cx, cluster, message);
            return;
        }
        let Some(number) = self.members.keys().next().copied() else { return };
        cx.set_cause(message.cause);
        let calls = self.with(number, |scheduler| scheduler.on_event(cx, message.event)).unwrap_or_default();
        cluster.call_all(cx, self.framework, calls);
    }
}
