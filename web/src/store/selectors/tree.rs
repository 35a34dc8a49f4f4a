//! The rows of the plan tree, and finding things in it.
//!
//! *Order*: plans as `arrange` has them, phases and steps as the view lists them. *Cost*: a window of rows costs the number of open
//! phases plus the rows shown, not the number of steps.

use crate::store::ptr::Ptr;
use crate::store::selectors::arrange::{Arranged, Place, arrange, fold_path};
use crate::store::selectors::status::{self, Words};
use crate::store::selectors::text::contains;
use crate::store::state::State;
use planarium_kernel::SortedSet;
pub(crate) use planarium_messages::paths::{first_plan, leaf, named, plan_path, service_key, service_path};
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{
    ActionView, PhaseView, PlanView, Progress, ServiceView, SourceRef, StatusClass, StatusWord, StepView,
    View,
};
use std::sync::Arc;
use yew::AttrValue;

/// Kinds of row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A service; only shown when there are several.
    Service(Ptr<ServiceView>),
    /// The row that holds plans that are over: its name and their number.
    Fold(Text, usize),
    /// A plan.
    Plan(Ptr<PlanView>),
    /// A phase.
    Phase(Ptr<PhaseView>),
    /// A step.
    Step(Ptr<StepView>),
}

/// The line left of siblings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rail {
    /// None.
    #[default]
    None,
    /// One after the other.
    Serial,
    /// All at once.
    Parallel,
}

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Its path; for a service the plan is empty.
    pub(crate) path: ElementPath,
    /// Stable identity.
    pub(crate) key: String,
    /// Depth from 1.
    pub(crate) level: u32,
    /// Position among its siblings from 1.
    pub(crate) pos: usize,
    /// Number of siblings.
    pub(crate) set: usize,
    /// Open or shut, when it has children.
    pub(crate) open: Option<bool>,
    /// Line to its left.
    pub(crate) rail: Rail,
    /// Line of its parent's siblings that continues below it.
    pub(crate) through: Rail,
    /// A canary gate precedes it.
    pub(crate) gate: bool,
    /// Returns its view.
    pub(crate) node: Node,
    /// Entry of its status word; a service has none.
    pub(crate) word: Option<&'static StatusWord>,
}

/// Which rows of all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Window {
    /// Number in all.
    pub(crate) total: usize,
    /// Those asked for.
    pub(crate) rows: Vec<Row>,
}

/// Input of the list of rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    /// Rows not in their default state.
    pub(crate) toggled: Ptr<SortedSet<ElementPath>>,
    /// Text that steps must contain.
    pub(crate) filter: String,
}

impl Shape {
    /// Returns whether a row is open.
    pub(crate) fn open(&self, path: &ElementPath, by_default: bool) -> bool {
        !self.filter.is_empty() || (by_default != self.toggled.contains(path))
    }

    fn wants(&self, step: &StepView) -> bool {
        wants(&self.filter, step)
    }
}

/// Returns whether a step passes the filter of the rows, by its name or its status.
pub(crate) fn wants(filter: &str, step: &StepView) -> bool {
    filter.is_empty() || contains(&step.name, filter) || contains(&step.status, filter)
}

struct Walk<'a> {
    shape: &'a Shape,
    words: Words,
    skip: usize,
    take: usize,
    out: Window,
}

/// Returns at most `take` rows from `skip` on.
pub(crate) fn window(services: &[Arc<ServiceView>], shape: &Shape, skip: usize, take: usize) -> Window {
    let mut walk = Walk { shape, words: &[], skip, take, out: Window::default() };
    let many = services.len() > 1;
    for (at, service) in services.iter().enumerate() {
        let path = service_path(service);
        walk.words = service.statuses;
        if many {
            let open = shape.open(&path, true);
            walk.push(|| Row {
                key: format!("s{}", service_key(&path)),
                path: path.clone(),
                level: 1,
                pos: at + 1,
                set: services.len(),
                open: Some(open),
                rail: Rail::None,
                through: Rail::None,
                gate: false,
                node: Node::Service(Ptr::from(service)),
                word: None,
            });
            if !open {
                continue;
            }
        }
        walk.plans(service, if many { 2 } else { 1 });
    }
    walk.out
}

impl Walk<'_> {
    fn push(&mut self, make: impl FnOnce() -> Row) {
        if self.out.total >= self.skip && self.out.rows.len() < self.take {
            self.out.rows.push(make());
        }
        self.out.total += 1;
    }

    fn plans(&mut self, service: &Arc<ServiceView>, level: u32) {
        let Arranged { mut shown, mut over, fold } = arrange(service, self.words);
        shown.retain(|place| keeps_plan(self.shape, place.plan));
        over.retain(|place| keeps_plan(self.shape, place.plan));
        let set = shown.len() + usize::from(!over.is_empty());
        for (at, place) in shown.iter().enumerate() {
            self.plan(service, *place, level, (at + 1, set));
        }
        if over.is_empty() {
            return;
        }
        let path = fold_path(service, fold);
        let open = self.shape.open(&path, false);
        self.push(|| Row {
            key: format!("o{}", service_key(&path)),
            path: path.clone(),
            level,
            pos: set,
            set,
            open: Some(open),
            rail: Rail::None,
            through: Rail::None,
            gate: false,
            node: Node::Fold(fold.into(), over.len()),
            word: None,
        });
        if open {
            for (at, place) in over.iter().enumerate() {
                self.plan(service, *place, level + 1, (at + 1, over.len()));
            }
        }
    }

    fn plan(&mut self, service: &ServiceView, place: Place<'_>, level: u32, (pos, set): (usize, usize)) {
        let (plan, words) = (place.plan, self.words);
        let path = plan_path(service, plan);
        let open = self.shape.open(&path, place.open);
        self.push(|| Row {
            key: format!("p{}/{}", service_key(&path), plan.name),
            path: path.clone(),
            level,
            pos,
            set,
            open: (!plan.phases.is_empty()).then_some(open),
            rail: Rail::None,
            through: Rail::None,
            gate: false,
            node: Node::Plan(Ptr::from(plan)),
            word: Some(status::entry(words, &plan.status)),
        });
        if open {
            self.phases(&path, plan, level + 1);
        }
    }

    fn phases(&mut self, plan_path: &ElementPath, plan: &PlanView, level: u32) {
        let (shape, words) = (self.shape, self.words);
        let shown: Vec<_> = plan.phases.iter().filter(|phase| keeps_phase(shape, phase)).collect();
        for (at, phase) in shown.iter().enumerate() {
            let path = ElementPath { phase: Some(Arc::clone(&phase.name)), ..plan_path.clone() };
            let open = shape.open(&path, true);
            self.push(|| Row {
                key: format!("f{}/{}", service_key(plan_path), phase.id),
                path: path.clone(),
                level,
                pos: at + 1,
                set: shown.len(),
                open: (!phase.steps.is_empty()).then_some(open),
                rail: rail(&plan.strategy),
                through: Rail::None,
                gate: false,
                node: Node::Phase(Ptr::from(*phase)),
                word: Some(status::entry(words, &phase.status)),
            });
            if open {
                let through = if at + 1 < shown.len() { rail(&plan.strategy) } else { Rail::None };
                self.steps(&path, phase, level + 1, through);
            }
        }
    }

    fn steps(&mut self, phase_path: &ElementPath, phase: &PhaseView, level: u32, through: Rail) {
        let (shape, words, rail, set) = (self.shape, self.words, rail(&phase.strategy), phase.steps.len());
        let gate_at = gate_position(phase, words);
        let unfiltered = shape.filter.is_empty();
        let before_window = unfiltered && self.out.total + set <= self.skip;
        if before_window || (unfiltered && self.out.rows.len() >= self.take) {
            self.out.total += set;
            return;
        }
        for (at, step) in phase.steps.iter().enumerate() {
            if !shape.wants(step) {
                continue;
            }
            self.push(|| Row {
                key: format!("t{}/{}/{}", service_key(phase_path), phase.id, step.id),
                path: ElementPath { step: Some(Arc::clone(step.key())), ..phase_path.clone() },
                level,
                pos: at + 1,
                set,
                open: None,
                rail,
                through,
                gate: gate_at == Some(at),
                node: Node::Step(Ptr::from(step)),
                word: Some(status::entry(words, &step.status)),
            });
        }
    }
}

fn keeps_plan(shape: &Shape, plan: &PlanView) -> bool {
    shape.filter.is_empty() || plan.phases.iter().any(|phase| keeps_phase(shape, phase))
}

fn keeps_phase(shape: &Shape, phase: &PhaseView) -> bool {
    shape.filter.is_empty() || phase.steps.iter().any(|step| shape.wants(step))
}

fn rail(strategy: &str) -> Rail {
    if strategy.starts_with("parallel") {
        Rail::Parallel
    } else if strategy.is_empty() {
        Rail::None
    } else {
        Rail::Serial
    }
}

/// Returns the place at which the operator's next `continue` lets work go on.
fn gate_position(phase: &PhaseView, words: Words) -> Option<usize> {
    if phase.gates_left == 0 {
        return None;
    }
    phase.steps.iter().position(|step| {
        let class = status::entry(words, &step.status).class;
        class.is_asleep() || class == StatusClass::Preparing
    })
}

/// Returns the names of all plans, with the service in front where there are several.
pub(crate) fn plan_names(view: &View) -> Vec<AttrValue> {
    let many = view.services.len() > 1;
    let name = |service: &ServiceView, plan: &PlanView| {
        if many {
            format!("{}/{}", service.name.trim_start_matches('/'), plan.name).into()
        } else {
            AttrValue::from(plan.name.to_string())
        }
    };
    view.services
        .iter()
        .flat_map(|service| service.plans.iter().map(move |plan| name(service, plan)))
        .collect()
}

/// The service that a path leads into.
pub(crate) fn find_service<'v>(view: &'v View, path: &ElementPath) -> Option<&'v Arc<ServiceView>> {
    view.services.iter().find(|service| service.holds(path))
}

fn find_plan<'v>(view: &'v View, path: &ElementPath) -> Option<&'v Arc<PlanView>> {
    find_service(view, path)?.plans.iter().find(|plan| plan.name == path.plan)
}

fn find_phase<'v>(view: &'v View, path: &ElementPath) -> Option<&'v Arc<PhaseView>> {
    let name = path.phase.as_ref()?;
    find_plan(view, path)?.phases.iter().find(|phase| phase.name == *name)
}

/// The step of a path.
pub(crate) fn find_step<'v>(view: &'v View, path: &ElementPath) -> Option<&'v Arc<StepView>> {
    let name = path.step.as_ref()?;
    find_phase(view, path)?.steps.iter().find(|step| step.key() == name)
}

/// Shown facts of an element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summary {
    /// Its name; where steps share one, their paths say ids.
    pub(crate) name: Text,
    /// Status.
    pub(crate) status: Text,
    /// Entry of the status word.
    pub(crate) word: &'static StatusWord,
    /// Steps done.
    pub(crate) progress: Option<Progress>,
    /// Its actions.
    pub(crate) actions: Arc<[ActionView]>,
    /// Marked complete by an operator.
    pub(crate) forced: bool,
}

/// The summary of any element.
pub(crate) fn summary(view: &View, path: &ElementPath) -> Option<Summary> {
    let words = find_service(view, path)?.statuses;
    let of = |name: &Text, status: &Text, progress, actions: &Arc<[ActionView]>| Summary {
        name: Arc::clone(name),
        status: Arc::clone(status),
        word: status::entry(words, status),
        progress,
        actions: Arc::clone(actions),
        forced: false,
    };
    if path.step.is_some() {
        let step = find_step(view, path)?;
        return Some(Summary { forced: step.forced, ..of(&step.name, &step.status, None, &step.actions) });
    }
    if path.phase.is_some() {
        let phase = find_phase(view, path)?;
        return Some(of(&phase.name, &phase.status, Some(phase.progress), &phase.actions));
    }
    let plan = find_plan(view, path)?;
    Some(of(&plan.name, &plan.status, Some(plan.progress), &plan.actions))
}

/// The status of any element.
pub(crate) fn status_of(view: &View, path: &ElementPath) -> Option<Text> {
    summary(view, path).map(|summary| summary.status)
}

/// Returns the position of an element in the definition: of the step, or of the first step below it.
pub(crate) fn source_of(view: &View, path: &ElementPath) -> Option<SourceRef> {
    if path.step.is_some() {
        return find_step(view, path)?.source.clone();
    }
    let first = |phase: &Arc<PhaseView>| phase.steps.iter().find_map(|step| step.source.clone());
    match path.phase {
        Some(_) => first(find_phase(view, path)?),
        None => find_plan(view, path)?.phases.iter().find_map(first),
    }
}

/// All steps with their paths.
pub(crate) fn steps(view: &View) -> impl Iterator<Item = (ElementPath, &Arc<StepView>)> {
    view.services.iter().flat_map(|service| {
        service.plans.iter().flat_map(move |plan| {
            plan.phases.iter().flat_map(move |phase| {
                phase.steps.iter().map(move |step| {
                    let path = ElementPath {
                        phase: Some(Arc::clone(&phase.name)),
                        step: Some(Arc::clone(step.key())),
                        ..plan_path(service, plan)
                    };
                    (path, step)
                })
            })
        })
    })
}

/// The step that works on a task: an unfinished one before a finished one.
pub(crate) fn step_of_task(view: &View, task: &str) -> Option<ElementPath> {
    let mut any = None;
    for (path, step) in steps(view) {
        if step.tasks.iter().any(|name| &**name == task) {
            if !status::is_done(status::words(&path.dialect), &step.status) {
                return Some(path);
            }
            any.get_or_insert(path);
        }
    }
    any
}

/// Returns the step defined at or just above a line of a service's definition. A definition without a dialect matches
/// any. *Cost*: a look at each step, without its path.
pub(crate) fn step_at(
    view: &View,
    (dialect, service): (&str, &str),
    file: &str,
    line: u32,
) -> Option<ElementPath> {
    let alone = view.services.len() < 2;
    let any = matches!(dialect, "" | "auto");
    let is_own = |it: &&Arc<ServiceView>| alone || (&*it.name == service && (any || &*it.dialect == dialect));
    let (mut best, mut so_far) = (None, None);
    for service in view.services.iter().filter(is_own) {
        for plan in &service.plans {
            for phase in &plan.phases {
                for step in &phase.steps {
                    let Some(source) = &step.source else { continue };
                    let nearer = so_far.is_none_or(|so_far| source.line > so_far);
                    if source.line <= line && nearer && &*source.file == file {
                        so_far = Some(source.line);
                        best = Some((service, plan, phase, step));
                    }
                }
            }
        }
    }
    best.map(|(service, plan, phase, step)| ElementPath {
        phase: Some(Arc::clone(&phase.name)),
        step: Some(Arc::clone(step.key())),
        ..plan_path(service, plan)
    })
}

/// Returns the first row whose name begins with `prefix`, searching from row `from` on and around.
pub(crate) fn find_prefix(rows: &[Row], from: usize, prefix: &str) -> Option<usize> {
    let prefix = prefix.to_ascii_lowercase();
    let hit =
        |at: &usize| rows.get(*at).is_some_and(|row| name(row).to_ascii_lowercase().starts_with(&prefix));
    (from..rows.len()).find(hit).or_else(|| (0..from.min(rows.len())).find(hit))
}

/// The name a row shows.
pub(crate) fn name(row: &Row) -> &Text {
    match &row.node {
        Node::Service(service) => &service.0.name,
        Node::Fold(name, _) => name,
        Node::Plan(plan) => &plan.0.name,
        Node::Phase(phase) => &phase.0.name,
        Node::Step(step) => &step.0.name,
    }
}

/// A path in words: `deploy › hello › hello-0:[server]`.
pub(crate) fn title(path: &ElementPath) -> String {
    let parts = [Some(&path.plan), path.phase.as_ref(), path.step.as_ref()];
    parts.into_iter().flatten().map(|part| &**part).collect::<Vec<_>>().join(" › ")
}

/// A path in words with the names that the view shows. *Cost*: by the steps of its phase.
pub(crate) fn called(view: &View, path: &ElementPath) -> String {
    find_step(view, path).map_or_else(|| title(path), |step| step_title(path, step))
}

/// The path of a step in words; where steps share its name, with the beginning of the id.
pub(crate) fn step_title(path: &ElementPath, step: &StepView) -> String {
    if !step.namesake {
        return title(path);
    }
    let above = ElementPath { step: None, ..path.clone() };
    format!("{} › {}", title(&above), step_name(step))
}

/// A step's name; where steps of its phase share it, with the beginning of the id.
pub(crate) fn step_name(step: &StepView) -> String {
    if !step.namesake {
        return step.name.to_string();
    }
    let id: String = step.id.chars().take(8).collect();
    format!("{} ({id})", step.name)
}

/// The path above one.
pub(crate) fn parent(path: &ElementPath) -> Option<ElementPath> {
    if path.step.is_some() {
        return Some(ElementPath { step: None, ..path.clone() });
    }
    if path.phase.is_some() {
        return Some(ElementPath { phase: None, ..path.clone() });
    }
    (!path.plan.is_empty()).then(|| ElementPath { plan: "".into(), ..path.clone() })
}

/// Returns whether the run is over: every plan is done and nothing is planned for later. Tasks may go on, and may end by themselves some
/// day: the end of a command is no part of a rollout.
pub(crate) fn has_ended(state: &State) -> bool {
    let (clock, view) = (state.world.clock, &state.world.view);
    let loaded = !view.services.is_empty() && state.world.touched;
    state.lesson.is_none() && !clock.planned && clock.at_head() && loaded && unfinished(view).is_none()
}

/// Returns the first unfinished plan, without plans that must be started by hand.
pub(crate) fn unfinished(view: &View) -> Option<ElementPath> {
    planarium_messages::paths::unfinished(view, status::class_of).next()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn count(n: usize) -> u32 {
        u32::try_from(n).expect("a small tree")
    }

    pub(crate) fn step(name: &str, status: &str) -> Arc<StepView> {
        Arc::new(StepView {
            revision: 0,
            id: format!("id-{name}").into(),
            namesake: false,
            name: name.into(),
            status: status.into(),
            reason: "".into(),
            progress: None,
            forced: false,
            since_ms: 0,
            pod: None,
            tasks: vec![format!("{name}-task").into()],
            source: Some(SourceRef { file: "svc.yml".into(), line: 10, column: 1 }),
            actions: Arc::from(Vec::new()),
        })
    }

    pub(crate) fn phase(name: &str, strategy: &str, steps: Vec<Arc<StepView>>) -> Arc<PhaseView> {
        let done = steps.iter().filter(|step| &*step.status == "COMPLETE").count();
        Arc::new(PhaseView {
            revision: 0,
            id: format!("id-{name}").into(),
            name: name.into(),
            status: "PENDING".into(),
            strategy: strategy.into(),
            interrupted: false,
            gates_left: 0,
            progress: Progress { done: count(done), total: count(steps.len()) },
            steps,
            actions: Arc::from(Vec::new()),
        })
    }

    pub(crate) fn plan(name: &str, status: &str, phases: Vec<Arc<PhaseView>>) -> Arc<PlanView> {
        let sum = |f: fn(&Progress) -> u32| phases.iter().map(|phase| f(&phase.progress)).sum();
        Arc::new(PlanView {
            revision: 0,
            name: name.into(),
            status: status.into(),
            strategy: "serial".into(),
            interrupted: false,
            errors: Vec::new(),
            progress: Progress { done: sum(|p| p.done), total: sum(|p| p.total) },
            phases,
            actions: Arc::from(Vec::new()),
            custom: name != "deploy",
        })
    }

    pub(crate) fn service(name: &str, plans: Vec<Arc<PlanView>>) -> Arc<ServiceView> {
        let system = planarium_world::dialects()[0];
        Arc::new(ServiceView {
            revision: 0,
            name: name.into(),
            dialect: system.word.into(),
            plans,
            pods: Vec::new(),
            activity: "".into(),
            statuses: system.statuses,
            definitions: Vec::new(),
            more: Arc::default(),
        })
    }

    fn sample() -> Vec<Arc<ServiceView>> {
        let hello = phase("hello", "serial", vec![step("hello-0", "COMPLETE"), step("hello-1", "STARTING")]);
        let many = (0..5000).map(|n| step(&format!("world-{n}"), "PENDING")).collect();
        let world = phase("world", "parallel", many);
        let deploy = plan("deploy", "IN_PROGRESS", vec![hello, world]);
        let side = plan("sidecar", "WAITING", vec![phase("side", "serial", vec![step("side-0", "WAITING")])]);
        vec![service("one", vec![deploy, side])]
    }

    fn shape(filter: &str) -> Shape {
        Shape { toggled: Ptr::default(), filter: filter.to_owned() }
    }

    fn names(window: &Window) -> Vec<&str> {
        window.rows.iter().map(|row| &**name(row)).collect()
    }

    #[test]
    fn any_window_equals_that_part_of_all_rows() {
        let services = sample();
        let all = window(&services, &shape(""), 0, usize::MAX);
        assert_eq!((all.total, all.rows.len()), (5006, 5006));
        assert_eq!(names(&all)[..5], ["deploy", "hello", "hello-0", "hello-1", "world"]);
        assert_eq!(names(&all).last(), Some(&"sidecar"));
        for (skip, take) in [(0, 3), (2, 4), (4, 1), (4990, 30), (5005, 9), (6000, 9)] {
            let part = window(&services, &shape(""), skip, take);
            let want: Vec<_> = all.rows.iter().skip(skip).take(take).cloned().collect();
            assert_eq!((part.total, part.rows), (5006, want), "{skip}+{take}");
        }
    }

    #[test]
    fn toggling_opens_and_shuts() {
        let services = sample();
        let mut toggled = SortedSet::new();
        let deploy = services[0].path(&"deploy".into());
        let world = ElementPath { phase: Some("world".into()), ..deploy.clone() };
        let side = ElementPath { plan: "sidecar".into(), ..deploy };
        toggled.extend([world, side]);
        let shown = window(&services, &Shape { toggled: Ptr::new(toggled), filter: String::new() }, 0, 100);
        assert_eq!(
            names(&shown),
            ["deploy", "hello", "hello-0", "hello-1", "world", "sidecar", "side", "side-0"]
        );
        assert_eq!(shown.rows.iter().map(|row| row.level).collect::<Vec<_>>(), [1, 2, 3, 3, 2, 1, 2, 3]);
        assert_eq!(shown.rows[4].open, Some(false));
        assert_eq!((shown.rows[3].pos, shown.rows[3].set, shown.rows[3].rail), (2, 2, Rail::Serial));
    }

    #[test]
    fn filters_by_name_and_status_and_opens_parents_of_matches() {
        let services = sample();
        for (filter, want) in [
            ("SIDE-0", vec!["sidecar", "side", "side-0"]),
            ("starting", vec!["deploy", "hello", "hello-1"]),
            ("nothing like it", vec![]),
        ] {
            assert_eq!(names(&window(&services, &shape(filter), 0, 100)), want, "{filter}");
        }
    }

    #[test]
    fn several_services_have_their_own_rows() {
        let services = vec![service("a", vec![plan("deploy", "PENDING", vec![])]), service("b", vec![])];
        let shown = window(&services, &shape(""), 0, 100);
        assert_eq!(names(&shown), ["a", "deploy", "b"]);
        assert_eq!(shown.rows.iter().map(|row| row.level).collect::<Vec<_>>(), [1, 2, 1]);
    }

    #[test]
    fn a_gate_precedes_the_first_waiting_step() {
        let steps = vec![step("a", "COMPLETE"), step("b", "PENDING"), step("c", "PENDING")];
        let mut canary = (*phase("p", "serial-canary", steps)).clone();
        canary.gates_left = 1;
        let services = vec![service("s", vec![plan("deploy", "WAITING", vec![Arc::new(canary)])])];
        let shown = window(&services, &shape(""), 0, 100);
        assert_eq!(
            shown.rows.iter().map(|row| row.gate).collect::<Vec<_>>(),
            [false, false, false, true, false]
        );
    }

    #[test]
    fn finds_steps_by_task_line_and_letters() {
        let services = sample();
        let all = window(&services, &shape(""), 0, 10);
        let view = View { services, ..(*crate::store::state::World::default().view.0).clone() };
        assert_eq!(
            step_of_task(&view, "hello-1-task").map(|p| title(&p)),
            Some("deploy › hello › hello-1".into())
        );
        assert_eq!(step_of_task(&view, "nobody"), None);
        assert_eq!(step_at(&view, ("", "s"), "svc.yml", 9), None);
        assert_eq!(
            step_at(&view, ("", "s"), "svc.yml", 12).map(|p| leaf(&p).to_string()),
            Some("hello-0".into())
        );
        assert_eq!(find_prefix(&all.rows, 0, "W"), Some(4));
        assert_eq!(find_prefix(&all.rows, 5, "hel"), Some(1), "wraps around");
        assert_eq!(find_prefix(&all.rows, 0, "zzz"), None);
        assert_eq!(unfinished(&view).map(|p| p.plan.to_string()), Some("deploy".into()));
    }

    /// A service of another system, with its own words.
    fn other(name: &str, plans: Vec<Arc<PlanView>>) -> Arc<ServiceView> {
        static WORDS: &[StatusWord] = &[StatusWord {
            word: "ASLEEP",
            class: StatusClass::Unused,
            icon: "never-run",
            glyph: "-",
            meaning: "Nobody asked for it.",
        }];
        let own = (*service(name, plans)).clone();
        Arc::new(ServiceView { dialect: "other".into(), statuses: WORDS, ..own })
    }

    #[test]
    fn services_with_equal_names_in_two_systems_are_separate() {
        let plans =
            |status| vec![plan("deploy", status, vec![phase("p", "serial", vec![step("a", status)])])];
        let services = vec![service("hello", plans("COMPLETE")), other("hello", plans("ASLEEP"))];
        let rows = window(&services, &shape(""), 0, 100).rows;
        let mut keys: Vec<_> = rows.iter().map(|row| row.key.clone()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), rows.len(), "every row has a key of its own: {keys:?}");
        let view = View { services, ..(*crate::store::state::World::default().view.0).clone() };
        let seen: Vec<_> = rows
            .iter()
            .filter(|row| matches!(row.node, Node::Step(_)))
            .map(|row| {
                (row.path.dialect.to_string(), status_of(&view, &row.path).expect("a step").to_string())
            })
            .collect();
        let first = planarium_world::dialects()[0].word.to_owned();
        assert_eq!(seen, [(first, "COMPLETE".into()), ("other".into(), "ASLEEP".into())]);
    }

    #[test]
    fn words_of_any_system_decide_what_is_open_and_finished() {
        let asleep = || {
            let mut first = (*plan("deploy", "COMPLETE", vec![])).clone();
            first.custom = false;
            vec![
                Arc::new(first),
                plan("backup", "ASLEEP", vec![phase("p", "serial", vec![step("a", "ASLEEP")])]),
            ]
        };
        let services = vec![other("s", asleep())];
        assert_eq!(names(&window(&services, &shape(""), 0, 100)), ["deploy", "backup"], "backup is shut");
        let view = View { services, ..(*crate::store::state::World::default().view.0).clone() };
        assert_eq!(unfinished(&view), None, "what nobody asked for is not unfinished");
    }

    #[test]
    fn steps_with_equal_names_are_distinguished() {
        let twin = |id: &str, status: &str| {
            Arc::new(StepView { id: id.into(), namesake: true, ..(*step("twin", status)).clone() })
        };
        let services = vec![service(
            "s",
            vec![plan(
                "deploy",
                "IN_PROGRESS",
                vec![phase("p", "serial", vec![twin("id-1", "COMPLETE"), twin("id-2", "STARTING")])],
            )],
        )];
        let rows = window(&services, &shape(""), 0, 100).rows;
        let view = View { services, ..(*crate::store::state::World::default().view.0).clone() };
        let found: Vec<_> = rows
            .iter()
            .filter(|row| matches!(row.node, Node::Step(_)))
            .map(|row| summary(&view, &row.path).expect("the step of its row"))
            .map(|found| (found.name.to_string(), found.status.to_string()))
            .collect();
        assert_eq!(found, [("twin".into(), "COMPLETE".into()), ("twin".into(), "STARTING".into())]);
        assert!(rows.iter().all(|row| row.path.step.is_none() || find_step(&view, &row.path).is_some()));
    }
}
