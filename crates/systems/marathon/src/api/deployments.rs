//! Deployments: listing them, giving them up, rolling them back.
//!
//! **Source**: `marathon: api/v2/DeploymentsResource.scala, raml/DeploymentPlanConversion.scala`. Match.

use super::caller::Caller;
use super::reader::Reader;
use super::show::readiness_json;
use super::{Answer, Done};
use crate::definition::Refused;
use crate::definition::write::Dates;
use crate::deployments::plan::Step;
use crate::deployments::revert;
use crate::deployments::{Deployment, Stage};
use crate::id::PathId;
use planarium_protocol::json;
use serde_json::Value;

impl Reader<'_> {
    pub(super) fn list_deployments(&self) -> Answer {
        let all = self.deployments.running().filter(|one| one.stage == Stage::Deploying);
        Answer::json(all.map(|deployment| self.deployment_json(deployment)).collect())
    }

    fn deployment_json(&self, deployment: &Deployment) -> Value {
        let plan = &deployment.plan;
        let (mut apps, mut pods): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        let affected = plan.affected();
        for id in affected {
            let spec = plan.target.spec(id).or_else(|| plan.original.spec(id));
            if spec.is_some_and(|spec| spec.is_app()) {
                apps.push(id.as_str());
            } else {
                pods.push(id.as_str());
            }
        }
        let step = deployment.under_way().and_then(|step| plan.steps.get(step));
        let current: Vec<Value> = step
            .iter()
            .flat_map(|step| &step.actions)
            .map(|action| {
                let mut json = action.json();
                let mine = deployment.readiness.values().filter(|result| {
                    let of = self.records.instances.of_task(&result.task);
                    of.is_some_and(|(_, instance)| *instance.spec_id() == action.spec.id)
                });
                json.insert("readinessCheckResults".to_owned(), mine.map(readiness_json).collect());
                Value::Object(json)
            })
            .collect();
        json!({
            "id": plan.id,
            "version": self.records.setup.calendar.date(plan.version),
            "affectedApps": apps,
            "affectedPods": pods,
            "steps": plan.steps.iter().map(Step::json).collect::<Vec<_>>(),
            "currentActions": current,
            "currentStep": deployment.step,
            "totalSteps": plan.steps.len(),
        })
    }
}

impl Caller<'_, '_> {
    pub(crate) fn delete_deployment(&mut self, id: &str, force: bool) -> Done {
        let deployment = self.marathon.deployments.find(id).cloned();
        let deployment =
            deployment.ok_or_else(|| Refused::NotFound(format!("DeploymentPlan {id} does not exist")))?;
        if force {
            self.marathon.deploying(self.port).cancel(deployment.no);
            self.marathon.settle(self.port);
            return Ok(Answer::empty(202));
        }
        let reverted = revert::revert(
            &deployment.plan,
            &self.marathon.records.definitions.root,
            &self.marathon.records.setup.settings,
        );
        let accepted = self.simple_change(PathId::root(), true, &mut |root| {
            *root = reverted.clone();
            Ok(())
        })?;
        Ok(self.deployed(&accepted))
    }
}
