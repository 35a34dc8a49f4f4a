//! The paths of a scheduler's API, with their methods and meanings.
//!
//! **Source**: dcos-commons `sdk/scheduler/src/main/java/com/mesosphere/sdk/http/endpoints`.

use crate::wire::{DebugFilter, SdkQuery};
use planarium_part::Request;
use planarium_part::routes::{Captures, Route};
use planarium_protocol::input::{PlanOp, PodOp};

/// Makes the read of a path.
type Read = fn(&Captures<'_>, &Request) -> SdkQuery;

/// The meaning of a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// A read.
    Read(Read),
    /// A command to a plan; without a name, to the deploy plan.
    Plan(PlanOp),
    /// A command to a pod.
    Pod(PodOp),
    /// Stores a file.
    StoreFile,
    /// Reads the state store again.
    Refresh,
}

impl Meaning {
    /// Returns whether it is a command to a plan or pod.
    pub(super) fn is_command(self) -> bool {
        matches!(self, Self::Plan(_) | Self::Pod(_))
    }
}

const fn read(pattern: &'static str, query: Read) -> Route<Meaning> {
    Route::new("GET", pattern, Meaning::Read(query))
}

const fn plan(pattern: &'static str, op: PlanOp) -> Route<Meaning> {
    Route::new("POST", pattern, Meaning::Plan(op))
}

const fn pod(pattern: &'static str, op: PodOp) -> Route<Meaning> {
    Route::new("POST", pattern, Meaning::Pod(op))
}

/// Every path below the root of a service.
pub(super) const ROUTES: &[Route<Meaning>] = &[
    read("v1/plans", |_, _| SdkQuery::Plans),
    read("v1/plans/{plan}", |at, _| SdkQuery::Plan { name: at.text("plan") }),
    plan("v1/plans/{plan}/start", PlanOp::Start),
    plan("v1/plans/{plan}/stop", PlanOp::Stop),
    plan("v1/plans/{plan}/continue", PlanOp::Continue),
    plan("v1/plans/{plan}/interrupt", PlanOp::Interrupt),
    plan("v1/plans/{plan}/restart", PlanOp::Restart),
    plan("v1/plans/{plan}/forceComplete", PlanOp::ForceComplete),
    read("v1/plan", |_, _| SdkQuery::Plan { name: DEPLOY.to_owned() }),
    plan("v1/plan/start", PlanOp::Start),
    plan("v1/plan/stop", PlanOp::Stop),
    plan("v1/plan/continue", PlanOp::Continue),
    plan("v1/plan/interrupt", PlanOp::Interrupt),
    plan("v1/plan/restart", PlanOp::Restart),
    plan("v1/plan/forceComplete", PlanOp::ForceComplete),
    read("v1/pod", |_, _| SdkQuery::Pods),
    read("v1/pod/status", |_, _| SdkQuery::PodStatuses),
    read("v1/pod/{pod}/status", |at, _| SdkQuery::PodStatus { pod: at.text("pod") }),
    read("v1/pod/{pod}/info", |at, _| SdkQuery::PodInfo { pod: at.text("pod") }),
    pod("v1/pod/{pod}/restart", PodOp::Restart),
    pod("v1/pod/{pod}/replace", PodOp::Replace),
    pod("v1/pod/{pod}/pause", PodOp::Pause),
    pod("v1/pod/{pod}/resume", PodOp::Resume),
    read("v1/endpoints", |_, _| SdkQuery::Endpoints),
    read("v1/endpoints/{name}", |at, _| SdkQuery::Endpoint { name: at.text("name") }),
    read("v1/seeds", |_, _| SdkQuery::Seeds),
    read("v1/configurations", |_, _| SdkQuery::Configurations),
    read("v1/configurations/targetId", |_, _| SdkQuery::TargetId),
    read("v1/configurations/target", |_, _| SdkQuery::Target),
    read("v1/configurations/{id}", |at, _| SdkQuery::Configuration { id: at.text("id") }),
    read("v1/state/frameworkId", |_, _| SdkQuery::FrameworkId),
    read("v1/state/properties", |_, _| SdkQuery::Properties),
    read("v1/state/properties/{key}", |at, _| SdkQuery::Property { key: at.text("key") }),
    read("v1/state/files", |_, _| SdkQuery::Files),
    read("v1/state/files/{name}", |at, _| SdkQuery::File { name: at.text("name") }),
    Route::new("PUT", "v1/state/files/{name}", Meaning::StoreFile),
    Route::new("PUT", "v1/state/refresh", Meaning::Refresh),
    read("v1/state/zone/tasks", |_, _| SdkQuery::ZoneTasks),
    read("v1/state/zone/tasks/{task}", |at, _| SdkQuery::ZoneTask { task: at.text("task") }),
    read("v1/state/zone/{pod}/{ip}", |at, _| SdkQuery::ZonePod { pod: at.text("pod"), ip: at.text("ip") }),
    read("v1/artifacts/template/{id}/{pod}/{task}/{config}", |at, _| SdkQuery::Template {
        id: at.text("id"),
        pod: at.text("pod"),
        task: at.text("task"),
        config: at.text("config"),
    }),
    read("v1/metrics", |_, _| SdkQuery::Metrics),
    read("v1/metrics/prometheus", |_, _| SdkQuery::Prometheus),
    read("v1/debug/threads", |_, _| SdkQuery::DebugThreads),
    read("v1/health", |_, request| SdkQuery::Health {
        verbose: request.param("verbose").is_some_and(|value| value.eq_ignore_ascii_case("true")),
    }),
    read("v1/debug/plans", |_, request| SdkQuery::DebugPlans(filter(request))),
    read("v1/debug/taskStatuses", |_, request| SdkQuery::DebugTaskStatuses(filter(request))),
    read("v1/debug/reservations", |_, _| SdkQuery::DebugReservations),
    read("v1|v2/debug/offers", |_, _| SdkQuery::DebugOffers),
];

/// The plan of paths that name none.
const DEPLOY: &str = "deploy";

/// The plan that a path is about.
pub(super) fn plan_of<'p>(captures: &Captures<'p>) -> &'p str {
    captures.all("plan").first().copied().unwrap_or(DEPLOY)
}

fn filter(request: &Request) -> DebugFilter {
    DebugFilter { plan: request.param("plan"), phase: request.param("phase"), step: request.param("step") }
}
