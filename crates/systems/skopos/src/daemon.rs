//! The Skopos engine as the world drives it: one daemon with all applications.
//!
//! *Knows*: which application handles which call of the contract. *Must not know*: any rule of plans.

use crate::application::App;
use crate::commands::Command;
use crate::definition::{Loaded, load};
use crate::machines::{Io, MachineAccess, OwnMachines};
use crate::run::{Mode, PLAN, Shown};
use crate::{DIALECT, STATUSES, console, views, wire};
use planarium_ground::{
    Amounts, FailedCall, Fleet, FleetEvent, FleetEventKind, HolderWords, Labels, ProcessId, ProcessSpec,
};

use planarium_kernel::recorder::Recorder;
use planarium_kernel::{Digestible, SimTime, SortedMap, Weight};
use planarium_part::console::Console;
use planarium_part::{
    Cx, Definition, Dialect, Done, Files, Ground, Loading, Number, Part, Request, Response, System, Wire,
};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{HttpCall, LoadService, PlanCommand, PlanOp, PodCommand, Target};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::view::ServiceView;
use planarium_protocol::{EventBody, Refusal, Text, Why, json};
use planarium_source::detect::{has_key, is_named, top_keys};
use planarium_source::{Diagnostic, SourceMap};
use serde_json::Value;
use std::sync::Arc;

/// An application of the daemon.
#[derive(Clone, Digestible, Weight)]
#[digest(app)]
#[weight(own 256, app)]
pub(crate) struct Member {
    pub(crate) load: Arc<LoadService>,
    pub(crate) app: Arc<App>,
}

/// The engine with its applications.
#[derive(Clone, Digestible, Weight)]
#[digest(each members())]
#[weight(apps)]
pub struct Daemon {
    /// Its number: processes on machines are started in its name.
    number: Number,
    /// *Order*: that of installation.
    apps: SortedMap<Number, Member>,
}

/// The machines of the world.
struct Machines<'a> {
    ground: Ground<'a>,
    number: Number,
}

impl MachineAccess for Machines<'_> {
    fn fleet(&self) -> &Fleet {
        self.ground.fleet()
    }

    fn launch(&mut self, cx: &mut Cx, spec: ProcessSpec, start_ms: u64) -> ProcessId {
        let pid = self.ground.launch_within(cx, self.number, spec, start_ms);
        // A container of an application requests nothing that machines count.
        let words = HolderWords { owner: "Skopos", kind: "container" };
        self.ground.hold_for(cx, pid, words, Amounts::NONE);
        pid
    }

    fn adopt(&mut self, cx: &mut Cx, process: ProcessId) {
        self.ground.adopt(cx, process);
    }

    fn kill(&mut self, cx: &mut Cx, process: ProcessId, grace_ms: u64) {
        self.ground.kill(cx, process, grace_ms);
    }

    fn vanish(&mut self, process: ProcessId) {
        self.ground.vanish(process);
    }

    fn fails_call(&mut self, cx: &mut Cx, labels: &Labels) -> Option<FailedCall> {
        self.ground.fails_call(cx, labels)
    }
}

impl Definition for Loaded {
    fn name(&self) -> &Text {
        &self.name
    }

    fn is_usable(&self) -> bool {
        self.definition.is_some()
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.findings()
    }

    fn sources(&self) -> &SourceMap {
        &self.sources
    }

    fn path(&self) -> Option<&Text> {
        self.path.as_ref()
    }

    fn missing(&self) -> Vec<String> {
        self.missing.clone()
    }

    fn beside(&self) -> Vec<&'static str> {
        self.beside.clone()
    }

    fn is_nameless(&self) -> bool {
        self.nameless
    }
}

/// Rates how likely files are a Skopos application: a doctype decides, then names with telling keys.
fn detect(files: &Files) -> u8 {
    let doctype = |text: &str| {
        top_keys(text).any(|(key, value)| {
            // Also where the key is mistyped.
            value.contains("datagridsys.doctype/")
                || key == "doctype" && (value.contains("skopos") || value.contains("deploy-plan"))
        })
    };
    if files.values().any(|text| doctype(text)) {
        return 2;
    }
    let named = |path: &str, names: &[&str]| names.iter().any(|name| is_named(path, name));
    let plan = |(path, text): (&String, &String)| {
        named(path, &["plan.yaml", "plan.yml"]) && has_key(text, "steps")
            || named(path, &["model.yaml", "model.yml"]) && has_key(text, "components")
    };
    if files.iter().any(plan) {
        return 2;
    }
    // What can be told with certainty once it is read: an environment alone, a plan or model whose header is wrong, a compose file.
    let perhaps = |(path, text): (&String, &String)| {
        let own = crate::definition::files::ENV_KEYS.into_iter().filter(|key| *key != "vars");
        own.chain(["services"]).any(|key| has_key(text, key))
            || has_key(text, "steps") && text.contains("class:")
            || has_key(text, "components") && text.contains("image:") && !has_key(text, "openapi")
            || top_keys(text).any(|(key, value)| key == "version" && value.contains("alpha/1"))
            || named(path, &["plan.yaml", "plan.yml", "env.yaml", "env.yml", "ted.yaml", "ted.yml"])
    };
    u8::from(files.iter().any(perhaps))
}

fn not_found(name: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, format!("there is no application '{name}'"))
}

fn is_called(app: &App, name: &str) -> bool {
    app.blueprint.name().trim_matches('/') == name.trim_matches('/')
}

impl Daemon {
    /// The applications in order of installation.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        self.apps.values()
    }

    /// The application of a name.
    pub(crate) fn find(&self, name: &str) -> Option<&Member> {
        self.members().find(|member| is_called(&member.app, name))
    }

    fn number_of(&self, name: &str) -> Result<Number, Refusal> {
        let found = self.apps.iter().find(|(_, member)| is_called(&member.app, name));
        found.map(|(number, _)| *number).ok_or_else(|| not_found(name))
    }

    /// Works with an application.
    fn with<R>(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        number: Number,
        work: impl FnOnce(&mut App, &mut Io<'_>) -> R,
    ) -> Option<R> {
        let mut machines = Machines { ground: ground.again(), number: self.number };
        let member = self.apps.get_mut(&number)?;
        let done = work(Arc::make_mut(&mut member.app), &mut Io { cx, machines: &mut machines });
        self.drop_if_left(cx, number);
        Some(done)
    }

    /// Drops an application that is being removed once nothing is left to do.
    fn drop_if_left(&mut self, cx: &mut Cx, number: Number) {
        let over = self.apps.get(&number).is_some_and(|member| {
            member.app.leaving && matches!(member.app.run.mode, Mode::Completed | Mode::NotReady)
        });
        if over && let Some(member) = self.apps.remove(&number) {
            cx.emit(EventBody::ServiceRemoved {
                service: member.app.blueprint.name().clone(),
                dialect: crate::DIALECT.into(),
            });
        }
    }

    fn install(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        loading: Loading<Loaded>,
    ) -> Result<Value, Refusal> {
        let Loading { number, load, definition } = loading;
        let Some(definition) = definition.definition else {
            return Err(Refusal::new(RefusalCode::InvalidDefinition, "the definition has errors"));
        };
        let mut machines = Machines { ground: ground.again(), number: self.number };
        let app = App::load(&mut Io { cx: &mut *cx, machines: &mut machines }, definition)?;
        let answer = loaded(&app);
        self.apps.insert(number, Member { load, app: Arc::new(app) });
        Ok(answer)
    }

    /// The application whose timer is due first; of two at one instant the one installed first.
    fn earliest(&self) -> Option<(SimTime, Number)> {
        let due = |(number, member): (&Number, &Member)| Some((member.app.run.work.next_due()?, *number));
        self.apps.iter().filter_map(due).min()
    }

    fn command(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        name: &str,
        command: &Command,
    ) -> Result<Value, Refusal> {
        let number = self.number_of(name)?;
        let done = self.with(cx, ground, number, |app, io| {
            app.command(io, command)?;
            Ok(wire::brief(app))
        });
        done.unwrap_or_else(|| Err(not_found(name)))
    }
}

/// Returns the answer to loading.
fn loaded(app: &App) -> Value {
    json!({ "service": app.blueprint.name(), "dialect": DIALECT, "state": app.run.mode.word() })
}

impl Part for Daemon {
    type Ports<'a> = Ground<'a>;

    fn next_due(&self) -> Option<(SimTime, Number)> {
        self.earliest()
    }

    fn one_shots(&self) -> usize {
        self.members().map(|member| member.app.run.work.one_shots()).sum()
    }

    fn fire(&mut self, cx: &mut Cx, ground: &mut Ground<'_>) {
        if let Some((_, number)) = self.earliest() {
            self.with(cx, ground, number, App::fire);
        }
    }

    fn hear(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, event: &FleetEvent) {
        let numbers: Vec<Number> = self.apps.keys().copied().collect();
        let process = match &event.kind {
            FleetEventKind::Started { pid }
            | FleetEventKind::Running { pid }
            | FleetEventKind::Check { pid, .. }
            | FleetEventKind::Health { pid, .. }
            | FleetEventKind::Exited { pid, .. }
            | FleetEventKind::Killed { pid, .. } => Some(*pid),
            _ => None,
        };
        for number in numbers {
            let concerned = match process {
                Some(process) => self.apps.get(&number).is_some_and(|member| member.app.has_process(process)),
                None => true,
            };
            if !concerned {
                continue;
            }
            self.with(cx, ground, number, |app, io| match process {
                Some(_) => app.on_process(io, &event.kind),
                None => app.on_machine_news(io, &event.kind),
            });
        }
    }

    fn wire(&self, _: &Ground<'_>, request: &Request, parts: &[&str]) -> Wire {
        self.answer_request(request, parts)
    }

    fn drop_views(&mut self) {
        for (_, member) in self.apps.iter_mut() {
            Arc::make_mut(&mut member.app).cache = views::ViewCache::default();
        }
    }

    fn check(&self, _: &Fleet) -> Vec<String> {
        let one = |member: &Member| {
            let name = member.app.blueprint.name().clone();
            member.app.check().into_iter().map(move |text| format!("{name}: {text}"))
        };
        self.members().flat_map(one).collect()
    }
}

impl System for Daemon {
    type Definition = Loaded;

    const DIALECT: Dialect = Dialect {
        word: DIALECT,
        title: "Skopos",
        noun: "Skopos deployment plan or model",
        needs: &[],
        detect,
        keys: &[
            "doctype",
            "components",
            "steps",
            "gateways",
            "core_plugin",
            "plugin_config",
            "quality_gates",
            "simulation",
        ],
        owns: wire::owns,
        statuses: STATUSES,
        programs: console::PROGRAMS,
        example: console::EXAMPLE,
        objects: &[],
    };
    const CONSOLE: Console = console::CONSOLE;
    const COMMANDS_FIRST: bool = true;

    fn nobody(request: &Request, parts: &[&str]) -> Response {
        wire::nobody(request, parts)
    }

    fn links(service: &ServiceView) -> Vec<(String, &'static str)> {
        wire::links(service)
    }

    fn carry_out(load: &mut LoadService) {
        carry_out(load);
    }

    fn read(request: &LoadService) -> Loaded {
        load(request)
    }

    fn preview(definition: &Loaded) -> Option<Result<Arc<ServiceView>, Refusal>> {
        let definition = definition.definition.clone()?;
        let mut machines = OwnMachines { fleet: Fleet::new(1) };
        let mut cx = Recorder::new(1);
        let app = App::load(&mut Io { cx: &mut cx, machines: &mut machines }, definition);
        Some(app.map(|app| views::view(&app, &|_| None)))
    }

    fn empty(_: &mut Cx, _: &mut Ground<'_>, number: Number) -> Option<Self> {
        Some(Self { number, apps: SortedMap::new() })
    }

    fn load(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, loading: Loading<Loaded>) -> Done {
        self.install(cx, ground, loading)
    }

    fn update(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, loading: Loading<Loaded>) -> Done {
        let Loading { number, load, definition } = loading;
        let Some(definition) = definition.definition else {
            return Err(Refusal::new(RefusalCode::InvalidDefinition, "the definition has errors"));
        };
        let name = definition.name.clone();
        let run = definition.options.run;
        if let Some(member) = self.apps.get_mut(&number) {
            member.load = load;
        }
        let done = self.with(cx, ground, number, |app, io| {
            io.cx.emit(EventBody::ServiceUpdated {
                service: name.clone(),
                what: "definition".into(),
                text: "new definition".into(),
            });
            app.replace(io, definition)?;
            if run && app.run.mode == Mode::Ready {
                app.command(io, &Command::Start { paused: false, interactive: None })?;
            }
            Ok(loaded(app))
        });
        done.unwrap_or_else(|| Err(not_found(&name)))
    }

    fn remove(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, name: &str, force: bool) -> Done {
        let number = self.number_of(name)?;
        if force {
            self.with(cx, ground, number, App::vanish);
            if let Some(member) = self.apps.remove(&number) {
                cx.emit(EventBody::ServiceRemoved {
                    service: member.app.blueprint.name().clone(),
                    dialect: crate::DIALECT.into(),
                });
            }
            return Ok(json!({ "service": name }));
        }
        let done = self.with(cx, ground, number, App::take_down);
        done.unwrap_or_else(|| Err(not_found(name)))?;
        Ok(json!({ "service": name }))
    }

    fn names(&self) -> Vec<(Number, Text)> {
        self.apps.iter().map(|(number, member)| (*number, member.app.blueprint.name().clone())).collect()
    }

    fn request(&self, name: &str) -> Option<&Arc<LoadService>> {
        self.find(name).map(|member| &member.load)
    }

    fn restart(&mut self, _: &mut Cx, _: &mut Ground<'_>, _: &Target) {
        // The engine keeps its state, and calls under way are carried out by programs of their own.
    }

    fn plan_command(&mut self, cx: &mut Cx, ground: &mut Ground<'_>, command: &PlanCommand) -> Done {
        if command.plan != PLAN && !command.plan.is_empty() {
            let text = format!("'{}' has one plan, {PLAN}, and no '{}'", command.service, command.plan);
            return Err(Refusal::new(RefusalCode::NotFound, text));
        }
        let whole = command.phase.is_none() && command.step.is_none();
        let told = match (command.op, whole) {
            (PlanOp::Start, true) => Command::Start {
                paused: command.params.get("paused").is_some_and(|value| value == "true"),
                interactive: command.params.get("interactive").map(|value| value == "true"),
            },
            (PlanOp::Interrupt, true) => Command::Pause,
            (PlanOp::Continue, true) => Command::Resume,
            (PlanOp::Stop, true) => Command::Abandon,
            (PlanOp::Restart, true) => Command::Reset,
            (PlanOp::ForceComplete, false) => {
                let step = command.step.clone().or_else(|| command.phase.clone());
                Command::Gate { step, passed: true }
            }
            (PlanOp::ForceComplete, true) => {
                let text = "a plan cannot be marked as passed; gates can be passed one by one";
                return Err(Refusal::new(RefusalCode::Conflict, text));
            }
            (op, false) => {
                let text = format!("{} concerns the whole plan, not a phase or a step", op.as_str());
                return Err(Refusal::new(RefusalCode::BadRequest, text));
            }
        };
        self.command(cx, ground, &command.service, &told)
    }

    fn pod_command(&mut self, _: &mut Cx, _: &mut Ground<'_>, _: &PodCommand) -> Result<Value, Refusal> {
        let text = "Skopos changes instances through its plan only";
        Err(Refusal::new(RefusalCode::Unsupported, text))
    }

    fn call(
        &mut self,
        cx: &mut Cx,
        ground: &mut Ground<'_>,
        call: &HttpCall,
        parts: &[&str],
    ) -> Option<Done> {
        let ["skopos", "v1", name, rest @ ..] = parts else { return None };
        if self.find(name).is_none() {
            return Some(Err(wire::shaped(not_found(name))));
        }
        let command = match (call.method.as_str(), wire::command(call, rest)?) {
            ("POST", Ok(command)) => command,
            ("POST", Err(refusal)) => return Some(Err(wire::shaped(refusal))),
            _ => {
                let refusal =
                    Refusal { status: 405, ..Refusal::new(RefusalCode::BadRequest, "commands are POST") };
                return Some(Err(wire::shaped(refusal)));
            }
        };
        let name = (*name).to_owned();
        let done = self.command(cx, ground, &name, &command);
        Some(match done {
            Ok(_) => Ok(self.find(&name).map_or_else(
                || planarium_part::outcome(200, &[], json!({ "name": name })),
                |member| wire::answer(&member.app),
            )),
            Err(refusal) => Err(wire::shaped(refusal)),
        })
    }

    fn views(&self) -> Vec<(Number, Arc<ServiceView>)> {
        let view = |member: &Member| views::view(&member.app, &|machine| member.app.hosts.get(machine));
        self.apps.iter().map(|(number, member)| (*number, view(member))).collect()
    }

    fn status_at(&self, service: &str, element: &str) -> Option<&'static str> {
        let app = &self.find(service)?.app;
        let mut parts = element.split('/');
        let plan = parts.next()?;
        let path = ElementPath {
            dialect: DIALECT.into(),
            service: service.into(),
            plan: plan.into(),
            phase: parts.next().map(Into::into),
            step: parts.next().map(Into::into),
        };
        Some(match views::element(&app.run, &path)? {
            None => app.run.mode.word(),
            Some(id) => app.run.step(id).map_or(Shown::Pending, |own| own.shown).word(),
        })
    }

    fn why(&self, path: &ElementPath, ground: &Ground<'_>) -> Option<Why> {
        let app = &self.find(&path.service)?.app;
        views::why(app, path, ground.fleet(), ground.asked().max(app.seen_at()))
    }
}

/// A plan waits to be started unless it is loaded with `run`.
fn carry_out(load: &mut LoadService) {
    if load.options.is_null() {
        load.options = json!({});
    }
    if let Some(options) = load.options.as_object_mut().filter(|options| !options.contains_key("start")) {
        options.entry("run").or_insert(true.into());
    }
}
