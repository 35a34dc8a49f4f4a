//! A plan as drawn for Skopos: its activity, its gate, its phases in a row, and each phase with its chain.
//!
//! *Knows*: the drawing in the view. *Must not know*: the rules of exits; the view contains their targets.

use super::chart::Chart;
use super::layout::{chain, frame, list, overview, text};
use crate::store::ptr::Ptr;
use crate::store::selectors::status::{Words, look};
use crate::store::state::Pane;
use crate::store::{Action, Hub, use_hub};
use crate::systems::Selected;
use crate::ui::{Button, icon, status_icon};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::{ActionView, ServiceView, StatusClass};
use serde_json::Value;
use web_sys::wasm_bindgen::JsCast as _;
use yew::prelude::*;

/// The id of the chain that the phases are in.
const ROOT: &str = "@plan";
/// The file that a plan is edited in.
const PLAN_FILE: &str = "plan.yaml";

/// Names of steps that call something, those that are not done yet first.
pub(super) fn calls(service: &ServiceView) -> Vec<String> {
    let Some(flow) = service.more.get("flow") else { return Vec::new() };
    let nodes = list(flow, "chains").iter().flat_map(|chain| list(chain, "nodes"));
    let calling = nodes.filter(|node| node.get("call").is_some_and(|call| !call.is_null()));
    let (open, over): (Vec<&Value>, Vec<&Value>) =
        calling.partition(|node| service.class(text(node, "status")) != StatusClass::Done);
    open.into_iter().chain(over).map(|node| text(node, "id").to_owned()).collect()
}

/// The drawing of a service; none where its view has none.
pub(super) fn picture(service: &ServiceView) -> Option<Html> {
    let plan = service.plans.first()?;
    let flow = service.more.get("flow")?;
    let asked = flow.get("gate").map(|gate| text(gate, "step")).unwrap_or_default();
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    let gate = steps.into_iter().find(|step| &*step.id == asked);
    let gate: Vec<ActionView> = gate.map(|step| step.actions.to_vec()).unwrap_or_default();
    let (more, path) = (Ptr::from(&service.more), service.path(&plan.name));
    let (actions, words) = (plan.actions.to_vec(), service.statuses);
    Some(html! { <FlowPane key={service.name.to_string()} {more} {path} {actions} {gate} {words} /> })
}

#[derive(Properties, PartialEq)]
struct FlowPaneProps {
    more: Ptr<Value>,
    /// Of the plan.
    path: ElementPath,
    /// Actions on the plan.
    actions: Vec<ActionView>,
    /// Actions on the waiting gate.
    gate: Vec<ActionView>,
    words: Words,
}

#[component]
fn FlowPane(props: &FlowPaneProps) -> Html {
    let hub = use_hub();
    let selected = use_context::<Selected>().and_then(|selected| selected.0);
    let chosen =
        selected.filter(|path| is_inside(&props.path, path)).and_then(|path| path.step.or(path.phase));
    let chosen = chosen.unwrap_or_default();
    let pane = use_node_ref();
    use_effect_with((pane.clone(), chosen.clone()), |(pane, chosen)| show(pane, chosen));
    let line = props.more.get("flow").map(|flow| text(flow, "line").to_owned());
    use_effect_with((pane.clone(), line), |(pane, _)| follow(pane));
    let Some(flow) = props.more.get("flow") else { return Html::default() };
    let Some(root) = chain(flow, ROOT) else { return Html::default() };
    let chart = Chart { flow, path: &props.path, words: props.words, hub: &hub, chosen: &chosen };
    let written = props.more.get("plan").and_then(Value::as_str);
    let active = list(flow, "path").first().and_then(Value::as_str).unwrap_or("");
    let phases = list(root, "nodes");
    html! {
        <section ref={pane} class="flow" aria-label={format!("Plan of {}", props.path.service)}>
            <header>
                { icon("branch") }
                <h3>{ props.path.service.to_string() }</h3>
                <span class="muted" aria-live="polite">{ text(flow, "line").to_owned() }</span>
            </header>
            <div class="flow-actions" role="group" aria-label="The plan as a whole">
                { for props.actions.iter().filter(|action| action.refused.is_none()).map(|action| action_button(&hub, action, "")) }
            </div>
            if let Some(written) = written { { made(&hub, &props.path.service, written) } }
            if let Some(gate) = flow.get("gate") { { gate_box(&hub, gate, &props.gate) } }
            { next(flow) }
            if let Some(drawn) = overview(flow, ROOT).filter(|_| phases.len() > 1) { { chart.draw(&drawn, "") } }
            { for phases.iter().map(|phase| phase_box(&chart, phase, id_of(phase) == active || phases.len() <= 3 || holds(flow, phase, &chosen))) }
        </section>
    }
}

/// Returns whether an element is one of a plan.
fn is_inside(plan: &ElementPath, path: &ElementPath) -> bool {
    let whole = ElementPath { phase: None, step: None, ..path.clone() };
    whole == *plan
}

/// Returns whether a step is a phase, or is inside it.
fn holds(flow: &Value, node: &Value, step: &str) -> bool {
    let inside = node.get("inside").and_then(Value::as_str).and_then(|inside| chain(flow, inside));
    let nodes = inside.map_or(&[][..], |inside| list(inside, "nodes"));
    !step.is_empty() && (id_of(node) == step || nodes.iter().any(|node| holds(flow, node, step)))
}

/// The last box, which is the innermost, with this value of an attribute.
fn box_of(pane: &NodeRef, attribute: &str, value: &str) -> Option<web_sys::Element> {
    let boxes = pane.cast::<web_sys::Element>()?.query_selector_all("[data-step]").ok()?;
    let mut boxes =
        (0..boxes.length()).rev().filter_map(|at| boxes.item(at)?.dyn_into::<web_sys::Element>().ok());
    boxes.find(|one| one.get_attribute(attribute).as_deref() == Some(value))
}

/// Scrolls a drawing sideways to the step at work; the page stays where it is.
fn follow(pane: &NodeRef) {
    let Some(found) = box_of(pane, "data-family", "active") else { return };
    let Ok(Some(drawing)) = found.closest(".flow-scroll") else { return };
    let (inner, outer) = (found.get_bounding_client_rect(), drawing.get_bounding_client_rect());
    if inner.left() < outer.left() || inner.right() > outer.right() {
        let by = inner.left().midpoint(inner.right()) - outer.left().midpoint(outer.right());
        #[expect(clippy::cast_possible_truncation, reason = "pixels")]
        drawing.set_scroll_left(drawing.scroll_left() + by as i32);
    }
}

/// Brings the box of a step into view.
fn show(pane: &NodeRef, step: &str) {
    if let Some(found) =
        Some(step).filter(|step| !step.is_empty()).and_then(|step| box_of(pane, "data-step", step))
    {
        crate::browser::bring_into_view(&found);
    }
}

fn id_of(node: &Value) -> &str {
    text(node, "id")
}

fn action_button(hub: &Hub, action: &ActionView, look: &'static str) -> Html {
    let icon = Some(action.icon).filter(|icon| !icon.is_empty()).map(AttrValue::from);
    html! {
        <Button label={action.title.to_string()} {icon} {look}
            title={action.consequence.as_ref().map(|text| AttrValue::from(text.to_string()))}
            refused={action.refused.as_ref().map(|text| AttrValue::from(text.to_string()))}
            onclick={hub.act(Action::Do(Box::new(action.input.clone())))} />
    }
}

/// A waiting gate, with its question and the target of either answer.
fn gate_box(hub: &Hub, gate: &Value, actions: &[ActionView]) -> Html {
    let step = text(gate, "step");
    let prompt = Some(text(gate, "prompt")).filter(|prompt| !prompt.is_empty());
    html! {
        <div class="flow-gate" role="group" aria-label={format!("Gate {step}")}>
            { icon("gate") }
            <strong>{ prompt.unwrap_or("Pass or fail?").to_owned() }</strong>
            <span class="muted">{ step.to_owned() }</span>
            { for actions.iter().map(|action| action_button(hub, action, "primary")) }
        </div>
    }
}

/// Shows the next steps of the run.
fn next(flow: &Value) -> Html {
    let all = list(flow, "next");
    if all.is_empty() {
        return Html::default();
    }
    html! {
        <ul class="flow-next" aria-label="Where it goes next">
            { for all.iter().map(|next| html! {
                <li data-on={text(next, "on").to_owned()}>
                    { format!("{} {}: {}", text(next, "from"), if text(next, "on") == "pass" { "passes" } else { "fails" }, text(next, "words")) }
                </li>
            }) }
        </ul>
    }
}

fn phase_box(chart: &Chart<'_>, phase: &Value, open: bool) -> Html {
    let (id, status) = (id_of(phase), text(phase, "status"));
    let look = look(chart.words, status);
    let drawn = phase.get("inside").and_then(Value::as_str).and_then(|inside| frame(chart.flow, inside));
    html! {
        <details class="flow-phase" key={id.to_owned()} {open} data-family={look.family}>
            <summary>
                { status_icon(look) }
                <strong>{ text(phase, "label").to_owned() }</strong>
                <span>{ status.to_owned() }</span>
                if let Some(own) = phase.get("component") { <span class="muted">{ versions(own) }</span> }
            </summary>
            if let Some(drawn) = drawn {
                { chart.draw(&drawn, id) }
                { chart.exits(&drawn) }
            } else {
                <p class="muted">{ "Drawn while it is worked on: the plan is large." }</p>
            }
        </details>
    }
}

/// Words the versions of a component: `1.0 → 2.0, 1 old and 2 new of 2`.
fn versions(own: &Value) -> String {
    let number = |key: &str| own.get(key).and_then(Value::as_u64).unwrap_or(0);
    let counts = format!("{} old and {} new of {}", number("old"), number("new"), number("target"));
    let old: Vec<&str> = list(own, "old_versions").iter().filter_map(Value::as_str).collect();
    match (old.join(", "), text(own, "new_version")) {
        (old, "") if old.is_empty() => counts,
        (old, "") => format!("{old} → none, {counts}"),
        (old, new) if old.is_empty() => format!("→ {new}, {counts}"),
        (old, new) => format!("{old} → {new}, {counts}"),
    }
}

/// That the plan was made, its text, and the way to edit it.
fn made(hub: &Hub, service: &str, written: &str) -> Html {
    let (own, service, text) = (hub.clone(), service.to_owned(), written.to_owned());
    let edit = Callback::from(move |_| {
        let at = own.state().all_drafts().iter().position(|draft| *draft.label == *service);
        if let Some(at) = at {
            own.send(Action::PickService(at));
        }
        own.send(Action::Edit(PLAN_FILE.to_owned(), text.clone()));
        own.send(Action::AddFile(PLAN_FILE.to_owned()));
        own.send(Action::ShowPane(Pane::Edit));
    });
    html! {
        <div class="flow-made">
            <p>{ icon("book") }{ "This plan is made from the model and what runs now." }</p>
            <Button label="Generate its plan" icon="edit" onclick={edit}
                title={format!("Puts it into the editor as {PLAN_FILE}; from then on that file is the plan")} />
            <details>
                <summary>{ "The plan as text" }</summary>
                <pre class="flow-text" tabindex="0">{ written.to_owned() }</pre>
            </details>
        </div>
    }
}
