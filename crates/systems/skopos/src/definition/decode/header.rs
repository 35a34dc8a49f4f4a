//! The header: `doctype`, `version`, `steps`.
//!
//! *Knows*: what documents people take for plans. *Must not know*: steps.

use super::Cx;
use crate::codes;
use crate::definition::nearest::report_unknown;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Span};

/// The doctype of plans.
pub(crate) const PLAN_DOCTYPE: &str = "com.datagridsys.doctype/skopos/deploy-plan";
/// The doctype of models.
pub(crate) const MODEL_DOCTYPE: &str = "com.datagridsys.doctype/skopos/model";
/// The one version of plans.
const PLAN_VERSION: &str = "alpha/1";

/// Description of a model in place of a plan, with advice.
pub(crate) const MODEL_FOR_PLAN: (&str, &str) = (
    "a Skopos model, not a deployment plan",
    "name the file 'model.yaml': Skopos generates the plan from the model and what runs now",
);

/// Describes a document that is not a plan, with advice.
pub(crate) fn foreign(root: &Node) -> Option<(&'static str, &'static str)> {
    const MODEL: (&str, &str) = MODEL_FOR_PLAN;
    let doctype = root.get("doctype").and_then(Node::as_str).unwrap_or_default();
    let has = |key: &str| root.get(key).is_some();
    if doctype == MODEL_DOCTYPE || doctype.ends_with("/model") {
        return Some(MODEL);
    }
    if doctype == PLAN_DOCTYPE || has("steps") {
        return None;
    }
    if crate::definition::model::resembles(root) {
        return Some(MODEL);
    }
    if root.get("services").is_some_and(|node| node.as_mapping().is_some()) {
        return Some((
            "a compose file, not a deployment plan",
            "write its services as 'components' of a model; Skopos generates the plan from the model",
        ));
    }
    if crate::definition::files::ENV_KEYS.iter().any(|key| has(key)) {
        return Some((
            "an environment file, not a deployment plan",
            "name the file 'env.yaml' and bring a plan or a model along",
        ));
    }
    if has("apiVersion") && has("kind") {
        return Some(("a Kubernetes object, not a deployment plan", "bring a Skopos plan or model"));
    }
    if has("pods") {
        return Some((
            "a DC/OS SDK service definition, not a deployment plan",
            "load it as a DC/OS SDK service",
        ));
    }
    None
}

/// Reads the header; the list of steps when everything in it is right.
pub(super) fn read<'n>(cx: &mut Cx<'_>, root: &'n Node, start: Span) -> Option<&'n [Node]> {
    let doctype = root.get("doctype").filter(|node| !node.is_null());
    if let Some((what, help)) = foreign(root) {
        let span = doctype.map_or(start, |node| node.span);
        cx.error(codes::DOCTYPE, span, format!("This is {what}"), help);
        return None;
    }
    let mut sound = true;
    match doctype {
        None => {
            let text = "The document has no doctype".to_owned();
            cx.error(codes::DOCTYPE, start, text, format!("begin with \"doctype: '{PLAN_DOCTYPE}'\""));
            sound = false;
        }
        Some(node) if node.as_str() != Some(PLAN_DOCTYPE) => {
            let shown = node.as_str().map_or_else(|| node.describe().to_owned(), |text| format!("'{text}'"));
            let text = format!("The doctype of a plan is '{PLAN_DOCTYPE}', but this one is {shown}");
            let mut finding = Diagnostic::error(codes::DOCTYPE, node.span, text)
                .with_help(format!("write \"doctype: '{PLAN_DOCTYPE}'\""));
            if node.literal && node.as_str().is_some() {
                let fixed = format!("'{PLAN_DOCTYPE}'");
                finding = finding.with_fix("Write the doctype of plans", node.span, fixed);
            }
            cx.found.push(finding);
            sound = false;
        }
        Some(_) => {}
    }
    match root.get("version").filter(|node| !node.is_null()) {
        None => {
            let text = "The plan has no version".to_owned();
            cx.error(codes::VERSION, start, text, format!("write \"version: '{PLAN_VERSION}'\""));
            sound = false;
        }
        Some(node) if node.as_str() != Some(PLAN_VERSION) => {
            let shown = node.as_str().map_or_else(|| node.describe().to_owned(), |text| format!("'{text}'"));
            let text = format!("The version of a plan is '{PLAN_VERSION}', but this one is {shown}");
            cx.error(codes::VERSION, node.span, text, format!("write \"version: '{PLAN_VERSION}'\""));
            sound = false;
        }
        Some(_) => {}
    }
    let steps = steps(cx, root, start);
    let known = ["doctype", "version", "steps"];
    report_unknown(cx.found, codes::UNKNOWN_ATTRIBUTE, root, "The plan", &known, Some("remove it"));
    steps.filter(|_| sound)
}

fn steps<'n>(cx: &mut Cx<'_>, root: &'n Node, start: Span) -> Option<&'n [Node]> {
    let Some(steps) = root.get("steps") else {
        let text = "The plan has no steps".to_owned();
        cx.error(codes::STEPS, start, text, "add 'steps:' with a list, empty if there is nothing to do");
        return None;
    };
    if steps.is_null() {
        return Some(&[]);
    }
    let list = steps.as_sequence();
    if list.is_none() {
        let text = format!("'steps' must be a list, but is {}", steps.describe());
        cx.error(codes::STEPS, steps.span, text, "begin each step with '- '");
    }
    list
}
