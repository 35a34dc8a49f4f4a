//! A plan whose steps declare their successors, as drawn by a front end: chains of steps, exits as arrows, loops,
//! recovery next to the way forward.
//!
//! Plain data; the engine makes every word in it. Part of [`crate::view::ServiceView::more`] of services whose plans
//! have exits.

use crate::Text;
use crate::json::Read;
use crate::view::SourceRef;
use serde::{Deserialize, Serialize};

/// The drawing of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowDrawing {
    /// State of the engine in one line: `running`, `paused before back-20`, `waiting for gate check`.
    pub line: String,
    /// Status word of the plan.
    pub status: Text,
    /// A pause was asked for and comes at the next exit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pause_pending: bool,
    /// The plan was made by the engine, not brought.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generated: bool,
    /// The gate that waits for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<FlowGate>,
    /// The elements being worked on, outermost first: `back`, `back-10[1]`, `back-10-20`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Text>,
    /// Next steps of the run if the step being worked on passes, and if it fails; at a held exit only the chosen way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<FlowNext>,
    /// Chains, the top level first. A chain inside a step comes after the step's own chain.
    pub chains: Vec<FlowChain>,
    /// Chains that are not drawn because the plan is large; they are drawn while they are worked on.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A gate with its question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowGate {
    /// Id of the step.
    pub step: Text,
    /// The question; may be empty.
    pub prompt: Text,
}

/// A next step of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowNext {
    /// The step with the result.
    pub from: Text,
    /// `pass` or `fail`.
    pub on: Text,
    /// The step that comes next; absent when the plan ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Text>,
    /// One sentence: `back-10 fails, back fails, the plan fails`.
    pub words: String,
    /// The run is held on the way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pauses: bool,
}

/// A chain of steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowChain {
    /// Id of the step that it is in; `@plan` for the top level.
    pub id: Text,
    /// `plan`, `group`, `component` or `loop`.
    pub kind: Text,
    /// Steps in order.
    pub nodes: Vec<FlowNode>,
    /// Exits of the steps in order, pass before fail.
    pub edges: Vec<FlowEdge>,
    /// The iterations, for a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterate: Option<FlowLoop>,
}

/// A step in a chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowNode {
    /// Its id.
    pub id: Text,
    /// Label shown for it.
    pub label: Text,
    /// Its class, as plans have it.
    pub class: Text,
    /// `forward` (drawn from left to right) or `cleanup` (below, from right to left).
    pub lane: Text,
    /// Its place in the chain, from 0.
    pub pos: u32,
    /// Status word.
    pub status: Text,
    /// Number of times it was entered.
    pub entries: u32,
    /// A gate is in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gate: bool,
    /// The question that it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Text>,
    /// The chain in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Text>,
    /// Its call as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<Text>,
    /// Its last call with names replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<Text>,
    /// The script that it calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Text>,
    /// Its running time. *Units*: milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Why it failed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Text>,
    /// For a component: versions and instances before and after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<FlowComponent>,
    /// Position in the definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<FlowSource>,
}

/// A place in a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowSource {
    /// File path.
    pub file: Text,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl From<&SourceRef> for FlowSource {
    fn from(source: &SourceRef) -> Self {
        Self { file: source.file.clone(), line: source.line, column: source.column }
    }
}

/// A component step's effect on its component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowComponent {
    /// Its name.
    pub name: Text,
    /// Versions to be replaced, as the plan says.
    pub old_versions: Vec<Text>,
    /// Version to be deployed, as the plan says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_version: Option<Text>,
    /// Old instances there are.
    pub old: u32,
    /// New instances there are.
    pub new: u32,
    /// Number of instances that should exist.
    pub target: u64,
}

/// An exit of a step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowEdge {
    /// The step.
    pub from: Text,
    /// `pass` or `fail`.
    pub on: Text,
    /// The step that it leads to; `@pass` and `@fail` are the ends of the chain.
    pub to: Text,
    /// `pause`, `warn`, `info`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Text>,
    /// It was written, not left to the default.
    pub explicit: bool,
    /// A failure continues as if nothing had happened, without the user's request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored: bool,
    /// It leads back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub back: bool,
    /// Number of times it was taken.
    pub taken: u32,
    /// It was taken last of all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// The run is held at it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
}

/// Values that a loop iterates over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowLoop {
    /// In words: `target instances`, `old instances from 2`, `3 times from 2`.
    pub words: String,
    /// Number of iterations, or the number there would be if it were entered now.
    pub planned: u64,
    /// The slot being worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<u64>,
    /// Iterations so far; limited to the last ones.
    pub iterations: Vec<FlowIteration>,
}

/// An iteration of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Read)]
#[cfg_attr(feature = "ts", derive(tsify::Tsify))]
pub struct FlowIteration {
    /// The slot.
    pub index: u64,
    /// Status word.
    pub status: Text,
    /// Status words of the chain's steps in order.
    pub steps: Vec<Text>,
}
