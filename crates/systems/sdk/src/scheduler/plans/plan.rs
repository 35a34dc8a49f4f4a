//! One plan: the tree of its states, and this system's data about each element.
//!
//! *Knows*: ids, requirements, parameters, awaited tasks, evaluations of offers. *Must not know*: when a step
//! changes.
//!
//! *Invariant*: `steps` and `phases` have a row for every id of the tree.

use super::action::Action;
use super::assets::Assets;
use super::step_tasks::StepTasks;
use crate::scheduler::ids::Ids;
use crate::scheduler::offers::Look;
use crate::scheduler::requirement::{Requirement, WorkKey};
use crate::scheduler::state::Params;
use planarium_kernel::{SimTime, SortedMap, SortedSet, Table, fingerprint, sorted};
use planarium_plan::{Element, PhaseId, PhaseSpec, PlanSpec, PlanTree, StepId, StepState, StrategySpec};
use planarium_protocol::Text;
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::SourceRef;
use std::ops::Deref;
use std::sync::Arc;

/// Purpose of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanKind {
    /// Brings the service to its target.
    Deploy,
    /// Brings failed tasks back.
    Recovery,
    /// Takes surplus pods away.
    Decommission,
    /// Started by hand.
    Custom,
}

/// Data of a step beside its state.
#[derive(Clone, Debug)]
pub(crate) struct StepData {
    /// The part that seldom changes: copies share it.
    head: Arc<StepHead>,
    /// Tasks it launched.
    pub(crate) tasks: StepTasks,
    /// Marked complete by an operator.
    pub(crate) forced: bool,
    /// Since when it has its displayed status.
    pub(crate) since: SimTime,
    /// The event of its last status change.
    pub(crate) event: Option<u64>,
    /// The last evaluation of offers.
    pub(crate) look: Option<Arc<Look>>,
    /// Counts changes of its view.
    pub(crate) touched: u64,
}

/// Definition of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepHead {
    /// Id.
    pub(crate) id: Text,
    /// Tasks to launch; nothing for a step of another kind.
    pub(crate) requirement: Option<Arc<Requirement>>,
    /// Work of a step without a requirement.
    pub(crate) action: Option<Arc<Action>>,
    /// Parameters of the last start.
    pub(crate) params: Params,
    /// Identity of its work.
    pub(crate) work: Option<WorkKey>,
    /// Its place in the definition.
    pub(crate) source: Option<SourceRef>,
}

impl Deref for StepData {
    type Target = StepHead;

    fn deref(&self) -> &StepHead {
        &self.head
    }
}

/// Data of a phase beside its state.
#[derive(Clone, Debug)]
pub(crate) struct PhaseData {
    /// Id.
    pub(crate) id: Text,
    /// The event that last changed it or anything below it.
    pub(crate) revision: u64,
}

/// A step before it has a place in a tree.
#[derive(Clone, Debug)]
pub(crate) struct NewStep {
    /// Name.
    pub(crate) name: Text,
    /// Tasks to launch.
    pub(crate) requirement: Option<Arc<Requirement>>,
    /// Its work when it launches nothing.
    pub(crate) action: Option<Arc<Action>>,
    /// First state.
    pub(crate) state: StepState,
    /// Why it could not be built.
    pub(crate) error: Option<Text>,
    /// Its place in the definition.
    pub(crate) source: Option<SourceRef>,
}

impl NewStep {
    /// A pending step that the definition does not speak of.
    pub(crate) fn launching(name: Text, requirement: Requirement) -> Self {
        Self {
            name,
            requirement: Some(Arc::new(requirement)),
            action: None,
            state: StepState::Pending,
            error: None,
            source: None,
        }
    }

    /// A pending step that launches nothing.
    pub(crate) fn acting(name: impl Into<Text>, action: Action) -> Self {
        Self {
            name: name.into(),
            requirement: None,
            action: Some(Arc::new(action)),
            state: StepState::Pending,
            error: None,
            source: None,
        }
    }
}

/// One plan.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Its purpose.
    pub(crate) kind: PlanKind,
    /// States.
    pub(crate) tree: PlanTree,
    /// By step id.
    pub(crate) steps: Table<StepData, 8>,
    /// By phase id.
    pub(crate) phases: Table<PhaseData, 8>,
    /// The event that last changed it or anything below it.
    pub(crate) revision: u64,
    /// Counts changes that may affect the view of any of its elements.
    pub(crate) touched: u64,
    /// Number of elements that were given ids.
    pub(crate) named: u64,
    /// The strategy's reported name, if it differs from the tree's.
    pub(crate) shown_strategy: Option<&'static str>,
    /// One of its strategies is random.
    pub(crate) is_random: bool,
    /// Steps that share their name with another of their phase: paths say their ids.
    namesakes: SortedSet<StepId>,
    /// Shared row of steps that left the tree.
    gone: Option<Arc<StepHead>>,
}

impl Plan {
    /// A plan over new steps, one list per phase of `spec`.
    fn new(kind: PlanKind, spec: &PlanSpec, phases: Vec<Vec<NewStep>>, ids: &Ids, now: SimTime) -> Self {
        let mut plan = Self {
            kind,
            tree: PlanTree::new(spec),
            steps: Table::new(),
            phases: Table::new(),
            revision: 0,
            touched: 0,
            named: 0,
            shown_strategy: None,
            is_random: false,
            namesakes: SortedSet::new(),
            gone: None,
        };
        plan.is_random = plan.tree.has_random_strategy();
        for steps in phases {
            plan.add_rows(steps, ids, now);
        }
        plan
    }

    /// Adds the rows of a phase that the tree has just been given.
    pub(crate) fn add_rows(&mut self, steps: Vec<NewStep>, ids: &Ids, now: SimTime) {
        let id = self.next_id(ids);
        self.phases.push(PhaseData { id, revision: 0 });
        self.note_namesakes(&steps);
        for step in steps {
            let id = self.next_id(ids);
            let params = Params::default();
            let work = match (&step.requirement, &step.action) {
                (Some(requirement), _) => Some(requirement.work_key(&step.name, &params)),
                (None, Some(_)) => Some(Action::work_key(&step.name)),
                (None, None) => None,
            };
            let NewStep { requirement, action, source, .. } = step;
            self.steps.push(StepData {
                head: Arc::new(StepHead { id, requirement, action, params, work, source }),
                tasks: StepTasks::default(),
                forced: false,
                since: now,
                event: None,
                look: None,
                touched: 0,
            });
        }
    }

    /// Clears the rows of a phase that leaves the tree: recovery may continue without end for a crashing task.
    pub(crate) fn retire(&mut self, phase: PhaseId) {
        for step in self.tree.steps(phase) {
            let Some(data) = self.step(step) else { continue };
            // An event says that it did something, which is asked of a plan as a whole.
            let (event, since) = (data.event, data.since);
            let head = Arc::clone(self.gone.get_or_insert_default());
            let blank = StepData {
                head: Arc::clone(&head),
                tasks: StepTasks::default(),
                forced: false,
                since,
                event,
                look: None,
                touched: 0,
            };
            let is_gone = |row: &StepData| row.event.is_some() && Arc::ptr_eq(&row.head, &head);
            self.steps.retire(step.index(), blank, is_gone);
            self.namesakes.remove(&step);
        }
        let head = Arc::clone(self.gone.get_or_insert_default());
        let blank = PhaseData { id: head.id.clone(), revision: 0 };
        self.phases.retire(phase.index(), blank, |row| Arc::ptr_eq(&row.id, &head.id));
        self.tree.remove_phase(phase);
    }

    /// Tells if another step of its phase has its name.
    pub(crate) fn is_namesake(&self, step: StepId) -> bool {
        self.namesakes.contains(&step)
    }

    /// Records which of the new steps have the same name.
    fn note_namesakes(&mut self, steps: &[NewStep]) {
        let first = self.steps.len();
        let prints = steps.iter().enumerate().map(|(at, step)| (fingerprint::of(&step.name), at));
        let mut prints: Vec<(u64, usize)> = prints.collect();
        sorted::sort(&mut prints);
        // Mostly all names differ, and none needs to be compared.
        for alike in prints.chunk_by(|(a, _), (b, _)| a == b).filter(|alike| alike.len() > 1) {
            let mut seen: SortedMap<&str, usize> = SortedMap::new();
            for (at, step) in alike.iter().filter_map(|(_, at)| Some((*at, steps.get(*at)?))) {
                if let Some(other) = seen.insert(&step.name, at) {
                    self.namesakes.insert(StepId::at(first + other));
                    self.namesakes.insert(StepId::at(first + at));
                }
            }
        }
    }

    fn next_id(&mut self, ids: &Ids) -> Text {
        self.named += 1;
        ids.element(self.tree.plan_name(), self.named)
    }

    /// Name.
    pub(crate) fn name(&self) -> Text {
        self.tree.plan_name().clone()
    }

    /// The strategy's reported name.
    pub(crate) fn strategy(&self) -> &'static str {
        self.shown_strategy
            .or_else(|| self.tree.strategy(Element::Plan).map(StrategySpec::name))
            .unwrap_or("serial")
    }

    /// Data of a step.
    pub(crate) fn step(&self, step: StepId) -> Option<&StepData> {
        self.steps.get(step.index())
    }

    /// The same, to change.
    pub(crate) fn step_mut(&mut self, step: StepId) -> Option<&mut StepData> {
        self.steps.get_mut(step.index())
    }

    /// Requirement of a step.
    pub(crate) fn requirement(&self, step: StepId) -> Option<&Arc<Requirement>> {
        self.step(step)?.requirement.as_ref()
    }

    /// Gives a step other parameters.
    pub(crate) fn set_params(&mut self, step: StepId, params: &Params) {
        let name = self.step_name(step);
        if let Some(data) = self.step_mut(step) {
            let head = Arc::make_mut(&mut data.head);
            head.params = params.clone();
            if let Some(requirement) = &head.requirement {
                head.work = Some(requirement.work_key(&name, params));
            }
        }
    }

    /// Name of a phase.
    pub(crate) fn phase_name(&self, phase: PhaseId) -> Text {
        self.tree.phase_spec(phase).map_or_else(|| "".into(), |spec| spec.name.clone())
    }

    /// Name of a step.
    pub(crate) fn step_name(&self, step: StepId) -> Text {
        self.tree.step_spec(step).map_or_else(|| "".into(), |spec| spec.name.clone())
    }

    /// Path of an element.
    pub(crate) fn path(&self, service: &Text, element: Element) -> ElementPath {
        let phase = match element {
            Element::Plan => None,
            Element::Phase(phase) => Some(phase),
            Element::Step(step) => self.tree.phase_of(step),
        };
        let step = match element {
            Element::Step(step) if self.is_namesake(step) => {
                Some(self.step(step).map_or_else(|| "".into(), |data| data.id.clone()))
            }
            Element::Step(step) => Some(self.step_name(step)),
            _ => None,
        };
        ElementPath {
            dialect: crate::DIALECT.into(),
            service: service.clone(),
            plan: self.name(),
            phase: phase.map(|phase| self.phase_name(phase)),
            step,
        }
    }

    /// Tells if the plan's status is COMPLETE.
    pub(crate) fn is_complete(&self) -> bool {
        self.tree.status(Element::Plan).is_complete()
    }
}

/// A phase before it has a place in a plan.
#[derive(Clone, Debug)]
pub(crate) struct NewPhase {
    /// Name.
    pub(crate) name: Text,
    /// Rule by which steps are picked.
    pub(crate) strategy: StrategySpec,
    /// Its steps.
    pub(crate) steps: Vec<NewStep>,
}

impl NewPhase {
    /// The phase for a tree.
    pub(crate) fn spec(&self, assets: &mut Assets) -> PhaseSpec {
        let specs = self.steps.iter().map(|step| planarium_plan::StepSpec {
            name: step.name.clone(),
            asset: step.requirement.as_deref().map(|requirement| assets.of(requirement)),
            initial: step.state,
            error: step.error.clone(),
        });
        PhaseSpec::new(self.name.clone(), self.strategy.clone(), specs)
    }
}

/// Makes plans: with the numbers of assets, the ids of elements and the instant.
pub(crate) struct PlanFactory<'a> {
    /// Numbers of assets.
    pub(crate) assets: &'a mut Assets,
    /// Draws ids.
    pub(crate) ids: &'a Ids,
    /// Since when the steps have their status.
    pub(crate) now: SimTime,
}

impl PlanFactory<'_> {
    /// A plan over new phases.
    pub(crate) fn plan(
        &mut self,
        kind: PlanKind,
        name: impl Into<Text>,
        strategy: StrategySpec,
        phases: Vec<NewPhase>,
    ) -> Plan {
        let specs: Vec<PhaseSpec> = phases.iter().map(|phase| phase.spec(self.assets)).collect();
        let spec = PlanSpec::new(name, strategy, specs);
        let rows = phases.into_iter().map(|phase| phase.steps).collect();
        Plan::new(kind, &spec, rows, self.ids, self.now)
    }
}
