//! Plans as text.

use super::{PhaseView, PlanView, Progress};
use std::fmt::Write as _;

/// One plan as `plan status` prints it, without a trailing newline.
pub fn plan_tree(plan: &PlanView) -> String {
    let mut out = format!("{} ({} strategy) ({})", plan.name, plan.strategy, plan.status);
    for (index, phase) in plan.phases.iter().enumerate() {
        let last = index + 1 == plan.phases.len();
        phase_tree(&mut out, phase, last);
    }
    if !plan.errors.is_empty() {
        out.push_str("\n\nErrors:");
        for error in &plan.errors {
            let _ = write!(out, "\n- {error}");
        }
    }
    out
}

fn phase_tree(out: &mut String, phase: &PhaseView, last: bool) {
    let (branch, indent) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
    let _ = write!(out, "\n{branch}{} ({} strategy) ({})", phase.name, phase.strategy, phase.status);
    for (index, step) in phase.steps.iter().enumerate() {
        let branch = if index + 1 == phase.steps.len() { "└─ " } else { "├─ " };
        let _ = write!(out, "\n{indent}{branch}{} ({})", step.name, step.status);
        if let Some(Progress { done, total }) = step.progress {
            let _ = write!(out, " ({done}/{total})");
        }
    }
}
