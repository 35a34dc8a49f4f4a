//! The API: what each call answers and what it changes.
//!
//! *Knows*: routes, bodies, statuses. *Must not know*: sockets; how a change is carried out.
//!
//! **Source**: `marathon: api/v2, api/MarathonExceptionMapper.scala, api/RestResource.scala`. Match; an unknown path is 404 with the
//! text of the real one, which answers 500.

mod apps;
mod deployments;
pub(crate) mod events;
pub(crate) mod groups;
mod labels;
mod misc;
mod pods;
mod queue;
pub(crate) mod route;
mod show;
mod tasks;

use crate::definition::Refused;
use crate::run::Marathon;
use crate::run::groups::Accepted;
use crate::schema::Shape;
use planarium_mesos::Cluster;
use planarium_part::Cx;
use planarium_protocol::Refusal;
use planarium_protocol::json;
use planarium_protocol::refusal::RefusalCode;
use route::{Query, Route};
use serde_json::Value;

/// The header that names a deployment.
const DEPLOYMENT: &str = "Marathon-Deployment-Id";

/// What a call is answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Null for none, a text for plain text.
    pub(crate) body: Value,
    /// The body is plain text.
    pub(crate) plain: bool,
}

impl Answer {
    pub(crate) fn json(body: Value) -> Self {
        Self { status: 200, headers: Vec::new(), body, plain: false }
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Value::Null, plain: false }
    }

    fn text(text: &str) -> Self {
        Self { status: 200, headers: Vec::new(), body: text.into(), plain: true }
    }

    fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }
}

/// What a call gives.
pub(crate) type Done = Result<Answer, Refused>;

/// A refusal of the world with the real answer in it.
pub(crate) fn refusal(refused: &Refused) -> Refusal {
    let code = match refused.status() {
        404 => RefusalCode::NotFound,
        409 => RefusalCode::Conflict,
        403 => RefusalCode::LimitReached,
        422 => RefusalCode::InvalidDefinition,
        _ => RefusalCode::BadRequest,
    };
    Refusal::with_body(code, refused.status(), sentence(refused), refused.body())
}

/// What is wrong, in one line.
fn sentence(refused: &Refused) -> String {
    let message = refused.message();
    match refused {
        Refused::Violations(all) => match all.first() {
            Some(first) => format!("{message}: {} {}", first.path, first.message),
            None => message,
        },
        Refused::Faults(all) => match all.first() {
            Some(first) => format!("{message}: {} {}", first.path, first.error),
            None => message,
        },
        _ => message,
    }
}

/// The body of a call as JSON.
///
/// *Errors*: no body, or a text that is no JSON.
pub(crate) fn body_of(body: &Value) -> Result<Value, Refused> {
    match body {
        Value::Null => Err(Refused::NoBody(
            "No content to map due to end-of-input\n at [Source: (byte[])\"\"; line: 1, column: 0]"
                .to_owned(),
        )),
        Value::String(text) => planarium_protocol::json::value(text.as_bytes())
            .map_err(|error| Refused::NotJson(format!("Cannot be read as JSON: {error}"))),
        other => Ok(other.clone()),
    }
}

/// A body read by its shape.
fn read_as(shape: &'static Shape, body: &Value, partial: bool) -> Result<Value, Refused> {
    let read = crate::schema::read(shape, body, partial);
    if read.faults.is_empty() { Ok(read.value) } else { Err(Refused::Faults(read.faults)) }
}

impl Marathon {
    /// The answer to a change that has been accepted.
    fn deployed(&self, accepted: &Accepted) -> Answer {
        use crate::definition::write::Dates;
        let body = json!({"version": self.calendar.date(accepted.version), "deploymentId": accepted.id});
        Answer::json(body).with(DEPLOYMENT, &*accepted.id)
    }

    /// Answers a question.
    pub(crate) fn ask(
        &self,
        cluster: &Cluster,
        now: planarium_kernel::SimTime,
        route: &Route,
        query: &Query,
    ) -> Done {
        match route {
            Route::Ping => Ok(Answer::text("pong")),
            Route::Apps => Ok(self.list_apps(now, query)),
            Route::App(id) => self.show_app(now, id, query),
            Route::AppTasks(id) => self.app_tasks(now, id),
            Route::AppVersions(id) => self.app_versions(id),
            Route::AppVersion(id, version) => self.app_version(id, version),
            Route::Groups => self.show_group(now, &crate::id::PathId::root(), query),
            Route::Group(id) => self.group_route(now, id, query),
            Route::Deployments => Ok(self.list_deployments()),
            Route::Queue => Ok(self.show_queue(now, query)),
            Route::Tasks => Ok(self.list_tasks(now, query)),
            Route::Info => Ok(self.info()),
            Route::Leader => Ok(Answer::json(json!({"leader": misc::LEADER}))),
            Route::Metrics => Ok(self.show_metrics(cluster)),
            Route::Pods => Ok(self.list_pods()),
            Route::Pod(id) => self.show_pod(id),
            Route::PodStatus(id) => self.pod_status(now, id),
            Route::PodsStatus => Ok(self.pods_status(now)),
            Route::PodVersions(id) => self.pod_versions(id),
            Route::PodVersion(id, version) => self.pod_version(id, version),
            // What comes after is a stream's.
            Route::Events => Ok(Answer::empty(200)),
            Route::AppTask(..)
            | Route::AppRestart(_)
            | Route::Deployment(_)
            | Route::QueueDelay(_)
            | Route::TasksDelete
            | Route::PodInstances(_)
            | Route::PodInstance(..)
            | Route::Unknown => Err(Refused::NotFound("URI not found".to_owned())),
        }
    }

    /// Carries a change out.
    pub(crate) fn change(
        &mut self,
        cx: &mut Cx,
        cluster: &mut Cluster,
        (method, route, query): (&str, &Route, &Query),
        body: &Value,
    ) -> Done {
        let force = query.flag("force", false);
        match (method, route) {
            ("POST", Route::Apps) => self.create_app(cx, cluster, &body_of(body)?, force),
            ("PUT", Route::Apps) => {
                self.update_apps(cx, cluster, &body_of(body)?, force, query.flag("partialUpdate", true), true)
            }
            ("PATCH", Route::Apps) => self.update_apps(cx, cluster, &body_of(body)?, force, true, false),
            ("PUT", Route::App(id)) => {
                let partial = query.flag("partialUpdate", true);
                self.update_app(cx, cluster, id, &body_of(body)?, force, partial, true)
            }
            ("PATCH", Route::App(id)) => {
                self.update_app(cx, cluster, id, &body_of(body)?, force, true, false)
            }
            ("DELETE", Route::App(id)) => self.delete_app(cx, cluster, id, query.flag("force", true)),
            ("POST", Route::AppRestart(id)) => self.restart_app(cx, cluster, id, force),
            ("DELETE", Route::AppRestart(id)) => {
                self.delete_app(cx, cluster, &format!("{id}/restart"), query.flag("force", true))
            }
            ("DELETE", Route::AppTasks(id)) => self.kill_app_tasks(cx, cluster, id, query),
            ("DELETE", Route::AppTask(id, task)) => self.kill_app_task(cx, cluster, id, task, query),
            ("POST", Route::TasksDelete) => self.kill_tasks(cx, cluster, &body_of(body)?, query),
            ("POST", Route::Groups) => {
                self.create_group(cx, cluster, &crate::id::PathId::root(), &groups::posted(body)?, force)
            }
            ("POST", Route::Group(id)) => {
                let id = groups::named(id)?;
                self.create_group(cx, cluster, &id, &groups::posted(body)?, force)
            }
            ("PUT", Route::Groups) => {
                self.update_group(cx, cluster, &crate::id::PathId::root(), &groups::posted(body)?, force)
            }
            ("PUT", Route::Group(id)) => {
                let id = groups::named(id)?;
                self.update_group(cx, cluster, &id, &groups::posted(body)?, force)
            }
            ("PATCH", Route::Group(id)) => self.patch_group(id, &body_of(body)?),
            ("DELETE", Route::Groups) => self.delete_root(cx, cluster, force),
            ("DELETE", Route::Group(id)) => self.delete_group(cx, cluster, id, force),
            ("DELETE", Route::Deployment(id)) => self.delete_deployment(cx, cluster, id, force),
            ("DELETE", Route::QueueDelay(id)) => self.delete_delay(cx, cluster, id),
            ("POST", Route::Pods) => self.create_pod(cx, cluster, &body_of(body)?, force),
            ("PUT", Route::Pod(id)) => self.update_pod(cx, cluster, id, &body_of(body)?, force),
            ("DELETE", Route::Pod(id)) => self.delete_pod(cx, cluster, id, force),
            ("DELETE", Route::PodInstances(id)) => self.kill_pod_instances(cx, cluster, id, body, query),
            ("DELETE", Route::PodInstance(id, instance)) => {
                self.kill_pod_instance(cx, cluster, id, instance, query)
            }
            ("DELETE", Route::Leader) => {
                self.abdicate(cx);
                Ok(Answer::json(json!({"message": "Leadership abdicated"})))
            }
            _ => Err(Refused::NotFound("URI not found".to_owned())),
        }
    }
}
