//! Reasons for one instance that is not healthy and ready yet, or does not end.
//!
//! *Knows*: the checks of its app, and the cluster's data about its task. *Must not know*: who waits for it.

use std::fmt::Write as _;

use super::{Explainer, reason};
use crate::definition::spec::HealthDef;
use crate::deployments::Deployment;
use crate::deployments::jobs::progress::Progress;
use crate::instances::instance::{Condition, Instance};
use crate::instances::tracker::Key;
use planarium_mesos::ProbeFacts;
use planarium_protocol::Text;
use planarium_protocol::why::{Reason, ReasonKind};

impl Explainer<'_> {
    fn probe(&self, instance: &Instance) -> Option<ProbeFacts> {
        self.cluster.probe(self.records.setup.framework, &instance.task()?.id)
    }

    /// Explains the wait of a new instance.
    pub(super) fn instance(&mut self, key: Key, deployment: &Deployment, progress: &Progress) -> Vec<Reason> {
        let Some(instance) = self.records.instances.get(key).cloned() else { return Vec::new() };
        let probe = self.probe(&instance);
        let name = instance.task().map_or_else(|| instance.id.clone(), |task| task.id.clone());
        let host = instance.agent.as_ref().map_or_else(Text::default, |agent| agent.hostname.clone());
        let event = Some(instance.event);
        let mut reasons = Vec::new();
        match instance.condition {
            Condition::Running => {
                if !progress.healthy.contains(&key.no) {
                    reasons.push(self.unhealthy(key, &instance));
                }
                if !progress.ready.contains(&key.no) && instance.spec.def.readiness.is_some() {
                    reasons.push(Self::unready(deployment, &instance, probe.as_ref()));
                }
                self.health_remedies(&instance, probe.as_ref());
            }
            Condition::Unreachable | Condition::UnreachableInactive => {
                reasons.push(Self::unreachable(&instance));
                self.machine_remedies(&host);
            }
            condition => {
                let state = probe.as_ref().map_or_else(|| condition.mesos(), |probe| probe.state);
                let text = format!("{name} was launched on {host} and is {}", condition.as_str());
                let kind =
                    ReasonKind::Starting { task: name.clone(), agent: host.clone(), state: state.into() };
                reasons.push(reason(text, event, kind));
                self.start_remedies(&instance, probe.as_ref());
            }
        }
        if probe.as_ref().is_some_and(|probe| probe.manual) {
            let text = format!("Processes are on manual: you say what happens to {name}");
            reasons.push(reason(text, None, ReasonKind::Manual { task: name.clone() }));
        }
        if let Some(faults) = probe.map(|probe| probe.faults).filter(|faults| !faults.is_empty()) {
            let all: Vec<String> = faults.iter().map(|(id, kind)| format!("{id} ({kind})")).collect();
            let what = format!("Faults are in force against {name}: {}", all.join(", "));
            reasons.push(self.underway(&what));
            self.fault_remedies(&faults);
        }
        reasons
    }

    fn unhealthy(&self, key: Key, instance: &Instance) -> Reason {
        let records = self.records;
        let name = instance.task().map_or_else(|| instance.id.clone(), |task| task.id.clone());
        let checks = records.run(key.spec).and_then(|run| run.checks.get(&instance.version()));
        let mut parts = Vec::new();
        let (mut event, mut next) = (None, None);
        for (at, check) in instance.spec.def.health.iter().enumerate() {
            let seen = checks.and_then(|checks| checks.seen(key.no, at, self.now));
            if seen.as_ref().is_some_and(crate::health::Health::is_alive) {
                continue;
            }
            let tick = checks.filter(|_| !check.by_agent).map(|checks| checks.tick_after(check, self.now));
            next = [next, tick].into_iter().flatten().min();
            event = event.or(seen.as_ref().map(|seen| seen.event));
            let so_far = match &seen {
                None => "no result yet".to_owned(),
                Some(seen) => {
                    let cause = seen.cause.as_deref().map(|cause| format!(", {cause}")).unwrap_or_default();
                    format!("{} failures in a row{cause}", seen.failures)
                }
            };
            parts.push(format!("health check {at} ({}): {so_far}", kind(check)));
        }
        if parts.is_empty() {
            parts.push("no check has passed yet".to_owned());
        }
        let next_text = next.map(|at| format!("; the next look is at {at}")).unwrap_or_default();
        let what = format!("{name} runs and is not healthy yet: {}{next_text}", parts.join("; "));
        // A single check is not the end: the next one may fail, too.
        reason(what.clone(), event, ReasonKind::Underway { what: what.into(), until_ms: None })
    }

    fn unready(deployment: &Deployment, instance: &Instance, probe: Option<&ProbeFacts>) -> Reason {
        let name = instance.task().map_or_else(|| instance.id.clone(), |task| task.id.clone());
        let last = deployment.readiness.get(&name);
        let attempts = probe.map_or(0, |probe| probe.attempts);
        let so_far = match last {
            None => "no answer yet".to_owned(),
            Some(result) => format!("the last answer was {}", result.status),
        };
        let text = format!("{name} runs, and its readiness check has not passed: {so_far}");
        let kind = ReasonKind::Readiness {
            task: name,
            attempts: attempts.max(u32::from(last.is_some())),
            last_exit: last.map(|result| result.status),
            next_ms: probe.and_then(|probe| probe.next).map(planarium_kernel::SimTime::ms),
        };
        reason(text, Some(instance.event), kind)
    }

    fn unreachable(instance: &Instance) -> Reason {
        let name = instance.task().map_or_else(|| instance.id.clone(), |task| task.id.clone());
        let host = instance.agent.as_ref().map_or_else(Text::default, |agent| agent.hostname.clone());
        let since = instance.task().and_then(crate::instances::instance::Task::unreachable_since);
        let patience = instance.spec.def.unreachable.as_ref().map(|(inactive, _)| *inactive);
        let until = since.zip(patience).map(|(since, patience)| since.saturating_add(patience));
        let mut text = format!("{name} cannot be reached: {host} does not answer");
        if instance.condition == Condition::UnreachableInactive {
            text.push_str("; another instance takes its place");
        } else if let Some(until) = until {
            let _ = write!(text, "; another instance takes its place from {until} on");
        } else {
            text.push_str("; it is waited for however long that takes");
        }
        let kind = ReasonKind::Underway {
            what: text.clone().into(),
            until_ms: until.map(planarium_kernel::SimTime::ms),
        };
        reason(text, Some(instance.event), kind)
    }

    /// Returns a note about a kill.
    pub(super) fn kill_note(&self, instance: &Instance) -> Option<String> {
        let records = self.records;
        if instance.condition == Condition::Unreachable {
            return Some(format!("{} cannot be reached", instance.id));
        }
        if self.kills.is_waiting(&instance.id) {
            return Some(format!("{} waits for other kills", instance.id));
        }
        let kill = self.kills.in_flight(&instance.id)?;
        let again = kill.issued.saturating_add(records.setup.settings.kill_retry_ms);
        (kill.attempts > 1)
            .then(|| format!("{} was asked {} times, next at {again}", instance.id, kill.attempts))
    }
}

fn kind(check: &HealthDef) -> String {
    check.json.get("protocol").and_then(serde_json::Value::as_str).unwrap_or("HTTP").to_owned()
}
