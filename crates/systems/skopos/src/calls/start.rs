//! Begins calls.
//!
//! *Knows*: how long each action takes and what it waits for. *Must not know*: its effects at the end.

use super::bind::Callee;
use super::faults::Strike;
use super::{Bound, Site};
use crate::blueprint::Blueprint;
use crate::definition::env::{Outcome, Script};
use crate::instances::{ComponentId, Group, InstanceState, Launching, Slot};
use crate::machines::{Place, place};
use crate::plugins::{ActionSpec, CONSUL, EXEC_TIMEOUT_MS, Op, WAIT_MS};
use crate::run::{Await, Awaited, Counts, Effect, Timed};
use planarium_ground::Absence;
use planarium_protocol::Text;

/// The beginning of calls.
#[derive(Debug)]
pub(crate) enum Start {
    /// Nothing: it has failed; why, where that is worth a note.
    Failed(Option<Text>),
    /// Something that takes a known time. *Units*: milliseconds.
    Timed { ms: u64, timed: Timed },
    /// A process is started.
    Launch(Launching),
    /// It waits.
    Wait(Await),
}

impl Start {
    fn after(ms: u64, effect: Effect, unhealthy: Option<Slot>) -> Self {
        Self::Timed { ms, timed: Timed { effect, unhealthy } }
    }
}

/// Course of a call once its fault is known.
struct Going<'a> {
    bound: &'a Bound,
    /// Its running time. *Units*: milliseconds.
    ms: u64,
    /// Additional time. *Units*: milliseconds.
    extra_ms: u64,
    unhealthy: bool,
}

impl Going<'_> {
    /// Returns its whole time. *Units*: milliseconds.
    fn whole_ms(&self) -> u64 {
        self.ms.saturating_add(self.extra_ms)
    }

    fn after(&self, effect: Effect) -> Start {
        Start::after(self.whole_ms(), effect, None)
    }

    fn fails(&self, text: impl std::fmt::Display) -> Start {
        self.after(Effect::Fail(format!("{}: {text}", self.bound.callee.name()).into()))
    }

    /// The slot of its instance where that never gets healthy.
    fn unhealthy_slot(&self) -> Option<Slot> {
        self.bound.slot.filter(|_| self.unhealthy)
    }

    /// An effect on its instance, which never gets healthy where that strikes it.
    fn on_instance(&self, effect: Effect) -> Start {
        Start::after(self.whole_ms(), effect, self.unhealthy_slot())
    }
}

/// Begins a call. Scripts are counted.
pub(crate) fn start(site: &Site<'_>, counts: &mut Counts, bound: &Bound, strike: Option<Strike>) -> Start {
    let ms = usual_ms(site.blueprint, bound);
    let mut going = Going { bound, ms, extra_ms: 0, unhealthy: false };
    if let Some(strike) = strike {
        match strike.outcome {
            Outcome::Fail => return fail_later(site, bound, ms.saturating_add(strike.delay_ms), strike),
            Outcome::Timeout => {
                let wait_ms = patience_ms(bound);
                let text = format!("timed out after {} s", shown_seconds(wait_ms));
                return fail_later(
                    site,
                    bound,
                    wait_ms,
                    Strike { message: text.into(), leave: false, ..strike },
                );
            }
            Outcome::Slow(extra_ms) => going.extra_ms = extra_ms,
            Outcome::Unhealthy => going.unhealthy = true,
        }
    }
    match &bound.callee {
        Callee::Script { name, script } => run_script(counts, name, script, &going),
        Callee::Own { plugin, action, script } => {
            run_script(counts, &format!("{plugin} {action}").into(), script, &going)
        }
        Callee::Plugin { spec, .. } => call_plugin(site, counts, spec, &going),
    }
}

// ---- times ---------------------------------------------------------------------------------------------

/// Returns the usual time of a call. *Units*: milliseconds.
fn usual_ms(blueprint: &Blueprint, bound: &Bound) -> u64 {
    let simulation = &blueprint.definition.env.simulation;
    let told = |name: &str| simulation.durations.get(name).copied();
    match &bound.callee {
        Callee::Script { name, script } => told(name).unwrap_or(script.ms),
        Callee::Own { plugin, action, script } => told(&format!("{plugin}.{action}")).unwrap_or(script.ms),
        Callee::Plugin { plugin, action, spec } => {
            if simulation.durations.is_empty() {
                return ready_ms(blueprint, spec);
            }
            told(&format!("{plugin}.{action}")).unwrap_or_else(|| ready_ms(blueprint, spec))
        }
    }
}

fn ready_ms(blueprint: &Blueprint, spec: &ActionSpec) -> u64 {
    match spec.op {
        Op::AwaitUp | Op::AwaitService => blueprint.warm_up_ms(),
        _ => spec.ms,
    }
}

/// Returns a call's timeout. *Units*: milliseconds.
fn patience_ms(bound: &Bound) -> u64 {
    match &bound.callee {
        Callee::Plugin { spec, .. } if spec.op == Op::InInstance => {
            bound.seconds("timeout").unwrap_or(EXEC_TIMEOUT_MS)
        }
        _ => bound.seconds("wait").unwrap_or(WAIT_MS),
    }
}

/// Milliseconds as seconds, for messages.
fn shown_seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { (ms / 1000).to_string() } else { format!("{}.{:03}", ms / 1000, ms % 1000) }
}

fn fail_later(site: &Site<'_>, bound: &Bound, ms: u64, strike: Strike) -> Start {
    let creates = matches!(&bound.callee, Callee::Plugin { spec, .. } if spec.op == Op::Create);
    let message: Text = format!("{}: {}", bound.callee.name(), strike.message).into();
    let image = bound.component.and_then(|component| site.blueprint.target_image(component));
    let effect = match (bound.slot.filter(|_| creates && strike.leave), image) {
        (Some(slot), Some(image)) if site.instances.get(slot).is_none() => {
            Effect::Leave { slot, image, message }
        }
        _ => Effect::Fail(message),
    };
    Start::after(ms, effect, None)
}

// ---- scripts -------------------------------------------------------------------------------------------

fn run_script(counts: &mut Counts, name: &Text, script: &Script, going: &Going<'_>) -> Start {
    let code = exit_code(counts, name, script);
    going.after(Effect::Exit { name: name.clone(), code, stderr: script.stderr.clone() })
}

/// The exit code of this run of a script.
fn exit_code(counts: &mut Counts, name: &Text, script: &Script) -> i32 {
    // Which run it is matters only where runs differ.
    if let [only] = *script.exits {
        return only;
    }
    let nth = usize::try_from(counts.run_script(name)).unwrap_or(usize::MAX);
    script.exits.get(nth).or(script.exits.last()).copied().unwrap_or(0)
}

// ---- plugins -------------------------------------------------------------------------------------------

fn call_plugin(site: &Site<'_>, counts: &mut Counts, spec: &ActionSpec, going: &Going<'_>) -> Start {
    let bound = going.bound;
    if let Some(missing) = spec.required.iter().find(|name| bound.text(name).is_none()) {
        return going.fails(format!("the argument '{missing}' is missing"));
    }
    match (spec.op, bound.component) {
        (Op::AwaitAll, Some(component)) => return wait_for_all(site, component, going),
        (op, Some(component)) if op.needs_component() => {
            return going.after(Effect::All { component, op, only: bound.selector });
        }
        (Op::Probe, _) => return probe(site, counts, going),
        (Op::Pass, _) => return pass_on(site, counts, going),
        _ => {}
    }
    match bound.slot.filter(|_| spec.op.needs_instance()) {
        Some(slot) => call_on_instance(site, spec, slot, going),
        None => call_on_nothing(spec, going),
    }
}

/// Returns an argument; empty if it is missing.
fn argument(bound: &Bound, name: &str) -> Text {
    bound.text(name).unwrap_or_default().into()
}

/// An action that works on no single instance.
fn call_on_nothing(spec: &ActionSpec, going: &Going<'_>) -> Start {
    let bound = going.bound;
    let effect = match spec.op {
        Op::ImageCheck | Op::ImagePull => Effect::Image(argument(bound, "arg")),
        Op::Signal => {
            Effect::Signal { component: argument(bound, "component"), signal: argument(bound, "signal") }
        }
        Op::Notify => Effect::Say(argument(bound, "text")),
        _ => Effect::Nothing,
    };
    going.on_instance(effect)
}

/// An action that works on an instance.
fn call_on_instance(site: &Site<'_>, spec: &ActionSpec, slot: Slot, going: &Going<'_>) -> Start {
    let bound = going.bound;
    let name = || argument(bound, "name");
    if let Some(host) = out_of_reach(site, slot).filter(|_| touches_machine(spec.op)) {
        return going.fails(format!("machine {host} cannot be reached"));
    }
    let effect = match spec.op {
        Op::Create => return create(site, slot, going),
        Op::Start => return start_instance(site, slot, going),
        Op::AwaitUp => return wait(site, slot, Awaited::Up, going),
        Op::AwaitService => return wait(site, slot, Awaited::Service(name()), going),
        Op::AwaitJoin => return wait(site, slot, Awaited::Join, going),
        Op::Destroy => Effect::Destroy(slot),
        Op::Stop => Effect::Stop(slot),
        Op::Attach if !site.blueprint.balancer_exists(&name()) => {
            Effect::Fail(format!("{}: there is no balancer '{}'", bound.callee.name(), name()).into())
        }
        Op::Attach => Effect::Attach(slot, name()),
        Op::Detach => Effect::Detach(slot, name()),
        Op::Register => {
            let joined = matches!(&bound.callee, Callee::Plugin { plugin, .. } if &**plugin == CONSUL);
            Effect::Register { slot, joined }
        }
        Op::Unregister => Effect::Unregister(slot),
        Op::InInstance => Effect::InInstance(slot),
        _ => Effect::Nothing,
    };
    going.on_instance(effect)
}

/// Returns the hostname of an instance's machine if it is unreachable.
fn out_of_reach(site: &Site<'_>, slot: Slot) -> Option<Text> {
    let machine = site.instances.get(slot)?.machine?;
    let host = site.fleet.machine(machine).map(|machine| machine.hostname.clone());
    (site.fleet.absence(machine) == Some(Absence::Partitioned)).then_some(host).flatten()
}

/// Returns whether an action has to reach the machine of its instance.
const fn touches_machine(op: Op) -> bool {
    matches!(op, Op::Destroy | Op::Stop | Op::Start | Op::InInstance)
}

/// Runs a probe container: the result is set by the environment for its image, otherwise it passes. A probe of an instance
/// needs that instance to run.
fn probe(site: &Site<'_>, counts: &mut Counts, going: &Going<'_>) -> Start {
    let image = argument(going.bound, "image");
    let simulation = &site.blueprint.definition.env.simulation;
    let script = simulation.probe(&image).cloned().unwrap_or_else(Script::passing);
    let ms = script.ms.saturating_add(going.extra_ms);
    let ill = |slot: &Slot| {
        let instance = site.instances.get(*slot);
        instance.is_some_and(|one| one.state != InstanceState::Running || one.unhealthy)
    };
    let effect = match going.bound.slot.filter(ill) {
        Some(slot) => Effect::InInstance(slot),
        None => {
            let name: Text = format!("probe {image}").into();
            let code = exit_code(counts, &name, &script);
            Effect::Exit { name, code, stderr: script.stderr }
        }
    };
    Start::after(ms, effect, None)
}

/// Forwards a call to another plugin, which takes no time of its own.
fn pass_on(site: &Site<'_>, counts: &mut Counts, going: &Going<'_>) -> Start {
    let (plugin, action) = (argument(going.bound, "plugin"), argument(going.bound, "action"));
    let own = site.blueprint.definition.env.simulation.plugins.get(&plugin);
    if let Some(script) = own.and_then(|own| own.actions.get(&action)) {
        return run_script(counts, &format!("{plugin} {action}").into(), script, going);
    }
    if own.is_none() && crate::plugins::find(&plugin, &action).is_some() {
        return going.after(Effect::Nothing);
    }
    going.fails(format!("there is no '{plugin} {action}'"))
}

// ---- instances -----------------------------------------------------------------------------------------

fn create(site: &Site<'_>, slot: Slot, going: &Going<'_>) -> Start {
    let blueprint = site.blueprint;
    let component = blueprint.component_name(slot.component);
    let image = blueprint.target_image(slot.component);
    let refused = if site.instances.get(slot).is_some() {
        Some(format!("there is a new instance {} of {component} already", slot.index))
    } else if !blueprint.is_in_model(slot.component) {
        Some(format!("the component {component} is not in the model"))
    } else {
        match &image {
            None => Some(format!("the component {component} has no image")),
            Some(image) if !blueprint.image_exists(image) => Some(format!("there is no image {image}")),
            Some(_) => None,
        }
    };
    if let Some(why) = refused {
        return going.fails(why);
    }
    let (image, ms, unhealthy) = (image.unwrap_or_default(), going.whole_ms(), going.unhealthy);
    match place(site.fleet, |machine| site.instances.on(machine)) {
        Place::NoneUp => going.fails("no machine is up"),
        Place::Nowhere => Start::after(ms, Effect::Create { slot, image }, Some(slot).filter(|_| unhealthy)),
        Place::On(machine) => Start::Launch(Launching { slot, machine, image, new: true, ms, unhealthy }),
    }
}

fn start_instance(site: &Site<'_>, slot: Slot, going: &Going<'_>) -> Start {
    let Some(instance) = site.instances.get(slot) else { return Start::Failed(None) };
    match (instance.state, instance.machine) {
        (InstanceState::Running, _) => going.on_instance(Effect::Nothing),
        (InstanceState::Lost, _) => going.fails(format!("the machine of {} is lost", instance.id)),
        (InstanceState::Stopped, None) => going.on_instance(Effect::Start(slot)),
        (InstanceState::Stopped, Some(machine)) => {
            if site.fleet.machine(machine).is_none() || site.fleet.absence(machine).is_some() {
                let host = site.hosts.name(site.fleet, machine);
                return going.fails(format!("machine {host} cannot be reached"));
            }
            let (image, ms, unhealthy) = (instance.image.clone(), going.whole_ms(), going.unhealthy);
            Start::Launch(Launching { slot, machine, image, new: false, ms, unhealthy })
        }
    }
}

// ---- waiting -------------------------------------------------------------------------------------------

/// Waits until all new instances are up.
fn wait_for_all(site: &Site<'_>, component: ComponentId, going: &Going<'_>) -> Start {
    let wait_ms = going.bound.seconds("wait").unwrap_or(WAIT_MS);
    Start::Wait(Await {
        slot: Slot { component, group: Group::New, index: 0 },
        instance: site.blueprint.component_name(component).into(),
        what: Awaited::All,
        warm_up_ms: going.whole_ms(),
        deadline: site.now.saturating_add(wait_ms),
        unhealthy: false,
    })
}

fn wait(site: &Site<'_>, slot: Slot, what: Awaited, going: &Going<'_>) -> Start {
    let Some(instance) = site.instances.get(slot) else { return Start::Failed(None) };
    let id = &instance.id;
    let refused = match &what {
        Awaited::Service(name) if !instance.is_behind(name) => {
            Some(format!("{id} is not attached to {name}"))
        }
        _ if instance.state != InstanceState::Running => Some(format!("{id} is {}", instance.state.word())),
        Awaited::Service(_) | Awaited::Up if instance.unhealthy => Some(format!("{id} is unhealthy")),
        _ => None,
    };
    if let Some(why) = refused {
        return going.fails(why);
    }
    let wait_ms = going.bound.seconds("wait").unwrap_or(WAIT_MS);
    Start::Wait(Await {
        slot,
        instance: id.clone(),
        what,
        warm_up_ms: going.whole_ms(),
        deadline: site.now.saturating_add(wait_ms),
        unhealthy: going.unhealthy,
    })
}
