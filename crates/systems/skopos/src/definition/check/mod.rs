//! Checks a readable plan for probable mistakes.
//!
//! *Knows*: the plan, the model and the environment together. *Must not know*: text, running instances.
//!
//! None of these findings prevents a plan from running.

mod calls;
mod pattern;
mod reach;
mod variables;

use crate::codes;
use crate::definition::decode::{Cx, Decoded};
use crate::definition::env::Env;
use crate::definition::model::Model;
use crate::plan::{Call, Class};
use crate::plugins;
use planarium_source::suggest::did_you_mean;

/// Checks a plan.
pub(crate) fn run(
    cx: &mut Cx<'_>,
    decoded: &Decoded,
    model: Option<&Model>,
    env: &Env,
    scripts: &[&str],
    runs: &dyn Fn(&str) -> bool,
) {
    ignored_failures(cx, decoded);
    reach::run(cx, decoded);
    pattern::run(cx, decoded);
    calls::run(cx, decoded, env, scripts);
    variables::run(cx, decoded, model, env);
    components(cx, decoded, model, |name| {
        runs(name) || env.simulation.instances.iter().any(|planted| *planted.component == *name)
    });
    images(cx, decoded, model);
}

/// Checks the parts of a generated plan that come from the model and the environment.
pub(crate) fn run_on_made(cx: &mut Cx<'_>, decoded: &Decoded, model: &Model, env: &Env, scripts: &[&str]) {
    calls::run(cx, decoded, env, scripts);
    variables::run(cx, decoded, Some(model), env);
    images(cx, decoded, Some(model));
}

/// Components that are created and have no image.
fn images(cx: &mut Cx<'_>, decoded: &Decoded, model: Option<&Model>) {
    let plan = &decoded.plan;
    let creates = |name: &str| {
        plan.steps().any(|(_, step)| {
            let own = plan.chain(step.chain).and_then(|chain| chain.component.as_deref()) == Some(name);
            let Class::Action(action) = &step.class else { return false };
            let Call::Plugin { plugin, action } = &action.call else { return false };
            own && plugins::find(plugin, action).is_some_and(|spec| spec.op.creates())
        })
    };
    for ((_, step), places) in plan.steps().zip(&decoded.places) {
        let Class::Component { component, .. } = &step.class else { continue };
        let Some(known) = model.and_then(|model| model.component(component)) else { continue };
        if known.imageless && creates(component) {
            let text = format!("The component '{component}' has no image: no instance of it can be created");
            cx.warn(codes::NO_IMAGE, places.component, text, "add 'image:' to the component in the model");
        }
    }
}

/// Reports forward steps whose failure would be ignored.
fn ignored_failures(cx: &mut Cx<'_>, decoded: &Decoded) {
    for ((_, step), places) in decoded.plan.steps().zip(&decoded.places) {
        let can_fail = !matches!(step.class, Class::Delay { .. });
        if places.classed && can_fail && !step.cleanup && !step.on_fail.written && !places.lost_exit {
            let text =
                format!("Step '{}' has no on_fail: its failure is ignored and the chain goes on", step.id);
            let help = "write 'on_fail: fail', or the id of the first cleanup step";
            cx.info(codes::ON_FAIL_DEFAULT, places.head, text, help);
        }
    }
}

/// Component steps about something that is nowhere.
fn components(cx: &mut Cx<'_>, decoded: &Decoded, model: Option<&Model>, runs: impl Fn(&str) -> bool) {
    for ((_, step), places) in decoded.plan.steps().zip(&decoded.places) {
        let Class::Component { component, .. } = &step.class else { continue };
        let known = model.is_some_and(|model| model.component(component).is_some());
        if known || runs(component) {
            continue;
        }
        let text = format!("The component '{component}' is neither in the model nor running");
        let names: Vec<&str> = model.map_or_else(Vec::new, |model| {
            model.components.iter().map(|component| &*component.name).collect()
        });
        let help = did_you_mean(
            crate::definition::nearest::nearest(component, &names),
            || "add it to the model; as it is, no instance of it can be created",
        );
        cx.warn(codes::COMPONENT_UNKNOWN, places.component, text, help);
    }
}
