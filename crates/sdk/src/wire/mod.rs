//! What the real scheduler answers over HTTP, as data: bodies and codes of the read routes.
//!
//! *Knows*: shapes, codes and texts. *Must not know*: paths, methods, headers.
//!
//! **Source**: `dcos-commons: …/http/endpoints, …/http/queries, …/debug`. Match.

mod config;
mod debug;
mod endpoints;
mod health;
mod plan;
mod pod;
mod state;

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

impl Scheduler {
    /// Answers a read with the real system's code and body.
    ///
    /// `epoch_ms` is the calendar time of genesis, for the bodies that carry times.
    ///
    /// *Errors*: its refusals (400, 404) with their texts.
    pub fn query(&self, query: &SdkQuery, epoch_ms: u64) -> Result<(u16, Value), Refusal> {
        let ok = |body: Value| Ok((200, body));
        match query {
            SdkQuery::Plans => ok(self.plan_names()),
            SdkQuery::Plan { name } => self.plan_body(name),
            SdkQuery::Pods => ok(self.pod_names()),
            SdkQuery::PodStatuses => ok(self.pod_statuses()),
            SdkQuery::PodStatus { pod } => self.pod_status(pod).map(|body| (200, body)),
            SdkQuery::PodInfo { pod } => self.pod_info(pod, epoch_ms).map(|body| (200, body)),
            SdkQuery::Endpoints => ok(self.endpoint_names()),
            SdkQuery::Endpoint { name } => self.endpoint(name).map(|body| (200, body)),
            SdkQuery::Configurations => ok(self.configuration_ids()),
            SdkQuery::TargetId => ok(self.target_id()),
            SdkQuery::Target => ok(self.target_body()),
            SdkQuery::Configuration { id } => self.configuration(id).map(|body| (200, body)),
            SdkQuery::FrameworkId => self.framework_body().map(|body| (200, body)),
            SdkQuery::Properties => ok(self.property_names()),
            SdkQuery::Property { key } => self.property(key, epoch_ms).map(|body| (200, body)),
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

/// A 404 with an empty body.
fn nothing() -> Refusal {
    Refusal::new(RefusalCode::NotFound, "")
}
