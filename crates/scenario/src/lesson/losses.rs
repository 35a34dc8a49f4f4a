//! Builds the account of a lost check.
//!
//! Knows: which state of a check to report, why it does not hold, and where to go back to. Must not know: when a check is
//! lost.

use super::account::{self, Account, Chain, Place, because, instant, span};
use super::check::Check;
use super::model::Serving;
use super::observed::{Observed, is_at};
use super::states::{Bound, Term};
use planarium_protocol::event::{ElementPath, EventBody};
use planarium_protocol::view::{ServiceView, StatusClass};
use planarium_world::{Condition, Engine};

/// Maximum number of causes in a sentence.
const CAUSES: usize = 3;

/// Too few or too many instances since an instant.
#[derive(Clone, Debug)]
pub(crate) struct Shortage {
    pub(crate) of: String,
    pub(crate) bound: Bound,
    pub(crate) count: u64,
    pub(crate) since_ms: u64,
}

/// The maximum number of instances available at once, and its instant.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub(crate) count: u64,
    pub(crate) since_ms: u64,
    /// End of the span, if it has ended.
    pub(crate) until_ms: Option<u64>,
}

/// A run at the moment of a loss.
pub(crate) struct Losses<'w> {
    pub(crate) facts: &'w Observed,
    pub(crate) engine: &'w Engine,
    /// Numbers of the learner's inputs.
    pub(crate) learner: &'w [u64],
    /// Number of the last set-up input.
    pub(crate) set_up: u64,
    /// Required instances.
    pub(crate) serving: &'w [Serving],
}

impl Losses<'_> {
    /// Builds the account of a forbidden state that came true.
    pub(crate) fn broken(&self, check: &Check) -> (Account, Option<Shortage>) {
        let now = self.facts.now_ms;
        let tells =
            |term: &&Term| !matches!(term, Term::Condition(Condition::Time { .. } | Condition::Idle, _));
        let counts = |term: &&Term| tells(term) && !matches!(term, Term::Condition(..));
        let terms = &check.states.0;
        let term = terms.iter().find(counts).or_else(|| terms.iter().find(tells)).or_else(|| terms.first());
        let Some(term) = term else {
            return (self.account(now, "", "", Vec::new(), Chain::default()), None);
        };
        let account = match term {
            Term::Available { of, bound } => {
                let (words, chain, since) = self.shortage(of, *bound, true);
                let count = self.facts.available(of);
                let since_ms = since.filter(|since| *since <= now).unwrap_or(now);
                let shortage = Shortage { of: of.clone(), bound: *bound, count, since_ms };
                let nearest = shortage.words(now);
                return (self.account(now, of, &nearest, words, chain), Some(shortage));
            }
            Term::Below { of, needed, bound } => {
                let (words, chain, _) = self.shortage(of, Bound { least: *needed, most: u64::MAX }, true);
                let below = span(self.facts.below_ms(of, *needed));
                let most = span(bound.least.saturating_sub(1));
                let nearest = format!("{needed} needed of {of}, fewer for {below} in all, {most} allowed");
                self.account(now, of, &nearest, words, chain)
            }
            Term::Commands { bound } => {
                let allowed = bound.least.saturating_sub(1);
                let commands = if allowed == 1 { "command" } else { "commands" };
                let nearest =
                    format!("{allowed} {commands} allowed, this was number {}", self.facts.commands);
                let last = self.learner.last().copied();
                let words = last.and_then(|number| account::named(self.engine, number));
                let words = words.map(|words| format!("of `{words}`")).into_iter().collect();
                self.account(now, "commands", &nearest, words, Chain::of_input(self.engine, last))
            }
            Term::TasksOn { host, .. } => {
                let nearest = format!("{} tasks on {host}", self.facts.tasks_on(host));
                self.account(now, host, &nearest, self.on(host), Chain::of(self.engine, self.engine.seq()))
            }
            Term::Machine { host, state } => {
                let chain = Chain::of(self.engine, last_of_machine(self.engine, host));
                let words = self.root_words(&chain);
                self.account(now, host, &format!("{host} was {state}"), words, chain)
            }
            Term::Condition(condition, text) => {
                let element = element_of(condition).unwrap_or_else(|| text.clone());
                let seq = last_status(self.engine, &element).map_or(self.engine.seq(), |(seq, _)| seq);
                let chain = Chain::of(self.engine, seq);
                let words = self.root_words(&chain);
                self.account(now, &element, &format!("{text} came true"), words, chain)
            }
        };
        (account, None)
    }

    /// Builds the account of a state that missed its deadline.
    pub(crate) fn missed(&self, check: &Check, armed: bool, best: Option<&Best>, at_ms: u64) -> Account {
        let states = if armed { &check.states } else { check.after.as_ref().unwrap_or(&check.states) };
        let open = states.0.iter().find(|term| !self.facts.holds(term)).or_else(|| states.0.first());
        match open {
            Some(Term::Available { of, bound }) => {
                let count = self.facts.available(of);
                let dropped = best.filter(|best| best.count > count);
                let mut nearest = match bound.least {
                    0 => format!("{} of {of} wanted, {count} available", bound.words()),
                    _ => format!("{} needed of {of}, {count} available", bound.words()),
                };
                if let Some(best) = dropped {
                    let lasted = span(best.until_ms.unwrap_or(at_ms).saturating_sub(best.since_ms));
                    let from = instant(best.since_ms);
                    nearest = format!("{nearest}; {} at most, for {lasted} from {from}", best.count);
                }
                let (words, chain, _) = self.shortage(of, *bound, dropped.is_some());
                self.account_of_miss(at_ms, of, &nearest, words, chain)
            }
            Some(Term::Condition(Condition::Status { element, .. }, text)) => {
                self.missed_status(element, text, at_ms)
            }
            Some(Term::TasksOn { host, bound }) => {
                let wanted = if bound.most == 0 { "no".to_owned() } else { bound.words() };
                let nearest = format!("{wanted} tasks on {host} wanted, {} there", self.facts.tasks_on(host));
                let chain = Chain::of(self.engine, last_of_machine(self.engine, host));
                self.account_of_miss(at_ms, host, &nearest, self.on(host), chain)
            }
            Some(Term::Machine { host, state }) => {
                let shown = self.facts.machine(host).map_or("not there", |machine| &machine.state);
                let nearest = format!("{host} was to be {state}, it is {shown}");
                let chain = Chain::of(self.engine, last_of_machine(self.engine, host));
                self.account_of_miss(at_ms, host, &nearest, Vec::new(), chain)
            }
            _ => {
                let nearest = format!("{} did not come true", check.text);
                self.account_of_miss(at_ms, &check.text, &nearest, Vec::new(), Chain::default())
            }
        }
    }

    fn missed_status(&self, element: &str, text: &str, at_ms: u64) -> Account {
        let Some(shown) = self.facts.status(element) else {
            let nearest = format!("{text} was due, there is no {element} yet");
            let (words, chain) = stuck(self.engine, element);
            return self.account_of_miss(at_ms, element, &nearest, words, chain);
        };
        let last = last_status(self.engine, element);
        let since = last.map(|(_, ms)| format!(" since {}", instant(ms))).unwrap_or_default();
        let nearest = format!("{text} was due, {element} shows {shown}{since}");
        let path = crate::find_element(&self.engine.view(), element);
        let words = path.and_then(|path| reason(self.engine, &path)).into_iter().collect();
        let chain = last.map_or_else(Chain::default, |(seq, _)| Chain::of(self.engine, seq));
        self.account_of_miss(at_ms, element, &nearest, words, chain)
    }

    /// Returns the causes of a shortage of instances, and since when the last one is missing: lost instances, unavailable
    /// instances, or the plan that is stuck.
    fn shortage(&self, of: &str, bound: Bound, dropped: bool) -> (Vec<String>, Chain, Option<u64>) {
        let count = self.facts.available(of);
        let needed = if bound.least > 0 { bound.least } else { bound.most.saturating_add(1) };
        let served = self.serving.iter().find(|serving| serving.of == of).map(|serving| serving.needed);
        let lacking = needed.max(served.unwrap_or_default()).saturating_sub(count);
        let lacking = usize::try_from(lacking).unwrap_or(usize::MAX);
        let mut missing = if dropped { self.facts.missing(of) } else { Vec::new() };
        missing.truncate(lacking);
        let since = missing.first().map(|task| task.since_ms);
        let (mut words, mut chain) = because(self.engine, &missing, self.learner);
        for (name, id, lack) in
            self.facts.impaired(of).into_iter().take(lacking.saturating_sub(missing.len()))
        {
            words.push(format!("{name} {lack}"));
            if chain.links.is_empty() {
                chain = Chain::of(self.engine, last_of_task(self.engine, &name, &id));
            }
        }
        if words.is_empty() {
            (words, chain) = stuck(self.engine, of);
        }
        (words, chain, since)
    }

    /// Describes the tasks on a machine.
    fn on(&self, host: &str) -> Vec<String> {
        match account::listed(&self.facts.names_on(host)) {
            (_, 0) => Vec::new(),
            (names, 1) => vec![format!("{names} is there")],
            (names, _) => vec![format!("{names} are there")],
        }
    }

    /// Describes the initial input, unless it is part of the set-up.
    fn root_words(&self, chain: &Chain) -> Vec<String> {
        let number = chain.root.filter(|number| *number > self.set_up);
        let words = number.and_then(|number| account::named(self.engine, number));
        words.map(|words| format!("of `{words}`")).into_iter().collect()
    }

    /// Builds the account of an event; the way back leads to before its initial input.
    fn account(
        &self,
        at_ms: u64,
        element: &str,
        nearest: &str,
        because: Vec<String>,
        chain: Chain,
    ) -> Account {
        let chain = self.or_last(chain);
        let root = chain.root.filter(|root| *root > self.set_up);
        let back = self.back(at_ms, root.or(self.learner.last().copied()));
        told(at_ms, element, nearest, because, chain, back)
    }

    /// Builds the account of a missed deadline; the way back leads to before the learner's last input, or before the initial
    /// input if that is later.
    fn account_of_miss(
        &self,
        at_ms: u64,
        element: &str,
        nearest: &str,
        because: Vec<String>,
        chain: Chain,
    ) -> Account {
        let chain = self.or_last(chain);
        let root = chain.root.filter(|root| *root > self.set_up);
        let back = self.back(at_ms, root.max(self.learner.last().copied()));
        told(at_ms, element, nearest, because, chain, back)
    }

    /// Names the last event if nothing else is named.
    fn or_last(&self, chain: Chain) -> Chain {
        if chain.links.is_empty() { Chain::of(self.engine, self.engine.seq()) } else { chain }
    }

    /// Returns the position before an input, or the beginning. The learner acts before the lesson's own script, so the position
    /// for a script entry is slightly earlier.
    fn back(&self, at_ms: u64, number: Option<u64>) -> Place {
        let placed = number.and_then(|number| {
            let at_ms = self.engine.entries().iter().find(|entry| entry.seq == number)?.at_ms;
            let early = u64::from(!self.learner.contains(&number));
            Some(Place { input: number, at_ms: at_ms.saturating_sub(early) })
        });
        placed.filter(|place| place.at_ms <= at_ms).unwrap_or(Place { input: self.set_up + 1, at_ms: 0 })
    }
}

fn told(
    at_ms: u64,
    element: &str,
    nearest: &str,
    because: Vec<String>,
    chain: Chain,
    back: Place,
) -> Account {
    let sentence = sentence(at_ms, nearest, &because);
    let (element, nearest) = (element.to_owned(), nearest.to_owned());
    Account { at_ms, element, sentence, nearest, because, chain: chain.links, back }
}

impl Shortage {
    pub(crate) fn words(&self, now_ms: u64) -> String {
        let Self { of, bound, count, since_ms } = self;
        let lasted = now_ms.saturating_sub(*since_ms);
        let lasted = if lasted > 0 { format!("for {} ", span(lasted)) } else { String::new() };
        let from = instant(*since_ms);
        if bound.least == 0 {
            let needed = bound.most.saturating_add(1);
            format!("{needed} needed of {of}, {count} available {lasted}from {from}")
        } else {
            format!(
                "{} allowed of {of}, {count} available {lasted}from {from}",
                bound.least.saturating_sub(1)
            )
        }
    }
}

/// `Lost at 1:12: 2 needed, 1 for 14 s from 1:12, because agent-3 went down while world-1 was restarting.`
pub(crate) fn sentence(at_ms: u64, nearest: &str, because: &[String]) -> String {
    let mut text = format!("Lost at {}: {nearest}", instant(at_ms));
    for (index, words) in because.iter().take(CAUSES).enumerate() {
        text.push_str(if index == 0 { ", because " } else { " while " });
        text.push_str(words);
    }
    text.push('.');
    text
}

fn element_of(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Status { element, .. } => Some(element.to_string()),
        _ => None,
    }
}

/// Number and instant of the last change of an element's status.
fn last_status(engine: &Engine, element: &str) -> Option<(u64, u64)> {
    let changes = engine.events().iter().rev();
    changes
        .filter(|event| matches!(&event.body, EventBody::ElementStatus { path, .. } if is_at(path, element)))
        .map(|event| (event.seq, event.at_ms))
        .next()
}

/// Number of the last event that changed a machine's state.
fn last_of_machine(engine: &Engine, host: &str) -> u64 {
    let about = |body: &EventBody| match body {
        EventBody::MachineLost { agent, .. }
        | EventBody::MachineReturned { agent }
        | EventBody::AgentUnreachable { agent }
        | EventBody::AgentRemoved { agent, .. } => **agent == *host,
        EventBody::Maintenance { agents, .. } => agents.iter().any(|agent| **agent == *host),
        _ => false,
    };
    engine.events().iter().rev().find(|event| about(&event.body)).map_or(0, |event| event.seq)
}

/// Number of the last event about a task.
fn last_of_task(engine: &Engine, name: &str, id: &str) -> u64 {
    let about = |body: &EventBody| match body {
        EventBody::TaskStatus { task_id, .. } | EventBody::Launched { task_id, .. } => **task_id == *id,
        EventBody::Check { task, .. } => **task == *name,
        _ => false,
    };
    engine.events().iter().rev().find(|event| about(&event.body)).map_or(0, |event| event.seq)
}

/// Returns why the first unfinished plan of a service is stuck, and its last change.
fn stuck(engine: &Engine, of: &str) -> (Vec<String>, Chain) {
    let view = engine.view();
    let named = |name: &str| of == name || of.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    let own = view.services.iter().find(|service| named(service.name.trim_matches('/')));
    let Some(service) = own.or_else(|| view.services.first()) else { return (Vec::new(), Chain::default()) };
    let Some(plan) = service.plans.iter().find(|plan| is_open(service, &plan.status)) else {
        return (Vec::new(), Chain::default());
    };
    let words = reason(engine, &service.path(&plan.name)).into_iter().collect();
    let last = last_status(engine, &format!("{}/{}", service.name.trim_matches('/'), plan.name));
    (words, last.map_or_else(Chain::default, |(seq, _)| Chain::of(engine, seq)))
}

fn is_open(service: &ServiceView, status: &str) -> bool {
    !matches!(service.class(status), StatusClass::Done | StatusClass::Running)
}

/// Returns why an element is not finished, as a clause that follows `because`: the reason of its first unfinished step, if any.
/// `None` if it is finished.
fn reason(engine: &Engine, path: &ElementPath) -> Option<String> {
    let view = engine.view();
    let service = view.services.iter().find(|service| service.holds(path))?;
    let why = first_open(service, path).and_then(|step| engine.why(&step)).or_else(|| engine.why(path))?;
    if why.reasons.is_empty() || !is_open(service, &why.status) {
        return None;
    }
    let text = why.sentence.trim_end_matches('.');
    let opening = ["Plan ", "Phase ", "Step ", "It ", "Nobody ", "The "];
    let lower = opening.iter().any(|word| text.starts_with(word));
    let mut letters = text.chars();
    let first = letters.next()?;
    Some(if lower { format!("{}{}", first.to_ascii_lowercase(), letters.as_str()) } else { text.to_owned() })
}

/// Returns the first started and unfinished step below an element, otherwise the first unfinished one.
fn first_open(service: &ServiceView, path: &ElementPath) -> Option<ElementPath> {
    let plan = service.plans.iter().find(|plan| plan.name == path.plan)?;
    let phases =
        plan.phases.iter().filter(|phase| path.phase.as_ref().is_none_or(|name| *name == phase.name));
    let steps = phases.flat_map(|phase| phase.steps.iter().map(move |step| (phase, step)));
    let open: Vec<_> =
        steps.filter(|(_, step)| path.step.is_none() && is_open(service, &step.status)).collect();
    let begun = open.iter().find(|(_, step)| service.class(&step.status) != StatusClass::Pending);
    let (phase, step) = begun.or_else(|| open.first())?;
    Some(ElementPath { phase: Some(phase.name.clone()), step: Some(step.key().clone()), ..path.clone() })
}
