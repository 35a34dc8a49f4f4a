//! Reasons for instances that wait to be launched: delays, missing offers, unsuitable offers.
//!
//! *Knows*: the launch queue, and the result of each agent's last offer. *Must not know*: what the instances are needed for.

use super::{Explainer, count, reason};
use crate::definition::RunSpec;
use crate::instances::instance::Instance;
use crate::instances::tracker::SpecNo;
use crate::offers::matching::Reject;
use crate::offers::statistics::Unused;
use planarium_kernel::{Milli, SimTime};
use planarium_protocol::why::{
    AgentOutcome, FunnelStage, OfferFunnel, Reason, ReasonKind, RequirementOutcome,
};
use std::sync::Arc;

/// Requirements in the order in which a reject counts.
const ORDER: [Reject; 10] = Reject::ALL;

/// Returns the name of a requirement.
fn requirement(reject: Reject) -> &'static str {
    match reject {
        Reject::Role => "role",
        Reject::Constraint => "placement",
        Reject::NoReservation => "reservation",
        Reject::Maintenance => "maintenance",
        Reject::Cpus => "cpus",
        Reject::Mem => "mem",
        Reject::Disk => "disk",
        Reject::Gpus => "gpus",
        Reject::Ports => "ports",
        Reject::ScarceGpus => "scarce gpus",
    }
}

impl Explainer<'_> {
    /// Explains why an app's instances wait for their launch.
    pub(super) fn waiting(&mut self, no: SpecNo) -> Vec<Reason> {
        let records = self.records;
        let waiting: Vec<&Arc<Instance>> =
            records.instances.waiting_of(no).map(|(_, instance)| instance).collect();
        let (Some(first), Some(run)) = (waiting.first(), records.run(no)) else { return Vec::new() };
        let spec = first.spec.clone();
        let many = count(waiting.len(), "instance");
        let mut reasons = Vec::new();
        reasons.extend(self.delay(no, &spec, &many));
        let delayed = |one: &&Arc<Instance>| !run.backoff.allows(&one.spec, self.now);
        if waiting.iter().all(delayed) {
            return reasons;
        }
        let since = waiting.iter().map(|one| one.queued).min().unwrap_or_default();
        let current =
            |unused: &&Arc<Unused>| unused.spec.version.version == spec.version.version && unused.at >= since;
        let looked: Vec<Arc<Unused>> = run.stats.last.values().filter(current).cloned().collect();
        if looked.is_empty() {
            reasons.push(self.no_offers(&spec, &many, waiting.len()));
            self.fit_remedies(no, &spec, &looked);
        } else {
            // The reservations of an instance are on one machine only.
            let bound: Vec<_> = waiting.iter().filter(|one| one.reservation.is_some()).copied().collect();
            if bound.len() < waiting.len() {
                self.offer_remedies(&spec, waiting.len() - bound.len(), false);
            }
            let is_away = |unused: &Arc<Unused>| unused.why.reasons.contains(&Reject::NoReservation);
            if looked.iter().all(is_away) {
                self.give_up_remedies(&bound);
            }
            reasons.push(Self::unsuited(&spec, &many, &looked));
            self.fit_remedies(no, &spec, &looked);
        }
        reasons
    }

    /// The delay after failures.
    fn delay(&mut self, no: SpecNo, spec: &Arc<RunSpec>, many: &str) -> Option<Reason> {
        let run = self.records.run(no)?;
        let delay = run.backoff.get(spec).filter(|delay| delay.until() > self.now)?;
        let last = run.failure.as_ref().map(|failure| {
            let message =
                if failure.message.is_empty() { String::new() } else { format!(": {}", failure.message) };
            format!("; last {} of {}{message}", failure.state, failure.task)
        });
        let failures = count(delay.failures as usize, "failure");
        let wait = waits(many);
        let text = format!(
            "{many} of {} {wait} until {}: after {failures} the next launch is delayed by {} ms{}",
            spec.id,
            delay.until(),
            delay.ms(),
            last.unwrap_or_default()
        );
        let kind = ReasonKind::Backoff {
            task: spec.id.text().clone(),
            until_ms: delay.until().ms(),
            delay_ms: delay.ms(),
        };
        self.delay_remedy(spec);
        let failed = run.failure.as_ref().map(|failure| failure.event);
        Some(reason(text, Some(delay.event).filter(|event| *event > 0).or(failed), kind))
    }

    /// No offer has been looked at.
    fn no_offers(&mut self, spec: &Arc<RunSpec>, many: &str, waiting: usize) -> Reason {
        let records = self.records;
        let role = &spec.def.role;
        let faults = self.cluster.withholding_offers(&records.setup.settings.framework);
        let text = if records.setup.framework_id.is_empty() {
            "Marathon is not registered with the master".to_owned()
        } else if !faults.is_empty() {
            let known: Vec<_> = self.cluster.faults();
            let in_force: Vec<_> = known
                .iter()
                .filter(|fault| faults.contains(&fault.id))
                .map(|fault| (fault.id.clone(), "offers-withheld"))
                .collect();
            self.fault_remedies(&in_force);
            format!("offers are withheld ({})", faults.join(", "))
        } else if !self.demand.wants_offers(role) {
            match self.demand.tells_master_at(self.records) {
                Some(at) => format!("Marathon asks the master for offers at {at}"),
                None => "Marathon has not asked the master for offers".to_owned(),
            }
        } else {
            format!("the master has sent none for role {role} since they were asked for")
        };
        let reaches = self.cluster.round_reaches(records.setup.framework, None);
        self.offer_remedies(spec, waiting, reaches);
        let wait = waits(many);
        let line = format!("{many} of {} {wait} for offers, and none was at hand: {text}", spec.id);
        reason(line, None, ReasonKind::NoOffers { text: text.into() })
    }

    /// Offers were looked at, and none suits.
    fn unsuited(spec: &Arc<RunSpec>, many: &str, looked: &[Arc<Unused>]) -> Reason {
        let agents: Vec<AgentOutcome> = looked.iter().map(|unused| outcome(spec, unused)).collect();
        let stages = ORDER.into_iter().filter_map(|reject| {
            let name = requirement(reject);
            let mut stage = FunnelStage { requirement: name.into(), passed: 0, failed: 0 };
            for agent in &agents {
                match agent.outcomes.iter().find(|outcome| *outcome.requirement == *name) {
                    Some(outcome) if !outcome.passed => stage.failed += 1,
                    _ => stage.passed += 1,
                }
            }
            (stage.failed > 0).then_some(stage)
        });
        let closest = looked.iter().zip(&agents).min_by_key(|(unused, _)| distance(spec, unused));
        let nearest = closest.map(|(_, agent)| {
            let missed: Vec<&str> = agent
                .outcomes
                .iter()
                .filter(|outcome| !outcome.passed)
                .map(|outcome| outcome.text.as_str())
                .collect();
            format!("{} is nearest: {}", agent.agent, missed.join(", "))
        });
        let last = looked.iter().max_by_key(|unused| unused.at);
        let at = last.map_or(SimTime::ZERO, |unused| unused.at);
        let event = last.map(|unused| unused.event);
        let machines = if agents.len() == 1 {
            "the offer of 1 machine was".to_owned()
        } else {
            format!("offers of {} machines were", agents.len())
        };
        let close = nearest.as_ref().map(|nearest| format!("; {nearest}")).unwrap_or_default();
        let wait = waits(many);
        let text =
            format!("{many} of {} {wait} for offers: {machines} looked at, and none fits{close}", spec.id);
        let funnel = OfferFunnel { at_ms: at.ms(), stages: stages.collect(), agents, nearest };
        reason(text, event, ReasonKind::NoMatchingOffer { funnel })
    }
}

/// Returns how far an offer is from an app's needs: requirements that more room would not meet, then the missing amounts in
/// thousandths of the needed ones, summed.
pub(super) fn distance(spec: &RunSpec, unused: &Unused) -> (usize, i64) {
    let needs = &spec.def.needs;
    let short = |name: &str, needed: Milli| {
        let missing = needed.thousandths().saturating_sub(unused.left.scalar(name).thousandths()).max(0);
        missing.saturating_mul(1000) / needed.thousandths().max(1)
    };
    let (mut others, mut missing) = (usize::from(unused.why.region), 0_i64);
    for reject in ORDER.into_iter().filter(|reject| unused.why.reasons.contains(reject)) {
        match reject {
            Reject::Cpus => missing = missing.saturating_add(short("cpus", needs.cpus)),
            Reject::Mem => missing = missing.saturating_add(short("mem", needs.mem)),
            Reject::Disk => missing = missing.saturating_add(short("disk", needs.disk)),
            Reject::Gpus => missing = missing.saturating_add(short("gpus", needs.gpus)),
            Reject::Role
            | Reject::Constraint
            | Reject::NoReservation
            | Reject::Maintenance
            | Reject::Ports
            | Reject::ScarceGpus => others += 1,
        }
    }
    (others, missing)
}

/// The verb that goes with a count.
fn waits(many: &str) -> &'static str {
    if many.starts_with("1 ") { "waits" } else { "wait" }
}

/// Returns the outcome of one offer.
fn outcome(spec: &RunSpec, unused: &Unused) -> AgentOutcome {
    let needs = &spec.def.needs;
    // Resources offered to other roles neither help nor are missing.
    let scalar = |name: &str, needed: Milli| {
        let offered = unused.left.scalar(name);
        if offered < needed {
            format!("needs {needed} {name}, {offered} offered")
        } else {
            format!("needs {needed} {name}; the {offered} offered are for other roles")
        }
    };
    let text = |reject: Reject| match reject {
        Reject::Role => format!("nothing in it is for role {}", spec.def.role),
        Reject::Constraint => {
            let constraint = unused.why.constraint.and_then(|at| spec.def.constraints.get(at as usize));
            match constraint {
                Some(constraint) => format!("constraint {} does not hold", constraint.text),
                None => "its machine is about to go away".to_owned(),
            }
        }
        Reject::NoReservation => "nothing there is reserved for it".to_owned(),
        Reject::Maintenance => "a maintenance window of the machine is open or near".to_owned(),
        Reject::Cpus => scalar("cpus", needs.cpus),
        Reject::Mem => scalar("mem", needs.mem),
        Reject::Disk => scalar("disk", needs.disk),
        Reject::Gpus => scalar("gpus", needs.gpus),
        Reject::Ports => "the ports it needs are not offered".to_owned(),
        Reject::ScarceGpus => "its GPUs are kept for those who need them".to_owned(),
    };
    // If no resource may be used, the role is the only reason.
    let only_role = unused.why.reasons.contains(&Reject::Role);
    let is_amount = |reject| matches!(reject, Reject::Cpus | Reject::Mem | Reject::Disk | Reject::Gpus);
    let counts = |reject: Reject| !(only_role && is_amount(reject));
    let mut outcomes: Vec<RequirementOutcome> = ORDER
        .into_iter()
        .filter(|reject| unused.why.reasons.contains(reject) && counts(*reject))
        .map(|reject| RequirementOutcome {
            requirement: requirement(reject).into(),
            passed: false,
            text: text(reject),
            held: None,
        })
        .collect();
    if unused.why.region {
        outcomes.push(RequirementOutcome {
            requirement: "region".into(),
            passed: false,
            text: "it is in another region".to_owned(),
            held: None,
        });
    }
    AgentOutcome { agent: unused.offer.hostname.clone(), passed: false, outcomes }
}
