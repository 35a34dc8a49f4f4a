//! The script of a scenario: triggers and actions.

use super::fields::{self, Fields};
use super::{Context, service};
use crate::codes;
use crate::model::{Action, Entry, Show, Trigger};
use planarium_protocol::input::Input;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, Position};
use planarium_world::Condition;

pub(crate) const KEYS: &[&str] = &["at", "when", "then", "say", "do", "edit", "expect", "refused", "show"];
const SERVICE_KEYS: &[&str] = &["dialect", "name", "files", "env", "options", "params"];

/// Reads one entry.
pub(crate) fn entry(node: &Node, cx: &mut Context<'_>) -> Option<Entry> {
    let mut parts = Fields::open(node, "a script entry", KEYS, cx)?;
    let trigger = trigger(&mut parts, cx);
    let mut actions = Vec::new();
    if let Some(text) = parts.text("say", cx) {
        actions.push(Action::Say(text));
    }
    if let Some(node) = parts.take("do") {
        actions.extend(inputs(node, cx).into_iter().map(|input| Action::Do(Box::new(input))));
    }
    if let Some(node) = parts.take("edit")
        && let Some(mut edit) = Fields::open(node, "an edit", SERVICE_KEYS, cx)
    {
        let load = service::part(&mut edit, cx);
        actions.push(Action::Do(Box::new(Input::UpdateService(load))));
    }
    if let Some(node) = parts.take("expect") {
        let one = std::slice::from_ref(node);
        for item in node.as_sequence().unwrap_or(one) {
            if let Some((condition, text)) = condition(item, cx) {
                actions.push(Action::Expect(condition, text));
            }
        }
    }
    let refused = parts.whole("refused", cx);
    if let Some(text) = parts.text("show", cx) {
        actions.push(Action::Show(show(&text)));
    }
    let Position { line, column } = cx.sources.position(node.span);
    Some(Entry { trigger: trigger?, actions, refused, line, column })
}

fn trigger(parts: &mut Fields<'_>, cx: &mut Context<'_>) -> Option<Trigger> {
    let (at, when, then) = (parts.take("at"), parts.take("when"), parts.take("then"));
    match (at, when, then) {
        (Some(node), None, None) => fields::time(node, cx).map(Trigger::At),
        (None, Some(node), None) => condition(node, cx).map(|(condition, _)| Trigger::When(condition)),
        (None, None, Some(node)) => fields::time(node, cx).map(Trigger::Then),
        _ => {
            cx.found.push(
                Diagnostic::error(codes::TRIGGER, parts.node().span, "a script entry needs exactly one of `at`, `when`, `then`")
                    .with_help("`at: 10s` waits for an instant, `when: deploy=COMPLETE` for a condition, `then: 5s` for a span after the entry before"),
            );
            None
        }
    }
}

/// Reads a condition; returns it with its text.
pub(crate) fn condition(node: &Node, cx: &mut Context<'_>) -> Option<(Condition, String)> {
    let text = node.as_str().unwrap_or_default();
    match Condition::parse(text) {
        Ok(condition) => Some((condition, text.to_owned())),
        Err(error) => {
            cx.found.push(Diagnostic::error(codes::CONDITION, node.span, error.to_string()));
            None
        }
    }
}

/// Reads an input or a list of inputs.
pub(crate) fn inputs(node: &Node, cx: &mut Context<'_>) -> Vec<Input> {
    let one = std::slice::from_ref(node);
    node.as_sequence().unwrap_or(one).iter().filter_map(|item| fields::typed(item, "the input", cx)).collect()
}

fn show(text: &str) -> Show {
    match text.trim() {
        "all" => Show::All,
        "cluster" => Show::Cluster,
        other => match other.strip_prefix("why ") {
            Some(path) => Show::Why(path.trim().to_owned()),
            None => Show::Plan(other.to_owned()),
        },
    }
}
