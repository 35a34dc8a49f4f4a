//! The steps for one component.
//!
//! *Knows*: the six kinds of work. *Must not know*: how steps are written down.
//!
//! | Kind | Forward | Cleanup |
//! |---|---|---|
//! | create | loop over the instances that are missing: create, checks, attach, wait | detach and destroy the new ones |
//! | upgrade | the same, then detach the old ones, then destroy them | attach the old ones, detach and destroy the new ones |
//! | upgrade, pair by pair | loop over pairs: create, checks, attach, wait, detach the old one; then destroy the old ones | as for upgrade |
//! | singleton | detach and stop the old one, create the new one, checks, attach, wait, destroy the old one | destroy the new one, start and attach the old one |
//! | shrink | detach and destroy the last ones | none |
//! | remove | detach and destroy all | none |

use super::steps::{Exits, Writer, composite};
use super::yaml::{Flow, Yaml, text};
use super::{Kind, Task, tag};
use crate::definition::model::Hook;

/// Numbers of the first steps of a component, forward and cleanup.
const FIRST: usize = 10;
const FIRST_CLEANUP: usize = 900;

/// Steps of one component under construction.
struct Chain<'w, 'a> {
    writer: &'w mut Writer<'a>,
    name: &'a str,
    forward: usize,
    cleanups: usize,
    steps: Vec<Yaml>,
}

impl<'a> Writer<'a> {
    /// The component step of a task.
    pub(super) fn component(&mut self, task: &Task<'a>) -> Yaml {
        let mut own: Vec<(&'static str, Yaml)> = Vec::new();
        if !task.old_vers.is_empty() {
            let list = task.old_vers.iter().map(|version| Flow::Text((*version).to_owned()));
            own.push(("old_vers", Yaml::Flow(Flow::List(list.collect()))));
        }
        if task.kind != Kind::Remove {
            own.extend(task.image.map(|image| ("new_ver", text(tag(image)))));
        }
        let mut chain = Chain {
            writer: self,
            name: task.name,
            forward: FIRST,
            cleanups: FIRST_CLEANUP,
            steps: Vec::new(),
        };
        match task.kind {
            Kind::None => {}
            Kind::Create => chain.create(task),
            // A new instance can take the place of an old one only where no new one is there yet.
            Kind::Upgrade if chain.writer.pairwise && task.same == 0 => chain.pairs(task),
            Kind::Upgrade => chain.upgrade(task),
            Kind::Singleton => chain.singleton(task),
            Kind::Shrink => chain.shrink("new", task.replicas),
            Kind::Remove => chain.shrink("old", 0),
        }
        let steps = chain.steps;
        composite(task.name, "component", own, steps)
    }
}

impl<'a> Chain<'_, 'a> {
    fn next_id(&mut self) -> String {
        let id = format!("{}-{}", self.name, self.forward);
        self.forward = self.forward.saturating_add(10);
        self.writer.id(id)
    }

    fn next_cleanup(&mut self) -> String {
        let id = format!("{}-{}", self.name, self.cleanups);
        self.cleanups = self.cleanups.saturating_add(10);
        self.writer.id(id)
    }

    fn inner_id(&mut self, outer: &str, at: usize) -> String {
        self.writer.id(format!("{outer}-{}", at.saturating_add(1).saturating_mul(10)))
    }

    fn balancers(&self) -> Vec<(&'a str, &'a str)> {
        self.writer.balancers(self.name)
    }

    /// A loop with one call in it.
    #[expect(
        clippy::too_many_arguments,
        reason = "a loop with its call has that many parts, and callers vary all of them"
    )]
    fn each(
        &mut self,
        id: &str,
        label: &str,
        over: (&str, u64),
        call: (&str, &str),
        arguments: &[(&str, &str)],
        inner: &Exits,
        exits: &Exits,
    ) {
        let step = self.inner_id(id, 0);
        let call = self.writer.call(&step, label, call, arguments, inner);
        let step = self.writer.instance_loop(id, label, over, vec![call], exits);
        self.steps.push(step);
    }

    /// Adds the steps for each new instance.
    fn new_instance(&mut self, outer: Option<&str>, fails: &Exits, create_fails: &Exits) -> Vec<Yaml> {
        let mut at = 0;
        let mut steps = Vec::new();
        let name = self.name;
        let core = self.writer.core();
        let mut id = |chain: &mut Self| {
            at += 1;
            match outer {
                Some(outer) => chain.inner_id(outer, at - 1),
                None => chain.next_id(),
            }
        };
        let new = ("selector", "new");
        let own = id(self);
        let label = format!("Create new {name}");
        steps.push(self.writer.call(&own, &label, (core, "inst_create"), &[new], create_fails));
        let component = self.writer.model.component(name);
        let hooks = |list: fn(&crate::definition::model::Hooks) -> &Vec<Hook>| {
            component.map_or(&[][..], |component| list(&component.hooks).as_slice())
        };
        for hook in hooks(|hooks| &hooks.post_instance_create) {
            let own = id(self);
            steps.push(self.writer.hook(&own, hook, Some("new"), fails));
        }
        if let Some(plugin) = self.writer.discovery() {
            let own = id(self);
            let label = format!("Wait for new {name} to join");
            steps.push(self.writer.call(&own, &label, (plugin, "sd_wait_join"), &[new], fails));
        }
        for gate in component.map(|component| self.writer.gates(component)).unwrap_or_default() {
            let own = id(self);
            steps.push(self.writer.hook(&own, gate, Some("new"), fails));
        }
        for (plugin, balancer) in self.balancers() {
            let arguments = [new, ("name", balancer)];
            let own = id(self);
            let label = format!("Attach new {name} to {balancer}");
            steps.push(self.writer.call(&own, &label, (plugin, "lb_attach"), &arguments, fails));
            let own = id(self);
            let label = format!("Wait until new {name} is in service at {balancer}");
            steps.push(self.writer.call(&own, &label, (plugin, "lb_wait"), &arguments, fails));
        }
        for hook in hooks(|hooks| &hooks.post_instance_attach) {
            let own = id(self);
            steps.push(self.writer.hook(&own, hook, Some("new"), fails));
        }
        steps
    }

    fn post_component(&mut self, fails: &Exits) {
        let hooks = self.writer.model.component(self.name).map_or(&[][..], |own| &own.hooks.post_component);
        for hook in hooks {
            let id = self.next_id();
            let step = self.writer.hook(&id, hook, None, fails);
            self.steps.push(step);
        }
    }

    /// The last forward step ends the chain: the cleanup behind it is not for it.
    fn end_forward(&mut self) {
        if let Some(Yaml::Map(fields)) = self.steps.last_mut() {
            let at = fields.iter().position(|(key, _)| key == "on_fail").unwrap_or(fields.len());
            fields.insert(at, ("on_pass".to_owned(), text("pass")));
        }
    }

    fn create(&mut self, task: &Task<'a>) {
        let cleanup = self.first_cleanup();
        let outer = self.next_id();
        let steps = self.new_instance(Some(&outer), &Exits::fail(), &Exits::fail());
        let label = format!("Create new {}s", self.name);
        let exits = Exits::to(&cleanup);
        let step = self.writer.instance_loop(&outer, &label, ("target", task.same), steps, &exits);
        self.steps.push(step);
        self.post_component(&exits);
        self.end_forward();
        self.forget_new(task.same, Some(cleanup));
    }

    fn upgrade(&mut self, task: &Task<'a>) {
        let cleanup = self.first_cleanup();
        let outer = self.next_id();
        let steps = self.new_instance(Some(&outer), &Exits::fail(), &Exits::fail());
        let label = format!("Create new {}s", self.name);
        let exits = Exits::to(&cleanup);
        let step = self.writer.instance_loop(&outer, &label, ("target", task.same), steps, &exits);
        self.steps.push(step);
        self.leave("old", 0, &exits);
        self.post_component(&exits);
        if task.same > task.replicas {
            self.destroy("new", task.replicas, &Exits::fail());
        }
        self.destroy("old", 0, &Exits::fail());
        self.end_forward();
        self.restore(task, cleanup);
    }

    /// Each old instance leaves its balancers once the new one with its index is in service; instances beyond the smaller
    /// number are created, and leave, in loops of their own.
    fn pairs(&mut self, task: &Task<'a>) {
        let cleanup = self.first_cleanup();
        let exits = Exits::to(&cleanup);
        let (name, pairs) = (self.name, task.old.min(task.replicas));
        let outer = self.next_id();
        let mut steps = self.new_instance(Some(&outer), &Exits::fail(), &Exits::fail());
        let old = ("selector", "old");
        if let Some(plugin) = self.writer.discovery() {
            let own = self.inner_id(&outer, steps.len());
            let label = format!("Hide old {name}");
            steps.push(self.writer.call(&own, &label, (plugin, "sd_detach"), &[old], &Exits::fail()));
        }
        for (plugin, balancer) in self.balancers() {
            let own = self.inner_id(&outer, steps.len());
            let label = format!("Detach old {name} from {balancer}");
            let arguments = [old, ("name", balancer)];
            steps.push(self.writer.call(&own, &label, (plugin, "lb_detach"), &arguments, &Exits::fail()));
        }
        let component = self.writer.model.component(name);
        for hook in component.map_or(&[][..], |component| &component.hooks.post_instance_detach) {
            let own = self.inner_id(&outer, steps.len());
            steps.push(self.writer.hook(&own, hook, Some("old"), &Exits::fail()));
        }
        let label = format!("Replace {name}s pair by pair");
        let step = self.writer.instance_loop(&outer, &label, (&pairs.to_string(), 0), steps, &exits);
        self.steps.push(step);
        if task.replicas > pairs {
            let outer = self.next_id();
            let steps = self.new_instance(Some(&outer), &Exits::fail(), &Exits::fail());
            let label = format!("Create further new {name}s");
            let step = self.writer.instance_loop(&outer, &label, ("target", pairs), steps, &exits);
            self.steps.push(step);
        }
        if task.old > pairs {
            self.leave("old", pairs, &exits);
        }
        self.post_component(&exits);
        self.destroy("old", 0, &Exits::fail());
        self.end_forward();
        self.restore(task, cleanup);
    }

    /// The old instances are put back into service, the new ones go.
    fn restore(&mut self, task: &Task<'a>, cleanup: String) {
        let (name, mut first) = (self.name, Some(cleanup));
        let mut id = |chain: &mut Self| first.take().unwrap_or_else(|| chain.next_cleanup());
        if let Some(plugin) = self.writer.discovery() {
            let own = id(self);
            let label = format!("Register old {name} again");
            self.each(
                &own,
                &label,
                ("old", 0),
                (plugin, "sd_attach"),
                &OLD,
                &Exits::none(),
                &Exits::cleanup(),
            );
        }
        for (plugin, balancer) in self.balancers() {
            let own = id(self);
            let label = format!("Re-attach old {name} to {balancer}");
            let arguments = [("selector", "old"), ("name", balancer)];
            let call = (plugin, "lb_attach");
            self.each(&own, &label, ("old", 0), call, &arguments, &Exits::none(), &Exits::cleanup());
        }
        let first = first;
        self.forget_new(task.same, first);
    }

    /// Detaches and destroys the instances that were created.
    fn forget_new(&mut self, same: u64, first: Option<String>) {
        let (name, mut first) = (self.name, first);
        let mut id = |chain: &mut Self| first.take().unwrap_or_else(|| chain.next_cleanup());
        for (plugin, balancer) in self.balancers() {
            let own = id(self);
            let label = format!("Detach new {name} from {balancer}");
            let arguments = [("selector", "new"), ("name", balancer)];
            let call = (plugin, "lb_detach");
            self.each(&own, &label, ("new", same), call, &arguments, &Exits::none(), &Exits::cleanup());
        }
        let own = id(self);
        let label = format!("Destroy failed new {name}");
        let call = (self.writer.core(), "inst_destroy");
        self.each(&own, &label, ("new", same), call, &NEW, &Exits::none(), &Exits::cleanup());
    }

    fn first_cleanup(&mut self) -> String {
        self.next_cleanup()
    }

    /// Takes instances out of service.
    fn leave(&mut self, which: &str, start_index: u64, exits: &Exits) {
        let name = self.name;
        if let Some(plugin) = self.writer.discovery() {
            let own = self.next_id();
            let label = format!("Hide {which} {name}");
            let arguments = [("selector", which)];
            let call = (plugin, "sd_detach");
            self.each(&own, &label, (which, start_index), call, &arguments, &Exits::fail(), exits);
        }
        for (plugin, balancer) in self.balancers() {
            let own = self.next_id();
            let label = format!("Detach {which} {name} from {balancer}");
            let arguments = [("selector", which), ("name", balancer)];
            let call = (plugin, "lb_detach");
            self.each(&own, &label, (which, start_index), call, &arguments, &Exits::fail(), exits);
        }
        let component = self.writer.model.component(name);
        let hooks = component.map_or(&[][..], |component| &component.hooks.post_instance_detach);
        if !hooks.is_empty() {
            let outer = self.next_id();
            let mut steps = Vec::new();
            for (at, hook) in hooks.iter().enumerate() {
                let own = self.inner_id(&outer, at);
                steps.push(self.writer.hook(&own, hook, Some(which), &Exits::fail()));
            }
            let label = format!("After {which} {name} is detached");
            let step = self.writer.instance_loop(&outer, &label, (which, start_index), steps, exits);
            self.steps.push(step);
        }
    }

    fn destroy(&mut self, which: &str, start_index: u64, exits: &Exits) {
        let own = self.next_id();
        let label = format!("Destroy {which} {}", self.name);
        let call = (self.writer.core(), "inst_destroy");
        let arguments = [("selector", which)];
        self.each(&own, &label, (which, start_index), call, &arguments, &Exits::fail(), exits);
    }

    fn shrink(&mut self, which: &str, start_index: u64) {
        self.leave(which, start_index, &Exits::fail());
        self.destroy(which, start_index, &Exits::fail());
    }

    fn singleton(&mut self, _task: &Task<'a>) {
        let name = self.name;
        let core = self.writer.core();
        let (destroy, start) = (self.next_cleanup(), self.next_cleanup());
        let discovery = self.writer.discovery().map(|plugin| (plugin, self.next_cleanup()));
        let attach: Vec<((&str, &str), String)> =
            self.balancers().into_iter().map(|balancer| (balancer, self.next_cleanup())).collect();
        let back = attach.first().map_or(&start, |(_, id)| id).clone();
        for ((plugin, balancer), _) in &attach {
            let own = self.next_id();
            let label = format!("Detach old {name} from {balancer}");
            let arguments = [("selector", "old"), ("name", *balancer)];
            let step = self.writer.call(&own, &label, (*plugin, "lb_detach"), &arguments, &Exits::to(&back));
            self.steps.push(step);
        }
        if let Some((plugin, again)) = &discovery {
            let own = self.next_id();
            let label = format!("Hide old {name}");
            let step = self.writer.call(&own, &label, (*plugin, "sd_detach"), &OLD, &Exits::to(again));
            self.steps.push(step);
        }
        let component = self.writer.model.component(name);
        for hook in component.map_or(&[][..], |component| &component.hooks.post_instance_detach) {
            let own = self.next_id();
            let step = self.writer.hook(&own, hook, Some("old"), &Exits::to(&start));
            self.steps.push(step);
        }
        let own = self.next_id();
        let label = format!("Stop old {name}");
        let step = self.writer.call(&own, &label, (core, "inst_stop"), &OLD, &Exits::to(&start));
        self.steps.push(step);
        let steps = self.new_instance(None, &Exits::to(&destroy), &Exits::to(&start));
        self.steps.extend(steps);
        self.post_component(&Exits::to(&destroy));
        let own = self.next_id();
        let label = format!("Destroy old {name}");
        let step = self.writer.call(&own, &label, (core, "inst_destroy"), &OLD, &Exits::fail());
        self.steps.push(step);
        self.end_forward();
        let cleanup = Exits::cleanup();
        let label = format!("Destroy failed new {name}");
        let step = self.writer.call(&destroy, &label, (core, "inst_destroy"), &NEW, &cleanup);
        self.steps.push(step);
        let label = format!("Start back old {name}");
        let step = self.writer.call(&start, &label, (core, "inst_start"), &OLD, &cleanup);
        self.steps.push(step);
        if let Some((plugin, own)) = &discovery {
            let label = format!("Register old {name} again");
            let step = self.writer.call(own, &label, (*plugin, "sd_attach"), &OLD, &cleanup);
            self.steps.push(step);
        }
        for ((plugin, balancer), own) in &attach {
            let label = format!("Re-attach old {name} to {balancer}");
            let arguments = [("selector", "old"), ("name", *balancer)];
            let step = self.writer.call(own, &label, (*plugin, "lb_attach"), &arguments, &cleanup);
            self.steps.push(step);
        }
    }
}

const OLD: [(&str, &str); 1] = [("selector", "old")];
const NEW: [(&str, &str); 1] = [("selector", "new")];
