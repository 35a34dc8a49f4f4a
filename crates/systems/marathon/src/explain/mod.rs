//! Why an element is not finished: typed reasons, words, and what would unblock it.
//!
//! *Knows*: everything that the process knows, and what the cluster knows of tasks and machines.
//! *Must not know*: how anything is shown.
//!
//! *Invariant*: never empty for an unfinished element; every input among the remedies is accepted as things are.

mod action;
mod app;
mod instance;
mod offers;
mod remedies;

use crate::run::Marathon;
use crate::run::deployments::{CANCELLED, Deployment, Stage};
use crate::shown;
use crate::view::lookup::Found;
use planarium_kernel::SimTime;
use planarium_mesos::Cluster;
use planarium_protocol::event::ElementPath;
use planarium_protocol::why::{ElementRef, Reason, ReasonKind, Unblock, Why};
use planarium_protocol::{Input, Text};

/// So many children, instances or machines are named one by one.
const NAMED: usize = 4;

impl Marathon {
    /// Why an element is not finished; none when there is no such element.
    pub(crate) fn why(&self, path: &ElementPath, cluster: &Cluster) -> Option<Why> {
        let found = self.find(&path.plan, path.phase.as_deref(), path.step.as_deref())?;
        let status = self.word_of(found);
        if status.is_empty() {
            return None;
        }
        let mut teller = Teller { marathon: self, cluster, now: cluster.asked(), unblock: Vec::new() };
        let mut reasons = teller.element(found, status);
        if reasons.is_empty() {
            reasons.push(teller.underway("Marathon is at work on it"));
        }
        let unblock = teller.unblock;
        let first = reasons.first().map_or("", |reason| reason.text.as_str());
        let name = path.step.as_ref().or(path.phase.as_ref()).unwrap_or(&path.plan);
        let sentence = format!("{name} is {status}: {}.", uncapitalised(first));
        Some(Why { path: path.clone(), status: status.into(), sentence, reasons, unblock })
    }
}

/// The text with a small first letter, unless it begins with a name.
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
struct Teller<'a> {
    marathon: &'a Marathon,
    cluster: &'a Cluster<'a>,
    now: SimTime,
    unblock: Vec<Unblock>,
}

impl Teller<'_> {
    /// Something that would help.
    fn help(&mut self, title: impl Into<String>, input: Option<Input>) {
        let remedy = Unblock { title: title.into(), input };
        if !self.unblock.contains(&remedy) {
            self.unblock.push(remedy);
        }
    }

    #[expect(clippy::unused_self, reason = "as its neighbours")]
    fn underway(&self, what: &str) -> Reason {
        reason(what, None, ReasonKind::Underway { what: what.into(), until_ms: None })
    }

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
                match deployment.step.checked_sub(1) {
                    Some(at) => vec![self.child(self.step_ref(deployment, at))],
                    None => vec![self.underway("It is about to begin")],
                }
            }
            Found::Step(deployment, at) => self.step(deployment, at),
            Found::Action(deployment, at, index) => self.action(deployment, at, index),
        }
    }

    /// A child is what holds it.
    #[expect(clippy::unused_self, reason = "as its neighbours")]
    fn child(&self, child: ElementRef) -> Reason {
        let name = child.path.step.as_ref().or(child.path.phase.as_ref()).unwrap_or(&child.path.plan);
        reason(format!("{name} is {}", child.status), None, ReasonKind::Child { child: child.clone() })
    }

    /// Children, some of them one by one.
    fn children(&self, children: Vec<ElementRef>) -> Vec<Reason> {
        let rest = children.len().saturating_sub(NAMED);
        let mut reasons: Vec<Reason> =
            children.into_iter().take(NAMED).map(|child| self.child(child)).collect();
        if rest > 0 {
            let what = format!("{rest} more are not done either");
            reasons.push(self.underway(&what));
        }
        reasons
    }

    fn step_ref(&self, deployment: &Deployment, at: usize) -> ElementRef {
        let (plan, phase) = (shown::deployment_name(deployment.no), shown::step_name(at));
        ElementRef {
            path: self.marathon.path(plan, Some(phase.into()), None),
            status: deployment.words.steps.get(at).map_or("", |words| words.step).into(),
        }
    }

    fn action_ref(&self, deployment: &Deployment, at: usize, index: usize) -> ElementRef {
        let (plan, phase) = (shown::deployment_name(deployment.no), shown::step_name(at));
        let action = deployment.plan.steps.get(at).and_then(|step| step.actions.get(index));
        let step: Option<Text> = action.map(|action| shown::action_name(action).into());
        let words = deployment.words.steps.get(at).and_then(|words| words.actions.get(index));
        ElementRef {
            path: self.marathon.path(plan, Some(phase.into()), step),
            status: words.map_or("", |word| word.0).into(),
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

    /// Earlier steps of its deployment come first.
    fn not_its_turn(&self, deployment: &Deployment, at: usize) -> Option<Reason> {
        let current = deployment.step.checked_sub(1);
        if current == Some(at) {
            return None;
        }
        let before = self.step_ref(deployment, current.unwrap_or(0));
        let name = before.path.phase.clone().unwrap_or_default();
        let text = format!("{name} of {} comes first: it is {}", before.path.plan, before.status);
        let kind = ReasonKind::NotItsTurn { strategy: "serial".into(), waiting_for: vec![before] };
        Some(reason(text, Some(deployment.event), kind))
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
