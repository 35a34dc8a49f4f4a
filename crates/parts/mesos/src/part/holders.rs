//! Names in explanations of offers: who holds the rest of a machine.
//!
//! *Knows*: the ledger of machines. *Must not know*: what holders are.

use crate::OWNER;
use planarium_ground::{Fleet, Scalar};
use planarium_protocol::Why;
use planarium_protocol::why::ReasonKind;

/// Most holders that are named.
const NAMED: usize = 3;

/// Names those who hold some of a machine besides Mesos, with the amount: `4096 held by pod web-0, 2 more`; none where nobody does.
fn held_by_others(fleet: &Fleet, hostname: &str, requirement: &str) -> Option<String> {
    let scalar = match requirement {
        "cpus" => Scalar::Cpus,
        "mem" => Scalar::Mem,
        "disk" => Scalar::Disk,
        "gpus" => Scalar::Gpus,
        _ => return None,
    };
    let machine = fleet.find_machine(hostname)?;
    let others = fleet.ledger().others_by_size(machine, OWNER, scalar);
    let amounts = fleet.ledger().held_by_others(machine, OWNER);
    let amount = match scalar {
        Scalar::Mem => amounts.mem_mib_up(),
        Scalar::Disk => amounts.disk_mib_up(),
        Scalar::Cpus | Scalar::Gpus => amounts.get(scalar),
    };
    let mut names: Vec<String> = others.iter().take(NAMED).map(|one| one.holder.text()).collect();
    match others.len().saturating_sub(names.len()) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    (!names.is_empty()).then(|| format!("{amount} held by {}", names.join(", ")))
}

/// Names those who hold the rest of a machine whose offer was too small.
pub(super) fn name(fleet: &Fleet, why: &mut Why) {
    for reason in &mut why.reasons {
        let ReasonKind::NoMatchingOffer { funnel } = &mut reason.kind else { continue };
        for agent in &mut funnel.agents {
            for outcome in agent.outcomes.iter_mut().filter(|outcome| !outcome.passed) {
                if let Some(rest) = held_by_others(fleet, &agent.agent, &outcome.requirement) {
                    outcome.text = format!("{}; {rest}", outcome.text);
                }
            }
        }
    }
}
