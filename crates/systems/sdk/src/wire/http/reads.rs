//! Reads by their paths.
//!
//! **Source**: dcos-commons `sdk/scheduler/src/main/java/com/mesosphere/sdk/http/endpoints`.

use crate::wire::{DebugFilter, SdkQuery};
use planarium_part::Request;

/// The read of a path; `None` when there is none.
pub(super) fn read(request: &Request, parts: &[&str]) -> Option<SdkQuery> {
    let own = |text: &&str| (*text).to_owned();
    Some(match parts {
        ["v1", "plans"] => SdkQuery::Plans,
        ["v1", "plans", name] => SdkQuery::Plan { name: own(name) },
        ["v1", "plan"] => SdkQuery::Plan { name: "deploy".to_owned() },
        ["v1", "pod"] => SdkQuery::Pods,
        ["v1", "pod", "status"] => SdkQuery::PodStatuses,
        ["v1", "pod", pod, "status"] => SdkQuery::PodStatus { pod: own(pod) },
        ["v1", "pod", pod, "info"] => SdkQuery::PodInfo { pod: own(pod) },
        ["v1", "endpoints"] => SdkQuery::Endpoints,
        ["v1", "endpoints", name] => SdkQuery::Endpoint { name: own(name) },
        ["v1", "seeds"] => SdkQuery::Seeds,
        ["v1", "configurations"] => SdkQuery::Configurations,
        ["v1", "configurations", "targetId"] => SdkQuery::TargetId,
        ["v1", "configurations", "target"] => SdkQuery::Target,
        ["v1", "configurations", id] => SdkQuery::Configuration { id: own(id) },
        ["v1", "state", "frameworkId"] => SdkQuery::FrameworkId,
        ["v1", "state", "properties"] => SdkQuery::Properties,
        ["v1", "state", "properties", key] => SdkQuery::Property { key: own(key) },
        ["v1", "state", "files"] => SdkQuery::Files,
        ["v1", "state", "files", name] => SdkQuery::File { name: own(name) },
        ["v1", "state", "zone", "tasks"] => SdkQuery::ZoneTasks,
        ["v1", "state", "zone", "tasks", task] => SdkQuery::ZoneTask { task: own(task) },
        ["v1", "state", "zone", pod, ip] => SdkQuery::ZonePod { pod: own(pod), ip: own(ip) },
        ["v1", "artifacts", "template", id, pod, task, config] => {
            SdkQuery::Template { id: own(id), pod: own(pod), task: own(task), config: own(config) }
        }
        ["v1", "metrics"] => SdkQuery::Metrics,
        ["v1", "metrics", "prometheus"] => SdkQuery::Prometheus,
        ["v1", "debug", "threads"] => SdkQuery::DebugThreads,
        ["v1", "health"] => SdkQuery::Health {
            verbose: request.param("verbose").is_some_and(|value| value.eq_ignore_ascii_case("true")),
        },
        ["v1", "debug", "plans"] => SdkQuery::DebugPlans(filter(request)),
        ["v1", "debug", "taskStatuses"] => SdkQuery::DebugTaskStatuses(filter(request)),
        ["v1", "debug", "reservations"] => SdkQuery::DebugReservations,
        ["v1" | "v2", "debug", "offers"] => SdkQuery::DebugOffers,
        _ => return None,
    })
}

fn filter(request: &Request) -> DebugFilter {
    DebugFilter { plan: request.param("plan"), phase: request.param("phase"), step: request.param("step") }
}
