//! A call begins.
//!
//! *Knows*: how long each action takes and what it waits for. *Must not know*: what it brings about at its end.

use super::bind::Callee;
use super::fault::Strike;
use super::{Await, Awaited, Bound, Effect, Launch, Timed, Work};
use crate::app::App;
use crate::engine::{Io, Move};
use crate::env::{Outcome, Script};
use crate::instance::{ComponentId, Group, InstanceState, Slot};
use crate::machines::{Place, place};
use crate::plan::{Plan, StepId};
use crate::plugin::{ActionSpec, CONSUL, EXEC_TIMEOUT_MS, JOIN_MS, Op, WAIT_MS, WARM_UP_MS};
use planarium_ground::{Absence, MachineId};
use planarium_protocol::Text;

/// How a call goes once it is known what strikes it.
struct Going {
    /// How long it takes. *Units*: milliseconds.
    ms: u64,
    /// What is added to that. *Units*: milliseconds.
    extra_ms: u64,
    unhealthy: bool,
}

impl App {
    /// Begins a call.
    pub(super) fn start_call(&mut self, io: &mut Io<'_>, plan: &Plan, id: StepId, bound: &Bound) -> Move {
        let ms = self.usual_ms(bound);
        let strike = self.strike(io, plan, id, bound);
        let mut going = Going { ms, extra_ms: 0, unhealthy: false };
        if let Some(strike) = strike {
            match strike.outcome {
                Outcome::Fail => {
                    return self.fail_later(io, id, bound, ms.saturating_add(strike.delay_ms), strike);
                }
                Outcome::Timeout => {
                    let wait_ms = patience_ms(bound);
                    let text = format!("timed out after {} s", shown_seconds(wait_ms));
                    let strike = Strike { message: text.into(), leave: false, ..strike };
                    return self.fail_later(io, id, bound, wait_ms, strike);
                }
                Outcome::Slow(extra_ms) => going.extra_ms = extra_ms,
                Outcome::Unhealthy => going.unhealthy = true,
            }
        }
        match &bound.callee {
            Callee::Script { name, script } => self.run_script(io, id, name, script, &going),
            Callee::Own { plugin, action, script } => {
                let name = format!("{plugin} {action}");
                self.run_script(io, id, &name.into(), script, &going)
            }
            Callee::Plugin { spec, .. } => self.call_plugin(io, id, bound, spec, &going),
        }
    }

    /// How long a call usually takes. *Units*: milliseconds.
    fn usual_ms(&self, bound: &Bound) -> u64 {
        let simulation = &self.definition.env.simulation;
        let told = |name: &str| simulation.durations.get(name).copied();
        match &bound.callee {
            Callee::Script { name, script } => told(name).unwrap_or(script.ms),
            Callee::Own { plugin, action, script } => {
                told(&format!("{plugin}.{action}")).unwrap_or(script.ms)
            }
            Callee::Plugin { plugin, action, spec } => {
                if simulation.durations.is_empty() {
                    return self.ready_ms(spec);
                }
                told(&format!("{plugin}.{action}")).unwrap_or_else(|| self.ready_ms(spec))
            }
        }
    }

    fn ready_ms(&self, spec: &ActionSpec) -> u64 {
        match spec.op {
            Op::AwaitUp | Op::AwaitService => self.warm_up_ms(),
            _ => spec.ms,
        }
    }

    /// From running to ready. *Units*: milliseconds.
    pub(crate) fn warm_up_ms(&self) -> u64 {
        self.definition.env.simulation.warm_up_ms.unwrap_or(WARM_UP_MS)
    }

    fn fail_later(&mut self, io: &mut Io<'_>, id: StepId, bound: &Bound, ms: u64, strike: Strike) -> Move {
        let creates = matches!(&bound.callee, Callee::Plugin { spec, .. } if spec.op == Op::Create);
        let message: Text = format!("{}: {}", bound.callee.name(), strike.message).into();
        let image = bound.component.and_then(|component| self.target_image(component));
        let effect = match (bound.slot.filter(|_| creates && strike.leave), image) {
            (Some(slot), Some(image)) if self.instances.get(slot).is_none() => {
                Effect::Leave { slot, image, message }
            }
            _ => Effect::Fail(message),
        };
        self.timed(io, id, ms, effect, None)
    }

    fn timed(
        &mut self,
        io: &mut Io<'_>,
        id: StepId,
        ms: u64,
        effect: Effect,
        unhealthy: Option<Slot>,
    ) -> Move {
        self.work_until(io, id, ms, Work::Timed(Box::new(Timed { effect, unhealthy })))
    }

    fn run_script(
        &mut self,
        io: &mut Io<'_>,
        id: StepId,
        name: &Text,
        script: &Script,
        going: &Going,
    ) -> Move {
        let code = self.exit_code(name, script);
        let effect = Effect::Exit { name: name.clone(), code, stderr: script.stderr.clone() };
        self.timed(io, id, going.ms.saturating_add(going.extra_ms), effect, None)
    }

    fn call_plugin(
        &mut self,
        io: &mut Io<'_>,
        id: StepId,
        bound: &Bound,
        spec: &ActionSpec,
        going: &Going,
    ) -> Move {
        let ms = going.ms.saturating_add(going.extra_ms);
        let fails = |text: String| Effect::Fail(format!("{}: {text}", bound.callee.name()).into());
        if let Some(missing) = spec.required.iter().find(|name| bound.text(name).is_none()) {
            return self.timed(io, id, ms, fails(format!("the argument '{missing}' is missing")), None);
        }
        let arg = |name: &str| Text::from(bound.text(name).unwrap_or_default());
        let unhealthy = bound.slot.filter(|_| going.unhealthy);
        match (spec.op, bound.component) {
            (Op::AwaitAll, Some(component)) => return self.wait_for_all(io, id, bound, component, going),
            (op, Some(component)) if op.needs_component() => {
                let effect = Effect::All { component, op, only: bound.selector };
                return self.timed(io, id, ms, effect, None);
            }
            (Op::Probe, _) => return self.probe(io, id, bound, going),
            (Op::Pass, _) => return self.pass_on(io, id, bound, going),
            _ => {}
        }
        let Some(slot) = bound.slot.filter(|_| spec.op.needs_instance()) else {
            let effect = match spec.op {
                Op::ImageCheck | Op::ImagePull => Effect::Image(arg("arg")),
                Op::Signal => Effect::Signal { component: arg("component"), signal: arg("signal") },
                Op::Notify => Effect::Say(arg("text")),
                _ => Effect::Nothing,
            };
            if let (Op::Signal, None) = (spec.op, self.instance_of(&arg("component"))) {
                // A missing instance is found before the call.
                self.note(
                    id,
                    format!("{}: there is no instance of {}", bound.callee.name(), arg("component")),
                );
                return Move::Complete(id, false);
            }
            return self.timed(io, id, ms, effect, unhealthy);
        };
        if let Some(host) = self.out_of_reach(io, slot).filter(|_| touches_machine(spec.op)) {
            return self.timed(io, id, ms, fails(format!("machine {host} cannot be reached")), None);
        }
        match spec.op {
            Op::Create => self.create(io, id, bound, slot, ms, going.unhealthy),
            Op::Start => self.start_instance(io, id, bound, slot, ms, unhealthy),
            Op::Destroy | Op::Stop => {
                self.end_process(io, slot, ms);
                let effect = if spec.op == Op::Stop { Effect::Stop(slot) } else { Effect::Destroy(slot) };
                self.timed(io, id, ms, effect, unhealthy)
            }
            Op::Attach => {
                let name = arg("name");
                let effect = if self.balancer_exists(&name) {
                    Effect::Attach(slot, name)
                } else {
                    fails(format!("there is no balancer '{name}'"))
                };
                self.timed(io, id, ms, effect, unhealthy)
            }
            Op::Detach => self.timed(io, id, ms, Effect::Detach(slot, arg("name")), unhealthy),
            Op::Register => {
                let joined = matches!(&bound.callee, Callee::Plugin { plugin, .. } if &**plugin == CONSUL);
                self.timed(io, id, ms, Effect::Register { slot, joined }, unhealthy)
            }
            Op::Unregister => self.timed(io, id, ms, Effect::Unregister(slot), unhealthy),
            Op::AwaitUp => self.wait(io, id, bound, slot, Awaited::Up, going),
            Op::AwaitService => self.wait(io, id, bound, slot, Awaited::Service(arg("name")), going),
            Op::AwaitJoin => self.wait(io, id, bound, slot, Awaited::Join, going),
            Op::InInstance => self.timed(io, id, ms, Effect::InInstance(slot), unhealthy),
            _ => self.timed(io, id, ms, Effect::Nothing, unhealthy),
        }
    }

    /// Waits until all new instances are up.
    fn wait_for_all(
        &mut self,
        io: &mut Io<'_>,
        id: StepId,
        bound: &Bound,
        component: ComponentId,
        going: &Going,
    ) -> Move {
        let wait_ms = bound.seconds("wait").unwrap_or(WAIT_MS);
        let waiting = Await {
            slot: Slot { component, group: Group::New, index: 0 },
            instance: self.component_name(component).into(),
            what: Awaited::All,
            warm_up_ms: going.ms.saturating_add(going.extra_ms),
            deadline: io.cx.now().saturating_add(wait_ms),
            unhealthy: false,
        };
        self.begin_wait(io, id, waiting)
    }

    /// Runs a probe container: what the environment says of its image, else it passes. Beside an instance, that one has to run.
    fn probe(&mut self, io: &mut Io<'_>, id: StepId, bound: &Bound, going: &Going) -> Move {
        let image: Text = bound.text("image").unwrap_or_default().into();
        let script = self.definition.env.simulation.probe(&image).cloned().unwrap_or_else(Script::passing);
        let ms = script.ms.saturating_add(going.extra_ms);
        let ill = |slot: &Slot| {
            let instance = self.instances.get(*slot);
            instance.is_some_and(|one| one.state != InstanceState::Running || one.unhealthy)
        };
        let effect = match bound.slot.filter(ill) {
            Some(slot) => Effect::InInstance(slot),
            None => {
                let name: Text = format!("probe {image}").into();
                let code = self.exit_code(&name, &script);
                Effect::Exit { name, code, stderr: script.stderr }
            }
        };
        self.timed(io, id, ms, effect, None)
    }

    /// Passes a call on to another plugin, which carries it out in no time of its own.
    fn pass_on(&mut self, io: &mut Io<'_>, id: StepId, bound: &Bound, going: &Going) -> Move {
        let ms = going.ms.saturating_add(going.extra_ms);
        let (plugin, action) =
            (bound.text("plugin").unwrap_or_default(), bound.text("action").unwrap_or_default());
        let own = self.definition.env.simulation.plugins.get(&*plugin);
        if let Some(script) = own.and_then(|own| own.actions.get(&*action)).cloned() {
            return self.run_script(io, id, &format!("{plugin} {action}").into(), &script, going);
        }
        let known = own.is_none() && crate::plugin::find(&plugin, &action).is_some();
        let effect = if known {
            Effect::Nothing
        } else {
            Effect::Fail(format!("{}: there is no '{plugin} {action}'", bound.callee.name()).into())
        };
        self.timed(io, id, ms, effect, None)
    }

    /// The exit code of this run of a script.
    fn exit_code(&mut self, name: &Text, script: &Script) -> i32 {
        // Which run it is matters only where runs differ.
        if let [only] = *script.exits {
            return only;
        }
        let runs = self.run.script_runs.entry(name.clone()).or_default();
        let nth = usize::try_from(*runs).unwrap_or(usize::MAX);
        *runs = runs.saturating_add(1);
        script.exits.get(nth).or(script.exits.last()).copied().unwrap_or(0)
    }

    /// The hostname of an instance's machine when nobody can reach it.
    fn out_of_reach(&self, io: &Io<'_>, slot: Slot) -> Option<Text> {
        let machine = self.instances.get(slot)?.machine?;
        let fleet = io.machines.fleet();
        let host = fleet.machine(machine).map(|machine| machine.hostname.clone());
        (fleet.absence(machine) == Some(Absence::Partitioned)).then_some(host).flatten()
    }

    fn create(
        &mut self,
        io: &mut Io<'_>,
        id: StepId,
        bound: &Bound,
        slot: Slot,
        ms: u64,
        unhealthy: bool,
    ) -> Move {
        let name = bound.callee.name();
        let component = self.component_name(slot.component).to_owned();
        let fails = |text: String| Effect::Fail(format!("{name}: {text}").into());
        let in_model =
            self.definition.model.as_deref().is_some_and(|model| model.component(&component).is_some());
        let image = self.target_image(slot.component);
        let refused = if self.instances.get(slot).is_some() {
            Some(format!("there is a new instance {} of {component} already", slot.index))
        } else if !in_model {
            Some(format!("the component {component} is not in the model"))
        } else {
            match &image {
                None => Some(format!("the component {component} has no image")),
                Some(image) if !self.image_exists(image) => Some(format!("there is no image {image}")),
                Some(_) => None,
            }
        };
        if let Some(why) = refused {
            return self.timed(io, id, ms, fails(why), None);
        }
        let image = image.unwrap_or_default();
        let free = |machine: MachineId| self.instances.on(machine);
        match place(io.machines.fleet(), free) {
            Place::NoneUp => self.timed(io, id, ms, fails("no machine is up".to_owned()), None),
            Place::Nowhere => {
                self.timed(io, id, ms, Effect::Create { slot, image }, Some(slot).filter(|_| unhealthy))
            }
            Place::On(machine) => {
                let own = self.instances.fresh_id(&format!("{component}-n{}", slot.index));
                let process = self.launch(io, machine, slot, &own, &image, ms);
                self.remember(io, machine);
                let host = self.hostname(io, machine);
                let new = Some((image, own));
                let launch = Launch { process, machine, host, slot, new, unhealthy };
                self.await_launch(io, id, launch)
            }
        }
    }

    fn start_instance(
        &mut self,
        io: &mut Io<'_>,
        id: StepId,
        bound: &Bound,
        slot: Slot,
        ms: u64,
        unhealthy: Option<Slot>,
    ) -> Move {
        let fails = |text: String| Effect::Fail(format!("{}: {text}", bound.callee.name()).into());
        let Some(instance) = self.instances.get(slot) else { return Move::Complete(id, false) };
        let (own, image, state) = (instance.id.clone(), instance.image.clone(), instance.state);
        match (state, instance.machine) {
            (InstanceState::Running, _) => self.timed(io, id, ms, Effect::Nothing, unhealthy),
            (InstanceState::Lost, _) => {
                self.timed(io, id, ms, fails(format!("the machine of {own} is lost")), None)
            }
            (InstanceState::Stopped, None) => self.timed(io, id, ms, Effect::Start(slot), unhealthy),
            (InstanceState::Stopped, Some(machine)) => {
                let host = self.hostname(io, machine);
                if io.machines.fleet().machine(machine).is_none()
                    || io.machines.fleet().absence(machine).is_some()
                {
                    return self.timed(io, id, ms, fails(format!("machine {host} cannot be reached")), None);
                }
                let process = self.launch(io, machine, slot, &own, &image, ms);
                let unhealthy = unhealthy.is_some();
                self.await_launch(io, id, Launch { process, machine, host, slot, new: None, unhealthy })
            }
        }
    }

    fn await_launch(&mut self, io: &mut Io<'_>, id: StepId, launch: Launch) -> Move {
        let now = io.cx.now();
        let work = Work::Launch(Box::new(launch));
        self.run.leaf = Some(super::Leaf { step: id, since: now, timer: None, until: None, work });
        Move::Rest
    }

    fn wait(
        &mut self,
        io: &mut Io<'_>,
        id: StepId,
        bound: &Bound,
        slot: Slot,
        what: Awaited,
        going: &Going,
    ) -> Move {
        let Some(instance) = self.instances.get(slot) else { return Move::Complete(id, false) };
        let own = instance.id.clone();
        let refused = match &what {
            Awaited::Service(name) if !instance.balancers.iter().any(|(own, _)| own == name) => {
                Some(format!("{own} is not attached to {name}"))
            }
            _ if instance.state != InstanceState::Running => {
                Some(format!("{own} is {}", instance.state.word()))
            }
            Awaited::Service(_) | Awaited::Up if instance.unhealthy => Some(format!("{own} is unhealthy")),
            _ => None,
        };
        if let Some(why) = refused {
            let ms = going.ms.saturating_add(going.extra_ms);
            let effect = Effect::Fail(format!("{}: {why}", bound.callee.name()).into());
            return self.timed(io, id, ms, effect, None);
        }
        let wait_ms = bound.seconds("wait").unwrap_or(WAIT_MS);
        let warm_up_ms = match what {
            Awaited::Join if going.ms == JOIN_MS => JOIN_MS,
            _ => going.ms,
        };
        let waiting = Await {
            slot,
            instance: own,
            what,
            warm_up_ms: warm_up_ms.saturating_add(going.extra_ms),
            deadline: io.cx.now().saturating_add(wait_ms),
            unhealthy: going.unhealthy,
        };
        self.begin_wait(io, id, waiting)
    }
}

/// How long a call waits for what does not come. *Units*: milliseconds.
fn patience_ms(bound: &Bound) -> u64 {
    match &bound.callee {
        Callee::Plugin { spec, .. } if spec.op == Op::InInstance => {
            bound.seconds("timeout").unwrap_or(EXEC_TIMEOUT_MS)
        }
        _ => bound.seconds("wait").unwrap_or(WAIT_MS),
    }
}

/// Whether an action has to reach the machine of its instance.
const fn touches_machine(op: Op) -> bool {
    matches!(op, Op::Destroy | Op::Stop | Op::Start | Op::InInstance)
}

/// Milliseconds as seconds, for messages.
fn shown_seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { (ms / 1000).to_string() } else { format!("{}.{:03}", ms / 1000, ms % 1000) }
}
