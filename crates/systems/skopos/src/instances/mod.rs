//! Instances of components, their groups and slots.
//!
//! *Knows*: which instance is in which slot, what state it is in. *Must not know*: plans, how processes run.
//!
//! **Source**: Skopos Deployment Plan Reference speaks of old and new instances and of indices; that an instance counts as
//! new when its image is the one of the model is ours.

mod containers;
mod free;
mod hosts;

pub(crate) use containers::{Containers, Launching};
pub(crate) use free::FreeSlots;
pub(crate) use hosts::Hosts;

use crate::definition::model::tag;
use planarium_ground::{MachineId, ProcessId};
use planarium_kernel::{Digestible, Map, SimTime, SortedMap, Weight, id_types};
use planarium_protocol::Text;
use std::sync::Arc;

id_types! {
    /// A component by its place among all that the model, the environment and the plan name.
    pub ComponentId;
}

/// Group of a component's instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Those that were there before and run another image.
    Old,
    /// Those that run the image of the model.
    New,
}

impl Group {
    /// The word of the group.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
        }
    }
}

/// A place for an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Digestible)]
#[digest(group == Group::New, index)]
pub(crate) struct Slot {
    /// Its component.
    pub(crate) component: ComponentId,
    /// In which group.
    pub(crate) group: Group,
    /// Its number there.
    pub(crate) index: u64,
}

/// States of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstanceState {
    /// It runs.
    Running,
    /// It does not run.
    Stopped,
    /// Its machine is away with it.
    Lost,
}

impl InstanceState {
    /// The word of the state.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Lost => "lost",
        }
    }
}

/// An instance.
#[derive(Clone, Debug, PartialEq, Digestible, Weight)]
#[digest(id, image, state.word(), machine.map_or(u32::MAX, |machine| machine.0))]
#[weight(own 64)]
pub(crate) struct Instance {
    /// Its id, never reused.
    pub(crate) id: Text,
    /// Its address.
    pub(crate) ip: Text,
    /// The program it runs.
    pub(crate) image: Text,
    /// Its effect.
    pub(crate) state: InstanceState,
    /// When it was created.
    pub(crate) created: SimTime,
    /// Since when it runs.
    pub(crate) running_since: SimTime,
    /// Balancers that it is behind, and since when; none for those that it is in service behind all along.
    pub(crate) balancers: Vec<(Text, Option<SimTime>)>,
    /// It was up and registered before anybody looked.
    pub(crate) settled: bool,
    /// It was taken out of the register.
    pub(crate) hidden: bool,
    /// It never gets healthy.
    pub(crate) unhealthy: bool,
    /// Its readiness check has passed.
    pub(crate) ready: bool,
    /// Its machine; `None` without machines.
    pub(crate) machine: Option<MachineId>,
    /// Its process, while it runs on a machine.
    pub(crate) process: Option<ProcessId>,
}

impl Instance {
    /// The version that it runs.
    pub(crate) fn version(&self) -> &str {
        tag(&self.image)
    }

    /// It runs from now on, and has to pass its checks.
    pub(crate) fn run_from(&mut self, now: SimTime) {
        self.state = InstanceState::Running;
        self.running_since = now;
        self.ready = false;
        self.settled = false;
    }

    /// It runs no longer.
    pub(crate) fn fall(&mut self, state: InstanceState) {
        self.state = state;
        self.ready = false;
    }

    /// Returns whether it is behind a balancer.
    pub(crate) fn is_behind(&self, balancer: &str) -> bool {
        self.balancers.iter().any(|(own, _)| &**own == balancer)
    }
}

/// All instances of an application.
#[derive(Clone, Debug, Default, Weight)]
#[weight(slots, flat processes, own 48 * (self.given.len() + self.machines.len()) as u64)]
pub(crate) struct Instances {
    slots: Map<Slot, Arc<Instance>>,
    processes: Map<ProcessId, Slot>,
    /// Number of times each id was given.
    given: SortedMap<Text, u32>,
    machines: SortedMap<MachineId, u32>,
}

impl Instances {
    /// The instance in a slot.
    pub(crate) fn get(&self, slot: Slot) -> Option<&Instance> {
        self.slots.get(&slot).map(|instance| &**instance)
    }

    /// The instance in a slot, to change everything but its process and its machine.
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut Instance> {
        self.slots.get_mut(&slot).map(Arc::make_mut)
    }

    /// All instances, by component, old ones first, by index.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Slot, &Arc<Instance>)> {
        self.slots.iter().map(|(slot, instance)| (*slot, instance))
    }

    /// Returns the number of instances.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The instances of a group from an index on.
    pub(crate) fn group(
        &self,
        component: ComponentId,
        group: Group,
        from: u64,
    ) -> impl Iterator<Item = (Slot, &Arc<Instance>)> {
        let slot = |index| Slot { component, group, index };
        self.slots.range(slot(from)..=slot(u64::MAX)).map(|(slot, instance)| (*slot, instance))
    }

    /// The slots of a group's instances from an index on.
    pub(crate) fn slots(&self, component: ComponentId, group: Group, from: u64) -> Vec<Slot> {
        self.group(component, group, from).map(|(slot, _)| slot).collect()
    }

    /// The slots of the instances on a machine.
    pub(crate) fn slots_on(&self, machine: MachineId) -> Vec<Slot> {
        let on_it = self.iter().filter(|(_, instance)| instance.machine == Some(machine));
        on_it.map(|(slot, _)| slot).collect()
    }

    /// Any running instance of a component.
    pub(crate) fn any_running(&self, component: ComponentId) -> Option<Slot> {
        let mut all = [Group::Old, Group::New].into_iter().flat_map(|group| self.group(component, group, 0));
        all.find(|(_, instance)| instance.state == InstanceState::Running).map(|(slot, _)| slot)
    }

    /// Forgets instances whose machine is gone: it cannot be asked what runs there.
    pub(crate) fn forget_lost(&mut self) {
        let lost: Vec<Slot> =
            self.iter().filter(|(_, one)| one.state == InstanceState::Lost).map(|(slot, _)| slot).collect();
        for slot in lost {
            self.take(slot);
        }
    }

    /// The slot of a process.
    pub(crate) fn of_process(&self, process: ProcessId) -> Option<Slot> {
        self.processes.get(&process).copied()
    }

    /// Returns the number of instances on a machine.
    pub(crate) fn on(&self, machine: MachineId) -> u32 {
        self.machines.get(&machine).copied().unwrap_or(0)
    }

    /// Puts an instance into an empty slot.
    pub(crate) fn put(&mut self, slot: Slot, instance: Instance) {
        if let Some(process) = instance.process {
            self.processes.insert(process, slot);
        }
        if let Some(machine) = instance.machine {
            *self.machines.entry(machine).or_default() += 1;
        }
        self.slots.insert(slot, Arc::new(instance));
    }

    /// Takes an instance out of its slot.
    pub(crate) fn take(&mut self, slot: Slot) -> Option<Arc<Instance>> {
        let instance = self.slots.remove(&slot)?;
        if let Some(process) = instance.process {
            self.processes.remove(&process);
        }
        if let Some(count) = instance.machine.and_then(|machine| self.machines.get_mut(&machine)) {
            *count = count.saturating_sub(1);
        }
        Some(instance)
    }

    /// Says which process an instance has now.
    pub(crate) fn set_process(&mut self, slot: Slot, process: Option<ProcessId>) {
        let Some(instance) = self.slots.get_mut(&slot).map(Arc::make_mut) else { return };
        let before = std::mem::replace(&mut instance.process, process);
        if let Some(before) = before {
            self.processes.remove(&before);
        }
        if let Some(process) = process {
            self.processes.insert(process, slot);
        }
    }

    /// An id that was never given: `wanted`, or that with `-r1`, `-r2` and so on.
    pub(crate) fn fresh_id(&mut self, wanted: &str) -> Text {
        let times = self.given.get(wanted).copied();
        self.given.insert(wanted.into(), times.map_or(0, |times| times.saturating_add(1)));
        match times {
            None => wanted.into(),
            Some(times) => self.fresh_id(&format!("{wanted}-r{}", times.saturating_add(1))),
        }
    }

    /// Returns the usual address of a slot, or the next unused one.
    pub(crate) fn address(&self, slot: Slot) -> Text {
        let group = u64::from(slot.group == Group::New);
        let host = slot.index.saturating_add(1);
        let component = u64::from(slot.component.0).saturating_add(1);
        let text = |round: u64| {
            let third = group.saturating_add(round.saturating_add(host / 255).saturating_mul(2)) % 256;
            Text::from(format!("10.{}.{third}.{}", component % 256, host % 255 + u64::from(host > 254)))
        };
        let taken = |ip: &Text| {
            let component = self.slots.range(
                Slot { component: slot.component, group: Group::Old, index: 0 }..=Slot {
                    component: slot.component,
                    group: Group::New,
                    index: u64::MAX,
                },
            );
            component.into_iter().any(|(_, other)| other.ip == *ip)
        };
        // Only instances that were sorted again can have it.
        let first = text(0);
        if !self.sorted_anew() || !taken(&first) {
            return first;
        }
        (1..128).map(text).find(|ip| !taken(ip)).unwrap_or(first)
    }

    /// Returns whether addresses may differ from those of the slots.
    fn sorted_anew(&self) -> bool {
        self.given.contains_key("")
    }

    /// Sorts every instance into its group: new if it runs and its image is the target, otherwise old. An index is kept if
    /// it is free, unless `packed` requests indices without gaps, running instances first.
    pub(crate) fn sort(&mut self, target: &dyn Fn(ComponentId) -> Option<Text>, packed: bool) {
        let before: Vec<(Slot, Arc<Instance>)> =
            self.slots.iter().map(|(slot, instance)| (*slot, instance.clone())).collect();
        let grouped: Vec<(Slot, Arc<Instance>)> = before
            .iter()
            .map(|(slot, instance)| {
                let runs = instance.state == InstanceState::Running;
                let is_new = runs && target(slot.component).is_some_and(|image| image == instance.image);
                (Slot { group: if is_new { Group::New } else { Group::Old }, ..*slot }, instance.clone())
            })
            .collect();
        let runs = |instance: &Instance| instance.state == InstanceState::Running;
        let late = |(_, instance): &&(Slot, Arc<Instance>)| packed && !runs(instance);
        let first = grouped.iter().filter(|one| !late(one));
        let mut sorted: Map<Slot, Arc<Instance>> = Map::new();
        let mut free = FreeSlots::default();
        for (slot, instance) in first.chain(grouped.iter().filter(late)) {
            let (slot, instance) = (*slot, instance.clone());
            let slot = free.take(if packed { Slot { index: 0, ..slot } } else { slot });
            sorted.insert(slot, instance);
        }
        if sorted.iter().map(|(slot, _)| slot).ne(before.iter().map(|(slot, _)| slot)) {
            // No instance has the empty id.
            self.given.insert("".into(), 0);
        }
        self.slots = sorted;
        let placed: Vec<(ProcessId, Slot)> =
            self.slots.iter().filter_map(|(slot, instance)| Some((instance.process?, *slot))).collect();
        self.processes = Map::new();
        for (process, slot) in placed {
            self.processes.insert(process, slot);
        }
    }

    /// Lists broken invariants in words.
    pub(crate) fn check(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut machines: SortedMap<MachineId, u32> = SortedMap::new();
        for (slot, instance) in &self.slots {
            if instance.process.is_some_and(|process| self.of_process(process) != Some(*slot)) {
                found.push(format!("the process of {} is not known", instance.id));
            }
            if let Some(machine) = instance.machine {
                *machines.entry(machine).or_default() += 1;
            }
        }
        for (machine, count) in machines.iter().filter(|(machine, count)| self.on(**machine) != **count) {
            found.push(format!("machine {} has {count} instances, not {}", machine.0, self.on(*machine)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(id: &str, image: &str) -> Instance {
        Instance {
            id: id.into(),
            ip: "".into(),
            image: image.into(),
            state: InstanceState::Running,
            created: SimTime::ZERO,
            running_since: SimTime::ZERO,
            balancers: Vec::new(),
            settled: false,
            hidden: false,
            unhealthy: false,
            ready: true,
            machine: None,
            process: None,
        }
    }

    fn slot(group: Group, index: u64) -> Slot {
        Slot { component: ComponentId(0), group, index }
    }

    fn drawn(instances: &Instances) -> String {
        let one = |(slot, instance): (Slot, &Arc<Instance>)| {
            format!("{}{}={}", slot.group.word(), slot.index, instance.id)
        };
        instances.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn instances_are_sorted_by_their_images() {
        for (target, packed, sorted) in [
            (Some("x:2"), false, "old0=a old2=c new1=b new3=d"),
            (Some("x:2"), true, "old0=a old1=c new0=b new1=d"),
            (Some("x:3"), false, "old0=a old1=b old2=c old3=d"),
            (None, false, "old0=a old1=b old2=c old3=d"),
        ] {
            let mut instances = Instances::default();
            instances.put(slot(Group::Old, 0), instance("a", "x:1"));
            instances.put(slot(Group::Old, 2), instance("c", "x:1"));
            instances.put(slot(Group::New, 1), instance("b", "x:2"));
            instances.put(slot(Group::New, 3), instance("d", "x:2"));
            instances.sort(&|_| target.map(Into::into), packed);
            assert_eq!(drawn(&instances), sorted, "{target:?}");
        }
        let mut instances = Instances::default();
        instances.put(slot(Group::Old, 0), instance("a", "x:1"));
        instances.put(slot(Group::New, 0), instance("b", "x:2"));
        instances.sort(&|_| None, false);
        assert_eq!(drawn(&instances), "old0=a old1=b", "an index that is taken is given up");
    }

    #[test]
    fn ids_are_never_reused() {
        let mut instances = Instances::default();
        let ids = ["a", "a", "a", "a-r1", "b"].map(|wanted| instances.fresh_id(wanted).to_string());
        assert_eq!(ids, ["a", "a-r1", "a-r2", "a-r1-r1", "b"]);
    }

    #[test]
    fn addresses_contain_component_group_and_index() {
        let instances = Instances::default();
        let address = |component, group, index| {
            instances.address(Slot { component: ComponentId(component), group, index }).to_string()
        };
        assert_eq!(address(0, Group::Old, 0), "10.1.0.1");
        assert_eq!(address(1, Group::New, 4), "10.2.1.5");
        assert_ne!(address(0, Group::Old, 253), address(0, Group::Old, 254));
        assert_ne!(address(0, Group::Old, 254), address(0, Group::Old, 255));
    }
}
