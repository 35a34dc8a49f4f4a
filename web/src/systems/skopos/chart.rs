//! Boxes and lines of a drawn plan.
//!
//! *Knows*: which exits are drawn and how they are marked. *Must not know*: positions, which the layout decides.

use super::layout::{Frame, MARKS, NODE, Placed, START, end, line, list, text};
use crate::store::selectors::status::{Words, look};
use crate::store::{Action, Hub};
use crate::ui::{icon_at, status_icon_at};
use planarium_protocol::event::ElementPath;
use serde_json::Value;
use yew::prelude::*;

/// Width of the mark of an instance. *Units*: pixels.
const MARK: i32 = 46;

/// The namespace of words within a drawing.
const HTML: &str = "http://www.w3.org/1999/xhtml";

/// A plan being drawn.
pub(super) struct Chart<'v> {
    /// The drawing's data in the view.
    pub(super) flow: &'v Value,
    /// Path of the plan.
    pub(super) path: &'v ElementPath,
    /// Its status words.
    pub(super) words: Words,
    pub(super) hub: &'v Hub,
    /// Id of the step that is selected, whose exits are shown; empty when it is none of this plan.
    pub(super) chosen: &'v str,
}

impl Chart<'_> {
    /// Draws a chain; the top level if there is no phase.
    pub(super) fn draw(&self, frame: &Frame<'_>, phase: &str) -> Html {
        let (right, bottom) = (frame.x + frame.width, frame.y + frame.height);
        let (width, height) = (right.to_string(), bottom.to_string());
        let label = if phase.is_empty() { "Phases".to_owned() } else { format!("Steps of {phase}") };
        html! {
            <div class="flow-scroll" tabindex="0" role="group" aria-label={label}>
                <svg class="flow-svg" {width} {height} viewBox={format!("0 0 {right} {bottom}")}>
                    <defs>
                        { for ["pass", "fail"].iter().map(|on| html! {
                            <marker id={format!("flow-{on}")} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">
                                <path class="flow-head" data-on={*on} d="M0 0 L8 4 L0 8 z" />
                            </marker>
                        }) }
                    </defs>
                    { self.frame(frame, phase) }
                </svg>
            </div>
        }
    }

    /// Describes the exits of the selected step, if it is in this chain or below.
    pub(super) fn exits(&self, frame: &Frame<'_>) -> Html {
        let edges = edges_of(frame, self.chosen);
        if edges.is_empty() {
            return Html::default();
        }
        html! {
            <ul class="flow-next" aria-label={format!("Exits of {}", self.chosen)}>
                { for edges.into_iter().map(|edge| html! { <li data-on={text(edge, "on").to_owned()}>{ exit_words(edge) }</li> }) }
            </ul>
        }
    }

    fn frame(&self, frame: &Frame<'_>, phase: &str) -> Html {
        let edges = list(frame.chain, "edges");
        let drawn: Vec<&Value> = edges.iter().filter(|edge| self.is_drawn(frame, edge)).collect();
        let ends = ["@pass", "@fail"].into_iter().filter(|goal| {
            text(frame.chain, "kind") == "plan" || drawn.iter().any(|edge| text(edge, "to") == *goal)
        });
        html! {
            <>
                { for frame.nodes.iter().map(|placed| self.node(placed, phase)) }
                { for ends.map(|goal| end_word(frame, goal)) }
                if text(frame.chain, "kind") == "plan" { { start_word(frame) } }
                { for drawn.iter().map(|edge| self.edge(frame, edge)) }
            </>
        }
    }

    /// Returns whether an exit is drawn: of the selected step, taken or held, leading onward, or of a cleanup step.
    fn is_drawn(&self, frame: &Frame<'_>, edge: &Value) -> bool {
        let from = frame.nodes.iter().find(|placed| text(placed.node, "id") == text(edge, "from"));
        let cleanup = from.is_some_and(|placed| text(placed.node, "lane") == "cleanup");
        let taken = edge.get("taken").and_then(Value::as_u64).unwrap_or(0) > 0;
        let chosen = text(edge, "from") == self.chosen;
        let forward = text(edge, "on") == "pass";
        chosen || taken || flag(edge, "held") || forward || cleanup
    }

    fn edge(&self, frame: &Frame<'_>, edge: &Value) -> Html {
        let Some(d) = line(frame, edge) else { return Html::default() };
        let on = text(edge, "on").to_owned();
        let taken = edge.get("taken").and_then(Value::as_u64).unwrap_or(0) > 0;
        let chosen = text(edge, "from") == self.chosen;
        html! {
            <path class="flow-edge" {d} marker-end={format!("url(#flow-{on})")} data-on={on}
                data-taken={taken.to_string()} data-last={flag(edge, "last").to_string()} data-chosen={chosen.to_string()}
                data-explicit={flag(edge, "explicit").to_string()} data-held={flag(edge, "held").to_string()}>
                <title>{ exit_words(edge) }</title>
            </path>
        }
    }

    fn node(&self, placed: &Placed<'_>, phase: &str) -> Html {
        let Placed { node, x, y, width, height, inside } = placed;
        let (id, status) = (text(node, "id"), text(node, "status"));
        let look = look(self.words, status);
        let chosen = self.chosen == id;
        let next = list(self.flow, "next").iter().find(|next| text(next, "to") == id);
        let next = next.map_or("", |next| text(next, "on")).to_owned();
        let box_height = if inside.is_some() { *height } else { NODE.1 };
        let own_loop = inside.as_ref().and_then(|inside| inside.chain.get("iterate"));
        let second = second_line(node, own_loop);
        let second = if inside.is_some() { beside(text(node, "label"), second, *width) } else { second };
        let title = title(node);
        html! {
            <g class="flow-node" key={id.to_owned()} data-step={id.to_owned()} data-lane={text(node, "lane").to_owned()} data-class={text(node, "class").to_owned()}
                data-family={look.family} data-chosen={chosen.to_string()} data-next={next}>
                <rect x={x.to_string()} y={y.to_string()} width={width.to_string()} height={box_height.to_string()} rx="5" />
                if let Some(own) = own_loop {
                    { brackets(placed) }
                    { self.iterations(placed, own) }
                }
                <g class="flow-label" role="button" tabindex="0" aria-pressed={chosen.to_string()}
                    onclick={self.choose(id, phase)} onkeydown={self.press(id, phase)}>
                    <title>{ title.join("\n") }</title>
                    <rect class="flow-hit" x={x.to_string()} y={y.to_string()} width={width.to_string()} height="30" />
                    { status_icon_at(look, x + 6, y + 6) }
                    <foreignObject x={(x + 26).to_string()} y={(y + 4).to_string()} width={(width - 32).to_string()} height={(box_height.min(NODE.1) - 6).to_string()}>
                        <div xmlns={HTML} class="flow-words" data-row={inside.is_some().to_string()}>
                            <span class="flow-name">{ text(node, "label").to_owned() }</span>
                            <span class="flow-status">{ second }</span>
                        </div>
                    </foreignObject>
                </g>
                if flag(node, "gate") {
                    { icon_at("gate", x + width - 20, y + box_height - 20) }
                }
                if let Some(inside) = inside { { self.frame(inside, phase) } }
            </g>
        }
    }

    /// One mark for each instance that a loop has reached, below its steps.
    fn iterations(&self, placed: &Placed<'_>, own: &Value) -> Html {
        let all = list(own, "iterations");
        let room = usize::try_from((placed.width - 24) / MARK).unwrap_or(0);
        let marks = all.iter().skip(all.len().saturating_sub(room)).enumerate();
        let y = placed.y + placed.height - MARKS;
        html! {
            <g class="flow-iterations" role="list" aria-label={format!("Instances of {}", text(placed.node, "id"))}>
                { for marks.map(|(at, one)| {
                    let x = placed.x + 12 + i32::try_from(at).unwrap_or(0) * MARK;
                    let index = one.get("index").and_then(Value::as_u64).unwrap_or(0);
                    let look = look(self.words, text(one, "status"));
                    let words = format!("instance {index} {}", text(one, "status"));
                    html! {
                        <g role="listitem" aria-label={words.clone()} data-family={look.family}>
                            <title>{ words }</title>
                            <rect x={x.to_string()} y={y.to_string()} width={(MARK - 4).to_string()} height="18" rx="4" />
                            { status_icon_at(look, x + 2, y + 1) }
                            <text x={(x + 20).to_string()} y={(y + 13).to_string()}>{ index.to_string() }</text>
                        </g>
                    }
                }) }
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

    /// Selects a step, here as in the tree.
    fn picker(&self, id: &str, phase: &str) -> impl Fn() + 'static {
        let hub = self.hub.clone();
        let (top, step) = if phase.is_empty() { (id, None) } else { (phase, Some(id.into())) };
        let path = ElementPath { phase: Some(top.into()), step, ..self.path.clone() };
        move || hub.send(Action::Select(path.clone()))
    }
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// The exits of a step in a chain or in those inside it.
fn edges_of<'v>(frame: &Frame<'v>, id: &str) -> Vec<&'v Value> {
    let mut all: Vec<&Value> =
        list(frame.chain, "edges").iter().filter(|edge| !id.is_empty() && text(edge, "from") == id).collect();
    for inside in frame.nodes.iter().filter_map(|placed| placed.inside.as_ref()) {
        all.extend(edges_of(inside, id));
    }
    all
}

/// An exit in words.
fn exit_words(edge: &Value) -> String {
    let goal = match text(edge, "to") {
        "@pass" => "the end of the chain, passed",
        "@fail" => "the end of the chain, failed",
        step => step,
    };
    let flags: Vec<&str> = list(edge, "flags").iter().filter_map(Value::as_str).collect();
    let taken = edge.get("taken").and_then(Value::as_u64).unwrap_or(0);
    let mut words = format!("{} on_{} leads to {goal}", text(edge, "from"), text(edge, "on"));
    for flag in flags {
        words = format!("{words}, {flag}");
    }
    if flag(edge, "ignored") {
        words.push_str("; nobody wrote it: a failure is ignored");
    } else if !flag(edge, "explicit") {
        words.push_str("; nobody wrote it");
    }
    match taken {
        0 => words,
        1 => format!("{words}; taken once"),
        _ => format!("{words}; taken {taken} times"),
    }
}

fn end_word(frame: &Frame<'_>, goal: &str) -> Html {
    let (x, y) = end(frame, goal);
    let top = text(frame.chain, "kind") == "plan";
    let (on, word) = match (goal, top) {
        ("@fail", true) => ("fail", "FAIL"),
        (_, true) => ("pass", "DEPLOY COMPLETED"),
        ("@fail", false) => ("fail", "fail"),
        (_, false) => ("pass", "pass"),
    };
    let held = list(frame.chain, "edges").iter().any(|edge| flag(edge, "held") && text(edge, "to") == goal);
    html! {
        <text class="flow-end" data-on={on} data-held={held.to_string()} x={(x + 4).to_string()} y={(y + 4).to_string()}>
            { if held { format!("{word}, held") } else { word.to_owned() } }
        </text>
    }
}

/// Start of the plan, with the line to its first step.
fn start_word(frame: &Frame<'_>) -> Html {
    let Some(first) = frame.nodes.first() else { return Html::default() };
    let y = first.y + first.height / 2;
    html! {
        <>
            <text class="flow-end" data-on="pass" x="6" y={(y + 4).to_string()}>{ "START" }</text>
            <path class="flow-edge" d={format!("M{} {y} H{}", START - 4, first.x - 2)} marker-end="url(#flow-pass)" data-on="pass" data-explicit="true" />
        </>
    }
}

/// Returns the line below the name of a step.
fn second_line(node: &Value, own_loop: Option<&Value>) -> String {
    let entries = node.get("entries").and_then(Value::as_u64).unwrap_or(0);
    let status = text(node, "status");
    if let Some(own) = own_loop {
        return looped(own);
    }
    if let Some(own) = node.get("component") {
        let number = |key: &str| own.get(key).and_then(Value::as_u64).unwrap_or(0);
        return format!("{status}, {} → {}", number("old"), number("new"));
    }
    if entries > 1 { format!("{status}, {entries} times") } else { status.to_owned() }
}

/// Lists all texts about a step.
fn title(node: &Value) -> Vec<&str> {
    let call = if text(node, "called").is_empty() { text(node, "call") } else { text(node, "called") };
    let parts = [
        text(node, "label"),
        text(node, "id"),
        text(node, "status"),
        call,
        text(node, "prompt"),
        text(node, "note"),
    ];
    let mut all: Vec<&str> = Vec::new();
    for part in parts {
        if !part.is_empty() && !all.contains(&part) {
            all.push(part);
        }
    }
    all
}

/// Words the values and the progress of a loop: `target instances: instance 1, 2 of 3`.
fn looped(own: &Value) -> String {
    let planned = own.get("planned").and_then(Value::as_u64).unwrap_or(0);
    let ended: Vec<&Value> = list(own, "iterations")
        .iter()
        .filter(|one| matches!(text(one, "status"), "passed" | "failed"))
        .collect();
    let failed = ended.iter().find(|one| text(one, "status") == "failed");
    let failed = failed.and_then(|one| one.get("index")).and_then(Value::as_u64);
    let words = text(own, "words");
    match (own.get("current").and_then(Value::as_u64), failed) {
        (Some(at), _) => format!("{words}: instance {at}, {} of {planned}", ended.len() + 1),
        (None, Some(at)) => format!("{words}: failed at instance {at}, {} of {planned}", ended.len()),
        (None, None) if ended.is_empty() => format!("{words}: {planned}"),
        (None, None) => format!("{words}: {} of {planned} done", ended.len()),
    }
}

/// The double bars at both ends of a loop.
fn brackets(placed: &Placed<'_>) -> Html {
    let Placed { x, y, width, height, .. } = placed;
    let bar = |x: i32| format!("M{x} {} V{}", y + 32, y + height - 4);
    let ends = [x + 4, x + 8, x + width - 8, x + width - 4];
    html! { <path class="flow-bars" d={ends.map(bar).join(" ")} /> }
}

/// About how wide a letter of a name is. *Units*: pixels.
const LETTER: i32 = 7;
/// About how wide a letter of a small text is. *Units*: pixels.
const SMALL: i32 = 6;

/// About how wide a small text is. *Units*: pixels.
fn letters(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(0) * SMALL
}

/// Returns the progress of a loop, without its values and without its instance where the name has no room beside them.
fn beside(label: &str, second: String, width: i32) -> String {
    let name = i32::try_from(label.chars().count()).unwrap_or(0) * LETTER;
    let mut left = second.as_str();
    for end in [": ", ", "] {
        if name + letters(left) > width - 50 {
            left = left.split_once(end).map_or(left, |(_, rest)| rest);
        }
    }
    left.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_has_room_before_the_values_of_its_loop() {
        let words = "new instances: 2 of 2 done";
        assert_eq!(beside("back-900", words.to_owned(), 206), "2 of 2 done");
        assert_eq!(beside("back-900", "new instances: instance 0, 1 of 2".to_owned(), 206), "1 of 2");
        assert_eq!(beside("New instances", words.to_owned(), 522), words);
    }

    #[test]
    fn exits_and_loops_in_words() {
        for (edge, words) in [
            (json!({"from": "a", "on": "pass", "to": "b", "explicit": true}), "a on_pass leads to b"),
            (
                json!({"from": "a", "on": "fail", "to": "@pass", "ignored": true, "taken": 1}),
                "a on_fail leads to the end of the chain, passed; nobody wrote it: a failure is ignored; taken once",
            ),
            (
                json!({"from": "a", "on": "fail", "to": "@fail", "flags": ["pause", "warn"], "taken": 2}),
                "a on_fail leads to the end of the chain, failed, pause, warn; nobody wrote it; taken 2 times",
            ),
        ] {
            assert_eq!(exit_words(&edge), words);
        }
        let iterations = json!([{"index": 0, "status": "passed"}, {"index": 1, "status": "failed"}]);
        for (own, words) in [
            (json!({"words": "old instances", "planned": 3}), "old instances: 3"),
            (
                json!({"words": "3 times", "planned": 3, "current": 1, "iterations": [{"index": 0, "status": "passed"}]}),
                "3 times: instance 1, 2 of 3",
            ),
            (
                json!({"words": "3 times", "planned": 3, "iterations": iterations}),
                "3 times: failed at instance 1, 2 of 3",
            ),
        ] {
            assert_eq!(looped(&own), words);
        }
    }
}
