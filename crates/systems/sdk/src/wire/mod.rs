//! Answers of the real scheduler over HTTP, as data: bodies and codes of the read routes.
//!
//! *Knows*: shapes, codes and texts. *Must not know*: paths, methods, headers.
//!
//! **Source**: `dcos-commons: …/http/endpoints, …/http/queries, …/debug`. Match.

mod config;
mod debug;
mod endpoints;
mod health;
pub(crate) mod http;
mod metrics;
mod plan;
mod pod;
mod state;

pub use metrics::Metrics;
pub(crate) use pod::{Pods, task_word};

use crate::scheduler::{Scheduler, not_served};
use planarium_protocol::Refusal;
use planarium_protocol::refusal::RefusalCode;
use serde_json::Value;

/// A read of the service's own API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SdkQuery {
    /// `/v1/plans`
    Plans,
    /// `/v1/plans/{plan}`
    Plan {
        /// Name.
        name: String,
    },
    /// `/v1/pod`
    Pods,
    /// `/v1/pod/status`
    PodStatuses,
    /// `/v1/pod/{pod}/status`
    PodStatus {
        /// Pod instance.
        pod: String,
    },
    /// `/v1/pod/{pod}/info`
    PodInfo {
        /// Pod instance.
        pod: String,
    },
    /// `/v1/endpoints`
    Endpoints,
    /// `/v1/endpoints/{name}`
    Endpoint {
        /// Name.
        name: String,
    },
    /// `/v1/seeds`, of the program of cassandra
    Seeds,
    /// `/v1/configurations`
    Configurations,
    /// `/v1/configurations/targetId`
    TargetId,
    /// `/v1/configurations/target`
    Target,
    /// `/v1/configurations/{uuid}`
    Configuration {
        /// Id.
        id: String,
    },
    /// `/v1/state/frameworkId`
    FrameworkId,
    /// `/v1/state/properties`
    Properties,
    /// `/v1/state/properties/{key}`
    Property {
        /// Key.
        key: String,
    },
    /// `/v1/state/files`
    Files,
    /// `/v1/state/files/{name}`
    File {
        /// Name.
        name: String,
    },
    /// `/v1/state/zone/tasks`
    ZoneTasks,
    /// `/v1/state/zone/tasks/{task}`
    ZoneTask {
        /// Task instance.
        task: String,
    },
    /// `/v1/state/zone/{podType}/{ip}`
    ZonePod {
        /// Pod type.
        pod: String,
        /// Address.
        ip: String,
    },
    /// `/v1/artifacts/template/{configId}/{podType}/{task}/{config}`
    Template {
        /// Configuration id.
        id: String,
        /// Pod type.
        pod: String,
        /// Task name within the pod.
        task: String,
        /// Name of the task's config.
        config: String,
    },
    /// A config file in a task's sandbox; the real API has no such read.
    ConfigFile {
        /// Task instance.
        task: String,
        /// Name of the task's config.
        config: String,
    },
    /// `PUT /v1/state/refresh`, which reloads the store and changes nothing
    RefreshState,
    /// `/v1/metrics`
    Metrics,
    /// `/v1/metrics/prometheus`
    Prometheus,
    /// `/v1/debug/threads`
    DebugThreads,
    /// `/v1/health`
    Health {
        /// With reasons.
        verbose: bool,
    },
    /// `/v1/debug/plans`
    DebugPlans(DebugFilter),
    /// `/v1/debug/taskStatuses`
    DebugTaskStatuses(DebugFilter),
    /// `/v1/debug/reservations`
    DebugReservations,
    /// `/v2/debug/offers`
    DebugOffers,
}

/// Query parameters of the debug routes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugFilter {
    /// `plan`
    pub plan: Option<String>,
    /// `phase`
    pub phase: Option<String>,
    /// `step`
    pub step: Option<String>,
}

impl SdkQuery {
    /// Tells if the body is plain text; then the value is a text.
    pub fn is_plain(&self) -> bool {
        matches!(
            self,
            Self::Files
                | Self::File { .. }
                | Self::Prometheus
                | Self::DebugThreads
                | Self::ZoneTask { .. }
                | Self::ZonePod { .. }
                | Self::Template { .. }
                | Self::ConfigFile { .. }
        )
    }
}

impl Scheduler {
    /// Answers a read with the real system's code and body.
    ///
    /// `epoch_ms` is the calendar time of genesis, for the bodies that carry times.
    ///
    /// *Errors*: its refusals (400, 404) with their texts.
    pub fn query(&self, query: &SdkQuery, epoch_ms: u64) -> Result<(u16, Value), Refusal> {
        self.must_run()?;
        let ok = |body: Value| Ok((200, body));
        let served = matches!(
            query,
            SdkQuery::Plans
                | SdkQuery::Plan { .. }
                | SdkQuery::Health { .. }
                | SdkQuery::Metrics
                | SdkQuery::Prometheus
        );
        if self.is_uninstalling() && !served {
            return Err(not_served());
        }
        let (plans, state, configs, service) = (&self.plans, &self.state, &self.configs, &self.service);
        let (tasks, pods) = (&state.tasks, self.pods(epoch_ms));
        match query {
            SdkQuery::Plans => ok(plan::names(plans)),
            SdkQuery::Plan { name } => plan::plan(plans, tasks, name),
            SdkQuery::Pods => ok(pods.names()),
            SdkQuery::PodStatuses => ok(pods.statuses()),
            SdkQuery::PodStatus { pod } => pods.status(pod).and_then(ok),
            SdkQuery::PodInfo { pod } => pods.info_of_pod(pod).and_then(ok),
            SdkQuery::Endpoints => ok(endpoints::names(service, configs, tasks)),
            SdkQuery::Endpoint { name } => endpoints::endpoint(service, configs, tasks, name).and_then(ok),
            SdkQuery::Seeds => endpoints::seeds(service, configs).and_then(ok),
            SdkQuery::Configurations => ok(config::ids(configs)),
            SdkQuery::TargetId => ok(config::target_id(configs)),
            SdkQuery::Target => ok(config::target(configs)),
            SdkQuery::Configuration { id } => config::configuration(configs, id).and_then(ok),
            SdkQuery::FrameworkId => state::framework(state).and_then(ok),
            SdkQuery::Properties => ok(state::property_names(state)),
            SdkQuery::Property { key } => state::property(state, key, epoch_ms).and_then(ok),
            SdkQuery::Files => ok(state::file_names(state)),
            SdkQuery::File { name } => state::file(state, name).and_then(ok),
            SdkQuery::RefreshState => state::refresh(service).and_then(ok),
            SdkQuery::Metrics => ok(self.metrics().json()),
            SdkQuery::Prometheus => ok(self.metrics().prometheus().into()),
            SdkQuery::DebugThreads => ok(metrics::threads(self.next_cycle()).into()),
            SdkQuery::ZoneTasks => ok(state::zones(tasks)),
            SdkQuery::ZoneTask { task } => state::zone_of_task(tasks, task).and_then(ok),
            SdkQuery::ZonePod { pod, ip } => state::zone_of_pod(tasks, pod, ip).and_then(ok),
            SdkQuery::Template { id, pod, task, config } => {
                config::template(configs, id, pod, task, config).and_then(ok)
            }
            SdkQuery::ConfigFile { task, config } => pods.config_file(task, config).and_then(ok),
            SdkQuery::Health { verbose } => Ok(health::health(plans, self.is_subscribed(), *verbose)),
            SdkQuery::DebugPlans(filter) => ok(debug::plans(plans, state.completed_once, filter)),
            SdkQuery::DebugTaskStatuses(filter) => ok(debug::task_statuses(plans, tasks, filter)),
            SdkQuery::DebugReservations => ok(debug::reservations(tasks)),
            SdkQuery::DebugOffers => ok(debug::offers(&self.offers.history, epoch_ms)),
        }
    }

    /// The records that answers about pods are made from.
    pub(crate) fn pods(&self, epoch_ms: u64) -> Pods<'_> {
        Pods {
            tasks: &self.state.tasks,
            configs: &self.configs,
            framework: self.state.framework.as_ref(),
            namespace: self.service.namespace.as_ref(),
            epoch_ms,
        }
    }
}

/// A 404 in the real system's words.
fn not_found(what: &str, name: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, format!("{what} {name} not found"))
}

/// A 404 with an empty body.
fn nothing() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "")
}
