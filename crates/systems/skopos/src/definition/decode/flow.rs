//! The values of `on_pass` and `on_fail`: a label and what happens on the way.
//!
//! *Knows*: `LABEL [, SUB]...` with blanks anywhere. *Must not know*: which steps exist.

use super::{Cx, scalar};
use crate::codes;
use crate::definition::nearest::nearest;
use crate::plan::{Exit, Label};
use planarium_protocol::Text;
use planarium_source::suggest::did_you_mean;
use planarium_source::yaml::Node;

const SUBS: [&str; 3] = ["pause", "warn", "info"];

/// The labels that name no step.
pub(super) const SPECIAL: [&str; 3] = ["next", "pass", "fail"];

/// An exit as written.
#[derive(Default)]
pub(super) struct Read {
    pub(super) exit: Exit,
    /// The step that it names.
    pub(super) goes: Option<Text>,
    /// It could not be understood.
    pub(super) lost: bool,
}

/// Reads an exit; an absent or empty one is `next`.
pub(super) fn exit(cx: &mut Cx<'_>, node: Option<&Node>, what: &str, step: &str) -> Read {
    let Some(node) = node.filter(|node| !node.is_null()) else { return Read::default() };
    let Some(text) = node.as_str() else {
        let message = format!("'{what}' of step '{step}' must be a text, but is {}", node.describe());
        cx.error(
            codes::FLOW_SYNTAX,
            node.span,
            message,
            "write a label, such as next, pass, fail or a step id",
        );
        return Read { lost: true, ..Read::default() };
    };
    let mut parts = text.split(',').map(str::trim);
    let label = parts.next().unwrap_or_default();
    if label.is_empty() {
        let message = format!("'{what}' of step '{step}' has no label");
        cx.error(codes::FLOW_SYNTAX, node.span, message, "begin with next, pass, fail or a step id");
        return Read { lost: true, ..Read::default() };
    }
    let mut exit = Exit { written: true, ..Exit::default() };
    for sub in parts.filter(|part| !part.is_empty()) {
        match sub {
            "pause" => exit.pause = true,
            "warn" => exit.warn = true,
            "info" => exit.info = true,
            _ => {
                let message = format!("'{what}' of step '{step}' has '{sub}', which is ignored");
                let help =
                    did_you_mean(nearest(sub, &SUBS), || "after the label there may be pause, warn and info");
                cx.warn(codes::FLOW_SUBATTRIBUTE, node.span, message, help);
            }
        }
    }
    if exit.warn && exit.info {
        let message = format!("'{what}' of step '{step}' has warn and info: one warning is logged");
        cx.warn(codes::FLOW_WARN_INFO, node.span, message, "keep one of the two");
    }
    let mut goes = None;
    exit.label = match label {
        "next" => Label::Next,
        "pass" => Label::Pass,
        "fail" => Label::Fail,
        _ => {
            goes = scalar::word(node).map(|_| label.into());
            Label::Next
        }
    };
    Read { exit, goes, lost: false }
}

/// Returns a label with the words that belong behind a comma, with their commas; `None` for anything else.
pub(super) fn parted(label: &str) -> Option<String> {
    let words: Vec<&str> = label.split_whitespace().collect();
    let (_, subs) = words.split_first()?;
    (!subs.is_empty() && subs.iter().all(|sub| SUBS.contains(sub))).then(|| words.join(", "))
}
