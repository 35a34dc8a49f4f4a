//! Steps that no path of exits leads to.
//!
//! *Knows*: where exits lead. *Must not know*: what steps do, but that a delay never fails.

use crate::codes;
use crate::definition::decode::{Cx, Decoded};
use crate::plan::{Chain, Class, Leads, StepId};

/// Reports the steps of every chain that cannot be reached from its first step.
pub(super) fn run(cx: &mut Cx<'_>, decoded: &Decoded) {
    for (_, chain) in decoded.plan.chains() {
        let lost = |id: &StepId| decoded.places.get(id.index()).is_some_and(|places| places.lost_exit);
        // Where an exit could not be understood, it may lead anywhere.
        if chain.steps.iter().any(lost) {
            continue;
        }
        let reached = reached(decoded, chain);
        for (id, _) in chain.steps.iter().zip(&reached).filter(|(_, reached)| !**reached) {
            let (Some(step), Some(places)) = (decoded.plan.step(*id), decoded.places.get(id.index())) else {
                continue;
            };
            let text = format!("No exit leads to step '{}'", step.id);
            let help = if step.cleanup {
                "name it in the on_fail of the step whose failure it cleans up after"
            } else {
                "check the exits of the steps before it, or remove it"
            };
            cx.warn(codes::UNREACHABLE, places.head, text, help);
        }
    }
}

fn reached(decoded: &Decoded, chain: &Chain) -> Vec<bool> {
    let mut reached = vec![false; chain.steps.len()];
    let mut open = vec![0_usize];
    while let Some(at) = open.pop() {
        match reached.get_mut(at) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let Some(step) = chain.steps.get(at).and_then(|id| decoded.plan.step(*id)) else { continue };
        let can_fail = !matches!(step.class, Class::Delay { .. });
        for exit in [Some(&step.on_pass), can_fail.then_some(&step.on_fail)].into_iter().flatten() {
            if let Leads::To(place) = exit.leads {
                open.push(place as usize);
            }
        }
    }
    reached
}
