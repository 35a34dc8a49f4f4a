//! The health route: one number for the state of the service.
//!
//! **Source**: `dcos-commons: …/debug/ServiceStatusTracker.java`. Match for the codes and their order; the
//! texts of the reasons are our own.

use crate::scheduler::plans::{Plan, PlanKind, Plans};
use planarium_plan::{Element, Status, Tally};
use planarium_protocol::json;
use serde_json::{Map, Value};

/// One test: its code when it applies, and why or why not.
struct Test {
    code: Option<u16>,
    reason: String,
}

impl Test {
    fn new(code: Option<u16>, what: &str, detail: impl AsRef<str>) -> Self {
        let verdict = match code {
            Some(code) => format!("{what}: yes, code {code}"),
            None => format!("{what}: no"),
        };
        let detail = detail.as_ref();
        let reason = if detail.is_empty() { verdict } else { format!("{verdict} ({detail})") };
        Self { code, reason }
    }
}

/// The code of the first test that applies is the HTTP status too.
pub(super) fn health(plans: &Plans, subscribed: bool, verbose: bool) -> (u16, Value) {
    let deploy = plans.of_kind(PlanKind::Deploy);
    let recovery = plans.of_kind(PlanKind::Recovery);
    let steps = deploy.map(step_tally).unwrap_or_default();
    let recovering = recovery.filter(|plan| !plan.is_complete()).map(step_tally).unwrap_or_default();
    let errors = plans.iter().any(|plan| plan.tree.errors().next().is_some());
    let complete = deploy.is_some_and(Plan::is_complete);
    let tests = [
        Test::new(errors.then_some(500), "some plan has errors", ""),
        Test::new((!subscribed).then_some(318), "not registered yet", ""),
        Test::new(
            progress(&steps, Codes { delayed: 208, pending: 204, starting: 202 }),
            "deploying",
            counts(&steps),
        ),
        Test::new(is_held(deploy).then_some(207), "deployment is interrupted", ""),
        Test::new(None, "degraded", "never reported"),
        Test::new(
            progress(&recovering, Codes { delayed: 208, pending: 203, starting: 205 }),
            "recovering",
            counts(&recovering),
        ),
        Test::new(complete.then_some(200), "deployment is complete", ""),
        running_like(plans, "restor", 321, "restoring"),
        running_like(plans, "back", 320, "backing up"),
        Test::new(None, "changing versions", "never reported"),
    ];
    let [errors, initial, deploying, held, _, recovering, complete, restoring, backing, _] = &tests;
    let first = [errors, initial, deploying, held, recovering].into_iter().find_map(|test| test.code);
    let code = first
        .or_else(|| complete.code.map(|code| restoring.code.or(backing.code).unwrap_or(code)))
        .unwrap_or(503);
    let mut body = Map::new();
    body.insert("value".to_owned(), code.into());
    if verbose {
        let reasons: Vec<&str> = tests.iter().map(|test| test.reason.as_str()).collect();
        body.insert("reasons".to_owned(), json!(reasons));
    }
    (code, body.into())
}

fn running_like(plans: &Plans, part: &str, code: u16, what: &str) -> Test {
    let names: Vec<&str> = plans
        .iter()
        .filter(|plan| plan.tree.status(Element::Plan).is_running())
        .map(|plan| &**plan.tree.plan_name())
        .filter(|name| name.contains(part))
        .collect();
    Test::new((!names.is_empty()).then_some(code), what, names.join(", "))
}

/// Tells if the plan, or one of its steps, is interrupted.
fn is_held(deploy: Option<&Plan>) -> bool {
    deploy.is_some_and(|plan| {
        plan.tree.is_interrupted(Element::Plan)
            || plan.tree.all_steps().any(|step| plan.tree.is_interrupted(step.into()))
    })
}

fn step_tally(plan: &Plan) -> Tally {
    plan.tree.all_steps().map(|step| plan.tree.status(step.into())).collect()
}

/// The codes of a plan under way.
struct Codes {
    delayed: u16,
    /// Of pending and prepared steps.
    pending: u16,
    /// Of starting and started steps.
    starting: u16,
}

/// Returns the code of the first existing kind of steps: delayed, then pending or prepared, then starting or started.
fn progress(steps: &Tally, codes: Codes) -> Option<u16> {
    let any = |statuses: [Status; 2]| statuses.iter().any(|status| steps.count(*status) > 0);
    if steps.count(Status::Delayed) > 0 {
        Some(codes.delayed)
    } else if any([Status::Pending, Status::Prepared]) {
        Some(codes.pending)
    } else if any([Status::Starting, Status::Started]) {
        Some(codes.starting)
    } else {
        None
    }
}

fn counts(steps: &Tally) -> String {
    let shown = [
        Status::Pending,
        Status::Prepared,
        Status::Starting,
        Status::Started,
        Status::Delayed,
        Status::Complete,
    ];
    let counts = shown.iter().map(|status| format!("{status} {}", steps.count(*status)));
    format!("steps {}: {}", steps.total(), counts.collect::<Vec<_>>().join(", "))
}
