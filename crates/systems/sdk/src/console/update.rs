//! `update ...` on the running plan: the commands of `plan` with the plan `deploy`.
//!
//! **Source**: dcos-commons `cli/commands/update.go`. Match. Starting an update: [`super::package`].

use super::call::{Call, Done};
use super::plan::{self, COMPLETE, Element, PAUSE, RESTART, RESUME};
use planarium_part::console::Given;

/// The plan that carries updates out.
const PLAN: &str = "deploy";

pub(super) fn status(call: &mut Call<'_>, given: &Given) -> Done {
    plan::status_of(call, PLAN, given.has("json"))
}

pub(super) fn pause(call: &mut Call<'_>, _: &Given) -> Done {
    plan::command(call, PAUSE, Element { plan: PLAN, phase: "", step: "" })
}

pub(super) fn resume(call: &mut Call<'_>, _: &Given) -> Done {
    plan::command(call, RESUME, Element { plan: PLAN, phase: "", step: "" })
}

pub(super) fn force_restart(call: &mut Call<'_>, given: &Given) -> Done {
    plan::command(call, RESTART, Element { plan: PLAN, phase: given.text(0), step: given.text(1) })
}

pub(super) fn force_complete(call: &mut Call<'_>, given: &Given) -> Done {
    plan::command(call, COMPLETE, Element { plan: PLAN, phase: given.text(0), step: given.text(1) })
}
