//! A short way to write requests and scripts down, and what happens in a form to compare.

use crate::application::App;
use crate::commands::Command;
use crate::definition::{Loaded, load};
use crate::machines::{Io, MachineAccess, OwnMachines};
use planarium_ground::{Cx, Fleet, FleetEventKind, MachineSpec};
use planarium_kernel::SimTime;
use planarium_kernel::recorder::Recorder;
use planarium_protocol::input::{Fault, LoadService};

/// The header of a plan.
pub(crate) const HEAD: &str = "doctype: com.datagridsys.doctype/skopos/deploy-plan\nversion: alpha/1\n";

/// Reads a request from a text: lines `# options: {…}`, `# name: NAME`, `# env: KEY=VALUE` say what comes with the files, `# file: PATH`
/// begins a further file. What comes first is `plan.yaml`.
pub(crate) fn request(text: &str) -> LoadService {
    let mut request = LoadService { dialect: "skopos".into(), name: "demo".into(), ..LoadService::default() };
    let mut path = "plan.yaml".to_owned();
    let mut body = String::new();
    for line in text.lines() {
        if let Some(options) = line.strip_prefix("# options: ") {
            request.options = serde_json::from_str(options).expect("options as JSON");
        } else if let Some(name) = line.strip_prefix("# name: ") {
            request.name = name.into();
        } else if let Some(pair) = line.strip_prefix("# env: ") {
            let (key, value) = pair.split_once('=').expect("KEY=VALUE");
            request.env.insert(key.into(), value.into());
        } else if let Some(next) = line.strip_prefix("# file: ") {
            if !body.is_empty() {
                request.files.insert(std::mem::take(&mut path), std::mem::take(&mut body));
            }
            path = next.trim().to_owned();
        } else {
            body.push_str(line);
            body.push('\n');
        }
    }
    if !body.is_empty() {
        request.files.insert(path, body);
    }
    request
}

/// Findings as `line severity[CODE] message`, in order.
pub(crate) fn findings(loaded: &Loaded) -> Vec<String> {
    let sorted = loaded.findings();
    let shown = sorted.iter().map(|finding| {
        let at = loaded.sources.position(finding.span);
        format!("{} {}[{}] {}", at.line, finding.severity, finding.code, finding.message)
    });
    shown.collect()
}

/// An application with its own machines and a clock.
#[derive(Clone)]
pub(crate) struct Bench {
    pub(crate) cx: Cx,
    pub(crate) machines: OwnMachines,
    pub(crate) app: App,
}

impl Bench {
    /// Loads a text without machines.
    pub(crate) fn new(text: &str) -> Self {
        Self::with_machines(text, 0)
    }

    /// Loads a text with this number of machines.
    pub(crate) fn with_machines(text: &str, count: u32) -> Self {
        let mut cx = Recorder::new(1);
        let mut machines = OwnMachines { fleet: Fleet::new(1) };
        for n in 1..=count {
            let spec = MachineSpec { hostname: format!("m{n}").into(), ..MachineSpec::default() };
            machines.fleet.add_machine(&mut cx, spec);
        }
        let loaded = load(&request(text));
        let definition =
            loaded.definition.clone().unwrap_or_else(|| panic!("{:#?}\n{text}", findings(&loaded)));
        let app =
            App::load(&mut Io { cx: &mut cx, machines: &mut machines }, definition).expect("an application");
        Self { cx, machines, app }
    }

    /// The machines, to be asked.
    pub(crate) fn fleet(&self) -> &Fleet {
        &self.machines.fleet
    }

    /// Every fault ends.
    pub(crate) fn mend(&mut self) {
        for fault in self.machines.fleet.faults() {
            self.machines.fleet.clear(&mut self.cx, &fault.id).expect("a fault in force");
            self.news();
        }
    }

    /// Injects a fault into the world; whether it was accepted.
    pub(crate) fn try_to_inject(&mut self, fault: &str) -> bool {
        let fault: Fault = serde_json::from_str(fault).expect("a fault");
        let accepted = self.machines.fleet.inject(&mut self.cx, &fault).is_ok();
        self.news();
        accepted
    }

    fn news(&mut self) {
        while let Some(event) = self.machines.fleet.next_event() {
            self.cx.set_cause(event.cause);
            let mut io = Io { cx: &mut self.cx, machines: &mut self.machines };
            match event.kind {
                FleetEventKind::MachineLost { .. } | FleetEventKind::MachineReturned { .. } => {
                    self.app.on_machine_news(&mut io, &event.kind);
                }
                kind => self.app.on_process(&mut io, &kind),
            }
        }
    }

    /// Carries a command out; its refusal, if it is refused.
    pub(crate) fn command(&mut self, command: &Command) -> Option<String> {
        let mut io = Io { cx: &mut self.cx, machines: &mut self.machines };
        let refused = self.app.command(&mut io, command).err().map(|refusal| refusal.message);
        self.news();
        self.check();
        refused
    }

    /// Updates to another definition.
    pub(crate) fn update(&mut self, text: &str) {
        let loaded = load(&request(text));
        let definition = loaded.definition.clone().unwrap_or_else(|| panic!("{:#?}", findings(&loaded)));
        let mut io = Io { cx: &mut self.cx, machines: &mut self.machines };
        self.app.replace(&mut io, definition).expect("another definition");
        self.news();
    }

    /// Takes the application down.
    pub(crate) fn take_down(&mut self) {
        self.app.take_down(&mut Io { cx: &mut self.cx, machines: &mut self.machines }).expect("not running");
        self.news();
    }

    /// Starts the plan.
    pub(crate) fn start(&mut self) {
        assert_eq!(self.command(&Command::Start { paused: false, interactive: None }), None);
    }

    /// Injects a fault into the world.
    pub(crate) fn inject(&mut self, fault: &str) {
        let fault: Fault = serde_json::from_str(fault).expect("a fault");
        self.machines.fleet.inject(&mut self.cx, &fault).expect("a fault that makes sense");
        self.news();
    }

    /// Moves the clock. *Units*: milliseconds since genesis.
    pub(crate) fn advance_to(&mut self, ms: u64) {
        let end = SimTime(ms);
        while let Some(due) = self.next_due().filter(|due| *due <= end) {
            self.cx.set_now(due.max(self.cx.now()));
            if self.machines.fleet.next_due() == Some(due) {
                self.machines.fleet.fire(&mut self.cx);
            } else {
                self.app.fire(&mut Io { cx: &mut self.cx, machines: &mut self.machines });
            }
            self.news();
            self.check();
        }
        self.cx.set_now(end.max(self.cx.now()));
    }

    /// When something happens next.
    pub(crate) fn next_due(&self) -> Option<SimTime> {
        [self.machines.fleet.next_due(), self.app.run.work.next_due()].into_iter().flatten().min()
    }

    /// Runs until nothing more would happen, for an hour at most.
    pub(crate) fn finish(&mut self) {
        let end = self.cx.now().saturating_add(3_600_000);
        while self.app.run.work.next_due().is_some() || self.app.run.work.leaf().is_some() {
            let Some(due) = self.next_due().filter(|due| *due <= end) else { break };
            self.advance_to(due.ms());
        }
    }

    /// Nothing that is kept is wrong.
    pub(crate) fn check(&self) {
        let found = [self.app.check(), self.machines.fleet().check()].concat();
        assert!(found.is_empty(), "{found:#?}");
    }

    /// The log as `seconds level kind text`, from a record on.
    pub(crate) fn log_from(&self, from: usize) -> Vec<String> {
        let records = self.app.run.log.iter().skip(from);
        let line = |record: &crate::run::Record| {
            let (kind, text) = (&record.kind, record.text(&self.app.run.plan));
            format!("{} {} {} {text}", record.at.ms(), kind.level().word(), kind.word())
        };
        records.map(line).collect()
    }

    /// Returns the state of every step: `id=state`, with the number of entries where that is not one.
    pub(crate) fn steps(&self) -> String {
        let one = |(id, step): (crate::plan::StepId, &crate::plan::Step)| {
            let own = self.app.run.step(id).expect("a step");
            let times = if own.entries > 1 { format!("x{}", own.entries) } else { String::new() };
            format!("{}={}{times}", step.id, own.shown.word())
        };
        self.app.run.plan.steps().map(one).collect::<Vec<_>>().join(" ")
    }

    /// The steps that came to an end, in order: `id`, `id[index]`, with `!` where they failed.
    pub(crate) fn trace(&self) -> String {
        let one = |trace: &crate::run::Trace| {
            let id = self.app.run.plan.step(trace.step).map_or("?", |step| &*step.id);
            let index = trace.index.map(|index| format!("[{index}]")).unwrap_or_default();
            format!("{id}{index}{}", if trace.passed { "" } else { "!" })
        };
        self.app.run.trace.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// The instances: `id@group index state`.
    pub(crate) fn instances(&self) -> String {
        let one =
            |(slot, instance): (crate::instances::Slot, &std::sync::Arc<crate::instances::Instance>)| {
                format!("{}:{}{}={}", instance.id, slot.group.word(), slot.index, instance.state.word())
            };
        self.app.instances.iter().map(one).collect::<Vec<_>>().join(" ")
    }
}
