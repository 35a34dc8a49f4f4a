//! The lines of the timeline: which plans, phases, steps, machines and tasks have one, in which order.
//!
//! *Knows*: the view, and which lanes there are. *Must not know*: what a line shows. *Cost*: a list is made again when elements come or
//! go; a lane that begins in a line that is there costs a look.

use crate::store::gantt::Gantt;
use crate::store::lane::Lane;
use crate::store::selectors::arrange::{Arranged, arrange};
use crate::store::selectors::status::entry;
use crate::store::selectors::text::contains;
use crate::store::selectors::tree;
use planarium_messages::paths::main_plan;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{PlanView, ServiceView, StatusClass, StepView};
use planarium_protocol::{Text, View};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use yew::AttrValue;

/// Steps of a phase that is folded unless asked for.
const FOLDED: usize = 100;

/// A line of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    /// A plan's name.
    Plan(ElementPath),
    /// A phase with the number of its steps, folded or not.
    Phase(ElementPath, usize, bool),
    /// A step.
    Step(ElementPath),
    /// A machine's name.
    Machine(Text),
    /// A task on a machine.
    Task(ElementPath),
}

impl Line {
    /// The path of its lane, if it has one.
    pub(super) fn lane(&self) -> Option<&ElementPath> {
        match self {
            Self::Step(path) | Self::Task(path) | Self::Phase(path, _, true) => Some(path),
            Self::Plan(_) | Self::Phase(..) | Self::Machine(_) => None,
        }
    }
}

/// Everything that a list of lines depends on, without a look at each step: plans in order with their sizes, services, tasks by machine, phases that
/// are not as usual, the filter, and the view where the filter looks at it.
#[derive(Clone, PartialEq)]
struct Source {
    plans: Vec<(Text, usize, usize, bool)>,
    services: usize,
    machines: Option<usize>,
    folds: BTreeSet<ElementPath>,
    filter: AttrValue,
    revision: u64,
}

/// The list of lines as it was made last.
#[derive(Default)]
pub(super) struct Listing {
    source: Option<Source>,
    lines: Rc<Vec<Line>>,
    /// Steps of the view.
    here: BTreeSet<ElementPath>,
    /// Plans that have begun.
    begun: BTreeSet<ElementPath>,
    /// Number of lanes that were there.
    lanes: usize,
}

impl Listing {
    /// Returns the lines of a view. The list stays the same allocation until it changes.
    pub(super) fn follow(
        &mut self,
        view: &View,
        gantt: &Gantt,
        by_machine: bool,
        folds: &BTreeSet<ElementPath>,
        filter: &AttrValue,
    ) -> Rc<Vec<Line>> {
        let source = Source {
            plans: plans(view),
            services: view.services.len(),
            machines: by_machine.then(|| gantt.machines.count() + view.cluster.machines.len()),
            folds: folds.clone(),
            filter: filter.clone(),
            revision: if filter.is_empty() { 0 } else { view.revision },
        };
        let same = self.source.as_ref() == Some(&source) && (by_machine || self.knows(gantt));
        if !same {
            self.source = Some(source);
            self.lines = Rc::new(if by_machine {
                machine_lines(view, gantt, filter)
            } else {
                self.lines(view, gantt, folds, filter)
            });
        }
        self.lanes = gantt.count();
        Rc::clone(&self.lines)
    }

    /// Returns whether lanes that came since are of steps that have a line.
    fn knows(&self, gantt: &Gantt) -> bool {
        let known =
            |lane: &Arc<Lane>| self.here.contains(&lane.path) && self.begun.contains(&plan_of(&lane.path));
        gantt.count() >= self.lanes && gantt.lanes_after(self.lanes).all(known)
    }

    /// Plans that have begun, with all their steps; then removed steps.
    fn lines(
        &mut self,
        view: &View,
        gantt: &Gantt,
        folds: &BTreeSet<ElementPath>,
        filter: &str,
    ) -> Vec<Line> {
        let mut plans: Vec<(ElementPath, bool, Phases)> = Vec::new();
        self.here.clear();
        for service in &view.services {
            let main = service.plans.get(main_plan(service));
            for plan in in_order(service) {
                let path = tree::plan_path(service, plan);
                let is_main = main.is_some_and(|main| Arc::ptr_eq(main, plan));
                let (mut phases, mut begun): (Phases, bool) = (Vec::new(), is_main);
                for phase in &plan.phases {
                    let name = Some(Arc::clone(&phase.name));
                    let path = |step: &StepView| ElementPath {
                        phase: name.clone(),
                        step: Some(Arc::clone(step.key())),
                        ..path.clone()
                    };
                    let mut steps = Vec::new();
                    for step in &phase.steps {
                        let path = path(step);
                        begun = begun || gantt.lane(&path).is_some();
                        if self.here.insert(path.clone()) && tree::wants(filter, step) {
                            steps.push(path);
                        }
                    }
                    phases.push((name.clone(), steps));
                }
                plans.push((path, begun, phases));
            }
        }
        // Removed steps, plans and services have a past, too.
        let gone =
            |lane: &&Arc<Lane>| !self.here.contains(&lane.path) && contains(tree::leaf(&lane.path), filter);
        for lane in gantt.lanes().filter(gone) {
            let plan = plan_of(&lane.path);
            let at = plans.iter().position(|(path, ..)| *path == plan).unwrap_or_else(|| {
                plans.push((plan, true, Vec::new()));
                plans.len() - 1
            });
            let Some((_, begun, phases)) = plans.get_mut(at) else { continue };
            *begun = true;
            match phases.iter_mut().find(|(name, _)| *name == lane.path.phase) {
                Some((_, steps)) => steps.push(lane.path.clone()),
                None => phases.push((lane.path.phase.clone(), vec![lane.path.clone()])),
            }
        }
        let begun = plans.iter().filter(|(_, begun, _)| *begun).map(|(path, ..)| path.clone());
        self.begun = begun.collect();
        let mut out = Vec::new();
        let hit = |phases: &Phases| filter.is_empty() || phases.iter().any(|(_, steps)| !steps.is_empty());
        for (plan, _, phases) in plans.into_iter().filter(|(_, begun, phases)| *begun && hit(phases)) {
            out.push(Line::Plan(plan.clone()));
            for (phase, steps) in phases.into_iter().filter(|(_, steps)| !steps.is_empty()) {
                let path = ElementPath { phase, ..plan.clone() };
                let folded = filter.is_empty() && (steps.len() > FOLDED) != folds.contains(&path);
                out.push(Line::Phase(path, steps.len(), folded));
                if !folded {
                    out.extend(steps.into_iter().map(Line::Step));
                }
            }
        }
        out
    }
}

/// The steps of a plan by phase.
type Phases = Vec<(Option<Text>, Vec<ElementPath>)>;

/// The plan of an element.
fn plan_of(path: &ElementPath) -> ElementPath {
    ElementPath { phase: None, step: None, ..path.clone() }
}

/// The plans in order: name, phases, steps, and whether it is asleep.
fn plans(view: &View) -> Vec<(Text, usize, usize, bool)> {
    let plans = view.services.iter().flat_map(|service| {
        in_order(service).map(|plan| {
            let steps = plan.phases.iter().map(|phase| phase.steps.len()).sum();
            (plan.name.clone(), plan.phases.len(), steps, asleep(entry(service.statuses, &plan.status).class))
        })
    });
    plans.collect()
}

/// The plans of a service in the order of the tree: those that came and are over are last.
fn in_order(service: &ServiceView) -> impl Iterator<Item = &Arc<PlanView>> {
    let Arranged { shown, over, .. } = arrange(service, service.statuses);
    shown.into_iter().chain(over).map(|place| place.plan)
}

/// Waits for a person, or was never asked for.
fn asleep(class: StatusClass) -> bool {
    matches!(class, StatusClass::Held | StatusClass::Unused)
}

/// Machines in the order of the view, removed ones after them, with the tasks that ever ran there.
fn machine_lines(view: &View, gantt: &Gantt, filter: &str) -> Vec<Line> {
    let here: Vec<&Text> = view.cluster.machines.iter().map(|machine| &machine.hostname).collect();
    let mut names = here.clone();
    for path in gantt.machines.paths() {
        if names.last() != Some(&&path.service) && !here.contains(&&path.service) {
            names.push(&path.service);
        }
    }
    let mut out = Vec::new();
    for name in names {
        let all = contains(name, filter);
        let tasks = gantt.machines.paths().filter(|path| path.service == *name);
        let tasks = tasks.filter(|path| all || contains(tree::leaf(path), filter));
        let before = out.len();
        out.push(Line::Machine(name.clone()));
        out.extend(tasks.cloned().map(Line::Task));
        if out.len() == before + 1 {
            out.truncate(before);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::selectors::status::class_of;
    use crate::store::selectors::tree::tests::{phase, plan, service, step};
    use planarium_kernel::cause::Cause;
    use planarium_protocol::Event;
    use planarium_protocol::event::EventBody;

    #[test]
    fn shows_begun_plans_and_removed_steps() {
        let services = vec![service(
            "s",
            vec![
                plan("deploy", "COMPLETE", vec![phase("p", "serial", vec![step("a", "COMPLETE")])]),
                plan("recovery", "COMPLETE", vec![]),
                plan("other", "WAITING", vec![phase("q", "serial", vec![step("b", "WAITING")])]),
            ],
        )];
        let view = View { services, ..(*crate::store::state::World::default().view.0).clone() };
        let mut gantt = Gantt::default();
        let gone = ElementPath {
            plan: "recovery".into(),
            phase: Some("a-0".into()),
            step: Some("a-0:[x]".into()),
            ..tree::service_path(&view.services[0])
        };
        let body = EventBody::ElementStatus { path: gone, from: "PENDING".into(), to: "COMPLETE".into() };
        gantt.extend(&[Event { seq: 1, at_ms: 5, cause: Cause::Genesis, body }], class_of);
        let named = |lines: Vec<Line>| -> Vec<String> {
            lines
                .iter()
                .map(|line| match line {
                    Line::Plan(path) => path.plan.to_string(),
                    Line::Phase(path, count, _) => format!("{} {count}", tree::leaf(path)),
                    Line::Step(path) | Line::Task(path) => tree::leaf(path).to_string(),
                    Line::Machine(name) => name.to_string(),
                })
                .collect()
        };
        let lines = |view: &View, folds: &BTreeSet<ElementPath>, filter: &'static str| {
            Listing::default().follow(view, &gantt, false, folds, &AttrValue::Static(filter)).to_vec()
        };
        let none = BTreeSet::new();
        let shown = |filter| named(lines(&view, &none, filter));
        assert_eq!(shown(""), ["deploy", "p 1", "a", "recovery", "a-0 1", "a-0:[x]"]);
        // The rows' filter applies to the lanes: by name or status, and by name for removed ones.
        assert_eq!(shown("[X]"), ["recovery", "a-0 1", "a-0:[x]"]);
        assert_eq!(shown("complete"), ["deploy", "p 1", "a"]);
        assert!(shown("nothing like it").is_empty());
        let empty = View { services: Vec::new(), ..view.clone() };
        let all = lines(&empty, &none, "");
        assert_eq!(all.len(), 3, "a service that is gone keeps its past");
        let Line::Phase(phase, ..) = &all[1] else { panic!("a phase") };
        let folds = BTreeSet::from([phase.clone()]);
        assert_eq!(lines(&empty, &folds, "").len(), 2, "folded");
        assert_eq!(lines(&empty, &folds, "x").len(), 3, "a hit is not folded away");
    }

    #[test]
    fn lanes_are_in_the_order_of_the_tree() {
        let one =
            |name: &str, status| plan(name, status, vec![phase(name, "serial", vec![step(name, status)])]);
        // Deployments of Marathon come and go beside its apps.
        let plans =
            vec![one("apps", "Running"), one("deployment-1", "Finished"), one("deployment-2", "Deploying")];
        let known = planarium_world::dialects();
        let system = known.iter().find(|known| known.word == "marathon").expect("Marathon");
        let own = ServiceView {
            dialect: system.word.into(),
            statuses: system.statuses,
            ..(*service("s", plans)).clone()
        };
        let services = vec![Arc::new(own)];
        let mut gantt = Gantt::default();
        for (seq, plan) in (1..).zip(&services[0].plans) {
            let path = ElementPath {
                phase: Some(plan.name.clone()),
                step: Some(plan.name.clone()),
                ..tree::plan_path(&services[0], plan)
            };
            let body = EventBody::ElementStatus { path, from: "".into(), to: plan.status.clone() };
            gantt.extend(&[Event { seq, at_ms: 5, cause: Cause::Genesis, body }], class_of);
        }
        let view =
            View { services: services.clone(), ..(*crate::store::state::World::default().view.0).clone() };
        let lines = Listing::default().follow(&view, &gantt, false, &BTreeSet::new(), &AttrValue::default());
        let drawn: Vec<_> = lines
            .iter()
            .filter_map(|line| if let Line::Plan(path) = line { Some(path.plan.to_string()) } else { None })
            .collect();
        let Arranged { shown, over, .. } = arrange(&services[0], services[0].statuses);
        let in_tree: Vec<_> = shown.iter().chain(&over).map(|place| place.plan.name.to_string()).collect();
        assert_eq!(drawn, in_tree);
        assert_ne!(drawn.first().map(String::as_str), Some("apps"), "what is under way comes first");
    }

    #[test]
    fn a_list_is_made_again_only_when_elements_come_or_go() {
        let steps = |names: &[&str]| {
            let steps = names.iter().map(|name| step(name, "PENDING")).collect();
            let services =
                vec![service("s", vec![plan("deploy", "PENDING", vec![phase("p", "serial", steps)])])];
            View { services, ..(*crate::store::state::World::default().view.0).clone() }
        };
        let (two, three) = (steps(&["a", "b"]), steps(&["a", "b", "c"]));
        let mut gantt = Gantt::default();
        let mut seq = 0;
        let mut begin = |gantt: &mut Gantt, name: &str, phase: &str| {
            seq += 1;
            let path = ElementPath {
                plan: "deploy".into(),
                phase: Some(phase.into()),
                step: Some(name.into()),
                ..tree::service_path(&two.services[0])
            };
            let body = EventBody::ElementStatus { path, from: "PENDING".into(), to: "STARTING".into() };
            gantt.extend(&[Event { seq, at_ms: seq, cause: Cause::Genesis, body }], class_of);
        };
        let (folds, filter) = (BTreeSet::new(), AttrValue::default());
        let mut listing = Listing::default();
        let mut follow = |view: &View, gantt: &Gantt| listing.follow(view, gantt, false, &folds, &filter);
        let first = follow(&two, &gantt);
        begin(&mut gantt, "a", "p");
        begin(&mut gantt, "b", "p");
        assert!(Rc::ptr_eq(&first, &follow(&two, &gantt)), "lanes begin in lines that are there");
        let more = follow(&three, &gantt);
        assert_eq!(more.len(), first.len() + 1, "a step came");
        begin(&mut gantt, "x", "gone");
        let with_past = follow(&three, &gantt);
        assert_eq!(with_past.len(), more.len() + 2, "a removed step has a past");
        assert_eq!(follow(&three, &Gantt::default()).len(), more.len(), "another past");
    }
}
