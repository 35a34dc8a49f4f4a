//! Explains why an element of a plan is not finished, and what would change that.
//!
//! *Knows*: the cluster's explanations of objects, and which patch or object would help. *Must not know*: how these come about.

use std::collections::BTreeMap;

use planarium_ground::Fleet;
use planarium_kube::{Amounts, KindId, Kube, Object, ObjectRef, WhyKind};
use planarium_protocol::event::ElementPath;
use planarium_protocol::input::{AddAgent, HttpCall, PlanCommand, PlanOp, PodCommand, PodOp, Resources};
use planarium_protocol::json;
use planarium_protocol::why::{ElementRef, Reason, ReasonKind, Unblock};
use planarium_protocol::{Amount, Input, Text, Why};
use serde_json::Value;

use crate::plans::{self, Member, OBJECTS};

/// Maximum of held pods that a finished workload names.
const HELD: usize = 5;

/// Facts for the explanation.
pub(crate) struct Facts<'f> {
    /// The service.
    pub(crate) service: &'f Text,
    /// The cluster.
    pub(crate) kube: &'f Kube,
    /// The machines.
    pub(crate) fleet: &'f Fleet,
}

/// Reasons found so far.
#[derive(Default)]
struct Found {
    reasons: Vec<Reason>,
    unblock: Vec<Unblock>,
}

impl Found {
    fn because(&mut self, text: impl Into<String>, kind: ReasonKind) {
        self.add(Reason { text: text.into(), event: None, kind });
    }

    /// Adds a reason. Several pods may wait for the same: that is said once.
    fn add(&mut self, reason: Reason) {
        if self.reasons.iter().all(|known| known.text != reason.text) {
            self.reasons.push(reason);
        }
    }

    fn hint(&mut self, title: impl Into<String>, input: Option<Input>) {
        let title = title.into();
        if self.unblock.iter().all(|known| known.title != title) {
            self.unblock.push(Unblock { title, input });
        }
    }

    fn why(self, path: ElementPath, status: &str) -> Why {
        let name = path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan);
        let sentence = sentence(name, status, self.reasons.first());
        Why { path, status: status.into(), sentence, reasons: self.reasons, unblock: self.unblock }
    }
}

/// The sentence of an element: its name, its status and the first reason.
fn sentence(name: &str, status: &str, first: Option<&Reason>) -> String {
    let text = first.map_or("", |reason| reason.text.as_str());
    if text.is_empty() || text.starts_with("It is ") {
        return format!("{name} is {status}");
    }
    let mut letters = text.chars();
    let (start, rest) = (letters.next(), letters.as_str());
    // A compound name stays unchanged: `CronJob`.
    let is_word = !rest.split(' ').next().unwrap_or_default().contains(char::is_uppercase);
    let start =
        start.map(|letter| if is_word { letter.to_lowercase().collect() } else { letter.to_string() });
    format!("{name} is {status}: {}{rest}", start.unwrap_or_default())
}

impl Facts<'_> {
    fn path(&self, plan: &str, phase: Option<&str>, step: Option<&str>) -> ElementPath {
        ElementPath {
            dialect: crate::WORD.into(),
            service: self.service.clone(),
            plan: plan.into(),
            phase: phase.map(Text::from),
            step: step.map(Text::from),
        }
    }

    /// Why an element of the plan of a workload is not finished.
    pub(crate) fn of_workload(&self, member: &Member, path: &ElementPath) -> Option<Why> {
        let (phase, step) = (path.phase.as_deref(), path.step.as_deref());
        let mut found = Found::default();
        let status = match (phase, step) {
            (None, _) => {
                self.whole(member, &mut found);
                member.facts.status
            }
            (Some(phase), None) => {
                let facts = member.facts.phase(phase)?;
                self.phase(member, phase, facts.status, &mut found);
                facts.status
            }
            (Some(phase), Some(step)) => {
                let word = plans::step_word(member, phase, step)?;
                self.step(member, phase, step, word, &mut found);
                word
            }
        };
        if found.reasons.is_empty() {
            let what = Text::from("the controllers act at the next change");
            found.because(
                "Nothing holds it; the controllers act at the next change",
                ReasonKind::Underway { what, until_ms: None },
            );
        }
        Some(found.why(self.path(&member.key, phase, step), status))
    }

    /// Explains why an object that is not a workload differs from its applied form, or why not all objects match.
    pub(crate) fn of_objects<'m>(
        &self,
        members: impl Iterator<Item = &'m Member>,
        path: &ElementPath,
        status: &'static str,
    ) -> Option<Why> {
        let mut found = Found::default();
        let (phase, step) = (path.phase.as_deref(), path.step.as_deref());
        if phase.is_some_and(|phase| phase != OBJECTS) {
            return None;
        }
        let mut status = status;
        match step {
            None => {
                let is_open = |member: &&Member| {
                    !matches!(member.facts.status, "Applied" | "Bound" | "Available" | "Complete")
                };
                for member in members.filter(is_open) {
                    let path = self.path(OBJECTS, Some(OBJECTS), Some(&member.key));
                    let text = format!("{} is {}", member.path(), member.facts.status);
                    let child = ElementRef { path, status: member.facts.status.into() };
                    found.because(text, ReasonKind::Child { child });
                }
            }
            Some(step) => {
                let member = members.into_iter().find(|member| *member.key == *step)?;
                status = member.facts.status;
                self.whole(member, &mut found);
            }
        }
        if found.reasons.is_empty() {
            found.because("It is as it was applied", ReasonKind::Complete);
        }
        Some(found.why(self.path(OBJECTS, phase, step), status))
    }

    /// Returns whether there is an object.
    fn has(&self, kind: KindId, namespace: &str, name: &str) -> bool {
        self.kube.get(ObjectRef::new(kind, namespace, name)).is_some()
    }

    fn command(&self, plan: &str, op: PlanOp) -> Input {
        Input::Plan(PlanCommand {
            dialect: crate::WORD.to_owned(),
            service: self.service.to_string(),
            plan: plan.to_owned(),
            op,
            phase: None,
            step: None,
            params: BTreeMap::new(),
        })
    }

    /// Reasons of an object as a whole.
    fn whole(&self, member: &Member, found: &mut Found) {
        if let Some(text) = &member.refused {
            found.because(text.to_string(), ReasonKind::Errored { errors: vec![text.clone()] });
            let plan = if member.is_workload() { &*member.key } else { OBJECTS };
            let is_kind = text.contains("no matches for kind");
            match missing_namespace(text) {
                Some(namespace) if !self.has(KindId::NAMESPACE, "", namespace) => {
                    let path = "/kube/api/v1/namespaces".to_owned();
                    let create = call("POST", path, object("Namespace", namespace));
                    found.hint(format!("Create the namespace {namespace}, and apply again"), Some(create));
                }
                Some(_) => found.hint(
                    "Apply again: the namespace is there by now",
                    Some(self.command(plan, PlanOp::Restart)),
                ),
                None if is_kind && self.kube.find_kind(&api_version(text), &member.kind_name).is_some() => {
                    found.hint(
                        "Apply again: the kind is served by now",
                        Some(self.command(plan, PlanOp::Restart)),
                    );
                }
                None if is_kind => {
                    found.hint("Load the CustomResourceDefinition first, then apply again", None);
                }
                None => found.hint("Change what the server refuses, and apply again", None),
            }
            return;
        }
        let Some(object) = &member.object else {
            let text = format!("{} was deleted by somebody; it is still in the files", member.path());
            let state = Text::from("Deleted");
            found.because(text, ReasonKind::Object { object: member.path().into(), state });
            let plan = if member.is_workload() { &*member.key } else { OBJECTS };
            if member.namespace.is_empty() || self.has(KindId::NAMESPACE, "", &member.namespace) {
                found.hint("Apply again", Some(self.command(plan, PlanOp::Restart)));
            }
            return;
        };
        if matches!(member.facts.status, "Complete" | "Applied" | "Bound" | "Available" | "Scheduled") {
            let text = match member.facts.status {
                "Scheduled" => self.kube.why(self.fleet, object).first().map(|why| why.text.clone()),
                _ => None,
            };
            found.because(text.unwrap_or_else(|| "It is complete".to_owned()), ReasonKind::Complete);
            return self.held_pods(member, found);
        }
        if member.facts.status == "Suspended" {
            let held = self.path(&member.key, None, None);
            let text = format!("{} is suspended: no run begins", member.path());
            found.because(text, ReasonKind::Interrupted { held });
            if plans::refusal(member, PlanOp::Continue).is_none() {
                found.hint("Resume it", Some(self.command(&member.key, PlanOp::Continue)));
            }
            return;
        }
        self.object(member, object, found);
    }

    fn phase(&self, member: &Member, phase: &str, status: &str, found: &mut Found) {
        match status {
            "Superseded" => found.because("A newer revision has taken its place", ReasonKind::Complete),
            "Complete" => found.because("It is complete", ReasonKind::Complete),
            "ScalingDown" => {
                let newest = member.facts.phases.last();
                let waiting_for = newest.map(|newest| ElementRef {
                    path: self.path(&member.key, Some(&newest.name), None),
                    status: newest.status.into(),
                });
                let strategy = Text::from("RollingUpdate");
                let text = "Its pods go as those of the newest revision become available";
                let waiting_for = waiting_for.into_iter().collect();
                found.because(text, ReasonKind::NotItsTurn { strategy, waiting_for });
                if let Some(object) = &member.object {
                    self.object(member, object, found);
                }
            }
            _ => {
                let run = member.makers(KindId::JOB).find(|part| *part.object.name == *phase);
                match run {
                    Some(run) => self.object(member, &run.object, found),
                    None => self.whole(member, found),
                }
            }
        }
    }

    fn step(&self, member: &Member, phase: &str, step: &str, word: &str, found: &mut Found) {
        let of = |part: &&plans::Part| {
            plans::step_of(member, part).is_some_and(|(own, name)| *own == *phase && *name == *step)
        };
        let pod = member.pods().filter(of).last().map(|part| &part.object);
        let own = member.object.as_ref().filter(|object| object.pod().is_some());
        match (word, pod.or(own)) {
            ("Ready" | "Completed", pod) => {
                found.because("It is as it is wanted", ReasonKind::Complete);
                if let Some(pod) = pod {
                    self.told(member, self.held_pod(pod), found);
                }
            }
            ("OnDelete", Some(pod)) => {
                let text = format!(
                    "pod {} was made by an earlier revision; with OnDelete it is replaced when somebody deletes it",
                    pod.name
                );
                found.because(text, ReasonKind::Object { object: pod.path(), state: "OnDelete".into() });
                let command = PodCommand {
                    dialect: crate::WORD.to_owned(),
                    service: self.service.to_string(),
                    pod: pod.name.to_string(),
                    op: PodOp::Replace,
                    tasks: Vec::new(),
                };
                found.hint(format!("Delete the pod {}", pod.name), Some(Input::Pod(command)));
            }
            ("Outdated", Some(pod)) => {
                let text = format!(
                    "pod {} was made by an earlier revision, and others are replaced before it",
                    pod.name
                );
                found.because(text, ReasonKind::Object { object: pod.path(), state: "RollingOut".into() });
                if let Some(object) = &member.object {
                    self.object(member, object, found);
                }
            }
            ("Error" | "OOMKilled" | "Evicted" | "DeadlineExceeded", Some(pod))
                if pod.pod().is_some_and(|facts| *facts.phase == *"Failed") =>
            {
                let reasons = self.kube.why(self.fleet, pod);
                self.told(member, reasons, found);
                let goes_on = !matches!(member.facts.status, "Failed" | "Complete");
                if goes_on && member.object.as_ref().is_some_and(|object| object.pod().is_none()) {
                    let text = format!("{} makes another pod in its place", member.path());
                    found.because(
                        text,
                        ReasonKind::Object { object: member.path().into(), state: "Backoff".into() },
                    );
                }
            }
            (_, Some(pod)) => self.object(member, pod, found),
            (_, None) => {
                if let Some(object) = &member.object {
                    self.object(member, object, found);
                }
            }
        }
    }

    /// Explains why an up-to-date pod stays: its eviction was refused.
    fn held_pod(&self, pod: &Object) -> Vec<planarium_kube::Why> {
        let mut reasons = self.kube.why(self.fleet, pod);
        reasons.retain(|reason| reason.kind == WhyKind::DisruptionBudget);
        reasons
    }

    /// Pods of a finished workload whose eviction a budget refused.
    fn held_pods(&self, member: &Member, found: &mut Found) {
        for pod in member.pods() {
            self.told(member, self.held_pod(&pod.object), found);
            if found.reasons.len() > HELD {
                return;
            }
        }
    }

    /// The cluster's reasons for an object, with ways out.
    fn object(&self, member: &Member, object: &Object, found: &mut Found) {
        let reasons = self.kube.why(self.fleet, object);
        self.told(member, reasons, found);
        for miss in self.kube.missed_by(object) {
            let Some(node) = miss.node else {
                found.because(
                    miss.text,
                    ReasonKind::Object { object: object.path(), state: "Unschedulable".into() },
                );
                continue;
            };
            let node = format!("node/{node}").into();
            found.because(miss.text, ReasonKind::Object { object: node, state: "Unschedulable".into() });
        }
    }

    fn told(&self, member: &Member, reasons: Vec<planarium_kube::Why>, found: &mut Found) {
        self.ways(member, &reasons, found);
        for reason in reasons {
            let kind = match (reason.kind, reason.held) {
                (_, Some(held)) => ReasonKind::HeldByOthers {
                    machine: held.machine,
                    requirement: held.scalar.into(),
                    held: held.others,
                },
                (WhyKind::Paused, None) => {
                    ReasonKind::Interrupted { held: self.path(&member.key, None, None) }
                }
                (kind, None) => {
                    ReasonKind::Object { object: reason.about, state: format!("{kind:?}").into() }
                }
            };
            found.add(Reason { text: reason.text, event: reason.event, kind });
        }
    }

    /// Adds ways out for the cluster's reasons.
    fn ways(&self, member: &Member, reasons: &[planarium_kube::Why], found: &mut Found) {
        let has = |kind: WhyKind| reasons.iter().any(|reason| reason.kind == kind);
        for way in reasons.iter().flat_map(|reason| &reason.ways) {
            found.hint(way.title.clone(), way.input.clone());
        }
        if has(WhyKind::Paused) {
            found.hint("Resume the rollout", Some(self.command(&member.key, PlanOp::Continue)));
        }
        let movable = reasons.iter().filter(|reason| !reason.pinned);
        let homeless: Vec<Amounts> = movable.filter_map(|reason| reason.requests).collect();
        if let Some(first) = homeless.first() {
            let (title, count) = match u32::try_from(homeless.len()) {
                Ok(count) if count > 1 => (format!("Add {count} machines with room for them"), count),
                _ => ("Add a machine with room for it".to_owned(), 1),
            };
            let most = homeless.iter().fold(*first, |most, one| most.most(*one));
            found.hint(title, Some(roomy(most, count)));
        }
        if reasons.iter().any(|reason| reason.requests.is_some()) {
            found.hint("Lower what the pods request, in the template", None);
        }
        if has(WhyKind::Unschedulable) {
            for node in self.kube.nodes().into_iter().filter(|node| node.cordoned).take(3) {
                let path = format!("/kube/api/v1/nodes/{}", planarium_part::http::encode(&node.name));
                let body = json!({ "spec": { "unschedulable": null } });
                found.hint(format!("Uncordon {}", node.name), Some(merge(path, body)));
            }
        }
        for missing in reasons.iter().flat_map(|reason| &reason.missing) {
            found.hint(missing.title(), Some(Input::Call(missing.call())));
        }
        for name in reasons.iter().filter_map(|reason| missing_account(&reason.text)) {
            // It may be there by now, and the controller has not tried again.
            if self.has(KindId::SERVICE_ACCOUNT, &member.namespace, name) {
                continue;
            }
            let path = format!("/kube/api/v1/namespaces/{}/serviceaccounts", member.namespace);
            let create = call("POST", path, object("ServiceAccount", name));
            found.hint(format!("Create the ServiceAccount {name}"), Some(create));
        }
        let is_bad = [
            WhyKind::ProgressDeadline,
            WhyKind::ImagePull,
            WhyKind::CrashLoop,
            WhyKind::NotReady,
            WhyKind::ContainerError,
        ];
        if is_bad.into_iter().any(has)
            && matches!(member.facts.status, "Progressing" | "ProgressDeadlineExceeded" | "ReplicaFailure")
            && plans::refusal(member, PlanOp::Stop).is_none()
        {
            found.hint("Undo the rollout", Some(self.command(&member.key, PlanOp::Stop)));
        }
        if has(WhyKind::ImagePull) {
            found.hint("Give the container an image that exists", None);
        }
        if has(WhyKind::Failed) && *member.kind_name == *"Job" {
            found.hint("Delete the Job and apply it again: its template cannot change", None);
        }
    }
}

/// A call of the API.
fn call(method: &str, path: String, body: Value) -> Input {
    let content_type = Some("application/json".to_owned());
    Input::Call(HttpCall { method: method.to_owned(), path, body, content_type })
}

fn merge(path: String, body: Value) -> Input {
    let content_type = Some("application/merge-patch+json".to_owned());
    Input::Call(HttpCall { method: "PATCH".to_owned(), path, body, content_type })
}

fn object(kind: &str, name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name } })
}

/// Returns the `apiVersion` in the words of a client that does not find a kind.
fn api_version(text: &str) -> String {
    let rest = text.split("in version \"").nth(1).unwrap_or_default();
    rest.split('"').next().unwrap_or_default().to_owned()
}

/// The namespace in `namespaces "prod" not found`.
fn missing_namespace(text: &str) -> Option<&str> {
    text.strip_prefix("namespaces \"")?.strip_suffix("\" not found")
}

/// Machines on each of which a pod fits with something to spare.
fn roomy(requests: Amounts, count: u32) -> Input {
    let up = |amount: i64, unit: i64, spare: i64, least: i64| {
        let whole = amount.saturating_add(unit.saturating_sub(1)) / unit.max(1);
        Some(Amount::whole(whole.saturating_add(spare).max(least)))
    };
    let resources = Resources {
        cpus: up(requests.cpu_milli, 1000, 1, 4),
        mem: up(requests.memory, 1024 * 1024, 512, 8192),
        disk: up(requests.storage, 1024 * 1024, 1024, 20_480),
        gpus: (requests.gpus > 0).then(|| Amount::whole(requests.gpus)),
        ports: None,
        disks: Vec::new(),
    };
    Input::AddAgent(AddAgent { count: Some(count), resources, ..AddAgent::default() })
}

/// The name in a message such as `serviceaccount "door" not found`.
fn missing_account(message: &str) -> Option<&str> {
    let rest = message.trim_end_matches('.').strip_suffix(" not found")?.strip_suffix('"')?;
    let (before, name) = rest.rsplit_once('"')?;
    (before.trim_end().rsplit(' ').next()? == "serviceaccount").then_some(name)
}
