//! The cluster: its API server, its controllers, its nodes.
//!
//! *Knows*: which object there is and what is to be done next. The rules are in the modules beside this one.

use crate::{
    clock::Epoch,
    error::{ApiError, Reason},
    kinds::{KindId, KindInfo, Kinds},
    kubelet::Run,
    log::Log,
    node::Node,
    object::{Object, ObjectNo, ObjectRef},
    queue::{Due, Queue, Timer, Work},
    request::{Change, Webhook},
    scheduler::{HeldChanges, Scheduler},
    selector::Selector,
    status::Status,
    store::Store,
    watcher::Watchers,
    workload::{Mark, Workload},
};
use planarium_ground::{Cx, Fleet, MachineId, ProcessId};
use planarium_kernel::{Class, IdMap, Map, SimTime, SortedMap, TimerId, id::Counter};
use planarium_protocol::Text;
use std::sync::Arc;

/// The whole Kubernetes cluster. A copy costs pointers; what copies have in common they share.
///
/// Verbs of the API server ([`Kube::create`] and the others) change objects at once and nothing else: controllers,
/// scheduler and kubelets act in [`Kube::fire`], at the same instant but afterwards. What a verb answers is therefore the
/// object before anybody has acted on it, as with the real API server.
#[derive(Clone, Debug)]
pub struct Kube {
    pub(crate) seed: u64,
    pub(crate) epoch: Epoch,
    pub(crate) kinds: Arc<Kinds>,
    pub(crate) store: Store,
    pub(crate) webhooks: Arc<Vec<Webhook>>,
    pub(crate) queue: Queue,
    /// What each workload's pods come to.
    pub(crate) workloads: Map<ObjectNo, Arc<Workload>>,
    /// What each pod counts for.
    pub(crate) marks: Map<ObjectNo, Mark>,
    /// Services and budgets, and the pods that they pick.
    pub(crate) watchers: Watchers,
    /// Pods that kubelets have taken on.
    pub(crate) runs: Map<ObjectNo, Arc<Run>>,
    pub(crate) by_process: IdMap<ProcessId, (ObjectNo, u16)>,
    pub(crate) nodes: Vec<Arc<Node>>,
    /// Numbers of nodes by machine, and by name.
    pub(crate) machines: Arc<SortedMap<MachineId, u32>>,
    pub(crate) node_names: Arc<SortedMap<Text, u32>>,
    /// Pods that are to leave a tainted node.
    pub(crate) evictions: Map<ObjectNo, TimerId>,
    /// Pods that wait for a ConfigMap, Secret or claim.
    pub(crate) wanting: Map<ObjectNo, ()>,
    pub(crate) scheduler: Scheduler,
    /// Pods whose holdings the ledger of machines does not have yet.
    pub(crate) held_changes: HeldChanges,
    pub(crate) log: Log,
    pub(crate) service_label: Text,
    pub(crate) next_pod_ip: Counter,
    pub(crate) next_cluster_ip: Counter,
    pub(crate) next_node_port: Counter,
}

impl Kube {
    /// A cluster without nodes, with the namespaces that every cluster has. `epoch_ms` is the calendar time of genesis.
    /// *Units*: milliseconds since 1970.
    pub fn new(seed: u64, epoch_ms: u64) -> Self {
        let mut kube = Self {
            seed,
            epoch: Epoch(epoch_ms),
            kinds: Arc::default(),
            store: Store::default(),
            webhooks: Arc::default(),
            queue: Queue::default(),
            workloads: Map::new(),
            marks: Map::new(),
            watchers: Watchers::default(),
            runs: Map::new(),
            by_process: IdMap::new(),
            nodes: Vec::new(),
            machines: Arc::default(),
            node_names: Arc::default(),
            evictions: Map::new(),
            wanting: Map::new(),
            scheduler: Scheduler::default(),
            held_changes: HeldChanges::default(),
            log: Log::default(),
            service_label: "".into(),
            next_pod_ip: Counter::new(),
            next_cluster_ip: Counter::new(),
            next_node_port: Counter::new(),
        };
        kube.found();
        kube
    }

    // ---- kinds ---------------------------------------------------------------------------------

    /// The kind of this `apiVersion` and `kind`, if the cluster serves it (its CRD is established, for a custom one).
    pub fn find_kind(&self, api_version: &str, kind: &str) -> Option<KindId> {
        self.kinds.find(api_version, kind)
    }

    /// The kind of this group and plural (or singular, or short name).
    pub fn find_plural(&self, group: &str, plural: &str) -> Option<KindId> {
        self.kinds.find_plural(group, plural)
    }

    /// How a kind is called.
    pub fn kind_info(&self, kind: KindId) -> Option<&Arc<KindInfo>> {
        self.kinds.info(kind)
    }

    // ---- reading -------------------------------------------------------------------------------

    /// The object, if there is one.
    pub fn get(&self, object: ObjectRef<'_>) -> Option<&Arc<Object>> {
        self.store.get(object)
    }

    /// The object. *Errors*: 404 with the real message (`deployments.apps "web" not found`).
    pub fn read(&self, object: ObjectRef<'_>) -> Result<&Arc<Object>, ApiError> {
        self.get(object).ok_or_else(|| self.not_found(object.kind, object.name))
    }

    /// The object of this number, if it is still there.
    pub fn object(&self, no: ObjectNo) -> Option<&Arc<Object>> {
        self.store.object(no)
    }

    /// The object of this uid, if it is still there.
    pub fn by_uid(&self, uid: &str) -> Option<&Arc<Object>> {
        self.store.by_uid(uid)
    }

    /// Objects of a kind, in one namespace or (without one) in all. *Order*: namespace, name.
    pub fn list(&self, kind: KindId, namespace: Option<&str>, labels: &Selector) -> Vec<Arc<Object>> {
        let all = self.store.of_kind(kind, namespace);
        all.filter(|object| labels.matches(&object.labels)).cloned().collect()
    }

    /// Objects that name this one as an owner. *Order*: creation.
    pub fn dependants(&self, owner: &Object) -> Vec<Arc<Object>> {
        self.store.dependants(owner.no).cloned().collect()
    }

    /// The version of the latest change.
    pub fn resource_version(&self) -> u64 {
        self.store.version
    }

    /// What has changed since a version, oldest first. *Errors*: 410 when that is too long ago.
    pub fn changes_since(&self, resource_version: u64) -> Result<Vec<Change>, ApiError> {
        Ok(self.store.changes_since(resource_version)?.cloned().collect())
    }

    /// Has a webhook asked about changes from now on.
    pub fn add_webhook(&mut self, webhook: Webhook) {
        Arc::make_mut(&mut self.webhooks).push(webhook);
    }

    /// Which pod label gives fault targets their `service`; without it, the name of the workload.
    pub fn set_service_label(&mut self, label: Text) {
        self.service_label = label;
    }

    // ---- time ----------------------------------------------------------------------------------

    /// When something is due: now, while controllers have work.
    pub fn next_due(&self) -> Option<SimTime> {
        self.queue.next_due()
    }

    /// How much is pending that would change something.
    pub fn one_shots(&self) -> usize {
        self.queue.one_shots()
    }

    /// Whether the next periodic work would change something: a CronJob's next run.
    pub fn restless(&self) -> bool {
        self.queue.periodic > 0
    }

    /// Does one piece of work that is due.
    pub fn fire(&mut self, cx: &mut Cx, fleet: &mut Fleet) {
        match self.queue.pop(cx.now()) {
            None => {}
            Some(Due::Work(work, cause)) => {
                cx.set_cause(cause);
                self.work(cx, fleet, work);
            }
            Some(Due::Timer(timer, cause)) => {
                cx.set_cause(cause);
                self.timer(cx, fleet, timer);
            }
        }
    }

    fn work(&mut self, cx: &mut Cx, fleet: &mut Fleet, work: Work) {
        match work {
            Work::Sync(no) => self.sync(cx, no),
            Work::Schedule(no) => self.schedule(cx, no),
            Work::Kubelet(no) => self.kubelet(cx, fleet, no),
            Work::Collect(no) => self.collect(cx, no),
            Work::Retry => self.retry_pods(cx),
        }
    }

    fn timer(&mut self, cx: &mut Cx, fleet: &mut Fleet, timer: Timer) {
        match timer {
            Timer::Work(work) => self.queue.push(work, cx.now(), cx.cause()),
            Timer::Pulled(no, at) => self.image_pulled(cx, fleet, no, at),
            Timer::Restart(no, at) => self.restart_container(cx, fleet, no, at),
            Timer::Over(no, at, pid) => self.command_over(cx, fleet, no, at, pid),
            Timer::Passed(no, at, pid) => self.probe_passed(cx, fleet, no, at, pid),
            Timer::Stop(no) => self.stop_containers(cx, fleet, no),
            Timer::Available(no) => self.pod_available(cx, no),
            Timer::Deadline(no) => self.pod_deadline(cx, fleet, no),
            Timer::NodeGrace(node, absence) => self.node_silent(cx, node, absence),
            Timer::Evict(no) => self.evict_tainted(cx, no),
            Timer::Provisioned(no) => self.claim_provisioned(cx, no),
            Timer::Balanced(no) => self.service_balanced(cx, no),
            Timer::Cron(no) => self.cron_due(cx, no),
            Timer::Drain(node) => self.drain_on(cx, node),
            Timer::NodeReturns(node, absence) => self.node_returns(cx, fleet, node, absence),
        }
    }

    /// The controller of an object's kind looks at it.
    fn sync(&mut self, cx: &mut Cx, no: ObjectNo) {
        let Some(object) = self.store.object(no).cloned() else { return };
        match object.kind {
            KindId::DEPLOYMENT => self.sync_deployment(cx, &object),
            KindId::REPLICA_SET => self.sync_replica_set(cx, &object),
            KindId::STATEFUL_SET => self.sync_stateful_set(cx, &object),
            KindId::DAEMON_SET => self.sync_daemon_set(cx, &object),
            KindId::JOB => self.sync_job(cx, &object),
            KindId::CRON_JOB => self.sync_cron_job(cx, &object),
            KindId::SERVICE => self.sync_service(cx, &object),
            KindId::POD_DISRUPTION_BUDGET => self.sync_budget(cx, &object),
            KindId::PERSISTENT_VOLUME_CLAIM => self.sync_claim(cx, &object),
            KindId::PERSISTENT_VOLUME => self.sync_volume(cx, &object),
            KindId::NAMESPACE => self.sync_namespace(cx, &object),
            KindId::CUSTOM_RESOURCE_DEFINITION => self.sync_definition(cx, &object),
            _ => {}
        }
    }

    // ---- what all modules use ------------------------------------------------------------------

    /// Asks for a piece of work at this instant.
    pub(crate) fn ask(&mut self, cx: &Cx, work: Work) {
        self.queue.push(work, cx.now(), cx.cause());
    }

    /// Arms a timer under the current cause.
    pub(crate) fn arm(&mut self, cx: &Cx, delay_ms: u64, timer: Timer) -> TimerId {
        self.queue.arm(cx.now().saturating_add(delay_ms), Class::OneShot, cx.cause(), timer)
    }

    /// Puts an object in its place and tells whoever it concerns.
    pub(crate) fn put(&mut self, cx: &mut Cx, object: Object) -> Arc<Object> {
        let (new, old) = self.store.put(object);
        self.notice(cx, old.as_ref(), Some(&new));
        new
    }

    /// Gives an object another status, unless it has it.
    pub(crate) fn put_status(&mut self, cx: &mut Cx, object: &Arc<Object>, status: Status) -> Arc<Object> {
        self.put(cx, Object { status, ..Object::clone(object) })
    }

    /// Takes an object out for good and tells whoever it concerns.
    pub(crate) fn take(&mut self, cx: &mut Cx, no: ObjectNo) {
        if let Some(old) = self.store.take(no) {
            self.notice(cx, Some(&old), None);
        }
    }

    pub(crate) fn not_found(&self, kind: KindId, name: &str) -> ApiError {
        let Some(info) = self.kinds.info(kind) else {
            return ApiError::new(Reason::NotFound, "the server could not find the requested resource");
        };
        let message = format!("{} {name:?} not found", info.qualified_plural());
        ApiError::new(Reason::NotFound, message).about(&info.group, &info.plural, name)
    }
}
