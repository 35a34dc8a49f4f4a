//! What the real scheduler answers over HTTP, as data: bodies and codes of the read routes.
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
pub(crate) use pod::task_word;

use crate::scheduler::Scheduler;
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
    /// A config file as it lies in a task's sandbox; the real API has no such read.
    ConfigFile {
        /// Task instance.
        task: String,
        /// Name of the task's config.
        config: String,
    },
    /// `PUT /v1/state/refresh`, which reads the store anew and changes nothing
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
    /// Whether the body is plain text; then the value is a text.
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
        match query {
            SdkQuery::Plans => ok(self.plan_names()),
            SdkQuery::Plan { name } => self.plan_body(name),
            SdkQuery::Pods => ok(self.pod_names()),
            SdkQuery::PodStatuses => ok(self.pod_statuses()),
            SdkQuery::PodStatus { pod } => self.pod_status(pod).map(|body| (200, body)),
            SdkQuery::PodInfo { pod } => self.pod_info(pod, epoch_ms).map(|body| (200, body)),
            SdkQuery::Endpoints => ok(self.endpoint_names()),
            SdkQuery::Endpoint { name } => self.endpoint(name).map(|body| (200, body)),
            SdkQuery::Seeds => self.seeds().map(|body| (200, body)),
            SdkQuery::Configurations => ok(self.configuration_ids()),
            SdkQuery::TargetId => ok(self.target_id()),
            SdkQuery::Target => ok(self.target_body()),
            SdkQuery::Configuration { id } => self.configuration(id).map(|body| (200, body)),
            SdkQuery::FrameworkId => self.framework_body().map(|body| (200, body)),
            SdkQuery::Properties => ok(self.property_names()),
            SdkQuery::Property { key } => self.property(key, epoch_ms).map(|body| (200, body)),
            SdkQuery::Files => ok(self.file_names()),
            SdkQuery::File { name } => self.file(name).map(|body| (200, body)),
            SdkQuery::RefreshState => self.refresh_state().map(|body| (200, body)),
            SdkQuery::Metrics => ok(self.metrics().json()),
            SdkQuery::Prometheus => ok(self.metrics().prometheus().into()),
            SdkQuery::DebugThreads => ok(self.threads().into()),
            SdkQuery::ZoneTasks => ok(self.zones()),
            SdkQuery::ZoneTask { task } => self.zone_of_task(task).map(|body| (200, body)),
            SdkQuery::ZonePod { pod, ip } => self.zone_of_pod(pod, ip).map(|body| (200, body)),
            SdkQuery::Template { id, pod, task, config } => {
                self.template(id, pod, task, config).map(|body| (200, body))
            }
            SdkQuery::ConfigFile { task, config } => self.config_file(task, config).map(|body| (200, body)),
            SdkQuery::Health { verbose } => Ok(self.health(*verbose)),
            SdkQuery::DebugPlans(filter) => ok(self.debug_plans(filter)),
            SdkQuery::DebugTaskStatuses(filter) => ok(self.debug_task_statuses(filter)),
            SdkQuery::DebugReservations => ok(self.debug_reservations()),
            SdkQuery::DebugOffers => ok(self.debug_offers(epoch_ms)),
        }
    }
}

/// A 404 in the real system's words.
fn not_found(what: &str, name: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, format!("{what} {name} not found"))
}

/// A scheduler that uninstalls serves plans and health, and nothing else.
pub(crate) fn not_served() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "HTTP 404 Not Found")
}

/// A 404 with an empty body.
fn nothing() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "")
}
