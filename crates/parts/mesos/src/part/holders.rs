//! Those who hold the rest of a machine, in explanations of offers.
//!
//! *Knows*: the ledger of machines. *Must not know*: what holders are.

use crate::OWNER;
use planarium_ground::{Fleet, Scalar};
use planarium_protocol::Why;
use planarium_protocol::why::{HeldByOthers, ReasonKind};

fn held_by_others(fleet: &Fleet, hostname: &str, requirement: &str) -> Option<HeldByOthers> {
    let scalar = match requirement {
        "cpus" => Scalar::Cpus,
        "mem" => Scalar::Mem,
        "disk" => Scalar::Disk,
        "gpus" => Scalar::Gpus,
        _ => return None,
    };
    fleet.ledger().named_others(fleet.find_machine(hostname)?, OWNER, scalar)
}

/// Adds the holders of a machine whose offer was too small.
pub(super) fn name_holders(fleet: &Fleet, why: &mut Why) {
    for reason in &mut why.reasons {
        let ReasonKind::NoMatchingOffer { funnel } = &mut reason.kind else { continue };
        for agent in &mut funnel.agents {
            for outcome in agent.outcomes.iter_mut().filter(|outcome| !outcome.passed) {
                outcome.held = held_by_others(fleet, &agent.agent, &outcome.requirement);
            }
        }
    }
}
