//! Layout of a drawn plan.
//!
//! *Knows*: boxes, lanes, lines. *Must not know*: colours, the page.
//!
//! Forward steps are in a row from left to right, cleanup steps in a row below from right to left. Inner steps are drawn
//! inside their parent's box. *Units*: pixels.

use serde_json::Value;

/// A box for a step without others inside.
pub(super) const NODE: (i32, i32) = (112, 46);
/// Room between two boxes of a row.
const GAP: i32 = 24;
/// Room between the two rows.
const LANES: i32 = 44;
/// Padding inside a box; lines to the ends of the chain run there.
const PAD: i32 = 22;
/// Room for the name of a box with others inside.
const HEAD: i32 = 30;
/// Room at the right edge, where the ends of a chain are named; at the top level they are those of the plan.
const ENDS: (i32, i32) = (38, 128);
/// Room below the steps of a loop for the marks of its instances.
pub(super) const MARKS: i32 = 24;
/// Room at the left of the top level, where the plan begins.
pub(super) const START: i32 = 46;
/// Maximum depth of boxes.
const DEEP: usize = 8;

/// A box in the drawing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed<'v> {
    pub(super) node: &'v Value,
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) inside: Option<Frame<'v>>,
}

/// A chain in the drawing; places are those of the whole drawing.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame<'v> {
    pub(super) chain: &'v Value,
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) nodes: Vec<Placed<'v>>,
}

/// Text of a field; empty where there is none.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

/// A list of a field; empty where there is none.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The chain of an id.
pub(super) fn chain<'v>(flow: &'v Value, id: &str) -> Option<&'v Value> {
    list(flow, "chains").iter().find(|chain| text(chain, "id") == id)
}

/// The drawing of a chain with all that is inside it, at the origin.
pub(super) fn frame<'v>(flow: &'v Value, id: &str) -> Option<Frame<'v>> {
    let mut frame = measured(flow, id, 0)?;
    place(&mut frame, 0, 0);
    Some(frame)
}

/// Lays out a chain without the inner steps, at the origin.
pub(super) fn overview<'v>(flow: &'v Value, id: &str) -> Option<Frame<'v>> {
    let mut frame = measured(flow, id, DEEP)?;
    frame.width += ENDS.1 - ENDS.0;
    place(&mut frame, START, 0);
    Some(frame)
}

fn measured<'v>(flow: &'v Value, id: &str, depth: usize) -> Option<Frame<'v>> {
    let chain = chain(flow, id)?;
    let node = |node: &'v Value| {
        let inside = node.get("inside").and_then(Value::as_str).filter(|_| depth < DEEP);
        let inside = inside.and_then(|inside| measured(flow, inside, depth + 1));
        let (width, height) = inside.as_ref().map_or(NODE, |inner| {
            let marks = if inner.chain.get("iterate").is_some() { MARKS } else { 0 };
            (inner.width.max(NODE.0), inner.height + HEAD + marks)
        });
        Placed { node, x: 0, y: 0, width, height, inside }
    };
    let nodes: Vec<Placed<'v>> = list(chain, "nodes").iter().map(node).collect();
    let (mut width, mut height) = (0, 0);
    for lane in LANE_WORDS {
        let (wide, high) = extent(&nodes, lane);
        width = width.max(wide);
        height += high + if high > 0 && height > 0 { LANES } else { 0 };
    }
    Some(Frame { chain, x: 0, y: 0, width: width + 2 * PAD + ENDS.0, height: height + 2 * PAD, nodes })
}

const LANE_WORDS: [&str; 2] = ["forward", "cleanup"];

fn is_in(placed: &Placed<'_>, lane: &str) -> bool {
    (text(placed.node, "lane") == "cleanup") == (lane == "cleanup")
}

/// Width and height of a row.
fn extent(nodes: &[Placed<'_>], lane: &str) -> (i32, i32) {
    let row = || nodes.iter().filter(|placed| is_in(placed, lane));
    let width: i32 = row().map(|placed| placed.width + GAP).sum();
    ((width - GAP).max(0), row().map(|placed| placed.height).max().unwrap_or(0))
}

fn place(frame: &mut Frame<'_>, x: i32, y: i32) {
    (frame.x, frame.y) = (x, y);
    let (left, right) = (x + PAD, x + frame.width - PAD - ENDS.0);
    let mut top = y + PAD;
    for lane in LANE_WORDS {
        let (_, high) = extent(&frame.nodes, lane);
        let mut at = if lane == "forward" { left } else { right };
        for placed in frame.nodes.iter_mut().filter(|placed| is_in(placed, lane)) {
            placed.y = top + (high - placed.height) / 2;
            if lane == "forward" {
                placed.x = at;
                at += placed.width + GAP;
            } else {
                placed.x = at - placed.width;
                at -= placed.width + GAP;
            }
            if let Some(inside) = &mut placed.inside {
                place(inside, placed.x, placed.y + HEAD);
            }
        }
        top += if high > 0 { high + LANES } else { 0 };
    }
}

/// Returns the end of lines to an end of the chain: `@pass` at the top right, `@fail` at the bottom right.
pub(super) fn end(frame: &Frame<'_>, goal: &str) -> (i32, i32) {
    let names = if text(frame.chain, "kind") == "plan" { ENDS.1 } else { ENDS.0 };
    let y = if goal == "@fail" { frame.y + frame.height - 9 } else { frame.y + 9 };
    (frame.x + frame.width - names, y)
}

/// The height between the two rows, where lines from one to the other run; none where there is one row only.
fn gap(frame: &Frame<'_>) -> Option<i32> {
    let (_, high) = extent(&frame.nodes, "forward");
    let (_, low) = extent(&frame.nodes, "cleanup");
    (high > 0 && low > 0).then_some(frame.y + PAD + high + LANES / 2)
}

/// Top and bottom of a row.
fn row(frame: &Frame<'_>, cleanup: bool) -> (i32, i32) {
    let own = || frame.nodes.iter().filter(|placed| is_in(placed, "cleanup") == cleanup);
    let top = own().map(|placed| placed.y).min().unwrap_or(frame.y + PAD);
    (top, own().map(|placed| placed.y + placed.height).max().unwrap_or(top))
}

/// A line through these corners, up or down first, then in turn along and up or down; its corners are round.
fn through(from: (i32, i32), turns: &[i32]) -> String {
    let mut path = format!("M{} {}", from.0, from.1);
    let mut corners = vec![from];
    let (mut x, mut y) = from;
    for (at, turn) in turns.iter().enumerate() {
        if at % 2 == 0 {
            y = *turn;
        } else {
            x = *turn;
        }
        corners.push((x, y));
    }
    for three in corners.windows(3) {
        let [before, corner, after] = three else { continue };
        let toward = |(x, y): (i32, i32)| {
            let (dx, dy) = (x - corner.0, y - corner.1);
            let reach = (dx.abs().max(dy.abs()) / 2).min(6);
            (corner.0 + dx.signum() * reach, corner.1 + dy.signum() * reach)
        };
        let (a, b) = (toward(*before), toward(*after));
        path = format!("{path} L{} {} Q{} {} {} {}", a.0, a.1, corner.0, corner.1, b.0, b.1);
    }
    format!("{path} L{x} {y}")
}

/// The line of an exit, as the data of a path. It runs around boxes: between the rows, or beside them.
pub(super) fn line(frame: &Frame<'_>, edge: &Value) -> Option<String> {
    let find = |id: &str| frame.nodes.iter().find(|placed| text(placed.node, "id") == id);
    let from = find(text(edge, "from"))?;
    let (goal, failed) = (text(edge, "to"), text(edge, "on") == "fail");
    let middle = |placed: &Placed<'_>| placed.x + placed.width / 2;
    // Two exits of a step do not lie on each other.
    let aside = if failed { 10 } else { -10 };
    let cleanup = is_in(from, "cleanup");
    let (above, below) = (from.y, from.y + from.height);
    let between = gap(frame).map(|y| y + aside / 3);
    if goal.starts_with('@') {
        let (end_x, end_y) = end(frame, goal);
        // Up to the line along the top, down to that along the bottom; two exits of a step leave side by side.
        let x = middle(from) + 2 * aside;
        let up = end_y < above;
        return Some(match between.filter(|_| up == cleanup) {
            // The other row is in between.
            Some(y) => {
                let beside = frame.x + frame.width - PAD - ENDS.0 + PAD / 2 + aside / 3;
                through((x, if up { above } else { below }), &[y, beside, end_y, end_x])
            }
            None => through((x, if up { above } else { below }), &[end_y, end_x]),
        });
    }
    let to = find(goal)?;
    if cleanup == is_in(to, "cleanup") {
        let (left, right) = if from.x < to.x { (from, to) } else { (to, from) };
        let close = right.x - (left.x + left.width) <= GAP;
        if close && from.x != to.x {
            let y = from.y + from.height / 2 + aside / 2;
            return Some(if from.x < to.x {
                format!("M{} {y} H{}", from.x + from.width, to.x - 2)
            } else {
                format!("M{} {y} H{}", from.x, to.x + to.width + 2)
            });
        }
        let (top, bottom) = row(frame, cleanup);
        let (a, b) = (middle(from) + aside, middle(to) - aside);
        let (start, turn, stop) =
            if failed { (below, bottom + 8, to.y + to.height + 2) } else { (above, top - 8, to.y - 2) };
        return Some(through((a, start), &[turn, b, stop]));
    }
    let (a, b) = (middle(from) + aside, middle(to) + aside);
    let (start, stop) = if from.y < to.y { (below, to.y - 2) } else { (above, to.y + to.height + 2) };
    Some(through((a, start), &[between?, b, stop]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn flow() -> Value {
        let node =
            |id: &str, lane: &str, inside: Option<&str>| json!({ "id": id, "lane": lane, "inside": inside });
        let edge = |from: &str, on: &str, to: &str| json!({ "from": from, "on": on, "to": to });
        json!({ "chains": [
            { "id": "back", "nodes": [node("a", "forward", None), node("l", "forward", Some("l")), node("b", "forward", None), node("x", "cleanup", None), node("y", "cleanup", None)],
              "edges": [edge("a", "pass", "l"), edge("a", "fail", "x"), edge("a", "pass", "b"), edge("x", "pass", "y"), edge("y", "pass", "@fail"), edge("b", "pass", "@pass"), edge("y", "fail", "a"), edge("b", "fail", "nowhere")] },
            { "id": "l", "nodes": [node("m", "forward", None), node("n", "forward", None)], "edges": [] },
        ] })
    }

    #[test]
    fn forward_goes_to_the_right_and_cleanup_to_the_left() {
        let flow = flow();
        let frame = frame(&flow, "back").expect("a drawing");
        let at = |id: &str| frame.nodes.iter().find(|placed| text(placed.node, "id") == id).expect("a box");
        assert!(at("a").x < at("l").x && at("l").x < at("b").x);
        assert!(at("x").x > at("y").x, "cleanup goes back");
        assert!(at("x").y > at("l").y + at("l").height, "in a row below");
        let inner = at("l").inside.as_ref().expect("what is inside");
        assert!(
            inner
                .nodes
                .iter()
                .all(|placed| placed.x > at("l").x && placed.x + placed.width < at("l").x + at("l").width)
        );
        let fits = |placed: &Placed<'_>| {
            placed.x + placed.width <= frame.width && placed.y + placed.height <= frame.height
        };
        assert!(frame.nodes.iter().all(fits));
    }

    #[test]
    fn every_exit_that_leads_somewhere_has_a_line() {
        let flow = flow();
        let frame = frame(&flow, "back").expect("a drawing");
        let lines: Vec<bool> =
            list(frame.chain, "edges").iter().map(|edge| line(&frame, edge).is_some()).collect();
        assert_eq!(lines, [true, true, true, true, true, true, true, false]);
    }

    #[test]
    fn lines_run_around_boxes() {
        let node = |id: &str, lane: &str| json!({ "id": id, "lane": lane });
        let edge = |from: &str, on: &str, to: &str| json!({ "from": from, "on": on, "to": to });
        let flow = json!({ "chains": [{
            "id": "c",
            "nodes": [node("a", "forward"), node("b", "forward"), node("x", "cleanup"), node("y", "cleanup")],
            "edges": [
                edge("a", "fail", "@fail"), edge("b", "fail", "@fail"), edge("x", "pass", "@pass"), edge("y", "pass", "@pass"),
                edge("b", "fail", "y"), edge("x", "fail", "a"), edge("a", "fail", "a"), edge("b", "pass", "a"),
            ],
        }] });
        let frame = frame(&flow, "c").expect("a drawing");
        for edge in list(frame.chain, "edges") {
            let drawn = line(&frame, edge).expect("a line");
            let numbers: Vec<i32> = drawn
                .split(|c: char| !c.is_ascii_digit())
                .filter(|word| !word.is_empty())
                .map(|word| word.parse().expect("a number"))
                .collect();
            let ends = [text(edge, "from"), text(edge, "to")];
            for placed in frame.nodes.iter().filter(|placed| !ends.contains(&text(placed.node, "id"))) {
                let corners: Vec<&[i32]> = numbers.chunks(2).collect();
                for pair in corners.windows(2) {
                    let [[ax, ay], [bx, by]] = pair else { continue };
                    let apart = ax.max(bx) < &placed.x
                        || ax.min(bx) > &(placed.x + placed.width)
                        || ay.max(by) < &placed.y
                        || ay.min(by) > &(placed.y + placed.height);
                    assert!(apart, "{edge} crosses {}: {drawn}", placed.node);
                }
            }
        }
    }

    #[test]
    fn nested_boxes_are_drawn_once() {
        let flow =
            json!({ "chains": [{ "id": "a", "nodes": [{ "id": "a", "lane": "forward", "inside": "a" }] }] });
        assert!(frame(&flow, "a").is_some() && frame(&flow, "b").is_none());
    }
}
