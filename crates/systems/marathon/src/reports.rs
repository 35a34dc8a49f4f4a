//! Reports to the world: facts with their sentences, and changes of the view.
//!
//! *Knows*: names of facts, which never change, and their words. *Must not know*: what leads to them.

use crate::deployments::Deployment;
use crate::deployments::plan::Plan;
use crate::id::PathId;
use crate::instances::instance::Instance;
use crate::instances::tracker::{SpecNo, Tracked};
use crate::launch_queue::backoff::Delay;
use crate::records::Records;
use crate::setup::Setup;
use crate::shown::{self, BUS_EVENTS, BUS_TEXT, shared};
use planarium_kernel::Cause;
use planarium_part::Cx;
use planarium_protocol::event::{ElementPath, Importance};
use planarium_protocol::{EventBody, Text};

/// A fact.
struct Fact {
    what: &'static str,
    importance: Importance,
    path: Option<ElementPath>,
    facts: Vec<(&'static str, Text)>,
    text: Text,
}

/// Instances that have begun to wait for offers.
pub(crate) struct Queued {
    pub(crate) count: u32,
    /// Id of the first one.
    pub(crate) first: Option<Text>,
}

impl Records {
    /// The element that shows an app.
    pub(crate) fn app_path(&self, id: &PathId) -> ElementPath {
        match self.run_of(id) {
            Some(run) => self.setup.app_path(run.place.clone()),
            None => self.setup.unknown_app_path(id),
        }
    }

    /// The element that shows an app, by its number.
    fn path_of(&self, no: SpecNo) -> Option<ElementPath> {
        Some(self.setup.app_path(self.run(no)?.place.clone()))
    }

    /// Something about an instance.
    pub(crate) fn say_instance(&self, cx: &mut Cx, what: &'static str, of: Tracked<'_>, text: &str) -> Cause {
        let Tracked { key, instance } = of;
        let id = instance.spec_id();
        let sentence = [&*instance.id, ": ", text].concat();
        let mut facts = Vec::with_capacity(3);
        facts.extend([("app", id.text().clone()), ("instance", instance.id.clone())]);
        if let Some(agent) = &instance.agent {
            facts.push(("host", agent.hostname.clone()));
        }
        let path = self.path_of(key.spec);
        let importance = match what {
            "instance-unhealthy" | "instance-overdue" | "instance-expunged" => Importance::High,
            _ => Importance::Normal,
        };
        Cause::Event(report(&self.setup, cx, Fact { what, importance, path, facts, text: sentence.into() }))
    }

    /// Instances wait for offers now. A single one is named.
    pub(crate) fn say_queued(&self, cx: &mut Cx, id: &PathId, queued: Queued, text: &str) -> Cause {
        let Queued { count, first } = queued;
        let plural = if count == 1 { "instance is" } else { "instances are" };
        let sentence = format!("{id}: {count} {plural} to be launched: {text}");
        let mut facts = vec![("app", id.text().clone()), ("count", count.to_string().into())];
        facts.extend(first.filter(|_| count == 1).map(|instance| ("instance", instance)));
        let path = Some(self.app_path(id));
        let fact = Fact {
            what: "instances-queued",
            importance: Importance::Normal,
            path,
            facts,
            text: sentence.into(),
        };
        Cause::Event(report(&self.setup, cx, fact))
    }

    /// Something about a deployment as a whole.
    pub(crate) fn say_deployment(
        &self,
        cx: &mut Cx,
        what: &'static str,
        deployment: &Deployment,
        text: &str,
    ) -> u64 {
        let name = shown::deployment_name(deployment.no);
        let affected: Vec<String> = deployment.plan.affected().iter().map(ToString::to_string).collect();
        let of = match affected.len() {
            0 => "nothing".to_owned(),
            1..=3 => affected.join(", "),
            more => format!(
                "{} and {} more",
                affected.iter().take(2).cloned().collect::<Vec<_>>().join(", "),
                more - 2
            ),
        };
        let sentence = format!("{name} of {of} {text}");
        let facts =
            vec![("deployment", deployment.plan.id.clone()), ("apps", affected.len().to_string().into())];
        let importance = if what == "deployment-canceled" { Importance::High } else { Importance::Normal };
        let path = Some(self.setup.path(name, None, None));
        report(&self.setup, cx, Fact { what, importance, path, facts, text: sentence.into() })
    }

    /// A step begins: its index.
    pub(crate) fn say_step(&self, cx: &mut Cx, plan: &Plan, deployment: u32, step: usize) -> u64 {
        let actions: Vec<String> = plan
            .steps
            .get(step)
            .map(|step| step.actions.iter().take(3).map(shown::action_name).collect())
            .unwrap_or_default();
        let more = plan.steps.get(step).map_or(0, |step| step.actions.len()).saturating_sub(3);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let name = shown::deployment_name(deployment);
        let sentence =
            format!("{name}, step {} of {}: {}{rest}", step + 1, plan.steps.len(), actions.join(", "));
        let facts = vec![("deployment", plan.id.clone()), ("step", (step + 1).to_string().into())];
        let path = Some(self.setup.path(name, Some(shown::step_name(step).into()), None));
        report(
            &self.setup,
            cx,
            Fact {
                what: "deployment-step",
                importance: Importance::Normal,
                path,
                facts,
                text: sentence.into(),
            },
        )
    }

    /// A launch delay begins or grows.
    pub(crate) fn say_backoff(&self, cx: &mut Cx, instance: &Instance, delay: &Delay) -> u64 {
        let task = instance.task().map_or_else(|| instance.id.clone(), |task| task.id.clone());
        cx.emit(EventBody::Backoff {
            service: self.setup.settings.framework.clone(),
            task,
            delay_ms: delay.ms(),
            until_ms: delay.until().ms(),
        })
    }

    /// A health check sees an instance otherwise than before.
    pub(crate) fn say_health(&self, cx: &mut Cx, of: Tracked<'_>, alive: bool, check: usize) {
        let Tracked { key, instance } = of;
        let id = instance.spec_id();
        let word = if alive { "healthy" } else { "not healthy" };
        let sentence = format!("{} is {word} by its health check {check}", instance.id);
        let facts = vec![
            ("app", id.text().clone()),
            ("instance", instance.id.clone()),
            ("alive", alive.to_string().into()),
        ];
        let importance = if alive { Importance::Normal } else { Importance::High };
        let path = self.path_of(key.spec);
        report(
            &self.setup,
            cx,
            Fact { what: "health-changed", importance, path, facts, text: sentence.into() },
        );
    }

    /// Ensures that an event of the world follows the reports to listeners.
    pub(crate) fn tell_of_bus(&self, cx: &mut Cx) {
        if self.events.is_ahead_of(cx.next_seq().saturating_sub(1)) {
            let (importance, text) = (Importance::Low, shared(BUS_TEXT));
            report(
                &self.setup,
                cx,
                Fact { what: BUS_EVENTS, importance, path: None, facts: Vec::new(), text },
            );
        }
    }
}

fn report(setup: &Setup, cx: &mut Cx, fact: Fact) -> u64 {
    cx.emit(EventBody::Happened {
        speaker: setup.settings.framework.clone(),
        what: shared(fact.what),
        importance: fact.importance,
        path: fact.path.map(Box::new),
        facts: fact.facts.into_iter().map(|(name, value)| (shared(name), value)).collect(),
        text: fact.text.into(),
    })
}
