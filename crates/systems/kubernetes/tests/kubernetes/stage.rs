//! Services over a cluster, driven as the world drives them.

#![expect(clippy::expect_used, clippy::format_push_string, clippy::panic, reason = "helpers of tests")]

use super::support::request;
use planarium_ground::Fleet;
use planarium_kernel::SimTime;
use planarium_kube::{Alone, Cluster, Watcher as _};
use planarium_kubernetes::Daemon;
use planarium_kubernetes::console::CONSOLE;
use planarium_part::console::{Output, Terminal, split};
use planarium_part::http::Wire;
use planarium_part::{Cx, Flags, Loading, Number, Part as _, Request, Response, System as _};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{
    AddAgent, Behaviour, Fault, LoadService, PlanCommand, PlanOp, ProcessBehaviour,
};
use planarium_protocol::view::ServiceView;
use planarium_protocol::{EventBody, Input, Refusal, Why, json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Calendar time of genesis: 1 January 2020.
pub(crate) const EPOCH_MS: u64 = 1_577_836_800_000;

/// Enough for any test; more means that something goes round in circles.
const STEPS: usize = 300_000;

#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) cx: Cx,
    pub(crate) alone: Alone,
    pub(crate) daemon: Option<Daemon>,
    told: u64,
    next: u32,
    pub(crate) events: Vec<(u64, EventBody)>,
}

impl Stage {
    /// Some machines of 4 CPUs, and nothing on them.
    pub(crate) fn new(machines: u32) -> Self {
        let mut cx = Cx::new(7);
        let flags = Flags { seed: 7, epoch_ms: EPOCH_MS, ..Flags::default() };
        let add =
            format!(r#"{{"count": {machines}, "resources": {{"cpus": 4, "mem": 8192, "disk": 102400}}}}"#);
        let add: AddAgent = serde_json::from_str(&add).expect("machines");
        let alone = Alone::new(&mut cx, &flags, &add).expect("machines");
        let mut stage = Self { cx, alone, daemon: None, told: 0, next: 1, events: Vec::new() };
        stage.pump();
        stage
    }

    /// A stage with one service `shop`, applied.
    pub(crate) fn with(machines: u32, text: &str) -> Self {
        let mut stage = Self::new(machines);
        stage.load(request(text)).expect("applied");
        stage
    }

    pub(crate) fn now(&self) -> u64 {
        self.cx.now().ms()
    }

    fn pump(&mut self) {
        for _ in 0..1000 {
            let version = self.alone.version();
            if version == self.told {
                let now = self.now();
                self.events.extend(self.cx.drain().into_iter().map(|event| (now, event.body)));
                return;
            }
            self.told = version;
            let now = self.cx.now();
            if let Some(daemon) = &mut self.daemon {
                daemon.hear_of_objects(&mut self.cx, &mut self.alone.cluster(now));
            }
        }
        panic!("objects change for ever");
    }

    /// One timer; false when there is none up to `until`.
    fn step(&mut self, until: u64) -> bool {
        let Some(at) = self.alone.next_due().map(SimTime::ms).filter(|at| *at <= until) else { return false };
        self.cx.set_now(SimTime(at.max(self.now())));
        self.alone.fire(&mut self.cx);
        self.pump();
        true
    }

    fn check(&self) {
        let broken = self.daemon.as_ref().map(|daemon| daemon.check(&Fleet::new(0))).unwrap_or_default();
        assert!(broken.is_empty(), "{broken:?}");
    }

    pub(crate) fn run_for(&mut self, ms: u64) {
        let until = self.now() + ms;
        for _ in 0..STEPS {
            if !self.step(until) {
                self.cx.set_now(SimTime(until));
                self.check();
                return;
            }
        }
        panic!("{STEPS} steps within {ms} ms");
    }

    /// Lets time pass until an element has a status; how long that took.
    pub(crate) fn until(&mut self, element: &str, status: &str) -> u64 {
        let begin = self.now();
        for _ in 0..STEPS {
            if self.status(element) == status {
                self.check();
                return self.now() - begin;
            }
            if !self.step(begin + 3_600_000) {
                break;
            }
        }
        panic!("{element} does not become {status}\n{}", self.shown());
    }

    /// Loads a service.
    pub(crate) fn load(&mut self, load: LoadService) -> Result<Value, Refusal> {
        let definition = Daemon::read(&load);
        assert!(definition.is_usable(), "{:?}", super::support::shown(&definition, definition.diagnostics()));
        let number = Number(self.next);
        self.next += 1;
        let loading = Loading { number, load: Arc::new(load), definition };
        self.tried(|daemon, cx, cluster| match daemon {
            Some(daemon) => daemon.load(cx, cluster, loading),
            None => {
                let (begun, answer) = Daemon::start(cx, cluster, loading)?;
                *daemon = Some(begun);
                Ok(answer)
            }
        })
    }

    /// As the world carries an input out: a refusal leaves nothing behind.
    fn tried<R>(
        &mut self,
        work: impl FnOnce(&mut Option<Daemon>, &mut Cx, &mut Cluster) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        let before = self.clone();
        let now = self.cx.now();
        let done = work(&mut self.daemon, &mut self.cx, &mut self.alone.cluster(now));
        if done.is_err() {
            *self = before;
        }
        self.pump();
        done
    }

    /// Applies another text of the service `shop`.
    pub(crate) fn update(&mut self, text: &str) -> Result<Value, Refusal> {
        let load = request(text);
        self.tried(|daemon, cx, cluster| {
            let daemon = daemon.as_mut().expect("a daemon");
            let load = daemon.adapted(&load)?.unwrap_or(load);
            let definition = Daemon::read(&load);
            let loading = Loading { number: Number(0), load: Arc::new(load), definition };
            daemon.update(cx, cluster, loading)
        })
    }

    pub(crate) fn remove(&mut self, force: bool) -> Result<Value, Refusal> {
        self.tried(|daemon, cx, cluster| {
            daemon.as_mut().expect("a daemon").remove(cx, cluster, "shop", force)
        })
    }

    pub(crate) fn plan(&mut self, plan: &str, op: PlanOp, params: &[(&str, &str)]) -> Result<Value, Refusal> {
        let params: BTreeMap<String, String> =
            params.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let command = PlanCommand {
            dialect: String::new(),
            service: "shop".into(),
            plan: plan.into(),
            op,
            phase: None,
            step: None,
            params,
        };
        self.tried(|daemon, cx, cluster| {
            daemon.as_mut().expect("a daemon").plan_command(cx, cluster, &command)
        })
    }

    /// Carries an input out: a command of the daemon, a call of the API, machines.
    pub(crate) fn input(&mut self, input: &Input) -> Result<(), Refusal> {
        match input {
            Input::Plan(command) => self
                .tried(|daemon, cx, cluster| {
                    daemon.as_mut().expect("a daemon").plan_command(cx, cluster, command)
                })
                .map(|_| ()),
            Input::Pod(command) => self
                .tried(|daemon, cx, cluster| {
                    daemon.as_mut().expect("a daemon").pod_command(cx, cluster, command)
                })
                .map(|_| ()),
            Input::Call(_) => {
                let done = self.alone.perform(&mut self.cx, input).expect("the cluster's");
                self.pump();
                done.map(|_| ())
            }
            other => panic!("{} is for a world", other.kind()),
        }
    }

    /// Has matching processes behave differently from now on.
    pub(crate) fn behave(&mut self, behaviour: Value) {
        let behaviour: Behaviour = serde_json::from_value(behaviour).expect("a behaviour");
        let rule =
            ProcessBehaviour { target: serde_json::from_value(json!({})).expect("a target"), behaviour };
        self.alone.with_fleet(&mut self.cx, |fleet, cx| fleet.set_behaviour(cx, &rule));
        self.pump();
    }

    /// Injects a fault.
    pub(crate) fn fault(&mut self, fault: Value) {
        let fault: Fault = serde_json::from_value(fault).expect("a fault");
        self.alone.with_fleet(&mut self.cx, |fleet, cx| fleet.inject(cx, &fault).expect("a fault"));
        self.pump();
    }

    /// A request as a client sends it.
    pub(crate) fn send(&mut self, request: &Request) -> Response {
        if request.path == "/sim" {
            return Response::json(200, &json!({ "now_ms": (self.now()), "epoch_ms": EPOCH_MS }));
        }
        if request.path == "/sim/advance" {
            self.run_for(1000);
            return Response::json(200, &json!({}));
        }
        match self.alone.wire(self.cx.now(), request) {
            Wire::Answer(response) => response,
            Wire::Change(input, reply) => {
                let before = self.clone();
                let done = self.alone.perform(&mut self.cx, &input).expect("the cluster's");
                if let Err(refusal) = &done {
                    *self = before;
                    self.alone.note_refusal(&mut self.cx, &input, refusal);
                }
                self.pump();
                reply(done)
            }
            _ => panic!("{} is nobody's", request.path),
        }
    }

    /// Runs a line of `kubectl`; files are given by their names.
    pub(crate) fn kubectl_with(&mut self, line: &str, files: &[(&str, &str)]) -> Output {
        let words = split(line).expect("a line");
        let mut send = |request: &Request| self.send(request);
        let mut read = |path: &str| {
            let found = files.iter().find(|(own, _)| *own == path).map(|(_, text)| (*text).to_owned());
            found.ok_or_else(|| format!("open {path}: no such file or directory"))
        };
        (CONSOLE.run)(&words, &mut Terminal { service: "shop", send: &mut send, read: &mut read })
    }

    /// Runs a line of `kubectl`: everything that it prints.
    pub(crate) fn kubectl(&mut self, line: &str) -> String {
        let output = self.kubectl_with(line, &[]);
        format!("{}{}", output.stdout, output.stderr)
    }

    /// An object by its path below `/kube`.
    pub(crate) fn object(&self, path: &str) -> Option<Value> {
        let request = Request::new("GET", &format!("/kube/{path}"), "");
        let Wire::Answer(response) = self.alone.wire(self.cx.now(), &request) else { panic!("an answer") };
        (response.status == 200).then(|| serde_json::from_slice(&response.body).expect("JSON"))
    }

    pub(crate) fn view(&self) -> Arc<ServiceView> {
        let views = self.daemon.as_ref().map(planarium_part::System::views).unwrap_or_default();
        views.into_iter().map(|(_, view)| view).find(|view| &*view.name == "shop").expect("the service")
    }

    pub(crate) fn status(&self, element: &str) -> &'static str {
        self.daemon.as_ref().and_then(|daemon| daemon.status_at("shop", element)).unwrap_or("(none)")
    }

    pub(crate) fn why(&self, element: &str) -> Why {
        let mut parts = element.split('/').map(Into::into);
        let path = ElementPath {
            dialect: "kubernetes".into(),
            service: "shop".into(),
            plan: parts.next().expect("a plan"),
            phase: parts.next(),
            step: parts.next(),
        };
        let daemon = self.daemon.as_ref().expect("a daemon");
        daemon
            .why(&path, &self.alone.clone().cluster(self.cx.now()))
            .unwrap_or_else(|| panic!("no {element}\n{}", self.shown()))
    }

    /// Plans with phases, each as `NAME STATUS DONE/TOTAL`, and steps as `NAME STATUS`.
    pub(crate) fn tree(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for plan in &self.view().plans {
            lines.push(format!(
                "{} {} {}/{}",
                plan.name, plan.status, plan.progress.done, plan.progress.total
            ));
            for phase in &plan.phases {
                lines.push(format!(
                    "  {} {} {}/{}",
                    phase.name, phase.status, phase.progress.done, phase.progress.total
                ));
                lines.extend(phase.steps.iter().map(|step| format!("    {} {}", step.name, step.status)));
            }
        }
        lines
    }

    /// Everything that is shown, for messages.
    pub(crate) fn shown(&self) -> String {
        let mut text = format!("at {} ms: {}\n", self.now(), self.view().activity);
        for line in self.tree() {
            text.push_str(&format!("{line}\n"));
        }
        text
    }

    /// Changes of statuses so far, as `ELEMENT FROM -> TO`.
    pub(crate) fn changes(&self) -> Vec<String> {
        let of = |(_, body): &(u64, EventBody)| match body {
            EventBody::ElementStatus { path, from, to } => {
                let parts = [Some(&path.plan), path.phase.as_ref(), path.step.as_ref()];
                let parts: Vec<&str> = parts.into_iter().flatten().map(|part| &**part).collect();
                Some(format!("{} {from} -> {to}", parts.join("/")))
            }
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }
}
