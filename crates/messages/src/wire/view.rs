//! Changes of a view, found by the engine's revisions and by shared allocations.
//!
//! *Order*: list elements are compared by index. *Cost*: a message contains changed elements and their parents.

use super::actions::{Known, List as ActionList, Table};
use planarium_protocol::Text;
use planarium_protocol::json::Read;
use planarium_protocol::view::{
    ClockView, ClusterView, FaultView, InverseOfferView, MachineView, NoticeView, PhaseView, PlanView,
    PodTaskView, PodView, Progress, ResourceView, ServiceView, SourceRef, StatusWord, StepView, TaskView,
    UnavailabilityView, View, WindowView,
};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// Changes of a list: its length, and the changed elements by index.
#[derive(Clone, Debug, Serialize, Read)]
struct Items<T>(usize, Vec<(usize, T)>);

fn items<V, T>(
    old: &[Arc<V>],
    new: &[Arc<V>],
    mut change: impl FnMut(Option<&V>, &V) -> T,
) -> Option<Items<T>> {
    let mut changed = Vec::new();
    for (at, item) in new.iter().enumerate() {
        let before = old.get(at);
        if !before.is_some_and(|before| Arc::ptr_eq(before, item)) {
            changed.push((at, change(before.map(|before| &**before), item)));
        }
    }
    (old.len() != new.len() || !changed.is_empty()).then_some(Items(new.len(), changed))
}

fn put<V, T>(list: &mut Vec<Arc<V>>, change: Option<Items<T>>, mut apply: impl FnMut(Option<&V>, T) -> V) {
    let Some(Items(len, changed)) = change else { return };
    for (at, item) in changed {
        let new = Arc::new(apply(list.get(at).map(|before| &**before), item));
        match list.get_mut(at) {
            Some(place) => *place = new,
            None => list.push(new),
        }
    }
    list.truncate(len);
}

/// The parts of a view that changed.
#[derive(Clone, Debug, Serialize, Read)]
pub(crate) struct ViewChange {
    revision: u64,
    clock: ClockView,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    services: Option<Items<ServiceChange>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<ClusterChange>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    faults: Option<Vec<FaultView>>,
}

#[derive(Clone, Debug, Serialize, Read)]
struct ServiceHead {
    name: Text,
    dialect: Text,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<Text>,
    statuses: Vec<StatusWord>,
}

#[derive(Clone, Debug, Serialize, Read)]
struct ServiceChange {
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<ServiceHead>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    activity: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plans: Option<Items<PlanChange>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pods: Option<Items<PodChange>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    more: Option<Value>,
}

#[derive(Clone, Debug, Serialize, Read)]
struct PlanChange {
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<(Text, Text, bool)>,
    status: Text,
    interrupted: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Text>,
    progress: Progress,
    actions: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phases: Option<Items<PhaseChange>>,
}

#[derive(Clone, Debug, Serialize, Read)]
struct PhaseChange {
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<(Text, Text, Text)>,
    status: Text,
    interrupted: bool,
    gates_left: u32,
    progress: Progress,
    actions: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<Items<StepChange>>,
}

/// Revision, status, reason, instant of the status, actions, counted instances; rarely changing parts if they
/// changed.
#[derive(Clone, Debug, Serialize, Read)]
struct StepChange(
    u64,
    Text,
    Text,
    u64,
    u32,
    Option<Progress>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<Box<StepRest>>,
);

#[derive(Clone, Debug, PartialEq, Serialize, Read)]
struct StepRest {
    id: Text,
    name: Text,
    namesake: bool,
    forced: bool,
    pod: Option<Text>,
    tasks: Vec<Text>,
    source: Option<SourceRef>,
}

#[derive(Clone, Debug, Serialize, Read)]
struct PodChange(u64, Text, Vec<PodTaskView>, u32);

#[derive(Clone, Debug, Serialize, Read)]
struct ClusterChange {
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    statuses: Option<Vec<StatusWord>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machines: Option<Items<MachineChange>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    windows: Option<Vec<WindowView>>,
}

#[derive(Clone, Debug, Serialize, Read)]
struct MachineChange {
    revision: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    head: Option<Box<MachineHead>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<ResourceView>>,
    /// For each task its previous index, if it existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Vec<Option<usize>>>,
    /// New and changed tasks, by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<(usize, TaskChange)>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Read)]
struct MachineHead {
    hostname: Text,
    ip: Text,
    agent_id: Text,
    port: Option<u16>,
    state: Text,
    deactivated: bool,
    unavailability: Option<UnavailabilityView>,
    inverse_offers: Vec<InverseOfferView>,
    region: Option<Text>,
    zone: Option<Text>,
    notices: Vec<NoticeView>,
    attributes: Vec<(Text, Text)>,
    promised_twice: bool,
    without_size: u32,
    actions: u32,
}

/// State, instant of the state, health, readiness, actions; names of a new task.
#[derive(Clone, Debug, Serialize, Read)]
struct TaskChange(
    Text,
    u64,
    Option<bool>,
    Option<bool>,
    u32,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<(Text, Text, Text, Text)>,
);

/// The difference between two views.
pub(crate) fn change(old: Option<&View>, new: &View, table: &mut Table) -> ViewChange {
    let services = old.map_or(&[][..], |old| &old.services);
    let same_cluster = old.is_some_and(|old| Arc::ptr_eq(&old.cluster, &new.cluster));
    ViewChange {
        revision: new.revision,
        clock: new.clock.clone(),
        services: items(services, &new.services, |old, new| service(old, new, table)),
        cluster: (!same_cluster).then(|| cluster(old.map(|old| &*old.cluster), &new.cluster, table)),
        faults: old.is_none_or(|old| old.faults != new.faults).then(|| new.faults.clone()),
    }
}

/// A view brought up to date.
pub(crate) fn apply(old: Option<&View>, change: ViewChange, known: &Known) -> View {
    let ViewChange { revision, clock, services, cluster, faults } = change;
    let mut list = old.map(|old| old.services.clone()).unwrap_or_default();
    put(&mut list, services, |old, change| service_of(old, change, known));
    let before = old.map(|old| Arc::clone(&old.cluster));
    let cluster = match (cluster, before) {
        (None, Some(before)) => before,
        (change, before) => Arc::new(cluster_of(before.as_deref(), change, known)),
    };
    let faults = faults.or_else(|| old.map(|old| old.faults.clone())).unwrap_or_default();
    View { revision, clock, services: list, cluster, faults }
}

fn service(old: Option<&ServiceView>, new: &ServiceView, table: &mut Table) -> ServiceChange {
    let head = |view: &ServiceView| (view.name.clone(), view.dialect.clone(), view.definitions.clone());
    let same_head = old.is_some_and(|old| head(old) == head(new) && old.statuses == new.statuses);
    let more = old.is_none_or(|old| !Arc::ptr_eq(&old.more, &new.more) && old.more != new.more);
    ServiceChange {
        revision: new.revision,
        head: (!same_head).then(|| ServiceHead {
            name: new.name.clone(),
            dialect: new.dialect.clone(),
            definitions: new.definitions.clone(),
            statuses: new.statuses.to_vec(),
        }),
        activity: old.is_none_or(|old| old.activity != new.activity).then(|| new.activity.clone()),
        plans: items(old.map_or(&[][..], |old| &old.plans), &new.plans, |old, new| plan(old, new, table)),
        pods: items(old.map_or(&[][..], |old| &old.pods), &new.pods, |_, new| {
            PodChange(new.revision, new.name.clone(), new.tasks.clone(), table.shared(&new.actions))
        }),
        more: more.then(|| (*new.more).clone()),
    }
}

fn service_of(old: Option<&ServiceView>, change: ServiceChange, known: &Known) -> ServiceView {
    let mut view = old.cloned().unwrap_or_else(|| ServiceView {
        revision: 0,
        name: Text::default(),
        dialect: Text::default(),
        plans: Vec::new(),
        pods: Vec::new(),
        activity: Text::default(),
        statuses: &[],
        definitions: Vec::new(),
        more: Arc::default(),
    });
    view.revision = change.revision;
    if let Some(head) = change.head {
        view.name = head.name;
        view.dialect = head.dialect;
        view.definitions = head.definitions;
        view.statuses = planarium_protocol::view::table(head.statuses);
    }
    if let Some(activity) = change.activity {
        view.activity = activity;
    }
    put(&mut view.plans, change.plans, |old, change| plan_of(old, change, known));
    put(&mut view.pods, change.pods, |_, PodChange(revision, name, tasks, actions)| PodView {
        revision,
        name,
        tasks,
        actions: known.shared(actions),
    });
    if let Some(more) = change.more {
        view.more = Arc::new(more);
    }
    view
}

fn plan(old: Option<&PlanView>, new: &PlanView, table: &mut Table) -> PlanChange {
    let head = |view: &PlanView| (view.name.clone(), view.strategy.clone(), view.custom);
    PlanChange {
        revision: new.revision,
        head: old.is_none_or(|old| head(old) != head(new)).then(|| head(new)),
        status: new.status.clone(),
        interrupted: new.interrupted,
        errors: new.errors.clone(),
        progress: new.progress,
        actions: table.shared(&new.actions),
        phases: items(old.map_or(&[][..], |old| &old.phases), &new.phases, |old, new| phase(old, new, table)),
    }
}

fn plan_of(old: Option<&PlanView>, change: PlanChange, known: &Known) -> PlanView {
    let before = || old.map(|old| (old.name.clone(), old.strategy.clone(), old.custom));
    let (name, strategy, custom) = change.head.or_else(before).unwrap_or_default();
    let mut phases = old.map(|old| old.phases.clone()).unwrap_or_default();
    put(&mut phases, change.phases, |old, change| phase_of(old, change, known));
    PlanView {
        revision: change.revision,
        name,
        status: change.status,
        strategy,
        interrupted: change.interrupted,
        errors: change.errors,
        progress: change.progress,
        phases,
        actions: known.shared(change.actions),
        custom,
    }
}

fn phase(old: Option<&PhaseView>, new: &PhaseView, table: &mut Table) -> PhaseChange {
    let head = |view: &PhaseView| (view.id.clone(), view.name.clone(), view.strategy.clone());
    PhaseChange {
        revision: new.revision,
        head: old.is_none_or(|old| head(old) != head(new)).then(|| head(new)),
        status: new.status.clone(),
        interrupted: new.interrupted,
        gates_left: new.gates_left,
        progress: new.progress,
        actions: table.shared(&new.actions),
        steps: items(old.map_or(&[][..], |old| &old.steps), &new.steps, |old, new| step(old, new, table)),
    }
}

fn phase_of(old: Option<&PhaseView>, change: PhaseChange, known: &Known) -> PhaseView {
    let before = || old.map(|old| (old.id.clone(), old.name.clone(), old.strategy.clone()));
    let (id, name, strategy) = change.head.or_else(before).unwrap_or_default();
    let mut steps = old.map(|old| old.steps.clone()).unwrap_or_default();
    put(&mut steps, change.steps, |old, change| step_of(old, change, known));
    PhaseView {
        revision: change.revision,
        id,
        name,
        status: change.status,
        strategy,
        interrupted: change.interrupted,
        gates_left: change.gates_left,
        progress: change.progress,
        steps,
        actions: known.shared(change.actions),
    }
}

fn rest(view: &StepView) -> StepRest {
    StepRest {
        id: view.id.clone(),
        name: view.name.clone(),
        namesake: view.namesake,
        forced: view.forced,
        pod: view.pod.clone(),
        tasks: view.tasks.clone(),
        source: view.source.clone(),
    }
}

fn step(old: Option<&StepView>, new: &StepView, table: &mut Table) -> StepChange {
    let same = old.is_some_and(|old| {
        old.id == new.id
            && old.name == new.name
            && old.namesake == new.namesake
            && old.forced == new.forced
            && old.pod == new.pod
            && old.tasks == new.tasks
            && old.source == new.source
    });
    let actions = table.shared(&new.actions);
    let rest = (!same).then(|| Box::new(rest(new)));
    StepChange(
        new.revision,
        new.status.clone(),
        new.reason.clone(),
        new.since_ms,
        actions,
        new.progress,
        rest,
    )
}

fn step_of(old: Option<&StepView>, change: StepChange, known: &Known) -> StepView {
    let StepChange(revision, status, reason, since_ms, actions, progress, new) = change;
    let blank = StepRest {
        id: Text::default(),
        name: Text::default(),
        namesake: false,
        forced: false,
        pod: None,
        tasks: Vec::new(),
        source: None,
    };
    let StepRest { id, name, namesake, forced, pod, tasks, source } =
        new.map(|new| *new).or_else(|| old.map(rest)).unwrap_or(blank);
    let actions = known.shared(actions);
    StepView {
        revision,
        id,
        name,
        namesake,
        status,
        reason,
        progress,
        forced,
        since_ms,
        pod,
        tasks,
        source,
        actions,
    }
}

fn cluster(old: Option<&ClusterView>, new: &ClusterView, table: &mut Table) -> ClusterChange {
    let machines = old.map_or(&[][..], |old| &old.machines);
    ClusterChange {
        revision: new.revision,
        statuses: old.is_none_or(|old| old.statuses != new.statuses).then(|| new.statuses.to_vec()),
        machines: items(machines, &new.machines, |old, new| machine(old, new, table)),
        windows: old.is_none_or(|old| old.windows != new.windows).then(|| new.windows.clone()),
    }
}

fn cluster_of(old: Option<&ClusterView>, change: Option<ClusterChange>, known: &Known) -> ClusterView {
    let mut view = old.cloned().unwrap_or_else(|| ClusterView {
        revision: 0,
        machines: Vec::new(),
        statuses: &[],
        windows: Vec::new(),
    });
    let Some(change) = change else { return view };
    view.revision = change.revision;
    if let Some(statuses) = change.statuses {
        view.statuses = planarium_protocol::view::table(statuses);
    }
    put(&mut view.machines, change.machines, |old, change| machine_of(old, change, known));
    if let Some(windows) = change.windows {
        view.windows = windows;
    }
    view
}

fn head(view: &MachineView, actions: u32) -> MachineHead {
    MachineHead {
        hostname: view.hostname.clone(),
        ip: view.ip.clone(),
        agent_id: view.agent_id.clone(),
        port: view.port,
        state: view.state.clone(),
        deactivated: view.deactivated,
        unavailability: view.unavailability.clone(),
        inverse_offers: view.inverse_offers.clone(),
        region: view.region.clone(),
        zone: view.zone.clone(),
        notices: view.notices.clone(),
        attributes: view.attributes.clone(),
        promised_twice: view.promised_twice,
        without_size: view.without_size,
        actions,
    }
}

fn machine(old: Option<&MachineView>, new: &MachineView, table: &mut Table) -> MachineChange {
    let same = old.is_some_and(|old| head(old, 0) == head(new, 0) && old.actions == new.actions);
    let head = (!same).then(|| {
        let actions = table.of(&new.actions, &new.agent_id, &new.hostname);
        Box::new(head(new, actions))
    });
    let before = old.map_or(&[][..], |old| &old.tasks);
    let place = |task: &TaskView| before.iter().position(|old| names(old) == names(task));
    let order: Vec<_> = new.tasks.iter().map(place).collect();
    let as_before = before.len() == order.len() && order.iter().enumerate().all(|(at, old)| *old == Some(at));
    let mut tasks = Vec::new();
    for ((at, task), old) in new.tasks.iter().enumerate().zip(&order) {
        let old = old.and_then(|old| before.get(old));
        if old == Some(task) {
            continue;
        }
        let actions = table.of(&task.actions, &task.id, &task.name);
        let (id, name, service, pod) = names(task);
        let fresh = old.is_none().then(|| (id.clone(), name.clone(), service.clone(), pod.clone()));
        let change = TaskChange(task.state.clone(), task.since_ms, task.healthy, task.ready, actions, fresh);
        tasks.push((at, change));
    }
    let resources = old.is_none_or(|old| old.resources != new.resources).then(|| new.resources.clone());
    MachineChange { revision: new.revision, head, resources, order: (!as_before).then_some(order), tasks }
}

fn names(task: &TaskView) -> (&Text, &Text, &Text, &Text) {
    (&task.id, &task.name, &task.service, &task.pod)
}

fn machine_of(old: Option<&MachineView>, change: MachineChange, known: &Known) -> MachineView {
    let (mut tasks, resources) =
        old.map(|old| (old.tasks.clone(), old.resources.clone())).unwrap_or_default();
    if let Some(order) = change.order {
        let blank = || TaskView {
            name: Text::default(),
            id: Text::default(),
            service: Text::default(),
            pod: Text::default(),
            state: Text::default(),
            since_ms: 0,
            healthy: None,
            ready: None,
            actions: Vec::new(),
        };
        let moved = |old: &Option<usize>| old.and_then(|old| tasks.get(old)).cloned().unwrap_or_else(blank);
        tasks = order.iter().map(moved).collect();
    }
    for (at, TaskChange(state, since_ms, healthy, ready, actions, fresh)) in change.tasks {
        let Some(task) = tasks.get_mut(at) else { continue };
        if let Some((id, name, service, pod)) = fresh {
            (task.id, task.name, task.service, task.pod) = (id, name, service, pod);
        }
        task.actions = known.of(actions, &task.id, &task.name);
        (task.state, task.since_ms, task.healthy, task.ready) = (state, since_ms, healthy, ready);
    }
    let (head, actions) = match (change.head, old) {
        (Some(head), _) => {
            let actions = known.of(head.actions, &head.agent_id, &head.hostname);
            (*head, actions)
        }
        (None, Some(old)) => (self::head(old, 0), old.actions.clone()),
        (None, None) => (MachineHead::default(), Vec::new()),
    };
    MachineView {
        revision: change.revision,
        hostname: head.hostname,
        ip: head.ip,
        agent_id: head.agent_id,
        port: head.port,
        state: head.state,
        deactivated: head.deactivated,
        unavailability: head.unavailability,
        inverse_offers: head.inverse_offers,
        region: head.region,
        zone: head.zone,
        notices: head.notices,
        attributes: head.attributes,
        promised_twice: head.promised_twice,
        without_size: head.without_size,
        resources: change.resources.unwrap_or(resources),
        tasks,
        actions,
    }
}

/// Serializes a whole service with its lists of actions.
pub mod whole_service {
    use super::{
        ActionList, Arc, Known, Read, Serialize, ServiceChange, ServiceView, Table, Value, service,
        service_of,
    };
    use planarium_protocol::json::read::Misread;
    use serde::Serializer;

    #[derive(Serialize, Read)]
    struct Whole(Vec<ActionList>, ServiceChange);

    /// Writes it.
    pub fn serialize<S: Serializer>(view: &Option<Arc<ServiceView>>, to: S) -> Result<S::Ok, S::Error> {
        let whole = view.as_ref().map(|view| {
            let mut table = Table::default();
            let change = service(None, view, &mut table);
            Whole(table.take_new(), change)
        });
        whole.serialize(to)
    }

    /// Reads it.
    ///
    /// *Errors*: it has another shape.
    pub fn read(value: Value) -> Result<Option<Arc<ServiceView>>, Misread> {
        let whole = Option::<Whole>::read(value)?;
        Ok(whole.map(|Whole(lists, change)| {
            let mut known = Known::default();
            known.learn(lists);
            Arc::new(service_of(None, change, &known))
        }))
    }
}
