//! Which call is answered by what.
//!
//! *Knows*: methods and routes. *Must not know*: bodies, statuses.

use super::apps::Update;
use super::caller::Caller;
use super::reader::Reader;
use super::route::{Asked, Query, Route};
use super::{Answer, Done, body_of, groups, misc};
use crate::definition::Refused;
use crate::definition::posted::PostedSpec;
use planarium_protocol::json;
use serde_json::Value;
use std::sync::Arc;

impl Reader<'_> {
    /// Answers a question.
    pub(crate) fn ask(&self, now: planarium_kernel::SimTime, route: &Route, query: &Query) -> Done {
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
            Route::Metrics => Ok(self.show_metrics()),
            Route::Plugins => Ok(Answer::json(json!({"plugins": []}))),
            Route::Plugin(id) => Err(misc::no_plugin(id)),
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
            | Route::PodInstance(..) => Err(Refused::NotFound("URI not found".to_owned())),
        }
    }
}

impl Caller<'_, '_> {
    /// Carries a change out.
    pub(crate) fn change(&mut self, asked: Asked<'_>, body: &Value) -> Done {
        let Asked { method, route, query } = asked;
        let force = query.flag("force", false);
        match (method, route) {
            ("POST", Route::Apps) => self.create_app(&PostedSpec::app(Arc::new(body_of(body)?)), force),
            ("PUT", Route::Apps) => {
                let partial = query.flag("partialUpdate", true);
                self.update_apps(&body_of(body)?, Update { partial, create: true, force })
            }
            ("PATCH", Route::Apps) => {
                self.update_apps(&body_of(body)?, Update { partial: true, create: false, force })
            }
            ("PUT", Route::App(id)) => {
                let partial = query.flag("partialUpdate", true);
                self.update_app(id, &body_of(body)?, Update { partial, create: true, force })
            }
            ("PATCH", Route::App(id)) => {
                self.update_app(id, &body_of(body)?, Update { partial: true, create: false, force })
            }
            ("DELETE", Route::App(id)) => self.delete_app(id, query.flag("force", true)),
            ("POST", Route::AppRestart(id)) => self.restart_app(id, force),
            ("DELETE", Route::AppRestart(id)) => {
                self.delete_app(&format!("{id}/restart"), query.flag("force", true))
            }
            ("DELETE", Route::AppTasks(id)) => self.kill_app_tasks(id, query),
            ("DELETE", Route::AppTask(id, task)) => self.kill_app_task(id, task, query),
            ("POST", Route::TasksDelete) => self.kill_tasks(body, query),
            ("POST", Route::Groups) => {
                self.create_group(&crate::id::PathId::root(), &groups::posted(body)?, force)
            }
            ("POST", Route::Group(id)) => {
                let id = groups::named(id)?;
                self.create_group(&id, &groups::posted(body)?, force)
            }
            ("PUT", Route::Groups) => {
                self.update_group(&crate::id::PathId::root(), &groups::posted(body)?, force)
            }
            ("PUT", Route::Group(id)) => {
                let id = groups::named(id)?;
                self.update_group(&id, &groups::posted(body)?, force)
            }
            ("PATCH", Route::Group(id)) => self.patch_group(id, &body_of(body)?),
            ("DELETE", Route::Groups) => self.delete_root(force),
            ("DELETE", Route::Group(id)) => self.delete_group(id, force),
            ("DELETE", Route::Deployment(id)) => self.delete_deployment(id, force),
            ("DELETE", Route::QueueDelay(id)) => self.delete_delay(id),
            ("POST", Route::Pods) => self.create_pod(&PostedSpec::pod(Arc::new(body_of(body)?)), force),
            ("PUT", Route::Pod(id)) => self.update_pod(id, &PostedSpec::pod(Arc::new(body_of(body)?)), force),
            ("DELETE", Route::Pod(id)) => self.delete_pod(id, force),
            ("DELETE", Route::PodInstances(id)) => self.kill_pod_instances(id, body, query),
            ("DELETE", Route::PodInstance(id, instance)) => self.kill_pod_instance(id, instance, query),
            (_, Route::Plugin(id)) => Err(misc::no_plugin(id)),
            ("DELETE", Route::Leader) => {
                self.marathon.abdicate(self.port.cx);
                Ok(Answer::json(json!({"message": "Leadership abdicated"})))
            }
            _ => Err(Refused::NotFound("URI not found".to_owned())),
        }
    }
}
