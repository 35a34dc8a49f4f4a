//! The plan as a drawing: chains, exits, loops, the path taken, the next steps.
//!
//! *Knows*: every exit, including implicit ones. *Must not know*: how anything looks.

use crate::application::App;
use crate::blueprint::Blueprint;
use crate::flow::ahead::ahead;
use crate::flow::slots;
use crate::instances::{Group, Instances};
use crate::plan::{Call, Chain, ChainId, ChainKind, Class, Iterate, Leads, Selector, Step, StepId};
use crate::run::{Frame, Indices, Iteration, LoopRun, Mode, Reason, Run, Shown};
use planarium_protocol::Text;
use planarium_protocol::flow::{
    FlowChain, FlowComponent, FlowDrawing, FlowEdge, FlowGate, FlowIteration, FlowLoop, FlowNext, FlowNode,
};

/// Plans with more steps than this are drawn in part.
const DRAWN: usize = 2_000;
/// Iterations of a loop that are drawn.
const ITERATIONS: usize = 200;

/// The records that a drawing shows.
struct Drawing<'a> {
    run: &'a Run,
    blueprint: &'a Blueprint,
    instances: &'a Instances,
    generated: bool,
}

/// Returns the drawing of the plan.
pub(crate) fn drawing(app: &App) -> FlowDrawing {
    let App { run, blueprint, instances, prepared, .. } = app;
    Drawing { run, blueprint, instances, generated: prepared.generated }.draw()
}

impl Drawing<'_> {
    fn draw(&self) -> FlowDrawing {
        let large = self.run.plan.steps().len() > DRAWN;
        let mut left_out = 0_u32;
        let mut chains = Vec::new();
        for (id, chain) in self.run.plan.chains() {
            if large && id != ChainId::ROOT && !self.is_of_interest(id) {
                left_out = left_out.saturating_add(1);
                continue;
            }
            chains.push(self.draw_chain(chain));
        }
        FlowDrawing {
            line: line(self.run),
            status: self.run.names.mode(self.run.mode),
            pause_pending: self.run.pause_requested,
            generated: self.generated,
            gate: self.draw_gate(),
            path: path(self.run),
            next: self.draw_next(),
            chains,
            left_out,
        }
    }

    fn draw_gate(&self) -> Option<FlowGate> {
        let leaf = self.run.work.leaf()?;
        let step = self.run.plan.step(leaf.step)?;
        let Class::Gate { message } = &step.class else { return None };
        Some(FlowGate { step: step.id.clone(), prompt: message.clone() })
    }

    fn draw_next(&self) -> Vec<FlowNext> {
        let one = |id: StepId, passed: bool| {
            let ahead = ahead(self.run, id, passed);
            let name = |id: StepId| self.run.plan.step(id).map(|step| step.id.clone());
            FlowNext {
                from: name(id).unwrap_or_default(),
                on: crate::run::log::verdict(passed).into(),
                to: ahead.step().and_then(name),
                words: ahead.words(&self.run.plan),
                pauses: ahead.pauses,
            }
        };
        if let Some(leaf) = self.run.work.leaf() {
            let can_fail =
                !matches!(self.run.plan.step(leaf.step).map(|step| &step.class), Some(Class::Delay { .. }));
            return [true, false]
                .into_iter()
                .filter(|passed| *passed || can_fail)
                .map(|passed| one(leaf.step, passed))
                .collect();
        }
        match self.run.hold.and_then(|hold| hold.at) {
            Some((id, passed)) => vec![one(id, passed)],
            None => Vec::new(),
        }
    }

    /// Returns whether something in a chain is being worked on or has failed, or the chain is that of the first phase.
    fn is_of_interest(&self, id: ChainId) -> bool {
        let Some(owner) = self.run.plan.chain(id).and_then(|chain| chain.owner) else { return true };
        let shown = |id: StepId| self.run.step(id).map(|own| own.shown);
        let top = self.run.plan.top(owner);
        let interesting = |shown: Option<Shown>| {
            matches!(shown, Some(Shown::Running | Shown::Waiting | Shown::Paused | Shown::Failed))
        };
        let first = self.run.mode == Mode::Ready && self.run.plan.at(ChainId::ROOT, 0) == Some(top);
        interesting(shown(top)) && (top == owner || interesting(shown(owner))) || first
    }

    fn draw_chain(&self, chain: &Chain) -> FlowChain {
        let owner = chain.owner.and_then(|owner| self.run.plan.step(owner));
        let iterate = match (chain.owner, owner.map(|owner| &owner.class)) {
            (Some(id), Some(Class::Loop { chain, iterate })) => Some(self.draw_loop(id, *chain, iterate)),
            _ => None,
        };
        let kind = match chain.kind {
            ChainKind::Root => "plan",
            ChainKind::Loop => "loop",
            ChainKind::Group | ChainKind::Component => chain.kind.word(),
        };
        let mut nodes = Vec::with_capacity(chain.steps.len());
        let mut edges = Vec::with_capacity(2 * chain.steps.len());
        for id in &chain.steps {
            let Some(step) = self.run.plan.step(*id) else { continue };
            nodes.push(self.draw_step(*id, step));
            edges.push(self.draw_exit(*id, step, true));
            if !matches!(step.class, Class::Delay { .. }) {
                edges.push(self.draw_exit(*id, step, false));
            }
        }
        let id = owner.map_or_else(|| "@plan".into(), |owner| owner.id.clone());
        FlowChain { id, kind: kind.into(), nodes, edges, iterate }
    }

    fn draw_step(&self, id: StepId, step: &Step) -> FlowNode {
        let own = self.run.step(id);
        let mut node = FlowNode {
            id: step.id.clone(),
            label: step.label.clone(),
            class: step.class.word().into(),
            lane: if step.cleanup { "cleanup" } else { "forward" }.into(),
            pos: step.at,
            status: own.map_or("", |own| own.shown.word()).into(),
            entries: own.map_or(0, |own| own.entries),
            inside: step.inside().map(|_| step.id.clone()),
            called: own.and_then(|own| own.called.clone()),
            note: own.and_then(|own| own.note.clone()),
            source: Some((&step.source).into()),
            ..FlowNode::default()
        };
        match &step.class {
            Class::Gate { message } => {
                node.gate = true;
                node.prompt = Some(message.clone());
            }
            Class::Delay { ms } => node.duration_ms = Some(*ms),
            Class::Action(action) => {
                node.call = Some(action.full_line().into());
                node.script = match &action.call {
                    Call::Line(line) => crate::command_line::split(&line.written).into_iter().next(),
                    Call::Words(words) => words.first().map(|word| word.written.to_string()),
                    Call::Plugin { .. } | Call::Nothing => None,
                }
                .and_then(|name| self.blueprint.definition.scripts.get(name.as_str()).cloned());
            }
            Class::Component { chain, component, new_ver, old_vers } => {
                node.gate = self.has_gate(*chain);
                node.component = Some(self.draw_component(component, new_ver.as_ref(), old_vers));
            }
            Class::Group(chain) | Class::Loop { chain, .. } => node.gate = self.has_gate(*chain),
        }
        node
    }

    fn has_gate(&self, chain: ChainId) -> bool {
        self.run.plan.steps_of(chain).iter().filter_map(|id| self.run.plan.step(*id)).any(|step| match &step
            .class
        {
            Class::Gate { .. } => true,
            Class::Loop { chain, .. } => {
                let steps = self.run.plan.steps_of(*chain).iter().filter_map(|id| self.run.plan.step(*id));
                steps.into_iter().any(|step| matches!(step.class, Class::Gate { .. }))
            }
            _ => false,
        })
    }

    fn draw_component(&self, name: &Text, new_ver: Option<&Text>, old_vers: &[Text]) -> FlowComponent {
        let id = self.blueprint.component_id(name);
        let count = |group| {
            let found = id.map_or(0, |id| self.instances.group(id, group, 0).count());
            u32::try_from(found).unwrap_or(u32::MAX)
        };
        FlowComponent {
            name: name.clone(),
            old_versions: old_vers.to_vec(),
            new_version: new_ver.cloned(),
            old: count(Group::Old),
            new: count(Group::New),
            target: id.map_or(0, |id| self.blueprint.replicas(id)),
        }
    }

    fn draw_exit(&self, id: StepId, step: &Step, passed: bool) -> FlowEdge {
        let exit = step.exit(passed);
        let (to, back) = match exit.leads {
            Leads::To(place) => {
                let target = self.run.plan.at(step.chain, place).and_then(|id| self.run.plan.step(id));
                (target.map(|step| step.id.clone()).unwrap_or_default(), place <= step.at)
            }
            Leads::End(true) => ("@pass".into(), false),
            Leads::End(false) => ("@fail".into(), false),
        };
        let flags = [("pause", exit.pause), ("warn", exit.warn), ("info", exit.info)];
        let taken = self.run.step(id).map_or([0, 0], |own| own.taken);
        let ignored = !passed && !exit.written && !step.cleanup && exit.leads != Leads::End(false);
        FlowEdge {
            from: step.id.clone(),
            on: crate::run::log::verdict(passed).into(),
            to,
            flags: flags.iter().filter(|(_, on)| *on).map(|(word, _)| Text::from(*word)).collect(),
            explicit: exit.written,
            ignored,
            back,
            taken: if passed { taken[0] } else { taken[1] },
            last: self.run.last_exit == Some((id, passed)),
            held: self.run.hold.is_some_and(|hold| hold.at == Some((id, passed))),
        }
    }

    fn draw_loop(&self, id: StepId, chain: ChainId, iterate: &Iterate) -> FlowLoop {
        let run = self.run.loops.get(&id);
        let from = iterate.start_index;
        let behind = if from > 0 { format!(" from {from}") } else { String::new() };
        let words = match (iterate.target_num, iterate.selector) {
            (Some(1), _) => format!("once{behind}"),
            (Some(count), _) => format!("{count} times{behind}"),
            (None, Some(Selector::Target)) => format!("target instances{behind}"),
            (None, Some(selector)) => format!("{} instances{behind}", selector.word()),
            (None, None) => String::new(),
        };
        let current = self.run.stack.iter().find_map(|frame| match frame {
            Frame::Loop { step, indices, k } if *step == id => Some(Indices::at(indices, *k)),
            _ => None,
        });
        FlowLoop {
            words,
            planned: run.map_or_else(
                || slots(chain, iterate, self.blueprint, self.instances).len(),
                |run| run.planned,
            ),
            current,
            iterations: run.map(|run| iterations(run)).unwrap_or_default(),
        }
    }
}

/// Words the engine's work in one line.
pub(crate) fn line(run: &Run) -> String {
    let name = |id: StepId| run.plan.step(id).map_or("?", |step| &*step.id);
    let leaf = run.work.leaf().map(|leaf| name(leaf.step));
    match run.mode {
        Mode::NotReady => "nothing is to be done".to_owned(),
        Mode::Ready => "ready to deploy".to_owned(),
        Mode::Running if run.pause_requested => {
            format!("running {}, to be paused at its exit", leaf.unwrap_or("?"))
        }
        Mode::Running => format!("running {}", leaf.unwrap_or("?")),
        Mode::GateWait if run.pause_requested => {
            format!("waiting for gate {}, to be paused at its exit", leaf.unwrap_or("?"))
        }
        Mode::GateWait => format!("waiting for gate {}", leaf.unwrap_or("?")),
        Mode::Paused | Mode::ErrorWait => {
            let error = run.mode == Mode::ErrorWait;
            let Some((id, passed)) = run.hold.and_then(|hold| hold.at) else {
                return "paused before the first step".to_owned();
            };
            let what = if error { format!("{} failed; paused", name(id)) } else { "paused".to_owned() };
            match ahead(run, id, passed).step() {
                Some(next) => format!("{what} before {}", name(next)),
                None => format!("{what} before the end of the plan"),
            }
        }
        Mode::Completed => "completed".to_owned(),
        Mode::Failed => match (&run.reason, last_failed(run)) {
            (Some(Reason::Abandoned), _) => "abandoned".to_owned(),
            (Some(Reason::Guard(_)), _) => "stopped: the plan would go on for ever".to_owned(),
            (None, Some(id)) => format!("failed at {}", name(id)),
            (None, None) => "failed".to_owned(),
        },
    }
}

/// The first leaf whose failure the plan did not get over.
fn last_failed(run: &Run) -> Option<StepId> {
    let leaf = |id: &StepId| run.plan.step(*id).is_some_and(Step::is_leaf);
    let failed = run.trace.iter().filter(|trace| !trace.passed).map(|trace| trace.step);
    failed.filter(leaf).last()
}

/// The elements being worked on.
pub(crate) fn path(run: &Run) -> Vec<Text> {
    let mut path = Vec::new();
    for frame in &run.stack {
        match frame {
            Frame::Loop { step, indices, k } => {
                let id = run.plan.step(*step).map_or("?", |step| &*step.id);
                path.push(format!("{id}[{}]", indices.at(*k)).into());
            }
            Frame::Chain { chain, .. } => {
                let chain = run.plan.chain(*chain).filter(|chain| chain.kind != ChainKind::Loop);
                let owner = chain.and_then(|chain| chain.owner).and_then(|owner| run.plan.step(owner));
                path.extend(owner.map(|owner| owner.id.clone()));
            }
        }
    }
    let leaf = run.work.leaf().and_then(|leaf| run.plan.step(leaf.step));
    path.extend(leaf.map(|step| step.id.clone()));
    path
}

fn iterations(run: &LoopRun) -> Vec<FlowIteration> {
    let skipped = run.iterations.len().saturating_sub(ITERATIONS);
    let one = |iteration: &Iteration| FlowIteration {
        index: iteration.index,
        status: iteration.result.map_or(Shown::Running, Shown::of).word().into(),
        steps: iteration.cells.iter().map(|shown| Text::from(shown.word())).collect(),
    };
    run.iterations.iter().skip(skipped).map(one).collect()
}
