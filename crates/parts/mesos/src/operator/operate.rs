//! Carries out an operator's call.

use super::call::OperatorCall;
use crate::{
    frameworks::subscription,
    operator::{convert, quota, weights},
    records::Records,
    wire::{Answer, read::bad},
};
use planarium_ground::{Cx, Fleet};
use planarium_protocol::Refusal;

/// Carries out an operator's call.
///
/// *Errors*: 400 for an invalid call, 409 if there are too few resources.
pub(crate) fn operate(
    records: &mut Records,
    cx: &mut Cx,
    fleet: &mut Fleet,
    call: &OperatorCall,
) -> Result<Answer, Refusal> {
    let answer = match call {
        OperatorCall::Teardown { framework_id } => {
            let id = records
                .cluster
                .frameworks
                .by_wire_id(framework_id)
                .ok_or_else(|| bad(format!("No framework found with ID '{framework_id}'")))?;
            subscription::remove_framework(records, cx, fleet, id);
            Answer::empty(200)
        }
        OperatorCall::Convert(convert) => {
            convert::convert_for_operator(&mut records.offers, &mut records.cluster, cx, convert)?;
            Answer::empty(202)
        }
        OperatorCall::Grow { agent_id, volume, addition } => {
            convert::grow_for_operator(
                &mut records.offers,
                &mut records.cluster,
                cx,
                agent_id,
                volume,
                addition,
            )?;
            Answer::empty(202)
        }
        OperatorCall::Shrink { agent_id, volume, by } => {
            convert::shrink_for_operator(
                &mut records.offers,
                &mut records.cluster,
                cx,
                agent_id,
                volume,
                *by,
            )?;
            Answer::empty(202)
        }
        OperatorCall::SetLoggingLevel { level, for_ms } => {
            records.cluster.operators.logging = Some((*level, cx.now().saturating_add(*for_ms)));
            Answer::empty(200)
        }
        OperatorCall::UpdateWeights(weights) => {
            weights::update_weights(&mut records.offers, &mut records.cluster, cx, weights)?;
            Answer::empty(200)
        }
        OperatorCall::SetQuota { quota, force } => {
            quota::set_quota(&mut records.offers, &mut records.cluster, cx, quota, *force)?;
            Answer::empty(200)
        }
        OperatorCall::UpdateQuota { configs, force } => {
            quota::update_quota(&mut records.offers, &mut records.cluster, cx, configs, *force)?;
            Answer::empty(200)
        }
        OperatorCall::RemoveQuota(role) => {
            quota::remove_quota(&mut records.cluster, cx, role)?;
            Answer::empty(200)
        }
    };
    Ok(answer)
}
