//! A plan as Skopos draws it: phases in a row, and inside each its chain with forward and cleanup steps, loops, gates, exits.
//!
//! *Knows*: what the drawing of the view says. *Must not know*: where exits lead; the view says that.

use super::layout::{Frame, NODE, Placed, chain, frame, line, list, text};
use crate::store::ptr::Ptr;
use crate::store::selectors::status::{Words, look};
use crate::store::{Action, Hub, use_hub};
use crate::ui::{icon, status_icon};
use planarium_protocol::event::ElementPath;
use planarium_protocol::view::ServiceView;
use serde_json::Value;
use yew::prelude::*;

/// The id of the chain that the phases are in.
const ROOT: &str = "@plan";

/// The drawing of a service; none where its view has none.
pub(super) fn panel(service: &ServiceView) -> Option<Html> {
    let plan = service.plans.first()?;
    service.more.get("flow")?;
    let (more, path) = (Ptr::from(&service.more), service.path(&plan.name));
    Some(html! { <FlowPane key={service.name.to_string()} {more} {path} words={service.statuses} /> })
}

#[derive(Properties, PartialEq)]
struct FlowPaneProps {
    more: Ptr<Value>,
    /// Of the plan.
    path: ElementPath,
    words: Words,
}

#[component]
fn FlowPane(props: &FlowPaneProps) -> Html {
    let (hub, chosen) = (use_hub(), use_state(String::new));
    let Some(flow) = props.more.get("flow") else { return Html::default() };
    let Some(root) = chain(flow, ROOT) else { return Html::default() };
    let draw = Draw { flow, path: &props.path, words: props.words, hub: &hub, chosen: &chosen };
    let active = list(flow, "path").first().and_then(Value::as_str).unwrap_or("");
    html! {
        <section class="flow" aria-label={format!("Plan of {}", props.path.service)}>
            <header>
                { icon("branch") }
                <h3>{ props.path.service.to_string() }</h3>
                <span class="muted" aria-live="polite">{ text(flow, "line").to_owned() }</span>
            </header>
            { draw.next() }
            { for list(root, "nodes").iter().map(|phase| draw.phase(phase, active)) }
        </section>
    }
}

struct Draw<'v> {
    flow: &'v Value,
    path: &'v ElementPath,
    words: Words,
    hub: &'v Hub,
    chosen: &'v UseStateHandle<String>,
}

impl Draw<'_> {
    /// Where the run goes next.
    fn next(&self) -> Html {
        let all = list(self.flow, "next");
        if all.is_empty() {
            return Html::default();
        }
        html! {
            <ul class="flow-next">
                { for all.iter().map(|next| html! { <li data-on={text(next, "on").to_owned()}>{ text(next, "words").to_owned() }</li> }) }
            </ul>
        }
    }

    fn phase(&self, phase: &Value, active: &str) -> Html {
        let id = text(phase, "id");
        let status = text(phase, "status");
        let look = look(self.words, status);
        let drawn = phase.get("inside").and_then(Value::as_str).and_then(|inside| frame(self.flow, inside));
        let counts = phase.get("component").map(|own| {
            let number = |key: &str| own.get(key).and_then(Value::as_u64).unwrap_or(0);
            format!("{} old, {} new of {}", number("old"), number("new"), number("target"))
        });
        html! {
            <details class="flow-phase" key={id.to_owned()} open={id == active || list(self.flow, "chains").len() <= 4} data-family={look.family}>
                <summary>
                    { status_icon(look) }
                    <strong>{ text(phase, "label").to_owned() }</strong>
                    <span>{ status.to_owned() }</span>
                    if let Some(counts) = counts { <span class="muted">{ counts }</span> }
                </summary>
                if let Some(drawn) = drawn { { self.chain_svg(&drawn, id) } }
            </details>
        }
    }

    fn chain_svg(&self, frame: &Frame<'_>, phase: &str) -> Html {
        let (width, height) = (frame.width.to_string(), frame.height.to_string());
        html! {
            <div class="flow-scroll" tabindex="0" role="group" aria-label={format!("Steps of {phase}")}>
                <svg class="flow-svg" {width} {height} viewBox={format!("0 0 {} {}", frame.width, frame.height)}>
                    <defs>
                        { for ["pass", "fail"].iter().map(|on| html! {
                            <marker id={format!("flow-{on}")} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
                                <path class="flow-head" data-on={*on} d="M0 0 L8 4 L0 8 z" />
                            </marker>
                        }) }
                    </defs>
                    { self.frame(frame, phase) }
                </svg>
            </div>
        }
    }

    fn frame(&self, frame: &Frame<'_>, phase: &str) -> Html {
        html! {
            <>
                { for frame.nodes.iter().map(|placed| self.node(placed, phase)) }
                { for list(frame.chain, "edges").iter().map(|edge| self.edge(frame, edge)) }
            </>
        }
    }

    /// An exit: those of the chosen step, those on the way that was taken, and the way forward.
    fn edge(&self, frame: &Frame<'_>, edge: &Value) -> Html {
        let flag = |key: &str| edge.get(key).and_then(Value::as_bool).unwrap_or(false);
        let taken = edge.get("taken").and_then(Value::as_u64).unwrap_or(0);
        let chosen = text(edge, "from") == self.chosen.as_str();
        let forward = text(edge, "on") == "pass" && !text(edge, "to").starts_with('@');
        if !(chosen || taken > 0 || flag("held") || forward) {
            return Html::default();
        }
        let Some(d) = line(frame, edge) else { return Html::default() };
        let on = text(edge, "on").to_owned();
        let flags: Vec<&str> = list(edge, "flags").iter().filter_map(Value::as_str).collect();
        let goal = match text(edge, "to") {
            "@pass" => "the end, passed",
            "@fail" => "the end, failed",
            step => step,
        };
        let title = format!(
            "{} {on}: {goal}{}{}{}",
            text(edge, "from"),
            if flag("explicit") { "" } else { ", not written" },
            if flags.is_empty() { String::new() } else { format!(", {}", flags.join(", ")) },
            if taken > 0 { format!(", taken {taken} times") } else { String::new() },
        );
        html! {
            <path class="flow-edge" {d} marker-end={format!("url(#flow-{on})")} data-on={on}
                data-taken={(taken > 0).to_string()} data-last={flag("last").to_string()} data-chosen={chosen.to_string()}
                data-explicit={flag("explicit").to_string()} data-held={flag("held").to_string()}>
                <title>{ title }</title>
            </path>
        }
    }

    fn node(&self, placed: &Placed<'_>, phase: &str) -> Html {
        let Placed { node, x, y, width, height, inside } = placed;
        let (id, status) = (text(node, "id"), text(node, "status"));
        let look = look(self.words, status);
        let chosen = self.chosen.as_str() == id;
        let entries = node.get("entries").and_then(Value::as_u64).unwrap_or(0);
        let own_loop = inside.as_ref().and_then(|inside| inside.chain.get("iterate"));
        let second = match own_loop {
            Some(own) => looped(own),
            None if entries > 1 => format!("{status}, {entries} times"),
            None => status.to_owned(),
        };
        let title = [
            text(node, "label"),
            status,
            text(node, "called"),
            text(node, "call"),
            text(node, "prompt"),
            text(node, "note"),
        ];
        let title: Vec<&str> = title.into_iter().filter(|part| !part.is_empty()).collect();
        let box_height = if inside.is_some() { *height } else { NODE.1 };
        html! {
            <g class="flow-node" key={id.to_owned()} data-lane={text(node, "lane").to_owned()} data-class={text(node, "class").to_owned()}
                data-family={look.family} data-chosen={chosen.to_string()}>
                <rect x={x.to_string()} y={y.to_string()} width={width.to_string()} height={box_height.to_string()} rx="5" />
                if own_loop.is_some() { { brackets(placed) } }
                <g class="flow-label" role="button" tabindex="0" aria-pressed={chosen.to_string()} aria-label={title.join(", ")}
                    onclick={self.choose(id, phase)} onkeydown={self.press(id, phase)}>
                    <title>{ title.join("\n") }</title>
                    <rect class="flow-hit" x={x.to_string()} y={y.to_string()} width={width.to_string()} height="30" />
                    <g transform={format!("translate({} {})", x + 6, y + 6)}>{ status_icon(look) }</g>
                    <text x={(x + 26).to_string()} y={(y + 18).to_string()}>{ cut(text(node, "label"), *width) }</text>
                    if inside.is_none() { <text class="flow-status" x={(x + 26).to_string()} y={(y + 36).to_string()}>{ cut(&second, *width) }</text> }
                    else { <text class="flow-status" x={(x + width - 8).to_string()} y={(y + 18).to_string()} text-anchor="end">{ second }</text> }
                </g>
                if node.get("gate").is_some_and(|gate| gate == true) {
                    <g transform={format!("translate({} {})", x + width - 20, y + box_height - 20)}>{ icon("gate") }</g>
                }
                if let Some(inside) = inside { { self.frame(inside, phase) } }
            </g>
        }
    }

    fn choose(&self, id: &str, phase: &str) -> Callback<MouseEvent> {
        let pick = self.picker(id, phase);
        Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            pick();
        })
    }

    fn press(&self, id: &str, phase: &str) -> Callback<KeyboardEvent> {
        let pick = self.picker(id, phase);
        Callback::from(move |event: KeyboardEvent| {
            if matches!(event.key().as_str(), "Enter" | " ") {
                event.prevent_default();
                event.stop_propagation();
                pick();
            }
        })
    }

    /// Shows the exits of a step, and selects it in the tree.
    fn picker(&self, id: &str, phase: &str) -> impl Fn() + 'static {
        let (chosen, own) = (self.chosen.clone(), id.to_owned());
        let hub = self.hub.clone();
        let path = ElementPath { phase: Some(phase.into()), step: Some(id.into()), ..self.path.clone() };
        move || {
            chosen.set(own.clone());
            hub.send(Action::Select(path.clone()));
        }
    }
}

/// What a loop goes through, and how far it is.
fn looped(own: &Value) -> String {
    let planned = own.get("planned").and_then(Value::as_u64).unwrap_or(0);
    match own.get("current").and_then(Value::as_u64) {
        Some(current) => format!("{}: {current} of {planned}", text(own, "words")),
        None => format!("{}: {planned}", text(own, "words")),
    }
}

/// The double bars at both ends of a loop.
fn brackets(placed: &Placed<'_>) -> Html {
    let Placed { x, y, width, height, .. } = placed;
    let bar = |x: i32| format!("M{x} {} V{}", y + 32, y + height - 4);
    let ends = [x + 4, x + 8, x + width - 8, x + width - 4];
    html! { <path class="flow-bars" d={ends.map(bar).join(" ")} /> }
}

/// A text that fits a box.
fn cut(text: &str, width: i32) -> String {
    let most = usize::try_from((width - 34) / 7).unwrap_or(0);
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
