//! An operator's call carried out.

use super::call::OperatorCall;
use crate::{
    Master,
    wire::{Answer, read::bad},
};
use planarium_fleet::{Cx, Fleet};
use planarium_protocol::Refusal;

impl Master {
    /// Carries an operator's call out.
    ///
    /// *Errors*: 400 for what is wrong with the call, 409 when there is too little of what is asked for.
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
}
