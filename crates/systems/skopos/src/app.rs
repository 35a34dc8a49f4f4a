//! One application: its definition, its plan, what has become of it, its instances.
//!
//! *Knows*: what belongs together. *Must not know*: moves and calls; those are in [`crate::engine`] and [`crate::call`].

use crate::engine::{Io, LogKind, Mode, Record, Run, Shown};
use crate::generate::Running;
use crate::instance::{ComponentId, Group, Instance, InstanceState, Instances, Slot};
use crate::load::{Definition, Prepared};
use crate::machines::{Place, place};
use crate::plan::{ChainId, ChainKind, Plan, SharedPlan, StepId};
use crate::report::Names;
use planarium_ground::{CheckSpec, Labels, MachineId, ProcessId, ProcessSpec, Program};
use planarium_kernel::{Cause, EventQueue, SimTime, SortedMap};
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use std::sync::Arc;

/// An application.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) definition: Arc<Definition>,
    pub(crate) prepared: Prepared,
    /// The plan; one without steps when nothing is to be done.
    pub(crate) plan: SharedPlan,
    pub(crate) names: Arc<Names>,
    pub(crate) run: Run,
    pub(crate) instances: Instances,
    /// Names of components; ids are places in it.
    components: Arc<Components>,
    /// Timers with what stands behind them.
    pub(crate) timers: EventQueue<Cause>,
    /// Grows with every change that can be seen.
    pub(crate) touched: u64,
    /// It is taken down and forgotten afterwards.
    pub(crate) leaving: bool,
    /// Names of machines that instances are on.
    hosts: SortedMap<MachineId, Text>,
    /// The last instant at which it was touched.
    seen: SimTime,
    pub(crate) cache: crate::view::ViewCache,
}

/// Components by name and by chain.
#[derive(Clone, Debug, Default)]
struct Components {
    names: Vec<Text>,
    ids: SortedMap<Text, ComponentId>,
    /// The component of each chain.
    chains: Vec<Option<ComponentId>>,
}

impl Components {
    /// These names and those that are new, in order; ids stay.
    fn with(&self, more: &[Text], plan: &Plan) -> Self {
        let mut all = Self { names: self.names.clone(), ids: self.ids.clone(), chains: Vec::new() };
        let named = plan.chains().filter_map(|(_, chain)| chain.component.as_ref());
        for name in more.iter().chain(named) {
            if !all.ids.contains_key(name) {
                all.ids.insert(name.clone(), ComponentId::at(all.names.len()));
                all.names.push(name.clone());
            }
        }
        let of = |name: &Text| all.ids.get(name).copied();
        all.chains = plan.chains().map(|(_, chain)| chain.component.as_ref().and_then(of)).collect();
        all
    }
}

/// The pace of readiness checks. *Units*: milliseconds.
const CHECK_MS: u64 = 1_000;

impl App {
    /// An application as it is loaded, with what runs at load time put on the machines.
    ///
    /// *Errors*: no plan can be made.
    pub(crate) fn load(io: &mut Io<'_>, definition: Arc<Definition>) -> Result<Self, Refusal> {
        let prepared = prepare(&definition, &definition.planted())?;
        let mut app = Self::with(io.cx.now(), definition, prepared, &Components::default());
        app.plant(io);
        app.arrange();
        app.names.loaded(io.cx, &app.run);
        app.touch(io.cx);
        if app.definition.options.run && app.run.mode == Mode::Ready {
            app.command(io, &crate::engine::Command::Start { paused: false, interactive: None })?;
        }
        Ok(app)
    }

    fn with(now: SimTime, definition: Arc<Definition>, prepared: Prepared, known: &Components) -> Self {
        let plan = prepared.plan.clone().unwrap_or_else(|| Arc::new(Plan::empty()));
        let components = known.with(&definition.components, &plan);
        let mode = if prepared.plan.is_some() { Mode::Ready } else { Mode::NotReady };
        let run = Run::new(plan.steps().len(), mode, definition.options.interactive, now);
        Self {
            run,
            names: Arc::new(Names::new(&definition.name, &plan)),
            plan,
            prepared,
            definition,
            instances: Instances::default(),
            components: Arc::new(components),
            timers: EventQueue::new(),
            touched: 0,
            leaving: false,
            hosts: SortedMap::new(),
            seen: now,
            cache: crate::view::ViewCache::default(),
        }
    }

    /// Something that can be seen has changed.
    pub(crate) fn touch(&mut self, cx: &planarium_ground::Cx) {
        // Never the same twice: what is shown may change between two events.
        self.touched = (self.touched + 1).max(cx.next_seq() - 1);
        self.seen = cx.now();
    }

    // ---- what runs at load time ----------------------------------------------------------------

    fn plant(&mut self, io: &mut Io<'_>) {
        let definition = self.definition.clone();
        for planted in &definition.env.simulation.instances {
            let Some(component) = self.components.ids.get(&planted.component).copied() else { continue };
            // Only what runs is new.
            let is_new = !planted.stopped && self.counts_as_new(component, &planted.image);
            let group = if is_new { Group::New } else { Group::Old };
            let position = self.instances.group(component, group, 0).count() as u64;
            let mut slot = Slot { component, group, index: planted.index.unwrap_or(position) };
            while self.instances.get(slot).is_some() {
                slot.index = slot.index.saturating_add(1);
            }
            let letter = if group == Group::New { 'n' } else { 'o' };
            let wanted = match &planted.id {
                Some(id) => id.to_string(),
                None => format!("{}-{letter}{}", planted.component, slot.index),
            };
            let id = self.instances.fresh_id(&wanted);
            let balancers = match &planted.balancers {
                Some(names) => names.clone(),
                None => self.usual_balancers(&planted.component),
            };
            let now = io.cx.now();
            let mut instance = Instance {
                ip: planted.ip.clone().unwrap_or_else(|| self.instances.address(slot)),
                image: planted.image.clone(),
                state: if planted.stopped { InstanceState::Stopped } else { InstanceState::Running },
                created: now,
                running_since: SimTime::ZERO,
                balancers: balancers.into_iter().map(|name| (name, None)).collect(),
                settled: !planted.stopped,
                hidden: false,
                unhealthy: false,
                ready: !planted.stopped,
                machine: None,
                process: None,
                id,
            };
            if let Place::On(machine) = place(io.machines.fleet(), |machine| self.instances.on(machine)) {
                instance.machine = Some(machine);
                self.remember(io, machine);
                if !planted.stopped {
                    let (own, image) = (instance.id.clone(), instance.image.clone());
                    let process = self.launch(io, machine, slot, &own, &image, 0);
                    io.machines.adopt(io.cx, process);
                    instance.process = Some(process);
                }
            }
            self.instances.put(slot, instance);
        }
    }

    /// Balancers that an instance of a component is behind unless something else is said.
    fn usual_balancers(&self, component: &str) -> Vec<Text> {
        let env = &self.definition.env;
        match &self.definition.model {
            Some(model) if env.balancer_plugin.is_some() => model.balancers(component).cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether an instance with this image counts as new.
    fn counts_as_new(&self, component: ComponentId, image: &Text) -> bool {
        self.new_image(component).is_some_and(|target| target == *image)
    }

    /// The image that makes an instance a new one.
    fn new_image(&self, component: ComponentId) -> Option<Text> {
        let options = self.definition.options;
        if options.teardown || options.replace_all {
            return None;
        }
        // What is to go altogether goes as old.
        self.target_image(component).filter(|_| self.replicas(component) > 0)
    }

    /// Sorts instances into groups. For a generated plan without gaps.
    fn arrange(&mut self) {
        let packed = self.definition.given.is_none();
        let names = self.components.clone();
        let targets: Vec<Option<Text>> =
            (0..names.names.len()).map(|at| self.new_image(ComponentId::at(at))).collect();
        self.instances.sort(&|component| targets.get(component.index()).cloned().flatten(), packed);
    }

    /// What runs now, by component.
    fn running(&self) -> Vec<Running> {
        let mut all: Vec<Running> = Vec::new();
        for (slot, instance) in self.instances.iter() {
            if instance.state != InstanceState::Running {
                continue;
            }
            let component: Text = self.component_name(slot.component).into();
            if all.last().is_none_or(|last| last.component != component) {
                all.push(Running { component, ..Running::default() });
            }
            if let Some(last) = all.last_mut() {
                if slot.group == Group::New { &mut last.same } else { &mut last.old }
                    .push(instance.image.clone());
            }
        }
        all
    }

    /// Forgets the run, looks at what runs, and makes the plan anew.
    pub(crate) fn reset(&mut self, io: &mut Io<'_>) -> Result<(), Refusal> {
        self.replace(io, self.definition.clone())
    }

    /// Goes on with another definition: what runs now is what it starts from.
    ///
    /// *Errors*: the plan is running, or none can be made; nothing has changed.
    pub(crate) fn replace(&mut self, io: &mut Io<'_>, definition: Arc<Definition>) -> Result<(), Refusal> {
        if self.run.mode == Mode::Running {
            let text = "the plan is running: pause or abandon it first";
            return Err(Refusal::new(RefusalCode::Conflict, text));
        }
        self.cut_off(io);
        // Nobody can ask a machine that is gone what runs on it.
        let lost: Vec<Slot> = self
            .instances
            .iter()
            .filter(|(_, one)| one.state == InstanceState::Lost)
            .map(|(slot, _)| slot)
            .collect();
        for slot in lost {
            self.instances.take(slot);
        }
        let before = std::mem::replace(&mut self.definition, definition);
        let known = Components::clone(&self.components);
        self.components = Arc::new(known.with(&self.definition.components, &Plan::empty()));
        self.arrange();
        let prepared = match prepare(&self.definition, &self.running()) {
            Ok(prepared) => prepared,
            Err(refusal) => {
                self.definition = before;
                return Err(refusal);
            }
        };
        let known = Components::clone(&self.components);
        let next = Self::with(io.cx.now(), self.definition.clone(), prepared, &known);
        let old_mode = self.run.mode;
        *self = Self {
            instances: std::mem::take(&mut self.instances),
            touched: self.touched,
            leaving: self.leaving,
            hosts: std::mem::take(&mut self.hosts),
            ..next
        };
        self.names.replanned(io.cx, old_mode, &mut self.run);
        self.touch(io.cx);
        Ok(())
    }

    // ---- components ----------------------------------------------------------------------------

    /// The component that a chain works on.
    pub(crate) fn component_of(&self, chain: ChainId) -> Option<ComponentId> {
        self.components.chains.get(chain.index()).copied().flatten()
    }

    /// A component's name.
    pub(crate) fn component_name(&self, component: ComponentId) -> &str {
        self.components.names.get(component.index()).map_or("", |name| name)
    }

    /// The component of a name.
    pub(crate) fn component_id(&self, name: &str) -> Option<ComponentId> {
        self.components.ids.get(name).copied()
    }

    /// How many instances of a component the model asks for.
    pub(crate) fn replicas(&self, component: ComponentId) -> u64 {
        let model = self.definition.model.as_deref();
        let own = model.and_then(|model| model.component(self.component_name(component)));
        own.map_or(0, |own| own.replicas)
    }

    /// The image of a component in the model.
    pub(crate) fn target_image(&self, component: ComponentId) -> Option<Text> {
        let model = self.definition.model.as_deref()?;
        model.component(self.component_name(component))?.image.clone()
    }

    /// Whether the registry has an image.
    pub(crate) fn image_exists(&self, image: &str) -> bool {
        let registry = self.definition.env.simulation.registry.as_ref();
        registry.is_none_or(|images| images.iter().any(|own| &**own == image))
    }

    /// Whether there is a balancer of this name.
    pub(crate) fn balancer_exists(&self, name: &str) -> bool {
        let env = &self.definition.env;
        if let Some(balancers) = &env.simulation.balancers {
            return balancers.iter().any(|own| &**own == name);
        }
        let gateway = self
            .definition
            .model
            .as_deref()
            .is_some_and(|model| model.gateways.iter().any(|gateway| &*gateway.name == name));
        gateway || env.configured_balancers.iter().any(|own| &**own == name)
    }

    /// Any running instance of a component.
    pub(crate) fn instance_of(&self, component: &str) -> Option<Slot> {
        let component = self.component_id(component)?;
        let mut all =
            [Group::Old, Group::New].into_iter().flat_map(|group| self.instances.group(component, group, 0));
        all.find(|(_, instance)| instance.state == InstanceState::Running).map(|(slot, _)| slot)
    }

    // ---- machines ------------------------------------------------------------------------------

    /// The name of a machine that an instance is on.
    pub(crate) fn host_of(&self, machine: MachineId) -> Option<Text> {
        self.hosts.get(&machine).cloned()
    }

    /// The last instant at which anything happened here.
    pub(crate) fn seen_at(&self) -> SimTime {
        self.seen
    }

    /// Whether a process is one of this application's.
    pub(crate) fn has_process(&self, process: ProcessId) -> bool {
        let launching = self.run.leaf.as_ref().is_some_and(
            |leaf| matches!(&leaf.work, crate::call::Work::Launch(launch) if launch.process == process),
        );
        launching || self.instances.of_process(process).is_some()
    }

    /// It is taken down, and forgotten when that is done.
    ///
    /// *Errors*: its plan is running.
    pub(crate) fn take_down(&mut self, io: &mut Io<'_>) -> Result<(), Refusal> {
        let mut definition = Definition::clone(&self.definition);
        definition.options.teardown = true;
        definition.given = None;
        if definition.model.is_none() {
            definition.model = Some(Arc::new(crate::model::Model::empty()));
        }
        self.replace(io, Arc::new(definition))?;
        self.leaving = true;
        if self.run.mode == Mode::Ready {
            self.command(io, &crate::engine::Command::Start { paused: false, interactive: Some(false) })?;
        }
        Ok(())
    }

    /// The name of a machine.
    pub(crate) fn hostname(&self, io: &Io<'_>, machine: MachineId) -> Text {
        let known = io.machines.fleet().machine(machine).map(|machine| machine.hostname.clone());
        let known = known.or_else(|| self.host_of(machine));
        known.unwrap_or_else(|| format!("machine {}", machine.0).into())
    }

    /// Remembers the name of a machine.
    pub(crate) fn remember(&mut self, io: &Io<'_>, machine: MachineId) {
        let host = self.hostname(io, machine);
        self.hosts.insert(machine, host);
    }

    /// Starts the process of an instance.
    pub(crate) fn launch(
        &self,
        io: &mut Io<'_>,
        machine: MachineId,
        slot: Slot,
        id: &Text,
        image: &Text,
        start_ms: u64,
    ) -> ProcessId {
        let host = self.hostname(io, machine);
        let labels = Labels::new([
            ("agent", host),
            ("pod", id.clone()),
            ("pod-type", self.component_name(slot.component).into()),
            ("service", self.definition.name.clone()),
            ("task", id.clone()),
            ("task-id", id.clone()),
        ]);
        let readiness = CheckSpec {
            command: "".into(),
            delay_ms: self.warm_up_ms(),
            interval_ms: CHECK_MS,
            timeout_ms: CHECK_MS,
        };
        let program =
            Program { image: Some(image.clone()), readiness: Some(readiness), ..Program::default() };
        let spec = ProcessSpec {
            owner: planarium_ground::Owner(0),
            name: id.clone(),
            machine,
            labels,
            program,
            grace_ms: 0,
        };
        io.machines.launch(io.cx, spec, start_ms)
    }

    /// Has the process of an instance end within this time. *Units*: milliseconds.
    pub(crate) fn end_process(&self, io: &mut Io<'_>, slot: Slot, ms: u64) {
        let Some(process) = self.instances.get(slot).and_then(|instance| instance.process) else { return };
        if ms > 0 {
            io.machines.kill(io.cx, process, ms);
        }
    }

    /// Everything of it is gone.
    pub(crate) fn vanish(&mut self, io: &mut Io<'_>) {
        self.cut_off(io);
        let processes: Vec<ProcessId> = self.instances.iter().filter_map(|(_, one)| one.process).collect();
        for process in processes {
            io.machines.vanish(process);
        }
    }

    // ---- time ----------------------------------------------------------------------------------

    /// Handles one due timer.
    pub(crate) fn fire(&mut self, io: &mut Io<'_>) {
        let Some((_, _, cause)) = self.timers.pop_due(io.cx.now()) else { return };
        io.cx.set_cause(cause);
        self.leaf_due(io);
    }

    // ---- records -------------------------------------------------------------------------------

    /// Writes a record, and tells about it where it is more than a step's beginning or end.
    pub(crate) fn log(&mut self, io: &mut Io<'_>, step: Option<StepId>, kind: LogKind) {
        let index = step.and_then(|id| self.slot_of(id));
        let record = Record { at: io.cx.now(), kind, step, index };
        if let Some(event) = self.names.told(io.cx, &self.plan, &record) {
            self.run.event = event;
        }
        self.run.log.push(record);
    }

    /// The slot that the loop around a step is at.
    pub(crate) fn slot_of(&self, id: StepId) -> Option<u64> {
        let chain = self.plan.step(id).and_then(|step| self.plan.chain(step.chain))?;
        (chain.kind == ChainKind::Loop).then(|| self.run.index()).flatten()
    }

    /// A command was given.
    pub(crate) fn told(&mut self, io: &mut Io<'_>, word: &'static str) {
        self.names.commanded(io.cx, word);
    }

    /// A step shows something else.
    pub(crate) fn show(&mut self, io: &mut Io<'_>, id: StepId, shown: Shown) {
        let now = io.cx.now();
        let Some(own) = self.run.steps.get_mut(id.index()) else { return };
        let before = std::mem::replace(&mut own.shown, shown);
        if before == shown {
            return;
        }
        own.since = now;
        own.event = self.names.showed(io.cx, id, before, shown);
        self.show_cell(id, shown);
    }

    /// The engine does something else.
    pub(crate) fn set_mode(&mut self, io: &mut Io<'_>, mode: Mode) {
        let before = std::mem::replace(&mut self.run.mode, mode);
        if before == mode {
            return;
        }
        self.run.since = io.cx.now();
        self.run.event = self.names.moded(io.cx, before, mode);
    }

    /// An instance has been created.
    pub(crate) fn created(&self, io: &mut Io<'_>, slot: Slot, instance: &Instance) {
        let host = instance.machine.map(|machine| self.hostname(io, machine));
        self.names.instance(io.cx, "instance-created", self.component_name(slot.component), instance, host);
    }

    /// An instance has been destroyed.
    pub(crate) fn destroyed(&self, io: &mut Io<'_>, slot: Slot, instance: &Instance) {
        let host = instance.machine.map(|machine| self.hostname(io, machine));
        self.names.instance(io.cx, "instance-destroyed", self.component_name(slot.component), instance, host);
    }

    /// An instance fell without anybody asking for it.
    pub(crate) fn fell(&self, io: &mut Io<'_>, slot: Slot, what: &'static str, why: &str) {
        let Some(instance) = self.instances.get(slot) else { return };
        self.names.instance(io.cx, what, self.component_name(slot.component), instance, Some(why.into()));
    }
}

/// The plan of a definition.
fn prepare(definition: &Definition, running: &[Running]) -> Result<Prepared, Refusal> {
    let refuse = |why: String| {
        let text = format!("no plan can be made for '{}': {why}", definition.name);
        Refusal::new(RefusalCode::InvalidDefinition, text)
    };
    definition.prepare(running).map_err(refuse)
}
