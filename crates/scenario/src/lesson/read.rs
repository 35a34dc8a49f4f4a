//! Reads the `lesson:` block of a scenario, with a positioned finding for everything that cannot be read.
//!
//! Knows: the keys of the block. Must not know: whether a lesson can be solved; `proof` checks that.

use super::check::Check;
use super::model::{Lesson, Naive, NamedCheck, Prediction, PredictionOption, Role, Route, Serving};
use super::places::Places;
use crate::codes;
use crate::model::{Entry, Scenario};
use crate::parse::fields::{self, Fields};
use crate::parse::{Context, script};
use planarium_protocol::Input;
use planarium_source::suggest::did_you_mean_in_ticks;
use planarium_source::yaml::Node;
use planarium_source::{Diagnostic, suggest};

pub(super) const KEYS: &[&str] = &[
    "id", "order", "teaches", "needs", "allowed", "predict", "goal", "never", "serving", "hints", "solution",
    "also", "naive",
];
pub(super) const CHECK_KEYS: &[&str] = &["id", "check"];
pub(super) const QUESTION_KEYS: &[&str] = &["id", "play", "options"];
pub(super) const OPTION_KEYS: &[&str] = &["id", "when", "right"];
pub(super) const NAIVE_KEYS: &[&str] = &["fails", "play"];
pub(super) const SERVING_KEYS: &[&str] = &["of", "needed"];

/// Reads the block. `pinned` says that the scenario sets a seed.
pub(crate) fn read(node: &Node, scenario: &Scenario, pinned: bool, cx: &mut Context<'_>) -> Option<Lesson> {
    let mut block = Fields::open(node, "a lesson", KEYS, cx)?;
    for key in ["id", "teaches", "allowed", "goal", "hints", "solution", "naive"] {
        if block.take(key).is_none() {
            lacks(node, key, cx);
        }
    }
    let id = block.text("id", cx).unwrap_or_default();
    if let Some(node) = block.take("id").filter(|_| !is_id(&id)) {
        fields::wrong(node, "an id is lower case letters, digits and hyphens", cx);
    }
    let mut names = Vec::new();
    let mut checks = named_checks(block.list("goal", cx), Role::Goal, &mut names, cx);
    checks.extend(named_checks(block.list("never", cx), Role::Never, &mut names, cx));
    let predict: Vec<Prediction> =
        block.list("predict", cx).iter().filter_map(|node| prediction(node, cx)).collect();
    let lesson = Lesson {
        id,
        order: block.whole("order", cx).unwrap_or_default(),
        scenario: scenario.clone(),
        pinned,
        teaches: words(block.list("teaches", cx), cx),
        needs: texts(block.list("needs", cx), cx),
        allowed: words(block.list("allowed", cx), cx),
        predict,
        serving: block.list("serving", cx).iter().filter_map(|node| serving(node, cx)).collect(),
        hints: block.whole("hints", cx).unwrap_or_default(),
        solution: route(block.list("solution", cx), cx),
        also: block.list("also", cx).iter().map(|node| route(list(node, cx), cx)).collect(),
        naive: block.list("naive", cx).iter().filter_map(|node| naive(node, &names, cx)).collect(),
        places: places(&mut block, cx),
        checks,
    };
    Some(lesson)
}

/// Places of the parts that a proof may find fault with.
fn places(block: &mut Fields<'_>, cx: &Context<'_>) -> Places {
    let mut places = Places::default();
    places.note("", block.node().span, cx.sources);
    for key in KEYS {
        let Some(node) = block.take(key) else { continue };
        places.note(*key, node.span, cx.sources);
        for (index, item) in node.as_sequence().unwrap_or_default().iter().enumerate() {
            let own = item.get("id").or(Some(item)).and_then(Node::as_str);
            let path = own.map_or_else(|| format!("{key}/{index}"), |own| format!("{key}/{own}"));
            for option in item.get("options").and_then(Node::as_sequence).unwrap_or_default() {
                let id = option.get("id").and_then(Node::as_str).unwrap_or_default();
                places.note(format!("{path}/{id}"), option.span, cx.sources);
            }
            places.note(path, item.span, cx.sources);
        }
    }
    places
}

/// Every entry that a learner or a question may play, for what a world has to have from the beginning.
pub(crate) fn all_inputs(lesson: &Lesson) -> Vec<Entry> {
    let asked = lesson.predict.iter().map(|question| &question.play);
    lesson.routes().chain(asked).flatten().cloned().collect()
}

fn lacks(node: &Node, key: &str, cx: &mut Context<'_>) {
    cx.found.push(
        Diagnostic::error(codes::LESSON_PART, node.span, format!("the lesson has no `{key}`"))
            .with_help("`planarium lesson new` writes a lesson that has everything"),
    );
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Reads checks. `names` receives every name, also of checks that cannot be read.
fn named_checks(
    nodes: &[Node],
    role: Role,
    names: &mut Vec<String>,
    cx: &mut Context<'_>,
) -> Vec<NamedCheck> {
    let mut checks: Vec<NamedCheck> = Vec::new();
    for node in nodes {
        let Some(mut parts) = Fields::open(node, "a check", CHECK_KEYS, cx) else { continue };
        let id = name(&mut parts, cx);
        if names.contains(&id) {
            unknown(node, format!("there are two checks `{id}`"), cx);
        }
        names.push(id.clone());
        let Some(written) = parts.take("check") else {
            lacks(node, "check", cx);
            continue;
        };
        if let Some(check) = check(written, role == Role::Never, cx) {
            checks.push(NamedCheck { id, role, check });
        }
    }
    checks
}

fn name(parts: &mut Fields<'_>, cx: &mut Context<'_>) -> String {
    let id = parts.text("id", cx);
    if id.is_none() {
        lacks(parts.node(), "id", cx);
    }
    id.unwrap_or_default()
}

fn check(node: &Node, forbidden: bool, cx: &mut Context<'_>) -> Option<Check> {
    match Check::parse_as(node.as_str().unwrap_or_default(), forbidden) {
        Ok(check) => Some(check),
        Err(error) => {
            cx.found.push(
                Diagnostic::error(codes::CHECK, node.span, error)
                    .with_help("STATES [after STATES] [until STATES] [by TIME | at TIME | within TIME]"),
            );
            None
        }
    }
}

fn prediction(node: &Node, cx: &mut Context<'_>) -> Option<Prediction> {
    let mut parts = Fields::open(node, "a prediction", QUESTION_KEYS, cx)?;
    let id = name(&mut parts, cx);
    let play = route(parts.list("play", cx), cx);
    let mut options = Vec::new();
    for node in parts.list("options", cx) {
        let Some(mut option) = Fields::open(node, "an option", OPTION_KEYS, cx) else { continue };
        let id = name(&mut option, cx);
        let right = option.take("right").is_some_and(|node| node.to_json() == true);
        if let Some(when) = option.take("when").and_then(|node| check(node, false, cx)) {
            options.push(PredictionOption { id, when, right });
        }
    }
    if options.iter().filter(|option| option.right).count() != 1 {
        unknown(node, "exactly one option of a prediction is `right: true`".to_owned(), cx);
    }
    Some(Prediction { id, play, options })
}

fn naive(node: &Node, names: &[String], cx: &mut Context<'_>) -> Option<Naive> {
    let mut parts = Fields::open(node, "a naive route", NAIVE_KEYS, cx)?;
    let Some(fails) = parts.text("fails", cx) else {
        lacks(node, "fails", cx);
        return None;
    };
    if !names.contains(&fails) {
        let near = suggest(&fails, names.iter().map(String::as_str));
        let mut finding =
            Diagnostic::error(codes::LESSON_NAME, node.span, format!("there is no check `{fails}`"));
        finding.help = near.map(|near| did_you_mean_in_ticks(Some(near), String::new));
        cx.found.push(finding);
    }
    Some(Naive { fails, play: route(parts.list("play", cx), cx) })
}

fn serving(node: &Node, cx: &mut Context<'_>) -> Option<Serving> {
    let mut parts = Fields::open(node, "what is serving", SERVING_KEYS, cx)?;
    let of = parts.text("of", cx)?.trim_matches('/').to_owned();
    Some(Serving { of, needed: parts.whole("needed", cx)? })
}

fn route(nodes: &[Node], cx: &mut Context<'_>) -> Route {
    nodes.iter().filter_map(|node| script::entry(node, cx)).collect()
}

fn list<'n>(node: &'n Node, cx: &mut Context<'_>) -> &'n [Node] {
    let items = node.as_sequence();
    if items.is_none() {
        fields::wrong(node, "a route is a list of entries", cx);
    }
    items.unwrap_or_default()
}

fn texts(nodes: &[Node], cx: &mut Context<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for node in nodes {
        match node.as_str() {
            Some(text) => all.push(text.to_owned()),
            None => fields::wrong(node, "this is a text", cx),
        }
    }
    all
}

/// Reads command words, each of a valid kind.
fn words(nodes: &[Node], cx: &mut Context<'_>) -> Vec<String> {
    for node in nodes {
        let first = node.as_str().and_then(|text| text.split(' ').next()).unwrap_or_default();
        if Input::KINDS.contains(&first) || node.as_str().is_none() {
            continue;
        }
        let finding =
            Diagnostic::error(codes::LESSON_WORD, node.span, format!("there is no command `{first}`"));
        cx.found.push(
            finding.with_help(did_you_mean_in_ticks(suggest(first, Input::KINDS.iter().copied()), || {
                format!("commands begin with {}", Input::KINDS.join(", "))
            })),
        );
    }
    texts(nodes, cx)
}

fn unknown(node: &Node, message: String, cx: &mut Context<'_>) {
    cx.found.push(Diagnostic::error(codes::LESSON_NAME, node.span, message));
}
