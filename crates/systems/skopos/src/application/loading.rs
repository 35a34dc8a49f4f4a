//! Loads, restarts and removes an application.
//!
//! *Knows*: what is kept when the definition or the plan changes. *Must not know*: how plans are made.

use super::App;
use crate::blueprint::Blueprint;
use crate::commands::Command;
use crate::definition::generate::Running;
use crate::definition::{Definition, Prepared};
use crate::instances::{FreeSlots, Group, Hosts, InstanceState, Instances};
use crate::machines::Io;
use crate::plan::Plan;
use crate::run::{Mode, Run};
use crate::views::ViewCache;
use planarium_kernel::SimTime;
use planarium_protocol::refusal::RefusalCode;
use planarium_protocol::{Refusal, Text};
use std::sync::Arc;

impl App {
    /// Loads an application, with the instances that run at load time placed on the machines.
    ///
    /// *Errors*: no plan can be made.
    pub(crate) fn load(io: &mut Io<'_>, definition: Arc<Definition>) -> Result<Self, Refusal> {
        let prepared = prepare(&definition, &definition.planted())?;
        let mut app = Self::with(io.cx.now(), &Blueprint::new(definition.clone()), prepared);
        let mut free = FreeSlots::default();
        for planted in &definition.env.simulation.instances {
            app.containers(io).plant(planted, &mut free);
        }
        arrange(&app.blueprint, &mut app.instances);
        app.run.names.loaded(io.cx, app.run.mode);
        app.touch(io.cx);
        if definition.options.run && app.run.mode == Mode::Ready {
            app.command(io, &Command::Start { paused: false, interactive: None })?;
        }
        Ok(app)
    }

    fn with(now: SimTime, blueprint: &Blueprint, prepared: Prepared) -> Self {
        let plan = prepared.plan.clone().unwrap_or_else(|| Arc::new(Plan::empty()));
        let mode = if prepared.plan.is_some() { Mode::Ready } else { Mode::NotReady };
        let interactive = blueprint.definition.options.interactive;
        Self {
            blueprint: blueprint.for_plan(&plan),
            run: Run::new(blueprint.name(), plan, mode, interactive, now),
            prepared,
            instances: Instances::default(),
            hosts: Hosts::default(),
            touched: 0,
            leaving: false,
            seen: now,
            cache: ViewCache::default(),
        }
    }

    /// Clears the run, reads the running instances, and makes the plan again.
    pub(super) fn reset(&mut self, io: &mut Io<'_>) -> Result<(), Refusal> {
        self.replace(io, self.blueprint.definition.clone())
    }

    /// Continues with another definition, starting from the running instances.
    ///
    /// *Errors*: the plan is running, or none can be made; the definition stays.
    pub(crate) fn replace(&mut self, io: &mut Io<'_>, definition: Arc<Definition>) -> Result<(), Refusal> {
        if self.run.mode == Mode::Running {
            let text = "the plan is running: pause or abandon it first";
            return Err(Refusal::new(RefusalCode::Conflict, text));
        }
        self.cut_off(io);
        self.instances.forget_lost();
        let blueprint = self.blueprint.redefined(definition);
        arrange(&blueprint, &mut self.instances);
        let prepared = prepare(&blueprint.definition, &running(&blueprint, &self.instances))?;
        let next = Self::with(io.cx.now(), &blueprint, prepared);
        let before = self.run.mode;
        *self = Self {
            instances: std::mem::take(&mut self.instances),
            touched: self.touched,
            leaving: self.leaving,
            hosts: std::mem::take(&mut self.hosts),
            ..next
        };
        if before != self.run.mode {
            self.run.event = self.run.names.moded(io.cx, before, self.run.mode);
        }
        self.run.names.loaded(io.cx, self.run.mode);
        self.touch(io.cx);
        Ok(())
    }

    /// It is taken down, and forgotten when that is done.
    ///
    /// *Errors*: its plan is running.
    pub(crate) fn take_down(&mut self, io: &mut Io<'_>) -> Result<(), Refusal> {
        let mut definition = Definition::clone(&self.blueprint.definition);
        definition.options.teardown = true;
        definition.given = None;
        if definition.model.is_none() {
            definition.model = Some(Arc::new(crate::definition::model::Model::empty()));
        }
        self.replace(io, Arc::new(definition))?;
        self.leaving = true;
        if self.run.mode == Mode::Ready {
            self.command(io, &Command::Start { paused: false, interactive: Some(false) })?;
        }
        Ok(())
    }

    /// Removes all its instances.
    pub(crate) fn vanish(&mut self, io: &mut Io<'_>) {
        self.cut_off(io);
        self.containers(io).vanish();
    }
}

/// Sorts instances into groups. For a generated plan without gaps.
fn arrange(blueprint: &Blueprint, instances: &mut Instances) {
    let packed = blueprint.definition.given.is_none();
    let targets: Vec<Option<Text>> =
        blueprint.components().map(|component| blueprint.new_image(component)).collect();
    instances.sort(&|component| targets.get(component.index()).cloned().flatten(), packed);
}

/// Returns the running instances, by component.
fn running(blueprint: &Blueprint, instances: &Instances) -> Vec<Running> {
    let mut all: Vec<Running> = Vec::new();
    for (slot, instance) in instances.iter() {
        if instance.state != InstanceState::Running {
            continue;
        }
        let component: Text = blueprint.component_name(slot.component).into();
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

/// The plan of a definition.
fn prepare(definition: &Definition, running: &[Running]) -> Result<Prepared, Refusal> {
    let refuse = |why: String| {
        let text = format!("no plan can be made for '{}': {why}", definition.name);
        Refusal::new(RefusalCode::InvalidDefinition, text)
    };
    definition.prepare(running).map_err(refuse)
}
