//! Shapes that the original page cannot draw. The engine runs them, and so does this one.
//!
//! *Knows*: order, loops and cleanup blocks of component chains. *Must not know*: what steps do.
//!
//! **Source**: Skopos Deployment Plan Reference, "Limitations". Match for the shapes; each is a piece of information here.

use crate::codes;
use crate::definition::decode::{Cx, Decoded};
use crate::plan::{Chain, ChainKind, Class, Label, Step, StepId};

const HELP: &str = "it runs all the same";

/// Reports the shapes.
pub(super) fn run(cx: &mut Cx<'_>, decoded: &Decoded) {
    for (_, chain) in decoded.plan.chains() {
        match chain.kind {
            ChainKind::Component => {
                order(cx, decoded, chain);
                loops(cx, decoded, chain);
                blocks(cx, decoded, chain);
            }
            ChainKind::Loop => cleanup_in_loop(cx, decoded, chain),
            ChainKind::Root | ChainKind::Group => {}
        }
    }
}

fn steps<'d>(decoded: &'d Decoded, chain: &'d Chain) -> impl Iterator<Item = (StepId, &'d Step)> {
    chain.steps.iter().filter_map(|id| Some((*id, decoded.plan.step(*id)?)))
}

/// Ids in exits other than from a forward step to a cleanup step on failure.
fn order(cx: &mut Cx<'_>, decoded: &Decoded, chain: &Chain) {
    for (id, step) in steps(decoded, chain) {
        for (n, exit) in [&step.on_pass, &step.on_fail].into_iter().enumerate() {
            let Label::Step(to) = exit.label else { continue };
            let to_cleanup = decoded.plan.step(to).is_some_and(|target| target.cleanup);
            if n == 1 && !step.cleanup && to_cleanup {
                continue;
            }
            let what = if n == 0 { "on_pass" } else { "on_fail" };
            let span = decoded.places.get(id.index()).and_then(|places| places.exits.get(n)).copied();
            let text =
                format!("'{what}' of step '{}' leaves the order that Skopos' own page can draw", step.id);
            cx.info(codes::PATTERN_ORDER, span.unwrap_or_default(), text, HELP);
        }
    }
}

/// Loops behind the first one, and loops that clean up, with more than one step.
fn loops(cx: &mut Cx<'_>, decoded: &Decoded, chain: &Chain) {
    let mut first = true;
    for (id, step) in steps(decoded, chain) {
        let Class::Loop { chain: inside, .. } = &step.class else { continue };
        let several = decoded.plan.steps_of(*inside).len() > 1;
        let class = decoded.places.get(id.index()).map(|places| places.class).unwrap_or_default();
        if step.cleanup {
            if several {
                let text = format!("The cleanup loop '{}' has several steps", step.id);
                cx.info(codes::PATTERN_CLEANUP_LOOP, class, text, HELP);
            }
        } else if !std::mem::replace(&mut first, false) && several {
            let text = format!("The loop '{}' comes behind another one and has several steps", step.id);
            cx.info(codes::PATTERN_POST_LOOP, class, text, HELP);
        }
    }
}

/// More than one block of cleanup steps.
fn blocks(cx: &mut Cx<'_>, decoded: &Decoded, chain: &Chain) {
    let (mut blocks, mut inside) = (0, false);
    for (id, step) in steps(decoded, chain) {
        let begins = step.cleanup && !inside;
        inside = step.cleanup;
        blocks += i32::from(begins);
        if begins && blocks == 2 {
            let span = decoded.places.get(id.index()).map(|places| places.head).unwrap_or_default();
            let text = format!("A second block of cleanup steps begins with '{}'", step.id);
            cx.info(codes::PATTERN_CLEANUP_BLOCKS, span, text, HELP);
        }
    }
}

fn cleanup_in_loop(cx: &mut Cx<'_>, decoded: &Decoded, chain: &Chain) {
    for (id, step) in steps(decoded, chain).filter(|(_, step)| step.cleanup) {
        let span = decoded.places.get(id.index()).map(|places| places.cleanup).unwrap_or_default();
        let text = format!("The cleanup step '{}' is inside a loop, where no exit can lead to it", step.id);
        cx.info(
            codes::PATTERN_LOOP_CLEANUP,
            span,
            text,
            "clean up behind the loop: some instances may be done",
        );
    }
}
