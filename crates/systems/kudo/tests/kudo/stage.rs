//! A manager over a cluster, driven as the world drives it.

#![expect(
    clippy::default_trait_access,
    clippy::expect_used,
    clippy::format_push_string,
    clippy::panic,
    reason = "helpers of tests"
)]

use planarium_kernel::SimTime;
use planarium_kube::{Alone, Cluster, Watcher as _};
use planarium_kudo::Daemon;
use planarium_part::http::Wire;
use planarium_part::{Cx, Flags, Loading, Number, Part as _, Request, Response, System as _};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{AddAgent, LoadService, PlanCommand, PlanOp, PodCommand};
use planarium_protocol::view::ServiceView;
use planarium_protocol::{EventBody, Refusal, Why};
use serde_json::Value;
use std::sync::Arc;

/// Enough for any test; more means that something goes round in circles.
const STEPS: usize = 200_000;

#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) cx: Cx,
    pub(crate) alone: Alone,
    pub(crate) daemon: Daemon,
    told: u64,
    next: u32,
    pub(crate) events: Vec<(u64, EventBody)>,
}

impl Stage {
    /// Some machines and a manager without instances.
    pub(crate) fn new(machines: u32) -> Self {
        let mut cx = Cx::new(7);
        let flags = Flags { seed: 7, epoch_ms: 1_577_836_800_000, ..Flags::default() };
        let add =
            format!(r#"{{"count": {machines}, "resources": {{"cpus": 8, "mem": 16384, "disk": 102400}}}}"#);
        let add: AddAgent = serde_json::from_str(&add).expect("machines");
        let mut alone = Alone::new(&mut cx, &flags, &add).expect("machines");
        let now = cx.now();
        let daemon = Daemon::empty(&mut cx, &mut alone.cluster(now), Number(0)).expect("a manager");
        let mut stage = Self { cx, alone, daemon, told: 0, next: 1, events: Vec::new() };
        stage.pump();
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
            self.daemon.hear_of_objects(&mut self.cx, &mut self.alone.cluster(now));
        }
        panic!("objects change for ever");
    }

    fn due(&self) -> Option<(u64, u8)> {
        let daemon = self.daemon.next_due().map(|(at, _)| (at.ms(), 3));
        let others = self.alone.next_due().map(|at| (at.ms(), 0));
        others.into_iter().chain(daemon).min()
    }

    /// One timer; none when there is none before `until`.
    fn step(&mut self, until: u64) -> bool {
        let Some((at, part)) = self.due().filter(|(at, _)| *at <= until) else { return false };
        self.cx.set_now(SimTime(at.max(self.now())));
        match part {
            0 => self.alone.fire(&mut self.cx),
            _ => {
                let now = self.cx.now();
                self.daemon.fire(&mut self.cx, &mut self.alone.cluster(now));
            }
        }
        self.pump();
        true
    }

    pub(crate) fn run_for(&mut self, ms: u64) {
        let until = self.now() + ms;
        for _ in 0..STEPS {
            if !self.step(until) {
                self.cx.set_now(SimTime(until));
                let broken = self.daemon.check(&planarium_ground::Fleet::new(0));
                assert!(broken.is_empty(), "{broken:?}");
                return;
            }
        }
        panic!("{STEPS} steps within {ms} ms");
    }

    /// Lets time pass until something is the case; how long that took.
    pub(crate) fn run_until(&mut self, within_ms: u64, what: &str, done: impl Fn(&Self) -> bool) -> u64 {
        let begin = self.now();
        for _ in 0..STEPS {
            if done(self) {
                return self.now() - begin;
            }
            if !self.step(begin + within_ms) {
                break;
            }
        }
        panic!("not after {within_ms} ms: {what}\n{}", self.shown());
    }

    pub(crate) fn command(&mut self, command: &PodCommand) -> Result<Value, Refusal> {
        let now = self.cx.now();
        self.daemon.pod_command(&mut self.cx, &mut self.alone.cluster(now), command)
    }

    pub(crate) fn load(&mut self, load: LoadService) -> Result<Value, Refusal> {
        let definition = Daemon::read(&load);
        assert!(
            planarium_part::Definition::is_usable(&definition),
            "{:?}",
            super::support::findings(&definition)
        );
        let number = Number(self.next);
        self.next += 1;
        let loading = Loading { number, load: Arc::new(load), definition };
        self.tried(|daemon, cx, cluster| daemon.load(cx, cluster, loading))
    }

    /// As the world carries an input out: a refusal leaves nothing behind.
    fn tried<R>(
        &mut self,
        work: impl FnOnce(&mut Daemon, &mut Cx, &mut Cluster) -> Result<R, Refusal>,
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

    pub(crate) fn update(&mut self, load: LoadService) -> Result<Value, Refusal> {
        let load = self.daemon.adapted(&load)?.unwrap_or(load);
        let definition = Daemon::read(&load);
        if !planarium_part::Definition::is_usable_as_update(&definition) {
            let found = super::support::findings(&definition).join("\n");
            return Err(Refusal::new(planarium_protocol::refusal::RefusalCode::InvalidDefinition, found));
        }
        let loading = Loading { number: Number(0), load: Arc::new(load), definition };
        self.tried(|daemon, cx, cluster| daemon.update(cx, cluster, loading))
    }

    pub(crate) fn remove(&mut self, name: &str, force: bool) -> Result<Value, Refusal> {
        self.tried(|daemon, cx, cluster| daemon.remove(cx, cluster, name, force))
    }

    pub(crate) fn plan(&mut self, service: &str, plan: &str, op: PlanOp) -> Result<Value, Refusal> {
        let command = PlanCommand {
            dialect: String::new(),
            service: service.into(),
            plan: plan.into(),
            op,
            phase: None,
            step: None,
            params: Default::default(),
        };
        self.tried(|daemon, cx, cluster| daemon.plan_command(cx, cluster, &command))
    }

    /// A request as a client sends it.
    pub(crate) fn send(&mut self, request: &Request) -> Response {
        match self.alone.wire(self.cx.now(), request) {
            Wire::Answer(response) => response,
            Wire::Change(input, reply) => {
                let before = self.clone();
                let done = self.alone.perform(&mut self.cx, &input).expect("the cluster's");
                if done.is_err() {
                    *self = before;
                }
                self.pump();
                reply(done)
            }
            _ => panic!("{} is nobody's", request.path),
        }
    }

    /// An object by its path below `/kube`.
    pub(crate) fn object(&self, path: &str) -> Option<Value> {
        let request = Request::new("GET", &format!("/kube/{path}"), "");
        let Wire::Answer(response) = self.alone.wire(self.cx.now(), &request) else { panic!("an answer") };
        (response.status == 200).then(|| serde_json::from_slice(&response.body).expect("JSON"))
    }

    pub(crate) fn instance(&self, name: &str) -> Option<Value> {
        self.object(&format!("apis/kudo.dev/v1beta1/namespaces/default/instances/{name}"))
    }

    pub(crate) fn view(&self, name: &str) -> Arc<ServiceView> {
        let found = self.daemon.views().into_iter().map(|(_, view)| view).find(|view| *view.name == *name);
        found.unwrap_or_else(|| panic!("no service {name}"))
    }

    pub(crate) fn status(&self, element: &str) -> &'static str {
        let (service, element) = element.split_once('/').expect("SERVICE/PLAN...");
        self.daemon.status_at(service, element).unwrap_or("(none)")
    }

    pub(crate) fn why(&self, element: &str) -> Why {
        let mut parts = element.split('/').map(Into::into);
        let path = ElementPath {
            dialect: "kudo".into(),
            service: parts.next().expect("a service"),
            plan: parts.next().expect("a plan"),
            phase: parts.next(),
            step: parts.next(),
        };
        self.daemon
            .why(&path, &self.alone.clone().cluster(self.cx.now()))
            .unwrap_or_else(|| panic!("no {element}"))
    }

    /// Every plan with its parts, for messages.
    pub(crate) fn shown(&self) -> String {
        let mut text = String::new();
        for (_, view) in self.daemon.views() {
            text.push_str(&format!("{} {}\n", view.name, view.activity));
            for plan in &view.plans {
                text.push_str(&format!("  {} {} {:?}\n", plan.name, plan.status, plan.errors));
                for phase in &plan.phases {
                    text.push_str(&format!("    {} {}\n", phase.name, phase.status));
                    for step in &phase.steps {
                        text.push_str(&format!("      {} {} {}\n", step.name, step.status, step.reason));
                        if matches!(&*step.status, "IN_PROGRESS" | "ERROR") {
                            let why = self
                                .why(&format!("{}/{}/{}/{}", view.name, plan.name, phase.name, step.name));
                            for reason in why.reasons {
                                text.push_str(&format!("        {} {:?}\n", reason.text, reason.kind));
                            }
                        }
                    }
                }
            }
        }
        text
    }
}
