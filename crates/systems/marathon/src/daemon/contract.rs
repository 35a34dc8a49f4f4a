//! Marathon as required by the contract.
//!
//! *Knows*: which module does what. *Must not know*: any rule.

use super::{Daemon, not_found, preview, same_name, wire};
use crate::api::caller::Caller;
use crate::api::reader::Reader;
use crate::api::route::{Asked, Query, Route};
use crate::console;
use crate::decode::rewrite::{Now, rewritten};
use crate::decode::{self, Loaded};
use crate::explain;
use crate::id::PathId;
use crate::marathon::Marathon;
use crate::port::Port;
use crate::setup::Setup;
use crate::shown;
use crate::shown::DIALECT;
use crate::view::Shown;
use planarium_ground::{Fleet, FleetEvent};
use planarium_kernel::{SimTime, Stretch};
use planarium_mesos::Cluster;
use planarium_mesos::{Framework, News};
use planarium_part::console::Console;
use planarium_part::{
    Cx, Definition, Dialect, Done, Loading, Number, Part, Request, Response, StreamNews, System, Wire,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PlanOp, PodCommand, PodOp, Target};
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{Event, Input, Refusal, Text, Why};
use planarium_source::Diagnostic;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Part for Daemon {
    type Ports<'a> = Cluster<'a>;

    fn next_due(&self) -> Option<(SimTime, Number)> {
        Some((self.marathon.next_due()?, self.number))
    }

    fn one_shots(&self) -> usize {
        self.marathon.one_shots()
    }

    fn fire(&mut self, cx: &mut Cx, cluster: &mut Cluster) {
        self.with(&mut Port::new(cx, cluster), Marathon::fire);
    }

    fn hear(&mut self, cx: &mut Cx, cluster: &mut Cluster, event: &FleetEvent) {
        self.with(&mut Port::new(cx, cluster), |marathon, port| marathon.on_fleet(port, event));
    }

    fn wire(&self, cluster: &Cluster, request: &Request, parts: &[&str]) -> Wire {
        self.answer_request(cluster, request, parts)
    }

    fn stream(&self, _: &Cluster, topic: &Value, events: Stretch<'_, Event>) -> StreamNews {
        Reader::of(&self.marathon).stream_news(topic, events, &self.listeners)
    }

    fn stream_begins(&mut self, cluster: &Cluster, _: &Value) {
        self.listeners.note(cluster.asked(), true);
    }

    fn stream_closed(&mut self, cluster: &Cluster, _: &Value) -> Option<Input> {
        self.listeners.note(cluster.asked(), false);
        None
    }

    fn drop_views(&mut self) {
        self.drop_view();
    }

    fn check(&self, _: &Fleet) -> Vec<String> {
        self.marathon.check()
    }

    fn weight(&self) -> u64 {
        let members = self.members.values().map(|member| 64 + member.definition.weight());
        members.sum::<u64>() + self.marathon.weight()
    }
}

impl System for Daemon {
    type Definition = Loaded;

    const DIALECT: Dialect = Dialect {
        word: DIALECT,
        title: "Marathon",
        noun: "Marathon app, pod or group",
        needs: &["mesos"],
        detect: decode::detect,
        keys: decode::KEYS,
        owns: wire::owns,
        statuses: shown::STATUSES,
        programs: console::PROGRAMS,
        example: console::EXAMPLE,
        objects: &[],
    };
    const CONSOLE: Console = console::CONSOLE;

    fn nobody(request: &Request, parts: &[&str]) -> Response {
        wire::nobody(request, parts)
    }

    fn links(service: &ServiceView) -> Vec<(String, &'static str)> {
        wire::links(service)
    }

    fn read(load: &LoadService) -> Loaded {
        decode::load(load)
    }

    fn preview(definition: &Loaded) -> Option<Result<Arc<ServiceView>, Refusal>> {
        definition.is_usable().then(|| preview::preview(definition))
    }

    fn findings_against(definition: &Loaded, running: Option<&Self>) -> Vec<Diagnostic> {
        let found = running.and_then(|daemon| daemon.against(definition));
        found.map(|refused| definition.findings_of(&refused)).unwrap_or_default()
    }

    // ---- services ----------------------------------------------------------------------------

    fn empty(cx: &mut Cx, cluster: &mut Cluster, number: Number) -> Option<Self> {
        Some(Self::begin(&mut Port::new(cx, cluster), number, &BTreeMap::new()))
    }

    fn objection(&self, load: &LoadService, name: &str) -> Option<Refusal> {
        let _ = load;
        self.member(name).map(|_| {
            let text = format!("There is a service '{name}' already; update it, or remove it first");
            Refusal::new(RefusalCode::Conflict, text)
        })
    }

    fn start(cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Loaded>) -> Result<(Self, Value), Refusal> {
        let mut daemon = Self::begin(&mut Port::new(cx, cluster), loading.number, &loading.load.env);
        let answer = daemon.install(&mut Port::new(cx, cluster), loading)?;
        Ok((daemon, answer))
    }

    fn load(&mut self, cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Loaded>) -> Done {
        self.install(&mut Port::new(cx, cluster), loading)
    }

    fn update(&mut self, cx: &mut Cx, cluster: &mut Cluster, loading: Loading<Loaded>) -> Done {
        self.replace(&mut Port::new(cx, cluster), loading)
    }

    fn remove(&mut self, cx: &mut Cx, cluster: &mut Cluster, name: &str, force: bool) -> Done {
        self.take_away(&mut Port::new(cx, cluster), name, force)
    }

    fn names(&self) -> Vec<(Number, Text)> {
        let mut names: Vec<(Number, Text)> =
            self.members.iter().map(|(number, member)| (*number, member.name.clone())).collect();
        names.push((self.number, self.framework_name().clone()));
        names
    }

    fn shown(&self) -> Vec<(Number, Text)> {
        vec![(self.number, self.framework_name().clone())]
    }

    fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
        self.member(name).map(|(_, member)| &member.load)
    }

    fn request_now(&self, name: &str, _: &Cluster) -> Option<LoadService> {
        let (number, member) = self.member(name)?;
        let Setup { settings, calendar, .. } = &self.marathon.records.setup;
        let elsewhere = |id: &PathId| self.is_elsewhere(id, number, &member.definition);
        let root = self.marathon.records.root();
        let alone = self.members.len() == 1;
        let now = Now { root, settings, dates: calendar, elsewhere: &elsewhere, alone };
        rewritten(&member.definition, &member.load, &member.made, &now)
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn restart(&mut self, cx: &mut Cx, cluster: &mut Cluster, target: &Target) {
        let pattern = target.service.as_deref();
        if pattern.is_none_or(|pattern| planarium_ground::glob(pattern, self.framework_name())) {
            self.with(&mut Port::new(cx, cluster), Marathon::start_again);
        }
    }

    // ---- commands ----------------------------------------------------------------------------

    fn plan_command(&mut self, cx: &mut Cx, cluster: &mut Cluster, command: &PlanCommand) -> Done {
        if command.plan == shown::APPS {
            return self.app_command(&mut Port::new(cx, cluster), command);
        }
        let Some(deployment) = Shown::of(&self.marathon).deployment_called(&command.plan).cloned() else {
            let text = format!("Marathon shows no plan '{}'", command.plan);
            return Err(Refusal::new(RefusalCode::NotFound, text));
        };
        if command.op != PlanOp::Stop || command.phase.is_some() {
            let text = format!(
                "Marathon has no '{}' for {}: a deployment as a whole can be stopped or rolled back",
                command.op.as_str(),
                if command.phase.is_some() { "a step" } else { "a deployment" },
            );
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        }
        let id = deployment.plan.id.clone();
        let done = self.with(&mut Port::new(cx, cluster), |marathon, port| {
            Caller { marathon, port }.delete_deployment(&id, true)
        });
        done.map_err(|refused| self.refuse(&refused))?;
        Ok(json!({"deployment": id}))
    }

    fn pod_command(&mut self, cx: &mut Cx, cluster: &mut Cluster, command: &PodCommand) -> Done {
        let Some((_, instance)) = self.marathon.records.instances.find(&command.pod) else {
            let text = format!("There is no instance '{}'", command.pod);
            return Err(Refusal::new(RefusalCode::NotFound, text));
        };
        let wipe = match command.op {
            PodOp::Restart => false,
            PodOp::Replace => instance.reservation.is_some(),
            PodOp::Pause | PodOp::Resume => {
                let text = "Marathon does not pause instances; suspend the app instead";
                return Err(Refusal::new(RefusalCode::Unsupported, text));
            }
        };
        let id = instance.spec_id().to_string();
        let route = if instance.spec.is_app() {
            Route::AppTask(id, command.pod.clone())
        } else {
            Route::PodInstance(id, command.pod.clone())
        };
        let query = Query::of(if wipe { "wipe=true" } else { "" });
        let done = self.with(&mut Port::new(cx, cluster), |marathon, port| {
            let asked = Asked { method: "DELETE", route: &route, query: &query };
            Caller { marathon, port }.change(asked, &Value::Null)
        });
        done.map_err(|refused| self.refuse(&refused))?;
        Ok(json!({"instance": (command.pod)}))
    }

    fn call(&mut self, cx: &mut Cx, cluster: &mut Cluster, call: &HttpCall, parts: &[&str]) -> Option<Done> {
        self.carry_out(&mut Port::new(cx, cluster), call, parts)
    }

    fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
        vec![(self.number, self.view())]
    }

    fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        if !same_name(service, self.framework_name()) {
            return None;
        }
        Shown::of(&self.marathon).status_at(element)
    }

    fn why(&self, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
        if path.service != *self.framework_name() {
            return None;
        }
        let mut why = explain::why(&self.marathon, path, cluster)?;
        cluster.name_holders(&mut why);
        Some(why)
    }
}

impl Framework for Daemon {
    fn hear_from_master(&mut self, cx: &mut Cx, cluster: &mut Cluster<'_>, news: News) {
        match news {
            News::Message(message) => {
                self.with(&mut Port::new(cx, cluster), |marathon, port| marathon.on_message(port, message));
            }
            News::Removed => self.with(&mut Port::new(cx, cluster), Marathon::register_anew),
            // Marathon handles offers when they come.
            News::OfferRound => {}
        }
    }
}

impl Daemon {
    /// A plan command on an app of the plan that shows them all.
    fn app_command(&mut self, port: &mut Port<'_>, command: &PlanCommand) -> Result<Value, Refusal> {
        let (Some(phase), Some(step)) = (&command.phase, &command.step) else {
            let text = format!("'{}' concerns one app: say which group and which app", command.op.as_str());
            return Err(Refusal::new(RefusalCode::Unsupported, text));
        };
        let id = shown::app_at(phase, step);
        if self.marathon.records.definitions.root.spec(&id).is_none() {
            return Err(not_found(id.as_str()));
        }
        let (method, route, body) = match command.op {
            PlanOp::Restart => ("POST", Route::AppRestart(id.to_string()), Value::Null),
            PlanOp::Interrupt => ("PUT", Route::App(id.to_string()), json!({"instances": 0})),
            PlanOp::Start | PlanOp::Stop | PlanOp::Continue | PlanOp::ForceComplete => {
                let text = format!(
                    "Marathon has no '{}' for an app: it can be restarted, scaled, suspended and destroyed",
                    command.op.as_str()
                );
                return Err(Refusal::new(RefusalCode::Unsupported, text));
            }
        };
        let done = self.with(port, |marathon, port| {
            let asked = Asked { method, route: &route, query: &Query::default() };
            Caller { marathon, port }.change(asked, &body)
        });
        done.map(|answer| answer.body).map_err(|refused| self.refuse(&refused))
    }
}
