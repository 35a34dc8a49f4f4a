//! The operator, and the user who plays the cluster.

use super::Master;
use crate::{
    api::FrameworkId,
    maintenance::{
        Refused, Schedule,
        cluster::{drains, effects, view as maintenance_view},
        decode::OperatorCall,
    },
    offers::round,
    operator::{self, operate},
    records::Records,
    tasks::manual,
    wire::Answer,
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::Milli;
use planarium_protocol::{
    Refusal,
    input::{OfferRound, TaskStatusInput},
    view::WindowView,
};
use serde_json::Value;

impl Master {
    /// Sets the flag `offer_timeout`; for a master of an empty cluster. *Units*: milliseconds.
    pub fn set_offer_timeout(&mut self, timeout_ms: Option<u64>) {
        self.records.offers.timeout_ms = timeout_ms;
    }

    /// Carries out an operator's call about maintenance; reads change nothing.
    ///
    /// *Errors*: state is unchanged, except after [`Refused::NotRegistered`], which clears the agent's flags.
    pub fn maintain(&mut self, cx: &mut Cx, fleet: &mut Fleet, call: OperatorCall) -> Result<(), Refused> {
        effects::maintain(&mut self.records, cx, fleet, call)
    }

    /// The operator's schedule; empty when nothing is scheduled.
    pub fn schedule(&self) -> Schedule {
        self.records.maintenance.schedule()
    }

    /// The schedule as JSON; `{}` when nothing is scheduled.
    pub fn maintenance_schedule(&self) -> Value {
        maintenance_view::maintenance_schedule(&self.records.maintenance)
    }

    /// Machines that are not UP and what frameworks answered, as JSON. `epoch_ms` is the calendar time of
    /// genesis.
    pub fn maintenance_status(&self, epoch_ms: u64) -> Value {
        let Records { cluster, maintenance, .. } = &self.records;
        maintenance_view::maintenance_status(maintenance, &cluster.frameworks, epoch_ms)
    }

    /// The schedule as a front end shows it.
    pub fn window_views(&self) -> Vec<WindowView> {
        maintenance_view::window_views(&self.records.maintenance, &self.records.cluster.agents)
    }

    /// Carries out an operator's call.
    ///
    /// *Errors*: 400 for an invalid call, 409 if there are too few resources.
    pub fn operate(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        call: &operator::OperatorCall,
    ) -> Result<Answer, Refusal> {
        let answer = operate::operate(&mut self.records, cx, fleet, call)?;
        self.run_requested(cx, fleet);
        Ok(answer)
    }

    /// Runs exactly one round over these machines, in this order (all machines in order of joining if none is named).
    /// Makes withheld offers, too, and ignores filters if every framework has declined. Returns the number of offers.
    ///
    /// *Errors*: an unknown machine.
    pub fn offer_round(&mut self, cx: &mut Cx, asked: &OfferRound) -> Result<u32, Refusal> {
        let Records { cluster, offers, maintenance, .. } = &mut self.records;
        round::offer_round(offers, maintenance, cluster, cx, asked)
    }

    /// Tells if a role's quota leaves less of something than one of these amounts, by the names of resources.
    pub fn is_limited(&self, role: &str, amounts: &[(&str, Milli)]) -> bool {
        operator::quota::is_limited(&self.records.offers, &self.records.cluster, role, amounts)
    }

    /// Tells if a round over all machines, or over the one of this hostname, would offer a framework something.
    pub fn round_reaches(&self, framework: FrameworkId, hostname: Option<&str>) -> bool {
        round::would_reach(&self.records.cluster, framework, hostname)
    }

    /// Reports one status chosen by the user. The process follows it.
    ///
    /// *Errors*: no matching task, several matching tasks, unknown words.
    pub fn task_status(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        said: &TaskStatusInput,
    ) -> Result<(), Refusal> {
        let Records { cluster, tasks, .. } = &mut self.records;
        let left = manual::task_status(tasks, cluster, cx, fleet, said)?;
        drains::check(&mut self.records, cx, fleet, left);
        Ok(())
    }
}
