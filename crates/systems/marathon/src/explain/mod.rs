//! Explains why an element is not finished: typed reasons, words, and ways out.
//!
//! *Knows*: all data of the process, and the cluster's data about tasks and machines. *Must not know*: how anything
//! is shown.
//!
//! *Invariant*: never empty for an unfinished element; every input among the remedies is accepted in the present
//! state.

mod action;
mod app;
mod fit;
mod instance;
mod offers;
mod references;
mod remedies;

use crate::deployments::lifecycle::CANCELLED;
use crate::deployments::{Deployment, Deployments, Stage};
use crate::kills::Kills;
use crate::marathon::Marathon;
use crate::offers::demand::Demand;
use crate::records::Records;
use crate::shown;
use crate::view::Shown;
use crate::view::lookup::Found;
use planarium_kernel::SimTime;
use planarium_mesos::Cluster;
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{Reason, ReasonKind, Unblock, Why};
use remedies::Turn;

/// Maximum of children, instances or machines named one by one.
const NAMED: usize = 4;

/// Explains why an element is not finished; `None` if it does not exist.
pub(crate) fn why(marathon: &Marathon, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
    let shown = Shown::of(marathon);
    let found = shown.find(&path.plan, path.phase.as_deref(), path.step.as_deref())?;
    let status = shown.word_of(found);
    if status.is_empty() {
        return None;
    }
    let mut explainer = Explainer {
        records: &marathon.records,
        deployments: &marathon.deployments,
        kills: &marathon.kills,
        demand: &marathon.demand,
        cluster,
        now: cluster.asked(),
        unblock: Vec::new(),
    };
    let mut reasons = explainer.element(found, status);
    if reasons.is_empty() {
        reasons.push(explainer.underway("Marathon is at work on it"));
    }
    let mut unblock = explainer.unblock;
    planarium_kernel::sorted::sort_by_key(&mut unblock, |(turn, _)| *turn);
    let unblock = unblock.into_iter().map(|(_, remedy)| remedy).collect();
    let first = reasons.first().map_or("", |reason| reason.text.as_str());
    let name = path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan);
    let sentence = format!("{name} is {status}: {}.", uncapitalised(first));
    Some(Why { path: path.clone(), status: status.into(), sentence, reasons, unblock })
}

/// Returns the text with a small first letter, unless it begins with a name.
fn uncapitalised(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if word.chars().skip(1).all(|c| c.is_ascii_lowercase()) => {
            std::iter::once(first.to_ascii_lowercase()).chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// `1 instance`, `2 instances`.
fn count(many: usize, noun: &str) -> String {
    if many == 1 { format!("1 {noun}") } else { format!("{many} {noun}s") }
}

/// A reason.
fn reason(text: impl Into<String>, event: Option<u64>, kind: ReasonKind) -> Reason {
    Reason { text: text.into(), event: event.filter(|event| *event > 0), kind }
}

/// Collects reasons and remedies for one question.
struct Explainer<'a> {
    records: &'a Records,
    deployments: &'a Deployments,
    kills: &'a Kills,
    demand: &'a Demand,
    cluster: &'a Cluster<'a>,
    now: SimTime,
    unblock: Vec<(Turn, Unblock)>,
}

impl Explainer<'_> {
    fn element(&mut self, found: Found<'_>, status: &'static str) -> Vec<Reason> {
        match found {
            Found::Deployment(deployment) | Found::Step(deployment, _) | Found::Action(deployment, ..)
                if status == shown::CANCELED =>
            {
                vec![canceled(deployment)]
            }
            _ if status == shown::FINISHED => vec![complete("It is done")],
            Found::Apps => self.all_apps(),
            Found::Group(group) => self.group(group),
            Found::App(no) => self.app(no),
            Found::Deployment(deployment) => {
                self.deployment_remedies(deployment);
                match deployment.under_way() {
                    Some(at) => vec![self.child(self.step_ref(deployment, at))],
                    None => vec![self.underway("It is about to begin")],
                }
            }
            Found::Step(deployment, at) => self.step(deployment, at),
            Found::Action(deployment, at, index) => self.action(deployment, at, index),
        }
    }

    /// A step of a deployment: its open actions, or those before it.
    fn step(&mut self, deployment: &Deployment, at: usize) -> Vec<Reason> {
        self.deployment_remedies(deployment);
        if let Some(not) = self.not_its_turn(deployment, at) {
            return vec![not];
        }
        let actions = deployment.plan.steps.get(at).map_or(0, |step| step.actions.len());
        let open = (0..actions)
            .map(|index| self.action_ref(deployment, at, index))
            .filter(|child| *child.status != *shown::FINISHED);
        self.children(open.collect())
    }
}

fn complete(text: &str) -> Reason {
    reason(text, None, ReasonKind::Complete)
}

/// A deployment that was given up.
fn canceled(deployment: &Deployment) -> Reason {
    let text = match deployment.stage {
        Stage::Canceled => "The deployment was given up: it was stopped, rolled back, or replaced by force",
        _ => "It was given up",
    };
    reason(text, Some(deployment.event), ReasonKind::Errored { errors: vec![CANCELLED.into()] })
}
