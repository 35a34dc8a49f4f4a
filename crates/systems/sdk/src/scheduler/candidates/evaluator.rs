//! Evaluates offers for a step.
//!
//! *Knows*: a step's earlier results, and those of other candidates in the cycle. *Must not know*: how a fitting offer is
//! used.
//!
//! Until something is launched, one candidate's results are valid for every other candidate with the same needs and
//! without a footprint; those share them instead of evaluating again.
//!
//! **Source**: `dcos-commons: …/offer/evaluate/OfferEvaluator.java`. Match.

use crate::scheduler::Cx;
use crate::scheduler::configs::{Config, PodType};
use crate::scheduler::offers::evaluate::footprint::Footprint;
use crate::scheduler::offers::evaluate::outcome::{Check, Outcome};
use crate::scheduler::offers::evaluate::{self, Ask};
use crate::scheduler::offers::history::Evaluation;
use crate::scheduler::offers::{Look, Offers};
use crate::scheduler::plans::Plans;
use crate::scheduler::requirement::{Recovery, Requirement};
use crate::scheduler::state::TaskStore;
use planarium_kernel::{SortedMap, SortedSet, fingerprint};
use planarium_mesos::api::Offer;
use planarium_plan::Holder;
use planarium_protocol::Text;
use planarium_protocol::event::EventBody;
use std::borrow::Cow;
use std::sync::Arc;

/// Events about offers that did not fit, per step and cycle at most.
const TOLD: u32 = 8;

/// Maximum number of machines without the pod's reservations that a step evaluates while these stay in place: they all
/// fail for the same reason.
const FOREIGN: u32 = 4;

/// Findings that the candidates of one cycle share.
#[derive(Default)]
pub(super) struct Findings {
    /// Evaluations valid for other candidates, too.
    looks: Vec<SharedLook>,
    /// Machines whose offers were used.
    used: Vec<Text>,
    /// Machines that made offers to this cycle, with fingerprints of their names; known once a candidate asks.
    hosts: Option<SortedSet<(u64, Text)>>,
    /// Room for the checks of one offer.
    checks: Vec<Check>,
}

struct SharedLook {
    pod: Arc<PodType>,
    tasks: Arc<[Text]>,
    before: Option<Arc<Look>>,
    look: Arc<Look>,
}

impl Findings {
    /// An offer was used: evaluations with fewer stored tasks are no longer valid, and its machine makes no other
    /// offer.
    pub(super) fn used(&mut self, offer: &Offer) {
        self.looks.clear();
        self.used.push(offer.hostname.clone());
    }

    /// Returns whether a machine made an offer in this cycle; `left` are the offers not used so far.
    fn has_offer_of(&mut self, host: &Text, left: &[Arc<Offer>]) -> bool {
        let marked = |host: &Text| (fingerprint::of(host), host.clone());
        let hosts = self.hosts.get_or_insert_with(|| {
            left.iter().map(|offer| &offer.hostname).chain(&self.used).map(marked).collect()
        });
        hosts.contains(&marked(host))
    }

    fn find(&self, requirement: &Requirement, before: Option<&Arc<Look>>) -> Option<&Arc<Look>> {
        let same_before = |shared: &SharedLook| match (&shared.before, before) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        self.looks
            .iter()
            .find(|shared| {
                Arc::ptr_eq(&shared.pod, &requirement.pod)
                    && shared.tasks == requirement.tasks
                    && same_before(shared)
            })
            .map(|shared| &shared.look)
    }
}

/// An offer that fits.
pub(super) struct Fit {
    /// Its place among those that are left.
    pub(super) at: usize,
    /// The parts that the pod takes.
    pub(super) footprint: Footprint,
    /// The event that reports it.
    pub(super) event: u64,
}

/// The records that an evaluation reads and changes.
pub(super) struct OfferEvaluator<'a> {
    pub(super) target: &'a Config,
    pub(super) tasks: &'a mut TaskStore,
    pub(super) plans: &'a mut Plans,
    pub(super) offers: &'a mut Offers,
    pub(super) findings: &'a mut Findings,
}

impl OfferEvaluator<'_> {
    /// Evaluates the offers in order; returns the first that fits.
    pub(super) fn look(
        &mut self,
        cx: &mut Cx,
        holder: Holder,
        requirement: &Arc<Requirement>,
        offers: &[Arc<Offer>],
    ) -> Option<Fit> {
        if offers.is_empty() {
            return None;
        }
        let home = evaluate::home_of(requirement, self.tasks);
        // Results from when the reservations tied the pod to another machine, or to none, are no longer valid.
        let before =
            self.plans.step(holder).and_then(|data| data.look.clone()).filter(|look| look.home == home);
        let shareable = requirement.recovery == Recovery::None && self.tasks.pod(&requirement.key).is_none();
        if shareable && let Some(look) = self.findings.find(requirement, before.as_ref()) {
            let look = look.clone();
            self.set_look(cx, holder, look);
            return None;
        }
        if requirement.pod.rule.counts_elsewhere() {
            self.tasks.keep_placement_facts();
        }
        let mut foreign = before.as_ref().map_or(0, |look| look.foreign);
        if home.as_ref().is_some_and(|home| foreign >= FOREIGN && !self.findings.has_offer_of(home, offers)) {
            return None;
        }
        // Earlier results, copied once something is added to them.
        let mut outcomes: Cow<'_, SortedMap<Text, Arc<Outcome>>> =
            before.as_ref().map_or_else(Cow::default, |look| Cow::Borrowed(&look.outcomes));
        let mut found = None;
        let mut told = 0;
        for (at, offer) in offers.iter().enumerate() {
            let away = home.as_ref().is_some_and(|home| *home != offer.hostname);
            if away {
                if foreign >= FOREIGN {
                    continue;
                }
                foreign += 1;
            }
            let (outcome, footprint) = self.evaluate(cx, requirement, offer);
            let known = |old: &Arc<Outcome>| away && old.first_failure() == outcome.first_failure();
            let news = outcomes.get(&outcome.agent).is_none_or(|old| old.checks != outcome.checks)
                && !outcomes.values().any(known);
            let event = (outcome.passed || news && told < TOLD).then(|| {
                told += 1;
                self.report(cx, holder, &outcome)
            });
            self.offers.history.add(Evaluation {
                pod: requirement.key.name(),
                outcome: outcome.clone(),
                offer: offer.clone(),
            });
            if let (Some(footprint), Some(event)) = (footprint, event) {
                found = Some(Fit { at, footprint, event });
                break;
            }
            outcomes.to_mut().insert(outcome.agent.clone(), outcome);
        }
        if found.is_some() {
            // A launch clears the evaluation.
            self.plans.touch_step(cx, holder);
            return found;
        }
        let offers = u32::try_from(offers.len()).unwrap_or(u32::MAX);
        let outcomes = outcomes.into_owned();
        let look = Arc::new(Look { at: cx.now(), offers, home, foreign, outcomes });
        if shareable {
            self.findings.looks.push(SharedLook {
                pod: requirement.pod.clone(),
                tasks: requirement.tasks.clone(),
                before,
                look: look.clone(),
            });
        }
        self.set_look(cx, holder, look);
        None
    }

    /// Evaluates one offer.
    fn evaluate(
        &mut self,
        cx: &Cx,
        requirement: &Requirement,
        offer: &Offer,
    ) -> (Arc<Outcome>, Option<Footprint>) {
        let ask = Ask {
            requirement,
            offer,
            tasks: self.tasks,
            overhead: self.offers.overhead,
            service_role: &self.target.spec.role,
            master_region: self.offers.master_region.as_ref(),
        };
        let (outcome, footprint) = evaluate::evaluate(&ask, cx.now(), &mut self.findings.checks);
        (Arc::new(outcome), footprint)
    }

    fn report(&self, cx: &mut Cx, holder: Holder, outcome: &Outcome) -> u64 {
        cx.emit(EventBody::Evaluated {
            path: self.plans.path(holder.plan, holder.step.into()),
            agent: outcome.agent.clone(),
            passed: outcome.passed,
            requirement: outcome.first_unmet().into(),
            text: Text::from(outcome.first_failure()).into(),
        })
    }

    fn set_look(&mut self, cx: &Cx, holder: Holder, look: Arc<Look>) {
        if let Some(data) = self.plans.step_mut(holder) {
            data.look = Some(look);
        }
        self.plans.touch_step(cx, holder);
    }
}
