//! Reads the tree of a plan's text into a plan, with every finding about its form.
//!
//! *Knows*: the header, the attributes of each class, where each class is allowed, the syntax of exits. *Must not
//! know*: models, environments, existing plugins.
//!
//! **Source**: Skopos Deployment Plan Reference, sections "Header section" to "Plan Errors". Match; the fidelity ledger
//! lists what the document leaves open.

mod action;
mod flow;
mod goto;
mod header;
mod scalar;
mod step;

use crate::codes;
use crate::plan::{Chain, Plan, Step, StepId};
use planarium_kernel::Map;
use planarium_protocol::Text;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Diagnostics, SourceMap, Span};
use std::sync::Arc;

pub(crate) use header::{MODEL_DOCTYPE, MODEL_FOR_PLAN, PLAN_DOCTYPE, foreign};
pub(crate) use scalar::word;

/// Input of the reading, and its findings.
pub(crate) struct Cx<'a> {
    /// For lines and columns.
    pub(crate) sources: &'a SourceMap,
    /// Name of the file, as places in it are shown.
    pub(crate) file: Text,
    /// Findings.
    pub(crate) found: &'a mut Diagnostics,
}

impl Cx<'_> {
    /// Adds an error.
    pub(crate) fn error(&mut self, code: &'static str, span: Span, text: String, help: impl Into<String>) {
        self.found.push(Diagnostic::error(code, span, text).with_help(help));
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, code: &'static str, span: Span, text: String, help: impl Into<String>) {
        self.found.push(Diagnostic::warning(code, span, text).with_help(help));
    }

    /// Adds a piece of information.
    pub(crate) fn info(&mut self, code: &'static str, span: Span, text: String, help: impl Into<String>) {
        self.found.push(Diagnostic::info(code, span, text).with_help(help));
    }
}

/// A decoded plan, with the positions that further checks point at.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    /// The part of the plan that was understood.
    pub(crate) plan: Arc<Plan>,
    /// Places by step.
    pub(crate) places: Vec<Places>,
}

/// Positions of a step's parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The first line of the step.
    pub(crate) head: Span,
    /// Set if its class was understood.
    pub(crate) classed: bool,
    /// The value of `id`.
    pub(crate) id: Span,
    /// The value of `class`.
    pub(crate) class: Span,
    /// The value of `cleanup`.
    pub(crate) cleanup: Span,
    /// The value of `component`, else of `id`.
    pub(crate) component: Span,
    /// The values of `on_pass` and `on_fail`.
    pub(crate) exits: [Span; 2],
    /// An exit could not be understood.
    pub(crate) lost_exit: bool,
    /// The value of `plugin`.
    pub(crate) plugin: Span,
    /// The value of `action`.
    pub(crate) action: Span,
    /// The value of `exec`.
    pub(crate) exec: Span,
    /// The value of `arguments`.
    pub(crate) arguments: Span,
    /// The value of the step's own `selector`.
    pub(crate) selector: Span,
    /// The values of its arguments, by name.
    pub(crate) argument: Vec<(Text, Span)>,
}

impl Places {
    /// Everything at one place.
    pub(crate) fn at(span: Span) -> Self {
        Self {
            head: span,
            classed: true,
            id: span,
            class: span,
            cleanup: span,
            component: span,
            exits: [span; 2],
            lost_exit: false,
            plugin: span,
            action: span,
            exec: span,
            arguments: span,
            selector: span,
            argument: Vec::new(),
        }
    }
}

/// Steps and chains under construction.
struct Draft {
    steps: Vec<DraftStep>,
    chains: Vec<Chain>,
    /// Position of each id's first use.
    ids: Map<Text, (StepId, Span)>,
}

struct DraftStep {
    step: Step,
    places: Places,
    /// Ids that its exits name, where they name one.
    goes: [Option<Text>; 2],
}

/// Reads a plan from the root of its text; none when its header is not that of a plan.
pub(crate) fn plan(cx: &mut Cx<'_>, root: Option<&Node>, start: Span) -> Option<Decoded> {
    let Some(root) = root.filter(|root| root.as_mapping().is_some()) else {
        let what = root.map_or("nothing", Node::describe);
        let span = root.map_or(start, |root| root.span);
        let text = format!("A plan is a mapping, but this document is {what}");
        cx.error(codes::ROOT, span, text, "start with the keys 'doctype', 'version' and 'steps'");
        return None;
    };
    let steps = header::read(cx, root, start)?;
    let mut draft = Draft { steps: Vec::new(), chains: Vec::new(), ids: Map::new() };
    step::root(cx, &mut draft, steps);
    goto::resolve(cx, &mut draft);
    let mut all = Vec::with_capacity(draft.steps.len());
    let mut places = Vec::with_capacity(draft.steps.len());
    for one in draft.steps {
        all.push(one.step);
        places.push(one.places);
    }
    Some(Decoded { plan: Arc::new(Plan::new(all, draft.chains)), places })
}
