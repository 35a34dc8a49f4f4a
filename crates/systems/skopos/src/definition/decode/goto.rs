//! Resolves the steps named by a plan's exits.
//!
//! *Knows*: ids and the chains of steps. *Must not know*: text.
//!
//! *Order*: an exit gets one error at most: an unknown step, a step of another chain, or a step of a loop.

use super::{Cx, Draft, flow};
use crate::codes;
use crate::definition::nearest::nearest;
use crate::plan::{ChainKind, Label, StepId};
use planarium_source::Span;
use planarium_source::suggest::did_you_mean;

/// Finds the steps that exits name.
pub(super) fn resolve(cx: &mut Cx<'_>, draft: &mut Draft) {
    for at in 0..draft.steps.len() {
        for (n, what) in ["on_pass", "on_fail"].into_iter().enumerate() {
            let found = target(cx, draft, at, n, what);
            let Some(one) = draft.steps.get_mut(at) else { continue };
            match found {
                Found::None => {}
                Found::Lost => one.places.lost_exit = true,
                Found::Step(to) if n == 0 => one.step.on_pass.label = Label::Step(to),
                Found::Step(to) => one.step.on_fail.label = Label::Step(to),
            }
        }
    }
}

enum Found {
    None,
    Lost,
    Step(StepId),
}

fn target(cx: &mut Cx<'_>, draft: &Draft, at: usize, n: usize, what: &str) -> Found {
    let Some(one) = draft.steps.get(at) else { return Found::None };
    let Some(goes) = one.goes.get(n).and_then(Option::as_ref) else { return Found::None };
    let (own, span) = (&one.step, one.places.exits.get(n).copied().unwrap_or_default());
    let id = &own.id;
    let Some((to, other)) =
        draft.ids.get(goes).and_then(|(to, _)| Some((*to, &draft.steps.get(to.index())?.step)))
    else {
        unknown(cx, draft, at, goes, span, what);
        return Found::Lost;
    };
    let kind = draft.chains.get(own.chain.index()).map_or(ChainKind::Root, |chain| chain.kind);
    if other.chain != own.chain {
        let text = format!("'{what}' of step '{id}' leads to '{goes}', which is in another chain");
        let help = match kind {
            ChainKind::Root => "end the chain with pass or fail: what is inside a step cannot be entered",
            _ => "end the chain with pass or fail, and let the step around it go on from there",
        };
        cx.error(codes::GOTO_SCOPE, span, text, help);
        return Found::Lost;
    }
    match kind {
        ChainKind::Loop => {
            let text = format!(
                "'{what}' of step '{id}' names the step '{goes}', which is not allowed inside a loop"
            );
            cx.error(codes::GOTO_IN_LOOP, span, text, "inside a loop write next, pass or fail");
            return Found::Lost;
        }
        ChainKind::Root => {
            let text =
                format!("'{what}' of top-level step '{id}' names a step: the reference does not list that");
            cx.warn(codes::GOTO_TOP, span, text, "top-level steps usually have next, pass or fail");
        }
        ChainKind::Group | ChainKind::Component => {}
    }
    if other.at <= own.at {
        let to_itself = if other.at == own.at { "itself" } else { "an earlier step" };
        let text = format!("'{what}' of step '{id}' leads back to {to_itself}");
        let help = "make sure that it ends: after 100 times the plan is stopped";
        cx.warn(codes::BACK_JUMP, span, text, help);
    }
    Found::Step(to)
}

fn unknown(cx: &mut Cx<'_>, draft: &Draft, at: usize, goes: &str, span: Span, what: &str) {
    let Some(one) = draft.steps.get(at) else { return };
    let text = format!("'{what}' of step '{}' leads to '{goes}', which does not exist", one.step.id);
    let lower = goes.to_ascii_lowercase();
    let help = if let Some(label) = flow::SPECIAL.into_iter().find(|label| *label == lower) {
        format!("write '{label}' in lower case")
    } else if let Some(parted) = flow::parted(goes) {
        format!("put commas between: '{parted}'")
    } else {
        let siblings = draft.steps.iter().filter(|other| other.step.chain == one.step.chain);
        let names: Vec<&str> =
            flow::SPECIAL.into_iter().chain(siblings.map(|other| &*other.step.id)).collect();
        did_you_mean(nearest(goes, &names), || "name a step of the same chain, or write next, pass or fail")
    };
    cx.error(codes::GOTO_UNKNOWN, span, text, help);
}
