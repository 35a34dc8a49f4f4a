//! Choosing steps and working on them: kill, look at offers, launch.
//!
//! *Knows*: what is done with one candidate. *Must not know*: when a cycle runs.
//!
//! A machine's offer serves one step per cycle. Until something is launched, what one candidate found out about the
//! offers holds for every other candidate that needs the same and has no footprint yet; those share it instead of
//! looking again.
//!
//! **Source**: `dcos-commons: …/scheduler/plan/DefaultPlanScheduler.java, DefaultPlanCoordinator.java`. Match.

use super::evaluate::build::{self, Context};
use super::evaluate::footprint::Footprint;
use super::evaluate::outcome::{Check, Outcome};
use super::evaluate::{self, Ask};
use super::history::Evaluation;
use super::plan::{Look, PlanKind, StepTask};
use super::requirement::{PodType, Recovery, Requirement};
use super::store::{OverrideProgress, TaskRecord};
use super::{Cx, Request, Scheduler};
use crate::spec::Goal;
use planarium_kernel::{Cause, SortedMap, SortedSet, fingerprint};
use planarium_mesos::api::{Call, Offer};
use planarium_plan::coordinator::Round;
use planarium_plan::{Element, Holder, PlanId, Status, StepState};
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::borrow::Cow;
use std::sync::Arc;

/// Not to be offered again after an accept. *Units*: milliseconds.
pub(super) const ACCEPT_FILTER_MS: u64 = 1_000;
/// Events about offers that did not fit, per step and cycle at most.
const TOLD: usize = 8;

/// How many machines without the pod's reservations a step looks at while these stay where they are: they all fail
/// for the same reason.
const FOREIGN: u32 = 4;

/// What the candidates of one cycle share.
struct Shared {
    /// Looks that hold for others as well.
    looks: Vec<SharedLook>,
    /// Machines whose offers were used.
    used: Vec<Text>,
    /// Machines that made offers to this cycle, with fingerprints of their names; known once a candidate asks.
    hosts: Option<SortedSet<(u64, Text)>>,
    /// Room for the checks of one offer.
    checks: Vec<Check>,
}

struct SharedLook {
    pod: Arc<PodType>,
    tasks: Arc<[Text]>,
    before: Option<Arc<Look>>,
    look: Arc<Look>,
}

impl Shared {
    /// Whether a machine made an offer to this cycle; `left` are the offers not used so far.
    fn has_offer_of(&mut self, host: &Text, left: &[Arc<Offer>]) -> bool {
        let marked = |host: &Text| (fingerprint::of(host), host.clone());
        let hosts = self.hosts.get_or_insert_with(|| {
            left.iter().map(|offer| &offer.hostname).chain(&self.used).map(marked).collect()
        });
        hosts.contains(&marked(host))
    }

    fn find(&self, requirement: &Requirement, before: Option<&Arc<Look>>) -> Option<&Arc<Look>> {
        let same_before = |shared: &SharedLook| match (&shared.before, before) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        self.looks
            .iter()
            .find(|shared| {
                Arc::ptr_eq(&shared.pod, &requirement.pod)
                    && shared.tasks == requirement.tasks
                    && same_before(shared)
            })
            .map(|shared| &shared.look)
    }
}

impl Scheduler {
    /// The steps to work on, in order. The recovery plan is brought up to date on its turn.
    pub(super) fn coordinate(&mut self, cx: &mut Cx) -> Vec<Holder> {
        let mut round = {
            let plans = self.plans.iter().enumerate();
            Round::begin(plans.map(|(at, plan)| (PlanId::at(at), &plan.tree)))
        };
        for at in 0..self.plans.len() {
            let id = PlanId::at(at);
            if self.plan(id).is_some_and(|plan| plan.kind == PlanKind::Recovery) {
                self.update_recovery(cx, id, &round);
            }
            if let Some(plan) = self.plans.get(at) {
                round.collect(id, &plan.tree);
            }
        }
        let outcome = round.finish();
        let withheld = outcome.withheld.iter().map(|withheld| (withheld.step, withheld.held_by)).collect();
        if self.withheld != withheld {
            self.withheld = withheld;
            self.touch_all(cx);
        }
        outcome.candidates
    }

    /// Works on the candidates; answers the offers nobody used.
    pub(super) fn process(
        &mut self,
        cx: &mut Cx,
        candidates: &[Holder],
        offers: Vec<Arc<Offer>>,
        out: &mut Vec<Request>,
    ) -> Vec<Arc<Offer>> {
        let mut left = offers;
        let mut shared = Shared { looks: Vec::new(), used: Vec::new(), hosts: None, checks: Vec::new() };
        let mut launched = Vec::new();
        for holder in candidates {
            let Some(plan) = self.plan(holder.plan) else { continue };
            if !matches!(plan.tree.status(holder.step.into()), Status::Pending | Status::Prepared) {
                continue;
            }
            if plan.tree.step_error(holder.step).is_some() {
                self.set_state(*holder, StepState::Error);
                self.report(cx, holder.plan);
                continue;
            }
            if let Some(action) = plan.step(holder.step).and_then(|data| data.action.clone()) {
                self.act(cx, *holder, &action, out);
                continue;
            }
            let Some(requirement) = plan.requirement(holder.step).cloned() else { continue };
            let untouched = self.store.pod(&requirement.key).is_none();
            if left.is_empty() && untouched && plan.tree.status(holder.step.into()) == Status::Prepared {
                continue;
            }
            if requirement.recovery == Recovery::Permanent {
                self.store.flag_pod(&requirement.key);
            }
            self.kill_for(cx, *holder, &requirement, out);
            match self.look(cx, *holder, &requirement, &left, &mut shared) {
                Some((at, footprint, event)) => {
                    let offer = left.remove(at);
                    shared.looks.clear();
                    shared.used.push(offer.hostname.clone());
                    launched.extend(self.launch(cx, *holder, &requirement, &offer, footprint, event, out));
                }
                None => self.prepared(cx, *holder),
            }
        }
        self.record(launched);
        left
    }

    /// Stores what a cycle launched, once all of its steps were worked on: until then every step sees the tasks, and
    /// counts those on each machine, as they were before.
    ///
    /// *Order*: tasks that wait for their launch first, so that what another step of the cycle launched stays.
    ///
    /// **Source**: `dcos-commons: …/scheduler/DefaultScheduler.java (processOffers),
    /// …/state/PersistentLaunchRecorder.java`. Match.
    fn record(&mut self, launched: Vec<TaskRecord>) {
        let (stubs, launches): (Vec<_>, Vec<_>) =
            launched.into_iter().partition(|record| record.id.is_empty());
        for record in stubs.into_iter().chain(launches) {
            let key = record.pod.clone();
            self.store.put(record);
            self.note_pod(&key);
        }
    }

    /// Looks at the offers in order; the first that fits, with what it is used for and the event that
    /// tells of it.
    fn look(
        &mut self,
        cx: &mut Cx,
        holder: Holder,
        requirement: &Arc<Requirement>,
        offers: &[Arc<Offer>],
        shared: &mut Shared,
    ) -> Option<(usize, Footprint, u64)> {
        if offers.is_empty() {
            return None;
        }
        let home = self.home_of(requirement);
        // What was seen while the reservations tied the pod to another machine, or to none, no longer holds.
        let before =
            self.step_data(holder).and_then(|data| data.look.clone()).filter(|look| look.home == home);
        let shareable = requirement.recovery == Recovery::None && self.store.pod(&requirement.key).is_none();
        if shareable && let Some(look) = shared.find(requirement, before.as_ref()) {
            let look = look.clone();
            self.set_look(cx, holder, look);
            return None;
        }
        if requirement.pod.rule.counts_elsewhere() {
            self.store.keep_facts();
        }
        let mut foreign = before.as_ref().map_or(0, |look| look.foreign);
        if home.as_ref().is_some_and(|home| foreign >= FOREIGN && !shared.has_offer_of(home, offers)) {
            return None;
        }
        let target = self.target.clone();
        // What was known before, copied once something is added to it.
        let mut outcomes: Cow<'_, SortedMap<Text, Arc<Outcome>>> =
            before.as_ref().map_or_else(Cow::default, |look| Cow::Borrowed(&look.outcomes));
        let mut found = None;
        let mut told = 0;
        for (at, offer) in offers.iter().enumerate() {
            let away = home.as_ref().is_some_and(|home| *home != offer.hostname);
            if away {
                if foreign >= FOREIGN {
                    continue;
                }
                foreign += 1;
            }
            let ask = Ask {
                requirement,
                offer,
                store: &self.store,
                overhead: self.overhead,
                service_role: &target.spec.role,
                master_region: self.master_region.as_ref(),
            };
            let (outcome, footprint) = evaluate::evaluate(&ask, cx.now(), &mut shared.checks);
            let outcome = Arc::new(outcome);
            let known = |old: &Arc<Outcome>| away && old.first_failure() == outcome.first_failure();
            let news = outcomes.get(&outcome.agent).is_none_or(|old| old.checks != outcome.checks)
                && !outcomes.values().any(known);
            let event = (outcome.passed || news && told < TOLD).then(|| {
                told += 1;
                self.tell(cx, holder, &outcome)
            });
            self.history.add(Evaluation {
                pod: requirement.key.name(),
                outcome: outcome.clone(),
                offer: offer.clone(),
            });
            if let (Some(footprint), Some(event)) = (footprint, event) {
                found = Some((at, footprint, event));
                break;
            }
            outcomes.to_mut().insert(outcome.agent.clone(), outcome);
        }
        if found.is_some() {
            // With the launch the look is forgotten.
            self.touch_step(cx, holder);
            return found;
        }
        let offers = u32::try_from(offers.len()).unwrap_or(u32::MAX);
        let outcomes = outcomes.into_owned();
        let look = Arc::new(Look { at: cx.now(), offers, home, foreign, outcomes });
        if shareable {
            shared.looks.push(SharedLook {
                pod: requirement.pod.clone(),
                tasks: requirement.tasks.clone(),
                before,
                look: look.clone(),
            });
        }
        self.set_look(cx, holder, look);
        None
    }

    /// The machine a pod's reservations tie it to, if they do.
    pub(crate) fn home_of(&self, requirement: &Requirement) -> Option<Text> {
        let stored = self.store.pod(&requirement.key)?.known_to(&requirement.pod.spec);
        let lost = stored.values().all(|task| task.permanently_failed);
        let tied = requirement.recovery != Recovery::Permanent && !lost;
        evaluate::existing::home(&stored).filter(|_| tied).cloned()
    }

    fn tell(&self, cx: &mut Cx, holder: Holder, outcome: &Outcome) -> u64 {
        cx.emit(EventBody::Evaluated {
            path: self.path(holder.plan, holder.step.into()),
            agent: outcome.agent.clone(),
            passed: outcome.passed,
            requirement: outcome.first_unmet().into(),
            text: Text::from(outcome.first_failure()).into(),
        })
    }

    fn set_look(&mut self, cx: &Cx, holder: Holder, look: Arc<Look>) {
        if let Some(data) = self.step_data_mut(holder) {
            data.look = Some(look);
        }
        self.touch_step(cx, holder);
    }

    /// Something a view shows of a step has changed without a status change.
    pub(super) fn touch_step(&mut self, cx: &Cx, holder: Holder) {
        if let Some(data) = self.step_data_mut(holder) {
            data.touched += 1;
        }
        self.touch(cx, holder.plan);
    }

    /// No offer fitted, or there was none.
    fn prepared(&mut self, cx: &mut Cx, holder: Holder) {
        self.forget_tasks(holder);
        self.set_state(holder, StepState::Prepared);
        if self.report(cx, holder.plan).is_some() {
            // A prepared step makes its asset dirty for other plans from the next cycle on.
            self.need_cycle(cx);
        }
    }

    /// Launches a step's tasks; answers what is to be stored of them at the end of the cycle.
    #[expect(clippy::too_many_arguments, reason = "what one launch is made of")]
    fn launch(
        &mut self,
        cx: &mut Cx,
        holder: Holder,
        requirement: &Arc<Requirement>,
        offer: &Arc<Offer>,
        footprint: Footprint,
        event: u64,
        out: &mut Vec<Request>,
    ) -> Vec<TaskRecord> {
        let Some(plan) = self.plan(holder.plan) else { return Vec::new() };
        let step = plan.step_name(holder.step);
        let params = plan.step(holder.step).map(|data| data.params.clone()).unwrap_or_default();
        let config = self.configs.get(&requirement.config).unwrap_or(&self.target).clone();
        let version = self.version_of(requirement);
        let framework: Text = self.framework.clone().unwrap_or_else(|| "".into());
        let target = self.target.clone();
        let ask = Ask {
            requirement,
            offer,
            store: &self.store,
            overhead: self.overhead,
            service_role: &target.spec.role,
            master_region: self.master_region.as_ref(),
        };
        let context = Context {
            spec: &config.spec,
            config: &version,
            principal: &target.spec.principal,
            framework: &framework,
            step: &step,
            params: &params,
            namespace: self.namespace.as_ref(),
            pause_command: self.env.get("PAUSE_OVERRIDE_CMD").map(String::as_str),
            now: cx.now(),
            event,
        };
        let mut launch = build::build(&ask, &context, &mut self.ids, footprint);
        self.forget_tasks(holder);
        if let Some(data) = self.step_data_mut(holder) {
            data.look = None;
        }
        for record in &mut launch.records {
            self.report_files(cx, event, record);
            if !record.id.is_empty() {
                if record.goal.progress == OverrideProgress::Pending {
                    record.goal.progress = OverrideProgress::InProgress;
                }
                let (id, task) = (record.id.clone(), record.task.clone());
                let task = StepTask { id, task, state: StepState::Starting, ended_by: None };
                self.waiting.insert(&requirement.key, &record.id, holder);
                if let Some(data) = self.step_data_mut(holder) {
                    data.tasks.push(task);
                }
            }
        }
        cx.scoped(Cause::Event(event), |cx| {
            self.set_state(holder, StepState::Starting);
            self.report(cx, holder.plan);
            self.touch(cx, holder.plan);
            self.need_cycle(cx);
        });
        let operations = launch.operations;
        let call = Call::Accept { offer_ids: vec![offer.id], operations, refuse_ms: Some(ACCEPT_FILTER_MS) };
        out.push(Request { cause: Cause::Event(event), call });
        launch.records
    }

    /// Id of the configuration that launched tasks are labelled with. A recovery keeps the one that its tasks had:
    /// that of the first task with goal RUNNING, by name, else of the first other task.
    ///
    /// **Source**: `dcos-commons: …/offer/evaluate/OfferEvaluator.java (getTargetConfig)`. Match; of several, the
    /// first.
    fn version_of(&self, requirement: &Requirement) -> Text {
        if requirement.recovery == Recovery::None {
            return requirement.config.clone();
        }
        let stored = requirement.task_specs().filter_map(|spec| {
            let task = self.store.task(&requirement.key, &spec.name)?;
            Some((spec.goal != Goal::Running, &task.name, &task.config))
        });
        let first = stored.min_by(|(a, x, _), (b, y, _)| a.cmp(b).then_with(|| x.cmp(y)));
        first.map_or_else(|| self.target.id.clone(), |(_, _, config)| config.clone())
    }

    /// Tells of config files that a launched task lacks something for.
    fn report_files(&self, cx: &mut Cx, event: u64, record: &TaskRecord) {
        for file in record.files.iter().filter(|file| file.problem.is_some()) {
            let (service, task) = (self.name.clone(), record.name.clone());
            cx.scoped(Cause::Event(event), |cx| {
                cx.emit(EventBody::ConfigFile { service, task, file: Box::new(file.clone()) });
            });
        }
    }

    /// Ends what runs in the way: tasks of the pod that are to use one of the resource sets to be launched, by the
    /// version that is launched.
    fn kill_for(&mut self, cx: &mut Cx, holder: Holder, requirement: &Requirement, out: &mut Vec<Request>) {
        let Some(stored) = self.store.pod(&requirement.key) else { return };
        let in_the_way: Vec<(Text, Text)> = stored
            .values()
            .filter(|task| task.is_alive())
            .filter(|task| {
                let set = requirement.pod.spec.task(&task.task).map(|spec| &spec.resource_set.id);
                set.is_some_and(|set| requirement.task_specs().any(|spec| spec.resource_set.id == *set))
            })
            .map(|task| (task.id.clone(), task.at.agent_id.clone()))
            .collect();
        for (id, agent) in in_the_way {
            self.kill_by(cx, &id, Some(&agent), Some(holder), out);
        }
    }

    /// Asks for a task's end, now and until it is answered.
    pub(super) fn kill(&mut self, cx: &mut Cx, id: &Text, agent: Option<&Text>, out: &mut Vec<Request>) {
        self.kill_by(cx, id, agent, None, out);
    }

    /// The same, for a step that needs what the task holds.
    fn kill_by(
        &mut self,
        cx: &mut Cx,
        id: &Text,
        agent: Option<&Text>,
        by: Option<Holder>,
        out: &mut Vec<Request>,
    ) {
        if id.is_empty() || !self.kills.ask(id, agent, by, cx.now(), cx.cause()) {
            return;
        }
        let call = Call::Kill { task_id: id.clone(), agent_id: agent.cloned(), grace_ms: None };
        out.push(Request { cause: cx.cause(), call });
        self.arm_kills(cx);
        self.touch_all(cx);
    }

    /// Sets a step's state.
    pub(super) fn set_state(&mut self, holder: Holder, state: StepState) {
        let Some(plan) = self.plans.get_mut(holder.plan.index()) else { return };
        plan.tree.set_step_state(holder.step, state);
        if state == StepState::Delayed {
            self.delayed.insert(holder);
        } else {
            self.delayed.remove(&holder);
        }
    }

    /// A step no longer waits for the tasks it launched.
    pub(super) fn forget_tasks(&mut self, holder: Holder) {
        let Some(data) = self.step_data(holder).filter(|data| !data.tasks.is_empty()) else { return };
        let requirement = data.requirement.clone();
        let tasks = self.step_data_mut(holder).map(|data| std::mem::take(&mut data.tasks));
        let Some(key) = requirement.as_ref().map(|requirement| &requirement.key) else { return };
        for task in tasks.iter().flat_map(|tasks| tasks.iter()) {
            self.waiting.remove(key, &task.id);
        }
    }

    /// What is known of a step, to change.
    pub(super) fn step_data_mut(&mut self, holder: Holder) -> Option<&mut super::plan::StepData> {
        self.plans.get_mut(holder.plan.index())?.step_mut(holder.step)
    }

    /// The real status of a step.
    pub(crate) fn step_status(&self, holder: Holder) -> Status {
        self.plan(holder.plan).map_or(Status::Error, |plan| plan.tree.status(Element::Step(holder.step)))
    }
}
