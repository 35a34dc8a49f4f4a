//! Carries out an operator's call.

use super::call::OperatorCall;
use crate::{
    Master,
    wire::{Answer, read::bad},
};
use planarium_ground::{Cx, Fleet};
use planarium_kernel::SimTime;
use planarium_protocol::Refusal;

impl Master {
    /// Carries out an operator's call.
    ///
    /// *Errors*: 400 for what is wrong with the call, 409 when there are too few resources.
    pub fn operate(
        &mut self,
        cx: &mut Cx,
        fleet: &mut Fleet,
        call: &OperatorCall,
    ) -> Result<Answer, Refusal> {
        let answer = match call {
            OperatorCall::Teardown { framework_id } => {
                let id = self
                    .framework_by_id(framework_id)
                    .ok_or_else(|| bad(format!("No framework found with ID '{framework_id}'")))?;
                self.remove_framework(cx, fleet, id);
                Answer::empty(200)
            }
            OperatorCall::Convert(convert) => {
                self.convert_for_operator(cx, convert)?;
                Answer::empty(202)
            }
            OperatorCall::Grow { agent_id, volume, addition } => {
                self.grow_for_operator(cx, agent_id, volume, addition)?;
                Answer::empty(202)
            }
            OperatorCall::Shrink { agent_id, volume, by } => {
                self.shrink_for_operator(cx, agent_id, volume, *by)?;
                Answer::empty(202)
            }
            OperatorCall::SetLoggingLevel { level, for_ms } => {
                self.logging = Some((*level, cx.now().saturating_add(*for_ms)));
                Answer::empty(200)
            }
            OperatorCall::UpdateWeights(weights) => {
                self.update_weights(cx, weights)?;
                Answer::empty(200)
            }
            OperatorCall::SetQuota { quota, force } => {
                self.set_quota(cx, quota, *force)?;
                Answer::empty(200)
            }
            OperatorCall::UpdateQuota { configs, force } => {
                self.update_quota(cx, configs, *force)?;
                Answer::empty(200)
            }
            OperatorCall::RemoveQuota(role) => {
                self.remove_quota(cx, role)?;
                Answer::empty(200)
            }
        };
        self.run_requested(cx, fleet);
        Ok(answer)
    }

    /// The logging level: 0 unless an operator has set another one for a while.
    pub(crate) fn logging_level(&self, now: SimTime) -> u32 {
        self.logging.filter(|(_, until)| now < *until).map_or(0, |(level, _)| level)
    }
}
